"""The table as plain lines of text: what a view shows, line by line, nothing repainted."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from seqp2p.rules import UNKNOWN, Action, Card, Variant, View, format_action, format_card, format_square

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
CELL_WIDTH = 4
CORNER_CELL = "**"


def board_lines(view: View, colours: Sequence[str]) -> list[str]:
    """The board, a line a row, with column letters and row numbers.

    A free square shows its card, ``[B]`` a chip of the blue team, ``<B>`` one in a completed sequence.
    """
    board = view.variant.board
    in_sequence = {square for sequence in view.sequences for square in sequence.squares}
    letters = "".join(f"{format_square(view.variant, column)[0]:^{CELL_WIDTH}}" for column in range(board.cols))
    lines = ["    " + letters.rstrip()]
    for row in range(board.rows):
        cells: list[str] = []
        for square in range(row * board.cols, (row + 1) * board.cols):
            team = view.board[square]
            card = board.grid[square]
            if card == UNKNOWN:
                text = CORNER_CELL
            elif team:
                letter = colours[team - 1][0].upper()
                text = f"<{letter}>" if square in in_sequence else f"[{letter}]"
            else:
                text = CODES.get(view.variant.faces[card], view.variant.faces[card])
            cells.append(f"{text:^{CELL_WIDTH}}")
        lines.append(f"{row + 1:>3} " + "".join(cells).rstrip())
    return lines


def hand_line(view: View) -> str:
    """The seat's own hand."""
    return "your hand: " + " ".join(format_card(view.variant, card) for card in view.hand)


def score_line(view: View, colours: Sequence[str]) -> str:
    """Sequences by team, the pile, and the top of every discard pile."""
    made = [sum(1 for sequence in view.sequences if sequence.team == team) for team in range(1, view.teams + 1)]
    teams = ", ".join(f"{colour} {count}" for colour, count in zip(colours, made, strict=True))
    tops = " ".join(_top(view.variant, pile) for pile in view.discards)
    return f"sequences: {teams}   pile: {view.pile}   discards by seat: {tops}"


def legal_lines(view: View) -> list[str]:
    """Every legal action, those of one card on a line; a wild card's many squares are counted, not listed."""
    by_card: dict[Card, list[Action]] = {}
    for action in view.legal:
        by_card.setdefault(action.card, []).append(action)
    return [_legal_line(view, card, actions) for card, actions in by_card.items()]


def help_line(view: View) -> str:
    """What can be typed, with this game's own cards for examples."""
    variant = view.variant
    card, square = variant.board.grid[1], format_square(variant, 1)
    place, taker = format_card(variant, card), format_card(variant, variant.removing[-1])
    by_hand = ", draw, end" if view.options.manual_draw else ""
    by_hand += "" if view.options.table_talk else ", call 2 (calls what seat 2 said)"
    return (
        f"type an action: {place} {square} (card and square), {taker} x{square} (take a chip), "
        f"{place} dead (exchange), pass{by_hand}; "
        "board, hand, moves, say TEXT, help or leave"
    )


def _legal_line(view: View, card: Card, actions: Sequence[Action]) -> str:
    if card in view.variant.wild:
        example = format_action(view.variant, actions[0])
        return f"  {format_card(view.variant, card)} on any of {len(actions)} free squares, like: {example}"
    return "  " + ", ".join(format_action(view.variant, action) for action in actions)


def _top(variant: Variant, pile: Sequence[Card]) -> str:
    return format_card(variant, pile[-1]) if pile else "-"
