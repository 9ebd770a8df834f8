"""What host and join have in common: telling what happens, and turning whatever ends a game into an exit code."""

import errno
import io
import json
import os
import random
import re
import signal
import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing

from seqp2p import hangup
from seqp2p.api.game import LiveGame
from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.cli import playing
from seqp2p.cli.errors import ABANDONED, LOST_HINT, NOT_CONNECTED, hint_of, line_of, polite_signals, sentence
from seqp2p.cli.lines import LineReader
from seqp2p.cli.options import Choices
from seqp2p.cli.output import Output
from seqp2p.cli.playing import make_player
from seqp2p.cli.reporter import TABLE_FULL, Reporter
from seqp2p.cli.running import run_async
from seqp2p.errors import UserError
from seqp2p.hangup import TerminalGone
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.match.events import Dropped, Redealt, Remarked, Result, Skipped, Turned, Undone, Voted
from seqp2p.match.machine import Match
from seqp2p.net.errors import LinkLost, PeerRefused
from seqp2p.rules import exchange, view
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.plain import board_lines
from seqp2p.ui.screen import Screen
from seqp2p.ui.words import settings_lines
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import LIMIT_S, Household
from tests.table import Played, make_settings

# Telling


async def tell_all(game: Played, output: Output, own: int = 0) -> None:
    """A reporter hears a whole game."""
    reporter = Reporter(output, game.match, own)
    reporter.seats()
    for event in game.events:
        reporter.on_event(event)
        await trio.sleep(0.25)
    assert game.match.game.result is not None
    reporter.over(game.match.game.result, 2, Path("/replays/game.seqp2p"))


async def test_every_event_of_a_long_game_is_told_as_documented(
    long_game: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(long_game, Output(json=True))
    said = capsys.readouterr()
    events = documented.stream(said.out)
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
    assert lines[0] == TABLE_FULL
    assert lines[1].startswith("seat 1: player 1  blue  ")
    assert lines[3:7] == settings_lines(make_settings(2))
    assert any(line.startswith("turned over: seat 1 (player 1) ") for line in lines)
    assert any(re.fullmatch(r"seat \d \(player \d\) deals", line) for line in lines)
    assert "seat 2 (player 2) has shuffled, the proof is checked (2/2)" in lines
    assert "the cards are dealt" in lines
    assert any(line.startswith("  1. seat ") for line in lines)
    assert any(" has completed a sequence: 2 of 2" in line for line in lines)
    assert lines[-2].startswith("won by seat ")
    assert lines[-1] == "replay: /replays/game.seqp2p"


async def test_a_player_is_spoken_to(
    duel: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(duel, Output(json=False), own=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("seat 2: player 2 (you)  green  ")
    assert "you have shuffled, the proof is checked (2/2)" in lines
    assert {"you deal", "seat 1 (player 1) deals"} & {*lines}
    assert any(re.match(r" +\d+\. you: ", line) for line in lines)
    assert not any("seat 2 (player 2)" in line for line in lines[3:-2])
    assert lines[-2].startswith(("you won", "you lost: won by seat 1 (player 1)"))


async def test_a_remark_is_told(brief: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter, heard = Reporter(Output(json=True), Match(brief.agreement), own=1), list[TableEvent]()
    reporter.follow(heard.append)
    reporter.on_event(Remarked(2, 1, "well \x1b played", courtesy=False))
    assert heard == [Remarked(2, 1, "well \x1b played", courtesy=False)]
    said = capsys.readouterr()
    remark = {"event": "remark", "seat": 2, "number": 1, "text": "well \x1b played", "courtesy": False}
    assert documented.stream(said.out) == [remark]
    assert said.err == "seat 2 (player 2) says: well \\x1b played\n"
    reporter.on_event(Remarked(1, 1, "hi", courtesy=False))
    assert capsys.readouterr().err == "you say: hi\n"


async def test_absence_is_told(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(Output(json=True), Match(trio.agreement), own=1)
    votes = [Voted(3, number, "drop", (2,), "gone") for number in (1, 2)]
    told: list[TableEvent] = [Absent(2, 120), Back(2), *votes, Skipped(2), Dropped((2,)), Redealt(), Undone(56)]
    for event in told:
        reporter.on_event(event)
    said = capsys.readouterr()
    events = documented.stream(said.out)
    assert events == [
        {"event": "absent", "seat": 2, "name": "player 2", "grace_s": 120, "later": False},
        {"event": "back", "seat": 2},
        {"event": "vote", "seat": 3, "action": "drop", "seats": [2], "round": 1},
        {"event": "vote", "seat": 3, "action": "drop", "seats": [2], "round": 2},
        {"event": "skipped", "seat": 2},
        {"event": "dropped", "seats": [2]},
        {"event": "redeal"},
        {"event": "undone", "step": 56},
    ]
    assert all(event.keys() == documented.fields()[event["event"]] for event in events)
    # People hear of a vote once, however many rounds it takes, and what it means when it is the first.
    assert said.err.splitlines() == [
        "player 2 cannot be reached; waiting up to 2:00",
        (
            "player 2 can come back with seqp2p resume;"
            " after that time the table decides whether to go on without player 2"
        ),
        "player 2 is back",
        "player 3 votes to go on without player 2",
        (
            "that is a vote: once more than half of the seats have voted so, the game goes on without player 2,"
            " and all cards that have not been played are dealt anew"
        ),
        "the turn of player 2 is passed over",
        "player 2 is out of the game",
        "the cards that are left are dealt anew",
        "step 56 is taken back: the table has decided otherwise, and it is played again",
    ]
    assert list(reporter.story.lines) == said.err.splitlines()


async def test_a_seat_taken_again_counts_from_the_position(duel: Played, capsys: pytest.CaptureFixture[str]) -> None:
    # At the end: all sequences have been made before, and none is told again.
    reporter = Reporter(Output(json=False), duel.match, own=1)
    reporter.resumed(1, duel.match.number, duel.events)
    told = capsys.readouterr().out.splitlines()
    # What happened last stands last.
    assert told[0] == TABLE_FULL
    assert told[-1] == "you have come back to the game"
    assert told[-2] == list(reporter.story.lines)[-2]
    reporter.on_event(next(event for event in reversed(duel.events) if isinstance(event, Turned)))
    assert "sequence" not in capsys.readouterr().out


async def test_a_resumed_seat_and_exchanges_on_the_screen(duel: Played) -> None:
    said, amended = list[tuple[str, ...]](), list[tuple[str, str]]()
    screen = SimpleNamespace(
        say=lambda *line: said.append(line),
        amend=lambda *lines: amended.append(lines),
        card=lambda variant, card: f"<{card_shown(variant, card)}>",
        action=lambda variant, action: f"<{action_shown(variant, action)}>",
    )
    reporter = Reporter(Output(json=False, screen=cast("Screen", screen)), duel.match, own=1)
    turned = [event for event in duel.events if isinstance(event, Turned)]
    reporter.resumed(1, duel.match.number, turned)
    colours = duel.match.game.agreement.settings.colours
    assert [colour for _, _, colour in said[-4:-1]] == [colours[event.seat - 1] for event in turned[-3:]]
    for card in (3, 4):
        reporter.on_event(Turned(turned[-1].turn + 1, 2, exchange(card)))
    ((before, line),) = amended
    assert before == said[-1][0]
    assert re.search(r": <\w+> and <\w+ dead>$", line)


async def test_the_last_board_stays_when_the_screen_is_gone(duel: Played) -> None:
    said = list[str]()
    screen = SimpleNamespace(remains=list[str](), say=lambda text, *_: said.append(text))
    reporter = Reporter(Output(json=False, screen=cast("Screen", screen)), duel.match)
    assert duel.match.game.result is not None
    reporter.over(duel.match.game.result, None, Path("game.seqp2p"))
    blank, *board, outcome, replay = screen.remains
    assert (blank, replay) == ("", "replay: game.seqp2p")
    assert board == board_lines(view(duel.match.game.table_position(), 0), duel.match.game.agreement.settings.colours)
    assert outcome.startswith("won by")
    assert said == [outcome, replay]


async def test_a_game_that_ends_before_the_deal_has_no_board(brief: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(Output(json=False), Match(brief.agreement))
    reporter.over(Result("unfinished", (), "seat 2 (b) left the table"), 1, Path("game.seqp2p"))
    assert capsys.readouterr().out == "ended without a winner: seat 2 (b) left the table\nreplay: game.seqp2p\n"


async def test_dice_are_not_foreseen(brief: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(random, "Random", seeds.append)
    for _ in range(2):
        make_player(Choices("random", 0, tmp_path), Reporter(Output(json=False), brief.match), brief.seat(1))
    assert len(set(seeds)) == 2
    assert max(seeds) > 2**64


BOT = BotPlayer(RandomBot(random.Random(1)))


class NoSignals:
    """Nobody asks this process to end."""

    def __aiter__(self) -> "NoSignals":
        return self

    async def __anext__(self) -> int:
        await trio.sleep_forever()


class Doomed:
    """A game that ends by this error."""

    def __init__(self, error: Exception, replay: Path) -> None:
        self.error = error
        self.replay = replay

    async def play(self, *_: object, **__: object) -> Result:
        await trio.lowlevel.checkpoint()
        raise self.error


async def test_a_disk_that_fails_is_told_apart_from_faults(brief: Played, tmp_path: Path) -> None:
    reporter = Reporter(Output(json=False), Match(brief.agreement))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    text = f"cannot write the replay {tmp_path / 'game.seqp2p'}: No space left on device"
    path = tmp_path / "game.seqp2p"
    with pytest.raises(UserError, match=text):
        await playing._run(cast("LiveGame", Doomed(full, path)), BOT, reporter, NoSignals())
    with pytest.raises(ExceptionGroup) as raised:
        await playing._run(cast("LiveGame", Doomed(ZeroDivisionError(), path)), BOT, reporter, NoSignals())
    assert raised.group_contains(ZeroDivisionError)


# Ending


def test_what_ends_a_game_becomes_a_sentence() -> None:
    own, refused, lost = UserError("Own", "hint", 2), PeerRefused("table_full"), LinkLost("The connection is lost.")
    assert [(line_of(error), hint_of(error), error.exit_code) for error in (own, refused, lost)] == [
        ("Own", "hint", 2),
        ("the table is full", "Ask the host for a larger table.", NOT_CONNECTED),
        ("the connection is lost", LOST_HINT, NOT_CONNECTED),
    ]
    assert sentence("") == ""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (UserError("own"), "own"),
        (LinkLost("Lost."), "lost"),
        (KeyboardInterrupt(), "stopped"),
        (TerminalGone(), "the terminal is gone"),
        (BaseExceptionGroup("", [UserError("inner"), KeyboardInterrupt()]), "inner"),
        (ExceptionGroup("", [ExceptionGroup("", [LinkLost("Deep.")])]), "deep"),
    ],
)
def test_run_async_raises_what_a_user_understands(error: BaseException, text: str) -> None:
    async def fail() -> int:
        await trio.lowlevel.checkpoint()
        raise error

    with pytest.raises(UserError) as raised:
        run_async(fail)
    assert line_of(raised.value) == text


def test_run_async_lets_faults_through() -> None:
    fault = ExceptionGroup("", [UserError("own"), ZeroDivisionError()])

    async def fail() -> int:
        await trio.lowlevel.checkpoint()
        raise fault

    with pytest.raises(ExceptionGroup) as raised:
        run_async(fail)
    assert raised.value is fault


@pytest.mark.parametrize(("number", "text"), [(signal.SIGTERM, "stopped"), (signal.SIGHUP, "the terminal is gone")])
def test_run_async_ends_by_a_signal_that_nothing_listens_for(number: signal.Signals, text: str) -> None:
    before = signal.getsignal(number)

    async def work() -> int:
        with trio.open_signal_receiver(number):
            signal.raise_signal(number)
            signal.raise_signal(number)
        try:
            await trio.sleep_forever()
        finally:
            signal.raise_signal(number)  # As the system says it of a terminal, after the program has noticed.

    with pytest.raises(UserError, match=f"^{text}$") as raised:
        run_async(work)
    assert raised.value.exit_code == ABANDONED
    assert signal.getsignal(number) == before


def test_what_asks_a_process_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert polite_signals() == [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert polite_signals() == [signal.SIGINT, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGHUP, before)
    monkeypatch.setattr(hangup, "HANGUP", None)
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
        assert watched.listening.wait(LIMIT_S)
        event = json.loads(watched.getvalue().splitlines()[0])
        # With another table's number the code is no try.
        wrong = "8-acorn-acorn" if event["code"].startswith("7-") else "7-acorn-acorn"
        for code in (wrong, event["code"]):
            arguments = ("--code", code, "--name", "guest", "--replay-dir", people.replays("guest"))
            ends.append(people.call("join", event["address"], "--bot", "random", *arguments).end())

    thread = threading.Thread(target=guest)
    thread.start()
    replays = str(people.replays("host"))
    options = ("--variant", "kids", "--listen", "127.0.0.1:0", "--bot", "greedy", "--replay-dir", replays, "--json")
    exit_code, _, err = cli("host", *options)
    thread.join()
    assert (exit_code, ends) == (0, [4, 0])
    assert "turned away: 1 (wrong code: 0; broke off or found no seat: 1)" in err
    assert json.loads(watched.getvalue().splitlines()[-1])["event"] == "over"


def test_a_person_in_this_process(cli: Cli, people: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    host = people.host("--variant", "kids")
    event = host.event("listening")
    read, write = os.pipe()

    def type_once_dealt() -> None:
        # What is typed before is obeyed in the lobby.
        host.event("dealt")
        os.write(write, b"say hello\nleave\nyes\n")

    typing = threading.Thread(target=type_once_dealt)
    typing.start()
    monkeypatch.setattr("seqp2p.cli.lines._stdin", LineReader(read))
    options = ("--code", event["code"], "--name", "anna", "--json")
    exit_code, out, err = cli("join", event["address"], *options)
    typing.join()
    os.close(write)
    os.close(read)
    assert exit_code == ABANDONED
    assert json.loads(out.splitlines()[-1])["reason"] == "left the table"
    assert "you say: hello" in err
    assert "you left: won by host by forfeit, unless they left too" in err
    assert host.event("remark")["text"] == "hello"
    assert host.end() == 5
