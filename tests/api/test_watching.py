"""Watching a table from a script."""

from pathlib import Path

import pytest
import trio

import seqp2p
from tests.api.tools import LIMIT_S, guest_of, identity, play_varied, table_of, until

pytestmark = pytest.mark.simulation


async def test_a_whole_game_is_watched(tmp_path: Path) -> None:
    let_in = trio.Event()
    spectators: list[seqp2p.Spectator] = []
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
                ) as spectator:
                    spectators.append(spectator)
                    heard.extend([event async for event in spectator])
                    assert spectator.view is not None
                    assert spectator.view.seat == 0
                    assert spectator.view.hand == ()
                    assert spectator.view.over

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await play_varied(seat)

            nursery.start_soon(see)
            await let_in.wait()
            nursery.start_soon(guest)
            async with table.seat() as ann:
                await play_varied(ann)
    (spectator,) = spectators
    assert repr(spectator) == f"Spectator(game={ann.game[:12]})"
    assert (spectator.game, spectator.players, spectator.settings) == (ann.game, ann.players, ann.settings)
    assert spectator.result == ann.result
    assert tuple(heard) == ann.events.so_far == spectator.events.so_far
    assert seqp2p.SpectatorCame("eve", identity("eve").public, 1) in table.events.so_far
    report = seqp2p.verify(spectator.replay)
    assert (report.verdict, report.writer) == ("verified", identity("eve").public.hex())


@pytest.mark.parametrize("by_word", [True, False])
async def test_who_watches_may_go(tmp_path: Path, *, by_word: bool) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:
            gone = trio.Event()

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await gone.wait()
                    await play_varied(seat)

            nursery.start_soon(guest)
            async with table.seat() as ann:
                async with seqp2p.watch(table.address, code=table.code, name="eve", replay_dir=tmp_path) as spectator:
                    assert spectator.view is None or spectator.result is None
                    if by_word:
                        await spectator.leave()
                        assert spectator.result is not None
                gone.set()
                await play_varied(ann)
    assert spectator.result == seqp2p.Result("unfinished", (), "left the table")
    assert seqp2p.verify(spectator.replay).verdict == "unfinished"
    assert ann.result is not None
    assert ann.result.kind == "won"


async def test_who_can_keep_no_replay_watches_nothing(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:

            async def guest() -> None:
                async with guest_of(table, tmp_path) as seat:
                    await play_varied(seat)

            async def see() -> None:
                with pytest.raises(OSError, match="file"):
                    async with seqp2p.watch(table.address, code=table.code, name="eve", replay_dir=tmp_path / "file"):
                        raise AssertionError("there is no place for the replay")

            nursery.start_soon(see)
            await until(table, seqp2p.SpectatorCame)
            (tmp_path / "file").rmdir()
            (tmp_path / "file").touch()  # The folder is lost while the table fills.
            nursery.start_soon(guest)
            async with table.seat() as ann:
                await play_varied(ann)
    assert ann.result is not None
    assert ann.result.kind == "won"
