"""The lines that tell a person how much time a turn has left."""

from collections.abc import Callable, Iterator
from typing import Final

import trio

from seqp2p.match.chain import VOTERS_MIN
from seqp2p.ui.language import t
from seqp2p.ui.words import clock

LOW_S: Final = (30, 10)
"""So many seconds before the end it is said that it comes; of a short turn half."""


def turn_line(turn_time_s: int) -> str:
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
    """Yield lines with their times, in seconds from the beginning of a turn; none without a clock."""
    if not turn_time_s:
        return
    rests, whole = sorted({min(low_s, turn_time_s / 2) for low_s in LOW_S}, reverse=True), clock(turn_time_s)
    if seats >= VOTERS_MIN:
        for left_s in rests:
            line = t("{time} left for your turn; then the others can skip it", time=clock(left_s))
            yield turn_time_s - left_s, line
        yield turn_time_s, t("time for your turn is up: the others can skip it")
        return
    # Nobody can vote: the other waits for the time of two turns.
    for left_s in rests:
        line = t("{time} left for your turn; then you have {more} more", time=clock(left_s), more=whole)
        yield turn_time_s - left_s, line
    yield turn_time_s, t("time for your turn is up: without a move the game ends in {time}", time=whole)
    for left_s in rests:
        line = t("{time} left: without a move, the game then ends unfinished", time=clock(left_s))
        yield 2 * turn_time_s - left_s, line
    yield 2 * turn_time_s, t("the time for two turns is up: the game ends unfinished")
