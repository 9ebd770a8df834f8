"""What host and join have in common: telling what happens, and turning whatever ends a game into an exit code."""

import errno
import io
import json
import os
import random
import signal
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.testing

from seqp2p.cli import playing
from seqp2p.cli.lines import LineReader
from seqp2p.cli.output import ABANDONED, NOT_CONNECTED, CommandError, Output
from seqp2p.cli.playing import Choices, Reporter, describe, make_player, open_writer
from seqp2p.cli.running import as_command_error, polite_signals, run_async, sentence
from seqp2p.match.events import Remarked, Result
from seqp2p.match.machine import Match
from seqp2p.net.errors import LinkLost, Refused
from seqp2p.net.session import Session
from seqp2p.players.bot_player import BotPlayer
from seqp2p.players.bots import RandomBot
from seqp2p.players.person import Person
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Household
from tests.table import Played

# Telling


async def tell_all(game: Played, output: Output) -> None:
    """A reporter hears a whole game."""
    reporter = Reporter(output, game.match)
    reporter.seats()
    for event in game.events:
        reporter.tell(event)
        await trio.sleep(0.25)
    assert game.match.game.result is not None
    reporter.over(game.match.game.result, 2, Path("/replays/game.seqp2p"))


async def test_every_event_of_a_long_game_is_told_as_documented(
    long_game: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(long_game, Output(json=True))
    said = capsys.readouterr()
    events = [json.loads(line) for line in said.out.splitlines()]
    assert all(event.keys() == documented.fields()[event["event"]] for event in events)
    told = {event["event"] for event in events}
    assert told == {"seated", "dealer", "shuffle", "dealt", "turn", "exchange", "over"}
    # The deck is used up once: every seat shuffles again.
    shuffles = [(event["reshuffle"], event["seat"]) for event in events if event["event"] == "shuffle"]
    assert shuffles == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert {event["seconds"] for event in events if event["event"] == "shuffle"} == {0.25}
    turns = [event["turn"] for event in events if event["event"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))
    # An exchange belongs to the turn that is still to come.
    for event, following in pairwise(events):
        if event["event"] == "exchange":
            assert following["turn"] == event["turn"]
            assert following["seat"] == event["seat"]
    assert events[-1]["replay"] == "/replays/game.seqp2p"


async def test_people_are_told_the_same(
    duel: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(duel, Output(json=False))
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0].startswith("seat 1: player 1  ")
    assert any(line.startswith("turned over: seat 1 ") for line in lines)
    assert any(line.endswith(" deals") for line in lines)
    assert "seat 2 has shuffled, its proof is checked (2/2)" in lines
    assert "the cards are dealt" in lines
    assert any(line.startswith("  1. seat ") for line in lines)
    assert lines[-2].startswith(("won by seat ", "drawn"))
    assert lines[-1] == "replay: /replays/game.seqp2p"


async def test_a_remark_is_told(brief: Played, capsys: pytest.CaptureFixture[str]) -> None:
    Reporter(Output(json=True), Match(brief.agreement)).tell(Remarked(2, 1, "well \x1b played", courtesy=False))
    said = capsys.readouterr()
    remark = {"event": "remark", "seat": 2, "number": 1, "text": "well \x1b played", "courtesy": False}
    assert json.loads(said.out) == remark
    assert said.err == "seat 2 says: well \\x1b played\n"


async def test_a_game_that_ends_before_the_deal_has_no_board(brief: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(Output(json=False), Match(brief.agreement))
    reporter.over(Result("unfinished", (), "seat 2 (b) left the table"), 1, Path("game.seqp2p"))
    assert capsys.readouterr().out == "unfinished: seat 2 (b) left the table\nreplay: game.seqp2p\n"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result("won", (2,)), "won by seat 2"),
        (Result("won", (1, 3)), "won by seat 1 and seat 3"),
        (Result("drawn", ()), "drawn"),
        (Result("unfinished", (), "why"), "unfinished: why"),
    ],
)
def test_a_result_in_words(result: Result, text: str) -> None:
    assert describe(result) == text


def test_who_plays_the_seat(tmp_path: Path) -> None:
    assert isinstance(make_player(Choices("greedy", 0, tmp_path), Output(json=False), ("blue", "green")), BotPlayer)
    assert isinstance(make_player(Choices(None, 0, tmp_path), Output(json=False), ("blue", "green")), Person)


def test_dice_are_not_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(random, "Random", seeds.append)
    for _ in range(2):
        make_player(Choices("random", 0, tmp_path), Output(json=False), ("blue", "green"))
    assert len(set(seeds)) == 2
    assert max(seeds) > 2**64


def test_a_replay_is_never_written_over(brief: Played, tmp_path: Path) -> None:
    path = tmp_path / "game.seqp2p"
    path.write_text("what was here")
    with pytest.raises(CommandError, match=r"cannot write the replay .*: File exists"):
        open_writer(path, Match(brief.agreement))
    assert path.read_text() == "what was here"


BOT = BotPlayer(RandomBot(random.Random(1)))


class NoSignals:
    """Nobody asks this process to end."""

    def __aiter__(self) -> "NoSignals":
        return self

    async def __anext__(self) -> int:
        await trio.sleep_forever()


class Doomed:
    """A session that ends by these errors."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = errors

    async def run(self) -> Result:
        await trio.lowlevel.checkpoint()
        raise ExceptionGroup("", self.errors)


async def test_a_disk_that_fails_is_told_apart_from_faults(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    text = f"cannot write the replay {tmp_path / 'game.seqp2p'}: No space left on device"
    with pytest.raises(CommandError, match=text):
        await playing._run(cast("Session", Doomed(full)), BOT, NoSignals(), tmp_path / "game.seqp2p")
    with pytest.raises(ExceptionGroup) as raised:
        await playing._run(cast("Session", Doomed(ZeroDivisionError())), BOT, NoSignals(), tmp_path)
    assert raised.group_contains(ZeroDivisionError)


# Ending


def test_what_ends_a_game_becomes_a_sentence() -> None:
    own = CommandError("own", "hint", 2)
    assert as_command_error(own) is own
    refused = as_command_error(Refused("table_full"))
    assert (str(refused), refused.exit_code) == ("the table is full", NOT_CONNECTED)
    assert refused.hint == "Ask the host for a larger table."
    lost = as_command_error(LinkLost("The connection is lost."))
    assert (str(lost), lost.exit_code) == ("the connection is lost", NOT_CONNECTED)
    assert lost.hint
    stopped = as_command_error(KeyboardInterrupt())
    assert (str(stopped), stopped.hint, stopped.exit_code) == ("stopped", "", ABANDONED)
    assert sentence("") == ""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CommandError("own"), "own"),
        (LinkLost("Lost."), "lost"),
        (KeyboardInterrupt(), "stopped"),
        (BaseExceptionGroup("", [CommandError("inner"), KeyboardInterrupt()]), "inner"),
        (ExceptionGroup("", [ExceptionGroup("", [LinkLost("Deep.")])]), "deep"),
    ],
)
def test_run_async_raises_what_a_user_understands(error: BaseException, text: str) -> None:
    async def fail() -> int:
        await trio.lowlevel.checkpoint()
        raise error

    with pytest.raises(CommandError) as raised:
        run_async(fail)
    assert str(raised.value) == text


def test_run_async_lets_faults_through() -> None:
    fault = ExceptionGroup("", [CommandError("own"), ZeroDivisionError()])

    async def fail() -> int:
        await trio.lowlevel.checkpoint()
        raise fault

    with pytest.raises(ExceptionGroup) as raised:
        run_async(fail)
    assert raised.value is fault


def test_run_async_gives_the_exit_code() -> None:
    async def work() -> int:
        await trio.lowlevel.checkpoint()
        return 5

    assert run_async(work) == 5


def test_what_asks_a_process_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert polite_signals() == [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert polite_signals() == [signal.SIGINT, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGHUP, before)
    monkeypatch.setattr(sys, "platform", "win32")
    assert polite_signals() == [signal.SIGINT, signal.SIGTERM]


# A seat in this very process


class Watched(io.StringIO):
    """Standard output that somebody watches."""

    def __init__(self) -> None:
        super().__init__()
        self.listening = threading.Event()
        self.dealt = threading.Event()

    def write(self, text: str) -> int:
        for event in (self.listening, self.dealt):
            name = "listening" if event is self.listening else "dealt"
            if f'"event": "{name}"' in text:
                super().write(text)
                event.set()
                return len(text)
        return super().write(text)


def test_a_host_in_this_process(cli: Cli, people: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    monkeypatch.setattr(sys, "stdout", watched)
    ends: list[int] = []

    def guest() -> None:
        assert watched.listening.wait(30)
        event = json.loads(watched.getvalue().splitlines()[0])
        for code in ("7-acorn-acorn", event["code"]):
            arguments = ("--code", code, "--name", "guest", "--replay-dir", people.replays("guest"))
            ends.append(people.call("join", event["address"], "--bot", "random", *arguments).end())

    thread = threading.Thread(target=guest)
    thread.start()
    replays = str(people.replays("host"))
    options = ("--variant", "kids", "--listen", "127.0.0.1:0", "--bot", "greedy", "--replay-dir", replays, "--json")
    exit_code, _, err = cli("host", *options)
    thread.join()
    assert (exit_code, ends) == (0, [4, 0])
    assert "Somebody could not join" in err
    assert json.loads(watched.getvalue().splitlines()[-1])["event"] == "over"


@pytest.mark.parametrize("polite", [True, False])
def test_a_guest_in_this_process_that_leaves(
    cli: Cli, people: Household, monkeypatch: pytest.MonkeyPatch, polite: bool
) -> None:
    """Left by a signal, or because the process that started it has ended."""
    watched = Watched()
    host = people.host("--variant", "kids")
    event = host.event("listening")
    monkeypatch.setattr(sys, "stdout", watched)
    read, write = os.pipe()
    monkeypatch.setattr("seqp2p.cli.running.LineReader", lambda _: Reader(read))

    def leave() -> None:
        assert watched.dealt.wait(30)
        if polite:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            os.write(write, b"?")  # Whatever comes by that way, only its end counts.
            os.close(write)

    thread = threading.Thread(target=leave)
    thread.start()
    options = ("--pace", "3600", "--bot", "random", "--json", "--until-stdin-closes", "--name", "guest")
    exit_code, _, _ = cli("join", event["address"], "--code", event["code"], *options)
    thread.join()
    assert exit_code == ABANDONED
    last = json.loads(watched.getvalue().splitlines()[-1])
    if polite:
        assert (last["event"], last["reason"]) == ("over", "left the table")
        assert host.end(20) == 5
        os.close(write)
    else:
        # Nobody reads an event any more.
        assert last["event"] != "over"
    os.close(read)


class Reader:
    """Stands for the pipe from the process that started this one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def read_line(self) -> str | None:
        await trio.lowlevel.wait_readable(self._descriptor)
        return "" if os.read(self._descriptor, 1) else None


def test_a_person_in_this_process(cli: Cli, people: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    host = people.host("--variant", "kids")
    event = host.event("listening")
    read, write = os.pipe()
    os.write(write, b"say hello\nleave\n")
    monkeypatch.setattr("seqp2p.cli.lines._stdin", LineReader(read))
    options = ("--code", event["code"], "--name", "anna", "--json")
    exit_code, out, err = cli("join", event["address"], *options)
    os.close(write)
    os.close(read)
    assert exit_code == ABANDONED
    assert json.loads(out.splitlines()[-1])["reason"] == "left the table"
    assert "seat 2 says: hello" in err
    assert host.event("remark")["text"] == "hello"
    assert host.end(20) == 5
