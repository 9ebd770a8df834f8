"""Tables for the tests of the library: real sockets on loopback, the real clock, kids' games that are soon over."""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trio

import seqp2p
from seqp2p.lobby.adverts import FoundTable, TableAdvert
from seqp2p.lobby.discovery import Browsed

LIMIT_S = 120
"""No test waits longer, on a machine that is busy with others."""

E = TypeVar("E", bound=BaseException)
Play = Callable[[seqp2p.Seat], Awaitable[object]]
Task = Callable[[seqp2p.OpenTable], Awaitable[object]]


def identity(name: str) -> seqp2p.Identity:
    return seqp2p.Identity(name.encode().ljust(32, b"."))


def table_of(folder: Path, players: int = 2, **more: Any) -> contextlib.AbstractAsyncContextManager[seqp2p.OpenTable]:
    """A kids' table of ann's, on loopback."""
    how: dict[str, Any] = {"variant": "kids", "name": "ann", "identity": identity("ann"), "replay_dir": folder} | more
    return seqp2p.host(players, listen="127.0.0.1:0", **how)


def guest_of(
    table: seqp2p.OpenTable, folder: Path, who: str = "bob", **more: Any
) -> contextlib.AbstractAsyncContextManager[seqp2p.Seat]:
    how: dict[str, Any] = {"name": who, "identity": identity(who), "replay_dir": folder} | more
    return seqp2p.join(table.address, code=table.code, **how)


def lobby_of(
    table: seqp2p.OpenTable, folder: Path, who: str = "bob"
) -> contextlib.AbstractAsyncContextManager[seqp2p.JoinedLobby]:
    how: dict[str, Any] = {"name": who, "identity": identity(who), "replay_dir": folder}
    return seqp2p.join_lobby(table.address, code=table.code, **how)


def browsed(*tables: FoundTable) -> Browsed[TableAdvert]:
    found = Browsed[TableAdvert](64)
    for number, table in enumerate(tables):
        found.put(str(number), table)
    return found


def lasting(folder: Path) -> list[str]:
    """Return the endings of the files in there."""
    return sorted(path.suffix for path in folder.iterdir() if path.is_file())


def varied(view: seqp2p.View) -> seqp2p.Action:
    """Return a legal action, at another place in every turn: with the first ones some games go on for thousands."""
    return view.legal[view.turn % len(view.legal)]


async def play_varied(seat: seqp2p.Seat) -> None:
    async for turn in seat:
        await turn.play(varied(turn.view))


async def play_two_games(seat: seqp2p.Seat) -> seqp2p.Seat:
    await play_varied(seat)
    async with seqp2p.rematch(seat) as again:
        await play_varied(again)
    return again


async def until(table: seqp2p.OpenTable, kind: type) -> None:
    async for event in table.events:
        if isinstance(event, kind):
            return


def sits_down(
    folder: Path, play: Play = play_varied, who: str = "bob", *, after: trio.Event | None = None, **more: Any
) -> Task:
    """Return a task that joins a table, when this has happened, and plays like this."""

    async def sit_down(table: seqp2p.OpenTable) -> None:
        if after is not None:
            await after.wait()
        async with guest_of(table, folder, who, **more) as seat:
            await play(seat)

    return sit_down


async def played_in(table: seqp2p.OpenTable | seqp2p.JoinedLobby) -> seqp2p.Seat:
    async with table.seat() as seat:
        await play_varied(seat)
    return seat


@contextlib.asynccontextmanager
async def table_with(folder: Path, *others: Task, players: int = 2, **more: Any) -> AsyncGenerator[seqp2p.OpenTable]:
    """Ann's table, with these tasks until the block ends; all within LIMIT_S."""
    with trio.fail_after(LIMIT_S):
        async with table_of(folder, players, **more) as table, trio.open_nursery() as nursery:
            for other in others:
                nursery.start_soon(other, table)
            yield table


@contextlib.asynccontextmanager
async def two_seats(folder: Path, guest: Play = play_varied, **more: Any) -> AsyncGenerator[seqp2p.Seat]:
    """Ann's seat at a table with bob, who plays like this meanwhile; all within LIMIT_S."""
    async with table_with(folder, sits_down(folder, guest), **more) as table, table.seat() as seat:
        yield seat


def ended(seat: seqp2p.Seat) -> str:
    """How the game has ended for a seat: ``won``, ``forfeit``, …"""
    assert seat.result is not None
    return seat.result.kind


async def refused(kind: type[E], opening: contextlib.AbstractAsyncContextManager[object], why: str | None = None) -> E:
    """Return the error of a table or seat that must not open."""
    with pytest.raises(kind, match=why) as error:
        async with opening:
            raise AssertionError("it has opened")
    return error.value
