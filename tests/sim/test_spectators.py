"""Spectators of simulated games: they see what the seats see, change nothing, and the witness looks after them.

tests/live/test_spectator.py has lost links, a host that goes away, and a spectator that comes late.
"""

import random
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pytest

from seqp2p.lobby.spectators import FeedReader, SpectatorFeed
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Result
from seqp2p.match.game import StepPlan, final_result
from seqp2p.net.messages import Bye, LinkStage, Refused, WireMessage
from seqp2p.replay.format import StepRecord, records
from tests.sim import KINDS, Cheats, Fault, FaultKind, Plan, SafetyViolation, VirtualLan
from tests.sim.adversaries import ADVERSARIES, Adversary, play
from tests.sim.adversaries.byzantine import Byzantine, Strategy, byzantine
from tests.sim.adversaries.decks import proved
from tests.sim.adversaries.spectators import HOSTILE_SPECTATORS, HostileSpectator
from tests.sim.faults import draw_plan, draw_watching
from tests.sim.memory import decoded, pieces
from tests.sim.outcome import outcome_of, simulate
from tests.sim.spectator import MakeVisit, SimSpectator
from tests.sim.test_lan import lan, match_of, result_of
from tests.sim.wires import End

ONE = 101
BY_NAME = {adversary.name: adversary for adversary in ADVERSARIES}


class When(random.Random):
    """Chance that lets spectators come at this time."""

    def __init__(self, at_s: float) -> None:
        super().__init__(1)
        self._at_s = at_s

    def choice(self, seq: Any) -> Any:
        return type(seq[0])(self._at_s)


def hall(*faults: Fault, spectators: int = 1, players: int = 3, **how: Any) -> VirtualLan:
    """A table of slow players, with spectators who come when the game begins."""
    made = lan(players, *faults, spectators=spectators, **how)
    for spectator in made.spectators.values():
        spectator.dice = When(0.1)
    for peer in made.peers.values():
        peer.think_mean_s = 3.0
    return made


def evening(*faults: Fault, **how: int) -> VirtualLan:
    """Play such a game to its end."""
    game = hall(*faults, **how)
    game.run()
    return game


def steps_of(record: bytes) -> list[bytes]:
    return [record[each.start : each.end] for each in records(record) if isinstance(each.record, StepRecord)]


def test_they_see_what_the_seats_see() -> None:
    calm = evening(spectators=2)
    host = calm.peers[calm.host]
    assert host.result is not None
    for spectator in calm.spectators.values():
        assert spectator.result == host.result
        assert calm.witness.reports[spectator.number].verdict == "verified"
        assert steps_of(spectator.record) == steps_of(host.record)
        assert [event for _, event in spectator.events] == [event for _, event in host.events]
        assert spectator.match is not None
        assert len(spectator.match.openings) == 3, "the hands that were opened"


@pytest.mark.parametrize("seed", [7, 9])
def test_the_same_seed_gives_the_same_bytes_and_the_seats_the_same_game(seed: int) -> None:
    plan = draw_plan(seed, 3)
    plan = replace(plan, faults=plan.faults + draw_watching(seed, 3))
    once, again = (VirtualLan(3, seed, plan, spectators=3) for _ in range(2))
    for each in (once, again):
        each.run()
    assert outcome_of(once) == outcome_of(again)
    assert outcome_of(once).hash == simulate(seed, 3).hash, "the game without spectators"


def test_their_faults_are_drawn_from_the_seed() -> None:
    drawn = [fault for seed in range(300) for fault in draw_watching(seed, 3)]
    assert draw_watching(5, 3) == draw_watching(5, 3)
    assert {fault.kind for fault in drawn} == set(KINDS) - {"older", "disk", "asleep", "talk", "later"}
    assert {number for fault in drawn for number in fault.seats} == {101, 102, 103}
    assert draw_watching(5, 0) == draw_watching(5, 3, ()) == draw_watching(5, 3, ["talk"]) == ()


def test_a_spectator_that_reads_in_bursts_catches_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent no more than a batch until it has read that; then it asks for the rest. The seats do not notice."""
    behind: list[int] = []
    handle = SpectatorFeed.handle

    def noting(self: SpectatorFeed, reader: FeedReader, received: WireMessage) -> None:
        behind.append(len(self._log) - reader.position)
        handle(self, reader, received)

    monkeypatch.setattr(SpectatorFeed, "handle", noting)
    calm, lagging = hall(players=6), hall(Fault("bursts", 3.0, (ONE,), 10.0, 6.0), players=6)
    calm.run()
    usual = max(behind)
    behind.clear()
    lagging.run()
    assert max(behind) > usual, "not level any more"
    assert 0 in behind[behind.index(max(behind)) :], "level again"
    assert outcome_of(lagging).hash == outcome_of(calm).hash
    assert result_of(lagging, ONE) == lagging.peers[lagging.host].result
    assert steps_of(lagging.spectators[ONE].record) == steps_of(lagging.peers[lagging.host].record)


@pytest.mark.parametrize("kind", ["crash", "power"])
def test_a_spectator_that_dies_watches_again_from_the_beginning(kind: FaultKind) -> None:
    back = evening(Fault(kind, 3.0, (ONE,), 2.0))
    assert back.spectators[ONE].lives == 2
    assert steps_of(back.spectators[ONE].record) == steps_of(back.peers[back.host].record)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("leave", 3.0, (ONE,)), "had enough"),
        (Fault("stall", 3.0, (ONE,), 60.0), "could not be reached for 10 s"),
        (Fault("oneway", 3.0, (ONE,), 60.0), "could not be reached for 10 s"),
        (Fault("crash", 4.0, (hall().host,), 2.0), "was restarted and lets nobody watch any more"),
    ],
    ids=["it leaves", "it is stopped", "it is cut off", "its host was started again"],
)
def test_a_spectator_that_does_not_see_the_end_records_why(fault: Fault, reason: str) -> None:
    missed = evening(fault)
    assert result_of(missed, ONE).kind == "unfinished"
    assert reason in result_of(missed, ONE).reason
    report = missed.witness.reports[ONE]
    assert (report.verdict, bool(report.reason)) == ("unfinished", True)


def test_a_spectator_that_comes_after_the_end_is_not_let_in() -> None:
    late = hall()
    spectator = late.spectators[ONE]
    spectator.dice = When(300.0)
    late.run()
    assert (spectator.state, spectator.gone, spectator.record) == ("gone", "nobody answers", b"")


class TwoShuffles(Strategy):
    """Before a draw of seat 1, sends that seat another shuffle than all others, who go on with theirs."""

    done = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        match = crook.match
        if self.done or match.kind != "shuffle" or list(match.game.plans)[:1] != [StepPlan("draw", 1)]:
            return False
        self.done, rest = True, [seat for seat in crook.others if seat != 1]
        crook.publish(crook.made("shuffle", proved(crook)), (1,))
        crook.publish(own, rest)
        match.receive(own)
        share = crook.seat.contribute(match)
        crook.publish(share, rest)
        match.receive(share)
        return True


def test_a_host_that_undoes_steps_takes_its_spectators_along() -> None:
    """What it first has of the true past comes to them while they are on the other one."""
    crook = TwoShuffles()
    game = hall(players=4, seed=4, cheats=Cheats({4: byzantine(lambda: crook)}))
    game.host = 1
    game.run()
    assert crook.done
    assert game.peers[1].result == result_of(game, ONE) == final_result(match_of(game, ONE).game)


def test_a_cheat_is_seen() -> None:
    game = play(BY_NAME["two turns"], 2, seed=4, spectators=1)
    (winner,) = game.honest
    assert winner.number == game.host
    assert winner.result is not None
    assert winner.result.kind == "forfeit"
    assert result_of(game, ONE) == winner.result
    report = game.witness.reports[ONE]
    assert report.result is None, "only a winner's file names a forfeit"
    assert "broke the rules" in (report.reason or "")


# What they do is nothing to the seats.


@pytest.mark.parametrize("adversary", HOSTILE_SPECTATORS[::3], ids=lambda adversary: adversary.name)
def test_the_seats_play_the_same_game(adversary: Adversary) -> None:
    heckled, alone = play(adversary, 2), play(replace(adversary, hostile_spectator=None), 2)
    visit = heckled.spectators[ONE].process
    assert isinstance(visit, HostileSpectator)
    assert visit.done
    assert outcome_of(heckled).hash == outcome_of(alone).hash


# What the witness sees.


class Deaf(SimSpectator):
    """Hears nothing but the farewell."""

    def _hear(self, end: End, data: bytes) -> None:
        if any(isinstance(decoded(frame, LinkStage.SPECTATOR), Bye) for frame in pieces(data, len(data))):
            super()._hear(end, list(pieces(data, len(data)))[-1])


class Slanderer(SimSpectator):
    """Says of its host what it has not done."""

    def _taken(self) -> None:
        if self.spectator.match.number == 12:
            self.spectator.ending = Result("unfinished", (), "the host passed on rubbish")
        super()._taken()


class Babbler(SimSpectator):
    """Sends what is out of place."""

    def _taken(self) -> None:
        if self.spectator.match.kind == "turn":
            self.say(Refused("busy", ""))
        super()._taken()


@pytest.mark.parametrize(
    ("visit", "complaint"),
    [
        (Deaf, "spectator 101 has read its host's farewell"),
        (Slanderer, "spectator 101 blames its honest host: the host passed on rubbish"),
        (Babbler, "blames honest spectator 101"),
    ],
)
def test_a_spectator_that_is_not_honest_would_be_seen(visit: MakeVisit, complaint: str) -> None:
    made = hall()
    made.spectators[ONE].make_visit = visit
    with pytest.raises(SafetyViolation, match=complaint):
        made.run()


def test_a_fork_would_be_seen() -> None:
    forked = evening()
    witness, spectator, seat = forked.witness, forked.spectators[ONE], forked.peers[1]
    record = match_of(forked, 1).record
    record[4] = match_of(forked, ONE).record[4] = replace(record[4], prev=bytes(32))
    witness._looked.clear()
    witness.looks(forked.peers[2])
    with pytest.raises(SafetyViolation, match="step 5 is final with spectator 101 in another way"):
        witness.notices(spectator)
    with pytest.raises(SafetyViolation, match="step 5 is final with seat 1 in another way"):
        witness.looks(seat)


def test_a_spectator_that_sees_a_card_that_was_not_shown_would_be_seen() -> None:
    """More cards than were shown; then as many, and not those."""
    calm = evening(Fault("leave", 3.0, (ONE,)))
    game = match_of(calm, ONE).game
    position = game.table_position()

    def notices(card: int) -> None:
        game.position = position._replace(hands=((card, *position.hands[0][1:]), *position.hands[1:]))
        calm.witness.notices(calm.spectators[ONE])

    with pytest.raises(SafetyViolation, match="spectator 101 sees a card of seat 1"):
        notices(7)
    game.deck.shown[game.deck.hand(1)[0]] = 0
    face = game.deck.face(0)
    notices(face)
    with pytest.raises(SafetyViolation, match="spectator 101 sees a card of seat 1"):
        notices(face + 1)


def test_a_secret_in_any_frame_is_found() -> None:
    calm = evening()
    process = calm.peers[1].process
    assert process is not None
    calm.witness.overhears(b"...." + process.session.seat.release().to_bytes(32, "big"))
    with pytest.raises(SafetyViolation, match="the game secret of seat 1"):
        calm.witness.at_the_end(calm.peers.values())


def test_no_seat_waits_for_the_spectators_of_a_cheat() -> None:
    lan = play(replace(BY_NAME["end not signed"], hostile_spectator=SimSpectator), 2, 63)
    assert lan.host not in lan.witness.honest
    assert lan.spectators[ONE].state == "watching"


# What simulation has found, each with the game that showed it. CHANGELOG.md has the list.


class Found(NamedTuple):
    """A game. ``faults`` has the kind, the time, the seats, the duration and the size of each."""

    players: int
    seed: int
    latency_s: float
    jitter_s: float
    faults: str
    spectators: int = 0

    def play(self) -> VirtualLan:
        faults = tuple(
            Fault(cast("FaultKind", kind), float(at_s), tuple(map(int, seats.split(","))), *map(float, more))
            for kind, at_s, seats, *more in map(str.split, self.faults.split(";"))
        )
        plan = Plan(self.latency_s, self.jitter_s, faults)
        lan = VirtualLan(self.players, self.seed, plan, spectators=self.spectators)
        lan.run()
        return lan


LOST = "stall 7.28 2 5.373; loss 13.273 1 15.204; power 13.278 1,2,3,4 6.04"
DEAD = "crash 9.296 2 0.123; crash 9.593 3 5.666; crash 16.067 3 6.876; crash 16.345 4 30.277"
WRITTEN = "drift 0 1 0 0.9636; disk 13.572 1 14.608 3.379; crash 14.888 1 0.067"
MISSED = (
    "asleep 1.158 1 4.678; asleep 2.316 2 7.345; asleep 7.434 1 6.967; asleep 12.629 2 37.521; asleep 17.347 2 0.728"
)
SHOWN = "crash 8.452 1 44.704; crash 1.258 101 25.627; crash 16.621 101 0.99; crash 7.467 102 1.073"
SILENT = "die 1.351 1; older 2.145 5 0.568; disk 5.158 4 25.421 3.779; crash 7.375 3 29.954; talk 12.939 2"
RESUMED = "later 2.848 2 24.83; later 15.932 1 11.205"
PARTED = "leave 6.051 2; leave 12.662 101"
FOUND = {
    # What was final by others' later signatures was lost with the power, the ballot upon it was not.
    "a ballot above what was lost": Found(4, 5, 0.03, 0.0, LOST),
    # Dropped while it was away, it came back, was told so, and died before its record was complete.
    "dropped, and dead before the end": Found(4, 38, 0.03, 0.0, DEAD),
    # The process died in the middle of a sync; what it had written was sent by the next one.
    "written, not synced, sent": Found(5, 21, 0.002, 0.1, WRITTEN),
    # What the spectator had been sent for later steps was due when a vote closed one, and it waited for more.
    "the end missed behind a vote": Found(3, 245, 0.0002, 0.1, MISSED, spectators=2),
    # That the steps before a vote were final could be seen by its ballots alone, and they were put by as too early.
    "ballots that show what is final": Found(3, 254, 0.0002, 0.01, SHOWN, spectators=2),
    # One was dead, one could not vote before it was dropped; each seat found the second silent in a round of its own.
    "silent to one seat at a time": Found(5, 20291, 0.002, 0.0, SILENT),
    # The spectator had read the goodbye of a host that stopped, and played to the end when it was back.
    "a goodbye before the end": Found(2, 4001882, 0.0002, 0.5, RESUMED, spectators=1),
    # The spectator had left, and then the goodbye came.
    "a goodbye after its own": Found(3, 4010058, 0.03, 0.0, PARTED, spectators=1),
}


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_it_does_not_happen_again(found: Found) -> None:
    assert "ended" in {peer.state for peer in found.play().peers.values()}
