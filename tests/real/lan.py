"""Hosts on a LAN of their own: network namespaces on a bridge. Linux, root and iproute2 are needed."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

import pytest

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Household, Process, command, household, wait_until
from tests.helpful import HELPFUL

_numbers: Final = itertools.count()


def ip(*arguments: object) -> str:
    return subprocess.run(["ip", *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def why_not() -> str | None:
    """Return the reason that this machine has no namespaces; None if it has."""
    if shutil.which("ip") is None:
        return "ip (iproute2) is not installed"
    probe = f"sq{os.getpid()}p"
    try:
        ip("netns", "add", probe)
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be made here: {error.stderr.strip()}"
    try:
        ip("netns", "exec", probe, sys.executable, "-c", "")
        ip("link", "add", probe, "type", "bridge")
        ip("link", "del", probe)
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be used here: {error.stderr.strip()}"
    finally:
        ip("netns", "del", probe)
    return None


def needs(*programs: str) -> list[pytest.MarkDecorator]:
    """Return the marks of tests that need namespaces and these programs."""
    missing = [program for program in programs if shutil.which(program) is None]
    reason = f"{' and '.join(missing)} not installed" if missing else why_not()
    return [pytest.mark.namespace, pytest.mark.slow, pytest.mark.skipif(reason is not None, reason=str(reason))]


def add_space(space: str, stack: ExitStack) -> None:
    """Add a machine without cables, until the stack ends."""
    ip("netns", "add", space)
    stack.callback(ip, "netns", "del", space)
    ip("-n", space, "link", "set", "lo", "up")


def add_cable(*ends: tuple[str, str, str]) -> None:
    """Add a cable between two machines; an end is the machine, its interface and its address."""
    (one, name, _), (other, peer, _) = ends
    ip("link", "add", name, "netns", one, "type", "veth", "peer", "name", peer, "netns", other)
    for space, interface, address in ends:
        ip("-n", space, "addr", "add", f"{address}/24", "dev", interface)
        ip("-n", space, "link", "set", interface, "up")


def run_in(space: str, *line: str, text: str = "") -> str:
    """Run a program on a machine; raises CalledProcessError."""
    whole = ["ip", "netns", "exec", space, *line]
    return subprocess.run(whole, check=True, capture_output=True, text=True, input=text).stdout


class Machines:
    """Machines on this one, and the players' processes on them."""

    def __init__(self, people: Household) -> None:
        self.people = people
        self.stem = f"sq{os.getpid()}n{next(_numbers)}"

    @classmethod
    @contextmanager
    def running(cls, directory: Path) -> Iterator[Self]:
        """Make the machines; the processes end with the block, and their network after them."""
        with household(directory) as people, ExitStack() as stack:
            made = cls(people)
            made.build(stack)
            stack.callback(people.end_all)
            yield made

    def build(self, stack: ExitStack) -> None:
        """Make the network, until the stack ends."""
        raise NotImplementedError

    def space(self, name: object) -> str:
        return f"{self.stem}{name}"

    def add_bridge(self, stack: ExitStack) -> None:
        ip("link", "add", self.stem, "type", "bridge")
        stack.callback(ip, "link", "del", self.stem)
        ip("link", "set", self.stem, "up")

    def cable(self, address: str) -> str:
        return f"{self.stem}c{address.rpartition('.')[2]}"

    def join_bridge(self, space: str, interface: str, address: str, stack: ExitStack) -> None:
        """Add a cable from a machine to the bridge."""
        cable = self.cable(address)
        ip("link", "add", cable, "type", "veth", "peer", "name", interface, "netns", space)
        stack.callback(ip, "link", "del", cable)  # The namespace alone may last as long as its sockets.
        ip("link", "set", cable, "master", self.stem, "up")
        ip("-n", space, "addr", "add", f"{address}/24", "dev", interface)
        ip("-n", space, "link", "set", interface, "up")
        wait_until(lambda: "state UP" in ip("link", "show", cable), "no link")

    def start(self, name: object, *arguments: object) -> Process:
        """Start the player on this machine, a bot."""
        who = self.space(name)
        kept = ("--bot", HELPFUL, "--json", "--replay-dir", self.people.replays(who))
        line = ["ip", "netns", "exec", who, *command(*arguments, *kept)]
        return self.people._start(Process(line, self.people.env(who)))

    def check(self, *names: object, games: int = 1) -> None:
        """Check that these players have verified replays of the same games."""
        folders = [self.people.replays(self.space(name)) for name in names]
        reports = [verify_file(path) for folder in folders for path in folder.glob("*.seqp2p")]
        assert [report.verdict for report in reports] == ["verified"] * len(names) * games
        assert len({(report.game, report.steps, report.result) for report in reports}) == games
