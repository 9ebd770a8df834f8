"""Replay cases from the first turn to the end, of remarks, and of tables: each has one fault."""

from typing import Any

from protocol.generator.case import Case, invalid, verified
from protocol.generator.contributions import another_card, false_pass, signed_again, small_game
from protocol.generator.forged import refused
from protocol.generator.games import Change, Game, evidence, in_body, in_envelope, opened, replay
from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import flip, packb, unpackb
from seqp2p.crypto.hashing import BALLOT, REMARK
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Failure
from seqp2p.net.frames import frame as framed
from seqp2p.replay.format import MAGIC, RemarkRecord, StepRecord, TableRecord, frame, pairs
from seqp2p.rules import KIDS
from seqp2p.rules.notation import format_square


def wrong_move_cases() -> dict[str, Case]:
    """Return all of them by name."""
    cases = _turns() | _later_turns() | _draws() | _ends() | _signatures() | _remarks() | _tables()
    return {f"{name}_fail": case for name, case in cases.items()} | _good()


# Turns: step 8 is that of seat 2.


def _turns() -> dict[str, Case]:
    game = small_game().play(until=8)
    deck = game.match.game.deck
    (own,) = game.contributions()
    body, mover = opened(own)["body"], opened(own)["seat"]
    other = 3 - mover
    spare = next(at for at in deck.hand(mover) if at not in body["cards"])
    card, where = body["action"].split(" ")

    def case(why: str, change: Change, failure: Failure = "rules") -> Case:
        return refused(game, failure, mover, why, game.changed(own, change))

    def showing_nothing(why: str, failure: Failure = "rules", **parts: bytes) -> Case:
        """An action that shows no card, though the body still has parts of one."""
        return case(why, in_body(action="draw", cards=[], **parts), failure)

    foreign = game.changed(own, in_envelope(seat=other))
    another = in_body(action=another_card(body["action"]))
    elsewhere = in_body(action=f"{card} {_other_square(game, card)}")
    why = "a pass, the hand shown, with a card to play"
    return {
        "card_of_the_other_hand": case("a card that it does not hold", in_body(cards=[deck.hand(other)[0]])),
        "card_of_the_pile": case("a card that nobody has drawn", in_body(cards=[deck.drawn])),
        "card_shown_twice": case("one card, named twice", in_body(cards=body["cards"] * 2)),
        "no_card_shown": case("a chip for nothing", in_body(cards=[])),
        "another_card_than_shown": case("it says another card than it shows", another),
        "square_of_another_card": case("a square that is not that card's", elsewhere),
        "no_action": case("no action of this game", in_body(action="resign")),
        "action_in_another_form": case("two spaces", in_body(action=f"{card}  {where}")),
        "false_pass": refused(game, "rules", mover, why, false_pass(game, mover)),
        "turn_by_the_other_seat": refused(game, "step", other, f"seat {other} plays, seat {mover} is to", foreign),
        "turn_of_another_kind": case("called a late draw", in_envelope(kind="late"), "step"),
        "turn_with_a_key_more": case("a body that is not in its form", in_body(more=1), "step"),
        "share_of_another_card": case(
            "the share is for this card, not for the one named", in_body(cards=[spare]), "share"
        ),
        "played_share_changed": case("the share is its opposite", in_body(shares=flip(body["shares"], 0)), "share"),
        "played_without_proof": case("no proof", in_body(proof=b""), "share"),
        "played_with_a_long_proof": case("a byte more than a proof has", in_body(proof=body["proof"] + b"\0"), "step"),
        "share_for_no_card": showing_nothing("a share where no card is shown", "share", proof=b""),
        "proof_for_no_card": showing_nothing("a proof where no card is shown", shares=b""),
    }


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
    game.play(until=10)
    (own,) = game.contributions()
    again = game.changed(own, in_envelope(body=opened(first)["body"]))
    return {"card_played_twice": refused(game, "rules", opened(own)["seat"], "the card of its first turn", again)}


def _draws() -> dict[str, Case]:
    """Step 7: the drawer gets a share, but for the card below the top one."""
    game = small_game().play(until=7)
    (seat,) = game.match.awaited
    shares = game.shares(seat, [game.match.game.deck.drawn + 1], Stream("forged draw"))
    why = "right, for the card below the one that is drawn"
    return {"share_of_the_next_card": refused(game, "share", seat, why, game.made(seat, "draw", shares))}


def _ends() -> dict[str, Case]:
    game = small_game().play(until=19)
    one, two = game.contributions()
    another = game.changed(two, in_body(position=bytes(32)))
    return {"another_final_position": refused(game, "result", 2, "seat 2 signs another end", one, another)}


# Signatures and places.


def _signatures() -> dict[str, Case]:
    game, later = small_game(), small_game().play(until=2)
    one, two = game.contributions()
    plain = opened(one)

    def case(why: str, wrong: Contribution, failure: Failure = "signature") -> Case:
        return invalid(game.written(StepRecord(1, pairs((wrong, two)))), why, failure, 1)

    small = Contribution(one.payload, b"\1" + bytes(31) + one.signature[32:])
    third, version_2 = (game.signed(packb(plain | changed), 1) for changed in ({"seat": 3}, {"v": 2}))
    return {
        "signed_by_the_other_seat": case("seat 2 signs for seat 1", game.signed(one.payload, 2)),
        "signed_as_a_ballot": case("signed with another label", game.signed(one.payload, 1, BALLOT)),
        "signature_of_small_order": case("R is the neutral point", small),
        "contribution_of_a_third_seat": case("a seat that the table has not", third),
        "contribution_of_version_2": case("a payload of another version", version_2),
        "contribution_on_another_past": case(
            "another head", game.changed(one, in_envelope(prev=bytes(32))), "chain"
        ),
        "contribution_to_a_later_step": case("step 2 is not open", game.changed(one, in_envelope(step=2)), "chain"),
        "evidence_of_one_payload": invalid(
            later.written(evidence(one, signed_again(one))),
            "two valid signatures on one payload prove nothing", "evidence", 2,
        ),
    }  # fmt: skip


# Remarks, after two steps.


def _remarks() -> dict[str, Case]:
    game = small_game().play(until=3)
    honest = RemarkRecord(*game.seats[0].say(game.match, "look at e5"))

    def case(why: str, failure: Failure = "remark", seat: int = 1, **changed: Any) -> Case:
        remark = game.signed(packb(unpackb(honest.payload) | changed), seat, REMARK)
        return invalid(game.written(RemarkRecord(remark.payload, remark.signature)), why, failure, 3)

    return {
        "remark_forged": case("seat 2 signs for seat 1", seat=2),
        "remark_twice": invalid(game.written(honest, honest), "its number is taken", "remark", 3),
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
    plain = unpackb(table.agreement)
    one, two = plain["seats"]

    def case(why: str, failure: Failure = "table", **changed: Any) -> Case:
        return invalid(replay([TableRecord(packb(plain | changed))], ann), why, failure)

    def settings(why: str, **changed: Any) -> Case:
        return case(why, settings=plain["settings"] | changed)

    bomb = b"\x82\xa1t\xa8evidence\xadcontributions" + b"\x91" * 64 + b"\xc0"
    return {
        "identity_key_of_small_order": case(
            "a key that fits any message", seats=[one, two | {"key": b"\1" + bytes(31)}]
        ),
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
        "nested_too_deep": invalid(MAGIC + frame(table) + framed(bomb), "64 arrays, one in the other", "encoding", 1),
    }


# What may look wrong and is right.


def _good() -> dict[str, Case]:
    game = small_game().play()
    table, first, *rest = game.records()
    assert isinstance(first, StepRecord), "the first step follows the table"
    one, two = (Contribution(payload, signature) for payload, signature in first.contributions)
    again = StepRecord(1, pairs((signed_again(one), two)))
    talk = small_game()
    for step, text in ((3, "look at e5"), (8, "good luck"), (10, "well played")):
        talk.play(until=step).say(1, text)
    nonce = "step 1 is signed with another nonce: heads hash payloads, not signatures"
    return {
        "another_valid_signature_ok": verified(replay([table, again, *rest], game.identities[0]), nonce),
        "remarks_ok": verified(talk.play().written(), "three remarks beside the steps"),
        "written_by_a_stranger_ok": verified(
            replay(game.records(), identity("stranger")), "the writer need not have a seat"
        ),
    }
