"""Contributions with one fault each, and the class of failure that a match must find."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from spake2.ed25519_basic import Base, L

from protocol.generator.games import Change, Game, in_body, in_envelope, opened, settings
from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import Vector, flip, packb
from seqp2p.crypto.group import ORDER
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, label_bytes
from seqp2p.match.contribution import Contribution, TurnBody

GAME: Final = "kids-2/1"
REPLAY: Final = "kids_2_won_ok"

_base: Any = Base


def small_game() -> Game:
    """Return the game of the small replay cases and these vectors, before its first step."""
    return Game(GAME, settings("kids", 2))


@dataclass
class Maker:
    """A maker of vectors against the open step of a game that goes on."""

    game: Game
    vectors: list[Vector] = field(default_factory=list)

    def add(
        self,
        expect: str,
        name: str,
        contribution: Contribution,
        change: Change | None = None,
        held: tuple[Contribution, ...] = (),
    ) -> None:
        """Add one vector: to the open step, perhaps changed and signed again, after ``held`` has been taken there."""
        number = self.game.match.number
        contribution = self.game.changed(contribution, change) if change else contribution
        vector = {
            "primitive": "contribution",
            "name": f"step {number} ({self.game.match.kind}): {name}",
            "expect": expect,
            "in": {
                "closed": number - 1,
                "held": [[each.payload.hex(), each.signature.hex()] for each in held],
                "payload": contribution.payload.hex(),
                "signature": contribution.signature.hex(),
            },
        }
        self.vectors.append(vector | ({"seat": opened(contribution)["seat"]} if expect == "Violation" else {}))

    def violation(self, name: str, contribution: Contribution, change: Change | None = None) -> None:
        """Add a contribution, changed, that its seat should not have signed."""
        self.add("Violation", name, contribution, change)


def contributions() -> Vector:
    """Return all of them; the game is the one of the replay case."""
    maker = Maker(small_game())
    match = maker.game.match
    while match.kind is not None:
        honest = maker.game.contributions()
        if match.number in _STEPS:
            maker.add("ok", "as it should be", honest[0])
            _STEPS[match.number](maker, *honest)
        for contribution in honest:
            match.receive(contribution)
    about = "Contributions to a game that has closed so many steps of the replay and holds these others."
    return {"about": about, "replay": f"replays/{REPLAY}.seqp2p", "vectors": maker.vectors}


def _at_seat(maker: Maker, one: Contribution, two: Contribution) -> None:
    payload = one.payload
    plain = opened(one)
    maker.add("duplicate", "the same again", one, held=(one,))
    maker.add("duplicate", "the same bytes with another valid signature", signed_again(one), held=(one,))
    maker.add("Violation", "two different ones by one seat", one, in_body(commitment=bytes(32)), held=(one,))
    maker.add("Unattributable", "a bit of the signature", Contribution(payload, flip(one.signature, 40)))
    maker.add("Unattributable", "a bit of the payload", Contribution(flip(payload, len(payload) - 1), one.signature))
    maker.add("Unattributable", "the other seat's signature", maker.game.signed(payload, 2))
    maker.add("Unattributable", "signed with another label", maker.game.signed(payload, 1, BALLOT))
    maker.add("Unattributable", "R of small order", Contribution(payload, b"\1" + bytes(31) + one.signature[32:]))
    for name, other in {
        "not msgpack": b"\xc1",
        "nothing": b"",
        "a byte behind it": payload + b"\0",
        "cut short": payload[:-1],
        "a key more": packb(plain | {"extra": 1}),
        "a key missing": packb({key: value for key, value in plain.items() if key != "kind"}),
        "keys in another order": packb({"game": plain["game"], **plain}),
        "a key twice": b"\x88" + payload[1:] + b"\xa1v\x01",
        "a longer integer": payload.replace(b"\xa1v\x01", b"\xa1v\xcc\x01", 1),
        "a string as 8-bit length": payload.replace(b"\xa4kind", b"\xd9\x04kind", 1),
        "the step as a float": packb(plain | {"step": 1.0}),
        "version 2": packb(plain | {"v": 2}),
        "step 0": packb(plain | {"step": 0}),
        "seat 0": packb(plain | {"seat": 0}),
        "a seat that the table has not": packb(plain | {"seat": 3}),
        "another game": packb(plain | {"game": bytes(32)}),
        "nested deeper than 8 maps and arrays": packb(plain | {"body": {"commitment": [[[[[[[1]]]]]]]}}),
        "65 values": packb(plain | {"body": {"commitment": [1] * 48}}),
        "a body that is no map": packb(plain | {"body": []}),
    }.items():
        maker.add("Unattributable", name, maker.game.signed(other, 1))
    maker.add("TooEarly", "a step to come", one, in_envelope(step=2))
    maker.add("OtherPast", "another head before it", one, in_envelope(prev=bytes(32)))
    maker.violation("another kind", one, in_envelope(kind="over"))
    maker.violation("no kind that there is", one, in_envelope(kind="chat"))
    maker.violation("a body of another kind", one, in_envelope(body={"position": bytes(32)}))
    maker.violation("a key more in the body", one, in_body(extra=1))
    maker.violation("an empty body", one, in_envelope(body={}))
    maker.violation("a commitment of 31 bytes", two, in_body(commitment=bytes(31)))
    maker.violation("64 values", one, in_body(commitment=[1] * 47))
    maker.violation("nested 8 deep", one, in_body(commitment=[[[[[[1]]]]]]))


def _at_reveal(maker: Maker, one: Contribution, two: Contribution) -> None:
    body, other = (opened(each)["body"] for each in (one, two))
    maker.add("OtherPast", "a closed step on this head", one, in_envelope(step=1))
    maker.violation("another nonce", one, in_body(nonce=bytes(32)))
    maker.violation("the other seat's key, proof and nonce", one, in_envelope(body=other))
    maker.violation("a key that is no point", one, in_body(key=bytes(33)))
    maker.violation("a proof of another key", one, in_body(proof=other["proof"]))
    maker.violation("a proof with s = q", one, in_body(proof=body["proof"][:33] + ORDER.to_bytes(32, "big")))
    maker.violation("keys of the body in another order", one, in_envelope(body=dict(reversed(body.items()))))


def _at_shuffle(maker: Maker, one: Contribution) -> None:
    body = opened(one)["body"]
    deck = body["deck"]
    swapped = deck[66:132] + deck[:66] + deck[132:]
    maker.violation("two cards swapped", one, in_body(deck=swapped))
    maker.violation("a card less", one, in_envelope(body={"deck": deck[:-66], "proof": body["proof"][:-163]}))
    maker.violation("a bit of the last scalar", one, in_body(proof=flip(body["proof"], len(body["proof"]) - 1)))
    maker.violation("by the seat whose turn it is not", one, in_envelope(seat=2))


def _at_deal(maker: Maker, one: Contribution, two: Contribution) -> None:
    body, other = (opened(each)["body"] for each in (one, two))
    shares = body["shares"]
    maker.violation("two shares swapped", one, in_body(shares=shares[33:66] + shares[:33] + shares[66:]))
    maker.violation("the other seat's shares", one, in_envelope(body=other))
    maker.violation("a share less", two, in_body(shares=other["shares"][33:]))
    maker.violation("a share too many", one, in_body(shares=shares + shares[:33]))
    maker.violation("a share at infinity", one, in_body(shares=bytes(33) + shares[33:]))


def _at_turn(maker: Maker, own: Contribution) -> None:
    seat, body, deck = opened(own)["seat"], opened(own)["body"], maker.game.match.game.deck
    hand, others = deck.hand(seat), deck.hand(3 - seat)
    not_shown = next(position for position in hand if position != body["cards"][0])
    card = body["action"].split(" ")[0]
    maker.violation("another card than the one shown", own, in_body(action=another_card(body["action"])))
    maker.violation("a free corner", own, in_body(action=f"{card} a1"))
    maker.violation("no action", own, in_body(action="resign"))
    maker.violation("an action of 65 characters", own, in_body(action="x" * 65))
    maker.violation("a card of the other hand", own, in_body(cards=[others[0]]))
    maker.violation("another card of the hand", own, in_body(cards=[not_shown]))
    maker.violation("no card", own, in_body(cards=[]))
    maker.violation("a card twice", own, in_body(cards=body["cards"] * 2))
    maker.violation("a position below 0", own, in_body(cards=[-1]))
    maker.violation("a pass that shows one card", own, in_body(action="pass"))
    maker.violation("a share that is not the card's", own, in_body(shares=flip(body["shares"], 0)))
    maker.violation("no proof", own, in_body(proof=b""))
    maker.violation("a pass with the hand shown and a card to play", false_pass(maker.game, seat))


def another_card(action: str) -> str:
    """Return the action with another card."""
    card, _, where = action.partition(" ")
    return f"{'cat' if card != 'cat' else 'bear'} {where}"


def false_pass(game: Game, seat: int) -> Contribution:
    """Return a body that no honest program makes: shares for the whole hand, right in themselves, with a pass."""
    hand = game.match.game.deck.hand(seat)
    shown = game.shares(seat, hand, Stream("a false pass"))
    return game.made(seat, "turn", TurnBody("pass", tuple(hand), shown.shares, shown.proof))


def _at_draw(maker: Maker, own: Contribution) -> None:
    body = opened(own)["body"]
    maker.violation("a share that is not the card's", own, in_body(shares=flip(body["shares"], 0)))
    maker.violation("two shares", own, in_body(shares=body["shares"] * 2))
    ((_, turn),) = maker.game.match.record[-1].contributions
    maker.violation("another turn after the turn, on the head before it", turn, in_envelope(body={}))
    maker.add("duplicate", "the turn again", turn)
    maker.violation("a turn to the other seat's closed step", turn, in_envelope(seat=3 - opened(turn)["seat"]))


def _at_over(maker: Maker, one: Contribution, two: Contribution) -> None:
    maker.violation("another final position", two, in_body(position=bytes(32)))
    maker.add("TooEarly", "a step after the end", one, in_envelope(step=maker.game.match.number + 1))


def signed_again(contribution: Contribution) -> Contribution:
    """Return the same payload with another valid signature of ann's: RFC 8032 with another r than the standard's."""
    signer = identity("ann")
    expanded = hashlib.sha512(signer.secret_bytes()).digest()
    secret = int.from_bytes(expanded[:32], "little") & ((1 << 254) - 8) | 1 << 254
    r = int.from_bytes(Stream("another r")(64), "little") % L
    R: bytes = _base.scalarmult(r).to_bytes()
    data = label_bytes(CONTRIBUTION) + contribution.payload
    h = int.from_bytes(hashlib.sha512(R + signer.public + data).digest(), "little")
    return Contribution(contribution.payload, R + ((r + h * secret) % L).to_bytes(32, "little"))


_STEPS: Final[dict[int, Callable[..., None]]] = {
    1: _at_seat,
    2: _at_reveal,
    3: _at_shuffle,
    5: _at_deal,
    6: _at_turn,
    7: _at_draw,
    19: _at_over,
}
