"""A seat played by a bot."""

import random
import secrets

import trio

from seqp2p.api.seat import Seat
from seqp2p.bots.player import Bot
from seqp2p.bots.registry import BOTS
from seqp2p.match.events import Result


async def play_bot(seat: Seat, bot: Bot | str, *, pace_s: float = 0.0) -> Result:
    """Play this seat to the end of its game with a bot, or the one of that name in BOTS; return its result.

    The bot chooses in a worker thread, one call at a time; ``pace_s`` is the least time in seconds that a turn takes.
    Raises ValueError for an unknown name, IllegalAction for a choice that is not legal, and any error of the bot.
    """
    if isinstance(bot, str):
        if bot not in BOTS:
            raise ValueError(f"there is no bot {bot!r}; there are {', '.join(BOTS)}")
        # A bot's choices need no secrecy, but no player should be able to foresee them.
        bot = BOTS[bot](random.Random(secrets.randbits(128)))  # noqa: S311  # seeded with secrets
    async for turn in seat:
        begun = trio.current_time()
        action = await trio.to_thread.run_sync(bot.choose, turn.view)
        await trio.sleep_until(begun + pace_s)
        await turn.play(action)
    assert seat.result is not None, "the game has ended"
    return seat.result
