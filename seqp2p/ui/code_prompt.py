"""Asking for a join code on a terminal: Tab completes the words."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.output import create_output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.validation import ValidationError, Validator


def can_complete() -> bool:
    """Whether a person is at a terminal that can be written to and fro on, and wants that.

    On others, and with ACCESSIBLE set (a screen reader), lines are typed as they are.
    """
    dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    return sys.stdin.isatty() and sys.stderr.isatty() and not dumb and not os.environ.get("ACCESSIBLE")


async def prompt_code(question: str, words: Sequence[str], fault: Callable[[str], str | None]) -> str | None:
    """What was typed at the prompt once ``fault`` finds nothing wrong with it; None when asked to stop (Ctrl-C, Ctrl-D).

    ``fault`` says in one sentence what is wrong. Lines printed meanwhile stand above the prompt. The terminal is as it
    was before when this ends, however it ends.
    """
    prompt = _Prompt(question, words, fault)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(prompt.stop_when_cancelled)
        typed = await trio.to_thread.run_sync(prompt.ask)
        nursery.cancel_scope.cancel()
    return typed


class _Prompt:
    """One question. It has an event loop of its own, on the thread that asks."""

    def __init__(self, question: str, words: Sequence[str], fault: Callable[[str], str | None]) -> None:
        self._stopped = False
        self._session = PromptSession[str](
            question,
            completer=_Words(words),
            complete_while_typing=False,
            validator=_Faults(fault),
            validate_while_typing=False,
            # Standard output may belong to a script.
            output=create_output(sys.stderr),
        )

    def ask(self) -> str | None:
        try:
            with patch_stdout(raw=True):
                return self._session.prompt(pre_run=self._look, handle_sigint=False)
        except (KeyboardInterrupt, EOFError):
            return None

    async def stop_when_cancelled(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._stopped = True
            if loop := self._session.app.loop:
                loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        """On the prompt's own thread: end if that was asked for."""
        if self._stopped and self._session.app.is_running and not self._session.app.is_done:
            self._session.app.exit(exception=EOFError)


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
