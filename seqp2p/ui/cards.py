"""Cards, colours and games by the names that people give them, in the reader's language.

The notation of a card with rank and suit (``QH e5``) is the same in every language. A card with a name (``cat``) has
one in each language; the record knows the English one alone. ``locale/others.txt`` lists for the catalogue what the
data of a variant names: cards, colours, title.
"""

import re
import string
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import Message, Term, message
from seqp2p.rules import Action, Card, Variant, format_action, format_card, known_variants, variant_named
from seqp2p.ui.language import current, t, translate, translate_term, without_accents
from seqp2p.ui.person.command_words import ACTION_WORDS

_RANKS: Final[Mapping[str, Message]] = MappingProxyType(
    {
        "2": message("two"),
        "3": message("three"),
        "4": message("four"),
        "5": message("five"),
        "6": message("six"),
        "7": message("seven"),
        "8": message("eight"),
        "9": message("nine"),
        "T": message("ten"),
        "J": message("jack"),
        "Q": message("queen"),
        "K": message("king"),
        "A": message("ace"),
    }
)
_SUITS: Final[Mapping[str, Message]] = MappingProxyType(
    {"C": message("clubs"), "D": message("diamonds"), "H": message("hearts"), "S": message("spades")}
)


def card_name(variant: Variant, card: Card) -> str:
    """Return a card's name in full: ``queen of hearts``, ``cat``."""
    face = variant.faces[card]
    if is_named(face):
        return face_name(face)
    return t("{rank} of {suit}", rank=_RANKS[face[0]], suit=_SUITS[face[1]])


def is_named(face: str) -> bool:
    """Return True if a face has a name, not rank and suit."""
    return not (len(face) == len("QH") and face[0] in _RANKS and face[1] in _SUITS)


def face_name(face: str) -> str:
    """Return the name of a face, ``cat``; the notation of one with rank and suit, ``QH``."""
    return translate_term(Term("card", face)) if is_named(face) else face


def face_code(face: str) -> str:
    """Return a face as a narrow board shows it: ``CA``, ``QH``."""
    return _codes(current(), known_variants()).get(face, face)


@lru_cache
def _codes(language: str, variants: tuple[Variant, ...]) -> Mapping[str, str]:
    """Return two letters for every named face of these variants, each its own, in the language that is spoken."""
    del language
    codes: dict[str, str] = {}
    for face in (face for variant in variants for face in variant.faces if is_named(face)):
        if face not in codes:
            codes[face] = next(code for code in _candidates(face_name(face)) if code not in codes.values())
    return codes


def _candidates(name: str) -> Iterator[str]:
    """Yield codes for a name: its first two letters, the first with a later consonant, with any letter.

    >>> [*_candidates("cheval")][:3]
    ['CH', 'CH', 'CV']
    """
    first, *rest = filter(str.isalpha, without_accents(name).upper())
    consonants = [letter for letter in rest if letter not in "AEIOUY"]
    for second in (*rest[:1], *consonants, *rest, *string.ascii_uppercase, *string.digits):
        yield first + second


def read_face(text: str) -> str:
    """Return the face that a name or a code in the reader's language means; any other text in small letters.

    English names are known in every language; accents may be left out.

    >>> read_face("Cat"), read_face("CA"), read_face("pass")
    ('cat', 'cat', 'pass')
    """
    small = text.lower()
    codes = _codes(current(), known_variants())
    if small in codes:
        return small
    plain = without_accents(small)
    named = (face for face, code in codes.items() if plain in (code.lower(), without_accents(face_name(face))))
    return next(named, small)


def faces_shown(text: str) -> str:
    """Return a sentence of the rules, which name cards in English, with the reader's own names of them.

    >>> faces_shown("seat 2 does not hold cat")
    'seat 2 does not hold cat'
    """
    names = {face: face_name(face) for face in _codes(current(), known_variants())}
    return re.sub(r"\b[a-z]+\b", lambda found: names.get(found[0], found[0]), text)


def card_shown(variant: Variant, card: Card) -> str:
    """Return a card as the reader writes it: ``QH``, ``cat``."""
    return face_name(format_card(variant, card))


def action_shown(variant: Variant, action: Action) -> str:
    """Return an action as the reader writes it: the notation with the reader's own words and names of cards."""
    words = format_action(variant, action).split(" ")
    return " ".join(ACTION_WORDS.shown(word) if word in ACTION_WORDS.words else _word_shown(word) for word in words)


def _word_shown(word: str) -> str:
    return face_name(word) if word in _codes(current(), known_variants()) else word


def colour_name(colour: str) -> str:
    """Return the colour of a team's chips."""
    return translate(colour)


def colour_letter(colour: str) -> str:
    """Return the letter of a colour on a board without colours: the first one of its name."""
    return colour_name(colour)[0].upper()


def variant_word(variant: str) -> str:
    """Return a variant in one word; one that is not known, from an advertisement, as it is."""
    return translate(variant)


def variant_title(variant: str) -> str:
    """Return the title of the game."""
    found = variant_named(variant)
    return translate(found.title if found else variant)
