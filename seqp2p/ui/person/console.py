"""A person's console: typed lines in, lines out; and the words before there is a game."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import message
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import LEAVING, shown, suggestible, word_of
from seqp2p.ui.person.input_parser import one_line
from seqp2p.ui.person.suggestions import nearest_word

LOBBY_HELP: Final = message("the game starts when the table is full; seats says who is here; leave goes away")
HOST_HELP: Final = message(
    "the game starts when the table is full; start fills the free seats with bots; seats says who is here; code says"
    " how others come; leave goes away"
)
HOST_STARTS: Final = message("only the host can start before the table is full")
LOBBY_WORDS: Final = ("help", "seats")
NOT_STARTED: Final = message("the game has not started; help says what you can do")


@dataclass(frozen=True, slots=True)
class Console:
    """A person's console: ``read`` gives the next typed line, or None at the end of the input; ``say`` shows a line.

    ``ring`` calls the person to the table. At a ``terminal`` the end of the input is a key that can be pressed by
    mistake. ``shows_table``: a screen shows the board, the hand and the turn anyway. ``hears``: the lines are read
    aloud, so the whole board comes only on request.
    """

    read: Callable[[], Awaitable[str | None]]
    say: Callable[[str], None]
    ring: Callable[[], None]
    terminal: bool
    shows_table: bool = False
    hears: bool = False


async def wait_in_lobby(
    desk: Console, start: Callable[[], None] | None = None, told: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> bool:
    """Obey typed words before there is a table, until the person leaves. Cancel it at the start.

    Return True if leaving was typed, False at the end of the input. ``start`` handles a host's word of that name;
    ``told`` returns the present answers to the other words.
    """
    words = [*LEAVING, *LOBBY_WORDS] if start is None else [*LEAVING, *LOBBY_WORDS, "code", "start"]
    while (typed := await desk.read()) is not None:
        word = word_of(one_line(typed))
        if word in LEAVING:
            return True
        if word == "start" and start is not None:
            start()
        elif word == "start":
            desk.say(translate(HOST_STARTS))
        elif word in told:
            for line in told[word]:
                desk.say(line)
        elif word == "help":
            desk.say(translate(LOBBY_HELP if start is None else HOST_HELP))
        elif word:
            near = nearest_word(one_line(typed), suggestible(words))
            desk.say(
                translate(NOT_STARTED)
                if near is None
                else t("the game has not started; did you mean {word}?", word=shown(near))
            )
    return False
