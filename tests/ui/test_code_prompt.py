"""The prompt for a join code, in a terminal that these tests hold the other end of."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from seqp2p.net.wordlist import WORDS
from seqp2p.ui import code_prompt

LIMIT_S = 20.0
CURSOR_QUESTION, CURSOR_ANSWER = b"\x1b[6n", b"\x1b[1;1R"

PROGRAM = """
import sys, trio
from seqp2p.net.wordlist import WORDS
from seqp2p.ui.code_prompt import can_complete, prompt_code

async def chat():
    await trio.sleep(0.2)
    print("said meanwhile")
    print("on the other", file=sys.stderr)

async def main():
    assert can_complete()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(chat)
        with trio.move_on_after(float(sys.argv[1])) as scope:
            typed = await prompt_code("code: ", WORDS, lambda text: "too short" if len(text) < 9 else None)
            print("TYPED", typed)
        if scope.cancelled_caught:
            print("CANCELLED")
        nursery.cancel_scope.cancel()

try:
    trio.run(main)
except* KeyboardInterrupt:
    print("INTERRUPTED")
"""


class Terminal:
    """A terminal with a program in it. What is waited for has a time limit."""

    def __init__(self, *arguments: str, to_a_script: bool = False) -> None:
        self.own, other = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdin=other,
            stdout=subprocess.PIPE if to_a_script else other,
            stderr=other,
            env=os.environ | {"TERM": "xterm", "ACCESSIBLE": ""},
            start_new_session=True,
        )
        os.close(other)
        self.raw = b""

    @property
    def shown(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw.decode("utf-8", "replace"))

    def type(self, text: str) -> None:
        # What is typed while a line is printed above the prompt is the terminal's own, as in any program.
        self._wait(lambda: not self.cooked())
        os.write(self.own, text.encode())

    def until(self, text: str) -> None:
        self._wait(lambda: text in self.shown)

    def _wait(self, condition: Callable[[], bool]) -> None:
        limit = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < limit, self.shown
            if select.select([self.own], [], [], 0.02)[0]:
                data = os.read(self.own, 4096)
                self.raw += data
                if CURSOR_QUESTION in data:
                    os.write(self.own, CURSOR_ANSWER)

    def cooked(self) -> bool:
        """Whether lines are edited by the terminal again, and typing is shown."""
        flags = termios.tcgetattr(self.own)[3]
        return bool(flags & termios.ICANON and flags & termios.ECHO)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
        if self.process.stdout:
            self.process.stdout.close()
        os.close(self.own)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_words_are_completed_and_a_fault_is_said(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal("60"))
    terminal.until("on the other")
    terminal.type("7-a\r")
    terminal.until("too short")
    terminal.type("mb\t falc\t\r")
    terminal.until("TYPED 7-amber falcon")
    assert "said meanwhile" in terminal.shown
    assert terminal.process.wait(LIMIT_S) == 0
    assert terminal.cooked()


@pytest.mark.parametrize("key", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_end_the_question(terminals: list[Terminal], key: str) -> None:
    terminals.append(terminal := Terminal("60"))
    terminal.until("on the other")
    terminal.type(key)
    terminal.until("TYPED None")
    assert terminal.cooked()


def test_what_ends_it_from_outside_leaves_the_terminal_as_it_was(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal("0.5"))
    terminal.until("CANCELLED")
    assert terminal.cooked()
    terminals.append(other := Terminal("60"))
    other.until("on the other")
    other.process.send_signal(signal.SIGINT)
    other.until("INTERRUPTED")
    assert other.cooked()


def test_what_a_script_reads_goes_to_the_script(terminals: list[Terminal]) -> None:
    terminals.append(terminal := Terminal("60", to_a_script=True))
    terminal.until("on the other")
    terminal.type("7-amber-falcon\r")
    assert terminal.process.wait(LIMIT_S) == 0
    assert terminal.process.stdout is not None
    assert terminal.process.stdout.read().decode().splitlines() == ["said meanwhile", "TYPED 7-amber-falcon"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("7-amb", "amber"),
        ("7amb", "amber"),
        ("7 AMB", "amber"),
        ("7-amber-fal", "falcon"),
        ("7_amber.fal", "falcon"),
        ("7", None),
        ("7-", None),
        ("amb", None),
        ("7-xyz", None),
    ],
)
def test_what_a_word_is_completed_to(typed: str, first: str | None) -> None:
    found = list(code_prompt._Words(WORDS).get_completions(Document(typed), CompleteEvent()))
    assert (found[0].text if found else None) == first


@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"TERM": "xterm", "ACCESSIBLE": "1"}, {}], ids=["dumb", "screen reader", "none"]
)
def test_where_lines_are_typed_as_they_are(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    for name in ("TERM", "ACCESSIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert not code_prompt.can_complete()
