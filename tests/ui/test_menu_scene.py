"""The menu on the screen: how it looks, and what its keys, clicks and words give."""

import pytest

from seqp2p.i18n import Term
from seqp2p.ui import language
from seqp2p.ui.menu_scene import MenuRow, MenuScene
from seqp2p.ui.scene import LogLine, Page
from seqp2p.ui.styles import ASCII, UNICODE, Glyphs
from tests.ui.kept import check_screen

LEVELS = (Term("level", "easy"), Term("level", "normal"))


def menu() -> MenuScene:
    rows = (
        MenuRow("Continue", ("resume", "0123"), note="with Carl, 6 turns, 17:22"),
        MenuRow("Play against bots", ("play",), "--bots", (1, 2, 3), LEVELS, level=1),
        MenuRow("Host a table", ("host",), "--players", (2, 3)),
        MenuRow("Join a table", ("join",)),
    )
    return MenuScene(rows, ("join", "host", "play", "verify"), first=0)


@pytest.mark.parametrize(("name", "glyphs"), [("menu-80x24", UNICODE), ("menu-ascii-80x24", ASCII)])
def test_screens_look_as_they_did(name: str, glyphs: Glyphs) -> None:
    frame = menu().painter(Page((LogLine("answer", "no such command: plya"),), glyphs))(80, 23)
    check_screen(name, frame.lines)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("enter", "resume 0123"),
        ("down enter", "play"),
        ("down right right right left enter", "play --bots 3"),
        ("down right left tab space", "play --bot easy"),
        ("down down right tab enter", "host --players 3"),
        ("up left enter", "join"),
        ("f5 q", "q"),
        ("?", "?"),
    ],
)
def test_keys(keys: str, line: str) -> None:
    scene = menu()
    *before, last = keys.split()
    assert [scene.press(key) for key in before] == [None] * len(before)
    assert scene.press(last) == line


@pytest.mark.parametrize(
    ("typed", "line"),
    [("p", "play"), (" H ", "host"), ("0", "resume 0123"), ("3", "join"), ("4", "4"), ("verify x", "verify x")],
)
def test_words(typed: str, line: str) -> None:
    assert menu().enter(typed) == line


def test_letters_can_be_typed_on_any_keyboard() -> None:
    rows = [MenuRow(text, ("rules",)) for text in ("Regarder", "Règles", "Réglages", "État", "q")]
    assert MenuScene(rows, ()).letters == ("r", "e", "g", "t", "")


def test_a_long_menu_scrolls_and_the_chosen_row_is_shown_in_full() -> None:
    rows = [MenuRow(f"{number} " + "long " * 20, ("show", str(number))) for number in range(1, 21)]
    scene = MenuScene(rows, (), numbers=[str(number) for number in range(1, 21)])
    assert scene.press("up") is None
    shown = [line.rstrip() for line in scene.painter(Page())(80, 20).lines]
    assert [line[3:5] for line in shown[6:15]] == [str(number) for number in range(12, 21)]
    assert shown[14] == " > 20 20" + " long" * 14 + "…"
    assert shown[16:18] == [" 20" + " long" * 15, "   long long long long long   seqp2p show 20"]
    assert (scene.enter("7"), scene.enter("l")) == ("show 7", "l")
    assert scene.painter(Page())(140, 50).lines[12].split() == ["7", *rows[6].text.split(), *["seqp2p", "show", "7"]]


def test_numbers_of_rows_can_have_gaps() -> None:
    scene = MenuScene([MenuRow("", ("show", number)) for number in "13"], (), numbers="13")
    assert [line[3:4] for line in scene.painter(Page())(80, 20).lines[6:8]] == ["1", "3"]
    assert (scene.enter("3"), scene.enter("2")) == ("show 3", "2")


def test_a_command_keeps_the_language_that_was_typed() -> None:
    language.use("fr", usual="en")
    assert MenuRow("", ("play",)).line == "seqp2p play --lang fr"
    language.use("en")
    assert MenuRow("", ("play",)).line == "seqp2p play"


def test_clicks_and_completions() -> None:
    scene = menu()
    assert (scene.click(("row", 3)), scene.click(("row", 3))) == (None, "join")
    assert scene.click(("elsewhere", 0)) is None
    assert list(scene.completions("V")) == ["verify"]
