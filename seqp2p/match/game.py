"""The state of a game, which the steps change: every card's place, the dealer, the plan of the next steps, the end.

A *deck position* numbers one ciphertext of one shuffled deck. No position is used twice in a game, so a reshuffle's
begin where the last deck's ended. A *physical card* is an index into the variant's deck.

    fresh ──shuffle by every seat──▶ pile ──shares of all but the holder──▶ hand ──the holder's share──▶ discards
      ▲                                                                                                     │
      └───────────────────────────────────── reshuffle, when the pile is used up ────────────────────────────┘

Joint randomness no seat can steer: it comes from nonces that all seats committed to before any was shown. The stream of
words, the drawing below a bound and the permutation are fixed byte by byte in docs/protocol.md, "Joint randomness", so
that every verifier draws the same dealer.
"""

import struct
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import dataclass, field
from itertools import count

from seqp2p.crypto.elgamal import Ciphertext, card_points, fresh_deck
from seqp2p.crypto.group import INFINITY, Point, sub, sum_points
from seqp2p.crypto.hashing import JOINT, tagged_hash
from seqp2p.i18n import listed, message
from seqp2p.match.checks import CHECKS, Checks
from seqp2p.match.contribution import StepKind
from seqp2p.match.errors import Refusal
from seqp2p.match.events import Result
from seqp2p.match.table import Agreement
from seqp2p.rules import Card, DealerDraw, Position, Variant, dealer_draw, drop, skip, team_of


@dataclass
class Deck:
    """The cards of one game. Only the steps' rules change it; all peers have an equal one."""

    variant: Variant
    players: int
    ciphertexts: list[Ciphertext] = field(default_factory=list)  # by deck position
    drawn: int = 0  # the next deck position to be drawn
    hands: list[list[int]] = field(default_factory=list)  # deck positions, ascending, by seat − 1
    partial: dict[int, Point] = field(default_factory=dict)  # b − Σ shares of all but the holder, by position
    shown: dict[int, int] = field(default_factory=dict)  # physical card by position, where its holder has shown it
    discards: list[int] = field(default_factory=list)  # physical cards since the last reshuffle
    mixing: tuple[Ciphertext, ...] = ()  # the deck that the seats are shuffling now

    def __post_init__(self) -> None:
        self.hands = [[] for _ in range(self.players)]
        self.points = card_points(self.variant.name, len(self.variant.deck))
        self._cards = {point: card for card, point in enumerate(self.points)}

    def begin(self, physical: Sequence[int], joint_key: Point) -> None:
        """Start a shuffle of these cards, in ascending order and openly encrypted."""
        self.mixing = fresh_deck(joint_key, [self.points[card] for card in sorted(physical)])

    def adopt(self) -> None:
        """Make the shuffled deck the draw pile, after the last seat's shuffle."""
        self.drawn = len(self.ciphertexts)
        self.ciphertexts.extend(self.mixing)
        self.mixing = ()

    def copy(self) -> "Deck":
        other = copy(self)
        other.hands = [list(hand) for hand in self.hands]
        other.ciphertexts = [*self.ciphertexts]
        other.partial, other.shown = {**self.partial}, {**self.shown}
        other.discards = [*self.discards]
        return other

    def gather(self, joint_key: Point) -> None:
        """Start a redeal: every card but the discards is shuffled by the seats that stay."""
        played = set(self.discards)
        self.hands = [[] for _ in self.hands]
        self.partial.clear()
        self.shown.clear()
        self.begin([card for card in range(len(self.points)) if card not in played], joint_key)

    def hand(self, seat: int) -> list[int]:
        """Return the deck positions of this seat's hand, ascending."""
        return self.hands[seat - 1]

    def give(self, seat: int) -> int:
        """Give the top of the pile to a seat, and return its deck position."""
        position = self.drawn
        self.drawn += 1
        self.hand(seat).append(position)
        return position

    def take(self, seat: int, position: int) -> None:
        """Move a shown card from its hand to the discards."""
        self.hand(seat).remove(position)
        self.discards.append(self.shown[position])

    def open_partly(self, position: int, shares: Sequence[Point]) -> None:
        """Add the decryption shares of all other seats for a card: only its holder's is missing."""
        self.partial[position] = sub(self.ciphertexts[position].b, sum_points(shares))

    def physical(self, position: int, share: Point) -> int:
        """Return the card at a position, given its holder's share. Raises Refusal if it is no card of this deck."""
        point = sub(self.partial[position], share)
        card = self._cards.get(point)
        if card is None:
            raise Refusal(message("the card at deck position {position} opens to no card", position=position))
        return card

    def face(self, physical: int) -> Card:
        return self.variant.deck[physical]


@dataclass(frozen=True, slots=True)
class StepPlan:
    """A future step: its kind, and the seat it is about (shuffler, drawer, mover; 0 if it is about all)."""

    kind: StepKind
    subject: int = 0


@dataclass
class GameState:
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

    def copy(self) -> "GameState":
        other = copy(self)
        other.deck = self.deck.copy()
        other.commitments, other.keys, other.placed_at = {**self.commitments}, {**self.keys}, {**self.placed_at}
        other.called, other.skipped = {*self.called}, {*self.skipped}
        other.heads, other.plans = [*self.heads], deque(self.plans)
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


class JointStream:
    """Endless uniform numbers from a seed: 32-bit big-endian words of H(joint ‖ seed ‖ counter), counter 0, 1, …"""

    def __init__(self, seed: bytes) -> None:
        blocks = (tagged_hash(JOINT, seed, counter.to_bytes(4, "big")) for counter in count())
        self._words: Iterator[int] = (word for block in blocks for (word,) in struct.iter_unpack(">I", block))

    def below(self, bound: int) -> int:
        """Return a uniform number in 0 … bound − 1; words of the last, incomplete run of ``bound`` are skipped."""
        span = 1 << 32
        limit = span - span % bound
        word = next(word for word in self._words if word < limit)
        return word % bound

    def permutation(self, size: int) -> tuple[int, ...]:
        """Return a uniform order of 0 … size − 1 (Fisher and Yates, from the last place down)."""
        order = list(range(size))
        for place in range(size - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return tuple(order)

    def cards(self, deck: Sequence[Card]) -> Iterator[Card]:
        """Yield the deck in a random order, card by card; when it is used up, in a new order."""
        while True:
            yield from (deck[place] for place in self.permutation(len(deck)))


def draw_dealer(variant: Variant, players: int, nonces: Sequence[bytes]) -> DealerDraw:
    """Draw the dealer: by cards that every seat turns over, or at random if the variant has no such rule."""
    stream = JointStream(b"".join(nonces))
    if not variant.ranks:
        return DealerDraw(rounds=(), dealer=1 + stream.below(players))
    return dealer_draw(variant, players, stream.cards(variant.deck))


def final_result(game: GameState) -> Result:
    """Return the result by the position on the board."""
    position = game.table_position()
    if not position.winner:
        return Result("drawn")
    return Result("won", tuple(seat for seat in game.seats if team_of(seat, position.teams) == position.winner))


def names(game: GameState, seats: AbstractSet[int]) -> str:
    """Return seats for people: ``seat 2 (ann), seat 3 (bob)``."""
    entries = game.agreement.seats
    return listed(message("seat {seat} ({name})", seat=seat, name=entries[seat - 1].name) for seat in sorted(seats))


def forfeit(game: GameState, left: AbstractSet[int], cheats: AbstractSet[int]) -> Result | None:
    """Return a forfeit if every remaining opponent has left or is proved to have cheated; else None.

    Throwing players out is not winning: the seats dropped last must have signed a leave, or be proved cheats.
    """
    at_fault = left | cheats
    stay = [seat for seat in game.seats if seat not in at_fault]
    teams = game.teams_of(stay)
    if game.position is None or game.position.over or len(teams) != 1:
        return None
    last = {seat for seat in at_fault if seat in game.seats} or set(game.last_gone)
    opponents = {seat for seat in last if not game.teams_of([seat]) <= teams}
    if not opponents or not opponents <= at_fault:
        return None
    cheated, gone = opponents & cheats, opponents - cheats
    reasons = [message("{seats} cheated", seats=names(game, cheated))] if cheated else []
    reasons += [message("{seats} left the table", seats=names(game, gone))] if gone else []
    reason = reasons[0] if len(reasons) == 1 else message("{first}; {second}", first=reasons[0], second=reasons[1])
    return Result("forfeit", tuple(stay), reason)


def without_forfeit(result: Result) -> Result:
    """Return a result as all but the winners of a forfeit tell it: only a winner's replay names them."""
    return Result("unfinished", (), result.reason) if result.kind == "forfeit" else result


def result_of(game: GameState, left: AbstractSet[int], cheats: AbstractSet[int]) -> Result:
    """Return the result of a game in which drops have left one team."""
    last = names(game, set(game.last_gone))
    reason = message("without {last} there is nobody to play against", last=last)
    if game.joint_key.is_infinity:
        reason = message(
            "without {last} the game keys of those who stay cancel each other out: no card can be dealt", last=last
        )
    return forfeit(game, left, cheats) or Result("unfinished", (), reason)
