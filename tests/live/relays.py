"""Relays without sockets, honest and hostile, for meshes with the clock jumping."""

import contextlib
from collections import Counter
from dataclasses import dataclass

import trio
from trio.testing import lockstep_stream_pair, memory_stream_pair

Line = trio.abc.Stream


@dataclass
class Waits:
    """A line that waits for its other end."""

    line: Line
    token: bytes
    side: bytes


class MemoryRelay:
    """An honest relay. ``lines`` counts the lines by side; ``leave`` refuses them and cuts those that there are."""

    def pair(self) -> tuple[Line, Line]:
        return memory_stream_pair()

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._waiting: list[Waits] = []
        self._open: list[Line] = []
        self.lines = Counter[bytes]()
        self.tokens: set[bytes] = set()
        self._is_away = False

    async def dial(self, _address: object = None) -> Line:
        await trio.lowlevel.checkpoint()
        if self._is_away:
            raise ConnectionRefusedError
        here, there = self.pair()
        self._open.append(there)
        self._nursery.start_soon(self._serve, there)
        return here

    async def leave(self) -> None:
        """Go away with all lines."""
        self._is_away = True
        for line in self._open:
            await line.aclose()

    def come_back(self) -> None:
        self._is_away, self._open, self._waiting = False, [], []

    async def are_closed(self) -> bool:
        """Return True if all lines have been closed by those who opened them."""
        with trio.move_on_after(0.1):
            for line in self._open:
                while await line.receive_some():
                    pass
            return True
        return False

    async def _serve(self, line: Line) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            said = bytearray()
            while not said.endswith(b"\n"):
                data = await line.receive_some(1)
                if not data:
                    return
                said += data
            words = said.split()
            new = Waits(line, bytes(words[2]), bytes(words[5]))
            self.lines[new.side] += 1
            self.tokens.add(new.token)
            await self.welcome(new)

    async def welcome(self, new: Waits) -> None:
        """Join a line with one of its token and the other side, or let it wait."""
        for other in [each for each in self._waiting if each.token == new.token and each.side != new.side]:
            self._waiting.remove(other)
            with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self.say_ok(other, new)
                return
        self._waiting.append(new)

    async def say_ok(self, *ends: Waits) -> None:
        for end in ends:
            await end.line.send_all(b"ok\n")
        await self.join(*(end.line for end in ends))

    async def join(self, one: Line, other: Line) -> None:
        """Pass bytes until one end is gone."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.carry, one, other)
            nursery.start_soon(self.carry, other, one)

    async def carry(self, one: Line, other: Line) -> None:
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while data := await one.receive_some():
                await other.send_all(self.passed(bytes(data)))
        await one.aclose()
        await other.aclose()

    def passed(self, data: bytes) -> bytes:
        return data


class JoinsAny(MemoryRelay):
    """Joins lines of any tokens, and of one side too."""

    async def welcome(self, new: Waits) -> None:
        if not self._waiting:
            self._waiting.append(new)
            return
        await self.say_ok(self._waiting.pop(), new)


class ChangesBytes(MemoryRelay):
    """Changes the last byte of everything from the twentieth piece on."""

    count = 0

    def passed(self, data: bytes) -> bytes:
        self.count += 1
        return data if self.count < 20 else data[:-1] + bytes([data[-1] ^ 1])


class CutsLinks(MemoryRelay):
    """Cuts each pair of lines after forty pieces."""

    async def join(self, one: Line, other: Line) -> None:
        self.left = 40
        await super().join(one, other)

    def passed(self, data: bytes) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise trio.BrokenResourceError
        return data


class Stalls(MemoryRelay):
    """Joins lines and passes nothing."""

    async def join(self, one: Line, other: Line) -> None:
        await trio.sleep_forever()


class Closes(MemoryRelay):
    """Closes each line as soon as it is joined."""

    async def join(self, one: Line, other: Line) -> None:
        await one.aclose()
        await other.aclose()


class Says(MemoryRelay):
    """Says this to every line, and joins none. ``goes`` closes it then."""

    said = b"ok\n"
    goes = False

    async def welcome(self, new: Waits) -> None:
        await new.line.send_all(self.said)
        if self.goes:
            await new.line.aclose()


class SaysNonsense(Says):
    """Says something that is no TLS."""

    said = b"ok\nX"


class SaysOkAndCloses(Says):
    goes = True


class HangsUp(Says):
    said, goes = b"", True


class Floods(Says):
    """Sends zeros as long as they are read."""

    def pair(self) -> tuple[Line, Line]:
        return lockstep_stream_pair()

    async def welcome(self, new: Waits) -> None:
        await super().welcome(new)
        while True:
            await new.line.send_all(bytes(65_536))


class FloodsBefore(Floods):
    """Sends zeros in place of ok."""

    said = b""


HOSTILE = (
    *(JoinsAny, CutsLinks, ChangesBytes, Stalls, Closes, Says, SaysNonsense),
    *(SaysOkAndCloses, Floods, FloodsBefore, HangsUp),
)
