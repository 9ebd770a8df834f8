"""Seats that vote otherwise than the others: a game neither lives on its dead movers nor waits for good."""

from collections.abc import Mapping

import pytest

from seqp2p.live.voting import SILENT_S
from seqp2p.match import ballots
from seqp2p.match.ballots import AHEAD_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped, Skipped, Voted
from seqp2p.match.signed import BallotPayload
from seqp2p.replay.sidecar import sidecar_path
from tests.sim import Cheats, Fault, VirtualLan
from tests.sim.adversaries.byzantine import Byzantine, Once, Strategy, byzantine
from tests.sim.adversaries.votes import Hinders, ballot, two_ballots
from tests.sim.peer import MakeSession
from tests.sim.test_lan import dropped, happened, kinds, lan, played, result_of

DEAD, FRIEND = 2, 3


class NoTurns(Strategy):
    """Never act in its own turn; do everything else."""

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        return crook.match.kind == "turn"


class OnlySkips(Strategy):
    """Vote at once to skip the dead mover, in each of its turns, and never to drop it."""

    def __init__(self) -> None:
        self._at = 0

    def after(self, crook: Byzantine) -> None:
        base = crook.match.chain.base
        if base is None or base.plan.kind != "turn" or base.plan.subject != DEAD or self._at == base.number:
            return
        self._at = base.number
        own = ballot(crook, [DEAD], action="skip", reason="joined")
        crook.match.receive_word(BallotPayload, own.contribution)
        crook.say(own)


class Prophet(Strategy):
    """Contribute, once, to every step that may come."""

    def __init__(self) -> None:
        self._done = False

    def after(self, crook: Byzantine) -> None:
        if not self._done and crook.match.kind == "turn":
            self._done = True
            for ahead in range(1, 61):
                crook.publish(crook.made("turn", step=crook.match.number + ahead, prev=bytes(32)))


class Obstinate(Byzantine):
    """A seat that casts no ballot but those of its strategy."""

    async def _vote(self) -> None:
        await self._show_heads()


def votes_as(strategy: type[Strategy]) -> MakeSession:
    return lambda sitting: Obstinate(sitting, strategy())


def six(gone: Fault, sessions: Mapping[int, MakeSession]) -> VirtualLan:
    return played(6, gone, cheats=Cheats(sessions))


def with_a_friend(players: int) -> VirtualLan:
    """A game in which one seat never acts, and another wants it to be skipped for ever."""
    return played(players, cheats=Cheats({DEAD: byzantine(NoTurns), FRIEND: votes_as(OnlySkips)}), turn_time_s=15)


def test_a_friend_that_always_votes_to_skip_keeps_no_dead_seat_in_the_game() -> None:
    """The second ballot to skip does not count. The friend is silent then, and is dropped with the dead seat."""
    game = with_a_friend(6)
    for seat in (1, 4, 5, 6):
        assert happened(game, seat, Skipped) == [Skipped(DEAD)]
        assert dropped(game, seat) == {DEAD, FRIEND}
        assert game.witness.reports[seat].verdict == "verified"


def test_a_lone_vote_has_its_next_round_and_no_game_waits_for_good() -> None:
    """Of three, one wants to drop the dead seat and is alone with it: it votes again and again, and then ends."""
    game = with_a_friend(3)
    drops = [vote for vote in happened(game, 1, Voted) if vote.action == "drop"]
    assert [vote.round for vote in drops] == [*range(drops[0].round, drops[0].round + len(drops))]
    assert 1 < len(drops) <= AHEAD_MAX
    assert result_of(game, 1).kind == "unfinished"
    assert result_of(game, 1).reason.endswith("those who stay are not a majority")


def test_seats_that_have_used_up_their_ballots_wait_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second seat does not vote, and no ballots are left to drop both. The files stay: the seats can be resumed."""
    monkeypatch.setattr(ballots, "VOTES_MAX", 1)
    game = six(Fault("die", 3.0, (6,)), {5: votes_as(Strategy)})
    for seat in (1, 2, 3, 4):
        peer = game.peers[seat]
        assert peer.state == "gone"
        assert "the table could not agree on how step" in peer.gone
        assert sidecar_path(peer.path) in peer.disk.files


def test_seats_that_have_ballots_left_go_on() -> None:
    assert kinds(six(Fault("die", 3.0, (6,)), {5: votes_as(Strategy)}), 1, 2, 3, 4) == {"won"}


def test_a_seat_that_votes_only_to_hinder_is_dropped_with_the_one_that_has_left() -> None:
    """Its ballots are about honest seats, each in a new round."""
    game = six(Fault("leave", 3.0, (6,)), {DEAD: votes_as(Hinders)})
    assert all(dropped(game, seat) == {DEAD, 6} for seat in (1, 3, 4, 5))
    assert kinds(game, 1, 3, 4, 5) <= {"won", "drawn"}


def test_a_seat_that_is_away_has_its_grace_during_a_vote() -> None:
    """A cheat is to be voted out, and one of those whose vote that takes is away for longer than a vote may take."""
    cheats = Cheats({DEAD: byzantine(lambda: Once(two_ballots))})
    away = Fault("partition", 2.5, (4,), SILENT_S + 10.0)
    game = played(4, away, Fault("asleep", 2.0, (1, 3), 5.0), cheats=cheats, grace_s=60)
    for seat in (1, 3, 4):
        assert happened(game, seat, Dropped) == [Dropped((DEAD,))]
    assert kinds(game, 1, 3, 4) <= {"won", "drawn"}


def test_the_last_opponent_is_voted_out_though_it_has_signed_far_ahead() -> None:
    """The steps that it signed never open. The two that stay neither ask for more nor wait for what they have."""
    deaths = Fault("die", 4.0, (2,)), Fault("die", 28.0, (4,))
    game = lan(4, *deaths, cheats=Cheats({4: byzantine(Prophet)}), turn_time_s=5)
    for peer in game.peers.values():
        peer.think_mean_s = 3.0
    game.run()
    assert all("there is nobody to play against" in result_of(game, seat).reason for seat in (1, 3))
