"""A bot at a table: it chooses in a worker thread, and at a pace that people can follow if asked to."""

import trio

from seqp2p.bots.player import Bot
from seqp2p.rules import Action, View


class BotPlayer:
    """Plays a seat with a bot. ``pace_s`` is the least time, in seconds, that a turn takes."""

    def __init__(self, bot: Bot, pace_s: float = 0.0) -> None:
        self._bot = bot
        self._pace_s = pace_s

    async def choose(self, view: View, refused: str | None) -> Action:
        """The bot's choice. A bot chooses among the legal actions, so that it is never refused."""
        assert refused is None, f"a bot chose what is not legal: {refused}"
        begun = trio.current_time()
        # A choice that nobody waits for any more may take its time: nothing but the bot's own randomness is lost to it.
        action = await trio.to_thread.run_sync(self._bot.choose, view, abandon_on_cancel=True)
        await trio.sleep_until(begun + self._pace_s)
        return action
