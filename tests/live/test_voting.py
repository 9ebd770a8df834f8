"""Votes without evidence: only about seats with a direct link, or that this seat has looked for itself."""

from dataclasses import dataclass, field, replace

import pytest

from seqp2p.live.absence import OWED_S, Absence
from seqp2p.live.voting import SILENT_S, SPENT_S, Due, Voting
from seqp2p.match.ballots import Decree, Last, Wish
from seqp2p.match.machine import Match
from seqp2p.match.signed import BallotPayload
from seqp2p.net.relay import SEARCH_MAX_S
from tests.match.voting import at_turn
from tests.table import Played, match_at

GRACE_S = 120
ALL = frozenset({1, 2, 3})


@dataclass
class Ways:
    """Links, and searches that are done: for each seat the last time that all of it was tried."""

    linked: frozenset[int] = frozenset()
    tried: dict[int, float] = field(default_factory=dict)
    claimed: dict[int, frozenset[int]] = field(default_factory=dict)

    def has_sought(self, seat: int, since: float) -> bool:
        return seat in self.linked or self.tried.get(seat, float("-inf")) >= since

    def claimed_links(self, seat: int) -> frozenset[int]:
        return self.claimed.get(seat, frozenset())


@dataclass
class Seat:
    """One seat at a turn of another: ``mover`` is awaited, ``third`` only sits there, ``rest`` are all others."""

    match: Match

    def __post_init__(self) -> None:
        self.mover = min(self.match.awaited)
        self.rest = frozenset(self.match.game.seats) - {self.mover}
        self.own, self.third, *self.others = sorted(self.rest)
        self.ways = Ways(frozenset({self.third}))
        self.absence = Absence(self.match, self.own)
        self.absence.moved(1000)
        self.asks(whether=False)
        self.drop = Due(1, Wish("drop", frozenset({self.mover})), "absent")

    def asks(self, *, whether: bool = True) -> None:
        """The player is asked before its seat votes."""
        self.voting = Voting(self.match, self.own, self.absence, self.ways, asks=whether)

    def due(self, now: float, reachable: frozenset[int] = ALL) -> Due | None:
        self.absence.handle(reachable, now)
        return self.voting.due(now)

    def away(self) -> None:
        """From 1000 on the mover cannot be reached, and is looked for at once."""
        assert self.due(1000, self.rest) is None
        self.ways.tried[self.mover] = 1000

    @property
    def decree(self) -> Decree:
        base = self.match.chain.base
        assert base is not None
        return base.decree

    def vote(self, game: Played, now: float, *voters: int) -> Due:
        """These seats cast the vote that is due, and the next round begins."""
        due = self.due(now, self.rest)
        assert due is not None
        for number in voters:
            ballot = game.seat(number).ballot(self.match, due.round, due.wish, due.reason)
            self.match.receive_word(BallotPayload, ballot)
            self.decree.said = None
        self.decree.bind(due.round, None)
        self.due(now, self.rest)
        return due


@pytest.fixture
def seat(trio: Played) -> Seat:
    return Seat(match_at(trio, trio.step_of("turn")))


def test_no_absent_seat_is_voted_out_before_it_was_looked_for(seat: Seat) -> None:
    seat.ways.tried[seat.mover] = 999
    assert seat.due(1000, seat.rest) is None
    assert seat.due(1000 + GRACE_S, seat.rest) is None, "it was looked for before it was away"
    seat.ways.tried[seat.mover] = 1000
    assert seat.due(1001 + GRACE_S, seat.rest) == seat.drop


def test_a_person_who_waits_is_asked_again_after_as_long_and_votes_without_an_answer_only_then(seat: Seat) -> None:
    seat.asks()
    seat.away()
    assert seat.voting.to_ask(1000 + GRACE_S) == {seat.mover}
    seat.voting.wait(1010 + GRACE_S)
    assert seat.voting.to_ask(1009 + 2 * GRACE_S) == frozenset()
    assert seat.voting.to_ask(1010 + 2 * GRACE_S) == {seat.mover}
    assert seat.due(1009 + 3 * GRACE_S, seat.rest) is None
    assert seat.due(1010 + 3 * GRACE_S, seat.rest) == seat.drop


def test_an_answer_counts_when_the_grace_is_over_and_is_about_one_absence(seat: Seat) -> None:
    seat.asks()
    seat.voting.allow(seat.mover)
    seat.away()
    assert seat.due(999 + GRACE_S, seat.rest) is None, "nobody is thrown out sooner"
    assert seat.voting.to_ask(1000 + GRACE_S) == frozenset()
    assert seat.due(1000 + GRACE_S, seat.rest) == seat.drop
    seat.voting.waits_for(seat.mover)
    assert seat.voting.to_ask(1000 + GRACE_S) == {seat.mover}


def test_nobody_is_asked_where_too_few_are_left_for_a_vote() -> None:
    seat = Seat(at_turn(1, 4)[0])
    seat.asks()
    for reachable, asked in ((seat.rest, {seat.mover}), (frozenset({seat.own, seat.third}), set[int]())):
        seat.absence.handle(reachable, 1000)
        seat.ways.tried = dict.fromkeys(ALL | {4}, 1000)
        assert seat.voting.to_ask(1000 + GRACE_S) == asked


@pytest.mark.parametrize("turn_time_s", [0, 30])
def test_where_there_is_a_clock_nobody_is_asked(turn_time_s: int) -> None:
    seat = Seat(at_turn(1, 3, turn_time_s=turn_time_s)[0])
    seat.asks()
    seat.away()
    assert seat.voting.to_ask(1000 + GRACE_S) == (frozenset() if turn_time_s else {seat.mover})


def test_a_search_puts_off_no_vote_for_longer(seat: Seat) -> None:
    assert seat.due(1000, seat.rest) is None
    assert seat.due(1000 + GRACE_S + SEARCH_MAX_S - 1, seat.rest) is None
    assert seat.due(1000 + GRACE_S + SEARCH_MAX_S, seat.rest) == seat.drop


@pytest.mark.parametrize("asks", [False, True])
def test_a_game_is_not_given_up_before_the_others_were_looked_for(seat: Seat, *, asks: bool) -> None:
    """Where those who stay are asked first, one who cannot reach them does not end its own game before."""
    seat.asks(whether=asks)
    alone = seat.ways.linked = frozenset()
    given_up_s = 1000 + (2 if asks else 1) * GRACE_S
    seat.due(1000, alone)
    assert not seat.voting.hopeless(1000 + GRACE_S)
    seat.ways.tried = dict.fromkeys(ALL, 1000.0)
    assert not seat.voting.hopeless(given_up_s - 1)
    assert seat.voting.hopeless(given_up_s) == ALL - {seat.own}


def test_nor_is_a_seat_late_that_others_may_keep_back(trio: Played) -> None:
    seat = Seat(match_at(trio, trio.step_of("draw")))
    seat.ways.linked = frozenset()
    late_s = 1000 + max(OWED_S, GRACE_S)
    assert seat.due(late_s) is None
    seat.ways.tried[seat.mover] = 1000
    assert seat.due(late_s) == replace(seat.drop, reason="late")


@pytest.mark.parametrize("links_all", [True, False])
def test_a_seat_that_looks_for_another_is_not_silent_yet(trio: Played, seat: Seat, *, links_all: bool) -> None:
    """A seat that claims a link to all that a ballot is about has nothing to look for."""
    seat.ways.claimed = {seat.third: ALL if links_all else frozenset({seat.own})}
    seat.away()
    now = 1000.0 + GRACE_S
    seat.vote(trio, now, seat.own)
    patience_s = SILENT_S if links_all else SILENT_S + SEARCH_MAX_S
    seat.ways.tried = dict.fromkeys(ALL, now)
    assert not seat.voting.hopeless(now + patience_s - 1)
    assert seat.voting.hopeless(now + patience_s) == {seat.mover, seat.third}


def test_a_silent_seat_stays_so_until_it_votes() -> None:
    """Else each seat votes without it in another round than the others, for ever."""
    match, seats = at_turn(1, 6, "classic")
    seat = Seat(match)
    own, silent, mover = seat.own, seat.third, seat.mover
    seat.ways.linked, seat.ways.tried = seat.rest, {mover: 1000.0}
    seat.ways.claimed = dict.fromkeys(seat.rest, seat.rest | {mover})

    def vote(now: float, *voters: int, about: set[int]) -> None:
        due = seat.due(now, seat.rest)
        assert due is not None
        assert due.wish == Wish("drop", frozenset(about))
        seat.decree.bind(due.round, None)
        for number, wanted in ((own, about), *((voter, {mover}) for voter in voters)):
            ballot = seats[number - 1].ballot(match, due.round, Wish("drop", frozenset(wanted)), "absent")
            match.receive_word(BallotPayload, ballot)
        seat.due(now, seat.rest)

    seat.due(1000, seat.rest)
    now = 1000.0 + GRACE_S
    vote(now, *seat.others, about={mover})
    vote(now + SILENT_S, *seat.others, about={mover, silent})
    assert not seat.voting.hopeless(now + 3 * SILENT_S), "the others may find it silent later"
    vote(now + 4 * SILENT_S, *seat.others, silent, about={mover, silent})
    vote(now + 4 * SILENT_S + 10, about={mover})


def test_a_seat_does_not_count_itself_as_silent(trio: Played, seat: Seat) -> None:
    """It claims a closing that it can no longer derive, as it may after a crash."""
    seat.ways.tried = dict.fromkeys(ALL, 1000.0)
    seat.decree.bind(0, Last(0, bytes(32)))
    seat.due(1000, seat.rest)
    now = 1000.0 + GRACE_S
    due = seat.vote(trio, now, seat.own, seat.third)
    assert seat.decree.hindering(due.wish) == {seat.own}
    assert not seat.voting.hopeless(now + 10 * GRACE_S)


def test_a_seat_without_ballots_gives_the_others_the_time_to_find_it_silent(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not seat.voting.spent(1000)
    monkeypatch.setattr(Decree, "voted_out", lambda _self, own: own == seat.own)
    assert not seat.voting.spent(2000)
    assert not seat.voting.spent(2000 + GRACE_S + SPENT_S - 1)
    assert seat.voting.spent(2000 + GRACE_S + SPENT_S)
    monkeypatch.undo()
    assert not seat.voting.spent(4000)
