"""Contributions at a table with every option: calls, cards given up, drawing by hand. Each has one fault."""

from typing import Any, Final

from protocol.generator.contributions import Maker
from protocol.generator.games import Game, in_body, in_envelope, opened
from protocol.generator.golden import new_golden_game
from protocol.generator.vectors import Vector, bad, file_of, flip, good, packb, unpackb
from seqp2p.crypto.hashing import REMARK
from seqp2p.match.contribution import Contribution
from seqp2p.match.remark import NO_REMARK, Remark

NAME: Final = "classic-4-options"


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
    about = "Contributions to a game with every option, that has closed so many steps and holds these others."
    return {"about": about, "replay": f"replays/{NAME}.seqp2p", "vectors": maker.vectors}


def _what(game: Game, honest: list[Contribution]) -> str:
    plain = opened(honest[0])
    if "remark" in plain["body"]:
        # By a seat that has placed before, so that there are remarks that it cannot call any more.
        return "a call" if plain["seat"] in game.match.game.placed_at else ""
    phase = game.match.game.position.phase if game.match.game.position else ""
    return {"draw": "the draw", "late": "a late draw", "penalty": "a card given up"}.get(phase, "")


def _at_call(maker: Maker, own: Contribution) -> None:
    game, body, seat = maker.game, opened(own)["body"], opened(own)["seat"]
    said = unpackb(body["remark"])
    speaker = said["seat"]

    def remarked(name: str, **changed: Any) -> None:
        """Return the call of a remark with another text, signed by its seat."""
        remark = game.signed(packb(said | changed), speaker, REMARK)
        maker.violation(name, own, in_body(remark=remark.payload, signature=remark.signature))

    maker.violation("a call without its remark", own, in_envelope(body=_shown(body["action"])))
    maker.violation("a bit of the remark's signature", own, in_body(signature=flip(body["signature"], 40)))
    contribution = game.signed(body["remark"], speaker)
    maker.violation("the remark signed as a contribution", own, in_body(signature=contribution.signature))
    maker.violation("the call of a team-mate", own, in_body(action=f"call {(seat + 1) % 4 + 1}"))
    maker.violation("the call of another seat than the speaker", own, in_body(action=f"call {speaker % 4 + 1}"))
    maker.violation("a play with a remark", own, in_body(action="draw"))
    remarked("a remark in another game", game=bytes(32))
    remarked("a remark on another past", prev=bytes(32))
    remarked("a remark to come", step=game.match.number + 1)
    remarked("a remark from before the caller's last placing", step=1, prev=game.match.game.heads[0])
    remarked("a courtesy", courtesy=True, text="hello")
    remarked("a courtesy that is none", courtesy=True, text="look")
    remarked("a remark with an escape", text="\x1b[2J")
    remarked("a remark of 201 characters", text="a" * 201)
    remarked("number 201", number=201)
    maker.violation("a remark with a byte behind it", own, in_body(remark=body["remark"] + b"\0"))


def _shown(action: str) -> dict[str, Any]:
    return {"action": action, "cards": [], "shares": b"", "proof": b""}


def _at_discard(maker: Maker, own: Contribution) -> None:
    body, seat = opened(own)["body"], opened(own)["seat"]
    maker.violation("the card played instead", own, in_body(action=body["action"].replace("given", "dead")))
    other = "3C given" if body["action"].startswith("2C") else "2C given"
    maker.violation("another card than the one shown", own, in_body(action=other))
    maker.violation("no card", own, in_envelope(body=_shown(body["action"])))
    maker.violation("a pass", own, in_envelope(body=_shown("pass")))
    foreign = next(other for other in range(1, 5) if other not in maker.game.match.awaited)
    maker.violation("by a seat that owes none", own, in_envelope(seat=foreign))
    hand = maker.game.match.game.deck.hand(seat)
    spare = next(position for position in hand if position not in body["cards"])
    maker.violation("the position of another card", own, in_body(cards=[spare]))


def _at_draw(maker: Maker, own: Contribution) -> None:
    hand = maker.game.match.game.deck.hand(opened(own)["seat"])
    for name, action in (("ended", "end"), ("drawn", "draw")):
        maker.add("ok", f"the turn {name}", own, in_envelope(body=_shown(action)))
    maker.violation("waived, though it is the mover's own", own, in_body(action="waive"))
    maker.violation("a pass", own, in_body(action="pass"))
    maker.violation("a card shown with it", own, in_body(cards=[hand[0]]))
    maker.violation("a proof with it", own, in_body(proof=bytes(98)))
    maker.violation("the kind of another step", own, in_envelope(kind="late"))


def _at_late(maker: Maker, own: Contribution) -> None:
    for name, action in (("drawn", "draw"), ("waived", "waive")):
        maker.add("ok", f"the draw that was owed is {name}", own, in_envelope(body=_shown(action)))
    maker.violation("ended, though it is another seat's turn", own, in_body(action="end"))
    maker.violation("a turn", own, in_envelope(kind="turn"))
    mover = maker.game.match.game.table_position().mover
    maker.violation("by the seat whose turn it is", own, in_envelope(seat=mover))


def remarks() -> Vector:
    """Remarks by themselves."""
    game = new_golden_game(NAME)
    data = game.match.agreement_bytes
    first, second = game.say(1, "look at e5"), game.say(1, "good game")
    vectors = [_good_remark("the first of its seat", data, first), _good_remark("a courtesy", data, second)]
    said: dict[str, Any] = unpackb(first.payload)
    assert said["last"] == NO_REMARK
    assert unpackb(second.payload)["last"] == first.hash
    spoilt_by: dict[str, dict[str, Any]] = {
        "version 2": {"v": 2},
        "another game": {"game": bytes(32)},
        "a seat that the table has not": {"seat": len(game.seats) + 1},
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
    wrong = {name: game.signed(packb(said | changed), 1, REMARK) for name, changed in spoilt_by.items()}
    wrong["signed as a contribution"] = game.signed(first.payload, 1)
    wrong["signed by another seat"] = game.signed(first.payload, 2, REMARK)
    for name, each in wrong.items():
        given = {"agreement": data, "payload": each.payload, "signature": each.signature}
        vectors.append(bad("remark", name, "remark", given))
    return file_of("Remarks at a table, by themselves: number and last are checked where they are collected.", vectors)


def _good_remark(name: str, agreement: bytes, remark: Remark) -> Vector:
    given = {"agreement": agreement, "payload": remark.payload, "signature": remark.signature}
    return good("remark", name, given, {"hash": remark.hash, "text": remark.said.text})


_KINDS: Final = {"a call": _at_call, "a card given up": _at_discard, "the draw": _at_draw, "a late draw": _at_late}
