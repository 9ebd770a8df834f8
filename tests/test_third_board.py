"""The third board plays everywhere: engine, notation, bots, screens, plain text, pages, pictures and records."""

import json
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from seqp2p.api.settings import table_settings
from seqp2p.arena import make_contest, play_deal
from seqp2p.bots.registry import BOTS
from seqp2p.bots.value import BadWeights
from seqp2p.cli.moments import frames_of, review_of
from seqp2p.i18n import message_of
from seqp2p.match.table import check_settings
from seqp2p.replay.playback import play_back
from seqp2p.replay.verify import verify
from seqp2p.rules import (
    KNOWN_VARIANTS,
    UNKNOWN,
    NotationError,
    Options,
    Position,
    Square,
    apply_known,
    format_action,
    format_position,
    format_square,
    legal_actions,
    parse_action,
    parse_card,
    parse_position,
    parse_square,
    perft,
    view,
)
from seqp2p.rules.game_text import format_game, parse_game
from seqp2p.rules.status import status
from seqp2p.ui.board_model import board_model
from seqp2p.ui.cards import card_name, face_code, face_name, faces_shown, variant_title
from seqp2p.ui.language import translate
from seqp2p.ui.person.input_parser import nearest, read_action, read_card
from seqp2p.ui.picture import board_svg, heat_map_svg
from seqp2p.ui.plain import board_lines, hand_line, help_lines, legend_lines, part_lines, score_line, where_lines
from seqp2p.ui.styles import ASCII, UNICODE, Glyphs
from seqp2p.ui.viewer import page
from tests.rules.playing import OPTIONS, do, make
from tests.rules.playing import Table as Rules
from tests.rules.test_notation import written_down
from tests.table import played, replay_bytes
from tests.third_board import FACES, FRENCH, SPACE, SUN, french_catalogue
from tests.ui.tables import Table

TABLES = [Rules(SPACE, size.players, teams) for size in SPACE.sizes for teams in size.teams]
COLOURS = SPACE.colours
SUNS = ("b1", "f3", "g5")
HAND = "sun,comet,meteor,rocket"
ANY = "?,?,?,?"


@pytest.fixture
def french(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with french_catalogue(tmp_path, monkeypatch):
        yield


def squares(names: str) -> set[Square]:
    return {parse_square(SPACE, name) for name in names.split()}


def two(chips: dict[str, str], hand: str = HAND, **changes: str) -> Position:
    return make(chips, [hand, ANY], variant=SPACE, teams=2, **changes)  # type: ignore[arg-type]  # texts only


@pytest.mark.simulation
@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("options", OPTIONS)
def test_whole_games(table: Rules, options: Options) -> None:
    deck, rng = Counter(SPACE.deck), random.Random(f"{table} {options}")
    for _ in range(6):
        game = table._replace(options=options).deal(rng)
        for position in game.play_random():
            assert game.cards() == deck
            assert format_position(parse_position(format_position(position))) == format_position(position)
        assert status(game.position) == ()


def places_of(board: dict[Square, int], hand: tuple[int, ...]) -> set[str]:
    """The legal actions of a hand without a dead card, found square by square."""
    found: set[str] = set()
    for square, printed in enumerate(SPACE.board.grid):
        where = format_square(SPACE, square)
        if printed == UNKNOWN:
            continue
        for card in hand:
            if square not in board and (card == printed or FACES[card] == "rocket"):
                found.add(f"{FACES[card]} {where}")
            if FACES[card] == "meteor" and board.get(square) == 2:
                found.add(f"meteor x{where}")
    return found


def test_a_card_goes_on_each_of_its_squares_and_is_dead_when_all_are_taken() -> None:
    position = two({"a": "c2", "b": "a2 f3"})
    board = {parse_square(SPACE, "c2"): 1, parse_square(SPACE, "a2"): 2, parse_square(SPACE, "f3"): 2}
    assert {format_action(SPACE, action) for action in legal_actions(position)} == places_of(board, position.hands[0])
    for taken in (("b1",), ("b1", "f3")):
        texts = {format_action(SPACE, each) for each in legal_actions(two({"a": "c2", "b": " ".join(taken)}))}
        assert {text for text in texts if text.startswith("sun")} == {f"sun {at}" for at in SUNS if at not in taken}
    dead = two({"a": "c2 b1", "b": "f3 g5"})
    assert [text for text in map(str, legal_actions(dead)) if "dead" in text]
    assert do(dead, "sun dead", parse_card(SPACE, "moon")).exchanged == 1


def test_a_line_with_two_free_squares_needs_two_chips() -> None:
    position = do(two({"a": "b1"}, "moon,comet,meteor,rocket"), "moon c1")
    assert [set(each.squares) for each in position.sequences] == [squares("a1 b1 c1 d1")]


def test_perft() -> None:
    """The leaves of the tree are counted one by one, by playing every line of it."""
    for table in TABLES:
        game = table.deal(random.Random(table.players * table.teams))
        pile = tuple(reversed(game.pile))
        leaves = [(game.position, pile)]
        for plies in (1, 2, 3):
            leaves = [apply_known(*each, action) for each in leaves for action in legal_actions(each[0])]
            assert perft(game.position, pile, plies) == len(leaves)
        first = game.position
        placed = {format_action(SPACE, each) for each in legal_actions(first) if each.kind == "place"}
        assert placed == places_of({}, first.hands[first.to_move - 1])


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_games_as_text(table: Rules) -> None:
    game = table.deal(random.Random(table.teams))
    text, positions = written_down(game, {*range(1, table.players + 1)}, 1000, away=False)
    written = format_game(text)
    assert written.startswith("[variant space]\n")
    assert parse_game(written) == text
    assert [*text.positions()] == positions
    assert game.position.over


def test_what_is_wrong_is_said_with_this_board_s_squares_and_cards() -> None:
    with pytest.raises(NotationError, match="squares go from a1 to g5"):
        parse_action(SPACE, "sun h1")
    with pytest.raises(NotationError, match="'cat' is not a card of Sequence in Space: cards are written like rocket"):
        parse_action(SPACE, "cat a2")
    assert nearest(TABLES[0].seen(1), "rokcet", []) == "rocket"


@pytest.mark.simulation
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_bots_play_whole_games_in_the_arena(table: Rules) -> None:
    contest = make_contest((["greedy", "random"] * 2)[: table.teams], "space", table.players, table.teams)
    result = play_deal(contest, 3, 0)
    assert all(game.turns for game in result.games)
    assert result.games == play_deal(contest, 3, 0).games


@pytest.mark.parametrize(
    ("last", "chips", "hand"),
    [
        ("b1", "c1", "sun,comet,earth,meteor"),
        ("f3", "d3 e3 g3", "sun,titan,earth,pluto"),
        ("g5", "d5 e5 f5", "sun,comet,earth,meteor"),
    ],
)
def test_bots_complete_a_sequence_on_any_of_three_squares(last: str, chips: str, hand: str) -> None:
    action = BOTS["greedy"](random.Random(1)).choose(view(two({"a": chips, "b": "a2"}, hand), 1))
    assert format_action(SPACE, action) == f"sun {last}"


def test_a_bot_without_weights_for_this_board_says_so() -> None:
    with pytest.raises(BadWeights, match="the bot's weights space-2 are missing"):
        BOTS["normal"](random.Random(1)).choose(view(two({})._replace(turn=9), 1))


@pytest.mark.parametrize("size", [(80, 23), (120, 40)])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_table_screen(size: tuple[int, int], glyphs: Glyphs) -> None:
    position = two({"a": "b1 c1 c2", "b": "a2 f3"}, sequences="a:a1-d1")
    here = Table(position, 1, parse_action(SPACE, "sun f3"))
    here.press("tab")
    shown = "\n".join(here.frame(*size, glyphs=glyphs).lines)
    assert "Sequence in Space" in shown
    assert all(text in shown for text in ("comet", "rocket", "meteor", "sun"))
    wide = size[0] > 100
    for card in {*SPACE.board.grid} - {UNKNOWN}:
        assert (face_name(SPACE, card) if wide else face_code(SPACE, card)) in shown
    assert glyphs.corner * 2 in shown
    assert {square for kind, square in here.frame(*size).targets.values() if kind == "square"} == {*range(35)}


def test_what_the_screen_says_of_cards() -> None:
    def told(chips: dict[str, str], card: str) -> str:
        here = Table(two(chips), 1)
        here.scene.click(("card", here.position.hands[0].index(parse_card(SPACE, card))))
        return here.told

    assert "sun goes on b1, f3 and g5" in told({}, "sun")
    assert "sun goes on f3 and g5; b1 is taken" in told({"b": "b1"}, "sun")
    assert "sun goes on g5; b1 and f3 are taken" in told({"b": "b1 f3"}, "sun")
    assert "sun is dead: all its squares are taken; Enter exchanges it" in told({"a": "b1", "b": "f3 g5"}, "sun")
    assert "rocket goes on any free square" in told({}, "rocket")
    assert "meteor takes an opponent's lit chip" in told({"b": "b1"}, "meteor")


def test_plain_text() -> None:
    position = two({"a": "b1 c2", "b": "f3"})
    seen = view(position, 1)
    lines = board_lines(seen, COLOURS[:2], parse_action(SPACE, "sun f3"))
    assert lines[0].split() == [*"abcdefg"]
    assert [line.split() for line in lines[1:]] == [
        ["1", "**", "(G)", "MO", "**", *codes("mercury venus earth")],
        ["2", *codes("mars jupiter"), "(G)", *codes("uranus neptune pluto ceres")],
        ["3", *codes("titan orion"), "**", *codes("vega comet"), "<Y>", *codes("moon")],
        ["4", *codes("mercury venus earth mars jupiter saturn uranus")],
        ["5", *codes("neptune pluto ceres titan orion vega sun")],
    ]
    legend = " ".join(legend_lines(SPACE, COLOURS[:2]))
    assert all(f"{face_code(SPACE, card)} {FACES[card]}" in legend for card in {*SPACE.board.grid} - {UNKNOWN})
    assert hand_line(seen) == "your hand: sun comet meteor rocket"
    assert where_lines(seen, SUN, COLOURS[:2]) == ["sun: b1 green, f3 yellow, g5 free"]
    assert "sun b1  a card and a square" in help_lines(seen)[0]
    assert "sequences: green 0, yellow 0" in score_line(seen, COLOURS[:2])


def codes(faces: str) -> list[str]:
    return [face_code(SPACE, FACES.index(face)) for face in faces.split()]


def test_the_board_in_sentences() -> None:
    seen = view(two({"a": "b1 c2", "b": "f3"}), 1)
    assert part_lines(seen, "3", COLOURS[:2]) == [
        "row 3: a titan, b orion, c free corner, d vega, e comet, f yellow, g moon"
    ]
    assert part_lines(seen, "g", COLOURS[:2]) == [
        "column g: g1 earth, g2 ceres, g3 moon, g4 uranus, g5 sun",
    ]
    assert part_lines(seen, "g5", COLOURS[:2]) == ["g5 is sun, free: your sun or rocket can go here"]
    assert part_lines(seen, "6", COLOURS[:2]) == part_lines(seen, "h", COLOURS[:2]) == []


def test_pictures() -> None:
    position = two({"a": "b1 c1 c2", "b": "a2 f3"}, sequences="a:a1-d1")
    board = board_model(view(position, 0), COLOURS[:2])
    assert board.has_names
    text = board_svg(SPACE, board, "title")
    found = [each.text for each in ET.fromstring(text).iter() if each.tag.endswith("title")]
    assert len(found) == 1 + 35
    assert "f3: sun, yellow chip" in found
    assert "a1: free corner" in found
    assert re.search(r"Sequence in Space: 35 chips placed", heat_map_svg([(SPACE, [1] * 35)]))


# In French: entries in the catalogue, nothing else.


def test_in_french(french: None) -> None:
    names = [face_name(SPACE, card) for card in range(len(FACES))]
    assert names == [*FRENCH.values()]
    assert len({face_code(SPACE, card) for card in range(len(FACES))}) == len(FACES)
    assert (variant_title("space"), translate("space")) == ("Sequence dans l'espace", "espace")
    assert card_name(SPACE, SUN) == "soleil"
    assert read_card(SPACE, "SOLEIL") == read_card(SPACE, "sun") == read_card(SPACE, "so") == SUN
    seen = view(two({"a": "b1 c2", "b": "f3"}), 1)
    assert format_action(SPACE, read_action(seen, "soleil g5")) == "sun g5"
    assert format_action(SPACE, read_action(seen, "fusee a2")) == "rocket a2"
    assert hand_line(seen) == "votre main : soleil comète météore fusée"
    assert "soleil" in " ".join(legend_lines(SPACE, COLOURS[:2]))
    with pytest.raises(NotationError) as error:
        parse_action(SPACE, "cat a2")
    said = faces_shown(SPACE, translate(message_of(error.value)))
    assert "n'est pas une carte de Sequence dans l'espace" in said
    assert said.endswith("fusée")
    here = Table(two({"b": "b1 f3 g5"}), 1)
    assert "soleil" in here.text(120, 40)


# Records, and what is made of them.


@pytest.mark.simulation
@pytest.mark.parametrize("players", [2, 3])
def test_a_record_is_verified_and_shown(players: int) -> None:
    data = replay_bytes(played(players, "space", 5, "soon"))
    assert verify(data).verdict == "verified"
    playback = play_back(data)
    film = frames_of("space.seqp2p", playback, reviewed=review_of(playback))
    assert film.no_review.endswith("are missing: reinstall seqp2p")
    text = page(film, ["one"])
    assert text.isascii()
    assert "Sequence in Space: space.seqp2p" in text
    (found,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', text, re.DOTALL)
    game = json.loads(found)
    assert (game["rows"], game["cols"], game["letters"], game["names"]) == (5, 7, [*"abcdefg"], True)
    assert [card[0] for card in game["cards"]] == [*FACES]
    assert game["board"] == [*SPACE.board.grid]
    assert all(len(moment["board"]) == 35 for moment in game["moments"] if "board" in moment)
    last = playback.moments[-1].position
    assert last is not None
    assert last.winner


def test_a_table_can_be_opened() -> None:
    settings = table_settings(4, variant="space", teams=2)
    check_settings(settings)
    assert settings.colours == ("green", "yellow")
    assert settings.rules is KNOWN_VARIANTS["space"] is SPACE


def test_learning() -> None:
    pytest.importorskip("pettingzoo")
    from seqp2p.learning import RawEnv

    raw, dice = RawEnv(2, variant="space"), random.Random(1)
    raw.reset(seed=1)
    while not raw.table.position.over:
        mask = raw.observe(raw.agent_selection)["action_mask"]
        raw.step(dice.choice([number for number, allowed in enumerate(mask) if allowed]))
    assert sum(raw.rewards.values()) == 0
