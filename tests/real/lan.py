"""Hosts on a LAN of their own: network namespaces on a bridge. Linux, root and iproute2 are needed."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.cli.processes import Household, Process, command, wait_until

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


def new_stem() -> str:
    """Return a new start for the names of machines and cables."""
    return f"sq{os.getpid()}n{next(_numbers)}"


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


@contextmanager
def ending(people: Household) -> Iterator[None]:
    """End these processes before their network ends."""
    try:
        yield
    finally:
        for process in people._started:
            process.process.kill()
            process.process.wait()


class Lan:
    """Hosts 1 to ``size``, each with one interface."""

    def __init__(self, people: Household, size: int) -> None:
        self.people = people
        self.stem = new_stem()
        self.hosts = range(1, size + 1)

    def space(self, host: int) -> str:
        return f"{self.stem}h{host}"

    @contextmanager
    def up(self) -> Iterator[None]:
        """Plug the cables in, until the block ends."""
        with ExitStack() as stack:
            ip("link", "add", self.stem, "type", "bridge")
            stack.callback(ip, "link", "del", self.stem)
            ip("link", "set", self.stem, "up")
            for host in self.hosts:
                space, cable = self.space(host), self.cable(host)
                add_space(space, stack)
                ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
                ip("link", "set", cable, "master", self.stem, "up")
                ip("-n", space, "addr", "add", f"10.46.10.{host}/24", "dev", "eth0")
                ip("-n", space, "link", "set", "eth0", "up")
            wait_until(
                lambda: all("state UP" in ip("link", "show", self.cable(host)) for host in self.hosts), "no link"
            )
            yield

    def cable(self, host: int) -> str:
        return f"{self.stem}v{host}"

    def cut(self, host: int) -> None:
        """Pull the cable: not where the host would see it, but at the socket in the wall."""
        ip("link", "set", self.cable(host), "nomaster")

    def mend(self, host: int) -> None:
        ip("link", "set", self.cable(host), "master", self.stem)

    def start(self, host: int, *arguments: object) -> Process:
        who = self.space(host)
        line = ["ip", "netns", "exec", who, *command(*arguments)]
        return self.people._start(Process(line, self.people.env(who)))

    def replay(self, host: int) -> Path:
        (path,) = self.people.replays(self.space(host)).glob("*.seqp2p")
        return path
