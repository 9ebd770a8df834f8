"""Replay cases from the first turn to the end, of remarks, and of tables: each has one fault."""

from collections.abc import Callable
from typing import Any

import msgpack

from protocol.generator.case import Case
from protocol.generator.contributions import Maker, false_pass, put, signed_again, small_game
from protocol.generator.forged import refused, signed
from protocol.generator.games import Game, replay
from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import flip
from seqp2p.crypto.group import encode_points
from seqp2p.crypto.hashing import BALLOT, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.crypto.oracle import Context
from seqp2p.crypto.schnorr import prove_shares, share
from seqp2p.match.contribution import Contribution, SharesBody
from seqp2p.match.errors import Failure
from seqp2p.replay.format import MAGIC, AnyRecord, EvidenceRecord, RemarkRecord, StepRecord, TableRecord, frame, pairs
from seqp2p.rules import KIDS
from seqp2p.rules.notation import format_square

_packb: Any = msgpack.packb
_unpackb: Any = msgpack.unpackb


def wrong_move_cases() -> dict[str, Case]:
    """Return all of them by name."""
    cases = _turns() | _later_turns() | _draws() | _ends() | _signatures() | _remarks() | _tables()
    return {f"{name}_fail": case for name, case in cases.items()} | _good()


# Turns: step 8 is that of seat 2.


def _turns() -> dict[str, Case]:
    game = small_game().play(until=8)
    maker, deck = Maker(game), game.match.game.deck
    (own,) = game.contributions()
    body, mover = _unpackb(own.payload)["body"], _unpackb(own.payload)["seat"]
    other = 3 - mover
    spare = next(at for at in deck.hand(mover) if at not in body["cards"])
    card, where = body["action"].split(" ")

    def case(why: str, change: Callable[[dict[str, Any]], None], failure: Failure = "rules") -> Case:
        return refused(game, failure, mover, why, maker.changed(own, change))

    foreign = maker.signed(_packb(_unpackb(own.payload) | {"seat": other}), other)
    return {
        "card_of_the_other_hand": case("a card that it does not hold",
                                       put("body", "cards", value=[deck.hand(other)[0]])),
        "card_of_the_pile": case("a card that nobody has drawn", put("body", "cards", value=[deck.drawn])),
        "card_shown_twice": case("one card, named twice", put("body", "cards", value=body["cards"] * 2)),
        "no_card_shown": case("a chip for nothing", put("body", "cards", value=[])),
        "another_card_than_shown": case(
            "it says another card than it shows",
            put("body", "action", value=f"{'cat' if card != 'cat' else 'bear'} {where}"),
        ),
        "square_of_another_card": case(
            "a square that is not that card's", put("body", "action", value=f"{card} {_other_square(game, card)}")
        ),
        "no_action": case("no action of this game", put("body", "action", value="resign")),
        "action_in_another_form": case("two spaces", put("body", "action", value=f"{card}  {where}")),
        "false_pass": refused(
            game, "rules", mover, "a pass, the hand shown, with a card to play", false_pass(maker, mover)
        ),
        "turn_by_the_other_seat": refused(game, "step", other, f"seat {other} plays, seat {mover} is to", foreign),
        "turn_of_another_kind": case("called a late draw", put("kind", value="late"), "step"),
        "turn_with_a_key_more": case("a body that is not in its form", put("body", "more", value=1), "step"),
        "share_of_another_card": case("the share is for this card, not for the one named",
                                      put("body", "cards", value=[spare]), "share"),
        "played_share_changed": case(
            "the share is its opposite", put("body", "shares", value=flip(body["shares"], 0)), "share"
        ),
        "played_without_proof": case("no proof", put("body", "proof", value=b""), "share"),
        "played_with_a_long_proof": case(
            "a byte more than a proof has", put("body", "proof", value=body["proof"] + b"\0"), "step"
        ),
        "share_for_no_card": case("a share where no card is shown", _showing_nothing(proof=b""), "share"),
        "proof_for_no_card": case("a proof where no card is shown", _showing_nothing(shares=b"")),
    }  # fmt: skip


def _showing_nothing(**body: bytes) -> Callable[[dict[str, Any]], None]:
    """Return an action that shows no card, though the body still has parts of one."""
    return lambda plain: plain["body"].update(action="draw", cards=[], **body)


def _other_square(game: Game, card: str) -> str:
    """Return a free square that this card does not play on."""
    variant, position = game.match.game.variant, game.match.game.table_position()
    squares = [square for square in range(len(variant.board.grid)) if position.free >> square & 1]
    others = [square for square in squares if variant.faces[variant.board.grid[square]] != card]
    return format_square(variant, others[0])


def _later_turns() -> dict[str, Case]:
    """A card is played in the first turn, and again by the same seat."""
    game = small_game().play(until=6)
    (first,) = game.contributions()
    played = _unpackb(first.payload)["body"]
    game.play(until=10)
    (own,) = game.contributions()
    again = Maker(game).changed(own, put("body", value=played))
    return {
        "card_played_twice": refused(game, "rules", _unpackb(own.payload)["seat"], "the card of its first turn", again)
    }


def _draws() -> dict[str, Case]:
    """Step 7: the drawer gets a share, but for the card below the top one."""
    game = small_game().play(until=7)
    match, stream = game.match, Stream("forged draw")
    (seat,) = match.awaited
    x, at = game.seats[seat - 1].release(), match.game.deck.drawn + 1
    a = match.game.deck.ciphertexts[at].a
    shares = [share(x, a, stream)]
    context = Context(match.game.id, match.number, seat, match.head)
    proof = prove_shares(x, match.game.keys[seat], [(at, a)], shares, context, stream)
    body = SharesBody(encode_points(shares), proof)
    return {
        "share_of_the_next_card": refused(
            game, "share", seat, "right, for the card below the one that is drawn", signed(game, seat, "draw", body)
        )
    }


def _ends() -> dict[str, Case]:
    game = small_game().play(until=19)
    one, two = game.contributions()
    another = Maker(game).changed(two, put("body", "position", value=bytes(32)))
    return {"another_final_position": refused(game, "result", 2, "seat 2 signs another end", one, another)}


# Signatures and places.


def _signatures() -> dict[str, Case]:
    game = small_game()
    maker = Maker(game)
    one, two = game.contributions()

    def case(why: str, wrong: Contribution, failure: Failure = "signature") -> Case:
        data = replay([*game.records(), StepRecord(1, pairs((wrong, two)))], game.identities[0])
        return Case(data, "invalid", why, failure, 1)

    plain = _unpackb(one.payload)
    later = small_game().play(until=2)
    same = EvidenceRecord(pairs((one, signed_again(one, 1))))
    return {
        "signed_by_the_other_seat": case("seat 2 signs for seat 1", maker.signed(one.payload, 2)),
        "signed_as_a_ballot": case("signed with another label", maker.signed(one.payload, 1, BALLOT)),
        "signature_of_small_order": case(
            "R is the neutral point", Contribution(one.payload, b"\1" + bytes(31) + one.signature[32:])
        ),
        "contribution_of_a_third_seat": case(
            "a seat that the table has not", maker.signed(_packb(plain | {"seat": 3}), 1)
        ),
        "contribution_of_version_2": case("a payload of another version", maker.signed(_packb(plain | {"v": 2}), 1)),
        "contribution_on_another_past": case("another head", maker.changed(one, put("prev", value=bytes(32))), "chain"),
        "contribution_to_a_later_step": case("step 2 is not open", maker.changed(one, put("step", value=2)), "chain"),
        "evidence_of_one_payload": Case(
            replay([*later.records(), same], later.identities[0]), "invalid",
            "two valid signatures on one payload prove nothing", "evidence", 2,
        ),
    }  # fmt: skip


# Remarks, after two steps.


def _remarks() -> dict[str, Case]:
    game = small_game().play(until=3)
    beginning = game.records()
    payload, signature = game.seats[0].say(game.match, "look at e5")
    plain = _unpackb(payload)

    def written(*remarks: AnyRecord) -> bytes:
        return replay([*beginning, *remarks], game.identities[0])

    def case(why: str, failure: Failure = "remark", **changed: Any) -> Case:
        changed_payload = _packb(plain | changed)
        record = RemarkRecord(changed_payload, sign(game.identities[0], REMARK, changed_payload))
        return Case(written(record), "invalid", why, failure, 3)

    honest = RemarkRecord(payload, signature)
    forged = RemarkRecord(payload, sign(game.identities[1], REMARK, payload))
    return {
        "remark_forged": Case(written(forged), "invalid", "seat 2 signs for seat 1", "remark", 3),
        "remark_twice": Case(written(honest, honest), "invalid", "its number is taken", "remark", 3),
        "remark_with_an_escape": case("a control character", text="\x1b[2J"),
        "remark_too_long": case("201 characters", text="a" * 201),
        "remark_of_another_game": case("another game", game=bytes(32)),
        "remark_with_a_gap": case("the second, without a first", number=2),
        "remark_to_come": case("dated to a step that is not open", "chain", step=4),
        "remark_that_is_no_courtesy": case("no such courtesy", courtesy=True),
    }


# Tables and records.


def _tables() -> dict[str, Case]:
    game = small_game()
    ann = game.identities[0]
    table = game.records()[0]
    assert isinstance(table, TableRecord), "a replay begins with its table"
    plain: dict[str, Any] = _unpackb(table.agreement)
    one, two = plain["seats"]

    def case(why: str, failure: Failure = "table", **changed: Any) -> Case:
        return Case(replay([TableRecord(_packb(plain | changed))], ann), "invalid", why, failure)

    def settings(why: str, **changed: Any) -> Case:
        return case(why, settings=plain["settings"] | changed)

    bomb = b"\x82\xa1t\xa8evidence\xadcontributions" + b"\x91" * 64 + b"\xc0"
    framed = len(bomb).to_bytes(4, "big") + bomb
    return {
        "identity_key_of_small_order": case("a key that fits any message",
                                            seats=[one, two | {"key": b"\1" + bytes(31)}]),
        "identity_key_twice": case("both seats have one key", seats=[one, two | {"key": one["key"]}]),
        "nonce_twice": case("both seats have one nonce", seats=[one, two | {"nonce": one["nonce"]}]),
        "a_name_that_turns_round": case("a name that turns the writing", seats=[one | {"name": "a\u202eb"}, two]),
        "a_name_of_marks": case("a name of marks only", seats=[one | {"name": "\u0301\u0302"}, two]),
        "a_name_with_a_stack_of_marks": case("five marks in a row", seats=[one | {"name": "a" + "\u0489" * 5}, two]),
        "a_name_too_long": case("25 characters", seats=[one | {"name": "a" * 25}, two]),
        "a_seat_too_few": case("one seat for two players", seats=[one]),
        "colours_too_few": settings("two teams, one colour", colours=plain["settings"]["colours"][:1]),
        "no_such_game": settings("no such variant", variant="whist"),
        "teams_that_do_not_divide": settings("more teams than players", teams=3, colours=list(KIDS.colours[:3])),
        "agreement_of_version_2": case("an agreement of another version", "encoding", v=2),
        "agreement_with_a_key_more": case("an unknown key", "encoding", more=1),
        "nested_too_deep": Case(
            MAGIC + frame(table) + framed, "invalid", "64 arrays, one in the other", "encoding", 1
        ),
    }  # fmt: skip


# What may look wrong and is right.


def _good() -> dict[str, Case]:
    game = small_game().play()
    table, first, *rest = game.records()
    assert isinstance(first, StepRecord), "the first step follows the table"
    one, two = (Contribution(payload, signature) for payload, signature in first.contributions)
    again = StepRecord(1, pairs((signed_again(one, 1), two)))
    talk = small_game()
    said = [(3, "look at e5"), (8, "good luck"), (10, "well played")]
    for step, text in said:
        talk.play(until=step)
        remark = talk.match.receive_remark(*talk.seats[0].say(talk.match, text))
        assert remark is not None, "an own remark is the next of its seat"
        talk.said.append((len(talk.match.record), remark))
    talk.play()
    return {
        "another_valid_signature_ok": Case(
            replay([table, again, *rest], game.identities[0]), "verified",
            "step 1 is signed with another nonce: heads hash payloads, not signatures",
        ),
        "remarks_ok": Case(replay(talk.records(), talk.identities[0]), "verified", "three remarks beside the steps"),
        "written_by_a_stranger_ok": Case(
            replay(game.records(), identity("stranger")), "verified", "the writer need not have a seat"
        ),
    }  # fmt: skip
