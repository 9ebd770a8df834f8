"""``seqp2p export``: a replay as text, JSON, a picture and a page; the file that it is written to, and refusals."""

import errno
import json
import os
import stat
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from seqp2p.cli import export, output
from seqp2p.errors import UserError
from seqp2p.replay.export import game_text
from seqp2p.replay.format import MAGIC
from seqp2p.rules import format_position, parse_game
from tests.cli import documented
from tests.cli.conftest import DROPPED, KIDS, SMALL, STOPPED, Cli, names_in, read, refused, said

UNDEALT = SMALL / "stopped_in_a_step_fail.seqp2p"
UNFINISHED = "unfinished: ben, cleo left the table (step 13); ann won by forfeit"


pytestmark = pytest.mark.usefixtures("read_once")


def test_text_reads_back(cli: Cli) -> None:
    out = said(cli("export", DROPPED))
    playback = read(DROPPED.read_bytes())
    assert parse_game(out) == game_text(playback)
    *_, last = parse_game(out).positions()
    assert last == playback.moments[-1].position
    comments = [line for line in out.splitlines() if line.startswith("#")]
    assert comments[0] == f"# game {playback.report.game}"
    assert comments[1].startswith("# verified: ")
    assert any(line.startswith("# seat 2: ben  ") for line in comments)


def test_json_has_everything(cli: Cli) -> None:
    out = said(cli("export", KIDS, "--format", "json"))
    assert out.count("\n") == 1
    told, playback = json.loads(out), read(KIDS.read_bytes())
    assert told.keys() == documented.fields_in("Replays as JSON")
    assert told["verdict"].keys() | {"event"} == documented.fields()["verdict"]
    assert (told["event"], told["verdict"]["verdict"], told["opened"]) == ("replay", "verified", [1, 2, 3])
    seats = [(seat["name"], seat["team"], seat["colour"]) for seat in told["seats"]]
    assert seats == [("ann", 1, "red"), ("ben", 2, "yellow"), ("cleo", 3, "green")]
    assert len(told["moments"]) == len(playback.moments)
    assert all(moment.keys() | {"event"} == documented.fields()["moment"] for moment in told["moments"])
    last = playback.moments[-1].position
    assert last is not None
    assert told["moments"][-1]["position"] == format_position(last)
    assert sum(record["record"] == "step" for record in told["records"]) == playback.report.steps
    raw = json.loads(cli("export", KIDS, "--format", "json", "--raw")[1])
    assert len(str(raw)) > 3 * len(str(told))
    assert raw["moments"] == told["moments"]


def test_the_reason_is_in_what_is_written(cli: Cli, tmp_path: Path) -> None:
    for form in export.FORMATS:
        exit_code, out, err = cli("export", STOPPED, "--format", form)
        assert (exit_code, err) == (0, f"{STOPPED}: {UNFINISHED}\n")
        where = json.loads(out)["verdict"]["reason"] if form == "json" else " ".join(out.split())
        assert "left the table" in where
    broken_off = tmp_path / "broken off.seqp2p"
    broken_off.write_bytes(KIDS.read_bytes()[:-100])
    exit_code, out, err = cli("export", broken_off, "--format", "json")
    assert (exit_code, json.loads(out)["verdict"]["verdict"]) == (0, "unfinished")
    assert err.startswith(f"{broken_off}: unfinished: ")
    assert "the cards are not dealt yet" in cli("export", UNDEALT, "--format", "html")[1]


def svg_text(cli: Cli, *arguments: object) -> list[str]:
    exit_code, out, _ = cli("export", KIDS, "--format", "svg", *arguments)
    assert exit_code == 0
    return [each.text or "" for each in ET.fromstring(out).iter("{http://www.w3.org/2000/svg}text")]


def test_a_picture_of_any_turn(cli: Cli) -> None:
    playback = read(KIDS.read_bytes())
    assert "turn 31 of 31" in svg_text(cli)
    assert "verified: ben won, 70 steps" in svg_text(cli)
    for turn in (0, 7, 31):
        assert f"turn {turn} of 31" in svg_text(cli, "--at", turn)
        position = [moment for moment in playback.moments if moment.turn <= turn][-1].position
        assert position is not None
        out = cli("export", KIDS, "--format", "svg", "--at", turn)[1]
        chips = sum(team.bit_count() for team in position.chips)
        assert out.count('class="chip ') == chips + 3


def test_other_languages_and_strange_names(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J<b>&.seqp2p"
    path.write_bytes(KIDS.read_bytes())
    told = {form: cli("export", path, "--format", form, "--lang", "fr")[1] for form in export.FORMATS}
    assert "# siège 2" in told["text"]
    assert parse_game(told["text"]) == game_text(read(KIDS.read_bytes()))
    # All but the text is plain ASCII for any terminal.
    assert [form for form, text in told.items() if not text.isascii()] == ["text"]
    for form in ("html", "svg"):
        assert "\x1b" not in told[form]
    assert "\\x1b[2J&lt;b&gt;&amp;.seqp2p" in told["svg"]
    assert "ann, ben et cleo</h1>" in told["html"]


# The file that it is written to.


@pytest.mark.parametrize(("name", "begins"), [("game.json", "{"), ("game.HTML", "<!DOCTYPE"), ("game", "#")])
def test_a_files_name_says_what_it_is(cli: Cli, tmp_path: Path, name: str, begins: str) -> None:
    target = tmp_path / name
    assert cli("export", KIDS, "--output", target) == (0, f"{target} is written\n", "")
    assert target.read_text("utf-8").startswith(begins)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]
    assert stat.S_IMODE(target.stat().st_mode) & 0o711 == 0o600


def test_what_cannot_be_written_is_known_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tmp_path / "link"
    nowhere.symlink_to(tmp_path / "none" / "x")
    with pytest.raises(UserError, match="already exists"):
        output.check_place(str(nowhere), force=False)
    output.check_place(str(nowhere), force=True)
    with pytest.raises(UserError, match="cannot be written: File name too long"):
        output.check_place(str(tmp_path / ("x" * 300)), force=False)

    def locked(_: Path) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "lstat", locked)  # As where its folder may not be looked into.
    with pytest.raises(UserError, match="cannot be written: Permission denied"):
        output.check_place(str(tmp_path / "new"), force=True)


def test_who_takes_the_name_meanwhile_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "game.svg"
    monkeypatch.setattr(Path, "exists", lambda _: False)
    target.write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        output.write_result("new", str(target), force=False)
    assert target.read_text() == "mine"
    assert names_in(tmp_path) == ["game.svg"]


@pytest.mark.parametrize("force", [False, True])
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool) -> None:
    target = tmp_path / "game.svg"
    if force:
        target.write_text("mine")

    def full(_: Path, __: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "chmod", full)
    with pytest.raises(UserError, match="No space left on device"):
        output.write_result("new", str(target), force=force)
    assert [path.read_text() for path in tmp_path.iterdir()] == (["mine"] if force else [])


def test_a_pipe(cli: Cli, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    assert cli("export", KIDS, "--output", fifo)[0] == 0
    reader.join()
    assert got[0].startswith("# game ")


def test_a_page_of_a_replay_that_is_too_large(cli: Cli, tmp_path: Path) -> None:
    file, page = tmp_path / "large.seqp2p", tmp_path / "page.html"
    file.write_bytes(MAGIC + bytes(export.PAGE_SIZE_MAX))
    exit_code, problem, hint = refused(cli("export", file, "--output", page))
    assert (exit_code, problem) == (1, f"{file} is too large for a page: at most 8388608 bytes")
    assert hint.endswith("--format text or json has no such limit")
    assert not page.exists()
    assert "shows no game" in cli("export", file, "--format", "text")[2], (
        "the text has no such limit: the file itself is judged"
    )
