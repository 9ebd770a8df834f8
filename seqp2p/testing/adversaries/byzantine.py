"""A seat that does what its program should, but for its trick.

A ``Trick`` is told of everything that the seat is about to contribute and of every moment after it has taken
something; what it does is done through the ``Crook``, which has the honest program's match, secrets and links.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import msgspec

from seqp2p.crypto.group import Point, Randomness
from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.share_proof import encode_shares, prove_shares, share
from seqp2p.live.inbox import InboxItem
from seqp2p.match.contribution import (
    Body,
    Contribution,
    SharesBody,
    StepKind,
    TurnBody,
    make_payload,
    open_envelope,
)
from seqp2p.match.encoding import encode
from seqp2p.net.messages import ContributionMessage, WireMessage, encode_message
from seqp2p.net.relay import LinkUp
from seqp2p.testing.process import MakeSession, SimSeat, VirtualSession
from seqp2p.testing.table import fresh


class Strategy:
    """What a crook does otherwise than an honest program. This one does nothing."""

    def instead(self, _crook: "Byzantine", _own: Contribution) -> bool:
        """This is due from the seat; says whether to keep it back. It is asked again as long as it is due."""
        return False

    def after(self, _crook: "Byzantine") -> None:
        """The seat has taken something, and has done what was due."""


class KeptBack(Exception):
    """The trick keeps back what is due."""


class Byzantine(VirtualSession):
    """A session with a trick."""

    def __init__(self, sitting: SimSeat, trick: Strategy) -> None:
        super().__init__(
            sitting.match,
            sitting.seat,
            sitting.mesh,
            sitting.asking,
            sitting.writer,
            sitting.tell,
            sitting.journal,
            sitting.runtime,
        )
        self.mesh = sitting.mesh
        self.trick = trick
        self.has_acted = False
        """Whether it has sent anything of its trick's, or kept back what was due."""
        self.randomness: Randomness = fresh("crook", self.match.game.id, self.number)

    @property
    def number(self) -> int:
        """Its seat."""
        return self.seat.number

    @property
    def others(self) -> list[int]:
        """All other seats at the table, ascending."""
        return [seat for seat in range(1, self.match.game.players + 1) if seat != self.number]

    @property
    def at(self) -> Context:
        """Where an honest proof of this seat would stand now."""
        return Context(self.match.game.id, self.match.number, self.number, self.match.head)

    async def begin(self) -> bool:
        """See VirtualSession."""
        try:
            over = await super().begin()
        except KeptBack:
            over = False
        self.trick.after(self)
        return over

    async def take(self, item: InboxItem) -> None:
        """See VirtualSession."""
        try:
            await super().take(item)
            if isinstance(item, LinkUp):
                await self._advance()  # Tricks may wait for all links.
        except KeptBack:
            pass
        self.trick.after(self)

    async def _contribute(self, own: Contribution) -> None:
        if self.trick.instead(self, own):
            self.has_acted = True
            raise KeptBack
        await super()._contribute(own)

    # What tricks are made of.

    def say(self, message: WireMessage, seats: Collection[int] | None = None) -> None:
        """Send a message to these seats, or to all."""
        self.throw(encode_message(message), seats)

    def throw(self, frame: bytes, seats: Collection[int] | None = None) -> None:
        """Send any bytes at all."""
        self.has_acted = True
        for seat in self.others if seats is None else seats:
            self.mesh.send_to(seat, frame)

    def publish(self, contribution: Contribution, seats: Collection[int] | None = None) -> None:
        """Send a contribution, whatever it is."""
        self.say(ContributionMessage(contribution.payload, contribution.signature), seats)

    def signed(self, payload: bytes, label: str = CONTRIBUTION) -> Contribution:
        """Any bytes, signed."""
        return Contribution(payload, self.seat.sign(label, payload))

    def made(self, kind: StepKind, body: Body, step: int | None = None, prev: bytes | None = None) -> Contribution:
        """A contribution of this seat: to the open step, if nothing else is said."""
        here = self.at
        step, prev = here.step if step is None else step, here.prev if prev is None else prev
        return self.signed(make_payload(here.game, step, prev, self.number, kind, body))

    def altered(self, own: Contribution, **fields: Any) -> Contribution:
        """A contribution with other fields in its envelope, signed."""
        return self.signed(encode(msgspec.structs.replace(open_envelope(own.payload), **fields)))

    def with_body(self, own: Contribution, **fields: Any) -> Contribution:
        """A contribution with other fields in its body, signed."""
        body = open_envelope(own.payload).body
        return self.altered(own, body={name: fields.get(name, value) for name, value in body.items()})

    def shares(self, positions: Collection[int], at: Context | None = None, secret: int | None = None) -> SharesBody:
        """Shares of these deck positions with their proof: an honest one if nothing else is said."""
        secret = self.seat.release() if secret is None else secret
        cards = [(position, self.match.game.deck.ciphertexts[position].a) for position in positions]
        shares = [share(secret, a, self.randomness) for _, a in cards]
        return SharesBody(encode_shares(shares), self.proved(cards, shares, at, secret))

    def proved(self, cards: list[tuple[int, Point]], shares: list[Point], at: Context | None, secret: int) -> bytes:
        """What an honest prover makes of this statement, true or false."""
        key = self.match.game.keys[self.number]
        return prove_shares(secret, key, cards, shares, at or self.at, self.randomness)

    def action(self, text: str, positions: Collection[int] = ()) -> TurnBody:
        """An action in these words that shows these deck positions."""
        if not positions:
            return TurnBody(text, (), b"", b"")
        shown = self.shares(positions)
        return TurnBody(text, tuple(positions), shown.shares, shown.proof)


MakeTrick = Callable[[], Strategy]


def byzantine(make: MakeTrick) -> MakeSession:
    """Seats that have this trick, each its own."""
    return lambda sitting: Byzantine(sitting, make())


@dataclass
class Instead(Strategy):
    """The first time that a step of this kind is due, the seat contributes something else, and nothing from then on."""

    kind: StepKind
    forge: Callable[[Byzantine, Contribution], Contribution | None]
    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Trick; what cannot be forged yet (``forge`` gives None) is tried again the next time."""
        if not self.done and crook.match.kind == self.kind:
            forged = self.forge(crook, own)
            if forged is None:
                return False
            self.done = True
            crook.publish(forged)
        return self.done


@dataclass
class Keeps(Strategy):
    """From the first step of this kind on, once ``ready``, the seat contributes nothing more."""

    kind: StepKind
    done: bool = False

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        """See Trick."""
        self.done = self.done or crook.match.kind == self.kind
        return self.done


@dataclass
class Once(Strategy):
    """While others think about a turn, the seat does something, once; in all else it is honest."""

    deed: Callable[[Byzantine], None]
    kind: StepKind = "turn"
    done: bool = False

    def after(self, crook: Byzantine) -> None:
        """See Trick."""
        ready = crook.match.kind == self.kind and crook.number not in crook.match.awaited
        if ready and not self.done and crook.mesh.linked == frozenset(crook.others):
            self.done = True
            self.deed(crook)
