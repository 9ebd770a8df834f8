"""Resuming a seat after the process that played it has ended.

Theory of operation. While a game goes on, the seat's own file next to its replay holds the secrets of the seat, and
all that it has signed. A process that holds that file and the seat's key lets a match take the replay and then the
file. It listens where the seat did, signs its new addresses for the others, and plays on, once the others have told it
what it has signed (live/absence.py).
"""

import contextlib
import os
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import trio

from seqp2p.api.endpoint import Endpoint, closing, listening_at, lock_identity
from seqp2p.api.game import OWN_RESOURCES, Resources
from seqp2p.api.home import LockedIdentity
from seqp2p.api.port_mapping import OnPortEvent, mapped_port, with_mapped
from seqp2p.api.seat import Seat, seated
from seqp2p.api.table import HostOptions, resumed_table
from seqp2p.arguments import check_arguments
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.identity import ExchangeKey, Identity
from seqp2p.i18n import message
from seqp2p.live.game import LiveGame, Resumption
from seqp2p.live.mesh import Mesh
from seqp2p.live.runtime import UNDER_TRIO, Runtime, ignore
from seqp2p.lobby.address_statement import NUMBER_MAX, AddressBook, make_statement
from seqp2p.lobby.table import AgreedTable, OwnRelay
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.net.addresses import (
    WILDCARDS,
    Address,
    AddressError,
    listening_addresses,
    open_listeners,
    parse_address,
    parse_relay_address,
)
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressStatement
from seqp2p.net.tls import make_credentials
from seqp2p.replay.resume import GameOver, Loaded, ResumeError, feed, load, refuse_ended
from seqp2p.replay.sidecar import Logged, OlderCopy, Sidecar, SidecarRelay, SidecarSecrets, is_older, sidecar_path
from seqp2p.replay.writer import ReplayWriter


class NotThisSeat(ResumeError):
    """The file next to the replay is another seat's, or of another game."""

    hint = message("this seat cannot play on; another game can be resumed")


@dataclass(frozen=True)
class StoredGame:
    """An unfinished game on the disk, its seat's own file locked. The caller closes the sidecar.

    ``torn``: the last record of one of the files was broken off by a crash, and is dropped.
    """

    replay: Path
    sidecar: Sidecar
    secrets: SidecarSecrets
    logged: tuple[Logged, ...]
    loaded: Loaded
    torn: bool


@check_arguments
@contextlib.asynccontextmanager
async def resume(
    replay: str | os.PathLike[str],
    *,
    identity: Identity | None = None,
    listen: str | None = None,
    map_port: bool = False,
    on_port: OnPortEvent = ignore,
) -> AsyncGenerator[Seat]:
    """Take a seat again in an unfinished game, and play on; the others have waited.

    It calls no bots: those of ``fill`` have ended with their table, and those of the command line come back by
    ``seqp2p resume``.

    ``replay`` is its file, with the seat's own file next to it. ``identity`` is that of the seat before, None for the
    player's own. It listens at ``listen`` (HOST:PORT), else at its old address or, if that is taken, at another; the
    others are told. ``map_port`` and ``on_port`` are as in ``host``. ``seat.events`` begin with the events so far.

    Raises SeatHeld (another process plays this seat), other SidecarError and ResumeError (GameOver, for one),
    AddressError, HomeError, and OSError, FileNotFoundError where there is nothing to resume. ``seat.play`` raises
    OlderCopy where the others have signatures of the seat that its file lacks; the next ``resume`` raises it at once.
    """
    stored = open_stored(Path(replay))
    with stored.sidecar, lock_identity(identity, stored.secrets.identity) as locked:
        async with resumed_game(stored, locked, listening_at(listen), on_port if map_port else None) as game:
            endpoint = endpoint_of(game, stored, locked)
            async with (
                resumed_table(game, endpoint, HostOptions(advertise=False)) as table,
                seated(game, table) as seat,
            ):
                yield seat


def open_stored(replay: Path, resources: Resources = OWN_RESOURCES) -> StoredGame:
    """Lock the seat that this replay is of. Raises SidecarError, ResumeError, OSError."""
    if replay.is_dir():
        raise ResumeError(message("{path} is not a file", path=replay))
    if not sidecar_path(replay).exists():
        refuse_ended(replay)
        raise ResumeError(message("the seat of {replay} is not yours, or you have left it", replay=replay))
    sidecar, kept, logged, torn = Sidecar.open(sidecar_path(replay))
    try:
        loaded = load(replay, kept.agreement, kept.seat, checks=resources.checks)
    except GameOver:
        sidecar.delete()  # It ended between the end of the replay and that of the secrets.
        raise
    except (ResumeError, OSError, ValueError):
        sidecar.close()
        raise
    return StoredGame(replay, sidecar, kept, logged, loaded, torn or loaded.torn)


@contextlib.asynccontextmanager
async def resumed_game(
    stored: StoredGame,
    locked: LockedIdentity,
    listen: Address | None,
    on_port: OnPortEvent | None = None,
    runtime: Runtime = UNDER_TRIO,
) -> AsyncGenerator[LiveGame]:
    """Let the match take all that the seat's own file holds, and listen, until the block ends.

    The caller locks the seat's file and its key. Without ``listen`` it listens where it did; with ``on_port``, a port
    of the router leads there. Raises ResumeError, SidecarError, OSError, AddressError.
    """
    if is_older(stored.logged):
        raise OlderCopy
    match, kept = stored.loaded.match, stored.secrets
    with ReplayWriter(stored.replay, match, reopened=True) as writer:
        own = _own_keys(stored, locked.identity)
        later = feed(match, stored.logged, writer, own)
        credentials = make_credentials(locked.identity)
        old = _addresses((kept.listen,))
        opened = await (listen_again(old[0]) if listen is None and old else open_listeners(listen))
        async with closing(opened) as listeners, mapped_port(listeners, on_port) as mapped:
            places = {seat: _addresses(texts) for seat, texts in enumerate(kept.addresses, 1) if seat != own.number}
            statements = [
                AddressStatement(each.payload, each.signature) for each in stored.logged if each.kind == "here"
            ]
            agreement, relay = match.game.agreement, _relay(kept.relay)
            before = AgreedTable(credentials, agreement, own.number, places, listeners, {}, None, statements, relay)
            book = _book(stored, before)
            firsts = [place[0] for seat in before.others if (place := book.of(seat))]
            addresses = with_mapped(await addresses_towards(listeners, firsts), mapped)
            addresses = addresses[: DEFAULT_LIMITS.addresses_per_seat]
            number = book.number(own.number) + 1
            statements += await _sign_addresses(stored, locked.identity, number, addresses, relay)
            table = replace(before, statements=statements)
            resumption = Resumption((*stored.loaded.events, *later), stored.torn, mapped)
            files = (writer, stored.sidecar)
            mesh = Mesh(table, secrets.token_bytes)
            yield LiveGame(mesh, match, own, stored.replay, lambda: contextlib.nullcontext(files), resumption, runtime)


def endpoint_of(game: LiveGame, stored: StoredGame, locked: LockedIdentity) -> Endpoint:
    """Return the endpoint of a resumed seat, for the next game at its table."""
    name = game.table.agreement.seats[game.own.number - 1].name
    mapped = None if game.resumption is None else game.resumption.mapped
    listeners = [each for each in game.table.listeners if isinstance(each, trio.SocketListener)]
    relay = None if game.table.relay is None else game.table.relay.address
    return Endpoint(locked, game.table.credentials, name, stored.replay.parent, listeners, relay, mapped=mapped)


async def listen_again(before: Address) -> list[trio.SocketListener]:
    """Listen at the address from before; if that cannot be, at another port, and then wherever it can be.

    A wildcard host stands for all interfaces, IPv4 and IPv6. Raises AddressError. The caller closes the listeners.
    """
    for address in (before, replace(before, port=0)):
        try:
            if address.host in WILDCARDS:
                # Its two families may get different ports where the system picks them: each is told as it is.
                return await trio.open_tcp_listeners(address.port)
            return await open_listeners(address)
        except (AddressError, OSError):
            continue
    return await open_listeners()


async def addresses_towards(listeners: list[trio.SocketListener], others: list[Address]) -> tuple[Address, ...]:
    """Return where these others can reach the listeners, likeliest first: the ways to each, then the way out."""
    found: dict[Address, None] = {}
    for other in others:
        found |= dict.fromkeys(await listening_addresses(listeners, other))
    return tuple(found or dict.fromkeys(await listening_addresses(listeners)))


def _own_keys(stored: StoredGame, identity: Identity) -> SeatKeys:
    """Return the keys of the seat. Raises NotThisSeat where they do not belong to this game."""
    kept = stored.secrets
    try:
        secret = decode_scalar(kept.secret)
    except CryptoError:
        raise _not_this_seat(stored) from None
    own = SeatKeys(kept.seat, identity, secrets.token_bytes, SeatSecrets(secret, kept.nonce))
    if not own.belongs(stored.loaded.match):
        raise _not_this_seat(stored)
    return own


def _not_this_seat(stored: StoredGame) -> NotThisSeat:
    return NotThisSeat(message("{path} does not hold the secrets of this seat in this game", path=stored.sidecar.path))


def _book(stored: StoredGame, table: AgreedTable) -> AddressBook:
    """Return the addresses that the file has. Raises NotThisSeat where a statement is not of this game."""
    try:
        return AddressBook(table, DEFAULT_LIMITS)
    except PeerError:
        raise _not_this_seat(stored) from None


async def _sign_addresses(
    stored: StoredGame, identity: Identity, number: int, addresses: Sequence[Address], relay: OwnRelay | None
) -> list[AddressStatement]:
    """Sign where this seat listens now, and its relay, on disk before it is sent.

    Return nothing once all numbers are used up.
    """
    if number > NUMBER_MAX:
        return []
    nonce = stored.loaded.match.game.agreement.seats[stored.secrets.seat - 1].nonce
    statement = make_statement(identity, nonce, number, addresses, relay)
    stored.sidecar.log("here", statement.payload, statement.signature)
    await trio.to_thread.run_sync(stored.sidecar.sync)
    return [statement]


def _relay(kept: SidecarRelay | None) -> OwnRelay | None:
    """Return the relay of the seat; its key is the one of the earlier statements, so the tokens are the same."""
    return None if kept is None else OwnRelay(parse_relay_address(kept.address), ExchangeKey(kept.secret))


def _addresses(texts: tuple[str, ...]) -> tuple[Address, ...]:
    found: list[Address] = []
    for text in texts:
        with contextlib.suppress(AddressError):
            found.append(parse_address(text))
    return tuple(found)
