"""Spectators for the network's benchmark, many in one process: ``net_spectators.py HOST:PORT CODE COUNT``.

They are let in, read everything and ask for what is new as spectators do, but check nothing: what fifty machines would
compute is not for the two cores that the table runs on. At the end they print, for each turn, when the last of them had
it (``time.monotonic()``, on Linux one clock for all processes), as one line of JSON.
"""

import json
import secrets
import sys
import time
from functools import partial

import trio

from seqp2p.crypto.identity import Identity
from seqp2p.live.spectator_session import ASK_S
from seqp2p.lobby.events import Own
from seqp2p.lobby.join import watch_table
from seqp2p.match.contribution import open_envelope
from seqp2p.net.addresses import Address, parse_address
from seqp2p.net.dialling import Route
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.links import Link
from seqp2p.net.messages import ContributionMessage, LinkStage, More, Ping, SignedMessage, WireMessage
from seqp2p.net.tls import make_credentials

had_at: dict[int, float] = {}
"""By turn's step: when the last spectator had the last contribution to it."""


async def watch(number: int, host: Address, code: str, let_in: trio.Event) -> None:
    credentials = make_credentials(Identity(secrets.token_bytes(32)))
    own = Own(credentials, f"spectator {number}", secrets.token_bytes, lambda _: None)
    waiting = await watch_table(own, Route(host), code, let_in.set)
    heard = 0

    async def handle(message: WireMessage) -> None:
        nonlocal heard
        await trio.lowlevel.checkpoint()
        heard += isinstance(message, SignedMessage)
        if isinstance(message, ContributionMessage):
            envelope = open_envelope(message.payload)
            if envelope.kind == "turn":
                had_at[envelope.step] = time.monotonic()

    async def ask() -> None:
        while True:
            link.send(More(heard))
            await trio.sleep(ASK_S)

    link = Link(waiting.frames, DEFAULT_LIMITS)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await link.run(LinkStage.SPECTATOR, handle, Ping)
        nursery.cancel_scope.cancel()


async def main(host: Address, code: str, count: int) -> None:
    async with trio.open_nursery() as nursery:
        for number in range(count):
            let_in = trio.Event()
            nursery.start_soon(watch, number, host, code, let_in)
            await let_in.wait()
        print("all are in", flush=True)
    print(json.dumps([had_at[step] for step in sorted(had_at)]))


if __name__ == "__main__":
    trio.run(partial(main, parse_address(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
