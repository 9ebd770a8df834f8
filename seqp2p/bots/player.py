"""Players: a bot, a person, a program. All get the same view and return an action."""

from typing import Protocol

import trio

from seqp2p.rules import Action, View


class Bot(Protocol):
    """A bot is one method. It sees only the view, and never needs to know the place of the game."""

    def choose(self, view: View) -> Action:
        """Return one of ``view.legal``."""
        ...


class SeatPlayer(Protocol):
    """The player of a seat at a table, under trio."""

    async def choose(self, view: View, refused: str | None) -> Action:
        """Return the seat's action. ``refused`` is the reason why the last choice for this turn was refused, or None.

        It is cancelled when the question is taken back; the next one comes only after that.
        """
        ...


class BotPlayer:
    """A player that asks a bot, in a worker thread. ``pace_s`` is the least time of a turn: people can follow it."""

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
