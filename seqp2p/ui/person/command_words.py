"""The words that people type: one row each, with their aliases in English and in the reader's language.

Inside the program a word goes by its name, the first English alias. The first alias of the reader's language is shown.
A new word is a row here, and a handler in the table of its place: the lobby (``console``), a seat (``person``), the
tutorial, a spectator (``cli.other_table``), or all who see the table (``seat_info``).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

from seqp2p.i18n import Term, message, term
from seqp2p.ui.language import current, translate, translate_term, without_accents

Answers: TypeAlias = Mapping[str, Callable[[str], Iterable[str]]]
"""The words of a place with their handlers: each takes the text typed after the word, and returns lines."""


@dataclass(frozen=True, slots=True)
class Word:
    """One row of a vocabulary."""

    aliases: Term
    """English aliases with a comma between them, the name first. The catalogue has those of other languages."""
    help: str | None = None
    """The text after the word in the list of those that can be typed at any time; None for a word that is not in it."""

    @property
    def name(self) -> str:
        """The name of the word in the program."""
        return _split(self.aliases.text)[0]


class Vocabulary:
    """The words that can be typed in one place."""

    def __init__(self, *words: Word) -> None:
        self.words: Final[Mapping[str, Word]] = {word.name: word for word in words}

    def word_of(self, typed: str) -> str:
        """Return the name of a typed word; any other text unchanged, in small letters.

        >>> COMMANDS.word_of(" Quit"), COMMANDS.word_of("QH e5")
        ('leave', 'qh e5')
        """
        small = typed.strip().lower()
        return _names(self, current()).get(without_accents(small)) or _names(self, "en").get(small, small)

    def shown(self, name: str) -> str:
        """Return a word as the reader types it; a text that names no word as it is."""
        return self.aliases(name)[0] if name in self.words else name

    def aliases(self, name: str, language: str = "") -> list[str]:
        """Return the aliases of a word in the reader's language, or in English."""
        aliases = self.words[name].aliases
        return _split(aliases.text if language == "en" else translate_term(aliases))

    def suggestible(self, names: Iterable[str]) -> list[str]:
        """Return these words by their names and by their aliases in the reader's language.

        >>> COMMANDS.suggestible(["hand", "leave"])
        ['hand', 'leave', 'quit', 'resign']
        """
        return [alias for name in names for alias in dict.fromkeys((name, *self.aliases(name)))]


@lru_cache
def _names(vocabulary: Vocabulary, language: str) -> Mapping[str, str]:
    """Return the names of all words by their aliases in this language, the reader's or English."""
    return {without_accents(each): name for name in vocabulary.words for each in vocabulary.aliases(name, language)}


def _split(aliases: str) -> list[str]:
    return aliases.split(", ")


_ACTIONS: Final = (
    Word(term("typed", "pass")),
    Word(term("typed", "dead")),
    Word(term("typed", "draw")),
    Word(term("typed", "end")),
    Word(term("typed", "waive")),
    Word(term("typed", "call")),
    Word(term("typed", "give")),
    Word(term("typed", "given")),
)
ACTION_WORDS: Final = Vocabulary(*_ACTIONS)
"""The words that are part of an action."""

COMMANDS: Final = Vocabulary(
    Word(term("typed", "hand"), ""),
    Word(term("typed", "board"), ""),
    Word(term("typed", "moves"), ""),
    Word(term("typed", "where"), "{card}"),
    Word(term("typed", "threats"), ""),
    Word(term("typed", "hint"), ""),
    Word(term("typed", "seats"), ""),
    Word(term("typed", "score"), ""),
    Word(term("typed", "log"), ""),
    Word(term("typed", "words"), message("(safety words)")),
    Word(term("typed", "say"), message("TEXT")),
    Word(term("typed", "exchange"), ""),
    Word(term("typed", "undo"), ""),
    Word(term("typed", "later, exit"), ""),
    Word(term("typed", "help, ?"), ""),
    Word(term("typed", "leave, quit, resign"), ""),
    Word(term("typed", "wait")),
    Word(term("typed", "drop")),
    Word(term("typed", "start")),
    Word(term("typed", "seat")),
    Word(term("typed", "colour, color")),
    Word(term("typed", "move")),
    Word(term("typed", "remove")),
    Word(term("typed", "mute"), message("NAME")),
    Word(term("typed", "copy")),
    Word(term("typed", "relay")),
    Word(term("typed", "code")),
    Word(term("typed", "reach")),
    Word(term("typed", "never")),
    Word(term("typed", "always")),
    Word(term("typed", "all")),
    Word(term("typed", "yes, y")),
    Word(term("typed", "no, n")),
    *_ACTIONS,
)
"""All words in the lobby and at the table."""
word_of: Final = COMMANDS.word_of
shown: Final = COMMANDS.shown
suggestible: Final = COMMANDS.suggestible

LEAVING: Final = frozenset({"leave", "later"})
"""Where there is no game to come back to, both mean the same."""
YES: Final = frozenset({"yes"})
NO: Final = frozenset({"no"})

# The remarks that can never be called, of ``match.remark``: the record has them in English.
COURTESIES: Final = (
    message("hello"),
    message("good luck"),
    message("well played"),
    message("good game"),
    message("thank you"),
    message("one moment"),
)
_COURTESY_KEYS: Final = ("f6", "f7", "f8", "f9", "f11", "f12")
COURTESY_KEYS: Final[Mapping[str, str]] = MappingProxyType(dict(zip(_COURTESY_KEYS, COURTESIES, strict=True)))
"""The keys that say a courtesy, in the lobby and at the table; F10 belongs to the terminals."""


def answer_to(line: str, answers: Answers) -> Iterable[str] | None:
    """Return the answer to a typed line, None if its first word has none here."""
    first, _, rest = line.partition(" ")
    handler = answers.get(word_of(first))
    return None if handler is None else handler(rest)


def help_of(card: str, *, coached: bool) -> list[str]:
    """Return the words that can be typed at any time, with what follows them; ``card`` is an example."""
    words = ((word.name, word.help) for word in COMMANDS.words.values() if coached or word.name != "hint")
    return [f"{shown(name)} {translate(then)}".rstrip().format(card=card) for name, then in words if then is not None]


def completions(names: Collection[str]) -> list[str]:
    """Return those of the words of ``help_of`` for Tab, with a space where something has to follow."""
    words = ((name, COMMANDS.words[name].help) for name in names)
    return [shown(name) + " " * (bool(then) and not then.startswith("(")) for name, then in words if then is not None]


def courtesies() -> list[str]:
    return [translate(courtesy) for courtesy in COURTESIES]


def courtesy_of(typed: str) -> str:
    """Return a remark as it is sent: one of the courtesies in English, any other as it is typed."""
    plain = without_accents(typed.lower())
    meant = (courtesy for courtesy in COURTESIES if plain == without_accents(translate(courtesy).lower()))
    return next(meant, typed)
