"""Cards, colours and games by the names that people give them, in the reader's language.

The notation of the classic game (``QH e5``) is the same in every language. The animals of the kids' game have names of
their own in each; the record knows the English ones alone.
"""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import Message, message
from seqp2p.rules import Action, Card, Variant, format_action, format_card
from seqp2p.ui.language import current, t, translate

# Face → the code on a narrow board, and the name. In English the name is the face, and the code its first two letters.
_FRENCH: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "alligator": ("AL", "alligator"),
        "bear": ("OU", "ours"),
        "cat": ("CH", "chat"),
        "duck": ("CA", "canard"),
        "elephant": ("EL", "éléphant"),
        "frog": ("GR", "grenouille"),
        "giraffe": ("GI", "girafe"),
        "horse": ("CV", "cheval"),
        "kangaroo": ("KA", "kangourou"),
        "lion": ("LI", "lion"),
        "monkey": ("SI", "singe"),
        "owl": ("HI", "hibou"),
        "penguin": ("PI", "pingouin"),
        "rabbit": ("LA", "lapin"),
        "sheep": ("MO", "mouton"),
        "turtle": ("TO", "tortue"),
        "whale": ("BA", "baleine"),
        "yak": ("YA", "yak"),
        "zebra": ("ZE", "zèbre"),
        "dragon": ("DR", "dragon"),
        "unicorn": ("LC", "licorne"),
    }
)
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
_COLOURS: Final[Mapping[str, Message]] = MappingProxyType(
    {"blue": message("blue"), "green": message("green"), "red": message("red"), "yellow": message("yellow")}
)
_WORDS: Final[Mapping[str, Message]] = MappingProxyType(
    {
        "pass": message("pass"),
        "dead": message("dead"),
        "draw": message("draw"),
        "end": message("end"),
        "waive": message("waive"),
        "call": message("call"),
        "given": message("given"),
    }
)
_TITLES: Final[Mapping[str, Message]] = MappingProxyType(
    {"classic": message("Sequence"), "kids": message("Sequence for Kids")}
)
_VARIANTS: Final[Mapping[str, Message]] = MappingProxyType({"classic": message("classic"), "kids": message("kids")})


def card_name(variant: Variant, card: Card) -> str:
    """A card's name in full: ``queen of hearts``, ``cat``."""
    face = variant.faces[card]
    if is_animal(face):
        return face_name(face)
    return t("{rank} of {suit}", rank=_RANKS[face[0]], suit=_SUITS[face[1]])


def is_animal(face: str) -> bool:
    """Whether a face has a name, which differs from language to language."""
    return face in _FRENCH


def face_name(face: str) -> str:
    """What is on a card: ``cat``; a card of the classic game as the notation writes it: ``QH``."""
    return _FRENCH[face][1] if current() == "fr" and is_animal(face) else face


def face_code(face: str) -> str:
    """What is on a card, for a narrow board: ``CA``, ``QH``."""
    if not is_animal(face):
        return face
    return _FRENCH[face][0] if current() == "fr" else face[:2].upper()


def read_face(text: str) -> str:
    """The face that a word or a code in the reader's language means; any other text as it is, in small letters.

    English names are known in every language; accents may be left out.

    >>> read_face("Cat"), read_face("CA"), read_face("pass")
    ('cat', 'cat', 'pass')
    """
    small = text.lower()
    if is_animal(small):
        return small
    plain = without_accents(small)
    named = (face for face in _FRENCH if plain in (face_code(face).lower(), without_accents(face_name(face))))
    return next(named, small)


def faces_shown(text: str) -> str:
    """What the rules say, who know animals by their English names, with the reader's own names of them.

    >>> faces_shown("seat 2 does not hold cat")
    'seat 2 does not hold cat'
    """
    return re.sub(r"\b[a-z]+\b", lambda found: face_name(found[0]), text)


def without_accents(text: str) -> str:
    """The text without accents on its letters.

    >>> without_accents("éléphant")
    'elephant'
    """
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))


def card_shown(variant: Variant, card: Card) -> str:
    """A card as the reader writes it: ``QH``, ``cat``."""
    return face_name(format_card(variant, card))


def action_shown(variant: Variant, action: Action) -> str:
    """An action as the reader writes it: the notation, with the reader's own words and names of animals."""
    first, *rest = format_action(variant, action).split(" ")
    return " ".join(translate(_WORDS[word]) if word in _WORDS else face_name(word) for word in (first, *rest))


def colour_name(colour: str) -> str:
    """The colour of a team's chips."""
    return translate(_COLOURS.get(colour, colour))


def colour_letter(colour: str) -> str:
    """The letter that stands for a colour on a board without colours: the first one of its name."""
    return colour_name(colour)[0].upper()


def variant_word(variant: str) -> str:
    """Which game it is, in one word; one that is not known, from an advertisement, as it is."""
    return translate(_VARIANTS.get(variant, variant))


def variant_title(variant: str) -> str:
    """What the game is called."""
    return translate(_TITLES[variant])
