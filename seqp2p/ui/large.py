"""Large type, for what people read aloud: letters five dots high, two dots in a cell."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Five rows of three dots for every character that a join code can have.
_DOTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "A": ".#. #.# ### #.# #.#",
        "B": "##. #.# ##. #.# ##.",
        "C": ".## #.. #.. #.. .##",
        "D": "##. #.# #.# #.# ##.",
        "E": "### #.. ##. #.. ###",
        "F": "### #.. ##. #.. #..",
        "G": ".## #.. #.# #.# .##",
        "H": "#.# #.# ### #.# #.#",
        "I": "### .#. .#. .#. ###",
        "J": "..# ..# ..# #.# .#.",
        "K": "#.# #.# ##. #.# #.#",
        "L": "#.. #.. #.. #.. ###",
        "M": "#.# ### ### #.# #.#",
        "N": "##. #.# #.# #.# #.#",
        "O": ".#. #.# #.# #.# .#.",
        "P": "##. #.# ##. #.. #..",
        "Q": ".#. #.# #.# ##. .##",
        "R": "##. #.# ##. #.# #.#",
        "S": ".## #.. .#. ..# ##.",
        "T": "### .#. .#. .#. .#.",
        "U": "#.# #.# #.# #.# ###",
        "V": "#.# #.# #.# #.# .#.",
        "W": "#.# #.# ### ### #.#",
        "X": "#.# #.# .#. #.# #.#",
        "Y": "#.# #.# .#. .#. .#.",
        "Z": "### ..# .#. #.. ###",
        "0": "### #.# #.# #.# ###",
        "1": ".#. ##. .#. .#. ###",
        "2": "##. ..# .#. #.. ###",
        "3": "##. ..# .#. ..# ##.",
        "4": "#.# #.# ### ..# ..#",
        "5": "### #.. ##. ..# ##.",
        "6": ".## #.. ### #.# ###",
        "7": "### ..# .#. .#. .#.",
        "8": "### #.# ### #.# ###",
        "9": "### #.# ### ..# ##.",
        "-": "... ... ### ... ...",
    }
)
_HALVES: Final = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}


def large(text: str, *, ascii_only: bool = False) -> list[str]:
    r"""The text in large type, four cells a character: three rows of half blocks, or five of ``#``.

    >>> print("\n".join(large("7-a")))
    ▀▀█     ▄▀▄
     █  ▀▀▀ █▀█
     ▀      ▀ ▀
    """
    letters = [_DOTS.get(character, "... ... ... ... ...").split() for character in text.upper()]
    rows = [" ".join(letter[row] for letter in letters) for row in range(5)]
    if ascii_only:
        return [row.replace(".", " ").rstrip() for row in rows]
    rows = [row.replace(" ", ".") for row in rows] + ["." * len(rows[0])]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(_HALVES[up + down] for up, down in zip(*pair, strict=True)).rstrip() for pair in pairs]
