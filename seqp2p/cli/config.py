"""``seqp2p config``: the settings of this player that last."""

from typing import Final

import click

from seqp2p.api.config_file import config_path
from seqp2p.cli import json_events
from seqp2p.cli.output import Output
from seqp2p.cli.preferences import BY_NAME, SETTINGS, Setting, change, kept, named, shown_value
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import message
from seqp2p.ui.language import command_line, t, translate

ACTIONS: Final = {"list": 0, "get": 1, "set": 2, "unset": 1}
"""The actions, and how many words follow each."""
SOURCES: Final = {"file": message("file"), "environment": message("environment")}


class ConfigCommand(click.Command):
    """Its help has the table of settings."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section(t("Settings")):
            usual = {setting: shown_value(setting.usual) or "–" for setting in SETTINGS}
            formatter.write_dl(
                [
                    (each.name, f"{translate(each.sentence)} [{translate(each.takes)}; {usual[each]}]")
                    for each in SETTINGS
                ]
            )


def complete_word(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the settings, or the values of the one that is named."""
    setting = BY_NAME.get(context.params.get("name") or "")
    words = tuple(BY_NAME) if context.params.get("name") is None else setting.choices if setting else ()
    return [word for word in words if word.startswith(incomplete)]


@click.command(
    "config",
    cls=ConfigCommand,
    help=message(
        "List, read and change your saved settings.\n\nAn option overrides the environment (SEQP2P_NAME,"
        " SEQP2P_PALETTE and so on), which overrides a setting. With --json, and where a bot or a program"
        " plays, only name and language are used."
    ),
)
@click.argument("action", type=click.Choice(list(ACTIONS)), default="list")
@click.argument("name", required=False, metavar=message("[NAME]"), shell_complete=complete_word)
@click.argument("value", required=False, metavar=message("[VALUE]"), shell_complete=complete_word)
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per setting on standard output."))
def command(action: str, name: str | None, value: str | None, *, as_json: bool) -> None:
    words = [word for word in (name, value) if word is not None]
    if len(words) != ACTIONS[action]:
        raise UserError(t("{action} does not take these words", action=action), exit_code=USAGE)
    output = Output(as_json)
    chosen = SETTINGS if name is None else (named(name),)
    if action in {"set", "unset"}:
        change(chosen[0], value)
    for setting in chosen:
        show(output, setting, alone=action == "get")
    if action == "list" and not as_json:
        output.say(t("the file: {path}", path=config_path()))
        output.say(t("to change one: {command} set NAME VALUE", command=command_line("config")))


def show(output: Output, setting: Setting, *, alone: bool) -> None:
    """Show the value of a setting: ``alone``, or with its name, meaning and unusual source."""
    now = kept()
    value, source = getattr(now.values, setting.field), now.sources.get(setting.name, "default")
    output.event(json_events.SettingEvent(setting.name, value, source, setting.usual, setting.choices))
    if not output.json:
        shown = shown_value(value)
        unusual = f" ({translate(SOURCES[source])})" if source in SOURCES else ""
        line = f"{setting.name:<12}  {shown or '–':<10}  {translate(setting.sentence)}{unusual}"
        output.say(shown if alone else line)
