"""A home network behind a real router (nftables, miniupnpd), and a player on the internet who comes in by its port."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.cli.processes import Household, Process, wait_until
from tests.real.lan import Machines, add_cable, add_space, ip, needs, run_in

pytestmark = needs("nft", "miniupnpd")

# Addresses of the internet as others see it, in a network that nothing leaves.
WIDE, FAR = "9.46.10.1", "9.46.10.2"
INSIDE, OUTSIDE = "in", "out"
RULES: Final = """
table inet filter {
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lan0" accept
    jump miniupnpd
  }
  chain prerouting {
    type nat hook prerouting priority -100; policy accept;
    jump prerouting_miniupnpd
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    jump postrouting_miniupnpd
    oifname "wan0" masquerade
  }
  chain miniupnpd {
  }
  chain prerouting_miniupnpd {
  }
  chain postrouting_miniupnpd {
  }
}
"""
DAEMON: Final = """
ext_ifname=wan0
listening_ip=lan0
ipv6_disable=yes
uuid=8f6b6b2e-2d0c-4f3a-9d57-0c46104610aa
allow 1024-65535 0.0.0.0/0 1024-65535
"""


class Home(Machines):
    """Three machines: a player at home, the router, and a player on the internet."""

    def __init__(self, people: Household) -> None:
        super().__init__(people)
        self.inside, self.router, self.outside = map(self.space, (INSIDE, "rt", OUTSIDE))
        self.log = people.directory / "router.log"

    def build(self, stack: ExitStack) -> None:
        for space in (self.inside, self.router, self.outside):
            add_space(space, stack)
        add_cable((self.inside, "eth0", "192.168.46.2"), (self.router, "lan0", "192.168.46.1"))
        add_cable((self.outside, "eth0", FAR), (self.router, "wan0", WIDE))
        ip("-n", self.inside, "route", "add", "default", "via", "192.168.46.1")
        run_in(self.router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        run_in(self.router, "nft", "-f", "-", text=RULES)
        stack.enter_context(self._daemon())

    @contextmanager
    def _daemon(self) -> Iterator[None]:
        config = self.people.directory / "miniupnpd.conf"
        config.write_text(DAEMON)
        line = ["miniupnpd", "-d", "-f", str(config), "-P", str(self.people.directory / "miniupnpd.pid")]
        with (
            self.log.open("wb") as log,
            subprocess.Popen(["ip", "netns", "exec", self.router, *line], stderr=log) as daemon,
        ):
            try:
                wait_until(lambda: daemon.poll() is not None or b"HTTP listening" in self.log.read_bytes(), "no router")
                assert daemon.poll() is None, self.log.read_text()
                yield
            finally:
                daemon.kill()

    def host(self, *arguments: object) -> Process:
        return self.start(INSIDE, "host", "--variant", "kids", "--name", "ann", *arguments)

    def join(self, host: Process, *arguments: object) -> Process:
        """Start the player on the internet, by the port of the router."""
        address, code = host.event("port", state="open")["address"], host.event("listening")["code"]
        return self.start(OUTSIDE, "join", address, "--code", code, "--name", "bob", *arguments)

    def is_open(self) -> bool:
        """Return True if the router has a port open."""
        return "dnat" in run_in(self.router, "nft", "list", "chain", "inet", "filter", "prerouting_miniupnpd")


def test_a_player_on_the_internet_comes_in_by_the_port(tmp_path: Path) -> None:
    with Home.running(tmp_path) as made:
        host = made.host("--map-port")
        opened = host.event("port")
        assert (opened["state"], opened["address"]) == ("open", f"{WIDE}:4610")
        assert made.is_open()
        guest = made.join(host)
        for process in (host, guest):
            assert process.end() == 0, process.said()
        assert [event["state"] for event in host.events if event["event"] == "port"] == ["open", "closed"]
        assert not made.is_open()
        made.check(INSIDE, OUTSIDE)


def test_a_seat_that_is_resumed_opens_its_port_again(tmp_path: Path) -> None:
    with Home.running(tmp_path) as made:
        host = made.host("--map-port", "--pace", "3600")  # It does not play before it is killed.
        guest = made.join(host)
        host.event("dealt")
        host.signal(signal.SIGKILL)
        host.end()
        assert made.is_open()  # Until its lease ends.
        again = made.start(INSIDE, "resume", "--map-port")
        assert again.event("port")["address"] == f"{WIDE}:4610"
        for process in (again, guest):
            assert process.end() == 0, process.said()
        assert not made.is_open()
        made.check(INSIDE, OUTSIDE)


def test_ctrl_c_closes_the_port_and_without_the_option_nothing_is_asked(tmp_path: Path) -> None:
    with Home.running(tmp_path) as made:
        quiet = made.host()
        quiet.event("listening")
        quiet.signal(signal.SIGINT)
        quiet.end()
        assert b"HTTP REQUEST" not in made.log.read_bytes()
        host = made.host("--map-port")
        host.event("listening")
        assert made.is_open()
        host.signal(signal.SIGINT)
        host.end()
        assert host.events[-1]["state"] == "closed"
        assert not made.is_open()
