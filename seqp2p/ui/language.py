"""The reader's language: gettext with the catalogues that the package carries.

``t`` makes a sentence in it; ``translate`` makes it of a message of a lower layer. Text for scripts (JSON, protocol,
notation) is never translated.

A new language is a folder in ``locale`` with its catalogue, and the rules in ``rules_text``. The catalogue also has the
words that are typed, the names of cards and the form of numbers.
"""

import gettext
import os
import re
import shlex
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from seqp2p.i18n import Message, Term, term

DOMAIN: Final = "seqp2p"
LOCALE_DIR: Final = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120  # --help is quick
LANGUAGES: Final = ("en", *sorted(name for name in os.listdir(LOCALE_DIR) if len(name) == 2))  # noqa: PTH208  # the same
# The title of every game begins with it.
TITLE: Final = "Sequence"
_NUMBER: Final = term("number", "1,234.5")
# The variables that name a language, the strongest first (gettext's own order).
_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")

# Stands for a space that does not break a line, as French puts next to its signs. It has one column, and is in no text
# that is shown: text from outside is escaped before.
HARD_SPACE: Final = "\udc20"
_BOUND: Final = re.compile("(?<=[^ ]) (?=[:;?!»%](?: |$))|(?<=«) ")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_current = "en"
_usual = "en"


def use(language: str, usual: str = "") -> None:
    """Speak this language from now on, also in what is started. ``usual`` is that of commands without ``--lang``."""
    global _catalogue, _current, _usual  # noqa: PLW0603  # one reader, one language
    _current, _usual = language, usual or language
    _catalogue = gettext.translation(DOMAIN, LOCALE_DIR, [language], fallback=True)
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain(DOMAIN, LOCALE_DIR)  # Click speaks it, too.
    gettext.textdomain(DOMAIN)


def current() -> str:
    """Return the reader's language, one of ``LANGUAGES``."""
    return _current


def option() -> tuple[str, ...]:
    """Return the words of a command that keep it in this language; none where it is the usual one."""
    return () if _current == _usual else ("--lang", _current)


def command_line(*words: str) -> str:
    """Return a command as it can be typed to a shell."""
    return shlex.join(("seqp2p", *words, *option()))


def wanted(arguments: Sequence[str], environment: Mapping[str, str], kept: str = "") -> str:
    """Return the language that ``--lang`` asks for, or a lasting setting, or the environment; else English.

    >>> wanted(["host", "--lang", "fr"], {}), wanted(["--lang=en"], {"LANG": "fr_FR.UTF-8"})
    ('fr', 'en')
    >>> wanted([], {"LANG": "fr_CA.UTF-8"}), wanted([], {"LANGUAGE": "xx:fr", "LANG": "C"}), wanted([], {})
    ('fr', 'fr', 'en')
    """
    for argument, following in zip(arguments, (*arguments[1:], ""), strict=False):
        text = following if argument == "--lang" else argument.removeprefix("--lang=")
        if (argument == "--lang" or argument.startswith("--lang=")) and text in LANGUAGES:
            return text
    if kept:
        return kept
    for variable in _VARIABLES:
        if value := environment.get(variable):
            for locale in value.split(":"):
                language = re.split("[_.@]", locale, maxsplit=1)[0].lower()
                if language in LANGUAGES:
                    return language
            if variable != "LANGUAGE":
                return "en"
    return "en"


def t(template: str, /, **values: object) -> str:
    """Return a sentence in the reader's language. The template is English, and the key of its translation."""
    return _filled(_catalogue.gettext(template) if template else "", values)


def tn(one: str, many: str, count: int, /, **values: object) -> str:
    """Return a sentence that depends on a number, which it may name as ``{count}``."""
    return _filled(_catalogue.ngettext(one, many, count), {"count": count, **values})


def number(value: float, digits: int = 0) -> str:
    """Return a number with so many decimals and its thousands apart, as the reader's language writes it.

    >>> number(1234.56, 1), number(20_000)
    ('1,234.6', '20,000')
    """
    sample = translate_term(_NUMBER)
    return f"{value:,.{digits}f}".translate({ord(","): sample[1], ord("."): sample[-2]})


def translate_term(term: Term) -> str:
    """Return a term in the reader's language; the English one if the catalogue has none."""
    return _catalogue.pgettext(term.context, term.text)


def without_accents(text: str) -> str:
    """Return the text without accents on its letters.

    >>> without_accents("éléphant")
    'elephant'
    """
    return "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))


def translate(text: str) -> str:
    """Return a message of a lower layer in the reader's language; a text without translation as it is.

    >>> from seqp2p.i18n import message
    >>> translate(message("seat {seat} does not hold {card}", seat=2, card="QH"))
    'seat 2 does not hold QH'
    """
    return t(text.template, **text.values) if isinstance(text, Message) else t(text)


def _filled(template: str, values: Mapping[str, object]) -> str:
    if not values:
        return template
    return template.format(**{name: _shown(name, value) for name, value in values.items()})


def _shown(name: str, value: object) -> object:
    """Translate what a sentence is filled with: messages, reasons (a peer's are English), titles. Never a name."""
    if isinstance(value, str) and (
        isinstance(value, Message) or name == "reason" or (name == "game" and value.startswith(TITLE))
    ):
        return translate(value)
    return value


def rules_text(variant: str, language: str) -> str:
    """Return the rules of a variant (its name) for people, in a language: lines of less than 80 characters."""
    path = os.path.join(os.path.dirname(__file__), "rules_text", f"{variant}.{language}.txt")  # noqa: PTH118, PTH120  # the same
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # the same
        return file.read()


def bound(text: str) -> str:
    """Return the text with the spaces next to signs made hard.

    >>> [each.replace(HARD_SPACE, "_") for each in bound("le code : 7, « aide »").split(" ")]
    ['le', 'code_:', '7,', '«_aide_»']
    """
    return _BOUND.sub(HARD_SPACE, text)


def unbound(text: str) -> str:
    """Return the text with its hard spaces soft again.

    >>> unbound(bound("le code : 7"))
    'le code : 7'
    """
    return text.replace(HARD_SPACE, " ")


def percent(share: float, digits: int = 2) -> str:
    """Return a share of 1 as per cent, with so many decimals.

    >>> percent(0.532, 1)
    '53.2%'
    """
    return t("{percent}%", percent=number(100 * share, digits))
