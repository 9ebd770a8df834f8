"""What there is to count in one replay: gathered while it is verified. No I/O."""

from dataclasses import dataclass, field

from seqp2p.crypto.group import Randomness
from seqp2p.match.events import Dealt, Event, Turned
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Report, verify_batched
from seqp2p.rules import SeatNumber, Square, format_action


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went from the deal on. ``turns`` are those that were completed, ``sequences`` those at the end."""

    variant: str
    players: int
    teams: int
    first_seat: SeatNumber
    turns: int
    reshuffles: int
    passes: int
    exchanges: int
    sequences: int
    opening: str
    """The first chip that was placed, in the notation; empty if none was."""
    placed: tuple[Square, ...]
    """Where chips were placed, one after the other."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What ``verify`` says of a file, and how its game went; ``course`` is None where no cards were dealt."""

    report: Report
    course: Course | None = None


@dataclass
class _Noted:
    """What is noted in one reading of the file."""

    reading: Reading
    first_seat: SeatNumber = 0
    passes: int = 0
    exchanges: int = 0
    opening: str = ""
    placed: list[Square] = field(default_factory=list[Square])

    def take(self, events: tuple[Event, ...]) -> None:
        """One more record was right."""
        for event in events:
            if isinstance(event, Dealt):
                self.first_seat = self.reading.match.game.table_position().to_move
            elif isinstance(event, Turned):
                self._turned(event)

    def _turned(self, event: Turned) -> None:
        action = event.action
        self.passes += action.kind == "pass"
        self.exchanges += action.kind == "exchange"
        if action.kind == "place":
            self.opening = self.opening or format_action(self.reading.match.game.variant, action)
            self.placed.append(action.square)

    def course(self) -> Course:
        """How the game went so far; its cards are dealt."""
        game = self.reading.match.game
        position, settings = game.table_position(), game.agreement.settings
        return Course(
            variant=game.variant.name,
            players=settings.players,
            teams=settings.teams,
            first_seat=self.first_seat,
            turns=position.turn,
            reshuffles=position.reshuffles,
            passes=self.passes,
            exchanges=self.exchanges,
            sequences=len(position.sequences),
            opening=self.opening,
            placed=tuple(self.placed),
        )


def summarise(data: bytes, randomness: Randomness) -> Summary:
    """Verify a whole replay file, and note what there is to count. Never raises, as ``verify_batched`` never does."""
    noted: _Noted | None = None

    def follow(reading: Reading, _placed: Placed, events: tuple[Event, ...]) -> None:
        nonlocal noted
        if noted is None or reading is not noted.reading:  # Another reading: the first one means nothing.
            noted = _Noted(reading)
        noted.take(events)

    report = verify_batched(data, randomness, follow)
    return Summary(report, noted.course() if noted is not None and noted.first_seat else None)
