"""Another game over a relay: the host waits for each seat of the last game at a token that only the two can name."""

from collections.abc import Iterable

import trio

from seqp2p.crypto.hashing import REMATCH
from seqp2p.lobby.address_statement import AddressBook
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.addresses import Address, tcp_dial
from seqp2p.net.dialling import Dial
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.serving import Listener
from seqp2p.net.transit import RelayListener, Waiting


def rematch_listeners(
    last: AgreedTable, seats: Iterable[int], dial: Dial = tcp_dial, limits: Limits = DEFAULT_LIMITS
) -> list[Listener]:
    """Return the host's listeners for these seats of the last game, as far as they used its relay."""
    if last.relay is None:
        return []
    relay, book = last.relay.address, AddressBook(last, limits)
    tokens = [token for seat in seats if (token := book.token(seat, REMATCH)) is not None]
    return [RelayListener(Waiting(relay, token, "server", dial, limits).join) for token in tokens]


class WayBack:
    """The way of a seat of the last game to its host's next lobby, over their relay."""

    def __init__(self, relay: Address, token: bytes, dial: Dial, limits: Limits) -> None:
        self.relay = relay
        self.is_open = True
        """True as long as the relay answers. Then the host may still come."""
        self._waiting = Waiting(relay, token, "client", dial, limits, self._note)

    async def dial(self, _: Address) -> trio.abc.Stream:
        """Return a line with the host. It waits for one until it is cancelled."""
        return await self._waiting.join()

    def _note(self, reason: object) -> None:
        self.is_open = reason is None


def way_back(last: AgreedTable, dial: Dial, limits: Limits) -> WayBack | None:
    """Return the way over the relay, or None where this seat and the host have none in common."""
    token = AddressBook(last, limits).token(1, REMATCH)
    return None if last.relay is None or token is None else WayBack(last.relay.address, token, dial, limits)
