"""Games that are adjourned: programs stop, come back hours later, wait for each other, and play to the end."""

from collections.abc import Collection

from seqp2p.live.absence import Absent, Awaited
from seqp2p.live.seat_session import Adjourn, SeatSession
from seqp2p.match.events import AdjournSigned, Dropped, Redealt, Voted
from seqp2p.testing import Fault, SimSeat, VirtualLan
from tests.testing.test_lan import happened, kinds, lan

HOUR_S = 3600.0


class PersonSession(SeatSession):
    """The seat of a person."""

    @classmethod
    def of(cls, sitting: SimSeat) -> SeatSession:
        parts = sitting.match, sitting.seat, sitting.mesh.relay, sitting.asking, sitting.writer, sitting.emit
        return cls(*parts, sitting.journal, sitting.runtime, asks=True)


def adjourned(players: int, people: Collection[int], back: dict[int, float]) -> VirtualLan:
    """A game that these people adjourn; each comes back at its time, the last of them for good."""
    game = lan(players, Fault("cut", max(back.values()) + 60, (1,)), jitter_s=0.001)
    for seat in people:
        game.peers[seat].make_session = PersonSession.of
        # They want to often enough that all do within one turn.
        for tenths in range(50, 300):
            game.agenda.at(tenths / 10, lambda seat=seat: game.peers[seat].put(Adjourn()))  # type: ignore[misc]
    for peer in game.peers.values():
        peer.think_mean_s = 2.0
    for seat, at_s in back.items():
        game.agenda.at(at_s, game.peers[seat].restart)
    game.run(settle_s=HOUR_S)
    return game


def test_all_stop_and_one_alone_waits_for_the_others_without_a_vote() -> None:
    game = adjourned(3, (1, 2, 3), {2: HOUR_S, 1: HOUR_S + 200, 3: HOUR_S + 400})
    assert "unfinished" not in kinds(game)
    for seat in (1, 2, 3):
        assert {event.seat for event in happened(game, seat, AdjournSigned)} == {1, 2, 3}
        assert not any(happened(game, seat, kind) for kind in (Voted, Dropped, Redealt, Absent))
        assert game.witness.reports[seat].verdict == "verified"
        assert game.peers[seat].lives == 2
    assert happened(game, 2, Awaited) == [Awaited((1, 3)), Awaited((3,)), Awaited(())]


def test_two_adjourn_and_come_back_the_next_day() -> None:
    game = adjourned(2, (1, 2), {1: 24 * HOUR_S, 2: 25 * HOUR_S})
    assert "unfinished" not in kinds(game)
    assert happened(game, 1, Awaited) == [Awaited((2,)), Awaited(())]
    assert {game.witness.reports[seat].verdict for seat in (1, 2)} == {"verified"}


def test_a_bot_agrees_and_stays() -> None:
    game = adjourned(3, (1, 2), {1: HOUR_S, 2: 2 * HOUR_S})
    assert "unfinished" not in kinds(game)
    assert [game.peers[seat].lives for seat in (1, 2, 3)] == [2, 2, 1]
    assert happened(game, 3, Awaited)[-1] == Awaited(())
    assert not happened(game, 3, Voted)


def test_one_wish_alone_stops_nothing() -> None:
    game = lan(3)
    for seat in (1, 2, 3):
        game.peers[seat].make_session = PersonSession.of
    game.agenda.at(5.0, lambda: game.peers[1].put(Adjourn()))
    game.run()
    assert "unfinished" not in kinds(game)
    assert [event.seat for event in happened(game, 2, AdjournSigned)] == [1]
