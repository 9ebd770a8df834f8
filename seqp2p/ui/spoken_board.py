"""The board in sentences, for those who hear it: a row, a column or a square by itself."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from seqp2p.rules import CORNER, Action, Card, NotationError, Square, Variant, View, format_square, parse_square
from seqp2p.ui.cards import card_name, card_shown, colour_name, is_named
from seqp2p.ui.choice import cards_for
from seqp2p.ui.language import t
from seqp2p.ui.plain import FREE
from seqp2p.ui.words import listed

Label: TypeAlias = Callable[[Card], str]
"""Names a card in a sentence."""


def part_lines(view: View, text: str, colours: Sequence[str], last: Action | None = None) -> list[str]:
    """The part of the board that a text names: ``5`` a row, ``e`` a column, ``e5`` a square; nothing if it names none.

    ``last`` is the last chip that was placed or taken.
    """
    variant, name = view.variant, text.lower()
    board = variant.board
    if (square := read_square(variant, name)) is not None:
        return [square_line(view, square, colours)]
    if (first := read_square(variant, f"a{name}")) is not None:
        squares = range(first, first + board.cols)
        told = [_told(view, square, format_square(variant, square)[0], colours, last) for square in squares]
        return [t("row {row}: {squares}", row=name, squares=", ".join(told))]
    if len(name) == 1 and (first := read_square(variant, f"{name}1")) is not None:
        squares = range(first, board.rows * board.cols, board.cols)
        told = [_told(view, square, format_square(variant, square), colours, last) for square in squares]
        return [t("column {column}: {squares}", column=name, squares=", ".join(told))]
    return []


def read_square(variant: Variant, text: str) -> Square | None:
    """The square that a text names, or None.

    >>> from seqp2p.rules import CLASSIC
    >>> read_square(CLASSIC, "E5"), read_square(CLASSIC, "k1")
    (44, None)
    """
    try:
        return parse_square(variant, text.lower())
    except NotationError:
        return None


def square_line(view: View, square: Square, colours: Sequence[str]) -> str:
    """Return a sentence on a square, and the cards of the hand that can go there now."""
    fitting = cards_for(view, square) if view.legal else None
    return square_text(view, square, colours, lambda card: long_name(view.variant, card), fitting)


def long_name(variant: Variant, card: Card) -> str:
    """Return a card as it is written, with its full name if this differs."""
    code = card_shown(variant, card)
    if is_named(variant, card):
        return code
    return t("{card} ({name})", card=code, name=card_name(variant, card))


def square_text(
    view: View, square: Square, colours: Sequence[str], label: Label, fitting: Sequence[Card] | None
) -> str:
    """The same with these ``fitting`` cards; None where there is nothing to say of the hand."""
    where, team = format_square(view.variant, square), view.board[square]
    if team == CORNER:
        return t("{square} is a free corner: it counts for everybody", square=where)
    card = label(view.variant.board.grid[square])
    if team != FREE:
        colour = colour_name(colours[team - 1])
        if _in_sequence(view, square):
            return t(
                "{square} is {card}: a {colour} chip in a completed sequence", square=where, card=card, colour=colour
            )
        return t("{square} is {card}: a {colour} chip", square=where, card=card, colour=colour)
    if fitting:
        cards = listed([label(each) for each in fitting])
        return t("{square} is {card}, free; it takes your {cards}", square=where, card=card, cards=cards)
    if fitting is not None:
        return t("{square} is {card}, free; no card of your hand goes there", square=where, card=card)
    return t("{square} is {card}, free", square=where, card=card)


def _told(view: View, square: Square, at: str, colours: Sequence[str], last: Action | None) -> str:
    team = view.board[square]
    if team == CORNER:
        text = t("{square} free corner", square=at)
    elif team == FREE:
        text = t("{square} {card}", square=at, card=card_shown(view.variant, view.variant.board.grid[square]))
    elif _in_sequence(view, square):
        text = t("{square} {colour} in a sequence", square=at, colour=colour_name(colours[team - 1]))
    else:
        text = t("{square} {colour}", square=at, colour=colour_name(colours[team - 1]))
    return t("{square} (last move)", square=text) if last is not None and last.square == square else text


def _in_sequence(view: View, square: Square) -> bool:
    return any(square in sequence.squares for sequence in view.sequences)
