"""Names of players compared by their looks: letters of several scripts, or of one, may show as one.

The characters that show as one are from Unicode (confusables.txt of UTS 39), in the file of confusable_homoglyphs.
Names of ASCII need none of it.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache
from pkgutil import get_data
from typing import Final

import msgspec

from seqp2p.match.table import numbered_name
from seqp2p.match.text import MARKS

BOT_NAME: Final = "bot"
"""The name of a called bot; the lobby adds the number of its seat."""
_NUMBERED_BOT = re.compile(f"{BOT_NAME} [1-9][0-9]*")
_NUMBERS = frozenset(map(str, range(2, 13)))
"""Those that a lobby adds: a table has at most twelve players."""
_ASCII = str.maketrans({'"': "''", "I": "1", "O": "0", "`": "'", "d": "c1", "l": "1", "m": "rn", "w": "vv", "|": "1"})
"""The looks of ASCII. Unicode has all but two: `d` and `w` look like pairs of letters in most fonts."""
_UNSEEN = str.maketrans("", "", "\U0001d159\U00016fe4")
"""A name may hold them, and they show nothing: an empty notehead, and a filler of Khitan."""
_AT_END = " .,\u00b7"
_DIRECTION = rb"\u200e"
"""The file writes this mark around characters of scripts that run to the left."""


def look_alike(one: str, other: str) -> bool:
    """Return True if a player may take one name for the other; upper and lower case count as one.

    >>> look_alike("ann", "\u0430nn"), look_alike("Bill", "BiIl"), look_alike("tom", "torn"), look_alike("ann", "anna")
    (True, True, True, False)
    """
    return not _looks(one).isdisjoint(_looks(other))


def is_bot_name(name: str) -> bool:
    """Return True for the name of a called bot. It has a new key in each game, so its name says nothing of a player."""
    return _NUMBERED_BOT.fullmatch(name) is not None


def is_numbered(name: str, others: Collection[str]) -> bool:
    """Return True if the lobby may have added the number at the end: another player has the name before it.

    >>> is_numbered("ann 2", ["bob", "ann"]), is_numbered("ann 2", ["bob"])
    (True, False)
    """
    stem, _, number = name.rpartition(" ")
    return number in _NUMBERS and any(look_alike(stem, numbered_name(other, 2)[:-2]) for other in others)


@lru_cache(4_096)
def _looks(name: str) -> frozenset[str]:
    """Return the looks of a name: as it is, in lower and in upper case, each with all its marks and with its own alone.

    `I` looks like `l`, and `i` does not.
    """
    plain = unicodedata.normalize("NFKC", name.translate(_UNSEEN))
    cases = {unicodedata.normalize("NFKC", case) for case in (plain, plain.casefold(), plain.upper())}
    return frozenset(map(_look, cases | set(map(_without_marks, cases))))


def _without_marks(text: str) -> str:
    """Return a composed text without the marks that compose with nothing; a letter keeps those of its own script."""
    kept, script = list[str](), ""
    for character in text:
        own = unicodedata.name(character, "").partition(" ")[0]
        if ord(character) not in MARKS:
            script = own
        elif own != script:
            continue
        kept.append(character)
    return "".join(kept)


def _look(text: str) -> str:
    """Return one text for all that show as this one, in any mix of cases."""
    if not text.isascii():
        shown = _shown()
        text = "".join(shown.get(character, character) for character in unicodedata.normalize("NFKD", text))
    return text.translate(_ASCII).casefold().strip(" ").rstrip(_AT_END)


class _Glyph(msgspec.Struct):
    c: str


@cache
def _shown() -> dict[str, str]:
    """Return the text that stands for a character, for those that show as others do."""
    import confusable_homoglyphs

    # The library itself would keep the whole file, 8 MB.
    data = get_data(confusable_homoglyphs.__name__, "confusables.json") or b"{}"
    rows = msgspec.json.decode(data.replace(_DIRECTION, b""), type=dict[str, msgspec.Raw])
    groups = dict[str, set[str]]()
    for text, row in rows.items():
        texts = {text, *(glyph.c for glyph in msgspec.json.decode(row, type=list[_Glyph]))}
        group = texts.union(*(groups.get(each, ()) for each in texts))
        groups.update(dict.fromkeys(group, group))
    single = (
        text for text in groups if len(text) == 1 and not text.isascii() and unicodedata.is_normalized("NFKD", text)
    )
    return {text: shown for text in single if (shown := _of_group(groups[text], groups)) != text}


def _of_group(group: set[str], groups: dict[str, set[str]]) -> str:
    """Return what stands for a group: its ASCII character, else its text of several, else its first character."""
    first, several = _first(group), max(group, key=len)
    if first.isascii() or len(several) == 1:
        return first
    return "".join(_first(groups.get(each, {each})) for each in unicodedata.normalize("NFKD", several))


def _first(group: set[str]) -> str:
    return min(text for text in group if len(text) == 1)
