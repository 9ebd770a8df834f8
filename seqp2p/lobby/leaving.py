"""Leaving an agreed table before its game."""

import contextlib
from typing import Final

import trio

from seqp2p.i18n import message
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.auth import send
from seqp2p.net.errors import NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import bye

REFUSED: Final = message("does not play with you: your name had another key before")
OTHER_REFUSED: Final = message("does not play with another seat here: its name had another key before")


async def leave_table(table: AgreedTable, refused: int = 0) -> None:
    """Say goodbye to the seats that this one is linked with, because of the ``refused`` seat if there is one.

    Takes at most ``close_s``.
    """
    with trio.move_on_after(DEFAULT_LIMITS.close_s):
        async with trio.open_nursery() as nursery:
            for seat, frames in table.links.items():
                reason = (REFUSED if seat == refused else OTHER_REFUSED) if refused else ""
                nursery.start_soon(_part, frames, reason)
    for frames in table.links.values():
        await frames.abort()


async def _part(frames: FrameStream, reason: str) -> None:
    # The other side closes the link when it has read the goodbye. Closing it here could lose frames on their way.
    with contextlib.suppress(NetError):
        await send(frames, bye(reason))
        while True:
            await frames.receive(DEFAULT_LIMITS.frame_max)
