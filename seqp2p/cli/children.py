"""Child processes of this program: peers of a demo, and the process that plays local bots.

The peers of a demo end with the process that started them: each watches the pipe that is its standard input. The
process of bots at a person's table is ``detached``: it runs in a session of its own, so that neither Ctrl-C nor a
closing terminal reaches it. If that person's seat can be resumed, it plays on (bot_process.py); else it is told so.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import trio

from seqp2p.bots.program import open_process
from seqp2p.cli.errors import ERROR, HINT, is_seat_kept
from seqp2p.errors import UserError
from seqp2p.ui.language import t, translate

END_S: Final = 5.0
"""The time a child has for its end: to leave its table, and to finish its replay."""

Hear: TypeAlias = Callable[[dict[str, Any]], None]
Read: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ChildStart:
    """The start of a child: its name for people, the command line after ``python -m``, changes to the environment.

    A ``detached`` one gets the ``farewell`` on its standard input if it has no reason to go on.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    detached: bool = False
    farewell: bytes = b""


class Child:
    """One process of this program. ``hear`` gets its events, ``read`` its lines for people but for its error."""

    def __init__(self, start: ChildStart, hear: Hear = lambda _: None, read: Read = lambda _: None) -> None:
        self._start = start
        self._hear = hear
        self._read = read
        self._process: trio.Process | None = None
        self._is_started = trio.Event()
        self._errors: list[str] = []
        self._hints: list[str] = []

    async def run(self) -> int:
        """Start it, and take its output to its end; return its exit code. When cancelled, end it or let it go."""
        start = self._start
        process = self._process = await open_process(
            [sys.executable, "-m", *start.arguments],
            {**os.environ, "PYTHONIOENCODING": "utf-8", **start.environment},
            subprocess.PIPE,
            apart=start.detached,
        )
        self._is_started.set()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_each_line, process.stdout, self._note)
                nursery.start_soon(_each_line, process.stderr, self._take)
            return await process.wait()
        finally:
            await self._end(process)

    async def send(self, data: bytes) -> None:
        """Write to its standard input, as soon as it is started; nothing if it has ended."""
        await self._is_started.wait()
        assert self._process is not None, "it is started"
        await _send(self._process, data)

    def ask_to_end(self) -> None:
        """Ask it to end, if it runs: it leaves its table, and tells the path of its replay.

        Windows can only kill; there Ctrl-C reaches all processes of a console by itself.
        """
        if self._process is not None and sys.platform != "win32":
            self._process.terminate()

    def failure(self) -> UserError:
        """Return the reason of its end: its own error, or else its exit code."""
        if self._errors:
            hint = self._hints[-1] if self._hints else ""
            return UserError(t("the peer of {name}: {error}", name=self._start.name, error=self._errors[-1]), hint)
        code = self._process.returncode if self._process else None
        return UserError(t("the peer of {name} ended with exit code {code}", name=self._start.name, code=code))

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
        """Let it end: it does when its input closes, or by a signal. Kill it if it does not.

        A detached child plays on if the person can resume the seat, as after a kill of this process.
        """
        with trio.CancelScope(shield=True):
            assert process.stdin is not None, "its input is a pipe"
            if self._start.detached and is_seat_kept():
                await process.stdin.aclose()
                return
            with trio.move_on_after(END_S):
                await _send(process, self._start.farewell)
                await process.stdin.aclose()
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _send(process: trio.Process, data: bytes) -> None:
    assert process.stdin is not None, "its input is a pipe"
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await process.stdin.send_all(data)


async def _each_line(stream: AsyncIterator[bytes | bytearray] | None, take: Callable[[str], None]) -> None:
    """Hand on every line of a child's output."""
    assert stream is not None, "its output is a pipe"
    buffer = b""
    async for data in stream:
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            take(line.decode("utf-8", "replace"))
