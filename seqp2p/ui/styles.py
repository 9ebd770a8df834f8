"""The look: every style by its name, in three palettes, and the signs in two character sets.

Nothing depends on colour alone: chips differ in shape, and lit, chosen, dead and last things have signs of their own.
The colours of the first palette are Okabe and Ito's, which stay apart for colour-blind eyes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

PALETTES: Final = ("default", "contrast", "mono")

# Name → how it looks in each palette, in prompt_toolkit's words for styles.
STYLES: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "title": ("bold", "bold", "bold"),
        "dim": ("#808080", "", ""),
        "rule": ("#606060", "", ""),
        "label": ("#808080", "bold", ""),
        "card.black": ("", "", ""),
        "card.red": ("#e08060", "", ""),
        "corner": ("#808080", "bold", ""),
        "chip.blue": ("#56b4e9 bold", "ansibrightblue bold", "bold"),
        "chip.green": ("#00b888 bold", "ansibrightgreen bold", "bold"),
        "chip.red": ("#e8701a bold", "ansibrightred bold", "bold"),
        "chip.yellow": ("#f0e442 bold", "ansibrightyellow bold", "bold"),
        "made": ("underline", "underline", "underline"),
        "last": ("italic bold", "bold", "bold"),
        "lit": ("bg:#3a3a10 #ffffff", "bg:ansiyellow ansiblack", "reverse"),
        "cursor": ("reverse", "reverse", "reverse"),
        "staged": ("reverse bold", "reverse bold", "reverse bold"),
        "hand": ("bold", "bold", "bold"),
        "chosen": ("reverse bold", "reverse bold", "reverse bold"),
        "dead": ("#808080", "", ""),
        "own": ("bold", "bold", "bold"),
        "turn": ("reverse", "reverse", "reverse"),
        "away": ("#f0e442", "ansibrightyellow", "bold"),
        "out": ("#808080 strike", "strike", "strike"),
        "log": ("", "", ""),
        "remark": ("#f0e442", "bold", "bold"),
        "answer": ("#a0c8e0", "bold", ""),
        "alarm": ("bg:#a02000 #ffffff bold", "bg:ansired ansiwhite bold", "reverse bold"),
        "hint": ("#a0c8e0", "bold", ""),
        "key": ("bold", "bold", "bold"),
        "prompt": ("bold", "bold", "bold"),
        "code": ("#f0e442 bold", "bold", "bold"),
        "done": ("#00b888", "bold", "bold"),
        "left": ("#606060", "", ""),
    }
)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of one character set, each one cell wide. ``chips`` and ``suits`` by name."""

    chips: Mapping[str, str]
    suits: Mapping[str, str]
    corner: str
    cursor: tuple[str, str]
    lit: str
    last: str
    made: str
    turn: str
    dead: str
    horizontal: str
    vertical: str
    full: str
    empty: str
    more: str


UNICODE: Final = Glyphs(
    chips=MappingProxyType({"blue": "●", "green": "▲", "red": "■", "yellow": "◆"}),
    suits=MappingProxyType({"C": "♣", "D": "♦", "H": "♥", "S": "♠"}),
    corner="★",
    cursor=("[", "]"),
    lit="·",
    last="‹",
    made="=",
    turn="▶",
    dead="✗",
    horizontal="─",
    vertical="│",
    full="█",
    empty="░",
    more="…",
)
ASCII: Final = Glyphs(
    chips=MappingProxyType({"blue": "B", "green": "G", "red": "R", "yellow": "Y"}),
    suits=MappingProxyType({"C": "C", "D": "D", "H": "H", "S": "S"}),
    corner="*",
    cursor=("[", "]"),
    lit=".",
    last="<",
    made="=",
    turn=">",
    dead="x",
    horizontal="-",
    vertical="|",
    full="#",
    empty=".",
    more="~",
)
