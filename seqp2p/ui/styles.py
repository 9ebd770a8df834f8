"""The look: one table of every style by its name, for four palettes, and the signs in two character sets.

Nothing depends on colour alone: chips differ in shape, and lit, chosen, dead and last things have signs of their own.
``tests/ui/test_styles.py`` reads the table, and computes for true colour and for 256 colours: text has a contrast of at
least 4.5:1 with every background that it stands on, a chip 3:1 with every one around it, and two teams stay apart for
colour-blind eyes. In ``contrast``, for 16 colours, and in ``mono`` the signs alone tell teams.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

Rgb: TypeAlias = tuple[int, int, int]

COLUMNS: Final = ("dark", "light", "contrast", "mono")
AUTO: Final = "auto"
"""The palette that fits the terminal."""
TINTED: Final = ("dark", "light")
"""Those in which every square has a background."""

# The name, and how it looks in each palette, in prompt_toolkit's words for styles. Of several names the later one wins:
# a square has a tint, or the fill of its chip, and then the style of its text.
STYLES: Final[Mapping[str, tuple[str, str, str, str]]] = {
    # The page, where the terminal's own is not known to fit; and text on it.
    "page": ("bg:#15171a #e8e8e8", "bg:#fbfaf6 #1b1b1b", "", ""),
    "title": ("bold", "bold", "bold", "bold"),
    "bar": ("bg:#2a2f34", "bg:#eeeeee", "", ""),
    "dim": ("#a8a8a8", "#595959", "", ""),
    "rule": ("#8a8a8a", "#767676", "", ""),
    "label": ("#a8a8a8", "#595959", "bold", ""),
    "hand": ("bold", "bold", "bold", "bold"),
    "dead": ("#a8a8a8", "#595959", "", ""),
    "own": ("bold", "bold", "bold", "bold"),
    "turn": ("reverse", "reverse", "reverse", "reverse"),
    "away": ("#f0e442", "#6b5500", "bold", "bold"),
    "out": ("#a8a8a8 strike", "#595959 strike", "strike", "strike"),
    "log": ("", "", "", ""),
    "detail": ("#a8a8a8", "#595959", "", ""),
    "remark": ("#f0e442", "#6b5500", "bold", "bold"),
    "answer": ("#a0c8e0", "#0b4f7a", "bold", ""),
    "alarm": ("bg:#a02000 #ffffff bold", "bg:#a02000 #ffffff bold", "bg:ansired ansiwhite bold", "reverse bold"),
    "hint": ("#a0c8e0", "#0b4f7a", "bold", ""),
    "key": ("bold", "bold", "bold", "bold"),
    "prompt": ("bold", "bold", "bold", "bold"),
    "code": ("#f0e442 bold", "#6b5500 bold", "bold", "bold"),
    "done": ("#50d0a0", "#00603f", "bold", "bold"),
    "left": ("#8a8a8a", "#767676", "", ""),
    "chosen": ("reverse bold", "reverse bold", "reverse bold", "reverse bold"),
    # A team's sign on the page: in the list of seats.
    "chip.blue": ("#2c99f7 bold", "#1b2ff7 bold", "bg:ansiblue ansiwhite bold", "bold"),
    "chip.green": ("#4dfdc8 bold", "#2b8c77 bold", "bg:ansigreen ansiblack bold", "bold"),
    "chip.red": ("#ff4644 bold", "#850000 bold", "bg:ansired ansiwhite bold", "bold"),
    "chip.yellow": ("#ffff3e bold", "#96820c bold", "bg:ansiyellow ansiblack bold", "bold"),
    # A square with a chip, and one of a completed sequence, with the gap to the next one of its run.
    "fill.blue": ("bg:#2c99f7 #000000", "bg:#1b2ff7 #ffffff", "bg:ansiblue ansiwhite", "reverse"),
    "fill.green": ("bg:#4dfdc8 #000000", "bg:#2b8c77 #000000", "bg:ansigreen ansiblack", "reverse"),
    "fill.red": ("bg:#ff4644 #000000", "bg:#850000 #ffffff", "bg:ansired ansiwhite", "reverse"),
    "fill.yellow": ("bg:#ffff3e #000000", "bg:#96820c #000000", "bg:ansiyellow ansiblack", "reverse"),
    "made": ("bold", "bold", "bold", "bold"),
    # A single chip where tiles touch each other.
    "apart": ("underline", "underline", "underline", "underline"),
    # A square without a chip: the tint of its card, and the card's text on it or on the page.
    "tint.c": ("bg:#1c2b26", "bg:#e8f3ea", "", ""),
    "tint.d": ("bg:#36271c", "bg:#fcefdf", "", ""),
    "tint.h": ("bg:#361f26", "bg:#fde9e9", "", ""),
    "tint.s": ("bg:#1f2636", "bg:#e9eef8", "", ""),
    "tint.name": ("bg:#2a2f34", "bg:#eef0f2", "", ""),
    "tint.corner": ("bg:#3a3d43", "bg:#ebe7db", "", ""),
    "card.black": ("#f0f0f0", "#1b1b1b", "", ""),
    "card.red": ("#ffa592", "#a8201a", "", ""),
    "corner": ("#c8c8c8", "#4a4a4a", "bold", ""),
    # Marks of squares, each with a background and a text of its own. A lit one can have its card's text, as a tint.
    # Of recent moves the newest is 0.
    "lit": ("bg:#3a3a3a #ffffff bold", "bg:#e4e4e4 #1b1b1b bold", "bold underline", "bold underline"),
    "frame": ("bg:#3a3a3a #f4d9ff bold", "bg:#e4e4e4 #4b1a66 bold", "bold", "bold"),
    "cursor": ("bg:#f4d9ff #000000", "bg:#4b1a66 #ffffff", "reverse", "reverse"),
    "staged": ("bg:#f4d9ff #000000 bold", "bg:#4b1a66 #ffffff bold", "reverse bold", "reverse bold"),
    "wanted": ("bg:#4a4a00 #ffffff bold", "bg:#ffd0d8 #1b1b1b bold", "bg:ansimagenta ansiwhite bold", "underline"),
    "recent.0": ("bg:#ffffff #000000 bold", "bg:#000000 #ffffff bold", "reverse bold", "reverse bold"),
    "recent.1": ("bg:#c4c4c4 #000000", "bg:#454545 #ffffff", "reverse", "reverse"),
    "recent.2": ("bg:#8f8f8f #000000", "bg:#6e6e6e #ffffff", "bold", "bold"),
    "recent.3": ("bg:#5c5c5c #ffffff", "bg:#a8a8a8 #000000", "", ""),
}
TINTS_256: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": {"tint.c": "bg:#262626", "tint.d": "bg:#5f005f", "tint.h": "bg:#5f0000", "tint.s": "bg:#00005f"},
    "light": {"tint.c": "bg:#d7ffd7", "tint.d": "bg:#ffffd7", "tint.h": "bg:#ffd7ff", "tint.s": "bg:#d7ffff"},
}
"""The tints where a terminal has 256 colours: few are as dark or as light as a tint, and those of suits must differ."""
FILLS: Final = tuple(name for name in STYLES if name.startswith("fill."))
RECENT: Final = tuple(name for name in STYLES if name.startswith("recent."))
"""The marks of recent moves, the strongest first."""

DARK_MAX: Final = 0.04
LIGHT_MIN: Final = 0.80
"""The relative luminance of the backgrounds that the palettes for dark and for light terminals are read on."""
FEW_BITS: Final = 4
"""Bits of a colour on a terminal that has 16: no palette of many colours fits it."""
EIGHT_BITS: Final = 8
"""Those where it has 256."""
MIDDLE: Final = 0.18
"""Black and white have the same contrast with this luminance."""
# The first 16 colours of a terminal, as xterm has them.
_SIXTEEN: Final[tuple[Rgb, ...]] = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255)),
    (255, 255, 255),
)


def styles_of(palette: str, depth: int = 24) -> dict[str, str]:
    """Return the styles of a palette of ``COLUMNS`` by their names, and those of the edges of what they paint."""
    column = COLUMNS.index(palette)
    styles = {name: looks[column] for name, looks in STYLES.items()}
    if depth == EIGHT_BITS:
        styles |= TINTS_256.get(palette, {})
    return styles | {f"edge.{name}": _ground(look) for name, look in styles.items()}


def _ground(look: str) -> str:
    """Return the background of a style, as the colour of a sign."""
    return next((word.removeprefix("bg:") for word in look.split() if word.startswith("bg:")), "")


def styles_on(palette: str, background: Rgb | None, depth: int = 24) -> dict[str, str]:
    """Return the styles of one of ``COLUMNS``, or of ``AUTO``, by their names, on a terminal with this background.

    On an unknown background, and on one that the palette is not made for, everything stands on a page of its own: the
    style without a name.
    """
    light = None if background is None else _luminance(background)
    chosen = palette if palette != AUTO else "dark" if light is None or light < MIDDLE else "light"
    fits = light is not None and (light <= DARK_MAX if chosen == "dark" else light >= LIGHT_MIN)
    styles = styles_of(chosen, depth)
    return styles if fits else {"": styles["page"], **styles}


def with_chips(css: str) -> str:
    """Return a style sheet with the colours of the chips, where it has the comment ``/* chips: dark */`` or ``light``.

    >>> with_chips("/* chips: dark */")
    '--blue: #2c99f7; --green: #4dfdc8; --red: #ff4644; --yellow: #ffff3e;'
    """
    return re.sub(r"/\* chips: (dark|light) \*/", lambda found: _chips(found[1]), css)


def _chips(palette: str) -> str:
    styles = styles_of(palette)
    return " ".join(f"--{fill.removeprefix('fill.')}: {_ground(styles[fill])};" for fill in FILLS)


def background_hint(colorfgbg: str) -> Rgb | None:
    """Return the background that the variable COLORFGBG names, None if it names none.

    >>> background_hint("0;15"), background_hint("15;default;0"), background_hint("")
    ((255, 255, 255), (0, 0, 0), None)
    """
    number = colorfgbg.rpartition(";")[2]
    return _SIXTEEN[int(number)] if number.isdecimal() and int(number) < len(_SIXTEEN) else None


def _luminance(colour: Rgb) -> float:
    """Return the relative luminance of a colour, from 0 to 1, after WCAG 2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (each / 255 for each in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@dataclass(frozen=True, slots=True, eq=False)
class Glyphs:
    """The signs of one character set, each one cell wide; ``chips``, ``suits`` and ``lacks`` by name.

    ``lit`` are the four corners of a square; ``run`` a line to the right, down, falling, rising, and where lines cross.
    ``edge`` and ``lower`` are halves of a cell, ``cross`` two opposite quarters of it. ``pictures``: animals are shown
    as such. A sign that is left out is that of Unicode.
    """

    chips: Mapping[str, str]
    suits: Mapping[str, str]
    lacks: Mapping[str, str]
    corner: str = "★"
    cursor: tuple[str, str] = ("[", "]")
    lit: str = "▛▜▙▟"
    last: str = "»"
    recent: str = "›"
    run: str = "━┃╲╱╋"
    line: str = "~"
    turn: str = "▶"
    dead: str = "✗"
    edge: str = "▀"
    lower: str = "▄"
    cross: str = "▞"
    horizontal: str = "─"
    vertical: str = "│"
    full: str = "█"
    empty: str = "░"
    more: str = "…"
    pictures: bool = True


UNICODE: Final = Glyphs(
    chips=MappingProxyType({"blue": "●", "green": "▲", "red": "■", "yellow": "◆"}),
    suits=MappingProxyType({"C": "♣", "D": "♦", "H": "♥", "S": "♠"}),
    lacks=MappingProxyType({"blue": "○", "green": "△", "red": "□", "yellow": "◇"}),
)
ASCII: Final = Glyphs(
    chips=MappingProxyType({"blue": "B", "green": "G", "red": "R", "yellow": "Y"}),
    suits=MappingProxyType({"C": "C", "D": "D", "H": "H", "S": "S"}),
    lacks=MappingProxyType({"blue": "b", "green": "g", "red": "r", "yellow": "y"}),
    corner="*",
    lit="..''",
    last="<",
    recent=",",
    run="-|\\/+",
    turn=">",
    dead="x",
    edge=" ",
    lower=" ",
    cross="X",
    horizontal="-",
    vertical="|",
    full="#",
    empty=".",
    more="~",
    pictures=False,
)


@dataclass(frozen=True, slots=True)
class Taste:
    """A person's taste and terminal: a palette, the signs, bits of a colour (1, 4, 8 or 24), and the background.

    The background may not be known yet: the terminal is asked for it, if the palette depends on it.
    """

    palette: str = AUTO
    glyphs: Glyphs = UNICODE
    depth: int = 8
    background: Rgb | None = None

    @property
    def is_tinted(self) -> bool:
        return self._shown in (AUTO, *TINTED)

    @property
    def is_coloured(self) -> bool:
        return self._shown != "mono"

    @property
    def signs(self) -> Glyphs:
        """The signs for this palette: edges are only painted where every tile has a colour."""
        return self.glyphs if self.is_tinted else replace(self.glyphs, edge=" ")

    def styles(self, background: Rgb | None = None) -> dict[str, str]:
        """Return the styles by name, for the background that the terminal has told."""
        return styles_on(self._shown, background or self.background, self.depth)

    @property
    def _shown(self) -> str:
        """The palette that this terminal can show."""
        if self.depth == 1:
            return "mono"
        return "contrast" if self.depth == FEW_BITS and self.palette == AUTO else self.palette
