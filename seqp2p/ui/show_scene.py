"""A replay on the screen: the board, the seats and their hands, and next to them the events and remarks.

Keys and typed words do the same (``ui.replay_browser``). A click on a line or on the bar goes to that moment, one on a
seat shows its hand.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from seqp2p.rules import View, view
from seqp2p.ui.board_model import board_model, face_of
from seqp2p.ui.board_paint import board_size, label_of, largest_pitch, paint_board
from seqp2p.ui.cards import suits_shown
from seqp2p.ui.frame import Box, Canvas, Fragment, Frame, Painter, Target, width_of
from seqp2p.ui.keys import KeyHelp, put_keys
from seqp2p.ui.language import t, tn
from seqp2p.ui.replay_browser import LEAP, WORDS, Cursor, ReplayBrowser, ReplayFrames, review_lines, shown, word_of
from seqp2p.ui.scene import LogLine, Page, line_rows, paint_from
from seqp2p.ui.styles import UNICODE, Glyphs
from seqp2p.ui.table_model import team_lines
from seqp2p.ui.table_paint import leader_line, paint_team
from seqp2p.ui.words import Company

TOP: Final = 2
"""Rows above the board: the title, and what was verified."""
BOTTOM: Final = 3
"""Rows below the seats: the score, the bar, the keys."""
SIDE_MIN: Final = 40
"""Columns that a big board leaves to what happened; a small one may leave fewer."""
TALL: Final = 6
"""Up to so many seats have a row each on any page."""
NAME_WIDTH: Final = 14
REVIEW_ROWS: Final = 5
"""Rows below the log, for the chances to win and the better move."""
AROUND: Final = 60
"""The moments before and after the shown one whose lines are measured."""


class ShowScene:
    """The scene of a replay. While ``cursor.playing``, its owner steps the browser every ``cursor.pace_s`` seconds."""

    def __init__(self, frames: ReplayFrames) -> None:
        self.browser = ReplayBrowser(frames)
        self._answer: tuple[str, ...] = ()
        self._typed = ""  # the word that was answered last
        self._glyphs: Glyphs = UNICODE

    def obey(self, typed: str) -> bool:
        """Obey a typed line; return False at the end."""
        before, self._typed = self.browser.cursor, word_of(typed)
        answer = self.browser.obey(typed)
        self._answer = answer.lines if self.browser.cursor == before else ()  # What has changed is seen.
        if self._typed == "help":
            sign = self._glyphs.last
            self._answer += (t("{sign}  on the bar: a sequence was completed; a click goes there", sign=sign),)
        return not answer.done

    def painter(self, page: Page) -> Painter:
        self._glyphs = page.glyphs
        return partial(
            paint_show, self.browser.frames, self.browser.cursor, self._answer, tuple(self.keys()), page.glyphs
        )

    def press(self, key: str) -> str | None:
        """Obey a key: arrows go about, tab shows hands, f5 and f4 find sequences; f6 and ? are words, or end them."""
        answered, self._answer = self._answer, ()
        browser = self.browser
        steps = {"right": 1, "enter": 1, "left": -1, "down": LEAP, "pagedown": LEAP, "up": -LEAP, "pageup": -LEAP}
        if key in steps:
            browser.move(steps[key])
        elif key in ("tab", "s-tab"):
            browser.look(1 if key == "tab" else -1)
        elif key in ("f4", "f5"):
            browser.to_sequence(1 if key == "f5" else -1)
        elif key in ("+", "-"):
            browser.pace(1 if key == "+" else -1)
        elif key == "home":
            browser.go(0)
        elif key == "end":
            browser.end()
        elif key == "space":
            browser.toggle()
        elif key in ("?", "f1", "f6"):
            word = "review" if key == "f6" else "help"
            return None if answered and self._typed == word else shown(word)
        return None

    def click(self, target: Target) -> str | None:
        """Go to the moment of a clicked line or cell of the bar; show the hand of a clicked seat, or all again."""
        what, which = target
        self._answer = ()
        if what == "moment":
            self.browser.go(which)
        elif what == "seat":
            whose = shown("all") if self.browser.cursor.sight == which else str(which)
            return f"{shown('hands')} {whose}"
        return None

    def keys(self) -> Sequence[KeyHelp]:
        keys = [
            KeyHelp("←→", t("step"), press="right", back="left"),
            KeyHelp("↑↓", t("ten steps"), spare=True, press="down", back="up"),
            KeyHelp(t("Space"), t("stop") if self.browser.cursor.playing else t("play"), press="space"),
            KeyHelp("-+", t("speed"), spare=True, press="+", back="-"),
            KeyHelp("F5", t("sequence"), press="f5"),
        ]
        if self.browser.frames.opened:
            keys.append(KeyHelp("Tab", t("hands"), press="tab"))
        if self.browser.frames.costly:
            keys.append(KeyHelp("F6", t("review"), press="f6"))
        return [*keys, KeyHelp("?", t("help"), press="?"), KeyHelp("Ctrl-C", t("leave"), press="c-c")]

    def enter(self, line: str) -> str | None:
        return line

    def completions(self, typed: str) -> Sequence[str]:
        small = typed.lower()
        return [shown(word) for word in WORDS.words if small and shown(word).startswith(small)]


def paint_show(
    frames: ReplayFrames,
    cursor: Cursor,
    answer: Sequence[str],
    keys: Sequence[KeyHelp],
    glyphs: Glyphs,
    width: int,
    height: int,
) -> Frame:
    canvas = Canvas(width, height, glyphs)
    room = range(TOP, height - BOTTOM)
    _paint_title(canvas, frames, cursor)
    if answer:
        texts = (suits_shown(text, glyphs.suits) for text in (*answer, "", t("Esc: back to the replay")))
        lines = [LogLine("answer", text) for text in texts]
        paint_from(canvas, Box(TOP, 0, width, len(room)), lines)
        canvas.touch(TOP, 0, len(room), width, ("answer", 0))
    else:
        side = _paint_table(canvas, frames, cursor)
        if review := frames.review_at(cursor.at):
            room = room[:-REVIEW_ROWS]
            below = Box(room.stop, side, max(canvas.width - side, 1), REVIEW_ROWS)
            told = [suits_shown(text, glyphs.suits) for text in review_lines(frames, review)]
            paint_from(canvas, below, [LogLine("hint", text) for text in told])
        _paint_side(canvas, room, side, frames, cursor)
    _paint_bar(canvas, height - 2, frames, cursor)
    put_keys(canvas, 0, keys, "hint")
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()


def _paint_table(canvas: Canvas, frames: ReplayFrames, cursor: Cursor) -> int:
    """Paint the board, the seats below it, and the score; return the first column right of them.

    The board is the biggest one that leaves room for every seat, and for the log on its right.
    """
    moment = frames.moments[cursor.at]
    if moment.position is None:
        canvas.put(TOP + 1, 1, t("the cards are not dealt yet"), "dim")
        return canvas.width // 2
    seen, room = view(moment.position, 0), canvas.height - TOP - BOTTOM
    board = board_model(seen, frames.company.colours, moment.moves)
    pitch = largest_pitch(board, lambda wide, high: wide + SIDE_MIN <= canvas.width and seen.players <= room - high)
    width, height = board_size(board, pitch)
    paint_board(canvas, TOP, 0, board, pitch)
    columns = 1 if seen.players <= max(room - height, TALL) else 2
    rows = -(-seen.players // columns)
    for seat in range(1, seen.players + 1):
        column, below = divmod(seat - 1, rows)
        if height + below < room:
            place = Box(TOP + height + below, column * (width // columns), width // columns - 1, 1)
            _paint_seat(canvas, place, frames, cursor, seen, seat)
    _paint_score(canvas, seen, frames.company)
    return width + 1


def _paint_title(canvas: Canvas, frames: ReplayFrames, cursor: Cursor) -> None:
    moment = frames.moments[cursor.at]
    turn = t("turn {turn} of {turns}", turn=moment.turn, turns=frames.turns)
    if moment.position is not None:
        turn = f"{t('pile {count}', count=moment.position.pile)}  {turn}"
    names = t("{title}: {names}", title=frames.title, names=", ".join(frames.company.names))
    canvas.clip(0, 0, canvas.width - width_of(turn) - 2, names, "title")
    canvas.put(0, canvas.width - width_of(turn), turn, "label")
    canvas.clip(1, 0, canvas.width, frames.verdict, "done" if frames.is_right else "alarm")


def _paint_seat(canvas: Canvas, place: Box, frames: ReplayFrames, cursor: Cursor, seen: View, seat: int) -> None:
    """Paint a seat: whose turn it is, number, chip, name, hand, and the top of its discards if there is room."""
    company, glyphs, target = frames.company, canvas.glyphs, ("seat", seat)
    row, left, right = place.row, place.column, place.column + place.width
    style = "out" if seat in seen.out else "turn" if seat == seen.mover else "own" if seat == cursor.sight else ""
    hand, colour = _hand_shown(frames, cursor, seen, seat, glyphs), company.colour(seat)
    width = min(NAME_WIDTH, max(4, place.width - 8 - width_of(hand)))
    canvas.put(row, left, glyphs.turn if seat == seen.mover else " ", "key", target)
    canvas.put(row, left + 1, f"{seat:>2}", "label", target)
    canvas.put(row, left + 4, glyphs.chips[colour], f"chip.{colour}", target)
    canvas.clip(row, left + 6, width, company.names[seat - 1], style, target)
    at = left + 7 + width
    at = canvas.clip(row, at, right - at, hand, "hand", target) + 2
    discards = seen.discards[seat - 1]
    discard = t("discarded {card}", card=label_of(face_of(seen.variant, discards[-1]), glyphs)) if discards else ""
    if at + width_of(discard) <= right:
        canvas.put(row, at, discard, "dim", target)


def _hand_shown(frames: ReplayFrames, cursor: Cursor, seen: View, seat: int, glyphs: Glyphs) -> str:
    if seat in seen.out:
        return t("out of the game")
    position = frames.moments[cursor.at].position
    hand = position.hands[seat - 1] if position else ()
    if seat not in frames.open_at(cursor):
        return tn("{count} card", "{count} cards", len(hand))
    return " ".join(label_of(face_of(seen.variant, card), glyphs) for card in hand)


def _paint_score(canvas: Canvas, seen: View, company: Company) -> None:
    row, at, teams = canvas.height - BOTTOM, 0, team_lines(seen, company)
    for team in teams:
        at = paint_team(canvas, Box(row, at, canvas.width // len(teams) - 2, 1), team, teams) + 2
    leader = leader_line(teams)
    if at + width_of(leader) < canvas.width:
        canvas.put(row, at, leader, "title")


def _paint_side(canvas: Canvas, rows: range, column: int, frames: ReplayFrames, cursor: Cursor) -> None:
    """Paint the log with the shown moment marked; two thirds of the rows are for earlier moments."""
    width = max(canvas.width - column - 2, 1)
    lines = list(_lines_around(frames, cursor.at, width, canvas.glyphs))
    current = [number for number, (at, _, _) in enumerate(lines) if at == cursor.at]
    first = max(0, min(current[-1] - 2 * len(rows) // 3, len(lines) - len(rows)))
    for row, (at, (sign_style, sign), (kind, text)) in zip(rows, lines[first:], strict=False):
        is_now = at == cursor.at
        style = f"{kind} own" if is_now else kind if at < cursor.at else "left"
        canvas.put(row, column, canvas.glyphs.turn if is_now else " ", "key", ("moment", at))
        canvas.put(row, column + 2, sign, sign_style, ("moment", at))
        canvas.put(row, column + 4, text, style, ("moment", at))


def _lines_around(
    frames: ReplayFrames, now: int, width: int, glyphs: Glyphs
) -> Iterator[tuple[int, Fragment, Fragment]]:
    """Yield the number of the moment, the sign and the text of every row of the lines near a moment."""
    for at in range(max(0, now - AROUND), min(now + AROUND, len(frames.moments))):
        for line in frames.moments[at].lines:
            shown = line if line.kind == "remark" else line._replace(text=suits_shown(line.text, glyphs.suits))
            for sign, text in line_rows(shown, width, glyphs):
                yield at, sign, text


def _paint_bar(canvas: Canvas, row: int, frames: ReplayFrames, cursor: Cursor) -> None:
    count = len(frames.moments)
    begin = canvas.put(row, 0, canvas.glyphs.turn if cursor.playing else canvas.glyphs.vertical, "key") + 1
    end = canvas.width - width_of(cursor.pace) - 1
    length = max(1, end - begin)
    for cell in range(length):
        first, following = cell * count // length, (cell + 1) * count // length
        is_past, begins = first <= cursor.at, not cell or (cell - 1) * count // length < first
        made = begins and any(moment.made for moment in frames.moments[first : max(following, first + 1)])
        sign = canvas.glyphs.last if made else canvas.glyphs.full if is_past else canvas.glyphs.empty
        canvas.put(row, begin + cell, sign, "done" if is_past else "left", ("moment", first))
    canvas.put(row, end + 1, cursor.pace, "label")
