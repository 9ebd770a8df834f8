"""The joiner's side of a lobby: give the code, sit down, check the table that the host proposes, agree to it.

The host only brings the table together; nothing it sends is taken on trust. A joiner agrees only to the table that the
lobby has shown: the same settings, the same names and keys in the same seats, its own fresh nonce, and the host's
place held by the key that the code exchange was bound to, or that it had in the game before.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Final

import trio

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.identity import Identity
from seqp2p.i18n import message, message_of
from seqp2p.lobby.address_statement import AddressBook, is_first, make_statement
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.events import Guest, LobbyShown, OnLobbyEvent, TurnedAway
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import DecodeError
from seqp2p.match.table import Agreement, TableError, check_settings, decode_agreement, name_fault, numbered_name
from seqp2p.net import tls
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.auth import send
from seqp2p.net.dialling import Dial, reach
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused, TooSlow, Unreachable, WrongKey
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.links import Link
from seqp2p.net.messages import (
    AddressStatement,
    Bye,
    Gather,
    LinkStage,
    LobbyMessage,
    Nonce,
    Ping,
    Ready,
    Refused,
    Role,
    Sit,
    StartMessage,
    TableMessage,
    WireMessage,
    bye,
)
from seqp2p.net.serving import Listener
from seqp2p.net.text import clean
from seqp2p.net.tls import Credentials, ServerLink

_KNOCK_PAUSE_S: Final = 0.2
_HANG_UPS_MAX: Final = 8
"""After so many dials a listener that hangs up before it has authenticated is no host."""
_SILENT_MAX: Final = 2
"""After so many dials a listener that does not authenticate in time is no host, and no machine that is only busy."""
_BUSY: Final = frozenset({"busy", "too_slow"})

_MISSES: Final = 3
"""After so many dials without any answer the host is gone."""


async def join_table(
    credentials: Credentials,
    name: str,
    code: str,
    host: Address,
    listeners: Sequence[Listener],
    addresses: Sequence[Address],
    randomness: Randomness,
    on_event: OnLobbyEvent,
    limits: Limits = DEFAULT_LIMITS,
    *,
    dial: Dial = tcp_dial,
) -> AgreedTable:
    """Sit down at the table of the host at that address, and wait there until it starts.

    By ``addresses`` the other seats reach the ``listeners``: IP addresses, likeliest first. ``on_event`` gets
    LobbyShown after each change. The code is tried once. Raises BadCode (the code cannot be one), Unreachable,
    Refused (by the host, see errors.REFUSALS), PeerError (the host is not honest, or no seqp2p), LinkLost (the host
    is gone), and ValueError for a name that cannot be shown. Cancelled, it says goodbye. The listeners stay open.
    """
    if fault := name_fault(name):
        raise ValueError(fault)

    def on_wait(reason: str) -> None:
        on_event(TurnedAway(reason))

    link = await knock(credentials, code, host, randomness, limits, dial, on_wait, role="join")
    return await _sit_down(link, host, credentials, name, listeners, addresses, randomness, on_event, limits)


async def rejoin_table(
    credentials: Credentials,
    name: str,
    former: AgreedTable,
    listeners: Sequence[Listener],
    addresses: Sequence[Address],
    randomness: Randomness,
    on_event: OnLobbyEvent,
    limits: Limits = DEFAULT_LIMITS,
    *,
    dial: Dial = tcp_dial,
) -> AgreedTable:
    """Sit down again, without the code, at a table whose game is over, as soon as its host opens it.

    It waits at most ``rematch_wait_s`` for that. Raises Refused, PeerError, and LinkLost: the host is gone, for one.
    """
    host, link = await _find_again(credentials, former, limits, dial)
    return await _sit_down(link, host, credentials, name, listeners, addresses, randomness, on_event, limits)


async def _find_again(
    credentials: Credentials, former: AgreedTable, limits: Limits, dial: Dial
) -> tuple[Address, ServerLink]:
    """Dial the host, which knows this seat by its key and the game before."""
    misses = 0
    with trio.move_on_after(limits.rematch_wait_s):
        while misses < _MISSES:
            misses += 1
            for host in AddressBook(former, limits).of(1):
                try:
                    return host, await reach(
                        host, credentials, dial, limits, role="join", game=former.game, expected_key=former.key(1)
                    )
                except (Unreachable, WrongKey):
                    continue
                except PeerRefused as refused:
                    if refused.code != "game_started":
                        raise
                    misses = 0
                except NetError:
                    misses = 0  # It is there, but does not answer yet.
            await trio.sleep(limits.rematch_pause_s)
    raise LinkLost(
        message("The host has not opened the table again.") if misses < _MISSES else message("The host is gone.")
    )


async def _sit_down(
    link: ServerLink,
    host: Address,
    credentials: Credentials,
    name: str,
    listeners: Sequence[Listener],
    addresses: Sequence[Address],
    randomness: Randomness,
    on_event: OnLobbyEvent,
    limits: Limits,
) -> AgreedTable:
    """Take a seat by a link that the host has let in, and wait there until the table starts."""
    places = addresses[: limits.addresses_per_seat]
    async with tls.closing_on_error(link.frames.stream):
        await send(link.frames, Sit(name))
        guest = _Joiner(
            Link(link.frames, limits), name, credentials.identity, places, link.server_key, randomness, on_event
        )
        if (error := await guest.stay(limits)) is not None:
            raise error
        return AgreedTable(
            credentials,
            guest.agreement,
            guest.seat,
            {1: (host,)},
            listeners,
            {1: link.frames},
            statements=guest.statements,
        )


async def knock(
    credentials: Credentials,
    code: str,
    host: Address,
    randomness: Randomness,
    limits: Limits,
    dial: Dial,
    on_wait: Callable[[str], None],
    *,
    role: Role,
) -> ServerLink:
    """Return a link to the host at that address, after both sides have proved the code; with role join or watch.

    The code is tried once; until then a busy host is dialled again, and ``on_wait`` is told the first time. Raises
    what ``join_table`` does.
    """
    code = parse_code(code)
    give_up_at = trio.current_time() + limits.knock_s
    hung_up: NetError | None = None
    has_waited = False
    for dials in itertools.count(1):
        exchange: Exchange | None = None
        try:
            link = await reach(host, credentials, dial, limits, role=role)
            async with tls.closing_on_error(link.frames.stream):
                own = credentials.identity.public
                exchange = Exchange(code, own, link.server_key, link.certificate_hash, randomness, host=False)
                with trio.fail_at(give_up_at + limits.code_exchange_s):
                    await give_code(link.frames, exchange, limits)
                return link
        except trio.TooSlowError:
            raise LinkLost(message("The host did not get round to checking the code.")) from None
        except Unreachable as error:
            raise hung_up or error from None
        except NetError as error:
            tried = exchange is not None and exchange.answered
            strange = exchange is None and dials >= (_SILENT_MAX if isinstance(error, TooSlow) else _HANG_UPS_MAX)
            if tried or strange or not _may_pass(error) or trio.current_time() >= give_up_at:
                raise
            hung_up = error
        if exchange is not None and not has_waited:  # It is a host: it has let this seat in as far as the code.
            has_waited = True
            limit_s = limits.knock_s + limits.code_exchange_s
            on_wait(
                message("The table lets you wait for your turn at the code, at most {seconds:.0f} s.", seconds=limit_s)
            )
        await trio.sleep(_KNOCK_PAUSE_S * (1 + randomness(1)[0] / 255))
    raise AssertionError("it counts on and on")


def _may_pass(error: NetError) -> bool:
    """Return True for the failures of a host that is busy, or that goes from its lobby to its game at this moment."""
    if isinstance(error, PeerRefused):
        return error.code in _BUSY
    return isinstance(error, LinkLost)


class _Joiner:
    """A joiner in its seat, with the lobby as it was shown and the agreement it is ready for."""

    agreement: Agreement
    statements: tuple[AddressStatement, ...]

    def __init__(
        self,
        link: Link,
        name: str,
        identity: Identity,
        addresses: Sequence[Address],
        host_key: bytes,
        randomness: Randomness,
        on_event: OnLobbyEvent,
    ) -> None:
        self.link = link
        self.seat = 0
        self._name = name
        self._identity = identity
        self._addresses = addresses
        self._host_key = host_key
        self._randomness = randomness
        self._on_event = on_event
        self._lobby: LobbyMessage | None = None
        self._shown = trio.Event()  # the lobby, or its end
        self._nonce = b""
        self._own: AddressStatement | None = None
        self._round = 0
        self._ready = False

    async def stay(self, limits: Limits) -> NetError | None:
        """Wait until the table starts. Return None, or the error that prevents it. Cancelled, it says goodbye."""
        connection = trio.CancelScope(shield=True)
        ended = trio.Event()
        error: NetError | None = None
        late = LinkLost(message("The host did not show the table."))

        async def carry() -> None:
            nonlocal error
            with connection:
                error = await self.link.run(LinkStage.LOBBY_JOINER, self.handle, Ping)
            ended.set()
            self._shown.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            try:
                with trio.move_on_after(limits.lobby_answer_s):
                    await self._shown.wait()
                if self._shown.is_set():
                    await ended.wait()
            finally:
                if not ended.is_set():
                    self.link.send(bye(""))
                    # The host closes the connection when it has read the goodbye.
                    with trio.move_on_after(limits.close_s, shield=True):
                        await ended.wait()
                connection.cancel()
        return error if self._lobby is not None else error or late

    async def handle(self, received: WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        match received:
            case LobbyMessage():
                self._look(received)
            case Gather(number):
                self._round, self._ready = number, False
                self._nonce = self._randomness(32)
                self._own = make_statement(self._identity, self._nonce, 1, self._addresses)
                self.link.send(Nonce(number, self._nonce, self._own))
            case TableMessage():
                self._agree(received)
            case StartMessage(number):
                if not self._ready or number != self._round:
                    raise PeerError(message("The host started a table that was not agreed."))
                self.link.stop()
            case Refused(code, reason):
                raise PeerRefused(code, reason)
            case Bye(reason):
                if reason:
                    raise LinkLost(message("The host has closed the table: {reason}", reason=clean(reason)))
                raise LinkLost(message("The host has closed the table."))
            case _:
                pass  # A sign of life.

    def _look(self, lobby: LobbyMessage) -> None:
        """Note the lobby as it is now; raises PeerError if no honest host would show it."""
        try:
            check_settings(lobby.settings)
        except TableError as error:
            raise PeerError(
                message("The host offers a table that cannot be played: {reason}", reason=message_of(error))
            ) from None
        if len(lobby.seats) != lobby.settings.players or lobby.seat > len(lobby.seats):
            raise PeerError(message("The host shows a lobby whose seats do not fit its settings."))
        taken = [seat for seat in lobby.seats if seat is not None]
        if any(name_fault(seat.name) for seat in taken) or len({seat.key for seat in taken}) != len(taken):
            raise PeerError(message("The host shows a lobby with names or keys that cannot be."))
        first, own = lobby.seats[0], lobby.seats[lobby.seat - 1]
        if first is None or first.key != self._host_key:
            raise PeerError(message("The host shows a lobby in which another key has its seat."))
        names = {numbered_name(self._name, number) for number in range(1, len(lobby.seats) + 1)}
        if own is None or own.key != self._identity.public or own.name not in names:
            raise PeerError(message("The host shows a lobby in which this seat is somebody else's."))
        self._lobby, self.seat = lobby, lobby.seat
        self._shown.set()
        self._ready = False  # It was ready for the lobby as it was before.
        guests = tuple(None if seat is None else Guest(seat.name, seat.key) for seat in lobby.seats)
        self._on_event(LobbyShown(lobby.settings, guests, lobby.seat))

    def _agree(self, received: TableMessage) -> None:
        """Check the table against the lobby as it was shown; be ready only if they are the same."""
        try:
            agreement = decode_agreement(received.agreement)
        except (DecodeError, TableError) as error:
            raise PeerError(
                message("The host proposed a table that cannot be: {reason}", reason=message_of(error))
            ) from None
        lobby = self._lobby
        if lobby is None or received.round != self._round or self._ready:
            raise PeerError(message("The host proposed a table out of turn."))
        shown = [None if seat is None else (seat.name, seat.key) for seat in lobby.seats]
        if agreement.settings != lobby.settings or [(seat.name, seat.key) for seat in agreement.seats] != shown:
            raise PeerError(message("The host proposed another table than the one it showed."))
        if agreement.seats[self.seat - 1].nonce != self._nonce:
            raise PeerError(message("The host proposed a table without this seat's fresh nonce."))
        self._check_addresses(agreement, received.addresses)
        self.agreement, self.statements = agreement, received.addresses
        self._ready = True
        self.link.send(Ready(received.round))

    def _check_addresses(self, agreement: Agreement, statements: Sequence[AddressStatement]) -> None:
        """Check that each seat has signed its addresses, and that this seat's are its own; raises PeerError."""
        if len(statements) != len(agreement.seats):
            raise PeerError(message("The host gave addresses that do not fit the seats."))
        if statements[self.seat - 1] != self._own:
            raise PeerError(message("The host gave other addresses for this seat than it has signed."))
        for seat, (entry, statement) in enumerate(zip(agreement.seats, statements, strict=True), 1):
            if not is_first(statement, entry.key, entry.nonce):
                raise PeerError(
                    message(
                        "The host gave addresses that seat {seat} ({name}) has not signed.", seat=seat, name=entry.name
                    )
                )
