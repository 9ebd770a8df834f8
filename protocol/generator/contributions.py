"""Contributions with one fault each, and the class of failure that a match must find."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import msgpack
from spake2.ed25519_basic import Base, L

from protocol.generator.games import Game, settings
from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import Vector, flip
from seqp2p.crypto.group import ORDER, encode_points
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, label_bytes
from seqp2p.crypto.identity import Identity, sign
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share
from seqp2p.match.contribution import Contribution, TurnBody, make_payload

GAME: Final = "kids-2/1"
REPLAY: Final = "kids_2_won_ok"

_packb: Any = msgpack.packb
_unpackb: Any = msgpack.unpackb
_base: Any = Base
Change = Callable[[dict[str, Any]], None]


def small_game() -> Game:
    """Return the game of the small replay cases and these vectors, before its first step."""
    return Game(GAME, settings("kids", 2), ("random", "random"))


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
        *,
        seat: int | None = None,
        held: tuple[Contribution, ...] = (),
    ) -> None:
        """Add one vector: to the open step, after ``held`` has been taken there."""
        number = self.game.match.number
        self.vectors.append(
            {
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
            | ({"seat": seat} if seat else {})
        )

    def signed(self, payload: bytes, seat: int, label: str = CONTRIBUTION) -> Contribution:
        """Return these bytes signed by this seat."""
        return Contribution(payload, sign(self.game.identities[seat - 1], label, payload))

    def changed(self, contribution: Contribution, change: Change) -> Contribution:
        """Return a contribution with its payload's map changed, signed by its seat again."""
        plain = _unpackb(contribution.payload)
        seat = plain["seat"]
        change(plain)
        return self.signed(_packb(plain), seat)

    def violation(self, name: str, contribution: Contribution, change: Change) -> None:
        """Return a contribution changed so that its seat should not have signed it."""
        self.add("Violation", name, self.changed(contribution, change), seat=_unpackb(contribution.payload)["seat"])


def put(*path: str, value: Any) -> Change:
    """Set the value at this path of the payload's map."""

    def change(plain: dict[str, Any]) -> None:
        for key in path[:-1]:
            plain = plain[key]
        plain[path[-1]] = value

    return change


def contributions() -> Vector:
    """Return all of them; the game is the one of the replay case."""
    maker = Maker(small_game())
    match = maker.game.match
    while match.kind is not None:
        honest = maker.game.contributions()
        if match.number in _STEPS:
            _STEPS[match.number](maker, honest)
        for contribution in honest:
            match.receive(contribution)
    return {
        "about": "Contributions to a game that has closed so many steps of the replay and holds these others.",
        "replay": f"replays/{REPLAY}.seqp2p",
        "vectors": maker.vectors,
    }


def _at_seat(maker: Maker, honest: list[Contribution]) -> None:
    one, two = honest
    payload = one.payload
    plain = _unpackb(payload)
    maker.add("ok", "as it should be", one)
    maker.add("duplicate", "the same again", one, held=(one,))
    maker.add("duplicate", "the same bytes with another valid signature", signed_again(one, 1), held=(one,))
    maker.add(
        "Violation", "two different ones by one seat", maker.changed(one, put("body", "commitment", value=bytes(32))),
        seat=1, held=(one,),
    )  # fmt: skip
    maker.add("Unattributable", "a bit of the signature", Contribution(payload, flip(one.signature, 40)))
    maker.add("Unattributable", "a bit of the payload", Contribution(flip(payload, len(payload) - 1), one.signature))
    maker.add(
        "Unattributable",
        "the other seat's signature",
        Contribution(payload, sign(maker.game.identities[1], CONTRIBUTION, payload)),
    )
    maker.add("Unattributable", "signed with another label", maker.signed(payload, 1, BALLOT))
    maker.add("Unattributable", "R of small order", Contribution(payload, b"\1" + bytes(31) + one.signature[32:]))
    for name, other in {
        "not msgpack": b"\xc1",
        "nothing": b"",
        "a byte behind it": payload + b"\0",
        "cut short": payload[:-1],
        "a key more": _packb(plain | {"extra": 1}),
        "a key missing": _packb({key: value for key, value in plain.items() if key != "kind"}),
        "keys in another order": _packb({"game": plain["game"], **plain}),
        "a key twice": b"\x88" + payload[1:] + b"\xa1v\x01",
        "a longer integer": payload.replace(b"\xa1v\x01", b"\xa1v\xcc\x01", 1),
        "a string as 8-bit length": payload.replace(b"\xa4kind", b"\xd9\x04kind", 1),
        "the step as a float": _packb(plain | {"step": 1.0}),
        "version 2": _packb(plain | {"v": 2}),
        "step 0": _packb(plain | {"step": 0}),
        "seat 0": _packb(plain | {"seat": 0}),
        "a seat that the table has not": _packb(plain | {"seat": 3}),
        "another game": _packb(plain | {"game": bytes(32)}),
        "nested deeper than 8 maps and arrays": _packb(plain | {"body": {"commitment": [[[[[[[1]]]]]]]}}),
        "65 values": _packb(plain | {"body": {"commitment": [1] * 48}}),
        "a body that is no map": _packb(plain | {"body": []}),
    }.items():
        maker.add("Unattributable", name, maker.signed(other, 1))
    maker.add("TooEarly", "a step to come", maker.changed(one, put("step", value=2)))
    maker.add("OtherPast", "another head before it", maker.changed(one, put("prev", value=bytes(32))))
    maker.violation("another kind", one, put("kind", value="over"))
    maker.violation("no kind that there is", one, put("kind", value="chat"))
    maker.violation("a body of another kind", one, put("body", value={"position": bytes(32)}))
    maker.violation("a key more in the body", one, put("body", "extra", value=1))
    maker.violation("an empty body", one, put("body", value={}))
    maker.violation("a commitment of 31 bytes", two, put("body", "commitment", value=bytes(31)))
    maker.violation("64 values", one, put("body", "commitment", value=[1] * 47))
    maker.violation("nested 8 deep", one, put("body", "commitment", value=[[[[[[1]]]]]]))


def _at_reveal(maker: Maker, honest: list[Contribution]) -> None:
    one, two = honest
    body = _unpackb(one.payload)["body"]
    other = _unpackb(two.payload)["body"]
    maker.add("ok", "as it should be", one)
    maker.add("OtherPast", "a closed step on this head", maker.changed(one, put("step", value=1)))
    maker.violation("another nonce", one, put("body", "nonce", value=bytes(32)))
    maker.violation("the other seat's key, proof and nonce", one, put("body", value=other))
    maker.violation("a key that is no point", one, put("body", "key", value=bytes(33)))
    maker.violation("a proof of another key", one, put("body", "proof", value=other["proof"]))
    maker.violation(
        "a proof with s = q", one, put("body", "proof", value=body["proof"][:33] + ORDER.to_bytes(32, "big"))
    )
    maker.violation("keys of the body in another order", one, put("body", value=dict(reversed(body.items()))))


def _at_shuffle(maker: Maker, honest: list[Contribution]) -> None:
    (one,) = honest
    body = _unpackb(one.payload)["body"]
    deck = body["deck"]
    swapped = deck[66:132] + deck[:66] + deck[132:]
    maker.add("ok", "as it should be", one)
    maker.violation("two cards swapped", one, put("body", "deck", value=swapped))
    maker.violation("a card less", one, put("body", value={"deck": deck[:-66], "proof": body["proof"][:-163]}))
    maker.violation(
        "a bit of the last scalar", one, put("body", "proof", value=flip(body["proof"], len(body["proof"]) - 1))
    )

    foreign = _packb(_unpackb(one.payload) | {"seat": 2})
    maker.add("Violation", "by the seat whose turn it is not", maker.signed(foreign, 2), seat=2)


def _at_deal(maker: Maker, honest: list[Contribution]) -> None:
    one, two = honest
    body, other = (_unpackb(each.payload)["body"] for each in honest)
    shares = body["shares"]
    maker.add("ok", "as it should be", one)
    maker.violation("two shares swapped", one, put("body", "shares", value=shares[33:66] + shares[:33] + shares[66:]))
    maker.violation("the other seat's shares", one, put("body", value=other))
    maker.violation("a share less", two, put("body", "shares", value=other["shares"][33:]))
    maker.violation("a share too many", one, put("body", "shares", value=shares + shares[:33]))
    maker.violation("a share at infinity", one, put("body", "shares", value=bytes(33) + shares[33:]))


def _at_turn(maker: Maker, honest: list[Contribution]) -> None:
    (own,) = honest
    seat = _unpackb(own.payload)["seat"]
    body = _unpackb(own.payload)["body"]
    hand = maker.game.match.game.deck.hand(seat)
    others = maker.game.match.game.deck.hand(3 - seat)
    not_shown = next(position for position in hand if position != body["cards"][0])
    card = body["action"].split(" ")[0]
    maker.add("ok", "as it should be", own)
    maker.violation("another card than the one shown", own, put("body", "action", value=_another(body["action"])))
    maker.violation("a free corner", own, put("body", "action", value=f"{card} a1"))
    maker.violation("no action", own, put("body", "action", value="resign"))
    maker.violation("an action of 65 characters", own, put("body", "action", value="x" * 65))
    maker.violation("a card of the other hand", own, put("body", "cards", value=[others[0]]))
    maker.violation("another card of the hand", own, put("body", "cards", value=[not_shown]))
    maker.violation("no card", own, put("body", "cards", value=[]))
    maker.violation("a card twice", own, put("body", "cards", value=body["cards"] * 2))
    maker.violation("a position below 0", own, put("body", "cards", value=[-1]))
    maker.violation("a pass that shows one card", own, put("body", "action", value="pass"))
    maker.violation("a share that is not the card's", own, put("body", "shares", value=flip(body["shares"], 0)))
    maker.violation("no proof", own, put("body", "proof", value=b""))
    maker.add("Violation", "a pass with the hand shown and a card to play", false_pass(maker, seat), seat=seat)


def _another(action: str) -> str:
    card, _, where = action.partition(" ")
    return f"{'cat' if card != 'cat' else 'bear'} {where}"


def false_pass(maker: Maker, seat: int) -> Contribution:
    """Return a body that no honest program makes: shares for the whole hand, right in themselves, with a pass."""
    match, stream = maker.game.match, Stream("a false pass")
    x = maker.game.seats[seat - 1].release()
    hand = [(position, match.game.deck.ciphertexts[position].a) for position in match.game.deck.hand(seat)]
    shares = [share(x, a, stream) for _, a in hand]
    context = Context(match.game.id, match.number, seat, match.head)
    proof = prove_shares(x, match.game.keys[seat], hand, shares, context, stream)
    cards = tuple(position for position, _ in hand)
    body = TurnBody("pass", cards, encode_points(shares), proof)
    return maker.signed(make_payload(match.game.id, match.number, match.head, seat, "turn", body), seat)


def _at_draw(maker: Maker, honest: list[Contribution]) -> None:
    (own,) = honest
    body = _unpackb(own.payload)["body"]
    maker.add("ok", "as it should be", own)
    maker.violation("a share that is not the card's", own, put("body", "shares", value=flip(body["shares"], 0)))
    maker.violation("two shares", own, put("body", "shares", value=body["shares"] * 2))
    record = maker.game.match.record
    ((_, turn),) = record[-1].contributions
    mover = _unpackb(turn.payload)["seat"]
    earlier = _unpackb(turn.payload) | {"body": {}}
    maker.add("Violation", "another turn after the turn, on the head before it",
              maker.signed(_packb(earlier), mover), seat=mover)  # fmt: skip
    maker.add("duplicate", "the turn again", turn)
    foreign = _unpackb(turn.payload) | {"seat": 3 - mover}
    maker.add(
        "Violation", "a turn to the other seat's closed step", maker.signed(_packb(foreign), 3 - mover), seat=3 - mover
    )


def _at_over(maker: Maker, honest: list[Contribution]) -> None:
    one, two = honest
    maker.add("ok", "as it should be", one)
    maker.violation("another final position", two, put("body", "position", value=bytes(32)))
    maker.add("TooEarly", "a step after the end", maker.changed(one, put("step", value=maker.game.match.number + 1)))


def signed_again(contribution: Contribution, seat: int) -> Contribution:
    """Return the same payload with another valid signature: RFC 8032 with another r than the standard's."""
    signer: Identity = identity(("ann", "ben")[seat - 1])
    expanded = hashlib.sha512(signer.secret_bytes()).digest()
    secret = int.from_bytes(expanded[:32], "little") & ((1 << 254) - 8) | 1 << 254
    r = int.from_bytes(Stream("another r")(64), "little") % L
    R: bytes = _base.scalarmult(r).to_bytes()
    data = label_bytes(CONTRIBUTION) + contribution.payload
    h = int.from_bytes(hashlib.sha512(R + signer.public + data).digest(), "little")
    return Contribution(contribution.payload, R + ((r + h * secret) % L).to_bytes(32, "little"))


_STEPS: Final = {1: _at_seat, 2: _at_reveal, 3: _at_shuffle, 5: _at_deal, 6: _at_turn, 7: _at_draw, 19: _at_over}
