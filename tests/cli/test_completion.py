"""The answers to a shell when Tab is pressed, and the scripts that make it ask."""

import subprocess
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from seqp2p.api.known import Meeting, remember
from seqp2p.bots.registry import BOTS
from seqp2p.cli.completion import SHELLS, VARIABLE
from seqp2p.cli.main import COMMANDS, spoken
from seqp2p.cli.main import cli as bare_group
from seqp2p.crypto.identity import Identity
from tests.cli.conftest import Cli, said


def completed(*words: str) -> list[str]:
    """Return what Tab offers at the end of these words: values, or the kind of file to choose."""
    shell = ShellComplete(spoken(bare_group), {}, "seqp2p", VARIABLE)
    offered = shell.get_completions(list(words[:-1]), words[-1])
    return [f"{item.type}:" if item.type != "plain" else item.value for item in offered]


@pytest.mark.process
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_every_shell(shell: str, cli: Cli) -> None:
    out = said(cli("completion", shell))
    assert f"_SEQP2P_COMPLETE={shell}_complete" in out
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=out, text=True, check=True)


def test_commands_options_and_values() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("pl") == ["play"]
    assert "--log-file" in completed("--")
    assert "--variant" in completed("host", "--va")
    assert completed("play", "--bot", "") == list(BOTS)
    assert completed("host", "--variant", "k") == ["kids"]
    assert completed("completion", "") == list(SHELLS)
    assert completed("verify", "gam") == ["file:"]
    assert completed("host", "--replay-dir", "gam") == ["dir:"]


def test_a_question_of_a_shell_is_answered_and_does_nothing_else(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": "seqp2p play --log-file x --variant k", "COMP_CWORD": "5"}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert cli() == (0, "plain,kids\n", "")
    assert list(tmp_path.iterdir()) == []


def test_replays_by_number(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("show", "") == ["file:"]
    (own_home / "replays").mkdir(parents=True)
    for name in ("a", "b"):
        (own_home / "replays" / f"{name}.seqp2p").touch()
    assert completed("show", "") == completed("verify", "") == ["last", "1", "2"]
    assert completed("show", "l") == ["last"]
    assert completed("show", "x") == ["file:"]
    (tmp_path / "here.seqp2p").touch()
    assert completed("show", "") == ["file:"]
    assert completed("show", "2") == ["2"]


def test_names_of_known_players_and_colours(own_home: Path) -> None:
    assert completed("host", "--colour", "r") == ["red"]
    assert completed("id", "--forget", "") == []
    remember([Meeting(2, "Ann", Identity(bytes(32)).public, "new")])
    remember([Meeting(3, "A$(touch x)", Identity(b"1" * 32).public, "new")])  # A shell would obey it.
    assert completed("id", "--forget", "A") == ["Ann"]
    (own_home / "known_players.json").write_text("?", "utf-8")
    assert completed("id", "--forget", "A") == []


def test_games_that_can_be_resumed(tmp_path: Path, own_home: Path) -> None:
    other = tmp_path / "other"
    assert completed("resume", "3") == []
    for folder, games in ((own_home / "replays", ("3fb159ae39a8", "0123456789ab")), (other, ("3fffffffffff",))):
        folder.mkdir(parents=True)
        for game in games:
            (folder / f"2026-01-31-203000-{game}-seat2.seqp2p.seat").touch()
    assert completed("resume", "3") == ["3fb159ae39a8"]
    assert completed("resume", "--replay-dir", str(other), "3") == ["3fffffffffff"]
