"""The table's turn clock for readers of lines: three lines a turn in place of a clock on the screen."""

from collections.abc import Callable, Iterator
from typing import Final

import trio

from seqp2p.match.chain import VOTERS_MIN
from seqp2p.ui.language import t
from seqp2p.ui.words import clock

LOW_S: Final = 30
"""So many seconds before the end it is said that it comes; of a short turn half."""


def turn_line(turn_time_s: int) -> str:
    """That the turn is this player's, with the time for it if the table has a clock."""
    return t("your turn; {time} for it", time=clock(turn_time_s)) if turn_time_s else t("your turn")


async def remind(
    turn_time_s: int, seats: int, begun_at: float, answered: trio.Event, say: Callable[[str], None]
) -> None:
    """Tell the rest of a turn that began at this time of trio's clock, until it is answered or late.

    ``seats`` are still in the game.
    """
    for after_s, line in _reminders(turn_time_s, seats):
        if (due_at := begun_at + after_s) > trio.current_time():
            with trio.move_on_at(due_at):
                await answered.wait()
                return
            say(line)


def _reminders(turn_time_s: int, seats: int) -> Iterator[tuple[float, str]]:
    """Return the times of the lines, in seconds from the beginning of a turn; none without a clock."""
    if not turn_time_s:
        return
    left_s = min(LOW_S, turn_time_s / 2)
    yield turn_time_s - left_s, t("{time} left for your turn", time=clock(left_s))
    if seats >= VOTERS_MIN:
        yield turn_time_s, t("the time for your turn is over: the others can pass it over")
    else:  # Nobody can vote: the other waits for the time of two turns.
        yield (
            turn_time_s,
            t("the time for your turn is over: without a move the game ends in {time}", time=clock(turn_time_s)),
        )
