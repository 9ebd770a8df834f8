"""The typed lines of a command, and its child processes.

To wait for a typed line never holds up the game or its end.

Child processes are the peers of a demo, and the process that plays local bots. The peers of a demo end with the process
that started them: each watches the pipe that is its standard input. The process of bots at a person's table is
``detached``: it runs in a session of its own, so that neither Ctrl-C nor a closing terminal reaches it. If that
person's seat can be resumed, it plays on (bot_process.py); else it is told so.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import trio

from seqp2p.bots.program import open_process
from seqp2p.cli.errors import ERROR, HINT, is_seat_kept
from seqp2p.errors import ABANDONED, UserError
from seqp2p.hangup import hang_up
from seqp2p.ui.language import t, translate

_CHUNK_SIZE = 4096
_LINE_SIZE_MAX = 4096
END_S: Final = 5.0
"""The time a child has for its end: to leave its table, and to finish its replay."""

Hear: TypeAlias = Callable[[dict[str, Any]], None]
Read: TypeAlias = Callable[[str], None]


@contextlib.asynccontextmanager
async def ending_with_parent(*, wanted: bool) -> AsyncGenerator[None]:
    """End the block, if wanted, when the parent process has ended. Raises SystemExit then."""
    async with trio.open_nursery() as nursery:
        orphaned = trio.CancelScope()
        if wanted:
            nursery.start_soon(cancel_when_stdin_closes, orphaned)
        with orphaned:
            yield
        nursery.cancel_scope.cancel()
    if orphaned.cancelled_caught:
        raise SystemExit(ABANDONED)  # The parent is gone: there is no reader for a message.


async def cancel_when_stdin_closes(scope: trio.CancelScope) -> None:
    """Cancel when the process that started this one has ended: its end of the pipe closes then."""
    reader = LineReader(0)
    while await reader.read_line() is not None:
        pass
    scope.cancel()


# Typed lines.


class LineReader:
    """Lines of a file descriptor. A descriptor that cannot be waited for (a plain file) is read as it is.

    One that cannot be read has no more lines. At a terminal the end of the input is a key (Ctrl-D): it is told, and
    lines typed after it are read. A lost terminal ends this process (``hang_up``).
    """

    def __init__(self, descriptor: int, *, in_thread: bool = sys.platform == "win32") -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False
        self._is_terminal = False
        self._read = _read_in_thread() if in_thread else _read_when_ready

    async def read_line(self) -> str | None:
        """Return the next line without its end, or None when there are no more. Only 4,096 bytes of a line count.

        Raises TerminalGone.
        """
        ended = self._ended
        self._is_terminal = self._is_terminal or os.isatty(self._descriptor)
        while b"\n" not in self._buffer and not ended:
            try:
                data = await self._read(self._descriptor)
                self._ended = not data and not os.isatty(self._descriptor)
            except OSError:
                data = b""
                self._ended = True
            if self._ended and self._is_terminal and not os.isatty(self._descriptor):
                await hang_up(trio.sleep)
            ended = not data
            self._buffer += data
            if b"\n" not in data:
                self._buffer = self._buffer[:_LINE_SIZE_MAX]
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line[:_LINE_SIZE_MAX].decode("utf-8", "replace").rstrip("\r")


async def _read_when_ready(descriptor: int) -> bytes:
    # A plain file and /dev/null are always ready, and cannot be waited for.
    with suppress(PermissionError):
        await trio.lowlevel.wait_readable(descriptor)
    return os.read(descriptor, _CHUNK_SIZE)


def _read_in_thread() -> Callable[[int], Awaitable[bytes]]:
    """Return a function that reads where the system waits for no pipe and no console (Windows).

    A cancelled call leaves its thread to the next call, which gets what was read.
    """
    begun: list[Future[bytes]] = []

    async def read(descriptor: int) -> bytes:
        if not begun:
            begun.append(Future())
            threading.Thread(target=_read_into, args=(begun[0], descriptor), daemon=True).start()
        future, token, done = begun[0], trio.lowlevel.current_trio_token(), trio.Event()

        def tell(_: object) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(done.set)

        future.add_done_callback(tell)
        await done.wait()
        begun.clear()
        return future.result()

    return read


def _read_into(future: "Future[bytes]", descriptor: int) -> None:
    try:
        # A console is read in UTF-8, as ``os.read`` does not.
        with open(descriptor, "rb", buffering=0, closefd=False) as file:  # a descriptor, not a path
            future.set_result(file.read(_CHUNK_SIZE))
    except OSError as error:
        future.set_exception(error)


read_line: Final = LineReader(0).read_line
"""Reads standard input."""


# Child processes.


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
    assert stream is not None, "its output is a pipe"
    buffer = b""
    async for data in stream:
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            take(line.decode("utf-8", "replace"))
