"""Wires that do what networks do, in virtual time: late, slow, silent, cut, closed on one side."""

import contextlib
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import trio

from seqp2p.net.addresses import Address
from tests.net.tools import Wires

Pair = tuple[int, int]


@dataclass(eq=False)
class Way:
    """One direction of a wire. Bytes arrive in order, each write after a delay of its own, at most so fast."""

    delay_s: Callable[[], float] = float
    rate_bytes_s: float = math.inf
    silent: bool = False
    changed: trio.Event = field(default_factory=trio.Event)

    def silence(self, *, silent: bool = True) -> None:
        """Let nothing through and close nothing; or let everything through that has waited."""
        self.silent = silent
        self.wake()

    def wake(self) -> None:
        self.changed.set()
        self.changed = trio.Event()


class End(trio.abc.Stream):
    """One end of a connection over a wire."""

    def __init__(
        self,
        out: "trio.MemorySendChannel[tuple[float, bytes]]",
        into: "trio.MemoryReceiveChannel[tuple[float, bytes]]",
        way_out: Way,
        way_in: Way,
    ) -> None:
        self._out = out
        self._into = into
        self._way_out = way_out
        self._way_in = way_in
        self._next: tuple[float, bytes] | None = None
        self._closed = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        with breaking():
            self._out.send_nowait((trio.current_time() + self._way_out.delay_s(), bytes(data)))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._next is None:
            try:
                with breaking():
                    self._next = await self._into.receive()
            except trio.EndOfChannel:
                return b""
        due_s, data = self._next
        await trio.sleep_until(due_s)
        while self._way_in.silent and not self._closed:
            await self._way_in.changed.wait()
        await trio.sleep(len(data) / self._way_in.rate_bytes_s)
        if self._closed:
            raise trio.BrokenResourceError
        self._next = None
        return data

    async def aclose(self) -> None:
        self.send_nothing_more()
        self.end()
        await trio.lowlevel.checkpoint()

    def send_nothing_more(self) -> None:
        """Tell the other end that this was all, and go on to read."""
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            self._out.send_nowait((trio.current_time(), b""))

    def end(self) -> None:
        """Close this end at once."""
        self._closed = True
        self._out.close()
        self._into.close()
        self._way_in.wake()


@contextlib.contextmanager
def breaking() -> Iterator[None]:
    try:
        yield
    except (trio.ClosedResourceError, trio.BrokenResourceError):
        raise trio.BrokenResourceError from None


class Wire:
    """The way from a seat to another that it dials. ``there`` carries what the dialler sends, ``back`` the rest."""

    def __init__(self, there: Callable[[], float] = float, back: Callable[[], float] = float) -> None:
        self.there = Way(there)
        self.back = Way(back)
        self.dials = 0
        self.is_down = False
        self._ends: list[tuple[End, End]] = []

    def connect(self) -> tuple[End, End]:
        """A new connection: the dialler's end and the other one."""
        self.dials += 1
        if self.is_down:
            raise ConnectionRefusedError
        there, back = (trio.open_memory_channel[tuple[float, bytes]](math.inf) for _ in range(2))
        near, far = End(there[0], back[1], self.there, self.back), End(back[0], there[1], self.back, self.there)
        self._ends.append((near, far))
        return near, far

    def silence(self, *, silent: bool = True) -> None:
        """Pull the cable: nothing comes through, and neither end is told. Or plug it in again."""
        for way in (self.there, self.back):
            way.silence(silent=silent)

    def cut(self) -> None:
        """Close every connection at once, on both sides."""
        for near, far in self._ends:
            near.end()
            far.end()
        self._ends.clear()

    def down(self, *, down: bool = True) -> None:
        """Cut, and refuse new connections; or take them again."""
        self.is_down = down
        if down:
            self.cut()

    def half_close(self) -> None:
        """Tell the dialler's side that nothing more will come. What it sends still arrives."""
        for _, far in self._ends:
            far.send_nothing_more()


class FaultyWires(Wires):
    """A network on which each pair of seats has a wire for each that dials."""

    def __init__(self) -> None:
        super().__init__()
        self.wires: dict[Pair, Wire] = {}

    def wire(self, by: int, to: int) -> Wire:
        if (by, to) not in self.wires:
            self.wires[by, to] = self._make()
        return self.wires[by, to]

    def between(self, *seats: int) -> list[Wire]:
        """Both wires of a pair; of one seat, all that it has."""
        return [wire for pair, wire in self.wires.items() if set(seats) <= set(pair)]

    def _make(self) -> Wire:
        return Wire()

    def _connect(self, by: int, address: Address) -> tuple[trio.abc.Stream, trio.abc.Stream]:
        return self.wire(by, int(address.host.rpartition(".")[2])).connect()


class SlowWires(FaultyWires):
    """A network on which each direction of each wire has its own delay, another for every write."""

    def __init__(self, longest_s: float, seed: object = 0) -> None:
        super().__init__()
        self._dice = random.Random(repr(seed))
        self._longest_s = longest_s

    def _make(self) -> Wire:
        return Wire(*(self._jitter(self._dice.uniform(0, self._longest_s)) for _ in range(2)))

    def _jitter(self, usual_s: float) -> Callable[[], float]:
        return lambda: self._dice.uniform(0, usual_s)
