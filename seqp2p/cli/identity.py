"""``seqp2p id``: this player's name and key fingerprint, and the players who are known."""

import contextlib
import shlex

import click
import msgspec

from seqp2p.api import known
from seqp2p.api.home import HomeError, first_identity, usual_name
from seqp2p.cli.json_events import IdEvent, MetFields
from seqp2p.cli.output import Output
from seqp2p.cli.preferences import BY_NAME, change
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import UserError
from seqp2p.i18n import message
from seqp2p.ui.language import command_line, t


def complete_known(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the known players; none if their file is damaged.

    A shell takes the words as if they were typed, and others have chosen these: a name that has to be quoted is none.
    """
    with contextlib.suppress(HomeError):
        names = dict.fromkeys(each.name for each in known.known_players() if shlex.quote(each.name) == each.name)
        return [name for name in names if name.startswith(incomplete)]
    return []


@click.command(
    "id", help=message("Show this player's name and the fingerprint of its identity key, and those of known players.")
)
@click.option("--name", help=message("Remember this name for the games to come."))
@click.option(
    "--forget",
    metavar=message("NAME"),
    shell_complete=complete_known,
    help=message("Forget the keys of the player known by this name."),
)
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object on standard output."))
def command(name: str | None, forget: str | None, *, as_json: bool) -> None:
    from seqp2p.cli.options import checked_name  # what the completion of a name need not wait for

    output = Output(as_json)
    checked_name(name)
    identity = first_identity()
    if name is not None:
        change(BY_NAME["name"], name)
    if forget is not None and not known.forget(forget):
        raise UserError(
            t("nobody is known as {name}", name=forget),
            t("{command} lists the known players", command=command_line("id")),
        )
    shown = usual_name()
    players = [
        MetFields(player.name, player.key, fingerprint(bytes.fromhex(player.key)), player.first_seen)
        for player in known.known_players()
    ]
    mark = fingerprint(identity.public)
    output.event(IdEvent(shown, identity.public.hex(), mark, players))
    if not as_json:
        output.say(f"{shown}  {mark}")
        for player in players:
            output.say(t("known: {name}  {fingerprint}  since {first_seen}", **msgspec.structs.asdict(player)))
