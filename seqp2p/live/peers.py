"""The mesh's state of another seat: its live links, its dials, and its gossip state."""

import trio

from seqp2p.lobby.table import AgreedTable
from seqp2p.net.gossip import PeerState
from seqp2p.net.limits import Limits
from seqp2p.net.links import Link
from seqp2p.net.relay import Neighbour


class MeshPeer(Neighbour[Link]):
    """Another seat. ``links`` has the newest last; ``moved`` says that it has an address that was not dialled yet."""

    def __init__(self, table: AgreedTable, seat: int, limits: Limits) -> None:
        super().__init__(seat, table.name(seat), PeerState(table.seat, seat, limits))
        self.key = table.key(seat)
        self.failures = 0
        self.moved = False
        self._changed = trio.Event()

    def change(self) -> None:
        """Wake up the tasks that wait for a change; call it after each."""
        self._changed.set()
        self._changed = trio.Event()

    def move(self) -> None:
        """It has a new address: worth a dial at once."""
        self.moved = True
        self.change()

    async def until(self, *, linked: bool) -> None:
        """Wait until there is a link, or none."""
        while bool(self.links) != linked:
            await self._changed.wait()

    async def until_linked_or_moved(self) -> None:
        """Wait until there is a link, or somewhere new to dial."""
        while not self.links and not self.moved:
            await self._changed.wait()
