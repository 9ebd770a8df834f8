"""Asking for a join code on a terminal: Tab completes the words."""

import contextlib
import contextvars
import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TextIO

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.validation import ValidationError, Validator


def can_complete() -> bool:
    """Whether a person is at a terminal that can be written to and fro on, and wants that.

    On others, and with ACCESSIBLE set (a screen reader), lines are typed as they are.
    """
    dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    return sys.stdin.isatty() and sys.stderr.isatty() and not dumb and not os.environ.get("ACCESSIBLE")


async def prompt_code(question: str, words: Sequence[str], fault: Callable[[str], str | None]) -> str | None:
    """What was typed at the prompt once ``fault`` finds nothing wrong with it; None for Ctrl-C or Ctrl-D.

    ``fault`` says in one sentence what is wrong. Lines printed meanwhile stand above the prompt. The terminal is as it
    was before when this ends, however it ends.
    """
    prompt = _Prompt(question, words, fault)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(prompt.stop_when_cancelled)
        # Not waited for by this task itself, which an interruption from outside could not wake then.
        nursery.start_soon(prompt.run, nursery.cancel_scope)
    return prompt.typed


class _Prompt:
    """One question. It has an event loop of its own, on the thread that asks."""

    def __init__(self, question: str, words: Sequence[str], fault: Callable[[str], str | None]) -> None:
        self.typed: str | None = None
        self._stopped = False
        self._session = PromptSession[str](
            question,
            completer=_Words(words),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            validator=_Faults(fault),
            validate_while_typing=False,
            # Standard output may belong to a script.
            output=create_output(sys.stderr),
        )
        self.context = contextvars.copy_context()

    @property
    def loop(self) -> Any:
        """The loop that the prompt runs in, None while it does not."""
        return self._session.app.loop

    async def run(self, scope: trio.CancelScope) -> None:
        self.typed = await trio.to_thread.run_sync(self._ask)
        scope.cancel()

    async def stop_when_cancelled(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._stopped = True
            self.call(self._begin)

    def call(self, function: Callable[..., object], *arguments: object) -> bool:
        """Call it on the prompt's own thread; false if the prompt is not there, or not any more."""
        loop = self.loop
        if loop is None:
            return False
        try:
            loop.call_soon_threadsafe(partial(function, *arguments), context=self.context)
        except RuntimeError:
            return False  # It has ended at this moment.
        return True

    def _ask(self) -> str | None:
        with contextlib.ExitStack() as stack:
            if sys.stdout.isatty():
                stack.enter_context(contextlib.redirect_stdout(_Above(self, sys.stdout)))
            stack.enter_context(contextlib.redirect_stderr(_Above(self, sys.stderr)))
            try:
                return self._session.prompt(pre_run=self._begin, handle_sigint=False)
            except (KeyboardInterrupt, EOFError):
                return None

    def _begin(self) -> None:
        """On the prompt's own thread: end at once if that was asked for."""
        self.context = contextvars.copy_context()
        if self._stopped and not self._session.app.is_done:
            self._session.app.exit(exception=EOFError)


class _Above(io.TextIOBase):
    """What is printed meanwhile stands above the prompt."""

    def __init__(self, prompt: _Prompt, stream: TextIO) -> None:
        self._prompt = prompt
        self._stream = stream
        self._begun = ""

    def write(self, text: str) -> int:
        """Whole lines only: the prompt is drawn again below each piece."""
        whole, end, rest = (self._begun + text).rpartition("\n")
        self._begun = rest
        lines = whole + end
        if lines and not self._prompt.call(run_in_terminal, partial(self._write, lines)):
            self._write(lines)
        return len(text)

    def isatty(self) -> bool:
        return True

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class _Words(Completer):
    """Completes the word that is being typed, after the number."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """The words that begin as the one before the cursor does."""
        del complete_event
        typed = document.text_before_cursor.casefold()
        begun = typed.lstrip("0123456789").lstrip("-_., ") if typed[:1].isdigit() else ""
        for separator in "_., ":
            begun = begun.replace(separator, "-")
        begun = begun.rpartition("-")[2]
        if begun:
            for word in self._words:
                if word.startswith(begun):
                    yield Completion(word, start_position=-len(begun))


class _Faults(Validator):
    def __init__(self, fault: Callable[[str], str | None]) -> None:
        self._fault = fault

    def validate(self, document: Document) -> None:
        """Raises ValidationError, whose text is shown below the prompt, which stays."""
        if fault := self._fault(document.text):
            raise ValidationError(len(document.text), fault)
