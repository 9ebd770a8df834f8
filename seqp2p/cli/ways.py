"""The ways that lead into this machine for friends elsewhere, as far as they show from inside."""

from collections.abc import Sequence
from typing import Final

from seqp2p.api.endpoint import closing
from seqp2p.api.port_mapping import PortEvent, mapped_port
from seqp2p.cli.errors import sentence
from seqp2p.cli.json_events import ReachEvent
from seqp2p.cli.output import Output
from seqp2p.i18n import message, message_of
from seqp2p.net.addresses import Address, open_listeners, tcp_dial
from seqp2p.net.errors import NetError
from seqp2p.net.interfaces import is_global_ipv6, local_hosts
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.transit import check_relay
from seqp2p.ui.language import t

NAMES: Final = {"ipv6": "IPv6", "port": "--map-port", "relay": "--relay"}


async def tell_ways(
    output: Output, relay: Address | None, mapped: Address | None = None, kind: str = "log"
) -> Sequence[ReachEvent]:
    """Find the ways and tell them in a table. The router is not asked where a port of it is ``mapped`` already."""
    if mapped is None:
        output.say(t("asking the router to open a port…"), kind)
    port = ReachEvent("port", True, str(mapped), message("{address} is open", address=mapped)) if mapped else None
    ways = [by_ipv6(), port or await by_router(), await by_relay(relay)]
    for way in ways:
        line = t("{way}: {seen}", way=NAMES[way.way], seen=sentence(way.seen))
        output.say(f"{'+' if way.open else '-'} {line}", kind)
    output.say(t("only a friend elsewhere can test whether a firewall is in the way"), kind)
    return ways


def by_ipv6() -> ReachEvent:
    host = next(filter(is_global_ipv6, local_hosts()), None)
    if host is None:
        return ReachEvent("ipv6", False, None, message("this machine has no global address"))
    return ReachEvent("ipv6", True, host, message("friends with IPv6 reach {address}", address=host))


async def by_router() -> ReachEvent:
    """Open a port of the router, which is closed again."""
    events = list[PortEvent]()
    try:
        async with closing(await open_listeners(None)) as listeners, mapped_port(listeners, events.append) as mapped:
            pass
    except NetError as error:
        return ReachEvent("port", False, None, message_of(error))
    if mapped is None:
        return ReachEvent("port", False, None, next((event.reason for event in events if event.reason), ""))
    seen = message("the router would open a port of {host}", host=mapped.host)
    return ReachEvent("port", True, mapped.host, seen)


async def by_relay(relay: Address | None) -> ReachEvent:
    if relay is None:
        none = message("no relay is set; seqp2p config set relay HOST:PORT sets one")
        return ReachEvent("relay", False, None, none)
    try:
        await check_relay(relay, tcp_dial, DEFAULT_LIMITS)
    except NetError as error:
        return ReachEvent("relay", False, str(relay), message_of(error))
    seen = message("{relay} answers: everybody can meet there", relay=relay)
    return ReachEvent("relay", True, str(relay), seen)
