"""Spaces that do not break a line: those that French puts next to its signs."""

import re
from typing import Final

# Of one column, and in no text that is shown: what comes from outside is escaped before.
HARD_SPACE: Final = "\udc20"
_BOUND: Final = re.compile("(?<=[^ ]) (?=[:;?!»%](?: |$))|(?<=«) ")


def bound(text: str) -> str:
    """The text with such spaces made hard.

    >>> [each.replace(HARD_SPACE, "_") for each in bound("le code : 7, « aide »").split(" ")]
    ['le', 'code_:', '7,', '«_aide_»']
    """
    return _BOUND.sub(HARD_SPACE, text)


def unbound(text: str) -> str:
    """The text with its hard spaces soft again.

    >>> unbound(bound("le code : 7"))
    'le code : 7'
    """
    return text.replace(HARD_SPACE, " ")
