"""Seats that are killed and come back, as processes; and what their files say meanwhile."""

import os
import signal
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from seqp2p.cli.replays import verify_file
from seqp2p.replay.format import CertificateRecord, StepRecord, Torn, records
from tests.cli.processes import LIMIT_S, Household, Process, household
from tests.helpful import HELPFUL

HOST = "host"
KILLED = -signal.SIGKILL


class Mortals:
    """A table of bots on loopback. Each seat has deaths to die, one in each of its lives."""

    def __init__(self, people: Household, *settings: object, players: int = 3) -> None:
        self.people = people
        self.names = [HOST, *(f"guest{number}" for number in range(2, players + 1))]
        self.seats: dict[str, Process] = {}
        self.lives: dict[str, list[Process]] = {name: [] for name in self.names}
        self.snapshots: list[list[bytes]] = []
        self._settings = settings
        self._bot = ("--bot", HELPFUL, "--json")

    def begin(self, **deaths: Sequence[str]) -> None:
        """Start all seats with these deaths."""
        self.deaths = {name: list(deaths.get(name, ())) for name in self.names}
        settings = ("--players", len(self.names), *self._settings)
        host = self._start(HOST, "host", "--listen", "127.0.0.1:0", "--name", HOST, *settings)
        shown = host.event("listening")
        for name in self.names[1:]:
            self._start(name, "join", shown["address"], "--code", shown["code"], "--name", name)

    def _start(self, name: str, *arguments: object) -> Process:
        line = [*arguments, *self._bot, "--replay-dir", self.people.replays(name)]
        # The seat dies at such a death as "synced turn 2" (dying.py has the words).
        death = self.deaths[name].pop(0) if self.deaths[name] else "never never 0"
        env = self.people.env(name)
        mortal = [sys.executable, "-m", "tests.real.dying", *death.split(), *map(str, line)]
        self.seats[name] = self.people._start(Process(mortal, env))
        self.lives[name].append(self.seats[name])
        return self.seats[name]

    def resume(self, name: str, *arguments: object) -> Process:
        """Start the seat's next life."""
        return self._start(name, "resume", *arguments)

    def sidecar(self, name: str) -> Path:
        """Return the seat's own file, which no other account can read."""
        (path,) = self.people.replays(name).glob("*.seat")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        return path

    def told(self, name: str) -> list[str]:
        """Return the names of all events of a seat, in all its lives."""
        return [event["event"] for life in self.lives[name] for event in life.events]

    def replay(self, name: str) -> Path:
        (path,) = self.people.replays(name).glob("*.seqp2p")
        return path

    def kill(self, *names: str) -> None:
        for name in names:
            self.seats[name].signal(signal.SIGKILL)
        for name in names:
            self.seats[name].end()
            self.bury(name)

    def bury(self, name: str) -> None:
        """Keep the record of a killed seat, to be compared in the end."""
        self.sidecar(name)
        self.snapshots.append(steps_of(self.replay(name)))

    def play(self, *forever: str) -> None:
        """Let all die and come back until all have ended; ``forever`` stay dead after their last death."""
        limit = time.monotonic() + LIMIT_S
        living = dict(self.seats)
        while living:
            ended = [name for name, process in living.items() if process.process.poll() is not None]
            assert ended or time.monotonic() < limit, "\n=====\n".join(map(Process.said, self.seats.values()))
            for name in ended:
                if living.pop(name).end() == KILLED:
                    self.bury(name)
                    if self.deaths[name] or name not in forever:
                        living[name] = self.resume(name)
            time.sleep(0.01)

    def check(self, *forever: str) -> None:
        """Check that all others have come to one end, that every death has come, and that all kept records fit."""
        finished = [name for name in self.names if name not in forever]
        assert not any(self.deaths.values()), self.deaths
        for name in finished:
            assert self.seats[name].end() == 0, self.seats[name].said()
        replays = [self.replay(name) for name in finished]
        reports = [verify_file(path) for path in replays]
        assert [report.verdict for report in reports] == ["verified"] * len(reports), reports
        assert len({report.result for report in reports}) == 1
        records_of = [steps_of(path) for path in replays]
        assert all(each == records_of[0] for each in records_of)
        for left in [*self.snapshots, *(steps_of(self.replay(name)) for name in forever)]:
            assert left == records_of[0][: len(left)]
        assert not any(list(self.people.replays(name).glob("*.seat")) for name in finished)


def steps_of(replay: Path) -> list[bytes]:
    """Return the bytes of every final step in a replay, also in one that was broken off."""
    data = replay.read_bytes()
    found: list[bytes] = []
    try:
        for placed in records(data):
            if isinstance(placed.record, StepRecord | CertificateRecord):
                found.append(data[placed.start : placed.end])  # noqa: PERF401  # what came before an error counts
    except Torn:
        pass
    return found


def shorten(path: Path, size: int) -> None:
    os.truncate(path, max(0, path.stat().st_size - size))


@contextmanager
def mortals(directory: Path, *settings: object, players: int = 3) -> Iterator[Mortals]:
    with household(directory) as people:
        yield Mortals(people, *settings, players=players)
