"""Large type: letters and digits of three by five dots, the suits of five by five."""

from typing import Final

_ROWS: Final = (
    (
        "ABCDEFGHIJKLM",
        ".#. ##. .## ##. ### ### .## #.# ### ..# #.# #.. #.#",
        "#.# #.# #.. #.# #.. #.. #.. #.# .#. ..# #.# #.. ###",
        "### ##. #.. #.# ##. ##. #.# ### .#. ..# ##. #.. ###",
        "#.# #.# #.. #.# #.. #.. #.# #.# .#. #.# #.# #.. #.#",
        "#.# ##. .## ##. ### #.. .## #.# ### .#. #.# ### #.#",
    ),
    (
        "NOPQRSTUVWXYZ",
        "##. .#. ##. .#. ##. .## ### #.# #.# #.# #.# #.# ###",
        "#.# #.# #.# #.# #.# #.. .#. #.# #.# #.# #.# #.# ..#",
        "#.# #.# ##. #.# ##. .#. .#. #.# #.# ### .#. .#. .#.",
        "#.# #.# #.. ##. #.# ..# .#. #.# #.# ### #.# .#. #..",
        "#.# .#. #.. .## #.# ##. .#. ### .#. #.# #.# .#. ###",
    ),
    (
        "0123456789-",
        "### .#. ##. ##. #.# ### .## ### ### ### ...",
        "#.# ##. ..# ..# #.# #.. #.. ..# #.# #.# ...",
        "#.# .#. .#. .#. ### ##. ### .#. ### ### ###",
        "#.# .#. #.. ..# ..# ..# #.# .#. #.# ..# ...",
        "### ### ### ##. ..# ##. ### .#. ### ##. ...",
    ),
    (
        "♣♦♥♠",
        "..#.. ..#.. .#.#. ..#..",
        ".###. .###. ##### .###.",
        "#.#.# ##### ##### #####",
        "##### .###. .###. #####",
        "..#.. ..#.. ..#.. ..#..",
    ),
)
_DOTS: Final = {
    character: [row.split()[at] for row in rows]
    for characters, *rows in _ROWS
    for at, character in enumerate(characters)
}
_HALVES: Final = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}


def large(text: str, *, ascii_only: bool = False, double: bool = False) -> list[str]:
    r"""The text in large type, four cells a character: three rows of half blocks, or five of ``#``.

    ``double`` has eight cells a character, and five rows.

    >>> print("\n".join(large("7-a")))
    ▀▀█     ▄▀▄
     █  ▀▀▀ █▀█
     ▀      ▀ ▀
    """
    letters = [_DOTS.get(character, ["..."] * 5) for character in text.upper()]
    rows = [" ".join(letter[row] for letter in letters) for row in range(5)]
    if double:
        rows = ["".join(2 * dot for dot in row) for row in rows]
    if ascii_only or double:
        return [row.replace(".", " ").replace("#", "#" if ascii_only else "█").rstrip() for row in rows]
    rows = [row.replace(" ", ".") for row in rows] + ["." * len(rows[0])]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(_HALVES[up + down] for up, down in zip(*pair, strict=True)).rstrip() for pair in pairs]
