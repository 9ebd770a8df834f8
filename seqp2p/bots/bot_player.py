"""A bot at a table: it chooses in a worker thread, if asked at a pace that people can follow."""

import trio

from seqp2p.bots.player import Bot
from seqp2p.rules import Action, View


class BotPlayer:
    """A player that asks a bot. ``pace_s`` is the least time, in seconds, that a turn takes."""

    def __init__(self, bot: Bot, pace_s: float = 0.0) -> None:
        self._bot = bot
        self._pace_s = pace_s

    async def choose(self, view: View, refused: str | None) -> Action:
        """Return the bot's choice. A bot chooses among the legal actions, so it is never refused."""
        assert refused is None, f"a bot chose what is not legal: {refused}"
        begun = trio.current_time()
        # A choice that is no longer needed may take its time: it costs only the bot's own randomness.
        action = await trio.to_thread.run_sync(self._bot.choose, view, abandon_on_cancel=True)
        await trio.sleep_until(begun + self._pace_s)
        return action
