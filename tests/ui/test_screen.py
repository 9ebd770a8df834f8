"""The screen with prompt_toolkit's pipe input and a terminal of some size: keys in, typed lines out."""

import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NoReturn

import pytest
import trio
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.styles import Style

from seqp2p.hangup import TerminalGone
from seqp2p.ui.frame import Canvas, Frame, Painter, Target
from seqp2p.ui.keys import KeyHelp, put_keys
from seqp2p.ui.question import yes_or_no
from seqp2p.ui.scene import LogLine, Page
from seqp2p.ui.screen import TICK_S, Screen, open_screen
from seqp2p.ui.styles import ASCII, UNICODE, Rgb, Taste, styles_on
from seqp2p.ui.terminal_answers import QUESTIONS
from seqp2p.ui.terminal_app import ANSWERS_S, LINE_LENGTH_MAX
from tests.net.tools import until

LIMIT_S = 60.0
NAMES = (
    {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "pageup": "\x1b[5~", "f1": "\x1bOP"}
    | {"f12": "\x1b[24~", "s-tab": "\x1b[Z", "home": "\x1b[H", "end": "\x1b[F", "tab": "\t", "enter": "\r"}
    | {"space": " ", "?": "?", "+": "+", "-": "-"}
)


class Sized(DummyOutput):
    """A terminal of some size, which says nothing."""

    def __init__(self, columns: int, rows: int) -> None:
        self.size = Size(rows=rows, columns=columns)
        self.written = self.raw = self.shown = ""

    def get_size(self) -> Size:
        return self.size

    def write_raw(self, data: str) -> None:
        self.raw += data

    def write(self, data: str) -> None:
        self.written += data

    def flush(self) -> None:
        """Note a whole picture: from then on it can be clicked."""
        self.shown = self.written


class Recorder:
    """A scene that notes its keys; ``f1`` types a line."""

    def __init__(self) -> None:
        self.keys_seen: list[str] = []
        self.painted: list[tuple[int, int]] = []

    def painter(self, page: Page) -> Painter:
        def paint(width: int, height: int) -> Frame:
            self.painted.append((width, height))
            canvas = Canvas(width, height)
            for row, line in enumerate(page.lines[-height:]):
                canvas.put(row, 0, line.text, line.kind)
            canvas.put(0, width - 4, "安x", "title", ("seat", 2))
            return canvas.frame()

        return paint

    def enter(self, line: str) -> str | None:
        return line

    def press(self, key: str) -> str | None:
        self.keys_seen.append(key)
        return "help me" if key == "f1" else None

    def click(self, target: Target) -> str | None:
        return f"{target[0]} {target[1]}"

    def completions(self, typed: str) -> Sequence[str]:
        return [line for line in ("say hello", "say good game") if line.startswith(typed)]


@dataclass
class Sitting:
    screen: Screen
    scene: Recorder
    keys: PipeInput
    output: Sized

    async def lines(self, count: int) -> list[str | None]:
        with trio.fail_after(LIMIT_S):
            return [await self.screen.read_line() for _ in range(count)]


@asynccontextmanager
async def sitting(
    columns: int = 80, rows: int = 24, *, ascii_only: bool = False, palette: str = "mono"
) -> AsyncIterator[Sitting]:
    output = Sized(columns, rows)
    with create_pipe_input() as keys:
        # In the palette mono the terminal is asked for nothing.
        taste = Taste(palette, ASCII if ascii_only else UNICODE)
        async with open_screen(taste, keys, output) as screen:
            scene = Recorder()
            screen.show(scene)
            yield Sitting(screen, scene, keys, output)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("QH e5\rsay  hello\r", ["QH e5", "say  hello"]),
        ("sa\thello\r", ["say hello"]),
        ("\x04", [None]),
        ("x" * 10_000 + "\r", ["x" * LINE_LENGTH_MAX]),
        (
            "\x1b[200~say good\r\n\tgame\n" + "x" * 10_000 + "\x1b[201~\r",
            [("say good game " + "x" * LINE_LENGTH_MAX)[:LINE_LENGTH_MAX]],
        ),
    ],
    ids=["two lines", "Tab completes a line", "the end of what is typed", "a long line is cut", "a paste is one line"],
)
async def test_typed_lines_are_read(typed: str, read: list[str | None]) -> None:
    async with sitting() as table:
        table.keys.send_text(typed)
        assert await table.lines(len(read)) == read


async def test_keys_go_to_the_scene_while_nothing_is_typed() -> None:
    async with sitting() as table:
        table.keys.send_text("".join(NAMES.values()) + "x\r")
        assert await table.lines(2) == ["help me", "x"], "f1 types a line"
        assert table.scene.keys_seen == [*NAMES]


async def test_escape_clears_what_is_typed_before_it_means_anything_else() -> None:
    async with sitting() as table:
        table.keys.send_text("wrong")
        await trio.sleep(0.2)  # A terminal tells an escape from a longer key by the time that passes.
        table.keys.send_text("\x1b")
        await trio.sleep(0.3)
        table.keys.send_text("right\r")
        assert await table.lines(1) == ["right"]
        table.keys.send_text("\x1b")
        await trio.sleep(0.3)
        table.keys.send_text("x\r")
        assert await table.lines(1) == ["x"]
        assert table.scene.keys_seen == ["escape"]


@pytest.mark.parametrize(
    ("typed", "read"),
    [("\r", ["no"]), ("y", ["yes"]), ("n", ["no"]), ("yes\rx\r", ["yes", "x"]), ("ye\rx\r", ["yes", "e", "x"])],
)
async def test_keys_answer_a_question_and_so_do_words(typed: str, read: list[str]) -> None:
    async with sitting() as table:
        table.screen.ask("leaving", yes_or_no("leave?"))
        table.keys.send_text(typed)
        assert await table.lines(len(read)) == read


async def test_the_newest_question_is_answered_first() -> None:
    async with sitting() as table:
        table.screen.ask("leaving", yes_or_no("leave?"))
        table.screen.ask("another game", yes_or_no("another?", "yes"))
        table.keys.send_text("\r")
        assert await table.lines(1) == ["yes"]
        table.screen.ask("another game", None)
        table.screen.click(("key enter", 0))
        assert await table.lines(1) == ["no"]
        table.screen.show(Recorder())
        table.keys.send_text("yes\r")
        assert await table.lines(1) == ["yes"], "a letter is a letter again"


async def test_an_amended_line_follows_what_it_sums_up() -> None:
    async with sitting() as table:
        for line in ("shuffled by ann…", "bob has shuffled"):
            table.screen.say(line)
        assert table.screen.amend("shuffled by ann…", "shuffled by ann and bob…")
        assert not table.screen.amend("shuffled by ann…", "never")
        assert [line.text for line in table.screen.lines] == ["bob has shuffled", "shuffled by ann and bob…"]


async def test_ctrl_c_is_a_signal_and_no_answer_to_anything() -> None:
    with trio.open_signal_receiver(signal.SIGINT) as signals:
        async with sitting() as table:
            for _ in range(3):
                table.keys.send_text("\x03")
                with trio.fail_after(LIMIT_S):
                    assert await anext(aiter(signals)) == signal.SIGINT
            table.keys.send_text("no\r")
            assert await table.lines(1) == ["no"]


async def test_bytes_that_are_no_text_can_be_said() -> None:
    async with sitting() as table:
        table.keys.send_bytes(b"say \xff\xe2\x82\r")
        (line,) = await table.lines(1)
        assert line is not None
        assert line.encode("utf-8").startswith("say \N{REPLACEMENT CHARACTER}".encode())


@pytest.mark.parametrize(
    "report", [b"[M\xc4\xb0!!", b"[M~~~", b"[<;;M", b"[<1M", b"[<0;99999999;99999999m", b"[<777;1;1M"]
)
async def test_a_report_of_the_mouse_that_says_nothing_does_nothing(report: bytes) -> None:
    async with sitting() as table:
        table.keys.send_bytes(b"\x1b" + report + b"\x0bhand\r")
        with trio.fail_after(LIMIT_S):
            while (line := await table.screen.read_line()) is not None and not line.endswith("hand"):
                pass
        assert line is not None, "the screen goes on"


def fail(*_: object) -> NoReturn:
    raise ZeroDivisionError


@pytest.mark.parametrize("fault", ["the first picture", "a later picture", "a key"])
async def test_a_fault_of_the_scene_ends_the_screen_and_comes_out(fault: str) -> None:
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with sitting() as table:
            if fault == "a later picture":
                await until(lambda: bool(table.scene.painted))
            if fault == "a key":
                table.scene.press = fail  # type: ignore[assignment, method-assign]
                table.keys.send_text("\t")
            else:
                table.screen.stage.set_painter(fail)
            await trio.sleep(LIMIT_S)


async def test_a_terminal_that_is_gone_asks_this_process_to_end() -> None:
    with trio.open_signal_receiver(signal.SIGHUP) as signals:
        async with sitting() as table:
            table.keys.close()
            with trio.fail_after(LIMIT_S):
                assert await anext(aiter(signals)) == signal.SIGHUP


async def test_a_terminal_that_is_gone_where_nobody_hears_of_it() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with pytest.RaisesGroup(TerminalGone, flatten_subgroups=True), trio.fail_after(LIMIT_S):
            async with sitting() as table:
                table.keys.close()
                await trio.sleep_forever()
    finally:
        signal.signal(signal.SIGHUP, before)


async def test_what_is_about_to_change_is_painted_when_it_has() -> None:
    async with sitting() as table:
        await until(lambda: bool(table.scene.painted))
        table.screen.refresh_soon()
        # Nothing else is painted so soon: the clock's next second is far.
        table.screen.lines.append(LogLine("log", "at once"))
        with trio.fail_after(TICK_S / 2):
            await until(lambda: "at once" in table.output.written)


CLICK = "\x1b[<0;79;1M\x1b[<0;79;1m"
"""The mouse goes down and up again on the 79th column of the first row: behind a character two cells wide."""


async def test_ascii_alone_reaches_a_terminal_that_wants_it() -> None:
    async with sitting(ascii_only=True) as table:
        table.screen.say("mélangé… 安 e\u0301")
        await until(lambda: "melange. ?? e" in table.output.shown)
        table.keys.send_text(CLICK)
        assert await table.lines(1) == ["seat 2"], "a click is where it was"
        assert table.output.written.isascii()


async def test_a_terminal_that_is_too_small_is_told_so_in_ascii() -> None:
    async with sitting(79, ascii_only=True) as table:
        await until(lambda: "need 80x24" in table.output.written)
        assert table.output.written.isascii()


async def test_a_click_on_a_wide_character_s_neighbour_is_told() -> None:
    async with sitting() as table:
        await until(lambda: "安" in table.output.shown)  # There is nothing to click before the first picture.
        table.keys.send_text(CLICK)
        assert await table.lines(1) == ["seat 2"]


async def test_a_click_on_the_help_of_a_key_is_that_key_and_the_wheel_is_two_keys() -> None:
    with trio.open_signal_receiver(signal.SIGINT) as signals:
        async with sitting() as table:
            table.screen.click(("key f1", 0))
            assert await table.lines(1) == ["help me"]
            table.screen.click(("key c-c", 0))
            with trio.fail_after(LIMIT_S):
                assert await anext(aiter(signals)) == signal.SIGINT
            await until(lambda: "安" in table.output.shown)
            table.keys.send_text("\x1b[<64;9;9M\x1b[<65;9;9M" + CLICK)
            assert await table.lines(1) == ["seat 2"]
            assert table.scene.keys_seen == ["f1", "pageup", "pagedown"]


def test_the_first_sign_of_two_is_the_way_back_and_what_cannot_be_clicked_is_no_target() -> None:
    canvas = Canvas(80, 2)
    put_keys(canvas, 0, [KeyHelp("-+", "speed", press="+", back="-"), KeyHelp("arrows", "square")], "dim")
    targets = canvas.frame().targets
    assert [targets.get((1, column)) for column in (0, 1, 3)] == [("key -", 0), ("key +", 0), ("key +", 0)]
    assert len(targets) == len("-+ speed")
    assert ("dim", "arrows") in canvas.frame().rows[1]


KIND = "\x1b[?62;22c"
WHITE, BLACK = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07"


@pytest.mark.parametrize(
    ("answer", "after_s", "background"),
    [
        (WHITE, 0.0, (255, 255, 255)),
        (BLACK, 0.0, (0, 0, 0)),
        ("", 0.0, None),
        ("\x1b]11;rgb:zz\x07", 0.0, None),
        (WHITE, ANSWERS_S + 0.1, None),
    ],
    ids=["light", "dark", "none", "strange", "late"],
)
async def test_the_palette_follows_the_terminal_s_answer(answer: str, after_s: float, background: Rgb | None) -> None:
    """The first picture waits for none, and keys before and behind it are kept."""
    async with sitting(palette="auto") as table:
        await until(lambda: QUESTIONS in table.output.raw)
        assert table.output.shown
        await trio.sleep(after_s)
        table.keys.send_text(f"lea{answer}v{KIND}e\r")
        assert await table.lines(1) == ["leave"]
        style = table.screen.stage._app.style
        assert isinstance(style, Style)
        assert style.style_rules == Style.from_dict(styles_on("auto", background, 8)).style_rules


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (79, 24), (80, 23), (2, 60), (500, 1)])
async def test_a_terminal_that_is_too_small_shows_no_scene_and_goes_on(columns: int, rows: int) -> None:
    async with sitting(columns, rows) as table:
        table.keys.send_text("hand\r")
        assert await table.lines(1) == ["hand"]
        assert not table.scene.painted


async def test_the_scene_is_painted_at_the_terminal_s_size_and_again_at_another() -> None:
    async with sitting(500, 200) as table:
        table.keys.send_text("hand\r")
        await table.lines(1)
        await until(lambda: (500, 199) in table.scene.painted)
        table.output.size = Size(rows=24, columns=80)
        await until(lambda: (80, 23) in table.scene.painted)


async def test_the_bell_rings() -> None:
    async with sitting() as table:
        table.keys.send_text("x\r")
        await table.lines(1)
        table.screen.signal("\a")
        await until(lambda: "\a" in table.output.raw)
