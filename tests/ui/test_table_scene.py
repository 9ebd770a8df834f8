"""The table on the screen: keys and clicks become the lines that could have been typed, and nothing else."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    Options,
    Variant,
    apply,
    call,
    drop,
    format_square,
    legal_actions,
    parse_action,
    parse_card,
    view,
)
from seqp2p.ui.choice import NO_CHOICE
from seqp2p.ui.scene import LogLine
from tests.rules.playing import OPTION_TABLES, Game, make
from tests.ui.kept import Talk, talks
from tests.ui.tables import LINES, Table, at, table

HAND = "QH,JC,JS,2C,2C,9S,9S"
ANY = "?,?,?,?,?,?,?"
KEYS = [
    *("up", "down", "left", "right", "enter", "escape", "tab", "s-tab", "space"),
    *("pageup", "pagedown", "home", "end", "?", "f1", "f2", "f3", "f4"),
]
WORKING_KEYS = ["up", "down", "left", "right", "enter", "tab", "s-tab", "space"]


def open_table() -> Table:
    return at(make({"a": "b2 c2", "b": "e5"}, [HAND, ANY]))


def full_kids() -> Table:
    squares = [format_square(KIDS, square) for square in range(42) if square not in KIDS.board.corners]
    chips = {"a": " ".join(squares[::2]), "b": " ".join(squares[1::2])}
    return at(make(chips, ["cat,unicorn,dragon", "?,?,?"], variant=KIDS, possible=False))


def called() -> Table:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(table_talk=False))
    return at(apply(game.position, call(game.position.to_move % 4 + 1)))


def drawing() -> Table:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(manual_draw=True))
    game.play(next(action for action in legal_actions(game.position) if action.kind == "place"))
    return at(game.position)


def with_hand(chips: dict[str, str], hand: str = HAND, **more: Any) -> Callable[[], Table]:
    return lambda: at(make(chips, [hand, ANY], possible=False, **more), own=1)


PLACES: dict[str, Callable[[], Table]] = {
    "the usual hand": open_table,
    "the usual hand, another's turn": with_hand({"a": "b2 c2", "b": "e5"}, to_move=2),
    "a completed sequence": with_hand({"a": "b2 c2 d2 e2 f2", "b": "e5"}, sequences="a:b2-f2"),
    "a hand without jacks": with_hand({"b": "e5"}, "2C,2D,3C,3D,4C,4D,5C"),
    "a chip of the own team on h2": with_hand({"a": "h2"}),
    "QH is dead": with_hand({"a": "h2 g7"}),
    "QH is dead, and a card has been exchanged": with_hand({"a": "h2 g7"}, exchanged=1),
    "QH is dead, another's turn": with_hand({"a": "h2 g7", "b": "e5"}, to_move=2),
    "a chip of another team on h2": with_hand({"b": "h2 g7"}),
    "e5 completes two lines": with_hand({"a": "b5 c5 d5 f5 g5", "b": "a7"}),
    "nothing can be played": with_hand({"a": "h2 g7 g2 g6"}, "QH,QH,KH,JH,JH,JS,JS", exchanged=1),
    "the kids' game": lambda: at(make({"a": "c3", "b": "d4"}, ["cat,unicorn,dragon", "?,?,?"], variant=KIDS)),
    "the kids' game, the board is full": full_kids,
    "the team's talk was called": called,
    "a card is to be drawn": drawing,
}


@talks(__file__, "scene_talks.txt")
def test_talk(talk: Talk) -> None:
    """Keys and clicks, each with the line that it sends, the words below the board, and the next keys."""
    here = PLACES[talk.place]()

    def answer(line: str) -> list[str]:
        sent = (here.press if line.startswith(">") else here.click)(*line[2:].split())
        keys = "; ".join(f"{key}: {here.does(key)}" for key in ("Enter", "Esc", "Tab") if key in here.keys)
        return [*([] if sent is None else [f"(sends {sent})"]), *here.told, f"({keys})"]

    talk.check(map(answer, talk.lines))


def test_a_click_on_a_key_is_that_key() -> None:
    here = open_table()

    def click(key: str) -> str | None:
        return here.scene.click(("key", here.keys.index(key)))

    assert click("Tab") is None
    assert "hand [" in here.text()
    assert click("Enter") is None
    assert click("Enter") in here.legal
    assert click("arrows") is None
    assert here.scene.click(("key", 99)) is None
    assert here.scene.click(("nothing", 1)) is None


def test_an_answer_is_given_once() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert here.press("tab", "enter", "enter") is None
    # It was refused, and is asked again.
    here.question = view(here.position, 1)
    assert "is sent" not in here.text()
    assert here.press("tab", "enter", "enter")


def test_an_answer_that_was_lost_can_be_given_again() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert here.press("escape", "escape", "tab", "enter", "enter")


def test_esc_undoes_nothing_once_the_move_is_sent() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert "Esc" not in here.keys
    here.press("up")
    assert "Esc" not in here.keys


def test_a_prepared_move_is_told_and_taken_back() -> None:
    here = with_hand({"a": "b2 c2", "b": "e5"}, to_move=2)()
    line = here.press("tab", "home", "down", "enter")
    assert line is not None
    here.pending = parse_action(CLASSIC, line)
    assert "is prepared for your turn; Esc takes it back" in here.text()
    assert here.press("escape") == "undo"


@pytest.mark.parametrize("key", ["enter", "escape"])
def test_enter_and_escape_close_the_question_whether_to_stop(key: str) -> None:
    here = open_table()
    here.press("right")
    here.parting = True
    assert here.press(key) == ""
    here.parting = False
    assert here.press("escape") is None


def test_a_typed_card_is_chosen_and_then_a_square_is_enough() -> None:
    here = open_table()
    assert here.scene.enter("2c") is None
    assert here.scene.choice.card == parse_card(CLASSIC, "2C")
    assert here.scene.enter("a1") == "a1"  # It is not lit.
    assert here.scene.enter("e2") == "2C e2"
    assert here.scene.enter("say e2") == "say e2"


def test_without_confirmation_a_chosen_move_is_sent_at_once() -> None:
    here = Table(open_table().position, 1, confirms=False)
    here.press("tab")
    assert here.press("enter")


def test_the_card_that_was_looked_at_is_still_chosen_when_the_turn_comes() -> None:
    here = with_hand({"a": "b2 c2", "b": "e5"}, to_move=2)()
    here.press("tab", "home")
    here.moves_on(make({"a": "b2 c2", "b": "e5 a2"}, [HAND, ANY]))
    assert (here.press("enter", "enter") or "").startswith("2C ")


def test_a_change_drops_what_is_not_legal_any_more() -> None:
    here = open_table()
    here.press("tab", "enter")
    assert "Enter sends it" in here.text()
    here.scene.changed()
    assert "Enter sends it" not in here.text()
    # The question goes away without an answer: somebody else has ended the turn.
    here.press("enter")
    here.question = None
    assert "Enter sends it" not in here.text()


def test_the_clock_of_a_turn_begins_again_with_every_step() -> None:
    here = open_table()

    def clock(seconds_later: int) -> str:
        here.now_s += seconds_later
        return here.text().splitlines()[0].partition("  pile")[0].split()[-1]

    assert [clock(15), clock(40)] == ["0:45", "0:05!"]
    assert [clock(40), clock(40)] == ["0:25", "0:00!"], "two alone wait for the time of two turns"
    here.scene.changed(is_new_step=False)
    assert clock(0) == "0:00!", "a remark is no step"
    here.scene.changed()
    assert clock(0) == "1:00"
    assert ":" not in Table(here.position, 1, turn_time_s=0).frame(lines=()).lines[0]


def test_a_seat_that_is_away_counts_down() -> None:
    here = table(CLASSIC, 12, 3, own=1)
    here.scene.absent(2, 120)
    here.scene.absent(3, 60)
    here.now_s += 17
    text = here.text()
    assert "away 1:43" in text
    assert "away 0:43" in text
    here.scene.back(3)
    here.scene.gone([2, 4])
    assert "away" not in here.text()


def test_progress_comes_and_goes() -> None:
    here = open_table()
    here.scene.progress("seat 2 shuffles… proof checked", 3, 4)
    assert "seat 2 shuffles… proof checked ████████████░░░░ 3/4" in here.text()
    here.scene.progress("the cards are dealt", 0, 0)
    assert "the cards are dealt" in here.text()
    here.scene.progress_over()
    assert "dealt" not in here.text()


def test_before_the_deal_no_key_does_anything_but_show_sheets() -> None:
    here = table(CLASSIC, 12, 3)
    here.gather_again()
    for key in KEYS:
        assert here.press(key) is None
    here.press("escape")
    assert "the cards are not dealt yet" in here.text()
    assert here.scene.click(("square", 3)) is None
    assert here.scene.completions("le") == ["leave"]
    here.press("f3")
    assert "the cards are not dealt yet" in here.text().splitlines()[2]


def test_the_end_is_shown_until_another_game_begins() -> None:
    here = open_table()
    here.scene.over(["you lost: won by seat 2 (alexander the great conqueror)", *["a line more"] * 9])
    shown = " ".join(here.text().split())
    assert "you lost: won by seat 2 (alexander the great" in shown
    assert "conqueror)" in shown
    assert here.keys == ["?", "F3", "F2", "PgUp"]
    here.press("tab", "enter", "enter")
    here.scene.click(("square", 3))
    assert here.scene.choice == NO_CHOICE
    here.scene.over([])
    assert "lost" not in here.text()


def test_help_is_scrolled_and_closed() -> None:
    here = open_table()
    here.press("tab", "?")
    text = here.text()
    assert "put a chip" in text, "what keys do now"
    assert here.scene.click(("square", 3)) is None
    here.press("pagedown", "down", "tab")
    assert here.text() != text
    here.press("home")
    assert here.text() == text
    here.press("end")
    assert "Keys that do something now:" not in here.text()
    here.press("f1")
    assert "hand [" in here.text()


def test_a_discard_pile_is_shown_alone_or_with_the_others() -> None:
    here = table(CLASSIC, 4, 2, seed=2)
    here.press("f3")
    text = here.text()
    for seat, pile in enumerate(here.position.discards, 1):
        assert f"seat {seat}, " in text
        assert f"{len(pile)} cards, the newest first:" in text
    here.press("escape")
    assert here.scene.click(("seat", 2)) is None
    text = here.text()
    assert "seat 2, bob (green)" in text
    assert "seat 1" not in text
    here.press("f3")
    assert "seat 1, ann (blue)" in here.text()
    here.press("f3")
    assert "seat 1, ann (blue)" not in here.text()


def test_a_pile_without_a_card() -> None:
    here = at(make({"a": "b2"}, [HAND, ANY], discards=["-", "TD"]))
    here.press("f3")
    text = here.text()
    assert "seat 1, ann (blue): no card discarded" in text
    assert "seat 2, bob (green), one card:\n     T♦" in text


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


def test_one_who_only_watches_sees_the_table_without_a_hand() -> None:
    here = table(CLASSIC, 4, 2, own=0)
    for key in KEYS[:9]:
        assert here.press(key) is None
    text = here.text()
    assert "you are watching: no hand is shown" in text
    assert "hand" not in text.replace("no hand is shown", "")


def test_whole_lines_are_suggested() -> None:
    here = open_table()
    assert here.scene.completions("qh") == ["QH h2", "QH g7"]
    assert here.scene.completions("JS") == ["JS xe5"]
    assert here.scene.completions("wh") == ["where "]
    assert len(here.scene.completions("")) == 20
    here.question = None
    assert here.scene.completions("qh") == []


def test_animals_have_their_names_in_the_readers_language(french: None) -> None:
    here = PLACES["the kids' game"]()
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
    options: tuple[Variant, int, int, Options], seed: int, keys: list[str], data: st.DataObject
) -> None:
    variant, players, teams, rules = options
    here = table(variant, players, teams, seed, options=rules)
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


def test_a_seat_that_has_left_is_out() -> None:
    here = table(CLASSIC, 4, 2, 3, own=1)
    here.moves_on(drop(here.position, (2,)))
    assert next(row for row in here.text().splitlines() if "bob" in row).endswith(" out")


def test_the_codes_of_the_animals_are_in_the_help() -> None:
    here = table(KIDS, 2, 2)
    here.press("?", "pagedown", "pagedown")
    assert "🐊 alligator, 🐻 bear, 🐱 cat, 🦆 duck, 🐘 elephant" in here.text()
    undealt = table(KIDS, 2, 2)
    undealt.gather_again()
    undealt.press("?")
    assert "Signs" not in undealt.text()
    assert "Keys that do something now:" in undealt.text()


def test_cards_that_cannot_be_played_are_in_brackets() -> None:
    text = PLACES["nothing can be played"]().text()
    assert (text.count("(J♥-)"), text.count("(J♠-)")) == (2, 2)


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


def test_between_an_exchange_and_its_card_the_turn_goes_on() -> None:
    """The turn is this seat's all the time, though it is not asked while the new card is drawn."""
    here = table(KIDS, own=None)
    here.question = None
    assert "your turn" in here.text().splitlines()[0]
    assert "not your turn" not in here.text()
    assert "a card is being drawn; one moment" in here.text()


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
