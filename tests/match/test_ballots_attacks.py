"""What others try with ballots, heads, leaves and evidence: each is refused, or of no use, and the game goes on."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.match.ballots import AHEAD_MAX, ROUND_MAX, VOTES_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode, encode, pack, unpack
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Dropped, Undone, Voted
from seqp2p.match.intake import Applied, Cheating, Intake
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    LastRecord,
    LeavePayload,
    OfferedEvidence,
    SignedBallot,
    SignedHead,
    SignedThing,
)
from seqp2p.replay.format import CertificateRecord, EvidenceRecord, records
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from tests.match.test_ballots_games import nth, table
from tests.match.voting import play_on, show, staying, vote, wish
from tests.table import (
    altered,
    at_random,
    contribution_of,
    fork,
    identity,
    make_seats,
    replay_of,
    snapshot,
    with_body,
)


@pytest.fixture(scope="module")
def four() -> Match:
    """A table of four whose third turn is open and is the first step that is not final; not to be changed."""
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 3))
    show(match, seats)
    assert match.chain.base is match.chain.open
    return match


@pytest.fixture
def match(four: Match) -> Match:
    return fork(four)


@pytest.fixture
def seats() -> list[SeatKeys]:
    return make_seats(4)


def mover_of(match: Match) -> int:
    assert match.plan is not None
    return match.plan.subject


def gone(match: Match) -> tuple[int, ...]:
    return match.game.gone


def free(match: Match) -> bool:
    """Whether seats may sign."""
    return match.may_sign


def others_of(match: Match, seats: list[SeatKeys]) -> list[SeatKeys]:
    return [seat for seat in seats if seat.number != mover_of(match)]


def ballot(match: Match, signer: int, **changes: Any) -> Contribution:
    """A ballot as this seat signs it, whatever it says."""
    base = match.chain.base
    assert base is not None
    fields = {
        "v": 1,
        "game": match.game.id,
        "step": base.number,
        "prev": base.prev,
        "seat": signer,
        "round": 1,
        "action": "drop",
        "about": [mover_of(match)],
        "reason": "late",
        "last": None,
    }
    payload = pack(fields | changes)
    return Contribution(payload, sign(identity(signer), BALLOT, payload))


def head(match: Match, seat: int, **changes: Any) -> Contribution:
    base = match.chain.base
    assert base is not None
    said = HeadPayload(1, match.game.id, base.number, base.prev, seat, 0, bytes(32))
    payload = encode(msgspec.structs.replace(said, **changes))
    return Contribution(payload, sign(identity(seat), HEAD, payload))


# Forged, malformed, out of place.


def test_a_forged_ballot_is_nobodys(match: Match) -> None:
    mover = mover_of(match)
    own = mover % 4 + 1
    before = snapshot(match)
    right = ballot(match, own)
    forged = Contribution(right.payload, sign(identity(mover), BALLOT, right.payload))
    as_contribution = Contribution(right.payload, sign(identity(own), HEAD, right.payload))
    for wrong, text in (
        (forged, "does not verify"),
        (as_contribution, "does not verify"),
        (ballot(match, own, game=bytes(32)), "another game"),
        (ballot(match, own, seat=12), "no seat 12"),
        (ballot(match, own, about=[own]), "about other seats"),
        (ballot(match, own, about=[3, 3]), "ascending"),
        (ballot(match, own, about=[4, 1]), "ascending"),
        (ballot(match, own, about=[]), "length"),
        (ballot(match, own, round=0), "round"),
        (ballot(match, own, round=ROUND_MAX + 1), "round"),
        (ballot(match, own, action="expel"), "action"),
        (ballot(match, own, reason="ugly"), "reason"),
        (ballot(match, own, last={"round": 1, "head": bytes(32)}), "earlier round"),
        (ballot(match, own, more=1), "unknown field"),
        (Contribution(right.payload + b"\0", right.signature), "extra data"),
    ):
        with pytest.raises(Unattributable, match=text):
            match.receive_word(BallotPayload, wrong)
    assert snapshot(match) == before
    assert match.chain.base is not None
    assert match.chain.base.ballots == {}


def test_forged_heads_and_leaves_are_nobodys(match: Match) -> None:
    said = head(match, 1)
    with pytest.raises(Unattributable, match="head does not verify"):
        match.receive_word(HeadPayload, Contribution(said.payload, sign(identity(2), HEAD, said.payload)))
    with pytest.raises(Unattributable, match="not a head"):
        match.receive_word(HeadPayload, ballot(match, 1))
    payload = encode(LeavePayload(1, match.game.id, 2))
    with pytest.raises(Unattributable, match="leave does not verify"):
        match.receive_word(LeavePayload, Contribution(payload, sign(identity(1), LEAVE, payload)))
    other = encode(LeavePayload(1, bytes(32), 2))
    with pytest.raises(Unattributable, match="another game"):
        match.receive_word(LeavePayload, Contribution(other, sign(identity(2), LEAVE, other)))
    assert match.left == {}


def test_a_ballot_about_another_step_or_past(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    own = mover % 4 + 1
    number = match.number
    assert match.receive_word(BallotPayload, ballot(match, own, step=number - 1)) is None, "that step is final"
    with pytest.raises(TooEarly):
        match.receive_word(BallotPayload, ballot(match, own, step=number + 1))
    with pytest.raises(OtherPast):
        match.receive_word(BallotPayload, ballot(match, own, prev=bytes(32)))
    with pytest.raises(TooEarly):
        match.receive_word(HeadPayload, head(match, own, step=number + 1))
    assert match.receive_word(HeadPayload, head(match, own, prev=bytes(32))) is None
    assert match.receive_word(HeadPayload, head(match, own, step=1)) is None
    assert len(seats) == 4


def test_votes_that_the_rules_do_not_allow_do_not_count(match: Match) -> None:
    mover = mover_of(match)
    own, other, third = (seat for seat in (1, 2, 3, 4) if seat != mover)
    for about in ([other], [mover, other]):
        assert match.receive_word(BallotPayload, ballot(match, own, action="skip", about=sorted(about))) is None
    assert match.receive_word(BallotPayload, ballot(match, own, about=sorted([mover, other]))) is None, (
        "that leaves no majority"
    )
    assert match.receive_word(BallotPayload, ballot(match, own, about=[12])) is None
    assert match.receive_word(BallotPayload, ballot(match, third)) is not None
    assert match.chain.base is not None
    assert match.chain.base.ballots.keys() == {(1, third)}


def test_a_skip_is_of_a_turn_only() -> None:
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("draw", 2))
    show(match, seats)
    drawer = mover_of(match)
    assert match.receive_word(BallotPayload, ballot(match, drawer % 4 + 1, action="skip")) is None


def test_a_minority_closes_nothing(match: Match, seats: list[SeatKeys]) -> None:
    own, other, third = others_of(match, seats)
    for seat in (own, other):
        assert (
            match.receive_word(BallotPayload, seat.ballot(match, 1, wish("drop", mover_of(match)), "late")) is not None
        )
    assert gone(match) == ()
    # Two of four, about the other two.
    about = sorted({mover_of(match), third.number})
    assert match.receive_word(BallotPayload, ballot(match, own.number, round=2, about=about)) is None
    assert gone(match) == ()
    goes_on(match, seats)


def goes_on(match: Match, seats: list[SeatKeys]) -> None:
    play_on(match, seats, at_random(1))
    assert verify(replay_of(match, staying(match, seats)[0])).verdict == "verified"


def test_a_seat_that_was_dropped_votes_no_more(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    vote(match, seats, wish("drop", mover))
    assert gone(match) == (mover,)
    stays = match.game.seats[0]
    assert match.receive_word(BallotPayload, ballot(match, mover, about=[stays])) is None
    assert match.receive_word(BallotPayload, ballot(match, stays, about=[mover])) is None, "and nobody votes on it"
    assert match.receive_word(HeadPayload, head(match, mover)) is None
    goes_on(match, seats)


def test_one_vote_against_an_honest_seat_is_overtaken_by_its_contribution(match: Match, seats: list[SeatKeys]) -> None:
    """It contributes; whoever voted cannot close the step so by itself, but follows the majority of the others."""
    mover = mover_of(match)
    enemy, *friends = others_of(match, seats)
    enemys = fork(match)
    enemys.own_seat = enemy.number
    against = enemy.ballot(match, 1, wish("drop", mover), "late")
    move = contribution_of(match, seats[mover - 1], at_random(1))
    for each in (match, enemys):
        each.receive_word(BallotPayload, against)
        each.receive(move)
    assert match.record[-1].contributions == ((mover, move),)
    assert enemys.number == match.number - 1, "it has promised not to close by the contribution"
    assert not enemys.may_sign or enemys.number not in enemys.awaited
    heads = [next(iter(seat.heads(match))) for seat in (seats[mover - 1], *friends)]
    for signed in heads:
        enemys.receive_word(HeadPayload, signed)
    assert enemys.record == match.record


def test_a_late_contribution_is_void_and_no_evidence(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    late = contribution_of(match, seats[mover - 1], at_random(1))
    wrong = with_body(identity(mover), late, more=1)
    vote(match, seats, wish("skip", mover))
    for contribution in (late, wrong):
        before = snapshot(match)
        assert match.receive(contribution) == ()
        match.weigh((contribution,))
        assert snapshot(match) == before
    with pytest.raises(Violation, match="two different"):
        match.weigh((late, wrong))
    goes_on(match, seats)


# Two ballots in one round.


def test_two_ballots_in_one_round_are_proof(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    cheat, other, third = others_of(match, seats)
    first, second = ballot(match, cheat.number), ballot(match, cheat.number, about=[other.number])
    assert match.receive_word(BallotPayload, first) is not None
    assert match.receive_word(BallotPayload, first) is None
    with pytest.raises(Violation, match="voted twice in round 1") as caught:
        match.receive_word(BallotPayload, second)
    assert caught.value.evidence == (first, second)
    for proof in ((first, second), (second, first)):
        with pytest.raises(Violation, match=f"seat {cheat.number} broke the rules"):
            match.weigh(proof)
    match.weigh((first, ballot(match, cheat.number, round=2)))
    match.weigh((first, ballot(match, other.number)))
    match.accuse(caught.value)
    assert not free(match)
    stay = [seats[mover - 1], other, third]
    events = vote(match, stay, wish("drop", cheat.number), round_=2)
    assert Dropped((cheat.number,)) in events
    assert free(match)
    goes_on(match, seats)
    report = verify(replay_of(match, other))
    assert (report.verdict, report.result) == ("verified", match.game.result)


# Lies about what came before.


@pytest.mark.parametrize("round_", [1, 3])
def test_a_last_that_nothing_bears_out_holds_a_round_up_but_not_the_next(
    match: Match, seats: list[SeatKeys], round_: int
) -> None:
    mover = mover_of(match)
    liar, other, third = others_of(match, seats)
    wanted, base = wish("drop", mover), match.chain.base
    assert base is not None
    lie = {"round": round_ - 1, "head": b"x" * 32}
    match.receive_word(BallotPayload, ballot(match, liar.number, round=round_, last=lie))
    for seat in (other, third):
        match.receive_word(BallotPayload, seat.ballot(match, round_, wanted, "late"))
    assert base.decree.certificate(round_) is None
    base.decree.promised = round_
    assert base.decree.hindering(wanted) == {liar.number}
    # Were there five, the others would go on without it; of four, the liar has to vote again, or the mover comes back.
    assert (
        match.receive_word(BallotPayload, ballot(match, other.number, round=4, about=sorted([mover, liar.number])))
        is None
    )
    match.receive(contribution_of(match, seats[mover - 1], at_random(1)))
    show(match, [other, third, seats[mover - 1]])
    assert match.record[-1].contributions


def test_heads_that_lie_make_nothing_final(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    liar, *others = others_of(match, seats)
    assert match.receive_word(HeadPayload, head(match, liar.number, head=b"x" * 32)) == ()
    assert match.receive_word(HeadPayload, head(match, liar.number, head=b"y" * 32)) is None, (
        "the first of each round counts"
    )
    for round_ in (5, 7, ROUND_MAX):
        match.receive_word(HeadPayload, head(match, liar.number, round=round_))
    match.receive(contribution_of(match, seats[mover - 1], at_random(1)))
    number = match.number
    assert match.final == number - 2
    assert match.receive_word(HeadPayload, head(match, liar.number, head=match.head)) is None
    show(match, [others[0], seats[mover - 1]])
    assert match.final == number - 2, "two of four"
    show(match, [others[1]])
    assert match.final == number - 1


def test_ballots_for_rounds_far_ahead_are_bounded_and_not_followed(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    eager, other, third = others_of(match, seats)
    base = match.chain.base
    assert base is not None
    taken = [
        match.receive_word(BallotPayload, ballot(match, eager.number, round=round_))
        for round_ in range(ROUND_MAX, 0, -1)
    ]
    assert sum(events is not None for events in taken) == VOTES_MAX == len(base.ballots)
    assert base.decree.newest() <= AHEAD_MAX
    due = base.decree.ballot_due(other.number, wish("drop", mover), stuck=True)
    assert due is not None
    assert due[0] <= AHEAD_MAX
    # Whoever wants to be rid of it does not hear it at all.
    assert base.decree.ballot_due(other.number, wish("drop", eager.number), stuck=False) == (
        1,
        wish("drop", eager.number),
    )
    events = vote(match, [seats[mover - 1], other, third], wish("drop", eager.number))
    assert Dropped((eager.number,)) in events
    goes_on(match, seats)


# Two contributions.


def equivocation(match: Match, seats: list[SeatKeys]) -> tuple[int, Contribution, Contribution]:
    """The mover, and two turns of it, both right in themselves."""
    mover = mover_of(match)
    found = {contribution_of(match, seats[mover - 1], at_random(seed)) for seed in range(6)}
    first, second, *_ = sorted(found, key=lambda each: each.payload)
    return mover, first, second


def proof(match: Match, *evidence: Contribution) -> Violation:
    with pytest.raises(Violation) as caught:
        match.weigh(evidence)
    return caught.value


def test_an_equivocation_in_a_step_that_is_not_final_is_voted_on(match: Match, seats: list[SeatKeys]) -> None:
    """Two took one version and one the other: with the cheat, the first can have been final, so it stands."""
    mover, first, second = equivocation(match, seats)
    one, two, three = others_of(match, seats)
    views = {seat.number: fork(match) for seat in (one, two, three)}
    for seat, taken in ((one, first), (two, first), (three, second)):
        views[seat.number].receive(taken)
        views[seat.number].own_seat = seat.number
    evidence = proof(match, first, second)
    for seat in (one, two, three):
        view = views[seat.number]
        view.accuse(evidence)
        assert not view.may_sign
        assert seat.heads(view) == (), "nobody signs on it"
    wanted = wish("drop", mover)
    ballots = [seat.ballot(views[seat.number], 1, wanted, "cheated") for seat in (one, two, three)]
    for view in views.values():
        for signed in ballots:
            view.receive_word(BallotPayload, signed)
    for shown in [shown for seat in (one, two, three) for shown in seat.heads(views[seat.number])]:
        for view in views.values():
            view.receive_word(HeadPayload, shown)
    assert {view.head for view in views.values()} == {views[one.number].head}
    assert views[three.number].record[-1].contributions == ((mover, first),)
    assert {view.final for view in views.values()} == {match.number}


def test_of_two_versions_neither_of_which_can_be_final_the_action_stands(match: Match, seats: list[SeatKeys]) -> None:
    mover, first, second = equivocation(match, seats)
    one, two, three = others_of(match, seats)
    views = {seat.number: fork(match) for seat in (one, two, three)}
    views[one.number].receive(first)
    views[two.number].receive(second)
    evidence = proof(match, second, first)
    for seat in (one, two, three):
        views[seat.number].own_seat = seat.number
        views[seat.number].accuse(evidence)
    ballots = [seat.ballot(views[seat.number], 1, wish("drop", mover), "cheated") for seat in (one, two, three)]
    lasts = [decode(BallotPayload, signed.payload, 512).last for signed in ballots]
    assert [last is None for last in lasts] == [False, False, True]
    for number, view in views.items():
        events = [event for signed in ballots for event in view.receive_word(BallotPayload, signed) or ()]
        assert (Undone(match.number) in events) == (number != three.number)
        for seat in (one, two, three):
            for shown in seat.heads(view):
                view.receive_word(HeadPayload, shown)
        assert view.game.gone == (mover,)
    # The verifier does not see who closed it how, but the evidence, which lets it take the ballots for what they are.
    view = views[three.number]
    play_on(view, seats, at_random(1))
    report = verify(replay_of(view, three))
    assert (report.verdict, report.steps) == ("verified", len(view.record)), report.reason


def test_evidence_that_decides_how_a_step_closed_stands_before_it(
    match: Match, seats: list[SeatKeys], tmp_path: Path
) -> None:
    """All votes are here, and tell nothing without the evidence: it makes the step final as soon as it comes."""
    mover, first, second = equivocation(match, seats)
    voters = others_of(match, seats)
    views = {seat.number: fork(match) for seat in voters}
    views[voters[0].number].receive(first)
    views[voters[1].number].receive(second)
    for seat in voters:
        views[seat.number].accuse(proof(match, second, first))
    ballots = [seat.ballot(views[seat.number], 1, wish("drop", mover), "cheated") for seat in voters]
    late, number = Intake(fork(match)), match.number
    with ReplayWriter(tmp_path / "late.seqp2p", late.match) as writer:
        writer.record(late.match)
        things: list[SignedThing] = [SignedBallot(signed) for signed in ballots]
        for seat in voters:
            for signed in ballots:
                views[seat.number].receive_word(BallotPayload, signed)
            things += [SignedHead(shown) for shown in seat.heads(views[seat.number])]
        outcomes = []
        for thing in (*things, OfferedEvidence((second, first))):
            outcomes.append(late.take(late.check(thing), 0))
            assert isinstance(outcomes[-1], Applied | Cheating)
            assert (late.match.final >= number) == isinstance(outcomes[-1], Cheating)
            writer.keep(late.match, outcomes[-1])
        writer.finish(late.match, voters[0].identity_key, voters[0].sign)
    written = [placed.record for placed in records((tmp_path / "late.seqp2p").read_bytes())]
    kinds = [type(record) for record in written]
    assert kinds.index(EvidenceRecord) < kinds.index(CertificateRecord)
    report = verify((tmp_path / "late.seqp2p").read_bytes())
    assert (report.verdict, report.steps) == ("unfinished", number), report.reason


def test_an_equivocation_in_a_final_step_leaves_it_as_it_is(match: Match, seats: list[SeatKeys]) -> None:
    mover, first, second = equivocation(match, seats)
    match.receive(first)
    show(match, seats)
    assert match.final == match.number - 1
    with pytest.raises(Violation) as caught:
        match.receive(second)
    match.accuse(caught.value)
    assert match.record[-1].contributions == ((mover, first),)
    stay = [seat for seat in seats if seat.number != mover]
    events = vote(match, stay, wish("drop", mover))
    assert Dropped((mover,)) in events
    goes_on(match, seats)


def test_evidence_against_a_seat_that_is_gone_stops_nobody(match: Match, seats: list[SeatKeys]) -> None:
    mover, first, second = equivocation(match, seats)
    evidence = proof(match, first, second)
    vote(match, seats, wish("drop", mover))
    match.accuse(evidence)
    assert match.proven.keys() == {mover}
    assert free(match)
    # Nor does it count among those who may have split a later step, whatever it signs about that.
    show(match, staying(match, seats))
    later = (altered(identity(mover), each, step=match.number, prev=match.head) for each in (first, second))
    match.accuse(proof(match, *later))
    assert match.chain.base is not None
    assert match.chain.base.decree.cheats == set()
    goes_on(match, seats)


# Undoing.


def test_what_was_undone_and_stands_after_all_keeps_its_bytes(match: Match, seats: list[SeatKeys]) -> None:
    """A turn is closed, and signed upon by one; ballots undo it; a higher round brings it back: nobody signs twice."""
    mover = mover_of(match)
    one, two, three = others_of(match, seats)
    turn = contribution_of(match, seats[mover - 1], at_random(1))
    match.receive(turn)
    above = one.contribute(match)
    match.receive(above)
    assert match.chain.base is not None
    head_after = match.head
    base, wanted = match.chain.base, wish("drop", mover)
    for seat in (one, two, three):
        match.receive_word(BallotPayload, ballot(match, seat.number))
    assert gone(match) == (mover,)
    assert base.decree.closing is not None
    assert base.decree.closing.round == 1
    # In a later round one of them says that it had closed it by the contribution, in no round that anybody knows of.
    for seat, said in ((one, LastRecord(0, head_after)), (two, None), (three, None)):
        last = None if said is None else {"round": said.round, "head": said.head}
        match.receive_word(BallotPayload, ballot(match, seat.number, round=2, last=last, about=sorted(wanted.about)))
    assert match.head == head_after
    assert gone(match) == ()
    assert match.held == ((one.number, above),)


def test_one_closed_it_by_an_action_and_the_others_by_the_turn() -> None:
    """The ballots of a round got to one seat only; the others went on to the next, and have the turn. That seat too."""
    alone, seats = table(6, "classic")
    play_on(alone, seats, at_random(1), lambda match: match.kind == "turn" and mover_of(match) != 1)
    mover, number = mover_of(alone), alone.number
    turn = contribution_of(alone, seats[mover - 1], at_random(2))
    wrong = with_body(identity(mover), turn, more=1)
    others = [seat for seat in seats if seat.number not in (1, mover)]
    rest, its = fork(alone), fork(alone)
    its.receive(turn)
    for voter in (seats[0], *others):
        signed = voter.ballot(alone, 1, wish("skip", mover), "late")
        alone.receive_word(BallotPayload, signed)
        if voter in others:
            rest.receive_word(BallotPayload, signed)
            its.receive_word(BallotPayload, signed)
    assert (alone.number, alone.final) == (number + 1, number - 1)
    second = [seat.ballot(rest, 2, wish("drop", 1), "late") for seat in others]
    second.append(seats[mover - 1].ballot(its, 2, wish("drop", 1), "late"))
    for each in (rest, its):
        for signed in second:
            each.receive_word(BallotPayload, signed)
    rest.receive(turn)
    assert rest.record == its.record
    assert not rest.record[-1].action
    heads = [head for seat in others for head in seat.heads(rest)]

    assert alone.receive(wrong) == ()
    assert alone.record[-1].action == "skip"
    assert alone.receive(turn) == ()
    assert alone.receive(wrong) == ()
    for signed in second:
        alone.receive_word(BallotPayload, signed)
    for signed in heads:
        alone.receive_word(HeadPayload, signed)
    assert alone.final == number
    assert alone.record == rest.record


def test_no_share_for_one_card_to_two_seats(match: Match, seats: list[SeatKeys]) -> None:
    """A draw is undone by a vote that no honest majority makes; the card would go to another seat."""
    mover = mover_of(match)
    one, two, three = others_of(match, seats)
    before = fork(match)
    match.receive(contribution_of(match, seats[mover - 1], at_random(1)))
    assert (match.kind, mover_of(match)) == ("draw", mover)
    given = match.game.deck.drawn
    # What it gave it knows again when it comes back.
    again = make_seats(4)[one.number - 1]
    again.remember(match, one.contribute(match))
    vote(before, seats, wish("skip", mover))
    play_on(before, seats, at_random(3), lambda match: match.kind == "draw")
    assert before.game.deck.drawn == given
    drawer = mover_of(before)
    assert drawer != mover
    for seat in (one, two, three):
        if seat.number != drawer:
            assert seat.owes(before) == (seat is not one)
    if one.number != drawer:
        assert not again.owes(before)


# Who may sign.


def test_nobody_signs_above_a_certificate_before_it_is_final(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    for seat in others_of(match, seats):
        match.receive_word(BallotPayload, seat.ballot(match, 1, wish("skip", mover), "late"))
    next_mover = mover_of(match)
    assert match.number == match.final + 2
    assert not free(match)
    assert not seats[next_mover - 1].owes(match)
    show(match, seats)
    assert free(match)
    assert seats[next_mover - 1].owes(match)


def test_nobody_signs_above_a_step_that_it_voted_against(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    voter = others_of(match, seats)[0]
    match.own_seat = voter.number
    match.receive(contribution_of(match, seats[mover - 1], at_random(1)))
    assert free(match)
    events = match.receive_word(BallotPayload, voter.ballot(match, 1, wish("drop", mover), "late"))
    assert events is not None
    assert [type(event) for event in events] == [Voted]
    assert not free(match)
    assert voter.heads(match) == ()


def test_what_a_seat_signed_binds_it_when_it_comes_back(match: Match, seats: list[SeatKeys]) -> None:
    mover = mover_of(match)
    voter = others_of(match, seats)[0]
    again = fork(match)
    again.own_seat = voter.number
    match.receive(contribution_of(match, seats[mover - 1], at_random(1)))
    (shown,) = voter.heads(match)
    again.receive_word(HeadPayload, shown)
    voted = decode(BallotPayload, voter.ballot(again, 1, wish("drop", mover), "late").payload, 512)
    assert voted.last == LastRecord(0, match.head)
    assert unpack(shown.payload, 512)["head"] == match.head
