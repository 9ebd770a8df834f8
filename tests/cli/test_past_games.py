"""``seqp2p games`` and ``show`` without a file: this player's replays, last first."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from seqp2p.api import games as api_games
from seqp2p.cli import replays as past_games
from seqp2p.cli.menu import rows_now
from seqp2p.replay.sidecar import Sidecar, entry, sidecar_path
from tests.cli.conftest import KIDS, WON, Cli, refused, said
from tests.replay.test_sidecar import PARTS, SECRETS


@pytest.fixture
def folder(own_home: Path) -> Path:
    """The usual folder."""
    (own_home / "replays").mkdir(parents=True)
    return own_home / "replays"


@pytest.fixture
def played(folder: Path) -> Path:
    """A folder with a game of two, and with a game of three that was played an hour later."""
    for hour, path in enumerate((WON, KIDS)):
        shutil.copy(path, folder)
        os.utime(folder / path.name, (3600 * hour, 3600 * hour))
    return folder


def told(cli: Cli, *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in said(cli("games", "--json", *arguments)).splitlines()]


def test_the_last_game_comes_first(cli: Cli, played: Path) -> None:
    games = told(cli)
    assert [Path(str(each["file"])).name for each in games] == [KIDS.name, WON.name]
    assert [each["result"] for each in games] == ["won", "won"]
    assert games[1]["names"] == ["ann", "ben"]
    lines = cli("games")[1].splitlines()
    assert lines[1].startswith("  2  1970-01-01 ")
    assert "ann and ben " in lines[1]
    assert "ann won" in lines[1]
    assert len(lines) == 3
    assert all(len(line) <= 80 for line in lines[:2])


def test_last_is_a_replay_for_all_that_read_one(cli: Cli, played: Path, tmp_path: Path) -> None:
    for command in (("verify", "--json"), ("export", "--format", "json"), ("stats", "--json"), ("show", "--json")):
        exit_code, out, _ = cli(*command, "last")
        assert exit_code == 0
        assert KIDS.name in out or '"games": 1' in out
    # This is true of the usual folder alone, so it is not said of another.
    assert "seqp2p show 1" in cli("games")[1]
    assert "seqp2p show 1 --lang fr" in cli("games", "--lang", "fr")[1]
    assert "seqp2p show 1" not in cli("games", "--replay-dir", shutil.copytree(played, tmp_path / "other"))[1]


def test_a_filter_and_a_number(cli: Cli, played: Path) -> None:
    assert [Path(str(each["file"])).name for each in told(cli, "--last", "1")] == [KIDS.name]
    assert [each["variant"] for each in told(cli, "KIDS", "cleo")] == ["kids"]
    shutil.copy(KIDS, played / "another seat's.seqp2p")
    lines = cli("games")[1].splitlines()
    assert [line[:5] for line in lines[:2]] == ["  1  ", "  3  "], "one line a game, and all files have their numbers"
    damaged = bytearray(KIDS.read_bytes())
    damaged[-100] ^= 1
    (played / "damaged.seqp2p").write_bytes(damaged)
    games = [(Path(str(each["file"])).name, each["verdict"]) for each in told(cli, "--last", "2")]
    assert games == [("damaged.seqp2p", "invalid"), ("another seat's.seqp2p", "verified")], "it hides no sound one"
    exit_code, error, hint = refused(cli("games", "nobody"))
    assert (exit_code, "there is no such game" in error, hint) == (1, True, "without a filter all are listed")


def test_one_s_own_game_and_one_to_be_resumed(
    cli: Cli, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (played / KIDS.name).unlink()
    (game,) = past_games.past_games(played)
    ann, ben = (bytes.fromhex(player.key) for player in game.summary.report.players)
    monkeypatch.setattr(api_games, "own_keys", lambda: frozenset({ben}))
    assert [each["own"] for each in told(cli)] == [2]
    with monkeypatch.context() as both:  # The seat is that of the file where several are one's own.
        both.setattr(api_games, "own_keys", lambda: frozenset({ann, ben}))
        assert [each["own"] for each in told(cli)] == [1 + [ann.hex(), ben.hex()].index(game.report.writer or "")]
        cut = played / "cut-seat2.seqp2p"  # Without its end it has no writer.
        cut.write_bytes(WON.read_bytes()[:-5])
        assert next(each.own for each in api_games.games(played) if each.path == cut) == 2
        cut.unlink()
    listed = cli("games")[1]
    assert "ann and you" in listed
    assert "you lost: ann won" in listed
    (played / WON.name).rename(played / "x.seqp2p")
    assert (cli("games", "won")[0], cli("games", "lost")[0]) == (1, 0)
    (played / "x.seqp2p").rename(played / WON.name)
    with Sidecar.create(sidecar_path(played / WON.name), SECRETS) as sidecar:
        assert "being played in another window" in cli("games")[1]
        sidecar.log("remark", b"hello", bytes(64))
    assert "unfinished: seqp2p resume" in cli("games")[1]
    assert told(cli)[0]["resumable"] is True
    other = shutil.copytree(played, tmp_path / "my games")
    found = re.search(r"unfinished: seqp2p (resume .*)", cli("games", "--replay-dir", other)[1])
    assert found is not None
    assert shlex.split(found[1])[2:4] == ["--replay-dir", str(other)]
    for keys in (frozenset({ann}), frozenset[bytes]()):
        with monkeypatch.context() as another:
            another.setattr(api_games, "own_keys", lambda keys=keys: keys)
            assert "seqp2p resume" not in cli("games")[1]
            assert told(cli)[0]["resumable"] is False
    first, second, *_ = rows_now()
    assert (first.words[0], first.note.startswith("with ann, "), second.words) == ("resume", True, ("play",))
    assert ", 1970-01-01 " in first.note
    os.utime(played / WON.name)
    assert re.search(r" turns, \d\d:\d\d$", rows_now()[0].note)


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("leave_of_one_fail", "you left", "left the table"),
        ("drop_of_another_while_a_draw_is_owed_fail", "  the others have voted to go on without you", ""),
    ],
)
def test_of_a_game_that_others_play_on_it_is_said_why_this_player_does_not(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, outcome: str, reason: str
) -> None:
    shutil.copy(WON.with_name(f"{name}.seqp2p"), folder)
    ben = next(past_games.past_games(folder)).summary.report.players[1]
    monkeypatch.setattr(api_games, "own_keys", lambda: frozenset({bytes.fromhex(ben.key)}))
    assert outcome in cli("games")[1]
    assert told(cli)[0]["reason"] == (reason or outcome.strip())


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (b"".join([*PARTS, entry("older", b"", bytes(64))]), "a copy of this game's files was put back"),
        (b"", "is not a seat's file"),
    ],
)
def test_a_seat_s_own_file_that_cannot_be_used_is_not_resumed(cli: Cli, folder: Path, file: bytes, said: str) -> None:
    path = folder / "x.seqp2p"
    shutil.copy(WON.with_name("cut_in_a_record_fail.seqp2p"), path)
    sidecar_path(path).write_bytes(file)
    line = cli("games")[1]
    assert "ended without a winner: " in line
    assert said in line
    assert told(cli)[0]["resumable"] is False


def test_a_spectator_reads_of_a_forfeit_as_the_players_do(cli: Cli, folder: Path) -> None:
    shutil.copy(WON.with_name("forfeit_written_by_a_spectator_fail.seqp2p"), folder / "x.seqp2p")
    assert "ann won by forfeit: ben, cleo left the table" in cli("games")[1]


def test_what_is_no_replay_is_listed_as_such(cli: Cli, folder: Path) -> None:
    (folder / "x.seqp2p").write_bytes(b"\xff" * 99)
    (game,) = told(cli)
    assert (game["verdict"], game["names"], game["turns"]) == ("invalid", [], 0)
    assert "damaged: seqp2p verify x.seqp2p" in cli("games")[1]


def test_show_without_a_file_asks_for_one(cli: Cli, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exit_code, _, err = cli("show", "--json")
    assert exit_code == 2
    assert "name a replay" in err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("SEQP2P_HOME", str(played))
        assert refused(cli("show"))[1] == f"there is no game in {played / 'replays'} yet"
    typed: Iterator[str] = iter(("9", "x", "2"))
    monkeypatch.setattr("click.prompt", lambda *_, **__: next(typed))
    exit_code, out, _ = cli("show")
    assert exit_code == 0
    assert "type a number from the list" in out
    assert "verified: " in out
