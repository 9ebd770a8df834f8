"""The state that the steps of a game change, and the plan of the steps to come."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from seqp2p.crypto.group import INFINITY, Point
from seqp2p.match.contribution import Kind
from seqp2p.match.deck import Deck
from seqp2p.match.events import Result
from seqp2p.match.table import Agreement
from seqp2p.rules import DealerDraw, Position, Variant


@dataclass(frozen=True, slots=True)
class Plan:
    """A step to come: what it takes, and the seat it is about (shuffler, drawer, mover; 0 where it is about all)."""

    kind: Kind
    subject: int = 0


@dataclass
class Game:
    """One game as everybody at the table knows it: nothing in here is secret.

    ``position`` has unknown cards for every hand but what was shown; it is None until the cards are dealt.
    """

    agreement: Agreement
    id: bytes
    deck: Deck = field(init=False)
    commitments: dict[int, bytes] = field(default_factory=dict)  # by seat
    keys: dict[int, Point] = field(default_factory=dict)  # X_i by seat
    joint_key: Point = INFINITY
    draw: DealerDraw | None = None
    position: Position | None = None
    reshuffles: int = 0
    heads: list[bytes] = field(default_factory=list)  # heads[k − 1] is the head before step k, up to the open step
    placed_at: dict[int, int] = field(default_factory=dict)  # the step of a seat's last placing, removal or pass
    called: set[bytes] = field(default_factory=set)  # hashes of the remarks that were called
    result: Result | None = None
    plans: deque[Plan] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.deck = Deck(self.variant, self.players)
        self.plans.extend([Plan("seat"), Plan("reveal"), *self.shuffle_plans(), Plan("deal")])

    @property
    def variant(self) -> Variant:
        """The game's rules as data."""
        return self.agreement.settings.rules

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self.agreement.settings.players

    @property
    def seats(self) -> Sequence[int]:
        """The numbers of the seats."""
        return range(1, self.players + 1)

    def shuffle_plans(self) -> list[Plan]:
        """Every seat shuffles once, in seat order."""
        return [Plan("shuffle", seat) for seat in self.seats]

    def table_position(self) -> Position:
        """The position; only after the deal."""
        assert self.position is not None, "no position before the deal"
        return self.position
