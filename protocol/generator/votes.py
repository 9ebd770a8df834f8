"""Replay cases in which seats are skipped and dropped, or should not be."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocol.generator.case import Case, incomplete, invalid, unfinished, verified
from protocol.generator.games import Game, evidence, in_envelope, opened, replay, settings
from protocol.generator.stream import identity
from seqp2p.crypto.hashing import BALLOT, STEP, tagged_hash
from seqp2p.match.ballots import Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Violation
from seqp2p.match.signed import BallotPayload
from seqp2p.replay.format import MAGIC, AnyRecord, CertificateRecord, LeaveRecord, StepRecord, frame, pairs

# A turn of the games that these cases are made of, of three and of four seats.
TURN: Final = 13
AT_FOUR: Final = 14


def drop(*seats: int) -> Wish:
    """Return a wish to drop these seats."""
    return Wish("drop", frozenset(seats))


def skip(seat: int) -> Wish:
    """Return a wish to skip this mover."""
    return Wish("skip", frozenset({seat}))


def table(players: int = 3, votes: Mapping[int, Wish] | None = None) -> Game:
    """Return a kids' game; ``votes`` by step."""
    return Game(f"kids-{players}/votes 2", settings("kids", players), votes=votes or {})


def mover(game: Game) -> int:
    """Return the seat to move."""
    assert game.match.plan is not None, "a turn is open"
    return game.match.plan.subject


def changed(game: Game, ballot: Contribution, **fields: Any) -> Contribution:
    """Return a ballot with another content, signed by its seat again."""
    return game.changed(ballot, in_envelope(**fields), BALLOT)


def certificate(step: int, *ballots: Contribution) -> CertificateRecord:
    """Return a certificate in the form of a replay."""
    return CertificateRecord(step, pairs(ballots))


def vote_cases() -> dict[str, Case]:
    """Return all of them by name."""
    return _closed() | _no_certificate() | _lasts() | _ends()


def _closed() -> dict[str, Case]:
    at_turn = table().play(until=TURN)
    skipped = table(votes={TURN: skip(mover(at_turn))}).play()
    dropped = table(votes={TURN: drop(mover(at_turn))}).play()
    twice = table(4, {AT_FOUR: drop(2), AT_FOUR + 2: drop(4)}).play()
    return {
        "skip_a_turn_ok": verified(skipped.written(), "one turn is skipped by the others"),
        "drop_the_mover_ok": verified(dropped.written(), "the mover is dropped, two deal anew and go on"),
        "drop_while_dealing_anew_ok": verified(
            twice.written(), "seat 2 is dropped before it draws or moves, seat 4 while the others deal anew"
        ),
    }


def _no_certificate() -> dict[str, Case]:
    game = table().play(until=TURN)
    step, whom = TURN, mover(game)
    one, two = game.ballots(drop(whom))
    first, second = (opened(each)["seat"] for each in (one, two))
    forged = Contribution(two.payload, one.signature)
    other_round = changed(game, two, round=2)
    minority = [changed(game, one, about=sorted([whom, second]))]
    cases: dict[str, tuple[Sequence[Contribution], str, str]] = {
        "ballot_forged": ((one, forged), "the signature of one ballot is another seat's", "signature"),
        "ballot_missing": ((one,), "one ballot of two is missing", "ballot"),
        "ballots_swapped": ((two, one), f"seat {second} before seat {first}", "ballot"),
        "ballot_twice": ((one, one, two), f"seat {first} twice", "ballot"),
        "ballots_of_one_seat": ((one, changed(game, one, reason="left"), two), f"two of seat {first}", "ballot"),
        "ballot_too_many": ((one, two, one), f"seat {first} again, behind the whole certificate", "ballot"),
        "ballots_of_two_rounds": ((one, other_round), "one ballot is of another round", "ballot"),
        "ballots_of_a_minority": (minority, "one of three against two", "ballot"),
        "ballot_on_another_past": (
            (changed(game, one, prev=bytes(32)), two), "one ballot is on another past", "chain",
        ),
        "ballot_about_a_later_step": (
            (changed(game, one, step=step + 1), two), "one ballot is about the next step", "chain",
        ),
        "ballot_about_itself": (
            (changed(game, one, about=[first]), two), "a seat votes on itself", "signature",
        ),
        "ballot_with_a_later_last": (
            (changed(game, one, last={"round": 1, "head": bytes(32)}), two),
            "its last is of its own round", "signature",
        ),
    }  # fmt: skip
    found = {
        f"{name}_fail": invalid(game.written(certificate(step, *ballots)), why, failure, step)
        for name, (ballots, why, failure) in cases.items()
    }
    return found | _not_to_be_voted_on()


def _not_to_be_voted_on() -> dict[str, Case]:
    early, two, at_turn = table().play(until=4), table(2).play(until=8), table().play(until=TURN)
    drawing = table().play(until=TURN + 1)
    assert drawing.match.kind == "draw", "a card is drawn after a turn"
    gone = table(votes={TURN: drop(mover(at_turn))}).play(until=TURN + 1)
    (absent,) = gone.match.game.gone
    (shuffle,) = gone.contributions()
    late = gone.changed(shuffle, in_envelope(seat=absent))
    again, turn = _skipped_once(at_turn)
    cases = {
        "skip_twice_in_a_row": (
            again, certificate(turn, *again.ballots(skip(mover(again)))), "its turn before was skipped too", turn,
        ),
        "drop_before_the_deal": (early, certificate(4, *early.ballots(drop(1))), "there are no cards yet", 4),
        "drop_by_one_of_two": (two, certificate(8, *two.ballots(drop(2))), "one of two is no majority", 8),
        "skip_of_a_draw": (
            drawing, certificate(TURN + 1, *drawing.ballots(skip(mover(drawing)))), "only a turn is skipped", TURN + 1,
        ),
    }  # fmt: skip
    found = {
        f"{name}_fail": invalid(game.written(record), why, "ballot", step)
        for name, (game, record, why, step) in cases.items()
    }
    misnumbered = certificate(TURN - 1, *at_turn.ballots(drop(mover(at_turn))))
    return found | {
        "certificate_under_another_number_fail": invalid(
            at_turn.written(misnumbered), "the record says another step than its ballots", "order", TURN
        ),
        "contribution_of_a_dropped_seat_fail": invalid(
            gone.written(StepRecord(TURN + 1, pairs((late,)))), "it has no step any more", "step", TURN + 1, absent
        ),
    }


def _skipped_once(at_turn: Game) -> tuple[Game, int]:
    """Return the game with the mover's turn skipped, at its next turn, and the number of that step."""
    whom, turn = mover(at_turn), TURN + 1
    while True:
        game = table(votes={TURN: skip(whom)}).play(until=turn)
        if game.match.kind == "turn" and mover(game) == whom:
            return game, turn
        turn += 1


def _two_turns(game: Game) -> tuple[int, Contribution, Contribution]:
    """Return the mover, and two turns of it that are both right."""
    seat = mover(game)
    one, two = (game.contribution(seat) for _ in range(2))
    while one.payload == two.payload:
        two = game.contribution(seat)
    return seat, one, two


def _lasts() -> dict[str, Case]:
    game = table(4).play(until=AT_FOUR)
    cheat, one, two = _two_turns(game)
    ballots = game.ballots(drop(cheat))
    first, second = ({"round": 0, "head": tagged_hash(STEP, game.match.head, each.payload)} for each in (one, two))
    changes: tuple[list[dict[str, Any]], ...] = (
        [{"last": first}] * 3,
        [{"last": first}, {"last": second}, {}],
        [{"last": first}, {"last": first}, {"last": second}],
        [{"round": 3, "last": {"round": 2, "head": bytes(32)}}] * 3,
    )
    same, differ, most, earlier = (
        [changed(game, ballot, **fields) for ballot, fields in zip(ballots, each, strict=True)] for each in changes
    )
    proof = evidence(one, two)
    written: dict[str, tuple[list[AnyRecord], str]] = {
        "certificate_that_the_last_decides": ([certificate(AT_FOUR, *same)], "all had closed it by the turn"),
        "certificate_of_an_unknown_round": ([certificate(AT_FOUR, *earlier)], "round 2 is not there"),
        "certificate_of_two_versions_without_evidence": (
            [certificate(AT_FOUR, *differ)], "nobody is proved to have made two",
        ),
        "certificate_of_two_versions_one_of_which_stands": (
            [proof, certificate(AT_FOUR, *most)], "two had closed it one way: with the cheat they are a majority",
        ),
    }  # fmt: skip
    found = {
        f"{name}_fail": invalid(game.written(*records), why, "ballot", AT_FOUR)
        for name, (records, why) in written.items()
    }
    *before, last = game.records()
    voted = changed(game, ballots[0], about=[opened(ballots[1])["seat"]])
    return found | {
        "certificate_of_two_versions_with_evidence_too_early_fail": invalid(
            replay([*before, proof, last, certificate(AT_FOUR, *differ)], game.identities[0]),
            "the evidence stands before the step that it is about was open", "ballot", AT_FOUR,
        ),
        "evidence_about_a_step_closed_by_an_action_fail": invalid(
            game.written(proof, certificate(AT_FOUR, *differ), evidence(one)),
            "what is contributed to a step that an action closed is void", "evidence", AT_FOUR + 1,
        ),
        "evidence_of_two_ballots_fail": unfinished(
            game.written(evidence(voted, ballots[0])), "a seat voted twice in one round", "equivocation", AT_FOUR,
            opened(voted)["seat"],
        ),
        "evidence_then_drop_ok": _dropped_by(game, Violation(cheat, AT_FOUR, "", (one, two)), differ),
    }  # fmt: skip


def _dropped_by(game: Game, violation: Violation, ballots: Sequence[Contribution]) -> Case:
    """The cheat is dropped by these ballots, and the others go on to the end."""
    beginning = game.records()
    game.match.accuse(violation)
    for ballot in ballots:
        game.match.receive_word(BallotPayload, ballot)
    game.show()
    game.play()
    records = [*beginning, evidence(*violation.evidence), *game.records()[len(beginning) :]]
    return verified(replay(records, game.identities[0]), "two turns of one seat, each closed by another one")


def leave(game: Game, seat: int) -> LeaveRecord:
    """Return the leave of a seat."""
    signed = game.seats[seat - 1].leave(game.match)
    return LeaveRecord(signed.payload, signed.signature)


def two_dropped() -> Game:
    """Return a game of four in which seats 1 and 3 have dropped both opponents."""
    votes = {8: drop(2), 10: drop(4)}
    return Game("classic-4/votes", settings("classic", 4), votes=votes).play()


def _ends() -> dict[str, Case]:
    game = table(3).play(until=TURN)
    one, two, three = (leave(game, seat) for seat in (1, 2, 3))
    forged = LeaveRecord(two.payload, three.signature)
    of_both = [*game.records(), two, three]
    forfeits = {
        "forfeit": (replay(of_both, game.identities[0]), "seats 2 and 3 left: seat 1 has won"),
        "forfeit_written_by_one_that_left": (
            game.written(one, three), "seats 1 and 3 left, and seat 1 has written it: it names no winner",
        ),
        "forfeit_written_by_a_spectator": (
            replay(of_both, identity("a spectator")),
            "seats 2 and 3 left, and no seat has written it: it names no winner",
        ),
        "forfeit_without_a_writer": (
            MAGIC + b"".join(map(frame, of_both)), "seats 2 and 3 left, and the file has no end: it names no winner",
        ),
    }  # fmt: skip
    return {
        "last_opponent_dropped_fail": incomplete(
            two_dropped().written(), "seats 1 and 3 have dropped both opponents, which is no win", 11
        ),
        "leave_forged_fail": invalid(game.written(forged), "seat 3 signed for seat 2", "signature", TURN),
        "leave_twice_fail": invalid(game.written(two, two), "seat 2 leaves twice", "order", TURN),
        "leave_of_one_fail": incomplete(game.written(two), "one of two opponents left", TURN, mover(game)),
        **{f"{name}_fail": incomplete(data, why, TURN) for name, (data, why) in forfeits.items()},
    }
