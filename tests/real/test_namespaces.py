"""Four machines on a LAN: they find each other by multicast; one dies, one is cut off, one is gone for good."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from seqp2p.cli.replays import verify_file
from tests.cli.processes import Process, household
from tests.helpful import HELPFUL
from tests.real.lan import Lan, ending, needs

pytestmark = needs()

HOST, SECOND, THIRD, FOURTH = 1, 2, 3, 4


class Table:
    """Four bots, each on a host of its own; the host's code is all that the others are told."""

    def __init__(self, lan: Lan, grace_s: int) -> None:
        self.lan = lan
        self.players: dict[int, Process] = {}
        host = self._start(HOST, "host", "--players", 4, "--grace", grace_s)
        code = host.event("listening")["code"]
        for number in (SECOND, THIRD, FOURTH):
            self._start(number, "join", code)

    def _start(self, number: int, *arguments: object) -> Process:
        kept = self.lan.people.replays(self.lan.space(number))
        named = ("--name", f"h{number}", "--bot", HELPFUL, "--json", "--replay-dir", kept)
        self.players[number] = self.lan.start(number, *arguments, *named)
        return self.players[number]

    def seat(self, number: int) -> int:
        """Return the seat of the player on this host."""
        return self.players[number].seat_of(f"h{number}")

    def check(self, *numbers: int) -> None:
        """Check that these have finished one game, and that their replays say so."""
        for number in numbers:
            assert self.players[number].end() == 0, self.players[number].said()
        reports = [verify_file(self.lan.replay(number)) for number in numbers]
        assert [report.verdict for report in reports] == ["verified"] * len(numbers)
        assert len({(report.steps, report.result) for report in reports}) == 1


@contextmanager
def lans(directory: Path, *names: str) -> Iterator[list[Lan]]:
    with ExitStack() as stack:
        made: list[Lan] = []
        for name in names:
            lan = Lan(stack.enter_context(household(directory / name)), 4)
            stack.enter_context(lan.up())
            stack.enter_context(ending(lan.people))
            made.append(lan)
        yield made


def cut_and_killed(table: Table) -> None:
    """Cut off the second host and kill the first one's program: the others go on with the one, without the other."""
    seats = {number: table.seat(number) for number in table.players}
    table.lan.cut(SECOND)
    table.players[HOST].signal(signal.SIGKILL)
    table.players[FOURTH].event("absent", seat=seats[HOST])
    table.players[FOURTH].event("absent", seat=seats[SECOND])
    table.players[SECOND].event("absent", seat=seats[FOURTH])
    table.lan.mend(SECOND)
    table.players[FOURTH].event("back", seat=seats[SECOND])
    table.players[SECOND].event("back", seat=seats[FOURTH])


def test_four_hosts(tmp_path: Path) -> None:
    with lans(tmp_path, "one", "other") as (one, other):
        for lan in (one, other):
            lan.people.hold(2)
        tables = [Table(one, 45), Table(other, 12)]
        for table in tables:
            for number in (SECOND, THIRD, FOURTH):
                table.players[number].event("turn", 2)
        # On the other LAN the third is gone for good.
        gone = tables[1].seat(THIRD)
        other.cut(THIRD)
        for lan in (one, other):
            lan.people.let_go()
        cut_and_killed(tables[0])
        tables[1].players[HOST].event("dropped", seats=[gone])
        tables[1].check(HOST, SECOND, FOURTH)
        tables[0].players[FOURTH].event("dropped", seats=[tables[0].seat(HOST)])
        tables[0].check(SECOND, THIRD, FOURTH)
