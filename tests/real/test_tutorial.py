"""All lessons of the tutorial on a real terminal: by keys alone, by the mouse alone."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from seqp2p.ui.person.tutorial import FAREWELL, LESSONS, Lesson
from tests.cli.processes import environment
from tests.real.terminals import STAGED, YOUR_TURN, Terminal, needs_tmux

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]
END = "that was the tutorial"
GO_AWAY = "Enter go away"
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


@pytest.fixture
def pupil(tmp_path: Path) -> Iterator[Terminal]:
    env = environment(tmp_path / "pupil", LANG="C.UTF-8", LANGUAGE="en")
    with ExitStack() as stack:
        yield stack.enter_context(Terminal([sys.executable, "-m", "seqp2p", "play", "--tutorial"], env, tmp_path))


def label(card: str) -> str:
    return card[0] + SUITS[card[1]]


def is_chosen(card: str, screen: str) -> bool:
    """Return True if the screen explains this card, which it does for the chosen one."""
    return re.search(rf"{label(card)}(, a | goes on | is dead)", screen) is not None


def staged(action: str) -> str:
    card, target = action.split()
    return f"{label(card)} {target}: Enter sends it"


def press(terminal: Terminal, key: str) -> str:
    """Press a key that changes the screen; return the screen after it."""
    before = terminal.screen()
    terminal.press(key)
    return terminal.wait(lambda screen: screen != before, f"an effect of {key}")


def by_keys(terminal: Terminal, action: str) -> None:
    card = action.split(maxsplit=1)[0]
    while not is_chosen(card, terminal.screen()):
        press(terminal, "Tab")
    for arrow in ("Left", "Up", "Right", "Down", "Home"):
        terminal.press(arrow, "Enter")
        if staged(action) in terminal.see(STAGED):
            break
        terminal.press("Escape")
        terminal.wait(lambda screen: STAGED not in screen, "the move to be taken back")
    terminal.press("Enter")


def by_mouse(terminal: Terminal, action: str) -> None:
    card, target = action.split()
    rows = terminal.screen().splitlines()
    row = next(at for at, text in enumerate(rows) if text.startswith(" hand"))
    column = rows[row].index(label(card))
    terminal.click(row, column)
    terminal.wait(lambda screen: is_chosen(card, screen), f"{card} to be chosen")
    if target != "dead":
        row, column = place_of(rows, target.removeprefix("x"))
    terminal.click(row, column)
    terminal.see(staged(action))
    terminal.click(row, column)


def place_of(rows: list[str], square: str) -> tuple[int, int]:
    """Return row and column of a square, by the letters and numbers of the board."""
    letters = next(text for text in rows if re.match(r" +a +b +c", text))
    row = next(at for at, text in enumerate(rows) if re.match(rf" ?{square[1:]}[^\d]", text))
    return row, letters.index(square[0])


def is_asked(lesson: Lesson, screen: str) -> bool:
    return YOUR_TURN in screen and str(lesson.task) in " ".join(screen.split())


def press_enter(terminal: Terminal) -> None:
    terminal.press("Enter")


def click_key(terminal: Terminal) -> None:
    rows = terminal.screen().splitlines()
    row = next(at for at, text in enumerate(rows) if GO_AWAY in text)
    terminal.click(row, rows[row].index(GO_AWAY))


@pytest.mark.parametrize(
    ("act", "leave"),
    [(by_keys, press_enter), (by_mouse, click_key)],
    ids=["keys", "mouse"],
)
def test_all_lessons(pupil: Terminal, act: Callable[[Terminal, str], None], leave: Callable[[Terminal], None]) -> None:
    for lesson in LESSONS:
        pupil.wait(lambda screen, lesson=lesson: is_asked(lesson, screen), str(lesson.task))  # type: ignore[misc]
        act(pupil, lesson.moves[0][0])
    pupil.see(END)
    leave(pupil)
    assert pupil.exit_code() == 0
    assert str(FAREWELL[-1]) in " ".join(pupil.history().split())
