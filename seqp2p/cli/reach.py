"""``seqp2p reach``: the ways that lead into this machine for friends elsewhere."""

import click

from seqp2p.cli.errors import run_async
from seqp2p.cli.options import make_address, relay_option
from seqp2p.cli.output import Output
from seqp2p.errors import DONE, NOT_CONNECTED
from seqp2p.i18n import message


@click.command(
    "reach",
    help=message(
        "Show how friends elsewhere can reach this machine: IPv6, a port of the router, a relay.\n\nThe"
        " router is asked for a port, which is then closed again. What only a machine elsewhere could test"
        " is named, too."
    ),
)
@relay_option
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per way on standard output."))
def command(relay: str | None, *, as_json: bool) -> None:
    output = Output(as_json)
    raise SystemExit(run_async(lambda: reach(output, output.preferences.relay if relay is None else relay)))


async def reach(output: Output, typed: str) -> int:
    """Tell the ways, with the relay that was typed; return 0 if one seems to be open, else 4."""
    from seqp2p.cli.ways import tell_ways  # what --help and completion need not wait for

    ways = await tell_ways(output, make_address(typed, relay=True))
    for way in ways:
        output.event(way)
    return DONE if any(way.open for way in ways) else NOT_CONNECTED
