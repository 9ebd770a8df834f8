"""A foreign program: started without a shell, in a session of its own, written and read line by line, and ended.

It gets nothing of this program's own environment. Its output is read only while an answer is waited for, so a program
that writes without end fills its pipe, and waits. It is ended with all that it has started, as far as that is still in
its process group.
"""

import contextlib
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import trio

from seqp2p.bots.player import Program
from seqp2p.i18n import message

LINE_SIZE_MAX: Final = 4096
"""The bytes of a line that it writes."""
ANSWER_SIZE_MAX: Final = 65_536
"""The bytes that it may write for one question, with those since the last one."""
GOODBYE_S: Final = 1.0
"""The time it has to end by itself."""
_CHUNK_SIZE: Final = 4096


class ProgramFailed(Exception):
    """A fault of the program, in the text. ``gone``: it no longer plays."""

    def __init__(self, reason: str, *, gone: bool = False) -> None:
        super().__init__(reason)
        self.gone = gone


def environment() -> dict[str, str]:
    """Return the environment of a program, without this program's own variables, like the code of a table.

    A program in one file (``make app``) has its libraries in LD_LIBRARY_PATH, which was another one before.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith("SEQP2P_")}
    if getattr(sys, "frozen", False):
        own.pop("LD_LIBRARY_PATH", None)
        if (before := own.pop("LD_LIBRARY_PATH_ORIG", None)) is not None:
            own["LD_LIBRARY_PATH"] = before
    return own


class RunningProgram:
    """A running program. Get it from ``start_program``, and ``end`` it."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None, "its input is a pipe"
        assert process.stdout is not None, "its output is a pipe"
        self._process = process
        self._input = process.stdin
        self._output = process.stdout
        self._buffer = b""
        self._left = ANSWER_SIZE_MAX
        self._cuts = False  # the rest of a line that was too long is still to come
        self._ended = False

    async def write(self, line: bytes) -> None:
        """Write a line, and wait for the program to read. Raises ProgramFailed if it no longer reads."""
        try:
            await self._input.send_all(line)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise await self._gone(message("it has closed its standard input")) from None

    def expect(self) -> None:
        """Reset the limit of output for a new question."""
        self._left = ANSWER_SIZE_MAX

    async def read_line(self) -> bytes:
        """Return the next line without its end. Raises ProgramFailed if there is none, or too much of it."""
        while b"\n" not in self._buffer and len(self._buffer) <= LINE_SIZE_MAX:
            self._buffer += await self._read()
        line, newline, self._buffer = self._buffer.partition(b"\n")
        if len(line) > LINE_SIZE_MAX:
            self._cuts = not newline
            raise ProgramFailed(message("it has written a line of more than {size} bytes", size=LINE_SIZE_MAX))
        return line

    async def _read(self) -> bytes:
        """Return more of its output, without the rest of a line that was too long."""
        while True:
            try:
                data = bytes(await self._output.receive_some(min(_CHUNK_SIZE, self._left + 1)))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            if not data:
                raise await self._gone(message("it has closed its standard output"))
            self._left -= len(data)
            if self._left < 0:
                self._cuts, self._buffer = True, b""
                raise ProgramFailed(message("it has written more than {size} bytes", size=ANSWER_SIZE_MAX))
            if not self._cuts:
                return data
            _, newline, rest = data.partition(b"\n")
            self._cuts = not newline
            if rest:
                return rest

    async def _gone(self, closed: str) -> ProgramFailed:
        """Return the failure of a program that has ended, or has ``closed`` a pipe and goes on."""
        code = None
        with trio.move_on_after(GOODBYE_S):
            code = await self._process.wait()
        self.kill()  # At once: another process may get the id of one that has been waited for.
        if code is None:
            return ProgramFailed(closed, gone=True)
        if code < 0:
            return ProgramFailed(message("it has ended, by signal {number}", number=-code), gone=True)
        return ProgramFailed(message("it has ended, with exit status {status}", status=code), gone=True)

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        # Until the process is waited for, no other process gets its id, nor that of its group.
        if self._ended:
            return
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self, goodbye_s: float = 0.0) -> int:
        """Close its input, give it time to end by itself, kill the rest, and return its exit code."""
        await self._input.aclose()
        if goodbye_s:
            with trio.move_on_after(goodbye_s), contextlib.suppress(trio.BrokenResourceError):
                while await self._output.receive_some(_CHUNK_SIZE):
                    pass
        self.kill()
        self._ended = True
        await self._output.aclose()
        return await self._process.wait()


async def start_program(program: Program) -> RunningProgram:
    """Start it. Raises OSError."""
    stderr = None if program.verbose else subprocess.DEVNULL
    try:
        return RunningProgram(await open_process(program.arguments, environment(), stderr, apart=True))
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            # Its text is shown to people, as the system's own.
            reason = message("its first line names no interpreter, as #!/usr/bin/env python3 does")
            raise OSError(errno.ENOEXEC, reason) from None
        raise


async def open_process(
    command: Sequence[str], environment: Mapping[str, str], stderr: int | None, *, apart: bool
) -> trio.Process:
    """Start a process, its input and output pipes. Raises OSError.

    One that is ``apart`` is reached by neither Ctrl-C nor a terminal that closes.
    """
    options: dict[str, Any] = {"start_new_session": apart}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NO_WINDOW if apart else 0}
    return await trio.lowlevel.open_process(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment, **options
    )
