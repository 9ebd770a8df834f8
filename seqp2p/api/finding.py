"""The route to a table: its host's address, or the table on this LAN that has the number of a join code."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from seqp2p.i18n import listed, message
from seqp2p.lobby.adverts import FoundTable
from seqp2p.lobby.code import parse_code, public_part
from seqp2p.lobby.discovery import Browsed, browsing
from seqp2p.match.table import PROTOCOL_VERSION
from seqp2p.net.addresses import Address, parse_address, racing_dial, tcp_dial
from seqp2p.net.dialling import Dial
from seqp2p.net.errors import Unreachable

ADDRESS_HINT: Final = message("join by the address that the host shows, HOST:PORT")

FIND_S = 8.0
"""How long to look for a table. One on this network answers within a second, a lost packet included."""
TWIN_S = 0.7
"""How long to wait for a second table with the same number."""


@dataclass(frozen=True, slots=True)
class Route:
    """The address of a host, and how to dial it."""

    host: Address
    dial: Dial


async def find_route(address: str | None, code: str, own: Sequence[Address]) -> Route:
    """Return the route to the table at this HOST:PORT, or to the one on this LAN that the code is of.

    ``own`` are where this seat listens. Raises AddressError, BadCode, and Unreachable where no such table is found.
    """
    code = parse_code(code)
    if address is not None:
        return Route(parse_address(address), tcp_dial)
    number, _ = public_part(code)
    async with browsing() as tables:
        found = await wait_for_table(number, tables, own)
    return route_to(the_one(number, found, tables.problem))


def route_to(found: FoundTable) -> Route:
    """Return the route to a table that was found."""
    return Route(found.addresses[0], racing_dial(found.addresses))


async def wait_for_table(number: int, tables: Browsed[FoundTable], own: Sequence[Address]) -> Sequence[FoundTable]:
    """Wait for tables with this number that can be joined, at most FIND_S; return them.

    Raises nothing, so that it can be called in a nursery: ``the_one`` raises what is wrong with them.
    """

    def fitting() -> list[FoundTable]:
        found = [without(table, own) for table in tables.current if table.advert.number == number]
        here = [table for table in found if table.addresses]
        return [table for table in here if table.advert.state == "open"] or here

    await _until(lambda: bool(fitting()), tables, FIND_S)
    if fitting():
        await _until(lambda: len(fitting()) > 1, tables, TWIN_S)
    return fitting()


def the_one(number: int, found: Sequence[FoundTable], problem: str) -> FoundTable:
    """Return the only table with this number. Raises Unreachable, with a hint."""
    if not found:
        text = message("table {number} is not to be seen on this network", number=number)
        if problem:
            text = message(
                "table {number} is not to be seen on this network ({problem})", number=number, problem=problem
            )
        raise Unreachable(text, ADDRESS_HINT)
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


async def _until(condition: Callable[[], bool], tables: Browsed[FoundTable], limit_s: float) -> None:
    with trio.move_on_after(limit_s):
        while not condition() and not tables.problem:
            await tables.changed()
