"""Join codes, as in ``7-amber-falcon``: the table's number, and two secret words.

The number names the table; the words are 16 secret bits. These are enough against guessing, because a code is burned
after three tries (pake.py), and an eavesdropper learns nothing, because SPAKE2 shows nothing to search through.
"""

import difflib
import re
from typing import Final

from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message
from seqp2p.lobby.wordlist import WORDS
from seqp2p.net.errors import BadCode
from seqp2p.net.text import clean

TABLE_NUMBER_MAX: Final = 99
_HINT: Final = message("A code is a number and two words, as in 7-amber-falcon.")
_SEPARATORS: Final = re.compile(r"[\s\-_.,‐‑‒–—]+")
_SHOWN_MAX: Final = 20


def make_code(table_number: int, randomness: Randomness) -> str:
    """Make a new code for the table with this number, 1 to 99.

    >>> make_code(7, lambda size: bytes(size))
    '7-acorn-acorn'
    """
    first, second = randomness(2)
    return f"{table_number}-{WORDS[first]}-{WORDS[second]}"


def make_table_number(randomness: Randomness) -> int:
    """Draw a table's number, 1 to 99, each as likely as the others."""
    while (number := randomness(1)[0] >> 1) >= TABLE_NUMBER_MAX:
        pass
    return number + 1


def parse_code(text: str) -> str:
    """Return the code that a person typed, in any case, with spaces, hyphens or nothing after the number.

    Raises BadCode, with a similar word as its hint where a word is unknown.

    >>> parse_code(" 7 Amber  FALCON"), parse_code("07-amber_falcon"), parse_code("7amber falcon")
    ('7-amber-falcon', '7-amber-falcon', '7-amber-falcon')
    """
    parts = [part for part in _SEPARATORS.split(re.sub(r"^\s*(\d+)", r"\1 ", text.casefold())) if part]
    if len(parts) != 3:
        raise BadCode(message("This is no join code."), _HINT)
    number, *words = parts
    if not (number.isascii() and number.isdigit() and len(number) <= 4 and 1 <= int(number) <= TABLE_NUMBER_MAX):
        raise BadCode(message("A join code begins with the table's number, 1 to {most}.", most=TABLE_NUMBER_MAX), _HINT)
    for word in words:
        if word not in WORDS:
            raise BadCode(
                message("{word!r} is none of the words of join codes.", word=clean(word, _SHOWN_MAX)), _near(word)
            )
    return f"{int(number)}-{'-'.join(words)}"


def _near(word: str) -> str:
    near = difflib.get_close_matches(word, WORDS, n=1)
    return message("Did you mean {word!r}?", word=near[0]) if near else _HINT
