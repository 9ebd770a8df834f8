"""``seqp2p`` as a script meets it: real processes, their events, what they say to people, how they end."""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from tests.cli.documented import conforming
from tests.cli.forked import ROOT, start
from tests.helpful import GATE, HELPFUL

T = TypeVar("T")

# Far more than anything here takes, also on a machine that is busy: a test that gets here has found a hang.
LIMIT_S = 120.0
Event = dict[str, Any]
EXAMPLES = ROOT / "docs" / "examples"


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a player's process: it has nothing of the tests' own player, and shows tracebacks."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("SEQP2P_", "COV_"))}
    return own | {"SEQP2P_HOME": str(home), "SEQP2P_DEBUG": "1", "PYTHONPATH": str(ROOT)} | more


def command(*arguments: object) -> list[str]:
    """Return the command line; the bot ``helpful`` is known where it is named."""
    known = ("tests.helpful",) if HELPFUL in arguments else ()
    return [sys.executable, "-m", *known, "seqp2p", *map(str, arguments)]


def strange(manner: str, seen: Path) -> str:
    """Return the command line of a program that behaves like that, and writes there what it is sent."""
    return shlex.join([sys.executable, "-S", str(ROOT / "tests" / "bots" / "strange_bot.py"), manner, str(seen)])


class Process:
    """A running ``seqp2p``. Every wait has a time limit, and fails with the whole output."""

    def __init__(
        self,
        arguments: list[str],
        env: dict[str, str],
        *,
        stdin: int = subprocess.DEVNULL,
        output: int = subprocess.PIPE,
        **more: Any,
    ) -> None:
        self.process = start(arguments, env, stdin=stdin, stdout=output, stderr=subprocess.PIPE, **more)
        self.out: list[str] = []
        self.err: list[str] = []
        self._changed = threading.Condition()
        streams = [(self.process.stdout, self.out), (self.process.stderr, self.err)]
        self._threads = [
            threading.Thread(target=self._read, args=(stream, lines), daemon=True)
            for stream, lines in streams
            if stream is not None
        ]
        self._open = len(self._threads)
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        for thread in self._threads:
            thread.join(LIMIT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        assert "Traceback" not in "\n".join(self.err), self.said()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def events(self) -> list[Event]:
        """The events so far; every line of standard output is one."""
        return [conforming(line) for line in list(self.out)]

    def said(self) -> str:
        """Return the whole output, for a failure's message."""
        return "\n".join([f"exit code {self.process.poll()}", *self.out, "---", *self.err])

    def event(self, name: str, nth: int = 1, **fields: Any) -> Event:
        """Return the nth event with this name and these fields, as soon as there is one."""

        def fitting() -> list[Event]:
            wanted = {"event": name, **fields}.items()
            return [event for event in self.events if all(event[field] == value for field, value in wanted)]

        return self._nth(nth, fitting, f"event {nth} {name} {fields}")

    def line(self, pattern: str, nth: int = 1) -> re.Match[str]:
        """Return the nth match of a pattern in the text for people, as soon as there is one."""

        def fitting() -> list[re.Match[str]]:
            return [match for line in [*self.out, *self.err] if (match := re.search(pattern, line))]

        return self._nth(nth, fitting, f"line {nth} with {pattern!r}")

    def seat_of(self, name: str) -> int:
        """Return the seat of a player at the agreed table."""
        (seat,) = {event["seat"] for event in self.events if event["event"] == "seated" and event["name"] == name}
        return int(seat)

    def type(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self, limit_s: float = LIMIT_S) -> int:
        """Return the exit code, once the process has ended and all its output is here."""
        try:
            code = self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.said()}") from None
        for thread in self._threads:
            thread.join(LIMIT_S)
        return code

    def error(self) -> tuple[str, str | None]:
        """Return the error and the hint: the only lines of their kind."""
        errors = [line for line in self.err if line.startswith("seqp2p: error: ")]
        hints = [line for line in self.err if line.startswith("seqp2p: hint: ")]
        assert len(errors) == 1, self.said()
        assert len(hints) <= 1, self.said()
        return errors[0].removeprefix("seqp2p: error: "), hints[0].removeprefix("seqp2p: hint: ") if hints else None

    def _read(self, stream: IO[bytes], lines: list[str]) -> None:
        for line in stream:
            with self._changed:
                lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def _nth(self, nth: int, fitting: Callable[[], list[T]], what: str) -> T:
        limit = time.monotonic() + LIMIT_S
        with self._changed:
            while len(found := fitting()) < nth:
                left_s = limit - time.monotonic()
                assert self._open, f"it ended without {what}: {self.said()}"
                assert left_s > 0, f"no {what}: {self.said()}"
                self._changed.wait(left_s)
            return found[nth - 1]


class Terminal:
    """A terminal for a person to type at; the program's output is read from its pipe."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()

    def start(self, people: "Household", *arguments: object, who: str, **more: Any) -> Process:
        options = ("--name", who, "--replay-dir", people.replays(who))
        process = people.start(*arguments, *options, who=who, stdin=self.slave, **more)
        os.close(self.slave)
        self.slave = -1
        return process

    def type(self, *lines: str) -> None:
        os.write(self.master, "".join(f"{line}\n" for line in lines).encode())

    def hang_up(self) -> None:
        """Close the terminal's window."""
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)
        self.master = self.slave = -1


class Household:
    """Players on this machine, each with a home of its own, and their processes; all end with the test."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._gate = directory / "gate"
        self._started: list[Process] = []

    def hold(self, turns: int) -> None:
        """Let all games stand still after so many turns. Bots named ``helpful`` obey, also when they are resumed."""
        self.directory.mkdir(parents=True, exist_ok=True)
        new = self._gate.with_suffix(".new")
        new.write_text(str(turns), "ascii")
        new.replace(self._gate)

    def let_go(self) -> None:
        self._gate.unlink()

    def env(self, who: str, **more: str) -> dict[str, str]:
        return environment(self.home(who), **{GATE: str(self._gate)}, **more)

    def home(self, name: str) -> Path:
        return self.directory / f"home-{name}"

    def replays(self, name: str) -> Path:
        return self.directory / f"replays-{name}"

    def start(
        self,
        *arguments: object,
        who: str = "somebody",
        stdin: int = subprocess.DEVNULL,
        env: dict[str, str] | None = None,
        **more: Any,
    ) -> Process:
        return self._start(Process(command(*arguments), self.env(who, **(env or {})), stdin=stdin, **more))

    def run(self, line: list[str], **env: str) -> Process:
        return self._start(Process(line, self.env("somebody", **env)))

    def call(self, *arguments: object, **more: Any) -> Process:
        """Run a command that ends by itself; ``process.returncode`` is its exit code."""
        process = self.start(*arguments, **more)
        process.end()
        return process

    def host(self, *arguments: object, who: str = "host", bot: str | None = HELPFUL, **more: Any) -> Process:
        """Start a host for scripts, on a port of its own."""
        chosen = () if bot is None else ("--bot", bot)
        return self.start(
            *("host", "--listen", "127.0.0.1:0", "--name", who, "--replay-dir", self.replays(who), "--json"),
            *(*chosen, *arguments),
            who=who,
            **more,
        )

    def join(
        self,
        host: Process,
        *arguments: object,
        who: str = "guest",
        bot: str | None = HELPFUL,
        code: str | None = None,
        **more: Any,
    ) -> Process:
        """Start a joiner at that host's table, with the newest code unless another is given."""
        shown = host.event("listening")
        newest = [event["code"] for event in host.events if event["event"] == "listening"][-1]
        chosen = () if bot is None else ("--bot", bot)
        return self.start(
            *("join", shown["address"], "--code", newest if code is None else code),
            *("--name", who, "--replay-dir", self.replays(who), "--json", *chosen, *arguments),
            who=who,
            **more,
        )

    def _start(self, process: Process) -> Process:
        self._started.append(process)
        return process

    def kill(self, pid: int) -> None:
        """Kill a process that one of these has started."""
        assert any(pid in children(process.pid) for process in self._started)
        os.kill(pid, signal.SIGKILL)

    def end_all(self) -> None:
        """Kill all processes that still run, before any is found fault with."""
        with ExitStack() as stack:
            for process in self._started:
                stack.enter_context(process)


@contextmanager
def household(directory: Path) -> Iterator[Household]:
    people = Household(directory)
    try:
        yield people
    finally:
        people.end_all()


def children(pid: int) -> set[int]:
    """Return the processes that a process has started, and theirs."""
    found = set[int]()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found |= {child, *children(child)}
    return found


def is_running(pid: int) -> bool:
    """Return True if the process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def none_runs(pids: Collection[int]) -> bool:
    return not any(map(is_running, pids))


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition that no event tells of."""
    limit = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


def wait_until_gone(pids: Collection[int]) -> None:
    wait_until(lambda: none_runs(pids), f"{pids} are left")
