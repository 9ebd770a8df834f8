"""From an unfinished game to a seat that is held again: its secrets, its key, its record, and a place to listen."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

import trio

from seqp2p.api.home import LockedIdentity
from seqp2p.api.unfinished import Unfinished
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.identity import Identity
from seqp2p.i18n import message
from seqp2p.live.listening import addresses_towards, listen_again
from seqp2p.live.mesh import Mesh
from seqp2p.lobby.address_update import HERES_MAX, here_number, make_here
from seqp2p.lobby.discovery import Warn, advertising, find_seats, seat_advert
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import DecodeError
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys, SeatSecrets
from seqp2p.net.addresses import Address, AddressError, open_listeners, parse_address
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressUpdate
from seqp2p.net.tls import make_credentials
from seqp2p.replay.resume import ResumeError, feed
from seqp2p.replay.sidecar import Logged, Sidecar, SidecarSecrets
from seqp2p.replay.writer import ReplayWriter


class NotThisSeat(ResumeError):
    """The file beside the replay is another seat's, or of another game."""

    hint = message("the seat cannot be played on; another game can be named with seqp2p resume GAME")


@dataclass(frozen=True)
class Resumed:
    """A seat taken again: everything to play on with. Whoever made it closes what is open in it.

    ``match`` has taken what the replay and the seat's own file hold, ``writer`` goes on with the replay, ``logged`` is
    what was signed, in the order in which it was taken. ``table`` listens, and says where.
    """

    match: Match
    seat: SeatKeys
    logged: tuple[Logged, ...]
    sidecar: Sidecar
    writer: ReplayWriter
    table: AgreedTable
    addresses: tuple[Address, ...]
    listeners: Sequence[trio.SocketListener]
    torn: bool
    events: tuple[Event, ...] = ()

    async def look_for_others(self, mesh: Mesh, warn: Warn) -> None:
        """Be found on this LAN, and find others that have come back at new addresses; until cancelled."""
        advert = seat_advert(self.table.game, self.table.seat)
        async with advertising(advert, self.listeners, self.addresses, warn):
            await find_seats(self.table.game, mesh.add_addresses)
            await trio.sleep_forever()  # Nothing can be found here; being found does no harm.


@contextlib.asynccontextmanager
async def taken_up(unfinished: Unfinished, held: LockedIdentity, listen: Address | None) -> AsyncGenerator[Resumed]:
    """Let the match take all that the seat's own file holds, and listen, until the block ends.

    The caller holds the seat's file and its key. Without ``listen`` it listens where it did. Raises ResumeError,
    SidecarError, OSError, AddressError.
    """
    with ReplayWriter.reopen(unfinished.replay, unfinished.loaded.match) as writer:
        seat = _own_seat(unfinished, held.identity)
        later = feed(unfinished.loaded.match, unfinished.logged, writer, seat)
        async with _listening(unfinished.secrets, listen) as listeners:
            resumed = await _resumed(unfinished, seat, held.identity, writer, listeners)
            yield replace(resumed, events=(*unfinished.loaded.events, *later))


def _own_seat(unfinished: Unfinished, identity: Identity) -> SeatKeys:
    """The seat with its secrets; raises NotThisSeat where they do not belong to this game."""
    kept = unfinished.secrets
    try:
        secret = decode_scalar(kept.secret)
    except CryptoError:
        raise _not_this_seat(unfinished) from None
    seat = SeatKeys(kept.seat, identity, secrets.token_bytes, SeatSecrets(secret, kept.nonce))
    if not seat.belongs(unfinished.loaded.match):
        raise _not_this_seat(unfinished)
    return seat


def _not_this_seat(unfinished: Unfinished) -> NotThisSeat:
    return NotThisSeat(
        message("{path} does not hold the secrets of this seat in this game", path=unfinished.sidecar.path)
    )


@contextlib.asynccontextmanager
async def _listening(kept: SidecarSecrets, wish: Address | None) -> AsyncGenerator[list[trio.SocketListener]]:
    before = _addresses((kept.listen,))
    listeners = await (listen_again(before[0]) if wish is None and before else open_listeners(wish))
    try:
        yield listeners
    finally:
        for listener in listeners:
            await trio.aclose_forcefully(listener)


async def _resumed(
    unfinished: Unfinished,
    seat: SeatKeys,
    identity: Identity,
    writer: ReplayWriter,
    listeners: list[trio.SocketListener],
) -> Resumed:
    match, kept = unfinished.loaded.match, unfinished.secrets
    places = {number: _addresses(texts) for number, texts in enumerate(kept.addresses, 1) if number != seat.number}
    firsts = [place[0] for place in places.values() if place]
    addresses = (await addresses_towards(listeners, firsts))[: DEFAULT_LIMITS.addresses_per_seat]
    here = await _say_where(unfinished, identity, match, addresses)
    credentials = make_credentials(identity)
    table = AgreedTable(credentials, match.game.agreement, seat.number, places, listeners, here=here)
    return Resumed(
        match, seat, unfinished.logged, unfinished.sidecar, writer, table, addresses, listeners, unfinished.torn
    )


async def _say_where(
    unfinished: Unfinished, identity: Identity, match: Match, addresses: Sequence[Address]
) -> AddressUpdate | None:
    """The word to the others of where this seat listens now, on disk before it is said; None once all are used up."""
    sidecar = unfinished.sidecar
    try:
        numbers = [here_number(each.payload) for each in unfinished.logged if each.kind == "here"]
        number = max(numbers, default=0) + 1
        if number > HERES_MAX:
            return None
        here = make_here(identity, match.game.id, unfinished.secrets.seat, number, addresses)
        sidecar.log("here", here.payload, here.signature)
        await trio.to_thread.run_sync(sidecar.sync)
    except DecodeError:
        raise _not_this_seat(unfinished) from None
    return here


def _addresses(texts: tuple[str, ...]) -> tuple[Address, ...]:
    found: list[Address] = []
    for text in texts:
        with contextlib.suppress(AddressError):
            found.append(parse_address(text))
    return tuple(found)
