"""``seqp2p demo``: bots only, real processes, and nothing left running."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from seqp2p.api import finding
from seqp2p.cli import running as children_module
from seqp2p.cli.demo import Demo
from seqp2p.cli.errors import run_async
from seqp2p.cli.output import Output
from seqp2p.cli.replays import verify_file
from seqp2p.cli.reporter import TABLE_FULL
from seqp2p.cli.running import Child, ChildStart
from seqp2p.errors import ABANDONED, UserError
from seqp2p.lobby.code import place_of
from seqp2p.net.addresses import Address
from tests.cli import documented
from tests.cli.conftest import Cli, refused
from tests.cli.processes import Event, Household, children, wait_until_gone
from tests.relay import free_address, relay_process
from tests.table import played, replay_bytes


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_running(people: Household, tmp_path: Path, number: signal.Signals) -> None:
    temporary, kept = tmp_path / "temporary", people.replays("demo")
    temporary.mkdir()
    arguments = ("demo", "--players", "2", "--json", "--pace", "60", "--replay-dir", kept)
    demo = people.start(*arguments, env={"TMPDIR": str(temporary)})
    demo.event("dealt")
    peers = children(demo.pid)
    assert len(peers) == 2
    demo.signal(number)
    code = demo.end()
    wait_until_gone(peers)
    if number is signal.SIGKILL:
        assert code == -signal.SIGKILL
    else:
        assert code == 5
        assert "seqp2p: stopped" in demo.err
        told = demo.events[-1]
        assert (told["event"], told["result"], told["verdict"]) == ("over", "unfinished", "unfinished")
        assert sorted(told["replays"]) == sorted(map(str, kept.iterdir()))
        assert list(temporary.iterdir()) == []
    # The peers had the time to finish their replays.
    reports = [verify_file(replay) for replay in kept.iterdir()]
    assert [report.verdict for report in reports] == ["unfinished"] * 2
    assert all(re.search("the replay ends at step|left the table", str(report.reason)) for report in reports)


GOOD = replay_bytes(played(2, "kids", 3))


def demo_of(folder: Path, ends: list[tuple[int, list[int]]], data: bytes, result: str = "won") -> Demo:
    """Return a demo whose peers have told these winners; all have this replay."""
    demo, replay = Demo(2, [], folder, Output(json=False)), folder / "game.seqp2p"
    replay.write_bytes(data)
    for seat, winners in ends:
        over = {"event": "over", "seat": seat, "result": result, "winners": winners, "forfeit": [], "reason": None}
        demo._note({**over, "replay": str(replay)})
    return demo


@pytest.mark.parametrize(
    ("events", "data", "error"),
    [
        ([], b"", "a peer left before the game began"),
        ([(1, [1])], b"", "a peer left before the game began"),
        ([(1, [1]), (2, [2])], GOOD, "the peers do not agree on the game they played"),
        ([(1, [1]), (2, [1])], b"no replay", "the peers do not agree on the game they played"),
    ],
)
def test_what_the_peers_tell_is_compared(
    tmp_path: Path, events: list[tuple[int, list[int]]], data: bytes, error: str
) -> None:
    with pytest.raises(UserError, match=error):
        demo_of(tmp_path, events, data)._conclude()


def test_an_unfinished_game_is_no_success(tmp_path: Path) -> None:
    demo = demo_of(tmp_path, [(1, []), (2, [])], GOOD[: len(GOOD) // 2], "unfinished")
    assert demo._conclude() == ABANDONED


@pytest.mark.parametrize(("pause_s", "end_s", "code"), [(0, 30, 7), (3600, 0.1, -signal.SIGKILL)])
@pytest.mark.process
async def test_a_peer_has_its_time_to_end_and_no_more(
    monkeypatch: pytest.MonkeyPatch, pause_s: float, end_s: float, code: int
) -> None:
    monkeypatch.setattr(children_module, "END_S", end_s)
    program = f"import sys, time; sys.stdin.read(); time.sleep({pause_s}); sys.exit(7)"
    process = await trio.lowlevel.open_process([sys.executable, "-I", "-S", "-c", program], stdin=subprocess.PIPE)
    await Child(ChildStart("bot 1", [], {}))._end(process)
    assert process.returncode == code


@pytest.mark.process
@pytest.mark.parametrize(
    ("stopped_by", "error", "hint"),
    [(None, "the peer of ann: invalid value for '--bot'", "see seqp2p host --help"), (signal.SIGINT, "stopped", "")],
)
def test_a_peer_that_fails_ends_the_demo_and_is_no_fault_when_stopping(
    tmp_path: Path, stopped_by: signal.Signals | None, error: str, hint: str
) -> None:
    demo = Demo(2, ["--bot", "deepblue"], tmp_path, Output(json=True))
    demo._stopped_by = stopped_by
    with pytest.raises(UserError, match=error) as raised:
        run_async(demo.run)
    assert raised.value.hint == hint


@pytest.mark.process
def test_peers_that_do_not_end_in_time_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopped(Demo):
        def _note(self, event: Event) -> None:
            super()._note(event)
            if event["event"] == "dealt" and len(self._dealt) == 1:
                monkeypatch.setattr(children_module, "END_S", 0.0)
                os.kill(os.getpid(), signal.SIGTERM)

    (tmp_path / "homes").mkdir()
    options = ["--bot", "random", "--json", "--until-stdin-closes", "--pace", "60", "--replay-dir", str(tmp_path)]
    with pytest.raises(UserError, match="stopped") as raised:
        run_async(Stopped(2, options, tmp_path / "homes", Output(json=True)).run)
    assert raised.value.exit_code == ABANDONED
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["event"], told["result"], told["replays"]) == ("over", "unfinished", [])


# Playing over a real relay: the long code, the meeting place, and a relay that is away.


@pytest.mark.process
def test_a_table_at_a_relay_is_told_and_a_player_may_agree_to_the_relay(people: Household, relay: Address) -> None:
    log = people.directory / "log"
    host = people.host("--relay", relay, "--players", "3", "--log-file", log)
    shown = host.event("listening")
    code = shown["code"]
    assert shown["relay"] == str(relay)
    assert place_of(code) is not None
    host.line(f"others join with:  seqp2p join {code} --relay {relay}")
    person = people.start("join", shown["address"], "--code", code, "--plain", who="person", stdin=subprocess.PIPE)
    person.line(f"this table also uses the relay {relay}; type relay to use it too")
    person.type("relay")
    person.line(f"you use the relay {relay}, unless everybody has already accepted the table")
    assert host.event("lobby")["relay"] == str(relay)
    text = log.read_text("utf-8")
    assert "[redacted]" in text
    assert code not in text
    assert "-".join(code.split("-")[-2:]) not in text


@pytest.mark.process
def test_a_whole_demo_at_the_relay_tells_what_is_documented(cli: Cli, relay: Address, tmp_path: Path) -> None:
    # One game in fifty of two greedy bots has hundreds of turns, and may be drawn.
    options = ("--players", 2, "--bot", "random", "--json", "--replay-dir", tmp_path / "replays", "--relay", relay)
    exit_code, out, err = cli("demo", *options)
    assert exit_code == 0
    events = documented.stream(out)
    names = [event["event"] for event in events]
    assert names[:2] == ["dealer", "shuffle"]
    assert (names.count("dealt"), names.count("over")) == (1, 1)
    assert events[names.index("dealt")]["seconds"] > 0
    shuffled = [event["seat"] for event in events if event["event"] == "shuffle" and event["reshuffle"] == 0]
    assert shuffled == [1, 2]
    turns = [event["turn"] for event in events if event["event"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))
    over = events[-1]
    assert (over["event"], over["result"], over["reason"], over["verdict"]) == ("over", "won", None, "verified")
    assert [path[-12:] for path in over["replays"]] == ["seat1.seqp2p", "seat2.seqp2p"]
    assert verify_file(Path(over["replays"][-1])).verdict == "verified"
    # People read along: progress, board, winner, verdict. Nobody else may join, so that nothing is said of how.
    assert err.splitlines()[0] == TABLE_FULL
    for text in ("the proof is checked (2/2)", " won", "verify: verified", "** "):
        assert text in err
    assert "join" not in err


CODE = "7-4821937-5526041-amber-falcon"


@pytest.mark.process
def test_a_setting_is_used_where_a_person_plays_and_not_by_a_bot(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code has a place, so a relay is needed; no table is on this network."""
    monkeypatch.setattr(finding, "FIND_S", 0.1)
    monkeypatch.setenv("SEQP2P_RELAY", str(free_address()))
    for command, told in (
        (("host", "--bot", "random", "--listen", "127.0.0.1:0", "--relay", str(free_address())), "cannot be reached"),
        (("join", CODE), "cannot be reached"),
        (("watch", CODE), "cannot be reached"),
        (("join", CODE, "--bot", "random"), "name its relay, HOST:PORT"),
        (("watch", CODE, "--json"), "name its relay"),
        (("join", CODE, "--relay", ""), "name its relay"),
    ):
        exit_code, error, hint = refused(cli(*command))
        assert (exit_code, bool(hint)) == (4, True)
        assert told in error + hint


@pytest.mark.process
def test_a_relay_that_is_away_while_the_lobby_is_open_is_told(people: Household) -> None:
    with relay_process() as address:
        host = people.host("--relay", address)
        host.event("listening")
    away = host.event("relay")
    assert (away["relay"], "cannot be reached" in away["problem"]) == (str(address), True)
    with relay_process(address):
        assert host.event("relay", 2)["problem"] is None
