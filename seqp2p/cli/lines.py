"""Typed lines, read so that waiting for one never holds up the game or its end."""

import contextlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future

import trio

from seqp2p.hangup import hang_up

_CHUNK_SIZE = 4096
_LINE_SIZE_MAX = 4096


class LineReader:
    """Lines of a file descriptor. A descriptor that cannot be waited for (a plain file) is read as it is.

    One that cannot be read has no more lines. At a terminal the end of the input is a key (Ctrl-D): it is told, and
    lines typed after it are read. A terminal that is gone ends this process (``hang_up``).
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
    with contextlib.suppress(PermissionError):
        await trio.lowlevel.wait_readable(descriptor)
    return os.read(descriptor, _CHUNK_SIZE)


def _read_in_thread() -> Callable[[int], Awaitable[bytes]]:
    """Return a function that reads where the system waits for no pipe and no console (Windows).

    A call that is cancelled leaves its thread to the next call, which gets what was read.
    """
    begun: list[Future[bytes]] = []

    async def read(descriptor: int) -> bytes:
        if not begun:
            begun.append(Future())
            threading.Thread(target=_read_into, args=(begun[0], descriptor), daemon=True).start()
        future, token, done = begun[0], trio.lowlevel.current_trio_token(), trio.Event()

        def tell(_: object) -> None:
            with contextlib.suppress(trio.RunFinishedError):
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


_stdin = LineReader(0)


async def read_line() -> str | None:
    """Return the next line of standard input, or None at its end."""
    return await _stdin.read_line()


def is_terminal() -> bool:
    """Return True if a person can be asked on standard input."""
    return sys.stdin is not None and sys.stdin.isatty()
