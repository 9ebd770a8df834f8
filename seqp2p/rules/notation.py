"""The text form of cards, squares and actions: one text for each value, and one value for each text.

    place     QH e5        JC d7       cat b3      unicorn e5
    remove    JS xd7                   dragon xd4
    exchange  9C dead                  cat dead
    pass      pass
    draw      draw         end         waive              manual draw only
    call      call 3                                      the talk of a seat
    give      QH given

A square is a column letter and a row number, a1 being the first cell of the printed grid. If a chip completes more
lines than can count, the action may name the lines by their two end squares in reading order, several in ascending
order: ``QH e5 a5-e5``, ``JC e5 e1-e5 a5-e5``.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from seqp2p.arguments import check_arguments
from seqp2p.i18n import all_of, message
from seqp2p.rules.actions import ACTION_ROWS, Action, ActionKind, Ends, NotationError, RulesError, call
from seqp2p.rules.variant import KNOWN_VARIANTS, UNKNOWN, VARIANTS, Card, Square, Variant

UNKNOWN_CARD: Final = "?"
_SQUARE: Final = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
_SEAT: Final = re.compile(r"[1-9][0-9]?", re.ASCII)
_BARE: Final[dict[str, Action]] = {row.text: Action(kind) for kind, row in ACTION_ROWS.items() if "{" not in row.text}
"""The actions without a card, a square or a seat, by their text."""
_AFTER_CARD: Final[dict[str, ActionKind]] = {
    row.text.removeprefix("{card} "): kind
    for kind, row in ACTION_ROWS.items()
    if row.text.count("{") == 1 and row.shows == "card"
}
"""The actions of a card alone, by the word after the card."""
_TEXT_MAX: Final = 100


@check_arguments
def parse_card(variant: Variant, text: str) -> Card:
    """Return the card with this name. Raises NotationError.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> format_card(CLASSIC, parse_card(CLASSIC, "TD"))
    'TD'
    >>> parse_card(KIDS, "cat")
    2
    >>> parse_card(CLASSIC, "10D")
    Traceback (most recent call last):
    seqp2p.rules.actions.NotationError: '10D' is not a card of Sequence: cards are written like JD
    """
    try:
        return variant.faces.index(text)
    except ValueError:
        raise no_card(variant, text) from None


def no_card(variant: Variant, text: str) -> NotationError:
    values = {"text": text[:_TEXT_MAX], "game": variant.title, "example": variant.faces[variant.wild[-1]]}
    return NotationError(message("{text!r} is not a card of {game}: cards are written like {example}", **values))


def parse_known(variant: Variant, text: str) -> Card:
    """Return the card with this name, UNKNOWN for ``?``. Raises NotationError."""
    return UNKNOWN if text == UNKNOWN_CARD else parse_card(variant, text)


@check_arguments
def format_card(variant: Variant, card: Card) -> str:
    """Return the name of a card, ``?`` for an unknown one. Raises RulesError for a number that is no card.

    >>> from seqp2p.rules import CLASSIC, UNKNOWN
    >>> format_card(CLASSIC, 0), format_card(CLASSIC, UNKNOWN)
    ('2C', '?')
    """
    if not UNKNOWN <= card < len(variant.faces):
        raise RulesError(message("there is no card number {card} in {game}", card=card, game=variant.title))
    return UNKNOWN_CARD if card == UNKNOWN else variant.faces[card]


def variant_named(name: str) -> Variant:
    """Return the variant of this name. Raises NotationError."""
    if name not in KNOWN_VARIANTS:
        values = {"name": name[:_TEXT_MAX], "variants": all_of(VARIANTS)}
        raise NotationError(message("{name!r} is not a variant: there are {variants}", **values))
    return KNOWN_VARIANTS[name]


@check_arguments
def parse_square(variant: Variant, text: str) -> Square:
    """Return the square with this name, free corners included. Raises NotationError.

    >>> from seqp2p.rules import CLASSIC
    >>> parse_square(CLASSIC, "a1"), parse_square(CLASSIC, "e5"), parse_square(CLASSIC, "j10")
    (0, 44, 99)
    >>> parse_square(CLASSIC, "k1")
    Traceback (most recent call last):
    seqp2p.rules.actions.NotationError: 'k1' is not a square: squares go from a1 to j10
    """
    match = _SQUARE.fullmatch(text)
    board = variant.board
    if match:
        col, row = ord(match[1]) - ord("a"), int(match[2]) - 1
        if col < board.cols and row < board.rows:
            return row * board.cols + col
    last = format_square(variant, len(board.grid) - 1)
    why = message("{text!r} is not a square: squares go from a1 to {last}", text=text[:_TEXT_MAX], last=last)
    raise NotationError(why)


@check_arguments
def format_square(variant: Variant, square: Square) -> str:
    """Return the name of a square. Raises RulesError for a number that is no square.

    >>> from seqp2p.rules import CLASSIC
    >>> format_square(CLASSIC, 44)
    'e5'
    """
    if not 0 <= square < len(variant.board.grid):
        raise RulesError(message("there is no square number {square} on the board", square=square))
    row, col = divmod(square, variant.board.cols)
    return f"{chr(ord('a') + col)}{row + 1}"


@check_arguments
def parse_ends(variant: Variant, text: str) -> Ends:
    """Return the two ends of a line of sequence length. Raises NotationError.

    >>> from seqp2p.rules import CLASSIC
    >>> parse_ends(CLASSIC, "e1-a5")
    (4, 40)
    >>> parse_ends(CLASSIC, "e5-a5")
    Traceback (most recent call last):
    seqp2p.rules.actions.NotationError: 'e5-a5' does not name a line of 5 squares by its two ends, in order
    """
    first, _, last = text.partition("-")
    pair = parse_square(variant, first), parse_square(variant, last)
    if pair not in [(line[0], line[-1]) for line in variant.board.lines]:
        raise NotationError(
            message(
                "{text!r} does not name a line of {line_length} squares by its two ends, in order",
                text=text,
                line_length=variant.line_length,
            )
        )
    return pair


@check_arguments
def format_ends(variant: Variant, ends: Ends) -> str:
    """Return the text of a line, by its two ends.

    >>> from seqp2p.rules import CLASSIC
    >>> format_ends(CLASSIC, (4, 40))
    'e1-a5'
    """
    return f"{format_square(variant, ends[0])}-{format_square(variant, ends[1])}"


@lru_cache(maxsize=16)
def action_class(variant: Variant) -> type[Action]:
    """Return the class of the actions of a variant, which print as their text."""

    class VariantAction(Action):
        __slots__ = ()

        def __str__(self) -> str:
            return format_action(variant, self)

        def __reduce__(self) -> tuple[Callable[..., Action], tuple[object, ...]]:
            return _action, (variant, *self)

    VariantAction.__name__ = Action.__name__
    return VariantAction


def _action(variant: Variant, *parts: Any) -> Action:
    """Return an action of a variant again that was pickled."""
    return action_class(variant)(*parts)


@check_arguments
def parse_action(variant: Variant, text: str) -> Action:
    """Return the action with this text; ``apply`` judges if it is legal. Raises NotationError.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> parse_action(CLASSIC, "QH e5").kind, parse_action(CLASSIC, "JS xd7").kind, parse_action(KIDS, "cat dead").kind
    ('place', 'remove', 'exchange')
    >>> format_action(CLASSIC, parse_action(CLASSIC, "JC e5 a5-e5 e1-e5"))
    Traceback (most recent call last):
    seqp2p.rules.actions.NotationError: 'JC e5 a5-e5 e1-e5' names its lines out of order: write 'JC e5 e1-e5 a5-e5'
    """
    if len(text) > _TEXT_MAX:
        raise NotationError(message("{text!r}… is too long for an action", text=text[:20]))
    words = text.split(" ")
    if text in _BARE:
        return _BARE[text]
    if len(words) < 2:
        raise NotationError(message("{text!r} is not an action: write a card and a square, or 'pass'", text=text))
    if words[0] == "call":
        seat = text.removeprefix("call ")
        if not _SEAT.fullmatch(seat):
            raise NotationError(message("{text!r} does not call a seat: write for instance 'call 3'", text=text))
        return call(int(seat))
    action_of = action_class(variant)
    card, where, names = parse_card(variant, words[0]), words[1], words[2:]
    if where in _AFTER_CARD and not names:
        return action_of(_AFTER_CARD[where], card)
    if where.startswith("x") and not names:
        return action_of("remove", card, parse_square(variant, where[1:]))
    square = parse_square(variant, where)
    ends = tuple(parse_ends(variant, name) for name in names)
    action = action_of("place", card, square, tuple(sorted(set(ends))))
    if action.ends != ends:
        right = format_action(variant, action)
        raise NotationError(message("{text!r} names its lines out of order: write {right!r}", text=text, right=right))
    return action


@check_arguments
def format_action(variant: Variant, action: Action) -> str:
    """Return the text of an action.

    >>> from seqp2p.rules import CLASSIC, DRAW, END, WAIVE, call, give
    >>> [format_action(CLASSIC, parse_action(CLASSIC, text)) for text in ("TD h6", "JS xd7", "9C dead", "pass")]
    ['TD h6', 'JS xd7', '9C dead', 'pass']
    >>> [format_action(CLASSIC, action) for action in (DRAW, END, WAIVE, call(3), give(0))]
    ['draw', 'end', 'waive', 'call 3', '2C given']
    """
    text = ACTION_ROWS[action.kind].text
    if "{" not in text:
        return text
    card = format_card(variant, action.card)
    square = format_square(variant, action.square) if "{square}" in text else ""
    parts = text.format(card=card, square=square, seat=action.seat)
    return " ".join([parts, *(format_ends(variant, pair) for pair in action.ends)])
