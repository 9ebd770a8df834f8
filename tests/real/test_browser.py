"""A replay's page in a real browser: it shows the engine's positions, obeys keys, and asks nobody for anything."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from seqp2p.cli.export import as_html
from seqp2p.cli.moments import frames_of, review_of
from seqp2p.replay.playback import Moment, Playback, play_back
from seqp2p.rules import UNKNOWN, Position, squares_of
from seqp2p.ui.cards import card_name
from seqp2p.ui.replay_browser import costly_moves, review_lines
from seqp2p.ui.viewer import page
from tests.cli.processes import wait_until
from tests.real.browser import all_of, by_id, chromium, complaints, requested, why_not
from tests.ui.colour_vision import contrast
from tests.ui.test_viewer import HOSTILE, hostile

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

WHY_NOT = why_not()
pytestmark = [pytest.mark.process, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

GOLDEN = Path(__file__).parents[2] / "replays"
GAMES = ("kids-3", "classic-3-dropped")
Shown: TypeAlias = dict[str, Any]

# What can be seen of the board, by square: the words for a screen reader, and the chip as it is painted.
SEEN = """
  const colour = (cell) => {
    const chip = cell.querySelector(".chip"), style = getComputedStyle(chip);
    return style.display === "none" ? "" : getComputedStyle(chip, "::before").backgroundColor;
  };
  const hand = (seat) => [...seat.querySelectorAll(".card .spoken")].map((card) => card.textContent);
  const cells = () => [...document.querySelectorAll("#board td:not(.nothing)")];
  const look = () => ({
    spoken: cells().map((cell) => cell.querySelector(".spoken").textContent),
    chips: cells().map(colour),
    news: document.getElementById("news").textContent,
    place: document.getElementById("place").textContent,
    hands: [...document.querySelectorAll("#seats li")].map(hand),
  });
"""

STEP_THROUGH = """
  const all = [look()];
  while (all.length < arguments[0]) { document.getElementById("next").click(); all.push(look()); }
  return all;
"""
INTRUDE = """
  const script = document.createElement("script");
  script.textContent = "window.intruded = 1";
  document.body.append(script);
  return window.intruded || 0;
"""


@cache
def playback(name: str) -> Playback:
    return play_back((GOLDEN / f"{name}.seqp2p").read_bytes())


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Chrome"]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(autouse=True)
def nothing_is_asked_for(driver: "Chrome") -> Iterator[None]:
    """Check that every page asks for itself alone, and complains of nothing."""
    driver.get("about:blank")
    requested(driver)
    complaints(driver)
    yield
    assert {address.partition(":")[0] for address in requested(driver)} <= {"file"}
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert complaints(driver) == []


def opened(driver: "Chrome", folder: Path, text: str) -> None:
    path = folder / "game.html"
    path.write_text(text, "ascii")
    driver.get(path.as_uri())
    assert requested(driver) == [path.as_uri()]


def opened_game(driver: "Chrome", folder: Path, name: str) -> None:
    """Open a page, which shows the end, and go to the beginning."""
    opened(driver, folder, as_html(GOLDEN / f"{name}.seqp2p", playback(name)))
    assert at(driver) == len(playback(name).moments)
    by_id(driver, "first").click()


def look(driver: "Chrome") -> Shown:
    shown: Shown = driver.execute_script(SEEN + "return look();")
    return shown


def press(driver: "Chrome", *keys: str) -> None:
    from selenium.webdriver import ActionChains

    chain = ActionChains(driver)
    for key in keys:
        chain.send_keys(key)
    chain.perform()


def at(driver: "Chrome") -> int:
    """Return the number of the moment on the page."""
    return int(look(driver)["place"].split("step ")[1].split(" of ")[0])


def teams_of(position: Position) -> dict[int, int]:
    """Return the chips on the board: square → team."""
    return {square: team for team, chips in enumerate(position.chips) for square in squares_of(chips)}


@pytest.mark.parametrize("name", GAMES)
def test_every_step_shows_the_engines_position(driver: "Chrome", tmp_path: Path, name: str) -> None:
    moments, agreement = playback(name).moments, playback(name).agreement
    assert agreement is not None
    opened_game(driver, tmp_path, name)
    shown: list[Shown] = driver.execute_script(SEEN + STEP_THROUGH, len(moments))
    variant, colours = agreement.settings.rules, agreement.settings.colours
    paints = paints_of(driver, colours)
    assert len(set(paints)) == len(colours)
    for number, (moment, seen) in enumerate(zip(moments, shown, strict=True), 1):
        assert seen["place"] == f"turn {moment.turn} of {moments[-1].turn}, step {number} of {len(moments)}"
        assert seen["news"]
        teams = teams_of(moment.position) if moment.position else {}
        assert seen["chips"] == [
            paints[teams[square]] if square in teams else "" for square in range(len(variant.board.grid))
        ]
        made = {square for each in (moment.position.sequences if moment.position else ()) for square in each.squares}
        for square, spoken in enumerate(seen["spoken"]):
            card = variant.board.grid[square]
            words = spoken.removesuffix(", last move").split(": ")[1].split(", ")
            assert words[0] == ("free corner" if card == UNKNOWN else card_name(variant, card))
            assert words[1:2] == ([f"{colours[teams[square]]} chip"] if square in teams else [])
            assert ("in a completed sequence" in words) == (square in made and square in teams)
        assert seen["hands"] == hands_of(playback(name), moment)


def paints_of(driver: "Chrome", colours: tuple[str, ...]) -> list[str]:
    """Return the paint of each team's chips, by the page's own style."""
    script = """return arguments[0].map((colour) => {
      const chip = document.createElement("span"); chip.className = "chip " + colour; document.body.append(chip);
      const paint = getComputedStyle(chip, "::before").backgroundColor; chip.remove(); return paint; });"""
    paints: list[str] = driver.execute_script(script, list(colours))
    return paints


def hands_of(shown: Playback, moment: Moment) -> list[list[str]]:
    """Return the names of the cards in every open hand."""
    assert shown.agreement is not None
    variant = shown.agreement.settings.rules
    if moment.position is None:
        return [[] for _ in shown.agreement.seats]

    def name(card: int) -> str:
        return "unknown card" if card == UNKNOWN else card_name(variant, card)

    hands = enumerate(moment.position.hands, 1)
    return [[name(card) for card in hand] if seat in shown.opened else [] for seat, hand in hands]


def test_keys_buttons_and_the_slider(driver: "Chrome", tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    opened_game(driver, tmp_path, "kids-3")
    end = len(playback("kids-3").moments)
    for keys, there in (
        ([Keys.ARROW_RIGHT] * 3, 4),
        ([Keys.ARROW_LEFT], 3),
        ([Keys.PAGE_DOWN], 13),
        ([Keys.END], end),
        ([Keys.ARROW_RIGHT], end),
        ([Keys.PAGE_UP], end - 10),
        ([Keys.HOME], 1),
        ([Keys.ARROW_LEFT], 1),
    ):
        press(driver, *keys)
        assert at(driver) == there
    for name, there in (("last", end), ("back", end - 1), ("first", 1), ("next", 2)):
        by_id(driver, name).click()
        assert at(driver) == there
    # A button that has the focus keeps the space bar to itself.
    press(driver, Keys.SPACE)
    assert at(driver) == 3
    by_id(driver, "slider").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert at(driver) == 5
    all_of(driver, "#log li")[1].click()
    assert at(driver) == 2
    log = all_of(driver, "#log li")
    assert [entry.is_displayed() for entry in log[:4]] == [True, True, False, False]
    by_id(driver, "hands").click()
    assert look(driver)["hands"] == [[], [], []]


def test_it_plays_and_stops(driver: "Chrome", tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    opened_game(driver, tmp_path, "kids-3")
    Select(by_id(driver, "pace")).select_by_visible_text("fast")
    driver.execute_script("document.activeElement.blur()")
    press(driver, Keys.SPACE)
    assert by_id(driver, "play").text == "stop"
    wait_until(lambda: at(driver) >= 3, "it does not play")
    press(driver, Keys.SPACE)
    assert by_id(driver, "play").text == "play"
    press(driver, Keys.END, Keys.ARROW_LEFT, Keys.SPACE)
    end = len(playback("kids-3").moments)
    wait_until(lambda: at(driver) == end and by_id(driver, "play").text == "play", "it does not end")


def test_the_curve_and_the_costly_moves_lead_about(driver: "Chrome", tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    opened_game(driver, tmp_path, "kids-3")
    end = len(playback("kids-3").moments)
    chances = by_id(driver, "chances")
    assert chances.text == ""
    shown = frames_of("kids-3.seqp2p", playback("kids-3"), reviewed=review_of(playback("kids-3")))
    buttons = all_of(driver, "#costly button")
    assert [button.text for button in buttons] == [" ".join(text.split()) for _, text in costly_moves(shown)]
    for button, moment in zip(buttons, shown.costly, strict=True):
        button.click()
        assert at(driver) == moment + 1
        review = shown.moments[moment].review
        assert review is not None
        assert chances.text == ". ".join(review_lines(shown, review))
    curve, now = by_id(driver, "curve"), by_id(driver, "now")
    for side, there in ((-0.5, 1), (0.5, end)):
        ActionChains(driver).move_to_element_with_offset(
            curve, int(side * (curve.size["width"] - 4)), 0
        ).click().perform()
        assert at(driver) == there
        assert now.get_attribute("x1") == now.get_attribute("x2") == str(there - 1)
    paints = driver.execute_script(
        "return [...document.querySelectorAll('#curve polygon')].map((area) => getComputedStyle(area).fill);"
    )
    assert len(set(paints)) == 3


def test_light_and_dark(driver: "Chrome", tmp_path: Path) -> None:
    opened_game(driver, tmp_path, "classic-2")
    look_of = "return ['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name]);"
    seen = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        page_colour, ink = map(rgb, driver.execute_script(look_of))
        assert contrast(page_colour, ink) > 7
        seen[scheme] = contrast(page_colour, (0, 0, 0))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert seen["dark"] < 3 < 19 < seen["light"]


def rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = map(int, colour.removeprefix("rgb(").removesuffix(")").split(", "))
    return red, green, blue


def test_what_a_screen_reader_is_told(driver: "Chrome", tmp_path: Path) -> None:
    opened_game(driver, tmp_path, "kids-3")
    by_id(driver, "last").click()
    tree: list[dict[str, Any]] = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]
    roles = [role for role, _ in told]
    assert ("table", "the board") in told
    assert roles.count("columnheader") == 7
    assert roles.count("rowheader") == 6
    cells = [name for role, name in told if role in ("cell", "gridcell")]
    assert "e5: bear, yellow chip, in a completed sequence, last move" in cells
    assert "a1: free corner" in cells
    news = by_id(driver, "news")
    assert (news.get_attribute("aria-live"), news.get_attribute("aria-atomic")) == ("polite", "true")
    assert news.text == "ben won"
    assert {"first", "back", "play", "next", "last"} <= {name for role, name in told if role == "button"}
    (slider,) = (name for role, name in told if role == "slider")
    assert slider == "step of the game"


def test_what_players_write_does_nothing(driver: "Chrome", tmp_path: Path) -> None:
    opened(driver, tmp_path, page(hostile(), [HOSTILE]))
    assert len(all_of(driver, "script")) == 2
    assert HOSTILE in by_id(driver, "news").text
    assert HOSTILE in by_id(driver, "seats").text
    assert HOSTILE in driver.title
    # Whatever came in nevertheless could not run.
    assert driver.execute_script(INTRUDE) == 0
    assert any("Content Security Policy" in text for text in complaints(driver))
