"""What can be typed: every word in English, and in the reader's language in addition.

Inside the program a word is the English one; what is shown is the reader's.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from seqp2p.i18n import message
from seqp2p.ui.cards import without_accents
from seqp2p.ui.language import current, translate

YES: Final = frozenset({"yes", "y"})
NO: Final = frozenset({"no", "n"})
LEAVING: Final = frozenset({"leave", "resign", "exit", "quit"})
# These are the same in French.
IN_BOTH: Final = frozenset({"score", "code"})

# English word → the French ones; the first of them is shown.
FRENCH: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "help": ("aide",),
        "hand": ("main",),
        "board": ("plateau",),
        "moves": ("coups",),
        "where": ("où",),
        "seats": ("places", "sièges"),
        "log": ("journal",),
        "never": ("jamais",),
        "always": ("toujours",),
        "all": ("tout",),
        "words": ("mots",),
        "say": ("dire",),
        "start": ("commencer", "démarrer"),
        "wait": ("attendre",),
        "drop": ("exclure",),
        "leave": ("quitter", "partir"),
        "resign": ("abandonner",),
        "yes": ("oui", "o"),
        "no": ("non",),
        "pass": ("passer", "passe"),
        "dead": ("échange", "morte", "mort"),
        "draw": ("piocher", "pioche"),
        "end": ("fin",),
        "waive": ("renoncer",),
        "call": ("dénoncer",),
        "give": ("donner",),
        "given": ("donnée",),
    }
)
_ENGLISH: Final = MappingProxyType(
    {without_accents(word): english for english, all_ in FRENCH.items() for word in all_}
)
# The remarks that can never be called, of ``match.remark``: the record has them in English.
COURTESIES: Final = (
    message("hello"),
    message("good luck"),
    message("well played"),
    message("good game"),
    message("thank you"),
    message("one moment"),
)


def word_of(typed: str) -> str:
    """The word that is meant, in English; what is none in the reader's language as it is, in small letters.

    >>> word_of(" Leave"), word_of("QH e5")
    ('leave', 'qh e5')
    """
    small = typed.strip().lower()
    return _ENGLISH.get(without_accents(small), small) if current() == "fr" else small


def shown(word: str) -> str:
    """A word as the reader types it.

    >>> shown("leave")
    'leave'
    """
    return FRENCH[word][0] if current() == "fr" and word in FRENCH else word


def suggestible(words: Iterable[str]) -> list[str]:
    """These English words and the reader's own for them; an English one that says nothing to the reader is left out.

    >>> suggestible(["leave", "quit"])
    ['leave', 'quit']
    """
    if current() != "fr":
        return [*words]
    return [each for word in words if word in FRENCH or word in IN_BOTH for each in (word, *FRENCH.get(word, ()))]


def courtesies() -> list[str]:
    """The remarks that can never be called, in the reader's language."""
    return [translate(courtesy) for courtesy in COURTESIES]


def courtesy_of(typed: str) -> str:
    """What is typed to be said: in English if it is one of the courtesies, else as it is."""
    plain = without_accents(typed.lower())
    meant = (courtesy for courtesy in COURTESIES if plain == without_accents(translate(courtesy).lower()))
    return next(meant, typed)
