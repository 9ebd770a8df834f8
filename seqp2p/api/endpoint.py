"""An endpoint: the identity, name, replay folder and listeners that a player brings to a table."""

import contextlib
import errno
import ipaddress
import os
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from seqp2p.api.home import GIVEN, Folder, LockedIdentity, locked_identity, locked_key, usual_name, usual_replay_dir
from seqp2p.api.port_mapping import OnPortEvent, mapped_port, with_mapped
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.events import OnLobbyEvent, Own
from seqp2p.match.table import name_fault
from seqp2p.net.addresses import Address, listening_addresses, open_listeners, parse_address, parse_relay_address
from seqp2p.net.interfaces import local_hosts
from seqp2p.net.tls import Credentials, make_credentials


@dataclass(frozen=True)
class Endpoint:
    """A locked identity, the name others see, the folder for replays, open listeners, and the player's relay if any."""

    identity: LockedIdentity
    credentials: Credentials
    name: str
    replay_dir: Path
    listeners: Sequence[trio.SocketListener]
    relay: Address | None = None
    mapped: Address | None = None
    """The port of the home router that leads to them from the internet, if one was opened."""

    @property
    def is_closed(self) -> bool:
        """True once its block has ended."""
        return any(listener.socket.fileno() < 0 for listener in self.listeners)

    async def addresses(self, towards: Address | None = None) -> tuple[Address, ...]:
        """Return where others reach this player, likeliest first. See ``listening_addresses``."""
        return with_mapped(await listening_addresses(self.listeners, towards), self.mapped)

    def own(self, addresses: Sequence[Address], on_event: OnLobbyEvent) -> Own:
        """Return what this player brings to a lobby; ``on_event`` is told of it."""
        return Own(self.credentials, self.name, secrets.token_bytes, on_event, self.listeners, addresses, self.relay)


def lock_identity(given: Identity | None, file: str | None = None) -> contextlib.AbstractContextManager[LockedIdentity]:
    """Lock the given identity, or this player's own of that file, or the first free one, until the block ends.

    Raises HomeError.
    """
    if given is not None:
        return contextlib.nullcontext(LockedIdentity(given, GIVEN))
    return locked_identity() if file is None else locked_key(file)


def replay_folder(wish: Folder | None) -> Path:
    """Return the folder for replays, made if it is missing. Raises OSError, NotADirectoryError for a file."""
    directory = usual_replay_dir() if wish is None else Path(wish)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory)) from None
    return directory


def chosen_name(wish: str | None, identity: LockedIdentity) -> str:
    """Return the name to sit down with. Raises ValueError for one that others cannot be shown."""
    name = usual_name(identity.number) if wish is None else wish
    if fault := name_fault(name):
        raise ValueError(fault)
    return name


@contextlib.asynccontextmanager
async def open_endpoint(
    name: str | None,
    identity: Identity | None,
    replay_dir: Folder | None,
    listen: Address | None,
    relay: Address | None = None,
    on_port: OnPortEvent | None = None,
) -> AsyncGenerator[Endpoint]:
    """Lock an identity and listen, until the block ends; with ``on_port``, open a port of the router as well.

    ``relay`` is the one that the player has named.

    Raises HomeError, ValueError, AddressError, OSError.
    """
    with lock_identity(identity) as locked:
        called = chosen_name(name, locked)
        directory = replay_folder(replay_dir)
        credentials = make_credentials(locked.identity)
        async with closing(await open_listeners(listen)) as listeners, mapped_port(listeners, on_port) as mapped:
            yield Endpoint(locked, credentials, called, directory, listeners, relay, mapped)


@contextlib.asynccontextmanager
async def closing(listeners: list[trio.SocketListener]) -> AsyncGenerator[list[trio.SocketListener]]:
    """Close all these listeners when the block ends, even if it is cancelled."""
    try:
        yield listeners
    finally:
        with trio.CancelScope(shield=True):
            for listener in listeners:
                await listener.aclose()


def listening_at(text: str | None) -> Address | None:
    """Parse where to listen, HOST:PORT; HOST alone means a free port. Raises AddressError."""
    return None if text is None else parse_address(text, default_port=0)


def relay_of(text: str | None) -> Address | None:
    """Parse the HOST:PORT of a relay. Raises AddressError."""
    return None if text is None else parse_relay_address(text)


def loopback_with(host: Address | None) -> Address | None:
    """Return where to listen by default: on loopback alone if the host is there."""
    with contextlib.suppress(ValueError):
        if host is not None and ipaddress.ip_address(host.host).is_loopback:
            return Address(host.host, 0)
    return None


def own_addresses(listeners: Sequence[trio.SocketListener]) -> list[Address]:
    """Return the addresses at which this process listens, in all its networks."""
    return [Address(each, listener.socket.getsockname()[1]) for each in local_hosts() for listener in listeners]
