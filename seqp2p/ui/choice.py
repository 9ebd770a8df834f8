"""A person's choice: unfinished, as keys and clicks change it; and prepared, while others play. Frozen data.

Theory of operation. A choice grows step by step: no card, a card, an action that is staged; every step can be undone
until the action is sent. The possible actions of a card come only from ``view.legal``, so an illegal choice cannot be
staged. All functions here are pure; those that may send return the choice and the action to send, or None.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeAlias

from seqp2p.rules import (
    DRAW,
    NO_SQUARE,
    UNKNOWN,
    Action,
    Card,
    CompletedSequence,
    RulesError,
    SeatNumber,
    Square,
    Team,
    Variant,
    View,
    apply,
    legal_actions,
    nameable_lines,
)
from seqp2p.ui.language import t

NO_SLOT: Final = -1
NAMED_MAX: Final = 3
"""Sequences of one chip that are named at most; more can be typed."""
DIRECTIONS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True, slots=True)
class Choice:
    """``cursor`` NO_SQUARE: not shown. ``slot`` NO_SLOT and ``card`` UNKNOWN: no card is chosen."""

    cursor: Square = NO_SQUARE
    slot: int = NO_SLOT
    """The place of the chosen card in the hand, from 0."""
    card: Card = UNKNOWN
    pinned: bool = False
    """The square came first: the card was chosen because it can go there."""
    staged: Action | None = None
    """The next Enter sends it."""
    ways: tuple[Action, ...] = ()
    """The ways in which what is staged can count its sequences, when there is more than one."""


Step: TypeAlias = tuple[Choice, Action | None]
NO_CHOICE: Final = Choice()


def bare_actions(view: View) -> tuple[Action, ...]:
    """Return the legal actions without a card: pass; draw, end or waive."""
    return tuple(action for action in view.legal if action.card == UNKNOWN)


def actions_of(view: View, card: Card) -> tuple[Action, ...]:
    return () if card == UNKNOWN else tuple(action for action in view.legal if action.card == card)


def targets(view: View, card: Card) -> tuple[Square, ...]:
    return tuple(action.square for action in actions_of(view, card) if action.square != NO_SQUARE)


def special_cards(variant: Variant) -> frozenset[Card]:
    """Return jacks and their like: the cards that go on any square, and those that take a chip."""
    return frozenset((*variant.wild, *variant.removing))


def cards_for(view: View, square: Square) -> tuple[Card, ...]:
    """Return the cards of the hand that can go to a square, jacks and their like last."""
    special = special_cards(view.variant)
    fitting = {action.card for action in view.legal if action.square == square != NO_SQUARE}
    return tuple(sorted(fitting, key=lambda card: (card in special, card)))


def lit(choice: Choice, view: View) -> frozenset[Square]:
    """Return the lit squares: where the chosen card can go; once staged, the sequences that are about to count."""
    if choice.staged is None:
        return frozenset(targets(view, choice.card))
    if len(choice.ways) < 2:
        return frozenset()
    before, after = set(view.sequences), apply(view.position, choice.staged).sequences
    return frozenset(square for made in after if made not in before for square in made.squares)


# What keys do.


def proposed(view: View, action: Action) -> Choice:
    """Return the choice of an action that a hint names: it is staged."""
    slot = view.hand.index(action.card) if action.card in view.hand else NO_SLOT
    return Choice(action.square, slot, action.card, staged=action)


def settled(choice: Choice, view: View) -> Choice:
    """Return the legal part of a choice in another position."""
    if choice.card not in view.hand or choice.card == UNKNOWN:
        choice = Choice(choice.cursor)
    elif not (0 <= choice.slot < len(view.hand) and view.hand[choice.slot] == choice.card):
        choice = replace(choice, slot=view.hand.index(choice.card))
    choice = _onto_target(replace(choice, staged=None, ways=()), view)
    # A draw is what everybody wants, and there may be little time for it.
    return _stage(choice, view, DRAW) if DRAW in view.legal else choice


def moved(choice: Choice, view: View, key: str) -> Choice:
    """Obey an arrow: go to the next lit square in its direction if a card is chosen, else one square on."""
    choice = taken_back(choice) if choice.staged and choice.card != UNKNOWN else choice
    down, right = DIRECTIONS[key]
    if choice.cursor == NO_SQUARE:
        return replace(choice, cursor=_middle(view))
    if lighted := targets(view, choice.card):
        aim = _next_target(view, choice.cursor, lighted, down, right)
        return replace(choice, cursor=choice.cursor if aim is None else aim, pinned=False)
    board = view.variant.board
    row, col = divmod(choice.cursor, board.cols)
    row, col = min(max(row + down, 0), board.rows - 1), min(max(col + right, 0), board.cols - 1)
    return replace(choice, cursor=row * board.cols + col, pinned=False)


def to_edge(choice: Choice, view: View, *, last: bool) -> Choice:
    """Obey Home and End: go to the first or last lit square; without a card, to the ends of the row."""
    choice = taken_back(choice) if choice.staged and choice.card != UNKNOWN else choice
    if lighted := targets(view, choice.card):
        return replace(choice, cursor=lighted[-1] if last else lighted[0], pinned=False)
    cols = view.variant.board.cols
    row = (_middle(view) if choice.cursor == NO_SQUARE else choice.cursor) // cols
    return replace(choice, cursor=row * cols + (cols - 1 if last else 0), pinned=False)


def turned(choice: Choice, view: View, step: int) -> Choice:
    """Obey Tab (``step`` 1) or its reverse (-1): take the next way to count, action without a card, or card."""
    bare = bare_actions(view)
    if choice.staged and len(choice.ways) > 1:
        at = choice.ways.index(choice.staged)
        return replace(choice, staged=choice.ways[(at + step) % len(choice.ways)])
    if len(bare) > 1:
        at = bare.index(choice.staged) if choice.staged in bare else -1
        return _stage(choice, view, bare[(at + step) % len(bare)])
    slots = _slots_for(view, choice.cursor) if choice.pinned else _known_slots(view)
    if not slots:
        return choice
    if choice.slot in slots:
        slot = slots[(slots.index(choice.slot) + step) % len(slots)]
    else:
        slot = slots[0 if step > 0 else -1]
    return _with_card(choice, view, slot, pinned=choice.pinned)


def entered(choice: Choice, view: View, *, asked: bool = True) -> Step:
    """Take the next step of the choice (Enter); a staged action is sent.

    Without a question nothing is staged: an action with a square is prepared at once.
    """
    if choice.staged:
        return Choice(choice.cursor), choice.staged
    if (bare := bare_actions(view)) and asked:
        return _stage(choice, view, bare[0]), None
    if choice.card == UNKNOWN:
        return _for_square(choice, view), None
    for action in actions_of(view, choice.card):
        if asked and action.square in (choice.cursor, NO_SQUARE):
            return _stage(choice, view, action), None
        if action.square == choice.cursor != NO_SQUARE:
            return Choice(choice.cursor), action
    return _onto_target(choice, view), None


def taken_back(choice: Choice) -> Choice:
    """Obey Escape: go one step back."""
    if choice.staged:
        return replace(choice, staged=None, ways=())
    if choice.card != UNKNOWN:
        return Choice(choice.cursor)
    return NO_CHOICE


def named(choice: Choice, view: View, card: Card) -> Choice:
    """Choose a typed card of the hand, and light its squares."""
    return choice if choice.card == card else _with_card(choice, view, view.hand.index(card))


# What clicks do.


def pointed(choice: Choice, view: View, square: Square, *, asked: bool = True) -> Step:
    """Obey a click on a square: stage a lit one, send the staged one, move the cursor to any other."""
    if choice.staged and choice.staged.square == square:
        return entered(choice, view)
    if square in targets(view, choice.card):
        return entered(replace(choice, staged=None, ways=(), cursor=square), view, asked=asked)
    if choice == Choice(square):
        return _for_square(choice, view), None
    return (replace(choice, cursor=square) if choice.card == UNKNOWN else Choice(square)), None


def picked(choice: Choice, view: View, slot: int, *, asked: bool = True) -> Step:
    """Obey a click on a card: choose it; if it was chosen, give it up or exchange it if possible, else put it back."""
    if slot not in _known_slots(view):
        return choice, None
    if slot != choice.slot:
        return _with_card(choice, view, slot), None
    if asked and any(action.square == NO_SQUARE for action in actions_of(view, choice.card)):
        return entered(choice, view)
    return Choice(choice.cursor), None


# The parts.


def _with_card(choice: Choice, view: View, slot: int, *, pinned: bool = False) -> Choice:
    return _onto_target(Choice(choice.cursor, slot, view.hand[slot], pinned), view)


def _for_square(choice: Choice, view: View) -> Choice:
    """Choose a card that can go to the square under the cursor, if there is one."""
    slots = _slots_for(view, choice.cursor)
    return _with_card(choice, view, slots[0], pinned=True) if slots else choice


def _stage(choice: Choice, view: View, action: Action) -> Choice:
    ways = _ways(view, action)
    return replace(choice, staged=ways[0], ways=ways)


def _ways(view: View, action: Action) -> tuple[Action, ...]:
    """Return the action, plus one variant for each other choice of sequences the engine allows."""
    lines = nameable_lines(view.position, action)
    if not lines:
        return (action,)
    found = {apply(view.position, action).sequences: action}
    for count in range(1, NAMED_MAX + 1):
        for ends in combinations(sorted(lines), count):
            named = action._replace(ends=ends)
            try:
                after = apply(view.position, named)
            except RulesError:
                continue  # these do not count beside each other
            found.setdefault(after.sequences, named)
    return tuple(found.values())


def _onto_target(choice: Choice, view: View) -> Choice:
    """Put the cursor on the nearest lit square, if any is lit."""
    lighted = targets(view, choice.card)
    if not lighted or choice.cursor in lighted:
        return choice
    cols = view.variant.board.cols
    row, col = divmod(_middle(view) if choice.cursor == NO_SQUARE else choice.cursor, cols)
    nearest = min(lighted, key=lambda square: abs(square // cols - row) + abs(square % cols - col))
    return replace(choice, cursor=nearest)


def _next_target(view: View, cursor: Square, lighted: tuple[Square, ...], down: int, right: int) -> Square | None:
    """The next lit square in a direction: the nearest row that has any; in a row the next, else the nearest column.

    So every lit square is within reach.
    """
    cols = view.variant.board.cols
    row, col = divmod(cursor, cols)

    def far(square: Square) -> tuple[int, int, int]:
        to_row, to_col = divmod(square, cols)
        if down:
            return 0, (to_row - row) * down, abs(to_col - col)
        return int(to_row != row), (to_col - col) * right, abs(to_row - row)

    return min((square for square in lighted if far(square)[1] > 0), key=far, default=None)


def _known_slots(view: View) -> tuple[int, ...]:
    return tuple(slot for slot, card in enumerate(view.hand) if card != UNKNOWN)


def _slots_for(view: View, square: Square) -> tuple[int, ...]:
    return tuple(view.hand.index(card) for card in cards_for(view, square))


def _middle(view: View) -> Square:
    board = view.variant.board
    return (board.rows - 1) // 2 * board.cols + (board.cols - 1) // 2


@dataclass(frozen=True, slots=True)
class PreparedMove:
    """An action with a square, and all that it depends on: the chip on the square, and every completed sequence."""

    action: Action
    chip: Team
    sequences: tuple[CompletedSequence, ...]

    @classmethod
    def of(cls, seen: View, action: Action) -> "PreparedMove | None":
        """Return the move if it would be legal now in the seat's turn; None for another, and for one without a square.

        ``seen`` is of ``in_own_turn``.
        """
        if action.square == NO_SQUARE or action._replace(ends=()) not in seen.legal:
            return None
        return cls(action, seen.board[action.square], seen.sequences)

    def fault(self, seen: View, shown: str) -> str | None:
        """Return why the move is not sent in this turn; None if it is. ``shown`` is the action for the reader."""
        if seen.board[self.action.square] != self.chip:
            return t("{action} is taken back: its square has changed since", action=shown)
        if seen.sequences != self.sequences:
            return t("{action} is taken back: a sequence has been made or broken since", action=shown)
        if self.action._replace(ends=()) not in seen.legal:
            return t("{action} is taken back: it is no longer possible", action=shown)
        return None


def in_own_turn(seen: View, own: SeatNumber) -> View:
    """Return the view with the actions that the seat would have in its turn."""
    position = seen.position._replace(to_move=own, pending=None, exchanged=0)
    return replace(seen, legal=legal_actions(position))
