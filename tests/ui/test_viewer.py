"""The page that shows a replay: what is in it, and what cannot be. tests/real/test_browser.py opens it."""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from seqp2p.cli.moments import frames_of, review_of
from seqp2p.replay.playback import play_back
from seqp2p.rules import squares_of
from seqp2p.ui import viewer
from seqp2p.ui.replay_browser import ReplayFrames
from seqp2p.ui.scene import LogLine
from seqp2p.ui.viewer import page

GOLDEN = Path(__file__).parents[2] / "replays"
GAMES = sorted(path.stem for path in GOLDEN.glob("*.seqp2p"))
HOSTILE = "</script><script>alert(1)</script><!--&amp;{{script}}"


@cache
def frames(name: str) -> ReplayFrames:
    return frames_of(f"{name}.seqp2p", play_back((GOLDEN / f"{name}.seqp2p").read_bytes()))


def element(text: str, name: str) -> str:
    """What is between the tags of the one element like this."""
    (found,) = re.findall(rf"<{name}>(.*?)</{name.split(maxsplit=1)[0]}>", text, re.DOTALL)
    return str(found)


def game(text: str) -> Any:
    return json.loads(element(text, 'script type="application/json" id="game"'))


def test_the_script_reads_only_what_the_page_gives() -> None:
    """A name that only one of the two knows is an error in the browser alone, so names are compared here."""
    data, script = game(page(reviewed("kids-3"), [])), (files(viewer) / "viewer.js").read_text("utf-8")
    assert set(re.findall(r"\bgame\.words\.(\w+)", script)) <= set(data["words"])
    assert set(re.findall(r"\bgame\.(\w+)", script)) <= set(data)
    assert set(re.findall(r"\bmoment\.(\w+)", script)) <= {key for moment in data["moments"] for key in moment}


@pytest.mark.simulation
@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_golden_game(name: str) -> None:
    text = page(frames(name), ["one", "two"])
    assert text.isascii()
    assert len(text) < 400_000
    shown = game(text)
    assert len(shown["moments"]) == len(frames(name).moments)
    for moment, told in zip(frames(name).moments, shown["moments"], strict=True):
        assert told["turn"] == moment.turn
        assert [*map(tuple, told["lines"])] == [*moment.lines]
        if moment.position is None:
            assert "board" not in told
            continue
        for team, chips in enumerate(moment.position.chips):
            signs = {at for at, sign in enumerate(told["board"]) if sign.lower() == "abcdefghijkl"[team]}
            assert signs == {*squares_of(chips)}
        for seat, hand in enumerate(moment.position.hands, 1):
            assert told["hands"][seat - 1] == ([*hand] if seat in frames(name).opened else told["hands"][seat - 1])
            assert isinstance(told["hands"][seat - 1], list) == (seat in frames(name).opened)


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


@cache
def reviewed(name: str) -> ReplayFrames:
    playback = play_back((GOLDEN / f"{name}.seqp2p").read_bytes())
    return frames_of(f"{name}.seqp2p", playback, reviewed=review_of(playback))


def test_the_curve_and_the_moves_that_cost_most() -> None:
    text, shown = page(reviewed("kids-3"), []), reviewed("kids-3")
    moves = [(at, moment.review) for at, moment in enumerate(shown.moments) if moment.review]
    lines = re.findall(r'<polyline class="of-(\w+)" points="(.*?)"/>', text)
    assert tuple(colour for colour, _ in lines) == shown.company.colours
    points = [[[float(part) for part in point.split(",")] for point in line.split()] for _, line in lines]
    assert [[at for at, _ in line] for line in points] == [[at for at, _ in moves]] * 3
    for (_, review), heights in zip(moves, zip(*points, strict=True), strict=True):
        assert [1000 - 10 * height for _, height in heights] == pytest.approx(review.chances)
    data = game(text)
    assert [at for at, _ in data["costly"]] == [*shown.costly]
    assert {at for at, moment in enumerate(data["moments"]) if "review" in moment} == {at for at, _ in moves}


def test_without_a_review_there_is_a_reason_or_nothing() -> None:
    closed = Tags(page(reviewed("classic-12"), []))
    assert "there is no review: the hands stayed closed in this game" in closed.text
    assert "polyline" not in closed.tags
    assert '<section id="review" hidden>' in page(frames("kids-3"), [])
