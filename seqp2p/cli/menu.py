"""The menu of a bare ``seqp2p`` at a terminal. It only names commands, and asks a new player for a name."""

from collections.abc import Sequence
from typing import Final

from seqp2p.api.home import usual_name
from seqp2p.cli.output import Output, show_error
from seqp2p.cli.preferences import BY_NAME, change, kept, not_taken
from seqp2p.errors import UserError
from seqp2p.i18n import message
from seqp2p.ui.language import t, translate

ENTRIES: Final = (
    (("play",), message("play against a bot")),
    (("play", "--tutorial"), message("learn the game in ten turns")),
    (("host",), message("open a table for two")),
    (("host", "--players", "4"), message("open a table for four, in two teams")),
    (("join",), message("sit down at a table of this network")),
    (("resume",), message("go on with an unfinished game")),
    (("watch",), message("watch a table")),
    (("games",), message("list your games")),
    (("show",), message("look at one of your games")),
    (("rules",), message("read the rules")),
    (("config",), message("see the settings")),
)


def choose() -> Sequence[str]:
    """Show the menu; return the words of the command chosen, none for leaving."""
    try:
        _ask_name()
        return _choose()
    except (EOFError, KeyboardInterrupt, OSError):  # OSError: the terminal is gone.
        return ()


def _ask_name() -> None:
    """Ask once for the name that the others see: the account's may be the same for all of them."""
    now, setting, usual = kept(), BY_NAME["name"], usual_name()
    if now.values.name or now.problems:
        return
    asks = t("your name at the table (Enter: {name}): ", name=usual)
    while setting.read(typed := input(asks).strip() or usual) is None:
        Output(json=False).say(translate(not_taken(setting, typed)))
    try:
        change(setting, typed)
    except UserError as error:
        show_error(error)


def _choose() -> Sequence[str]:
    output = Output(json=False)
    for number, (words, sentence) in enumerate(ENTRIES, 1):
        output.say(f"{number:>3}  {translate(sentence)}  (seqp2p {' '.join(words)})")
    output.say(f"  q  {t('leave')}")
    while (typed := input("> ").strip().lower()) not in {"q", "quit", "exit"}:
        if typed.isdecimal() and 1 <= int(typed) <= len(ENTRIES):
            return ENTRIES[int(typed) - 1][0]
        output.say(t("type a number from 1 to {most}, or q", most=len(ENTRIES)))
    return ()
