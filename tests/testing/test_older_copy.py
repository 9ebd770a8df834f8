"""Seats whose files are replaced by an older copy: they learn from the others what they signed, or sign nothing."""

import pytest

from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import Dropped
from seqp2p.net.messages import ContributionMessage
from seqp2p.testing import Cheats, Fault, VirtualLan
from seqp2p.testing.adversaries import play
from seqp2p.testing.adversaries.recalls import RECALLS
from seqp2p.testing.memory import decoded
from seqp2p.testing.peer import SimPeer
from seqp2p.testing.violation import SafetyViolation
from tests.testing.test_lan import kinds, lan

COPIED_S = 2.0
# Long enough that the seat has signed more, and short enough that the game goes on.
MATTERS = [(2, 3.0), (2, 6.0), (3, 3.0), (3, 2.5), (6, 4.0), (12, 3.0)]


@pytest.mark.parametrize(("players", "later_s"), MATTERS)
def test_an_older_copy_costs_nothing(players: int, later_s: float) -> None:
    game = lan(players, Fault("older", COPIED_S, (2,), later_s))
    game.run()
    assert kinds(game, *game.peers) <= {"won", "drawn"}
    assert game.peers[2].lives == 2


def test_a_signature_that_was_lost_with_its_link_binds_no_seat() -> None:
    """It was on the disk that is replaced, and on the wire: all others answer without it."""
    signed: dict[int, dict[object, bytes]] = {1: {}, 2: {}}  # by life and place

    def losing(sender: int, _to: int, frame: bytes) -> tuple[bytes, ...]:
        lives = game.peers[2].lives
        if sender != 2 or (lives == 1 and game.agenda.now < COPIED_S + 2):
            return (frame,)
        message = decoded(frame)
        if isinstance(message, ContributionMessage) and (word := open_envelope(message.payload)).seat == 2:
            signed[lives][word.step, word.prev] = message.payload
        return (frame,) if lives == 2 else ()

    game = lan(3, Fault("older", COPIED_S, (2,), 4.0), cheats=Cheats(tamper=losing))
    game.run()
    assert any(signed[2].get(place, lost) != lost for place, lost in signed[1].items()), "it has signed another"
    assert kinds(game, *game.peers) <= {"won", "drawn"}


@pytest.mark.parametrize("seed", [2, 6])
def test_a_signature_on_its_way_on_an_older_link_is_not_taken_after_the_answer(seed: int) -> None:
    game = lan(2, Fault("older", COPIED_S, (2,), 3.0), Fault("slow", COPIED_S + 1.5, (2,), 1.5, 7.0), seed=seed)
    game.run()
    assert kinds(game, 1, 2) <= {"won", "drawn"}
    assert game.peers[2].lives == 2


@pytest.mark.parametrize("seed", [6, 9, 10])
def test_a_signature_that_waits_behind_a_slow_disk_is_taken_before_the_answer(seed: int) -> None:
    """The other seat has received it, and signs a remark of its own, when it is asked."""
    later_s = 2.5
    talks = [Fault("talk", COPIED_S + later_s - before_s, (1,)) for before_s in (3.5, 2.0, 0.5, 0.2)]
    game = lan(
        2, Fault("older", COPIED_S, (2,), later_s), Fault("disk", COPIED_S, (1,), later_s + 1, 4.0), *talks, seed=seed
    )
    game.run()
    assert kinds(game, 1, 2) <= {"won", "drawn"}


@pytest.mark.parametrize("players", [2, 3])
def test_without_a_recovery_it_would_cost_the_seat(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put_back = SimPeer.put_back

    def believing(peer: SimPeer) -> None:
        put_back(peer)
        peer.has_older_copy = False

    monkeypatch.setattr(SimPeer, "put_back", believing)
    game = lan(players, Fault("older", COPIED_S, (2,), 3.0))
    with pytest.raises(SafetyViolation):
        game.run()


def stopped(game: VirtualLan, *seats: int) -> None:
    for seat in seats:
        assert game.peers[seat].state == "gone"
        assert "it signs nothing" in game.peers[seat].gone


def test_of_two_the_other_must_answer() -> None:
    game = lan(2, Fault("older", COPIED_S, (2,), 4.0), Fault("die", COPIED_S + 3.9, (1,)))
    game.run()
    stopped(game, 2)


def test_of_three_both_others_must_answer() -> None:
    game = lan(3, Fault("older", COPIED_S, (2,), 3.0), Fault("die", COPIED_S + 2.9, (1,)))
    game.run()
    stopped(game, 2)


def test_a_seat_that_is_not_told_signs_nothing() -> None:
    """One that keeps silent is enough: the others go on, and no honest seat is proved a cheat."""
    (silent,) = (each for each in RECALLS if each.name == "no answer")
    game = play(silent, 4)
    stopped(game, 2)
    assert kinds(game, 3, 4) == {"won"}


def test_of_two_that_do_not_know_neither_signs() -> None:
    game = lan(2, Fault("older", COPIED_S, (1, 2), 4.0))
    game.run()
    stopped(game, 1, 2)
    assert "none can tell" in game.peers[1].gone


@pytest.mark.parametrize("players", [6, 8])
def test_of_more_two_that_do_not_know_tell_each_other_the_rest(players: int) -> None:
    game = lan(players, Fault("older", COPIED_S, (2,), 4.0), Fault("older", COPIED_S + 1, (3,), 3.0))
    game.run()
    assert kinds(game, *game.peers) <= {"won", "drawn"}
    events = [event for _, event in game.peers[1].events]
    assert not any(isinstance(event, Dropped) for event in events)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seat_that_dies_after_its_answer_costs_no_other_its_place(seed: int) -> None:
    """The step that was open then needs the vote of the one that recovers."""
    game = lan(4, Fault("older", COPIED_S, (2,), 4.0), Fault("die", COPIED_S + 6.5, (1,)), seed=seed)
    game.run()
    assert kinds(game, 2, 3, 4) == {"won"}


def test_one_that_dies_before_it_costs_the_other_its_place() -> None:
    """It may hold a vote of the one that recovers, which no other has."""
    game = lan(6, Fault("older", COPIED_S, (2,), 4.0), Fault("die", COPIED_S + 3.9, (1,)))
    game.run()
    events = [event for _, event in game.peers[3].events if isinstance(event, Dropped)]
    assert events == [Dropped((1, 2))]
    assert kinds(game, 3, 4, 5, 6) == {"won"}


def test_again_while_it_recovers() -> None:
    """The process dies before all have answered: the next one is no wiser."""
    faults = (Fault("older", COPIED_S, (2,), 4.0), Fault("crash", COPIED_S + 4.005, (2,), 1.0))
    game = lan(4, *faults)
    game.run()
    assert kinds(game, *game.peers) <= {"won", "drawn"}
