"""From an agreed table to a finished replay: what ``host`` and ``join`` have in common."""

import random
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import trio

from seqp2p.cli import home
from seqp2p.cli.lines import read_line
from seqp2p.cli.output import ABANDONED, DONE, CommandError, Output
from seqp2p.cli.running import polite_signals
from seqp2p.crypto.identity import Identity, fingerprint
from seqp2p.match.events import Dealt, Drawn, Event, Finished, Remarked, Result, Seated, Shuffled, Turned
from seqp2p.match.machine import Match
from seqp2p.match.play_steps import PLACINGS
from seqp2p.match.seat import OwnSeat
from seqp2p.match.table import encode_agreement
from seqp2p.net.mesh import Mesh
from seqp2p.net.session import Session
from seqp2p.net.table import Table
from seqp2p.players.bot_player import BotPlayer
from seqp2p.players.bots import BOTS
from seqp2p.players.person import Person
from seqp2p.players.player import Player
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import format_action, format_card, view
from seqp2p.ui.plain import board_lines


@dataclass(frozen=True, slots=True)
class Choices:
    """How this seat plays: ``bot`` names a bot, None is a person; ``pace_s`` is a bot's least time for a turn."""

    bot: str | None
    pace_s: float
    replay_dir: Path


class Reporter:
    """Tells scripts and people what happens at the table, as it happens."""

    def __init__(self, output: Output, match: Match) -> None:
        self._output = output
        self._match = match
        self._full_at = self._step_at = trio.current_time()

    def seats(self) -> None:
        """Who sits where."""
        for number, seat in enumerate(self._match.game.agreement.seats, 1):
            self._output.event("seated", seat=number, name=seat.name, key=seat.key.hex())
            self._output.say(f"seat {number}: {seat.name}  {fingerprint(seat.key)}")

    def tell(self, event: Event) -> None:
        """One event of the match."""
        now = trio.current_time()
        match event:
            case Seated(draw):
                self._say_dealer(draw.rounds, draw.dealer)
            case Shuffled(seat, number, reshuffle):
                seconds = round(now - self._step_at, 3)
                self._output.event("shuffle", seat=seat, seconds=seconds, reshuffle=reshuffle)
                players = self._match.game.players
                self._output.say(f"seat {seat} has shuffled, its proof is checked ({number}/{players})")
            case Dealt():
                self._output.event("dealt", seconds=round(now - self._full_at, 3))
                self._output.say("the cards are dealt")
            case Turned(turn, seat, action):
                text = format_action(self._match.game.variant, action)
                name = "turn" if action.kind in PLACINGS else action.kind
                self._output.event(name, turn=turn, seat=seat, action=text)
                self._output.say(f"{turn:>3}. seat {seat}: {text}")
            case Remarked(seat, number, text, courtesy):
                self._output.event("remark", seat=seat, number=number, text=text, courtesy=courtesy)
                self._output.say(f"seat {seat} says: {text}")
            case Drawn() | Finished():
                pass
        self._step_at = now

    def over(self, result: Result, seat: int, replay: Path) -> None:
        """How it ended, and where the replay is."""
        self._output.event(
            "over",
            result=result.kind,
            winners=result.winners,
            reason=result.reason or None,
            seat=seat,
            replay=str(replay),
        )
        if self._match.game.position is not None:
            self._output.say()
            seen = view(self._match.game.position, seat)
            for line in board_lines(seen, self._match.game.agreement.settings.colours):
                self._output.say(line)
        self._output.say(describe(result))
        self._output.say(f"replay: {replay}")

    def _say_dealer(self, rounds: Sequence[Sequence[tuple[int, int]]], dealer: int) -> None:
        variant = self._match.game.variant
        for turned in rounds:
            cards = ", ".join(f"seat {seat} {format_card(variant, card)}" for seat, card in turned)
            self._output.say(f"turned over: {cards}")
        self._output.say(f"seat {dealer} deals")
        self._output.event("dealer", seat=dealer)


def describe(result: Result) -> str:
    """A result in words."""
    if result.kind == "won":
        return f"won by {' and '.join(f'seat {seat}' for seat in result.winners)}"
    return "drawn" if result.kind == "drawn" else f"unfinished: {result.reason}"


def make_player(choices: Choices, output: Output, colours: Sequence[str]) -> Player:
    """The bot or person that plays this seat."""
    if choices.bot is None:
        return Person(read_line, output.say, colours)
    # A bot's choices need no secrecy, but nobody should be able to foresee them either.
    return BotPlayer(BOTS[choices.bot](random.Random(secrets.randbits(128))), choices.pace_s)  # noqa: S311  # seeded with secrets


async def play(table: Table, identity: Identity, choices: Choices, output: Output) -> int:
    """Play one seat of an agreed table to its end; returns the exit code."""
    match = Match(encode_agreement(table.agreement))
    reporter = Reporter(output, match)
    reporter.seats()
    path = home.replay_path(choices.replay_dir, match.game.id, table.seat)
    # Signals are received until all is said: an impatient second Ctrl-C must not cut off how the game ended.
    with trio.open_signal_receiver(*polite_signals()) as signals:
        with open_writer(path, match) as writer:
            player = make_player(choices, output, table.agreement.settings.colours)
            session = Session(
                match,
                OwnSeat(table.seat, identity, secrets.token_bytes),
                Mesh(table, secrets.token_bytes),
                player,
                writer,
                reporter.tell,
            )
            result = await _run(session, player, signals, path)
        reporter.over(result, table.seat, path)
    return ABANDONED if result.kind == "unfinished" else DONE


async def _run(session: Session, player: Player, signals: AsyncIterator[int], path: Path) -> Result:
    """The session to its end, left politely when this process is asked to end; raises CommandError."""
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_leave_on_signal, session, signals, nursery)
            if isinstance(player, Person):
                nursery.start_soon(player.listen, session.say, session.leave)
            result = await session.run()
            nursery.cancel_scope.cancel()
    except* OSError as group:
        # Whatever can go wrong in the network has a name of its own: this is the disk.
        raise _cannot_write(path, cast("OSError", _first(group))) from None
    return result


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("tuple[BaseException, ...]", error.exceptions)[0]
    return error


def open_writer(path: Path, match: Match) -> ReplayWriter:
    """The replay's writer; raises CommandError where no file can be made there."""
    try:
        return ReplayWriter(path, match)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> CommandError:
    return CommandError(f"cannot write the replay {path}: {error.strerror or error}", home.REPLAYS_HINT)


async def _leave_on_signal(session: Session, signals: AsyncIterator[int], nursery: trio.Nursery) -> None:
    """Leave politely on Ctrl-C, a polite kill or a closed terminal: a goodbye to the others, a signed replay."""
    async for _ in signals:
        # The next signal is taken as well, and changes nothing.
        nursery.start_soon(session.leave, "left the table")
