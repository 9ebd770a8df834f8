"""A person's console: typed lines in, lines out; and the words before there is a game."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from seqp2p.i18n import message
from seqp2p.rules import Action, Card, Variant
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import LEAVING, NO, YES, Answers, answer_to, shown, suggestible, word_of
from seqp2p.ui.person.input_parser import nearest_word, one_line, saying
from seqp2p.ui.question import Question

LOBBY_HELP: Final = message(
    "the game starts when the table is full and the host begins; seats shows who is here, seat 3"
    " takes a free seat, colour green asks for a colour for your team, say TEXT talks to all, mute"
    " NAME hides what a player says; leave leaves the table"
)
HOST_HELP: Final = message(
    "start begins the game, with bots on the free seats; seats shows who is here, code how others can join, and copy"
    " copies that; reach says how friends elsewhere can join; colour green asks for a colour for your team, say TEXT"
    " talks to all, mute NAME hides what a player says; move NAME 3 gives a player another seat, remove NAME removes"
    " one for good; leave leaves the table"
)
HOST_STARTS: Final = message("only the host can start before the table is full")
NOT_STARTED: Final = message("the game has not started; help says what you can do")
HOW_TO_SAY: Final = message("add what you want to say, like: say hello")


@dataclass(frozen=True, slots=True)
class Console:
    """A person's console: ``read`` gives the next typed line, or None at the end of the input; ``say`` shows a line.

    ``ring`` calls the person to the table with a few words; ``title`` shows others there, for a person who looks
    elsewhere. At a ``terminal`` the end of the input is a key that can be pressed by
    mistake. ``shows_table``: a screen shows the board, the hand and the turn anyway; ``repaint`` shows a new question
    there. ``hears``: the lines are read aloud, so lessons show the whole board only on request. ``card`` names a
    card, ``action`` an action. ``ask`` shows a question about something until it is None.
    """

    read: Callable[[], Awaitable[str | None]]
    say: Callable[[str], None]
    ring: Callable[[str], None]
    terminal: bool
    title: Callable[[str], None] = lambda _: None
    shows_table: bool = False
    hears: bool = False
    card: Callable[[Variant, Card], str] = card_shown
    action: Callable[[Variant, Action], str] = action_shown
    repaint: Callable[[], None] = lambda: None
    ask: Callable[[str, Question | None], None] = lambda _about, _question: None

    def show(self, *lines: str) -> None:
        for line in filter(None, lines) if self.shows_table else lines:  # A screen marks each line.
            self.say(line)


async def is_confirmed(
    read: Callable[[], Awaitable[str | None]], again: Callable[[], None], *, empty: bool = False
) -> bool:
    """Return True for a typed yes; False for no, leaving, and the end of the input. ``again`` repeats the question.

    ``empty`` is True if a line without a word is a yes, too.
    """
    while (line := await read()) is not None:
        if (word := word_of(line)) in YES | NO | LEAVING:
            return word in YES
        if empty and not line.strip():
            return True
        again()
    return False


def lobby_answers(told: Mapping[str, Sequence[str]], start: Callable[[], None] | None = None) -> Answers:
    """Return the words of every lobby. ``told`` has the present answers to some; ``start`` begins, for a host."""

    def begin(_: str) -> Sequence[str]:
        if start is None:
            return [translate(HOST_STARTS)]
        start()
        return ()

    return {
        "help": lambda _: [translate(LOBBY_HELP if start is None else HOST_HELP)],
        "start": begin,
        "seats": lambda _: told.get("seats", [translate(NOT_STARTED)]),
        "code": lambda _: told.get("code", [translate(NOT_STARTED)]),
    }


async def wait_in_lobby(desk: Console, answers: Answers, asked: Callable[[], bool] = lambda: False) -> bool:
    """Obey typed words before there is a table, until the person leaves. Cancel it at the start.

    ``asked`` closes the question whether to leave, and returns True if it was open. Return True if leaving was typed,
    False at the end of the input.
    """
    while (typed := await desk.read()) is not None:
        line = one_line(typed)
        if asked() and (word_of(line) in YES | NO or not line):
            if word_of(line) in YES:
                return True
            desk.show(t("you stay"))
            continue
        if word_of(line) in LEAVING:
            return True
        found = answer_to(line, answers)
        if found is None and line:
            found = [("say" in answers and saying(line)) or translate(NOT_STARTED)]
            if near := nearest_word(line, suggestible(answers)):
                found = [t("the game has not started; did you mean {word}?", word=shown(near))]
        desk.show(*(found or ()))
    return False
