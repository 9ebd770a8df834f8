"""A port of the home router that leads here from the internet, while a block lasts.

Theory of operation. Every question to the router is a process of its own (``net.igd``), which has LIMIT_S for it.
The port is opened for LEASE_S, and asked for again, that one port and no other, every RENEW_S: so one question may fail
before it closes. It is closed when the block ends, also by an error or a signal. If this process is killed, the lease
runs out. Nothing fails for want of a port: the reason is told.
"""

import contextlib
import ipaddress
import random
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import msgspec
import trio

from seqp2p.bots.program import environment, open_process
from seqp2p.i18n import message
from seqp2p.live.runtime import background_tasks
from seqp2p.net.addresses import Address
from seqp2p.net.igd import LEASE_S, LIMIT_S, Fault, PortAnswer, is_global_ipv4
from seqp2p.net.interfaces import is_loopback

RENEW_S: Final = 240.0
PROCESS_S: Final = LIMIT_S + 10.0
"""Until the process is killed: it may take its time to start, on a busy machine."""
_ANSWER_SIZE_MAX: Final = 1_000
_PORT_MIN: Final = 1024
"""No peer dials a port below it."""
_OTHER_PORTS: Final = range(49_152, 65_536)
_OTHERS_TRIED: Final = 3

_REASONS: Final[Mapping[Fault, str]] = {
    "no_router": message("no router with UPnP answers on this network"),
    "elsewhere": message("this program does not listen on the router's network"),
    "no_address": message("the router does not give its own address: it may be behind another one"),
    "taken": message("other programs have the ports that the router was asked for"),
    "permanent": message("the router opens ports only without a time limit"),
    "refused": message("the router refuses"),
    "silent": message("the router has not answered in time"),
}


@dataclass(frozen=True, slots=True)
class PortEvent:
    """A change of the port at the router.

    ``open``: others reach this program from the whole internet at ``address``, until the seconds since 1970 in
    ``until`` and, because it is renewed, longer. ``not_open``: nothing was opened. ``lost``: it was not renewed.
    ``closed``: it was closed at the end. ``left``: it could not be, and closes by itself. ``reason`` is that of
    ``not_open``, ``lost`` and ``left``.
    """

    state: Literal["open", "not_open", "lost", "closed", "left"]
    address: Address | None = None
    until: float = 0.0
    reason: str = ""


OnPortEvent: TypeAlias = Callable[[PortEvent], None]


@contextlib.asynccontextmanager
async def mapped_port(
    listeners: Sequence[trio.SocketListener], on_event: OnPortEvent | None
) -> AsyncGenerator[Address | None]:
    """Open a port of the router that leads to these listeners until the block ends; None if there is none.

    ``on_event`` None asks for nothing.
    """
    if on_event is None:
        yield None
        return
    port = _MappedPort(listeners, on_event)
    try:
        if await port.open():
            async with background_tasks() as nursery:
                nursery.start_soon(port.keep)
                yield port.address
        else:
            yield None
    finally:
        with trio.CancelScope(shield=True):
            await port.close()


def with_mapped(addresses: Sequence[Address], mapped: Address | None) -> tuple[Address, ...]:
    """Return the addresses of a program, likeliest first, with a port of its router second: others may be far away."""
    return tuple(addresses) if mapped is None else (*addresses[:1], mapped, *addresses[1:])


class _MappedPort:
    def __init__(self, listeners: Sequence[trio.SocketListener], on_event: OnPortEvent) -> None:
        self.address: Address | None = None
        self._on_event = on_event
        self._listener = _on_ipv4(listeners)
        self._asked: list[int] = []
        self._until = 0.0

    async def open(self) -> bool:
        """Open a port, and tell it; return False if there is none."""
        if self._listener is None:
            self._on_event(PortEvent("not_open", reason=_REASONS["elsewhere"]))
            return False
        own = [self._listener.port] if self._listener.port >= _PORT_MIN else []
        self._asked = [*own, *random.sample(_OTHER_PORTS, _OTHERS_TRIED)]
        answer = await self._renew()
        if answer.fault:
            if answer.fault == "silent":
                await self.close()  # It may be open all the same.
            self._asked = []
            self._on_event(PortEvent("not_open", reason=_reason(answer)))
            return False
        self.address, self._asked = Address(answer.host, answer.port), [answer.port]
        self._on_event(PortEvent("open", self.address, self._until))
        return True

    async def keep(self) -> None:
        """Renew the port until cancelled; tell a loss, and that it is open again."""
        lost = ""
        while True:
            await trio.sleep(RENEW_S)
            answer = await self._renew()
            reason = _reason(answer)
            if not reason and self.address != (now := Address(answer.host, answer.port)):
                reason = message("the router now has another address: {address}", address=now)
            if reason != lost:
                self._on_event(PortEvent("lost" if reason else "open", self.address, self._until, reason))
            lost = reason

    async def close(self) -> None:
        """Close all that was asked for, also if no answer has come."""
        if self._listener is None or not self._asked:
            return
        answer = await ask_router("close", self._listener, self._asked)
        if self.address is not None:
            reason = _reason(answer)
            self._on_event(PortEvent("left" if reason else "closed", self.address, self._until, reason))

    async def _renew(self) -> PortAnswer:
        assert self._listener is not None, "it listens"
        asked_at = time.time()
        answer = await ask_router("open", self._listener, self._asked)
        if answer.fault:
            return answer
        if answer.port not in self._asked or not is_global_ipv4(answer.host):
            return PortAnswer("silent")  # No answer of the process as it is written.
        self._until = asked_at + LEASE_S
        return answer


async def ask_router(word: Literal["open", "close"], listener: Address, externals: Sequence[int]) -> PortAnswer:
    """Ask the router to open one of these external ports, or to close them all, that lead to a listener.

    The fault ``silent`` stands for no answer in time.
    """
    own = (listener.host, str(listener.port), *map(str, externals))
    command = [sys.executable, "-m", "seqp2p.net.igd", word, *own]
    try:
        process = await open_process(command, environment(), subprocess.DEVNULL, apart=True)
    except OSError:
        return PortAnswer("silent")
    assert process.stdin is not None, "its input is a pipe"
    assert process.stdout is not None, "its output is a pipe"
    output = b""
    try:
        with trio.move_on_after(PROCESS_S):
            while len(output) <= _ANSWER_SIZE_MAX and (data := await process.stdout.receive_some(_ANSWER_SIZE_MAX)):
                output += data
    finally:
        with trio.CancelScope(shield=True):
            process.kill()
            await process.wait()
            await process.stdin.aclose()
            await process.stdout.aclose()
    try:
        return msgspec.json.decode(output, type=PortAnswer)
    except msgspec.MsgspecError:
        return PortAnswer("silent")


def _reason(answer: PortAnswer) -> str:
    """Return the reason in words, "" without a fault."""
    if not answer.fault:
        return ""
    if answer.fault != "not_global":
        return _REASONS[answer.fault]
    try:
        own = ipaddress.IPv4Address(answer.host)
    except ValueError:
        return _REASONS["no_address"]
    return message(
        "the router's own address {address} is not on the internet, because another router or the provider shares one"
        " address among many",
        address=own,
    )


def _on_ipv4(listeners: Sequence[trio.SocketListener]) -> Address | None:
    """Return where one of these listeners waits for IPv4 from other machines."""
    for listener in listeners:
        if listener.socket.family == socket.AF_INET:
            host, port = listener.socket.getsockname()
            if not is_loopback(host):
                return Address(host, port)
    return None
