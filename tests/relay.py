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
    """Return a free port of loopback, outside the range from which the system gives ports."""
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
    """Run a relay at this address, by default at a free port of loopback, until the block ends."""
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
    """Run a relay as ``relay_process`` does. Other tasks go on while it starts."""
    relay = relay_process(address)
    found = await trio.to_thread.run_sync(relay.__enter__)
    try:
        yield found
    finally:
        relay.__exit__(None, None, None)
