"""A replay on the screen and by words: what is shown, where keys, clicks and words lead."""

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.cli.moments import frames_of, review_of
from seqp2p.replay.playback import play_back
from seqp2p.rules import KIDS, UNKNOWN
from seqp2p.ui import language
from seqp2p.ui.replay_browser import (
    ALL,
    HIDDEN,
    MOVED,
    PACES_S,
    WORDS,
    ReplayBrowser,
    ReplayFrames,
    hand_text,
    shown,
    word_of,
)
from seqp2p.ui.scene import Page
from seqp2p.ui.show_scene import ShowScene
from seqp2p.ui.styles import ASCII, UNICODE, styles_of

REPLAYS = Path(__file__).parents[2] / "replays"
SMALL = REPLAYS.parent / "protocol" / "replays"
SCREENS = Path(__file__).parent / "screens"
NAMES = sorted(path.stem for path in REPLAYS.glob("*.seqp2p"))
# Size of the page, moment, and the lines typed before: each is a golden screen.
GOLDEN = {
    "show-2": ("classic-2", 100, 80, 23, UNICODE, ()),
    "show-12": ("classic-12", 30, 80, 23, UNICODE, ()),
    "show-6-wide": ("classic-6", 88, 120, 39, UNICODE, ()),
    "show-12-wide": ("classic-12", 61, 120, 39, UNICODE, ()),
    "show-kids": ("kids-3", 20, 80, 23, UNICODE, ("hands 2",)),
    "show-kids-wide": ("kids-3", 34, 130, 39, UNICODE, ()),
    "show-ascii": ("classic-4-table-talk", 30, 80, 23, ASCII, ("play",)),
    "show-dropped": ("classic-3-dropped", 54, 80, 23, UNICODE, ("hands none",)),
    "show-help": ("classic-2", 3, 80, 23, UNICODE, ("help",)),
    "show-undealt": ("classic-4", 0, 80, 23, UNICODE, ()),
}


@cache
def frames(name: str) -> ReplayFrames:
    path = REPLAYS / f"{name}.seqp2p"
    return frames_of(path.name, play_back(path.read_bytes()), brief=True)


@cache
def reviewed(name: str) -> ReplayFrames:
    path = REPLAYS / f"{name}.seqp2p"
    playback = play_back(path.read_bytes())
    return frames_of(path.name, playback, brief=True, reviewed=review_of(playback))


def lines(scene: ShowScene, width: int = 80, height: int = 23) -> list[str]:
    return scene.painter(Page())(width, height).lines


def keys(scene: ShowScene) -> list[tuple[str, str]]:
    shown = scene.keys()
    return [(each.key, each.does) for each in shown]


def plays(browser: ReplayBrowser) -> bool:
    return browser.cursor.playing


@pytest.mark.simulation
@pytest.mark.parametrize("name", GOLDEN)
def test_golden_screens(name: str) -> None:
    game, at, width, height, glyphs, typed = GOLDEN[name]
    scene = ShowScene(frames(game))
    scene.browser.go(at)
    for line in typed:
        assert scene.obey(line)
    if "play" in typed:
        scene.press("+")
    frame = scene.painter(Page(glyphs=glyphs))(width, height)
    assert all("".join(text for _, text in row).isascii() for row in frame.rows[:-1]) or glyphs is UNICODE
    assert {style for row in frame.rows for styles, _ in row for style in styles.split()} <= styles_of("dark").keys()
    text = "\n".join(frame.lines) + "\n"
    path = SCREENS / f"{name}.txt"
    if os.environ.get("SEQP2P_SCREENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@given(st.sampled_from(NAMES[:3]), st.integers(0, 300), st.integers(1, 200), st.integers(1, 70))
@settings(deadline=None, max_examples=40)
def test_every_size_is_painted(name: str, at: int, width: int, height: int) -> None:
    scene = ShowScene(reviewed(name))
    scene.browser.go(at)
    frame = scene.painter(Page())(width, height)
    assert len(frame.rows) == height
    scene.obey("help")
    assert len(scene.painter(Page())(width, height).rows) == height


def test_the_review_is_beside_the_board() -> None:
    scene = ShowScene(reviewed("kids-3"))
    assert not any("chance to win" in line for line in lines(scene))
    scene.browser.go(20)
    shown = " ".join(line.split("  ")[-1] for line in lines(scene, 130, 39))
    assert "chance to win: red " in shown
    before = scene.browser.review()[0]
    scene.browser.go(len(reviewed("kids-3").moments) - 1)
    assert scene.browser.review()[0] == "chance to win: red 0.0%, yellow 100.0% and green 0.0%"
    assert scene.browser.review()[0] != before
    assert ShowScene(reviewed("classic-12")).browser.review() == (
        "there is no review: the hands stayed closed in this game",
    )


def test_keys_lead_about() -> None:
    scene, count = ShowScene(frames("classic-2")), len(frames("classic-2").moments)
    presses = [("right", 1), ("down", 11), ("pagedown", 21), ("left", 20), ("up", 10), ("pageup", 0), ("left", 0)]
    for key, at in [*presses, ("end", count - 1), ("right", count - 1), ("home", 0)]:
        assert scene.press(key) is None
        assert scene.browser.cursor.at == at
    assert scene.press("?") == scene.press("f1") == "help"
    assert scene.press("f12") is None


def test_keys_look_for_sequences() -> None:
    scene = ShowScene(frames("classic-4"))
    made = [at for at, moment in enumerate(frames("classic-4").moments) if moment.made]
    assert len(made) == 2 or made
    for at in [*made, made[-1]]:
        scene.press("f5")
        assert scene.browser.cursor.at == at
    for at in [*made[-2::-1], made[0]]:
        scene.press("f4")
        assert scene.browser.cursor.at == at
    assert scene.browser.obey("sequence").moved or len(made) == 1
    scene.browser.end()
    assert scene.browser.obey("sequence").lines == ("no sequence is completed after this",)


def test_whose_hands_are_shown() -> None:
    scene = ShowScene(frames("kids-3"))
    scene.browser.go(5)
    assert scene.browser.cursor.sight == ALL
    sights = []
    for _ in range(5):
        scene.press("tab")
        sights.append(scene.browser.cursor.sight)
    assert sights == [1, 2, 3, HIDDEN, ALL]
    scene.press("s-tab")
    assert scene.browser.cursor.sight == HIDDEN
    assert sum("3 cards" in line for line in lines(scene)) == 3
    assert scene.obey("hands 2")
    scene.press("escape")
    assert sum("3 cards" in line for line in lines(scene)) == 2
    closed = ShowScene(frames("classic-12"))
    closed.press("tab")
    assert closed.browser.cursor.sight == HIDDEN
    assert "Tab" not in dict(keys(closed))
    assert "Tab" in dict(keys(scene))


def test_clicks() -> None:
    scene = ShowScene(frames("classic-2"))
    scene.browser.go(30)
    frame = scene.painter(Page())(80, 23)
    bar = [target for (row, _), target in frame.targets.items() if row == 21]
    assert bar[0] == ("moment", 0)
    assert bar[-1][1] >= len(frames("classic-2").moments) - 5
    side = {target for (row, column), target in frame.targets.items() if column > 55 and row < 20}
    assert ("moment", 30) in side
    assert ("moment", 31) in side
    assert scene.click(("moment", 31)) is None
    assert scene.browser.cursor.at == 31
    assert ("seat", 2) in frame.targets.values()
    assert scene.click(("seat", 2)) == "hands 2"
    assert scene.obey("hands 2")
    assert scene.click(("seat", 2)) == "hands all"
    assert scene.click(("square", 2)) is None


def test_it_plays_and_stops_at_the_end() -> None:
    scene = ShowScene(frames("kids-3"))
    assert scene.press("space") is None
    assert plays(scene.browser)
    assert ("Space", "stop") in keys(scene)
    scene.browser.step(1000)
    assert not plays(scene.browser)
    scene.press("space")
    assert (scene.browser.cursor.at, plays(scene.browser)) == (0, True)
    scene.press("space")
    assert not plays(scene.browser)
    for _ in PACES_S:
        scene.press("+")
    assert scene.browser.cursor.pace_s == min(PACES_S)
    for _ in PACES_S:
        scene.press("-")
    assert scene.browser.cursor.pace_s == max(PACES_S)


def test_an_answer_stands_until_the_next_key() -> None:
    scene = ShowScene(frames("kids-3"))
    assert scene.obey("help")
    assert any("any key" in line for line in lines(scene))
    scene.press("right")
    assert not any("any key" in line for line in lines(scene))
    assert not scene.obey("quit")
    assert "sequence" in scene.completions("se")
    assert scene.completions("") == []


# Words.


def test_words_lead_about() -> None:
    browser = ReplayBrowser(frames("classic-2"))
    for typed, at in [("next", 1), ("", 2), ("n", 3), ("back", 2), ("b", 1), ("first", 0)]:
        assert browser.obey(typed) == MOVED
        assert browser.cursor.at == at
    assert browser.obey("back").lines == ("this is the beginning of the replay",)
    assert browser.obey("last").moved
    assert browser.obey("next").lines == ("this is the end of the replay",)
    assert browser.obey("  12 ").moved
    assert browser.moment.turn == 12
    assert browser.frames.moments[browser.cursor.at - 1].turn == 11
    assert browser.obey("0").moved
    assert browser.cursor.at == 0
    assert browser.obey("999").lines == ("the game has 157 turns",)
    assert browser.obey("quit").done
    assert browser.obey("Exit").done


def test_words_answer() -> None:
    browser = ReplayBrowser(frames("kids-3"))
    assert browser.obey("board").lines == browser.obey("hands").lines == ("the cards are not dealt yet",)
    assert browser.obey("board 3").lines == ("the cards are not dealt yet",)
    browser.go(10)
    assert len(browser.obey("board").lines) == 8
    assert browser.obey("board 1").lines[0].startswith("row 1: a free corner, b ")
    assert browser.obey("board B").lines[0].startswith("column b: b1 ")
    assert browser.obey("where a1").lines == ("a1 is a free corner: it counts for everybody",)
    asked = ("board takes a row, a column or a square, like: board 5, board e, board e5",)
    assert browser.obey("where").lines == browser.obey("board 99").lines == asked
    assert browser.obey("log").lines == browser.log()
    assert browser.obey("log all").lines == browser.log(everything=True)
    assert browser.log()[-1] == browser.moment.lines[-1].text
    assert len(ReplayBrowser(frames("classic-2")).log()) < 20
    assert browser.obey("verdict").lines == (frames("kids-3").verdict, "turn 9 of 31, moment 11 of 35")
    assert "faster" in " ".join(browser.obey("help").lines)
    assert browser.obey("faster").lines == ("0.50 s a moment",)
    assert browser.obey("slower").lines == ("1 s a moment",)
    assert browser.obey("play").lines == ("it plays, 1 s a moment; stop stops it",)
    assert browser.obey("play").lines == ("it plays, 1 s a moment; stop stops it",)
    assert plays(browser)
    assert browser.obey("stop").lines == ("turn 9 of 31, moment 11 of 35",)
    assert not plays(browser)
    assert browser.obey("boart").lines == ("boart is no word here; did you mean board?",)
    assert browser.obey("xyz").lines == ("xyz is no word here; help has a list of them",)


def test_hands_by_words() -> None:
    browser = ReplayBrowser(frames("kids-3"))
    browser.go(10)
    every = browser.obey("hands").lines
    assert len(every) == 3
    assert not any("cards" in line for line in every)
    ben = browser.obey("hands ben").lines
    assert browser.cursor.sight == 2
    assert [("cards" in line) for line in ben] == [True, False, True]
    assert ben[1] == every[1]
    assert all("3 cards" in line for line in browser.obey("hands none").lines)
    assert browser.obey("hands all").lines == every
    assert browser.obey("hands 7").lines == ("that hand is not opened in this replay",)
    assert browser.obey("hands zoe").lines == ("write hands all, hands none, or a seat, like hands 1",)
    closed = ReplayBrowser(frames("classic-12"))
    closed.go(10)
    assert closed.obey("hands").lines == ("the hands stayed closed in this game",)
    assert closed.obey("hands all").lines == ("the hands stayed closed in this game",)
    assert closed.obey("hands 1").lines == ("that hand is not opened in this replay",)


def test_words_in_french() -> None:
    language.use("fr")
    try:
        assert [word_of(shown(word)) for word in WORDS.words] == list(WORDS.words)
        browser = ReplayBrowser(frames("kids-3"))
        assert browser.obey("suivant").moved
        assert browser.obey("Plus vite").lines
        assert browser.cursor.pace_s == 0.5
        assert browser.obey("journal tout").lines
        assert browser.obey("next").moved
        assert browser.obey("quitter").done
        bar = lines(ShowScene(frames("kids-3")))[-1]
        assert bar.endswith("? aide")
        assert "Tab mains" in bar
    finally:
        language.use("en")


def test_a_hand_as_text() -> None:
    assert hand_text(KIDS, (UNKNOWN, 2), open_=True) == "? cat"
    assert hand_text(KIDS, (2,), open_=False) == "1 card"
    assert hand_text(KIDS, (), open_=True) == "0 cards"


@given(st.text(max_size=30))
@settings(deadline=None, max_examples=60)
def test_whatever_is_typed_is_answered(typed: str) -> None:
    browser = ReplayBrowser(frames("kids-3"))
    answer = browser.obey(typed)
    assert answer.lines or answer.moved or answer.done


def test_damaged_replays_are_painted() -> None:
    painted = set[Path]()

    @given(st.sampled_from(sorted(SMALL.glob("*.seqp2p"))))
    @settings(deadline=None, max_examples=20)
    def paint(path: Path) -> None:
        playback = play_back(path.read_bytes())
        if not playback.moments:
            return
        scene = ShowScene(frames_of(path.name, playback, brief=True))
        for _ in playback.moments:
            assert lines(scene)[1].split(":")[0] in ("verified", "unfinished", "invalid")
            scene.press("right")
        painted.add(path)

    paint()
    assert painted
