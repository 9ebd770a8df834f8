"""Help shows every command; faults, and usage errors beside those of ``talks.txt``."""

import re
import sys

import click
import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.cli import main as main_module
from seqp2p.cli import output
from seqp2p.cli.main import COMMANDS, EXIT_CODES, HEADINGS
from seqp2p.errors import ABANDONED, UserError
from tests.cli import documented
from tests.cli.conftest import Cli, refused, said
from tests.cli.processes import Household


def test_help_lists_every_command(cli: Cli) -> None:
    for words, exit_code in ((("--help",), 0), (("-h",), 0), ((), 2)):
        code, *told = cli(*words)
        assert (code, told[exit_code == 0]) == (exit_code, "")
        out = told[exit_code != 0]
        assert out.startswith("Usage: seqp2p")
        for name, (_, text) in COMMANDS.items():
            assert f"  {name}" in out
            assert text in out


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(cli: Cli, command: str) -> None:
    out = said(cli(command, "--help"))
    assert out.startswith(f"Usage: seqp2p {command}")
    assert "--until-stdin-closes" not in out


def test_options_have_headings_in_the_language_of_the_reader(cli: Cli) -> None:
    group = main_module.cli
    commands = [group.get_command(click.Context(group), name) for name in COMMANDS]
    known = {option.name for command in commands if command is not None for option in command.params}
    assert {name for names in HEADINGS.values() for name in names} <= known
    headings = re.findall(r"^([A-Z].*):\n", said(cli("host", "--help")), re.MULTILINE)
    assert headings == [*HEADINGS]
    assert "--log-file" in said(cli("reach", "--help")).split("Every command:")[1]
    assert "[TEXTE; –]" in said(cli("config", "--help", "--lang", "fr"))


def test_help_and_games_import_no_more_than_they_need(people: Household) -> None:
    """Help is quick without network, cryptography and rules; a game without a screen does without prompt_toolkit."""
    playing = [COMMANDS[name][0] for name in ("play", "host", "join", "resume", "watch")]
    code = f"""import sys, runpy
try: runpy.run_module('seqp2p', run_name='__main__')
except SystemExit: print(sorted(sys.modules))
import {", ".join(playing)}
print(sorted(sys.modules))"""
    process = people.run([sys.executable, "-c", code, "--help"])
    assert process.end() == 0
    *_, helping, then = process.out
    for heavy in ("trio", "cryptography", "seqp2p.rules", "seqp2p.net", "asyncio", "ssl"):
        assert f"'{heavy}'" not in helping
    assert "'prompt_toolkit'" not in then


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, typed: list[str]) -> list[str]:
    """The lines that a person types at a terminal; the host was there a moment ago."""

    async def dial(*_: object) -> trio.abc.Stream:
        return memory_stream_pair()[0]

    monkeypatch.setattr("seqp2p.cli.options.is_terminal", lambda: True)
    monkeypatch.setattr("seqp2p.cli.finding.dial_in_time", dial)
    return typed


ASKED = "join code, which the host reads out (like 7-amber-falcon):\n"


def test_a_code_is_asked_for_until_it_can_be_one(cli: Cli, asked: list[str]) -> None:
    asked += ["hello", "7 amber falcno", "7 AMBER falcon"]
    exit_code, out, err = cli("join", "127.0.0.1:1", "--bot", "random", "--json")
    assert (exit_code, documented.stream(out)[0]["code"]) == (4, "unreachable")
    assert err.count(ASKED) == 3
    assert "This is not a join code. A code is a number and two to four words, as in 7-amber-falcon." in err
    assert "Did you mean 'falcon'?" in err
    assert "nobody answers at 127.0.0.1:1" in err
    assert cli("join", "127.0.0.1:1", "--bot", "random") == (5, "", f"{ASKED}seqp2p: stopped\n")


def test_a_fault_shows_its_place_only_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ZeroDivisionError("secret")
    output.report_bug(ZeroDivisionError, error, None)
    assert capsys.readouterr().err.splitlines() == [
        "seqp2p: error: a fault in seqp2p itself (ZeroDivisionError)",
        "seqp2p: hint: SEQP2P_DEBUG=1 shows where; please report it",
    ]
    monkeypatch.setenv("SEQP2P_DEBUG", "1")
    output.report_bug(ZeroDivisionError, error, None)
    assert capsys.readouterr().err == "ZeroDivisionError: secret\n"


def test_a_usage_error_that_knows_no_command() -> None:
    error = main_module.usage_error(click.UsageError("What  is\nthis?."))
    assert (str(error), error.hint, error.exit_code) == ("what is this?", "see seqp2p --help", 2)


@pytest.mark.parametrize(
    ("line", "range_"), [("play --pace nan", "0<=x<=60"), ("arena greedy random --until NaN", "0.1<=x<=50")]
)
def test_what_is_no_number_is_in_no_range(cli: Cli, line: str, range_: str) -> None:
    exit_code, error, _ = refused(cli(*line.split()))
    assert (exit_code, error.partition(": ")[2]) == (2, f"nan is not in the range {range_}")


def test_completion_does_not_complain(cli: Cli) -> None:
    # A shell asks for completions of what is half typed.
    context = main_module.cli.make_context("seqp2p", ["hos"], resilient_parsing=True)
    assert isinstance(main_module.cli, main_module.LazyGroup)
    assert main_module.cli.resolve_command(context, ["hos"]) == (None, None, [])
    assert main_module.cli.list_commands(context) == list(COMMANDS)


def test_exit_codes_are_those_of_the_documentation() -> None:
    assert list(EXIT_CODES) == list(documented.exit_codes()) == [0, 1, 2, 3, 4, 5]


def test_ctrl_c_while_the_program_starts_is_no_fault_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "spoken", interrupted)
    with pytest.raises(UserError, match=r"^stopped$") as caught:
        main_module.run(())
    assert caught.value.exit_code == ABANDONED
