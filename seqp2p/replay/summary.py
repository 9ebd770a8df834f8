"""The figures of one replay, gathered while it is verified. No I/O."""

from collections import Counter
from dataclasses import dataclass, field

from seqp2p.crypto.group import Randomness
from seqp2p.match.events import Dealt, Event, Turned
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Report, verify_batched
from seqp2p.rules import Action, SeatNumber, Square, format_action


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a game from the deal on. ``turns`` are completed turns, ``sequences`` those at the end."""

    variant: str
    players: int
    teams: int
    first_seat: SeatNumber
    turns: int
    reshuffles: int
    passes: int
    exchanges: int
    sequences: int
    opening: str  # the first chip that was placed, in the notation; empty if none was
    placed: tuple[Square, ...]  # the squares where chips were placed, in order


@dataclass(frozen=True, slots=True)
class Summary:
    """The report of ``verify`` on a file, and the course of its game: None if no cards were dealt.

    ``left`` are the seats that have left for good, and ``heirs`` those that have won because of it.
    """

    report: Report
    course: Course | None = None
    left: tuple[SeatNumber, ...] = ()
    heirs: tuple[SeatNumber, ...] = ()


@dataclass
class _Noted:
    """The notes of one reading of the file."""

    reading: Reading
    first_seat: SeatNumber = 0
    actions: list[Action] = field(default_factory=list[Action])

    def take(self, events: tuple[Event, ...]) -> None:
        """Follow a record that was right."""
        for event in events:
            if isinstance(event, Dealt):
                self.first_seat = self.reading.match.game.table_position().to_move
            elif isinstance(event, Turned):
                self.actions.append(event.action)

    def course(self) -> Course:
        """Return the course so far, after the deal."""
        game = self.reading.match.game
        position, settings = game.table_position(), game.agreement.settings
        kinds = Counter(action.kind for action in self.actions)
        placed = [action for action in self.actions if action.kind == "place"]
        return Course(
            variant=game.variant.name,
            players=settings.players,
            teams=settings.teams,
            first_seat=self.first_seat,
            turns=position.turn,
            reshuffles=position.reshuffles,
            passes=kinds["pass"],
            exchanges=kinds["exchange"],
            sequences=len(position.sequences),
            opening=format_action(game.variant, placed[0]) if placed else "",
            placed=tuple(action.square for action in placed),
        )


def summarise(data: bytes, randomness: Randomness) -> Summary:
    """Verify a whole replay file and return its figures. Never raises, as ``verify_batched`` never does."""
    noted: _Noted | None = None

    def follow(reading: Reading, _placed: Placed, events: tuple[Event, ...]) -> None:
        nonlocal noted
        if noted is None or reading is not noted.reading:  # A second reading: the first one means nothing.
            noted = _Noted(reading)
        noted.take(events)

    report = verify_batched(data, randomness, follow)
    if noted is None:
        return Summary(report)
    match = noted.reading.match
    heirs = () if match.forfeit is None else match.forfeit.winners
    return Summary(report, noted.course() if noted.first_seat else None, tuple(sorted(match.left)), heirs)
