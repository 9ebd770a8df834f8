"""A seat that shows each group of the others another turn, and cheats in other ways at once: it alone is dropped."""

from dataclasses import dataclass

import pytest

from seqp2p.match.contribution import Contribution, TurnBody, make_payload
from seqp2p.match.events import Dropped
from seqp2p.net.messages import EvidenceMessage, Signed
from tests.sim import Cheats
from tests.sim.adversaries.byzantine import Byzantine, Strategy, byzantine
from tests.sim.adversaries.votes import ballot
from tests.sim.test_lan import happened, kinds, lan
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
            body = TurnBody("pass", (), b"", b"")
            payload = make_payload(match.game.id, after.number, after.head, CROOK, "turn", body)
            crook.publish(crook.signed(payload), self.groups[0])
        return True


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("groups", "how"),
    [
        (((1,), (3,)), {"known": True}),
        (((1,), (3, 4)), {"known": True}),
        (((1, 3), (4, 5), (6,)), {"known": True}),
        (((1, 3), (4, 5), (6,)), {}),
        (((1,), (3,), (4, 5, 6)), {}),
        (((1,), (3,)), {"wrong": True}),
        (((1,), (3, 4)), {"wrong": True}),
        (((1,), (3, 4, 5, 6)), {"wrong": True}),
    ],
)
def test_the_others_drop_it_and_play_on(groups: Groups, how: dict[str, bool], seed: int) -> None:
    """The proof that all have must keep no seat from hearing what closes the step, and no replay may hold evidence of
    a past that is undone: the simulator verifies every record.
    """
    drops_it(groups, seed, **how)


@pytest.mark.parametrize("groups", [((1,), (3, 4)), ((1, 3), (4, 5), (6,)), ((1,), (3, 4, 5, 6))])
@pytest.mark.parametrize("how", [{"known": True}, {}, {"wrong": True}], ids=str)
def test_over_slow_links(groups: Groups, how: dict[str, bool]) -> None:
    """The evidence overtakes what it builds on, and is kept whole until that is there.

    Not with three seats: there the crook alone connects two halves (docs/protocol.md, "Ballots").
    """
    drops_it(groups, seed=0, jitter_s=0.8, **how)


def drops_it(groups: Groups, seed: int, jitter_s: float = 0.01, **how: bool) -> None:
    """Play a whole game. The honest seats drop the crook alone, and come to the same end."""
    cheats = Cheats({CROOK: byzantine(lambda: Faces(groups, **how))})
    game = lan(1 + sum(map(len, groups)), seed=seed, cheats=cheats, jitter_s=jitter_s)
    game.run()
    assert len({peer.result for peer in game.honest}) == 1
    for peer in game.honest:
        assert kinds(game, peer.number) <= {"won", "drawn"}
        assert happened(game, peer.number, Dropped) == [Dropped((CROOK,))]


@dataclass
class Whisper(Strategy):
    """Sends a draw with a wrong proof to one seat alone."""

    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if crook.match.kind == "draw" and not self.done:
            self.done = True
            crook.publish(crook.with_body(own, proof=bytes(65)), (1,))
        return self.done


@pytest.mark.parametrize("seed", range(3))
def test_the_seat_that_was_told_passes_the_evidence_on(seed: int) -> None:
    game = lan(4, seed=seed, cheats=Cheats({CROOK: byzantine(Whisper)}))
    game.run()
    for peer in game.honest:
        assert kinds(game, peer.number) <= {"won", "drawn"}
        assert happened(game, peer.number, Dropped) == [Dropped((CROOK,))]
        assert peer.match is not None
        assert "proof" in peer.match.proven[CROOK].reason
