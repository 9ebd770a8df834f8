"""The transit relay of magic-wormhole as a process on loopback, for tests."""

import contextlib
import random
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Generator

import trio

from seqp2p.net.addresses import Address


def free_address() -> Address:
    """Return a port of loopback that nobody listens on, and that the system gives to no program by itself."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as taken, contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", port))
            return Address("127.0.0.1", port)


def relay_command(address: Address) -> list[str]:
    """The command that runs a relay at this address."""
    endpoint = f"tcp:{address.port}:interface={address.host}"
    return [sys.executable, "-m", "twisted", "transitrelay", f"--port={endpoint}"]


@contextlib.contextmanager
def relay_process(address: Address | None = None) -> Generator[Address]:
    """Run a relay as ``running_relay`` does, for tests without trio."""
    address = address or free_address()
    process = subprocess.Popen(relay_command(address), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 60
        while True:
            assert process.poll() is None, "the relay has ended"
            assert time.monotonic() < limit, "the relay does not answer"
            with contextlib.suppress(OSError), socket.create_connection((address.host, address.port)):
                break
            time.sleep(0.05)
        yield address
    finally:
        process.kill()
        process.wait()


@contextlib.asynccontextmanager
async def running_relay(address: Address | None = None) -> AsyncGenerator[Address]:
    """Run a relay at this address, by default at a free port of loopback, until the block ends."""
    address = address or free_address()
    command = relay_command(address)
    process = await trio.lowlevel.open_process(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await _until_it_answers(process, address)
        yield address
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


async def _until_it_answers(process: trio.Process, address: Address) -> None:
    with trio.fail_after(60):
        while True:
            assert process.poll() is None, "the relay has ended"
            with contextlib.suppress(OSError):
                await (await trio.open_tcp_stream(address.host, address.port)).aclose()
                return
            await trio.sleep(0.05)
