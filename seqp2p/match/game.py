"""The state of a game, which the steps change, and the plan of the next steps."""

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
    """A future step: its kind, and the seat it is about (shuffler, drawer, mover; 0 if it is about all)."""

    kind: StepKind
    subject: int = 0


@dataclass
class Game:
    """The public state of one game, without secrets.

    ``check`` takes the equations of every proof: at once (a seat), or all together at the end (``verify``).
    ``position`` has unknown cards in every hand except shown ones; it is None until the cards are dealt.
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
    placed_at: dict[int, int] = field(default_factory=dict)  # by seat, the step of its last placing, removal or pass
    called: set[bytes] = field(default_factory=set)  # hashes of the remarks that were called
    result: Result | None = None
    gone: tuple[int, ...] = ()  # the seats that have been dropped, ascending
    last_gone: tuple[int, ...] = ()  # those of them that were dropped together as the last
    skipped: set[int] = field(default_factory=set[int])  # the seats whose last turn was skipped
    owners: tuple[int, ...] = ()  # the seats that get the top cards of the pile in the next deal
    plans: deque[StepPlan] = field(default_factory=deque)
    shuffles: int = 0  # counts of proved things in the closed steps: shuffles …
    shares: int = 0  # … decryption shares …
    moves: int = 0  # … and actions

    def __post_init__(self) -> None:
        self.deck = Deck(self.variant, self.players)
        self.plans.extend([StepPlan("seat"), StepPlan("reveal"), *self.shuffle_plans(), StepPlan("deal")])

    @property
    def variant(self) -> Variant:
        return self.agreement.settings.rules

    @property
    def players(self) -> int:
        return self.agreement.settings.players

    @property
    def seats(self) -> Sequence[int]:
        """The members: the seats in the game."""
        return [seat for seat in range(1, self.players + 1) if seat not in self.gone]

    @property
    def abandoned(self) -> bool:
        """True if the members cannot go on: all are of one team, or their game keys cancel each other out."""
        return bool(self.gone) and (len(self.teams_of(self.seats)) < 2 or self.joint_key.is_infinity)

    def teams_of(self, seats: Collection[int]) -> frozenset[int]:
        return frozenset(team_of(seat, self.agreement.settings.teams) for seat in seats)

    def copy(self) -> "Game":
        other = copy(self)
        other.deck = self.deck.copy()
        other.commitments = dict(self.commitments)
        other.keys = dict(self.keys)
        other.heads = list(self.heads)
        other.placed_at = dict(self.placed_at)
        other.called = set(self.called)
        other.skipped = set(self.skipped)
        other.plans = deque(self.plans)
        return other

    def drop(self, seats: Collection[int]) -> None:
        """Remove seats for good, and plan the shuffle and the deal of all cards that are not played.

        Each seat that stays gets as many as it held; an owed draw is in its hand already, a penalty card is off it. No
        secret of the seats that left is needed.
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
        """Pass the turn on without the mover, and return its seat."""
        seat = self.table_position().mover
        self.position = skip(self.table_position())
        self.skipped.add(seat)
        self.placed_at[seat] = len(self.heads)
        return seat

    def shuffle_plans(self) -> list[StepPlan]:
        """Plan a shuffle by every seat, in seat order."""
        return [StepPlan("shuffle", seat) for seat in self.seats]

    def table_position(self) -> Position:
        """Return the position; only after the deal."""
        assert self.position is not None, "no position before the deal"
        return self.position
