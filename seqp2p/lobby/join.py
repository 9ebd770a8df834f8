"""The joiner's side of a lobby: give the code, sit down, check the table that the host proposes, agree to it.

A spectator gives the code as well, and waits until all seats have agreed to a table.

The host only brings the table together; nothing it sends is taken on trust. A joiner agrees only to the table that the
lobby has shown: the same settings, the same names and keys in the same seats, its own fresh nonce, and the host's
place held by the key that the code exchange was bound to, or that it had in the game before.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

import trio
from msgspec.structs import replace

from seqp2p.crypto.hashing import REMATCH
from seqp2p.i18n import message, message_of
from seqp2p.lobby.address_statement import AddressBook, first_statement, is_first
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.events import (
    ANY_SEAT,
    Guest,
    LineSaid,
    LobbyRequest,
    LobbyRequests,
    LobbyShown,
    MovePlayer,
    OnLobbyEvent,
    Own,
    RemovePlayer,
    SayLine,
    SeatChoice,
    StartGame,
    TurnedAway,
    UseRelay,
    declined,
)
from seqp2p.lobby.lines import LobbyTalk
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.lobby.table import AgreedTable, OwnRelay, own_relay
from seqp2p.match.encoding import DecodeError
from seqp2p.match.table import Agreement, TableError, check_settings, decode_agreement, name_fault, numbered_name
from seqp2p.match.text import clean
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.addresses import Address, AddressError, parse_relay_address, tcp_dial
from seqp2p.net.auth import send
from seqp2p.net.dialling import Dial, Route, reach
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused, TableClosed, TooSlow, Unreachable, WrongKey
from seqp2p.net.frames import FrameStream
from seqp2p.net.links import Link
from seqp2p.net.tls import Credentials, ServerLink
from seqp2p.net.transit import Waiting, line_of
from seqp2p.rules import team_of

_KNOCK_PAUSE_S: Final = 0.2
_HANG_UPS_MAX: Final = 8
"""After so many dials a listener that hangs up before it has authenticated is no host."""
_SILENT_MAX: Final = 2
"""After so many dials a listener that does not authenticate in time is no host, and no busy machine either."""
_BUSY: Final = frozenset({"busy", "too_slow"})

_MISSES: Final = 3
"""After so many dials without any answer the host is gone."""


async def join_table(
    own: Own, route: Route, code: str, requests: LobbyRequests | None = None, choice: SeatChoice = ANY_SEAT
) -> AgreedTable:
    """Sit down at the table of the host at the end of this route, and wait there until it starts.

    The player is told LobbyShown after each change, and what is said and declined. ``choice`` is wished for at once,
    ``requests`` are those of this player from then on. The code is tried once. Raises BadCode (the code cannot be one),
    Unreachable, PeerRefused (by the host, see errors.REFUSALS), PeerError (the host is not honest, or no seqp2p),
    LinkLost (the host is gone). Cancelled, it says goodbye.
    """
    link = await knock(own, route, code, "join")
    return await _sit_down(_Joiner(own, link, choice), route.host, requests)


async def rejoin_table(
    own: Own, former: AgreedTable, requests: LobbyRequests | None = None, *, asked: bool = False, dial: Dial = tcp_dial
) -> AgreedTable:
    """Sit down again, without the code, at a table whose game is over, as soon as its host opens it.

    It waits at most ``rematch_wait_s`` for that. The player is ``asked`` for the game until AcceptGame. Raises
    PeerRefused, PeerError, and LinkLost: the host is gone, for one.
    """
    host, link = await _find_again(own, former, dial)
    return await _sit_down(_Joiner(own, link, asked=asked), host, requests)


async def _find_again(own: Own, former: AgreedTable, dial: Dial) -> tuple[Address, ServerLink]:
    """Dial the host, which knows this seat by its key and the game before; then meet it at the relay."""
    limits = own.limits
    book = AddressBook(former, limits)
    ways = [(address, dial) for address in book.of(1)]
    token, back = book.token(1, REMATCH), None
    if former.relay is not None and token is not None:
        back = Waiting(former.relay.address, token, "client", dial, limits)
        ways.append((former.relay.address, back.dial))
    misses = 0
    with trio.move_on_after(limits.rematch_wait_s):
        while misses < _MISSES:
            misses += 1
            for host, way in ways:
                try:
                    return host, await reach(
                        host, own.credentials, way, limits, role="join", game=former.game, expected_key=former.key(1)
                    )
                except (Unreachable, WrongKey):
                    if back is not None and not back.is_away:
                        misses = 0  # As long as the relay answers the host may still come.
                except PeerRefused as refused:
                    if refused.code != "game_started":
                        raise
                    misses = 0
                except NetError:
                    misses = 0  # It is there, but does not answer yet.
            await trio.sleep(limits.rematch_pause_s)
    text = message("The host has not opened the table again.") if misses < _MISSES else message("The host is gone.")
    raise LinkLost(text)


async def _sit_down(guest: "_Joiner", host: Address, requests: LobbyRequests | None) -> AgreedTable:
    """Take a seat by a link that the host has let in, and wait there until the table starts."""
    frames = guest.link.frames
    async with tls.closing_on_error(frames.stream):
        if (error := await guest.stay(requests)) is not None:
            raise error
        return AgreedTable(
            guest.own.credentials,
            guest.agreement,
            guest.seat,
            {1: (host,)} if line_of(frames.stream) is None else {},
            guest.own.listeners,
            {1: frames},
            statements=guest.statements,
            relay=guest.own_relay,
        )


async def knock(own: Own, route: Route, code: str, role: wire.Role) -> ServerLink:
    """Return a link to the host at the end of this route, after both sides have proved the code.

    ``role`` is join or watch. The code is tried once; until then a busy host is dialled again, and the player is told
    TurnedAway the first time. Raises what ``join_table`` does.
    """
    limits, randomness = own.limits, own.randomness
    code = parse_code(code)
    give_up_at = trio.current_time() + limits.knock_s
    hung_up: NetError | None = None
    has_waited = False

    def tell_once() -> None:
        nonlocal has_waited
        if not has_waited:
            limit_s = limits.knock_s + limits.code_exchange_s
            text = message("Waiting for the host to check the code, at most {seconds:.0f} s.", seconds=limit_s)
            own.on_event(TurnedAway(text))
        has_waited = True

    for dials in itertools.count(1):
        exchange: Exchange | None = None
        try:
            link = await reach(route.host, own.credentials, route.dial, limits, role=role)
            async with tls.closing_on_error(link.frames.stream):
                exchange = Exchange(code, own.key, link.server_key, link.certificate_hash, randomness, host=False)
                with trio.fail_at(give_up_at + limits.code_exchange_s):
                    await give_code(link.frames, exchange, limits, tell_once)
                return link
        except trio.TooSlowError:
            raise LinkLost(message("The host did not get round to checking the code.")) from None
        except Unreachable as error:
            raise hung_up or error from None
        except NetError as error:
            tried = exchange is not None and exchange.answered
            strange = exchange is None and dials >= (_SILENT_MAX if isinstance(error, TooSlow) else _HANG_UPS_MAX)
            # A host may be busy, or go from its lobby to its game at this moment.
            may_pass = error.code in _BUSY if isinstance(error, PeerRefused) else isinstance(error, LinkLost)
            if tried or strange or not may_pass or trio.current_time() >= give_up_at:
                raise
            hung_up = error
        if exchange is not None:  # It is a host: it has let this seat in as far as the code.
            tell_once()
        await trio.sleep(_KNOCK_PAUSE_S * (1 + randomness(1)[0] / 255))
    raise AssertionError("it counts on and on")


def check_lobby(lobby: wire.LobbyMessage, host_key: bytes, last: wire.LobbyMessage | None) -> None:
    """Raise PeerError for a lobby that no honest host shows, to a seat or a spectator, after the ``last`` one."""
    try:
        check_settings(lobby.settings)
    except TableError as error:
        text = message("The host offers a table that cannot be played: {reason}", reason=message_of(error))
        raise PeerError(text) from None
    if last is not None and replace(lobby.settings, colours=last.settings.colours) != last.settings:
        raise PeerError(message("The host changed the rules of the table."))
    if last is not None and lobby.relay != last.relay:
        raise PeerError(message("The host changed the relay of the table."))  # A player may just agree to it.
    if len(lobby.seats) != lobby.settings.players or (lobby.seat or 1) > len(lobby.seats):
        raise PeerError(message("The host shows a lobby whose seats do not fit its settings."))
    taken = [seat for seat in lobby.seats if seat is not None]
    if any(name_fault(seat.name) for seat in taken) or len({seat.key for seat in taken}) != len(taken):
        raise PeerError(message("The host shows a lobby with invalid names or keys."))
    try:
        is_relay = lobby.relay is None or str(parse_relay_address(lobby.relay)) == lobby.relay
    except AddressError:
        is_relay = False
    if not is_relay:
        raise PeerError(message("The host shows a relay with an invalid address."))
    first = lobby.seats[0]
    if first is None or first.key != host_key:
        raise PeerError(message("The host shows a lobby in which another key has its seat."))


def shown_lobby(lobby: wire.LobbyMessage) -> LobbyShown:
    guests = tuple(None if seat is None else Guest(seat.name, seat.key, seat.asked) for seat in lobby.seats)
    relay = None if lobby.relay is None else parse_relay_address(lobby.relay)
    return LobbyShown(lobby.settings, guests, lobby.seat or 0, relay)


class _Joiner:
    """A joiner in its seat, with the lobby as it was shown and the agreement it is ready for."""

    agreement: Agreement
    statements: tuple[wire.AddressStatement, ...]

    def __init__(self, own: Own, link: ServerLink, choice: SeatChoice = ANY_SEAT, *, asked: bool = False) -> None:
        self.own = own
        self.link = Link(link.frames, own.limits)
        self.seat = 0
        self.asked = asked
        self.relay = own.relay
        self.own_relay: OwnRelay | None = None
        self._host_key = link.server_key
        self._on_event = own.on_event
        self._choice = choice
        self._talk = LobbyTalk(link.lobby, own.limits, trio.current_time)
        self._may_ask = trio.lowlevel.ParkingLot()
        self._lobby: wire.LobbyMessage | None = None
        self._shown = trio.Event()  # the lobby, or its end
        self._nonce = b""
        self._own: wire.AddressStatement | None = None
        self._round = 0
        self._ready = False

    async def stay(self, requests: LobbyRequests | None) -> NetError | None:
        """Sit down and wait for the start. Return None, or the error that prevents it. Cancelled, it says goodbye."""
        await send(self.link.frames, wire.Sit(self.own.name, self.asked))
        connection = trio.CancelScope(shield=True)
        ended = trio.Event()
        error: NetError | None = None
        late = LinkLost(message("The host did not show the table."))

        async def carry() -> None:
            nonlocal error
            with connection:
                async with trio.open_nursery() as tasks:
                    tasks.start_soon(self._obey, requests)
                    error = await self.link.run(wire.LinkStage.LOBBY_JOINER, self.handle, wire.Ping)
                    tasks.cancel_scope.cancel()
            ended.set()
            self._shown.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(carry)
            try:
                with trio.move_on_after(self.own.limits.lobby_answer_s):
                    await self._shown.wait()
                if self._shown.is_set():
                    await ended.wait()
            finally:
                if not ended.is_set():
                    self.link.send(wire.bye(""))
                    # The host closes the connection when it has read the goodbye.
                    with trio.move_on_after(self.own.limits.close_s, shield=True):
                        await ended.wait()
                connection.cancel()
        return error if self._lobby is not None else error or late

    async def handle(self, received: wire.WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        match received:
            case wire.LobbyMessage():
                self._look(received)
            case wire.Gather(number):
                if self._lobby is None:
                    raise PeerError(message("The host began a game before it had shown the table."))
                if self.asked:
                    raise PeerError(message("The host began a game that this player had not accepted."))
                self._round = number
                self._be_unready()
                self._nonce = self.own.randomness(32)
                self.own_relay = own_relay(self.relay, self.own.randomness)
                self._own = first_statement(self.own, self._nonce, self.own_relay)
                self.link.send(wire.Nonce(number, self._nonce, self._own))
            case wire.TableMessage():
                self._agree(received)
            case wire.LineMessage():
                self._hear(received)
            case wire.DeclinedMessage(code, reason):
                self._on_event(declined(code, reason))
            case wire.StartMessage(number):
                if not self._ready or number != self._round:
                    raise PeerError(message("The host started a table that was not agreed on."))
                self.link.stop()
            case wire.Refused(code, reason):
                raise PeerRefused(code, reason)
            case wire.Bye(reason):
                raise TableClosed(reason)
            case _:
                pass  # A sign of life.

    def _look(self, lobby: wire.LobbyMessage) -> None:
        """Note the lobby as it is now; raises PeerError if no honest host would show it."""
        check_lobby(lobby, self._host_key, self._lobby)
        own = None if lobby.seat is None else lobby.seats[lobby.seat - 1]
        names = {numbered_name(self.own.name, number) for number in range(1, len(lobby.seats) + 1)}
        if lobby.seat is None or own is None or own.key != self.own.key or own.name not in names:
            raise PeerError(message("The host shows a lobby in which this seat is somebody else's."))
        is_first = self._lobby is None
        self._lobby, self.seat = lobby, lobby.seat
        self._shown.set()
        self._be_unready()  # It was ready for the lobby as it was before.
        self._on_event(shown_lobby(lobby))
        if is_first:
            self._wish(lobby)

    # Wishes and lines.

    def _be_unready(self) -> None:
        """Note that this seat agrees to no table now, and so may ask. What follows an agreement may be the game."""
        self._ready = False
        self._may_ask.unpark_all()

    def _wish(self, lobby: wire.LobbyMessage) -> None:
        """Wish for the chosen seat and colour before the first nonce: so no table is agreed without them."""
        choice, teams = self._choice, lobby.settings.teams
        if choice.team is not None and team_of(self.seat, teams) != choice.team:
            free = (seat for seat, taken in enumerate(lobby.seats, 1) if taken is None)
            fitting = next((seat for seat in free if team_of(seat, teams) == choice.team), None)
            if fitting is None:
                self._on_event(declined("no_team" if choice.team > teams else "seat_taken"))
            else:
                self._ask(wire.TakeSeat(fitting), lobby)
        if choice.seat is not None:
            self._ask(wire.TakeSeat(choice.seat), lobby)
        if choice.colour is not None:
            self._ask(wire.ChooseColour(choice.colour), lobby)

    async def _obey(self, requests: LobbyRequests | None) -> None:
        if requests is not None:
            async for request in requests:
                while self._ready or self._lobby is None:
                    await self._may_ask.park()
                self._ask(request, self._lobby)

    def _ask(self, request: LobbyRequest, lobby: wire.LobbyMessage) -> None:
        match request:
            case wire.TakeSeat(seat) if not 2 <= seat <= lobby.settings.players:
                self._on_event(declined("no_seat"))
            case wire.ChooseColour(colour) if colour not in lobby.settings.offered_colours:
                self._on_event(declined("no_colour"))
            case wire.TakeSeat() | wire.ChooseColour():
                self.link.send(request)
            case SayLine(text):
                self._say(text, lobby)
            case wire.AcceptGame():
                self.asked = False
                self.link.send(request)
            case UseRelay() if lobby.relay is not None:
                self.relay = parse_relay_address(lobby.relay)  # The next statement names it.
            case UseRelay():
                self._on_event(declined("no_relay"))
            case MovePlayer() | RemovePlayer() | StartGame():
                self._on_event(declined("host_only"))
            case _:
                assert_never(request)

    def _say(self, text: str, lobby: wire.LobbyMessage) -> None:
        own = lobby.seats[self.seat - 1]
        assert own is not None, "the own seat is taken"
        if isinstance(signed := self._talk.sign(self.own.credentials.identity, text, own.said), str):
            self._on_event(declined(signed))
            return
        line, shown = signed
        self.link.send(line)
        self._on_event(LineSaid(self.seat, own.name, own.key, clean(shown)))

    def _hear(self, line: wire.LineMessage) -> None:
        """Show a line of another player; raises PeerError for one that no honest host passes on."""
        seats = () if self._lobby is None else self._lobby.seats
        speakers = {seat.key: (number, seat.name) for number, seat in enumerate(seats, 1) if seat is not None}
        if (said := self._talk.take(line, speakers)) is not None and (text := clean(said.text)):
            self._on_event(LineSaid(*speakers[said.key], said.key, text))

    # The table.

    def _agree(self, received: wire.TableMessage) -> None:
        """Check the table against the lobby as it was shown; be ready only if they are the same."""
        try:
            agreement = decode_agreement(received.agreement)
        except (DecodeError, TableError) as error:
            text = message("The host proposed an invalid table: {reason}", reason=message_of(error))
            raise PeerError(text) from None
        lobby = self._lobby
        if lobby is None or received.round != self._round or self._ready:
            raise PeerError(message("The host proposed a table out of turn."))
        shown = [None if seat is None else (seat.name, seat.key) for seat in lobby.seats]
        if agreement.settings != lobby.settings or [(seat.name, seat.key) for seat in agreement.seats] != shown:
            raise PeerError(message("The host proposed a different table from the one it showed."))
        if agreement.seats[self.seat - 1].nonce != self._nonce:
            raise PeerError(message("The host proposed a table without this seat's fresh nonce."))
        self._check_addresses(agreement, received.addresses)
        self.agreement, self.statements = agreement, received.addresses
        self._ready = True
        self.link.send(wire.Ready(received.round))

    def _check_addresses(self, agreement: Agreement, statements: Sequence[wire.AddressStatement]) -> None:
        """Check that each seat has signed its addresses, and that this seat's are its own; raises PeerError."""
        if len(statements) != len(agreement.seats):
            raise PeerError(message("The host gave addresses that do not fit the seats."))
        if statements[self.seat - 1] != self._own:
            raise PeerError(message("The host gave addresses for this seat that this seat has not signed."))
        for seat, (entry, statement) in enumerate(zip(agreement.seats, statements, strict=True), 1):
            if not is_first(statement, entry.key, entry.nonce):
                text = message(
                    "The host gave addresses that seat {seat} ({name}) has not signed.", seat=seat, name=entry.name
                )
                raise PeerError(text)


# A spectator's way in.


@dataclass(frozen=True)
class WaitingSpectator:
    """A spectator at a table that all seats have agreed to, and the way to its host."""

    credentials: Credentials
    agreement: Agreement
    route: Route
    host_key: bytes
    frames: FrameStream

    @property
    def host_seat(self) -> int:
        return next(seat for seat, entry in enumerate(self.agreement.seats, 1) if entry.key == self.host_key)


async def watch_table(own: Own, route: Route, code: str, let_in: Callable[[], None] = lambda: None) -> WaitingSpectator:
    """Give the code to the host at the end of this route, and wait until all seats of its table have agreed.

    The code is tried once; ``let_in`` is called when it was right. The player is told LobbyShown after each change, and
    TurnedAway if it waits for its turn. Raises BadCode (the code cannot be one), Unreachable, PeerRefused, PeerError,
    LinkLost.
    """
    link = await knock(own, route, code, "watch")
    async with tls.closing_on_error(link.frames.stream):
        await send(link.frames, wire.Watch(own.name))
        let_in()
        waiting = _Waiting(Link(link.frames, own.limits), link.server_key, own.on_event)
        error = await waiting.link.run(wire.LinkStage.SPECTATOR, waiting.handle, wire.Ping)
        if error is not None:
            raise error
    return WaitingSpectator(own.credentials, waiting.agreement, route, link.server_key, link.frames)


class _Waiting:
    """An admitted spectator that waits for the table."""

    agreement: Agreement

    def __init__(self, link: Link, host_key: bytes, on_event: OnLobbyEvent) -> None:
        self.link = link
        self._host_key = host_key
        self._on_event = on_event
        self._lobby: wire.LobbyMessage | None = None

    async def handle(self, received: wire.WireMessage) -> None:
        await trio.lowlevel.checkpoint()
        match received:
            case wire.LobbyMessage():
                check_lobby(received, self._host_key, self._lobby)
                if received.seat is not None:
                    raise PeerError(message("The host shows a lobby in which this spectator has a seat."))
                self._lobby = received
                self._on_event(shown_lobby(received))
            case wire.Watching(data):
                try:
                    self.agreement = decode_agreement(data)
                except (DecodeError, TableError) as error:
                    text = message("The host shows an invalid table: {reason}", reason=message_of(error))
                    raise PeerError(text) from None
                if self._host_key not in (seat.key for seat in self.agreement.seats):
                    raise PeerError(message("The host shows a table at which it has no seat."))
                self.link.stop()
            case wire.Refused(code, reason):
                raise PeerRefused(code, reason)
            case wire.Bye(reason):
                raise TableClosed(reason)
            case wire.Ping():
                pass
            case _:
                raise PeerError(message("The host sent a message of a game before it showed the table."))
