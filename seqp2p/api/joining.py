"""Sitting down at somebody else's table."""

import contextlib
import secrets
from collections.abc import AsyncGenerator

from seqp2p.api.endpoint import Folder, beside_host, open_endpoint, own_addresses, place_of
from seqp2p.api.finding import the_way
from seqp2p.api.seat import Seat
from seqp2p.api.sitting import new_game
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.events import Tell
from seqp2p.lobby.join import join_table
from seqp2p.net.addresses import listening_addresses


def nobody_hears(_: object) -> None:
    """For a caller who does not want to know what happens in a lobby."""


@contextlib.asynccontextmanager
async def join(
    address: str | None = None,
    *,
    code: str,
    name: str | None = None,
    identity: Identity | None = None,
    replay_dir: Folder | None = None,
    listen: str | None = None,
    tell: Tell = nobody_hears,
) -> AsyncGenerator[Seat]:
    """Sit down at a table, wait until it is full, and play there.

    ``address`` is the host's, as HOST:PORT; without it the table is found on this LAN by the number in its ``code``.

    The block begins when all have agreed; cancelled before that, the seat says goodbye. When the block ends, the seat
    leaves the table if its game is not over. ``name``, ``identity``, ``replay_dir`` and ``listen`` are as in ``host``,
    but beside a host on loopback it listens on loopback. ``tell`` is called with LobbyShown after each change.

    Raises AddressError, BadCode (the code cannot be one), Unreachable, Refused (by the host; ``code`` says why),
    WrongKey and PeerError (the host is not honest, or no seqp2p), LinkLost (the host is gone): all of them NetError.
    ValueError (the name), HomeError and OSError (the player's own files).
    """
    code = parse_code(code)
    where = place_of(listen) or beside_host(place_of(address))
    async with open_endpoint(name, identity, replay_dir, where) as door:
        way = await the_way(address, code, own_addresses(door.listeners))
        common = (door.listeners, await listening_addresses(door.listeners, way.host), secrets.token_bytes, tell)
        table = await join_table(door.credentials, door.name, code, way.host, *common, dial=way.dial)
        async with new_game(table, door.held, door.replay_dir) as seat:
            yield seat
