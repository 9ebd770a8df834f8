"""``seqp2p rules``: the rules of the game, the options, and how doubtful points are read."""

import os
from collections.abc import Mapping

import click

from seqp2p.cli.output import Output
from seqp2p.rules import VARIANTS
from seqp2p.ui.rules_text import LANGUAGES, rules_text

# Where the language of messages comes from, and in this order: the same as gettext's.
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@click.command("rules")
@click.argument("variant", type=click.Choice(list(VARIANTS)), default="classic")
@click.option("--lang", type=click.Choice(LANGUAGES), help="The language; without it, LANG's.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with the text on standard output.")
def command(variant: str, lang: str | None, *, as_json: bool) -> None:
    """Print the rules of the classic game, or of the one for kids."""
    output = Output(as_json)
    lang = lang or language(os.environ)
    text = rules_text(variant, lang)
    output.event("rules", variant=variant, lang=lang, text=text)
    if not as_json:
        for line in text.splitlines():
            output.say(line)


def language(environment: Mapping[str, str]) -> str:
    """The language that an environment asks for, English if it asks for none that there is.

    >>> language({"LANG": "fr_CA.UTF-8"}), language({"LANG": "fr_FR", "LC_ALL": "C"}), language({"LANGUAGE": "de:fr"})
    ('fr', 'en', 'fr')
    """
    wanted = next((value for name in VARIABLES if (value := environment.get(name))), "")
    codes = [locale.replace(".", "_").replace("@", "_").split("_")[0] for locale in wanted.split(":")]
    return next((code for code in codes if code in LANGUAGES), LANGUAGES[0])
