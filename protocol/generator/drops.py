"""Replay cases of drops in each phase, of keys that cancel each other out, and of records that come again."""

from typing import Final

from protocol.generator.case import Case, incomplete, invalid, unfinished, verified
from protocol.generator.games import Game, evidence, in_body, in_envelope, opened, replay, settings
from protocol.generator.stream import Stream
from protocol.generator.votes import certificate, drop, leave, mover, table, two_dropped
from seqp2p.crypto.group import ORDER
from seqp2p.match.ballots import Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.replay.format import OpenRecord, pairs

# The steps of the games below: a late draw, cards to give up, the second shuffle of a reshuffle.
LATE: Final = 10
PENALTY: Final = 13
RESHUFFLE: Final = 70
TURN: Final = 13


def drop_cases() -> dict[str, Case]:
    """Return all of them by name."""
    return _in_phases() | _while_reshuffling() | _keys() | _last_dropped() | _opened_again() | _evidence()


def _dropped(game: Game, *seats: int) -> Game:
    """Drop seats at the open step, and play until the members' cards are dealt and a player has to act."""
    game.vote(Wish("drop", frozenset(seats)))
    while game.match.kind in {"shuffle", "deal"}:
        game.play(until=game.match.number + 1)
    return game


def _waiting(game: Game, why: str) -> Case:
    """The record ends here: the step and the seat that it waits for tell what the drop has made of the turn."""
    return incomplete(game.written(), why, game.match.number, *sorted(game.match.awaited))


def _in_phases() -> dict[str, Case]:
    def late() -> Game:
        game = Game("classic-3/late 0", settings("classic", 3, manual_draw=True))
        return game.play(until=LATE)

    def penalty() -> Game:
        game = Game("classic-4/penalty 2", settings("classic", 4, table_talk=False))
        return game.play(until=PENALTY)

    at_late, at_penalty = late(), penalty()
    assert (at_late.match.kind, at_penalty.match.kind) == ("late", "discard")
    owing, called = at_late.match.game.table_position().pending, at_penalty.match.game.table_position().pending
    assert owing is not None, "a draw is owed"
    assert called is not None, "a team was called"
    (other,) = {1, 2, 3} - {owing.owes, owing.mover}
    return {
        "drop_of_the_seat_that_owes_a_draw_fail": _waiting(
            _dropped(late(), owing.owes), "the owed draw is lost, the mover has placed and has to draw"
        ),
        "drop_of_the_mover_while_a_draw_is_owed_fail": _waiting(
            _dropped(late(), owing.mover), "the turn is broken off, and nothing is owed"
        ),
        "drop_of_another_while_a_draw_is_owed_fail": _waiting(_dropped(at_late, other), "the draw is still owed"),
        "drop_of_a_seat_that_has_to_give_a_card_fail": _waiting(
            _dropped(penalty(), called.penalised[0]), "the mover goes on, and its team-mate gives no card up"
        ),
        "drop_of_the_caller_in_a_penalty_fail": _waiting(
            _dropped(at_penalty, called.mover), "the turn is broken off, and no card is given up"
        ),
    }


def _while_reshuffling() -> dict[str, Case]:
    game = Game("kids-4/reshuffle 0", settings("kids", 4)).play(until=RESHUFFLE)
    assert game.match.kind == "shuffle", "the discards are shuffled"
    assert game.match.game.reshuffles, "it is no first shuffle"
    why = "the reshuffle is forgotten, its cards are dealt again with all others"
    return {"drop_while_reshuffling_fail": _waiting(_dropped(game, mover(game)), why)}


def _opposite_keys() -> Game:
    """A game of three in which the game keys of seats 1 and 2 add up to infinity."""
    game = Game("kids-3/opposite keys", settings("kids", 3))
    kept = SeatSecrets(ORDER - game.seats[0].secrets.secret, bytes(32))
    game.seats[1] = SeatKeys(2, game.identities[1], Stream("kids-3/opposite keys seat 2 again"), kept)
    return game


def _keys() -> dict[str, Case]:
    ended = _opposite_keys().play(until=TURN)
    ended.vote(drop(3))
    whole = _opposite_keys().play()
    return {
        "joint_key_at_infinity_after_a_drop_fail": incomplete(
            ended.written(), "the keys of seats 1 and 2 cancel each other out", TURN + 1
        ),
        "shares_that_add_up_to_infinity_ok": verified(
            whole.written(), "the shares of seats 1 and 2 for each card of seat 3 cancel each other out"
        ),
    }


def _last_dropped() -> dict[str, Case]:
    game = two_dropped()
    return {
        "forfeit_by_those_dropped_last_fail": incomplete(
            game.written(leave(game, 4)), "seat 4 was dropped last, and had left", 11
        ),
        "no_forfeit_by_those_dropped_before_fail": incomplete(
            game.written(leave(game, 2)), "seat 2 had left, but seat 4 was dropped last", 11
        ),
    }


def _opened_again() -> dict[str, Case]:
    game = Game("kids-2/open again", settings("kids", 2)).play(until=5)
    one, two = game.contributions()
    before = game.records()
    game.match.receive(one)
    game.match.receive(two)
    (later,) = game.contributions()
    (awaited,) = game.match.awaited

    def written(*held: tuple[Contribution, ...]) -> bytes:
        return replay([*before, *(OpenRecord(5, pairs(each)) for each in held)], game.identities[0])

    return {
        "open_again_the_same_fail": incomplete(written((two,), (two,)), "nothing has come to step 5 meanwhile", 5, 1),
        "open_again_with_more_fail": incomplete(written((two,), (one, two)), "step 5 is complete", 6, awaited),
        "open_again_without_what_is_held_fail": invalid(
            written((two,), (one,)), "the second record lacks seat 2's part", "order", 6
        ),
        "open_with_a_contribution_behind_its_step_fail": invalid(
            written((one, two, later)), "the third belongs to step 6, and closes it", "order", 7
        ),
    }


def _evidence() -> dict[str, Case]:
    game = table().play(until=TURN)
    whom = mover(game)
    first, second = game.ballots(drop(whom))
    (turn,) = game.contributions()
    foreign = game.changed(turn, in_envelope(seat=opened(first)["seat"]))
    wrong = game.changed(turn, in_body(action="owl a1"))
    step_1 = dict(game.match.record[0].contributions)[whom]
    early = evidence(step_1, game.changed(step_1, in_body(commitment=bytes(32))))
    alone, both = evidence(wrong), evidence(wrong, turn)
    why = "of three pieces of evidence against one seat the first pair counts"
    stays = min(seat for seat in game.match.game.seats if seat != whom)
    return {
        "evidence_of_a_contribution_and_a_ballot_fail": invalid(
            game.written(evidence(foreign, first)), "they are signed for different places", "evidence", TURN
        ),
        "several_pairs_of_evidence_fail": unfinished(
            game.written(alone, both, early), why, "equivocation", TURN, whom
        ),
        "several_pairs_of_evidence_turned_round_fail": unfinished(
            game.written(alone, early, both), why, "equivocation", 1, whom
        ),
        "certificate_after_several_pairs_fail": incomplete(
            game.written(both, early, certificate(TURN, first, second)),
            "the cheat is dropped: it is no member any more", TURN + 1, stays,
        ),
    }  # fmt: skip
