"""The route to a table: its host's address, the table on this LAN that a join code is of, or its meeting place.

Theory of operation. A code with a meeting place is looked for on this LAN and at the relay at once. The LAN has a
moment to answer first, while the relay shows that it is one. The line where the host is met is the first that the
route dials; further ones, as long as the code was not tried, are met in the same way.
"""

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Final

import trio

from seqp2p.i18n import listed, message
from seqp2p.lobby.adverts import FoundTable, TableAdvert
from seqp2p.lobby.code import parse_code, place_of, public_part
from seqp2p.lobby.discovery import Browsed, browsing
from seqp2p.lobby.place import MeetingPlace, MetLine, meet_host, meeting_place
from seqp2p.match.table import PROTOCOL_VERSION
from seqp2p.net.addresses import Address, parse_address, racing_dial, tcp_dial
from seqp2p.net.dialling import Route
from seqp2p.net.errors import NetError, Unreachable
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.transit import check_relay

ADDRESS_HINT: Final = message("join by the address that the host shows, HOST:PORT")
RELAY_HINT: Final = message("if you are not on the host's network, name its relay, HOST:PORT")
ABSENT: Final = message(
    "There is nobody at the meeting place of this code: its host is not there yet, or the code is wrong."
)

FIND_S = 8.0
"""How long to look for a table. One on this network answers within a second, a lost packet included."""
TWIN_S = 0.7
"""How long to wait for a second table with the same number."""
LAN_FIRST_S = 1.5
"""How long the relay waits for a table on this LAN."""


async def find_route(address: str | None, code: str, own: Sequence[Address], relay: Address | None = None) -> Route:
    """Return the route to the table at this HOST:PORT, or to the one that the code is of.

    ``own`` are where this seat listens, ``relay`` is the one that this player uses. Raises AddressError, BadCode, and
    NetError where no such table is found.
    """
    code = parse_code(code)
    if address is not None:
        return Route(parse_address(address))
    if place_of(code) is not None:
        return await find_meeting(code, own, relay)
    return await _find_here(code, own)


async def _find_here(code: str, own: Sequence[Address], mark: str = "", hint: str = ADDRESS_HINT) -> Route:
    number, _ = public_part(code)
    async with browsing() as tables:
        found = await wait_for_table(number, tables, own, mark)
    return route_to(the_one(number, found, tables.problem, hint))


async def find_meeting(
    code: str, own: Sequence[Address], relay: Address | None, on_absent: Callable[[str], None] | None = None
) -> Route:
    """Return the route to the table with the meeting place of a code: on this LAN, or by the relay.

    Without a relay only the LAN is looked at. Where nobody has come within ``relay_meet_s``, ``on_absent`` is told and
    it waits on; without that, Unreachable is raised. Raises NetError where the relay cannot be used.
    """
    place = await meeting_place(place_of(code) or "")
    if relay is None:
        return await _find_here(code, own, place.mark, RELAY_HINT)
    meeting = _Meeting(relay, place, on_absent)
    async with contextlib.AsyncExitStack() as on_error:
        async with browsing() as tables:
            look = partial(wait_for_table, public_part(code)[0], tables, own, place.mark)
            await meeting.run(look, on_error)
        on_error.pop_all()
    return meeting.result()


class _Meeting:
    """The search for one table on this LAN and at a relay, until it is found at one of them."""

    def __init__(self, relay: Address, place: MeetingPlace, on_absent: Callable[[str], None] | None) -> None:
        self._relay, self._place = relay, place
        self._on_absent = on_absent
        self._found: FoundTable | None = None
        self._line: trio.abc.Stream | None = None
        self._fault: NetError | None = None

    def result(self) -> Route:
        """Return the route that ``run`` has found. Raises NetError."""
        if self._line is not None:
            met = MetLine(self._line, self._meet)
            return Route(self._relay, met.dial, met.aclose)
        if self._found is not None:
            return route_to(self._found)
        assert self._fault is not None, "it ends with something"
        raise self._fault

    async def run(
        self, look: Callable[[], Awaitable[Sequence[FoundTable]]], on_error: contextlib.AsyncExitStack
    ) -> None:
        """Search; ``look`` waits for tables on this LAN. ``on_error`` gets what to close where the caller fails."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._look, look, nursery.cancel_scope)
            nursery.start_soon(self._wait_at_relay, on_error, nursery.cancel_scope)
            await trio.sleep(DEFAULT_LIMITS.relay_meet_s)
            if self._on_absent is None:
                self._fault = Unreachable(ABSENT, message("Ask the host for its code and its relay; then try again."))
                nursery.cancel_scope.cancel()
            else:
                self._on_absent(ABSENT)

    async def _look(self, look: Callable[[], Awaitable[Sequence[FoundTable]]], scope: trio.CancelScope) -> None:
        """Two tables with one mark are not told apart here: one has copied the other's advert."""
        found = await look()
        if len(found) == 1 and found[0].advert.version == PROTOCOL_VERSION:
            self._found = found[0]
            scope.cancel()

    async def _wait_at_relay(self, on_error: contextlib.AsyncExitStack, scope: trio.CancelScope) -> None:
        first = trio.current_time() + LAN_FIRST_S
        try:
            await check_relay(self._relay, tcp_dial, DEFAULT_LIMITS)
        except NetError as error:
            self._fault = error
        await trio.sleep_until(first)
        if self._fault is None:
            self._line = await self._meet()
            on_error.push_async_callback(trio.aclose_forcefully, self._line)
        scope.cancel()

    async def _meet(self) -> trio.abc.Stream:
        return await meet_host(self._relay, self._place, tcp_dial, DEFAULT_LIMITS)


def route_to(found: FoundTable) -> Route:
    return Route(found.addresses[0], racing_dial(found.addresses))


async def wait_for_table(
    number: int, tables: Browsed[TableAdvert], own: Sequence[Address], mark: str = ""
) -> Sequence[FoundTable]:
    """Wait for tables with this number, or with this mark of a place, that can be joined, at most FIND_S; return them.

    Raises nothing, so that it can be called in a nursery: ``the_one`` raises what is wrong with them.
    """

    def fits(advert: TableAdvert) -> bool:
        return advert.place == mark if mark else advert.number == number

    def fitting() -> list[FoundTable]:
        found = [without(table, own) for table in tables.current if fits(table.advert)]
        here = [table for table in found if table.addresses]
        return [table for table in here if table.advert.state == "open"] or here

    await _until(lambda: bool(fitting()), tables, FIND_S)
    if fitting():
        await _until(lambda: len(fitting()) > 1, tables, TWIN_S)
    return fitting()


def the_one(number: int, found: Sequence[FoundTable], problem: str, hint: str = ADDRESS_HINT) -> FoundTable:
    """Return the only table with this number. Raises Unreachable, with the hint where there is none."""
    if not found:
        text = message("table {number} cannot be seen on this network", number=number)
        if problem:
            text = message("table {number} cannot be seen on this network ({problem})", number=number, problem=problem)
        raise Unreachable(text, hint)
    if len(found) > 1:
        who = listed(
            message("{host}'s at {address}", host=table.advert.host, address=table.addresses[0]) for table in found
        )
        text = message("{count} tables here have number {number}: {who}", count=len(found), number=number, who=who)
        raise Unreachable(text, ADDRESS_HINT)
    if found[0].advert.version != PROTOCOL_VERSION:
        raise Unreachable(
            message("table {number} plays with another version of seqp2p", number=number),
            message("use the same version of seqp2p everywhere"),
        )
    return found[0]


def without(table: FoundTable, own: Iterable[Address]) -> FoundTable:
    """Return the table without this process's own addresses: there are networks that look the same."""
    return FoundTable(table.advert, tuple(address for address in table.addresses if address not in own))


async def _until(condition: Callable[[], bool], tables: Browsed[TableAdvert], limit_s: float) -> None:
    with trio.move_on_after(limit_s):
        while not condition() and not tables.problem:
            await tables.changed()
