"""Pictures of boards: every chip in its place and shape, all text escaped, files that stand alone."""

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from seqp2p.replay.playback import Playback
from seqp2p.rules import CLASSIC, KIDS, Variant, squares_of, view
from seqp2p.ui.board_model import board_model
from seqp2p.ui.picture import board_svg, heat_map_svg
from tests.ui.replays import playback

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {"blue": "circle", "green": "polygon", "red": "rect", "yellow": "polygon"}


def last_board(name: str) -> tuple[Variant, str, Playback]:
    shown = playback(name)
    assert shown.agreement is not None
    position, settings = shown.moments[-1].position, shown.agreement.settings
    assert position is not None
    model = board_model(view(position, 0), settings.colours)
    return settings.rules, board_svg(settings.rules, model, "A & B <1>", ["one", "two"], [("blue", "ann")]), shown


def stands_alone(text: str) -> None:
    assert text.isascii()
    assert "href" not in text
    assert "url(" not in text
    assert "<script" not in text
    assert re.findall("https?://[^\"']*", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme: dark" in text


@pytest.mark.parametrize("name", ["kids-3", "classic-4-options", "classic-3-dropped"])
def test_every_chip_is_where_the_engine_has_it(name: str) -> None:
    variant, text, shown = last_board(name)
    stands_alone(text)
    root = ET.fromstring(text)
    position = shown.moments[-1].position
    assert position is not None
    assert shown.agreement is not None
    colours = shown.agreement.settings.colours
    squares = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    assert len(squares) == len(variant.board.grid)
    for team, chips in enumerate(position.chips):
        for square in squares_of(chips):
            chip = next(each for each in squares[square].iter() if each.get("class") == f"chip {colours[team]}")
            assert chip.tag == SVG + SHAPES[colours[team]]
            assert f"{colours[team]} chip" in (squares[square].findtext(f"{SVG}title") or "")
    shapes = Counter(each.get("class") for each in root.iter() if (each.get("class") or "").startswith("chip "))
    shapes["chip blue"] -= 1  # The one beside ann's name.
    assert +shapes == Counter(
        {f"chip {colour}": chips.bit_count() for colour, chips in zip(colours, position.chips, strict=True)}
    )
    made = {square for sequence in position.sequences for square in sequence.squares}
    with_chip = [square for square in made if any(chips >> square & 1 for chips in position.chips)]
    assert sum(each.get("class") == "made" for each in root.iter()) == len(with_chip)


def test_text_is_escaped() -> None:
    variant, text, _ = last_board("kids-3")
    root = ET.fromstring(text)
    assert root.findtext(f"{SVG}title") == "A & B <1>"
    assert root.findtext(f"{SVG}desc") == "one. two"
    position = playback("kids-3").moments[1].position
    assert position is not None
    hostile = '"><script>alert(1)</script>&amp;\N{SNOWMAN}'
    board = board_model(view(position, 0), ("red", "yellow", "green"))
    drawn = board_svg(variant, board, hostile, [hostile], [("red", hostile)])
    stands_alone(drawn)
    assert [each.text for each in ET.fromstring(drawn).iter() if each.text == hostile] == [hostile] * 4


def test_a_long_line_is_broken() -> None:
    variant, _, shown = last_board("kids-3")
    position = shown.moments[-1].position
    assert position is not None
    board = board_model(view(position, 0), ("red", "yellow", "green"))
    lines = ET.fromstring(board_svg(variant, board, "", ["word " * 60])).findall(f"{SVG}text")
    assert sum((line.text or "").strip().startswith("word") for line in lines) > 3


def test_animals_by_the_readers_names(french: None) -> None:
    text = last_board("kids-3")[1]
    assert "a2: grenouille, " in text
    assert ">kangourou</text>" in text


def test_a_heat_map() -> None:
    counts = [*range(100)]
    text = heat_map_svg([(CLASSIC, counts), (KIDS, [0] * 42)])
    stands_alone(text)
    root = ET.fromstring(text)
    heats = [float(each.get("fill-opacity") or 0) for each in root.iter() if each.get("class") == "heat"]
    assert len(heats) == 96 + 38
    assert heats[:96] == sorted(heats[:96])
    assert heats[96:] == [0.0] * 38
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert "Sequence: 4,950 chips placed" in words
    assert "98" in words
    assert ET.fromstring(heat_map_svg([])).tag == f"{SVG}svg"
