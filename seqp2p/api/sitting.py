"""From an agreed table to a seat in the caller's block, with a replay and the seat's own file beside it."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from pathlib import Path

import trio

from seqp2p.api.background_tasks import background_tasks
from seqp2p.api.game import AgreedSeat, LiveGame
from seqp2p.api.home import LockedIdentity, replay_path
from seqp2p.api.seat import Seat
from seqp2p.api.unfinished import secrets_of
from seqp2p.live.mesh import Mesh
from seqp2p.lobby.leaving import leave_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement
from seqp2p.replay.sidecar import Sidecar, sidecar_path
from seqp2p.replay.writer import ReplayWriter


@contextlib.asynccontextmanager
async def new_game(table: AgreedTable, held: LockedIdentity, directory: Path) -> AsyncGenerator[Seat]:
    """Play a seat of a table that is just agreed, with a new replay in this folder. Raises OSError."""
    with contextlib.ExitStack() as stack:
        try:
            sitting = stack.enter_context(_begun(table, held, directory))
        except OSError:
            with trio.CancelScope(shield=True):
                await leave_table(table, "")
            raise
        async with seated(sitting) as seat:
            yield seat


@contextlib.asynccontextmanager
async def seated(
    sitting: AgreedSeat, meanwhile: Callable[[Mesh], Awaitable[None]] | None = None, before: Iterable[Event] = ()
) -> AsyncGenerator[Seat]:
    """Play this seat until the block ends; ``meanwhile`` is done beside it, ``before`` is what has happened already.

    Raises what ends a session: OSError, SidecarError.
    """
    game = LiveGame(sitting)
    for event in before:
        game.events.put(event)
    async with background_tasks() as nursery:
        nursery.start_soon(game.running.run)
        if meanwhile is not None:
            nursery.start_soon(meanwhile, game.mesh)
        try:
            yield Seat(game)
        finally:
            await game.running.part()
    game.running.check()


@contextlib.contextmanager
def _begun(table: AgreedTable, held: LockedIdentity, directory: Path) -> Generator[AgreedSeat]:
    match = Match(encode_agreement(table.agreement), table.seat)
    own = SeatKeys(table.seat, held.identity, secrets.token_bytes)
    path = replay_path(directory, match.game.id, table.seat)
    with ReplayWriter(path, match) as writer:
        kept = secrets_of(table, own, held.file, table.listeners)
        with Sidecar.create(sidecar_path(path), kept) as sidecar:
            yield AgreedSeat(table, match, own, writer, sidecar)
