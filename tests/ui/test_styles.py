"""The table of styles: text can be read, and teams stay apart, for all eyes, in true colour and in 256 colours."""

import itertools
import re
from collections.abc import Callable
from importlib.resources import files
from typing import TypeAlias

import pytest
from prompt_toolkit.output.vt100 import _256_colors
from prompt_toolkit.styles import Style

from seqp2p.rules import VARIANTS
from seqp2p.ui.styles import ASCII, AUTO, COLUMNS, FILLS, RECENT, STYLES, UNICODE, styles_of, styles_on, with_chips
from tests.ui.colour_vision import EYES, Rgb, ciede2000, contrast, lab_seen

Depth: TypeAlias = Callable[[Rgb], Rgb]
TEXT, CHIP, TEAMS, SUITS = 4.5, 2.98, 20.0, 6.0
PAGES = {
    "dark": ("#000000", "#1e1e1e", "#282c34", "#2e3440", "#002b36", "#383838"),
    "light": ("#ffffff", "#fdf6e3", "#f5f5f5", "#eeeeee", "#e8e8e8"),
}
"""The backgrounds of terminals on which a palette is used."""
COLOURS = sorted({colour for variant in VARIANTS.values() for colour in variant.colours})
TINTS = (*(name for name in STYLES if name.startswith("tint.")), "lit")
ON_TINTS = ("card.black", "card.red", "corner")
"""The text on a tint. All other text stands on the page, or has a background of its own."""
DECORATION = {"rule", "left"}


def true_colour(colour: Rgb) -> Rgb:
    return colour


def one_of_256(colour: Rgb) -> Rgb:
    """Return the colour that the terminal is told where it has 256."""
    return _256_colors.colors[_256_colors[colour]]


def colours(palette: str, names: str, depth: Depth = true_colour) -> tuple[str, str]:
    """Return text and background of styles, in six digits; empty for the terminal's own."""
    styles = styles_of(palette, 8 if depth is one_of_256 else 24)
    attrs = Style.from_dict(styles).get_attrs_for_style_str(" ".join(f"class:{name}" for name in names.split()))
    return attrs.color or "", attrs.bgcolor or ""


def rgb(digits: str) -> Rgb:
    digits = digits.removeprefix("#")
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


every_depth = pytest.mark.parametrize("depth", [true_colour, one_of_256])
both = pytest.mark.parametrize("palette", ["dark", "light"])


@both
def test_the_pages_are_those_on_which_a_palette_is_used(palette: str) -> None:
    own = colours(palette, "page")[1]
    for page in (*PAGES[palette], own):
        assert "" not in styles_on(AUTO, rgb(page)), page
        assert styles_on(AUTO, rgb(page)) == styles_of(palette), page
    step = 1 if palette == "dark" else -1
    beyond = tuple(part + step for part in rgb(PAGES[palette][-1]))
    assert "" in styles_on(AUTO, (beyond[0], beyond[1], beyond[2])), "the last page is the limit"


@both
@every_depth
def test_text_can_be_read_on_the_page_and_on_its_own_background(palette: str, depth: Depth) -> None:
    for name in STYLES:
        text, ground = colours(palette, name, depth)
        if not text:
            continue
        least = CHIP if name in DECORATION or name.startswith("chip.") else TEXT
        for page in (ground,) if ground else PAGES[palette]:
            assert contrast(depth(rgb(text)), depth(rgb(page))) >= least, (name, page)


@both
@every_depth
def test_a_cards_text_can_be_read_on_every_tint(palette: str, depth: Depth) -> None:
    for tint, name in itertools.product(TINTS, ON_TINTS):
        text, ground = colours(palette, f"{tint} {name}", depth)
        assert contrast(depth(rgb(text)), depth(rgb(ground))) >= TEXT, (tint, name)


@both
def test_four_suits_and_a_lit_square_stay_apart_in_256_colours(palette: str) -> None:
    names = [*(f"tint.{suit}" for suit in "cdhs"), "lit"]
    seen = [lab_seen(one_of_256(rgb(colours(palette, name, one_of_256)[1])), "all cones") for name in names]
    assert min(ciede2000(one, other) for one, other in itertools.combinations(seen, 2)) >= SUITS


@both
@every_depth
def test_a_chip_stands_out_from_every_square_around_it(palette: str, depth: Depth) -> None:
    grounds = [colours(palette, tint, depth)[1] for tint in TINTS] + list(PAGES[palette])
    for fill, ground in itertools.product(FILLS, grounds):
        assert contrast(depth(rgb(colours(palette, fill, depth)[1])), depth(rgb(ground))) >= CHIP, (fill, ground)


@both
@every_depth
@pytest.mark.parametrize("eyes", EYES)
def test_two_teams_stay_apart(palette: str, depth: Depth, eyes: str) -> None:
    seen = {colour: lab_seen(depth(rgb(colours(palette, f"fill.{colour}")[1])), eyes) for colour in COLOURS}
    for one, other in itertools.combinations(COLOURS, 2):
        assert ciede2000(seen[one], seen[other]) >= TEAMS, (one, other)


@both
def test_a_sign_on_the_page_has_the_colour_of_the_chip(palette: str) -> None:
    for colour in COLOURS:
        assert colours(palette, f"chip.{colour}")[0] == colours(palette, f"fill.{colour}")[1]


@both
@every_depth
def test_a_newer_move_is_marked_more_strongly(palette: str, depth: Depth) -> None:
    page = rgb(PAGES[palette][0])
    strengths = [contrast(depth(rgb(colours(palette, name)[1])), page) for name in RECENT]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == len(RECENT)


@pytest.mark.parametrize("sheet", ["picture.css", "viewer/viewer.css"])
def test_pictures_and_pages_have_the_same_chips(sheet: str) -> None:
    css = with_chips((files("seqp2p.ui") / sheet).read_text("ascii"))
    # The light colours come first, those of the dark scheme after them.
    for palette, part in zip(("light", "dark"), css.split("prefers-color-scheme"), strict=True):
        ground = re.findall(r"--(?:cell|corner|page): (#\w{6})", part)
        assert len(ground) == 3
        for fill in FILLS:
            chip = colours(palette, fill)[1]
            assert f"--{fill.removeprefix('fill.')}: #{chip};" in part
            assert all(contrast(rgb(chip), rgb(each)) >= CHIP for each in ground[:2]), (fill, palette)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_without_colours_signs_tell_teams(glyphs: object) -> None:
    assert isinstance(glyphs, type(UNICODE))
    assert set(glyphs.chips) == set(COLOURS)
    assert len(set(glyphs.chips.values())) == len(COLOURS)


def test_no_palette_for_fewer_colours_names_one_of_many() -> None:
    for palette in ("contrast", "mono"):
        assert palette in COLUMNS
        for name in STYLES:
            for colour in colours(palette, name):
                assert not colour or (palette == "contrast" and colour.startswith("ansi")), (palette, name)


def test_the_distance_is_that_of_the_published_examples() -> None:
    # From Sharma, Wu and Dalal 2005, table 1.
    assert ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert ciede2000((50, -1.0, 2.0), (50, 0.0, 0.0)) == pytest.approx(2.3669, abs=1e-4)
    assert ciede2000((50, 2.5, 0), (73, 25, -18)) == pytest.approx(27.1492, abs=1e-4)
    assert ciede2000((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286)) == pytest.approx(0.6377, abs=1e-4)
