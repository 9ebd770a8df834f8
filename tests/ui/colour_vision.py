"""Colours as they are seen: contrast after WCAG 2, colour blindness after Machado 2009, distances after CIEDE2000."""

import math
from typing import Final, TypeAlias

Rgb: TypeAlias = tuple[int, int, int]
Lab: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

# On linear RGB, at full strength.
EYES: Final[dict[str, Matrix]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_XYZ: Final[Matrix] = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE: Final = (0.95047, 1.0, 1.08883)


def contrast(one: Rgb, other: Rgb) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted(_product(_XYZ, _linear(colour))[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab_seen(colour: Rgb, eyes: str) -> Lab:
    """Return a colour in CIELAB as these eyes see it."""
    seen = tuple(min(1.0, max(0.0, part)) for part in _product(EYES[eyes], _linear(colour)))
    x, y, z = (_cube_root(part / white) for part, white in zip(_product(_XYZ, seen), _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Lab, other: Lab) -> float:
    """Return the distance of two colours that are seen."""
    grey = _chroma_weight((math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2)
    (l1, c1, h1), (l2, c2, h2) = (_lch(lab, 1.5 - grey / 2) for lab in (one, other))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    hue = h1 + turn / 2 if c1 * c2 else h1 + h2
    cosines = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    weight = 1 + sum(share * math.cos(math.radians(times * hue + off)) for share, times, off in cosines)
    d_l = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2))
    d_c = (c2 - c1) / (1 + 0.045 * chroma)
    d_h = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    bend = -2 * _chroma_weight(chroma) * math.sin(math.radians(60 * math.exp(-((((hue % 360) - 275) / 25) ** 2))))
    return math.sqrt(d_l**2 + d_c**2 + d_h**2 + bend * d_c * d_h)


def _linear(colour: Rgb) -> tuple[float, ...]:
    parts = (part / 255 for part in colour)
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def _product(matrix: Matrix, vector: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def _cube_root(part: float) -> float:
    return part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def _lch(lab: Lab, stretch: float) -> Lab:
    a = lab[1] * stretch
    return lab[0], math.hypot(a, lab[2]), math.degrees(math.atan2(lab[2], a)) % 360


def _chroma_weight(chroma: float) -> float:
    return math.sqrt(chroma**7 / (chroma**7 + 25.0**7))
