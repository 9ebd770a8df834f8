"""Games that are adjourned: programs stop, come back hours later, wait for each other, and play to the end."""

from collections.abc import Collection
from dataclasses import dataclass

import pytest

from seqp2p.live.absence import Absent, Awaited
from seqp2p.live.seat_session import Adjourn, SeatSession
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import AdjournSigned, Dropped, Redealt, Voted
from seqp2p.net.messages import AdjournMessage
from seqp2p.testing import Cheats, Fault, SimSeat, TooLong, VirtualLan
from seqp2p.testing.adversaries.byzantine import Byzantine, Strategy, byzantine
from tests.testing.test_lan import happened, kinds, lan, match_of

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


# A seat that agrees, keeps that back, and shows it when it likes.


@dataclass
class KeptBack(Strategy):
    """Sign an agreement in a turn in which all others have signed one, and show it so many turns later."""

    turns: int = 1000  # never before the end
    signed: Contribution | None = None
    turn: int = 0
    is_shown: bool = False

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        if crook.match.kind == "over" and self.signed is not None:
            self.show(crook)
        return self.is_shown

    def after(self, crook: Byzantine) -> None:
        crook._stays = False  # a bot agrees by itself
        game = crook.match.game
        if game.position is None or self.is_shown:
            return
        if crook.match.adjourns.signed_now(game) >= set(crook.others):
            self.signed, self.turn = crook.seat.adjourn(crook.match), game.position.turn
        if self.signed is not None and game.position.turn >= self.turn + self.turns:
            self.show(crook)

    def show(self, crook: Byzantine) -> None:
        assert self.signed is not None
        crook.say(AdjournMessage(self.signed.payload, self.signed.signature))
        self.is_shown = True


def asked_in_vain(*faults: Fault, seed: int, turns: int = 1000, until_s: int = 30) -> VirtualLan:
    """A game in which seats 1 and 2 want to adjourn in every turn, and seat 3 keeps its agreement back."""
    cheats = Cheats(sessions={3: byzantine(lambda: KeptBack(turns))})
    game = lan(3, *faults, seed=seed, cheats=cheats, jitter_s=0.001)
    for seat in (1, 2):
        game.peers[seat].make_session = PersonSession.of
        for tenths in range(5, 10 * until_s):
            game.agenda.at(tenths / 10, lambda seat=seat: game.peers[seat].put(Adjourn()))  # type: ignore[misc]
    for peer in game.peers.values():
        peer.think_mean_s = 1.0
    return game


@pytest.mark.parametrize(("seed", "winner"), [(1, 1), (2, 2)])
def test_an_agreement_kept_back_until_another_has_won_takes_no_win_away(seed: int, winner: int) -> None:
    game = asked_in_vain(seed=seed)
    game.run()
    results = [game.peers[seat].result for seat in (1, 2)]
    assert [result and (result.kind, result.winners) for result in results] == [("won", (winner,))] * 2
    assert {event.seat for event in happened(game, 1, AdjournSigned)} == {1, 2, 3}


def test_an_agreement_shown_late_has_all_wait_for_each_other_too() -> None:
    """The turn has passed: still those who stopped by it wait for each other, and none is voted out."""
    game = asked_in_vain(Fault("cut", 2.5 * HOUR_S, (3,)), seed=4, turns=3, until_s=6)
    game.agenda.at(HOUR_S, game.peers[1].restart)
    game.agenda.at(2 * HOUR_S, game.peers[2].restart)
    with pytest.raises(TooLong):  # The third never comes back.
        game.run()
    for seat in (1, 2):
        assert game.peers[seat].lives == 2
        assert happened(game, seat, Awaited)[-1].seats == (3,)
        assert not any(happened(game, seat, kind) for kind in (Voted, Dropped, Absent))
        assert match_of(game, seat).game.table_position().turn > match_of(game, seat).adjourns.last((1, 2, 3)).turn + 1


def test_bots_that_all_stay_do_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are linked all the time, so none of them ever comes back."""
    monkeypatch.setattr("seqp2p.live.seat_session.STAYS_S", 100.0)
    game = lan(3, jitter_s=0.001)
    game.agenda.at(3.0, lambda: game.peers[3].put(Adjourn()))
    for peer in game.peers.values():
        peer.think_mean_s = 2.0
    game.run()
    assert kinds(game) == {"unfinished"}
    assert not happened(game, 1, Awaited)
