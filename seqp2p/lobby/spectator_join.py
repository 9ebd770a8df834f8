"""A spectator's way in: give the code, be let in, and wait until all seats have agreed to a table."""

from collections.abc import Callable
from dataclasses import dataclass

import trio

from seqp2p.i18n import message, message_of
from seqp2p.lobby.events import OnLobbyEvent
from seqp2p.lobby.join import check_lobby, knock, shown_lobby
from seqp2p.lobby.own import Own, Route
from seqp2p.match.encoding import DecodeError
from seqp2p.match.table import Agreement, TableError, decode_agreement
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.auth import send
from seqp2p.net.errors import PeerError, PeerRefused, TableClosed
from seqp2p.net.frames import FrameStream
from seqp2p.net.links import Link
from seqp2p.net.messages import LinkStage, WireMessage
from seqp2p.net.tls import Credentials


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
        """The seat that the host plays."""
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
        error = await waiting.link.run(LinkStage.SPECTATOR, waiting.handle, wire.Ping)
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

    async def handle(self, received: WireMessage) -> None:
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
                    raise PeerError(
                        message("The host shows a table that cannot be: {reason}", reason=message_of(error))
                    ) from None
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
                raise PeerError(message("The host sent something of a game before it showed the table."))
