"""The process that called bots ends, one way or another: its bots play on as long as they should, and no longer."""

import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.processes import Household, children, is_running, wait_until, wait_until_gone
from tests.helpful import HELPFUL

GRACE_S = 1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
MOMENTS = ("^at the table: ", "^the table is full$", "has shuffled", "^your hand: ")


def seconds_of_bots(people: Household, who: str, number: signal.Signals, moment: str) -> float:
    """Play until that moment, send the signal, and return for how long the bots have outlived the person's process."""
    game = people.start(
        *("play", "--bots", "2", "--variant", "kids", "--bot", HELPFUL, "--pace", "0", "--grace", GRACE_S),
        *("--name", "ann", "--replay-dir", people.replays(who)),
        who=who,
        stdin=subprocess.PIPE,
    )
    wait_until(lambda: bool(children(game.pid)), "no bots")
    game.line(moment)
    bots = children(game.pid)
    game.signal(number)
    game.end()
    begun = time.monotonic()
    left = any(map(is_running, bots))
    if number in SIGNALS[:2] and moment != MOMENTS[-1]:
        assert not left, "bots stay though there is nothing to come back to"
    elif number == signal.SIGKILL and moment == MOMENTS[-1]:
        assert left, "bots do not play on"
    wait_until_gone(bots)
    return time.monotonic() - begun


@pytest.mark.parametrize(("number", "moment"), [*zip(SIGNALS, (1, 2, 0, 3), strict=True)])
def test_bots_end_after_their_caller(people: Household, number: signal.Signals, moment: int) -> None:
    seconds_of_bots(people, "ann", number, MOMENTS[moment])


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_bots_end_after_a_hundred_callers(people: Household) -> None:
    def play(game: int) -> float:
        return seconds_of_bots(people, f"ann-{game}", SIGNALS[game % 4], MOMENTS[game // 4 % 4])

    with ThreadPoolExecutor(3) as games:
        seconds = list(games.map(play, range(100)))
    print("seconds:", [round(max(seconds[first::4]), 1) for first in range(4)])
