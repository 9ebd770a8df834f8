"""After the end: every seat releases its game secret, if the table agreed to it, and the replay opens all hands."""

from collections.abc import Awaitable, Callable

import trio

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import decode_scalar, encode_scalar
from seqp2p.i18n import message_of
from seqp2p.live.inbox import InboxItem, Leaving
from seqp2p.match.errors import Refusal
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.net.messages import OpeningMessage
from seqp2p.net.relay import AnyRelay, Received

# How long a finished seat waits for the others' opened hands; they send them as soon as they have seen the end.
OPENINGS_WAIT_S = 5.0


class Openings:
    """The secrets that come in, checked, kept in the match and passed on."""

    def __init__(self, match: Match, seat: SeatKeys, mesh: AnyRelay) -> None:
        self._match = match
        self._seat = seat
        self._mesh = mesh
        # By (neighbour, seat): what one neighbour says of a seat cannot take the place of what another does.
        self._early: dict[tuple[int, int], OpeningMessage] = {}

    @property
    def agreed(self) -> bool:
        """Whether this game has come to an end, signed by a majority, after which all hands are opened."""
        ended = self._match.game.result is not None and self._match.confirmed
        return ended and self._match.game.agreement.settings.open_hands

    @property
    def complete(self) -> bool:
        """Whether the secret of every seat that has played to the end is here."""
        return self._match.openings.keys() >= set(self._match.game.seats)

    def release(self) -> None:
        """Release this seat's own secret, and look at what came before the end."""
        secret = self._seat.release()
        self._match.open_seat(self._seat.number, secret)
        self._mesh.send_opening(self._seat.number, encode_scalar(secret))
        for (sender, _), message in self._early.items():
            self.receive(sender, message)

    async def exchange(self, receive: Callable[[], Awaitable[InboxItem]], *, linger: bool) -> None:
        """Release the secret, if the table agreed to it, and take the others'. ``linger``: stay a while in any case."""
        waiting = self.begin(linger=linger)
        with trio.move_on_after(OPENINGS_WAIT_S):
            while waiting:
                waiting = self.take(await receive())

    def begin(self, *, linger: bool) -> bool:
        """Release the secret, if the table agreed to it; says whether to wait, for ``OPENINGS_WAIT_S`` at most."""
        if self.agreed:
            self.release()
            return not self.complete
        return linger

    def take(self, item: InboxItem) -> bool:
        """What comes after the end; says whether to wait for more. But for the secrets nothing matters any more."""
        match item:
            case Received(sender, OpeningMessage() as message):
                self.receive(sender, message)
            case Leaving():
                return False
            case _:
                pass
        return not (self.agreed and self.complete)

    def receive(self, sender: int, message: OpeningMessage) -> None:
        """A secret from a neighbour; one that came before the end waits for it."""
        if self._match.game.result is None:
            self._early.setdefault((sender, message.seat), message)
            return
        if message.seat in self._match.openings:
            return
        try:
            self._match.open_seat(message.seat, decode_scalar(message.secret))
        except (CryptoError, Refusal) as error:
            self._mesh.fault(sender, message_of(error))
        else:
            self._mesh.send_opening(message.seat, message.secret)
