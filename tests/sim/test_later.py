"""Players who stop for now and come back: the others gather, and the game goes on. The waits are in tests/live."""

from collections.abc import Collection, Sequence
from functools import partial

import pytest

from seqp2p.live.absence import Absent
from seqp2p.live.seat_session import GoOn, SeatSession
from seqp2p.live.voting import AskAbout
from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import STOPPED, Dropped, Redealt, Voted
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import ContributionMessage, Have, Ping, encode_message
from seqp2p.replay.sidecar import is_older, parse, sidecar_path
from tests.sim import Cheats, Fault, SimSeat, VirtualLan
from tests.sim.memory import decoded
from tests.sim.peer import SimPeer
from tests.sim.test_lan import happened, kinds, lan, played
from tests.sim.violation import SafetyViolation

STOPS_S = 6.0
GRACE_S = 10


def table(people: Collection[int], *faults: Fault, programs: Collection[int] = ()) -> VirtualLan:
    """A table of people, who are asked before a seat is dropped, and of programs."""

    def program(sitting: SimSeat) -> SeatSession:
        return sitting.make(people=frozenset(people) - {sitting.seat.number})

    game = lan(len({*people, *programs}), *faults)
    for seat, peer in game.peers.items():
        peer.make_session = program if seat in programs else lambda sitting: sitting.make(asks=True)
    return game


def played_out(game: VirtualLan) -> None:
    """All seats have played to the end, without a vote."""
    assert "unfinished" not in kinds(game)
    for seat in game.peers:
        assert not any(happened(game, seat, kind) for kind in (Voted, Dropped, Redealt))
        assert game.witness.reports[seat].verdict == "verified"


@pytest.mark.parametrize(
    "stops",
    [
        {1: (6.0, 1.0), 2: (6.0, 300.0), 3: (6.0, 1_800.0), 4: (6.0, 3_600.0)},
        {1: (8.0, 10.0), 2: (10.0, 300.0), 3: (12.0, 1_800.0), 4: (14.0, 3_600.0)},
        {1: (6.0, 6_000.0), 2: (6.0, 60.0)},
        {2: (6.0, 5.0)},
    ],
    ids=["four at once", "four one after the other", "two, for hours", "one of two"],
)
def test_people_stop_and_come_back(stops: dict[int, tuple[float, float]]) -> None:
    faults = (Fault("later", at_s, (seat,), away_s) for seat, (at_s, away_s) in stops.items())
    game = table(range(1, 1 + max(stops)), *faults)
    game.run()
    played_out(game)
    assert all(game.peers[seat].lives == 2 for seat in stops)


def test_of_three_one_stops_and_never_comes_back() -> None:
    game = table((1, 2, 3))
    game.agenda.at(STOPS_S, game.peers[2].stop)
    game.agenda.at(STOPS_S + GRACE_S + 2.0, lambda: game.peers[1].put(GoOn(2)))
    game.run()
    for seat in (1, 3):
        assert happened(game, seat, Absent) == [Absent(2, GRACE_S, later=True)]
        assert AskAbout((2,)) in happened(game, seat, AskAbout)
        (at_s,) = [when for when, event in game.peers[seat].events if isinstance(event, Dropped)]
        assert GRACE_S <= at_s - STOPS_S <= GRACE_S + 5.0
    assert kinds(game, 1, 3) <= {"won", "drawn"}


def test_one_that_was_given_up_and_is_back_is_asked_about_again() -> None:
    """An answer is about one absence. The seat is awaited all the time; a link ends after 8 s without a word."""
    twice = (Fault("partition", STOPS_S, (2,), 14.0), Fault("partition", 30.0, (2,), 11.0 + GRACE_S))
    game = table((1, 2, 3), Fault("asleep", 0.0, (2,), 80.0), *twice)
    game.agenda.at(STOPS_S + 11.0, partial(game.peers[1].put, GoOn(2)))
    game.run()
    assert len(happened(game, 1, Absent)) == 2
    assert happened(game, 1, AskAbout) == [AskAbout((2,)), AskAbout(())]
    played_out(game)


@pytest.mark.parametrize("back_s", [30.0, 180.0])
def test_programs_stop_when_their_only_player_has_and_come_back_with_it(back_s: float) -> None:
    game = table((1,), Fault("later", STOPS_S, (1,), back_s), programs=(2, 3, 4))
    for seat in (2, 3, 4):
        game.agenda.at(STOPS_S + back_s, game.peers[seat].restart)
    game.run()
    played_out(game)
    assert all(peer.lives == 2 for peer in game.peers.values())


def test_a_person_who_stops_before_the_deal_ends_the_game() -> None:
    game = table((1, 2))
    game.agenda.at(0.3, game.peers[2].stop)
    game.run()
    assert kinds(game) == {"unfinished"}
    assert {result.reason for peer in game.peers.values() if (result := peer.result)} >= {STOPPED}


# Seats whose files are replaced by an older copy: the others tell them so, and they sign nothing more.


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
