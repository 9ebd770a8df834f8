"""The table screen in words: the turn, the question to a person, and the meaning of the chosen card or square.

Sentences about the rules come from the view: its legal actions and its board.
"""

from functools import partial
from typing import Final

from seqp2p.rules import NO_SQUARE, UNKNOWN, Action, Card, View, apply, format_ends, format_square
from seqp2p.ui.board_model import face_of
from seqp2p.ui.board_paint import label_of
from seqp2p.ui.cards import action_shown, is_jack
from seqp2p.ui.choice import Choice, actions_of, bare_actions, cards_for, targets
from seqp2p.ui.language import t, tn
from seqp2p.ui.plain import FREE
from seqp2p.ui.spoken_board import square_text
from seqp2p.ui.styles import Glyphs
from seqp2p.ui.words import Company, listed

NO_CARD: Final = ("draw", "late")
"""The phases in which no card is played."""


def card_label(view: View, card: Card, glyphs: Glyphs) -> str:
    """A card in a sentence: ``Q♥``, ``cat``."""
    face = face_of(view.variant, card)
    return label_of(face, glyphs) if face.suit else face.name


def is_dead(view: View, card: Card) -> bool:
    """Return True if a card has squares, and all of them have chips."""
    squares = [square for square, printed in enumerate(view.variant.board.grid) if printed == card != UNKNOWN]
    return bool(squares) and all(view.board[square] != FREE for square in squares)


def whose_turn(view: View | None, company: Company) -> str:
    """Whose turn it is, or what else is waited for."""
    if view is None:
        return t("the cards are not dealt yet")
    if view.over:
        return t("the game is over")
    seat, own = view.to_move, view.to_move == company.own
    name = company.names[seat - 1]
    if view.phase == "play":
        return t("your turn") if own else t("{name}'s turn", name=name)
    if view.phase == "draw":
        return t("you draw") if own else t("{name} draws", name=name)
    if view.phase == "late":
        return t("you may still draw") if own else t("{name} may still draw", name=name)
    return t("you give up a card") if own else t("{name} gives up a card", name=name)


def prompt(view: View | None, company: Company, choice: Choice, *, asked: bool, sent: Action | None) -> str:
    """Return the present task of the person."""
    if view is None or view.over:
        return ""
    if not company.own:
        return t("you are watching: no hand is shown")
    if sent:
        return t("{action} is sent; one moment", action=action_shown(view.variant, sent))
    if not asked:
        return t("not your turn; you can look where your cards go")
    if choice.staged:
        return t("{action}: Enter sends it, Esc takes it back", action=action_shown(view.variant, choice.staged))
    return _question(view, choice)


def _question(view: View, choice: Choice) -> str:
    if view.phase in NO_CARD:
        return t("draw your new card: Enter; Tab to do without")
    if view.phase == "penalty":
        return t("your team's talk was called: choose a card to give up")
    if bare_actions(view):
        return t("nothing of your hand can be played: Enter passes")
    if targets(view, choice.card):
        return t("choose a lit square with the arrows, then Enter")
    return t("choose a card (Tab), or type an action")


def explanation(view: View, company: Company, choice: Choice, glyphs: Glyphs, *, asked: bool) -> tuple[str, ...]:
    """Explain the choice: the sequences it makes, its card, the square under the cursor."""
    if len(choice.ways) > 1 and choice.staged:
        return (_counting(view, choice.staged),)
    if asked and view.phase in NO_CARD:
        return ()
    said = () if choice.card == UNKNOWN else (_of_card(view, choice.card, glyphs, asked=asked),)
    goes_anywhere = choice.card in (*view.variant.wild, *view.variant.removing) and targets(view, choice.card)
    if choice.cursor == NO_SQUARE or (said and not goes_anywhere):
        return said
    return (*said, _of_square(view, company, choice, glyphs))


def _counting(view: View, action: Action) -> str:
    made = [each for each in apply(view.position, action).sequences if each not in view.sequences]
    lines = listed([format_ends(view.variant, (each.squares[0], each.squares[-1])) for each in made])
    return t("this chip completes more than can count; now {lines} counts, Tab takes another", lines=lines)


def _of_card(view: View, card: Card, glyphs: Glyphs, *, asked: bool) -> str:
    name = card_label(view, card, glyphs)
    if view.phase == "penalty" and asked:
        return t("{card} goes on your discards, and you get no new card for it", card=name)
    if card in view.variant.wild:
        return _of_wild_card(view, card, name)
    if card in view.variant.removing:
        return _of_removing_card(view, card, name)
    if is_dead(view, card):
        return _of_dead_card(view, card, name, asked=asked)
    return _of_plain_card(view, card, name)


def _of_wild_card(view: View, card: Card, name: str) -> str:
    if not targets(view, card):
        return t("{card} goes on any free square, but no square is free", card=name)
    if is_jack(view.variant, card):
        return t("{card}, a two-eyed jack, goes on any free square", card=name)
    return t("{card} goes on any free square", card=name)


def _of_removing_card(view: View, card: Card, name: str) -> str:
    if not targets(view, card):
        return t("{card} takes an opponent's chip, but no opponent's chip can be taken now", card=name)
    if is_jack(view.variant, card):
        return t("{card}, a one-eyed jack, takes an opponent's lit chip", card=name)
    return t("{card} takes an opponent's lit chip", card=name)


def _of_dead_card(view: View, card: Card, name: str, *, asked: bool) -> str:
    if not asked:
        return t("{card} is dead: all its squares are taken; you can exchange it in your turn", card=name)
    if actions_of(view, card):
        return t("{card} is dead: all its squares are taken; Enter exchanges it", card=name)
    return t("{card} is dead: all its squares are taken, and no more can be exchanged in this turn", card=name)


def _of_plain_card(view: View, card: Card, name: str) -> str:
    squares = [square for square, printed in enumerate(view.variant.board.grid) if printed == card]
    free = [format_square(view.variant, square) for square in squares if view.board[square] == FREE]
    taken = [format_square(view.variant, square) for square in squares if view.board[square] != FREE]
    if taken:
        return tn(
            "{card} goes on {squares}; {taken} is taken",
            "{card} goes on {squares}; {taken} are taken",
            len(taken),
            card=name,
            squares=listed(free),
            taken=listed(taken),
        )
    return t("{card} goes on {squares}", card=name, squares=listed(free))


def _of_square(view: View, company: Company, choice: Choice, glyphs: Glyphs) -> str:
    fitting = cards_for(view, choice.cursor)
    asks = choice.card == UNKNOWN and (fitting or view.hand)
    labels = partial(card_label, view, glyphs=glyphs)
    return square_text(view, choice.cursor, company.colours, labels, fitting if asks else None)
