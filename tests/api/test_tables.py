"""Whole games between seats in one process, as a script plays them."""

import gc
import threading
from pathlib import Path
from typing import Any

import pytest
import trio

import seqp2p
from tests.api.tools import LIMIT_S, guest_of, identity, lasting, play_varied, table_of, two_seats, until, varied

pytestmark = pytest.mark.simulation


async def test_two_seats_in_one_nursery_play_a_whole_game(tmp_path: Path) -> None:
    seats: dict[str, seqp2p.Seat] = {}

    async def bob(seat: seqp2p.Seat) -> None:
        seats["bob"] = seat
        await play_varied(seat)

    async with two_seats(tmp_path, bob) as ann:
        assert (ann.number, ann.view, ann.result, ann.safety_words(2)) == (1, None, None, None)
        turns = []
        async for turn in ann:
            assert turn.view.to_move == turn.view.seat == 1
            was_open = turn.open
            assert await turn.play(varied(turn.view))
            assert (was_open, turn.open) == (True, False)
            turns.append(turn)
        assert len(turns) >= 2  # with a corner, three chips of bob's win
        assert ann.view is not None
        assert ann.view.over
    bob_ = seats["bob"]
    assert ann.result == bob_.result
    assert ann.result is not None
    assert ann.result.kind == "won"
    assert ann.game == bob_.game
    assert ann.safety_words(2) == bob_.safety_words(1) is not None
    assert [(each.name, each.key) for each in ann.players] == [
        ("ann", identity("ann").public.hex()),
        ("bob", identity("bob").public.hex()),
    ]
    assert ann.settings == seqp2p.table_settings(2, variant="kids")
    assert repr(bob_) == f"Seat(2, game={ann.game[:12]})"
    # Both replays are complete, and nothing else is left.
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    for seat in (ann, bob_):
        report = seqp2p.verify(seat.replay)
        assert (report.verdict, report.game, report.result) == ("verified", ann.game, ann.result)
        events = seat.events.so_far
        assert events == tuple([event async for event in seat.events])
        assert isinstance(events[0], seqp2p.Seated)
        assert isinstance(events[-1], seqp2p.Finished)
        assert sum(isinstance(event, seqp2p.Turned) and event.seat == 1 for event in events) == len(turns)


async def test_a_rematch(tmp_path: Path) -> None:
    """Two games more at one table: each sees that the other has not accepted yet; no code is asked for."""
    results: dict[str, list[seqp2p.Result | None]] = {"ann": [], "bob": []}
    games = set[str]()
    asked: list[list[bool]] = []

    async def play_on(seat: seqp2p.Seat, name: str) -> None:
        lobbies = list[seqp2p.Lobby]()

        def seen(event: object) -> None:
            if isinstance(event, seqp2p.LobbyShown) and None not in event.seats:
                asked.append([guest.asked for guest in event.seats if guest is not None])
                if name == "bob" and asked[-1] == [True, True]:
                    lobbies[-1].ask(seqp2p.AcceptGame())
                if name == "ann" and asked[-1] == [True, False]:
                    lobbies[-1].ask(seqp2p.AcceptGame())

        with pytest.raises(RuntimeError):
            async with seqp2p.rematch(seat):
                pass
        await play_varied(seat)
        results[name].append(seat.result)
        async with seqp2p.rematch(seat, asked=True, on_event=seen, on_lobby=lobbies.append) as again:
            await play_varied(again)
            results[name].append(again.result)
            async with seqp2p.rematch(again) as last:
                await play_varied(last)
                results[name].append(last.result)
        games.update((seat.game, again.game, last.game))

    async with two_seats(tmp_path, lambda seat: play_on(seat, "bob")) as ann:
        await play_on(ann, "ann")
    assert results["ann"] == results["bob"]
    assert [result and result.kind for result in results["ann"]] == ["won"] * 3
    assert [True, True] in asked
    assert asked[-1] == [False, False]
    assert (lasting(tmp_path), len(games)) == ([".seqp2p"] * 6, 3)


async def test_an_illegal_action_is_refused_with_the_reason_and_nothing_is_lost(tmp_path: Path) -> None:
    async with two_seats(tmp_path) as ann:
        async for turn in ann:
            reasons = [turn.refused]
            with pytest.raises(seqp2p.NotationError, match="nonsense"):
                await turn.play("nonsense")
            for wrong in ("pass", seqp2p.Action("place", 999, 999), seqp2p.Action("call", seat=2)):
                with pytest.raises(seqp2p.IllegalAction) as error:
                    await turn.play(wrong)
                assert turn.open
                assert turn.refused == str(error.value)
                reasons.append(turn.refused)
            assert len(set(reasons)) == 4
            assert await turn.play(seqp2p.format_action(turn.view.variant, turn.view.legal[-1]))
            # Once it is played, nothing can be added to it.
            assert not await turn.play(turn.view.legal[0])
            break
        await play_varied(ann)
    assert ann.result is not None
    assert ann.result.kind == "won"


async def test_a_turn_that_was_refused_comes_again(tmp_path: Path) -> None:
    async with two_seats(tmp_path) as ann:
        reasons: list[str | None] = []
        async for turn in ann:
            reasons.append(turn.refused)
            try:
                played = {1: "nonsense", 2: "pass", 3: "pass"}
                await turn.play(played.get(len(reasons)) or varied(turn.view))
            except (seqp2p.IllegalAction, seqp2p.NotationError):
                continue
        assert reasons[0] is None
        assert reasons[1] is not None
        assert "nonsense" in reasons[1]
        assert reasons[2] is not None
        assert "cannot pass" in reasons[2]
        assert reasons[2] == reasons[3]
        assert not any(reasons[4:])


async def test_leaving_for_good(tmp_path: Path) -> None:
    """The others are told by a signature, and both replays are whole."""
    ends: list[seqp2p.Seat] = []

    async def bob(seat: seqp2p.Seat) -> None:
        ends.append(seat)
        await play_varied(seat)

    async with two_seats(tmp_path, bob) as ann:
        async for turn in ann:
            await ann.leave()
            assert ann.result is not None
            assert not turn.open
            assert not await turn.play(turn.view.legal[0])
        await ann.leave()
    assert ann.result == seqp2p.Result("unfinished", (), "left the table")
    assert not ann.resumable
    (seat,) = ends
    assert seat.result is not None
    assert seat.result.kind == "forfeit"
    assert seat.result.winners == (2,)
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    for each in (ann, seat):
        report = seqp2p.verify(each.replay)
        assert report.verdict == "unfinished"
        assert report.writer is not None
        assert any(isinstance(moment.what, seqp2p.SeatLeft) for moment in seqp2p.read(each.replay).moments)


STOPPED = seqp2p.Result("unfinished", (), "stopped for now")


async def stops_when_the_other_does(seat: seqp2p.Seat) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play_varied, seat)
        async for event in seat.events:
            if isinstance(event, seqp2p.Absent):
                assert event.later
                await seat.stop()
        nursery.cancel_scope.cancel()


async def test_breaking_off_stops_for_now(tmp_path: Path) -> None:
    """Nothing is signed, and the files of both stay."""
    async with two_seats(tmp_path, stops_when_the_other_does) as ann:
        async for _ in ann:
            break
    assert (ann.result, ann.resumable) == (STOPPED, True)
    assert lasting(tmp_path) == [".seat", ".seat", ".seqp2p", ".seqp2p"]
    assert seqp2p.verify(ann.replay).writer is None


class Mishap(Exception):
    pass


async def test_what_a_block_raises_comes_out_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(Mishap):
        async with table_of(tmp_path):
            raise Mishap
    with pytest.RaisesGroup(Mishap):  # The nursery is ``two_seats``'s.
        async with two_seats(tmp_path) as ann:
            raise Mishap
    assert ann.result is not None
    assert ann.result.kind == "unfinished"


async def test_cancellation_stops_for_now_and_leaks_nothing(tmp_path: Path) -> None:
    before = threading.active_count(), trio.lowlevel.current_statistics().tasks_living
    seats: list[seqp2p.Seat] = []

    async def bob(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        await play_varied(seat)

    with trio.CancelScope() as scope:
        async with two_seats(tmp_path, bob) as ann:
            seats.append(ann)
            async for turn in ann:
                if turn.view.turn > 2:
                    scope.cancel()
                await turn.play(turn.view.legal[0])
    assert scope.cancelled_caught
    for seat in seats:
        assert seat.resumable
        assert seqp2p.verify(seat.replay).verdict == "unfinished"
    assert lasting(tmp_path) == [".seat", ".seat", ".seqp2p", ".seqp2p"]
    gc.collect()
    assert trio.lowlevel.current_statistics().tasks_living == before[1]


@pytest.mark.parametrize("who", ["host", "guest"])
async def test_cancelled_in_the_lobby(tmp_path: Path, who: str) -> None:
    """Whoever goes before the table is full says goodbye; there is no replay of it."""
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3) as table:
            sat_down = trio.Event()

            def hear(event: object) -> None:
                sat_down.set()

            async with trio.open_nursery() as nursery:

                async def guest() -> None:
                    async with guest_of(table, tmp_path, on_event=hear):
                        raise AssertionError("the table is not full")

                if who == "guest":
                    nursery.start_soon(guest)
                    await sat_down.wait()
                    nursery.cancel_scope.cancel()
                else:
                    nursery.cancel_scope.deadline = trio.current_time() + 0.1
                    async with table.seat():
                        raise AssertionError("the table is not full")
            if who == "guest":
                await until(table, seqp2p.TurnedAway)
        events = table.events.so_far
        assert isinstance(events[0], seqp2p.CodeShown)
        assert [event.reason for event in events if isinstance(event, seqp2p.TurnedAway)] == (
            ["bob has left the table"] if who == "guest" else []
        )
    assert lasting(tmp_path) == []


async def test_a_table_that_nobody_takes_is_left(tmp_path: Path) -> None:
    """All have agreed, and the host goes without playing: the guest is not kept waiting."""
    ended = trio.Event()
    seats: list[seqp2p.Seat] = []
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery, table_of(tmp_path) as table:

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    seats.append(seat)
                    ended.set()
                    await play_varied(seat)

            nursery.start_soon(guest)
            await ended.wait()
    assert seats[0].result is not None
    assert seats[0].result.kind == "unfinished"


async def test_who_can_keep_no_replay_leaves(tmp_path: Path) -> None:
    """The others are told at once: nobody waits for a seat that will not play."""
    ends: list[seqp2p.Result | None] = []
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path / "file") as table, trio.open_nursery() as nursery:
            (tmp_path / "file").rmdir()
            (tmp_path / "file").touch()  # The folder is lost while the table waits.

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await play_varied(seat)
                    ends.append(seat.result)

            nursery.start_soon(guest)
            with pytest.raises(OSError, match="file"):
                async with table.seat():
                    raise AssertionError("there is no place for the replay")
    assert ends == [seqp2p.Result("unfinished", (), "seat 1 (ann) left the table")]


async def test_seat_one_is_taken_once(tmp_path: Path) -> None:
    async with table_of(tmp_path) as table:
        with trio.move_on_after(0.05):
            async with table.seat():
                raise AssertionError("the table is not full")
        with pytest.raises(RuntimeError, match="taken"):
            async with table.seat():
                pass


async def test_what_is_said_is_heard(tmp_path: Path) -> None:
    heard = trio.Event()

    async def bob(seat: seqp2p.Seat) -> None:
        async for event in seat.events:
            if event == seqp2p.Remarked(1, 1, "hello", courtesy=True):
                heard.set()
            elif isinstance(event, seqp2p.Dealt):
                await heard.wait()
                await seat.leave()

    async with two_seats(tmp_path, bob) as ann:
        await ann.say("hello")
        for nothing in ("", " \n", "a" * 201):
            with pytest.raises(ValueError, match="1 to 200 characters"):
                await ann.say(nothing)
        await play_varied(ann)
        assert heard.is_set()
        assert ann.result is not None
        assert ann.result.winners == (1,)
        await ann.say("good game")  # Nobody hears it any more.


async def test_two_tables_in_one_process(tmp_path: Path) -> None:
    games: set[str] = set()

    async def evening(folder: Path) -> None:
        async with two_seats(folder) as ann:
            await play_varied(ann)
        assert ann.result is not None
        games.add(ann.game)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(evening, tmp_path / "a")
        nursery.start_soon(evening, tmp_path / "b")
    assert len(games) == 2


async def test_four_seats_in_one_process(tmp_path: Path) -> None:
    """From the lobby to the twelfth turn, when all of them leave. (How long a whole game is, the cards decide.)"""
    seats: list[seqp2p.Seat] = []

    async def play(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        async for turn in seat:
            if turn.view.turn > 12:
                await seat.leave()
                break
            await turn.play(turn.view.legal[0])

    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 4) as table, trio.open_nursery() as nursery:

            async def guest(name: str) -> None:
                async with guest_of(table, tmp_path, name) as seat:
                    await play(seat)

            for name in ("bob", "cat", "dan"):
                nursery.start_soon(guest, name)
            async with table.seat() as seat:
                await play(seat)
    assert sorted(seat.number for seat in seats) == [1, 2, 3, 4]
    assert all(seat.result is not None for seat in seats)
    assert len({seat.game for seat in seats}) == 1


@pytest.fixture
def zoe(own_home: Path) -> Path:
    """Zoe's home."""
    own_home.mkdir()
    (own_home / "config.toml").write_text('name = "zoe"\n', "utf-8")
    return own_home


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_the_players_own_keys_and_name(tmp_path: Path, zoe: Path) -> None:
    """Without an identity it is the player's own, and two games at a time take two."""
    keys: list[tuple[str, ...]] = []
    own: dict[str, Any] = {"name": None, "identity": None, "replay_dir": None}
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, **own) as table, trio.open_nursery() as nursery:
            assert table.name == "zoe"

            async def guest() -> None:
                async with seqp2p.join(table.address, code=table.code) as seat:
                    await play_varied(seat)

            nursery.start_soon(guest)
            async with table.seat() as seat:
                keys.append(tuple(player.name for player in seat.players))
                await play_varied(seat)
    assert keys == [("zoe", "zoe 2")]
    assert names(zoe) == ["config.toml", "identity-2.key", "identity.key", "replays"]
    assert seat.replay.parent == zoe / "replays"
