"""Bot peers as child processes: each with a home of its own, listened to, and ended politely.

What plays in a demo ends with the process that started it: each watches the pipe that is its input. A bot at a
person's table is ``detached``: the end of that process is no end of the game where the person can take the seat again.
It goes on in a session of its own, so that neither Ctrl-C nor a terminal that closes meets it (``cli.tether`` says
until when).
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import trio

from seqp2p.cli import resume_hint
from seqp2p.cli.output import ERROR, HINT, CommandError
from seqp2p.ui.language import t, translate

END_S: Final = 5.0
"""How long a peer may take to finish its replay."""

Hear: TypeAlias = Callable[[dict[str, Any]], None]
Read: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ChildStart:
    """What a child is started with: its name, the command line behind ``seqp2p``, its home, more environment."""

    name: str
    arguments: Sequence[str]
    home: Path
    environment: Mapping[str, str]
    detached: bool = False


class Child:
    """One process of this program. ``hear`` gets its events, ``read`` what it says to people but for its error."""

    def __init__(self, start: ChildStart, hear: Hear = lambda _: None, read: Read = lambda _: None) -> None:
        self._start = start
        self._hear = hear
        self._read = read
        self._process: trio.Process | None = None
        self._errors: list[str] = []
        self._hints: list[str] = []

    async def run(self) -> int:
        """Start it, and take what it says to its end; returns its exit code. Cancelled, it lets go of it."""
        start = self._start
        process = self._process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "seqp2p", *start.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | start.environment | {"SEQP2P_HOME": str(start.home)},
            start_new_session=start.detached,
        )
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_each_line, process.stdout, self._note)
                nursery.start_soon(_each_line, process.stderr, self._take)
            return await process.wait()
        finally:
            await self._end(process)

    def ask_to_end(self) -> None:
        """Ask it to end, if it runs: it leaves its table, and tells where its replay is."""
        if self._process is not None:
            self._process.terminate()

    def failure(self) -> CommandError:
        """Why it has ended, in its own words where it had any."""
        if self._errors:
            hint = self._hints[-1] if self._hints else ""
            return CommandError(t("the peer of {name}: {error}", name=self._start.name, error=self._errors[-1]), hint)
        code = self._process.returncode if self._process else None
        return CommandError(t("the peer of {name} ended with exit code {code}", name=self._start.name, code=code))

    def _note(self, line: str) -> None:
        self._hear(json.loads(line))

    def _take(self, line: str) -> None:
        if line.startswith(translate(ERROR)):
            self._errors.append(line.removeprefix(translate(ERROR)))
        elif line.startswith(translate(HINT)):
            self._hints.append(line.removeprefix(translate(HINT)))
        else:
            self._read(line)

    async def _end(self, process: trio.Process) -> None:
        """Let it end: it does when its input closes, or when it is told to. Kill it if it does not.

        At a table whose seat is kept for the person, a bot is let go of as by a caller that was killed: it plays on.
        """
        with trio.CancelScope(shield=True):
            assert process.stdin is not None, "its input is a pipe"
            await process.stdin.aclose()
            if self._start.detached:
                if resume_hint.is_seat_kept():
                    return
                process.terminate()
            with trio.move_on_after(END_S):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _each_line(stream: AsyncIterator[bytes | bytearray] | None, take: Callable[[str], None]) -> None:
    """Take every line of a peer's output."""
    assert stream is not None, "its output is a pipe"
    buffer = b""
    async for data in stream:
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            take(line.decode("utf-8", "replace"))
