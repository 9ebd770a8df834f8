"""``seqp2p play``: a person and bots, at once, and nothing left of it afterwards."""

import errno
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.testing

from seqp2p import hangup
from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.cli import playing
from seqp2p.cli.errors import line_of, polite_signals, run_async, sentence
from seqp2p.cli.options import Choices
from seqp2p.cli.output import Output
from seqp2p.cli.playing import make_player
from seqp2p.cli.replays import verify_file
from seqp2p.cli.reporter import Reporter
from seqp2p.errors import ABANDONED, NOT_CONNECTED, UserError
from seqp2p.hangup import TerminalGone
from seqp2p.live.game import LiveGame
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.net.errors import LinkLost, NetError, PeerRefused
from seqp2p.rules import CLASSIC, format_action, view
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.tutorial import FAREWELL, LESSONS
from seqp2p.ui.plain import SPECTATOR_HELP
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import (
    LIMIT_S,
    Event,
    Household,
    Process,
    Terminal,
    children,
    is_running,
    none_runs,
    wait_until,
    wait_until_gone,
)
from tests.cli.test_person import Person
from tests.helpful import HELPFUL
from tests.rules.playing import make
from tests.table import Played

KIDS = ("--variant", "kids", "--bot", HELPFUL, "--pace", "0")


def play(people: Household, *arguments: object, who: str = "ann") -> Process:
    """Start a game of a person at typed lines against bots."""
    temporary = people.directory / "tmp"
    temporary.mkdir(exist_ok=True)
    given = ("play", "--name", "ann", "--replay-dir", people.replays(who), *KIDS, *arguments)
    return people.start(*given, who=who, stdin=subprocess.PIPE, env={"TMPDIR": str(temporary)})


def test_a_whole_game_against_two_bots(people: Household) -> None:
    game = play(people, "--bots", "2", "--json")
    game.event("dealt")
    bots = children(game.pid)
    assert len(bots) == 1
    Person(game).play_on()
    assert game.end() == 0
    # The bots have ended before the command has, and left nothing behind.
    assert none_runs(bots)
    assert list((people.directory / "tmp").iterdir()) == []
    assert [event["name"] for event in game.events if event["event"] == "seated"] == ["ann", "bot 2", "bot 3"]
    assert not any(event["event"] == "listening" for event in game.events)
    assert verify_file(Path(game.events[-1]["replay"])).verdict == "verified"
    # Nobody else is invited, and the bots are nobody to be remembered.
    assert "you play against 2 bots (helpful)" in game.err
    assert not [line for line in game.err if re.search("join code|seqp2p join|seqp2p watch|is new here|is known", line)]
    assert not (people.home("ann") / "known_players.json").exists()


def test_the_game_goes_on_after_a_crash(people: Household) -> None:
    game = play(people)
    person = Person(game)
    person.turn()
    person.answered("hint", "^hint: ")
    bots = children(game.pid)
    game.signal(signal.SIGKILL)
    game.end()
    (replay,) = people.replays("ann").glob("*.seqp2p")
    os.truncate(replay, replay.stat().st_size - 200)  # The system may lose what it has not written yet.
    again = people.start("resume", "--replay-dir", people.replays("ann"), "--json", who="ann", stdin=subprocess.PIPE)
    again.event("resumed")
    again.line("^the last thing written is incomplete: it is dropped")
    assert not none_runs(bots)
    person = Person(again)
    legal = person.turn()
    person.answered("hint", "^hint: ")
    again.type(legal[0])
    person.play_on()
    assert again.end() == 0
    assert verify_file(Path(again.events[-1]["replay"])).verdict == "verified"
    # The table of bots that were called is not opened again: they end by themselves.
    wait_until_gone(bots)
    assert list((people.directory / "tmp").iterdir()) == []


def test_the_tutorial_is_nobody_s_game(cli: Cli, typed: list[str], own_home: Path) -> None:
    typed += ["help", *(lesson.moves[0][0] for lesson in LESSONS), "leave"]
    exit_code, out, _ = cli("play", "--tutorial", "--lang", "en", "--no-progress")
    assert (exit_code, typed) == (0, ["leave"])
    assert str(FAREWELL[-1]) in out
    assert cli("play", "--tutorial")[0] == 5
    assert "it takes no --bots" in cli("play", "--tutorial", "--bots", "3")[2]
    # No key, no replay.
    assert not own_home.exists()


def test_another_game_with_the_same_bots(people: Household, terminal: Terminal) -> None:
    game = terminal.start(people, "play", *KIDS, who="ann")
    person = Person(game, terminal.type)
    while game.line(r"^type an action|^another game at this table\?", person.turns + 1)[0].startswith("type"):
        terminal.type(person.turn()[0])
    bots = children(game.pid)
    terminal.type("yes")
    game.line("^game 2 at this table$")
    game.line("^the cards are dealt$", 2)
    assert children(game.pid) == bots
    assert len(bots) == 1
    # Ctrl-C asks once at a terminal.
    game.signal(signal.SIGINT)
    game.line("^stop for now, or leave the game")
    terminal.type("leave")
    assert game.end() == 5
    assert none_runs(bots)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
MOMENTS = ("^at the table: ", "^the table is full$", "has shuffled", "^your hand: ")


def seconds_of_bots(people: Household, who: str, number: signal.Signals, moment: str) -> float:
    """Play until that moment, send the signal, and return for how long the bots outlive the person's process."""
    game = play(people, "--bots", "2", "--grace", "1", who=who)
    wait_until(lambda: bool(children(game.pid)), "no bots")
    game.line(moment)
    bots = children(game.pid)
    game.signal(number)
    game.end()
    begun = time.monotonic()
    left = any(map(is_running, bots))
    if number in SIGNALS[:2] and "come back with: " not in game.said():  # The cards may be dealt before it comes.
        assert not left, "bots stay though there is nothing to come back to"
        assert moment != MOMENTS[-1]
    elif number == signal.SIGKILL and moment == MOMENTS[-1]:
        assert left, "bots do not play on"
    wait_until_gone(bots)
    return time.monotonic() - begun


@pytest.mark.parametrize(("number", "moment"), [(signal.SIGTERM, 0), (signal.SIGKILL, 3)])
def test_bots_end_after_their_caller(people: Household, number: signal.Signals, moment: int) -> None:
    seconds_of_bots(people, "ann", number, MOMENTS[moment])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_bots_end_after_a_hundred_callers(people: Household) -> None:
    def play(game: int) -> float:
        return seconds_of_bots(people, f"ann-{game}", SIGNALS[game % 4], MOMENTS[game // 4 % 4])

    with ThreadPoolExecutor(3) as games:
        seconds = list(games.map(play, range(100)))
    print("seconds:", [round(max(seconds[first::4]), 1) for first in range(4)])


# ``seqp2p watch`` for a script and for a person: real processes over loopback.


def watch(people: Household, host: Process, *arguments: object, who: str = "eve", **more: object) -> Process:
    listening = [event for event in host.events if event["event"] == "listening"][-1]
    given = ("watch", listening["address"], "--code", listening["code"], "--name", who)
    directory = people.replays(who)
    return people.start(*given, "--replay-dir", directory, *arguments, who=who, **more)  # type: ignore[arg-type]


def played(process: Process) -> list[Event]:
    """Return the events of the game that all at the table tell alike."""
    return [event for event in process.events if event["event"] in ("seated", "dealer", "turn", "exchange", "remark")]


def test_a_whole_game(people: Household) -> None:
    """One comes before the table is full, two in the middle, and one of these goes; all have one home."""
    host = people.host("--players", "2", "--variant", "kids")
    host.event("listening")
    first = watch(people, host, "--json")
    host.line("eve watches")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    guest.type(person.turn()[0])
    second, third = (watch(people, host, "--json") for _ in range(2))
    second.event("turn")
    third.event("turn")
    third.signal(signal.SIGINT)
    assert third.end() == 5
    over = third.events[-1]
    assert (over["event"], over["result"], over["seat"]) == ("over", "unfinished", None)
    assert verify_file(Path(over["replay"])).verdict == "unfinished"
    person.play_on()
    assert [each.end() for each in (host, guest, first, second)] == [0, 0, 0, 0], first.said()
    replays = set[Path]()
    for spectator in (first, second):
        assert played(spectator) == played(host)
        over, own = spectator.events[-1], host.events[-1]
        assert over == own | {"seat": None, "replay": over["replay"]}
        replays.add(Path(over["replay"]))
    assert len(replays) == 2
    assert all(path.parent == people.replays("eve") and "-watch-" in path.name for path in replays)
    assert [verify_file(path).verdict for path in replays] == ["verified"] * 2


def test_a_person_looks_and_goes(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    guest = people.join(host, bot=None, stdin=subprocess.PIPE)
    guest.type(Person(guest).turn()[0])  # And no more: it is soon the guest's turn again.
    host.event("turn")
    eve = watch(people, host, stdin=subprocess.PIPE)
    eve.line("seat 1: host")
    eve.line(r" 1\. ")
    eve.type("help", "board", "SEATS", "log", "QH e5")
    eve.line(SPECTATOR_HELP)
    eve.line(r"^ 10  \*\* ")
    eve.line("discarded .*to play")
    eve.line(r" 1\. ", 2)
    eve.line("spectators cannot use qh$")
    eve.type("leave")
    assert eve.end() == 5
    eve.line("unfinished|you left")
    guest.type("leave", "leave")
    assert (host.end(), guest.end()) == (5, 5)


def test_asked_to_end_in_a_lobby(people: Household) -> None:
    host = people.host("--players", "2")
    host.event("listening")
    eve = watch(people, host, "--json")
    eve.line("^you are let in$")
    eve.line("the game is shown once the table is full")
    eve.signal(signal.SIGHUP)
    assert eve.end() == 5
    over = eve.events[-1]
    assert (over["event"], over["result"], over["seat"], over["replay"]) == ("over", "unfinished", None, None)
    assert eve.err[-2:] == ["you left", "seqp2p: the terminal is gone"]


# The parts that host and join share: a bot's dice, hints, and the sentence and exit code of every end of a game.


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


def test_what_ends_a_game_becomes_a_sentence() -> None:
    own, refused, lost = UserError("Own", "hint", 2), PeerRefused("table_full"), LinkLost("The connection is lost.")
    assert [(line_of(error), error.hint, error.exit_code) for error in (own, refused, lost)] == [
        ("Own", "hint", 2),
        ("the table is full", "Ask the host for a larger table.", NOT_CONNECTED),
        ("the connection is lost", NetError.hint, NOT_CONNECTED),
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


def test_a_hint_is_what_learned_would_play() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2 b4 c4 d4 e4", "b": "h5 h6 h7 h8 d9 e9 f9 g9"},
        ["3C,4C,TC,7C,3H,2H,JC", OTHERS],
        sequences="a:b2-f2",
    )
    told, action = playing.hint(CONSOLE, ("blue", "green"), view(position, 1))
    assert told.startswith("hint: 3C f4 completes b4-f4 and keeps JC; second best: ")
    assert action is not None
    assert format_action(CLASSIC, action) == "3C f4"


def test_without_weights_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "why_no_weights", lambda: "the weights are missing")
    position = make({"a": "b2", "b": "h5"}, ["3C,4C,TC,7C,3H,2H,JC", OTHERS])
    assert playing.hint(CONSOLE, ("blue", "green"), view(position, 1)) == ("the weights are missing", None)
