"""Programs that do one wrong thing after another: the games go on, and no process stays."""

import shlex
import sys
from pathlib import Path

import pytest
import trio

from seqp2p.arena import make_contest, play_deal
from seqp2p.arena.conformance import TABLES, try_program
from seqp2p.bots.program import Program
from tests.cli.processes import is_running, wait_until

pytestmark = pytest.mark.process

FAULTY = Path(__file__).parents[1] / "bots" / "faulty_bot.py"
PROMPT = ("illegal", "rubbish", "ahead", "twice", "huge", "half", "late", "exit", "close", "empty", "bytes")
NOTICED = {"rubbish", "ahead", "huge", "exit", "close", "silence", "empty", "bytes"}
"""Faults that are always a problem. A line in two halves is none; the others may answer a question taken back."""
LONG_S = 60.0
TABLE_NUMBERS = (0, 1, 2, 9, 10)
"""Tables without forgotten draws, which are asked in vain up to the end."""


def faulty(seed: int, file: Path, faults: tuple[str, ...]) -> tuple[str, ...]:
    return sys.executable, "-S", str(FAULTY), str(seed), "0.05", str(file), *faults


def told(file: Path) -> tuple[set[str], list[int]]:
    """The faults that a program has done, and its processes."""
    lines = [line.split() for line in file.read_text().splitlines()]
    return {what for kind, what in lines if kind == "fault"}, [int(what) for kind, what in lines if kind == "pid"]


def check_gone(processes: list[int]) -> None:
    wait_until(lambda: not any(map(is_running, processes)), "a program outlives its game")


async def check_trial(seed: int, folder: Path, faults: tuple[str, ...], time_s: float) -> None:
    """A fault is a problem, at its own table alone; without one there is none, if there is all the time for it."""
    for number in TABLE_NUMBERS:
        file = folder / f"trial {seed} {number}"
        program = Program(faulty(seed, file, faults), time_s)
        (found,) = [each async for each in try_program(program, [TABLES[number]], games=2, seed=seed)]
        done, processes = told(file)
        assert found.games == len(processes) == (2 if not found.gone else found.games)
        assert bool(done & NOTICED) <= bool(found.problems), (done, found)
        if not done and time_s == LONG_S:
            assert not found.problems
        check_gone(processes)


def check_deal(seed: int, folder: Path, faults: tuple[str, ...], time_s: float) -> None:
    """Each game has its points, and a bot that fails is named with a reason."""
    files = [folder / f"first {seed}", folder / f"second {seed}"]
    bots = [shlex.join(faulty(seed, file, faults)) for file in files]
    result = play_deal(make_contest([*bots, "random"], "kids", 3), seed, 0, time_s=time_s)
    assert len(result.games) == 6
    for game in result.games:
        assert bool(game.failed) == bool(game.reason)
        assert not (game.failed and game.winner)
        assert sum(game.score(team, 3) for team in (1, 2, 3)) == pytest.approx(1)
    for file in files:
        _, processes = told(file)
        assert len(processes) <= 6
        check_gone(processes)


async def test_a_mix_of_faults_in_a_trial(tmp_path: Path) -> None:
    await check_trial(1, tmp_path, PROMPT, LONG_S)


def test_a_mix_of_faults_in_the_arena(tmp_path: Path) -> None:
    check_deal(1, tmp_path, PROMPT, LONG_S)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 30))
async def test_many_mixes_of_faults(seed: int, tmp_path: Path) -> None:
    """With silence, too: games wait for it in vain."""
    await check_trial(seed, tmp_path, (*PROMPT, "silence"), time_s=2.0)
    await trio.to_thread.run_sync(check_deal, seed, tmp_path, (*PROMPT, "silence"), 2.0)
