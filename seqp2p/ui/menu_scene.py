"""The menu of a bare ``seqp2p``: what can be done, each with its command, by keys, mouse and words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seqp2p.i18n import Term
from seqp2p.ui.frame import Canvas, Frame, Painter, Target, clipped, width_of
from seqp2p.ui.keys import KeyHelp, put_keys
from seqp2p.ui.language import command_line, t, tn, translate_term, without_accents
from seqp2p.ui.large_type import large
from seqp2p.ui.scene import Page, wrapped
from seqp2p.ui.styles import ASCII

USUAL: Final = "normal"
"""The bot of a command that names none."""
ROWS_ABOVE: Final = 6
"""Rows of the heading, with a blank one above and below it."""
ROWS_BELOW: Final = 5
"""Two rows for a cut one, a blank one above and below these, and the keys."""
ROOM_FOR_BOTH: Final = 78
"""A row and its command have so many columns, or more if they need them."""


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
    def line(self) -> str:
        """The command as it can be typed to a shell."""
        return command_line(*self.command)

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
    """The scene of the menu, whose rows have letters, and numbers from ``first`` on; or these ``numbers`` alone.

    ``others`` are commands that can be typed, too.
    """

    def __init__(
        self, rows: Sequence[MenuRow], others: Sequence[str], *, numbers: Sequence[str] = (), first: int = 1
    ) -> None:
        self.rows = list(rows)
        self.chosen = 0
        self._others = others
        self.numbers = tuple(numbers or map(str, range(first, first + len(rows))))
        self.letters = self.numbers if numbers else _letters([row.text for row in rows])

    def painter(self, page: Page) -> Painter:
        return partial(paint_menu, tuple(self.rows), self.letters, self.chosen, tuple(self.keys()), page)

    def keys(self) -> Sequence[KeyHelp]:
        row = self.rows[self.chosen]
        keys = [KeyHelp("↑↓", t("choose"), press="down", back="up"), KeyHelp(t("Enter"), t("begin"), press="enter")]
        if row.counts:
            keys.append(KeyHelp("←→", t("how many"), press="right", back="left"))
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
        elif key in {"q", "?"}:
            return key
        return None

    def enter(self, line: str) -> str | None:
        """Return the command of a row for its letter or its number, and any other line as it is typed."""
        names = (*zip(self.letters, self.rows, strict=True), *zip(self.numbers, self.rows, strict=True))
        row = dict(names).get(line.strip().lower())
        return line if row is None else " ".join(row.command)

    def click(self, target: Target) -> str | None:
        what, number = target
        if what == "row":
            again, self.chosen = number == self.chosen, number
            return self.press("enter") if again else None
        return None

    def completions(self, typed: str) -> Sequence[str]:
        return [command for command in self._others if command.startswith(typed.lower())]


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
    """Paint the heading, the rows, what was said last, and the keys. A row is the target ``("row", number)``.

    Where there is no room for all rows, these go up with the chosen one. If that one is cut, its end is below the rows.
    """
    width, height = size
    canvas = Canvas(width, height, page.glyphs)
    texts = max(width_of(row.text) for row in rows)
    both = max(5 + texts + 2 + width_of(row.choices) + 2 + width_of(row.line) for row in rows)
    both = max(min(both, width - 2), ROOM_FOR_BOTH)
    left = max((width - both) // 2, 1)
    for down, text in enumerate(large("SEQUENCE", ascii_only=page.glyphs is ASCII), 1):
        canvas.put(down, left, text, "code")
    room, end = max(height - ROWS_ABOVE - ROWS_BELOW, 1), left + both
    texts = min(texts, both - 5)
    first, below = max(0, chosen - room + 1), list[tuple[str, str]]()
    for place, (at, row) in enumerate([*enumerate(rows)][first : first + room], ROWS_ABOVE):
        mark, style = (">", "chosen") if at == chosen else (" ", "")
        target, command, column = ("row", at), row.line, left + 5
        canvas.put(place, left, f"{mark} ", style, target)
        canvas.put(place, left + 2, letters[at], "key", target)
        padded = row.text + " " * (texts - width_of(row.text))
        for text, kind in ((padded, style), (row.choices, "hint")):
            canvas.clip(place, column, end - column, text, kind, target)
            column += width_of(text) + 2
        shown = clipped(command, end - column, page.glyphs.more)
        canvas.put(place, end - width_of(shown), shown, "dim", target)
        if at == chosen and column + width_of(command) > end:
            whole = f"{row.choices or row.text}  {command}"
            below = [("dim", part) for part in wrapped(whole, width - 2 * left)][: ROWS_BELOW - 3]
    top = ROWS_ABOVE + min(len(rows), room) + 1
    said = [(line.kind, text) for line in page.lines for text in wrapped(line.text, width - 2 * left)]
    left_over = height - top - 2 - len(below)
    for down, (kind, text) in enumerate([*below, *(said[-left_over:] if left_over > 0 else ())]):
        canvas.put(top + down, left, text, kind)
    put_keys(canvas, left, keys, "hint")
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()
