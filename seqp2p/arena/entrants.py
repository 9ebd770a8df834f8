"""The bots of an arena by their names: bots of this program, Python classes, and programs.

``learned`` is a name of ``BOTS``; ``mymodule:MyBot`` is a class of a module that can be imported,
also from the current folder; a name with a space, a dot or a slash is a command line, as ``./bot.py`` or
``node bot.js``. A class is made for each seat of each game, with a seeded ``random.Random`` if it takes an argument.
"""

import importlib
import os
import random
import re
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stdout
from typing import Any, Final, Literal

from seqp2p.arguments import check_arguments
from seqp2p.bots.player import Bot, Program, check_bot, make_bot
from seqp2p.bots.registry import BOTS
from seqp2p.i18n import message, message_of
from seqp2p.rules import Action, RulesError, View, apply, parse_action

REASON_LENGTH_MAX: Final = 200
_CLASS: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
_PROGRAM: Final = re.compile(r"[\s./\\]")


class EntrantError(Exception):
    """A bot that cannot take part; the text has the reason."""


class BotFault(Exception):
    """A bot cannot go on, and loses its game; the text has the reason."""


class _TooSlow(BaseException):
    """The time for a choice is over. A bot that catches every Exception does not catch this."""


@check_arguments
def kind_of(name: str) -> Literal["bot", "class", "program"]:
    """Return the kind of bot that a name stands for.

    >>> [kind_of(name) for name in ("learned", "learned:200", "mymodule:MyBot", "./bot.py", "node bot.js")]
    ['bot', 'bot', 'class', 'program', 'program']
    """
    if name.partition(":")[0] in BOTS:
        return "bot"
    if _CLASS.fullmatch(name):
        return "class"
    return "program" if _PROGRAM.search(name) else "bot"


def entrant(name: str, seed: str, time_s: float) -> Bot | Program:
    """Return the bot or the program of this name. Raises EntrantError for a class that cannot be imported."""
    if kind_of(name) == "program":
        return Program(tuple(shlex.split(name)), time_s)
    randomness = random.Random(seed)  # noqa: S311  # the same choices again are wanted
    return BOTS[name](randomness) if kind_of(name) == "bot" else ClassBot(load_class(name), randomness, time_s)


def load_class(name: str) -> Callable[..., Any]:
    """Return the class of a name like ``mymodule:MyBot``. Raises EntrantError."""
    module, _, attribute = name.partition(":")
    if (here := os.getcwd()) not in sys.path:  # noqa: PTH109  # sys.path has strings
        sys.path.append(here)
    try:
        with redirect_stdout(sys.stderr):
            found = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code raises what it wants
        if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
            raise EntrantError(message("there is no module {module}", module=module)) from None
        reason = described(error)
        raise EntrantError(
            message("the module {module} cannot be imported: {reason}", module=module, reason=reason)
        ) from None
    make: Callable[..., Any] | None = getattr(found, attribute, None)
    if not callable(make):
        raise EntrantError(message("the module {module} has no class {name}", module=module, name=attribute))
    try:
        with redirect_stdout(sys.stderr):
            check_bot(make_bot(make, random.Random(0)))  # noqa: S311  # it plays no game
    except (Exception, SystemExit) as error:  # noqa: BLE001  # as above
        raise EntrantError(message("no bot can be made: {reason}", reason=described(error))) from None
    return make


class ClassBot:
    """A bot of a class that is not of this program: each of its faults is a BotFault."""

    def __init__(self, make: Callable[..., Any], randomness: random.Random, time_s: float) -> None:
        self._make = make
        self._randomness = randomness
        self._time_s = time_s
        self._bot: Bot | None = None

    def choose(self, view: View) -> Action:
        """Return the bot's choice. Raises BotFault if it raises, is too slow, or chooses no legal action."""
        try:
            with redirect_stdout(sys.stderr), _limited(self._time_s):
                bot = self._bot = self._bot or make_bot(self._make, self._randomness)
                choice: object = bot.choose(view)
        except _TooSlow:
            raise BotFault(message("it did not choose within {seconds} seconds", seconds=f"{self._time_s:g}")) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001  # foreign code raises what it wants
            raise BotFault(message("it raised {reason}", reason=described(error))) from None
        return _checked(view, choice)


def _checked(seen: View, choice: object) -> Action:
    """Return the action, or that of a text. Raises BotFault unless it is possible. The dealer checks it again."""
    if not isinstance(choice, Action | str):
        raise BotFault(message("it did not choose an Action: {what}", what=type(choice).__name__))
    try:
        action = parse_action(seen.variant, choice) if isinstance(choice, str) else choice
        if action not in seen.legal:
            apply(seen.position, action)
    except Exception as error:  # noqa: BLE001  # an action may be made of anything
        reason = message_of(error) if isinstance(error, RulesError) else described(error)
        raise BotFault(message("its choice is not legal: {reason}", reason=reason)) from None
    return action


def described(error: BaseException) -> str:
    """Return an error of foreign code in one line.

    >>> described(KeyError("e5"))
    "KeyError: 'e5'"
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:REASON_LENGTH_MAX] if text else type(error).__name__


@contextmanager
def _limited(time_s: float) -> Generator[None]:
    """Raise _TooSlow in the block when its time is over, or after it where the system cannot interrupt it.

    The signal comes again every second, so a bot that swallows it does not go on for ever.
    """
    begun = time.perf_counter()
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
    else:
        before = signal.signal(signal.SIGALRM, _too_slow)
        signal.setitimer(signal.ITIMER_REAL, time_s, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    if time.perf_counter() - begun > time_s:
        raise _TooSlow


def _too_slow(*_: object) -> None:
    raise _TooSlow
