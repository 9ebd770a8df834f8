"""Votes where seats know different things: two versions of a turn, votes that some missed, a seat that comes back."""

from pathlib import Path

import pytest

from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import decode
from seqp2p.match.errors import Violation
from seqp2p.match.events import Undone
from seqp2p.match.intake import Applied, Cheating, Intake
from seqp2p.match.machine import Match
from seqp2p.match.signed import (
    BallotPayload,
    HeadPayload,
    LastRecord,
    OfferedEvidence,
    SignedBallot,
    SignedHead,
    SignedThing,
)
from seqp2p.replay.format import CertificateRecord, EvidenceRecord, records
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from tests.match.test_votes import Voting
from tests.match.voting import at_turn, hear, mover_of, play_on, vote, wish
from tests.sim import MINIATURE
from tests.table import at_random, contribution_of, fork, identity, make_seats, replay_of, with_body


class Four(Voting):
    """A table of four at its third turn, all steps before it final; and the other three."""

    def __init__(self) -> None:
        super().__init__("4 kids turn 3")
        self.mover = mover_of(self.match)
        self.others = [seat for seat in self.seats if seat.number != self.mover]
        self.against = wish("drop", self.mover)
        self.turn = self.named["first"]
        self.equivocation = self.turn, self.named["second"]

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
def four() -> Four:
    return Four()


def proof(match: Match, *evidence: Contribution) -> Violation:
    with pytest.raises(Violation) as caught:
        match.weigh(evidence)
    return caught.value


def test_one_vote_against_an_honest_seat_is_overtaken_by_its_contribution(four: Four) -> None:
    """It contributes; the seat that voted does not close the step so, but follows the majority of the others."""
    enemy, *friends = four.others
    match, enemys = four.match, fork(four.match)
    enemys.own_seat = enemy.number
    against, move = enemy.ballot(match, 1, four.against, "late"), four.turn
    for each in (match, enemys):
        hear(each, against)
        each.receive(move)
    assert match.record[-1].contributions == ((four.mover, move),)
    assert enemys.number == match.number - 1, "it has promised not to close by the contribution"
    assert not enemys.may_sign or enemys.number not in enemys.awaited
    hear(enemys, *(next(iter(seat.heads(match))) for seat in (four.seats[four.mover - 1], *friends)))
    assert enemys.record == match.record


# Two contributions.


def test_an_equivocation_in_a_step_that_is_not_final_is_voted_on(four: Four) -> None:
    """Two took one version and one the other: with the cheat, the first can have been final, so it stands."""
    first, second = four.equivocation
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
    first, second = four.equivocation
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
    first, second = four.equivocation
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


# Undoing.


def test_one_closed_it_by_an_action_and_the_others_by_the_turn() -> None:
    """The ballots of a round got to one seat only; the others went on to the next, and have the turn. That seat too."""
    alone, seats = at_turn(1, 6, MINIATURE.name)
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
    match.receive(four.turn)
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


def test_what_a_seat_signed_binds_it_when_it_comes_back(four: Four) -> None:
    voter, again = four.others[0], fork(four.match)
    again.own_seat = voter.number
    four.match.receive(four.turn)
    (shown,) = voter.heads(four.match)
    hear(again, shown)
    voted = decode(BallotPayload, voter.ballot(again, 1, four.against, "late").payload, 512)
    assert voted.last == LastRecord(0, four.match.head)
    assert decode(HeadPayload, shown.payload, 512).head == four.match.head
