"""Processes of this package that are forked from one that has imported it: to import it is most of what a short one
works, and hundreds are started here.

Theory of operation. The *nursery* is a process that has imported the whole command line and has done nothing else. It
forks a *ward* for each process that it is asked for, which forks that process, tells its id, and in the end how it
ended. The process is what ``python -m`` would have made of it: its streams, environment and signals are those that were
asked for, and its module is run as ``__main__``. With each order go standard input, output, errors, and where to tell.

What a new interpreter decides by its environment or inherits otherwise, a fork cannot show: then it is a new one.
"""

import atexit
import gc
import importlib
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, Final

import msgspec

import seqp2p.cli

ROOT: Final = Path(__file__).parents[2]
# What the interpreter does not look at when it starts. The first import of the package is this process's.
HARMLESS: Final = ("SEQP2P_", "COV_", "PYTHONPATH", "PYTEST_", "TERM", "TMPDIR")
END_S: Final = 10
ORDER_SIZE_MAX: Final = 200_000


class Order(msgspec.Struct, frozen=True):
    """``python -m`` this module with these arguments, in this environment."""

    module: str
    arguments: list[str]
    env: dict[str, str]


def start(
    arguments: list[str], env: dict[str, str], *, fork: bool = True, **more: Any
) -> "subprocess.Popen[bytes] | Forked":
    """Start this command line, forked if possible; ``more`` is as for ``subprocess.Popen``."""
    sys.audit("subprocess.Popen", arguments[0], arguments, None, env)  # A forked one counts as a process too.
    streams = {name: more.get(name, subprocess.DEVNULL) for name in ("stdin", "stdout", "stderr")}
    different = {name for name in env.keys() | os.environ if env.get(name) != os.environ.get(name)}
    if (
        fork
        and arguments[:2] == [sys.executable, "-m"]
        and sys.platform == "linux"
        and more.keys() == streams.keys()
        and all(name.startswith(HARMLESS) for name in different)
    ):
        return Forked(Order(arguments[2], arguments[3:], env), streams)
    return subprocess.Popen(arguments, env=env, **more)


class Forked:
    """A process that the nursery has forked; it is used as a Popen."""

    def __init__(self, order: Order, streams: dict[str, int]) -> None:
        self.returncode: int | None = None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._told, told = os.pipe()
        theirs = [*(self._stream(name, wanted) for name, wanted in streams.items()), told]
        socket.send_fds(nursery(), [msgspec.json.encode(order)], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self.pid = int.from_bytes(os.read(self._told, 4), "big")
        assert self.pid, "the nursery is gone"

    def _stream(self, name: str, wanted: int) -> int:
        """Return the process's end; of a pipe, this process keeps the other one."""
        if wanted == subprocess.DEVNULL:
            return os.open(os.devnull, os.O_RDWR)
        if wanted != subprocess.PIPE:
            return os.dup(wanted)
        read, write = os.pipe()
        own, theirs = (write, read) if name == "stdin" else (read, write)
        setattr(self, name, os.fdopen(own, "wb" if name == "stdin" else "rb"))
        return theirs

    def poll(self) -> int | None:
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        if (code := self._look(timeout)) is None:
            raise subprocess.TimeoutExpired("seqp2p", timeout or 0.0)
        return code

    def _look(self, limit_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], limit_s)[0]:
            self.returncode = int.from_bytes(os.read(self._told, 4), "big", signed=True)
            os.close(self._told)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # It ended, and was taken note of, this very moment.
                os.kill(self.pid, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@cache
def nursery() -> socket.socket:
    """Return the socket for orders. The nursery ends when it is closed, at the latest with this process."""
    own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forked", str(theirs.fileno())],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    atexit.register(process.wait, END_S)
    atexit.register(own.close)
    return own


def serve(orders: socket.socket) -> Order | None:
    """Fork until there are no more orders; in each process that is asked for, return its order."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for a ward.
    while True:
        message, descriptors, _, _ = socket.recv_fds(orders, ORDER_SIZE_MAX, 4)
        if not message:
            return None
        if os.fork() == 0:
            orders.close()
            return ward(msgspec.json.decode(message, type=Order), *descriptors)
        for number in descriptors:
            os.close(number)


def ward(order: Order, *descriptors: int) -> Order:
    """Fork a process, and tell its id and how it ended; return in the process."""
    *streams, told = descriptors
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if (pid := os.fork()) == 0:
        os.close(told)
        become(order, streams)
        return order
    for number in streams:
        os.close(number)
    os.write(told, pid.to_bytes(4, "big"))
    _, status = os.waitpid(pid, 0)
    # Whoever asked for it may not wait for it.
    with suppress(BrokenPipeError):
        os.write(told, os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
    os._exit(0)


def become(order: Order, streams: list[int]) -> None:
    """Take over streams, environment and signals."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        old = getattr(sys, name)
        lines = 1 if name == "stderr" or os.isatty(number) else -1
        stream = os.fdopen(number, mode, lines, encoding=old.encoding, errors=old.errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    os.environ.clear()
    os.environ.update(order.env)
    sys.argv = [order.module, *order.arguments]


def leave(code: int) -> None:
    """End as the interpreter does, but keep the imported modules: to free them would copy them first."""
    threading._shutdown()  # type: ignore[attr-defined]  # the interpreter's own, as the next
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    # A Ctrl-C at the tests' terminal is theirs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for found in pkgutil.iter_modules(seqp2p.cli.__path__, "seqp2p.cli."):
        importlib.import_module(found.name)
    gc.freeze()
    order = serve(socket.socket(fileno=int(sys.argv[1])))
    if order is not None:
        try:
            runpy.run_module(order.module, run_name="__main__", alter_sys=True)
        except SystemExit as end:
            if isinstance(end.code, int):
                leave(end.code)
            raise


if __name__ == "__main__":
    main()
