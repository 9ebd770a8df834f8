"""Players who stop for now and come back: nobody is dropped while the others gather, and nobody waits for ever."""

from collections.abc import Collection

import pytest

from seqp2p.live.absence import PATIENCE, Absent
from seqp2p.live.seat_session import GoOn, SeatSession
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import STOPPED, Dropped, Redealt, Voted
from tests.sim import Fault, SimSeat, VirtualLan
from tests.sim.test_lan import happened, kinds, lan

MINUTE_S = 60.0
STOPS_S = 6.0
GRACE_S = 10


def person(sitting: SimSeat) -> SeatSession:
    """The seat of a person."""
    parts = sitting.match, sitting.seat, sitting.mesh.relay, sitting.asking, sitting.writer, sitting.emit
    return SeatSession(*parts, sitting.journal, sitting.runtime, asks=True)


def program(*people: int) -> type[SeatSession]:
    """The seat of a program at a table with these people."""

    class ProgramSession(SeatSession):
        @classmethod
        def of(cls, sitting: SimSeat) -> SeatSession:
            parts = sitting.match, sitting.seat, sitting.mesh.relay, sitting.asking, sitting.writer, sitting.emit
            return cls(*parts, sitting.journal, sitting.runtime, people=frozenset(people) - {sitting.seat.number})

    return ProgramSession


def table(people: Collection[int], *faults: Fault, programs: Collection[int] = ()) -> VirtualLan:
    game = lan(len({*people, *programs}), *faults)
    for seat in people:
        game.peers[seat].make_session = person
    for seat in programs:
        game.peers[seat].make_session = program(*people).of  # type: ignore[attr-defined]
    return game


def played_out(game: VirtualLan) -> None:
    """Nobody was dropped, and all have played to the end."""
    assert "unfinished" not in kinds(game)
    for seat in game.peers:
        assert not any(happened(game, seat, kind) for kind in (Voted, Dropped, Redealt))
        assert game.witness.reports[seat].verdict == "verified"


@pytest.mark.parametrize("apart_s", [0.0, 2.0])
def test_four_stop_for_the_night_and_come_back_one_after_the_other(apart_s: float) -> None:
    back_s = {1: 0.0, 2: 5 * MINUTE_S, 3: 30 * MINUTE_S, 4: 60 * MINUTE_S}
    stops = {seat: STOPS_S + seat * apart_s for seat in back_s}
    game = table((1, 2, 3, 4), *(Fault("later", stops[seat], (seat,), 20.0 + back_s[seat]) for seat in back_s))
    game.run()
    played_out(game)
    assert all(peer.lives == 2 for peer in game.peers.values())


def test_two_stop_and_come_back_the_next_day() -> None:
    game = table((1, 2), Fault("later", STOPS_S, (1,), 1_000 * MINUTE_S), Fault("later", STOPS_S, (2,), 60.0))
    game.run()
    played_out(game)


def test_of_three_one_stops_and_never_comes_back() -> None:
    game = table((1, 2, 3))
    game.agenda.at(STOPS_S, game.peers[2].stop)
    game.agenda.at(STOPS_S + GRACE_S + 2.0, lambda: game.peers[1].put(GoOn(2)))
    game.run()
    for seat in (1, 3):
        assert happened(game, seat, Absent) == [Absent(2, GRACE_S, later=True)]
        assert AskAbout((2,)) in happened(game, seat, AskAbout)
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert GRACE_S <= at_s - STOPS_S <= GRACE_S + 5.0
    assert kinds(game, 1, 3) <= {"won", "drawn"}


@pytest.mark.parametrize("back_s", [30.0, 3 * MINUTE_S])
def test_programs_stop_when_their_only_player_has_and_come_back_with_it(back_s: float) -> None:
    game = table((1,), *(Fault("later", STOPS_S, (1,), back_s),), programs=(2, 3, 4))
    for seat in (2, 3, 4):
        game.agenda.at(STOPS_S + back_s, game.peers[seat].restart)
    game.run()
    played_out(game)
    assert all(game.peers[seat].lives == 2 for seat in (1, 2, 3, 4))


def test_a_program_leaves_a_seat_that_stopped_to_people() -> None:
    """The person of seat 1 does not answer: its seat votes after two graces, and the program with it."""
    game = table((1, 3), programs=(2,))
    game.agenda.at(STOPS_S, game.peers[3].stop)
    game.run()
    for seat in (1, 2):
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert 2 * GRACE_S <= at_s - STOPS_S <= 2 * GRACE_S + 5.0
    assert [event.seat for event in happened(game, 1, Voted)][:1] == [1]


def test_a_resumed_program_waits_ten_graces_for_those_who_do_not_come() -> None:
    game = lan(3, *(Fault("later", STOPS_S, (seat,), 20.0) for seat in (1, 2)))
    game.agenda.at(STOPS_S, game.peers[3].stop)
    game.run()
    for seat in (1, 2):
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert PATIENCE * GRACE_S <= at_s - STOPS_S - 20.0 <= PATIENCE * GRACE_S + 40.0
    assert kinds(game, 1, 2) <= {"won", "drawn"}


def test_who_stopped_may_be_given_up_after_all_the_others_are_back() -> None:
    """Of four, three are back, and one of them wants to go on without the last."""
    game = table((1, 2, 3, 4), *(Fault("later", STOPS_S, (seat,), 20.0) for seat in (1, 2, 3)))
    game.agenda.at(STOPS_S, game.peers[4].stop)
    for seat in (1, 2):
        game.agenda.at(5 * MINUTE_S, lambda seat=seat: game.peers[seat].put(GoOn(4)))  # type: ignore[misc]
    game.run()
    for seat in (1, 2, 3):
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert 5 * MINUTE_S <= at_s <= 5 * MINUTE_S + 5.0


def test_one_that_was_given_up_and_is_back_is_asked_about_again() -> None:
    """An answer is about one absence. The seat is awaited all the time; a link ends after 8 s without a word."""
    twice = (Fault("partition", STOPS_S, (2,), 14.0), Fault("partition", 30.0, (2,), 11.0 + GRACE_S))
    game = table((1, 2, 3), Fault("asleep", 0.0, (2,), 80.0), *twice)
    game.agenda.at(STOPS_S + 11.0, lambda: game.peers[1].put(GoOn(2)))
    game.run()
    assert len(happened(game, 1, Absent)) == 2
    assert happened(game, 1, AskAbout) == [AskAbout((2,))]
    played_out(game)


def test_one_of_two_that_stops_ends_nothing() -> None:
    game = table((1, 2), Fault("later", STOPS_S, (2,), 5.0))
    game.run()
    played_out(game)


def test_a_person_who_stops_before_the_deal_ends_the_game() -> None:
    game = table((1, 2))
    game.agenda.at(0.3, game.peers[2].stop)
    game.run()
    assert kinds(game) == {"unfinished"}
    assert {result.reason for peer in game.peers.values() if (result := peer.result)} >= {STOPPED}
