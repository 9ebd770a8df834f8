"""Every input in every state of a match: honest words, words of cheats, and damaged ones.

Any input gives events or one of the match's own errors. A refused input leaves the match as it was, a final step never
changes, and the replay is right as far as it goes.
"""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, HEAD, LEAVE, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.live.absence import Absence
from seqp2p.live.voting import Voting
from seqp2p.match.ballots import Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import MatchError, Refusal, Violation
from seqp2p.match.intake import Applied
from seqp2p.match.machine import Match
from seqp2p.match.remark import BadRemark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import OfferedEvidence, SignedLeave
from seqp2p.replay.playback import play_back
from seqp2p.replay.resume import feed, load
from seqp2p.replay.sidecar import Logged, LoggedKind, to_logged
from seqp2p.replay.writer import ReplayWriter
from tests.fuzz.forging import FORGERIES
from tests.fuzz.mutate import mutated
from tests.fuzz.targets import game, receive, refused, sound
from tests.table import ACTIONS, identity, make_seats, match_at, signed, snapshot

SEATS = st.integers(1, 3)
SEEDS = st.integers(0, 2**32)
ABOUT = st.sets(SEATS, min_size=1, max_size=2)
# Before the deal, in turns early and late, in a draw, at the end.
OPENED = (1, 2, 6, 7, 8, 9, 10, 21, 37, 38, 39, 40)


class Linked:
    """Direct links between all seats."""

    def has_sought(self, _seat: int, _since: float) -> bool:
        return True

    def claimed_links(self, seat: int) -> frozenset[int]:
        return frozenset(range(1, 13)) - {seat}


class Table(RuleBasedStateMachine):
    """Three seats, of which any may cheat, and one match that hears them all, of a seat or of none."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory(prefix="seqp2p-fuzz-")
        self.now = 0.0

    @initialize(step=st.sampled_from(OPENED), own=st.integers(0, 3))
    def begin(self, step: int, own: int) -> None:
        self.match = match_at(game(), 1)
        self.match.own_seat = own
        self.journal: list[Logged] = []
        self.seats = make_seats(game().players, game().seed)
        path = Path(self.folder.name, "game.seqp2p")
        self.writer = ReplayWriter(path, self.match)
        for closed in game().steps[: step - 1]:
            for _, held in closed.contributions:
                self.match.receive(held)
                self.journal.append(Logged("contribution", held.payload, held.signature))
            self.writer.record(self.match)
        self.final: list[Any] = []
        self.old: list[Contribution] = [held for _, held in game().steps[0].contributions]
        self.absence = Absence(self.match, own or 1)
        self.voting = Voting(self.match, own or 1, self.absence, Linked(), asks=bool(own % 2))

    def take(
        self, what: Callable[[], object], kind: LoggedKind | None = None, word: Contribution | None = None
    ) -> object:
        """Hand something in; proofs of cheating are kept, and what counts is journalled, as a session does it."""
        before, taken = snapshot(self.match), False
        told, proof = None, None
        with refused(MatchError, BadRemark, Refusal):
            try:
                told = what()
                taken = True
            except Violation as violation:
                proof = violation
        assert taken or snapshot(self.match) == before, "what is refused changes nothing"
        if proof is not None:
            self.accuse(proof)
        elif kind is not None and word is not None and told is not None:
            self.journal.append(Logged(kind, word.payload, word.signature))
        self.writer.record(self.match)
        return told

    def accuse(self, violation: Violation) -> None:
        known = self.match.knows_of(violation)
        if self.match.accuse(violation) is not None:
            self.journal += filter(None, [to_logged(OfferedEvidence(violation.evidence))])
            if not known:
                self.writer.evidence(self.match, violation)
        self.match.proofs(violation)
        self.writer.record(self.match)

    def contribute(self, contribution: Contribution) -> None:
        self.old.append(contribution)
        self.take(lambda: self.judged(contribution), "contribution", contribution)

    def judged(self, contribution: Contribution) -> object:
        envelope = self.match.open(contribution)
        self.match.chain.witness(envelope.seat, envelope.step, envelope.prev)
        judged = self.match.judge(envelope, contribution)
        return None if judged is None else self.match.accept(judged)

    def receive(self, kind: LoggedKind, word: Contribution) -> None:
        told: Any = self.take(lambda: receive(self.match, kind, word), kind, word)
        if told is not None and kind == "leave":
            self.writer.keep(self.match, Applied(SignedLeave(word), 0, 0))
        if told is not None and kind == "remark":
            self.writer.remark(self.match, told)

    def seat(self, number: int) -> SeatKeys:
        return self.seats[number - 1]

    def cheat(self, number: int) -> int:
        """Any seat but that which this match is played for."""
        return number % game().players + 1 if number == self.match.own_seat else number

    # Honest seats.

    def honest(self, seat: SeatKeys, dice: random.Random) -> Contribution | None:
        if not seat.owes(self.match):
            return None
        if self.match.kind in ACTIONS:
            return seat.play(self.match, dice.choice(seat.view(self.match).legal))
        return seat.contribute(self.match)

    @rule(number=SEATS, seed=SEEDS)
    def goes_on(self, number: int, seed: int) -> None:
        """A seat does its part."""
        if (own := self.honest(self.seat(number), random.Random(seed))) is not None:
            self.contribute(own)

    @rule(seed=SEEDS)
    def all_go_on(self, seed: int) -> None:
        """Each seat does its part, a few times over."""
        dice = random.Random(seed)
        for _ in range(dice.randint(1, 6)):
            for seat in self.seats:
                if (own := self.honest(seat, dice)) is not None:
                    self.contribute(own)

    @rule(number=SEATS)
    def shows_heads(self, number: int) -> None:
        """A seat says how it has closed the steps that are not final."""
        for head in self.seat(number).heads(self.match):
            self.receive("head", head)

    @rule(number=SEATS, round_=st.integers(1, 4), about=ABOUT, skip=st.booleans())
    def votes(self, number: int, round_: int, about: set[int], skip: bool) -> None:
        """A seat votes with the true ``last`` of this match."""
        base, about = self.match.chain.base, about - {number}
        promised = number == self.match.own_seat and base is not None and base.decree.promised >= round_
        if base is not None and about and not promised:
            last = base.decree.last()
            if last is None or last.round < round_:
                wish = Wish("skip" if skip else "drop", frozenset(about))
                self.receive("ballot", self.seat(number).ballot(self.match, round_, wish, "late"))

    @rule(about=ABOUT)
    def all_vote(self, about: set[int]) -> None:
        """A round in which all vote alike, and show their heads."""
        base = self.match.chain.base
        if base is None:
            return
        round_ = max([0, base.decree.promised, *base.decree.votes]) + 1
        for number in {1, 2, 3} - about:
            if round_ < 900 and self.match.chain.base is base:
                self.votes(number, round_, about, skip=False)
        for number in (1, 2, 3):
            self.shows_heads(number)

    @rule(number=SEATS)
    def leaves(self, number: int) -> None:
        self.receive("leave", self.seat(number).leave(self.match))

    # Cheats.

    @rule(number=SEATS, seed=SEEDS)
    def signs_twice(self, number: int, seed: int) -> None:
        """Two contributions of one seat to one step."""
        dice, number = random.Random(seed), self.cheat(number)
        for _ in range(2):
            if (own := self.honest(self.seat(number), dice)) is not None:
                other = self.honest(self.seat(number), dice)
                self.contribute(own)
                if other is not None:
                    self.contribute(other)

    @rule(number=SEATS, seed=SEEDS)
    def signs_nonsense(self, number: int, seed: int) -> None:
        """A signed thing, nearly a contribution."""
        dice, number = random.Random(seed), self.cheat(number)
        seat = self.seat(number)
        some = self.honest(seat, dice) or dice.choice(self.old)
        payload = mutated(some.payload, [each.payload for each in self.old], dice)
        self.contribute(signed(identity(number, game().seed), payload))

    @rule(seed=SEEDS)
    def says_it_again(self, seed: int) -> None:
        self.contribute(random.Random(seed).choice(self.old))

    @rule(number=SEATS, seed=SEEDS, kind=st.sampled_from(sorted(FORGERIES)))
    def forges(self, number: int, seed: int, kind: LoggedKind) -> None:
        """Any ballot, head or remark that can be written."""
        number = self.cheat(number)
        label, make = FORGERIES[kind]
        self.receive(kind, self.by(number, label, make(self.match, number, random.Random(seed))))

    @rule(seed=SEEDS)
    def accuses(self, seed: int) -> None:
        """One or two things that were said, held up as evidence."""
        dice = random.Random(seed)
        some = dice.sample(self.old, min(len(self.old), dice.choice([1, 2, 2])))
        self.take(partial(self.match.weigh, tuple(some)))

    @rule(number=SEATS, seed=SEEDS, label=st.sampled_from([CONTRIBUTION, BALLOT, HEAD, LEAVE, REMARK]))
    def says_under_another_label(self, number: int, seed: int, label: str) -> None:
        some = random.Random(seed).choice(self.old)
        word = self.by(self.cheat(number), label, some.payload)
        for kind in ("ballot", "head", "leave"):
            self.take(partial(receive, self.match, kind, word))

    @rule(number=st.integers(1, 4), right=st.booleans())
    def opens_a_hand(self, number: int, right: bool) -> None:
        secret = self.seats[(number - 1) % 3].release() if right else 7
        self.take(lambda: self.match.open_seat(number, secret))

    @rule(seed=SEEDS, later_s=st.sampled_from([0.0, 1.0, 16.0, 130.0, 300.0]))
    def time_passes(self, seed: int, later_s: float) -> None:
        """Links come and go; what a session would look at every second is looked at."""
        dice = random.Random(seed)
        self.now += later_s
        for number in (1, 2, 3):
            match dice.randrange(6):
                case 0:
                    self.absence.goodbye(number, dice.choice(["", "why"]), self.now)
                case 1:
                    self.absence.linked(number)
                case 2:
                    self.voting.allow(number)
                case _:
                    pass
        self.absence.handle({number for number in (1, 2, 3) if dice.random() < 0.6}, self.now)
        members = set(self.match.game.seats)
        assert self.voting.to_ask(self.now) <= members
        assert self.voting.hopeless(self.now) <= {1, 2, 3}
        assert isinstance(self.absence.why_over(self.now), str | None)
        due = self.voting.due(self.now)
        if due is not None and self.match.own_seat:
            assert self.match.own_seat not in due.wish.about
            own = self.seat(self.match.own_seat).ballot(self.match, due.round, due.wish, due.reason)
            told = self.take(lambda: receive(self.match, "ballot", own), "ballot", own)
            assert told is not None, "an own ballot counts"

    def by(self, number: int, label: str, payload: bytes) -> Contribution:
        word = Contribution(payload, sign(identity(number, game().seed), label, payload))
        if label in {CONTRIBUTION, BALLOT}:
            self.old.append(word)
        return word

    @invariant()
    def sound(self) -> None:
        if hasattr(self, "match"):
            sound(self.match)
            assert self.match.record[: len(self.final)] == self.final, "what is final never changes"
            self.final = self.match.record[: self.match.final]
            for step in self.match.chain.live:
                assert step.decree.members == frozenset(step.before.seats)
                rounds = [closing.round for closing in step.decree.closings()]
                certified = [each for each in rounds if each]
                assert rounds == sorted(rounds)
                assert len(certified) == len(set(certified)), "one certificate a round"
                assert step.decree.decided() is None or step.decree.decided() in step.decree.closings()
                assert step.decree.closing is None or step.decree.promised >= step.decree.closing.round

    def teardown(self) -> None:
        if hasattr(self, "match"):
            crashed = Path(self.folder.name, "crashed.seqp2p")
            crashed.write_bytes(self.writer.path.read_bytes())
            self.check_replay(self.match, self.writer)
            self.resume(crashed)
        self.folder.cleanup()

    def check_replay(self, match: Match, writer: ReplayWriter) -> None:
        with writer:
            writer.finish(match, self.seats[0].identity_key, self.seats[0].sign)
        report = play_back(writer.path.read_bytes()).report
        assert report.verdict != "invalid", report
        assert report.steps >= match.final

    def resume(self, path: Path) -> None:
        """A crash instead of an end: the replay and the journal bring back every final step."""
        loaded = load(path, game().agreement, self.match.own_seat)
        writer = ReplayWriter(path, loaded.match, reopened=True)
        feed(loaded.match, tuple(self.journal), writer)
        assert loaded.match.record[: self.match.final] == self.final
        self.check_replay(loaded.match, writer)


TestMatch = Table.TestCase
TestMatch.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
