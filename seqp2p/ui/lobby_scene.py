"""The lobby on the screen: tables to choose from, the code in large type, who has sat down, how the table plays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from seqp2p.ui.frame import Box, Canvas, Frame, Painter, Target, clipped, width_of
from seqp2p.ui.keys import KeyHelp, put_keys
from seqp2p.ui.language import t, translate
from seqp2p.ui.large_type import large
from seqp2p.ui.person.command_words import COURTESY_KEYS, shown
from seqp2p.ui.scene import LogLine, Page, section, wrapped
from seqp2p.ui.styles import ASCII


def code_parts(code: str, length_max: int) -> list[str]:
    """Break a code between its groups into parts of this length, as far as its groups allow it.

    >>> code_parts("7-4821937-5526041-amber-falcon", 19)
    ['7-4821937-5526041-', 'amber-falcon']
    """
    parts = [""]
    for group in re.findall(r"[^-]+-?", code):
        if parts[-1] and len(parts[-1] + group) > length_max:
            parts.append("")
        parts[-1] += group
    return parts


LINES_MIN: Final = 4
"""Rows that what is said always has."""
LARGE_WIDTH, LARGE_HEIGHT = 120, 30
"""From this size on, what can be done and what is said have columns of their own."""
MAIN_WIDTH: Final = 80
"""Columns for the code and the seats, at least: the line that others join with is so long."""
RULES_WIDTH: Final = 80
"""Columns of the rules of the game."""
PAGE_LINES: Final = 10
"""Lines of the rules that PageUp and PageDown go."""
KEY_WIDTH: Final = 8
NOWHERE: Final = -1


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
    are the commands that others join with, ``rules`` the settings of the table, ``asks`` the present question,
    ``strangers`` the line that counts those turned away. ``waits`` says what the start waits for. ``reading`` are the
    rules of the game, from line ``top`` on. ``moving`` is the seat of a player who gets another one, and ``removing``
    that of one to be sent away, from 0. ``command`` is the one that was given.
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
    waits: str = ""
    reading: tuple[str, ...] = ()
    top: int = 0
    moving: int = NOWHERE
    removing: int = NOWHERE
    command: str = "seqp2p join"

    @property
    def hosts(self) -> bool:
        return bool(self.places) and self.places[0].own

    @property
    def chooses(self) -> bool:
        """True if a seat can be chosen: for a player to take it, or for the host to move its player."""
        return self.sits and not self.tables and (self.hosts or any(each.name is None for each in self.places))

    @property
    def sits(self) -> bool:
        """True if the reader has a seat, and does not only watch."""
        return any(each.own for each in self.places)

    @property
    def chosen_player(self) -> str:
        """The name of the other player on the chosen seat, for the host to move; empty if there is none."""
        place = self.places[min(self.place, len(self.places) - 1)] if self.hosts else None
        return place.name or "" if place and not place.own else ""

    @property
    def hint(self) -> str:
        """The effect of the next key on a player, or what the start waits for."""
        if self.moving != NOWHERE:
            return t("{name} moves: choose a seat, then Enter; Esc cancels", name=self.name_at(self.moving))
        if self.removing != NOWHERE:
            return t("Del again removes {name} for good; Esc cancels", name=self.name_at(self.removing))
        return self.waits

    def name_at(self, place: int) -> str:
        return self.places[place].name or "" if 0 <= place < len(self.places) else ""


class LobbyScene:
    """The scene of a lobby; its owner sets ``model`` and refreshes the screen.

    ``words`` are those of join codes, for completion. ``starts``: bots can take the free seats by ``start``.
    """

    def __init__(self, model: LobbyModel, words: Sequence[str] = (), *, starts: bool = False) -> None:
        self.model: LobbyModel = model
        self._words = words
        self._starts = starts
        self._wished = ""

    def change(self, **fields: object) -> None:
        """Change some fields of the model. The move or removal of a player who goes away is dropped."""
        before = self.model
        self.model = replace(before, **fields)  # type: ignore[arg-type]  # the fields' names and types are its own
        if before.name_at(before.moving) != self.model.name_at(before.moving):
            self.model = replace(self.model, moving=NOWHERE)
        if before.name_at(before.removing) != self.model.name_at(before.removing):
            self.model = replace(self.model, removing=NOWHERE)

    def painter(self, page: Page) -> Painter:
        keys = tuple(self.keys())
        if page.question is not None and page.question.answers:
            keys = page.question.keys
        return partial(paint_lobby, self.model, page, keys, self._typed())

    def press(self, key: str) -> str | None:
        """Arrows choose a table or a seat, and a colour; Enter takes the seat, f5 starts, others say a courtesy.

        A host's Enter moves the player of the chosen seat, and Del, pressed twice, sends that player away. A host's f3
        asks how friends elsewhere come. No key plays a card at the table.
        """
        tables, places = self.model.tables or (), self.model.places
        removing, self.model = self.model.removing, replace(self.model, removing=NOWHERE)
        if key == "delete":
            return self._remove(removing)
        if key in ("pageup", "pagedown"):
            top = self.model.top + (PAGE_LINES if key == "pagedown" else -PAGE_LINES)
            self.change(top=min(max(top, 0), max(len(self.model.reading) - PAGE_LINES, 0)))
        elif key == "escape":
            self.change(moving=NOWHERE)
        step = 1 if key in ("down", "right") else -1
        if key in ("up", "down") and tables:
            self.change(chosen=(self.model.chosen + step) % len(tables))
        elif key in ("up", "down") and places:
            self.change(place=(self.model.place + step) % len(places))
        elif key in ("left", "right"):
            return self._colour(step)
        elif key == "enter" and self.model.moving != NOWHERE:
            moving, to = self.model.moving, self.model.place
            self.change(moving=NOWHERE)
            return f"{shown('move')} seat {moving + 1} {to + 1}" if to != moving else None
        elif key == "enter" and self.model.chosen_player:
            self.change(moving=self._chosen)
        elif key == "enter":
            return self._sit(self.model.place)
        return self._word(key)

    @property
    def _chosen(self) -> int:
        return min(self.model.place, len(self.model.places) - 1)

    def _remove(self, removing: int) -> str | None:
        """Choose the player of the chosen seat to be removed; return the line for it the second time."""
        self.change(moving=NOWHERE)
        if not self.model.chosen_player:
            return None
        if removing == self._chosen:
            return f"{shown('remove')} seat {removing + 1}"
        self.change(removing=self._chosen)
        return None

    def _word(self, key: str) -> str | None:
        """Return the words for a key that always means the same."""
        if key in COURTESY_KEYS and self.model.places:
            return f"{shown('say')} {translate(COURTESY_KEYS[key])}"
        words = {"c-y": "copy" if self.model.copies else "", "?": "help", "f1": "help"}
        if self._starts:
            words |= {"f3": "reach", "f5": "start"}
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
        elif what == "place" and self.model.moving != NOWHERE:
            self.change(place=number)
            return self.press("enter")
        elif what == "place":
            self.change(place=number)
            return self._sit(number)
        return None

    def keys(self) -> Sequence[KeyHelp]:
        model = self.model
        if model.moving != NOWHERE:
            stops = KeyHelp(t("Esc"), t("cancel the move"), press="escape")
            here = KeyHelp(t("Enter"), t("move here"), press="enter")
            return [KeyHelp("↑↓", t("seat"), press="down", back="up"), here, stops]
        sits_down = None if model.hosts or not model.chooses else self._sit(self._chosen)
        start = t("start with bots") if any(place.name is None for place in model.places) else t("start")
        rows: list[tuple[object, KeyHelp]] = [
            (model.tables, KeyHelp("↑↓", t("choose a table"), press="down", back="up")),
            (self._words and model.asks, KeyHelp("Tab", t("complete a word"))),
            (model.chooses, KeyHelp("↑↓", t("seat"), press="down", back="up")),
            (model.chosen_player, KeyHelp(t("Enter"), t("move player"), press="enter")),
            (model.chosen_player, KeyHelp(t("Del"), t("remove"), press="delete")),
            (sits_down, KeyHelp(t("Enter"), t("sit here"), press="enter")),
            (model.copies, KeyHelp("Ctrl-Y", t("copy the line"), spare=True, press="c-y")),
            (model.sits and model.colours[1:], KeyHelp("←→", t("colour"), spare=True, press="right", back="left")),
            (self._starts, KeyHelp("F3", t("friends elsewhere?"), spare=True, press="f3")),
            (self._starts, KeyHelp("F5", start, press="f5")),
            (model.sits, KeyHelp("F6", translate(COURTESY_KEYS["f6"]), spare=True, press="f6")),
            (model.places, KeyHelp("?", t("help"), press="?")),
            (True, KeyHelp("Ctrl-C", t("leave"), press="c-c")),
        ]
        return [key for applies, key in rows if applies]

    def _typed(self) -> tuple[str, ...]:
        if not self.model.places:
            return ()
        words = [
            t("{word} TEXT talks to all", word=shown("say")),
            t("{word} NAME hides what a player says", word=shown("mute")),
            t("{word} lists all words", word=shown("help")),
        ]
        if self.model.hosts:
            move, remove = f"{shown('move')} 2 4", f"{shown('remove')} 2"
            words.insert(0, t("{move} and {remove} do what Enter and Del do", move=move, remove=remove))
        return tuple(words)

    def enter(self, line: str) -> str | None:
        """Return what was typed. The words of a code without its number get that of the chosen table."""
        is_code = any(word in self._words for word in line.casefold().replace("-", " ").split()[:1])
        return f"{self._number}-{line}" if is_code and self._number and self.model.asks else line

    @property
    def _number(self) -> str:
        """The number of the chosen table; empty where there is none."""
        tables = self.model.tables
        return str(tables[min(self.model.chosen, len(tables) - 1)][0]) if tables else ""

    def completions(self, typed: str) -> Sequence[str]:
        """Return the codes whose last word begins as typed. Without a number they get that of the chosen table."""
        if not self._words or not self.model.asks:
            return ()
        number = typed[: len(typed) - len(typed.lstrip("0123456789"))]
        rest = typed[len(number) :].lstrip("-_., ").casefold()
        for separator in "_., ":
            rest = rest.replace(separator, "-")
        number = number or self._number
        before, _, begun = rest.rpartition("-")
        head = "-".join(part for part in (number, before) if part)
        if not begun or not number:
            return ()
        return [f"{head}-{word}" for word in self._words if word.startswith(begun)]


def paint_lobby(
    model: LobbyModel, page: Page, keys: Sequence[KeyHelp], typed: Sequence[str], width: int, height: int
) -> Frame:
    """Paint the lobby: title, tables or code, seats, rules; the log has the other rows.

    A large page has columns more: what can be done, and the rules of the game.
    """
    canvas = Canvas(width, height, page.glyphs)
    canvas.put(0, 0, clipped(f" {model.title} ".ljust(width), width), "title")
    asks, style = (page.question.text, "alarm") if page.question else (model.asks, "prompt")
    bottom = height - 2 - bool(asks)
    if width < LARGE_WIDTH or height < LARGE_HEIGHT or not model.places:
        row = _paint_main(canvas, width, model, bottom - LINES_MIN)
        log = Box(row, 1, width - 2, bottom - row)
    else:
        log = _paint_parts(canvas, model, (keys, typed), bottom)
    for at, (kind, text) in enumerate(_last_whole([line for line in page.lines if line.kind != "detail"], log)):
        canvas.put(log.row + at, log.column, text, kind)
    if asks:
        canvas.put(height - 2, 0, clipped(asks, width), style)
    put_keys(canvas, 0, keys, "hint")
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()


def _last_whole(lines: Sequence[LogLine], room: Box) -> list[tuple[str, str]]:
    """Return the rows of the last lines that fit whole; the first rows of the very last one if it does not."""
    rows: list[tuple[str, str]] = []
    for line in reversed(lines):
        more = [(line.kind, text) for text in wrapped(line.text, room.width)]
        if len(rows) + len(more) > room.height:
            return rows or more[: max(room.height, 0)]
        rows = more + rows
    return rows


def _paint_parts(
    canvas: Canvas, model: LobbyModel, doable: tuple[Sequence[KeyHelp], Sequence[str]], bottom: int
) -> Box:
    """Paint all but the log on a large page, and return the room for it.

    The rules are right of the rest, or below the code and the seats.
    """
    width, right = canvas.width, canvas.width - RULES_WIDTH
    is_wide = right >= MAIN_WIDTH
    least = LINES_MIN + 1 if is_wide else 0
    row = _paint_main(canvas, right if is_wide else MAIN_WIDTH, model, bottom - least)
    if is_wide:
        side, rules = Box(row, 1, right - 3, bottom - row), Box(2, right, RULES_WIDTH - 1, bottom - 2)
    else:
        side = Box(2, MAIN_WIDTH + 1, width - MAIN_WIDTH - 2, bottom - 2)
        rules = Box(row, 1, MAIN_WIDTH - 2, bottom - row)
    rules = section(canvas, rules, t("the rules of the game: PgUp and PgDn turn the pages"))
    for row, text in enumerate(model.reading[model.top : model.top + rules.height], rules.row):
        canvas.put(row, rules.column, text)
    return section(canvas, _paint_doable(canvas, side, doable), t("log and chat"))


def _paint_doable(canvas: Canvas, room: Box, doable: tuple[Sequence[KeyHelp], Sequence[str]]) -> Box:
    """Paint keys and typed words; return the room below them and a blank row."""
    keys, typed = doable
    width = room.width + 1 - KEY_WIDTH
    lines = [*((key.key, key.does) for key in keys), *(("", part) for text in typed for part in wrapped(text, width))]
    lines = lines[: max(room.height - 2 * LINES_MIN, 0)]
    if not lines:
        return room
    section(canvas, room, t("what you can do"))
    for row, (key, does) in enumerate(lines, room.row + 1):
        canvas.put(row, room.column, key, "key")
        canvas.put(row, room.column + KEY_WIDTH, clipped(does, width), "hint")
    return room.lower(2 + len(lines))


def _paint_main(canvas: Canvas, width: int, model: LobbyModel, bottom: int) -> int:
    """Paint tables or code, seats and settings, from the third row on, and return the row after them."""
    row = 2
    if model.tables is not None:
        row = _paint_tables(canvas, row, model)
    if model.code:
        row = _paint_code(canvas, row, width, model)
    if model.places:
        row = _paint_places(canvas, row, width, model, bottom - row - 2)
    for text in wrapped(model.hint, width - 2)[: max(bottom - row, 0)] if model.hint else ():
        canvas.put(row, 1, text, "prompt")
        row += 1
    row += bool(model.hint) and row < bottom
    rules = [part for line in model.rules for part in wrapped(line, width - 2)]
    if rules and bottom - row - 1 >= len(rules):
        for line in rules:
            canvas.put(row, 1, line, "dim")
            row += 1
        row += 1
    if model.strangers:
        canvas.put(row, 1, clipped(model.strangers, width - 2), "dim")
        row += 2
    return row


def _paint_tables(canvas: Canvas, row: int, model: LobbyModel) -> int:
    tables = model.tables or ()
    canvas.put(row, 1, t("tables on this network:"), "label")
    if not tables:
        works = t("none yet; a host's address works, too: {command} HOST:PORT", command=model.command)
        canvas.put(row + 1, 3, works, "dim")
        return row + 3
    for at, (_, line) in enumerate(tables[: canvas.height // 3]):
        chosen = at == min(model.chosen, len(tables) - 1)
        text = f"{'>' if chosen else ' '} {line}"
        canvas.put(row + 1 + at, 1, clipped(text, canvas.width - 2), "chosen" if chosen else "", ("table", at))
    return row + 2 + min(len(tables), canvas.height // 3)


def _paint_code(canvas: Canvas, row: int, width: int, model: LobbyModel) -> int:
    canvas.put(row, 1, t("the join code is:  {code}", code=model.code), "label")
    row += 1
    double = canvas.height >= LARGE_HEIGHT and 8 * len(model.code) + 3 <= width
    parts = code_parts(model.code, (width - 3) // 4)
    for part in parts if len(parts) == 1 or canvas.height >= LARGE_HEIGHT else ():
        for line in large(part, ascii_only=canvas.glyphs is ASCII, double=double):
            canvas.put(row, 3, line, "code")
            row += 1
    for line in (line for way in model.ways for line in wrapped(way, width - 2)):
        canvas.put(row, 1, line, "dim")
        row += 1
    return row + 1


def _paint_places(canvas: Canvas, row: int, page_width: int, model: LobbyModel, room: int) -> int:
    """Paint the seats, in two columns if one is too long."""
    columns = 1 if len(model.places) <= max(room, 4) else 2
    height = -(-len(model.places) // columns)
    width = page_width // columns - 2
    names = max(width_of(translate(place.colour)) for place in model.places) + 1
    for at, place in enumerate(model.places):
        column = 1 + (at // height) * (width + 2)
        chip, target = canvas.glyphs.chips.get(place.colour, " "), ("place", at)
        chosen = model.chooses and at == min(model.place, len(model.places) - 1)
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
