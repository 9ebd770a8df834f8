"""What there is to count in one replay: gathered while it is verified. No I/O."""

from dataclasses import dataclass, field

from seqp2p.match.events import Dealt, Event, Turned
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Report, verify
from seqp2p.rules import Seat, Square, format_action


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went from the deal on. ``turns`` are those that were completed, ``sequences`` those at the end."""

    variant: str
    players: int
    teams: int
    first_seat: Seat
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
class _Follower:
    """What is noted while the file is read."""

    reading: Reading | None = None
    first_seat: Seat = 0
    passes: int = 0
    exchanges: int = 0
    opening: str = ""
    placed: list[Square] = field(default_factory=list[Square])

    def follow(self, reading: Reading, _placed: Placed, events: tuple[Event, ...]) -> None:
        """One record was right."""
        self.reading = reading
        for event in events:
            if isinstance(event, Dealt):
                self.first_seat = reading.match.game.table_position().to_move
            elif isinstance(event, Turned):
                self._turned(reading, event)

    def _turned(self, reading: Reading, event: Turned) -> None:
        action = event.action
        self.passes += action.kind == "pass"
        self.exchanges += action.kind == "exchange"
        if action.kind == "place":
            self.opening = self.opening or format_action(reading.match.game.variant, action)
            self.placed.append(action.square)


def summarise(data: bytes) -> Summary:
    """Verify a whole replay file, and note what there is to count. Never raises, as ``verify`` never does."""
    follower = _Follower()
    report = verify(data, follower.follow)
    if follower.reading is None or not follower.first_seat:
        return Summary(report)
    game = follower.reading.match.game
    position, settings = game.table_position(), game.agreement.settings
    course = Course(
        variant=game.variant.name,
        players=settings.players,
        teams=settings.teams,
        first_seat=follower.first_seat,
        turns=position.turn,
        reshuffles=position.reshuffles,
        passes=follower.passes,
        exchanges=follower.exchanges,
        sequences=len(position.sequences),
        opening=follower.opening,
        placed=tuple(follower.placed),
    )
    return Summary(report, course)
