"""The table on the screen: keys and clicks become the lines that could have been typed, and nothing else."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, KIDS, Options, Variant, apply, parse_action, parse_card, view
from seqp2p.ui.explain import keys_of
from seqp2p.ui.question import Answer, Question, yes_or_no
from seqp2p.ui.scene import LogLine
from tests.rules.playing import OPTION_TABLES, Game
from tests.rules.playing import Table as Rules
from tests.ui.kept import Talk, talks
from tests.ui.positions import POSITIONS, classic, own_seat
from tests.ui.tables import LINES, Table, at, table

KEYS = [
    *("up", "down", "left", "right", "enter", "escape", "tab", "s-tab", "space"),
    *("pageup", "pagedown", "home", "end", "?", "f1", "f2", "f3", "f4"),
]
WORKING_KEYS = ["up", "down", "left", "right", "enter", "tab", "s-tab", "space"]


def seated(place: str, **more: Any) -> Table:
    return Table(POSITIONS[place], own_seat(place), **more)


def open_table() -> Table:
    return seated("the usual hand")


def undealt() -> Table:
    here = table(CLASSIC, 12, 3)
    here.gather_again()
    return here


PLACES: dict[str, Callable[[], Table]] = {
    "the usual hand, moves are not confirmed": lambda: seated("the usual hand", confirms=False),
    "the usual hand, no clock": lambda: seated("the usual hand", turn_time_s=0),
    "before the deal": undealt,
    "four seats, watched": lambda: table(CLASSIC, 4, 2, own=0),
    "four seats": lambda: table(CLASSIC, 4, 2, seed=2),
}


def pass_time(seconds: float) -> Callable[[Table], None]:
    return lambda here: setattr(here, "now_s", here.now_s + seconds)


LOST = ["you lost: alexander the great conqueror won", *["a line more"] * 9]
HAPPENS: dict[str, Callable[[Table], object]] = {
    "the answer is refused": lambda here: setattr(here, "question", view(here.position, 1)),
    "the question goes away": lambda here: setattr(here, "question", None),
    "2C e2 is prepared": lambda here: setattr(here, "pending", parse_action(CLASSIC, "2C e2")),
    "a question is open": lambda here: setattr(here, "asks", yes_or_no("stop too?", "no", 1042.0).at(1000.0)),
    "the question is closed": lambda here: setattr(here, "asks", None),
    "another has moved, it is this seat's turn": lambda here: here.moves_on(classic({"a": "b2 c2", "b": "e5 a2"})),
    "seat 2 is away": lambda here: here.scene.absent(2, None),
    "a step": lambda here: here.scene.changed(),
    "a remark": lambda here: here.scene.changed(is_new_step=False),
    "15 seconds": pass_time(15),
    "40 seconds": pass_time(40),
    "seat 2 shuffles": lambda here: here.scene.progress("seat 2 shuffles… proof checked", 3, 4),
    "the deal": lambda here: here.scene.progress("the cards are dealt", 0, 0),
    "no progress any more": lambda here: here.scene.progress(),
    "the game is lost": lambda here: here.scene.over(LOST),
    "a click on seat 2": lambda here: here.scene.click(("seat", 2)),
    "another game": lambda here: here.scene.over([]),
}


@talks(__file__, "scene_talks.txt")
def test_talk(talk: Talk) -> None:
    """Keys and clicks, each with the line that it sends, and the new text if it has changed."""
    here = PLACES[talk.place]() if talk.place in PLACES else seated(talk.place)
    before = here.reads

    def answer(line: str) -> list[str]:
        nonlocal before
        text, sent = line[2:], None
        if text in HAPPENS:
            HAPPENS[text](here)
        else:
            sent = (here.press if line.startswith(">") else here.click)(*text.split())
        old, before = before, here.reads
        return [*([] if sent is None else [f"(sends {sent or 'an empty line'})"]), *(before if before != old else [])]

    talk.check(map(answer, talk.lines))


def test_the_help_of_a_key_names_it() -> None:
    here = open_table()

    def press(key: str) -> str | None:
        return here.scene.press(next(each.press for each in keys_of(here.scene._state()) if each.key == key))

    assert press("Tab") is None
    assert "hand [" in here.text()
    assert press("Enter") is None
    assert press("Enter") in here.legal
    assert here.scene.click(("nothing", 1)) is None


def test_a_typed_card_is_chosen_and_then_a_square_is_enough() -> None:
    here = open_table()
    assert here.scene.enter("2c") is None
    assert here.scene._choice.card == parse_card(CLASSIC, "2C")
    assert here.scene.enter("a1") == "a1"  # It is not lit.
    assert here.scene.enter("e2") == "2C e2"
    assert here.scene.enter("say e2") == "say e2"


def test_a_seat_that_is_away_counts_down() -> None:
    here = table(CLASSIC, 12, 3, own=1)
    here.scene.absent(2, 120)
    here.scene.absent(3, 60)
    here.now_s += 17
    text = here.text()
    assert "away 1:43" in text
    assert "away 0:43" in text
    assert "grace's turn. You can prepare" in text
    here.scene.absent(7, 60)
    assert "waiting for bob" in here.text()
    here.scene.back(3)
    for seat in (2, 4, 7):
        here.scene.back(seat)
    assert "away" not in here.text()


HUNDRED = [LogLine("log", f"line {number}") for number in range(100)]


def test_the_log_can_be_scrolled_back() -> None:
    here = open_table()

    def shows(text: str) -> bool:
        return any(text in row for row in here.frame(lines=HUNDRED).lines)

    assert shows("line 99")
    here.press("pageup")
    assert not shows("line 99")
    assert shows("scrolled back")
    assert "PgDn" in here.keys
    here.press(*["pageup"] * 30)
    assert shows("line 0")
    here.press("end")
    assert shows("line 99")
    here.press("pageup", "pagedown")
    assert shows("line 99")
    # A log that has become shorter.
    here.press(*["pageup"] * 10)
    assert here.frame(lines=HUNDRED[:3]).lines


def test_the_whole_log_is_shown_from_its_end() -> None:
    here = open_table()
    here.frame(lines=HUNDRED)
    here.press("f2")
    assert here.frame(lines=HUNDRED).lines[-2].strip() == "line 99"
    # A page is what the smallest screen shows.
    for keys, first in ((("home", "up"), "line 0"), (("down",), "line 1"), (("home", "pagedown"), "line 20")):
        here.press(*keys)
        assert here.frame(lines=HUNDRED).lines[2].strip() == first
    here.press("end", "enter")
    assert "hand" in here.text()


def test_whole_lines_are_suggested() -> None:
    here = open_table()
    assert here.scene.completions("qh") == ["QH h2", "QH g7"]
    assert here.scene.completions("JS") == ["JS xe5"]
    assert here.scene.completions("wh") == ["where "]
    assert len(here.scene.completions("")) == 20
    here.question = None
    assert here.scene.completions("qh") == []


def test_animals_have_their_names_in_the_readers_language(french: None) -> None:
    here = seated("a kids' game")
    assert here.scene.completions("cha") == ["chat d1", "chat f5"]
    here.press("tab")
    assert "🐱 chat" in here.text()
    assert here.press("enter", "enter") in here.legal


@given(
    st.sampled_from(OPTION_TABLES),
    st.integers(0, 10_000),
    st.lists(st.sampled_from(KEYS + WORKING_KEYS * 2)),
    st.data(),
)
def test_whatever_is_pressed_only_a_legal_action_leaves(
    game: Rules, seed: int, keys: list[str], data: st.DataObject
) -> None:
    here = table(*game[:3], seed, options=game.options)
    for key in keys:
        position = here.position
        if data.draw(st.booleans()):
            line = here.scene.press(key)
        else:
            targets = sorted(here.frame(lines=LINES).targets.values())
            line = here.scene.click(data.draw(st.sampled_from(targets)))
        if line is None:
            continue
        action = parse_action(position.variant, line)
        assert here.question is not None
        assert action._replace(ends=()) in here.question.legal
        # The engine takes it, and asks the same seat again as if nothing had happened.
        apply(position, action)
        here.moves_on(position)


def test_the_codes_of_the_animals_are_in_the_help() -> None:
    here = table(KIDS, 2, 2)
    here.press("?", "pagedown", "pagedown")
    assert "🐊 alligator, 🐻 bear, 🐱 cat, 🦆 duck, 🐘 elephant" in here.text()
    undealt = table(KIDS, 2, 2)
    undealt.gather_again()
    undealt.press("?")
    assert "Signs" not in undealt.text()
    assert "Keys you can use now:" in undealt.text()


def test_a_long_explanation_is_cut_to_its_room() -> None:
    here = table(CLASSIC, 12, 3, 5)
    here.scene.progress("seat 2 shuffles…", 1, 12)
    here.press("tab", "enter")
    here.scene.absent(2, 100)
    row = LINES[-1].text
    assert row in here.text()


@pytest.mark.parametrize(
    ("variant", "players", "teams", "options"),
    [(CLASSIC, 2, 2, Options()), (CLASSIC, 3, 3, Options(manual_draw=True, advanced=True)), (KIDS, 4, 4, Options())],
)
def test_a_whole_game_is_played_by_keys(variant: Variant, players: int, teams: int, options: Options) -> None:
    """Tab until a card can be played, an arrow or two, Enter: no other key is needed to come to an end."""
    rng = random.Random(1)
    game = Game.deal(variant, players, teams, rng, options)
    kinds = set[str]()
    while not game.position.over:
        here, line = at(game.position), None
        here.frame()
        for _ in range(rng.randint(1, 6)):
            here.press("tab")
        while line is None:
            for key in rng.choices(["up", "down", "left", "right"], k=rng.randint(0, 2)):
                here.press(key)
            line = here.press("enter") or here.press("enter") or here.press("tab")
        assert line in here.legal
        game.play(parse_action(variant, line))
        kinds.add(game.history[-1][1].kind)
    assert kinds >= {"place", "remove"}


def test_the_help_of_a_spectator_says_what_a_spectator_can_do() -> None:
    here = table(seed=3, own=0)
    here.press("?")
    text = " ".join(here.text(120, 60).split())
    assert "you watch: board shows the board" in text
    for sign in ("in the hand", "what Enter sends", "in your turn", "say TEXT", "pass"):
        assert sign not in text
    for key in here.keys:
        assert key in text
    assert here.scene.completions("h") == ["help"]
    assert here.scene.completions("s") == ["seats", "score"]


def test_a_completed_sequence_is_lit_before_it_is_a_band() -> None:
    here = open_table()
    assert here.model.board is not None
    here.moves_on(POSITIONS["a completed sequence"])

    def looks() -> set[tuple[bool, bool]]:
        board = here.model.board
        assert board is not None
        return {(board.cells[square].lit, board.cells[square].made) for square in range(11, 16)}

    assert looks() == {(True, False)}
    final = here.scene.final_board()
    here.now_s += 1.5
    assert final == here.scene.final_board()
    assert looks() == {(False, True)}
    assert seated("a completed sequence").model.board == here.model.board


def test_help_is_typed_or_a_key() -> None:
    typed, pressed = open_table(), open_table()
    assert typed.scene.enter("help") is None
    pressed.press("?")
    assert typed.text() == pressed.text()


@pytest.mark.parametrize("size", [(80, 23), (100, 29), (120, 39), (200, 59)])
def test_the_price_of_every_answer_has_room(size: tuple[int, int]) -> None:
    """The longest one is that of French, at a table of three."""
    here = open_table()
    price = (
        "suspendre : seqp2p resume --lang fr la reprend ; les autres attendent 2:00, puis peuvent continuer sans vous"
    )
    prices = "quitter : les autres continuent sans vous", price
    here.asks = Question("stop for now, or leave the game?", (Answer("enter", "you stay", ""),), prices)
    frame = here.frame(*size)
    hints = [text for row in frame.rows for style, text in row if style == "hint"]
    assert "; ".join(prices) in " ".join(" ".join(hints).split())
    below = {kind for (row, _), (kind, _) in frame.targets.items() if frame.rows[row][0][0] == "hint"}
    assert "card" not in below, "no card that is not seen can be clicked"
    assert "stop for now, or leave the game?" in here.text(*size)


def test_a_question_is_seen_above_every_sheet() -> None:
    here = open_table()
    here.press("?")
    here.asks = yes_or_no("stop too?", "no")
    assert "stop too?" in here.text()
    here.asks = None
    assert "stop too?" not in here.text()
    assert "help" in here.text().splitlines()[1]
    here.press("?")
    here.asks = yes_or_no("stop too?", "no")
    assert "y yes" in here.text()
    for key in ("f2", "f3"):  # Those that are asked for come above it, with its answers.
        here.press(key)
        assert ("stop too?" in here.text().splitlines()[1], "y yes" in here.text()) == (True, True)
    here.press("f3")
    assert "choose a card" not in here.text()
    assert "stop too?" in here.text()
