"""A room of people at real terminals, with bots as processes."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from seqp2p.cli import menu
from tests.cli.processes import command, environment
from tests.helpful import HELPFUL
from tests.real.terminals import Terminal

SEQP2P = [sys.executable, "-m", "seqp2p"]
HELPED_SEQP2P = [sys.executable, "-m", "tests.helpful", "seqp2p"]


class Room:
    """A room with terminals and bots; whoever is in it is gone when the test ends."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack

    def home(self, who: str) -> dict[str, str]:
        env = environment(self.folder / who, LANG="C.UTF-8", LANGUAGE="en")
        env.pop("SEQP2P_DEBUG")
        return env

    def sit(self, who: str, *arguments: str, width: int = 80, height: int = 24, **env: str) -> Terminal:
        return self.terminal([*SEQP2P, *arguments], who, width=width, height=height, **env)

    def terminal(self, line: list[str], who: str, *, width: int = 80, height: int = 24, **env: str) -> Terminal:
        return self._stack.enter_context(Terminal(line, self.home(who) | env, self.folder, width=width, height=height))

    def bot(self, who: str, *arguments: str, **env: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command(*arguments, "--bot", HELPFUL, "--json"),
            env=self.home(who) | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


def number_of(command: str) -> str:
    """Return the number that is typed in the menu for a command."""
    return str([" ".join(words) for words, _ in menu.ENTRIES].index(command) + 1)


def table(host: Terminal) -> tuple[str, str]:
    """The address and the code that a host's screen shows."""
    address = host.find(r"seqp2p join (127\.0\.0\.1:\d+)")[1]
    return address, host.find(r"the join code is:  (\S+)")[1]
