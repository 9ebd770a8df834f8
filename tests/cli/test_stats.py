"""``seqp2p stats``: counts over replays, for people and for scripts."""

import json
import os
import shutil
import signal
import xml.etree.ElementTree as ET
from pathlib import Path
from secrets import token_bytes

import pytest

import seqp2p
from seqp2p.cli import stats
from seqp2p.replay.statistics import ReplayCounter, summarise
from tests.cli import documented
from tests.cli.conftest import KIDS, STOPPED, WON, WRONG, Cli, said
from tests.replay.test_statistics import made_up


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two games, one of them twice, an unfinished one, a wrong one, and other files."""
    for path, where in ((KIDS, "a/1"), (KIDS, "b/c/2"), (WON, "3"), (STOPPED, "4"), (WRONG, "5")):
        target = tmp_path / f"{where}.seqp2p"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (tmp_path / "notes.txt").write_text("once upon a time")
    os.mkfifo(tmp_path / "6.seqp2p")
    (tmp_path / "7.seqp2p").mkdir()
    return tmp_path


@pytest.mark.process
def test_a_folder_for_people(cli: Cli, folder: Path) -> None:
    assert "there is no game in" in cli("stats")[2]
    out = said(cli("stats", folder))
    forfeit = "ann won by forfeit: ben, cleo left the table (step 13)"
    assert [line for line in out.splitlines() if line.startswith("left out")] == [
        f"left out: {folder}/4.seqp2p: {forfeit}",
        f"left out: {folder}/5.seqp2p: invalid: this is not the game secret of ben (step 20)",
        f"left out: {folder}/6.seqp2p: invalid: not a file",
    ]
    assert "files: 6   games: 2   unfinished: 1   more replays of the same games: 1" in out
    assert "Sequence for Kids: 2 games" in out
    assert all(len(line) <= 80 for line in out.splitlines() if not line.startswith("left out"))
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line[:1] in tuple("abc")}
    # All three played the unfinished game.
    assert rows["ben"][:6] == ["3", "1", "1", "0", "1", "50.00%"]
    assert rows["cleo"][:6] == ["2", "0", "1", "0", "1", "0.00%"]


def test_an_object_for_scripts(cli: Cli, folder: Path) -> None:
    exit_code, out, err = cli("stats", folder, "--json", "--jobs", 1)
    assert (exit_code, out.count("\n"), err.count("\n")) == (0, 1, 3)
    told = documented.stream(out)[0]
    assert told.keys() == documented.fields_in("Statistics")
    assert (told["files"], told["games"], told["unfinished"], told["duplicates"]) == (6, 2, 1, 1)
    assert [(Path(each["file"]).name, each["verdict"]) for each in told["left_out"]] == [
        ("4.seqp2p", "unfinished"),
        ("5.seqp2p", "invalid"),
        ("6.seqp2p", "invalid"),
    ]
    kids, course = told["variants"]["kids"], summarise(KIDS.read_bytes(), token_bytes).course
    short = summarise(WON.read_bytes(), token_bytes).course
    assert course is not None
    assert short is not None
    turns = sorted([course.turns, short.turns])
    assert kids["turns"] == {"min": turns[0], "median": sum(turns) / 2, "mean": sum(turns) / 2, "max": turns[1]}
    assert kids["players"] == {"2": 1, "3": 1}
    assert kids["openings"] == {course.opening: 1, short.opening: 1}
    assert sum(kids["squares"].values()) == len(course.placed) + len(short.placed)
    assert len(kids["squares"]) == 42
    ends = ("won", "lost", "drawn", "unfinished")
    assert all(each["games"] == sum(each[how] for how in ends) for each in told["players"])
    assert {name for each in told["players"] for name in each["names"]} == {"ann", "ben", "cleo"}
    for each in told["players"]:
        low, high = each["win_interval"]
        assert 0 <= low <= each["win_share"] <= high <= 1


def test_a_picture(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "heat.svg"
    assert said(cli("stats", KIDS, "--svg", target)).endswith(f"{target} is written\n")
    course = summarise(KIDS.read_bytes(), token_bytes).course
    assert course is not None
    words = [each.text for each in ET.fromstring(target.read_text()).iter("{http://www.w3.org/2000/svg}text")]
    assert f"Sequence for Kids: {len(course.placed)} chips placed" in words
    exit_code, out, err = cli("stats", KIDS, "--svg", target, "--force", "--json")
    assert (exit_code, out.count("\n"), err) == (0, 1, f"{target} is written\n")


def test_it_can_be_stopped(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("seqp2p.replay.statistics.summarise", stop)
    assert cli("stats", KIDS) == (5, "", "seqp2p: stopped after 0 files\n")


def test_a_missing_file_costs_nothing(cli: Cli, tmp_path: Path) -> None:
    exit_code, out, err = cli("stats", tmp_path / "none", KIDS, tmp_path / "*.none", 99, "--json")
    told, error = documented.stream(out)
    assert (exit_code, told["games"], len(told["left_out"])) == (2, 1, 3)
    assert error["reason"] == f"no such file: {tmp_path}/none, {tmp_path}/*.none, 99"
    assert error["reason"] in err
    counted = seqp2p.stats([tmp_path / "none", KIDS, tmp_path / "*.none", "99"])
    assert json.loads(json.dumps(counted.as_json())) == {name: told[name] for name in counted.as_json()}


def test_stopped_it_has_the_counts_so_far(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.cli.stats.describe", lambda _: signal.raise_signal(signal.SIGINT))
    for more, begins in (((), "files: 2   games: 1 "), (("--json",), "")):
        exit_code, out, err = cli("stats", KIDS, WRONG, KIDS, *more)
        assert (exit_code, out.startswith(begins), err) == (5, True, "seqp2p: stopped after 2 files\n")
        assert bool(out) == (not more)


def test_many_players_and_no_decided_game() -> None:
    counter = ReplayCounter()
    for number in range(30):
        keys = (f"{number:02x}" * 32, f"{number + 100:02x}" * 32)
        counter.add(made_up(number, keys, ()))
    counted = counter.statistics()
    lines = [*stats.lines(counted)]
    assert "and 40 more players; --json has all" in lines
    assert "  won by the first player: - (0.00% to 100.00%); drawn: 30" in lines
    assert len(counted.ranked) == 60
    assert counted.as_json()["variants"]["kids"]["first_mover_share"] is None
    counter = ReplayCounter()
    counter.add(made_up(1, ("01" * 32, "02" * 32), (), verdict="unfinished"))
    assert any(line.endswith(" -") for line in stats.lines(counter.statistics()))
