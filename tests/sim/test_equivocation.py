"""A seat that shows each group of the others another turn, and cheats in other ways at once: it alone is dropped."""

from dataclasses import dataclass

import pytest

from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Dropped
from seqp2p.net.messages import EvidenceMessage, Signed
from tests.sim import Cheats, VirtualLan
from tests.sim.adversaries.byzantine import Byzantine, MakeTrick, Strategy, byzantine
from tests.sim.adversaries.votes import ballot
from tests.sim.test_lan import happened, kinds, match_of, played
from tests.table import fork

CROOK = 2
Groups = tuple[tuple[int, ...], ...]


@dataclass
class Faces(Strategy):
    """Shows each of these groups another turn of its own, once.

    ``known``: all have proof already that it cheats. ``wrong``: the first group gets something besides that could stand
    on no turn of it.
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
    """The proof that all have must keep no seat from hearing what closes the step, and no replay may hold evidence of
    a past that is undone: the simulator verifies every record. Over slow links the evidence overtakes what it builds
    on, and is kept whole until that is there.
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
