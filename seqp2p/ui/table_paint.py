"""The painter of the table, for any page from 80 by 23 cells on.

    small page                               from about 120 by 36 cells on
    title, whose turn, clock, pile           title, whose turn, clock, pile
    board            teams, seats            board            teams, seats
    hand                                                      log
    the question, its explanation            hand as cards
    log and chat                             the question     chat
    keys                                     keys

The squares are as big as the rest allows. On a very wide page the log has a column of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from seqp2p.rules import Variant, View, format_square
from seqp2p.ui.board_model import face_of
from seqp2p.ui.board_paint import (
    SMALL,
    Pitch,
    age_of,
    board_size,
    label_of,
    large_face,
    largest_pitch,
    paint_board,
    tint_of,
)
from seqp2p.ui.cards import variant_title
from seqp2p.ui.explain import explanation, hand_signs, keys_of, prompt, sign_meanings, whose_turn
from seqp2p.ui.frame import Box, Canvas, Frame, Target, clipped, width_of
from seqp2p.ui.keys import put_keys
from seqp2p.ui.language import t, tn
from seqp2p.ui.scene import LogLine, paint_from, paint_lines, section, wrapped
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.table_model import HandCard, Progress, TableModel, TableState, TeamLine
from seqp2p.ui.words import Company, clock

LEFT_MIN: Final = 53
"""Columns for board, hand and what is asked: what the classic board takes."""
PANEL_MIN, PANEL_MAX = 26, 60
"""Columns for teams and seats."""
SIDE_MIN: Final = 32
"""Columns right of the board that have room for the log, too."""
COLUMNS_MIN: Final = 74
"""Columns right of the board in which the log has a column of its own."""
CARD_ROWS: Final = 4
"""Rows of the hand as cards; the chosen card is one row higher than the others."""
ASK_ROWS: Final = 2
TEXT_ROWS: Final = 4
"""For the hand in a row, what is asked, and two rows of what it means."""
LOG_MIN: Final = 4
CHAT_MIN: Final = 3
CHAT_ROWS: Final = 6
"""From so many rows on, those below the hand are the chat's."""
LOG_ROWS: Final = 8
"""The log has so many before the hand is shown as cards."""
CHAT_APART: Final = 110
"""From this width on the chat is next to the log."""
BAR_MAX: Final = 20
CLOCK_LOW_S: Final = 10
"""From here on the clock is shown as pressing."""
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
    """The layout of a page. ``cards``: the hand is shown as cards; ``side``: the log is right of the board."""

    pitch: Pitch
    cards: bool
    hand: Box
    panel: Box
    log: Box
    chat: Box | None = None
    """The chat's own room; None where it is part of the log."""
    side: bool = False
    apart: bool = False
    """There is a blank row above the hand."""


def layout_of(model: TableModel, width: int, height: int) -> Layout:
    """Return the layout for a page: the biggest squares that leave room for the rest."""
    if model.board is None:
        return _below(model, SMALL, (LEFT_MIN, 2), width, height)
    at_side = partial(_at_side, model, width=width, height=height)

    def fits_below(wide: int, high: int) -> bool:
        taken = max(high + TEXT_ROWS, panel_height(model)) + LOG_MIN
        return width - max(wide, LEFT_MIN) > PANEL_MIN and taken <= height - 2

    def fits(wide: int, high: int) -> bool:
        return at_side(SMALL, (wide, high)) is not None or fits_below(wide, high)

    pitch = largest_pitch(model.board, fits)
    size = board_size(model.board, pitch)
    return at_side(pitch, size) or _below(model, pitch, size, width, height)


def _at_side(model: TableModel, pitch: Pitch, size: tuple[int, int], *, width: int, height: int) -> Layout | None:
    """The layout with the log right of the board, or right of the seats; None if there is no room.

    The chat goes where the most room is left.
    """
    left, column = max(size[0], LEFT_MIN), max(size[0], LEFT_MIN) + 2
    room, rows = width - column, height - 2
    if room < SIDE_MIN - 1 or size[1] + CARD_ROWS + ASK_ROWS > rows:
        return None
    hand = Box(1 + size[1], 0, left, rows - size[1])
    log = Box(1, column, room, rows)
    spare = hand.height - CARD_ROWS - TEXT_ROWS
    if room >= COLUMNS_MIN and spare < CHAT_ROWS:
        panel, log = _split(log, min(room // 2, PANEL_MAX))
        chat = panel.lower(panel_height(model) + len(model.state.company.names) + len(model.teams) + 4)
        panel = panel._replace(height=panel.height - chat.height)
    else:
        panel = Box(1, column, room, panel_height(model) + len(model.teams) + 1)
        log = log.lower(panel.height)
        below = spare >= CHAT_MIN
        chat = hand.lower(hand.height - spare) if below else log.lower(log.height - log.height // 4)
        log = log if below else log._replace(height=log.height - chat.height)
    if log.height < LOG_ROWS:
        return None
    return Layout(pitch, _cards_width(model) <= left, hand, panel, log, chat, side=True)


def _below(model: TableModel, pitch: Pitch, size: tuple[int, int], width: int, height: int) -> Layout:
    left, rows = max(size[0], LEFT_MIN), height - 2
    block = max(size[1] + TEXT_ROWS, panel_height(model))
    spare = rows - block - LOG_MIN
    cards = model.board is not None and _cards_width(model) <= left
    cards = cards and rows - size[1] - CARD_ROWS - TEXT_ROWS >= LOG_ROWS
    # What is over: the hand as cards; or a blank line before the hand, then one more of explanation.
    block = max(block, size[1] + CARD_ROWS + TEXT_ROWS) if cards else block + (spare > 0) + (spare > 2)
    gap = 0 if cards else min(block - size[1] - TEXT_ROWS, 1)
    hand = Box(1 + size[1] + gap, 0, left, block - size[1] - gap)
    panel = Box(1, left + 1, min(width - left - 1, PANEL_MAX), block)
    log, chat = Box(1 + block, 0, width, rows - block), None
    if width >= CHAT_APART:
        log, chat = _split(log, width // 2)
    return Layout(pitch, cards, hand, panel, log, chat, apart=gap > 0)


def _split(box: Box, width: int) -> tuple[Box, Box]:
    """Return so many columns of a box, and the rest right of a blank one."""
    rest = Box(box.row, box.column + width + 1, box.width - width - 1, box.height)
    return box._replace(width=width), rest


def paint_table(
    model: TableModel,
    lines: Sequence[LogLine],
    width: int,
    height: int,
    *,
    scroll: int = 0,
    sheet: Sheet | None = None,
) -> Frame:
    """Paint the page. ``lines`` is the log; its last ``scroll`` lines are skipped."""
    canvas, state = Canvas(width, height, model.state.glyphs), model.state
    _title(canvas, state)
    put_keys(canvas, 1, keys_of(state), "dim")
    if sheet:
        _sheet(canvas, sheet)
        return canvas.frame()
    layout = layout_of(model, width, height)
    if model.board:
        paint_board(canvas, 1, 0, model.board, layout.pitch)
    paint_panel(canvas, layout.panel, model)
    if state.result:
        _result(canvas, layout.hand, state)
    else:
        row = _hand(canvas, layout, model)
        _texts(canvas, layout, row, state)
    _said(canvas, layout, model, lines, scroll)
    canvas.fill(0, 0, width, "bar")
    return canvas.frame()


def paint_final_board(model: TableModel) -> Frame | None:
    """Paint the board alone, as it stays on the terminal when the screen closes; None before the deal."""
    if model.board is None:
        return None
    width, height = board_size(model.board, SMALL)
    canvas = Canvas(width, height, model.state.glyphs)
    paint_board(canvas, 0, 0, model.board, SMALL)
    return canvas.frame()


def _title(canvas: Canvas, state: TableState) -> None:
    view, left_s, yours = state.view, state.clock_s, state.asked and state.sent is None
    pile = t("pile {count}", count=view.pile) if view else ""
    right = canvas.width - width_of(pile) - 1
    canvas.put(0, right, pile, "title")
    if left_s is not None:
        is_low = left_s <= CLOCK_LOW_S
        shown = clock(max(0, left_s)) + "!" * is_low
        right -= len(shown) + 2
        canvas.put(0, right, shown, "away" if is_low else "title")
    at = canvas.put(0, 1, variant_title(state.variant), "title")
    if view and not (state.result or view.over):
        at = canvas.put(0, at + 2, t("turn {number}", number=view.turn + 1), "dim")
    whose = f" {canvas.glyphs.turn} {whose_turn(state)} " if yours else f" {whose_turn(state)} "
    canvas.clip(0, at + 1, right - at - 2, whose, "turn" if yours else "title")


def _sheet(canvas: Canvas, sheet: Sheet) -> None:
    room = _inside(section(canvas, Box(1, 0, canvas.width, canvas.height - 2), sheet.title))
    if sheet.below is None:
        paint_from(canvas, room, sheet.lines[sheet.top :])
    else:
        paint_lines(canvas, room, sheet.lines, sheet.below)


def _hand(canvas: Canvas, layout: Layout, model: TableModel) -> int:
    """Paint the hand, and return the row after it."""
    box, has_hand = layout.hand, bool(model.state.company.own and model.board)
    found = {_card_sign(card, canvas.glyphs) for card in model.hand} | {
        "( )" for card in model.hand if not card.playable
    }
    signs = hand_signs(canvas.glyphs).items()
    legend = "  ".join(f"{sign} {meaning}" for sign, meaning in signs if sign in found)
    if layout.cards:
        at = 1
        for slot, card in enumerate(model.hand):
            row = box.row + (not card.chosen)
            at = _card(canvas, row, at, card, ("card", slot), is_large=layout.pitch.width > LARGE_CARD) + 1
        row = box.row + CARD_ROWS if has_hand else box.row
        if has_hand and legend and width_of(legend) < box.width - 1 and box.height > CARD_ROWS + ASK_ROWS:
            canvas.put(row, 1, legend, "dim")
            row += 1
        return row
    if has_hand:
        at = canvas.put(box.row, 1, t("hand"), "label") + 1
        for slot, card in enumerate(model.hand):
            before, after = canvas.glyphs.cursor if card.chosen else (" ", " ") if card.playable else ("(", ")")
            text = f"{before}{_card_text(card, canvas.glyphs, coded=layout.pitch is SMALL)}{after}"
            at = canvas.put(box.row, at, text, _card_style(card), ("card", slot))
        if layout.apart:
            canvas.clip(box.row - 1, 1, box.width - 1, legend, "dim")
    return box.row + 1


def _cards_width(model: TableModel) -> int:
    named = any(not card.face.suit for card in model.hand)
    return 2 + len(model.hand) * ((NAME_CARD if named else SUIT_CARD) + 1)


def _card(canvas: Canvas, row: int, column: int, card: HandCard, target: Target, *, is_large: bool) -> int:
    """Paint a card of the hand, three rows high, and return the column after it."""
    face, style, glyphs = card.face, _card_style(card), canvas.glyphs
    edge = " " if glyphs.edge != " " else glyphs.vertical  # Where no tile has a colour, no card has.
    before, after = glyphs.cursor if card.chosen else (edge, edge) if card.playable else ("(", ")")
    width = LARGE_CARD if is_large and face.suit else SUIT_CARD if face.suit else NAME_CARD
    picture = label_of(face, glyphs) if glyphs.pictures and face.picture else ""
    head = label_of(face, glyphs) if face.suit else clipped(face.name, width - 2, glyphs.more)
    texts = large_face(face, glyphs, width - 2) or [head, picture, ""]
    edges = ((before, after), (edge, edge), (edge, _card_sign(card, glyphs).replace(" ", edge)))
    for down, (text, (left, right)) in enumerate(zip(texts, edges, strict=True)):
        canvas.put(row + down, column, f"{left}{text}{' ' * (width - 2 - width_of(text))}{right}", style, target)
    return column + width


def _card_sign(card: HandCard, glyphs: Glyphs) -> str:
    return glyphs.dead if card.dead else "+" if card.wild else "-" if card.removing else " "


def _card_text(card: HandCard, glyphs: Glyphs, *, coded: bool) -> str:
    """Return a card of the hand: a named card with its name, and with its code where the board shows codes."""
    sign, face = _card_sign(card, glyphs), card.face
    if face.suit or face.name == face.label:
        return label_of(face, glyphs) + sign
    pictured = glyphs.pictures and face.picture
    return f"{label_of(face, glyphs)} {face.name}{sign}" if coded or pictured else f"{face.name}{sign}"


def _card_style(card: HandCard) -> str:
    if card.chosen:
        return "cursor"
    if card.dead or not card.playable:
        return f"{tint_of(card.face)} corner"
    if card.wanted:
        return "lit"
    return f"{tint_of(card.face)} hand {'card.red' if card.face.is_red else 'card.black'}"


def _texts(canvas: Canvas, layout: Layout, row: int, state: TableState) -> None:
    box = layout.hand
    width, bottom = box.width - 2, box.row + (min(box.height, CARD_ROWS + TEXT_ROWS) if layout.chat else box.height)
    if state.progress:
        row = _progress(canvas, row, width, state.progress)
    asked, style = (state.question.text, "alarm") if state.question else (prompt(state), "prompt")
    texts = [(part, style) for part in wrapped(asked, width)[: 2 if state.progress is None else 1]]
    texts += [(part, "hint") for text in explanation(state) for part in wrapped(text, width)]
    if state.question:  # Where it lacks room, it has that of the hand.
        row = max(box.row - layout.apart, min(row, bottom - len(texts)))
    for down, (text, style) in enumerate(texts[: max(bottom - row, 0)], row):
        canvas.put(down, 0, f" {text}{' ' * (width - width_of(text))}", style, ("text", 0))


def _progress(canvas: Canvas, row: int, width: int, progress: Progress) -> int:
    if not progress.total:
        canvas.clip(row, 1, width, progress.text, "prompt")
        return row + 1
    count = f" {progress.done}/{progress.total}"
    text = clipped(progress.text, width - BAR_MAX // 2 - len(count) - 1, canvas.glyphs.more)
    size = min(BAR_MAX, width - width_of(text) - len(count) - 1)
    full = size * min(progress.done, progress.total) // progress.total
    at = canvas.put(row, 1, text, "prompt") + 1
    at = canvas.put(row, at, canvas.glyphs.full * full, "done")
    at = canvas.put(row, at, canvas.glyphs.empty * (size - full), "left")
    canvas.put(row, at, count, "prompt")
    return row + 1


def _result(canvas: Canvas, box: Box, state: TableState) -> None:
    """Paint the result below a rule, the letters of its first line apart if there is room, and what is asked now."""
    row, width, result, question = box.row, box.width, state.result, state.question
    headline = " ".join(result[0].upper())
    heads = [headline] if width_of(headline) <= width - 4 else wrapped(result[0], width - 4)
    canvas.put(row, 0, canvas.glyphs.horizontal * width, "rule")
    lines = [(part, (width - width_of(part)) // 2, "title" if state.lost else "done") for part in heads]
    asked = [(question.text, "alarm")] if question else []
    texts = [*asked, *((text, "hint") for text in result[1:])]
    lines += [(part, 1, style) for text, style in texts for part in wrapped(text, width - 2)]
    for below, (part, column, style) in enumerate(lines[: box.height - 1], 1):
        canvas.put(row + below, column, part, style)


def _said(canvas: Canvas, layout: Layout, model: TableModel, lines: Sequence[LogLine], scroll: int) -> None:
    """Paint the lines that lack a chip, if they are shown, the log, and the chat where it has its own room."""
    lines = [line for line in lines if line.kind != "detail"]
    scroll = min(scroll, max(len(lines) - 1, 0))
    box, title = layout.log, t("log, scrolled back: End shows the newest") if scroll else t("log")
    if model.threats:
        told = [LogLine("answer", text) for text in model.threats]
        rows = sum(len(wrapped(text, box.width - 3)) for text in model.threats) + 1
        rows = min(rows, box.height * 2 // 3) if layout.side else box.height
        shown = section(canvas, box._replace(height=rows), t("one or two chips missing"))
        paint_from(canvas, _inside(shown), told)
        box = box.lower(rows)
    if layout.chat is None:
        if box.height > LOG_MIN or (scroll and box.height):
            box = section(canvas, box, title)
        paint_lines(canvas, _inside(box), lines, scroll)
        return
    # Log and chat are scrolled alike: to what had been said at that time.
    later = sum(line.kind == CHAT for line in lines[len(lines) - scroll :])
    parts = ((box, title, False, scroll - later), (layout.chat, t("chat"), True, later))
    for part, heading, is_chat, below in parts:
        if is_chat and layout.side:
            part = _signs(canvas, part, model.state.company)  # noqa: PLW2901  # the chat has the rest
        if part.height:
            room = section(canvas, part, heading)
            kept = [line for line in lines if (line.kind == CHAT) == is_chat]
            paint_lines(canvas, _inside(room), kept, below)


def _signs(canvas: Canvas, box: Box, company: Company) -> Box:
    """Paint the signs and their meanings at the bottom, if there is room for them; return the rest."""
    signs = [LogLine("log", line) for line in sign_meanings(company, canvas.glyphs)]
    rows = sum(len(wrapped(line.text, box.width - 3)) for line in signs) + 1
    if box.height < rows + LOG_ROWS:
        return box
    paint_from(canvas, _inside(section(canvas, box.lower(box.height - rows), t("symbols"))), signs)
    return box._replace(height=box.height - rows)


def _inside(box: Box) -> Box:
    """Return a part of the page without its first column."""
    return box._replace(column=box.column + 1, width=box.width - 1)


SUIT_CARD, NAME_CARD, LARGE_CARD = 6, 12, 11
"""Columns of a card of the hand."""
WIDE: Final = 36
"""From this width on the panel has words where it has numbers on less."""
MOVE_WIDTH, NAMED_MOVE_WIDTH = 6, 14


def panel_height(model: TableModel) -> int:
    """Return the rows of the panel: who leads, the teams, a heading, the seats."""
    return 2 + len(model.state.company.names) + len(model.teams)


def paint_panel(canvas: Canvas, box: Box, model: TableModel) -> None:
    """Paint the teams and the seats. Every seat is the target ``("seat", number)``."""
    row, column, width, height = box
    named = width >= WIDE and model.board is not None and model.board.has_names
    move_width = NAMED_MOVE_WIDTH if named else MOVE_WIDTH
    has_lines = panel_height(model) + len(model.teams) < height
    if model.teams:
        canvas.put(row, column + 1, leader_line(model.teams), "title")
        row += 1
    for team in model.teams:
        paint_team(canvas, Box(row, column, width, 1), team, model.teams)
        if has_lines and team.made < team.needed:
            _best_line(canvas, row + 1, column + 3, team)
        row += 1 + has_lines
    # A blank line between teams and seats, if there is one to spare.
    row += bool(model.teams) and panel_height(model) + has_lines * len(model.teams) < height
    if model.board:
        _heading(canvas, row, column, width, move_width)
    for seat in model.state.company.seats:
        _seat(canvas, Box(row + seat, column, width, 1), move_width, model.state, seat)
    row += 2 + len(model.state.company.names)
    if model.state.view and box.row + height - row > len(model.state.company.names):
        _discards(canvas, Box(row, column, width, box.row + height - row), model.state.view, model.state.company)


def _discards(canvas: Canvas, box: Box, view: View, company: Company) -> None:
    """Paint the discards of every seat, the newest first, as many as there is room for."""
    box = section(canvas, box, t("discards"))
    for row, (seat, pile) in enumerate(zip(company.seats, view.discards, strict=True), box.row):
        at, colour = box.column + 6, company.colour(seat)
        canvas.put(row, box.column + 1, f"{seat:>2}", "label")
        canvas.put(row, box.column + 4, canvas.glyphs.chips[colour], f"chip.{colour}")
        for card in pile[::-1][: (box.width - 6) // 3]:
            face = face_of(view.variant, card)
            at = canvas.put(row, at, label_of(face, canvas.glyphs), "card.red" if face.is_red else "card.black") + 1


def leader_line(teams: Sequence[TeamLine]) -> str:
    for team in teams:
        if team.made >= team.needed:
            return t("{colour} has won", colour=team.name)
    if not any(team.begun for team in teams):
        return t("no line is open")
    leaders = (t("{colour} leads", colour=team.name) for team in teams if team.leads)
    return next(leaders, t("no team leads"))


def paint_team(canvas: Canvas, box: Box, team: TeamLine, teams: Sequence[TeamLine]) -> int:
    """Paint a team: its chip and name, and its score in words if there is room. Return the column after it."""
    longest = max(width_of(each.name) for each in teams)
    values = {"made": team.made, "needed": team.needed}
    score = tn("{made} of {needed} sequence", "{made} of {needed} sequences", team.needed, **values)
    if longest + 5 + width_of(score) > box.width:
        score = t("{made} of {needed}", **values)
    block = f" {canvas.glyphs.chips[team.colour]} {team.name}{' ' * (longest - width_of(team.name))} "
    at = canvas.put(box.row, box.column, block, f"fill.{team.colour}") + 1
    leads = team.leads or team.made >= team.needed
    return canvas.put(box.row, at, score, "done" if leads else "own" if team.own else "")


def _best_line(canvas: Canvas, row: int, column: int, team: TeamLine) -> None:
    """Paint the longest line that a team has begun, in words, as a bar and as a number."""
    at = canvas.put(row, column, t("best line"), "dim") + 1
    at = canvas.put(row, at, canvas.glyphs.full * team.begun, f"edge.fill.{team.colour}")
    at = canvas.put(row, at, canvas.glyphs.empty * (team.length - team.begun), "left") + 1
    canvas.put(row, at, f"{team.begun}/{team.length}")


def _heading(canvas: Canvas, row: int, column: int, width: int, move_width: int) -> None:
    move, cards = t("move"), t("cards")
    right = column + width - move_width
    canvas.put(row, column + 6, t("seat"), "label")
    canvas.put(row, right - 1 - width_of(cards), cards, "label")
    canvas.put(row, right, clipped(move, move_width), "label")


def _seat(canvas: Canvas, room: Box, move_width: int, state: TableState, seat: int) -> None:
    """Paint a seat: whose turn it is, number, chip, name, and its cards and last move, or why it is not there."""
    (row, column, width, _), view, company, target = room, state.view, state.company, ("seat", seat)
    turn = view is not None and not state.result and seat == view.to_move
    out, away = view is not None and seat in view.out, _away(state.away_s.get(seat))
    style = "out" if out else "away" if away else "own" if seat in (company.own, company.partner) else ""
    tail = t("out") if out else t("away {clock}", clock=away) if away else ""
    taken = width_of(tail) if tail else 0 if view is None else move_width + 4
    colour, name = company.colour(seat), _name(company, seat, width - 7 - taken, canvas.glyphs)
    canvas.put(row, column, " " * width, "", target)
    canvas.put(row, column, canvas.glyphs.turn if turn else " ", "own", target)
    canvas.put(row, column + 1, f"{seat:>2}", "label", target)
    canvas.put(row, column + 4, canvas.glyphs.chips[colour], f"chip.{colour}", target)
    canvas.put(row, column + 6, name, f"{'turn ' if turn else ''}{style}".strip(), target)
    if tail:
        canvas.put(row, column + width - taken, tail, style, target)
    elif view is not None:
        canvas.put(row, column + width - move_width - 3, f"{view.hand_sizes[seat - 1]:>2}", "", target)
        text, style = _move(view.variant, state, seat, move_width, canvas.glyphs)
        canvas.put(row, column + width - move_width, text, style, target)


def _away(left_s: float | None) -> str:
    """Return for how much longer an absent seat is waited for; … without a limit, nothing for one that is there."""
    if left_s is None:
        return ""
    return clock(left_s) if 0 < left_s < math.inf else "…"


def _name(company: Company, seat: int, room: int, glyphs: Glyphs) -> str:
    """Return the name; for the own seat with a mark, or the mark alone if there is no room for both."""
    name = company.names[seat - 1]
    both = t("{name} (you)", name=name) if seat == company.own else name
    if seat == company.partner and width_of(partner := t("{name} · your partner", name=name)) <= room:
        both = partner
    return t("you") if seat == company.own and width_of(both) > room else clipped(both, room, glyphs.more)


def _move(variant: Variant, state: TableState, seat: int, width: int, glyphs: Glyphs) -> tuple[str, str]:
    """Return the last move of a seat, and its style: that of its square on the board while that is marked."""
    action = state.latest.get(seat)
    if action is None:
        return f"{'-':<{width}}", "label"
    face, made = face_of(variant, action.card), (seat, action)
    named = width == NAMED_MOVE_WIDTH and not face.suit
    label = clipped(face.name, width - 4, glyphs.more) if named else label_of(face, glyphs)
    style = "card.red" if face.is_red else "card.black"
    if made in state.moves:
        style = f"recent.{age_of(len(state.moves) - state.moves.index(made))}"
    return f"{label}{glyphs.dead if action.kind == 'remove' else ' '}{format_square(variant, action.square)}", style
