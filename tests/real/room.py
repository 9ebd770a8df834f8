"""A room of people at real terminals, with bots as processes."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.cli.processes import command, environment
from tests.helpful import HELPFUL
from tests.real.terminals import Terminal

SEQP2P = [sys.executable, "-m", "seqp2p"]
KIDS = ("--variant", "kids")
HELPED: dict[str, Any] = {"line": [sys.executable, "-m", "tests.helpful", "seqp2p"], "SEQP2P_HELPED": "1"}
"""A bot chooses for the person at the terminal, in the game alone."""


class Room:
    """A room with terminals and bots, which end with the test."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack

    def home(self, who: str) -> dict[str, str]:
        env = environment(self.folder / who, LANG="C.UTF-8", LANGUAGE="en", SEQP2P_NAME=who)
        env.pop("SEQP2P_DEBUG")
        return env

    def sit(self, who: str, *arguments: str, line: Sequence[str] = SEQP2P, **look: Any) -> Terminal:
        """Start ``seqp2p`` in a terminal with this ``look``: its width, its height, and variables."""
        return self.terminal([*line, *arguments], who, **look)

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


def table(host: Terminal) -> tuple[str, str]:
    """Return the address and the code on a host's screen."""
    address = host.find(r"seqp2p join (127\.0\.0\.1:\d+)")[1]
    return address, host.find(r"the join code is:  (\S+)")[1]


def sit_down(
    room: Room, *guests: str, host: Sequence[str] = KIDS, more: Sequence[str] = (), **look: Any
) -> list[Terminal]:
    """Let ann host a table with these options, and the guests join; all have the options ``more``, and terminals so."""
    seats = ("--players", str(1 + len(guests)))
    ann = room.sit("ann", "host", *seats, *host, "--listen", "127.0.0.1:0", "--name", "ann", *more, **look)
    address, code = table(ann)
    people = [ann]
    for guest in guests:
        people.append(room.sit(guest, "join", address, "--code", code, "--name", guest, *more, **look))
        ann.see(guest)
    return people


def begin(host: Terminal) -> None:
    host.see("all seats are taken")
    host.type("start")
