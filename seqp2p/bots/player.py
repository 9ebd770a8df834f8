"""Who chooses for a seat: a bot, a person, later an external program. All get the same view and return an action."""

from typing import Protocol

from seqp2p.rules import Action, View


class Bot(Protocol):
    """A bot is one method. It sees nothing but the view, and never needs to know where it plays."""

    def choose(self, view: View) -> Action:
        """One of ``view.legal_actions``."""
        ...


class SeatPlayer(Protocol):
    """What plays a seat at a table, under trio."""

    async def choose(self, view: View, refused: str | None) -> Action:
        """The seat's action. ``refused`` is why the last choice for this very turn was not possible, or None.

        Cancelled when the question is taken back; the next one is not put before that has been noticed.
        """
        ...
