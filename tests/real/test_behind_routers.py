"""Three homes, each behind a router of its own that nobody can dial into, and a relay on the internet.

All three sign addresses of their homes, which lead nowhere from the others. The relay is the real one.
"""

import itertools
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from seqp2p.net.addresses import Address
from tests.cli.processes import Household, Process, wait_until
from tests.real.lan import Machines, add_cable, add_space, ip, needs, run_in
from tests.relay import relay_command

pytestmark = needs("nft")

RELAY: Final = "203.0.113.1"
PORT: Final = 4001
HOMES: Final = (1, 2, 3)
ELSEWHERE: Final = 4
RULES: Final = """
table inet filter {
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lan0" accept
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    oifname "wan0" masquerade
  }
}
"""


class Internet(Machines):
    """Four home networks behind routers, and a relay. Each of three players has a cable at home; one goes elsewhere."""

    def __init__(self, people: Household) -> None:
        super().__init__(people)
        self._relay: subprocess.Popen[bytes] | None = None

    def router(self, home: int) -> str:
        return self.space(f"g{home}")

    def build(self, stack: ExitStack) -> None:
        self.add_bridge(stack)
        for space in (self.space("relay"), *map(self.router, (*HOMES, ELSEWHERE)), *map(self.space, HOMES)):
            add_space(space, stack)
        self.join_bridge(self.space("relay"), "eth0", RELAY, stack)
        for home in (*HOMES, ELSEWHERE):
            self.join_bridge(self.router(home), "wan0", f"203.0.113.{home + 100}", stack)
            run_in(self.router(home), "sysctl", "-qw", "net.ipv4.ip_forward=1")
            run_in(self.router(home), "nft", "-f", "-", text=RULES)
        for home in HOMES:
            self.plug_in(home, home, "eth0")
        stack.callback(self.stop_relay)
        self.start_relay()

    def plug_in(self, player: int, home: int, name: str) -> None:
        """Give a player's machine a cable to the router of this home."""
        space, router = self.space(player), self.router(home)
        add_cable((space, name, f"192.168.{home}.2"), (router, "lan0", f"192.168.{home}.1"))
        ip("-n", space, "route", "replace", "default", "via", f"192.168.{home}.1")

    def move(self, player: int) -> None:
        """Pull the cable at home, and go elsewhere."""
        ip("-n", self.space(player), "link", "del", "eth0")
        self.plug_in(player, ELSEWHERE, "eth1")

    def can_dial(self, player: int, host: str, port: int) -> bool:
        """Return True if a player's machine can connect there."""
        code = f"import socket; socket.create_connection(({host!r}, {port}), 3)"
        line = ["ip", "netns", "exec", self.space(player), sys.executable, "-c", code]
        return subprocess.run(line, check=False, stderr=subprocess.DEVNULL).returncode == 0

    def start_relay(self) -> None:
        line = ["ip", "netns", "exec", self.space("relay"), *relay_command(Address(RELAY, PORT))]
        self._relay = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.can_dial(1, RELAY, PORT), "the relay does not answer")

    def stop_relay(self) -> None:
        if self._relay is not None:
            self._relay.send_signal(signal.SIGKILL)
            self._relay.wait()


class Table:
    """Three bots, one in each home, at the relay."""

    def __init__(self, internet: Internet, grace_s: int, games: int) -> None:
        self.internet = internet
        self.games = games
        self.people = internet.people
        self.people.hold(0)
        there = ("--relay", f"{RELAY}:{PORT}")
        table = ("--variant", "kids", "--players", 3, "--grace", grace_s)
        more = (*there, "--games", games)
        host = internet.start(1, "host", *table, "--name", "h1", *more)
        code = host.event("listening")["code"]
        guests = [internet.start(home, "join", code, "--name", f"h{home}", *more) for home in HOMES[1:]]
        self.players = [host, *guests]
        self.play_on(3)
        for one, other in itertools.permutations(HOMES, 2):
            assert not internet.can_dial(one, f"192.168.{other}.2", 4610)
            assert not internet.can_dial(one, f"203.0.113.{other + 100}", 4610)

    def play_on(self, turns: int) -> None:
        """Let the game go on to this turn, and wait until all have seen it."""
        self.people.hold(turns)
        for player in self.players:
            player.event("turn", turns)

    def see_all(self, name: str) -> None:
        """Wait until the last news of each player about each other one is this: it is absent, or back."""
        for player, home in itertools.product(self.players, HOMES):
            if player is not self.players[home - 1]:
                wait_until(lambda: self._last(player, home) == name, f"not {name}: {player.said()}")  # noqa: B023

    @staticmethod
    def _last(player: Process, home: int) -> str | None:
        seat = player.seat_of(f"h{home}")
        told = [event for event in player.events if event["event"] in ("absent", "back")]
        return next((str(event["event"]) for event in told[::-1] if event["seat"] == seat), None)

    def end(self) -> None:
        """Let all play to the end; check that their replays agree and that none was dropped."""
        self.people.let_go()
        assert [player.end() for player in self.players] == [0] * 3, [player.said() for player in self.players]
        assert not any(event["event"] == "dropped" for player in self.players for event in player.events)
        self.internet.check(*HOMES, games=self.games)


def test_one_moves_and_the_relay_goes_away_for_a_while(tmp_path: Path) -> None:
    """After that they play another game: the guests find the host's new lobby over the relay."""
    with Internet.running(tmp_path) as internet:
        table = Table(internet, 120, games=2)
        internet.move(2)
        # Each of these turns needs all three seats, and nobody can win by them.
        table.play_on(6)
        internet.stop_relay()
        table.see_all("absent")
        internet.start_relay()
        table.see_all("back")
        table.end()
