"""From an unfinished game to a seat that is held again: its secrets, its key, its record, and a place to listen."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import trio

from seqp2p.cli import home
from seqp2p.cli.output import ABANDONED, CommandError, Output
from seqp2p.cli.running import cancel_when_stdin_closes
from seqp2p.cli.unfinished import Unfinished, as_command_error, take
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar
from seqp2p.crypto.identity import Identity
from seqp2p.match.encoding import DecodeError
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.match.seat import OwnSeat, SeatSecrets
from seqp2p.net.addresses import Address, AddressError, open_listeners, parse_address
from seqp2p.net.again import addresses_towards, listen_again
from seqp2p.net.discovery import advertising, find_seats, seat_advert
from seqp2p.net.here import HERES_MAX, here_number, make_here
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.mesh import Mesh
from seqp2p.net.messages import Here
from seqp2p.net.table import Table
from seqp2p.net.tls import make_credentials
from seqp2p.replay.resume import ResumeError, feed
from seqp2p.replay.sidecar import Logged, Secrets, Sidecar, SidecarError
from seqp2p.replay.writer import ReplayWriter
from seqp2p.said import said
from seqp2p.ui.language import t

DAMAGED_HINT: Final = said("the seat cannot be played on; another game can be named with seqp2p resume GAME")


@dataclass(frozen=True)
class Resumed:
    """A seat taken again: everything to play on with. Whoever made it closes what is open in it.

    ``match`` has taken what the replay and the seat's own file hold, ``writer`` goes on with the replay, ``logged`` is
    what was signed, in the order in which it was taken. ``table`` listens, and says where.
    """

    match: Match
    seat: OwnSeat
    logged: tuple[Logged, ...]
    sidecar: Sidecar
    writer: ReplayWriter
    table: Table
    addresses: tuple[Address, ...]
    listeners: Sequence[trio.SocketListener]
    torn: bool
    events: tuple[Event, ...] = ()

    async def look_for_others(self, mesh: Mesh, output: Output) -> None:
        """Be found on this LAN, and find others that have come back at new addresses; until cancelled."""
        advert = seat_advert(self.table.game, self.table.seat)
        async with advertising(advert, self.listeners, self.addresses, output.say):
            await find_seats(self.table.game, mesh.add_addresses)
            await trio.sleep_forever()  # Nothing can be found here; being found does no harm.


@contextlib.asynccontextmanager
async def taken_up(
    directory: Path, game: str | None, listen: Address | None, *, until_stdin_closes: bool
) -> AsyncGenerator[Resumed]:
    """Hold the seat and its key, and listen, until the block ends. Raises CommandError.

    ``game`` and ``directory`` are as in ``unfinished.take``; without ``listen`` it listens where it did. Raises
    SystemExit when the process that started this one has ended.
    """
    unfinished = take(directory, game)
    with unfinished.sidecar, home.held_again(unfinished.secrets.identity) as held, _writer(unfinished) as writer:
        seat = _own_seat(unfinished, held.identity)
        try:
            later = feed(unfinished.loaded.match, unfinished.logged, writer, seat)
        except (ResumeError, OSError) as error:
            raise as_command_error(error) from None
        async with trio.open_nursery() as nursery:
            orphaned = trio.CancelScope()
            if until_stdin_closes:
                nursery.start_soon(cancel_when_stdin_closes, orphaned)
            with orphaned:
                async with _listening(unfinished.secrets, listen) as listeners:
                    resumed = await _resumed(unfinished, seat, held.identity, writer, listeners)
                    yield replace(resumed, events=(*unfinished.loaded.events, *later))
            nursery.cancel_scope.cancel()
    if orphaned.cancelled_caught:
        # Nobody is left who could be told.
        raise SystemExit(ABANDONED)


def _writer(unfinished: Unfinished) -> ReplayWriter:
    try:
        return ReplayWriter.reopen(unfinished.replay, unfinished.loaded.match)
    except OSError as error:
        raise as_command_error(error) from None


def _own_seat(unfinished: Unfinished, identity: Identity) -> OwnSeat:
    """The seat with its secrets; raises CommandError where they do not belong to this game."""
    kept = unfinished.secrets
    try:
        secret = decode_scalar(kept.secret)
    except CryptoError:
        raise _not_this_seat(unfinished) from None
    seat = OwnSeat(kept.seat, identity, secrets.token_bytes, SeatSecrets(secret, kept.nonce))
    if not seat.belongs(unfinished.loaded.match):
        raise _not_this_seat(unfinished)
    return seat


def _not_this_seat(unfinished: Unfinished) -> CommandError:
    message = t("{path} does not hold the secrets of this seat in this game", path=unfinished.sidecar.path)
    return CommandError(message, DAMAGED_HINT)


@contextlib.asynccontextmanager
async def _listening(kept: Secrets, wish: Address | None) -> AsyncGenerator[list[trio.SocketListener]]:
    before = _addresses((kept.listen,))
    listeners = await (listen_again(before[0]) if wish is None and before else open_listeners(wish))
    try:
        yield listeners
    finally:
        for listener in listeners:
            await trio.aclose_forcefully(listener)


async def _resumed(
    unfinished: Unfinished,
    seat: OwnSeat,
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
    table = Table(credentials, match.game.agreement, seat.number, places, listeners, here=here)
    return Resumed(
        match, seat, unfinished.logged, unfinished.sidecar, writer, table, addresses, listeners, unfinished.torn
    )


async def _say_where(
    unfinished: Unfinished, identity: Identity, match: Match, addresses: Sequence[Address]
) -> Here | None:
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
    except (OSError, SidecarError) as error:
        raise as_command_error(error) from None
    return here


def _addresses(texts: tuple[str, ...]) -> tuple[Address, ...]:
    found: list[Address] = []
    for text in texts:
        with contextlib.suppress(AddressError):
            found.append(parse_address(text))
    return tuple(found)
