"""Finding a table on this LAN: the list of tables, the join code, and the route to its table."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Final, TypeVar

import click
import trio

from seqp2p.api.finding import find_meeting, route_to, the_one, wait_for_table
from seqp2p.cli.errors import sentence
from seqp2p.cli.json_events import TableEvent
from seqp2p.cli.lobby import LobbyView
from seqp2p.cli.output import Output
from seqp2p.errors import ABANDONED, UserError
from seqp2p.i18n import message, message_of
from seqp2p.lobby.adverts import FoundTable, TableAdvert
from seqp2p.lobby.code import parse_code, place_of, public_part
from seqp2p.lobby.discovery import Browsed, browsing
from seqp2p.match.table import PROTOCOL_VERSION
from seqp2p.net.addresses import Address, AddressError, parse_address, tcp_dial
from seqp2p.net.dialling import Route, dial_in_time
from seqp2p.net.errors import BadCode, NetError, PeerRefused, Unreachable
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.ui.language import t, tn, translate
from seqp2p.ui.person.command_words import LEAVING, word_of
from seqp2p.ui.question import Question

T = TypeVar("T")

QUESTION: Final = message("join code, which the host reads out (like 7-amber-falcon): ")
SETTLE_S: Final = 0.3
"""Tables found within this time are one change of the list."""


async def choose_route(
    address: Address | None,
    code: str | None,
    own: Sequence[Address],
    view: LobbyView,
    output: Output,
    relay: Address | None = None,
) -> tuple[Route, str]:
    """Return the route to the table and its code; ask for the code where none is given.

    Without an address the table is found on this LAN by the code's number, or by its meeting place at the ``relay``,
    too. ``own`` are where this seat listens. Raises UserError, NetError.
    """
    code = None if code is None else parse_code(code)
    if address is not None:
        if code is None:  # A person looks for a code only once a host is there to check it.
            await trio.aclose_forcefully(await dial_in_time(address, tcp_dial, DEFAULT_LIMITS))
            asked = await ask_place(view, output)
            if isinstance(asked, Address):
                return await choose_route(asked, None, own, view, output, relay)
            code = asked
        return Route(address), code
    if code is not None and place_of(code) is not None:
        return await _find_meeting(code, own, relay, output), code
    async with browsing() as tables:
        if code is None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(list_tables, tables, view, output)
                asked = await ask_place(view, output)
                nursery.cancel_scope.cancel()
            view.change(tables=None)
            if isinstance(asked, Address):
                return await choose_route(asked, None, own, view, output, relay)
            code = asked
        number, _ = public_part(code)
        output.ask("looking", Question(t("looking for table {number}", number=number)))
        seen = () if place_of(code) else await wait_for_table(number, tables, own)
        output.ask("looking", None)
    if place_of(code) is not None:
        return await _find_meeting(code, own, relay, output), code
    found = the_one(number, seen, tables.problem)
    emit_table(found, output)
    return route_to(found), code


async def _find_meeting(code: str, own: Sequence[Address], relay: Address | None, output: Output) -> Route:
    """Find the table with a meeting place. A person may wait on for a missing host."""

    def tell(absent: str) -> None:
        output.say(t("{absent} Still waiting; Ctrl-C stops.", absent=translate(absent)), "answer")

    return await find_meeting(code, own, relay, tell if output.asks else None)


async def enter_by_code(
    address: Address | None,
    code: str | None,
    own: Sequence[Address],
    view: LobbyView,
    output: Output,
    enter: Callable[[Route, str], Awaitable[T]],
    relay: Address | None = None,
) -> T:
    """Find the table and ``enter`` it. Ask for another code as long as one that a person typed is not the table's.

    Each typed code is tried once. Raises what ``choose_route`` and ``enter`` raise.
    """
    while True:
        try:
            route, given = await choose_route(address, code, own, view, output, relay)
        except Unreachable as error:  # No table has the number that was typed.
            if code is not None or address is not None:
                raise
            fault: NetError = error
        else:
            try:
                async with aclosing(route):
                    return await enter(route, given)
            except PeerRefused as refused:
                if code is not None or refused.code not in {"wrong_code", "code_burned"}:
                    raise
                fault = refused
        view.refuse(t("; ").join(filter(None, map(sentence, (message_of(fault), fault.hint)))))


async def ask_place(view: LobbyView, output: Output) -> Address | str:
    """Ask a person for the code until it can be one, or is an address. Raises UserError when the input ends."""
    view.change(asks=translate(QUESTION))
    while True:
        if not view.shows:
            click.echo(translate(QUESTION).rstrip(), err=True)  # The tables are listed below it.
        line = await output.read_line()
        if line is None or word_of(line) in LEAVING:
            raise UserError(t("stopped"), exit_code=ABANDONED)
        address = typed_address(line)
        if address is not None or (fault := code_fault(line)) is None:
            view.refuse("")
            view.change(asks="")
            return address or parse_code(line)
        view.refuse(fault)


def code_fault(text: str) -> str | None:
    """Return the reason why this cannot be a join code, or None."""
    try:
        parse_code(text)
    except BadCode as error:
        return f"{translate(message_of(error))} {translate(error.hint)}"
    return None


def typed_address(text: str) -> Address | None:
    """Return a typed address of a host; None for one without its port: a name alone may be a slip in a code."""
    try:
        return parse_address(text.strip()) if ":" in text else None
    except AddressError:
        return None


async def list_tables(tables: Browsed[TableAdvert], view: LobbyView, output: Output) -> None:
    """Show the tables, and again after each change, until cancelled."""
    told: set[FoundTable] = set()
    shown: tuple[str, ...] | None = None
    view.change(tables=())
    if not view.shows:
        output.say(t("tables on this network (Ctrl-C stops):"))
    while True:
        await trio.sleep(SETTLE_S)
        current = sorted(tables.current, key=lambda found: (found.advert.number, found.advert.host))
        current = current[: DEFAULT_LIMITS.tables_max]
        for found in current:
            if found not in told:
                emit_table(found, output)
        told = set(current)
        view.change(tables=tuple((found.advert.number, table_line(found).strip()) for found in current))
        nothing = t("  none can be found here: {problem}", problem=translate(tables.problem)) if tables.problem else ""
        lines = tuple(map(table_line, current)) or (nothing or t("  none yet"),)
        if view.shows and not tables.problem:
            lines = ()
        if lines != shown:
            shown = lines
            for line in lines:
                output.say(line)
        await tables.changed()


def emit_table(found: FoundTable, output: Output) -> None:
    advert = found.advert
    seats, address = (advert.players, advert.free), str(found.addresses[0])
    output.event(TableEvent(advert.number, advert.host, advert.variant, *seats, advert.state, address))


def table_line(found: FoundTable) -> str:
    advert = found.advert
    if advert.version != PROTOCOL_VERSION:
        state = t("another version of seqp2p")
    elif advert.state == "playing":
        state = t("playing")
    else:
        state = tn("{count} free", "{count} free", advert.free)
    return t(
        "  table {number:>2}  {host}: {variant}, {players} players, {state}",
        number=advert.number,
        host=advert.host,
        variant=translate(advert.variant),
        players=advert.players,
        state=state,
    )
