"""``seqp2p demo``: bots only, real processes, and nothing left running."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from seqp2p.cli import demo as demo_module
from seqp2p.cli.demo import Demo
from seqp2p.cli.output import CommandError, Output
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Event, Household, children, is_running, wait_until
from tests.table import played, replay_bytes


@pytest.mark.parametrize("players", [2, 3])
def test_events_are_those_of_the_documentation(people: Household, players: int) -> None:
    demo = people.start("demo", "--players", players, "--json", "--replay-dir", people.replays("demo"), who="demo")
    assert demo.end() == 0
    for event in demo.events:
        assert event.keys() == documented.demo_fields()[event["event"]]
    names = [event["event"] for event in demo.events]
    assert names[:2] == ["dealer", "shuffle"]
    assert (names.count("shuffle"), names.count("dealt"), names.count("over")) == (players, 1, 1)
    assert demo.event("dealt")["seconds"] > 0
    turns = [event["turn"] for event in demo.events if event["event"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))
    over = demo.events[-1]
    assert (over["event"], over["result"], over["reason"], over["verdict"]) == ("over", "won", None, "verified")
    assert [path[-12:] for path in over["replays"]] == [f"seat{seat}.seqp2p" for seat in range(1, players + 1)]
    assert people.call("verify", *over["replays"]).end() == 0
    # People read along: progress, board, winner, verdict.
    for text in (f"its proof is checked ({players}/{players})", "won by seat", "verify: verified", "** "):
        assert any(text in line for line in demo.err)
    # The demo is nobody's game: its players leave no keys behind.
    assert not people.home("demo").exists()


def test_people_read_it_on_standard_output(people: Household) -> None:
    demo = people.call("demo", "--players", "2", "--bot", "random", "--replay-dir", people.replays("demo"))
    assert demo.end() == 0
    assert demo.err == []
    assert demo.out[-1].startswith("verify: verified: won by seat")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_nothing_is_left_running(people: Household, tmp_path: Path, number: signal.Signals) -> None:
    homes, replays = tmp_path / "homes", people.replays("demo")
    homes.mkdir()
    arguments = ("demo", "--players", "2", "--json", "--pace", "60", "--replay-dir", replays)
    demo = people.start(*arguments, env={"TMPDIR": str(homes)})
    demo.event("dealt")
    peers = children(demo.pid)
    assert len(peers) == 2
    demo.signal(number)
    code = demo.end()
    wait_until(lambda: not any(map(is_running, peers)), f"{peers} are still running")
    if number is signal.SIGKILL:
        assert code == -signal.SIGKILL
    else:
        assert code == 5
        assert demo.error() == ("stopped", None)
        assert list(homes.iterdir()) == []
    # The peers had the time to finish their replays.
    verify = people.call("verify", "--json", *replays.iterdir())
    assert [event["verdict"] for event in verify.events] == ["unfinished"] * 2
    assert all("the record ends at step" in event["reason"] for event in verify.events)


def test_killed_while_the_peers_are_starting(people: Household) -> None:
    demo = people.start("demo", "--players", "4", "--replay-dir", people.replays("demo"))
    wait_until(lambda: bool(children(demo.pid)), "no peer starts")
    peers = children(demo.pid)
    demo.signal(signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, peers)), f"{peers} are still running")


def test_a_peer_that_is_killed_ends_the_demo(people: Household) -> None:
    demo = people.start("demo", "--players", "2", "--json", "--pace", "60", "--replay-dir", people.replays("demo"))
    demo.event("dealt")
    victim, other = sorted(children(demo.pid))
    people.kill(victim)
    assert demo.end() == 1
    assert demo.error()[0].startswith("the peer of bot ")
    assert demo.error()[0].endswith("ended with exit code -9")
    assert not is_running(other)


@pytest.mark.parametrize(("players", "reason"), [(5, "5 players"), (7, "7 players"), (11, "11 players")])
def test_so_many_cannot_play(cli: Cli, players: int, reason: str) -> None:
    exit_code, out, err = cli("demo", "--players", players)
    assert (exit_code, out) == (2, "")
    assert err.startswith(f"seqp2p: error: {reason} cannot form two or three equal teams: ")


def test_a_demo_in_this_process(cli: Cli, tmp_path: Path) -> None:
    exit_code, out, _ = cli("demo", "--players", "2", "--bot", "random", "--json", "--replay-dir", tmp_path / "replays")
    assert exit_code == 0
    assert json.loads(out.splitlines()[-1])["verdict"] == "verified"


def over(seat: int, replay: Path, winners: list[int]) -> Event:
    return {"event": "over", "result": "won", "winners": winners, "reason": None, "seat": seat, "replay": str(replay)}


@pytest.mark.parametrize(
    ("events", "data", "error"),
    [
        ([], b"", "a peer left before the game began"),
        ([(1, [1])], b"", "a peer left before the game began"),
        ([(1, [1]), (2, [2])], replay_bytes(played(2, "kids", 3)), "the peers do not agree on the game they played"),
        ([(1, [1]), (2, [1])], b"no replay", "the peers do not agree on the game they played"),
    ],
)
def test_what_the_peers_tell_is_compared(
    tmp_path: Path, events: list[tuple[int, list[int]]], data: bytes, error: str
) -> None:
    demo = Demo(2, [], tmp_path, Output(json=False))
    replay = tmp_path / "game.seqp2p"
    replay.write_bytes(data)
    for seat, winners in events:
        demo._note(over(seat, replay, winners))
    with pytest.raises(CommandError, match=error):
        demo._conclude()


@pytest.mark.parametrize(("pause_s", "end_s", "code"), [(0, 30, 7), (3600, 0.1, -signal.SIGKILL)])
async def test_a_peer_has_its_time_to_end_and_no_more(
    monkeypatch: pytest.MonkeyPatch, pause_s: float, end_s: float, code: int
) -> None:
    monkeypatch.setattr(demo_module, "END_S", end_s)
    program = f"import sys, time; sys.stdin.read(); time.sleep({pause_s}); sys.exit(7)"
    process = await trio.lowlevel.open_process([sys.executable, "-I", "-S", "-c", program], stdin=subprocess.PIPE)
    await demo_module._end(process)
    assert process.returncode == code
