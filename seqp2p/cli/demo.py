"""``seqp2p demo``: bots only, N real peer processes over loopback, and a replay verified at the end."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click
import trio

from seqp2p.cli import home
from seqp2p.cli.output import ABANDONED, DONE, CommandError, Output
from seqp2p.cli.running import polite_signals, run_async
from seqp2p.cli.settings import GRACE_S, make_settings
from seqp2p.cli.verify import describe, verify_file
from seqp2p.players.bots import BOTS
from seqp2p.rules import Options

# Events that every peer has in common: the demo passes on the first seat's.
SHARED = frozenset({"shuffle", "dealer", "turn", "exchange"})
# How long a peer may take to finish its replay.
END_S = 5.0

Hear: TypeAlias = Callable[[dict[str, Any]], None]


@click.command("demo")
@click.option("--players", type=click.IntRange(2, 12), default=4, show_default=True)
@click.option("--bot", type=click.Choice(list(BOTS)), default="greedy", show_default=True, help="Plays every seat.")
@click.option("--pace", type=click.FloatRange(0, 60), default=0, help="Seconds a turn takes at least.")
@click.option("--replay-dir", type=click.Path(file_okay=False), help="Where the replays go.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per event on standard output.")
def command(players: int, bot: str, pace: float, replay_dir: str | None, *, as_json: bool) -> None:
    """Watch bots play a whole game: real peers, one process each, over loopback."""
    make_settings(players, None, "classic", Options(), GRACE_S, closed_hands=False)
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
        """Play the game; returns the exit code. Raises CommandError when it is asked to end, or a peer fails."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_end_on_signal)
            await self._play()
            nursery.cancel_scope.cancel()
        return self._conclude()

    async def _play(self) -> None:
        async with trio.open_nursery() as nursery:
            table = await nursery.start(self._host)
            for number in range(2, self._players + 1):
                nursery.start_soon(self._join, number, table["address"], table["code"])

    async def _host(self, *, task_status: "trio.TaskStatus[dict[str, Any]]") -> None:
        def hear(event: dict[str, Any]) -> None:
            if event["event"] == "listening":
                task_status.started(event)
            elif event["event"] in SHARED:
                self._output.event(event.pop("event"), **event)

        arguments = ["host", "--players", str(self._players), "--listen", "127.0.0.1:0", "--name", "bot 1"]
        # What the first seat has to say to people is the demo's own text.
        spoken = sys.stderr if self._output.json else sys.stdout
        await self._peer(1, arguments, {}, spoken.fileno(), hear)

    async def _join(self, number: int, address: str, code: str) -> None:
        arguments = ["join", address, "--name", f"bot {number}"]
        await self._peer(number, arguments, {"SEQP2P_CODE": code}, subprocess.DEVNULL, lambda _: None)

    async def _peer(
        self, number: int, arguments: list[str], environment: dict[str, str], spoken: int, hear: Hear
    ) -> None:
        """Start a peer and hear its events to the end; raises CommandError if it ends before its game."""
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
                    hear(event)
            if await process.wait() not in (DONE, ABANDONED):
                raise CommandError(f"the peer of bot {number} ended with exit code {process.returncode}")
        finally:
            await _end(process)

    def _note(self, event: dict[str, Any]) -> None:
        if event["event"] == "dealt":
            self._dealt.append(event["seconds"])
            if len(self._dealt) == self._players:
                self._output.event("dealt", seconds=max(self._dealt))
        elif event["event"] == "over":
            self._over[event["seat"]] = event

    def _conclude(self) -> int:
        """The result that all seats agree on, and the verdict on the first seat's replay."""
        if len(self._over) < self._players:
            raise CommandError("a peer left before the game began")
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


async def _end_on_signal() -> None:
    """Asked to end: cancels all, so that no process and no folder is left."""
    with trio.open_signal_receiver(*polite_signals()) as signals:
        async for _ in signals:
            raise CommandError("stopped", exit_code=ABANDONED)


async def _end(process: trio.Process) -> None:
    """Let a peer end: it does when its input closes, and has its replay to finish. Kill it if it does not."""
    with trio.CancelScope(shield=True):
        assert process.stdin is not None, "its input is a pipe"
        await process.stdin.aclose()
        with trio.move_on_after(END_S):
            await process.wait()
        if process.returncode is None:
            process.kill()
            await process.wait()
