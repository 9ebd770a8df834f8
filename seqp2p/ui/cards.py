"""Cards, colours and games by the names that people give them, in the reader's language.

The notation of a card with rank and suit (``QH e5``) is the same in every language. A card with a name (``cat``) has
one in each language; the record knows the English one alone. ``locale/others.txt`` lists for the catalogue what the
data of a variant names: cards, colours, title.
"""

import re
import string
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from seqp2p.i18n import Term, message, term
from seqp2p.rules import END, KNOWN_VARIANTS, UNKNOWN, WAIVE, Action, Card, Variant, format_action, format_card
from seqp2p.ui.language import current, t, translate, translate_term, without_accents
from seqp2p.ui.person.command_words import ACTION_WORDS

_PLAYED: Final = re.compile(
    r"(?:(?<=: )|(?<=  )|(?<=\+)|(?<= )(?=..(?: ?;|$)))([2-9TJQKA])([CDHS])(?=[ ;]|$)|^([2-9TJQKA])([CDHS])(?= )"
)
"""A card of an action, after the name of a player or at the start; one drawn or turned over, at the end of a part."""
_RANK_NAMES: Final = (
    *(message("two"), message("three"), message("four"), message("five"), message("six"), message("seven")),
    *(message("eight"), message("nine"), message("ten")),
    *(message("jack"), message("queen"), message("king"), message("ace")),
)
_RANKS: Final = dict(zip("23456789TJQKA", _RANK_NAMES, strict=True))
_SUITS: Final = {"C": message("clubs"), "D": message("diamonds"), "H": message("hearts"), "S": message("spades")}


LETTERS: Final = term("letters", "JQKCDHS")
"""The first letters of jack, queen, king, clubs, diamonds, hearts and spades. What English has, too, is English."""
SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def is_named(variant: Variant, card: Card) -> bool:
    """Return True if a card has a name, not rank and suit."""
    face = variant.faces[card]
    return not (len(face) == len("QH") and face[0] in _RANKS and face[1] in _SUITS)


def is_jack(variant: Variant, card: Card) -> bool:
    return not is_named(variant, card) and variant.faces[card][0] == "J"


def card_name(variant: Variant, card: Card) -> str:
    """Return a card's name in full: ``queen of hearts``, ``cat``."""
    if is_named(variant, card):
        return face_name(variant, card)
    face = variant.faces[card]
    return t("{rank} of {suit}", rank=_RANKS[face[0]], suit=_SUITS[face[1]])


def face_name(variant: Variant, card: Card) -> str:
    """Return the name of a card, ``cat``; the notation of one with rank and suit, ``QH``."""
    face = variant.faces[card]
    return translate_term(Term("card", face)) if is_named(variant, card) else face


def face_code(variant: Variant, card: Card) -> str:
    """Return a card as a narrow board shows it: ``CA``, ``QH``."""
    return _codes(current(), variant)[card]


@lru_cache
def _codes(language: str, variant: Variant) -> tuple[str, ...]:
    """Return two letters for every card, all different, in the reader's language."""
    del language
    codes: list[str] = []
    for card, face in enumerate(variant.faces):
        named = _candidates(face_name(variant, card)) if is_named(variant, card) else iter([face])
        codes.append(next(code for code in named if code not in codes))
    return tuple(codes)


def _candidates(name: str) -> Iterator[str]:
    """Yield codes for a name: its first two letters, the first with a later consonant, with any letter.

    >>> [*_candidates("cheval")][:3]
    ['CH', 'CH', 'CV']
    """
    first, *rest = filter(str.isalpha, without_accents(name).upper())
    consonants = [letter for letter in rest if letter not in "AEIOUY"]
    for second in (*rest[:1], *consonants, *rest, *string.ascii_uppercase, *string.digits):
        yield first + second


@lru_cache
def spellings(language: str, variant: Variant) -> Mapping[str, Card]:
    """Return every way to type a card in a language, in small letters without accents. English names are in all.

    >>> from seqp2p.rules import CLASSIC, KIDS
    >>> [text for text, card in spellings("en", CLASSIC).items() if card == 8], spellings("en", KIDS)["ca"]
    (['tc', '10c', 't♣', '10♣'], 2)
    """
    del language
    found = {face.lower(): card for card, face in enumerate(variant.faces)}
    own = dict(zip("JQKCDHS", translate_term(LETTERS), strict=True))
    for card, face in enumerate(variant.faces):
        if is_named(variant, card):
            names = dict.fromkeys((face_code(variant, card), face_name(variant, card)), 0)
        else:
            rank, suit = face[0], face[1]
            ranks, owns = (rank, rank.replace("T", "10")), (own.get(rank, rank), rank, rank.replace("T", "10"))
            names = {each + mark: 0 for mark in (suit, SIGNS[suit]) for each in ranks}
            names |= {each + mark: 0 for mark in (SIGNS[suit], own[suit]) for each in owns}
        for text in names:
            found.setdefault(without_accents(text.lower()), card)
    return found


def faces_shown(variant: Variant, text: str) -> str:
    """Return a sentence of the rules, which name cards in English, with the reader's own names of them.

    >>> from seqp2p.rules import KIDS
    >>> faces_shown(KIDS, "seat 2 does not hold cat")
    'seat 2 does not hold cat'
    """
    names = {face: face_name(variant, card) for card, face in enumerate(variant.faces)}
    return re.sub(r"\b[a-z]+\b", lambda found: names.get(found[0], found[0]), text)


def card_shown(variant: Variant, card: Card) -> str:
    """Return a card as the reader writes it: ``QH``, ``cat``."""
    return format_card(variant, card) if card == UNKNOWN else face_name(variant, card)


def suits_shown(text: str, suits: Mapping[str, str]) -> str:
    """Return an action, or a line of the log that ends in one, with these signs for the suits.

    >>> suits_shown("  1. AS  QH e5", {"H": "♥"}), suits_shown("you draw 9S", {"S": "♠"})
    ('  1. AS  Q♥ e5', 'you draw 9♠')
    >>> suits_shown("turned over: you 9S; seat 2 (AS) QH", {"H": "♥", "S": "♠"})
    'turned over: you 9♠; seat 2 (AS) Q♥'
    >>> suits_shown("cartes retournées : vous 9S ; bot 2 QH", {"H": "♥", "S": "♠"})
    'cartes retournées : vous 9♠ ; bot 2 Q♥'
    """
    return _PLAYED.sub(lambda found: (found[1] or found[3]) + suits[found[2] or found[4]], text)


def all_suits_shown(text: str, suits: Mapping[str, str]) -> str:
    """Return a text with these signs for the suits of all its cards.

    >>> all_suits_shown("JC and JD, of 10 cards", {"C": "♣", "D": "♦"})
    'J♣ and J♦, of 10 cards'
    """
    return re.sub(r"\b([2-9TJQKA])([CDHS])\b", lambda found: found[1] + suits[found[2]], text)


def card_signed(variant: Variant, card: Card, suits: Mapping[str, str]) -> str:
    """Return a card in a sentence, with the sign of its suit: ``Q♥``, ``cat``."""
    face = card_shown(variant, card)
    return face if card == UNKNOWN or is_named(variant, card) else face[0] + suits[face[1]]


def action_signed(variant: Variant, action: Action, suits: Mapping[str, str]) -> str:
    return suits_shown(action_shown(variant, action), suits)


def action_shown(variant: Variant, action: Action) -> str:
    """Return an action as the reader writes it: the notation with the reader's own words and names of cards."""
    if action == WAIVE:  # The word that ends one's own turn without a draw does here, too.
        return ACTION_WORDS.shown(END.kind)
    words = format_action(variant, action).split(" ")
    if action.card != UNKNOWN:
        words[0] = card_shown(variant, action.card)
    return " ".join(ACTION_WORDS.shown(word) if word in ACTION_WORDS.words else word for word in words)


def colour_name(colour: str) -> str:
    return translate(colour)


def colour_letter(colour: str) -> str:
    """Return the letter of a colour on a board without colours: the first one of its name."""
    return colour_name(colour)[0].upper()


def variant_title(variant: str) -> str:
    return translate(KNOWN_VARIANTS[variant].title)
