"""Leaving a table that is agreed, before its game."""

import contextlib

import trio

from seqp2p.net.auth import send
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import bye
from seqp2p.net.table import Table


async def leave_table(table: Table, reason: str) -> None:
    """Say goodbye to those that this seat is linked with, before its game; an empty reason is leaving."""
    with trio.move_on_after(DEFAULT_LIMITS.close_s):
        for frames in table.links.values():
            with contextlib.suppress(NetError):
                await send(frames, bye(reason))
    for frames in table.links.values():
        await frames.abort()
