"""A person's screen, on trio's side: the shown scene, the log, and the typed lines.

To the rest of the program it is a place to write and read lines, like a terminal without a screen; scenes only show
more. Every key or click comes out as the line that could have been typed for it.
"""

import contextlib
import gc
import signal
import sys
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import trio
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from seqp2p.rules import Action, Card, Variant
from seqp2p.ui.cards import action_signed, all_suits_shown, card_signed, suits_shown
from seqp2p.ui.frame import Frame, Target
from seqp2p.ui.lobby_scene import LobbyModel, LobbyScene
from seqp2p.ui.person.command_words import suggestible
from seqp2p.ui.question import Question
from seqp2p.ui.scene import LogLine, Page, Scene
from seqp2p.ui.styles import Taste
from seqp2p.ui.terminal_app import TerminalApp

LINES_MAX: Final = 2000
"""Lines that were said and can be scrolled back to."""
TYPED_MAX: Final = 64
"""Lines that were typed and not read yet; more are not taken."""
TICK_S: Final = 1.0


class Screen:
    """The screen and keyboard of a person. Make it with ``open_screen``.

    ``lines`` is the log; ``remains`` is what is printed after the terminal is restored: lines, and the last board.
    """

    def __init__(self, taste: Taste, keys: Input | None = None, output: Output | None = None) -> None:
        self.lines: deque[LogLine] = deque(maxlen=LINES_MAX)
        self.remains: list[str | Frame] = []
        self._questions = dict[str, Question]()  # the open ones by what they are about, the newest last
        self._rests = frozenset[str]()  # what is left of the words for the letter that was the last key
        self._signs = taste.signs
        self._scene: Scene = LobbyScene(LobbyModel(""))
        self._send, self._typed = trio.open_memory_channel[str | None](TYPED_MAX)
        self.stage = TerminalApp(self, taste, keys, output)

    # What the program does with it.

    def show(self, scene: Scene) -> None:
        """Show a scene. The questions of another one are closed."""
        if scene is not self._scene:
            self._questions.clear()
        self._scene = scene
        self.refresh()

    def refresh(self) -> None:
        question = self._question and self._question.at(trio.current_time())
        self.stage.letters = question.letters if question else frozenset()
        page = Page(tuple(self.lines), self._signs, question)
        self.stage.set_painter(self._scene.painter(page))

    def refresh_soon(self) -> None:
        """Paint the scene again as soon as the caller has finished its change."""
        trio.lowlevel.current_trio_token().run_sync_soon(self.refresh)

    def say(self, text: str, kind: str = "log", colour: str = "") -> None:
        shown = suits_shown(text, self._signs.suits) if kind in {"log", "detail"} else text
        self.lines.append(LogLine(kind, shown, colour))
        self.refresh()

    def dressed(self, text: str) -> str:
        """Return a text with the signs of the suits on its cards."""
        return all_suits_shown(text, self._signs.suits)

    def card(self, variant: Variant, card: Card) -> str:
        return card_signed(variant, card, self._signs.suits)

    def action(self, variant: Variant, action: Action) -> str:
        return action_signed(variant, action, self._signs.suits)

    @property
    def _question(self) -> Question | None:
        """The question that is shown: the newest one with answers, else the newest notice."""
        newest_first = list(reversed(self._questions.values()))
        return next((each for each in newest_first if each.answers), newest_first[0] if newest_first else None)

    def ask(self, about: str, question: Question | None) -> None:
        """Show a question in place of what the scene asks; None when it is answered."""
        self._questions.pop(about, None)
        if question is not None:
            self._questions[about] = question
        self.refresh()

    def close_questions(self) -> None:
        """Take back all questions: what they were about is over."""
        self._questions.clear()

    def signal(self, sequences: str) -> None:
        """Send the terminal sequences that show nothing on the page."""
        self.stage.signal(sequences)

    def amend(self, before: str, text: str) -> bool:
        """Replace the last line of the game with this text by a newest one. Return False if it is not there."""
        old, new = (suits_shown(each, self._signs.suits) for each in (before, text))
        for at in range(len(self.lines) - 1, -1, -1):
            if (line := self.lines[at]).text == old:
                del self.lines[at]
                self.lines.append(line._replace(text=new))
                self.refresh()
                return True
        return False

    async def read_line(self) -> str | None:
        """Return the next typed line, or None for the key that ends the input (Ctrl-D)."""
        return await self._typed.receive()

    async def tick(self) -> None:
        """Paint every second, for the clocks, until cancelled."""
        while True:
            await trio.sleep(TICK_S)
            self.refresh()

    # What the stage hears; on trio's thread.

    def press(self, key: str) -> None:
        """Obey a key. Ctrl-C raises SIGINT, as at any terminal, and never answers a question."""
        if key == "c-c":
            signal.raise_signal(signal.SIGINT)
            return
        line = self._question.answered_by(key) if self._question else None
        if key == "c-d":
            self._take(None)
        elif line is not None:
            # Who types the whole word gets the same as who presses its letter.
            self._rests = frozenset(alias[1:] for alias in suggestible([line])) if len(key) == 1 else frozenset[str]()
            self._take(line)
        elif (line := self._scene.press(key)) is not None:
            self._take(line)
        self.refresh()

    def click(self, target: Target) -> None:
        """Obey a click. One on the help of a key is that key."""
        what, _, key = target[0].partition(" ")
        if what == "key":
            self.press(key)
        elif (line := self._scene.click(target)) is not None:
            self._take(line)
        self.refresh()

    def enter(self, line: str) -> None:
        rests, self._rests = self._rests, frozenset[str]()
        if line.strip().lower() in rests:
            return
        if (rest := self._scene.enter(line)) is not None:
            self._take(rest)
        self.refresh()

    def completions(self, typed: str) -> Sequence[str]:
        return self._scene.completions(typed)

    def _take(self, line: str | None) -> None:
        with contextlib.suppress(trio.WouldBlock):
            self._send.send_nowait(line)


@contextlib.asynccontextmanager
async def open_screen(taste: Taste, keys: Input | None = None, output: Output | None = None) -> AsyncGenerator[Screen]:
    """Open a screen on this terminal, or on the given input and output, until the block ends."""
    # All that is loaded stays: looking through it again and again for garbage would hold a key up for 30 ms at times.
    gc.collect()
    gc.freeze()
    screen = Screen(taste, keys, output)
    async with trio.open_nursery() as nursery:
        await nursery.start(screen.stage.run)
        nursery.start_soon(screen.tick)
        nursery.start_soon(_repaint_when_continued, screen.stage)
        yield screen
        nursery.cancel_scope.cancel()


async def _repaint_when_continued(stage: TerminalApp) -> None:
    """Paint again after a stop: other programs have written on the terminal."""
    if sys.platform != "win32":
        with trio.open_signal_receiver(signal.SIGCONT) as signals:
            async for _ in signals:
                stage.go_on()
