"""Join codes: ``7-amber-falcon``, and ``7-4821937-5526041-amber-falcon`` with a meeting place at a relay.

The number names the table on a LAN; each word is 8 secret bits. Two words are enough against guessing, because a code
is burned after three tries (door.py), and an eavesdropper learns nothing, because SPAKE2 shows nothing to search
through. The code after a burned one has more words. The 14 digits between them name the place at a relay where host and
joiner meet (place.py); the relay is assumed to know them. So number, place and word count are public, and no two codes
of one table share all three. No code has more than six groups: it is read out on the phone.
"""

import difflib
import re
from collections.abc import Sequence
from typing import Final

from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message
from seqp2p.lobby.wordlist import WORDS
from seqp2p.net.errors import BadCode
from seqp2p.net.text import clean

TABLE_NUMBER_MAX: Final = 99
WORDS_MIN: Final = 2
WORDS_MAX: Final = 4
PLACE_WORDS_MAX: Final = 3
"""Words of a code with a meeting place, which takes two of the six groups."""
PLACE_DIGITS: Final = 14
"""10^14 places are more than 2^46."""
_GROUP: Final = 7
_HINT: Final = message("A code is a number and two to four words, as in 7-amber-falcon.")
_PLACE_HINT: Final = message("A code with a meeting place is like 7-4821937-5526041-amber-falcon.")
_SEPARATORS: Final = re.compile(r"[\s\-_.,‐‑‒–—]+")
_DIGITS: Final = re.compile(r"[\s\-_.,‐‑‒–—\d]*")
_SHOWN_MAX: Final = 20


def make_code(table_number: int, words: int, randomness: Randomness, place: str = "") -> str:
    """Make a new code of 2 to 4 words for the table with this number, 1 to 99, and this place of 14 digits, if any.

    >>> make_code(7, 2, lambda size: bytes(size)), make_code(7, 2, lambda size: bytes(size), "48219375526041")
    ('7-acorn-acorn', '7-4821937-5526041-acorn-acorn')
    """
    return _joined(table_number, place, [WORDS[index] for index in randomness(words)])


def public_part(code: str) -> tuple[int, int]:
    """Return a code's table number and its number of words.

    >>> public_part("7-amber-falcon-acorn"), public_part("7-4821937-5526041-amber-falcon")
    ((7, 3), (7, 2))
    """
    number, *groups = code.split("-")
    return int(number), sum(group.isalpha() for group in groups)


def place_of(code: str) -> str | None:
    """Return the 14 digits of a code's meeting place; None for a code without one.

    >>> place_of("7-4821937-5526041-amber-falcon"), place_of("7-amber-falcon")
    ('48219375526041', None)
    """
    return "".join(group for group in code.split("-")[1:] if group.isdigit()) or None


def make_table_number(randomness: Randomness) -> int:
    """Draw a table's number, 1 to 99, each as likely as the others."""
    while (number := randomness(1)[0] >> 1) >= TABLE_NUMBER_MAX:
        pass
    return number + 1


def make_place(randomness: Randomness) -> str:
    """Draw the 14 digits of a meeting place, each place as likely as the others."""
    while (place := int.from_bytes(randomness(6), "big") >> 1) >= 10**PLACE_DIGITS:
        pass
    return f"{place:0{PLACE_DIGITS}}"


def parse_code(text: str) -> str:
    """Return the code that a person typed, in any case, with spaces, hyphens or nothing before the words.

    The digits of a meeting place may be grouped in any way, apart from the table's number. Raises BadCode, with a
    similar word as its hint where a word is unknown.

    >>> parse_code(" 7 Amber  FALCON"), parse_code("07-amber_falcon"), parse_code("7amber falcon")
    ('7-amber-falcon', '7-amber-falcon', '7-amber-falcon')
    >>> parse_code("7 482 1937 552 6041 amber falcon")
    '7-4821937-5526041-amber-falcon'
    """
    text = text.casefold()
    split_at = _DIGITS.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    digits, words = _parts(text[:split_at]), _parts(text[split_at:])
    number = (digits or words or [""]).pop(0)
    if not WORDS_MIN <= len(words) <= (PLACE_WORDS_MAX if digits else WORDS_MAX):
        raise BadCode(message("This is no join code."), _PLACE_HINT if digits else _HINT)
    if not (number.isascii() and number.isdigit() and len(number) <= 4 and 1 <= int(number) <= TABLE_NUMBER_MAX):
        raise BadCode(message("A join code begins with the table's number, 1 to {most}.", most=TABLE_NUMBER_MAX), _HINT)
    place = "".join(digits)
    if digits and not (place.isascii() and place.isdigit() and len(place) == PLACE_DIGITS):
        raise BadCode(
            message("The meeting place in a join code has {count} digits after the number.", count=PLACE_DIGITS),
            _PLACE_HINT,
        )
    for word in words:
        if word not in WORDS:
            raise BadCode(
                message("{word!r} is none of the words of join codes.", word=clean(word, _SHOWN_MAX)), _near(word)
            )
    return _joined(int(number), place, words)


def _joined(number: int, place: str, words: Sequence[str]) -> str:
    groups = [place[:_GROUP], place[_GROUP:]] if place else []
    return "-".join([str(number), *groups, *words])


def _parts(text: str) -> list[str]:
    return [part for part in _SEPARATORS.split(text) if part]


def _near(word: str) -> str:
    near = difflib.get_close_matches(word, WORDS, n=1)
    return message("Did you mean {word!r}?", word=near[0]) if near else _HINT
