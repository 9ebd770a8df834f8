"""A replay on the screen: its pages, and where keys, clicks and words lead."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.cli.moments import frames_of
from seqp2p.replay.playback import play_back
from seqp2p.rules import KIDS
from seqp2p.ui.replay_browser import (
    ALL,
    HIDDEN,
    LOG_LENGTH,
    WORDS,
    ReplayBrowser,
    curve_lines,
    hand_text,
    shown,
    word_of,
)
from seqp2p.ui.scene import Page
from seqp2p.ui.show_scene import ShowScene
from seqp2p.ui.styles import ASCII, UNICODE, styles_of
from tests.ui.kept import Talk, check_screen, talks
from tests.ui.replays import NAMES, frames

SMALL = Path(__file__).parents[2] / "protocol" / "replays"
# The game, the moment, the size of the page, and the lines typed before: each is a kept screen.
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


def lines(scene: ShowScene, width: int = 80, height: int = 23) -> list[str]:
    return scene.painter(Page())(width, height).lines


def keys(scene: ShowScene) -> dict[str, str]:
    shown = scene.keys()
    return {each.key: each.does for each in shown}


@pytest.mark.simulation
@pytest.mark.parametrize("name", GOLDEN)
def test_screens_look_as_they_did(name: str) -> None:
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
    check_screen(name, frame.lines)


@given(st.sampled_from(NAMES[:3]), st.integers(0, 300), st.integers(1, 200), st.integers(1, 70))
@settings(deadline=None, max_examples=40)
def test_every_size_is_painted(name: str, at: int, width: int, height: int) -> None:
    scene = ShowScene(frames(name, reviewed=True))
    scene.browser.go(at)
    assert len(lines(scene, width, height)) == height
    scene.obey("help")
    assert len(lines(scene, width, height)) == height


def test_the_review_is_beside_the_board() -> None:
    scene = ShowScene(frames("kids-3", reviewed=True))
    assert not any("chance to win" in line for line in lines(scene))
    scene.browser.go(20)
    shown = " ".join(line.split("  ")[-1] for line in lines(scene, 130, 39))
    assert "chance to win, by all hands: red " in shown
    assert ("F6 review" in lines(scene, 130, 39)[-1], scene.press("f6")) == (True, "review")
    before = scene.browser.review()[0]
    scene.browser.end()
    assert scene.browser.review()[0] == "chance to win, by all hands: red 0.0%, yellow 100.0% and green 0.0%"
    assert scene.browser.review()[0] != before
    named = ShowScene(frames("classic-2", reviewed=True))
    assert named.obey("review")
    assert "♥" in "".join(lines(named)[3:8]), "its cards are those of the board"
    closed = ShowScene(frames("classic-12", reviewed=True))
    assert "F6" not in lines(closed)[-1]
    assert closed.browser.review() == ("there is no review: the hands stayed closed in this game",)


def test_the_review_has_the_teams_colours_and_marks_what_cost_much() -> None:
    _, *curve, _ = curve_lines(frames("kids-3", reviewed=True), bars=True)
    bar = [("fill.red", "R" * 11), ("fill.yellow", "Y" * 4), ("fill.green", "G" * 5)]
    assert curve[16] == (("", " 17. "), *bar, ("", " "), *curve[16][5:])
    assert curve[16][-2:] == (("alarm", "unicorn a2 ??"), ("", ""))
    assert {style for line in curve for style, text in line if text.endswith("?")} == {"alarm"}
    _, first, *_ = curve_lines(frames("kids-3", reviewed=True), bars=False)
    assert {style for style, _ in first} == {""}


def test_clicks() -> None:
    scene = ShowScene(frames("classic-2"))
    scene.browser.go(30)
    targets = scene.painter(Page())(80, 23).targets
    bar = [target for (row, _), target in targets.items() if row == 21]
    assert bar[0] == ("moment", 0)
    assert bar[-1][1] >= len(frames("classic-2").moments) - 5
    side = {target for (row, column), target in targets.items() if column > 55 and row < 20}
    assert {("moment", 30), ("moment", 31)} <= side
    assert scene.click(("moment", 31)) is None
    assert scene.browser.cursor.at == 31
    assert ("seat", 2) in targets.values()
    assert scene.click(("seat", 2)) == "hands 2"
    assert scene.obey("hands 2")
    assert scene.click(("seat", 2)) == "hands all"
    assert scene.click(("square", 2)) is None


def test_an_answer_stands_until_the_next_key() -> None:
    scene = ShowScene(frames("kids-3"))
    assert scene.obey("help")
    assert any("Esc: back" in line for line in lines(scene))
    assert (scene.press("?"), scene.press("?")) == (None, "help")
    assert scene.obey("help")
    scene.press("right")
    assert not any("Esc: back" in line for line in lines(scene))
    assert not scene.obey("quit")
    assert "sequence" in scene.completions("se")
    assert scene.completions("") == []


TALKED_ABOUT = {
    "a game of two, classic": "classic-2",
    "a game of three kids": "kids-3",
    "a game with closed hands": "classic-12",
    "a game with two sequences": "classic-4",
    "a game of three, one of whom was dropped": "classic-3-dropped",
}


@talks(__file__, "show_talks.txt")
def test_talk(talk: Talk) -> None:
    """Words with their answers, and keys (``*``): each with the moment to which it leads, and what else has changed."""
    scene = ShowScene(frames(TALKED_ABOUT[talk.place]))
    browser = scene.browser

    def answer(line: str) -> list[str]:
        before, told = browser.cursor, list[str]()
        if line.startswith(">"):
            answer = browser.obey(line[2:])
            told += [*answer.lines, *["(quits)"] * answer.done]
        elif (typed := scene.press(line[2:])) is not None:
            told.append(f"(types {typed})")
        after = browser.cursor
        if after.at != before.at:
            told.append(f"(moment {after.at}, turn {browser.moment.turn})")
        if after.sight != before.sight:
            told.append(
                {ALL: "(all hands)", HIDDEN: "(no hands)"}.get(after.sight, f"(the hand of seat {after.sight})")
            )
        if after.pace_s != before.pace_s:
            told.append(f"({after.pace_s} s a moment)")
        if after.playing != before.playing:
            told.append("(plays)" if after.playing else "(stops)")
        return told

    talk.check(map(answer, talk.lines))


def test_keys_are_shown_that_do_something() -> None:
    scene, closed = ShowScene(frames("kids-3")), ShowScene(frames("classic-12"))
    assert ("Tab" in keys(scene), "Tab" in keys(closed)) == (True, False)
    scene.press("space")
    assert keys(scene)["Space"] == "stop"


def test_the_log_ends_with_the_moment_and_is_short() -> None:
    browser = ReplayBrowser(frames("kids-3"))
    browser.go(10)
    assert browser.obey("log").lines == browser.log()
    assert browser.obey("log all").lines == browser.log(everything=True)
    assert browser.log()[-1] == browser.moment.lines[-1].text
    browser.end()
    assert len(browser.log()) <= LOG_LENGTH < len(browser.log(everything=True))


def test_words_in_french(french: None) -> None:
    assert [word_of(shown(word)) for word in WORDS.words] == list(WORDS.words)
    browser = ReplayBrowser(frames("kids-3"))
    assert browser.obey("suivant").moved
    assert browser.obey("Plus vite").lines
    assert browser.cursor.pace_s == 0.5
    assert browser.obey("journal tout").lines
    assert browser.obey("next").moved
    assert browser.obey("quitter").done
    bar = lines(ShowScene(frames("kids-3")))[-1]
    assert bar.endswith("? aide  Ctrl-C quitter")
    assert "Tab mains" in bar


def test_a_hand_of_one_card_or_none_as_text() -> None:
    assert [hand_text(KIDS, (2,), open_=False), hand_text(KIDS, (), open_=True)] == ["1 card", "0 cards"]


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
