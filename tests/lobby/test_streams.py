"""No connection stays open where its table is not reached: a lobby is cancelled after each of its steps."""

import random
from collections.abc import Callable

import pytest
import trio
import trio.testing

from seqp2p.net.addresses import Address
from tests.lobby.house import House
from tests.net.tools import WireListener, Wires, address_of

pytestmark = pytest.mark.usefixtures("cheap_codes")

STRIDE = 5
"""Steps between two places at which a lobby is cancelled, so that the test takes a second. Runs differ in the first."""


class NotingWires(Wires):
    """Wires that know which ends of connections are still open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: set[int] = set()
        self.listener = super().listen(address_of(1))

    def listen(self, address: Address) -> WireListener:
        return self.listener

    async def close_queued(self) -> None:
        """Close the connections that the host has not accepted."""
        while (queue := self.listener._queue).statistics().current_buffer_used:
            await queue.receive_nowait().aclose()

    def _connect(self, _by: int, _address: object) -> tuple[trio.abc.Stream, trio.abc.Stream]:
        ends = trio.testing.memory_stream_pair()
        for end in ends:
            number, close = len(self.dialled) * 2 + (end is ends[0]), end.receive_stream.close

            def note(number: int = number, close: Callable[[], None] = close) -> None:
                self.open.discard(number)
                close()

            self.open.add(number)
            end.receive_stream.close = note  # type: ignore[method-assign]
        return ends


class CancelLater(trio.abc.Instrument):
    """Cancels a scope after so many steps of any task."""

    def __init__(self, steps: int, scope: trio.CancelScope) -> None:
        self.left = steps
        self._scope = scope

    def after_task_step(self, task: object) -> None:
        self.left -= 1
        if not self.left:
            self._scope.cancel()


async def open_after(steps: int) -> tuple[set[int], bool]:
    """Return the streams that are open after a lobby of three was cancelled, and True if it was over before."""
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
    await wires.close_queued()
    return wires.open, later.left > 0


async def test_a_lobby_that_is_cancelled_closes_all(autojump_clock: trio.testing.MockClock) -> None:
    steps, is_over = random.SystemRandom().randint(1, STRIDE), False
    while not is_over:
        left_open, is_over = await open_after(steps)
        assert not left_open, f"cancelled after {steps} steps"
        steps += STRIDE
    assert steps > 100
