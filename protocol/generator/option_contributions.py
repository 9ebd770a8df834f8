"""Contributions at a table with every option: calls, cards given up, drawing by hand. Each has one fault."""

from typing import Any, Final

import msgpack

from protocol.generator.contributions import Maker, put
from protocol.generator.games import Game
from protocol.generator.golden import new_golden_game
from protocol.generator.vectors import Vector, bad, file_of, flip, good
from seqp2p.crypto.hashing import CONTRIBUTION, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.remark import NO_REMARK, Remark
from seqp2p.match.table import decode_agreement

NAME: Final = "classic-4-options"
_packb: Any = msgpack.packb
_unpackb: Any = msgpack.unpackb


def option_contributions() -> Vector:
    """Return the first call, card given up, draw, and late draw of the golden game with every option."""
    maker = Maker(new_golden_game(NAME))
    game, seen = maker.game, set[str]()
    while game.match.kind is not None:
        game.talk()
        honest = game.contributions()
        what = _what(game, honest)
        if what in _KINDS and what not in seen:
            seen.add(what)
            maker.add("ok", f"{what}, as it should be", honest[0])
            _KINDS[what](maker, honest[0])
        for contribution in honest:
            game.match.receive(contribution)
    assert seen == set(_KINDS), "the game shows everything"
    return {
        "about": "Contributions to a game with every option, that has closed so many steps and holds these others.",
        "replay": f"replays/{NAME}.seqp2p",
        "vectors": maker.vectors,
    }


def _what(game: Game, honest: list[Contribution]) -> str:
    plain = _unpackb(honest[0].payload)
    if "remark" in plain["body"]:
        # By a seat that has placed before, so that there are remarks that it cannot call any more.
        return "a call" if plain["seat"] in game.match.game.placed_at else ""
    phase = game.match.game.position.phase if game.match.game.position else ""
    return {"draw": "the draw", "late": "a late draw", "penalty": "a card given up"}.get(phase, "")


def _at_call(maker: Maker, own: Contribution) -> None:
    body = _unpackb(own.payload)["body"]
    said = _unpackb(body["remark"])
    seat, speaker = _unpackb(own.payload)["seat"], said["seat"]

    def remarked(name: str, **changed: Any) -> None:
        """Return the call of a remark with another text, signed by its seat."""
        payload = _packb(said | changed)
        signature = sign(maker.game.identities[(said | changed)["seat"] - 1], REMARK, payload)
        maker.violation(name, own, put("body", value=body | {"remark": payload, "signature": signature}))

    maker.violation("a call without its remark", own, put("body", value=_shown(body["action"])))
    maker.violation("a bit of the remark's signature", own, put("body", "signature", value=flip(body["signature"], 40)))
    contribution = sign(maker.game.identities[speaker - 1], CONTRIBUTION, body["remark"])
    maker.violation("the remark signed as a contribution", own, put("body", "signature", value=contribution))
    maker.violation("the call of a team-mate", own, put("body", "action", value=f"call {(seat + 1) % 4 + 1}"))
    maker.violation(
        "the call of another seat than the speaker", own, put("body", "action", value=f"call {speaker % 4 + 1}")
    )
    maker.violation("a play with a remark", own, put("body", "action", value="draw"))
    remarked("a remark in another game", game=bytes(32))
    remarked("a remark on another past", prev=bytes(32))
    remarked("a remark to come", step=maker.game.match.number + 1)
    remarked("a remark from before the caller's last placing", step=1, prev=maker.game.match.game.heads[0])
    remarked("a courtesy", courtesy=True, text="hello")
    remarked("a courtesy that is none", courtesy=True, text="look")
    remarked("a remark with an escape", text="\x1b[2J")
    remarked("a remark of 201 characters", text="a" * 201)
    remarked("number 201", number=201)
    maker.violation("a remark with a byte behind it", own, put("body", "remark", value=body["remark"] + b"\0"))


def _shown(action: str) -> dict[str, Any]:
    return {"action": action, "cards": [], "shares": b"", "proof": b""}


def _at_discard(maker: Maker, own: Contribution) -> None:
    plain = _unpackb(own.payload)
    body, seat = plain["body"], plain["seat"]
    maker.violation(
        "the card played instead", own, put("body", "action", value=body["action"].replace("given", "dead"))
    )
    maker.violation("another card than the one shown", own, put("body", "action", value=_other(body["action"])))
    maker.violation("no card", own, put("body", value=_shown(body["action"])))
    maker.violation("a pass", own, put("body", value=_shown("pass")))
    foreign = next(other for other in range(1, 5) if other not in maker.game.match.awaited)
    maker.add(
        "Violation", "by a seat that owes none", maker.signed(_packb(plain | {"seat": foreign}), foreign), seat=foreign
    )
    hand = maker.game.match.game.deck.hand(seat)
    spare = next(position for position in hand if position not in body["cards"])
    maker.violation("the position of another card", own, put("body", "cards", value=[spare]))


def _other(action: str) -> str:
    return "2C given" if not action.startswith("2C") else "3C given"


def _at_draw(maker: Maker, own: Contribution) -> None:
    match = maker.game.match
    seat = _unpackb(own.payload)["seat"]
    for name, action in (("ended", "end"), ("drawn", "draw")):
        body = TurnBody(action, (), b"", b"")
        payload = make_payload(match.game.id, match.number, match.head, seat, "turn", body)
        maker.add("ok", f"the turn {name}", maker.signed(payload, seat))
    maker.violation("waived, though it is the mover's own", own, put("body", "action", value="waive"))
    maker.violation("a pass", own, put("body", "action", value="pass"))
    maker.violation("a card shown with it", own, put("body", "cards", value=[match.game.deck.hand(seat)[0]]))
    maker.violation("a proof with it", own, put("body", "proof", value=bytes(98)))
    maker.violation("the kind of another step", own, put("kind", value="late"))


def _at_late(maker: Maker, own: Contribution) -> None:
    match = maker.game.match
    seat = _unpackb(own.payload)["seat"]
    for name, action in (("drawn", "draw"), ("waived", "waive")):
        body = TurnBody(action, (), b"", b"")
        payload = make_payload(match.game.id, match.number, match.head, seat, "late", body)
        maker.add("ok", f"the draw that was owed is {name}", maker.signed(payload, seat))
    maker.violation("ended, though it is another seat's turn", own, put("body", "action", value="end"))
    maker.violation("a turn", own, put("kind", value="turn"))
    mover = match.game.table_position().mover
    foreign = _unpackb(own.payload) | {"seat": mover}
    maker.add("Violation", "by the seat whose turn it is", maker.signed(_packb(foreign), mover), seat=mover)


def remarks() -> Vector:
    """Remarks by themselves."""
    game = new_golden_game(NAME)
    data = game.match.agreement_bytes
    agreement = decode_agreement(data)
    first = game.match.receive_remark(*game.seats[0].say(game.match, "look at e5"))
    assert first is not None, "an own remark is the next of its seat"
    second = game.match.receive_remark(*game.seats[0].say(game.match, "good game"))
    assert second is not None, "an own remark is the next of its seat"
    vectors = [_good_remark("the first of its seat", data, first), _good_remark("a courtesy", data, second)]
    said: dict[str, Any] = _unpackb(first.payload)
    assert said["last"] == NO_REMARK
    assert _unpackb(second.payload)["last"] == first.hash
    spoilt_by: dict[str, dict[str, Any]] = {
        "version 2": {"v": 2},
        "another game": {"game": bytes(32)},
        "a seat that the table has not": {"seat": len(agreement.seats) + 1},
        "number 0": {"number": 0},
        "number 201": {"number": 201},
        "no text": {"text": ""},
        "a text of 201 characters": {"text": "a" * 201},
        "a text with a newline": {"text": "a\nb"},
        "a text with two spaces": {"text": "a  b"},
        "a text that turns the writing round": {"text": "a\u202eb"},
        "no such courtesy": {"courtesy": True},
        "a flag as a number": {"courtesy": 0},
        "a key more": {"extra": 1},
    }
    for name, changed in spoilt_by.items():
        payload = _packb(said | changed)
        signature = sign(game.identities[0], REMARK, payload)
        vectors.append(bad("remark", name, "remark", {"agreement": data, "payload": payload, "signature": signature}))
    given = {"agreement": data, "payload": first.payload}
    signed_otherwise = {
        "signed as a contribution": sign(game.identities[0], CONTRIBUTION, first.payload),
        "signed by another seat": sign(game.identities[1], REMARK, first.payload),
    }
    for name, signature in signed_otherwise.items():
        vectors.append(bad("remark", name, "remark", given | {"signature": signature}))
    return file_of("Remarks at a table, by themselves: number and last are checked where they are collected.", vectors)


def _good_remark(name: str, agreement: bytes, remark: Remark) -> Vector:
    given = {"agreement": agreement, "payload": remark.payload, "signature": remark.signature}
    return good("remark", name, given, {"hash": remark.hash, "text": remark.said.text})


_KINDS: Final = {"a call": _at_call, "a card given up": _at_discard, "the draw": _at_draw, "a late draw": _at_late}
