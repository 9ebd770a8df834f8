"""Where a person sits: typed lines in, lines out; and what can be typed before there is a game."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from seqp2p.players.meant import nearest_word
from seqp2p.players.typed import one_line
from seqp2p.players.vocabulary import LEAVING, shown, word_of
from seqp2p.said import said
from seqp2p.ui.language import t, tr

LOBBY_HELP: Final = said("the game starts when the table is full; leave goes away")
HOST_HELP: Final = said("the game starts when the table is full; start fills the free seats with bots; leave goes away")
NOT_STARTED: Final = said("the game has not started; help says what you can do")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a person sits: ``read`` gives the next typed line, or None at the end of the input; ``say`` shows a line.

    ``ring`` calls the person to the table. At a ``terminal`` the end of the input is a key that can be pressed by
    mistake. ``shows_table``: the board, the hand and whose turn it is are before the person's eyes anyway.
    """

    read: Callable[[], Awaitable[str | None]]
    say: Callable[[str], None]
    ring: Callable[[], None]
    terminal: bool
    shows_table: bool = False


async def wait_in_lobby(desk: Desk, start: Callable[[], None] | None = None) -> None:
    """Obey what is typed before there is a table; returns when the person wants to go away. Cancel it at the start.

    ``start`` is what a host's word of that name does.
    """
    words = [*LEAVING, "help"] if start is None else [*LEAVING, "help", "start"]
    words += map(shown, tuple(words))
    while (typed := await desk.read()) is not None:
        word = word_of(one_line(typed))
        if word in LEAVING:
            return
        if word == "start" and start is not None:
            start()
        elif word in ("help", "?"):
            desk.say(tr(LOBBY_HELP if start is None else HOST_HELP))
        elif word:
            near = nearest_word(word, words)
            desk.say(
                tr(NOT_STARTED) if near is None else t("the game has not started; did you mean {word}?", word=near)
            )
