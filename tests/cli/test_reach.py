"""``seqp2p reach``, and the word in a host's lobby: what is told of each way into this machine."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.port_mapping import PortEvent
from seqp2p.cli import lobby, ways
from seqp2p.cli.lobby import WaysIn
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.errors import Unreachable
from seqp2p.ui.person.console import Console
from tests.cli import documented
from tests.cli.conftest import Cli, options_of, teller_of

OWN, PORT = Address("192.168.1.5", 4610), Address("9.46.10.1", 4610)
CLOSE_S = 5


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The world as this test wants it: addresses, the router's answer, whether a relay answers."""
    found: dict[str, Any] = {
        "hosts": ["127.0.0.1", "192.0.2.7"],
        "mapped": None,
        "relay": False,
        "hangs": False,
        "closed": 0,
    }

    @asynccontextmanager
    async def mapped_port(_: object, on_event: Callable[[PortEvent], None]) -> AsyncGenerator[Address | None]:
        if found["mapped"] is None:
            on_event(PortEvent("not_open", reason="no router with UPnP answers on this network"))
        try:
            if found["hangs"]:
                await trio.sleep_forever()
            yield found["mapped"]
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(CLOSE_S if found["hangs"] else 0)
            found["closed"] += 1

    async def check_relay(relay: Address, *_: object) -> None:
        if not found["relay"]:
            raise Unreachable(f"The relay at {relay} cannot be reached.")

    monkeypatch.setattr(ways, "local_hosts", lambda: found["hosts"])
    monkeypatch.setattr(ways, "open_listeners", lambda _: open_listeners(Address("127.0.0.1", 0)))
    monkeypatch.setattr(ways, "mapped_port", mapped_port)
    monkeypatch.setattr(ways, "check_relay", check_relay)
    return found


def test_no_way(cli: Cli, world: dict[str, Any]) -> None:
    exit_code, out, _ = cli("reach", "--relay", "relay.example.org:4001")
    assert exit_code == 4
    assert "- IPv6: this machine has no global address" in out
    assert "- --map-port: no router with UPnP answers on this network" in out
    assert "- --relay: the relay at relay.example.org:4001 cannot be reached" in out
    assert "no relay is set" in cli("reach")[1]


def test_every_way(cli: Cli, world: dict[str, Any]) -> None:
    world.update(hosts=["2a01:db9::7"], mapped=PORT, relay=True)
    exit_code, out, _ = cli("reach", "--relay", "relay.example.org:4001")
    assert exit_code == 0
    assert "+ IPv6: friends with IPv6 reach 2a01:db9::7" in out
    assert "+ --map-port: the router would open a port of 9.46.10.1" in out
    assert "+ --relay: relay.example.org:4001 answers" in out
    assert "only a friend elsewhere can test" in out


def test_a_script_is_told_each_way(cli: Cli, world: dict[str, Any]) -> None:
    world.update(mapped=PORT)
    exit_code, out, err = cli("reach", "--json", "--relay", "relay.example.org:4001")
    assert exit_code == 0
    assert "only a friend elsewhere can test" in err
    ipv6, port, relay = documented.stream(out)
    assert ipv6 == {
        "event": "reach",
        "way": "ipv6",
        "open": False,
        "address": None,
        "seen": "this machine has no global address",
    }
    assert (port["open"], port["address"]) == (True, "9.46.10.1")
    assert (relay["open"], relay["address"]) == (False, "relay.example.org:4001")


async def test_a_host_asks_in_the_lobby(
    world: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], autojump_clock: object
) -> None:
    """The lobby goes on meanwhile. One that ends waits for no router, and the port is closed all the same."""
    send, receive = trio.open_memory_channel[str | None](10)
    console = Console(receive.receive, print, print, terminal=True)
    monkeypatch.setattr(lobby, "own_console", lambda _: console)
    teller = teller_of(options_of(None, json=False), WaysIn(OWN))
    async with trio.open_nursery() as table:
        teller.start_soon = table.start_soon
        async with trio.open_nursery() as sitting:
            sitting.start_soon(teller.leave_when_typed)
            await send.send("reach")
            while "only a friend elsewhere can test" not in (said := capsys.readouterr().out):
                await wait_all_tasks_blocked()
            sitting.cancel_scope.cancel()
        assert world["closed"] == 1
        async with trio.open_nursery() as sitting:
            world["hangs"] = True
            sitting.start_soon(teller.leave_when_typed)
            await send.send("reach")
            await send.send("reach")
            await send.send("seats")
            await trio.sleep(1)
            assert capsys.readouterr().out.count("asking the router") == 1
            sitting.cancel_scope.cancel()
        assert world["closed"] == 1
    assert world["closed"] == 2
    assert "- --map-port: no router with UPnP" in said
    assert "only a friend elsewhere can test" not in capsys.readouterr().out


async def test_a_mapped_port_is_known_and_guests_do_not_ask(
    world: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    await ways.tell_ways(options_of(json=False).output, None, PORT)
    out = capsys.readouterr().out
    assert "+ --map-port: 9.46.10.1:4610 is open" in out
    assert ("asking the router" in out, world["closed"]) == (False, 0)
    assert teller_of(options_of())._reach("") == [lobby.HOST_ONLY]
