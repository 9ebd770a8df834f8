"""The language in which people are spoken to: gettext, with the catalogues that the package carries.

``t`` says a sentence now; ``tr`` says again, in the reader's language, what a lower layer has ``said``. What scripts
read (JSON, protocol, notation) is never translated.
"""

import gettext
import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from seqp2p.i18n import Message

DOMAIN: Final = "seqp2p"
LOCALE_DIR: Final = os.path.join(os.path.dirname(__file__), "locale")  # noqa: PTH118, PTH120  # --help is quick
LANGUAGES: Final = ("en", "fr")
# How what a game is called begins.
TITLE: Final = "Sequence"
# What names a language, the strongest first (gettext's own order).
_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_current = "en"


def use(language: str) -> None:
    """Speak this language from now on, in this process and in those that it starts; what click says of itself, too."""
    global _catalogue, _current  # noqa: PLW0603  # one reader, one language
    _current = language
    _catalogue = gettext.translation(DOMAIN, LOCALE_DIR, [language], fallback=True)
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain(DOMAIN, LOCALE_DIR)
    gettext.textdomain(DOMAIN)


def current() -> str:
    """The language that is spoken: ``en`` or ``fr``."""
    return _current


def wanted(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """The language that ``--lang`` or the environment asks for; English where it is none of those there are.

    >>> wanted(["host", "--lang", "fr"], {}), wanted(["--lang=en"], {"LANG": "fr_FR.UTF-8"})
    ('fr', 'en')
    >>> wanted([], {"LANG": "fr_CA.UTF-8"}), wanted([], {"LANGUAGE": "de:fr", "LANG": "C"}), wanted([], {})
    ('fr', 'fr', 'en')
    """
    for argument, following in zip(arguments, (*arguments[1:], ""), strict=False):
        text = following if argument == "--lang" else argument.removeprefix("--lang=")
        if (argument == "--lang" or argument.startswith("--lang=")) and text in LANGUAGES:
            return text
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
    """A sentence in the reader's language. The template is English, and the key of its translation."""
    return _filled(_catalogue.gettext(template) if template else "", values)


def tn(one: str, many: str, count: int, /, **values: object) -> str:
    """A sentence that depends on a number, which it may name as ``{count}``."""
    return _filled(_catalogue.ngettext(one, many, count), {"count": count, **values})


def number(value: float, digits: int = 0) -> str:
    """A number with so many digits after the point, its thousands apart, as the reader's language writes it.

    >>> number(1234.56, 1), number(20_000)
    ('1,234.6', '20,000')
    """
    text = f"{value:,.{digits}f}"
    return text.replace(",", " ").replace(".", ",") if _current == "fr" else text


def translate(text: str) -> str:
    """What a lower layer has said, in the reader's language; any other text as it is, if no translation of it is known.

    >>> from seqp2p.i18n import said
    >>> tr(said("seat {seat} does not hold {card}", seat=2, card="QH"))
    'seat 2 does not hold QH'
    """
    return t(text.template, **text.values) if isinstance(text, Message) else t(text)


def _filled(template: str, values: Mapping[str, object]) -> str:
    if not values:
        return template
    return template.format(**{name: _shown(name, value) for name, value in values.items()})


def _shown(name: str, value: object) -> object:
    """A reason is a sentence, also where it comes from a peer, who says it in English; a name is never translated.

    What a game is called has a translation like a sentence, also where the rules say it.
    """
    if isinstance(value, str) and (
        isinstance(value, Message) or name == "reason" or (name == "game" and value.startswith(TITLE))
    ):
        return translate(value)
    return value
