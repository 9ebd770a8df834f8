"""Who is away, since when, and when nothing is waited for any more; the words for it."""

from seqp2p.live.absence import (
    ABSENT_S,
    GOODBYE_WAIT_S,
    LATE_MARGIN_S,
    LATER,
    LEFT_TO_PEOPLE,
    OWED_S,
    PATIENCE,
    STAYS_S,
    Absence,
    Absent,
    Back,
)
from seqp2p.match.machine import Match
from tests.match.voting import at_turn
from tests.table import Played, match_at, played

ALL = frozenset({1, 2, 3})
GRACE_S = 120


def open_at(kind: str) -> Match:
    """A match of three in which a step of this kind is open."""
    game = played(3, "kids", 4)
    return match_at(game, game.step_of(kind))


def awaited(match: Match) -> int:
    (seat,) = match.awaited
    return seat


def other_than(*seats: int) -> int:
    return min(ALL.difference(seats))


def test_nothing_is_amiss() -> None:
    match = open_at("turn")
    absence = Absence(match, other_than(awaited(match)))
    for now in range(0, 10_000, 100):
        assert absence.handle(ALL, now) == ()
        assert absence.why_over(now) is None
        assert not absence.away(now) | absence.late(now) | absence.owing(now)


def test_the_grace_is_counted_for_each_seat_from_its_last_link() -> None:
    match = open_at("deal")
    absence = Absence(match, 2)
    assert absence.handle(frozenset({1}), 1000) == ()
    assert absence.handle(frozenset({1}), 1000 + ABSENT_S) == (Absent(3, GRACE_S),)
    assert absence.handle(frozenset(), 1050) == ()
    assert absence.handle(frozenset(), 1060) == (Absent(1, GRACE_S),), "it is told once"
    assert absence.away(999 + GRACE_S) == frozenset()
    assert absence.away(1000 + GRACE_S) == {3}
    assert absence.away(1050 + GRACE_S) == {1, 3}
    # A moment's return begins it anew.
    assert absence.handle(frozenset({3}), 1070 + GRACE_S) == (Back(3),)
    assert absence.away(1070 + GRACE_S) == {1}
    absence.handle(frozenset(), 1071 + GRACE_S)
    assert absence.away(1070 + 2 * GRACE_S) == {1}
    assert absence.away(1071 + 2 * GRACE_S) == {1, 3}


def test_a_link_that_is_made_anew_at_once_is_no_absence() -> None:
    absence = Absence(open_at("deal"), 2)
    assert absence.handle(frozenset({1}), 10) == ()
    assert absence.handle(ALL, 10 + ABSENT_S / 2) == ()
    assert absence.handle(frozenset({1}), 20) == ()


def test_who_is_away_while_another_moves_is_in_nobodys_way() -> None:
    match = open_at("turn")
    mover = awaited(match)
    absence = Absence(match, other_than(mover))
    absence.handle(ALL - {other_than(mover, other_than(mover))}, 0)
    assert absence.why_over(GRACE_S) is None


def test_one_s_own_turn_is_waited_for() -> None:
    match = open_at("turn")
    absence = Absence(match, awaited(match))
    absence.handle(frozenset(), 0)
    assert all(absence.why_over(now) is None for now in range(0, 1000, 100))


def test_all_who_are_missing_are_named() -> None:
    absence = Absence(open_at("deal"), 2)
    absence.handle(frozenset(), 0)
    assert absence.why_over(GRACE_S - 1) is None
    assert absence.why_over(GRACE_S) == f"seat 1 (player 1), seat 3 (player 3) could not be reached for {GRACE_S} s"


def test_what_takes_no_thinking_is_owed() -> None:
    absence = Absence(open_at("deal"), 2)
    absence.moved(1000)
    limit_s = max(OWED_S, GRACE_S)
    assert absence.why_over(1000 + limit_s - 1) is None
    assert absence.owing(1000 + limit_s) == {1, 3}
    told = absence.why_over(1000 + limit_s)
    assert told is not None
    assert told.startswith("seat 1 (player 1), seat 3 (player 3) sent nothing valid for step ")
    absence.moved(1500)
    assert absence.why_over(1500 + limit_s - 1) is None


def test_before_the_deal_a_goodbye_counts_after_a_moment() -> None:
    absence = Absence(open_at("shuffle"), 2)
    absence.goodbye(3, "", 10)
    absence.goodbye(3, "a second one", 10 + GOODBYE_WAIT_S)
    absence.handle(ALL - {3}, 10)
    assert absence.why_over(10 + GOODBYE_WAIT_S / 2) is None
    assert absence.why_over(10 + GOODBYE_WAIT_S) == "seat 3 (player 3) left the table"


def test_a_new_link_takes_a_goodbye_back() -> None:
    absence = Absence(open_at("shuffle"), 2)
    absence.goodbye(3, "", 10)
    absence.linked(3)
    absence.linked(1)
    absence.handle(ALL - {3}, 10)
    assert absence.why_over(20) is None


def test_in_the_game_a_goodbye_is_an_absence() -> None:
    absence = Absence(open_at("turn"), 2)
    absence.goodbye(3, LATER, 10)
    assert absence.handle(ALL - {3}, 10) == (Absent(3, GRACE_S, later=True),)
    assert absence.why_over(10 + GRACE_S - 1) is None
    assert (absence.away(10 + GRACE_S - 1), absence.away(10 + GRACE_S)) == (frozenset(), frozenset({3}))


def test_a_program_leaves_a_seat_that_stopped_to_people_for_a_while() -> None:
    absence = Absence(open_at("turn"), 2, people=frozenset({1, 3}))
    absence.goodbye(3, LATER, 10)
    absence.handle(ALL - {3}, 10)
    long_s = 10 + LEFT_TO_PEOPLE * GRACE_S
    assert (absence.spared(long_s - 1), absence.spared(long_s)) == (frozenset({3}), frozenset())
    assert not absence.is_alone(long_s)
    absence.handle(frozenset(), long_s)
    assert absence.is_alone(long_s + GRACE_S)


def test_a_resumed_seat_gathers_the_others_first() -> None:
    absence = Absence(open_at("turn"), 2, resumed=True)
    absence.begin(0)
    absence.linked(1)
    absence.handle({1}, 0)
    absence.handle({1}, PATIENCE * GRACE_S - 1)
    assert absence.spared(PATIENCE * GRACE_S - 1) == {1, 2, 3}
    absence.handle({1}, PATIENCE * GRACE_S)
    assert absence.spared(PATIENCE * GRACE_S) == frozenset()


def test_a_person_gathers_them_until_all_are_there_or_given_up() -> None:
    absence = Absence(open_at("turn"), 2, resumed=True, asks=True)
    absence.begin(0)
    absence.handle({1}, 0)
    absence.linked(1)
    assert absence.handle({1}, 99 * PATIENCE * GRACE_S) == (Absent(3, None),)
    assert absence.gathers
    absence.give_up(3)
    absence.handle({1}, 99 * PATIENCE * GRACE_S)
    assert absence.spared(99 * PATIENCE * GRACE_S) == frozenset()


def test_one_that_was_given_up_and_is_back_is_waited_for_like_any_other() -> None:
    absence = Absence(open_at("turn"), 2, resumed=True, asks=True)
    absence.give_up(3)
    assert absence.spared(1) == {1, 2}
    absence.linked(3)
    assert absence.spared(2) == {1, 2, 3}


def test_a_goodbye_to_this_seat_alone_ends_nothing() -> None:
    """A seat that ends a game by a lie told to it alone would be missed by the others, who go on."""
    absence = Absence(open_at("deal"), 2)
    absence.goodbye(3, "the others have left", 10)
    absence.handle(ALL, 10)  # reachable by way of others
    assert absence.why_over(12) is None
    absence.handle(ALL - {3}, 13)
    assert absence.why_over(13) == "seat 3 (player 3) says: the others have left"


def test_what_others_say_is_told_as_such() -> None:
    absence = Absence(open_at("shuffle"), 2)
    absence.handle(frozenset({2}), 10)
    absence.goodbye(1, "seat 3 (player 3) left the table", 10)
    assert absence.why_over(12) == "seat 1 (player 1) says: seat 3 (player 3) left the table"
    # Its own word comes first, though it may come later.
    absence.goodbye(3, "", 11)
    assert absence.why_over(12) == "seat 3 (player 3) left the table"


def test_at_the_end_only_those_count_who_have_not_signed(trio: Played) -> None:
    match = open_at("over")
    absence = Absence(match, 2)
    absence.goodbye(1, "the game is over", 10)
    assert absence.why_over(20) is None, "seat 3 is still waited for"
    match.receive(trio.contribution(match.number, 3))
    assert absence.why_over(20) == "seat 1 (player 1) left the table"
    match.receive(trio.contribution(match.number, 1))
    assert absence.why_over(20) is None


def test_the_tables_clock() -> None:
    match, _ = at_turn(1, 3, turn_time_s=30)
    mover = awaited(match)
    watching, own = Absence(match, other_than(mover)), Absence(match, mover)
    for absence in (watching, own):
        absence.moved(100)
    assert watching.late(129 + LATE_MARGIN_S) == frozenset()
    assert watching.late(130 + LATE_MARGIN_S) == {mover}
    assert own.late(1000) == frozenset(), "nobody is late in its own eyes"
    # Where nobody can vote, nobody can be skipped either: two turns' time.
    assert watching.why_over(159 + LATE_MARGIN_S) is None
    assert watching.why_over(160 + LATE_MARGIN_S) == f"seat {mover} (player {mover}) did not move in 60 s"
    watching.moved(200)
    assert watching.late(229 + LATE_MARGIN_S) == frozenset()


def test_one_that_is_late_itself_keeps_the_game_for_one_that_is_away_for_a_moment() -> None:
    match, _ = at_turn(1, 2, turn_time_s=30)
    mover = awaited(match)
    absence = Absence(match, mover)
    absence.moved(100)
    absence.handle(frozenset(), 159)
    assert absence.may_return(129 + LATE_MARGIN_S) == frozenset()
    assert absence.may_return(160 + LATE_MARGIN_S) == {other_than(mover)}


def test_a_goodbye_on_one_link_of_two_is_forgotten() -> None:
    absence = Absence(open_at("turn"), 2, people=frozenset({1, 3}))
    absence.goodbye(3, LATER, 10)
    absence.handle({1, 3}, 10 + STAYS_S - 1)
    assert absence.spared(10 + STAYS_S - 1) == {3}
    absence.handle({1, 3}, 10 + STAYS_S)
    assert absence.spared(10 + STAYS_S) == frozenset()


def test_no_clock_runs_where_nobody_thinks() -> None:
    assert Absence(open_at("turn"), 2).late(1e9) == frozenset()
    assert Absence(open_at("deal"), 2).late(1e9) == frozenset()


def test_the_end_waits_for_one_that_has_stopped_for_now() -> None:
    absence = Absence(open_at("over"), 2)
    absence.moved(10)
    absence.goodbye(3, LATER, 10)
    absence.goodbye(1, "", 10)
    absence.handle(frozenset(), 10)
    assert absence.why_over(10 + GRACE_S - 1) is None
    assert absence.may_return(11) == {3}


def test_all_waits_begin_again_when_the_others_are_gathered() -> None:
    """Of those that wait for seat 1, seat 3 has come early and gone again."""
    absence = Absence(open_at("turn"), 2, resumed=True, asks=True)
    absence.begin(0)
    absence.handle({3}, 0)
    absence.linked(3)
    absence.handle(frozenset(), 10)
    assert absence.handle(frozenset(), 12) == (Absent(3, None),)
    absence.linked(1)
    assert absence.handle({1}, 10 + 3 * GRACE_S) == (Back(1), Absent(3, GRACE_S))
    assert not absence.gathers
    assert (absence.away(10 + 4 * GRACE_S - 1), absence.away(10 + 4 * GRACE_S)) == (frozenset(), frozenset({3}))


def test_stopping_again_and_again_in_one_step_gains_no_time() -> None:
    absence = Absence(open_at("turn"), 2, people=frozenset({1, 3}))
    for at in range(0, LEFT_TO_PEOPLE * GRACE_S, GRACE_S):
        absence.linked(3)
        absence.goodbye(3, LATER, at)
        assert absence.spared(at) == {3}
    assert absence.spared(LEFT_TO_PEOPLE * GRACE_S) == frozenset()
