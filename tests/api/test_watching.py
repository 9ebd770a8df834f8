"""Watching a table from a script."""

from pathlib import Path
from typing import Any

import pytest
import trio

import seqp2p
from tests.api.tools import ended, identity, play_varied, played_by_host, refused, sits_down, table_with, until

pytestmark = pytest.mark.simulation


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

    async def sit_down(table: seqp2p.OpenTable) -> None:
        await let_in.wait()
        await sits_down(tmp_path)(table)

    async with table_with(tmp_path, see, sit_down) as table:
        await let_in.wait()
        ann = await played_by_host(table)
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

    async def sit_down(table: seqp2p.OpenTable) -> None:
        await lost.wait()
        await sits_down(tmp_path)(table)

    async with table_with(tmp_path, see, sit_down) as table:
        await until(table, seqp2p.SpectatorCame)
        (tmp_path / "file").rmdir()
        (tmp_path / "file").touch()  # The folder is lost while the table fills.
        lost.set()
        assert ended(await played_by_host(table)) == "won"
