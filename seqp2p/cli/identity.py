"""``seqp2p id``: this player's name and key fingerprint."""

import click

from seqp2p.cli import home
from seqp2p.cli.output import Output
from seqp2p.crypto.identity import fingerprint


@click.command("id")
@click.option("--name", help="Remember this name for the games to come.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(name: str | None, *, as_json: bool) -> None:
    """Show this player's name and the fingerprint of its identity key."""
    output = Output(as_json)
    if name is not None:
        home.keep_name(name)
    identity = home.first_identity()
    shown = home.player_name(None)
    output.event("id", name=shown, key=identity.public.hex(), fingerprint=fingerprint(identity.public))
    if not as_json:
        output.say(f"{shown}  {fingerprint(identity.public)}")
