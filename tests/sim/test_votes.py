"""Seats that vote otherwise than the others: a game neither lives on its dead movers nor waits for good."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from seqp2p.live.voting import SILENT_S
from seqp2p.match import ballots
from seqp2p.match.ballots import AHEAD_MAX
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped, Skipped, Voted
from seqp2p.match.signed import BallotPayload
from seqp2p.net.messages import EvidenceMessage, Signed
from seqp2p.replay.sidecar import sidecar_path
from tests.sim import Cheats, Fault, VirtualLan
from tests.sim.adversaries.byzantine import Byzantine, MakeTrick, Once, Strategy, byzantine
from tests.sim.adversaries.votes import Hinders, ballot, two_ballots
from tests.sim.peer import MakeSession
from tests.sim.test_lan import dropped, happened, kinds, lan, match_of, played, result_of
from tests.table import fork

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


# A seat that shows each group of the others another turn, and cheats in other ways at once: it alone is dropped.


CROOK = 2
Groups = tuple[tuple[int, ...], ...]


@dataclass
class Faces(Strategy):
    """Shows each of these groups another turn of its own, once.

    ``known``: all have proof that it cheats. ``wrong``: the first group gets more, which could stand on no turn of it.
    """

    groups: Groups
    known: bool = False
    wrong: bool = False
    done: bool = False

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        if crook.match.kind != "turn" or self.done:
            return self.done
        self.done = True
        match = crook.match
        if self.known:
            twice = (ballot(crook, [about]) for about in crook.others[:2])
            crook.say(EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in twice)))
        turns = [crook.seat.play(match, action) for action in crook.seat.view(match).legal]
        for seats, turn in zip(self.groups, turns, strict=False):
            crook.publish(turn, seats)
        if self.wrong:
            after = fork(match)
            after.receive(turns[0])
            crook.publish(crook.made("turn", step=after.number, prev=after.head), self.groups[0])
        return True


THREE: Groups = (1,), (3,)
FOUR: Groups = (1,), (3, 4)
HALVES: Groups = (1,), (3, 4, 5, 6)
THIRDS: Groups = (1, 3), (4, 5), (6,)
MOST: Groups = (1,), (3,), (4, 5, 6)


# Seconds that a message takes at most.
QUICK, SLOW = 0.01, 0.8


@pytest.mark.parametrize(
    ("jitter_s", "groups", "how", "seeds"),
    [
        (QUICK, THREE, {"known": True}, 2),
        (QUICK, FOUR, {"known": True}, 1),
        (QUICK, THIRDS, {"known": True}, 1),
        (QUICK, THIRDS, {}, 1),
        (QUICK, MOST, {}, 2),
        (QUICK, THREE, {"wrong": True}, 1),
        (QUICK, FOUR, {"wrong": True}, 2),
        (QUICK, HALVES, {"wrong": True}, 1),
        # Not with three seats: there the crook alone connects two halves (docs/protocol.md, "Ballots").
        (SLOW, FOUR, {"known": True}, 1),
        (SLOW, THIRDS, {"known": True}, 1),
        (SLOW, THIRDS, {}, 1),
        (SLOW, HALVES, {}, 1),
        (SLOW, FOUR, {"wrong": True}, 1),
        (SLOW, HALVES, {"wrong": True}, 1),
    ],
)
def test_the_others_drop_it_and_play_on(jitter_s: float, groups: Groups, how: dict[str, bool], seeds: int) -> None:
    """The proof keeps no seat from hearing what closes the step, and no replay holds evidence of a past that is undone.

    Over slow links the evidence overtakes what it builds on.
    """
    for seed in range(seeds):
        drops_it(lambda: Faces(groups, **how), 1 + sum(map(len, groups)), seed, jitter_s)


def drops_it(strategy: MakeTrick, players: int, seed: int = 0, jitter_s: float = 0.01) -> VirtualLan:
    """Play a whole game. The honest seats drop the crook alone, and come to the same end."""
    game = played(players, seed=seed, cheats=Cheats({CROOK: byzantine(strategy)}), jitter_s=jitter_s)
    assert len({peer.result for peer in game.honest}) == 1
    for peer in game.honest:
        assert kinds(game, peer.number) <= {"won", "drawn"}
        assert happened(game, peer.number, Dropped) == [Dropped((CROOK,))]
    return game


@dataclass
class Whisper(Strategy):
    """Sends a draw with a wrong proof to one seat alone."""

    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if crook.match.kind == "draw" and not self.done:
            self.done = True
            crook.publish(crook.with_body(own, proof=bytes(65)), (1,))
        return self.done


@pytest.mark.parametrize("seed", range(2))
def test_the_seat_that_was_told_passes_the_evidence_on(seed: int) -> None:
    game = drops_it(Whisper, 4, seed)
    for peer in game.honest:
        assert "proof" in match_of(game, peer.number).proven[CROOK].reason
