"""``seqp2p reach``: the ways that lead into this machine for friends elsewhere, as far as they show from inside."""

from typing import NamedTuple

import click

from seqp2p.api.endpoint import closing
from seqp2p.api.port_mapping import PortEvent, mapped_port
from seqp2p.cli.errors import sentence
from seqp2p.cli.options import make_relay, relay_option
from seqp2p.cli.output import Output
from seqp2p.cli.running import run_async
from seqp2p.errors import DONE, NOT_CONNECTED
from seqp2p.i18n import message, message_of
from seqp2p.net.addresses import open_listeners, tcp_dial
from seqp2p.net.errors import NetError
from seqp2p.net.interfaces import is_global_ipv6, local_hosts
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.transit import check_relay
from seqp2p.ui.language import t, translate


class Way(NamedTuple):
    """A way into this machine: whether it seems to be open, and what was seen."""

    name: str
    is_open: bool
    seen: str


@click.command(
    "reach",
    help=message(
        "Say which ways lead into this machine for friends elsewhere: IPv6, a port of the router, a relay.\n\n"
        "The router is asked for a port, which is closed again. It also says what only a machine elsewhere could test."
    ),
)
@relay_option
def command(relay: str | None) -> None:
    output = Output(json=False)
    raise SystemExit(run_async(lambda: reach(output, output.preferences.relay if relay is None else relay)))


async def reach(output: Output, relay: str) -> int:
    """Tell the ways in a table; returns 0 if one seems to be open, else 4."""
    output.say(t("the router is asked to open a port…"))
    ways = [by_ipv6(), await by_router(), await by_relay(relay)]
    for way in ways:
        output.say(f"{'+' if way.is_open else '-'} {way.name}: {way.seen}")
    output.say(t("Only a test from elsewhere shows whether a firewall is in the way: let a friend join."))
    return DONE if any(way.is_open for way in ways) else NOT_CONNECTED


def by_ipv6() -> Way:
    hosts = [host for host in local_hosts() if is_global_ipv6(host)]
    if hosts:
        return Way(
            "IPv6", is_open=True, seen=t("this machine has {address}: friends with IPv6 reach it", address=hosts[0])
        )
    return Way("IPv6", is_open=False, seen=t("this machine has no global address"))


async def by_router() -> Way:
    events = list[PortEvent]()
    async with closing(await open_listeners(None)) as listeners, mapped_port(listeners, events.append) as mapped:
        pass
    if mapped is not None:
        return Way("--map-port", is_open=True, seen=t("the router opens a port, here {address}", address=mapped))
    reason = next((translate(event.reason) for event in events if event.reason), "")
    return Way("--map-port", is_open=False, seen=reason)


async def by_relay(typed: str) -> Way:
    relay, name = make_relay(typed), "--relay"
    if relay is None:
        return Way(name, is_open=False, seen=t("no relay is set; seqp2p config set relay HOST:PORT sets one"))
    try:
        await check_relay(relay, tcp_dial, DEFAULT_LIMITS)
    except NetError as error:
        return Way(name, is_open=False, seen=sentence(message_of(error)))
    return Way(name, is_open=True, seen=t("{relay} answers: everybody can meet there", relay=relay))
