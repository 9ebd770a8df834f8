"""Players: a bot, a person, a program. All get the same view and return an action."""

from typing import Protocol

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
