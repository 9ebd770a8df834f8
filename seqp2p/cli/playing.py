"""From an agreed table to a finished replay: what ``host`` and ``join`` have in common."""

import os
import random
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import trio

from seqp2p.api.taking_up import Resumed
from seqp2p.api.unfinished import secrets_of
from seqp2p.bots.bot_player import BotPlayer
from seqp2p.bots.exec_player import ExecPlayer
from seqp2p.bots.player import SeatPlayer
from seqp2p.bots.program import Program
from seqp2p.bots.registry import BOTS
from seqp2p.cli import home, resume_hint
from seqp2p.cli.output import ABANDONED, DONE, CommandError, Output, what_failed
from seqp2p.cli.programs import exec_player, overhearing
from seqp2p.cli.reporter import Reporter
from seqp2p.cli.stopping import polite_signals
from seqp2p.cli.unfinished import as_command_error
from seqp2p.hangup import HANGUP, TerminalGone
from seqp2p.live.absence import Absent, Back
from seqp2p.live.asking import PATIENCE_S
from seqp2p.live.mesh import Mesh
from seqp2p.live.recorder import TableEvent
from seqp2p.live.session import SeatRunner
from seqp2p.live.voting import AskAbout
from seqp2p.lobby.safety import safety_words
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import RevealBody, open_body, open_envelope
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement
from seqp2p.replay.sidecar import Sidecar, SidecarError, sidecar_path
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules import Action, View
from seqp2p.ui.language import t
from seqp2p.ui.person.console import Console
from seqp2p.ui.person.person import Person
from seqp2p.ui.person.seat_info import SeatInfo
from seqp2p.ui.words import LEFT

if TYPE_CHECKING:  # Only where there is a screen.
    from seqp2p.ui.screen import Screen


@dataclass(frozen=True, slots=True)
class Choices:
    """How this seat plays: by a bot of this name, or a program; ``pace_s`` is the least time that these take."""

    bot: str | None
    pace_s: float
    replay_dir: Path
    program: Program | None = None

    @property
    def person(self) -> bool:
        """Whether neither bot nor program plays, but a person."""
        return self.bot is None and self.program is None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a game ended for this seat.

    ``begun``: its cards were dealt. ``left``: this seat's own player left it. ``out``: the seats that have left the
    table, or are proved to have cheated.
    """

    exit_code: int
    begun: bool
    left: bool
    out: frozenset[int]


@dataclass(frozen=True)
class Sitting:
    """A seat that is about to be played: what it knows, and where it keeps it."""

    table: AgreedTable
    match: Match
    seat: SeatKeys
    reporter: Reporter
    writer: ReplayWriter
    sidecar: Sidecar


def make_player(choices: Choices, reporter: Reporter, seat: SeatKeys) -> SeatPlayer:
    """The program, bot or person that plays this seat."""
    if choices.program is not None:
        return exec_player(choices.program, reporter.match.game, seat.number, choices.pace_s, reporter.output)
    if choices.bot is None:
        sight = SeatInfo(reporter.match, seat, reporter.story, safety(reporter.match, seat.number))
        person = Onlooker(own_desk(reporter.output), sight, PATIENCE_S, reporter.output.screen)
        reporter.show(lambda: sight.view, lambda: person.asked)
        return person
    # A bot's choices need no secrecy, but nobody should be able to foresee them either.
    return BotPlayer(BOTS[choices.bot](random.Random(secrets.randbits(128))), choices.pace_s)  # noqa: S311  # seeded with secrets


class Onlooker(Person):
    """A person before whose eyes the table is, if there is a screen: it shows at once what is asked."""

    def __init__(
        self, desk: Console, sight: SeatInfo, patience_s: Mapping[str, float], screen: "Screen | None"
    ) -> None:
        super().__init__(desk, sight, patience_s)
        self._screen = screen

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask until there is an action."""
        if self._screen is not None:
            self._screen.refresh_soon()
        return await super().choose(view, refused)


def resume_options(replay: Path, choices: Choices) -> list[str]:
    """What ``resume`` has to be told to have the seat played as it was."""
    played = choices.program.options if choices.program else []
    return [*home.resume_options(replay, choices.bot), *played]


def own_desk(output: Output) -> Console:
    """The standard input and what is said to people, for the person who sits there."""
    say = output.say if output.screen is None else partial(output.say, kind="answer")
    shows_table = output.screen is not None
    hears = not shows_table and bool(os.environ.get("ACCESSIBLE"))
    return Console(output.read_line, say, output.ring, output.asks, shows_table=shows_table, hears=hears)


def safety(match: Match, own: int) -> Callable[[int], Sequence[str] | None]:
    """The safety words with another seat, None before the keys are shown."""
    keys = [seat.key for seat in match.game.agreement.seats]

    def words(seat: int) -> Sequence[str] | None:
        seed = joint_seed(match)
        return None if seed is None else safety_words(seed, keys[own - 1], keys[seat - 1])

    return words


def joint_seed(match: Match) -> bytes | None:
    """The nonces of step ``reveal`` in seat order, one after the other; None before that step has closed."""
    closed = next((step for step in match.record[:2] if step.number == 2), None)
    if closed is None:
        return None
    bodies = [open_body(open_envelope(contribution.payload)) for _, contribution in closed.contributions]
    return b"".join(body.nonce for body in bodies if isinstance(body, RevealBody))


async def play(table: AgreedTable, held: home.LockedIdentity, choices: Choices, output: Output) -> Ended:
    """Play one seat of an agreed table to its end."""
    match = Match(encode_agreement(table.agreement), table.seat)
    seat = SeatKeys(table.seat, held.identity, secrets.token_bytes)
    reporter = Reporter(output, match, table.seat if choices.person else 0)
    reporter.seats()
    path = home.replay_path(choices.replay_dir, match.game.id, table.seat)
    with open_writer(path, match) as writer:
        try:
            sidecar = Sidecar.create(sidecar_path(path), secrets_of(table, seat, held.file, table.listeners))
        except OSError as error:
            raise _cannot_write(path, error) from None
        with sidecar:
            return await _play(Sitting(table, match, seat, reporter, writer, sidecar), choices)


async def resume_play(resumed: Resumed, choices: Choices, output: Output) -> int:
    """Take a seat again and play it to the end; returns the exit code."""
    match, seat = resumed.match, resumed.seat
    reporter = Reporter(output, match, seat.number if choices.person else 0)
    reporter.resumed(seat.number, match.number, resumed.events)
    sitting = Sitting(resumed.table, match, seat, reporter, resumed.writer, resumed.sidecar)
    return (await _play(sitting, choices, lambda mesh: resumed.look_for_others(mesh, output.say))).exit_code


async def _play(sitting: Sitting, choices: Choices, beside: Callable[[Mesh], Awaitable[None]] | None = None) -> Ended:
    """The game to its end. ``beside`` is done meanwhile."""
    reporter, writer = sitting.reporter, sitting.writer
    resume_hint.remember(writer.path, sitting.match.game.id, resume_options(writer.path, choices))
    # Signals are received until all is said: an impatient second Ctrl-C must not cut off how the game ended.
    with trio.open_signal_receiver(*polite_signals()) as signals:
        player = make_player(choices, reporter, sitting.seat)
        if isinstance(player, Person) and sitting.match.game.position is not None:
            player.welcome()  # In a game that is taken up again the cards are dealt.
        mesh = Mesh(sitting.table, secrets.token_bytes)
        session = SeatRunner(
            sitting.match,
            sitting.seat,
            mesh,
            player,
            writer,
            reporter.tell,
            sitting.sidecar,
            asks=choices.person,
            cancel_leaves=not resume_hint.is_possible(),
        )
        async with trio.open_nursery() as nursery:
            if beside is not None:
                nursery.start_soon(beside, mesh)
            try:
                result = await _run(session, player, reporter, signals, writer.path)
            except* trio.Cancelled:
                # The session has said goodbye and completed the replay, or something else has failed.
                if not resume_hint.is_possible():
                    sitting.sidecar.delete()
                raise
            nursery.cancel_scope.cancel()
        # The game is over for this seat: nobody can take it again, and nobody needs its secrets.
        sitting.sidecar.delete()
        reporter.over(result, sitting.seat.number, writer.path)
    exit_code = DONE if result.kind in {"won", "drawn"} else ABANDONED
    match = sitting.match
    return Ended(
        exit_code,
        begun=match.game.position is not None,
        left=sitting.seat.number in match.left,
        out=frozenset(match.left) | frozenset(match.proven),
    )


async def _run(
    session: SeatRunner, player: SeatPlayer, reporter: Reporter, signals: AsyncIterator[int], path: Path
) -> Result:
    """The session to its end, left politely when this process is asked to end; raises CommandError."""
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_leave_on_signal, session, player, signals, nursery)
            if isinstance(player, Person):
                nursery.start_soon(player.listen, session.say, session.leave, session.go_on)
                reporter.follow(_hearing(player))
            if isinstance(player, ExecPlayer):
                await nursery.start(player.run)
                reporter.follow(overhearing(player))
            result = await session.run()
            if isinstance(player, ExecPlayer):
                await player.finish(result)
            nursery.cancel_scope.cancel()
    except* OSError as group:
        # Whatever can go wrong in the network has a name of its own: this is the disk.
        raise _cannot_write(path, cast("OSError", _first(group))) from None
    except* SidecarError as group:
        raise as_command_error(cast("SidecarError", _first(group))) from None
    return result


def _hearing(person: Person) -> Callable[[TableEvent], None]:
    """What a person hears of the table: the game, and questions about seats that are away."""

    def hear(event: TableEvent) -> None:
        match event:
            case AskAbout(seats):
                person.ask_absent(seats)
            case Back(seat):
                person.back(seat)
            case Absent(seat):
                person.away(seat)
            case _:
                person.hear(event)

    return hear


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
    message = t("cannot write the replay {path}: {reason}", path=path, reason=what_failed(error))
    return CommandError(message, home.REPLAYS_HINT)


async def _leave_on_signal(
    session: SeatRunner, player: SeatPlayer, signals: AsyncIterator[int], nursery: trio.Nursery
) -> None:
    """Leave politely on Ctrl-C or a polite kill: a goodbye to the others, a signed replay.

    Nobody who loses a terminal has said that they leave: the seat is kept for them, as after a crash.
    """
    async for number in signals:
        if number == HANGUP and resume_hint.is_possible():
            raise TerminalGone
        if number == signal.SIGINT and isinstance(player, Person) and player.interrupted():
            continue
        # The next signal is taken as well, and changes nothing.
        nursery.start_soon(session.leave, LEFT)
