"""The painter of the table, for any page from 80 by 23 cells on. On a wide one the board is big, and chat is separate.

title, whose turn, clock, pile
board                          seats with cards and discards
hand                           teams with sequences
the question, its explanation
log and chat
keys
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from seqp2p.ui.board_model import Face
from seqp2p.ui.board_paint import board_size, label_of, paint_board
from seqp2p.ui.frame import Canvas, Frame, Target, clipped, width_of
from seqp2p.ui.language import t, tn
from seqp2p.ui.scene import KEYS_APART, LogLine, fitting, paint_from, paint_lines, wrapped
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.table_model import HandCard, Progress, SeatLine, TableModel, TeamLine

LEFT_MIN: Final = 53
"""Columns for board, hand and what is asked: what the classic board takes."""
PANEL_MIN, PANEL_MAX = 26, 60
"""Columns for the seats."""
TEXT_ROWS: Final = 4
"""For the hand, what is asked, and two rows of what it means."""
LOG_MIN: Final = 5
CHAT_APART: Final = 110
"""From this width on the chat is beside the log."""
BAR_MAX: Final = 20
CHAT: Final = "remark"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines shown in place of the table: from line ``top`` on, or up to the last but ``below`` if given."""

    title: str
    lines: tuple[LogLine, ...]
    top: int = 0
    below: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout: rows from the top of the page, columns and numbers of rows."""

    big: bool
    left: int
    hand: int
    texts: int
    log: int
    ruled: bool


def layout_of(model: TableModel, width: int, height: int) -> Layout:
    """The layout for a page: the big board where it leaves room for the rest."""
    if model.board is None:
        log = max(3 + TEXT_ROWS, 2 + panel_height(model))
        return Layout(big=False, left=LEFT_MIN, hand=2, texts=TEXT_ROWS, log=log, ruled=True)
    board_width, board_height = board_size(model.board, big=True)
    big = board_width + 1 + PANEL_MIN <= width and 2 + board_height + TEXT_ROWS + 1 + LOG_MIN <= height
    if not big:
        board_width, board_height = board_size(model.board)
    block = max(board_height + TEXT_ROWS, panel_height(model))
    spare = height - 2 - block - LOG_MIN
    # What is over: first a blank line before the hand, then one more of explanation, then a rule before the log.
    block += (spare > 0) + (spare > 2)
    ruled = spare > 1
    gap = min(block - board_height - TEXT_ROWS, 1)
    hand = 1 + board_height + gap
    return Layout(big, max(board_width, LEFT_MIN), hand, 1 + block - hand, 1 + block, ruled)


def paint_table(
    model: TableModel,
    lines: Sequence[LogLine],
    glyphs: Glyphs,
    width: int,
    height: int,
    *,
    scroll: int = 0,
    sheet: Sheet | None = None,
) -> Frame:
    """Paint the page. ``lines`` is the log, of which the last ``scroll`` lines are skipped."""
    canvas = Canvas(width, height)
    _title(canvas, model, glyphs)
    _keys(canvas, model)
    if sheet:
        _sheet(canvas, sheet, glyphs)
        return canvas.frame()
    layout = layout_of(model, width, height)
    if model.board:
        paint_board(canvas, 1, 0, model.board, glyphs, big=layout.big)
    panel = min(width - layout.left - 1, PANEL_MAX)
    paint_panel(canvas, 1, layout.left + 1, panel, layout.log - 1, model, glyphs)
    if model.result:
        _result(canvas, layout, model.result, glyphs)
    else:
        _hand(canvas, layout, model, glyphs)
        _texts(canvas, layout, model, glyphs)
    _said(canvas, layout, lines, glyphs, scroll)
    return canvas.frame()


def _title(canvas: Canvas, model: TableModel, glyphs: Glyphs) -> None:
    clock = f"{model.clock}{'!' if model.clock_low else ''}"
    right = canvas.width - width_of(model.pile) - 1
    canvas.put(0, right, model.pile, "title")
    if clock:
        right -= len(clock) + 2
        canvas.put(0, right, clock, "away" if model.clock_low else "title")
    at = canvas.put(0, 1, model.title, "title")
    if model.turn:
        at = canvas.put(0, at + 2, model.turn, "dim")
    whose = f" {glyphs.turn} {model.whose} " if model.yours else f" {model.whose} "
    canvas.put(0, at + 1, clipped(whose, right - at - 2, glyphs.more), "turn" if model.yours else "title")


def _keys(canvas: Canvas, model: TableModel) -> None:
    at, row = 1, canvas.height - 1
    for number in fitting(model.keys, canvas.width - at):
        target, key = ("key", number), model.keys[number]
        at = canvas.put(row, at, key.key, "key", target)
        at = canvas.put(row, at + 1, key.does, "dim", target) + KEYS_APART


def _sheet(canvas: Canvas, sheet: Sheet, glyphs: Glyphs) -> None:
    _rule(canvas, 1, 0, canvas.width, sheet.title, glyphs)
    width, height = canvas.width - 1, canvas.height - 3
    if sheet.below is None:
        paint_from(canvas, 2, 1, width, height, sheet.lines[sheet.top :])
    else:
        paint_lines(canvas, 2, 1, width, height, sheet.lines, sheet.below)


def _rule(canvas: Canvas, row: int, column: int, width: int, title: str, glyphs: Glyphs) -> None:
    canvas.put(row, column, glyphs.horizontal * width, "rule")
    canvas.put(row, column + 2, clipped(f" {title} ", width - 4, glyphs.more), "label")


def _hand(canvas: Canvas, layout: Layout, model: TableModel, glyphs: Glyphs) -> None:
    if not model.has_hand:
        return
    at = canvas.put(layout.hand, 1, t("hand"), "label") + 1
    for slot, card in enumerate(model.hand):
        before, after = glyphs.cursor if card.chosen else (" ", " ") if card.playable else ("(", ")")
        text = f"{before}{_card_text(card, glyphs, coded=not layout.big)}{after}"
        at = canvas.put(layout.hand, at, text, _card_style(card), ("card", slot))


def _card_text(card: HandCard, glyphs: Glyphs, *, coded: bool) -> str:
    """A card of the hand: a named card with its name, and with its code where the board shows codes."""
    sign = glyphs.dead if card.dead else "+" if card.wild else "-" if card.removing else " "
    face = card.face
    if face.suit or face.name == face.label:
        return label_of(face, glyphs) + sign
    return f"{face.label} {face.name}{sign}" if coded else f"{face.name}{sign}"


def _card_style(card: HandCard) -> str:
    if card.chosen:
        return "chosen"
    if card.dead or not card.playable:
        return "dead"
    return "hand card.red" if card.face.is_red else "hand card.black"


def _texts(canvas: Canvas, layout: Layout, model: TableModel, glyphs: Glyphs) -> None:
    row, width = layout.hand + 1, layout.left - 2
    bottom = layout.hand + layout.texts
    if model.progress:
        row = _progress(canvas, row, width, model.progress, glyphs)
    for text in wrapped(model.prompt, width)[: 2 if model.progress is None else 1]:
        canvas.put(row, 1, clipped(text, width, glyphs.more), "prompt")
        row += 1
    for text in model.explanation:
        for part in wrapped(text, width):
            if row >= bottom:
                return
            canvas.put(row, 1, part, "hint")
            row += 1


def _progress(canvas: Canvas, row: int, width: int, progress: Progress, glyphs: Glyphs) -> int:
    if not progress.total:
        canvas.put(row, 1, clipped(progress.text, width, glyphs.more), "prompt")
        return row + 1
    count = f" {progress.done}/{progress.total}"
    text = clipped(progress.text, width - BAR_MAX // 2 - len(count) - 1, glyphs.more)
    size = min(BAR_MAX, width - width_of(text) - len(count) - 1)
    full = size * min(progress.done, progress.total) // progress.total
    at = canvas.put(row, 1, text, "prompt") + 1
    at = canvas.put(row, at, glyphs.full * full, "done")
    at = canvas.put(row, at, glyphs.empty * (size - full), "left")
    canvas.put(row, at, count, "prompt")
    return row + 1


def _result(canvas: Canvas, layout: Layout, result: Sequence[str], glyphs: Glyphs) -> None:
    """The result below a rule, its first line in large: letters apart, if there is room."""
    row, width = layout.hand, layout.left
    bottom = layout.hand + layout.texts
    headline = " ".join(result[0].upper())
    heads = [headline] if width_of(headline) <= width - 4 else wrapped(result[0], width - 4)
    canvas.put(row, 0, glyphs.horizontal * width, "rule")
    lines = [(part, (width - width_of(part)) // 2, "done") for part in heads]
    lines += [(part, 1, "hint") for text in result[1:] for part in wrapped(text, width - 2)]
    for below, (part, column, style) in enumerate(lines[: bottom - row - 1], 1):
        canvas.put(row + below, column, part, style)


def _said(canvas: Canvas, layout: Layout, lines: Sequence[LogLine], glyphs: Glyphs, scroll: int) -> None:
    row, bottom, width = layout.log, canvas.height - 1, canvas.width
    title = t("log, scrolled back: End shows the newest") if scroll else t("log")
    if not layout.ruled and not scroll:
        paint_lines(canvas, row, 1, width - 1, bottom - row, lines)
        return
    rows = bottom - row - 1
    if width < CHAT_APART:
        _rule(canvas, row, 0, width, title, glyphs)
        paint_lines(canvas, row + 1, 1, width - 1, rows, lines, scroll)
        return
    # Log and chat are scrolled alike: to what had been said at that time.
    half, later = width // 2, sum(line.kind == CHAT for line in lines[len(lines) - scroll :])
    _rule(canvas, row, 0, half, title, glyphs)
    paint_lines(canvas, row + 1, 1, half - 1, rows, [line for line in lines if line.kind != CHAT], scroll - later)
    _rule(canvas, row, half + 1, width - half - 1, t("chat"), glyphs)
    paint_lines(canvas, row + 1, half + 2, width - half - 2, rows, [line for line in lines if line.kind == CHAT], later)


NAMES_FROM: Final = 38
"""From this width on a discarded card has its whole name."""
NAME_WIDTH: Final = 10


def panel_height(model: TableModel) -> int:
    """Rows that it takes: a heading, the seats, the teams."""
    return 1 + len(model.seats) + len(model.teams)


def paint_panel(
    canvas: Canvas, row: int, column: int, width: int, height: int, model: TableModel, glyphs: Glyphs
) -> None:
    """Paint it with its upper left corner here. Every seat is the target ``("seat", number)``."""
    names = width >= NAMES_FROM and model.board is not None and model.board.has_names
    top_width = NAME_WIDTH if names else 2
    if model.board:
        _heading(canvas, row, column, width, top_width)
    for below, seat in enumerate(model.seats, 1):
        _seat(canvas, (row + below, column), width, top_width, seat, glyphs)
    row += 1 + len(model.seats)
    # A blank line between seats and teams, if there is one to spare.
    row += panel_height(model) < height
    for below, team in enumerate(model.teams):
        _team(canvas, row + below, column, width, team, glyphs)


def _heading(canvas: Canvas, row: int, column: int, width: int, top_width: int) -> None:
    top, cards = t("top"), t("cards")
    right = column + width
    at = min(right - top_width, right - width_of(top))
    canvas.put(row, at, top, "label")
    canvas.put(row, min(right - top_width - 2, at - 1) - width_of(cards), cards, "label")
    canvas.put(row, column + 6, t("seat"), "label")


def _seat(canvas: Canvas, at: tuple[int, int], width: int, top_width: int, seat: SeatLine, glyphs: Glyphs) -> None:
    row, column = at
    target = ("seat", seat.number)
    style = "out" if seat.out else "away" if seat.away else "own" if seat.own else ""
    tail = _tail(seat, top_width, glyphs)
    room = width - 7 - width_of(tail)
    canvas.put(row, column, " " * width, "", target)
    canvas.put(row, column, glyphs.turn if seat.turn else " ", "own", target)
    canvas.put(row, column + 1, f"{seat.number:>2}", "label", target)
    canvas.put(row, column + 4, glyphs.chips[seat.colour], f"chip.{seat.colour}", target)
    canvas.put(row, column + 6, _name(seat, room, glyphs), f"{'turn ' if seat.turn else ''}{style}".strip(), target)
    if seat.away or seat.out or seat.cards is None:
        canvas.put(row, column + width - width_of(tail), tail, style, target)
    else:
        _cards(canvas, (row, column + width - top_width - 4), seat, top_width, glyphs, target)


def _name(seat: SeatLine, room: int, glyphs: Glyphs) -> str:
    """The name, clipped before what marks the own seat."""
    if not seat.own:
        return clipped(seat.name, room, glyphs.more)
    mark = f" ({t('you')})"
    return clipped(seat.name, room - width_of(mark), glyphs.more) + mark


def _tail(seat: SeatLine, top_width: int, glyphs: Glyphs) -> str:
    """Return the text after the name; of a playing seat in its final width."""
    if seat.out:
        return t("out")
    if seat.away:
        return t("away {clock}", clock=seat.away)
    return "" if seat.cards is None else f"{seat.cards:>2}  {_top(seat.top, top_width, glyphs)}"


def _cards(canvas: Canvas, at: tuple[int, int], seat: SeatLine, top_width: int, glyphs: Glyphs, target: Target) -> None:
    row, column = at
    red = seat.top is not None and seat.top.is_red
    canvas.put(row, column, f"{seat.cards:>2}", "", target)
    canvas.put(row, column + 4, _top(seat.top, top_width, glyphs), "card.red" if red else "card.black", target)


def _top(top: Face | None, width: int, glyphs: Glyphs) -> str:
    if top is None:
        return f"{'-':<{width}}"
    text = label_of(top, glyphs) if width == 2 else clipped(top.name, width, glyphs.more)
    return text + " " * (width - width_of(text))


def _team(canvas: Canvas, row: int, column: int, width: int, team: TeamLine, glyphs: Glyphs) -> None:
    values = {"colour": team.name, "made": team.made, "needed": team.needed}
    text = tn("{colour}: {made} of 1 sequence", "{colour}: {made} of {needed} sequences", team.needed, **values)
    if width_of(text) > width - 6:
        text = t("{colour}: {made} of {needed}", **values)
    if team.own and width_of(own := t("{team} (yours)", team=text)) <= width - 6:
        text = own
    canvas.put(row, column + 4, glyphs.chips[team.colour], f"chip.{team.colour}")
    canvas.put(row, column + 6, clipped(text, width - 6, glyphs.more), "own" if team.own else "")
