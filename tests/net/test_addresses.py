import errno
import socket
from contextlib import nullcontext

import pytest
import trio

from seqp2p.net import addresses as module
from seqp2p.net.addresses import Address, AddressError, listening_addresses, parse_address
from tests.net.tools import LOOPBACK, listening


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:4000", "127.0.0.1", 4000),
        (" table.lan ", "table.lan", 4610),
        ("table:0", "table", 0),
        ("[::1]:65535", "::1", 65535),
        ("[::1]", "::1", 4610),
        ("fe80::1", "fe80::1", 4610),
    ],
)
def test_addresses_that_people_write(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == Address(host, port)
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", ":4610", "host:", "host:x", "host:65536", "host:-1", "host:123456789", "[::1", "[::1]x", "[host]:1"),
        *("1:2:3", "a b:1", "\x1b[31m:1", "host:٤", "[fe80::1%eth0]:1", "ho\nst:1", "[]:1"),
        *("a..b:1", ".lan", f"{'a' * 64}.lan:1"),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(AddressError, match="is not an address") as error:
        parse_address(text)
    assert "HOST:PORT" in error.value.hint
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("text", "form"), [("[::FFFF:10.0.0.1]:4610", "10.0.0.1:4610"), ("[FD00:0::1]:04610", "[fd00::1]:4610")]
)
def test_a_peer_s_address_has_one_form(text: str, form: str) -> None:
    assert module.peer_address(parse_address(text)) == form


@pytest.mark.parametrize(
    "text",
    [
        *("table.lan:4610", "localhost:1", "10.0.0.1:0", "10.1:1", "2130706433:1", " 10.0.0.1:1", "[10.0.0.1]:1"),
        *("[::1%1]:1", "[::FFFF:10.0.0.1]:4610", "[FD00:0::1]:04610"),
    ],
)
def test_a_peer_gives_no_names_to_look_up_and_no_other_form(text: str) -> None:
    with pytest.raises(AddressError):
        module.parse_peer_address(text)


async def test_listening_where_told() -> None:
    async with listening(LOOPBACK) as listeners:
        (address,) = await listening_addresses(listeners)
        assert address.host == "127.0.0.1"
        assert address.port > 0
        with pytest.raises(AddressError, match="Cannot listen on 127"):
            await module.open_listeners(address)
        async with await module.tcp_dial(address):
            pass


async def test_listening_everywhere_is_one_port_and_the_next_game_finds_another() -> None:
    async with listening(None) as first, listening(None) as second:
        ports = [{listener.socket.getsockname()[1] for listener in each} for each in (first, second)]
        assert [len(each) for each in ports] == [1, 1]
        assert ports[0] != ports[1]
        (port,) = ports[1]
        reachable = await listening_addresses(second, Address("127.0.0.1", 1))
        assert reachable[0] == Address("127.0.0.1", port)
        assert {address.port for address in reachable} == {port}


async def test_a_machine_without_network_says_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FAR_AWAY", ((socket.AF_INET, "256.0.0.1"),))
    async with listening(None) as listeners:

        async def hosts(*local: str) -> list[str]:
            monkeypatch.setattr(module, "local_hosts", lambda: list(local))
            return [address.host for address in await listening_addresses(listeners, Address("no.such.invalid", 1))]

        assert await hosts() == ["127.0.0.1"]
        # No way out of it, but others on the LAN can come.
        assert set(await hosts("10.9.0.1", "fd09::1")) == {"10.9.0.1", "fd09::1"}


async def test_global_ipv6_addresses_come_last_one_of_each_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FAR_AWAY", ((socket.AF_INET, "127.0.0.9"),))
    own = ["10.9.0.1", "fd09::1", "2a0e:1::1", "2a0e:1::2", "2a0e:2::1", "2002::1", "2001:db8::1"]
    monkeypatch.setattr(module, "local_hosts", lambda: own)
    async with listening(None) as listeners:
        if len(listeners) == 1:
            pytest.skip("this machine has no IPv6")
        found = await listening_addresses(listeners)
    assert [address.host for address in found] == ["127.0.0.1", "2a0e:1::1", "2a0e:2::1"]


@pytest.mark.parametrize(
    ("family", "code", "reason"),
    [
        (":", errno.EAFNOSUPPORT, ""),
        (":", errno.EADDRINUSE, "no port is free"),
        (".", errno.EACCES, "Cannot listen: no"),
    ],
    ids=["no IPv6 at all", "no port that is free in both", "forbidden"],
)
async def test_where_the_system_does_not_let_one_listen(
    monkeypatch: pytest.MonkeyPatch, family: str, code: int, reason: str
) -> None:
    opening, calls = trio.open_tcp_listeners, list[tuple[int, str]]()

    async def listen(port: int, *, host: str) -> list[trio.SocketListener]:
        calls.append((port, host))
        if family in host:
            raise OSError(code, "no")
        return await opening(0, host="127.0.0.1")

    monkeypatch.setattr(trio, "open_tcp_listeners", listen)
    with pytest.raises(AddressError, match=reason) if reason else nullcontext():
        async with listening(None) as listeners:
            assert len(listeners) == 1
    assert calls[0] == (4610, "0.0.0.0")
