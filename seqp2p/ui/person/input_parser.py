"""A lenient parser of typed lines: one spelling of every word, card and square, in any case."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from seqp2p.i18n import message_of
from seqp2p.match.text import cleaned
from seqp2p.rules import END, WAIVE, Action, Card, NotationError, Variant, View, give, parse_action, parse_card
from seqp2p.ui.cards import action_shown, card_shown, faces_shown, spellings
from seqp2p.ui.language import current, t, translate, without_accents
from seqp2p.ui.person.command_words import ACTION_WORDS, shown

# Around an action and in it, what says nothing.
_MARKS: Final = " .,;:!"
_BETWEEN: Final = r"[\s,;:/>–—-]*"


def one_line(typed: str) -> str:
    """Return the words of a typed line with single spaces between them."""
    return " ".join(typed.split())


def card_text(variant: Variant, text: str) -> str:
    """Return a card in the notation; any other text unchanged, in small letters.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> [card_text(CLASSIC, text) for text in ("qh", "10C", "Pass")], [card_text(KIDS, text) for text in ("Cat", "CA")]
    (['QH', 'TC', 'pass'], ['cat', 'cat'])
    """
    small = text.lower()
    card = spellings(current(), variant).get(without_accents(small))
    return small if card is None else variant.faces[card]


def tidied(variant: Variant, line: str) -> str:
    """An action as people type it, in its one form.

    >>> from seqp2p.rules import CLASSIC
    >>> [tidied(CLASSIC, line) for line in ("qh E5", "js XD7", "9c Dead", "PASS", "give 4c", "10h a1")]
    ['QH e5', 'JS xd7', '9C dead', 'pass', '4C given', 'TH a1']
    """
    first, *rest = map(ACTION_WORDS.word_of, line.split(" "))
    if first == "give" and len(rest) == 1:
        return f"{card_text(variant, rest[0])} given"
    return " ".join([card_text(variant, first), *rest])


def read_card(variant: Variant, text: str) -> Card | None:
    try:
        return parse_card(variant, card_text(variant, text))
    except NotationError:
        return None


def readings(variant: Variant, line: str) -> Iterator[str]:
    """A line as people type it, then what else it can only be, if it is an action at all.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> [[*readings(CLASSIC, line)][-1] for line in ("qhe5", "QH-e5", "e5 QH", "Qh E5.", "jsxd7")]
    ['QH e5', 'QH e5', 'QH e5', 'QH e5', 'JS xd7']
    >>> [*readings(KIDS, "cat,b3")][-1]
    'cat b3'
    """
    yield tidied(variant, line)
    bare = line.lower().strip(_MARKS)
    yield tidied(variant, bare)
    for form in _loose(variant):
        if found := form.fullmatch(bare):
            yield tidied(variant, f"{found['card']} {found['square']}{found['rest']}")


def _loose(variant: Variant) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a card and a square of this board, in either order, with or without marks between them."""
    digits = "|".join(text for text in spellings(current(), variant) if not text.isalpha())
    card = rf"(?P<card>{digits}|[^\W\d_]+?)" if digits else r"(?P<card>[^\W\d_]+?)"
    rows = "|".join(str(row) for row in range(variant.board.rows, 0, -1))
    square = rf"(?P<square>x?[a-{chr(ord('a') + variant.board.cols - 1)}](?:{rows}))"
    return (
        re.compile(rf"{card}{_BETWEEN}{square}(?P<rest>(?: .*)?)"),
        re.compile(rf"{square}{_BETWEEN}{card}(?P<rest>)"),
    )


def read_action(view: View, line: str) -> Action:
    """Return the action of a line for the asked seat. Raises NotationError with the fault."""
    if view.phase == "penalty" and (card := read_card(view.variant, line)) is not None:
        return give(card)
    if view.phase == "late" and ACTION_WORDS.word_of(line) == END.kind:
        return WAIVE
    fault: NotationError | None = None
    for reading in readings(view.variant, line):
        try:
            return parse_action(view.variant, reading)
        except NotationError as error:
            fault = fault or error
    assert fault is not None, "there is at least one reading"
    raise fault


# How like what was typed a suggestion has to be, from 0 to 1.
_LIKE = 0.7
# A word of about as many letters may be less like it.
_SLIP_LIKE = 0.6
_LETTERS_OFF = 1
# One letter is no slip: it may be anything.
_TYPED_MIN = 2
SUGGESTED_MAX: Final = 80
_SQUARE = re.compile(r"\bx?[a-z][1-9][0-9]?\b", re.IGNORECASE)


def nearest(seen: View, line: str, words: Collection[str]) -> str | None:
    """Return a suggestion for a line without a meaning, in the reader's words, for the asked seat."""
    first = line.split(" ", maxsplit=1)[0]
    cards = [card_shown(seen.variant, card) for card in range(len(seen.variant.faces))]
    if names_square(line):
        is_card = read_card(seen.variant, first) is not None  # Then the square is what is wrong.
        return nearest_action(seen, line) or (None if is_card else nearest_word(first, cards))
    if " " in line:
        return nearest_action(seen, line) or nearest_word(first, words) or nearest_word(first, cards)
    return nearest_word(line, words) or nearest_action(seen, line) or nearest_word(first, cards)


def names_square(line: str) -> bool:
    """Return True if a square is named in a line: then it is to be an action, and nothing else.

    >>> names_square("unicorn C5"), names_square("JS xd7"), names_square("say hello")
    (True, True, False)
    """
    return _SQUARE.search(line) is not None


def nearest_action(seen: View, line: str) -> str | None:
    import difflib  # Only for a wrong action.

    shown = {_squeezed(text): text for text in (action_shown(seen.variant, action) for action in seen.legal)}
    near = difflib.get_close_matches(_squeezed(line), shown, n=1, cutoff=_LIKE)
    return shown[near[0]] if near else None


def nearest_word(typed: str, words: Collection[str]) -> str | None:
    import difflib  # Only for a wrong word.

    if len(typed) < _TYPED_MIN:
        return None
    small = {word.lower(): word for word in words}
    slips = [word for word in small if abs(len(word) - len(typed)) <= _LETTERS_OFF]
    near = difflib.get_close_matches(typed.lower(), slips, n=1, cutoff=_SLIP_LIKE)
    near = near or difflib.get_close_matches(typed.lower(), small, n=1, cutoff=_LIKE)
    return small[near[0]] if near else None


def misread(seen: View, line: str, words: Collection[str], error: NotationError) -> str:
    """Return the answer to a line that is no action: what it may mean, or else its fault."""
    fault = faces_shown(seen.variant, translate(message_of(error)))
    if len(line) <= SUGGESTED_MAX and (near := nearest(seen, line, words)):
        return t("{fault}; did you mean {word}?", fault=fault, word=shown(near))
    return ("say" in words and saying(line)) or fault


def saying(line: str) -> str:
    """Return how to say this line to the others; empty if it is one word or names a square.

    >>> saying("pass the salt"), saying("pass"), saying("QH e5")
    ('that is no command; to say it to the others, type: say pass the salt', '', '')
    """
    if " " not in line or names_square(line):
        return ""
    command = f"{shown('say')} {cleaned(line, SUGGESTED_MAX)}"
    return t("that is no command; to say it to the others, type: {command}", command=command)


def _squeezed(text: str) -> str:
    """Return the letters and digits alone: anything else that is typed says nothing."""
    return "".join(filter(str.isalnum, without_accents(text.lower())))
