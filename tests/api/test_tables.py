"""Whole games between seats in one process, as a script plays, watches and resumes them."""

import gc
import math
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

import seqp2p
from seqp2p.replay.sidecar import Sidecar
from tests.api.tools import (
    LIMIT_S,
    ended,
    identity,
    lasting,
    lobby_of,
    play_two_games,
    play_varied,
    played_in,
    refused,
    sits_down,
    table_of,
    table_with,
    two_seats,
    until,
    varied,
)
from tests.cli.conftest import names_in

pytestmark = pytest.mark.simulation


def keeps(seats: list[seqp2p.Seat]) -> Callable[[seqp2p.Seat], Awaitable[None]]:
    """Play to the end, and keep the seat."""

    async def play(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        await play_varied(seat)

    return play


async def test_two_seats_in_one_nursery_play_a_whole_game(tmp_path: Path) -> None:
    seats: list[seqp2p.Seat] = []
    async with two_seats(tmp_path, keeps(seats)) as ann:
        assert (ann.number, ann.view, ann.result, ann.safety_words(2)) == (1, None, None, None)
        for none in (-1, 0, 1, 3):
            with pytest.raises(ValueError, match=f"the other seats are 2, not {none}"):
                ann.safety_words(none)
        for wrong, why in (("", "1 to 200 characters"), ("a" * 201, "1 to 200"), ("a\nb", "control"), (" ", "spaces")):
            with pytest.raises(ValueError, match=why):
                await ann.say(wrong)
        turns: list[seqp2p.Turn] = []
        async for turn in ann:
            if not turns:
                await ann.say("hello")
            assert turn.view.to_move == turn.view.seat == 1
            was_open = turn.open
            assert await turn.play(varied(turn.view))
            assert (was_open, turn.open) == (True, False)
            turns.append(turn)
        assert len(turns) >= 2  # with a corner, three chips of bob's win
        assert ann.view is not None
        assert ann.view.over
        await ann.say("good game")  # Too late to be heard.
    (bob,) = seats
    assert (ended(ann), ann.result, ann.game) == ("won", bob.result, bob.game)
    assert ann.safety_words(2) == bob.safety_words(1) is not None
    assert [(each.name, each.key) for each in ann.players] == [
        (name, identity(name).public.hex()) for name in ("ann", "bob")
    ]
    assert ann.settings == seqp2p.table_settings(2, variant="kids")
    assert repr(bob) == f"Seat(2, game={ann.game[:12]})"
    # Both replays are complete, and nothing else is left.
    hello = seqp2p.Remarked(1, 1, "hello", courtesy=True)
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    for seat in (ann, bob):
        report = seqp2p.verify(seat.replay)
        assert (report.verdict, report.game, report.result) == ("verified", ann.game, ann.result)
        events = seat.events.so_far
        assert events == tuple([event async for event in seat.events])
        assert isinstance(events[0], seqp2p.Seated)
        assert isinstance(events[-1], seqp2p.Finished)
        assert [event for event in events if isinstance(event, seqp2p.Remarked)] == [hello]
        assert sum(isinstance(event, seqp2p.Turned) and event.seat == 1 for event in events) == len(turns)


async def test_a_rematch(tmp_path: Path) -> None:
    """Another game at one table: each sees that the other has not accepted yet; no code is asked for."""
    ends: dict[str, list[tuple[str, seqp2p.Result | None]]] = {"ann": [], "bob": []}
    asked: list[list[bool]] = []

    async def play_on(seat: seqp2p.Seat, name: str) -> None:
        lobbies = list[seqp2p.Lobby]()

        def seen(event: object) -> None:
            if isinstance(event, seqp2p.LobbyShown) and None not in event.seats:
                asked.append([guest.asked for guest in event.seats if guest is not None])
                if asked[-1] == ([True, True] if name == "bob" else [True, False]):
                    lobbies[-1].ask(seqp2p.AcceptGame())

        async def play(seat: seqp2p.Seat) -> None:
            await play_varied(seat)
            ends[name].append((seat.game, seat.result))

        await refused(RuntimeError, seqp2p.rematch(seat))
        await play(seat)
        async with seqp2p.rematch(seat, asked=True, on_event=seen, on_lobby=lobbies.append) as again:
            await play(again)

    seats: list[seqp2p.Seat] = []

    async def bob(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        await play_on(seat, "bob")

    async with two_seats(tmp_path, bob) as ann:
        await play_on(ann, "ann")
    for seat in (ann, *seats):
        await refused(RuntimeError, seqp2p.rematch(seat), "belongs within the block of the table's first seat")
    assert ends["ann"] == ends["bob"]
    assert [result and result.kind for _, result in ends["ann"]] == ["won"] * 2
    assert [True, True] in asked
    assert asked[-1] == [False, False]
    assert (lasting(tmp_path), len({game for game, _ in ends["ann"]})) == ([".seqp2p"] * 4, 2)


async def test_leaving_for_good(tmp_path: Path) -> None:
    """The others are told by a signature, and both replays are whole."""
    seats: list[seqp2p.Seat] = []
    async with two_seats(tmp_path, keeps(seats)) as ann:
        async for turn in ann:
            await ann.leave()
            assert ann.result is not None
            assert not turn.open
            assert not await turn.play(turn.view.legal[0])
        await ann.leave()
    assert ann.result == seqp2p.Result("unfinished", (), "left the table")
    assert not ann.resumable
    (bob,) = seats
    assert bob.result is not None
    assert (bob.result.kind, bob.result.winners) == ("forfeit", (2,))
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    for each in (ann, bob):
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
    with pytest.RaisesGroup(Mishap):  # The nursery is ``table_with``'s.
        async with two_seats(tmp_path) as ann:
            raise Mishap
    assert ended(ann) == "unfinished"


async def test_cancellation_stops_for_now_and_leaks_nothing(tmp_path: Path) -> None:
    before = trio.lowlevel.current_statistics().tasks_living
    seats: list[seqp2p.Seat] = []
    with trio.CancelScope() as scope:
        async with two_seats(tmp_path, keeps(seats)) as ann:
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
    assert trio.lowlevel.current_statistics().tasks_living == before


async def test_a_guest_who_is_cancelled_in_the_lobby_says_goodbye(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3) as table:
            async with lobby_of(table, tmp_path) as lobby:
                assert isinstance(lobby.events.so_far[0], seqp2p.LobbyShown)
            await until(table, seqp2p.TurnedAway)
    shown, *_ = events = table.events.so_far
    assert isinstance(shown, seqp2p.CodeShown)
    away = [event.reason for event in events if isinstance(event, seqp2p.TurnedAway)]
    assert away == ["bob has left the table"]
    assert lasting(tmp_path) == []


async def test_who_has_waited_in_vain_waits_again_and_a_seat_is_given_once(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3) as table, lobby_of(table, tmp_path) as lobby:
            for each in (table, lobby):
                with trio.move_on_after(0.02) as waiting:
                    await refused(AssertionError, each.seat())
                assert waiting.cancelled_caught, "the table is not full"
            assert lasting(tmp_path) == []
            async with trio.open_nursery() as nursery:
                nursery.start_soon(sits_down(tmp_path, who="eve"), table)
                nursery.start_soon(played_in, table)
                nursery.start_soon(played_in, lobby)
            for each in (table, lobby):
                await refused(RuntimeError, each.seat(), "taken already")
        async with table_of(tmp_path, 3) as left, lobby_of(left, tmp_path) as without:
            pass
        for each in (left, without):
            await refused(RuntimeError, each.seat(), "closed")
    assert lasting(tmp_path) == [".seqp2p"] * 3


async def test_a_table_that_nobody_takes_is_left(tmp_path: Path) -> None:
    """All have agreed, and the host goes without playing: the guest is not kept waiting."""
    seated = trio.Event()
    seats: list[seqp2p.Seat] = []

    async def play(seat: seqp2p.Seat) -> None:
        seated.set()
        await keeps(seats)(seat)

    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery, table_of(tmp_path) as table:
            nursery.start_soon(sits_down(tmp_path, play), table)
            await seated.wait()
    assert ended(seats[0]) == "unfinished"


async def test_bots_fill_a_table_but_for_the_places_that_are_kept(tmp_path: Path) -> None:
    how: dict[str, Any] = {"players": 4, "variant": "kids", "fill": "random", "wait_for": 1}
    async with table_with(tmp_path, sits_down(tmp_path), **how) as table:
        seat = await played_in(table)
    names = sorted(player.name for player in seat.players)
    assert names[:2] == ["ann", "bob"]
    assert all(name.startswith("bot ") for name in names[2:])
    await refused(ValueError, seqp2p.host(3, fill="clever", listen="127.0.0.1"), "there is no bot 'clever'")


async def test_a_bot_that_is_removed_is_called_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.api.host.CALL_AGAIN_S", 0.01)
    seen = list[bytes]()
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3, fill="random", wait_for=1) as table:
            async for event in table.events:
                if isinstance(event, seqp2p.LobbyShown) and event.seats[1] and event.seats[1].key not in seen:
                    seen.append(event.seats[1].key)
                    if len(seen) == 2:
                        break
                    table.ask(seqp2p.RemovePlayer(seen[0]))
    for wrong in ({"wait_for": 3, "fill": "random"}, {"wait_for": -1, "fill": "random"}, {"wait_for": 1}):
        await refused(ValueError, table_of(tmp_path, 3, **wrong), "wait_for goes with fill")


async def test_a_fault_of_a_bot_that_fills_a_table_comes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_seat: seqp2p.Seat, _bot: str) -> None:
        raise Mishap

    monkeypatch.setattr("seqp2p.api.host.play_bot", fail)
    with pytest.raises(Mishap), trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3, fill="random") as table, table.seat() as seat:
            await play_varied(seat)


async def test_bots_that_fill_a_table_come_back(tmp_path: Path) -> None:
    async with table_of(tmp_path, 3, variant="kids", fill="random") as table, table.seat() as seat:
        again = await play_two_games(seat)
    assert [player.name for player in again.players] == ["ann", "bot 2", "bot 3"]
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]


async def test_a_guest_asks_in_the_lobby_and_plays(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 2) as table, lobby_of(table, tmp_path) as lobby, trio.open_nursery() as nursery:
            lobby.ask(seqp2p.ChooseColour("yellow"))
            async for event in lobby.events:
                if isinstance(event, seqp2p.LobbyShown) and "yellow" in event.settings.colours:
                    break
            nursery.start_soon(played_in, table)
            async with lobby.seat() as seat:
                assert seat.settings.colours[1] == "yellow"
                await play_varied(seat)
    assert ended(seat) == "won"


async def test_a_lobby_that_the_host_closes_is_said_where_the_guest_waits(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path, 3) as table, lobby_of(table, tmp_path) as lobby:
            await table.close()
            assert [event async for event in lobby.events]
            with pytest.raises(seqp2p.LinkLost, match="closed the table"):
                async with lobby.seat():
                    pass


async def test_who_can_keep_no_replay_leaves(tmp_path: Path) -> None:
    """The others are told at once, and do not wait for a seat that will not play."""
    seats: list[seqp2p.Seat] = []
    async with table_with(tmp_path / "file", sits_down(tmp_path, keeps(seats))) as table:
        (tmp_path / "file").rmdir()
        (tmp_path / "file").touch()  # The folder is lost while the table waits.
        await refused(OSError, table.seat(), "file")
    assert [seat.result for seat in seats] == [seqp2p.Result("unfinished", (), "seat 1 (ann) left the table")]


class Cheat:
    """A bot of the script's own that plays what it likes."""

    def choose(self, view: seqp2p.View) -> seqp2p.Action:
        return seqp2p.parse_action(view.variant, "pass")


async def test_a_bot_plays_on_where_another_chose_what_is_not_legal(tmp_path: Path) -> None:
    async with two_seats(tmp_path) as ann:
        with pytest.raises(ValueError, match="there is no bot 'clever': the bots are easy, "):
            await seqp2p.play_bot(ann, "clever")
        with pytest.raises(seqp2p.IllegalAction):
            await seqp2p.play_bot(ann, Cheat())
        begun = trio.current_time()
        assert await seqp2p.play_bot(ann, "greedy", pace_s=0.05) == ann.result
    turns = sum(isinstance(event, seqp2p.Turned) and event.seat == 1 for event in ann.events.so_far)
    assert trio.current_time() - begun >= turns * 0.05
    assert ended(ann) == "won"


class Slow:
    """A bot that is asked once, and chooses when it is too late; ``go_on`` ends its choice."""

    def __init__(self) -> None:
        self.asked, self.begun, self.go_on = 0, threading.Event(), threading.Event()

    def choose(self, view: seqp2p.View) -> seqp2p.Action:
        self.asked += 1
        self.begun.set()
        self.go_on.wait()
        return view.legal[0]


async def test_a_bot_that_is_too_slow_is_played_for(tmp_path: Path) -> None:
    bot = Slow()
    async with two_seats(tmp_path) as ann:
        assert await seqp2p.play_bot(ann, bot, time_s=0.01) == ann.result
    failed = [event for event in ann.events.so_far if isinstance(event, seqp2p.BotFailed)]
    reason = "it did not choose within 0.01 seconds"
    assert failed == [seqp2p.BotFailed(reason, gone=False)]
    assert bot.asked == 1, "no call is made beside one that goes on"
    bot.go_on.set()


async def test_nobody_waits_for_a_bot_that_thinks(tmp_path: Path) -> None:
    bot = Slow()
    async with two_seats(tmp_path) as ann:
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(seqp2p.play_bot, ann, bot)
                await trio.to_thread.run_sync(bot.begun.wait)
                scope.cancel()
        assert scope.cancelled_caught
        async for turn in ann:
            assert turn.open, "it is given again"
            break
        assert await seqp2p.play_bot(ann, "greedy") == ann.result
    assert ended(ann) == "won"
    bot.go_on.set()


@pytest.mark.parametrize(
    ("bot", "said"),
    [
        (None, "a bot has a method choose, and NoneType has none"),
        (Cheat, "not the class Cheat"),
        (SimpleNamespace(choose=trio.sleep), "not an async one"),
        (SimpleNamespace(choose=lambda view, hand: None), "one argument, the view"),
    ],
)
async def test_what_is_no_bot(tmp_path: Path, bot: Any, said: str) -> None:
    async with two_seats(tmp_path) as ann:
        with pytest.raises(TypeError, match=said):
            await seqp2p.play_bot(ann, bot)
        for none in (0, math.nan, math.inf, 10**400):
            with pytest.raises(ValueError, match="time_s must be more than 0"):
                await seqp2p.play_bot(ann, "greedy", time_s=none)
        for none in (-1, math.nan, math.inf, 10**400):
            with pytest.raises(ValueError, match="pace_s must be 0 to 86400 seconds"):
                await seqp2p.play_bot(ann, "greedy", pace_s=none)
        assert await seqp2p.play_bot(ann, "greedy") == ann.result


@pytest.mark.usefixtures("own_home")
async def test_a_seat_is_told_whom_it_knows(tmp_path: Path) -> None:
    own: dict[str, Any] = {"name": "ann", "identity": None}
    for kind, who in (("new", "bob"), ("same", "bob"), ("changed", "eve")):
        guest = sits_down(tmp_path, name="bob", identity=identity(who))
        async with table_with(tmp_path, guest, **own) as table:
            seat = await played_in(table)
        (met,) = (event for event in seat.events.so_far if isinstance(event, seqp2p.Meeting))
        assert (met.seat, met.name, met.kind) == (2, "bob", kind)
        if kind == "new":
            seqp2p.remember([met])
            with pytest.raises(TypeError, match=r"^meeting must be Meeting, not int"):
                seqp2p.remember([3])  # type: ignore[list-item]
        assert [known.key for known in seqp2p.known_players()] == [identity("bob").public.hex()]


async def test_two_tables_in_one_process(tmp_path: Path) -> None:
    games: set[str] = set()

    async def evening(folder: Path) -> None:
        async with two_seats(folder) as ann:
            await play_varied(ann)
        games.add(ann.game)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(evening, tmp_path / "a")
        nursery.start_soon(evening, tmp_path / "b")
    assert len(games) == 2


@pytest.fixture
def zoe(own_home: Path) -> Path:
    """Zoe's home."""
    own_home.mkdir()
    (own_home / "config.toml").write_text('name = "zoe"\n', "utf-8")
    return own_home


async def test_the_players_own_keys_and_name(tmp_path: Path, zoe: Path) -> None:
    """Without an identity it is the player's own, and two games at a time take two."""
    own: dict[str, Any] = {"name": None, "identity": None, "replay_dir": None}
    async with table_with(tmp_path, sits_down(tmp_path, **own), **own) as table:
        assert table.name == "zoe"
        seat = await played_in(table)
    assert [player.name for player in seat.players] == ["zoe", "zoe 2"]
    assert not [event for event in seat.events.so_far if isinstance(event, seqp2p.Meeting)], "both keys are her own"
    assert names_in(zoe) == ["config.toml", "identity-2.key", "identity.key", "replays"]
    assert seat.replay.parent == zoe / "replays"


async def test_a_whole_game_is_watched(tmp_path: Path) -> None:
    let_in = trio.Event()
    spectators: list[seqp2p.Spectator] = []
    heard: list[object] = []
    eve: dict[str, Any] = {"name": "eve", "identity": identity("eve"), "replay_dir": tmp_path}

    async def see(table: seqp2p.OpenTable) -> None:
        async with seqp2p.watch(table.address, code=table.code, let_in=let_in.set, **eve) as spectator:
            spectators.append(spectator)
            heard.extend([event async for event in spectator])
            assert spectator.view is not None
            assert (spectator.view.seat, spectator.view.hand, spectator.view.over) == (0, (), True)

    async with table_with(tmp_path, see, sits_down(tmp_path, after=let_in)) as table:
        await let_in.wait()
        ann = await played_in(table)
    (spectator,) = spectators
    assert repr(spectator) == f"Spectator(game={ann.game[:12]})"
    assert (spectator.game, spectator.players, spectator.settings) == (ann.game, ann.players, ann.settings)
    assert spectator.result == ann.result
    assert tuple(heard) == ann.events.so_far == spectator.events.so_far
    assert seqp2p.SpectatorCame("eve", identity("eve").public, 1) in table.events.so_far
    report = seqp2p.verify(spectator.replay)
    assert (report.verdict, report.writer) == ("verified", identity("eve").public.hex())


async def test_who_watches_may_go(tmp_path: Path) -> None:
    gone = trio.Event()

    async def wait_and_play(seat: seqp2p.Seat) -> None:
        await gone.wait()
        await play_varied(seat)

    async with table_with(tmp_path, sits_down(tmp_path, wait_and_play)) as table, table.seat() as ann:
        for name in ("leaves", "ends"):
            own: dict[str, Any] = {"name": name, "identity": identity(name), "replay_dir": tmp_path}
            async with seqp2p.watch(table.address, code=table.code, **own) as spectator:
                assert spectator.view is None or spectator.result is None
                if name == "leaves":
                    await spectator.leave()
                    assert spectator.result is not None
            assert spectator.result == seqp2p.Result("unfinished", (), "left the table")
            assert seqp2p.verify(spectator.replay).verdict == "unfinished"
        gone.set()
        await play_varied(ann)
    assert ended(ann) == "won"


async def test_who_can_keep_no_replay_watches_nothing(tmp_path: Path) -> None:
    lost = trio.Event()

    async def see(table: seqp2p.OpenTable) -> None:
        file = tmp_path / "file"
        await refused(OSError, seqp2p.watch(table.address, code=table.code, name="eve", replay_dir=file), "file")

    async with table_with(tmp_path, see, sits_down(tmp_path, after=lost)) as table:
        await until(table, seqp2p.SpectatorCame)
        (tmp_path / "file").rmdir()
        (tmp_path / "file").touch()  # The folder is lost while the table fills.
        lost.set()
        assert ended(await played_in(table)) == "won"


# A seat whose session has failed, and is taken again.


@pytest.fixture
def bad_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of seat 2 takes nothing for a moment, in the middle of the game."""
    # The shortest games have some ten of these.
    sync, left = Sidecar.sync, [7]

    def fails_once(sidecar: Sidecar) -> None:
        if "seat2" in sidecar.path.name:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(28, "No space left on device", str(sidecar.path))
        sync(sidecar)

    monkeypatch.setattr(Sidecar, "sync", fails_once)


async def evening(folder: Path, key: seqp2p.Identity | None, again: Callable[[Path], Awaitable[None]]) -> seqp2p.Seat:
    """Ann plays to the end; bob's session fails, and ``again`` gets his replay."""
    seats: list[seqp2p.Seat] = []

    async def play(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        await refused(seqp2p.SeatHeld, seqp2p.resume(seat.replay, identity=key))
        await play_varied(seat)

    async def bob(table: seqp2p.OpenTable) -> None:
        with pytest.raises(OSError, match="No space left on device"):
            await sits_down(folder, play, name=None, identity=key)(table)
        assert seats[0].result is None
        await again(seats[0].replay)

    async with table_with(folder, bob) as table:
        return await played_in(table)


@pytest.mark.usefixtures("bad_disk")
async def test_the_seat_is_taken_again(tmp_path: Path) -> None:
    seats: list[seqp2p.Seat] = []

    async def again(path: Path) -> None:
        async with seqp2p.resume(path, listen="127.0.0.1:0") as seat:
            assert seat.number == 2
            assert seat.events.so_far
            seats.append(seat)
            await play_varied(seat)

    ann = await evening(tmp_path, None, again)
    (bob,) = seats
    assert (ended(ann), ann.result) == ("won", bob.result)
    assert [seqp2p.verify(seat.replay).verdict for seat in (ann, bob)] == ["verified", "verified"]
    turns = [{event for event in seat.events.so_far if isinstance(event, seqp2p.Turned)} for seat in (ann, bob)]
    assert turns[0] == turns[1]
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    await refused(seqp2p.GameOver, seqp2p.resume(bob.replay))


@pytest.mark.usefixtures("bad_disk")
async def test_by_its_own_key_alone(tmp_path: Path) -> None:
    async def again(path: Path) -> None:
        another = seqp2p.resume(path, identity=identity("eve"))
        await refused(seqp2p.ResumeError, another, "does not hold the secrets of this seat")
        await refused(seqp2p.HomeError, seqp2p.resume(path), "not in this player's folder")
        # Nothing is lost by that: the owner of the key may still leave, for one.
        async with seqp2p.resume(path, identity=identity("bob")) as seat:
            await seat.leave()

    assert ended(await evening(tmp_path, identity("bob"), again)) == "forfeit"
