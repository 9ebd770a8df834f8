"""Finding a table by its number, the list of tables, and faults of adverts."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.finding import ABSENT
from seqp2p.api.port_mapping import PortEvent
from seqp2p.cli import finding, lobby, ways
from seqp2p.cli.finding import choose_route, enter_by_code, list_tables
from seqp2p.cli.lobby import LobbyTeller, LobbyView, WaysIn
from seqp2p.cli.options import read_place
from seqp2p.cli.output import Output
from seqp2p.errors import UserError
from seqp2p.lobby.adverts import FoundTable, TableAdvert
from seqp2p.lobby.discovery import Browsed
from seqp2p.lobby.events import Guest, LobbyShown
from seqp2p.net.addresses import Address, open_listeners, tcp_dial
from seqp2p.net.dialling import Route
from seqp2p.net.errors import BadCode, Unreachable
from seqp2p.ui.person.console import Console
from seqp2p.ui.scene import LogLine
from tests.api.test_finding import ADVERT, PLACE, TABLE
from tests.api.tools import browsed
from tests.cli import documented
from tests.cli.conftest import Cli, options_of, teller_of, unanswered
from tests.table import make_settings


@pytest.mark.parametrize("place", [" 7 Amber  FALCON", "7-amber-falcno", "99_x", "7 482 1937 552 6041 amber falcon"])
def test_a_code_is_told_from_an_address(place: str) -> None:
    assert read_place(place, None) == (None, place)
    with pytest.raises(UserError, match="given twice"):
        read_place(place, "7-amber-falcon")


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("192.168.1.7:1", Address("192.168.1.7", 1)),
        ("7-amber-falcon:4610", Address("7-amber-falcon", 4610)),
        ("fd00::2", Address("fd00::2", 4610)),
        ("3.lan", Address("3.lan", 4610)),
    ],
)
def test_an_address_is_told_from_a_code(place: str, address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_place(place, None) == (address, None)
    assert read_place(place, "x") == (address, "x")
    monkeypatch.setenv("SEQP2P_CODE", "y")
    assert read_place(place, None) == (address, "y")
    assert read_place(place, "x") == (address, "x")
    assert read_place(None, None) == (None, "y")


def on(output: Output) -> tuple[LobbyView, Output]:
    return LobbyView(output, "join a table"), output


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that are typed, one a second, where one table is on the network."""
    lines: list[str] = []

    @asynccontextmanager
    async def browsing() -> AsyncIterator[Browsed[TableAdvert]]:
        yield browsed(TABLE)

    async def read_line(_: Output) -> str | None:
        await trio.sleep(1)
        return lines.pop(0) if lines else None

    monkeypatch.setattr(finding, "browsing", browsing)
    monkeypatch.setattr(Output, "read_line", read_line)
    return lines


async def test_an_address_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "browsing", None)
    way, code = await choose_route(PLACE, "7 Amber Falcon", [], *on(Output(json=False)))
    assert (way.host, way.dial, code) == (PLACE, tcp_dial, "7-amber-falcon")
    with pytest.raises(BadCode):
        await choose_route(None, "7-amber", [], *on(Output(json=False)))


async def test_the_host_is_looked_for_before_its_code(typed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    async def accept_one(listener: trio.SocketListener) -> None:
        async with await listener.accept() as stream:
            assert await stream.receive_some() == b""  # It is hung up at once.

    typed.append("7-amber-falcon")
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    address = Address("127.0.0.1", listener.socket.getsockname()[1])
    async with listener, trio.open_nursery() as nursery:
        nursery.start_soon(accept_one, listener)
        assert (await choose_route(address, None, [], *on(Output(json=False))))[1] == "7-amber-falcon"
        # An address answers the question for the code, too.
        nursery.start_soon(accept_one, listener)
        typed += ["7:amber", f" {address} ", "7-amber-falcon"]
        assert (await choose_route(None, None, [], *on(Output(json=False))))[0].host == address
    monkeypatch.setattr(Output, "read_line", None)
    with pytest.raises(Unreachable):
        await choose_route(address, None, [], *on(Output(json=False)))


async def test_the_code_finds_the_table(
    autojump_clock: object, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed += ["7-amber", "7-amber-falcon"]
    for given in ("7-amber-falcon", None):
        way, code = await choose_route(None, given, [], *on(Output(json=True)))
        assert (way.host, code) == (PLACE, "7-amber-falcon")
    said = capsys.readouterr()
    assert "table  7  ann: classic, 4 players, 3 free" in said.err
    assert said.err.count("looking for table 7") == 2
    table = {"event": "table", "number": 7, "host": "ann", "address": "10.9.0.1:4610", "free": 3, "state": "open"}
    told = [documented.conforming(line) for line in said.out.splitlines()]
    assert [event | table for event in told] == told
    assert len(told) == 3


async def test_a_code_without_a_table_is_asked_for_again(
    autojump_clock: object, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed.append("8-amber-falcon")
    with pytest.RaisesGroup(UserError):
        await enter_by_code(None, None, [], *on(Output(json=False)), lambda *_: unanswered(None))
    fault = "table 8 cannot be seen on this network; join by the address that the host shows, HOST:PORT"
    assert fault in capsys.readouterr().out.splitlines()


def test_the_newest_refusal_alone_stays_until_a_code_is_taken_or_the_lobby_opens() -> None:
    lines = [LogLine("log", "before"), LogLine("answer", "the game has not started")]

    def say(text: str, kind: str, colour: str) -> None:
        lines.append(LogLine(kind, text, colour))

    screen = SimpleNamespace(lines=lines, say=say, show=print, ask=print, refresh=tuple)
    view, output = on(Output(json=False, screen=cast("Any", screen)))
    view.refuse("Wrong code.")
    view.refuse("This is not a join code.")
    assert [line.text for line in lines] == ["before", "This is not a join code."]
    view.refuse("")
    assert [line.text for line in lines] == ["before"]
    teller, seats = LobbyTeller(options_of(), output, view), (Guest("ann", bytes(32)), Guest("ben", bytes([1] * 32)))
    for kept in ((), ("typed",)):
        lines.append(LogLine("answer", "typed"))
        teller.on_event(LobbyShown(make_settings(2), seats, 2))
        assert [line.text for line in lines] == ["before", *kept]


async def test_a_code_with_a_place_is_looked_for_at_the_relay_and_a_person_waits_on(
    autojump_clock: object, typed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    relay, asked = Address("10.9.0.9", 4001), list[tuple[object, ...]]()

    async def find_meeting(
        code: str, own: object, used: Address | None, on_absent: Callable[[str], None] | None
    ) -> Route:
        await trio.lowlevel.checkpoint()
        asked.append((code, used, on_absent is None))
        if on_absent is not None:
            on_absent(ABSENT)
        return Route(relay, tcp_dial)

    monkeypatch.setattr(finding, "find_meeting", find_meeting)
    typed.append("7 482 1937 552 6041 amber falcon")
    code = "7-4821937-5526041-amber-falcon"
    for given in (code, None):
        way, found = await choose_route(None, given, [], *on(Output(json=True)), relay)
        assert (way.host, found) == (relay, code)
    monkeypatch.setattr(Output, "asks", property(lambda _: True))
    await choose_route(None, code, [], *on(Output(json=True)), relay)
    assert asked == [(code, relay, True), (code, relay, True), (code, relay, False)]
    assert f"{ABSENT} Still waiting; Ctrl-C stops." in capsys.readouterr().err


async def test_the_list_is_printed_again_when_it_has_changed(
    autojump_clock: object, nursery: trio.Nursery, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = browsed()
    nursery.start_soon(list_tables, tables, *on(Output(json=False)))

    async def said() -> list[str]:
        await trio.sleep(1)
        return capsys.readouterr().out.splitlines()

    assert await said() == ["tables on this network (Ctrl-C stops):", "  none yet"]
    tables.put("a", TABLE)
    tables.put("b", FoundTable(TableAdvert(3, "bob", "kids", 2, 0, "playing"), (PLACE,)))
    first, second = await said()
    assert first == "  table  3  bob: kids, 2 players, playing"
    assert second == "  table  7  ann: classic, 4 players, 3 free"
    # Another address is no news to a person.
    tables.put("a", FoundTable(ADVERT, (PLACE, Address("fd09::1", 4610))))
    assert await said() == []
    tables.put("b", None)
    tables.put("a", FoundTable(replace(ADVERT, version=9), (PLACE,)))
    assert await said() == ["  table  7  ann: classic, 4 players, another version of seqp2p"]
    tables.put("a", None)
    assert await said() == ["  none yet"]
    tables.fail("operation not permitted")
    assert await said() == ["  none can be found here: operation not permitted"]


# ``seqp2p reach``, and the word in a host's lobby: what is told of each way into this machine.


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
