"""The hint of ``strong`` for a person who plays against bots alone: its choice in a sentence, found in a thread."""

import random
import secrets
from collections.abc import Sequence

import trio

from seqp2p.bots.registry import STRONG, strong_bot, why_no_bot
from seqp2p.rules import View
from seqp2p.ui.advice import advice
from seqp2p.ui.language import translate
from seqp2p.ui.person.console import Console


async def hint(console: Console, colours: Sequence[str], seen: View) -> str:
    """Return a hint for the seat to move, or the reason why there is none. It is for this reader alone."""
    if reason := why_no_bot(STRONG):
        return translate(reason)
    bot = strong_bot(random.Random(secrets.randbits(128)))  # noqa: S311  # no other player sees what comes of it
    ranking = await trio.to_thread.run_sync(bot.ranking, seen, abandon_on_cancel=True)
    return advice(seen, ranking, colours, console.action, console.card)
