"""The program on a terminal that the test plays: asked for its background, it answers well, badly or never."""

import os
import select
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from seqp2p.errors import ABANDONED
from seqp2p.ui.styles import styles_of
from seqp2p.ui.terminal_answers import BURST_S, QUESTIONS
from seqp2p.ui.terminal_app import ANSWERS_S
from tests.cli.processes import LIMIT_S, Household, Terminal, household

pytestmark = [pytest.mark.terminal, pytest.mark.slow]
KIND = "\x1b[?62;22c"
WHITE, BLACK = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07"


def sent(name: str, palette: str) -> str:
    """Return the start of the escape sequence of a style's colour."""
    digits = styles_of(palette)[name].split()[0].removeprefix("bg:#").removeprefix("#")
    return ";2;" + ";".join(str(int(digits[at : at + 2], 16)) for at in (0, 2, 4))


DIM = {palette: sent("dim", palette) for palette in ("dark", "light")}
PAGE = {palette: "48" + sent("page", palette) for palette in ("dark", "light")}


class PlayedTerminal(Terminal):
    """A terminal that the test plays, with the tutorial in it."""

    def __init__(self, people: Household) -> None:
        super().__init__()
        termios.tcsetwinsize(self.slave, (24, 80))
        look = {"TERM": "xterm-256color", "COLORTERM": "24bit", "LANG": "C.UTF-8", "SEQP2P_NAME": "pia"}
        self._process = people.start("play", "--tutorial", stdin=self.slave, output=self.slave, env=look)
        self.shown = ""

    def send(self, text: str) -> None:
        os.write(self.master, text.encode())

    def read(self, limit_s: float) -> bool:
        """Read on for so long; return True if something came."""
        if not select.select([self.master], [], [], limit_s)[0]:
            return False
        with suppress(OSError):  # It has ended.
            self.shown += os.read(self.master, 65536).decode(errors="replace")
        return True

    def read_for(self, duration_s: float) -> None:
        end = time.monotonic() + duration_s
        while (left_s := end - time.monotonic()) > 0:
            self.read(left_s)

    def see(self, text: str, limit_s: float = LIMIT_S) -> None:
        end = time.monotonic() + limit_s
        while text not in self.shown:
            assert self._process.process.poll() is None, self.shown
            assert time.monotonic() < end, f"waited in vain for {text!r}:\n{self.shown!r}"
            self.read(0.1)

    def leave(self) -> str:
        """Type the word that leaves; return all output. Anything typed before it would spoil the word."""
        self.send("leave\r")
        end = time.monotonic() + LIMIT_S
        while self._process.process.poll() is None:
            assert time.monotonic() < end, self.shown
            self.read(0.1)
        while self.read(0.0) and not self.shown.endswith("\n"):
            pass
        assert self._process.end() == ABANDONED, self.shown
        assert "you have left the tutorial" in self.shown
        return self.shown


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[PlayedTerminal]:
    with household(tmp_path) as people:
        terminal = PlayedTerminal(people)
        terminal.see(QUESTIONS)
        yield terminal
    terminal.hang_up()


@pytest.mark.parametrize(("answer", "palette"), [(WHITE, "light"), (BLACK, "dark")])
def test_the_palette_follows_the_answer(asked: PlayedTerminal, answer: str, palette: str) -> None:
    asked.shown = ""
    asked.send(answer + KIND)
    asked.see(DIM[palette])
    shown = asked.leave()
    assert PAGE["light"] not in shown
    assert PAGE["dark"] not in shown.partition(DIM[palette])[2]


@pytest.mark.parametrize(
    ("answer", "after_s"),
    [(KIND, 0.0), ("\x1b]11;rgb:zz\x07" + KIND, 0.0), ("\x1b]11;rgb:ff", 0.0), (WHITE + KIND, ANSWERS_S + 0.2)],
    ids=["none", "strange", "half", "late"],
)
def test_without_an_answer_all_stands_on_a_page_of_its_own(asked: PlayedTerminal, answer: str, after_s: float) -> None:
    assert PAGE["dark"] in asked.shown.partition(QUESTIONS)[0]  # The first picture waits for no answer.
    asked.see("Enter: to the table")
    asked.read_for(after_s)
    asked.send(answer)
    asked.read_for(3 * BURST_S)
    assert DIM["light"] not in asked.leave()


def test_keys_typed_before_the_answer_are_kept(asked: PlayedTerminal) -> None:
    asked.send("lea" + WHITE + "v" + KIND + "e\r")
    asked.see("you have left the tutorial")
