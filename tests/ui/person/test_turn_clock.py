"""The turn clock in lines."""

import pytest
import trio

from seqp2p.ui.person.turn_clock import remind, turn_line

pytestmark = pytest.mark.usefixtures("autojump_clock")


def test_the_time_is_said_with_the_turn() -> None:
    assert (turn_line(120), turn_line(0)) == ("your turn; 2:00 for it", "your turn")


@pytest.mark.parametrize(
    ("turn_time_s", "seats", "told"),
    [
        (0, 2, []),
        (
            10,
            3,
            [
                (5, "0:05 left for your turn; then the others can skip it"),
                (10, "time for your turn is up: the others can skip it"),
            ],
        ),
        (
            120,
            2,
            [
                (90, "0:30 left for your turn; then you have 2:00 more"),
                (110, "0:10 left for your turn; then you have 2:00 more"),
                (120, "time for your turn is up: without a move the game ends in 2:00"),
                (210, "0:30 left: without a move, the game then ends unfinished"),
                (230, "0:10 left: without a move, the game then ends unfinished"),
                (240, "the time for two turns is up: the game ends unfinished"),
            ],
        ),
    ],
)
async def test_it_is_said_what_is_left(turn_time_s: int, seats: int, told: list[tuple[int, str]]) -> None:
    begun = trio.current_time()
    heard: list[tuple[int, str]] = []
    await remind(
        turn_time_s, seats, begun, trio.Event(), lambda line: heard.append((round(trio.current_time() - begun), line))
    )
    assert heard == told
    await remind(turn_time_s, seats, begun, trio.Event(), lambda line: heard.append((-1, line)))
    assert heard == told, "what was asked again is late already"


async def test_an_answer_ends_it() -> None:
    answered, heard = trio.Event(), list[str]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(remind, 60, 2, trio.current_time(), answered, heard.append)
        await trio.sleep(1)
        answered.set()
    assert heard == []
