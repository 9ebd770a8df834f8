"""Seats whose files are replaced by an older copy: the others tell them so, and they sign nothing more.

Whom a resumed seat waits for, and how long, is in tests/live/test_listening.py.
"""

from collections.abc import Sequence

import pytest

from seqp2p.match.contribution import open_envelope
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import ContributionMessage, Have, Ping, encode_message
from seqp2p.replay.sidecar import is_older, parse, sidecar_path
from tests.sim import Cheats, Fault, VirtualLan
from tests.sim.memory import decoded
from tests.sim.peer import SimPeer
from tests.sim.test_lan import kinds, lan, played
from tests.sim.violation import SafetyViolation

COPIED_S = 2.0


def stopped(game: VirtualLan, *seats: int) -> None:
    for seat in seats:
        assert game.peers[seat].state == "gone"
        assert "a copy of this game's files was put back" in game.peers[seat].gone
        path = sidecar_path(game.peers[seat].path)
        assert is_older(parse(game.peers[seat].disk.read(path), path)[1])


# Each later moment is long enough for the seat to sign more, and short enough for the game to go on.
@pytest.mark.parametrize(("players", "later_s"), [(2, 3.0), (2, 6.0), (3, 2.5), (4, 3.0)])
def test_the_seat_stops_and_is_no_cheat(players: int, later_s: float) -> None:
    game = played(players, Fault("older", COPIED_S, (2,), later_s))
    stopped(game, 2)
    assert game.peers[2].lives == 2
    assert kinds(game, *game.peers.keys() - {2}) == ({"unfinished"} if players == 2 else {"won"})


@pytest.mark.parametrize("seed", [1, 4])
def test_without_listening_it_would_be_a_proved_cheat(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeatKeys, "waits_to_sign", property(lambda _: False, lambda *_: None), raising=False)
    with pytest.raises(SafetyViolation):
        lan(2, Fault("older", COPIED_S, (2,), 3.0), seed=seed).run()


def slow_disk(later_s: float, sync_s: float) -> list[Fault]:
    """Seat 1 has received what seat 2 signed, and syncs a remark of its own, when it is asked."""
    talks = [Fault("talk", COPIED_S + later_s - before_s, (1,)) for before_s in (2.0, 0.5, 0.2)]
    return [Fault("disk", COPIED_S, (1,), later_s + 1, sync_s), *talks]


@pytest.mark.parametrize(
    ("players", "seats", "later_s", "others", "seed"),
    [
        (3, (2,), 3.0, [Fault("die", COPIED_S + 2.9, (1,))], 1),
        (3, (2, 3), 4.0, [], 1),
        (2, (2,), 3.5, slow_disk(3.5, 4.0), 10),
        (3, (2,), 3.5, slow_disk(3.5, 1.0), 4),
    ],
    ids=["one of the others is gone for good", "two at once", "a slow disk of two", "a slow disk of three"],
)
def test_it_stops_with_other_troubles(
    players: int, seats: tuple[int, ...], later_s: float, others: Sequence[Fault], seed: int
) -> None:
    game = played(players, Fault("older", COPIED_S, seats, later_s), *others, seed=seed)
    stopped(game, *seats)


@pytest.mark.parametrize(
    ("faults", "seed"),
    [
        ((Fault("older", COPIED_S, (2,), 0.0), Fault("crash", COPIED_S + 4, (1,), 1.0)), 1),
        # The last step is final for those who have a head that died with a process, and not for the first one.
        ((Fault("crash", 2.0, (1,), 4.0), Fault("crash", 5.5, (2, 3), 0.2)), 1),
        ((Fault("crash", 2.0, (1,), 4.0), Fault("crash", 5.5, (2, 3), 0.2)), 4),
    ],
)
def test_seats_with_their_newest_files_play_on(faults: tuple[Fault, ...], seed: int) -> None:
    game = played(3, *faults, seed=seed)
    assert kinds(game) <= {"won", "drawn"}


@pytest.mark.parametrize(("players", "seed"), [(2, 2), (2, 4), (3, 2), (4, 1)])
def test_copies_of_one_moment_play_on_from_there(players: int, seed: int) -> None:
    """All seats have lost what came after the copies: no signature of that time binds a seat."""
    game = lan(players, Fault("older", COPIED_S, tuple(range(1, players + 1)), 2.0), seed=seed)
    steps = list[int]()
    for at_s in (COPIED_S, COPIED_S + 1.99):
        game.agenda.at(at_s, lambda: steps.append(min(peer.steps for peer in game.peers.values())))
    game.agenda.at(COPIED_S + 2.0, game.witness._signed.clear)
    game.run()
    assert steps[0] < steps[1]
    assert [peer.lives for peer in game.peers.values()] == [2] * players
    assert kinds(game) <= {"won", "drawn"}


def test_a_seat_that_no_other_answers_does_not_wait_for_ever() -> None:
    """The game waits for the seat itself, which signs nothing."""
    asleep, dead = Fault("asleep", 0.5, (2,), 20.0), Fault("die", 5.0, (1,))
    game = played(2, asleep, Fault("crash", 4.0, (2,), 3.0), dead, seed=2)
    result = game.peers[2].result
    assert result is not None
    assert result.reason == "no other seat has answered for 10 s"


def test_a_remark_that_came_before_the_question_is_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The link of the dead process stays open for the other seat, which takes the remark late."""

    def put_back(peer: SimPeer) -> None:
        peer.kill(power=True)
        peer.disk.put_back(peer.backup)

    monkeypatch.setattr(SimPeer, "put_back", put_back)
    talks = [Fault("talk", 2.9, (1,)), Fault("talk", 3.1, (2,)), Fault("talk", 3.7, (2,))]
    game = played(2, Fault("disk", 2.7, (1,), 0.29, 1.0), Fault("older", 3.0, (2,), 0.3), *talks, seed=1)
    stopped(game, 2)


@pytest.mark.parametrize("seed", [1, 4, 8])
def test_a_seat_that_answers_first_and_keeps_back_what_matters_frames_no_other(seed: int) -> None:
    """Seat 1 says at once that it has answered, and sends seat 2 nothing that seat 2 has signed."""

    def framing(sender: int, to: int, frame: bytes) -> tuple[bytes, ...]:
        message = decoded(frame)
        if (sender, to) != (1, 2) or game.peers[2].lives < 2:  # it was resumed
            return (frame,)
        if isinstance(message, Have | Ping):
            return (encode_message(Have(1, ())),) * 2
        if isinstance(message, ContributionMessage) and open_envelope(message.payload).seat != 2:
            return (frame,)
        return ()

    game = lan(3, Fault("older", COPIED_S, (2,), 3.0), cheats=Cheats(tamper=framing), seed=seed)
    game.run()
    stopped(game, 2)
