"""A program at a table: its faults cost its own time, and it ends with all that it has started."""

import json
import os
import random
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from seqp2p.bots import exec_player, program
from seqp2p.bots.exec_player import BotFailed, ExecPlayer, Notice, ProgramEnded, Stale, Time, Wrong
from seqp2p.bots.player import Program
from seqp2p.bots.program import ANSWER_SIZE_MAX, LINE_SIZE_MAX, environment
from seqp2p.bots.registry import RandomBot
from seqp2p.bots.wire import hello
from seqp2p.match.events import Result, Turned
from seqp2p.rules import KIDS, PASS, Options, View
from tests.cli.processes import is_running, wait_until
from tests.rules.playing import Table

pytestmark = pytest.mark.process

STRANGE = str(Path(__file__).with_name("strange_bot.py"))
# Shorter than what a program sleeps that does not answer, and than anything that is waited for in vain.
SOON_S = 0.5
LONG_S = 30.0
WON = Result("won", (1,))


@pytest.fixture
def seen() -> View:
    return Table(KIDS, 2, 2).seen(5)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that does not end is not waited for long."""
    for module in (exec_player, program):
        monkeypatch.setattr(module, "GOODBYE_S", 0.3)


hurry = pytest.mark.usefixtures("hurried")


def player_of(program: Program, notices: list[Notice], time_s: float = LONG_S, pace_s: float = 0.0) -> ExecPlayer:
    table = hello(1, KIDS, 2, Options(), ["ann", "bob"], game=b"", turn_time_s=0)
    return ExecPlayer(program, table, KIDS, Time(time_s), RandomBot(random.Random(1)), notices.append, pace_s)


class Bench:
    """A program that plays, the messages that it was sent, and the notices."""

    def __init__(self, directory: Path, manner: str, time_s: float, pace_s: float) -> None:
        self.notices: list[Notice] = []
        self._seen = directory / "seen"
        # Without the site module a Python is there in half the time.
        program = Program((sys.executable, "-S", STRANGE, manner, str(self._seen)))
        self.player = player_of(program, self.notices, time_s, pace_s)

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._seen.read_text().splitlines()]

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.sent]

    @property
    def failures(self) -> list[BotFailed]:
        return [notice for notice in self.notices if isinstance(notice, BotFailed)]

    def child(self) -> int:
        """The process that the program has started."""
        path = Path(f"{self._seen}.pids")
        wait_until(path.exists, "the program starts no other")
        return int(path.read_text())


@asynccontextmanager
async def playing(
    directory: Path, manner: str, time_s: float = LONG_S, pace_s: float = 0.0, *, finish: bool = True
) -> AsyncGenerator[Bench]:
    """A program that plays until the block ends, and is then told how the game ended."""
    bench = Bench(directory, manner, time_s, pace_s)
    async with trio.open_nursery() as nursery:
        await nursery.start(bench.player.run)
        yield bench
        if finish:
            await bench.player.finish(WON)
        nursery.cancel_scope.cancel()


async def test_a_good_program_plays(seen: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_player, "GOODBYE_S", LONG_S)  # On a busy machine a process takes a while to end.
    async with playing(tmp_path, "good") as bench:
        for _ in range(3):
            assert await bench.player.choose(seen, None) == seen.legal[0]
            bench.player.hear(Turned(1, 2, PASS))
    assert bench.types == ["environment", "hello", "view", "event", "view", "event", "view", "event", "result"]
    assert bench.notices == [ProgramEnded(killed=False)]
    views = [message for message in bench.sent if message["type"] == "view"]
    assert [each["id"] for each in views] == [1, 2, 3]
    assert [len(each["history"]) for each in views] == [0, 1, 1]
    assert views[1]["history"] == [{"event": "turn", "turn": 1, "seat": 2, "action": "pass"}]
    assert views[0]["time_s"] == LONG_S


async def test_nothing_secret_is_in_its_environment(
    seen: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQP2P_CODE", "7-amber-falcon")
    monkeypatch.setenv("SEQP2P_HOME", "/home/ann/seqp2p")
    async with playing(tmp_path, "good") as bench:
        await bench.player.choose(seen, None)
    given = bench.sent[0]
    assert given["PATH"] == os.environ["PATH"]
    assert not [name for name in given if name.startswith("SEQP2P")]
    assert "amber" not in json.dumps(given)


@pytest.mark.parametrize("before", [None, "/usr/local/lib"])
def test_the_libraries_of_one_file_are_not_in_its_environment(
    monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/tmp/_MEI")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    if before is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)
    assert environment().get("LD_LIBRARY_PATH") == before


async def test_a_slow_program_loses_its_turn(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "slow", SOON_S, finish=False) as bench:
        begun = trio.current_time()
        assert await bench.player.choose(seen, None) in seen.legal
        assert SOON_S <= trio.current_time() - begun < 10
        assert bench.failures == [BotFailed("it did not choose within 0.5 seconds", gone=False, silent=True)]


async def test_an_answer_that_comes_late_is_passed_over(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "late", 3 * SOON_S) as bench:
        await bench.player.choose(seen, None)
        assert len(bench.failures) == 1
        assert await bench.player.choose(seen, None) == seen.legal[0]
    assert Stale(1, taken_back=False) in bench.notices


async def test_a_program_that_writes_without_end_loses_its_turn(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "flood") as bench:
        assert await bench.player.choose(seen, None) == seen.legal[0]
        for _ in range(4):
            assert await bench.player.choose(seen, None) in seen.legal
        reason = f"it has written more than {ANSWER_SIZE_MAX} bytes"
        assert bench.failures == [BotFailed(reason, gone=False)] * 2 + [BotFailed(reason, gone=True)]
    # What it writes is read only while it is asked: else it waits, and takes nobody's time.
    assert len([notice for notice in bench.notices if isinstance(notice, Stale)]) < 3 * ANSWER_SIZE_MAX / 40


async def test_a_huge_line_costs_one_turn(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "huge") as bench:
        assert await bench.player.choose(seen, None) in seen.legal
        assert bench.failures == [BotFailed(f"it has written a line of more than {LINE_SIZE_MAX} bytes", gone=False)]
        # The rest of it is passed over, and so is the answer behind it.
        assert await bench.player.choose(seen, None) == seen.legal[0]
        assert bench.notices[1:] == [Stale(1, taken_back=False)]
        await bench.player.choose(seen, None)
        assert bench.player._failures == 0


async def test_the_third_failure_in_a_row_is_the_last(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "stubborn") as bench:
        for _ in range(5):
            assert await bench.player.choose(seen, None) in seen.legal
        assert [failed.gone for failed in bench.failures] == [False, False, True]
        assert bench.player.is_gone
    assert not [notice for notice in bench.notices if isinstance(notice, ProgramEnded)]


@hurry
@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("die", "it has ended, with exit status 3"),
        ("killed", "it has ended, by signal 9"),
        ("deaf", "it has closed its standard input"),
        ("mute", "it has closed its standard output"),
    ],
)
async def test_a_program_that_ends_is_gone(manner: str, reason: str, seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, manner) as bench:
        if manner == "deaf":
            wait_until((tmp_path / "seen.closed").exists, "it goes on reading")
        for _ in range(4):
            assert await bench.player.choose(seen, None) in seen.legal
            bench.player.hear(Turned(1, 2, PASS))
        assert bench.failures == [BotFailed(reason, gone=True)]


async def test_a_program_that_never_reads_is_gone(seen: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_player, "QUEUE_MAX", 3)
    async with playing(tmp_path, "asleep") as bench:
        with trio.fail_after(LONG_S):
            while not bench.player.is_gone:
                # A pipe takes as much as it can hold, without anybody reading.
                bench.player.emit({"event": "remark", "text": "x" * 60_000})
                await trio.lowlevel.checkpoint()
        assert bench.failures == [BotFailed("it does not read what it is sent", gone=True)]
        assert await bench.player.choose(seen, None) in seen.legal
    assert len(bench.failures) == 1


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("rubbish", "this is not a choice (JSON is malformed"),
        ("ahead", "there is no question 2"),
        ("illegal", "seat 2 cannot pass"),
    ],
)
async def test_a_wrong_answer_is_answered_with_a_reason(manner: str, reason: str, seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, manner) as bench:
        assert await bench.player.choose(seen, None) == seen.legal[0]
    assert bench.types == ["environment", "hello", "view", "error", "result"]
    (wrong,) = [notice for notice in bench.notices if isinstance(notice, Wrong)]
    assert wrong.number == 1
    assert wrong.reason.startswith(reason)
    assert bench.sent[3]["reason"] == wrong.reason
    assert not bench.failures


async def test_an_answer_to_an_old_question_is_passed_over(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "twice") as bench:
        for _ in range(3):
            assert await bench.player.choose(seen, None) == seen.legal[0]
        assert bench.notices == [Stale(1, taken_back=False), Stale(2, taken_back=False)]


async def test_the_table_may_refuse_what_the_view_allows(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "caller") as bench:
        assert (await bench.player.choose(seen, None)).kind == "call"
        assert await bench.player.choose(seen, "seat 2 has said nothing") == seen.legal[0]
    assert [message["id"] for message in bench.sent if message["type"] in ("view", "error")] == [1, 1]
    assert not bench.failures


async def test_who_is_refused_too_often_draws_a_lot(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "babble", SOON_S) as bench:
        assert await bench.player.choose(seen, None) in seen.legal
        assert len(bench.failures) == 1
        # Whatever the table says of the lot, another is drawn.
        assert await bench.player.choose(seen, "no") in seen.legal
        assert len(bench.failures) == 1


async def test_a_question_that_is_taken_back(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "good") as bench:
        bench.player.ask_in_vain(seen)
        assert await bench.player.choose(seen, None) == seen.legal[0]
    assert [(each["type"], each["id"]) for each in bench.sent if "id" in each] == [
        ("view", 1),
        ("void", 1),
        ("view", 2),
    ]
    assert Stale(1, taken_back=True) in bench.notices
    assert not bench.failures


async def test_a_turn_takes_its_pace(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "good", pace_s=0.6) as bench:
        begun = trio.current_time()
        await bench.player.choose(seen, None)
        assert trio.current_time() - begun >= 0.6


async def test_a_program_that_cannot_be_started(seen: View, tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("nothing that could be run")
    script.chmod(0o700)
    notices: list[Notice] = []
    player = player_of(Program((str(script),)), notices)
    async with trio.open_nursery() as nursery:
        await nursery.start(player.run)
        player.hear(Turned(1, 2, PASS))
        assert await player.choose(seen, None) in seen.legal
        await player.finish(WON)
    (failed,) = notices
    assert isinstance(failed, BotFailed)
    assert failed.gone
    assert failed.reason.startswith("it cannot be started: its first line names no interpreter")


@hurry
async def test_a_program_that_stays_after_the_end_is_killed(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "stays") as bench:
        await bench.player.choose(seen, None)
    assert bench.notices == [ProgramEnded(killed=True)]


@hurry
@pytest.mark.parametrize("finish", [True, False])
async def test_its_children_end_with_it(seen: View, tmp_path: Path, *, finish: bool) -> None:
    async with playing(tmp_path, "family", finish=finish) as bench:
        await bench.player.choose(seen, None)
        child = bench.child()
        assert is_running(child)
    wait_until(lambda: not is_running(child), "the child of a program outlives it")


@hurry
async def test_its_children_end_when_it_has_gone_before(seen: View, tmp_path: Path) -> None:
    async with playing(tmp_path, "deserted", SOON_S) as bench:
        child = await trio.to_thread.run_sync(bench.child)
        with trio.fail_after(LONG_S):
            while not bench.player.is_gone:
                await bench.player.choose(seen, None)
    wait_until(lambda: not is_running(child), "the child of a program outlives it")


@hurry
async def test_a_game_that_ends_while_it_sleeps(tmp_path: Path) -> None:
    """A program that does not read is not waited for longer than the goodbye takes."""
    async with playing(tmp_path, "asleep") as bench:
        bench.player.emit({"event": "remark", "text": "x" * 200_000})
        await trio.testing.wait_all_tasks_blocked()
    assert bench.notices == [ProgramEnded(killed=True)]


def test_the_options_that_name_a_program_again() -> None:
    assert Program(("./bot.py",)).options == ["--exec", "./bot.py"]
    both = Program(("python3", "my bot.py"), 2.5, verbose=True)
    assert both.options == ["--exec", "python3 'my bot.py'", "--exec-time", "2.5", "--verbose-bot"]
