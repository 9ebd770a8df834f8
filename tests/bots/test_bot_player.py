"""A bot at a table: in a thread, at a pace."""

import random
import threading

import pytest
import trio
import trio.testing

from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.rules import KIDS, Action, View
from tests.rules.playing import Table


@pytest.fixture
def seen() -> View:
    return Table(KIDS, 2, 2).seen(5)


class Thinker:
    """A bot that notes where it thinks."""

    thread: threading.Thread | None = None

    def choose(self, seen: View) -> Action:
        self.thread = threading.current_thread()
        return seen.legal[0]


async def test_it_chooses_at_once_without_a_pace(seen: View, autojump_clock: trio.testing.MockClock) -> None:
    begun = trio.current_time()
    assert await BotPlayer(RandomBot(random.Random(1))).choose(seen, None) in seen.legal
    assert trio.current_time() == begun


async def test_a_turn_takes_its_pace(seen: View, autojump_clock: trio.testing.MockClock) -> None:
    player = BotPlayer(RandomBot(random.Random(1)), 2.5)
    for turn in range(1, 4):
        assert await player.choose(seen, None) in seen.legal
        assert trio.current_time() == pytest.approx(2.5 * turn)


async def test_it_thinks_in_a_thread_of_its_own(seen: View) -> None:
    bot = Thinker()
    await BotPlayer(bot).choose(seen, None)
    assert bot.thread not in (None, threading.current_thread())


async def test_a_bot_that_is_refused_is_a_fault_of_this_program(seen: View) -> None:
    with pytest.raises(AssertionError, match="d5 is taken"):
        await BotPlayer(RandomBot(random.Random(1))).choose(seen, "d5 is taken")
