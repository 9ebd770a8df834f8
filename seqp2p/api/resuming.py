"""Taking a seat again after the process that played it has ended."""

import contextlib
import os
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

from seqp2p.api.endpoint import place_of
from seqp2p.api.game import AgreedSeat
from seqp2p.api.home import GIVEN, LockedIdentity, held_again
from seqp2p.api.seat import Seat
from seqp2p.api.sitting import seated
from seqp2p.api.taking_up import taken_up
from seqp2p.api.unfinished import open_unfinished
from seqp2p.crypto.identity import Identity
from seqp2p.live.mesh import Mesh


@contextlib.asynccontextmanager
async def resume(
    replay: str | os.PathLike[str], *, identity: Identity | None = None, listen: str | None = None
) -> AsyncGenerator[Seat]:
    """Take a seat again in a game that is not finished, and play on; the others have waited.

    ``replay`` is its file, with the seat's own file beside it. ``identity`` is what the seat was given when it sat
    down, None for the player's own. It listens at HOST:PORT if ``listen`` says so, else where it did or, if that is
    taken, elsewhere; the others are told. ``seat.events`` begin with what had happened.

    Raises SeatHeld (somebody plays this seat), other SidecarError and ResumeError (GameOver, for one), AddressError,
    HomeError, and OSError, FileNotFoundError where there is nothing to resume.
    """
    unfinished = open_unfinished(Path(replay))
    with unfinished.sidecar, _holding(identity, unfinished.secrets.identity) as held:
        async with taken_up(unfinished, held, place_of(listen)) as resumed:
            sitting = AgreedSeat(resumed.table, resumed.match, resumed.seat, resumed.writer, resumed.sidecar)

            async def look(mesh: Mesh) -> None:
                await resumed.look_for_others(mesh, lambda _: None)

            async with seated(sitting, look, resumed.events) as seat:
                yield seat


@contextlib.contextmanager
def _holding(identity: Identity | None, file: str) -> Generator[LockedIdentity]:
    if identity is not None:
        yield LockedIdentity(identity, GIVEN)
        return
    with held_again(file) as held:
        yield held
