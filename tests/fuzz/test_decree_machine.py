"""Every input in every state of one step's consensus: any votes, any words on how it closed, by any number of cheats.

What honest majorities make of it is explored in tests/match/test_ballots_exploration.py; here nothing may break.
"""

import random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from seqp2p.match.ballots import ROUND_MAX, Decree, Last, Vote, Wish
from tests.match.exploring import head_of

HEADS = tuple(bytes([number]) * 4 for number in range(4))
ROUNDS = st.sampled_from([1, 1, 2, 2, 3, 4, 17, 18, 33, ROUND_MAX])
SEATS = st.integers(1, 6)


class Step(RuleBasedStateMachine):
    """One decree, seen by one of its seats; votes come as ``Match`` lets them in."""

    @initialize(seats=st.integers(3, 6), own=st.integers(1, 3))
    def begin(self, seats: int, own: int) -> None:
        self.own = own
        self.members = frozenset(range(1, seats + 1))
        self.decree = Decree(self.members, head_of)
        self.promised = 0

    def wish(self, about: set[int], *, skip: bool) -> Wish:
        return Wish("skip" if skip else "drop", frozenset(about) & self.members)

    def last(self, seed: int, round_: int) -> Last | None:
        dice = random.Random(seed)
        heads = [*HEADS, *(head_of("drop", frozenset({seat})) for seat in self.members)]
        return dice.choice([None, Last(dice.randrange(round_), dice.choice(heads)), Last(0, HEADS[0])])

    @rule(seat=SEATS, round_=ROUNDS, about=st.sets(SEATS, max_size=3), skip=st.booleans(), seed=st.integers(0, 999))
    def somebody_votes(self, seat: int, round_: int, about: set[int], skip: bool, seed: int) -> None:
        wish = self.wish(about - {seat}, skip=skip)
        if seat in self.members and wish.about:
            self.vote(Vote(seat, round_, wish.action, wish.about, self.last(seed, round_)))

    @rule(round_=ROUNDS, about=SEATS, seed=st.integers(0, 999))
    def all_others_vote(self, round_: int, about: int, seed: int) -> None:
        for seat in self.members - {about}:
            self.vote(Vote(seat, round_, "drop", frozenset({about}), self.last(seed + seat % 2, round_)))

    def vote(self, vote: Vote) -> None:
        if not self.decree.voted_out(vote.seat):
            self.decree.vote(vote)
            if vote.seat == self.own:
                self.decree.bind(vote.round, vote.last)

    @rule(seat=SEATS, round_=st.integers(0, 20), head=st.sampled_from(HEADS))
    def somebody_shows(self, seat: int, round_: int, head: bytes) -> None:
        if seat in self.members:
            new = self.decree.show(seat, round_, head)
            assert not self.decree.show(seat, round_, HEADS[-1]), new

    @rule(seat=SEATS, head=st.sampled_from(HEADS))
    def somebody_signs_above(self, seat: int, head: bytes) -> None:
        if seat in self.members:
            self.decree.show_above(seat, head)

    @rule(head=st.sampled_from(HEADS), cheat=SEATS)
    def a_version_comes(self, head: bytes, cheat: int) -> None:
        """All contributions are here; a second version means that a seat signed twice."""
        if head not in self.decree.complete:
            self.decree.complete.append(head)
        self.decree.primary = self.decree.primary or head
        if len(self.decree.complete) > 1:
            self.decree.cheats.add(min(cheat, len(self.members)))

    @rule()
    def settle(self) -> None:
        """As the chain does: what is final, else what is better."""
        closing = self.decree.decided() or self.decree.acceptable()
        if closing is not None:
            before = self.decree.closing
            self.decree.accept(closing)
            assert self.decree.has_shown(self.own) == (self.own in self.decree.showers(closing))
            assert before is None or before.round <= closing.round or self.decree.decided() == closing

    @rule(about=st.sets(SEATS, max_size=5), skip=st.booleans(), stuck=st.booleans(), wishes=st.booleans())
    def own_turn_to_vote(self, about: set[int], skip: bool, stuck: bool, wishes: bool) -> None:
        """What this seat should vote is a vote that counts, in a round that it may still vote in."""
        wish = self.wish(about - {self.own}, skip=skip)
        due = self.decree.ballot_due(self.own, wish if wishes and wish.about else None, stuck=stuck)
        if due is None:
            return
        round_, joined = due
        assert self.decree.promised < round_ <= ROUND_MAX
        assert self.own not in joined.about
        assert self.decree.majority(self.members - joined.about)
        last = self.decree.last()
        assert last is None or last.round < round_, "what a ballot says of its seat is of an earlier round"
        self.vote(Vote(self.own, round_, joined.action, joined.about, last))
        assert self.decree.promised == round_
        assert self.decree.hindering(joined) <= self.members - joined.about

    @invariant()
    def sound(self) -> None:
        if not hasattr(self, "decree"):
            return
        decree = self.decree
        assert decree.promised >= self.promised, "a promise is kept"
        self.promised = decree.promised
        closings = decree.closings()
        assert [each.round for each in closings] == sorted(each.round for each in closings)
        certified = [each.round for each in closings if each.round]
        assert len(certified) == len(set(certified)), "one certificate a round"
        assert decree.decided() is None or decree.decided() in closings
        assert decree.newest() <= max([0, *decree.votes])
        assert isinstance(decree.unexplained, bool)


TestDecree = Step.TestCase
TestDecree.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
