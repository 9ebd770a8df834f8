"""The state that the steps of a game change, and the plan of the steps to come."""

from collections import deque
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field

from seqp2p.crypto.group import INFINITY, Point, sum_points
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import StepKind
from seqp2p.match.deck import Deck
from seqp2p.match.events import Result
from seqp2p.match.table import Agreement
from seqp2p.rules import DealerDraw, Position, Variant, drop, skip, team_of


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A step to come: what it takes, and the seat it is about (shuffler, drawer, mover; 0 where it is about all)."""

    kind: StepKind
    subject: int = 0


@dataclass
class Game:
    """One game as everybody at the table knows it: nothing in here is secret.

    ``check`` takes the equations of every proof: at once (a seat), or all together at the end (``verify``).
    ``position`` has unknown cards for every hand but what was shown; it is None until the cards are dealt.
    """

    agreement: Agreement
    id: bytes
    checks: Checks = field(default=CHECKS, compare=False, repr=False)
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
    gone: tuple[int, ...] = ()  # the seats that have been dropped, ascending
    last_gone: tuple[int, ...] = ()  # those of them that were dropped together as the last
    skipped: dict[int, int] = field(default_factory=dict)  # how often in a row a seat's turn was skipped
    owners: tuple[int, ...] = ()  # the seats that get the top cards of the pile in the deal to come
    plans: deque[StepPlan] = field(default_factory=deque)
    shuffles: int = 0  # what the closed steps have proved: shuffles …
    shares: int = 0  # … decryption shares …
    moves: int = 0  # … and actions

    def __post_init__(self) -> None:
        self.deck = Deck(self.variant, self.players)
        self.plans.extend([StepPlan("seat"), StepPlan("reveal"), *self.shuffle_plans(), StepPlan("deal")])

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
        """The numbers of the seats that are in the game."""
        return [seat for seat in range(1, self.players + 1) if seat not in self.gone]

    @property
    def abandoned(self) -> bool:
        """Whether the seats that stay cannot go on: all are of one team, or their game keys cancel each other out."""
        return bool(self.gone) and (len(self.teams_of(self.seats)) < 2 or self.joint_key.is_infinity)

    def teams_of(self, seats: Collection[int]) -> frozenset[int]:
        """The teams of these seats."""
        return frozenset(team_of(seat, self.agreement.settings.teams) for seat in seats)

    def copy(self) -> "Game":
        """An equal game that changes apart from this one."""
        other = copy(self)
        other.deck = self.deck.copy()
        other.commitments = dict(self.commitments)
        other.keys = dict(self.keys)
        other.heads = list(self.heads)
        other.placed_at = dict(self.placed_at)
        other.called = set(self.called)
        other.skipped = dict(self.skipped)
        other.plans = deque(self.plans)
        return other

    def drop(self, seats: Collection[int]) -> None:
        """Seats leave for good; those that stay shuffle and deal anew all cards that are not played.

        Each gets as many as it held; a draw that was owed is in its hand already, a penalty card is off it. No secret
        of those that left is needed.
        """
        self.last_gone = tuple(sorted(seats))
        self.gone = tuple(sorted({*self.gone, *seats}))
        self.position = drop(self.table_position(), self.last_gone)
        self.plans.clear()
        self.joint_key = sum_points([self.keys[seat] for seat in self.seats])
        if self.abandoned or self.position.over:
            return
        self.owners = tuple(seat for seat in self.seats for _ in self.position.hands[seat - 1])
        self.deck.gather(self.joint_key)
        self.plans.extend(self.shuffle_plans() if self.deck.mixing else ())
        self.plans.extend([StepPlan("deal")] if self.owners else ())

    def skip(self) -> int:
        """The turn passes on without the mover; returns its seat."""
        seat = self.table_position().mover
        self.position = skip(self.table_position())
        self.skipped[seat] = self.skipped.get(seat, 0) + 1
        self.placed_at[seat] = len(self.heads)
        return seat

    def shuffle_plans(self) -> list[StepPlan]:
        """Every seat shuffles once, in seat order."""
        return [StepPlan("shuffle", seat) for seat in self.seats]

    def table_position(self) -> Position:
        """The position; only after the deal."""
        assert self.position is not None, "no position before the deal"
        return self.position
