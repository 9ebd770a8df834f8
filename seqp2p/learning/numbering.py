"""Numbers for all actions that the engine lists as legal: the same at all tables of a variant.

With S squares and F faces (classic: 100 and 52, kids: 42 and 21), a number is ``part * S + square`` in the parts

    0               a chip on the square, with the card printed on it
    1 … W           a chip on the square, with each of the W wild cards in the order of ``variant.wild``
    W+1 … W+R       a chip taken off the square, with each of the R removing cards in that of ``variant.removing``

and after these ``face`` for a dead card that is exchanged, ``F + face`` for a card given up for talk, and then pass,
draw, end and waive. Numbers of impossible actions (a chip on a corner, a jack exchanged as dead) are unused.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from seqp2p.rules import (
    DRAW,
    END,
    PASS,
    WAIVE,
    Action,
    Position,
    Variant,
    View,
    exchange,
    give,
    legal_actions,
    place,
    remove,
)


def _numbered(variant: Variant) -> Iterator[Action | None]:
    board, faces = variant.board, range(len(variant.faces))
    special = {*variant.wild, *variant.removing}
    squares = [None if square in board.corners else square for square in range(len(board.grid))]
    yield from (None if square is None else place(board.grid[square], square) for square in squares)
    for card in variant.wild:
        yield from (None if square is None else place(card, square) for square in squares)
    for card in variant.removing:
        yield from (None if square is None else remove(card, square) for square in squares)
    yield from (None if card in special else exchange(card) for card in faces)
    yield from (give(card) for card in faces)
    yield from (PASS, DRAW, END, WAIVE)


@cache
def actions_of(variant: Variant) -> tuple[Action | None, ...]:
    """Return the actions by number, None for an unused one."""
    return tuple(_numbered(variant))


@cache
def _numbers(variant: Variant) -> dict[Action, int]:
    return {action: number for number, action in enumerate(actions_of(variant)) if action is not None}


def action_of(variant: Variant, number: int) -> Action:
    """Return the action of this number. Raises ValueError if it is unused.

    >>> from seqp2p.rules import CLASSIC, format_action
    >>> [format_action(CLASSIC, action_of(CLASSIC, number)) for number in (1, 101, 399 - 1, 500, 604)]
    ['2S b1', 'JC b1', 'JH xi10', '2C dead', 'pass']
    """
    actions = actions_of(variant)
    action = actions[number] if 0 <= number < len(actions) else None
    if action is None:
        raise ValueError(f"{number} stands for no action of {variant.title}: choose one that the action mask allows")
    return action


def number_of(variant: Variant, action: Action) -> int:
    """Return the number of an action. Raises ValueError for a call and for an action that names its sequences."""
    try:
        return _numbers(variant)[action]
    except KeyError:
        raise ValueError(f"{action} has no number: no list of legal actions has it in {variant.title}") from None


def legal_numbers(position: Position) -> list[int]:
    """Return the numbers of the legal actions of the seat to move, in the engine's order; none after the end."""
    numbers = _numbers(position.variant)
    return [numbers[action] for action in legal_actions(position)] if position.to_move else []


def action_mask(view: View) -> NDArray[np.int8]:
    """Return by number 1 for an action that is legal now, else 0 (int8); all 0 when the seat is not to move."""
    numbers = _numbers(view.variant)
    mask = np.zeros(len(actions_of(view.variant)), np.int8)
    mask[[numbers[action] for action in view.legal]] = 1
    return mask
