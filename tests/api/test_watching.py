"""Watching a table from a script."""

from pathlib import Path

import pytest
import trio

import seqp2p
from tests.api.tools import LIMIT_S, guest_of, identity, play_first, table_of, until

pytestmark = pytest.mark.simulation


async def test_a_whole_game_is_watched(tmp_path: Path) -> None:
    let_in = trio.Event()
    balconies: list[seqp2p.Balcony] = []
    heard: list[object] = []
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:

            async def see() -> None:
                async with seqp2p.watch(
                    table.address,
                    code=table.code,
                    name="eve",
                    identity=identity("eve"),
                    replay_dir=tmp_path,
                    let_in=let_in.set,
                ) as balcony:
                    balconies.append(balcony)
                    heard.extend([event async for event in balcony])
                    assert balcony.view is not None
                    assert balcony.view.seat == 0
                    assert balcony.view.hand == ()
                    assert balcony.view.over

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await play_first(seat)

            nursery.start_soon(see)
            await let_in.wait()
            nursery.start_soon(guest)
            async with table.seat() as ann:
                await play_first(ann)
    (balcony,) = balconies
    assert repr(balcony) == f"Balcony(game={ann.game[:12]})"
    assert (balcony.game, balcony.players, balcony.settings) == (ann.game, ann.players, ann.settings)
    assert balcony.result == ann.result
    assert tuple(heard) == ann.events.so_far == balcony.events.so_far
    assert seqp2p.WatcherCame("eve", identity("eve").public, 1) in table.events.so_far
    report = seqp2p.verify(balcony.replay)
    assert (report.verdict, report.writer) == ("verified", identity("eve").public.hex())


@pytest.mark.parametrize("by_word", [True, False])
async def test_who_watches_may_go(tmp_path: Path, *, by_word: bool) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:
            gone = trio.Event()

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await gone.wait()
                    await play_first(seat)

            nursery.start_soon(guest)
            async with table.seat() as ann:
                async with seqp2p.watch(table.address, code=table.code, name="eve", replay_dir=tmp_path) as balcony:
                    assert balcony.view is None or balcony.result is None
                    if by_word:
                        await balcony.leave()
                        assert balcony.result is not None
                gone.set()
                await play_first(ann)
    assert balcony.result == seqp2p.Result("unfinished", (), "left the table")
    assert seqp2p.verify(balcony.replay).verdict == "unfinished"
    assert ann.result is not None
    assert ann.result.kind == "won"


async def test_who_can_keep_no_replay_watches_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await play_first(seat)

            async def see() -> None:
                with pytest.raises(OSError, match="file"):
                    async with seqp2p.watch(table.address, code=table.code, name="eve", replay_dir=tmp_path / "file"):
                        raise AssertionError("there is no place for the replay")

            nursery.start_soon(see)
            await until(table, seqp2p.WatcherCame)
            nursery.start_soon(guest)
            async with table.seat() as ann:
                await play_first(ann)
    assert ann.result is not None
    assert ann.result.kind == "won"
