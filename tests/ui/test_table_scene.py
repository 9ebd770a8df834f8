"""The table on the screen: keys and clicks become the lines that could have been typed, and nothing else."""

import random

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
    parse_square,
    view,
)
from seqp2p.ui.choice import NO_CHOICE
from seqp2p.ui.scene import LogLine
from tests.rules.playing import OPTION_TABLES, Game, make
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


def sq(name: str) -> int:
    return parse_square(CLASSIC, name)


def test_keys_become_a_line() -> None:
    here = open_table()
    slot = here.position.hands[0].index(parse_action(CLASSIC, "QH h2").card)
    assert here.press(*["tab"] * (slot + 1), "end", "enter") is None
    assert "Q♥ g7: Enter sends it, Esc takes it back" in here.text()
    assert here.press("escape", "up", "space", "enter") == "QH h2"
    assert "Q♥ h2 is sent; one moment" in here.text()


def test_clicks_become_a_line() -> None:
    here = open_table()
    scene, slot = here.scene, here.position.hands[0].index(parse_action(CLASSIC, "JS xe5").card)
    assert scene.click(("card", slot)) is None
    assert scene.click(("square", sq("e5"))) is None
    assert scene.click(("square", sq("e5"))) == "JS xe5"
    assert scene.click(("nothing", 1)) is None


def test_a_click_on_a_key_is_that_key() -> None:
    here = open_table()
    names = here.keys
    assert here.scene.click(("key", names.index("Tab"))) is None
    assert "hand [" in here.text()
    names = here.keys
    assert here.scene.click(("key", names.index("Enter"))) is None
    assert here.scene.click(("key", names.index("Enter"))) in here.legal
    assert here.scene.click(("key", 99)) is None
    assert here.scene.click(("key", names.index("arrows"))) is None


def test_an_answer_is_given_once() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert here.press("tab", "enter", "enter") is None
    # What was refused is asked anew.
    here.question = view(here.position, 1)
    assert "is sent" not in here.text()
    assert here.press("tab", "enter", "enter")


def test_an_answer_that_was_lost_can_be_given_again() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert here.press("escape", "escape", "tab", "enter", "enter")


def test_a_move_is_prepared_while_another_plays() -> None:
    here = table(seed=3, own=None)
    other = Table(here.position, here.position.to_move % 2 + 1)
    for key in ("tab", "tab", "home", "down"):
        assert other.press(key) is None
    text = other.text()
    assert "not your turn; card and square prepare a move" in text
    assert "[" in text
    line = other.press("enter")
    assert line is not None
    other.pending = parse_action(CLASSIC, line)
    assert "is prepared for your turn; Esc takes it back" in other.text()
    assert other.press("escape") == "undo"


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
    assert here.scene.choice.card == parse_action(CLASSIC, "2C e2").card
    assert here.scene.enter("a1") == "a1"  # It is not lit.
    assert here.scene.enter("e2") == "2C e2"
    assert here.scene.enter("say e2") == "say e2"


def test_without_confirmation_a_chosen_move_is_sent_at_once() -> None:
    here = open_table()
    here = Table(here.position, here.own, confirms=False)
    here.press("tab")
    assert here.press("enter")


def test_what_was_looked_at_is_still_chosen_when_the_turn_comes() -> None:
    position = make({"a": "b2 c2", "b": "e5"}, [HAND, ANY], to_move=2)
    here = at(position, own=1)
    here.press("tab", "home")
    card = parse_action(CLASSIC, "2C e2").card
    here.moves_on(make({"a": "b2 c2", "b": "e5 a2"}, [HAND, ANY]))
    line = here.press("enter", "enter")
    assert line is not None
    assert parse_action(CLASSIC, line).card == card


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


def test_the_clock_of_a_turn_begins_anew_with_every_change() -> None:
    here = open_table()
    here.now_s += 15
    assert "0:45  pile" in here.text()
    here.now_s += 40
    assert "0:05!  pile" in here.text()
    here.now_s += 40
    assert "0:25  pile" in here.text(), "two alone wait for the time of two turns"
    here.now_s += 40
    assert "0:00!" in here.text()
    here.scene.changed(is_new_step=False)
    assert "0:00!" in here.text(), "a remark is no step"
    here.scene.changed()
    assert "1:00  pile" in here.text()
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


def test_before_the_deal_there_are_seats_and_progress() -> None:
    here = table(CLASSIC, 12, 3)
    here.gather_again()
    here.scene.progress("seat 2 shuffles…", 1, 12)
    for key in KEYS:
        assert here.press(key) is None
    here.press("escape")
    text = here.text()
    assert "the cards are not dealt yet" in text
    assert "leo" in text
    assert "1/12" in text
    assert here.scene.click(("square", 3)) is None
    assert here.scene.completions("le") == ["leave"]
    here.press("f3")
    assert "the cards are not dealt yet" in here.text().splitlines()[2]


def test_the_end_is_shown_large() -> None:
    here = open_table()
    here.scene.over(["you won", "type again for another game, or leave"])
    text = here.text()
    assert "Y O U   W O N" in text
    assert "type again for another game, or leave" in text
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


def test_help_says_what_keys_do_now() -> None:
    here = open_table()
    here.press("tab", "?")
    text = here.text()
    assert "put a chip" in text
    assert "Keys that do something now:" in text
    assert here.scene.click(("square", 3)) is None
    here.press("pagedown", "down", "tab")
    assert here.text() != text
    here.press("home")
    assert here.text() == text
    here.press("end")
    assert "Keys that do something now:" not in here.text()
    here.press("f1")
    assert "hand [" in here.text()


def test_every_discard_pile_can_be_read() -> None:
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


def test_the_log_can_be_scrolled_back() -> None:
    here = open_table()
    lines = [LogLine("log", f"line {number}") for number in range(100)]
    assert any("line 99" in row for row in here.frame(lines=lines).lines)
    here.press("pageup")
    rows = here.frame(lines=lines).lines
    assert not any("line 99" in row for row in rows)
    assert any("scrolled back" in row for row in rows)
    assert "PgDn" in here.keys
    here.press(*["pageup"] * 30)
    assert any("line 0" in row for row in here.frame(lines=lines).lines)
    here.press("end")
    assert any("line 99" in row for row in here.frame(lines=lines).lines)
    here.press("pageup", "pagedown")
    assert any("line 99" in row for row in here.frame(lines=lines).lines)
    # A log that has become shorter.
    here.press(*["pageup"] * 10)
    assert here.frame(lines=lines[:3]).lines


def test_the_whole_log_is_shown_from_its_end() -> None:
    here = open_table()
    lines = [LogLine("log", f"line {number}") for number in range(100)]
    here.frame(lines=lines)
    here.press("f2")
    assert here.frame(lines=lines).lines[-2].strip() == "line 99"
    here.press("home", "up")
    assert here.frame(lines=lines).lines[2].strip() == "line 0"
    here.press("down")
    assert here.frame(lines=lines).lines[2].strip() == "line 1"
    here.press("home", "pagedown")
    assert here.frame(lines=lines).lines[2].strip() == "line 20", "a page is what the smallest screen shows"
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


@pytest.mark.usefixtures("french")
def test_animals_have_their_names_in_the_readers_language() -> None:
    here = at(make({"a": "c3", "b": "d4"}, ["cat,unicorn,dragon", "?,?,?"], variant=KIDS))
    assert here.scene.completions("cha") == ["chat d1", "chat f5"]
    here.press("tab")
    assert "🐱 chat" in here.text()
    assert here.press("enter", "enter") in here.legal


def test_the_keys_of_every_state() -> None:
    here = open_table()
    assert (here.does("Enter"), here.does("Esc"), here.does("Tab")) == ("", "", "card")
    here.scene.click(("square", sq("h2")))
    assert here.does("Enter") == "choose a card"
    here.press("enter")
    assert here.does("Enter") == "put a chip"
    here.press("enter")
    assert (here.does("Enter"), here.does("Esc")) == ("send", "take back")
    here.press("escape", "escape", "s-tab")
    assert (here.does("Enter"), here.does("Esc")) == ("take the chip", "no card")
    here.question = None
    assert here.does("Enter") == "prepare"
    dead = at(make({"a": "h2", "b": "g7"}, [HAND, ANY]))
    dead.scene.click(("card", dead.position.hands[0].index(parse_action(CLASSIC, "QH h2").card)))
    assert dead.does("Enter") == "exchange"
    used = at(make({"a": "h2", "b": "g7"}, [HAND, ANY], exchanged=1))
    used.scene.click(("card", used.position.hands[0].index(parse_action(CLASSIC, "QH h2").card)))
    assert used.does("Enter") == ""
    several = at(make({"a": "b5 c5 d5 f5 g5", "b": "a7"}, [HAND, ANY]))
    several.scene.click(("card", several.position.hands[0].index(parse_action(CLASSIC, "JC h2").card)))
    several.scene.click(("square", sq("e5")))
    assert several.does("Tab") == "other lines"


def test_the_keys_of_a_draw_and_of_a_penalty() -> None:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(manual_draw=True, table_talk=False))
    called = at(apply(game.position, call(game.position.to_move % 4 + 1)))
    assert "your team's talk was called" in called.text()
    called.press("tab")
    assert called.does("Enter") == "give up"
    line = called.press("enter", "enter")
    assert line is not None
    assert line.endswith(" given")
    game.play(next(action for action in legal_actions(game.position) if action.kind == "place"))
    drawing = at(game.position)
    assert "draw: Enter sends it" in drawing.text()
    assert drawing.does("Tab") == "draw or not"
    drawing.press("escape")
    assert drawing.does("Enter") == "draw"
    assert "draw your new card: Enter; Tab to do without" in drawing.text()
    assert drawing.press("enter", "tab", "enter") == "end"


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


def test_a_square_is_told_in_words() -> None:
    here = at(make({"a": "b2 c2 d2 e2 f2", "b": "e5"}, [HAND, ANY], sequences="a:b2-f2"))

    def told(square: int) -> str:
        here.scene.click(("square", square))
        return here.text()

    assert "a1 is a free corner: it counts for everybody" in told(0)
    assert "b2 is 5♣: a blue chip in a completed sequence" in told(sq("b2"))
    assert "e5 is 5♥: a green chip" in told(sq("e5"))
    assert "h2 is Q♥, free: your Q♥ or J♣ can go here" in told(sq("h2"))
    assert f"{format_square(CLASSIC, 20)} is 7♣, free: your J♣ can go here" in told(20)
    bare = at(make({"b": "e5"}, ["2C,2D,3C,3D,4C,4D,5C", ANY]))
    bare.scene.click(("square", sq("h2")))
    assert "h2 is Q♥, free; no card of your hand goes there" in bare.text()


def cards_told(position_cards: str, chips: dict[str, str], card: str, **more: int) -> str:
    here = at(make(chips, [position_cards, ANY], possible=False, **more))  # type: ignore[arg-type]  # numbers only
    here.scene.click(("card", here.position.hands[0].index(CLASSIC.faces.index(card))))
    return here.told


def test_a_card_is_told_in_words() -> None:
    assert "Q♥ goes on h2 and g7" in cards_told(HAND, {"a": "b2"}, "QH")
    assert "Q♥ goes on g7; h2 is taken" in cards_told(HAND, {"a": "h2"}, "QH")
    assert "Q♥ is dead: all its squares are taken; Enter exchanges it" in cards_told(HAND, {"a": "h2 g7"}, "QH")
    assert "Q♥ is dead: all its squares are taken, and no more can be exchanged in this turn" in cards_told(
        HAND, {"a": "h2 g7"}, "QH", exchanged=1
    )
    assert "J♣, a two-eyed jack, goes on any free square" in cards_told(HAND, {"b": "h2 g7"}, "JC")
    assert "J♠, a one-eyed jack, takes an opponent's lit chip h2 is" in cards_told(HAND, {"b": "h2"}, "JS")
    assert "J♠ takes an opponent's chip, but no opponent's chip can be taken now" in cards_told(HAND, {"a": "h2"}, "JS")


def test_the_wild_cards_of_the_kids_game_and_a_full_board() -> None:
    here = at(make({"a": "c3", "b": "d4"}, ["cat,unicorn,dragon", "?,?,?"], variant=KIDS))
    here.press("s-tab")
    assert "unicorn goes on any free square" in here.text()
    here.press("s-tab")
    assert "dragon takes an opponent's lit chip" in here.text()
    squares = [format_square(KIDS, square) for square in range(42) if square not in KIDS.board.corners]
    full = make(
        {"a": " ".join(squares[::2]), "b": " ".join(squares[1::2])},
        ["cat,unicorn,dragon", "?,?,?"],
        variant=KIDS,
        possible=False,
    )
    here = at(full)
    here.press("s-tab")
    assert "unicorn goes on any free square, but no square is free" in here.told


def test_a_dead_card_of_one_who_waits() -> None:
    here = at(make({"a": "h2 g7", "b": "e5"}, [HAND, ANY], to_move=2, possible=False), own=1)
    here.scene.click(("card", here.position.hands[0].index(CLASSIC.faces.index("QH"))))
    assert "Q♥ is dead: all its squares are taken; you can exchange it in your turn" in here.told


def test_a_pass_is_asked_for() -> None:
    hand = "QH,QH,KH,JH,JH,JS,JS"
    here = at(make({"a": "h2 g7 g2 g6"}, [hand, ANY], exchanged=1, possible=False))
    assert "nothing of your hand can be played: Enter passes" in here.told
    assert here.does("Enter") == "pass"
    assert (here.text().count("(J♥-)"), here.text().count("(J♠-)")) == (2, 2)
    assert here.press("enter", "enter") == "pass"


def test_a_card_that_is_given_up_is_told_in_words() -> None:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(table_talk=False))
    here = at(apply(game.position, call(game.position.to_move % 4 + 1)))
    here.press("tab")
    assert "goes on your discards, and you get no new card for it" in here.told


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


def test_esc_undoes_nothing_once_the_move_is_sent() -> None:
    here = open_table()
    assert here.press("tab", "enter", "enter")
    assert "Esc" not in here.keys
    here.press("up")
    assert "Esc" not in here.keys


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
