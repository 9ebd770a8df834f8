"""What others try with ballots, heads, leaves and evidence: each is refused, or of no use, and the game goes on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.crypto.identity import sign
from seqp2p.match.ballots import AHEAD_MAX, ROUND_MAX, VOTES_MAX, Wish
from seqp2p.match.chain import LiveStep
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode, pack
from seqp2p.match.errors import MatchError, OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Dropped, Event, Undone, Voted
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
    Word,
)
from seqp2p.replay.format import CertificateRecord, EvidenceRecord, records
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from tests.match.test_ballots_games import MINI, at_turn, ends_verified, mover_of
from tests.match.voting import hear, play_on, show, staying, vote, wish
from tests.table import altered, at_random, contribution_of, fork, identity, make_seats, replay_of, snapshot, with_body

Outcome = tuple[Event, ...] | None | type[MatchError]
LABELS: dict[type[Word], str] = {BallotPayload: BALLOT, HeadPayload: HEAD, LeavePayload: LEAVE}


@pytest.fixture(scope="module")
def third_turn() -> Match:
    """A table of four whose third turn is open and all steps before it final; not to be changed."""
    match, _ = at_turn(3, 4)
    assert match.chain.base is match.chain.open
    return match


@dataclass
class Four:
    """That table, to be changed: the match, the seats, whose turn it is, and the other three."""

    match: Match
    seats: list[SeatKeys]
    mover: int
    others: list[SeatKeys]

    @property
    def base(self) -> LiveStep:
        """The first step without a final closing."""
        assert self.match.chain.base is not None
        return self.match.chain.base

    @property
    def against(self) -> Wish:
        """To drop the mover."""
        return wish("drop", self.mover)

    def turn(self, seed: int = 1) -> Contribution:
        """A turn of the mover."""
        return contribution_of(self.match, self.seats[self.mover - 1], at_random(seed))

    def equivocation(self) -> tuple[Contribution, Contribution]:
        """Two turns of the mover, both right in themselves."""
        first, second, *_ = sorted({self.turn(seed) for seed in range(6)}, key=lambda each: each.payload)
        return first, second

    def word(self, kind: type[Word], signer: int, fields: dict[str, Any]) -> Contribution:
        """A word with these fields, signed by this seat."""
        payload = pack({"v": 1, "game": self.match.game.id, **fields})
        return Contribution(payload, sign(identity(signer), LABELS[kind], payload))

    def ballot(self, signer: int, **changes: Any) -> Contribution:
        """A ballot of this seat to drop the mover, but for the changes."""
        fields = {"step": self.base.number, "prev": self.base.prev, "seat": signer, "round": 1, "action": "drop"}
        more = {"about": [self.mover], "reason": "late", "last": None}
        return self.word(BallotPayload, signer, fields | more | changes)

    def head(self, signer: int, **changes: Any) -> Contribution:
        """A head of this seat, but for the changes."""
        fields = {"step": self.base.number, "prev": self.base.prev, "seat": signer, "round": 0, "head": bytes(32)}
        return self.word(HeadPayload, signer, fields | changes)

    def leave(self, signer: int, **changes: Any) -> Contribution:
        """A leave of seat 2."""
        return self.word(LeavePayload, signer, {"seat": 2} | changes)

    def takes(self, kind: type[Word], word: Contribution) -> Outcome:
        """What becomes of a word: its events, None if it does not count, or the error."""
        try:
            return self.match.receive_word(kind, word)
        except MatchError as error:
            return type(error)

    def views(self, *taken: Contribution | None) -> dict[int, Match]:
        """The others' own matches, each of which has taken one of these contributions."""
        views = {}
        for seat, contribution in zip(self.others, taken, strict=True):
            views[seat.number] = view = fork(self.match)
            view.own_seat = seat.number
            if contribution is not None:
                view.receive(contribution)
        return views

    def accused(self, views: dict[int, Match], *evidence: Contribution) -> list[Contribution]:
        """All views are shown the evidence; the ballots of the others then."""
        for view in views.values():
            view.accuse(proof(self.match, *evidence))
        return [seat.ballot(views[seat.number], 1, self.against, "cheated") for seat in self.others]


@pytest.fixture
def four(third_turn: Match) -> Four:
    seats, mover = make_seats(4), mover_of(third_turn)
    return Four(fork(third_turn), seats, mover, [seat for seat in seats if seat.number != mover])


def free(match: Match) -> bool:
    """Seats may sign."""
    return match.may_sign


def gone(match: Match) -> tuple[int, ...]:
    return match.game.gone


def proof(match: Match, *evidence: Contribution) -> Violation:
    with pytest.raises(Violation) as caught:
        match.weigh(evidence)
    return caught.value


# Forged, malformed, out of place.


def test_a_forged_word_is_no_seats(four: Four) -> None:
    own = four.mover % 4 + 1
    right, head = four.ballot(own), four.head(own)
    before = snapshot(four.match)
    for kind, wrong, text in (
        (BallotPayload, four.ballot(four.mover, seat=own), "ballot does not verify"),
        (BallotPayload, Contribution(right.payload, sign(identity(own), HEAD, right.payload)), "does not verify"),
        (BallotPayload, four.ballot(own, game=bytes(32)), "another game"),
        (BallotPayload, four.ballot(own, seat=12), "no seat 12"),
        (BallotPayload, four.ballot(own, about=[own]), "about other seats"),
        (BallotPayload, four.ballot(own, about=[3, 3]), "ascending"),
        (BallotPayload, four.ballot(own, last={"round": 1, "head": bytes(32)}), "earlier round"),
        (HeadPayload, Contribution(head.payload, four.head(four.mover).signature), "head does not verify"),
        (HeadPayload, right, "not a head"),
        (LeavePayload, four.leave(1), "leave does not verify"),
        (LeavePayload, four.leave(2, game=bytes(32)), "another game"),
    ):
        with pytest.raises(Unattributable, match=text):
            four.match.receive_word(kind, wrong)
    assert snapshot(four.match) == before
    assert (four.base.ballots, four.match.left) == ({}, {})


def test_a_word_that_is_out_of_place_does_not_count(four: Four) -> None:
    own, other, third = (seat.number for seat in four.others)
    number = four.match.number
    rows: list[tuple[type[Word], Contribution, Outcome]] = [
        (BallotPayload, four.ballot(own, step=number - 1), None),  # that step is final
        (BallotPayload, four.ballot(own, step=number + 1), TooEarly),
        (BallotPayload, four.ballot(own, prev=bytes(32)), OtherPast),
        (HeadPayload, four.head(own, step=1), None),
        (HeadPayload, four.head(own, step=number + 1), TooEarly),
        (HeadPayload, four.head(own, prev=bytes(32)), None),
        # What the rules do not allow.
        (BallotPayload, four.ballot(own, action="skip", about=[other]), None),
        (BallotPayload, four.ballot(own, action="skip", about=sorted([four.mover, other])), None),
        (BallotPayload, four.ballot(own, about=[12]), None),
        # That leaves no majority.
        (BallotPayload, four.ballot(own, about=sorted([four.mover, other])), None),
        (BallotPayload, four.ballot(own, round=2, about=sorted([four.mover, third])), None),
    ]
    for kind, word, outcome in rows:
        assert four.takes(kind, word) == outcome
    assert four.base.ballots == {}


def test_a_seat_that_was_dropped_votes_no_more(four: Four) -> None:
    vote(four.match, four.seats, four.against)
    assert gone(four.match) == (four.mover,)
    stays = four.match.game.seats[0]
    assert four.takes(BallotPayload, four.ballot(four.mover, about=[stays])) is None
    assert four.takes(BallotPayload, four.ballot(stays, about=[four.mover])) is None, "and nobody votes on it"
    assert four.takes(HeadPayload, four.head(four.mover)) is None
    ends_verified(four.match, four.seats)


def test_one_vote_against_an_honest_seat_is_overtaken_by_its_contribution(four: Four) -> None:
    """It contributes; the seat that voted does not close the step so, but follows the majority of the others."""
    enemy, *friends = four.others
    match, enemys = four.match, fork(four.match)
    enemys.own_seat = enemy.number
    against, move = enemy.ballot(match, 1, four.against, "late"), four.turn()
    for each in (match, enemys):
        hear(each, against)
        each.receive(move)
    assert match.record[-1].contributions == ((four.mover, move),)
    assert enemys.number == match.number - 1, "it has promised not to close by the contribution"
    assert not enemys.may_sign or enemys.number not in enemys.awaited
    hear(enemys, *(next(iter(seat.heads(match))) for seat in (four.seats[four.mover - 1], *friends)))
    assert enemys.record == match.record


def test_a_late_contribution_is_void_and_no_evidence(four: Four) -> None:
    late = four.turn()
    wrong = with_body(identity(four.mover), late, more=1)
    vote(four.match, four.seats, wish("skip", four.mover))
    for contribution in (late, wrong):
        before = snapshot(four.match)
        assert four.match.receive(contribution) == ()
        four.match.weigh((contribution,))
        assert snapshot(four.match) == before
    assert "two different" in proof(four.match, late, wrong).reason
    ends_verified(four.match, four.seats)


def test_two_ballots_in_one_round_are_proof(four: Four) -> None:
    match = four.match
    cheat, other, _ = four.others
    first, second = four.ballot(cheat.number), four.ballot(cheat.number, about=[other.number])
    assert four.takes(BallotPayload, first)
    assert four.takes(BallotPayload, first) is None
    with pytest.raises(Violation, match="voted twice in round 1") as caught:
        match.receive_word(BallotPayload, second)
    assert caught.value.evidence == (first, second)
    assert proof(match, first, second).seat == proof(match, second, first).seat == cheat.number
    match.weigh((first, four.ballot(cheat.number, round=2)))
    match.weigh((first, four.ballot(other.number)))
    match.accuse(caught.value)
    assert not free(match)
    stay = [seat for seat in four.seats if seat.number != cheat.number]
    assert Dropped((cheat.number,)) in vote(match, stay, wish("drop", cheat.number), round_=2)
    assert free(match)
    ends_verified(match, four.seats)


# Lies about what came before.


@pytest.mark.parametrize("round_", [1, 3])
def test_a_last_that_nothing_bears_out_holds_a_round_up_but_not_the_next(four: Four, round_: int) -> None:
    """Were there five, the others would go on without it; of four, the liar votes again, or the mover comes back."""
    liar, other, third = four.others
    base, mover = four.base, four.seats[four.mover - 1]
    hear(four.match, four.ballot(liar.number, round=round_, last={"round": round_ - 1, "head": b"x" * 32}))
    hear(four.match, *(seat.ballot(four.match, round_, four.against, "late") for seat in (other, third)))
    assert base.decree.certificate(round_) is None
    base.decree.promised = round_
    assert base.decree.hindering(four.against) == {liar.number}
    both = four.ballot(other.number, round=4, about=sorted([four.mover, liar.number]))
    assert four.takes(BallotPayload, both) is None
    four.match.receive(four.turn())
    show(four.match, [other, third, mover])
    assert four.match.record[-1].contributions


def test_heads_that_lie_make_nothing_final(four: Four) -> None:
    liar, *others = four.others
    assert four.takes(HeadPayload, four.head(liar.number, head=b"x" * 32)) == ()
    assert four.takes(HeadPayload, four.head(liar.number, head=b"y" * 32)) is None, "the first of each round counts"
    hear(four.match, *(four.head(liar.number, round=round_) for round_ in (5, 7, ROUND_MAX)))
    four.match.receive(four.turn())
    number = four.match.number
    assert four.match.final == number - 2
    assert four.takes(HeadPayload, four.head(liar.number, head=four.match.head)) is None
    show(four.match, [others[0], four.seats[four.mover - 1]])
    assert four.match.final == number - 2, "two of four"
    show(four.match, [others[1]])
    assert four.match.final == number - 1


def test_ballots_for_rounds_far_ahead_are_bounded_and_not_followed(four: Four) -> None:
    eager, other, third = four.others
    base, out = four.base, wish("drop", eager.number)
    taken = [four.takes(BallotPayload, four.ballot(eager.number, round=round_)) for round_ in range(ROUND_MAX, 0, -1)]
    assert sum(events is not None for events in taken) == VOTES_MAX == len(base.ballots)
    assert base.decree.newest() <= AHEAD_MAX
    due = base.decree.ballot_due(other.number, four.against, stuck=True)
    assert due is not None
    assert due[0] <= AHEAD_MAX
    # A seat that wants to drop it does not hear it at all.
    assert base.decree.ballot_due(other.number, out, stuck=False) == (1, out)
    assert Dropped((eager.number,)) in vote(four.match, [four.seats[four.mover - 1], other, third], out)
    ends_verified(four.match, four.seats)


# Two contributions.


def test_an_equivocation_in_a_step_that_is_not_final_is_voted_on(four: Four) -> None:
    """Two took one version and one the other: with the cheat, the first can have been final, so it stands."""
    first, second = four.equivocation()
    views = four.views(first, first, second)
    ballots = four.accused(views, first, second)
    for seat in four.others:
        assert not views[seat.number].may_sign
        assert seat.heads(views[seat.number]) == (), "nobody signs on it"
    for view in views.values():
        hear(view, *ballots)
    heads = [head for seat in four.others for head in seat.heads(views[seat.number])]
    for view in views.values():
        hear(view, *heads)
        assert view.record[-1].contributions == ((four.mover, first),)
        assert view.final == four.match.number
    assert len({view.head for view in views.values()}) == 1


def test_of_two_versions_neither_of_which_can_be_final_the_action_stands(four: Four) -> None:
    first, second = four.equivocation()
    views = four.views(first, second, None)
    ballots = four.accused(views, second, first)
    lasts = [decode(BallotPayload, signed.payload, 512).last for signed in ballots]
    assert [last is None for last in lasts] == [False, False, True]
    *_, third = four.others
    for number, view in views.items():
        assert (Undone(four.match.number) in hear(view, *ballots)) == (number != third.number)
        hear(view, *(head for seat in four.others for head in seat.heads(view)))
        assert view.game.gone == (four.mover,)
    # The verifier does not see who closed it how, but the evidence, which lets it take the ballots for what they are.
    view = views[third.number]
    play_on(view, four.seats, at_random(1))
    report = verify(replay_of(view, third))
    assert (report.verdict, report.steps) == ("verified", len(view.record)), report.reason


def test_evidence_that_decides_how_a_step_closed_stands_before_it(four: Four, tmp_path: Path) -> None:
    """All votes are here, and tell nothing without the evidence: it makes the step final as soon as it comes."""
    first, second = four.equivocation()
    views, number, path = four.views(first, second, None), four.match.number, tmp_path / "late.seqp2p"
    ballots = four.accused(views, second, first)
    things: list[SignedThing] = [SignedBallot(signed) for signed in ballots]
    for seat in four.others:
        hear(views[seat.number], *ballots)
        things += [SignedHead(shown) for shown in seat.heads(views[seat.number])]
    late, writer = Intake(four.match), four.others[0]
    with ReplayWriter(path, late.match) as replay:
        replay.record(late.match)
        for thing in (*things, OfferedEvidence((second, first))):
            outcome = late.take(late.check(thing), 0)
            assert isinstance(outcome, Applied | Cheating)
            assert (late.match.final >= number) == isinstance(outcome, Cheating)
            replay.keep(late.match, outcome)
        replay.finish(late.match, writer.identity_key, writer.sign)
    kinds = [type(placed.record) for placed in records(path.read_bytes())]
    assert kinds.index(EvidenceRecord) < kinds.index(CertificateRecord)
    report = verify(path.read_bytes())
    assert (report.verdict, report.steps) == ("unfinished", number), report.reason


def test_an_equivocation_in_a_final_step_leaves_it_as_it_is(four: Four) -> None:
    match = four.match
    first, second = four.equivocation()
    match.receive(first)
    show(match, four.seats)
    assert match.final == match.number - 1
    with pytest.raises(Violation) as caught:
        match.receive(second)
    match.accuse(caught.value)
    assert match.record[-1].contributions == ((four.mover, first),)
    assert Dropped((four.mover,)) in vote(match, four.others, four.against)
    ends_verified(match, four.seats)


def test_evidence_against_a_seat_that_is_gone_stops_nobody(four: Four) -> None:
    """It may sign two things about a later step, too: it does not count among those who may have split that."""
    match = four.match
    first, second = four.equivocation()
    evidence = proof(match, first, second)
    vote(match, four.seats, four.against)
    match.accuse(evidence)
    assert match.proven.keys() == {four.mover}
    assert free(match)
    show(match, staying(match, four.seats))
    later = (altered(identity(four.mover), each, step=match.number, prev=match.head) for each in (first, second))
    match.accuse(proof(match, *later))
    assert four.base.decree.cheats == set()
    ends_verified(match, four.seats)


# Undoing.


def test_what_was_undone_and_stands_after_all_keeps_its_bytes(four: Four) -> None:
    """A turn is closed, and signed upon by one; ballots undo it; a higher round brings it back: no seat signs twice.

    In the later round one of them says that it had closed it by the contribution, in no round that anybody knows of.
    """
    match, base = four.match, four.base
    one, *_ = four.others
    match.receive(four.turn())
    above = one.contribute(match)
    match.receive(above)
    head_after = match.head
    hear(match, *(four.ballot(seat.number) for seat in four.others))
    assert gone(match) == (four.mover,)
    assert base.decree.closing is not None
    assert base.decree.closing.round == 1
    for seat in four.others:
        last = {"round": 0, "head": head_after} if seat is one else None
        hear(match, four.ballot(seat.number, round=2, last=last, about=[four.mover]))
    assert match.head == head_after
    assert gone(match) == ()
    assert match.held == ((one.number, above),)


def test_one_closed_it_by_an_action_and_the_others_by_the_turn() -> None:
    """The ballots of a round got to one seat only; the others went on to the next, and have the turn. That seat too."""
    alone, seats = at_turn(1, 6, MINI)
    play_on(alone, seats, at_random(1), lambda match: match.kind == "turn" and mover_of(match) != 1)
    mover, number = mover_of(alone), alone.number
    turn = contribution_of(alone, seats[mover - 1], at_random(2))
    wrong = with_body(identity(mover), turn, more=1)
    others = [seat for seat in seats if seat.number not in (1, mover)]
    rest, its = fork(alone), fork(alone)
    its.receive(turn)
    first = [voter.ballot(alone, 1, wish("skip", mover), "late") for voter in others]
    hear(alone, seats[0].ballot(alone, 1, wish("skip", mover), "late"), *first)
    for each in (rest, its):
        hear(each, *first)
    assert (alone.number, alone.final) == (number + 1, number - 1)
    second = [seat.ballot(rest, 2, wish("drop", 1), "late") for seat in others]
    second.append(seats[mover - 1].ballot(its, 2, wish("drop", 1), "late"))
    for each in (rest, its):
        hear(each, *second)
    rest.receive(turn)
    assert rest.record == its.record
    assert not rest.record[-1].action
    heads = [head for seat in others for head in seat.heads(rest)]

    assert alone.receive(wrong) == ()
    assert alone.record[-1].action == "skip"
    assert alone.receive(turn) == ()
    assert alone.receive(wrong) == ()
    hear(alone, *second, *heads)
    assert alone.final == number
    assert alone.record == rest.record


def test_no_share_for_one_card_to_two_seats(four: Four) -> None:
    """A draw is undone by a vote that no honest majority makes; the card would go to another seat."""
    one, *_ = four.others
    before, match = fork(four.match), four.match
    match.receive(four.turn())
    assert (match.kind, mover_of(match)) == ("draw", four.mover)
    given = match.game.deck.drawn
    # What it gave it knows again when it comes back.
    again = make_seats(4)[one.number - 1]
    again.remember(match, one.contribute(match))
    vote(before, four.seats, wish("skip", four.mover))
    play_on(before, four.seats, at_random(3), lambda match: match.kind == "draw")
    drawer = mover_of(before)
    assert before.game.deck.drawn == given
    assert drawer not in {one.number, four.mover}
    for seat in four.others:
        assert seat.owes(before) == (seat.number not in {one.number, drawer})
    assert not again.owes(before)


# Who may sign.


def test_nobody_signs_above_a_certificate_before_it_is_final(four: Four) -> None:
    match = four.match
    hear(match, *(seat.ballot(match, 1, wish("skip", four.mover), "late") for seat in four.others))
    next_mover = four.seats[mover_of(match) - 1]
    assert match.number == match.final + 2
    assert not free(match)
    assert not next_mover.owes(match)
    show(match, four.seats)
    assert free(match)
    assert next_mover.owes(match)


def test_nobody_signs_above_a_step_that_it_voted_against(four: Four) -> None:
    voter, match = four.others[0], four.match
    match.own_seat = voter.number
    match.receive(four.turn())
    assert free(match)
    events = hear(match, voter.ballot(match, 1, four.against, "late"))
    assert [type(event) for event in events] == [Voted]
    assert not free(match)
    assert voter.heads(match) == ()


def test_what_a_seat_signed_binds_it_when_it_comes_back(four: Four) -> None:
    voter, again = four.others[0], fork(four.match)
    again.own_seat = voter.number
    four.match.receive(four.turn())
    (shown,) = voter.heads(four.match)
    hear(again, shown)
    voted = decode(BallotPayload, voter.ballot(again, 1, four.against, "late").payload, 512)
    assert voted.last == LastRecord(0, four.match.head)
    assert decode(HeadPayload, shown.payload, 512).head == four.match.head
