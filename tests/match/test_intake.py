"""The intake: each thing comes to one outcome, early things wait, and an outdated check is made again."""

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
from seqp2p.match.intake import ROOMS, WORDS, Applied, BadSender, Cheating, Deferred, Finding, Ignored, Intake, Outcome
from seqp2p.match.machine import VERDICTS_KEPT, Match
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
from tests.match.refusal import AtStep, at_step
from tests.match.voting import at_turn, mover_of, play_on, show, wish
from tests.sim import MINIATURE
from tests.table import (
    Played,
    altered,
    at_random,
    contribution_of,
    fields_of,
    fork,
    identity,
    make_agreement,
    make_seats,
    match_at,
    play,
    played,
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


def close(intake: Intake, game: Played, step: int) -> list[Outcome]:
    """Hand in what closed a step of a game."""
    contributions = game.steps[step - 1].contributions
    return [outcome for seat, held in contributions for outcome in hand_in(intake, held, seat)]


def kinds(outcomes: list[Outcome]) -> list[type[Outcome]]:
    return [type(outcome) for outcome in outcomes]


def taken(intake: Intake, *things: SignedThing, sender: int = 2) -> list[type[Outcome]]:
    """What becomes of these things, one after the other."""
    return kinds([take(intake, thing, sender) for thing in things])


def remark(match: Match, seat: SeatKeys, text: str) -> SignedRemark:
    return SignedRemark(Contribution(*seat.say(match, text)))


def heard(outcomes: list[Outcome]) -> list[str]:
    events = [event for outcome in outcomes if isinstance(outcome, Applied) for event in outcome.events]
    return [event.text for event in events if isinstance(event, Remarked)]


@pytest.fixture
def turn(trio: Played) -> AtStep:
    """The first turn."""
    return at_step(trio, "turn")


def intake_at(at: AtStep) -> Intake:
    return Intake(fork(at.match))


@settings(max_examples=10)
@given(dice=st.randoms(use_true_random=False))
def test_a_network_that_delays_repeats_and_overtakes(trio: Played, dice: random.Random) -> None:
    """Each contribution is handed in once or twice; early ones wait, and the game is the same."""
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


def test_what_is_early_comes_when_its_step_opens(trio: Played, turn: AtStep) -> None:
    intake, step = intake_at(turn), turn.match.number
    (seat, later), *_ = trio.steps[step].contributions
    assert taken(intake, later, later, sender=9) == [Deferred, Deferred]
    applied = [(each.thing, each.seat, each.step) for each in hand_in(intake, turn.honest) if isinstance(each, Applied)]
    assert applied == [(turn.honest, turn.number, step), (later, seat, step + 1)]
    forgetful = Intake(match_at(trio, step), keeps=False)
    assert taken(forgetful, later) == [Deferred]
    assert len(forgetful.pending) == 0


def test_what_seats_sign_wrong_and_what_no_seat_signs(trio: Played, turn: AtStep) -> None:
    """A single piece of evidence counts on its own past alone, which may be undone; so a pair after it is new."""
    intake, wrong = intake_at(turn), turn.with_body(action="pass")
    forged = signed(trio.identity(turn.number % 3 + 1), turn.honest.payload)
    before = snapshot(intake.match)
    single, both = OfferedEvidence((turn.honest,)), OfferedEvidence((turn.honest, turn.honest))
    assert taken(intake, forged, OfferedEvidence((forged,)), single, both) == [BadSender, BadSender, Ignored, Ignored]
    ignored = take(intake, turn.altered(prev=bytes(32)))
    assert isinstance(ignored, Ignored)
    assert ignored.other_past == turn.match.number
    assert snapshot(intake.match) == before
    cheating = take(intake, wrong)
    assert isinstance(cheating, Cheating)
    assert (cheating.violation.seat, cheating.first) == (turn.number, True)
    assert taken(intake, wrong, OfferedEvidence((wrong,))) == [Ignored, Ignored]
    pair = OfferedEvidence((wrong, turn.honest))
    again = take(intake, pair)
    assert isinstance(again, Cheating)
    assert again.first
    assert taken(intake, wrong, pair, OfferedEvidence((turn.honest, wrong))) == [Ignored] * 3
    assert {seat: proof.evidence for seat, proof in intake.match.proven.items()} == {turn.number: pair.contributions}


class Counting(Checks):
    """Counts the proofs of shuffles that are checked."""

    shuffles = 0

    def shuffle(self, *statement: Any) -> None:
        self.shuffles += 1
        super().shuffle(*statement)


def test_a_proof_that_was_checked_is_not_checked_again(trio: Played) -> None:
    """A shuffle is offered as evidence again and again: a right one by its own cheat, a wrong one by all."""
    at, checks = at_step(trio, "shuffle"), Counting()
    intake = Intake(Match(trio.agreement, checks=checks))
    for step in range(1, at.match.number):
        close(intake, trio, step)
    proof = at.body["proof"]
    wrong = at.with_body(proof=proof[:-1] + bytes([proof[-1] ^ 1]))
    for thing in (OfferedEvidence((at.honest,)), OfferedEvidence((wrong,)), wrong):
        assert taken(intake, *[thing] * 20).count(Cheating) <= 1
    assert taken(intake, at.honest) == [Applied]
    assert checks.shuffles == 2
    assert intake.match.proven.keys() == {at.number}


def test_verdicts_are_kept_of_few_contributions(trio: Played) -> None:
    """A cheat that offers five in turn has each of them checked again; other seats' are kept."""
    at, honest = at_step(trio, "seat", 2), trio.contribution(1, 1)
    intake = intake_at(at)
    intake.match._verdicts.clear()  # Those of the game so far.
    for number in range(3 * VERDICTS_KEPT):
        other = OfferedEvidence((at.with_body(commitment=bytes([number]) * 32),))
        assert taken(intake, other, OfferedEvidence((honest,))) == [Ignored, Ignored]
    assert [len(kept) for kept in intake.match._verdicts.values()] == [VERDICTS_KEPT, 1]


def test_two_contributions_that_were_checked_together_are_equivocation(trio: Played) -> None:
    """The second was right when it was checked: taken as it was checked, it would replace the first."""
    at = at_step(trio, "seat")
    intake = intake_at(at)
    checked = [intake.check(each) for each in (at.honest, at.with_body(commitment=bytes(32)))]
    assert kinds([intake.take(finding, 1) for finding in checked]) == [Applied, Cheating]
    assert dict(intake.match.held)[1] == at.honest


def test_a_contribution_is_checked_again_where_its_step_was_closed_without_it() -> None:
    match, seats = at_turn(3, 4)
    mover, intake, number = mover_of(match), Intake(match), match.number
    finding = intake.check(contribution_of(match, seats[mover - 1], at_random(1)))
    voters = [seat for seat in seats if seat.number != mover]
    taken(intake, *(SignedBallot(seat.ballot(match, 1, wish("skip", mover), "late")) for seat in voters))
    taken(intake, *(SignedHead(head) for seat in voters for head in seat.heads(match)))
    assert (finding.place[0], match.final) == (number, number)
    assert isinstance(intake.take(finding, mover), Ignored)
    assert match.record[number - 1].action == "skip"
    assert match.proven == {}


def test_a_contribution_is_checked_again_where_its_step_was_undone() -> None:
    """It was right on a past that is undone: the others have voted without the mover's action, which is here."""
    match, seats = at_turn(3, 4)
    mover, intake, before = mover_of(match), Intake(match), fork(match)
    others = [seat for seat in seats if seat.number != mover]
    ballots = [SignedBallot(seat.ballot(before, 1, wish("skip", mover), "late")) for seat in others]
    assert taken(intake, contribution_of(match, seats[mover - 1], at_random(1))) == [Applied]
    assert match.kind == "draw"
    late = next(seat for seat in seats if seat.owes(match))
    finding, number = intake.check(late.contribute(match)), match.number
    assert taken(intake, *ballots) == [Applied] * 3
    assert match.record[number - 2].action == "skip"
    assert isinstance(intake.take(finding, late.number), Ignored)
    assert match.proven == {}


def test_a_check_keeps_nothing(trio: Played, turn: AtStep) -> None:
    match = turn.match
    things: list[SignedThing] = [
        turn.honest,
        turn.with_body(action="pass"),
        turn.altered(prev=bytes(32)),
        trio.steps[match.number].contributions[0][1],
        OfferedEvidence((turn.honest,)),
        SignedLeave(trio.seat(1).leave(match)),
        ReleasedSecret(1, encode_scalar(trio.seat(1).release())),
    ]

    def state() -> tuple[object, ...]:
        above = [{seat: set(heads) for seat, heads in step.decree._above.items()} for step in match.chain.live]
        return snapshot(match), above, dict(match.left)

    intake, before = Intake(match), state()
    for thing in things:
        intake.check(thing)
    assert (state(), len(intake.pending)) == (before, 0)


def test_checks_in_a_thread_while_steps_close(brief: Played) -> None:
    """Two threads check everything again and again, while the game is played: their findings are taken late."""
    intake = Intake(Match(brief.agreement))
    everything = [held for step in brief.steps for _, held in step.contributions]
    findings: deque[Finding] = deque(maxlen=200)
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
                intake.take(findings.popleft(), 0)
            hand_in(intake, contribution)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert failed == []
    assert intake.match.proven == {}
    assert intake.match.record == brief.match.record


def four_and_ahead() -> tuple[Match, Match, list[SeatKeys]]:
    """A match of four at a turn, and the same one step further."""
    match, seats = at_turn(3, 4)
    ahead = fork(match)
    play_on(ahead, seats, at_random(1), lambda later: later.number > match.number + 1)
    return match, ahead, seats


def test_votes_wait_until_their_step_is_the_first_that_is_not_final() -> None:
    match, ahead, seats = four_and_ahead()
    show(ahead, seats)
    assert ahead.chain.base is not None
    about = min(ahead.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    ballot = SignedBallot(voter.ballot(ahead, 1, wish("drop", about), "late"))
    intake = Intake(match)
    assert taken(intake, ballot) == [Deferred]
    outcomes: list[Outcome] = []
    for closed in ahead.record[match.final :]:
        for _, contribution in closed.contributions:
            outcomes += hand_in(intake, contribution)
    for head in [head for seat in seats for head in seat.heads(match)]:
        outcomes += hand_in(intake, SignedHead(head))
    assert match.final == ahead.final
    (applied,) = (each for each in outcomes if isinstance(each, Applied) and isinstance(each.thing, SignedBallot))
    assert applied.thing == ballot
    assert isinstance(applied.events[0], Voted)


def test_a_head_waits_until_its_step_is_closed_here() -> None:
    """Not until another one is final: then three seats that are ahead would tell nothing for as long."""
    match, ahead, seats = four_and_ahead()
    intake, number = Intake(match), match.number
    heads = [SignedHead(head) for seat in seats for head in seat.heads(ahead)]
    assert taken(intake, *heads) == [Deferred] * len(seats)
    assert len(intake.pending) == len(seats)
    for closed in ahead.record[number - 1 :]:
        for _, contribution in closed.contributions:
            hand_in(intake, contribution)
    assert len(intake.pending) == 0
    assert match.final == ahead.number - 1 > number


def test_a_second_vote_of_a_round_is_cheating_and_one_on_another_past_is_ignored() -> None:
    match, _, seats = four_and_ahead()
    about = min(match.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    one, two = (SignedBallot(voter.ballot(match, 1, wish(action, about), "late")) for action in ("skip", "drop"))
    payload = altered(identity(voter.number), one.bytes, prev=bytes(32)).payload
    strange = SignedBallot(Contribution(payload, voter.sign(BALLOT, payload)))
    assert taken(Intake(match), strange, one, one, two, two) == [Ignored, Applied, Ignored, Cheating, Ignored]


def test_a_leave_counts_once(trio: Played, turn: AtStep) -> None:
    intake = intake_at(turn)
    leave = SignedLeave(trio.seat(2).leave(turn.match))
    forged = SignedLeave(Contribution(leave.bytes.payload, bytes(64)))
    assert taken(intake, leave, leave, forged) == [Applied, Ignored, BadSender]
    assert list(intake.match.left) == [2]


def test_labels_keep_one_kind_from_passing_as_another(trio: Played, turn: AtStep) -> None:
    leave = trio.seat(2).leave(turn.match)
    as_contribution = Contribution(leave.payload, trio.seat(2).sign(CONTRIBUTION, leave.payload))
    things = (SignedLeave(as_contribution), SignedBallot(leave), SignedHead(leave), SignedRemark(leave), leave)
    assert taken(intake_at(turn), *things) == [BadSender] * 5


def test_a_remark_waits_for_the_one_before_it_and_for_its_step(trio: Played, turn: AtStep) -> None:
    match, later = fork(turn.match), match_at(trio, turn.match.number + 1)
    said = []
    for where, text in ((match, "one"), (match, "two"), (later, "three")):
        said.append(remark(where, trio.seat(2), text))
        # What the speaker says next follows this one.
        for each in (later,) if where is later else (match, later):
            each.receive_remark(said[-1].bytes.payload, said[-1].bytes.signature)
    one, two, three = said
    intake = intake_at(turn)
    assert [heard(hand_in(intake, each)) for each in (three, two, one)] == [[], [], ["one", "two"]]
    assert heard(hand_in(intake, turn.honest)) == ["three"]
    forged = SignedRemark(Contribution(one.bytes.payload, bytes(64)))
    assert taken(intake, one, forged) == [Ignored, BadSender]


def test_a_seat_that_says_too_much_is_heard_later(trio: Played, turn: AtStep) -> None:
    speaking, said = fork(turn.match), []
    for text in ("one", "two"):
        said.append(remark(speaking, trio.seat(2), text))
        speaking.receive_remark(said[-1].bytes.payload, said[-1].bytes.signature)
    muted: set[int] = {2}
    intake = Intake(fork(turn.match), lambda seat: seat not in muted)
    assert [heard(hand_in(intake, each)) for each in said] == [[], []]
    assert intake.due(WORDS) is None
    muted.clear()
    waiting = intake.due(WORDS)
    assert waiting is not None
    assert heard(hand_in(intake, waiting.thing)) == ["one", "two"]


def wrong_turns(trio: Played, cheat: int, first: int) -> Iterator[Contribution]:
    """Contributions that a seat signed on pasts which never were, to one step after the other."""
    template = trio.contribution(trio.step_of("seat"), cheat)
    for step in range(first, first + 300):
        for version in (1, 2):
            yield altered(trio.identity(cheat), template, step=step, prev=bytes([version]) * 32)


def test_a_cheat_does_not_crowd_out_the_evidence_against_itself(trio: Played, turn: AtStep) -> None:
    """Seat 3 offers what seat 2 signed; before and after it, seat 2 offers hundreds of its own."""
    own = [closed.number for closed in trio.steps if [seat for seat, _ in closed.contributions] == [2]]
    later = at_step(trio, next(step for step in own if step > turn.match.number + 3))
    intake = intake_at(turn)
    wrong = OfferedEvidence((later.with_body(action="pass"),))
    flood = list(wrong_turns(trio, 2, intake.match.number + 1))
    for at, each in enumerate(flood):
        if at == len(flood) // 2:
            assert kinds(hand_in(intake, wrong, 3)) == [Deferred]
        hand_in(intake, OfferedEvidence((each,)), 2)
        hand_in(intake, each, 2)
    assert len(intake.pending) <= 2 * ROOMS[OfferedEvidence].places + ROOMS[Contribution].places
    closed = range(intake.match.number, later.match.number)
    outcomes = [outcome for step in closed for outcome in close(intake, trio, step)]
    assert [outcome.violation.seat for outcome in outcomes if isinstance(outcome, Cheating)] == [2]


@pytest.mark.parametrize("count", [0, 3])
def test_evidence_is_one_contribution_or_two(trio: Played, count: int) -> None:
    evidence = OfferedEvidence((Contribution(b"payload", bytes(64)),) * count)
    assert taken(Intake(Match(trio.agreement)), evidence) == [BadSender]


def secret(trio: Played, seat: int) -> ReleasedSecret:
    return ReleasedSecret(seat, encode_scalar(trio.seat(seat).release()))


def test_a_secret_before_the_end_is_kept_if_it_is_right(trio: Played) -> None:
    over = trio.step_of("over")
    intake = Intake(match_at(trio, over))
    false = [ReleasedSecret(2, each) for each in (FALSE, bytes(32), b"\xff" * 32)]
    assert taken(intake, secret(trio, 3), *false, ReleasedSecret(9, FALSE)) == [Deferred] + [BadSender] * 4
    assert len(intake.pending) == 1
    applied = [each.thing for each in close(intake, trio, over) if isinstance(each, Applied)]
    assert applied[-1] == secret(trio, 3)
    assert intake.match.openings == {3: trio.seat(3).release()}
    assert taken(intake, secret(trio, 3), secret(trio, 1)) == [Ignored, Applied]


def test_a_secret_before_the_game_keys_is_on_its_senders_account(trio: Played) -> None:
    """Nothing tells a false one yet: it is looked at when the keys are known, and is its sender's fault."""
    reveal = trio.step_of("reveal")
    intake = Intake(match_at(trio, reveal))
    taken(intake, *(ReleasedSecret(seat, FALSE) for seat in (1, 2, 3, 9)))
    assert taken(intake, secret(trio, 3), sender=3) == [Deferred]
    assert kinds(close(intake, trio, reveal)).count(BadSender) == 3
    assert [waiting.thing for _, waiting in intake.pending.of(ReleasedSecret)] == [secret(trio, 3)]


def test_no_secret_is_taken_at_a_table_that_keeps_its_hands_closed() -> None:
    game = played(2, "kids", 3, open_hands=False)
    assert taken(Intake(match_at(game, len(game.steps))), secret(game, 1)) == [BadSender]


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
    for shuffle in shuffles[4:]:
        assert kinds(hand_in(intake, shuffle)) == [Applied]
    assert sums.sizes == [4 * SHUFFLE, SHUFFLE, SHUFFLE]


@pytest.mark.parametrize("false_one", range(4))
def test_of_shuffles_that_are_checked_together_the_false_one_is_named(false_one: int) -> None:
    """The later ones are on top of the right one, which is not here."""
    intake, shuffles = before_shuffles(6, Sums())
    proof = fields_of(shuffles[false_one - 1])["body"]["proof"]
    wrong = with_body(identity(false_one + 1), shuffles[false_one], proof=proof)
    for shuffle in (*shuffles[:false_one], wrong, *shuffles[false_one + 1 : 4]):
        assert kinds(hand_in(intake, shuffle)) == [Deferred]
    assert intake.lot() == [*shuffles[:false_one], wrong]
    *right, cheating = check_lot(intake)
    assert kinds(right) == [Applied] * false_one
    assert isinstance(cheating, Cheating)
    assert cheating.violation.seat == false_one + 1
    assert intake.match.number == 3 + false_one


@pytest.mark.parametrize(("own_seat", "linked", "count"), [(6, False, 6), (2, True, 1)])
def test_no_shuffle_waits_where_seats_depend_on_each_other_or_before_the_own(
    own_seat: int, linked: bool, count: int
) -> None:
    sums = Sums()
    intake, shuffles = before_shuffles(own_seat, sums, linked=linked)
    assert taken(intake, *shuffles[:count]) == [Applied] * count
    assert sums.sizes == [SHUFFLE] * count
