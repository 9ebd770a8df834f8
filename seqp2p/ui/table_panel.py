"""Paints the seats with their cards and the top of their discards, and the teams with their sequences."""

from typing import Final

from seqp2p.ui.board_model import Face
from seqp2p.ui.board_paint import label_of
from seqp2p.ui.frame import Canvas, Target, clipped, width_of
from seqp2p.ui.language import t
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.table_model import SeatLine, TableModel, TeamLine

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
    text = t("{colour}: {made} of {needed} sequences", **values)
    if width_of(text) > width - 6:
        text = t("{colour}: {made} of {needed}", **values)
    if team.own and width_of(own := t("{team} (yours)", team=text)) <= width - 6:
        text = own
    canvas.put(row, column + 4, glyphs.chips[team.colour], f"chip.{team.colour}")
    canvas.put(row, column + 6, clipped(text, width - 6, glyphs.more), "own" if team.own else "")
