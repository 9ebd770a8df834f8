"""``seqp2p reach``: what is told of each way into this machine."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from seqp2p.api.port_mapping import PortEvent
from seqp2p.cli import reach
from seqp2p.net.addresses import Address
from seqp2p.net.errors import Unreachable
from tests.cli.conftest import Cli


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The world as this test wants it: addresses, the router's answer, whether a relay answers."""
    found: dict[str, Any] = {"hosts": ["127.0.0.1", "192.0.2.7"], "mapped": None, "relay": False}

    @asynccontextmanager
    async def mapped_port(_: object, on_event: Callable[[PortEvent], None]) -> AsyncGenerator[Address | None]:
        if found["mapped"] is None:
            on_event(PortEvent("not_open", reason="no router with UPnP answers on this network"))
        yield found["mapped"]

    async def check_relay(relay: Address, *_: object) -> None:
        if not found["relay"]:
            raise Unreachable(f"The relay at {relay} cannot be reached.")

    monkeypatch.setattr(reach, "local_hosts", lambda: found["hosts"])
    monkeypatch.setattr(reach, "mapped_port", mapped_port)
    monkeypatch.setattr(reach, "check_relay", check_relay)
    return found


def test_no_way(cli: Cli, world: dict[str, Any]) -> None:
    exit_code, out, _ = cli("reach", "--relay", "relay.example.org:4001")
    assert exit_code == 4
    assert "- IPv6: this machine has no global address" in out
    assert "- --map-port: no router with UPnP answers on this network" in out
    assert "- --relay: the relay at relay.example.org:4001 cannot be reached" in out
    assert "no relay is set" in cli("reach")[1]


def test_every_way(cli: Cli, world: dict[str, Any]) -> None:
    world.update(hosts=["2a01:db9::7"], mapped=Address("9.46.10.1", 4610), relay=True)
    exit_code, out, _ = cli("reach", "--relay", "relay.example.org:4001")
    assert exit_code == 0
    assert "+ IPv6: this machine has 2a01:db9::7" in out
    assert "+ --map-port: the router opens a port, here 9.46.10.1:4610" in out
    assert "+ --relay: relay.example.org:4001 answers" in out
    assert "let a friend join" in out
