"""The page of a replay. tests/real/test_browser.py opens it."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from seqp2p.rules import squares_of
from seqp2p.ui import viewer
from seqp2p.ui.replay_browser import ReplayFrames
from seqp2p.ui.scene import LogLine
from seqp2p.ui.viewer import page
from tests.ui import replays

frames = partial(replays.frames, brief=False)
HOSTILE = "</script><script>alert(1)</script><!--&amp;{{script}}"


def element(text: str, name: str) -> str:
    """Return the text between the tags of the only element like this."""
    (found,) = re.findall(rf"<{name}>(.*?)</{name.split(maxsplit=1)[0]}>", text, re.DOTALL)
    return str(found)


def game(text: str) -> Any:
    return json.loads(element(text, 'script type="application/json" id="game"'))


def test_the_script_reads_only_what_the_page_gives() -> None:
    """A name that only one of the two knows is an error in the browser alone, so names are compared here."""
    data, script = game(page(frames("kids-3", reviewed=True), [])), (files(viewer) / "viewer.js").read_text("utf-8")
    assert set(re.findall(r"\bgame\.words\.(\w+)", script)) <= set(data["words"])
    assert set(re.findall(r"\bgame\.(\w+)", script)) <= set(data)
    assert set(re.findall(r"\bmoment\.(\w+)", script)) <= {key for moment in data["moments"] for key in moment}


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name", ["classic-2-advanced", "classic-3-dropped", "classic-4-skipped", "classic-12", "kids-3"]
)
def test_the_page_of_a_golden_game(name: str) -> None:
    game_frames = frames(name)
    text = page(game_frames, ["one", "two"])
    assert text.isascii()
    assert len(text) < 400_000
    shown = game(text)
    for moment, told in zip(game_frames.moments, shown["moments"], strict=True):
        assert told["turn"] == moment.turn
        assert [*map(tuple, told["lines"])] == [*moment.lines]
        if moment.position is None:
            assert "board" not in told
            continue
        for team, chips in enumerate(moment.position.chips):
            signs = {at for at, sign in enumerate(told["board"]) if sign.lower() == "abcdefghijkl"[team]}
            assert signs == {*squares_of(chips)}
        hands = enumerate(moment.position.hands, 1)
        opened = {seat: [*hand] for seat, hand in hands if seat in game_frames.opened}
        assert {seat: hand for seat, hand in enumerate(told["hands"], 1) if isinstance(hand, list)} == opened


def test_the_policy_allows_this_script_and_this_style_and_nothing_else() -> None:
    text = page(frames("kids-3"), [])
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    rules = dict(part.split(" ", 1) for part in policy.split("; "))
    script, style = re.findall(r"<script>(.*?)</script>", text, re.DOTALL), element(text, "style")
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'{sha(script[0])}'",
        "style-src": f"'{sha(style)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert len(script) == 1
    assert not re.search(r"https?://|//[a-z]+\.|\bsrc=|href=|@import|url\(|style=|\bon\w+=", text)


def sha(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Tags(HTMLParser):
    """The tags of a page, and its text outside of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile() -> ReplayFrames:
    harmless = frames("kids-3")
    moments = tuple(replace(moment, lines=(*moment.lines, LogLine("remark", HOSTILE))) for moment in harmless.moments)
    company = replace(harmless.company, names=(HOSTILE, *harmless.company.names[1:]))
    return replace(harmless, title=HOSTILE, verdict=HOSTILE, company=company, moments=moments)


def test_what_players_write_is_text() -> None:
    text, plain = Tags(page(hostile(), [HOSTILE])), Tags(page(frames("kids-3"), ["one"]))
    assert text.tags == plain.tags
    assert HOSTILE in text.text
    assert game(page(hostile(), []))["seats"][0][0] == HOSTILE
    assert "</script><script>" not in page(hostile(), [HOSTILE])


def test_before_the_deal_and_closed_hands() -> None:
    first, *_, last = game(page(frames("classic-12"), []))["moments"]
    assert first["score"] == "the cards are not dealt yet"
    assert "board" not in first
    assert all(re.fullmatch("[0-9] cards?", hand) for hand in last["hands"])


def test_the_readers_language(french: None) -> None:
    text = page(frames("kids-3"), [])
    assert '<html lang="fr">' in text
    assert "grenouille" in text
    assert "Sequence pour enfants" in html.unescape(text)


def parts() -> Iterator[tuple[str, str]]:
    for name in ("viewer.html", "viewer.css", "viewer.js"):
        yield name, (files(viewer) / name).read_text("ascii")


def test_the_parts_are_small_and_plain() -> None:
    for name, text in parts():
        assert len(text) < 12_000, name
        assert "\t" not in text
        assert "\r" not in text
    script = dict(parts())["viewer.js"]
    for word in ("innerHTML", "eval", "fetch", "XMLHttpRequest", "import", "document.write", "localStorage"):
        assert word not in script


def test_the_curve_and_the_moves_that_cost_most() -> None:
    shown = frames("kids-3", reviewed=True)
    text = page(shown, [])
    moves = [(at, moment.review) for at, moment in enumerate(shown.moments) if moment.review]
    areas = re.findall(r'<polygon class="of-(\w+)" points="(.*?)"/>', text)
    assert tuple(colour for colour, _ in areas) == shown.company.colours
    points = [[[float(part) for part in point.split(",")] for point in area.split()] for _, area in areas]
    count = len(moves)
    for area in points:
        assert [at for at, _ in area[:count]] == [at for at, _ in moves] == [at for at, _ in area[: count - 1 : -1]]
    for number, (_, review) in enumerate(moves):
        sizes = [10 * (area[number][1] - area[2 * count - 1 - number][1]) for area in points]
        assert sizes == pytest.approx(review.chances, abs=0.1)
    data = game(text)
    assert [at for at, _ in data["costly"]] == [*shown.costly]
    assert {at for at, moment in enumerate(data["moments"]) if "review" in moment} == {at for at, _ in moves}


def test_without_a_review_there_is_a_reason_or_nothing() -> None:
    closed = Tags(page(frames("classic-12", reviewed=True), []))
    assert "there is no review: the hands stayed closed in this game" in closed.text
    assert "polygon" not in closed.tags
    assert '<section id="review" hidden>' in page(frames("kids-3"), [])
