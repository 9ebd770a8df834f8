"""Bots of this process in the free seats of a script's own table."""

import contextlib
import secrets
import tempfile
from typing import TYPE_CHECKING

import trio

from seqp2p.api.bots import play_bot
from seqp2p.api.join import join
from seqp2p.api.seat import rematch
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.events import LobbyShown
from seqp2p.match.names import BOT_NAME
from seqp2p.net.errors import NetError

if TYPE_CHECKING:  # It opens the table.
    from seqp2p.api.host import OpenTable


async def fill_table(table: "OpenTable", bot: str, wait_for: int) -> None:
    """Seat bots until the table's events end, but keep places for ``wait_for`` others. Raises NetError."""
    bots = set[bytes]()
    async with trio.open_nursery() as nursery:
        async for event in table.events:
            if not isinstance(event, LobbyShown):
                continue
            seated = {guest.key for guest in event.seats if guest is not None}
            others, coming = len(seated - bots) - 1, len(bots - seated)
            for _ in range(event.seats.count(None) - coming - max(wait_for - others, 0)):
                identity = Identity.generate(secrets.token_bytes)
                bots.add(identity.public)
                nursery.start_soon(_play, table, bot, identity)


async def _play(table: "OpenTable", bot: str, identity: Identity) -> None:
    """Play game after game at this table, as long as there is one. Raises NetError where the first cannot be."""
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        joining = join(table.address, code=table.code, name=BOT_NAME, identity=identity, replay_dir=folder)
        seat = await stack.enter_async_context(joining)
        with contextlib.suppress(NetError):
            while True:
                await play_bot(seat, bot)
                seat = await stack.enter_async_context(rematch(seat))
