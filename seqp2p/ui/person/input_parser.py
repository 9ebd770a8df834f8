"""What people type, read kindly: one spelling of every word, card and square, whatever the case."""

import re
from collections.abc import Iterator
from typing import Final

from seqp2p.rules import Action, Card, NotationError, Variant, View, give, parse_action, parse_card
from seqp2p.ui.cards import read_face
from seqp2p.ui.person.command_words import ACTION_WORDS

# Around an action and in it, what says nothing.
_MARKS: Final = " .,;:!"
_CARD: Final = r"(?P<card>10[cdhs]|[2-9tjqka][cdhs]|[^\W\d_]+?)"
_SQUARE: Final = r"(?P<square>x?[a-j](?:10|[1-9]))"
_BETWEEN: Final = r"[\s,;:/>–—-]*"
_LOOSE: Final = (
    re.compile(rf"{_CARD}{_BETWEEN}{_SQUARE}(?P<rest>(?: .*)?)"),
    re.compile(rf"{_SQUARE}{_BETWEEN}{_CARD}(?P<rest>)"),
)
_CLASSIC_CARD: Final = re.compile(r"(10|[2-9tjqka])([cdhs])", re.ASCII)


def one_line(typed: str) -> str:
    """The words of a typed line, single spaces between them."""
    return " ".join(typed.split())


def card_text(text: str) -> str:
    """A card as the notation writes it; a text that is no card stays as it is, in small letters.

    >>> card_text("qh"), card_text("10C"), card_text("Cat"), card_text("CA"), card_text("pass")
    ('QH', 'TC', 'cat', 'cat', 'pass')
    """
    small = text.lower()
    if found := _CLASSIC_CARD.fullmatch(small):
        return found[1].replace("10", "T").upper() + found[2].upper()
    return read_face(small)


def tidied(line: str) -> str:
    """What people type for an action, in its one form.

    >>> tidied("qh E5"), tidied("js XD7"), tidied("9c Dead"), tidied("PASS"), tidied("give 4c"), tidied("10h a1")
    ('QH e5', 'JS xd7', '9C dead', 'pass', '4C given', 'TH a1')
    """
    first, *rest = map(ACTION_WORDS.word_of, line.split(" "))
    if first == "give" and len(rest) == 1:
        return f"{card_text(rest[0])} given"
    return " ".join([card_text(first), *rest])


def read_card(variant: Variant, text: str) -> Card | None:
    """The card that a word names, or None."""
    try:
        return parse_card(variant, card_text(text))
    except NotationError:
        return None


def readings(line: str) -> Iterator[str]:
    """A line as people type it, then what else it can only be, if it is an action at all.

    >>> [[*readings(line)][-1] for line in ("qhe5", "QH-e5", "e5 QH", "Qh E5.", "jsxd7", "cat,b3")]
    ['QH e5', 'QH e5', 'QH e5', 'QH e5', 'JS xd7', 'cat b3']
    """
    yield tidied(line)
    bare = line.lower().strip(_MARKS)
    yield tidied(bare)
    for form in _LOOSE:
        if found := form.fullmatch(bare):
            yield tidied(f"{found['card']} {found['square']}{found['rest']}")


def read_action(view: View, line: str) -> Action:
    """The action that a line means to the seat that is asked; raises NotationError with what is wrong with it."""
    if view.phase == "penalty" and (card := read_card(view.variant, line)) is not None:
        return give(card)
    fault: NotationError | None = None
    for reading in readings(line):
        try:
            return parse_action(view.variant, reading)
        except NotationError as error:
            fault = fault or error
    assert fault is not None, "there is at least one reading"
    raise fault
