"""Join codes, as in ``7-amber-falcon``: the table's number, and two to four secret words.

The number names the table; each word is 8 secret bits. Two words are enough against guessing, because a code is burned
after three tries (door.py), and an eavesdropper learns nothing, because SPAKE2 shows nothing to search through. The
code after a burned one has more words. Number and word count are public; no two codes of one table share both.
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
WORDS_MIN: Final = 2
WORDS_MAX: Final = 4
_HINT: Final = message("A code is a number and two to four words, as in 7-amber-falcon.")
_SEPARATORS: Final = re.compile(r"[\s\-_.,‐‑‒–—]+")
_SHOWN_MAX: Final = 20


def make_code(table_number: int, words: int, randomness: Randomness) -> str:
    """Make a new code of 2 to 4 words for the table with this number, 1 to 99.

    >>> make_code(7, 2, lambda size: bytes(size))
    '7-acorn-acorn'
    """
    return "-".join([str(table_number), *(WORDS[index] for index in randomness(words))])


def public_part(code: str) -> tuple[int, int]:
    """Return a code's table number and its number of words.

    >>> public_part("7-amber-falcon-acorn")
    (7, 3)
    """
    number, *words = code.split("-")
    return int(number), len(words)


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
    if not WORDS_MIN <= len(parts) - 1 <= WORDS_MAX:
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
