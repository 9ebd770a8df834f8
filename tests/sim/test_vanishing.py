"""Seats that die, leave or are cut off: a majority drops them after their grace and plays on; fewer stop there."""

import pytest

from seqp2p.live.absence import Absent, Back
from seqp2p.match.events import Dropped, Result
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.verify import verify
from tests.sim import Cheats, Fault, VirtualLan
from tests.sim.adversaries import Byzantine, Once, Withholds
from tests.sim.adversaries.byzantine import byzantine
from tests.sim.adversaries.votes import two_ballots
from tests.sim.peer import SimSeat
from tests.sim.test_lan import dropped, happened, kinds, lan, played, result_of

GRACE_S = 10
DIES_S = 3.0
# A tick sees it, a round may have to begin again, and the others think in between.
SOON_S = 5.0
NO_MAJORITY = "those who stay are not a majority"


@pytest.mark.parametrize(
    ("players", "gone", "faults"),
    [
        (6, {2, 5}, [Fault("leave", DIES_S, (2,)), Fault("leave", DIES_S, (5,))]),
        (6, {2, 3}, [Fault("die", DIES_S, (2,)), Fault("die", DIES_S + GRACE_S - 0.5, (3,))]),
        (6, {2, 5}, [Fault("partition", DIES_S, (2, 5), GRACE_S + 30.0)]),
    ],
    ids=["two leave at once", "two die within one vote", "the network falls into four and two"],
)
def test_the_majority_drops_those_who_are_gone_and_plays_on(players: int, gone: set[int], faults: list[Fault]) -> None:
    went_on(game := lan(players, *faults), gone)
    if faults[0].kind == "partition":
        assert all(result_of(game, seat).reason.endswith(NO_MAJORITY) for seat in gone)


@pytest.mark.parametrize("players", [3, 4])
def test_a_seat_that_dies_is_dropped_after_its_grace(players: int) -> None:
    went_on(game := lan(players, Fault("die", DIES_S, (2,))), {2})
    for seat in game.peers.keys() - {2}:
        assert happened(game, seat, Absent) == [Absent(2, GRACE_S)]
        assert not happened(game, seat, Back)
        (dropped_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert GRACE_S <= dropped_s - DIES_S <= GRACE_S + SOON_S
    report = verify(game.peers[2].record)
    assert (report.verdict, report.writer) == ("unfinished", None)


def went_on(game: VirtualLan, gone: set[int]) -> None:
    """Play. The others have dropped these seats, together or one by one, and have played to the same end."""
    game.run()
    stay = game.peers.keys() - gone
    assert len({game.peers[seat].result for seat in stay}) == 1
    assert kinds(game, *stay) <= {"won", "drawn"}
    assert all(dropped(game, seat) == gone for seat in stay)


def test_two_of_four_that_vanish_leave_no_majority() -> None:
    game = played(4, Fault("die", DIES_S, (2,)), Fault("die", DIES_S, (3,)))
    gone = "seat 2 (player 2), seat 3 (player 3)"
    why = f"{gone} cannot be reached or keep the others waiting, and {NO_MAJORITY}"
    for seat in (1, 4):
        assert result_of(game, seat) == Result("unfinished", (), why)
        assert GRACE_S <= game.peers[seat].ended_at - DIES_S <= GRACE_S + SOON_S + DEFAULT_LIMITS.close_s
        assert verify(game.peers[seat].record).verdict == "unfinished"


def test_two_cheats_of_four_end_the_game_at_once() -> None:
    """No seat signs with a cheat, and those who stay are not a majority."""
    game = played(4, cheats=Cheats(dict.fromkeys((2, 3), byzantine(lambda: Once(two_ballots)))), grace_s=100)
    for seat in (1, 4):
        assert result_of(game, seat).kind == "unfinished"
        assert "cheated at step" in result_of(game, seat).reason
        assert game.peers[seat].ended_at < 60


def test_of_two_one_vanishes() -> None:
    game = played(2, Fault("die", DIES_S, (2,)))
    why = f"seat 2 (player 2) could not be reached for {GRACE_S} s"
    assert result_of(game, 1) == Result("unfinished", (), why)


def test_the_last_opponent_vanishes_after_another_was_dropped() -> None:
    """To throw seats out is not to win: none has signed a leave."""
    thinks = (Fault("asleep", DIES_S, (seat,), 300.0) for seat in (1, 3))
    game = played(3, Fault("die", DIES_S, (2,)), Fault("die", DIES_S + GRACE_S + SOON_S, (3,)), *thinks)
    assert happened(game, 1, Dropped) == [Dropped((2,))]
    assert (result_of(game, 1).kind, result_of(game, 1).winners) == ("unfinished", ())


class Idle(Byzantine):
    """Withholds its links and its shares, and votes for nothing."""

    async def _vote(self) -> None:
        """Sign no ballot and no head."""


@pytest.mark.parametrize(("players", "seed"), [(3, 2), (4, 1)])
def test_two_that_do_nothing_leave_no_majority_and_end_the_game(players: int, seed: int) -> None:
    """No ballot can help: the game does not wait for ever."""

    def idle(sitting: SimSeat) -> Byzantine:
        return Idle(sitting, Withholds("draw"))

    game = played(players, cheats=Cheats({2: idle, 3: idle}), seed=seed)
    assert kinds(game, *game.peers.keys() - {2, 3}) == {"unfinished"}
