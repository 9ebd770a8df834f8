"""Strangers at a host's door: attacks over real TCP by clients that know an address and no code.

Each attack runs until it is cancelled. ``make bench ONLY=hostile`` measures what it costs the host and its friends.
"""

import contextlib
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, NoReturn

import trio

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.identity import Identity
from seqp2p.lobby.pake import Exchange
from seqp2p.net.addresses import Address, parse_address
from seqp2p.net.auth import receive, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import NetError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Confirm, LinkStage, PakeA
from seqp2p.net.tls import ServerLink, connect, make_credentials
from tests.net.tools import credentials

CROWD: Final = 66
"""Clients of one attack: two more than a door has places."""

GUESSERS: Final = 3
CONNECTS_PER_S: Final = 1_000
_OPEN_MAX: Final = 400
_CLIENT_HELLO: Final = bytes.fromhex("160301020001000100")
"""The beginning of a TLS handshake that never goes on."""


@dataclass(frozen=True, slots=True)
class Stranger:
    """An attacker's connections: from ``source``, an address of this machine, to ``host``.

    ``public`` returns the table's number and how many words its code has now.
    """

    host: Address
    source: str
    public: Callable[[], tuple[int, int]]
    randomness: Randomness

    async def dial(self, address: Address) -> trio.abc.Stream:
        return await trio.open_tcp_stream(address.host, address.port, local_address=self.source)

    async def authenticate(self) -> ServerLink:
        """Return a link under a key of its own. Raises NetError."""
        credentials = make_credentials(Identity(self.randomness(32)))
        return await reach(self.host, credentials, self.dial, DEFAULT_LIMITS, role="join")

    async def begin(self, link: ServerLink) -> Exchange:
        number, words = self.public()
        code = "-".join([str(number), *(["acorn"] * words)])
        exchange = Exchange(code, bytes(32), link.server_key, link.certificate_hash, self.randomness, host=False)
        await send(link.frames, PakeA(number, words, exchange.message))
        return exchange


async def _stay(stranger: Stranger, *, begins: bool = False, guesses: bool = False) -> NoReturn:
    """Authenticate, and wait until the host closes the link; before that begin with a code, or guess it."""
    link = await stranger.authenticate()
    async with link.frames.stream:
        if begins or guesses:
            await stranger.begin(link)
        if guesses:
            await receive(link.frames, LinkStage.CODE_JOINER, DEFAULT_LIMITS)
            await send(link.frames, Confirm(bytes(32)))
        while True:
            await receive(link.frames, LinkStage.CODE_JOINER, DEFAULT_LIMITS)


async def _whole_handshake(stranger: Stranger) -> None:
    link = await connect(await stranger.dial(stranger.host), credentials(1), None)
    await link.frames.abort()


async def _half_a_handshake(stranger: Stranger) -> None:
    async with await stranger.dial(stranger.host) as stream:
        await stream.send_all(_CLIENT_HELLO)
        while await stream.receive_some():
            pass


async def _again_and_again(stranger: Stranger, one: Callable[[Stranger], Awaitable[None]], count: int) -> NoReturn:
    async def repeat() -> None:
        while True:
            with contextlib.suppress(NetError, OSError, trio.BrokenResourceError):
                await one(stranger)
            await trio.sleep(0.01)

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(repeat)
    raise AssertionError("it repeats until it is cancelled")


async def _connect_only(stranger: Stranger) -> NoReturn:
    """Connect at a steady rate, and keep the newest connections open."""
    streams: list[trio.abc.Stream] = []
    begun, made = trio.current_time(), 0
    while True:
        await trio.sleep_until(begun + made / CONNECTS_PER_S)
        made += 1
        with contextlib.suppress(OSError):
            streams.append(await stranger.dial(stranger.host))
        if len(streams) > _OPEN_MAX:
            await trio.aclose_forcefully(streams.pop(0))


ATTACKS: Final[Mapping[str, Callable[[Stranger], Awaitable[NoReturn]]]] = MappingProxyType(
    {
        "silent": lambda stranger: _again_and_again(stranger, _stay, CROWD),
        "stalling": lambda stranger: _again_and_again(stranger, partial(_stay, begins=True), CROWD),
        "guessing": lambda stranger: _again_and_again(stranger, partial(_stay, guesses=True), GUESSERS),
        "whole handshakes": lambda stranger: _again_and_again(stranger, _whole_handshake, CROWD),
        "half handshakes": lambda stranger: _again_and_again(stranger, _half_a_handshake, CROWD),
        "bare connects": _connect_only,
    }
)
"""By name. Clients authenticate and say nothing, begin and stall, guess, end after TLS, begin TLS, or only connect."""


async def attack(name: str, host: Address, source: str) -> NoReturn:
    """Run an attack as a process of its own; each line of the standard input is the public part of a new code."""
    public = (1, 2)

    async def read_public() -> None:
        nonlocal public
        async for line in trio.wrap_file(sys.stdin):
            number, words = map(int, line.split())
            public = number, words

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_public)
        nursery.start_soon(ATTACKS[name], Stranger(host, source, lambda: public, secrets.token_bytes))
    raise AssertionError("it goes on until the process ends")


if __name__ == "__main__":
    trio.run(attack, sys.argv[1], parse_address(sys.argv[2]), sys.argv[3])
