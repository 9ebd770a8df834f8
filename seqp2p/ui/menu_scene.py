"""The menu of a bare ``seqp2p``: what can be done, each with its command, by keys, mouse and words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seqp2p.i18n import Term
from seqp2p.ui.frame import Canvas, Frame, Painter, Target, clipped, width_of
from seqp2p.ui.keys import KeyHelp, put_keys
from seqp2p.ui.language import t, tn, translate_term, without_accents
from seqp2p.ui.large_type import large
from seqp2p.ui.scene import Page, wrapped
from seqp2p.ui.styles import ASCII

USUAL: Final = "normal"
"""The bot of a command that names none."""
HEADING: Final = "SEQUENCE"
ROWS_ABOVE: Final = 6
"""Rows of the heading, with a blank one above and below it."""
ROOM_FOR_BOTH: Final = 78
"""On so many columns a row has its command beside it."""


@dataclass(frozen=True, slots=True)
class MenuRow:
    """A row: its text, and the words of its command.

    ``counts`` are the numbers that the option ``counted`` can have, the usual one first, ``levels`` the bots that
    ``--bot`` can name; the ones at ``count`` and ``level`` are chosen. ``note`` says more.
    """

    text: str
    words: tuple[str, ...]
    counted: str = ""
    counts: tuple[int, ...] = ()
    levels: tuple[Term, ...] = ()
    count: int = 0
    level: int = 0
    note: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the command, with what is chosen, unless the command does so without them."""
        counted = (self.counted, str(self.counts[self.count])) if self.count else ()
        level = ("--bot", self.levels[self.level].text) if self.levels and self.levels[self.level].text != USUAL else ()
        return (*self.words, *counted, *level)

    @property
    def choices(self) -> str:
        """The chosen number and level, in words, or the note."""
        if not self.counts:
            return self.note
        number = self.counts[self.count]
        if self.counted == "--bots":
            bots = tn("{count} bot", "{count} bots", number)
            return f"{bots}, {translate_term(self.levels[self.level])}"
        return tn("{count} player", "{count} players", number)


class MenuScene:
    """The scene of the menu. ``commands`` can be typed, too."""

    def __init__(self, rows: Sequence[MenuRow], commands: Sequence[str]) -> None:
        self.rows = list(rows)
        self.chosen = 0
        self._commands = commands
        self.letters = _letters([row.text for row in rows])

    def painter(self, page: Page) -> Painter:
        return partial(paint_menu, tuple(self.rows), self.letters, self.chosen, tuple(self.keys()), page)

    def keys(self) -> Sequence[KeyHelp]:
        row = self.rows[self.chosen]
        keys = [KeyHelp("↑↓", t("choose"), press="down"), KeyHelp(t("Enter"), t("begin"), press="enter")]
        if row.counts:
            keys.append(KeyHelp("←→", t("how many"), press="right"))
        if row.levels:
            keys.append(KeyHelp("Tab", t("how strong"), press="tab"))
        return [*keys, KeyHelp(f"q {t('Enter')}", t("quit"), press="q")]

    def press(self, key: str) -> str | None:
        row = self.rows[self.chosen]
        if key in {"up", "down"}:
            self.chosen = (self.chosen + (1 if key == "down" else -1)) % len(self.rows)
        elif key in {"left", "right"} and row.counts:
            count = (row.count + (1 if key == "right" else -1)) % len(row.counts)
            self.rows[self.chosen] = replace(row, count=count)
        elif key in {"tab", "s-tab"} and row.levels:
            level = (row.level + (1 if key == "tab" else -1)) % len(row.levels)
            self.rows[self.chosen] = replace(row, level=level)
        elif key in {"enter", "space"}:
            return " ".join(row.command)
        elif key == "q":
            return key
        return None

    def enter(self, line: str) -> str | None:
        """Return the command of a row for its letter or its number, and any other line as it is typed."""
        small = line.strip().lower()
        numbers = {str(number): row for number, row in enumerate(self.rows, 1)}
        row = (dict(zip(self.letters, self.rows, strict=True)) | numbers).get(small)
        return line if row is None else " ".join(row.command)

    def click(self, target: Target) -> str | None:
        what, number = target
        if what == "row":
            again, self.chosen = number == self.chosen, number
            return self.press("enter") if again else None
        return None

    def completions(self, typed: str) -> Sequence[str]:
        return [command for command in self._commands if command.startswith(typed.lower())]


def _letters(texts: Sequence[str]) -> tuple[str, ...]:
    """Return a letter for each text, one of its own: the first that no earlier one has, and that is not q."""
    found: list[str] = []
    for text in texts:
        free = (letter for letter in without_accents(text.lower()) if letter.isalpha() and letter not in (*found, "q"))
        found.append(next(free, ""))
    return tuple(found)


def paint_menu(
    rows: Sequence[MenuRow], letters: Sequence[str], chosen: int, keys: Sequence[KeyHelp], page: Page, *size: int
) -> Frame:
    """Paint the heading, the rows, what was said last, and the keys. A row is the target ``("row", number)``."""
    width, height = size
    canvas = Canvas(width, height, page.glyphs)
    left = max((width - ROOM_FOR_BOTH) // 2, 1)
    for down, text in enumerate(large(HEADING, ascii_only=page.glyphs is ASCII), 1):
        canvas.put(down, left, text, "code")
    texts = max(width_of(row.text) for row in rows)
    for at, row in enumerate(rows):
        mark, style = (">", "chosen") if at == chosen else (" ", "")
        place, target = ROWS_ABOVE + at, ("row", at)
        canvas.put(place, left, f"{mark} ", style, target)
        canvas.put(place, left + 2, letters[at], "key", target)
        column = canvas.put(place, left + 5, row.text + " " * (texts - width_of(row.text)), style, target)
        column = canvas.put(place, column + 2, row.choices, "hint", target)
        command = f"seqp2p {' '.join(row.command)}"
        room = left + ROOM_FOR_BOTH - column - 2
        canvas.put(place, column + 2, clipped(command, room, page.glyphs.more).rjust(room), "dim", target)
    said = [(line.kind, text) for line in page.lines for text in wrapped(line.text, width - 2 * left)]
    room = height - ROWS_ABOVE - len(rows) - 3
    for down, (kind, text) in enumerate(said[-room:] if room > 0 else ()):
        canvas.put(ROWS_ABOVE + len(rows) + 1 + down, left, text, kind)
    put_keys(canvas, left, keys, "hint")
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()
