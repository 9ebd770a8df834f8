"""A person at typed lines: the board, hand and legal actions are printed, an action is read. ``QH e5``, ``9C dead``."""

from collections.abc import Awaitable, Callable, Sequence

import trio

from seqp2p.rules import Action, NotationError, View, parse_action
from seqp2p.ui.plain import board_lines, hand_line, help_line, legal_lines, score_line

LEAVING = frozenset({"leave", "resign", "quit"})


class Person:
    """Plays a seat by typed lines. ``read`` gives the next line, or None at the end of the input.

    ``listen`` reads for as long as the game lasts, so that one can talk at any time; ``choose`` gets the lines that
    are typed while it asks.
    """

    def __init__(
        self, read: Callable[[], Awaitable[str | None]], say: Callable[[str], None], colours: Sequence[str]
    ) -> None:
        self._read = read
        self._say = say
        self._colours = colours
        self._give, self._lines = trio.open_memory_channel[str](0)
        self._choosing = False

    async def listen(self, speak: Callable[[str], Awaitable[None]], leave: Callable[[str], Awaitable[None]]) -> None:
        """Read what is typed until the input ends, which leaves the table; ``say …`` goes to ``speak``."""
        while (typed := await self._read()) is not None:
            line = " ".join(typed.split())
            word, _, rest = line.partition(" ")
            if word == "say":
                await speak(rest)
            elif line in LEAVING:
                await leave("left the table")
            elif self._choosing:
                await self._give.send(line)
            elif line:
                self._show("it is not your turn yet; say TEXT talks to the table, leave leaves it")
        await leave("the player's input ended")

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask until what is typed is an action; whether it may be done, the match says."""
        if refused is None:
            self._show(*board_lines(view, self._colours), score_line(view, self._colours))
            self._show(hand_line(view), *legal_lines(view), help_line(view))
        else:
            self._show(refused)
        self._choosing = True
        try:
            while True:
                if (action := self._obey(view, await self._lines.receive())) is not None:
                    return action
        finally:
            self._choosing = False

    def _obey(self, view: View, line: str) -> Action | None:
        """Do what a typed line says; returns the action if it is one."""
        answers = {
            "board": lambda: [*board_lines(view, self._colours), score_line(view, self._colours)],
            "hand": lambda: [hand_line(view)],
            "moves": lambda: legal_lines(view),
            "help": lambda: [help_line(view)],
            "": lambda: [help_line(view)],
        }
        if line in answers:
            self._show(*answers[line]())
            return None
        for spelling in (line, tidied(line)):
            try:
                return parse_action(view.variant, spelling)
            except NotationError as error:
                fault = str(error)
        self._show(fault)
        return None

    def _show(self, *lines: str) -> None:
        for line in lines:
            self._say(line)


def tidied(line: str) -> str:
    """What people type for an action, in its one form: card names in capitals, squares and words in small letters.

    >>> tidied("qh E5"), tidied("js XD7"), tidied("9c Dead"), tidied("PASS")
    ('QH e5', 'JS xd7', '9C dead', 'pass')
    """
    card, _, rest = line.lower().partition(" ")
    return f"{card.upper() if rest and len(card) == 2 else card} {rest}".strip()
