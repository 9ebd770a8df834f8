"""A seat that runs the honest program with a dishonest strategy.

A ``Strategy`` is called before every contribution of the seat, and after everything that the seat has taken. It acts
through the ``Byzantine`` session, which has the honest program's match, secrets and links.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from seqp2p.crypto.group import Point, Randomness, encode_points
from seqp2p.crypto.hashing import CONTRIBUTION
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share
from seqp2p.live.seat_session import InboxItem, SeatSession
from seqp2p.match.contribution import Body, Contribution, SharesBody, StepKind, TurnBody, make_payload, open_envelope
from seqp2p.match.encoding import encode
from seqp2p.match.signed import SignedHead, SignedThing
from seqp2p.net.messages import ContributionMessage, EvidenceMessage, Signed, WireMessage, encode_message
from seqp2p.net.relay import LinkUp
from tests.sim.peer import MakeSession, SimSeat
from tests.sim.table import fresh

PASS: Final = TurnBody("pass", (), b"", b"")


class Strategy:
    """The difference between a byzantine seat and the honest program. This one does nothing."""

    def instead(self, _crook: "Byzantine", _own: Contribution) -> bool:
        """Handle a due contribution; return True to keep it back. Called again as long as it is due."""
        return False

    def after(self, _crook: "Byzantine") -> None:
        """Act after the seat has taken something and done its part."""

    def shows(self, _crook: "Byzantine", _head: SignedHead) -> None:
        """Act before a head of its own is taken, and sent to all that it was not sent to yet."""


def turn_body(turn: Contribution) -> TurnBody:
    body = open_envelope(turn.payload).body
    return TurnBody(body["action"], tuple(body["cards"]), body["shares"], body["proof"])


class KeptBack(Exception):
    """The strategy keeps back the due contribution."""


class Byzantine(SeatSession):
    """A session with a strategy."""

    def __init__(self, sitting: SimSeat, trick: Strategy) -> None:
        super().__init__(sitting.seat, sitting.mesh.relay, sitting.asking, sitting.recorder)
        self.mesh = sitting.mesh
        self.trick = trick
        self.has_acted = False
        """True if the strategy has sent anything, or kept back a contribution."""
        self.randomness: Randomness = fresh("crook", self.match.game.id, self.number)

    @property
    def number(self) -> int:
        return self.seat.number

    @property
    def others(self) -> list[int]:
        """All other seats at the table, ascending."""
        return [seat for seat in range(1, self.match.game.players + 1) if seat != self.number]

    @property
    def at(self) -> Context:
        """The context of an honest proof of this seat now."""
        return Context(self.match.game.id, self.match.number, self.number, self.match.head)

    async def begin(self) -> bool:
        try:
            over = await super().begin()
        except KeptBack:
            over = False
        self.trick.after(self)
        return over

    async def take(self, item: InboxItem) -> None:
        try:
            await super().take(item)
            if isinstance(item, LinkUp):
                await self._advance()  # Strategies may wait for all links.
        except KeptBack:
            pass
        self.trick.after(self)

    async def _contribute(self, own: Contribution) -> None:
        if self.trick.instead(self, own):
            self.has_acted = True
            raise KeptBack
        await super()._contribute(own)

    async def _take_own(self, thing: SignedThing) -> None:
        if isinstance(thing, SignedHead):
            self.trick.shows(self, thing)
        await super()._take_own(thing)

    # Parts of strategies.

    def say(self, message: WireMessage, seats: Collection[int] | None = None) -> None:
        """Send a message to these seats, or to all."""
        self.throw(encode_message(message), seats)

    def throw(self, frame: bytes, seats: Collection[int] | None = None) -> None:
        """Send any bytes."""
        self.has_acted = True
        for seat in self.others if seats is None else seats:
            self.mesh.send_to(seat, frame)

    def publish(self, contribution: Contribution, seats: Collection[int] | None = None) -> None:
        """Send any contribution."""
        self.say(ContributionMessage(contribution.payload, contribution.signature), seats)

    def accuse(self, *contributions: Contribution) -> None:
        """Offer contributions as evidence."""
        self.say(EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in contributions)))

    def signed(self, payload: bytes, label: str = CONTRIBUTION) -> Contribution:
        return Contribution(payload, self.seat.sign(label, payload))

    def elsewhere(self, step: int = 0, seat: int = 0, game: bytes = b"", prev: bytes = b"") -> Context:
        """Return the context of another game or past, or so many steps and seats on."""
        here = self.at
        number = (here.seat + seat - 1) % self.match.game.players + 1
        return Context(game or here.game, here.step + step, number, prev or here.prev)

    def made(
        self, kind: StepKind, body: Body = PASS, step: int | None = None, prev: bytes | None = None
    ) -> Contribution:
        """Return a contribution of this seat, by default to the open step."""
        here = self.at
        step, prev = here.step if step is None else step, here.prev if prev is None else prev
        return self.signed(make_payload(here.game, step, prev, self.number, kind, body))

    def altered(self, own: Contribution, **fields: Any) -> Contribution:
        """Return a contribution with other fields in its envelope, signed."""
        return self.signed(encode(msgspec.structs.replace(open_envelope(own.payload), **fields)))

    def with_body(self, own: Contribution, **fields: Any) -> Contribution:
        """Return a contribution with other fields in its body, signed."""
        body = open_envelope(own.payload).body
        return self.altered(own, body={name: fields.get(name, value) for name, value in body.items()})

    def with_shares(self, own: Contribution, body: SharesBody) -> Contribution:
        """Return a contribution with these shares and their proof in its body, signed."""
        return self.with_body(own, shares=body.shares, proof=body.proof)

    def shares(self, positions: Collection[int], at: Context | None = None, secret: int | None = None) -> SharesBody:
        """Return shares of these deck positions with their proof, by default an honest one."""
        secret = self.seat.release() if secret is None else secret
        cards = [(position, self.match.game.deck.ciphertexts[position].a) for position in positions]
        shares = [share(secret, a, self.randomness) for _, a in cards]
        return SharesBody(encode_points(shares), self.proved(cards, shares, at, secret))

    def proved(self, cards: list[tuple[int, Point]], shares: list[Point], at: Context | None, secret: int) -> bytes:
        """Return an honest prover's proof of this statement, true or false."""
        key = self.match.game.keys[self.number]
        return prove_shares(secret, key, cards, shares, at or self.at, self.randomness)

    @property
    def last_turn(self) -> TurnBody | None:
        """The last action of this seat, if it has had one."""
        for step in reversed(self.match.record):
            for seat, contribution in step.contributions:
                if seat == self.number and open_envelope(contribution.payload).kind in {"turn", "late"}:
                    return turn_body(contribution)
        return None

    def action(self, text: str, positions: Collection[int] = ()) -> TurnBody:
        """Return an action with this text that shows these deck positions."""
        if not positions:
            return TurnBody(text, (), b"", b"")
        shown = self.shares(positions)
        return TurnBody(text, tuple(positions), shown.shares, shown.proof)


Forge = Callable[[Byzantine, Contribution], Contribution | None]
MakeTrick = Callable[[], Strategy]


def byzantine(make: MakeTrick) -> MakeSession:
    """Return sessions for seats with this strategy, each with its own."""
    return lambda sitting: Byzantine(sitting, make())


@dataclass
class Instead(Strategy):
    """Contribute something else the first time that a step of this kind is due, and nothing from then on."""

    kind: StepKind
    forge: Forge
    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Strategy. If ``forge`` returns None, it is tried again the next time."""
        if not self.done and crook.match.kind == self.kind:
            forged = self.forge(crook, own)
            if forged is None:
                return False
            self.done = True
            crook.publish(forged)
        return self.done


@dataclass
class Withholds(Strategy):
    """Contribute nothing more from the first step of this kind on."""

    kind: StepKind
    done: bool = False

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        self.done = self.done or crook.match.kind == self.kind
        return self.done


Deed = Callable[[Byzantine], None]
When = Callable[[Byzantine], bool]


def while_others_owe(kind: StepKind) -> When:
    """Return whether the seat waits for others at a step of this kind, linked to all of them."""

    def is_so(crook: Byzantine) -> bool:
        waits = crook.match.kind == kind and crook.number not in crook.match.awaited
        return waits and crook.mesh.relay.linked == frozenset(crook.others)

    return is_so


_OTHERS_THINK: Final = while_others_owe("turn")


@dataclass
class Once(Strategy):
    """Do something once, by default while others think about a turn; be honest otherwise."""

    deed: Deed
    when: When = _OTHERS_THINK
    done: bool = False

    def after(self, crook: Byzantine) -> None:
        if not self.done and self.when(crook):
            self.done = True
            self.deed(crook)
