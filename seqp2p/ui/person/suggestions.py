"""Suggestions for typing slips: the nearest legal action, or the nearest known word."""

import difflib
import re
from collections.abc import Collection

from seqp2p.rules import View
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import without_accents

# How like what was typed a suggestion has to be, from 0 to 1.
_ACTION_LIKE = 0.7
_WORD_LIKE = 0.7
# A word of about as many letters may be less like it.
_SLIP_LIKE = 0.6
_LETTERS_OFF = 1
# One letter is no slip: it may be anything.
_TYPED_MIN = 2
_SQUARE = re.compile(r"\bx?[a-z][1-9][0-9]?\b", re.IGNORECASE)


def nearest(seen: View, line: str, words: Collection[str]) -> str | None:
    """Return a suggestion for a line without a meaning, in the reader's words, for the asked seat."""
    first = line.split(" ", maxsplit=1)[0]
    cards = [card_shown(seen.variant, card) for card in range(len(seen.variant.faces))]
    if names_square(line):
        return nearest_action(seen, line) or nearest_word(first, cards)
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
    """Return the legal action most like a line, if any is similar."""
    shown = {_squeezed(text): text for text in (action_shown(seen.variant, action) for action in seen.legal)}
    near = difflib.get_close_matches(_squeezed(line), shown, n=1, cutoff=_ACTION_LIKE)
    return shown[near[0]] if near else None


def nearest_word(typed: str, words: Collection[str]) -> str | None:
    """Return the word most like the typed one, if any is similar."""
    if len(typed) < _TYPED_MIN:
        return None
    small = {word.lower(): word for word in words}
    slips = [word for word in small if abs(len(word) - len(typed)) <= _LETTERS_OFF]
    near = difflib.get_close_matches(typed.lower(), slips, n=1, cutoff=_SLIP_LIKE) or difflib.get_close_matches(
        typed.lower(), small, n=1, cutoff=_WORD_LIKE
    )
    return small[near[0]] if near else None


def _squeezed(text: str) -> str:
    """The letters and digits alone: what else is typed says nothing."""
    return "".join(filter(str.isalnum, without_accents(text.lower())))
