"""A person at typed lines: the board, hand and legal actions are printed, an action is read. ``QH e5``, ``9C dead``."""

from collections.abc import Awaitable, Callable, Sequence

import trio

from seqp2p.rules import Action, NotationError, View, parse_action
from seqp2p.ui.plain import board_lines, hand_line, help_line, legal_lines, score_line

LEAVING = frozenset({"leave", "resign", "quit"})


class Question:
    """What the player is asked, and the answer once there is one."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.action: Action | None = None
        self.answered = trio.Event()


class Person:
    """Plays a seat by typed lines. ``read`` gives the next line, or None at the end of the input.

    ``listen`` reads for as long as the game lasts, so that one can talk at any time; the lines that are typed while
    ``choose`` asks answer it.
    """

    def __init__(
        self, read: Callable[[], Awaitable[str | None]], say: Callable[[str], None], colours: Sequence[str]
    ) -> None:
        self._read = read
        self._say = say
        self._colours = colours
        self._question: Question | None = None
        self._asked = trio.Event()

    async def listen(self, speak: Callable[[str], Awaitable[None]], leave: Callable[[str], Awaitable[None]]) -> None:
        """Read what is typed; ``say …`` goes to ``speak``. At the end of the input, the next question leaves."""
        while (typed := await self._read()) is not None:
            line = " ".join(typed.split())
            word, _, rest = line.partition(" ")
            if word == "say":
                await speak(rest)
            elif line in LEAVING:
                await leave("left the table")
            elif self._question is not None:
                self._answer(self._question, line)
            elif line:
                self._show("it is not your turn yet; say TEXT talks to the table, leave leaves it")
        # The last line may be an answer that is still on its way: what ends the game is a question without one.
        while self._question is None:
            await self._asked.wait()
        await leave("the player's input ended")

    async def choose(self, view: View, refused: str | None) -> Action:
        """Ask until what is typed is an action; whether it may be done, the match says."""
        if refused is None:
            self._show(*board_lines(view, self._colours), score_line(view, self._colours))
            self._show(hand_line(view), *legal_lines(view), help_line(view))
        else:
            self._show(refused)
        question = self._question = Question(view)
        self._asked.set()
        self._asked = trio.Event()
        try:
            await question.answered.wait()
        finally:
            self._question = None
        assert question.action is not None, "an answer is an action"
        return question.action

    def _answer(self, question: "Question", line: str) -> None:
        """A line typed while the question is open. With an action it is closed: the next line is no second answer."""
        question.action = self._obey(question.view, line)
        if question.action is not None:
            self._question = None
            question.answered.set()

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
