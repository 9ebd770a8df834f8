"""Looking for seats on the network: a seat without a direct link to another advertises itself, and looks for it."""

from collections.abc import Callable, Collection
from typing import Final

import trio

from seqp2p.live.mesh import Mesh
from seqp2p.lobby.discovery import Warn, advertising, find_seats, seat_advert
from seqp2p.lobby.table import AgreedTable
from seqp2p.net.interfaces import Interfaces, is_loopback

_POLL_S: Final = 1.0


async def look_for_seats(
    table: AgreedTable, mesh: Mesh, members: Callable[[], Collection[int]], warn: Warn, interfaces: Interfaces = None
) -> None:
    """Look for each of these seats while this one has no direct link to it, until cancelled.

    Where it listens on loopback alone there is nothing to find. Two looks a second apart begin it, so links that are
    just made, or made again at once, cost nothing.
    """
    listeners = [each for each in table.listeners if isinstance(each, trio.SocketListener)]
    if interfaces is None and all(is_loopback(each.socket.getsockname()[0]) for each in listeners):
        return

    def lacking() -> Collection[int]:
        return set(members()) - mesh.relay.linked - {table.seat}

    while True:
        await trio.sleep(_POLL_S)
        if not lacking():
            continue
        await trio.sleep(_POLL_S)
        if not lacking():
            continue
        advert, own = seat_advert(table.game, table.seat), mesh.addresses(table.seat)
        async with advertising(advert, listeners, own, warn, interfaces), trio.open_nursery() as nursery:
            nursery.start_soon(find_seats, table.game, mesh.add_addresses, interfaces)
            while lacking():  # noqa: ASYNC110  # a mesh tells its session alone
                await trio.sleep(_POLL_S)
            nursery.cancel_scope.cancel()
