"""Typed lines, read so that waiting for one never holds up the game or its end."""

import contextlib
import os
import sys

import trio

from seqp2p.hangup import hang_up

_CHUNK_SIZE = 4096
_LINE_SIZE_MAX = 4096


class LineReader:
    """Lines of a file descriptor. A descriptor that cannot be waited for (a plain file) is read as it is.

    One that cannot be read has no more lines. At a terminal the end of the input is a key (Ctrl-D): it is told, and
    lines typed after it are read. A terminal that is gone ends this process (``hang_up``).
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False
        self._is_terminal = False

    async def read_line(self) -> str | None:
        """Return the next line without its end, or None when there are no more. Only 4,096 bytes of a line count.

        Raises TerminalGone.
        """
        ended = self._ended
        self._is_terminal = self._is_terminal or os.isatty(self._descriptor)
        while b"\n" not in self._buffer and not ended:
            # A plain file and /dev/null are always ready, and cannot be waited for.
            with contextlib.suppress(PermissionError):
                await trio.lowlevel.wait_readable(self._descriptor)
            try:
                data = os.read(self._descriptor, _CHUNK_SIZE)
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


_stdin = LineReader(0)


async def read_line() -> str | None:
    """Return the next line of standard input, or None at its end."""
    return await _stdin.read_line()


def is_terminal() -> bool:
    """Return True if a person can be asked on standard input."""
    return sys.stdin is not None and sys.stdin.isatty()
