"""The parts that host and join share: a bot's dice, hints, and the sentence and exit code of every end of a game."""

import errno
import io
import json
import os
import random
import signal
import sys
import threading
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.testing

from seqp2p import hangup
from seqp2p.bots import registry
from seqp2p.bots.lookahead import Effort
from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.cli import playing
from seqp2p.cli.errors import LOST_HINT, hint_of, line_of, polite_signals, sentence
from seqp2p.cli.options import Choices
from seqp2p.cli.output import Output
from seqp2p.cli.playing import make_player
from seqp2p.cli.reporter import Reporter
from seqp2p.cli.running import run_async
from seqp2p.errors import ABANDONED, NOT_CONNECTED, UserError
from seqp2p.hangup import TerminalGone
from seqp2p.live.game import LiveGame
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net.errors import LinkLost, PeerRefused
from seqp2p.rules import CLASSIC, format_action, view
from seqp2p.ui.person.console import Console
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import LIMIT_S, Household
from tests.rules.playing import make
from tests.table import Played


async def test_dice_are_not_foreseen(brief: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    monkeypatch.setattr(random, "Random", seeds.append)
    for _ in range(2):
        make_player(Choices("random", 0, tmp_path), Reporter(Output(json=False), brief.match), brief.seat(1))
    assert len(set(seeds)) == 2
    assert max(seeds) > 2**64


BOT = BotPlayer(RandomBot(random.Random(1)))


class NoSignals:
    """No signal asks this process to end."""

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
    reporter, path = Reporter(Output(json=False), Match(brief.agreement)), tmp_path / "game.seqp2p"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(UserError, match=f"cannot write the replay {path}: No space left on device"):
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
    error = ExceptionGroup("", [UserError("own"), ZeroDivisionError()])  # A fault comes through.
    with pytest.raises(ExceptionGroup) as fault:
        run_async(fail)
    assert fault.value is error


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
    """Standard output; ``listening`` is set once it has the code."""

    def __init__(self) -> None:
        super().__init__()
        self.listening = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if '"event": "listening"' in text:
            self.listening.set()
        return written


def test_a_host_in_this_process(cli: Cli, people: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    monkeypatch.setattr(sys, "stdout", watched)
    ends: list[int] = []

    def guest() -> None:
        assert watched.listening.wait(LIMIT_S)
        event = json.loads(watched.getvalue().splitlines()[1])
        # With another table's number the code is no try.
        wrong = "8-acorn-acorn" if event["code"].startswith("7-") else "7-acorn-acorn"
        for code in (wrong, event["code"]):
            arguments = ("--code", code, "--name", "guest", "--replay-dir", people.replays("guest"))
            ends.append(people.call("join", event["address"], "--bot", "random", *arguments).end())

    thread = threading.Thread(target=guest)
    thread.start()
    replays = str(people.replays("host"))
    options = ("--variant", "kids", "--listen", "127.0.0.1:0", "--bot", "greedy", "--replay-dir", replays, "--json")
    exit_code, _, err = cli("host", *options, "--map-port")
    thread.join()
    assert (exit_code, ends) == (0, [4, 0])
    assert "turned away: 1 (wrong code: 1)" in err
    port, *_, over = documented.stream(watched.getvalue())
    assert (port["event"], port["state"], port["address"]) == ("port", "not_open", None)
    assert over["event"] == "over"


OTHERS = "?,?,?,?,?,?,?"
CONSOLE = Console(trio.sleep_forever, lambda _: None, lambda _: None, terminal=False)


async def test_a_hint_is_what_strong_would_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "strong_bot", lambda randomness: registry.strong_bot(randomness, Effort(20)))
    position = make(
        {"a": "b2 c2 d2 e2 f2 b4 c4 d4 e4", "b": "h5 h6 h7 h8 d9 e9 f9 g9"},
        ["3C,4C,TC,7C,3H,2H,JC", OTHERS],
        sequences="a:b2-f2",
    )
    told, action = await playing.hint(CONSOLE, ("blue", "green"), view(position, 1))
    assert told.startswith("hint: 3C f4 completes b4-f4 and keeps JC; second best: ")
    assert action is not None
    assert format_action(CLASSIC, action) == "3C f4"


async def test_without_weights_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "why_no_bot", lambda _: "the weights are missing")
    position = make({"a": "b2", "b": "h5"}, ["3C,4C,TC,7C,3H,2H,JC", OTHERS])
    assert await playing.hint(CONSOLE, ("blue", "green"), view(position, 1)) == ("the weights are missing", None)
