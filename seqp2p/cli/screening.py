"""The choice of a screen for a person, by the options, the environment and the terminal."""

import contextlib
import functools
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import click

from seqp2p.cli import progress
from seqp2p.cli.output import Output
from seqp2p.i18n import message
from seqp2p.ui.styles import ASCII, PALETTES, UNICODE, background_hint

# Terminals that cannot be painted on.
_DUMB: Final = frozenset({"", "dumb", "unknown"})
_FEW_COLOURS: Final = re.compile(r"linux|eterm-color|ansi|cons25|.*-16color")
_TRUE_COLOUR: Final = frozenset({"truecolor", "24bit"})


@dataclass(frozen=True, slots=True)
class ScreenWish:
    """The screen options of the command line. None has the value of the settings."""

    plain: bool = False
    palette: str | None = None
    ascii_only: bool | None = None


def screen_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every command with a screen; the command gets them as ``wish``."""

    @functools.wraps(command)
    def with_wish(*, plain: bool, palette: str | None, ascii_only: bool | None, **others: Any) -> None:
        if plain:
            progress.hide()  # Nothing is repainted.
        command(wish=ScreenWish(plain, palette, ascii_only), **others)

    wishing: Callable[..., Any] = with_wish
    for option in reversed(
        [
            click.option("--plain", is_flag=True, help=message("Lines only, nothing repainted: also ACCESSIBLE=1.")),
            click.option(
                "--palette", type=click.Choice(PALETTES), help=message("Colours of the screen; NO_COLOR does without.")
            ),
            click.option(
                "--ascii/--no-ascii", "ascii_only", default=None, help=message("Only ASCII signs on the screen.")
            ),
        ]
    ):
        wishing = option(wishing)
    return wishing


def can_show(output: Output, wish: ScreenWish) -> bool:
    """Return True if there is a terminal to paint on, and a person who wants that."""
    if wish.plain or output.json or os.environ.get("ACCESSIBLE") or os.environ.get("TERM", "") in _DUMB:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextlib.asynccontextmanager
async def on_screen(output: Output, wish: ScreenWish | None) -> AsyncGenerator[Output]:
    """Yield the output with a screen until the block ends, if one is possible and wished for; else as it is.

    Lines that are to remain are printed once the terminal is restored.
    """
    if wish is None or not can_show(output, wish):
        try:
            yield output
        finally:
            output.title("")
        return
    # prompt_toolkit takes its time: lines, bots and --help do without it.
    from seqp2p.ui.screen import Taste, open_screen

    remains: list[str] = []
    kept = output.preferences
    ascii_only = (kept.ascii if wish.ascii_only is None else wish.ascii_only) or not _is_unicode()
    try:
        background = background_hint(os.environ.get("COLORFGBG", ""))
        glyphs = ASCII if ascii_only else UNICODE if kept.pictures else replace(UNICODE, pictures=False)
        taste = Taste(wish.palette or kept.palette, glyphs, _depth(), background)
        async with open_screen(taste) as screen:
            remains = screen.remains
            shown_on = replace(output, screen=screen)
            try:
                yield shown_on
            finally:
                shown_on.title("")
    finally:
        for line in remains:
            output.say(line)


def _depth() -> int:
    """Return the bits of a colour on this terminal, as far as the environment tells."""
    if os.environ.get("NO_COLOR"):
        return 1
    if os.environ.get("COLORTERM") in _TRUE_COLOUR:
        return 24
    return 4 if _FEW_COLOURS.fullmatch(os.environ.get("TERM", "")) else 8


def _is_unicode() -> bool:
    """Return True if standard output takes every sign that the screen may show."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
