"""The menu of a bare ``seqp2p`` at a terminal. It only names commands."""

from collections.abc import Sequence
from typing import Final

from seqp2p.cli.output import Output
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
    output = Output(json=False)
    for number, (words, sentence) in enumerate(ENTRIES, 1):
        output.say(f"{number:>3}  {translate(sentence)}  (seqp2p {' '.join(words)})")
    output.say(f"  q  {t('leave')}")
    while True:
        try:
            typed = input("> ").strip().lower()
        except (EOFError, KeyboardInterrupt, OSError):  # OSError: the terminal is gone.
            return ()
        if typed in {"q", "quit", "exit", ""}:
            return ()
        if typed.isdecimal() and 1 <= int(typed) <= len(ENTRIES):
            return ENTRIES[int(typed) - 1][0]
        output.say(t("type a number from 1 to {most}, or q", most=len(ENTRIES)))
