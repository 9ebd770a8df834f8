"""The lobby on the screen: tables to choose from, the code in large type, who has sat down, how the table plays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from seqp2p.ui.frame import Canvas, Frame, Painter, Target, clipped, width_of
from seqp2p.ui.language import t, translate
from seqp2p.ui.person.command_words import COURTESY_KEYS, shown
from seqp2p.ui.scene import KEYS_APART, KeyHelp, Page, fitting, wrapped
from seqp2p.ui.styles import ASCII, Glyphs

# Five rows of three dots for every character that a join code can have.
_DOTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "A": ".#. #.# ### #.# #.#",
        "B": "##. #.# ##. #.# ##.",
        "C": ".## #.. #.. #.. .##",
        "D": "##. #.# #.# #.# ##.",
        "E": "### #.. ##. #.. ###",
        "F": "### #.. ##. #.. #..",
        "G": ".## #.. #.# #.# .##",
        "H": "#.# #.# ### #.# #.#",
        "I": "### .#. .#. .#. ###",
        "J": "..# ..# ..# #.# .#.",
        "K": "#.# #.# ##. #.# #.#",
        "L": "#.. #.. #.. #.. ###",
        "M": "#.# ### ### #.# #.#",
        "N": "##. #.# #.# #.# #.#",
        "O": ".#. #.# #.# #.# .#.",
        "P": "##. #.# ##. #.. #..",
        "Q": ".#. #.# #.# ##. .##",
        "R": "##. #.# ##. #.# #.#",
        "S": ".## #.. .#. ..# ##.",
        "T": "### .#. .#. .#. .#.",
        "U": "#.# #.# #.# #.# ###",
        "V": "#.# #.# #.# #.# .#.",
        "W": "#.# #.# ### ### #.#",
        "X": "#.# #.# .#. #.# #.#",
        "Y": "#.# #.# .#. .#. .#.",
        "Z": "### ..# .#. #.. ###",
        "0": "### #.# #.# #.# ###",
        "1": ".#. ##. .#. .#. ###",
        "2": "##. ..# .#. #.. ###",
        "3": "##. ..# .#. ..# ##.",
        "4": "#.# #.# ### ..# ..#",
        "5": "### #.. ##. ..# ##.",
        "6": ".## #.. ### #.# ###",
        "7": "### ..# .#. .#. .#.",
        "8": "### #.# ### #.# ###",
        "9": "### #.# ### ..# ##.",
        "-": "... ... ### ... ...",
    }
)
_HALVES: Final = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}


def large(text: str, *, ascii_only: bool = False) -> list[str]:
    r"""The text in large type, four cells a character: three rows of half blocks, or five of ``#``.

    >>> print("\n".join(large("7-a")))
    ▀▀█     ▄▀▄
     █  ▀▀▀ █▀█
     ▀      ▀ ▀
    """
    letters = [_DOTS.get(character, "... ... ... ... ...").split() for character in text.upper()]
    rows = [" ".join(letter[row] for letter in letters) for row in range(5)]
    if ascii_only:
        return [row.replace(".", " ").rstrip() for row in rows]
    rows = [row.replace(" ", ".") for row in rows] + ["." * len(rows[0])]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(_HALVES[up + down] for up, down in zip(*pair, strict=True)).rstrip() for pair in pairs]


LINES_MIN: Final = 4
"""Rows that what is said always has."""


@dataclass(frozen=True, slots=True)
class LobbyPlace:
    """A seat of the lobby: its player, None if it is free, and a note on the player."""

    colour: str
    name: str | None = None
    note: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class LobbyModel:
    """All that a lobby shows.

    ``place`` is the chosen seat, from 0; ``colours`` are those that a team may have; with ``copies`` there is a line to
    copy. ``tables`` are the tables on the network, a line each with the table's number; None without a search. ``ways``
    are the commands by which others join, ``rules`` the settings of the table, ``asks`` the present question,
    ``strangers`` the line that counts those turned away.
    """

    title: str
    tables: tuple[tuple[int, str], ...] | None = None
    chosen: int = 0
    code: str = ""
    ways: tuple[str, ...] = ()
    places: tuple[LobbyPlace, ...] = ()
    rules: tuple[str, ...] = ()
    asks: str = ""
    strangers: str = ""
    place: int = 0
    colours: tuple[str, ...] = ()
    copies: bool = False


class LobbyScene:
    """The scene of a lobby; its owner sets ``model`` and refreshes the screen.

    ``words`` are those of join codes, for completion. ``starts``: bots can take the free seats by ``start``.
    """

    def __init__(self, model: LobbyModel, words: Sequence[str] = (), *, starts: bool = False) -> None:
        self.model = model
        self._words = words
        self._starts = starts
        self._wished = ""

    def change(self, **fields: object) -> None:
        """Show something else in some fields of the model."""
        self.model = replace(self.model, **fields)  # type: ignore[arg-type]  # the fields' names and types are its own

    def painter(self, page: Page) -> Painter:
        return partial(paint_lobby, self.model, page, tuple(self.keys()))

    def press(self, key: str) -> str | None:
        """Arrows choose a table or a seat, and a colour; Enter takes the seat, f5 starts, others say a courtesy."""
        tables, places = self.model.tables or (), self.model.places
        step = 1 if key in ("down", "right") else -1
        if key in ("up", "down") and tables:
            self.change(chosen=(self.model.chosen + step) % len(tables))
        elif key in ("up", "down") and places:
            self.change(place=(self.model.place + step) % len(places))
        elif key in ("left", "right"):
            return self._colour(step)
        elif key == "enter":
            return self._sit(self.model.place)
        return self._word(key)

    def _word(self, key: str) -> str | None:
        """Return the words for a key that always means the same."""
        if key in COURTESY_KEYS and self.model.places:
            return f"{shown('say')} {translate(COURTESY_KEYS[key])}"
        words = {"f4": "copy" if self.model.copies else "", "f5": "start" if self._starts else ""}
        words |= {"?": "help", "f1": "help"}
        return shown(words[key]) if words.get(key) else None

    def _sit(self, place: int) -> str | None:
        if place < len(self.model.places) and self.model.places[place].name is None:
            return f"{shown('seat')} {place + 1}"
        return None

    def _colour(self, step: int) -> str | None:
        """Return the wish for the colour after the one that was last wished for."""
        colours, own = self.model.colours, next((place for place in self.model.places if place.own), None)
        if own is None or len(colours) < 2:
            return None
        self._wished = colours[(colours.index(self._wished or own.colour) + step) % len(colours)]
        return f"{shown('colour')} {translate(self._wished)}"

    def click(self, target: Target) -> str | None:
        what, number = target
        if what == "table":
            self.change(chosen=number)
        elif what == "place":
            self.change(place=number)
            return self._sit(number)
        return None

    def keys(self) -> Sequence[KeyHelp]:
        keys: list[KeyHelp] = []
        if self.model.tables:
            keys.append(KeyHelp("↑↓", t("choose a table")))
        if self._words and self.model.asks:
            keys.append(KeyHelp("Tab", t("complete a word")))
        if not self.model.tables and any(place.name is None for place in self.model.places):
            keys += [KeyHelp("↑↓", t("choose a seat")), KeyHelp("Enter", t("sit here"))]
        if len(self.model.colours) > 1 and any(place.own for place in self.model.places):
            keys.append(KeyHelp("←→", t("colour")))
        if self.model.copies:
            keys.append(KeyHelp("F4", t("copy the line")))
        if self._starts:
            is_full = all(place.name is not None for place in self.model.places)
            keys.append(KeyHelp("F5", t("start") if is_full else t("start with bots")))
        if self.model.places:
            keys.append(KeyHelp("F6", translate(COURTESY_KEYS["f6"]), spare=True))
        return [*keys, KeyHelp("?", t("help")), KeyHelp("Ctrl-C", t("leave"))]

    def enter(self, line: str) -> str | None:
        return line

    def completions(self, typed: str) -> Sequence[str]:
        """Codes whose last word begins as it was typed; without a number, that of the table chosen."""
        if not self._words or not self.model.asks:
            return ()
        number = typed[: len(typed) - len(typed.lstrip("0123456789"))]
        rest = typed[len(number) :].lstrip("-_., ").casefold()
        for separator in "_., ":
            rest = rest.replace(separator, "-")
        if not number and self.model.tables:
            number = str(self.model.tables[min(self.model.chosen, len(self.model.tables) - 1)][0])
        before, _, begun = rest.rpartition("-")
        head = "-".join(part for part in (number, before) if part)
        if not begun or not number:
            return ()
        return [f"{head}-{word}" for word in self._words if word.startswith(begun)]


def paint_lobby(model: LobbyModel, page: Page, keys: Sequence[KeyHelp], width: int, height: int) -> Frame:
    """Paint the lobby, from the top: title, tables or code, seats, rules; the log has the other rows."""
    canvas = Canvas(width, height)
    canvas.put(0, 0, clipped(f" {model.title} ".ljust(width), width), "title")
    row = 2
    if model.tables is not None:
        row = _paint_tables(canvas, row, model)
    if model.code:
        row = _paint_code(canvas, row, model, page.glyphs)
    room = height - LINES_MIN - 4 - row
    if model.places:
        row = _paint_places(canvas, row, model, page.glyphs, room)
    if model.rules and height - row - LINES_MIN - 3 >= len(model.rules):
        for line in model.rules:
            canvas.put(row, 1, clipped(line, width - 2), "dim")
            row += 1
        row += 1
    if model.strangers:
        canvas.put(row, 1, clipped(model.strangers, width - 2), "dim")
        row += 2
    bottom = height - 2 - bool(model.asks)
    said = [(line.kind, text) for line in page.lines[-height:] for text in wrapped(line.text, width - 2)]
    for at, (kind, text) in enumerate(said[-(bottom - row) :] if bottom > row else ()):
        canvas.put(row + at, 1, text, kind)
    if model.asks:
        canvas.put(height - 2, 0, clipped(model.asks, width), "prompt")
    put_keys(canvas, height - 1, keys)
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()


def put_keys(canvas: Canvas, row: int, keys: Sequence[KeyHelp]) -> None:
    """A row of keys and what they do, as many as there is room for."""
    column = 0
    for number in fitting(keys, canvas.width):
        column = canvas.put(row, column, keys[number].key, "key")
        column = canvas.put(row, column + 1, keys[number].does, "hint") + KEYS_APART


def _paint_tables(canvas: Canvas, row: int, model: LobbyModel) -> int:
    tables = model.tables or ()
    canvas.put(row, 1, t("tables on this network:"), "label")
    if not tables:
        canvas.put(row + 1, 3, t("none yet; a host's address works, too: seqp2p join HOST:PORT"), "dim")
        return row + 3
    for at, (_, line) in enumerate(tables[: canvas.height // 3]):
        chosen = at == min(model.chosen, len(tables) - 1)
        text = f"{'>' if chosen else ' '} {line}"
        canvas.put(row + 1 + at, 1, clipped(text, canvas.width - 2), "chosen" if chosen else "", ("table", at))
    return row + 2 + min(len(tables), canvas.height // 3)


def _paint_code(canvas: Canvas, row: int, model: LobbyModel, glyphs: Glyphs) -> int:
    canvas.put(row, 1, t("the join code is:  {code}", code=model.code), "label")
    row += 1
    for line in large(model.code, ascii_only=glyphs is ASCII):
        canvas.put(row, 3, line, "code")
        row += 1
    for way in model.ways:
        canvas.put(row, 1, clipped(way, canvas.width - 2), "dim")
        row += 1
    return row + 1


def _paint_places(canvas: Canvas, row: int, model: LobbyModel, glyphs: Glyphs, room: int) -> int:
    """The seats, in two columns where one is too long."""
    columns = 1 if len(model.places) <= max(room, 4) else 2
    height = -(-len(model.places) // columns)
    width = canvas.width // columns - 2
    names = max(width_of(translate(place.colour)) for place in model.places) + 1
    has_cursor = not model.tables and any(place.name is None for place in model.places)
    for at, place in enumerate(model.places):
        column = 1 + (at // height) * (width + 2)
        chip, target = glyphs.chips.get(place.colour, " "), ("place", at)
        chosen = has_cursor and at == min(model.place, len(model.places) - 1)
        canvas.put(row + at % height, column - 1, ">" if chosen else " ", "chosen" if chosen else "")
        canvas.put(row + at % height, column, f"{at + 1:>2} {chip} ", f"fill.{place.colour}", target)
        canvas.put(row + at % height, column + 5, translate(place.colour).ljust(names), "", target)
        if place.name is None:
            text, style = t("free"), "dim"
        elif place.own:
            text, style = t("{name} (you)", name=place.name), "own"
        else:
            text, style = f"{place.name}  {place.note}", ""
        canvas.put(row + at % height, column + 5 + names, clipped(text, width - 5 - names), style, target)
    return row + height + 1
