"""Real multicast DNS on loopback alone. Others may use it at the same time: each test looks at its own tables only."""

import contextlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import trio
import zeroconf

from seqp2p.lobby import discovery, mdns
from seqp2p.lobby.adverts import SERVICE, FoundTable, SeatAdvert, TableAdvert, game_mark
from seqp2p.lobby.discovery import Browsed, advertising, browsing, find_seats
from seqp2p.net import addresses as addresses_module
from seqp2p.net.addresses import Address, racing_dial
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.net.tools import listening, until

LO = ["127.0.0.1"]
LIMIT_S = 60.0


def no_warning(text: str) -> None:
    raise AssertionError(text)


def new_advert() -> TableAdvert:
    return TableAdvert(7, f"ann {secrets.token_hex(6)}", "classic", 4, 3)


@pytest.fixture
async def listeners() -> AsyncIterator[list[trio.SocketListener]]:
    async with listening() as opened:
        yield opened


def port_of(listeners: list[trio.SocketListener]) -> int:
    port: int = listeners[0].socket.getsockname()[1]
    return port


def bound_to(host: str, port: int = 4610) -> Any:
    """A stand-in for a listener, which knows its address alone."""
    return SimpleNamespace(socket=SimpleNamespace(getsockname=lambda: (host, port)))


async def seen(tables: Browsed[TableAdvert], advert: TableAdvert) -> FoundTable:
    """Wait until a table is advertised so."""
    with trio.fail_after(LIMIT_S):
        while not (fitting := [table for table in tables.current if table.advert == advert]):
            await tables.changed()
    return fitting[0]


async def test_a_table_is_found_changes_and_goes(listeners: list[trio.SocketListener]) -> None:
    advert = new_advert()
    async with browsing(LO) as tables:
        async with advertising(advert, listeners, [], no_warning, LO) as update:
            found = await seen(tables, advert)
            assert found == FoundTable(advert, (Address("127.0.0.1", port_of(listeners)),))
            update(replace(advert, free=1))
            await seen(tables, replace(advert, free=1))
            # Two changes at once are one.
            update(replace(advert, free=2))
            update(replace(advert, free=0, state="playing"))
            await seen(tables, replace(advert, free=0, state="playing"))
            # A latecomer sees the table, too.
            async with browsing(LO) as late:
                await seen(late, replace(advert, free=0, state="playing"))
        await until(lambda: not any(table.advert.host == advert.host for table in tables.current))


async def test_a_seat_is_found_by_those_who_know_the_game(listeners: list[trio.SocketListener]) -> None:
    game, other = secrets.token_bytes(32), secrets.token_bytes(32)
    heard: list[tuple[int, tuple[Address, ...]]] = []
    strangers: list[int] = []
    came = trio.Event()

    def tell(seat: int, where: tuple[Address, ...]) -> None:
        heard.append((seat, where))
        came.set()

    async with (
        advertising(SeatAdvert(game_mark(game), 3), listeners, [], no_warning, LO),
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(find_seats, other, lambda seat, _: strangers.append(seat), LO)
        nursery.start_soon(find_seats, game, tell, LO)
        with trio.fail_after(LIMIT_S):
            await came.wait()
        async with advertising(SeatAdvert("no game", 3), listeners, [], no_warning, LO):
            await trio.sleep(0.2)
        nursery.cancel_scope.cancel()
    assert heard == [(3, (Address("127.0.0.1", port_of(listeners)),))]
    assert strangers == []


async def test_who_listens_on_loopback_alone_is_not_advertised(
    listeners: list[trio.SocketListener], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mdns, "opened", no_warning)
    async with advertising(new_advert(), listeners, [], no_warning):
        await trio.testing.wait_all_tasks_blocked()


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(1, "Operation not permitted"), "operation not permitted"),
        (RuntimeError("No interfaces to listen on."), "this machine has no network: only programs on it can join"),
        (zeroconf.NotRunningException(), "NotRunningException".lower()),
    ],
)
async def test_without_multicast_there_is_one_sentence_and_all_goes_on(
    listeners: list[trio.SocketListener], monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    monkeypatch.setattr(mdns, "Zeroconf", Mock(side_effect=error))
    warnings: list[str] = []
    advert = new_advert()
    async with advertising(advert, listeners, [], warnings.append, LO) as update, browsing(LO) as tables:
        await until(lambda: tables.problem and warnings)
        update(replace(advert, free=1))
    assert tables.problem.lower() == why
    assert [warning.lower() for warning in warnings] == [
        f"others cannot find this table on the network automatically: {why}"
    ]
    # It returns, because nothing can come.
    with trio.fail_after(LIMIT_S):
        await find_seats(bytes(32), lambda *_: None, LO)


async def test_a_machine_without_ipv6_uses_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    made = zeroconf.Zeroconf

    def start(*_: object, ip_version: zeroconf.IPVersion) -> zeroconf.Zeroconf:
        asked.append(ip_version)
        if ip_version is zeroconf.IPVersion.All:
            raise OSError(97, "Address family not supported by protocol")
        return made(LO)

    monkeypatch.setattr(mdns, "Zeroconf", start)
    async with browsing() as tables:
        await until(lambda: len(asked) == 2)
    assert asked == [zeroconf.IPVersion.All, zeroconf.IPVersion.V4Only]
    assert not tables.problem


async def test_addresses_that_change_are_advertised(
    listeners: list[trio.SocketListener], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(DEFAULT_LIMITS, rescan_s=0.05)
    local: list[str] = []
    updates: list[object] = []
    monkeypatch.setattr(discovery, "local_hosts", lambda _=None: list(local))
    monkeypatch.setattr(zeroconf.Zeroconf, "update_interfaces", lambda _: updates.append(None))
    advert = new_advert()
    async with (
        browsing(LO) as tables,
        advertising(advert, [bound_to("0.0.0.0")], [], no_warning, LO, limits),
    ):
        await trio.sleep(0.1)
        assert not [table for table in tables.current if table.advert == advert], "there is no network yet"
        local[:] = ["10.9.0.1"]
        found = await seen(tables, advert)
        updates.clear()
        assert [str(address) for address in found.addresses] == ["10.9.0.1:4610"]
        local[:] = []  # The cable is out: what was said stays.
        await trio.sleep(0.2)
        assert not updates
        local[:] = ["10.9.0.2"]
        with trio.fail_after(LIMIT_S):
            while Address("10.9.0.2", 4610) not in (await seen(tables, advert)).addresses:
                await tables.changed()
        assert updates


@asynccontextmanager
async def shouting(*infos: zeroconf.ServiceInfo) -> AsyncIterator[None]:
    """Another program on the LAN, which says what it likes."""
    net = await trio.to_thread.run_sync(zeroconf.Zeroconf, LO)
    try:
        async with trio.open_nursery() as nursery:
            for info in infos:
                say = partial(net.register_service, info, cooperating_responders=True)
                nursery.start_soon(trio.to_thread.run_sync, say)
        yield
    finally:
        await trio.to_thread.run_sync(net.close)


def said(properties: dict[str, str] | bytes, hosts: list[str], port: int = 4610) -> zeroconf.ServiceInfo:
    name = f"x{secrets.token_hex(8)}"
    return zeroconf.ServiceInfo(
        SERVICE, f"{name}.{SERVICE}", port, properties=properties, server=f"{name}.local.", parsed_addresses=hosts
    )


async def test_of_what_others_advertise_a_table_with_usable_addresses_is_found() -> None:
    advert = new_advert()
    unusable = ["0.0.0.0", "255.255.255.255", "224.0.0.1", "::", "::1", "fe80::1", "ff02::1"]
    many = [f"10.9.9.{number}" for number in range(1, 40)]
    false = [replace(advert, number=number) for number in (8, 9)]
    long = {**advert.properties(), "host": "long " + advert.host, "x": "y" * 200, "z": "y" * 200, "w": "y" * 200}
    async with (
        browsing(LO) as tables,
        shouting(
            said(long, LO),
            said(b"\xff\xff\xff", LO),
            said(b"", LO),
            said({"v": "1"}, LO),
            said(false[0].properties(), unusable),
            said(false[1].properties(), [*unusable, *many], port=0),
            said(advert.properties(), [*unusable, "10.9.9.9", "fd09::9"]),
            said(replace(advert, number=10).properties(), many),
        ),
    ):
        found = await seen(tables, advert)
        assert {address.host for address in found.addresses} == {"10.9.9.9", "fd09::9"}
        found = await seen(tables, replace(advert, number=10))
        assert len(found.addresses) == DEFAULT_LIMITS.advert_addresses_max
        others = [table.advert for table in tables.current if table.advert.host.endswith(advert.host)]
        assert sorted(each.number for each in others) == [7, 10]


def table_of(number: int) -> FoundTable:
    return FoundTable(replace(new_advert(), number=number), (Address("10.9.0.1", 1),))


def test_no_more_tables_of_one_number_are_kept_than_there_can_be() -> None:
    browsed, tables = Browsed[TableAdvert](2), [table_of(7) for _ in range(3)]
    for at, table in enumerate(tables, 1):
        browsed.put(str(at), table)
    assert browsed.current == tuple(tables[:2])
    browsed.put("1", None)
    browsed.put("1", None)
    browsed.put("3", tables[2])
    assert browsed.current == (tables[1], tables[2])


def test_false_tables_hide_none_of_another_number() -> None:
    browsed, own = Browsed[TableAdvert](DEFAULT_LIMITS.same_number_max), table_of(50)
    for at in range(1_000):
        browsed.put(f"false {at}", table_of(1 + at % 49))
    browsed.put("own", own)
    assert own in browsed.current
    assert len(browsed.current) == 49 * DEFAULT_LIMITS.same_number_max + 1
    browsed.put("false 0", table_of(51))
    assert len(browsed.current) == 49 * DEFAULT_LIMITS.same_number_max + 1, "a table that changes its number moves"


def test_a_name_that_is_none_of_ours() -> None:
    assert mdns.look_up(None, "no dots", DEFAULT_LIMITS) is None  # type: ignore[arg-type]  # not got to


@pytest.mark.parametrize(
    ("bound", "told"), [("0.0.0.0", ["10.9.0.1"]), ("::", ["fd09::1"]), ("10.9.0.1", ["10.9.0.1"])]
)
def test_where_a_listener_is_reached(monkeypatch: pytest.MonkeyPatch, bound: str, told: list[str]) -> None:
    monkeypatch.setattr(discovery, "local_hosts", lambda _: ["10.9.0.1", "fd09::1"])
    post = discovery._Post(SeatAdvert("", 1), [bound_to(bound)], [], None, DEFAULT_LIMITS)
    assert [address.host for address in post.addresses()] == told


def test_the_likeliest_address_comes_first_and_one_port_is_advertised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "local_hosts", lambda _: [f"10.9.0.{number}" for number in range(1, 20)])
    likeliest = Address("10.9.0.17", 5)
    bound = [bound_to("0.0.0.0", port) for port in (5, 6)]
    found = discovery._Post(SeatAdvert("", 1), bound, [likeliest], None, DEFAULT_LIMITS).addresses()
    assert found[0] == likeliest
    assert len(found) == DEFAULT_LIMITS.advert_addresses_max
    assert {address.port for address in found} == {5}


async def test_the_first_address_that_answers_wins(autojump_clock: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is silent or where nobody is holds nobody up."""
    ends = {host: trio.testing.memory_stream_pair()[0] for host in ("10.9.0.2", "10.9.0.3")}

    async def dial(address: Address) -> trio.abc.Stream:
        if address.host == "10.9.0.1":
            await trio.sleep_forever()
        if address.host not in ends:
            raise ConnectionRefusedError
        return ends[address.host]

    monkeypatch.setattr(addresses_module, "tcp_dial", dial)
    silent, first, second, nobody = (Address(f"10.9.0.{number}", 1) for number in (1, 2, 3, 4))
    assert await racing_dial([silent, first, second])(silent) is ends["10.9.0.2"]
    assert await racing_dial([nobody, second])(nobody) is ends["10.9.0.3"]
    with pytest.raises(OSError, match="none of its addresses"):
        await racing_dial([nobody, nobody])(nobody)
    assert trio.current_time() < 2


@pytest.mark.parametrize("end", ["cancelled", "failed", "two at once"])
async def test_no_connection_of_a_race_stays_open(
    end: str, autojump_clock: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = {host: trio.testing.memory_stream_pair() for host in ("10.9.0.1", "10.9.0.2")}
    answered: list[str] = []
    scope = trio.CancelScope()

    async def dial(address: Address) -> trio.abc.Stream:
        with trio.CancelScope(shield=True):
            await trio.sleep(0.3 if address.host == "10.9.0.1" else 0.05)
        if end == "failed" and address.host == "10.9.0.1":
            raise ZeroDivisionError
        if end == "cancelled":
            scope.cancel()
        answered.append(address.host)
        return pairs[address.host][0]

    monkeypatch.setattr(addresses_module, "tcp_dial", dial)
    places = [Address(host, 1) for host in pairs]
    with scope, contextlib.suppress(ExceptionGroup):
        stream = await racing_dial(places)(places[0])
        assert end == "two at once"
        await stream.aclose()
    assert sorted(answered) == (["10.9.0.2"] if end == "failed" else [*pairs])
    with trio.fail_after(1):
        for host in answered:
            assert await pairs[host][1].receive_some() == b""
