"""Four machines on a LAN: they find each other by multicast; one dies, one is cut off, one is gone for good."""

import signal
from contextlib import ExitStack
from pathlib import Path

from tests.real.lan import Machines, add_space, ip, needs

pytestmark = needs()

HOSTS = HOST, SECOND, THIRD, FOURTH = 1, 2, 3, 4


class Lan(Machines):
    """Four hosts, each with one interface."""

    def build(self, stack: ExitStack) -> None:
        self.add_bridge(stack)
        for host in HOSTS:
            add_space(self.space(host), stack)
            self.join_bridge(self.space(host), "eth0", f"10.46.10.{host}", stack)

    def cut(self, host: int) -> None:
        """Pull the cable: not where the host would see it, but at the socket in the wall."""
        ip("link", "set", self.cable(f".{host}"), "nomaster")

    def mend(self, host: int) -> None:
        ip("link", "set", self.cable(f".{host}"), "master", self.stem)


class Table:
    """Four bots, each on a host of its own; the host's code is all that the others are told."""

    def __init__(self, lan: Lan, grace_s: int) -> None:
        self.lan = lan
        host = lan.start(HOST, "host", "--players", 4, "--grace", grace_s, "--name", f"h{HOST}")
        code = host.event("listening")["code"]
        self.players = {HOST: host}
        for number in (SECOND, THIRD, FOURTH):
            self.players[number] = lan.start(number, "join", code, "--name", f"h{number}")

    def seat(self, number: int) -> int:
        """Return the seat of the player on this host."""
        return self.players[number].seat_of(f"h{number}")

    def check(self, *numbers: int) -> None:
        """Check that these have finished one game, and that their replays say so."""
        for number in numbers:
            assert self.players[number].end() == 0, self.players[number].said()
        self.lan.check(*numbers)


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
    with Lan.running(tmp_path / "one") as one, Lan.running(tmp_path / "other") as other:
        for lan in (one, other):
            lan.people.hold(2)
        tables = [Table(one, 35), Table(other, 12)]
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
