"""Votes without evidence: only about seats with a direct link, or that this seat has looked for itself."""

from dataclasses import dataclass, field

import pytest

from seqp2p.live.absence import OWED_S, Absence
from seqp2p.live.voting import SILENT_S, SPENT_S, Due, Voting
from seqp2p.match.ballots import Decree, Last, Wish
from seqp2p.match.machine import Match
from seqp2p.match.signed import BallotPayload
from seqp2p.match.table import encode_agreement
from seqp2p.net.relay import SEARCH_MAX_S
from tests.table import POLICIES, Played, make_agreement, make_seats, match_at, play

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
    """One seat at a turn of another; ``mover`` is awaited, ``third`` only sits there."""

    match: Match
    own: int
    mover: int
    third: int

    def __post_init__(self) -> None:
        self.ways = Ways(frozenset({self.third}))
        self.absence = Absence(self.match, self.own)
        self.absence.moved(1000)
        self.voting = Voting(self.match, self.own, self.absence, self.ways, asks=False)

    def due(self, now: float, reachable: frozenset[int] = ALL) -> Due | None:
        self.absence.handle(reachable, now)
        return self.voting.due(now)


@pytest.fixture
def seat(trio: Played) -> Seat:
    match = match_at(trio, trio.step_of("turn"))
    (mover,) = match.awaited
    own, third = sorted(ALL - {mover})
    return Seat(match, own, mover, third)


def test_no_absent_seat_is_voted_out_before_it_was_looked_for(seat: Seat) -> None:
    rest = ALL - {seat.mover}
    seat.ways.tried[seat.mover] = 999
    assert seat.due(1000, rest) is None
    assert seat.due(1000 + GRACE_S, rest) is None, "it was looked for before it was away"
    seat.ways.tried[seat.mover] = 1000
    assert seat.due(1001 + GRACE_S, rest) == Due(1, Wish("drop", frozenset({seat.mover})), "absent")


def test_a_person_who_waits_is_asked_again_after_as_long_and_votes_without_an_answer_only_then(seat: Seat) -> None:
    seat.voting = Voting(seat.match, seat.own, seat.absence, seat.ways, asks=True)
    rest, mover = ALL - {seat.mover}, frozenset({seat.mover})
    seat.due(1000, rest)
    seat.ways.tried[seat.mover] = 1000
    assert seat.voting.to_ask(1000 + GRACE_S) == mover
    seat.voting.wait(1010 + GRACE_S)
    assert seat.voting.to_ask(1009 + 2 * GRACE_S) == frozenset()
    assert seat.voting.to_ask(1010 + 2 * GRACE_S) == mover
    assert seat.due(1009 + 3 * GRACE_S, rest) is None
    assert seat.due(1010 + 3 * GRACE_S, rest) == Due(1, Wish("drop", mover), "absent")


def test_an_answer_counts_when_the_grace_is_over_and_is_about_one_absence(seat: Seat) -> None:
    seat.voting = Voting(seat.match, seat.own, seat.absence, seat.ways, asks=True)
    rest, mover = ALL - {seat.mover}, frozenset({seat.mover})
    seat.voting.allow(seat.mover)
    seat.due(1000, rest)
    seat.ways.tried[seat.mover] = 1000
    assert seat.due(999 + GRACE_S, rest) is None, "nobody is thrown out sooner"
    assert seat.voting.to_ask(1000 + GRACE_S) == frozenset()
    assert seat.due(1000 + GRACE_S, rest) == Due(1, Wish("drop", mover), "absent")
    seat.voting.waits_for(seat.mover)
    assert seat.voting.to_ask(1000 + GRACE_S) == mover


def test_a_person_who_is_cut_off_waits_as_long_as_the_others(seat: Seat) -> None:
    """Where those who stay are asked first, one who cannot reach them does not end its own game before."""
    seat.voting = Voting(seat.match, seat.own, seat.absence, seat.ways, asks=True)
    alone = seat.ways.linked = frozenset()
    seat.due(1000, alone)
    seat.ways.tried = dict.fromkeys(ALL, 1000.0)
    assert not seat.voting.hopeless(999 + 2 * GRACE_S)
    assert seat.voting.hopeless(1000 + 2 * GRACE_S) == ALL - {seat.own}


@pytest.mark.parametrize("turn_time_s", [0, 30])
def test_where_there_is_a_clock_nobody_is_asked(turn_time_s: int) -> None:
    match = Match(encode_agreement(make_agreement(3, "kids", turn_time_s=turn_time_s)))
    play(match, make_seats(3), POLICIES["random"](1), lambda match: match.kind == "turn")
    (mover,) = match.awaited
    own, third = sorted(ALL - {mover})
    seat = Seat(match, own, mover, third)
    seat.voting = Voting(match, own, seat.absence, seat.ways, asks=True)
    seat.ways.tried[mover] = 1000
    seat.due(1000, ALL - {mover})
    assert seat.voting.to_ask(1000 + GRACE_S) == (frozenset() if turn_time_s else {mover})


def test_a_search_puts_off_no_vote_for_longer(seat: Seat) -> None:
    rest = ALL - {seat.mover}
    assert seat.due(1000, rest) is None
    assert seat.due(1000 + GRACE_S + SEARCH_MAX_S - 1, rest) is None
    due = seat.due(1000 + GRACE_S + SEARCH_MAX_S, rest)
    assert due is not None
    assert due.reason == "absent"


def test_a_game_is_not_given_up_before_the_others_were_looked_for(seat: Seat) -> None:
    alone = frozenset[int]()
    seat.ways.linked = alone
    seat.due(1000, alone)
    assert not seat.voting.hopeless(1000 + GRACE_S)
    seat.ways.tried = dict.fromkeys(ALL, 1000.0)
    assert seat.voting.hopeless(1000 + GRACE_S) == ALL - {seat.own}


def test_nor_is_a_seat_late_that_others_may_keep_back(trio: Played) -> None:
    match = match_at(trio, trio.step_of("draw"))
    owing = min(match.awaited)
    own, third = sorted(ALL - {owing})
    seat = Seat(match, own, owing, third)
    seat.ways.linked = frozenset()
    late_s = 1000 + max(OWED_S, GRACE_S)
    assert seat.due(late_s) is None
    seat.ways.tried[owing] = 1000
    assert seat.due(late_s) == Due(1, Wish("drop", frozenset({owing})), "late")


@pytest.mark.parametrize("links_all", [True, False])
def test_a_seat_that_looks_for_another_is_not_silent_yet(trio: Played, seat: Seat, *, links_all: bool) -> None:
    """A seat that claims a link to all that a ballot is about has nothing to look for."""
    rest = ALL - {seat.mover}
    seat.ways.tried[seat.mover] = 1000
    seat.ways.claimed = {seat.third: ALL if links_all else frozenset({seat.own})}
    seat.due(1000, rest)
    now = 1000.0 + GRACE_S
    due = seat.due(now, rest)
    assert due is not None
    ballot = trio.seat(seat.own).ballot(seat.match, due.round, due.wish, due.reason)
    seat.match.receive_word(BallotPayload, ballot)
    assert seat.match.chain.base is not None
    seat.match.chain.base.decree.bind(due.round, None)
    seat.due(now, rest)
    patience_s = SILENT_S if links_all else SILENT_S + SEARCH_MAX_S
    seat.ways.tried = dict.fromkeys(ALL, now)
    assert not seat.voting.hopeless(now + patience_s - 1)
    assert seat.voting.hopeless(now + patience_s) == {seat.mover, seat.third}


def test_a_silent_seat_stays_so_until_it_votes() -> None:
    """Else each seat votes without it in another round than the others, for ever."""
    match, seats = Match(encode_agreement(make_agreement(6))), make_seats(6)
    play(match, seats, POLICIES["random"](1), lambda match: match.kind == "turn")
    (mover,), base = match.awaited, match.chain.base
    own, silent, *others = sorted(set(match.game.seats) - {mover})
    seat = Seat(match, own, mover, silent)
    present = frozenset(match.game.seats) - {mover}
    seat.ways.linked, seat.ways.tried = present, {mover: 1000.0}
    seat.ways.claimed = dict.fromkeys(present, present | {mover})
    assert base is not None

    def vote(now: float, *voters: int, about: set[int]) -> None:
        due = seat.due(now, present)
        assert due is not None
        assert due.wish == Wish("drop", frozenset(about))
        base.decree.bind(due.round, None)
        cast(due.round, own, about)
        for number in voters:
            cast(due.round, number, {mover})
        seat.due(now, present)

    def cast(round_: int, number: int, about: set[int]) -> None:
        ballot = seats[number - 1].ballot(match, round_, Wish("drop", frozenset(about)), "absent")
        match.receive_word(BallotPayload, ballot)

    seat.due(1000, present)
    now = 1000.0 + GRACE_S
    vote(now, *others, about={mover})
    vote(now + SILENT_S, *others, about={mover, silent})
    assert not seat.voting.hopeless(now + 3 * SILENT_S), "the others may find it silent later"
    vote(now + 4 * SILENT_S, *others, silent, about={mover, silent})
    vote(now + 4 * SILENT_S + 10, about={mover})


def test_a_seat_does_not_count_itself_as_silent(trio: Played, seat: Seat) -> None:
    """It claims a closing that it can no longer derive, as it may after a crash."""
    rest = ALL - {seat.mover}
    seat.ways.tried = dict.fromkeys(ALL, 1000.0)
    base = seat.match.chain.base
    assert base is not None
    base.decree.bind(0, Last(0, bytes(32)))
    seat.due(1000, rest)
    now = 1000.0 + GRACE_S
    due = seat.due(now, rest)
    assert due is not None
    for number in (seat.own, seat.third):
        ballot = trio.seat(number).ballot(seat.match, due.round, due.wish, due.reason)
        seat.match.receive_word(BallotPayload, ballot)
        base.decree.said = None
    base.decree.bind(due.round, None)
    seat.due(now, rest)
    assert base.decree.hindering(due.wish) == {seat.own}
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
