"""Players who stop for now and come back: the others gather, and the game goes on. The waits are in tests/live."""

from collections.abc import Collection
from functools import partial

import pytest

from seqp2p.live.absence import Absent
from seqp2p.live.seat_session import GoOn, SeatSession
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import STOPPED, Dropped, Redealt, Voted
from tests.sim import Fault, SimSeat, VirtualLan
from tests.sim.test_lan import happened, kinds, lan

STOPS_S = 6.0
GRACE_S = 10


def table(people: Collection[int], *faults: Fault, programs: Collection[int] = ()) -> VirtualLan:
    """A table of people, who are asked before a seat is dropped, and of programs."""

    def program(sitting: SimSeat) -> SeatSession:
        return sitting.make(people=frozenset(people) - {sitting.seat.number})

    game = lan(len({*people, *programs}), *faults)
    for seat, peer in game.peers.items():
        peer.make_session = program if seat in programs else lambda sitting: sitting.make(asks=True)
    return game


def played_out(game: VirtualLan) -> None:
    """All seats have played to the end, without a vote."""
    assert "unfinished" not in kinds(game)
    for seat in game.peers:
        assert not any(happened(game, seat, kind) for kind in (Voted, Dropped, Redealt))
        assert game.witness.reports[seat].verdict == "verified"


@pytest.mark.parametrize(
    "stops",
    [
        {1: (6.0, 1.0), 2: (6.0, 300.0), 3: (6.0, 1_800.0), 4: (6.0, 3_600.0)},
        {1: (8.0, 10.0), 2: (10.0, 300.0), 3: (12.0, 1_800.0), 4: (14.0, 3_600.0)},
        {1: (6.0, 6_000.0), 2: (6.0, 60.0)},
        {2: (6.0, 5.0)},
    ],
    ids=["four at once", "four one after the other", "two, for hours", "one of two"],
)
def test_people_stop_and_come_back(stops: dict[int, tuple[float, float]]) -> None:
    faults = (Fault("later", at_s, (seat,), away_s) for seat, (at_s, away_s) in stops.items())
    game = table(range(1, 1 + max(stops)), *faults)
    game.run()
    played_out(game)
    assert all(game.peers[seat].lives == 2 for seat in stops)


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


def test_who_waits_is_asked_again_after_as_long() -> None:
    game = table((1, 2, 3))
    game.agenda.at(STOPS_S, game.peers[2].stop)
    for seat in (1, 3):
        game.agenda.at(STOPS_S + GRACE_S + 2.0, partial(game.peers[seat].put, GoOn(0)))
        game.agenda.at(STOPS_S + 2 * GRACE_S + 5.0, partial(game.peers[seat].put, GoOn(2)))
    game.run()
    assert happened(game, 1, AskAbout) == [AskAbout((2,)), AskAbout(()), AskAbout((2,)), AskAbout(())]
    (at_s,) = [when for when, event in game.peers[1].events if isinstance(event, Dropped)]
    assert 2 * GRACE_S + 5.0 <= at_s - STOPS_S <= 2 * GRACE_S + 10.0


def test_who_stopped_may_be_given_up_after_all_the_others_are_back() -> None:
    """Of four, three are back, and two of them want to go on without the last."""
    game = table((1, 2, 3, 4), *(Fault("later", STOPS_S, (seat,), 20.0) for seat in (1, 2, 3)))
    game.agenda.at(STOPS_S, game.peers[4].stop)
    for seat in (1, 2):
        game.agenda.at(300.0, partial(game.peers[seat].put, GoOn(4)))
    game.run()
    for seat in (1, 2, 3):
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert 300.0 <= at_s <= 305.0


def test_one_that_was_given_up_and_is_back_is_asked_about_again() -> None:
    """An answer is about one absence. The seat is awaited all the time; a link ends after 8 s without a word."""
    twice = (Fault("partition", STOPS_S, (2,), 14.0), Fault("partition", 30.0, (2,), 11.0 + GRACE_S))
    game = table((1, 2, 3), Fault("asleep", 0.0, (2,), 80.0), *twice)
    game.agenda.at(STOPS_S + 11.0, partial(game.peers[1].put, GoOn(2)))
    game.run()
    assert len(happened(game, 1, Absent)) == 2
    assert happened(game, 1, AskAbout) == [AskAbout((2,)), AskAbout(())]
    played_out(game)


@pytest.mark.parametrize("back_s", [30.0, 180.0])
def test_programs_stop_when_their_only_player_has_and_come_back_with_it(back_s: float) -> None:
    game = table((1,), Fault("later", STOPS_S, (1,), back_s), programs=(2, 3, 4))
    for seat in (2, 3, 4):
        game.agenda.at(STOPS_S + back_s, game.peers[seat].restart)
    game.run()
    played_out(game)
    assert all(peer.lives == 2 for peer in game.peers.values())


def test_a_person_who_stops_before_the_deal_ends_the_game() -> None:
    game = table((1, 2))
    game.agenda.at(0.3, game.peers[2].stop)
    game.run()
    assert kinds(game) == {"unfinished"}
    assert {result.reason for peer in game.peers.values() if (result := peer.result)} >= {STOPPED}
