"""All lessons of the tutorial on a real terminal, by the mouse alone."""

import re

import pytest

from seqp2p.ui.person.tutorial import FAREWELL, LESSONS, Lesson
from tests.real.room import Room
from tests.real.terminals import YOUR_TURN, Terminal, needs_tmux

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]
SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def label(card: str) -> str:
    return card[0] + SUITS[card[1]]


def is_chosen(card: str, screen: str) -> bool:
    """Return True if the screen explains this card, which it does for the chosen one."""
    return re.search(rf"{label(card)}(, a | goes on | is dead)", screen) is not None


def staged(action: str) -> str:
    card, target = action.split()
    return f"{label(card)} {target}: Enter sends it"


def act(terminal: Terminal, action: str) -> None:
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


def click_on(pupil: Terminal, text: str) -> None:
    rows = pupil.screen().splitlines()
    row = next(at for at, shown in enumerate(rows) if text in shown)
    pupil.click(row, rows[row].index(text))


def test_all_lessons_are_done_by_the_mouse(room: Room) -> None:
    pupil = room.sit("pupil", "play", "--tutorial", SEQP2P_NAME="pia")
    for lesson in LESSONS:
        pupil.see("Enter: to the table")
        click_on(pupil, "back to the table")
        pupil.wait(lambda screen, lesson=lesson: is_asked(lesson, screen), str(lesson.task))  # type: ignore[misc]
        assert "F5 hint" in pupil.screen()
        act(pupil, lesson.moves[0][0])
    pupil.see("that was the tutorial")
    assert "pia (you)" in pupil.screen()
    pupil.type("quit")
    assert pupil.exit_code() == 0
    assert str(FAREWELL[-1]) in " ".join(pupil.history().split())
