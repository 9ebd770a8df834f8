"""Finding a table by its number, and joining it by its code alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

import seqp2p
from seqp2p.api import finding
from seqp2p.api.finding import (
    ABSENT,
    ADDRESS_HINT,
    FIND_S,
    LAN_FIRST_S,
    RELAY_HINT,
    TWIN_S,
    find_meeting,
    find_route,
    the_one,
    wait_for_table,
)
from seqp2p.lobby.adverts import FoundTable, TableAdvert
from seqp2p.lobby.discovery import Browsed
from seqp2p.lobby.place import MeetingPlace
from seqp2p.net.addresses import Address, parse_address
from seqp2p.net.errors import PeerError, Unreachable
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.api.tools import browsed, ended, identity, play_varied, played_in, refused, table_with

Lan = Browsed[TableAdvert]
ADVERT = TableAdvert(7, "ann", "classic", 4, 3)
PLACE = Address("10.9.0.1", 4610)
TABLE = FoundTable(ADVERT, (PLACE,))

OWN = Address("172.17.0.1", 4610)
"""An address of this machine; a container's network looks the same on every machine."""


async def find_seven(tables: Lan) -> FoundTable:
    return the_one(7, await wait_for_table(7, tables, [OWN]), tables.problem)


OTHER = FoundTable(replace(ADVERT, number=8), (PLACE,))
TWIN = FoundTable(replace(ADVERT, host="bob"), (Address("10.9.0.2", 5),))
PLAYING = FoundTable(replace(TWIN.advert, state="playing"), TWIN.addresses)


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        ([OTHER, TABLE], TABLE),
        # A table that cannot be joined any more is no question.
        ([PLAYING, TABLE], TABLE),
        ([PLAYING], PLAYING),
        ([FoundTable(ADVERT, (OWN, PLACE))], TABLE),
    ],
)
async def test_the_table_with_the_number_is_found(
    autojump_clock: object, seen: list[FoundTable], found: FoundTable
) -> None:
    assert await find_seven(browsed(*seen)) == found
    assert trio.current_time() == pytest.approx(TWIN_S)


@pytest.mark.parametrize(
    ("seen", "why", "after_s"),
    [
        ([OTHER], "table 7 cannot be seen on this network$", FIND_S),
        ([FoundTable(ADVERT, (OWN,))], "table 7 cannot be seen on this network$", FIND_S),
        ([TABLE, TWIN], "2 tables here have number 7: ann's at 10.9.0.1:4610, bob's at 10.9.0.2:5", 0.0),
        ([FoundTable(replace(ADVERT, version=2), (PLACE,))], "7 plays with another version of seqp2p", TWIN_S),
    ],
)
async def test_no_table_is_found(autojump_clock: object, seen: list[FoundTable], why: str, after_s: float) -> None:
    with pytest.raises(Unreachable, match=why) as error:
        await find_seven(browsed(*seen))
    if after_s == FIND_S:
        assert error.value.hint == ADDRESS_HINT
    assert trio.current_time() == pytest.approx(after_s)


async def test_a_table_that_comes_late_is_waited_for(autojump_clock: object, nursery: trio.Nursery) -> None:
    tables = browsed()

    async def appear() -> None:
        await trio.sleep(5)
        tables.put("late", TABLE)

    nursery.start_soon(appear)
    assert await find_seven(tables) == TABLE


async def test_without_multicast_nobody_waits(autojump_clock: object) -> None:
    tables = browsed()
    tables.fail("operation not permitted")
    with pytest.raises(Unreachable, match=r"table 7 cannot be seen on this network \(operation not permitted\)"):
        await find_seven(tables)
    assert trio.current_time() == 0


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> Lan:
    tables = browsed()

    @asynccontextmanager
    async def browsing() -> AsyncIterator[Lan]:
        async with trio.open_nursery():  # As the real one has.
            yield tables

    monkeypatch.setattr(finding, "browsing", browsing)
    return tables


async def test_the_code_is_enough(tmp_path: Path, lan: Lan) -> None:
    async def guest(table: seqp2p.OpenTable) -> None:
        async with seqp2p.join(code=table.code.upper(), name="bob", listen="127.0.0.1:0") as seat:
            await play_varied(seat)

    async with table_with(tmp_path, guest) as table:
        number = int(table.code.partition("-")[0])
        lan.put("it", FoundTable(replace(ADVERT, number=number), (parse_address(table.address),)))
        assert ended(await played_in(table)) == "won"


async def test_that_none_is_found_is_an_error_and_no_group(lan: Lan) -> None:
    lan.fail("operation not permitted")
    opening = seqp2p.join(code="7-amber-falcon", identity=identity("bob"), listen="127.0.0.1:0")
    await refused(seqp2p.Unreachable, opening, "operation not permitted")


DIGITS = "48219375526041"
CODE = "7-4821937-5526041-amber-falcon"
MEETING = MeetingPlace((b"",) * 4, "0123456789abcdef")
HERE = FoundTable(replace(ADVERT, place=MEETING.mark), (PLACE,))
RELAY = Address("10.9.0.9", 4001)


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch, lan: Lan) -> Lan:
    """The tables of a LAN, where another one is seen, and a relay where the host is met at once."""

    async def known(digits: str) -> MeetingPlace:
        await trio.lowlevel.checkpoint()
        assert digits == DIGITS
        return MEETING

    async def check(*_: object) -> None:
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(finding, "meeting_place", known)
    monkeypatch.setattr(finding, "check_relay", check)
    meet_after(monkeypatch, 0)
    lan.put("other", TABLE)
    return lan


def meet_after(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    async def meet(*_: object) -> trio.abc.Stream:
        await trio.sleep(seconds)
        return trio.testing.memory_stream_pair()[0]

    monkeypatch.setattr(finding, "meet_host", meet)


@pytest.mark.parametrize(
    ("seen", "relay", "host"),
    [
        ([FoundTable(replace(HERE.advert, number=8), (PLACE,))], RELAY, PLACE),
        ([HERE], None, PLACE),
        # Two adverts of one place hide no host.
        ([HERE, FoundTable(HERE.advert, (Address("10.9.0.66", 4610),))], RELAY, RELAY),
        ([], RELAY, RELAY),
    ],
)
async def test_a_place_is_found_on_the_lan_or_met_at_the_relay(
    autojump_clock: object,
    meeting: Lan,
    seen: list[FoundTable],
    relay: Address | None,
    host: Address,
) -> None:
    for at, table in enumerate(seen):
        meeting.put(f"its {at}", table)
    route = await find_route(None, CODE, [], relay)
    assert route.host == host
    if not seen:
        assert trio.current_time() == pytest.approx(LAN_FIRST_S)
        line = await route.dial(RELAY)
        await route.aclose()
        await line.send_all(b"it is in use")
    await route.aclose()


async def test_a_place_without_a_relay_is_looked_for_on_the_lan_alone(autojump_clock: object, meeting: Lan) -> None:
    with pytest.raises(Unreachable, match="cannot be seen on this network") as error:
        await find_route(None, CODE, [])
    assert error.value.hint == RELAY_HINT


async def test_nobody_at_the_place(autojump_clock: object, meeting: Lan, monkeypatch: pytest.MonkeyPatch) -> None:
    meet_after(monkeypatch, 1e3)
    with pytest.raises(Unreachable, match="nobody at the meeting place"):
        await find_route(None, CODE, [], RELAY)
    assert trio.current_time() == pytest.approx(DEFAULT_LIMITS.relay_meet_s)
    # A person waits on.
    told = list[str]()
    route = await find_meeting(CODE, [], RELAY, told.append)
    assert route.host == RELAY
    assert told == [ABSENT]
    await route.aclose()


async def test_a_relay_that_is_none(autojump_clock: object, meeting: Lan, monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(*_: object) -> None:
        await trio.lowlevel.checkpoint()
        raise PeerError("no relay")

    monkeypatch.setattr(finding, "check_relay", check)
    with pytest.raises(PeerError, match="no relay"):
        await find_route(None, CODE, [], RELAY)
    # The LAN needs no relay.
    meeting.put("it", HERE)
    assert (await find_route(None, CODE, [], RELAY)).host == PLACE


async def test_what_is_no_code_or_no_address_is_said_at_once() -> None:
    await refused(seqp2p.BadCode, seqp2p.join("127.0.0.1:1", code="7-amber"))
    await refused(seqp2p.AddressError, seqp2p.watch("no address", code="7-amber-falcon"))
    await refused(seqp2p.Unreachable, seqp2p.join("127.0.0.1:1", code="7-amber-falcon"), "Nobody answers")
