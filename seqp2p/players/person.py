"""A person at typed lines: the board, hand and legal actions are printed, an action is read. ``QH e5``, ``9C dead``."""

from collections.abc import Awaitable, Callable, Sequence

from seqp2p.players.player import Leave
from seqp2p.rules import Action, NotationError, View, parse_action
from seqp2p.ui.plain import board_lines, hand_line, help_line, legal_lines, score_line


class Person:
    """Plays a seat by typed lines. ``read`` gives the next line, or None at the end of the input."""

    def __init__(
        self, read: Callable[[], Awaitable[str | None]], say: Callable[[str], None], colours: Sequence[str]
    ) -> None:
        self._read = read
        self._say = say
        self._colours = colours

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask until what is typed is an action; whether it may be done, the match says. Raises Leave."""
        if refused is None:
            self._show(*board_lines(view, self._colours), score_line(view, self._colours))
            self._show(hand_line(view), *legal_lines(view), help_line(view))
        else:
            self._show(refused)
        while True:
            line = await self._read()
            if line is None:
                raise Leave("the player's input ended")
            if (action := self._obey(view, " ".join(line.split()))) is not None:
                return action

    def _obey(self, view: View, line: str) -> Action | None:
        """Do what a typed line says; returns the action if it is one."""
        answers = {
            "board": lambda: [*board_lines(view, self._colours), score_line(view, self._colours)],
            "hand": lambda: [hand_line(view)],
            "moves": lambda: legal_lines(view),
            "help": lambda: [help_line(view)],
            "": lambda: [help_line(view)],
        }
        if line in ("leave", "resign", "quit"):
            raise Leave("left the table")
        if line in answers:
            self._show(*answers[line]())
            return None
        try:
            return parse_action(view.variant, line)
        except NotationError as error:
            self._show(f"{error}")
            return None

    def _show(self, *lines: str) -> None:
        for line in lines:
            self._say(line)
