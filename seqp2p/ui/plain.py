"""The table as plain lines of text: what a view shows, line by line, nothing repainted."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from seqp2p.rules import UNKNOWN, Action, Card, Square, Team, Variant, View, format_action, format_card, format_square
from seqp2p.ui.words import Company

# Cards of the kids' game on a narrow board; the classic game's names have two letters already.
CODES: Mapping[str, str] = MappingProxyType(
    {
        "alligator": "AL",
        "bear": "BE",
        "cat": "CA",
        "duck": "DU",
        "elephant": "EL",
        "frog": "FR",
        "giraffe": "GI",
        "horse": "HO",
        "kangaroo": "KA",
        "lion": "LI",
        "monkey": "MO",
        "owl": "OW",
        "penguin": "PE",
        "rabbit": "RA",
        "sheep": "SH",
        "turtle": "TU",
        "whale": "WH",
        "yak": "YA",
        "zebra": "ZE",
    }
)
FREE: Team = 0
CELL_WIDTH = 4
CORNER_CELL = "**"
CODES_A_LINE = 5


def board_lines(view: View, colours: Sequence[str], last: Action | None = None) -> list[str]:
    """The board, a line a row, with column letters and row numbers; ``legend_lines`` says how to read it."""
    board = view.variant.board
    letters = "".join(f"{format_square(view.variant, column)[0]:^{CELL_WIDTH}}" for column in range(board.cols))
    lines = ["    " + letters.rstrip()]
    for row in range(board.rows):
        squares = range(row * board.cols, (row + 1) * board.cols)
        cells = "".join(f"{_cell(view, square, colours, last):^{CELL_WIDTH}}" for square in squares)
        lines.append(f"{row + 1:>3} " + cells.rstrip())
    return lines


def _cell(view: View, square: Square, colours: Sequence[str], last: Action | None) -> str:
    team, card = view.board[square], view.variant.board.grid[square]
    if card == UNKNOWN:
        return CORNER_CELL
    is_last = last is not None and last.square == square
    if team == FREE:
        text = CODES.get(view.variant.faces[card], view.variant.faces[card])
        return f"<{text}>" if is_last else text
    letter = colours[team - 1][0].upper()
    if is_last:
        return f"<{letter}>"
    made = any(square in sequence.squares for sequence in view.sequences)
    return f"[{letter}]" if made else f"({letter})"


def legend_lines(variant: Variant, colours: Sequence[str]) -> list[str]:
    """How to read the board."""
    letters = ", ".join(f"({colour[0].upper()}) {colour}" for colour in colours)
    letter = colours[0][0].upper()
    lines = [
        f"on the board:  {letters} chips    {CORNER_CELL} a free corner",
        f"               [{letter}] in a completed sequence    <{letter}> the last move",
    ]
    codes = [f"{CODES[face]} {face}" for face in variant.faces if face in CODES]
    parts = [codes[at : at + CODES_A_LINE] for at in range(0, len(codes), CODES_A_LINE)]
    return lines + [f"{'' if at else 'cards:':<15}{', '.join(part)}" for at, part in enumerate(parts)]


def hand_line(view: View) -> str:
    """The seat's own hand. A card that is still being drawn is not there yet."""
    cards = [format_card(view.variant, card) for card in view.hand if card != UNKNOWN]
    return "your hand: " + (" ".join(cards) or "no card")


def score_line(view: View, colours: Sequence[str]) -> str:
    """Sequences by team, the pile, and the top of every discard pile."""
    made = sequences_made(view)
    teams = ", ".join(f"{colour} {count}" for colour, count in zip(colours, made, strict=True))
    tops = " ".join(_top(view.variant, pile) for pile in view.discards)
    return f"sequences: {teams}   pile: {view.pile}   discards by seat: {tops}"


def sequences_made(view: View) -> tuple[int, ...]:
    """How many sequences each team has, in team order."""
    return tuple(sum(1 for made in view.sequences if made.team == team) for team in range(1, view.teams + 1))


def legal_lines(view: View) -> list[str]:
    """Every legal action, those of one card on a line; a wild card's many squares are counted, not listed."""
    by_card: dict[Card, list[Action]] = {}
    for action in view.legal:
        by_card.setdefault(action.card, []).append(action)
    return [_legal_line(view, card, actions) for card, actions in by_card.items()]


def where_lines(view: View, card: Card, colours: Sequence[str]) -> list[str]:
    """Where a card can go, and what lies there."""
    variant, name = view.variant, format_card(view.variant, card)
    if card in variant.wild:
        return [f"{name} puts a chip on any free square"]
    if card in variant.removing:
        return [f"{name} takes an opponent's chip off its square, which is free again"]
    squares = [square for square, printed in enumerate(variant.board.grid) if printed == card]
    lies = ", ".join(f"{format_square(variant, at)} {_lies(view, at, colours)}" for at in squares)
    dead = "" if any(view.board[at] == FREE for at in squares) else f"; it is dead, and {name} dead exchanges it"
    return [f"{name}: {lies}{dead}"]


def seats_lines(view: View, company: Company) -> list[str]:
    """Every seat with its team's colour, the number of its cards and the top of its discards."""
    lines: list[str] = []
    for seat, (size, pile) in enumerate(zip(view.hand_sizes, view.discards, strict=True), 1):
        turn = "   to play" if seat == view.mover else ""
        you = " (you)" if seat == company.own else ""
        cards = "1 card" if size == 1 else f"{size} cards"
        name = f"seat {seat}  {company.names[seat - 1]}{you}"
        lines.append(f"{name}  {company.colour(seat)}  {cards}  discarded {_top(view.variant, pile)}{turn}")
    return lines


def help_lines(view: View) -> list[str]:
    """What can be typed, with this game's own cards for examples."""
    variant = view.variant
    card, square = variant.board.grid[1], format_square(variant, 1)
    place, taker = format_card(variant, card), format_card(variant, variant.removing[-1])
    wild = format_card(variant, variant.wild[-1])
    lines = [
        f"in your turn:  {place} {square}  a card and a square",
        f"               {wild} {square}  any free square    {taker} x{square}  take a chip",
        f"               {place} dead  exchange a dead card    pass",
    ]
    if view.options.manual_draw:
        lines.append("               after your card: draw, or end (your turn, without a new card)")
    if not view.options.table_talk and view.teams < view.players:
        other = view.seat % view.players + 1
        lines.append(f"               before your card: call {other}  for what seat {other} said; its team pays")
    lines.append(f"at any time:   hand, board, moves, where {place}, seats, log,")
    lines.append("               words (safety words), say TEXT, help, leave")
    return lines


def _lies(view: View, square: Square, colours: Sequence[str]) -> str:
    team = view.board[square]
    return "free" if team == FREE else colours[team - 1]


def _legal_line(view: View, card: Card, actions: Sequence[Action]) -> str:
    if card in view.variant.wild and len(actions) > 1:
        example = format_action(view.variant, actions[0])
        return f"  {format_card(view.variant, card)} on any of {len(actions)} free squares, like: {example}"
    return "  " + ", ".join(format_action(view.variant, action) for action in actions)


def _top(variant: Variant, pile: Sequence[Card]) -> str:
    return format_card(variant, pile[-1]) if pile else "-"
