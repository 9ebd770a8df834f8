"""No connection stays open where its table is not reached: a lobby is cancelled after each of its steps."""

import random
from typing import Any

import pytest
import trio
import trio.testing

from seqp2p.net.addresses import Address
from tests.lobby.house import House
from tests.net.tools import WireListener, Wires

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes")

STRIDE = 5
"""Steps between two places at which a lobby is cancelled, so that the test takes a second. Runs differ in the first."""


class NotingWires(Wires):
    """Wires that keep the ends of all connections."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: list[Any] = []

    def listen(self, address: Address) -> WireListener:
        self.listener = super().listen(address)
        return self.listener

    def pair(self) -> tuple[trio.abc.Stream, trio.abc.Stream]:
        ends = trio.testing.memory_stream_pair()
        self.ends += ends
        return ends

    async def left_open(self) -> int:
        """Close the connections that the host has not accepted, and count the ends that are still open."""
        while (queue := self.listener._queue).statistics().current_buffer_used:
            await queue.receive_nowait().aclose()
        return sum(not end.receive_stream._closed for end in self.ends)


class CancelLater(trio.abc.Instrument):
    """Cancels a scope after so many steps of any task."""

    def __init__(self, steps: int, scope: trio.CancelScope) -> None:
        self.left = steps
        self._scope = scope

    def after_task_step(self, task: object) -> None:
        self.left -= 1
        if not self.left:
            self._scope.cancel()


async def open_after(steps: int) -> tuple[int, bool]:
    """Return how many streams are open after a lobby of three was cancelled, and True if it was over before."""
    wires = NotingWires()
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            house = House(nursery, 3)
            house.obeys = False
            house.wires = wires
            await house.open()
            later = CancelLater(steps, nursery.cancel_scope)
            trio.lowlevel.add_instrument(later)
            house.join(2)
            house.join(3)
        trio.lowlevel.remove_instrument(later)
    for table in house.tables.values():
        for frames in table.links.values():
            await frames.abort()
    return await wires.left_open(), later.left > 0


async def test_a_lobby_that_is_cancelled_closes_all() -> None:
    steps, is_over = random.SystemRandom().randint(1, STRIDE), False
    while not is_over:
        left_open, is_over = await open_after(steps)
        assert not left_open, f"cancelled after {steps} steps"
        steps += STRIDE
    assert steps > 100
