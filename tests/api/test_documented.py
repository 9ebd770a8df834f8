"""The examples of docs/scripting.md, "As a library", and of docs/examples, run as they are printed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import trio

import seqp2p
from tests.api.tools import LIMIT_S, Task, ended, play_two_games, play_varied, played_in, table_with, until

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
GOLDEN = str(ROOT / "replays" / "kids-3.seqp2p")
CHAPTER = (ROOT / "docs" / "scripting.md").read_text("utf-8").split("\n## As a library\n")[1].split("\n## ")[0]
PROGRAMS: Final = {
    found[1]: found[0] for found in re.finditer(r"# (\w+)\.py: .*?(?=\n```)", CHAPTER, re.DOTALL) if found[1]
}
# tests/cli plays with bot.py.
EXAMPLES: Final = {
    path.stem: path.read_text("utf-8") for path in (ROOT / "docs" / "examples").glob("*.py") if path.stem != "bot"
}


def test_every_program_is_run_here() -> None:
    assert CHAPTER.count("```python\n# ") == CHAPTER.count("```python") == len(PROGRAMS)
    tested = Path(__file__).read_text("utf-8")
    assert [name for name in (PROGRAMS | EXAMPLES) if f'"{name}"' not in tested] == []


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "SEQP2P_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}


async def run(name: str, folder: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run one of the programs in this folder, as a player of its own; it must end well."""
    source = (PROGRAMS | EXAMPLES)[name].replace("GAMES = 50", "GAMES = 4").replace("deals=20", "deals=4")
    done: subprocess.CompletedProcess[bytes] = await trio.run_process(
        [sys.executable, "-W", "error", "-c", source, *arguments],
        stdin=typed.encode(),
        capture_stdout=True,
        capture_stderr=True,
        check=False,
        cwd=folder,
        env=environment(folder),
    )
    assert done.returncode == 0, done.stderr.decode()
    return done


def replays(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.seqp2p"))


def program(name: str, folder: Path, said: dict[str, str], typed: str = "") -> Task:
    """Run one of the programs at a table, and note its output."""

    async def program(table: seqp2p.OpenTable) -> None:
        done = await run(name, folder, table.address, table.code, typed=typed)
        said[name] = done.stdout.decode()

    return program


async def beside(folder: Path, name: str, typed: str = "") -> tuple[seqp2p.Seat, str]:
    """Play against this program; return the host's seat and the program's output."""
    said = dict[str, str]()
    async with table_with(folder, program(name, folder, said, typed)) as table:
        seat = await played_in(table)
    return seat, said[name]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("two_seats", []), ("play_against", [sys.executable, str(ROOT / "docs" / "examples" / "bot.py")])],
)
async def test_programs_with_both_seats_of_a_table(tmp_path: Path, name: str, arguments: list[str]) -> None:
    with trio.fail_after(LIMIT_S):
        done = await run(name, tmp_path, *arguments)
    assert b"Result(kind='won'" in done.stdout
    assert [seqp2p.verify(path).verdict for path in replays(tmp_path)] == ["verified"] * 2


async def test_typed(tmp_path: Path) -> None:
    seat, said = await beside(tmp_path, "typed", "pass\nnonsense\n")
    assert ended(seat) == "forfeit"
    assert "\n" in said or not any(isinstance(event, seqp2p.Turned) for event in seat.events.so_far)


async def test_from_asyncio(tmp_path: Path) -> None:
    seat, said = await beside(tmp_path, "from_asyncio")
    assert said.strip() == ended(seat) == "won"


async def test_two_games(tmp_path: Path) -> None:
    said = dict[str, str]()
    async with table_with(tmp_path, program("two_games", tmp_path, said)) as table, table.seat() as seat:
        again = await play_two_games(seat)
    assert said["two_games"].splitlines() == [str(seat.result), str(again.result)]


async def test_watching_a_game_of_my_bot(tmp_path: Path) -> None:
    said = dict[str, str]()
    watching, playing = (program(name, tmp_path, said) for name in ("watching", "my_bot"))

    async def play_when_watched(table: seqp2p.OpenTable) -> None:
        await until(table, seqp2p.SpectatorCame)
        await playing(table)

    async with table_with(tmp_path, watching, play_when_watched) as table:
        seat = await played_in(table)
    assert seat.result is not None
    assert said["my_bot"].strip() == ("won" if seat.result.winners == (2,) else "not won")
    assert [seqp2p.verify(path).result for path in replays(tmp_path)] == [seat.result] * 3


async def test_programs_that_read_a_replay(tmp_path: Path) -> None:
    """Each sequence of the game lacked one chip before the turn that made it."""
    moments = seqp2p.read(GOLDEN).moments
    verdict, *turns = (await run("replays", tmp_path, GOLDEN)).stdout.decode().splitlines()
    assert verdict.startswith("verified")
    assert len(turns) == sum(isinstance(moment.what, seqp2p.Turned) for moment in moments)
    lines = (await run("four_in_a_line", tmp_path, GOLDEN)).stdout.decode().splitlines()
    made = [(moment.turn, line) for moment in moments for line in moment.made]
    for turn, line in made:
        squares = " ".join(seqp2p.format_square(seqp2p.KIDS, square) for square in line.squares)
        assert f"turn {turn - 1}: team {line.team} lacks one chip on {squares}" in lines
    assert made
    assert lines[-1].split() == ["verified"]
    (tmp_path / "bad.seqp2p").write_bytes(b"")
    shutil.copy(GOLDEN, tmp_path)
    wrong, *players = (await run("many", tmp_path, str(tmp_path))).stdout.decode().splitlines()
    assert wrong.startswith(f"{tmp_path}/bad.seqp2p invalid ")
    assert sorted(line.split()[-2:] for line in players) == [["0", "1"], ["0", "1"], ["1", "1"]]


async def test_engine(tmp_path: Path) -> None:
    done = await run("engine", tmp_path)
    assert re.search(r"\n(team [ab] has won|the game is drawn)\n$", done.stdout.decode())


async def test_contest(tmp_path: Path) -> None:
    done = await run("contest", tmp_path)
    *deals, last = done.stdout.decode().splitlines()
    assert [deal.split()[0] for deal in deals] == [*map(str, range(4))]
    games, score, *_ = last.split()
    assert int(games) == 8
    assert float(score) > 0.5


async def test_conformance(tmp_path: Path) -> None:
    bot = str(ROOT / "docs" / "examples" / "bot.py")
    done = await run("conformance", tmp_path, sys.executable, bot)
    assert len(done.stdout.splitlines()) == 12
    assert all(line.endswith(b" ()") for line in done.stdout.splitlines())


async def test_back_again(tmp_path: Path) -> None:
    """The first program is killed in the middle of the game."""

    async def first(table: seqp2p.OpenTable) -> None:
        slow = PROGRAMS["my_bot"].replace("Cautious())", "Cautious(), pace_s=1)")
        process = await trio.lowlevel.open_process(
            [sys.executable, "-c", slow, table.address, table.code], cwd=tmp_path, env=environment(tmp_path)
        )
        await seated.wait()
        async for event in seat.events:
            if isinstance(event, seqp2p.Turned) and event.seat == 2:
                break
        process.kill()
        await process.wait()
        (path,) = (tmp_path / "home").rglob("*.seat")
        done = await run("back_again", tmp_path, str(path).removesuffix(".seat"))
        assert b"Result(kind='won'" in done.stdout

    seated = trio.Event()
    async with table_with(tmp_path, first) as table, table.seat() as seat:
        seated.set()
        await play_varied(seat)
    assert ended(seat) == "won"


async def test_learn(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    for games in (b"256 games", b"512 games"):  # The second run goes on where the first one ended.
        done = await run("learn", tmp_path, "build.npz", "1")
        learned, measured = done.stdout.splitlines()
        assert learned.startswith(games)
        assert measured.endswith(b"% of 4 games against random")
