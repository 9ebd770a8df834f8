"""Names of players compared by their looks: letters of several scripts, or of one, may show as one.

The characters that show as one are from Unicode (confusables.txt of UTS 39), by the library confusable_homoglyphs.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Final, cast

from seqp2p.match.table import numbered_name

BOT_NAME: Final = "bot"
"""The name of a called bot; the lobby adds the number of its seat."""
_NUMBERED_BOT = re.compile(f"{BOT_NAME} [1-9][0-9]*")
_NUMBERS = range(2, 13)
"""Those that a lobby adds: a table has at most twelve players."""
_MARK = "\u200e"
"""The library writes this direction mark around characters of scripts that run to the left."""


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
    made = (numbered_name(other, number) for other in others for number in _NUMBERS)
    return any(look_alike(name, each) for each in made)


@lru_cache(4_096)
def _looks(name: str) -> frozenset[str]:
    """Return the looks of a name, as it is and in lower case: `I` looks like `l`, and `i` does not."""
    plain = unicodedata.normalize("NFKD", name)
    return frozenset("".join(map(_look, text)) for text in (plain, unicodedata.normalize("NFKD", plain.casefold())))


@lru_cache(4_096)
def _look(character: str) -> str:
    """Return one text for all characters, and pairs of them, that show as this one."""
    group = _group(character)
    several = sorted(text for text in group if len(text) > 1)
    return "".join(min(_group(each)) for each in several[0]) if several else min(group)


def _group(character: str) -> set[str]:
    group, due = {character}, [character]
    while due:
        new = {text for text in _confusable(due.pop()) if text not in group}
        group |= new
        due += [text for text in new if len(text) == 1]
    return group


@lru_cache(4_096)
def _confusable(character: str) -> frozenset[str]:
    # It reads its tables when it is imported, in some 0.1 s: only a table with two players needs them.
    from confusable_homoglyphs import confusables

    found: list[dict[str, Any]] = cast("Any", confusables).is_confusable(character, greedy=True) or []
    texts: list[str] = [glyph["c"] for each in found for glyph in each["homoglyphs"]]
    return frozenset(text.replace(_MARK, "") for text in texts)
