"""The program on a terminal that the test plays: asked for its background, it answers well, badly or never."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from seqp2p.ui.styles import styles_of
from seqp2p.ui.terminal_answers import BURST_S, QUESTIONS
from seqp2p.ui.terminal_app import ANSWERS_S
from tests.cli.processes import LIMIT_S, environment

pytestmark = [pytest.mark.terminal, pytest.mark.slow]
KIND = "\x1b[?62;22c"
WHITE, BLACK = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07"
ABANDONED = 5


def sent(name: str, palette: str) -> str:
    """Return the start of the escape sequence of a style's colour."""
    digits = styles_of(palette)[name].split()[0].removeprefix("bg:#").removeprefix("#")
    return ";2;" + ";".join(str(int(digits[at : at + 2], 16)) for at in (0, 2, 4))


HINT = {palette: sent("answer", palette) for palette in ("dark", "light")}
PAGE = {palette: "48" + sent("page", palette) for palette in ("dark", "light")}


class PlayedTerminal:
    """A terminal that the test plays, with the tutorial in it."""

    def __init__(self, home: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        variables = environment(home, LANG="C.UTF-8", LANGUAGE="en") | {"TERM": "xterm-256color", "COLORTERM": "24bit"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "seqp2p", "play", "--tutorial"],
            env=variables,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.shown = ""

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def send(self, text: str) -> None:
        os.write(self._master, text.encode())

    def read(self, limit_s: float) -> bool:
        """Read on for so long; return True if something came."""
        if not select.select([self._master], [], [], limit_s)[0]:
            return False
        with suppress(OSError):  # It has ended.
            self.shown += os.read(self._master, 65536).decode(errors="replace")
        return True

    def read_for(self, duration_s: float) -> None:
        end = time.monotonic() + duration_s
        while (left_s := end - time.monotonic()) > 0:
            self.read(left_s)

    def see(self, text: str, limit_s: float = LIMIT_S) -> None:
        end = time.monotonic() + limit_s
        while text not in self.shown:
            assert self._process.poll() is None, self.shown
            assert time.monotonic() < end, f"waited in vain for {text!r}:\n{self.shown!r}"
            self.read(0.1)

    def leave(self) -> str:
        """Type the word that leaves; return all output. Anything typed before it would spoil the word."""
        self.send("leave\r")
        end = time.monotonic() + LIMIT_S
        while self._process.poll() is None:
            assert time.monotonic() < end, self.shown
            self.read(0.1)
        while self.read(0.0) and not self.shown.endswith("\n"):
            pass
        assert self._process.returncode == ABANDONED, self.shown
        assert "you have left the tutorial" in self.shown
        return self.shown


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[PlayedTerminal]:
    terminal = PlayedTerminal(tmp_path / "pupil")
    try:
        terminal.see(QUESTIONS)
        yield terminal
    finally:
        terminal.close()


@pytest.mark.parametrize(("answer", "palette"), [(WHITE, "light"), (BLACK, "dark")])
def test_the_palette_follows_the_answer(asked: PlayedTerminal, answer: str, palette: str) -> None:
    asked.shown = ""
    asked.send(answer + KIND)
    asked.see(HINT[palette])
    shown = asked.leave()
    assert PAGE["light"] not in shown
    assert PAGE["dark"] not in shown.partition(HINT[palette])[2]


@pytest.mark.parametrize(
    ("answer", "after_s"),
    [(KIND, 0.0), ("\x1b]11;rgb:zz\x07" + KIND, 0.0), ("\x1b]11;rgb:ff", 0.0), (WHITE + KIND, ANSWERS_S + 0.2)],
    ids=["none", "strange", "half", "late"],
)
def test_without_an_answer_all_stands_on_a_page_of_its_own(asked: PlayedTerminal, answer: str, after_s: float) -> None:
    assert PAGE["dark"] in asked.shown.partition(QUESTIONS)[0]  # The first picture waits for no answer.
    asked.see("opponent")
    asked.read_for(after_s)
    asked.send(answer)
    asked.read_for(3 * BURST_S)
    assert HINT["light"] not in asked.leave()


def test_keys_typed_before_the_answer_are_kept(asked: PlayedTerminal) -> None:
    asked.send("lea" + WHITE + "v" + KIND + "e\r")
    asked.see("you have left the tutorial")
