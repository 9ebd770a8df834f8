"""The intake: each thing comes to one outcome, what is early waits, and a check that is out of date is made again."""

import random
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.equation import Equation, require
from seqp2p.crypto.group import encode_scalar
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION
from seqp2p.match.checks import Checks
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Remarked, Voted
from seqp2p.match.intake import (
    EVERYTHING,
    WORDS,
    Applied,
    BadSender,
    Cheating,
    Deferred,
    Ignored,
    Intake,
    Outcome,
)
from seqp2p.match.machine import VERDICTS_KEPT, Match
from seqp2p.match.pending import ROOMS
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.match.table import encode_agreement
from tests.match.test_ballots_games import nth, table
from tests.match.voting import play_on, show, wish
from tests.sim import MINIATURE
from tests.table import (
    Played,
    altered,
    at_random,
    fields_of,
    fork,
    identity,
    make_agreement,
    make_seats,
    match_at,
    play,
    played,
    shared_match_at,
    signed,
    snapshot,
    with_body,
)

FALSE = encode_scalar(77)


def take(intake: Intake, thing: SignedThing, sender: int = 0) -> Outcome:
    return intake.take(intake.check(thing), sender)


def hand_in(intake: Intake, thing: SignedThing, sender: int = 0) -> list[Outcome]:
    """Hand in a thing, and all that becomes due, as every caller does."""
    outcomes = [take(intake, thing, sender)]
    while (waiting := intake.due()) is not None:
        outcomes.append(take(intake, waiting.thing, waiting.sender))
    return outcomes


def kinds(outcomes: list[Outcome]) -> list[type[Outcome]]:
    return [type(outcome) for outcome in outcomes]


def remark(match: Match, seat: SeatKeys, text: str) -> SignedRemark:
    return SignedRemark(Contribution(*seat.say(match, text)))


def heard(outcomes: list[Outcome]) -> list[str]:
    events = [event for outcome in outcomes if isinstance(outcome, Applied) for event in outcome.events]
    return [event.text for event in events if isinstance(event, Remarked)]


# Contributions.


@settings(max_examples=10)
@given(dice=st.randoms(use_true_random=False))
def test_a_network_that_delays_repeats_and_overtakes(trio: Played, dice: random.Random) -> None:
    """Each contribution is handed in once or twice; what is early waits, and the game is the same."""
    things = deque((seat, held) for step in trio.steps for seat, held in step.contributions)
    intake = Intake(Match(trio.agreement))
    while things:
        at = dice.randrange(min(12, len(things)))
        seat, contribution = things[at]
        del things[at]
        hand_in(intake, contribution, seat)
        if dice.random() < 0.3:
            assert not {Applied, Cheating, BadSender} & set(kinds(hand_in(intake, contribution, seat)))
    assert intake.match.record == trio.match.record
    assert snapshot(intake.match)[2:] == snapshot(trio.match)[2:]
    assert len(intake.pending) == 0


def test_what_is_early_comes_when_its_step_opens(trio: Played) -> None:
    step = trio.step_of("turn")
    intake = Intake(match_at(trio, step))
    (next_seat, later), *_ = trio.steps[step].contributions
    ((seat, now),) = trio.steps[step - 1].contributions
    assert kinds(hand_in(intake, later, 9)) == [Deferred]
    assert kinds(hand_in(intake, later, 9)) == [Deferred]
    first, second = hand_in(intake, now)
    assert isinstance(first, Applied)
    assert isinstance(second, Applied)
    assert (first.seat, first.step, second.seat, second.step) == (seat, step, next_seat, step + 1)
    assert (first.thing, second.thing) == (now, later)


def test_an_intake_that_keeps_nothing(trio: Played) -> None:
    intake = Intake(match_at(trio, 2), keeps=False)
    assert kinds(hand_in(intake, trio.contribution(3, 1))) == [Deferred]
    assert len(intake.pending) == 0


def test_what_seats_sign_wrong_and_what_no_seat_signs(trio: Played) -> None:
    step = trio.step_of("turn")
    intake = Intake(match_at(trio, step))
    ((seat, right),) = trio.steps[step - 1].contributions
    wrong = with_body(trio.identity(seat), right, action="pass")
    past = altered(trio.identity(seat), right, prev=bytes(32))
    nobody = signed(trio.identity(seat % 3 + 1), right.payload)
    before = snapshot(intake.match)
    assert isinstance(take(intake, nobody, 2), BadSender)
    ignored = take(intake, past)
    assert isinstance(ignored, Ignored)
    assert ignored.other_past == step
    assert snapshot(intake.match) == before
    cheating = take(intake, wrong)
    assert isinstance(cheating, Cheating)
    assert (cheating.violation.seat, cheating.first) == (seat, True)
    assert kinds([take(intake, wrong), take(intake, OfferedEvidence((wrong,)))]) == [Ignored, Ignored]
    assert list(intake.match.proven) == [seat]


def test_a_pair_after_a_single_one_is_new_evidence(trio: Played) -> None:
    """A single one counts on its own past alone, which may be undone; a pair counts on any."""
    step = trio.step_of("turn")
    intake = Intake(match_at(trio, step))
    ((seat, right),) = trio.steps[step - 1].contributions
    wrong = with_body(trio.identity(seat), right, action="pass")
    pair = OfferedEvidence((wrong, right))
    for thing in (wrong, pair):
        outcome = take(intake, thing)
        assert isinstance(outcome, Cheating)
        assert outcome.first
    assert kinds([take(intake, thing) for thing in (wrong, pair, OfferedEvidence((right, wrong)))]) == [Ignored] * 3
    assert intake.match.proven[seat].evidence == pair.contributions


class Counting(Checks):
    """Counts the proofs of shuffles that are checked."""

    shuffles = 0

    def shuffle(self, *statement: Any) -> None:
        self.shuffles += 1
        super().shuffle(*statement)


def test_a_proof_that_was_checked_is_not_checked_again(trio: Played) -> None:
    """A shuffle is offered as evidence again and again: a right one by its own cheat, a wrong one by all."""
    step = trio.step_of("shuffle")
    checks = Counting()
    match = Match(trio.agreement, checks=checks)
    for closed in trio.steps[: step - 1]:
        for _, contribution in closed.contributions:
            match.receive(contribution)
    intake = Intake(match)
    ((seat, right),) = trio.steps[step - 1].contributions
    proof = fields_of(right)["body"]["proof"]
    wrong = with_body(trio.identity(seat), right, proof=proof[:-1] + bytes([proof[-1] ^ 1]))
    for thing in (OfferedEvidence((right,)), OfferedEvidence((wrong,)), wrong):
        outcomes = [take(intake, thing, 2) for _ in range(20)]
        assert sum(isinstance(outcome, Cheating) for outcome in outcomes) <= 1
    assert isinstance(take(intake, right), Applied)
    assert checks.shuffles == 2
    assert match.proven.keys() == {seat}


def test_verdicts_are_kept_of_few_contributions(trio: Played) -> None:
    """A cheat that offers five in turn has each of them checked again; other seats' are kept."""
    step = trio.step_of("seat")
    intake = Intake(match_at(trio, step))
    intake.match._verdicts.clear()  # Those of the game so far.
    (_, honest), (seat, right) = trio.steps[step - 1].contributions[:2]
    for number in range(3 * VERDICTS_KEPT):
        other = with_body(trio.identity(seat), right, commitment=bytes([number]) * 32)
        assert kinds(hand_in(intake, OfferedEvidence((other,)))) == [Ignored]
        take(intake, OfferedEvidence((honest,)))
    assert [len(kept) for kept in intake.match._verdicts.values()] == [VERDICTS_KEPT, 1]


# A check that is out of date.


def test_two_contributions_that_were_checked_together_are_equivocation(trio: Played) -> None:
    """The second was right when it was checked: taken as it was checked, it would replace the first."""
    match = match_at(trio, trio.step_of("seat"))
    intake = Intake(match)
    one = trio.contribution(1, 1)
    other = with_body(trio.identity(1), one, commitment=bytes(32))
    checked = [intake.check(one), intake.check(other)]
    first, second = (intake.take(finding, 1) for finding in checked)
    assert isinstance(first, Applied)
    assert isinstance(second, Cheating)
    assert dict(match.held)[1] == one


def test_a_contribution_is_checked_again_where_its_step_was_closed_without_it() -> None:
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 3))
    show(match, seats)
    assert match.plan is not None
    mover = match.plan.subject
    intake, number = Intake(match), match.number
    own = seats[mover - 1].play(match, at_random(1)(seats[mover - 1].view(match)))
    finding = intake.check(own)
    voters = [seat for seat in seats if seat.number != mover]
    for seat in voters:
        take(intake, SignedBallot(seat.ballot(match, 1, wish("skip", mover), "late")))
    for seat in voters:
        for head in seat.heads(match):
            take(intake, SignedHead(head))
    assert (finding.place[0], match.final) == (number, number)
    assert isinstance(intake.take(finding, mover), Ignored)
    assert match.record[number - 1].action == "skip"
    assert match.proven == {}


def test_a_contribution_is_checked_again_where_its_step_was_undone() -> None:
    """It was right on a past that is gone; on the one that stands it is of another past."""
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 3))
    show(match, seats)
    assert match.plan is not None
    mover = match.plan.subject
    before = fork(match)
    own = seats[mover - 1].play(match, at_random(1)(seats[mover - 1].view(match)))
    others = [seat for seat in seats if seat.number != mover]
    # The others have voted on a past without the mover's action, which is here already, and closed by it.
    ballots = [seat.ballot(before, 1, wish("skip", mover), "late") for seat in others]
    intake = Intake(match)
    assert isinstance(take(intake, own), Applied)
    late = next(seat for seat in seats if seat.owes(match))
    due = late.contribute(match) if match.kind == "draw" else None
    assert due is not None
    finding, number = intake.check(due), match.number
    outcomes = [take(intake, SignedBallot(ballot)) for ballot in ballots]
    assert kinds(outcomes) == [Applied] * 3
    assert match.record[number - 2].action == "skip"
    assert isinstance(intake.take(finding, late.number), Ignored)
    assert match.proven == {}


def test_a_check_keeps_nothing(trio: Played) -> None:
    step = trio.step_of("turn")
    match = shared_match_at(trio, step)
    ((seat, right),) = trio.steps[step - 1].contributions
    things: list[SignedThing] = [
        right,
        with_body(trio.identity(seat), right, action="pass"),
        altered(trio.identity(seat), right, prev=bytes(32)),
        trio.steps[step].contributions[0][1],
        OfferedEvidence((right,)),
        SignedLeave(trio.seat(1).leave(match)),
        ReleasedSecret(1, encode_scalar(trio.seat(1).release())),
    ]
    intake = Intake(match)
    above = {number: set(seats) for live in match.chain.live for number, seats in live.decree._above.items()}
    before = snapshot(match)
    for thing in things:
        intake.check(thing)
    assert (snapshot(match), len(intake.pending), match.left) == (before, 0, {})
    assert above == {number: set(seats) for live in match.chain.live for number, seats in live.decree._above.items()}


def test_checks_in_a_thread_while_steps_close(brief: Played) -> None:
    """Two threads check everything again and again, while the game is played: their findings are taken late."""
    intake = Intake(Match(brief.agreement))
    everything = [held for step in brief.steps for _, held in step.contributions]
    findings: deque[object] = deque(maxlen=200)
    failed: list[BaseException] = []
    over = threading.Event()

    def checks() -> None:
        dice = random.Random(1)
        try:
            while not over.is_set():
                findings.append(intake.check(dice.choice(everything)))
        except BaseException as error:  # noqa: BLE001 -- the test names it
            failed.append(error)

    threads = [threading.Thread(target=checks) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for contribution in everything:
            while findings:
                intake.take(findings.popleft(), 0)  # type: ignore[arg-type]
            hand_in(intake, contribution)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert failed == []
    assert intake.match.proven == {}
    assert intake.match.record == brief.match.record


# Votes, heads and leaves.


def four_and_ahead() -> tuple[Match, Match, list[SeatKeys]]:
    """A match of four at a turn, and the same one step further."""
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 3))
    show(match, seats)
    ahead = fork(match)
    play_on(ahead, seats, at_random(1), lambda later: later.number > match.number + 1)
    return match, ahead, seats


def test_votes_wait_until_their_step_is_the_first_that_is_not_final() -> None:
    match, ahead, seats = four_and_ahead()
    show(ahead, seats)
    assert ahead.chain.base is not None
    about = min(ahead.awaited)
    ballot = next(seat for seat in seats if seat.number != about).ballot(ahead, 1, wish("drop", about), "late")
    intake = Intake(match)
    assert kinds(hand_in(intake, SignedBallot(ballot))) == [Deferred]
    outcomes: list[Outcome] = []
    for closed in ahead.record[match.final :]:
        for _, contribution in closed.contributions:
            outcomes += hand_in(intake, contribution)
    for seat in seats:
        for head in seat.heads(match):
            outcomes += hand_in(intake, SignedHead(head))
    assert match.final == ahead.final
    applied = [outcome for outcome in outcomes if isinstance(outcome, Applied)]
    assert [outcome.thing for outcome in applied if isinstance(outcome.thing, SignedBallot)] == [SignedBallot(ballot)]
    assert any(isinstance(event, Voted) for outcome in applied for event in outcome.events)


def test_a_head_waits_until_its_step_is_closed_here() -> None:
    """Not until another one is final: then three seats that are ahead would tell nothing for as long."""
    match, ahead, seats = four_and_ahead()
    intake, number = Intake(match), match.number
    for seat in seats:
        for head in seat.heads(ahead):
            assert kinds(hand_in(intake, SignedHead(head))) == [Deferred]
    assert len(intake.pending) == len(seats)
    for closed in ahead.record[number - 1 :]:
        for _, contribution in closed.contributions:
            hand_in(intake, contribution)
    assert len(intake.pending) == 0
    assert match.final == ahead.number - 1 > number


def test_a_second_vote_of_a_round_is_cheating() -> None:
    match, _, seats = four_and_ahead()
    about = min(match.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    intake = Intake(match)
    one, two = (voter.ballot(match, 1, wish(action, about), "late") for action in ("skip", "drop"))
    outcomes = [take(intake, SignedBallot(each)) for each in (one, one, two, two)]
    assert kinds(outcomes) == [Applied, Ignored, Cheating, Ignored]


def test_a_vote_on_another_past_is_ignored() -> None:
    match, _, seats = four_and_ahead()
    about = min(match.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    ballot = voter.ballot(match, 1, wish("drop", about), "late")
    payload = altered(identity(voter.number, 1), ballot, prev=bytes(32)).payload
    intake = Intake(match)
    assert kinds(hand_in(intake, SignedBallot(Contribution(payload, voter.sign(BALLOT, payload))))) == [Ignored]
    assert kinds(hand_in(intake, SignedBallot(ballot))) == [Applied]


def test_a_leave_counts_once(trio: Played) -> None:
    match = match_at(trio, trio.step_of("turn"))
    intake = Intake(match)
    leave = SignedLeave(trio.seat(2).leave(match))
    assert kinds([take(intake, leave), take(intake, leave)]) == [Applied, Ignored]
    assert list(match.left) == [2]
    forged = SignedLeave(Contribution(leave.bytes.payload, bytes(64)))
    assert isinstance(take(intake, forged), BadSender)


# Remarks.


def test_a_remark_waits_for_the_one_before_it_and_for_its_step(trio: Played) -> None:
    step = trio.step_of("turn")
    match, later = match_at(trio, step), match_at(trio, step + 1)
    seat = trio.seat(2)
    said = []
    for at, text in ((match, "one"), (match, "two"), (later, "three")):
        said.append(remark(later if at is later else match, seat, text))
        # What the speaker says next follows this one.
        for each in (later,) if at is later else (match, later):
            each.receive_remark(said[-1].bytes.payload, said[-1].bytes.signature)
    intake = Intake(match_at(trio, step))
    assert heard(hand_in(intake, said[2])) == []
    assert heard(hand_in(intake, said[1])) == []
    assert heard(hand_in(intake, said[0])) == ["one", "two"]
    ((_, turn),) = trio.steps[step - 1].contributions
    assert heard(hand_in(intake, turn)) == ["three"]
    assert kinds(hand_in(intake, said[0])) == [Ignored]
    forged = SignedRemark(Contribution(said[0].bytes.payload, bytes(64)))
    assert isinstance(take(intake, forged), BadSender)


def test_a_seat_that_says_too_much_is_heard_later(trio: Played) -> None:
    speaking = match_at(trio, trio.step_of("turn"))
    said = []
    for text in ("one", "two"):
        said.append(remark(speaking, trio.seat(2), text))
        speaking.receive_remark(said[-1].bytes.payload, said[-1].bytes.signature)
    muted: set[int] = {2}
    intake = Intake(match_at(trio, speaking.number), lambda seat: seat not in muted)
    assert [heard(hand_in(intake, each)) for each in said] == [[], []]
    assert intake.due(WORDS) is None
    muted.clear()
    waiting = intake.due(WORDS)
    assert waiting is not None
    assert heard(hand_in(intake, waiting.thing)) == ["one", "two"]


# Evidence.


def wrong_turns(trio: Played, cheat: int, first: int) -> Iterator[Contribution]:
    """Contributions that a seat signed on pasts which never were, to one step after the other."""
    template = trio.contribution(trio.step_of("seat"), cheat)
    for step in range(first, first + 300):
        for version in (1, 2):
            yield altered(trio.identity(cheat), template, step=step, prev=bytes([version]) * 32)


def test_a_cheat_does_not_crowd_out_the_evidence_against_itself(trio: Played) -> None:
    """Seat 3 offers what seat 2 signed; before and after it, seat 2 offers hundreds of its own."""
    step = next(
        closed.number
        for closed in trio.steps[trio.step_of("turn") + 3 :]
        if [seat for seat, _ in closed.contributions] == [2]
    )
    ((cheat, right),) = trio.steps[step - 1].contributions
    wrong = with_body(trio.identity(cheat), right, action="pass")
    intake = Intake(match_at(trio, trio.step_of("turn")))
    flood = list(wrong_turns(trio, cheat, intake.match.number + 1))
    for each in flood[:300]:
        hand_in(intake, OfferedEvidence((each,)), cheat)
        hand_in(intake, each, cheat)
    assert kinds(hand_in(intake, OfferedEvidence((wrong,)), 3)) == [Deferred]
    for each in flood[300:]:
        hand_in(intake, OfferedEvidence((each,)), cheat)
        hand_in(intake, each, cheat)
    assert len(intake.pending) <= 2 * ROOMS[OfferedEvidence].places + ROOMS[Contribution].places
    outcomes: list[Outcome] = []
    for closed in trio.steps[intake.match.number - 1 : step - 1]:
        for seat, contribution in closed.contributions:
            outcomes += hand_in(intake, contribution, seat)
    assert [outcome.violation.seat for outcome in outcomes if isinstance(outcome, Cheating)] == [cheat]


def test_evidence_that_proves_nothing(trio: Played) -> None:
    step = trio.step_of("turn")
    intake = Intake(match_at(trio, step))
    ((seat, right),) = trio.steps[step - 1].contributions
    assert isinstance(take(intake, OfferedEvidence((right,)), 2), Ignored)
    assert isinstance(take(intake, OfferedEvidence((right, right)), 2), Ignored)
    assert isinstance(
        take(intake, OfferedEvidence((signed(trio.identity(seat % 3 + 1), right.payload),)), 2), BadSender
    )
    assert intake.match.held == ()


# What no seat can do to another.


@pytest.mark.parametrize("count", [0, 3])
def test_evidence_is_one_contribution_or_two(trio: Played, count: int) -> None:
    intake = Intake(Match(trio.agreement))
    contribution = Contribution(b"payload", bytes(64))
    assert isinstance(take(intake, OfferedEvidence((contribution,) * count), 2), BadSender)


@pytest.mark.parametrize("foe", [1, 3])
def test_a_seat_that_signs_too_much_loses_its_own_words_only(trio: Played, foe: int) -> None:
    """Seat 2 is catching up; a foe fills every place that it can with what it signed."""
    step = trio.step_of("turn")
    intake = Intake(match_at(trio, step))
    honest = [
        (seat, contribution)
        for closed in trio.steps[step : step + 20]
        for seat, contribution in closed.contributions
        if seat != foe
    ]
    for index, each in enumerate(wrong_turns(trio, foe, step + 1)):
        assert not {Applied, Cheating, BadSender} & set(kinds(hand_in(intake, each, foe)))
        if index < len(honest):
            seat, contribution = honest[-1 - index]
            assert kinds(hand_in(intake, contribution, seat)) == [Deferred]
    for closed in trio.steps[step - 1 : step + 20]:
        for seat, contribution in closed.contributions:
            if seat == foe or closed.number == step:
                hand_in(intake, contribution, seat)
    assert intake.match.number == step + 21
    assert intake.match.record == trio.match.record[: step + 20]


@settings(max_examples=15)
@given(data=st.data())
def test_anything_in_any_order_comes_to_an_outcome(brief: Played, data: st.DataObject) -> None:
    """Bytes that were changed, things of one kind sent as another, secrets, early and late: nothing is raised."""
    match = match_at(brief, data.draw(st.integers(1, len(brief.steps))))
    intake = Intake(match)
    ((seat, _), *_), seats = brief.steps[0].contributions, make_seats(2, brief.seed)
    pieces = [held for step in brief.steps for _, held in step.contributions]
    pieces += [seats[0].leave(match), Contribution(*seats[0].say(match, "hello"))]
    for _ in range(data.draw(st.integers(1, 30))):
        piece = data.draw(st.sampled_from(pieces))
        if data.draw(st.booleans()):
            piece = Contribution(piece.payload[: data.draw(st.integers(0, 200))], piece.signature)
        make = data.draw(st.sampled_from([Contribution, SignedBallot, SignedHead, SignedLeave, SignedRemark]))
        thing: SignedThing = piece if make is Contribution else make(piece)
        if data.draw(st.booleans()):
            thing = OfferedEvidence((piece, data.draw(st.sampled_from(pieces))))
        if data.draw(st.booleans()):
            thing = ReleasedSecret(data.draw(st.integers(1, 12)), data.draw(st.sampled_from([FALSE, bytes(32)])))
        for outcome in hand_in(intake, thing, seat):
            assert isinstance(outcome, Outcome)
    assert match.proven == {}
    assert not [kind for kind in EVERYTHING if len(intake.pending.of(kind)) > 4 * ROOMS[kind].places]


# Game secrets.


def secret(trio: Played, seat: int) -> ReleasedSecret:
    return ReleasedSecret(seat, encode_scalar(trio.seat(seat).release()))


def test_a_secret_before_the_end_is_kept_if_it_is_right(trio: Played) -> None:
    match = match_at(trio, trio.step_of("over"))
    intake = Intake(match)
    assert isinstance(take(intake, secret(trio, 3), 2), Deferred)
    for false in (FALSE, bytes(32), b"\xff" * 32):
        assert isinstance(take(intake, ReleasedSecret(2, false), 3), BadSender)
    assert isinstance(take(intake, ReleasedSecret(9, FALSE), 3), BadSender)
    assert len(intake.pending) == 1
    outcomes: list[Outcome] = []
    for seat, contribution in trio.steps[-1].contributions:
        outcomes += hand_in(intake, contribution, seat)
    assert match.openings == {3: trio.seat(3).release()}
    assert [type(each.thing) for each in outcomes if isinstance(each, Applied)][-1] is ReleasedSecret
    assert kinds(hand_in(intake, secret(trio, 3), 2)) == [Ignored]
    assert kinds(hand_in(intake, secret(trio, 1), 2)) == [Applied]


def test_a_secret_before_the_game_keys_is_on_its_senders_account(trio: Played) -> None:
    """Nothing tells a false one yet: it is looked at when the keys are known, and is its sender's fault."""
    reveal = trio.step_of("reveal")
    intake = Intake(match_at(trio, reveal))
    for seat in (1, 2, 3, 9):
        hand_in(intake, ReleasedSecret(seat, FALSE), 2)
    assert kinds(hand_in(intake, secret(trio, 3), 3)) == [Deferred]
    outcomes: list[Outcome] = []
    for seat, contribution in trio.steps[reveal - 1].contributions:
        outcomes += hand_in(intake, contribution, seat)
    assert kinds(outcomes).count(BadSender) == 3
    assert [waiting.thing for _, waiting in intake.pending.of(ReleasedSecret)] == [secret(trio, 3)]


def test_no_secret_is_taken_at_a_table_that_keeps_its_hands_closed() -> None:
    game = played(2, "kids", 3, open_hands=False)
    intake = Intake(match_at(game, len(game.steps)))
    assert isinstance(take(intake, secret(game, 1), 1), BadSender)


def test_labels_keep_one_kind_from_passing_as_another(trio: Played) -> None:
    match = match_at(trio, trio.step_of("turn"))
    leave = trio.seat(2).leave(match)
    as_contribution = Contribution(leave.payload, trio.seat(2).sign(CONTRIBUTION, leave.payload))
    intake = Intake(match)
    for thing in (SignedLeave(as_contribution), SignedBallot(leave), SignedHead(leave), SignedRemark(leave), leave):
        assert isinstance(take(intake, thing, 1), BadSender)


# Shuffles that are checked together.


class Sums:
    """Counts the equations of each sum."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, equations: Iterable[Equation]) -> None:
        whole = tuple(equations)
        self.sizes.append(len(whole))
        require(whole)


def before_shuffles(own_seat: int, sums: Sums, *, linked: bool = True) -> tuple[Intake, list[Contribution]]:
    """Return the intake of a seat of six when the first of them shuffles, and all shuffles."""
    agreement = encode_agreement(make_agreement(6, MINIATURE.name))
    whole = Match(agreement)
    play(whole, make_seats(6), at_random(1), lambda match: match.kind == "deal")
    match = Match(agreement, own_seat, Checks(sums, lot_max=4))
    for step in whole.record[:2]:
        for _, contribution in step.contributions:
            match.receive(contribution)
    sums.sizes.clear()
    return Intake(match, may_wait=lambda: linked), [step.contributions[0][1] for step in whole.record[2:]]


SHUFFLE = len(MINIATURE.deck) + 5
"""The equations of one."""


def check_lot(intake: Intake) -> list[Outcome]:
    """Check the shuffles that wait, and take those that this lets in."""
    intake.check_lot(intake.lot())
    return [take(intake, waiting.thing) for waiting in iter(intake.due, None)]


def test_shuffles_that_come_long_before_an_own_signature_are_checked_together() -> None:
    sums = Sums()
    intake, shuffles = before_shuffles(6, sums)
    for shuffle in shuffles[:3]:
        assert kinds(hand_in(intake, shuffle)) == [Deferred]
        assert intake.due_lot() == []
    assert kinds(hand_in(intake, shuffles[3])) == [Deferred]
    assert intake.due_lot() == intake.lot() == shuffles[:4]
    assert kinds(check_lot(intake)) == [Applied] * 4
    assert sums.sizes == [4 * SHUFFLE]
    # Nothing is left to wait for before the own shuffle.
    assert kinds(hand_in(intake, shuffles[4])) == [Applied]
    assert kinds(hand_in(intake, shuffles[5])) == [Applied]
    assert sums.sizes == [4 * SHUFFLE, SHUFFLE, SHUFFLE]


@pytest.mark.parametrize("false_one", range(4))
def test_of_shuffles_that_are_checked_together_the_false_one_is_named(false_one: int) -> None:
    intake, shuffles = before_shuffles(6, Sums())
    proof = fields_of(shuffles[false_one - 1])["body"]["proof"]
    wrong = with_body(identity(false_one + 1), shuffles[false_one], proof=proof)
    for shuffle in (*shuffles[:false_one], wrong, *shuffles[false_one + 1 : 4]):
        assert kinds(hand_in(intake, shuffle)) == [Deferred]
    # The later ones are on top of the right one, which is not here.
    assert intake.lot() == [*shuffles[:false_one], wrong]
    outcomes = check_lot(intake)
    assert kinds(outcomes) == [Applied] * false_one + [Cheating]
    assert isinstance(cheating := outcomes[-1], Cheating)
    assert cheating.violation.seat == false_one + 1
    assert intake.match.number == 3 + false_one


def test_no_shuffle_waits_where_seats_depend_on_each_other() -> None:
    sums = Sums()
    intake, shuffles = before_shuffles(6, sums, linked=False)
    for shuffle in shuffles:
        assert kinds(hand_in(intake, shuffle)) == [Applied]
    assert sums.sizes == [SHUFFLE] * 6


def test_the_seat_that_shuffles_next_does_not_wait() -> None:
    intake, shuffles = before_shuffles(2, Sums())
    assert kinds(hand_in(intake, shuffles[0])) == [Applied]
