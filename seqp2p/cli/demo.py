"""``seqp2p demo``: bots only, N real peer processes over loopback, and a replay verified at the end."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import click
import trio

from seqp2p.cli import home
from seqp2p.cli.output import ABANDONED, DONE, CommandError, Output
from seqp2p.cli.running import run_async
from seqp2p.cli.verify import describe, verify_file
from seqp2p.players.bots import BOTS

# Events that every peer has in common: the demo passes on the first seat's.
SHARED = frozenset({"shuffle", "dealer", "turn", "exchange"})


@click.command("demo")
@click.option("--players", type=click.IntRange(2, 12), default=4, show_default=True)
@click.option("--bot", type=click.Choice(list(BOTS)), default="greedy", show_default=True, help="Plays every seat.")
@click.option("--pace", type=click.FloatRange(0, 60), default=0, help="Seconds a turn takes at least.")
@click.option("--replay-dir", type=click.Path(file_okay=False), help="Where the replays go.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event on standard output.")
def command(players: int, bot: str, pace: float, replay_dir: str | None, *, as_json: bool) -> None:
    """Watch bots play a whole game: real peers, one process each, over loopback."""
    directory = home.replay_dir(replay_dir)
    arguments = ["--bot", bot, "--pace", str(pace), "--replay-dir", str(directory), "--json", "--until-stdin-closes"]
    with tempfile.TemporaryDirectory(prefix="seqp2p-demo-") as homes:
        demo = Demo(players, arguments, Path(homes), Output(as_json))
        raise SystemExit(run_async(demo.run))


class Demo:
    """N processes, started and listened to. They end with this one: each watches the pipe that is its input."""

    def __init__(self, players: int, arguments: list[str], homes: Path, output: Output) -> None:
        self._players = players
        self._arguments = arguments
        self._homes = homes
        self._output = output
        self._dealt: list[float] = []  # seconds, from the seats that have their hands
        self._over: dict[int, dict[str, Any]] = {}  # the last event, by seat

    async def run(self) -> int:
        """Play the game; returns the exit code."""
        async with trio.open_nursery() as nursery:
            table = await nursery.start(self._host)
            for number in range(2, self._players + 1):
                nursery.start_soon(self._join, number, table["address"], table["code"])
        return self._conclude()

    async def _host(self, *, task_status: "trio.TaskStatus[dict[str, Any]]") -> None:
        arguments = ["host", "--players", str(self._players), "--listen", "127.0.0.1:0", "--name", "bot 1"]
        # What the first seat has to say to people is the demo's own text.
        spoken = sys.stderr if self._output.json else sys.stdout
        async for event in self._events(1, arguments, {}, spoken.fileno()):
            if event["event"] == "listening":
                task_status.started(event)
            elif event["event"] in SHARED:
                self._output.event(event.pop("event"), **event)

    async def _join(self, number: int, address: str, code: str) -> None:
        arguments = ["join", address, "--name", f"bot {number}"]
        async for _ in self._events(number, arguments, {"SEQP2P_CODE": code}, subprocess.DEVNULL):
            pass

    async def _events(
        self, number: int, arguments: list[str], environment: dict[str, str], spoken: int
    ) -> AsyncIterator[dict[str, Any]]:
        """Start a peer and yield its events to the end; raises CommandError if it ends before its game."""
        own = {"SEQP2P_HOME": str(self._homes / str(number))}
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "seqp2p", *arguments, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=spoken,
            env=os.environ | environment | own,
        )
        try:
            assert process.stdout is not None, "its output is a pipe"
            buffer = b""
            async for data in process.stdout:
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    event = json.loads(line)
                    self._note(event)
                    yield event
            if await process.wait() not in (DONE, ABANDONED):
                raise CommandError(f"the peer of bot {number} ended with exit code {process.returncode}")
        finally:
            if process.returncode is None:
                process.kill()

    def _note(self, event: dict[str, Any]) -> None:
        if event["event"] == "dealt":
            self._dealt.append(event["seconds"])
            if len(self._dealt) == self._players:
                self._output.event("dealt", seconds=max(self._dealt))
        elif event["event"] == "over":
            self._over[event["seat"]] = event

    def _conclude(self) -> int:
        """The result that all seats agree on, and the verdict on the first seat's replay."""
        first = self._over[1]
        replays = [self._over[seat]["replay"] for seat in sorted(self._over)]
        report = verify_file(Path(replays[0]))
        self._output.say(f"verify: {describe(report)}")
        self._output.event(
            "over",
            result=first["result"],
            winners=first["winners"],
            reason=first["reason"],
            replays=replays,
            verdict=report.verdict,
        )
        agreed = {(event["result"], tuple(event["winners"])) for event in self._over.values()}
        if len(agreed) != 1 or report.verdict == "invalid":
            raise CommandError("the peers do not agree on the game they played")
        return DONE if report.verdict == "verified" else ABANDONED
