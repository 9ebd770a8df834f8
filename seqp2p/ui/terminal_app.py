"""The terminal as one page. Only here trio and prompt_toolkit's event loop meet.

Theory of operation. prompt_toolkit's application has a thread, and on it an event loop, of its own. It is given a
painter, which is pure, and calls it when it draws: so a busy game never delays the screen. Keys, clicks and typed lines
go the other way, one by one, as calls on trio's thread.

    trio:    set_painter ──▶ (an attribute) ──▶ invalidate ──▶ drawn by the application's thread
    thread:  key, click, line ──▶ TrioToken.run_sync_soon ──▶ a channel ──▶ the InputHandler on trio's thread

A fault on either side ends the application and comes out of ``run``; a terminal that is gone is no fault.
"""

import asyncio
import contextlib
import contextvars
import math
import os
import os.path
import signal
import string
import sys
import textwrap
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, Final, Protocol

import trio
from prompt_toolkit.application import Application, get_app, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings.mouse import load_mouse_bindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    AnyContainer,
    BufferControl,
    CompletionsMenu,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.layout.containers import Container, DynamicContainer
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.shortcuts import print_formatted_text
from prompt_toolkit.styles import Style

from seqp2p.hangup import hang_up
from seqp2p.ui.frame import Fragment, Frame, Painter, Target, cells_of, in_ascii
from seqp2p.ui.language import t
from seqp2p.ui.scene import HEIGHT_MIN, WIDTH_MIN
from seqp2p.ui.styles import ASCII, Taste
from seqp2p.ui.terminal_answers import QUESTIONS, Answer, AnsweringParser, ParsedInput

PROMPT: Final = "> "
LINE_LENGTH_MAX: Final = 500
"""Characters that can be typed in one line: more than any remark or action has."""
ESCAPE_S: Final = 0.05
"""A terminal may take so long between the escape and the rest of a key's sequence."""
RESIZE_S: Final = 0.1
"""The terminal's size is looked at so often: on a thread that is not the first one no signal tells of it."""
ANSWERS_S: Final = 1.0
"""The terminal's answers are waited for so long."""
END_S: Final = 0.02
"""While they are, an end is tried again after this."""
STOP_S: Final = 1.0
"""If nothing stops, because no shell could let it go on again, the screen comes back after this."""

ROWS_KEPT: Final = 1024
"""Rows of the page that are kept as they were shown: several of the highest pages."""

# Keys that mean the same whatever is typed, and those that do only while nothing is.
ALWAYS: Final = ("pageup", "pagedown", *(f"f{number}" for number in range(1, 13)))
WHEN_EMPTY: Final = (
    *("up", "down", "left", "right", "home", "end", "delete", "s-tab", "c-y", "+", "-", "?"),
    *(" ", "tab", "escape", "c-d"),
)
WHEEL: Final = {MouseEventType.SCROLL_UP: "pageup", MouseEventType.SCROLL_DOWN: "pagedown"}
"""The keys that the wheel of the mouse stands for."""


class InputHandler(Protocol):
    """The handler of keys, on trio's thread."""

    def press(self, key: str) -> None:
        """Handle a key without text, or one pressed on an empty line."""
        ...

    def click(self, target: Target) -> None: ...

    def enter(self, line: str) -> None: ...

    def completions(self, typed: str) -> Sequence[str]:
        """Return whole lines that may be meant. The caller is the screen's thread: read, and change nothing."""
        ...


class TerminalApp:
    """One full-screen application. ``run`` it in a nursery; the terminal is as it was before when that ends.

    ``letters`` are those that are keys while nothing is typed: they answer a question.
    """

    def __init__(self, handler: InputHandler, taste: Taste, keys: Input | None, output: Output | None) -> None:
        self._handler = handler
        self._painter: Painter = lambda _width, _height: Frame(())
        self._token: trio.lowlevel.TrioToken | None = None
        self._heard, self._hears = trio.open_memory_channel[Callable[[], None]](math.inf)
        self.letters = frozenset[str]()
        self._stopped = False
        self._continued = threading.Event()
        self._context = contextvars.copy_context()
        self._buffer = Buffer(
            multiline=False,
            completer=_LineBuffer(handler),
            complete_while_typing=False,
            history=InMemoryHistory(),
            on_text_changed=self._clip,
        )
        self._taste = taste
        self._answers_until_s = 0.0
        self._app = self._application(keys, output)

    def set_painter(self, painter: Painter) -> None:
        self._painter = painter
        self._app.invalidate()

    def signal(self, sequences: str) -> None:
        """Send the terminal sequences that show nothing on the page: its bell, its title, a notification."""
        self._call(self._send, sequences)

    def _send(self, sequences: str) -> None:
        self._app.output.write_raw(sequences)
        self._app.output.flush()

    def go_on(self) -> None:
        """Paint everything, after this process was stopped and continued."""
        self._continued.set()
        self._call(self._app.renderer.clear)
        self._call(self._app.invalidate)

    async def run(self, *, task_status: "trio.TaskStatus[None]" = trio.TASK_STATUS_IGNORED) -> None:
        """Show the page until cancelled. A lost terminal ends it, by raising TerminalGone."""
        self._token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._stop_when_cancelled)
            nursery.start_soon(self._hear)
            task_status.started()
            await trio.to_thread.run_sync(self._run_application)
            if not self._stopped:
                await hang_up(trio.sleep)

    async def _hear(self) -> None:
        async for call in self._hears:
            call()

    async def _stop_when_cancelled(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._stopped = True
            self._call(self._end_if_stopped)

    # On the application's own thread.

    def _run_application(self) -> None:
        try:
            # An EOFError is how it is told to end, and either is how it says that the terminal is gone.
            with contextlib.suppress(EOFError, OSError):
                self._app.run(pre_run=self._begin, set_exception_handler=False, handle_sigint=False)
        finally:
            # A fault in the very first page leaves the terminal as that began to be painted.
            with contextlib.suppress(OSError):
                self._app.renderer.reset()

    def _begin(self) -> None:
        self._context = contextvars.copy_context()
        asyncio.get_running_loop().set_exception_handler(self._fail)
        self._end_if_stopped()

    def _fail(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End on an error of painting or reading: the screen would be blank, or the terminal is gone."""
        error = context.get("exception")
        if isinstance(error, Exception) and not self._app.is_done:
            self._app.exit(exception=error)

    def _end_if_stopped(self) -> None:
        if self._stopped and self._awaits_answers and self._app.loop is not None:
            # The shell would take an answer that comes after the end for typed text.
            self._app.loop.call_later(END_S, self._end_if_stopped)
        elif self._stopped and not self._app.is_done:
            self._app.exit(exception=EOFError)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Call a function on the application's thread, if this is running."""
        if (loop := self._app.loop) is not None:
            with contextlib.suppress(RuntimeError):  # It has ended at this moment.
                loop.call_soon_threadsafe(partial(function, *arguments), context=self._context)

    def _tell(self, method: Callable[..., None], *arguments: object) -> None:
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(self._heard.send_nowait, partial(method, *arguments))

    def _clip(self, buffer: Buffer) -> None:
        if len(buffer.text) > LINE_LENGTH_MAX:
            buffer.document = Document(buffer.text[:LINE_LENGTH_MAX])

    def _application(self, keys: Input | None, output: Output | None) -> Application[None]:
        spelt = in_ascii if self._taste.glyphs is ASCII else str
        heard = partial(self._tell, self._handler.click), partial(self._tell, self._handler.press)
        page = _PageContainer(lambda: self._painter, *heard, spelt)
        typed = Window(BufferControl(self._buffer), height=1, dont_extend_height=True, style="class:typed")
        prompt = Window(FormattedTextControl([("class:prompt", PROMPT)]), width=len(PROMPT), height=1)
        whole = FloatContainer(
            HSplit([page, VSplit([prompt, typed])]), [Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)]
        )
        small = Window(
            FormattedTextControl(lambda: spelt(_too_small(get_app().output.get_size().columns))),
            always_hide_cursor=True,
        )

        def shown() -> AnyContainer:
            size = get_app().output.get_size()
            return whole if size.columns >= WIDTH_MIN and size.rows >= HEIGHT_MIN else small

        app = Application[None](
            Layout(DynamicContainer(shown), focused_element=typed),
            style=Style.from_dict(self._taste.styles()),
            key_bindings=self._bindings(),
            full_screen=True,
            mouse_support=True,
            color_depth=ColorDepth(f"DEPTH_{self._taste.depth}_BIT"),
            terminal_size_polling_interval=RESIZE_S,
            input=keys,
            output=output,
        )
        app.ttimeoutlen = ESCAPE_S
        if isinstance(app.input, ParsedInput):
            app.input.vt100_parser = AnsweringParser(app.input.vt100_parser.feed_key_callback, self._answered)
            if self._taste.is_tinted:
                app.after_render += self._ask
        return app

    # The terminal's background.

    def _ask(self, app: Application[None]) -> None:
        """Ask the terminal for its background, once, after the first picture."""
        app.after_render -= self._ask
        self._answers_until_s = time.monotonic() + ANSWERS_S
        self._send(QUESTIONS)

    def _answered(self, answer: Answer) -> None:
        """Handle an answer. What comes after the last one, or later than it may, changes nothing."""
        if self._awaits_answers and answer is not None:
            self._app.style = Style.from_dict(self._taste.styles(answer))
            self._app.invalidate()
        elif answer is None:
            self._answers_until_s = 0.0

    @property
    def _awaits_answers(self) -> bool:
        return time.monotonic() < self._answers_until_s

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()
        empty = Condition(lambda: not self._buffer.text)

        def press(name: str, _: KeyPressEvent) -> Any:
            self._tell(self._handler.press, name)
            return NotImplemented  # Nothing to repaint yet: the handler paints when it has obeyed.

        for name in ALWAYS:
            keys.add(name)(partial(press, name))
        for name in WHEN_EMPTY:
            keys.add(name, filter=empty, eager=name == "escape")(partial(press, "space" if name == " " else name))
        for letter in string.ascii_lowercase:
            is_answer = Condition(lambda letter=letter: letter in self.letters)  # type: ignore[misc]
            keys.add(letter, filter=empty & is_answer)(partial(press, letter))
        keys.add("c-c", eager=True)(partial(press, "c-c"))
        keys.add(Keys.Vt100MouseEvent)(_mouse)
        keys.add(Keys.BracketedPaste)(self._paste)
        keys.add("c-z")(self._suspend)
        keys.add("enter")(self._enter)
        keys.add("tab", filter=~empty)(self._complete)
        keys.add("escape", filter=~empty, eager=True)(self._clear)
        return keys

    def _paste(self, event: KeyPressEvent) -> None:
        """Keep pasted text on one line, sent only by a key."""
        self._buffer.insert_text(" ".join(event.data.split()))

    def _clear(self, _: KeyPressEvent) -> None:
        self._buffer.reset()

    def _enter(self, event: KeyPressEvent) -> None:
        # Bytes that are no text stand in it as lone surrogates, which nothing can be said with.
        line = self._buffer.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if not line:
            self._tell(self._handler.press, "enter")
        elif self._buffer.complete_state:
            self._buffer.complete_state = None
        else:
            self._buffer.append_to_history()
            self._buffer.reset()
            self._tell(self._handler.enter, line)
        event.app.invalidate()

    def _complete(self, _: KeyPressEvent) -> None:
        """Insert the common beginning of all lines that may be meant; then go through them."""
        if self._buffer.complete_state:
            self._buffer.complete_next()
            return
        lines = self._handler.completions(self._buffer.text)
        common = os.path.commonprefix(list(lines))  # noqa: RUF071  # of characters is what is meant
        if len(common) > len(self._buffer.text):
            self._buffer.document = Document(common)
        if len(lines) > 1:
            self._buffer.start_completion(select_first=False)

    def _suspend(self, _: KeyPressEvent) -> None:
        """Stop as any program does, with the terminal as it was; paint again when it goes on."""
        if sys.platform != "win32":

            def stop() -> None:
                self._continued.clear()
                os.kill(0, signal.SIGTSTP)  # With its group, as the terminal itself would.
                # Another thread may be the one to get it, a little later: this one takes no terminal back before.
                self._continued.wait(STOP_S)

            run_in_terminal(stop)


class _PageContainer(Container):
    """The painted page, painted again only if the painter or the size has changed.

    A row that was shown before is taken as it was: prompt_toolkit's own containers look at every cell at every key.
    """

    def __init__(
        self,
        painter: Callable[[], Painter],
        click: Callable[[Target], None],
        press: Callable[[str], None],
        spelt: Callable[[str], str],
    ) -> None:
        self._painter = painter
        self._click = click
        self._press = press
        self._row = lru_cache(maxsize=ROWS_KEPT)(partial(_row_of_chars, spelt))
        self._painted: tuple[Painter, int, int] | None = None
        self._frame = Frame(())

    def reset(self) -> None:
        """Nothing is kept but the page."""

    def preferred_width(self, max_available_width: int) -> Dimension:
        return Dimension(preferred=max_available_width)

    def preferred_height(self, width: int, max_available_height: int) -> Dimension:
        del width
        return Dimension(preferred=max_available_height)

    def get_children(self) -> list[Container]:
        return []

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,  # the name and place are prompt_toolkit's
        z_index: int | None,
    ) -> None:
        del parent_style, erase_bg, z_index
        painter, where = self._painter(), write_position
        if self._painted is None or self._painted[0] is not painter or self._painted[1:] != (where.width, where.height):
            self._frame = painter(where.width, where.height)
            self._painted = (painter, where.width, where.height)
        for row in range(where.height):
            if row < len(self._frame.rows):
                screen.data_buffer[where.ypos + row].update(self._row(self._frame.rows[row]))
            mouse_handlers.mouse_handlers[where.ypos + row] = defaultdict(lambda: self._clicked)
        screen.height = max(screen.height, where.ypos + where.height)

    def _clicked(self, mouse_event: MouseEvent) -> Any:
        if mouse_event.event_type in WHEEL:
            self._press(WHEEL[mouse_event.event_type])
        elif mouse_event.event_type is MouseEventType.MOUSE_UP:
            target = self._frame.targets.get((mouse_event.position.y, mouse_event.position.x))
            if target is not None:
                self._click(target)
        return NotImplemented  # Nothing to repaint yet: the handler paints when it has obeyed.


def print_frame(frame: Frame, taste: Taste) -> None:
    """Print a page as lines, with its colours."""
    style, depth = Style.from_dict(taste.styles()), ColorDepth(f"DEPTH_{taste.depth}_BIT")
    for row in frame.rows:
        text = FormattedText([(_classes(name), part) for name, part in row])
        print_formatted_text(text, style=style, color_depth=depth)


def print_line(line: Iterable[Fragment], taste: Taste) -> None:
    """Print a line in the terminal's own colours, and what has a style on the page of its palette."""
    styles, depth = taste.styles(), ColorDepth(f"DEPTH_{taste.depth}_BIT")
    page = styles.pop("", "")
    text = FormattedText([(f"{page} {_classes(name)}" if name else "", part) for name, part in line])
    print_formatted_text(text, style=Style.from_dict(styles), color_depth=depth)


def _classes(style: str) -> str:
    return " ".join(f"class:{name}" for name in style.split())


def _row_of_chars(spelt: Callable[[str], str], row: tuple[Fragment, ...]) -> dict[int, Char]:
    """Return a row as prompt_toolkit has it: by columns. A wide character has an empty one after it."""
    texts, styles = cells_of((style, spelt(text)) for style, text in row)
    classes = map(_classes, styles)
    return {at: Char(text, style) for at, (text, style) in enumerate(zip(texts, classes, strict=True))}


class _LineBuffer(Completer):
    """Completes the whole line."""

    def __init__(self, handler: InputHandler) -> None:
        self._handler = handler

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        del complete_event
        typed = document.text_before_cursor
        for line in self._handler.completions(typed):
            yield Completion(line, start_position=-len(typed))


_hear_mouse: Final = load_mouse_bindings().get_bindings_for_keys((Keys.Vt100MouseEvent,))[0].handler


def _mouse(event: KeyPressEvent) -> Any:
    """Pass a report of the mouse on, unless it says nothing: half of one, a button that no mouse has."""
    with contextlib.suppress(KeyError, ValueError):
        return _hear_mouse(event)
    return NotImplemented


def _too_small(columns: int) -> str:
    """Return the sentence, wrapped at its words.

    >>> print(_too_small(40))
    terminal too small: need 80×24; Ctrl-C
    leaves, and --plain works at any size
    """
    size = {"width": WIDTH_MIN, "height": HEIGHT_MIN}
    sentence = t("terminal too small: need {width}×{height}; Ctrl-C leaves, and --plain works at any size", **size)
    return textwrap.fill(sentence, max(1, columns))
