"""What a seat needs before it has one: an identity, a name, a folder for its replay, and a place to listen."""

import contextlib
import ipaddress
import os
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import trio

from seqp2p.api.home import GIVEN, LockedIdentity, held_identity, usual_name, usual_replay_dir
from seqp2p.crypto.identity import Identity
from seqp2p.match.table import name_fault
from seqp2p.net.addresses import Address, open_listeners, parse_address
from seqp2p.net.interfaces import local_hosts
from seqp2p.net.tls import Credentials, make_credentials

Folder: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Endpoint:
    """Who comes, under which name, where replays go, and the open listeners."""

    held: LockedIdentity
    credentials: Credentials
    name: str
    replay_dir: Path
    listeners: Sequence[trio.SocketListener]


@contextlib.contextmanager
def holding(identity: Identity | None) -> Generator[LockedIdentity]:
    """The identity that is given, or this player's own, held until the block ends; raises HomeError."""
    if identity is not None:
        yield LockedIdentity(identity, GIVEN)
        return
    with held_identity() as held:
        yield held


def chosen_name(wish: str | None, held: LockedIdentity) -> str:
    """The name to sit down with; raises ValueError for one that others cannot be shown."""
    name = usual_name(held.number) if wish is None else wish
    if fault := name_fault(name):
        raise ValueError(fault)
    return name


@contextlib.asynccontextmanager
async def open_endpoint(
    name: str | None, identity: Identity | None, replay_dir: Folder | None, listen: Address | None
) -> AsyncGenerator[Endpoint]:
    """Hold an identity and listen, until the block ends. Raises HomeError, ValueError, AddressError."""
    with holding(identity) as held:
        called = chosen_name(name, held)
        directory = usual_replay_dir() if replay_dir is None else Path(replay_dir)
        credentials = make_credentials(held.identity)
        listeners = await open_listeners(listen)
        try:
            yield Endpoint(held, credentials, called, directory, listeners)
        finally:
            for listener in listeners:
                await trio.aclose_forcefully(listener)


def place_of(text: str | None) -> Address | None:
    """HOST:PORT as an address; raises AddressError."""
    return None if text is None else parse_address(text)


def beside_host(host: Address | None) -> Address | None:
    """Where to listen if nothing is said: where the host is on this machine's loopback, there alone."""
    with contextlib.suppress(ValueError):
        if host is not None and ipaddress.ip_address(host.host).is_loopback:
            return Address(host.host, 0)
    return None


def own_addresses(listeners: Sequence[trio.SocketListener]) -> list[Address]:
    """Where this process listens itself, in every network that it is in."""
    return [Address(each, listener.socket.getsockname()[1]) for each in local_hosts() for listener in listeners]
