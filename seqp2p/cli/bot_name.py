"""Names of bots on the command line: the kinds that there are, and how many trials one may make for a choice."""

from typing import Any

import click

from seqp2p.bots.registry import BOTS, STRONG, why_no_bot
from seqp2p.ui.language import translate


class BotName(click.Choice[str]):
    """One of ``BOTS``; ``strong:N`` is checked by its number, and completed like the others by its kind."""

    def __init__(self) -> None:
        super().__init__(list(BOTS))

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the value's name in --help. (Before click 8.2 there was no context.)"""
        del param, ctx
        return f"[{'|'.join((*BOTS, f'{STRONG}:N'))}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fail with the reason if there is no such bot."""
        if not isinstance(value, str):
            return super().convert(value, param, ctx)
        reason = why_no_bot(value)
        if reason is not None:
            self.fail(translate(reason), param, ctx)
        return value
