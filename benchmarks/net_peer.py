"""One peer of the network's benchmark: ``seqp2p`` itself, with the time and its memory written into every event.

``at`` is ``time.monotonic()``, on Linux one clock for all processes; ``chosen`` events say when the bot had decided.
With ``BENCH_RELAY=PORT`` it connects to that port of loopback alone, as if every other peer were behind a router.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import trio

from seqp2p.__main__ import main
from seqp2p.bots.player import BotPlayer
from seqp2p.cli.json_events import JsonObject, OverEvent
from seqp2p.cli.output import Output
from seqp2p.rules import Action, View


def memory_mb(field: str) -> float:
    """``VmRSS`` or ``VmHWM`` of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def print_event(fields: dict[str, Any]) -> None:
    print(json.dumps(fields | {"at": time.monotonic()}), flush=True)


def instrument() -> None:
    choose = BotPlayer.choose

    def event(_: Output, given: JsonObject) -> None:
        fields = msgspec.to_builtins(given, enc_hook=str)
        if isinstance(given, OverEvent):
            fields |= {"rss_mb": memory_mb("VmRSS"), "peak_mb": memory_mb("VmHWM")}
        print_event(fields)

    async def timed(player: BotPlayer, view: View, refused: str | None) -> Action:
        action = await choose(player, view, refused)
        print_event({"event": "chosen"})
        return action

    for owner, name, method in ((Output, "event", event), (BotPlayer, "choose", timed)):
        setattr(owner, name, method)


def cut_direct_ways(relay: int) -> None:
    connect = trio.open_tcp_stream

    async def open_tcp_stream(host: str, port: int, **options: Any) -> trio.SocketStream:
        if port != relay:
            await trio.lowlevel.checkpoint()
            raise ConnectionRefusedError
        return await connect(host, port, **options)

    setattr(trio, "open_tcp_stream", open_tcp_stream)  # noqa: B010  # so that the type checker knows that it is meant


if __name__ == "__main__":
    instrument()
    if "BENCH_RELAY" in os.environ:
        cut_direct_ways(int(os.environ["BENCH_RELAY"]))
    main()
