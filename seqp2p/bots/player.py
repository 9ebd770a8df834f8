"""Players: a bot, a person, a program. All get the same view and return an action."""

import inspect
import random
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from seqp2p.i18n import message
from seqp2p.rules import Action, View

TIME_S: Final = 30.0
"""A program's time for a choice, if neither the table nor its owner sets one."""
TIME_S_MAX: Final = 86_400


class Bot(Protocol):
    """A bot is one method. It sees only the view, and never needs to know the place of the game."""

    def choose(self, view: View) -> Action:
        """Return one of ``view.legal``."""
        ...


def check_bot(bot: object) -> None:
    """Raise TypeError for what cannot be asked for a choice, with the reason."""
    choose = getattr(bot, "choose", None)
    if isinstance(bot, type):
        raise TypeError(message("a bot is an object with a method choose, not the class {name}", name=bot.__name__))
    if not callable(choose):
        raise TypeError(message("a bot has a method choose, and {name} has none", name=type(bot).__name__))
    if inspect.iscoroutinefunction(choose):
        raise TypeError(message("choose of a bot is an ordinary method, not an async one: it is called in a thread"))
    if not _takes(choose, None):
        raise TypeError(message("choose of a bot takes one argument, the view"))


def make_bot(kind: Callable[..., Any], randomness: random.Random) -> Any:
    """Return a bot of this class, made with the source of randomness if it takes an argument."""
    return kind(randomness) if _takes(kind, randomness) else kind()


def _takes(function: Callable[..., Any], *arguments: object) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # One of C says nothing of its arguments.
        return True
    return True


@dataclass(frozen=True, slots=True)
class Program:
    """A command line. ``time_s`` is its time for a choice; ``verbose`` shows its standard error."""

    arguments: tuple[str, ...]
    time_s: float | None = None
    verbose: bool = False

    @property
    def options(self) -> list[str]:
        """Return the options with which it plays the seat again."""
        time = [] if self.time_s is None else ["--exec-time", f"{self.time_s:g}"]
        return ["--exec", shlex.join(self.arguments), *time, *(["--verbose-bot"] if self.verbose else [])]


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
        import trio  # what the names of the bots need not wait for

        assert refused is None, f"a bot chose what is not legal: {refused}"
        begun = trio.current_time()
        # A choice that is no longer needed may take its time: it costs only the bot's own randomness.
        action = await trio.to_thread.run_sync(self._bot.choose, view, abandon_on_cancel=True)
        await trio.sleep_until(begun + self._pace_s)
        return action
