"""The things that the task with the match takes, one after the other, and its end."""

from dataclasses import dataclass
from typing import TypeAlias

from seqp2p.live.asking import Chosen
from seqp2p.match.events import Result
from seqp2p.net.relay import LinkDown, LinkUp, Moved, Received


@dataclass(frozen=True, slots=True)
class Leaving:
    """This seat's own player leaves."""

    reason: str


@dataclass(frozen=True, slots=True)
class Saying:
    """This seat's own player says something."""

    text: str


@dataclass(frozen=True, slots=True)
class GoOn:
    """This seat's own player does not want to wait for an absent seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


InboxItem: TypeAlias = Received | LinkUp | LinkDown | Moved | Chosen | Leaving | Saying | GoOn | Tick


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session. ``farewell`` is said to the others: empty for leaving."""

    result: Result
    farewell: str
