"""``seqp2p show``: a replay printed, stepped through by words, on a screen and for scripts, and files that are none."""

import errno
import json
import math
import os
import re
import shutil
import stat
import termios
import threading
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from seqp2p.bots import value
from seqp2p.bots.value import shipped
from seqp2p.cli import export, moments, output, progress
from seqp2p.cli.moments import frames_of, header_lines, play_file, read_file, review_of
from seqp2p.cli.output import Output
from seqp2p.cli.show import by_words, roll
from seqp2p.errors import UserError
from seqp2p.replay.export import game_text
from seqp2p.replay.format import MAGIC
from seqp2p.replay.playback import play_back
from seqp2p.rules import format_position, parse_game
from seqp2p.ui.replay_browser import ReplayBrowser
from tests.cli import documented
from tests.cli.conftest import DROPPED, KIDS, SMALL, STOPPED, Cli, names_in, read, refused, said
from tests.cli.processes import Household, Terminal
from tests.ui.kept import Talk, talks

REPLAYS = KIDS.parent
pytestmark = pytest.mark.usefixtures("read_once")


@pytest.mark.simulation
def test_the_whole_game_is_printed(cli: Cli) -> None:
    lines = said(cli("show", "--plain", DROPPED)).splitlines()
    assert lines[0].startswith("verified: ")
    assert "the cards are dealt" in lines
    playback = read(DROPPED.read_bytes())
    assert playback.agreement is not None
    for seat in playback.agreement.seats:
        assert any(seat.name in line for line in lines[:20])
    last = playback.moments[-1].turn
    turns = [int(line.split(".")[0]) for line in lines if line[:3].strip().isdigit() and line[3:4] == "."]
    assert turns == sorted(turns)
    assert {*turns} == {*range(1, last + 1)}
    assert sum("has completed a sequence" in line for line in lines) == sum(bool(m.made) for m in playback.moments)
    assert any(line.endswith(" won") for line in lines)
    assert any(line.startswith("sequences: ") for line in lines[-15:])


TOLD = [
    *("classic-2", "classic-3-dropped", "classic-4-options", "classic-4-skipped", "classic-2-manual-draw"),
    *("forfeit_fail", "evidence_then_drop_ok", "stopped_in_a_step_fail"),
]


@pytest.mark.simulation
def test_scripts_are_told_every_moment_and_the_verdict(cli: Cli) -> None:
    whats = set[str]()
    for name in TOLD:
        path = (REPLAYS if name.startswith("classic") else SMALL) / f"{name}.seqp2p"
        playback = read(path.read_bytes())
        *moments, verdict = documented.stream(cli("show", "--json", path)[1])
        assert [event["moment"] for event in moments] == [*range(1, len(playback.moments) + 1)]
        assert {event["event"] for event in moments} == {"moment"}
        assert (verdict["event"], verdict["verdict"]) == ("verdict", playback.report.verdict)
        whats |= {event["what"] for event in moments}
    others = {"dealer", "dealt", "remark", "vote", "skipped", "dropped", "redeal", "left", "proved", "over"}
    assert whats == others | {"reshuffle", "turn", "exchange", "draw", "end", "waive", "call", "give"}


@pytest.mark.simulation
def test_a_card_that_is_drawn_after_a_reshuffle_is_printed(cli: Cli) -> None:
    assert "ben draws JH" in cli("show", REPLAYS / "classic-2.seqp2p")[1].splitlines()


# The review.


def test_the_chances_and_the_moves_that_cost_most(cli: Cli) -> None:
    out = said(cli("show", "--review", KIDS))
    lines = out.splitlines()
    heading = lines.index("the chances to win after each turn, by all hands:")
    curve = lines[heading + 1 : lines.index("", heading)]
    assert [int(line.split(".")[0]) for line in curve] == [*range(1, 32)]
    for line in curve:
        bar, shares = line.split()[1], [float(share) for share in re.findall(r"([0-9.]+)%", line)]
        assert len(bar) == 20
        assert math.isclose(sum(shares), 100)
    assert curve[-1] == " 31. YYYYYYYYYYYYYYYYYYYY red 0.0%, yellow 100.0% and green 0.0%  ben  bear e5"
    costs = [float(cost) for cost in re.findall(r" cost ([0-9.]+) points; better: ", out)]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == 5
    assert "the moves that cost most:" in lines
    plain = cli("show", "--review", "--plain", KIDS)[1].splitlines()
    assert plain[heading + 31] == " 31. red 0.0%, yellow 100.0% and green 0.0%  ben  bear e5"


def test_a_review_for_scripts(cli: Cli) -> None:
    *moments, review, _ = documented.stream(cli("show", "--json", "--review", KIDS)[1])
    assert (review["event"], review["closed"], review["reason"]) == ("review", [], None)
    assert [move["turn"] for move in review["moves"]] == [*range(1, 32)]
    for move in review["moves"]:
        moment = moments[move["moment"] - 1]
        assert (moment["turn"], moment["seat"], moment["action"]) == (move["turn"], move["seat"], move["action"])
        assert math.isclose(sum(move["chances"]), 1)
        assert math.isclose(move["cost"], max(0, move["best_chance"] - move["chance"]), abs_tol=1e-9)


def test_closed_hands_have_no_review(cli: Cli) -> None:
    closed = "there is no review: the hands stayed closed in this game"
    *_, review, _ = documented.stream(cli("show", "--review", "--json", REPLAYS / "classic-12.seqp2p")[1])
    assert (review["moves"], review["closed"], review["reason"]) == ([], [*range(1, 13)], closed)
    for path, told in (
        (REPLAYS / "classic-12.seqp2p", closed),
        (DROPPED, "there is no review of ben: these hands stayed closed"),
    ):
        assert cli("show", "--review", path)[1].splitlines()[-1] == told


def test_whoever_is_out_of_the_game_has_no_chance(cli: Cli) -> None:
    """Its hand stays closed, so there are no chances before."""
    out = said(cli("show", "--review", SMALL / "drop_the_mover_ok.seqp2p"))
    reds = [float(red) for red in re.findall(r" red ([0-9.]+)%", out)]
    assert len(reds) > 5
    assert not any(reds)


def test_a_game_that_was_not_played_to_its_end_has_no_review(cli: Cli, own_home: Path) -> None:
    folder = own_home / "replays"
    folder.mkdir(parents=True)
    for hour, path in enumerate((KIDS, SMALL / "forfeit_fail.seqp2p")):
        shutil.copy(path, folder)
        os.utime(folder / path.name, (3600 * hour, 3600 * hour))
    assert cli("show", "--review", "last")[1].splitlines()[-2:] == [
        "there is no review: hands are opened at the end of a game, which this one has not reached",
        "this one has a review: seqp2p show 2 --review",
    ]


@pytest.mark.parametrize("options", [(), ("--json",), ("--review",)])
def test_an_invalid_replay_is_shown_and_refused(cli: Cli, options: tuple[str, ...]) -> None:
    path = SMALL / "illegal_move_in_the_record_fail.seqp2p"
    exit_code, out, err = cli("show", *options, path)
    assert (exit_code, "ann" in out) == (3, True)
    assert err.startswith(f"seqp2p: error: {path}: invalid: ")


def test_missing_weights_are_a_reason(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value, "name_of", lambda variant, teams: f"no-{variant.name}-{teams}")
    shipped.cache_clear()
    try:
        last = cli("show", "--review", KIDS)[1].splitlines()[-1]
    finally:
        shipped.cache_clear()
    assert last == "there is no review: the bot's weights no-kids-3 are missing: reinstall seqp2p"


def test_progress_of_a_long_file(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(moments, "play_back", play_back)
    monkeypatch.setattr(moments, "PROGRESS_AFTER_S", -1.0)
    monkeypatch.setattr(progress, "show", told.append)
    play_file(KIDS, read_file(KIDS))
    assert told[-2:] == ["verifying the replay… 100 %", ""]


# Stepping by words.


CTRL_C = "Ctrl-C"
WAIT = "the next moment comes"
END = "the input ends"


@talks(__file__, "show_talks.txt")
def test_talk(monkeypatch: pytest.MonkeyPatch, talk: Talk) -> None:
    """Typed lines, and what is said before the next one is read. First the beginning of the game is shown."""
    told: list[str] = []
    answers: list[list[str]] = []
    lines = iter(talk.lines[1:])

    async def read_line(_: Output) -> str | None:
        answers.append([*told])
        told.clear()
        text = next(lines)[2:]
        if text == CTRL_C:
            raise KeyboardInterrupt
        await trio.sleep(math.inf if text == WAIT else 0)
        return None if text == END else text

    monkeypatch.setattr(Output, "read_line", read_line)
    monkeypatch.setattr(Output, "say", lambda _, text="", kind="log": told.append(text))
    playback = read(KIDS.read_bytes())
    frames = frames_of(KIDS.name, playback, reviewed=review_of(playback))
    work = partial(by_words, Output(json=False), frames, header_lines(playback))
    assert trio.run(work, clock=MockClock(autojump_threshold=0)) == 0
    assert next(lines, None) is None
    talk.check([*answers, told])


def test_a_screen_rolls_on_while_it_plays() -> None:
    changes: list[int] = []
    browser = ReplayBrowser(frames_of(KIDS.name, read(KIDS.read_bytes())))

    async def rolling() -> None:
        with trio.move_on_after(10.5):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(roll, browser, lambda: changes.append(browser.cursor.at))
                await trio.sleep(4.5)
                browser.toggle()

    trio.run(rolling, clock=MockClock(autojump_threshold=0))
    assert changes == [1, 2, 3, 4, 5, 6]


# A terminal.


def test_a_screen_at_a_terminal(people: Household, terminal: Terminal) -> None:
    termios.tcsetwinsize(terminal.slave, (24, 80))
    show = people.start("show", KIDS, stdin=terminal.slave, output=terminal.slave, env={"TERM": "xterm"})
    read = b""
    while b"sequence" not in read:
        read += os.read(terminal.master, 65536)
    os.write(terminal.master, b"quit\r")
    while b"verified: ben won, 70 steps\r\n" not in read.partition(b"\x1b[?1049l")[2]:
        read += os.read(terminal.master, 65536)
    assert show.end() == 0
    assert b"\x1b[?1049h" in read


# ``seqp2p export``: a replay as text, JSON, a picture and a page; the file that it is written to, and refusals.


UNDEALT = SMALL / "stopped_in_a_step_fail.seqp2p"
UNFINISHED = "ann won by forfeit: ben, cleo left the table (step 13)"


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
