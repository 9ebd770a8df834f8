"""Standard streams: the output moves no cursor, the input is read in lines, and either may be closed."""

import errno
import io
import json
import os
import re
import signal
import sys
import termios
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output.vt100 import Vt100_Output

from seqp2p.cli import progress
from seqp2p.cli import running as lines
from seqp2p.cli.json_events import GAME_EVENTS, RemarkEvent
from seqp2p.cli.options import is_terminal
from seqp2p.cli.output import Output, ScreenWish, on_screen, prepare_streams, printable, restyled, show_error
from seqp2p.cli.reporter import setup_progress
from seqp2p.cli.running import LineReader
from seqp2p.errors import UserError
from seqp2p.hangup import TerminalGone
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.ui.styles import Taste
from tests.cli.conftest import WON, Cli, refused
from tests.cli.processes import LIMIT_S, Household
from tests.table import POLICIES, Played, make_agreement, make_seats, named, play, replay_bytes

PACKAGE = Path(lines.__file__).parents[1]


def test_no_character_that_is_printed_moves_the_cursor() -> None:
    for text in map(chr, range(0x11000)):
        shown = printable(text)
        assert shown.isprintable()
        assert printable(shown) == shown
        assert shown == text or not text.isprintable()
    assert printable("\x1b[2J a\nb\r\t back\\slash") == r"\x1b[2J a\nb\r\t back\slash"
    assert printable("\u202eabc \udcff") == r"\u202eabc \udcff"


def test_an_event_is_one_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    remark = RemarkEvent(2, 1, "Zoé\n\x1b\u202e\udcff", courtesy=False)
    Output(json=True).event(remark)
    Output(json=True).say("for people\x1b")
    Output(json=False).event(remark)
    Output(json=False).say("for people")
    Output(json=False).ring("Your turn")
    Output(json=False).title("Your turn")
    Output(json=False).say()
    said = capsys.readouterr()
    first, *rest = said.out.splitlines()
    assert first.isascii()
    said_as = {"seat": 2, "number": 1, "text": remark.text, "courtesy": False}
    assert json.loads(first) == {"stream": 1, "event": "remark"} | said_as
    assert rest == ["for people", ""]
    assert said.err == "for people\\x1b\n"


def test_an_error_is_a_sentence_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(UserError("it \x1b broke", "mend it"))
    show_error(UserError("it broke"))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "seqp2p: error: it \\x1b broke\nseqp2p: hint: mend it\nseqp2p: error: it broke\n"


def test_at_a_terminal_a_sentence_is_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    main, other = os.openpty()
    termios.tcsetwinsize(other, (24, 20))
    for text, shown in (
        ("the quick brown fox jumps : over", "the quick brown fox\n  jumps : over\n"),
        ("what a longest code : it", "what a longest\n  code : it\n"),
        ("come back with: seqp2p resume 0123", "come back with: seqp2p resume 0123\n"),
        ("replay: /a/very/long path/of it", "replay: /a/very/long path/of it\n"),
        ("short enough", "short enough\n"),
    ):
        with monkeypatch.context() as patched, os.fdopen(os.dup(other), "w") as stream:
            patched.setattr(sys, "stdout", stream)
            Output(json=False).say(text)
        assert os.read(main, 4096).decode().replace("\r\n", "\n") == shown
    os.close(main)
    os.close(other)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("as_json", [True, False])
def test_the_bell_rings_where_people_read_at_a_terminal(monkeypatch: pytest.MonkeyPatch, as_json: bool) -> None:
    streams = {"stdout": Terminal(), "stderr": Terminal()}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("SEQP2P_NOTIFY", "off")
    Output(as_json).ring("Your turn")
    rung = "\x1b]9;Your turn\x07\a" if as_json else "\a"  # What scripts read has no settings.
    heard = {name for name, stream in streams.items() if stream.getvalue() == rung}
    assert heard == {"stderr" if as_json else "stdout"}
    monkeypatch.setenv("TERM", "dumb")
    Output(as_json).ring("Your turn")
    assert "".join(stream.getvalue() for stream in streams.values()) == rung


def test_what_calls_a_player_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the three by itself; a name brings no sequence of its own."""
    monkeypatch.setenv("TERM", "xterm")
    said = {"title": "\x1b[22;2t\x1b]2;waiting for \\x1b]0;ann\x07", "notify": "\x1b]9;Your turn\x07", "bell": "\a"}
    for off in ("", *said):
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        for name in said:
            monkeypatch.setenv(f"SEQP2P_{name.upper()}", "off" if name == off else "on")
        output = Output(json=False)
        for _ in range(2):
            output.title("waiting for \x1b]0;ann")
        output.ring("Your turn")
        assert terminal.getvalue() == "".join(text for name, text in said.items() if name != off)
        output.title("")
        assert terminal.getvalue().endswith("\x1b[23;2t") == (off != "title")
    assert output.copy("hi")
    assert terminal.getvalue().endswith("\x1b]52;c;aGk=\x07")


@pytest.mark.parametrize(
    ("variables", "wish", "is_painted"),
    [
        ({}, ScreenWish(), True),
        ({"TERM": "linux"}, ScreenWish(), True),
        ({"NO_COLOR": "1"}, ScreenWish(), False),
        ({"TERM": "dumb"}, ScreenWish(), False),
        ({}, ScreenWish(palette="mono"), False),
        ({}, ScreenWish(plain=True), False),
    ],
)
def test_a_line_has_colours_at_a_terminal_that_has_them(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wish: ScreenWish, is_painted: bool
) -> None:
    out = Terminal()
    for name, stream in (("stdin", Terminal()), ("stdout", out)):
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)
    terminal = io.StringIO()
    with create_app_session(output=Vt100_Output(terminal, lambda: Size(24, 80), enable_cpr=False)):
        Output(json=False).say_painted([("", "you "), ("alarm", "2C b2 ??")], wish)
    assert out.getvalue() == ("" if is_painted else "you 2C b2 ??\n")
    assert bool(re.search(r"myou \x1b\[0;[0-9;]+m2C b2 \?\?\x1b\[0m", terminal.getvalue())) == is_painted


def test_a_line_that_is_broken_keeps_its_styles() -> None:
    line = [("", " 1. "), ("fill.red", "RR"), ("fill.blue", "B"), ("", " you won "), ("alarm", "2C b2 ??")]
    styled = [*restyled(line, " 1. RRB you\n   won 2C\n   b2 ??")]
    assert "".join(sign for _, sign in styled) == " 1. RRB you\n   won 2C\n   b2 ??"
    assert [sign for style, sign in styled if style == "alarm"] == [*"2Cb2 ??"]
    assert [sign for style, sign in styled if style.startswith("fill")] == [*"RRB"]


@pytest.mark.parametrize(
    ("variables", "wish", "chosen"),
    [
        ({}, ScreenWish(), [("auto", 8, None)]),
        ({"COLORFGBG": "0;15"}, ScreenWish(), [("auto", 8, (255, 255, 255))]),
        ({"SEQP2P_PALETTE": "light"}, ScreenWish(), [("light", 8, None)]),
        ({"SEQP2P_PALETTE": "light"}, ScreenWish(palette="mono"), [("mono", 8, None)]),
        ({"COLORTERM": "truecolor"}, ScreenWish(), [("auto", 24, None)]),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, ScreenWish(), [("auto", 1, None)]),
        ({"TERM": "linux"}, ScreenWish(), [("auto", 4, None)]),
        ({"TERM": "dumb"}, ScreenWish(), []),
        ({"ACCESSIBLE": "1"}, ScreenWish(), []),
        ({}, ScreenWish(plain=True), []),
    ],
)
async def test_the_screen_is_as_the_environment_and_the_options_say(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wish: ScreenWish, chosen: list[object]
) -> None:
    """Its palette, bits of a colour and background; or there is no screen."""
    opened = list[object]()

    @asynccontextmanager
    async def open_screen(taste: Taste) -> AsyncIterator[Any]:
        opened.append((taste.palette, taste.depth, taste.background))
        yield SimpleNamespace(remains=[], title=lambda _: None)

    monkeypatch.setattr("seqp2p.ui.screen.open_screen", open_screen)
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, Terminal())
    for name in ("COLORFGBG", "COLORTERM", "NO_COLOR", "ACCESSIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **variables}.items():
        monkeypatch.setenv(name, value)
    async with on_screen(Output(json=False), wish):
        assert opened == chosen


class Wire(io.StringIO):
    """A stream whose other end is gone, or full."""

    def __init__(self, number: int, descriptor: int) -> None:
        super().__init__()
        self._number = number
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> int:
        raise OSError(self._number, os.strerror(self._number))


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    number = os.open(tmp_path / "stream", os.O_RDWR | os.O_CREAT)
    yield number
    os.close(number)


@pytest.mark.parametrize("number", [errno.EPIPE, errno.EIO])
def test_nobody_listening_is_no_fault(monkeypatch: pytest.MonkeyPatch, descriptor: int, number: int) -> None:
    monkeypatch.setattr(sys, "stdout", Wire(number, descriptor))
    Output(json=True).event(GAME_EVENTS["redeal"]())
    # From here on, what is written to it goes nowhere.
    assert os.path.samestat(os.fstat(descriptor), Path(os.devnull).stat())


def test_a_full_disk_is_one(monkeypatch: pytest.MonkeyPatch, descriptor: int) -> None:
    monkeypatch.setattr(sys, "stdout", Wire(errno.ENOSPC, descriptor))
    with pytest.raises(UserError, match="cannot write the output: No space left on device"):
        Output(json=False).say("hello")


@pytest.mark.parametrize(
    "line", ["--help", "play -h", "schema events", "completion bash", "try-bot --protocol", "rules"]
)
def test_what_is_printed_once_may_meet_a_full_disk(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, descriptor: int, line: str
) -> None:
    monkeypatch.setattr(sys, "stdout", Wire(errno.ENOSPC, descriptor))
    assert refused(cli(*line.split())) == (1, "cannot write the output: No space left on device", "")


@pytest.mark.parametrize("full", ["stdout", "stderr"])
def test_an_error_is_told_once_where_it_can_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, descriptor: int, full: str
) -> None:
    monkeypatch.setattr(sys, full, Wire(errno.ENOSPC, descriptor))
    show_error(UserError("it broke", "mend it"), as_json=True)
    said = capsys.readouterr()
    assert [json.loads(line)["reason"] for line in said.out.splitlines()] == ["it broke"] * (full == "stderr")
    assert [line.partition(": ")[2] for line in said.err.splitlines()] == (
        []
        if full == "stderr"
        else ["error: cannot write the output: No space left on device", "error: it broke", "hint: mend it"]
    )


def test_streams_that_are_closed_become_the_null_device(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    prepare_streams()
    opened = [sys.stdin, sys.stdout, sys.stderr]
    assert [stream.name for stream in opened] == [os.devnull] * 3
    assert (sys.stdout.errors, sys.stderr.errors) == ("backslashreplace",) * 2
    assert not is_terminal()
    for stream in opened:
        stream.close()


def test_a_process_without_any_streams(people: Household) -> None:
    # Closed by the shell, as a service may be started: the exit code still tells.
    line = [sys.executable, "-m", "seqp2p", "verify", "--json", str(WON)]
    verify = people.run(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *line])
    assert verify.end() == 0
    assert verify.out == verify.err == []


def test_a_reader_that_goes_away(people: Household) -> None:
    read, write = os.pipe()
    os.close(read)
    process = people.start("verify", "--json", WON, WON, output=write)
    os.close(write)
    assert process.end() == 5  # The other files are not verified.
    assert process.err == []


async def read_all(reader: LineReader) -> list[str]:
    found = []
    with trio.fail_after(LIMIT_S):
        while (line := await reader.read_line()) is not None:
            found.append(line)
    assert await reader.read_line() is None
    return found


in_both_ways = pytest.mark.parametrize("in_thread", [False, True], ids=["when ready", "in a thread"])


@in_both_ways
@pytest.mark.parametrize("path", [os.devnull, "/"], ids=["nothing", "a folder"])
async def test_nothing_to_read(path: str, in_thread: bool) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        assert await read_all(LineReader(descriptor, in_thread=in_thread)) == []
    finally:
        os.close(descriptor)


@in_both_ways
async def test_lines_of_a_pipe_as_they_come(in_thread: bool) -> None:
    read, write = os.pipe()
    try:
        reader = LineReader(read, in_thread=in_thread)
        os.write(write, b"QH ")
        with trio.move_on_after(0.01):
            await reader.read_line()
            raise AssertionError("half a line is no line")
        os.write(write, b"e5\nhand\nmo")
        assert [await reader.read_line() for _ in range(2)] == ["QH e5", "hand"]
        os.close(write)
        assert await reader.read_line() == "mo"
        assert await reader.read_line() is None
    finally:
        os.close(read)


async def test_the_end_of_the_input_is_a_key_at_a_terminal() -> None:
    master, slave = os.openpty()
    try:
        reader = LineReader(slave)
        os.write(master, b"\x04")
        with trio.fail_after(LIMIT_S):
            assert await reader.read_line() is None
            os.write(master, b"ha\x04nd\n")
            assert await reader.read_line() == "hand"
            os.write(master, b"\x04")
            assert await reader.read_line() is None
    finally:
        os.close(slave)
        os.close(master)


@asynccontextmanager
async def terminal_that_goes_away(hangup: Any) -> AsyncIterator[LineReader]:
    """A reader at a terminal that has gone, in a process that handles SIGHUP like this."""
    before = signal.signal(signal.SIGHUP, hangup)
    master, slave = os.openpty()
    try:
        os.write(master, b"hand\n")
        reader = LineReader(slave)
        assert await reader.read_line() == "hand"
        os.close(master)
        yield reader
    finally:
        os.close(slave)
        signal.signal(signal.SIGHUP, before)


async def test_a_terminal_that_goes_away() -> None:
    """The process is asked to end: this is no end of the input."""
    async with terminal_that_goes_away(signal.SIG_DFL) as reader:
        with trio.fail_after(LIMIT_S), trio.open_signal_receiver(signal.SIGHUP) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(reader.read_line)
                assert await anext(aiter(signals)) == signal.SIGHUP
                nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    "hangup", [signal.SIG_DFL, signal.SIG_IGN, lambda *_: None], ids=["deadly", "ignored", "not obeyed"]
)
async def test_a_terminal_that_goes_away_unheard(autojump_clock: object, hangup: Any) -> None:
    """Nothing waits for ever, and no other signal is raised, for each has a meaning of its own."""
    async with terminal_that_goes_away(hangup) as reader:
        with trio.fail_after(LIMIT_S), pytest.raises(TerminalGone):
            await reader.read_line()


@pytest.mark.parametrize("size", [4096, 4097, 100_000])
async def test_a_long_line_is_one_line(tmp_path: Path, size: int) -> None:
    path = tmp_path / "typed"
    path.write_bytes(b"x" * size + b"\nhand\n" + b"y" * size)
    kept = min(size, 4096)
    with path.open("rb") as file:
        assert await read_all(LineReader(file.fileno())) == ["x" * kept, "hand", "y" * kept]


@given(typed=st.binary(max_size=200), chunk=st.integers(1, 20))
def test_lines_do_not_depend_on_how_they_come(typed: bytes, chunk: int) -> None:
    async def read_in_chunks() -> list[str]:
        read, write = os.pipe()
        try:
            os.write(write, typed)
            os.close(write)
            return await read_all(LineReader(read))
        finally:
            os.close(read)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "_CHUNK_SIZE", chunk)
        found = trio.run(read_in_chunks)
    expected = [line.decode("utf-8", "replace").rstrip("\r") for line in typed.split(b"\n")]
    assert found == (expected if expected[-1] or typed[-1:] not in (b"\n", b"") else expected[:-1])


def test_output_has_no_other_way_out() -> None:
    # Everything that is said goes through output.py; a bare print would let a peer's text reach a terminal.
    sources = [path for folder in ("cli", "ui", "players", "net") for path in (PACKAGE / folder).rglob("*.py")]
    assert len(sources) > 20
    assert not [path.name for path in sources if re.search(r"^ *print\(", path.read_text("utf-8"), re.MULTILINE)]


# How far something is: shown at a terminal that can repaint a line, and nowhere else.


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard error at a terminal that can repaint."""
    stream = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(progress, "_hidden", False)
    monkeypatch.setattr(progress, "_shown", "")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    yield stream
    assert progress._shown == ""


def test_a_line_is_repainted_and_wiped_away(terminal: Terminal) -> None:
    progress.show("one")
    progress.show("one")
    progress.show("two" * 100)
    progress.hide()
    progress.wipe()
    assert terminal.getvalue() == f"\r\x1b[Kone\r\x1b[K{'two' * 26}…\r\x1b[K"


@pytest.mark.parametrize("why", ["pipe", "output through a pipe", "dumb", "accessible", "hidden"])
def test_nothing_is_shown_where_it_would_be_read(why: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    if why == "pipe":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    elif why == "output through a pipe":
        read, write = os.pipe()
        of_file, of_pipe = os.fstat, os.fstat(write)
        monkeypatch.setattr(os, "fstat", lambda file: of_pipe if file == 1 else of_file(file))
        os.close(read)
        os.close(write)
    elif why == "hidden":
        progress.hide()
    else:
        monkeypatch.setenv(*{"dumb": ("TERM", "dumb"), "accessible": ("ACCESSIBLE", "1")}[why])
    with progress.bar(3, "verifying") as advance:
        advance()
        progress.show("something")
    assert terminal.getvalue() == ""


def test_a_bar_of_several_files(terminal: Terminal, cli: Cli, brief: Played, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.seqp2p" for number in range(3)]
    for file in files:
        file.write_bytes(replay_bytes(brief))
    assert cli("verify", *files, "--jobs", 1)[0] == 0
    painted = [line for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted[0] == f"verifying [{'-' * 30}] 0/3"
    assert painted[1].startswith(f"verifying [{'#' * 10}{'-' * 20}] 1/3")
    assert painted[-1].startswith(f"verifying [{'#' * 30}] 3/3")
    terminal.truncate(0)
    for more in ((files[0],), (*files, "--no-progress")):
        assert cli("verify", *more, "--jobs", 1)[0] == 0
        assert terminal.getvalue() == ""


def test_a_terminal_that_is_gone_is_no_fault(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> int:
        raise OSError(5, "gone")

    monkeypatch.setattr(terminal, "write", fail)
    progress.show("one")
    progress.wipe()


def test_a_line_about_every_step_before_the_deal(brief: Played) -> None:
    match = Match(encode_agreement(brief.match.game.agreement))
    shown: list[str] = []
    for step in brief.match.record:
        if (line := setup_progress(match, 2)) and line not in shown:
            shown.append(line)
        for _, contribution in step.contributions:
            match.receive(contribution)
    assert shown == [
        "player 1 shuffles… proof checked 0/2",
        "you shuffle… proof checked 1/2",
        "the cards are being dealt…",
    ]


def test_a_shuffle_of_a_seat_whose_name_misleads() -> None:
    match = Match(encode_agreement(named(make_agreement(2), "you", "bob")))
    play(match, make_seats(2), POLICIES["random"](1), lambda match: match.kind == "shuffle")
    assert setup_progress(match, 2) == "seat 1 (you) shuffles… proof checked 0/2"


def test_the_time_that_is_left(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 100.0, 101.0, 130.0, 160.0])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(times)))
    with progress.bar(4, "verifying") as advance:
        for _ in range(3):
            advance()
    painted = [line.partition("] ")[2] for line in terminal.getvalue().split("\r\x1b[K") if line]
    assert painted == ["0/4", "1/4", "2/4, 0:30 left", "3/4, 0:20 left"]
