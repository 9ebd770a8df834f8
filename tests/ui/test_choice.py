"""The choice a person is making: what keys and clicks make of it, step by step and back."""

import random

from hypothesis import example, given
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    Options,
    Position,
    Variant,
    View,
    apply,
    call,
    format_action,
    legal_actions,
    parse_card,
    parse_square,
    view,
)
from seqp2p.ui.choice import (
    DIRECTIONS,
    NO_CHOICE,
    Choice,
    actions_of,
    cards_for,
    entered,
    lit,
    moved,
    picked,
    pointed,
    settled,
    taken_back,
    targets,
    to_edge,
    turned,
)
from tests.rules.playing import OPTION_TABLES, Game, make, random_position

HAND = "QH,JC,JS,2C,2C,9S,9S"


def seen(position: Position) -> View:
    return view(position, position.to_move)


def open_table() -> View:
    return seen(make({"a": "b2 c2", "b": "e5"}, [HAND, "?,?,?,?,?,?,?"]))


def chosen(face: str, here: View) -> Choice:
    choice, _ = picked(NO_CHOICE, here, here.hand.index(parse_card(here.variant, face)))
    return choice


def square(name: str) -> int:
    return parse_square(CLASSIC, name)


def test_a_card_a_square_and_off_it_goes() -> None:
    here = open_table()
    choice = chosen("QH", here)
    assert lit(choice, here) == {square("h2"), square("g7")}
    assert choice.cursor in lit(choice, here)
    assert choice.cursor == square("g7")
    choice = moved(choice, here, "up")
    assert choice.cursor == square("h2")
    choice, sent = entered(choice, here)
    assert sent is None
    assert choice.staged is not None
    assert lit(choice, here) == set()
    choice, sent = entered(choice, here)
    assert sent is not None
    assert format_action(CLASSIC, sent) == "QH h2"
    assert choice == Choice(square("h2"))


def test_a_choice_is_undone_step_by_step() -> None:
    here = open_table()
    choice, _ = entered(chosen("QH", here), here)
    choice = taken_back(choice)
    assert choice.staged is None
    assert choice.card == parse_card(CLASSIC, "QH")
    choice = taken_back(choice)
    assert (choice.card, choice.slot, choice.cursor) == (UNKNOWN, -1, square("g7"))
    assert taken_back(choice) == NO_CHOICE == taken_back(NO_CHOICE)


def test_an_arrow_takes_back_what_is_staged_and_goes_on() -> None:
    here = open_table()
    choice, _ = entered(chosen("QH", here), here)
    assert moved(choice, here, "up") == Choice(square("h2"), choice.slot, choice.card)
    assert to_edge(choice, here, last=True).cursor == square("g7")
    assert to_edge(choice, here, last=False).cursor == square("h2")


def test_the_cursor_is_free_without_a_card() -> None:
    here = open_table()
    choice = moved(NO_CHOICE, here, "left")
    assert choice.cursor == square("e5")
    for key, name in (("left", "d5"), ("up", "d4"), ("right", "e4"), ("down", "e5")):
        choice = moved(choice, here, key)
        assert choice.cursor == square(name)
    for key in DIRECTIONS:
        for _ in range(12):
            choice = moved(choice, here, key)
    assert choice.cursor == square("j10")
    assert to_edge(choice, here, last=False).cursor == square("a10")
    assert to_edge(NO_CHOICE, here, last=True).cursor == square("j5")


def test_tab_goes_through_the_hand_both_ways() -> None:
    here = open_table()
    choice, slots = NO_CHOICE, list[int]()
    for _ in range(8):
        choice = turned(choice, here, 1)
        slots.append(choice.slot)
    assert slots == [0, 1, 2, 3, 4, 5, 6, 0]
    assert turned(NO_CHOICE, here, -1).slot == 6
    assert turned(choice, here, -1).slot == 6


def test_enter_on_a_square_finds_the_cards_that_go_there() -> None:
    here = open_table()
    both = cards_for(here, square("h2"))
    assert both == (parse_card(CLASSIC, "QH"), parse_card(CLASSIC, "JC"))
    choice, sent = entered(Choice(square("h2")), here)
    assert (choice.card, choice.pinned, sent) == (both[0], True, None)
    choice = turned(choice, here, 1)
    assert (choice.card, choice.cursor) == (both[1], square("h2"))
    assert turned(choice, here, 1).card == both[0]
    # Another square, and the cards are all in turn again.
    assert not moved(choice, here, "right").pinned


def test_enter_on_a_square_for_which_there_is_no_card_does_nothing() -> None:
    here = seen(make({"a": "b2 c2"}, ["QH,2C,2C,2D,2D,9S,9S", "?,?,?,?,?,?,?"]))
    assert entered(Choice(square("a2")), here) == (Choice(square("a2")), None)
    assert entered(NO_CHOICE, here) == (NO_CHOICE, None)
    pinned = Choice(square("a2"), pinned=True)
    assert turned(pinned, here, 1) == pinned


def test_a_dead_card_is_exchanged() -> None:
    here = seen(make({"a": "h2", "b": "g7"}, [HAND, "?,?,?,?,?,?,?"]))
    choice = chosen("QH", here)
    assert lit(choice, here) == set()
    assert moved(choice, here, "up").card == choice.card
    choice, sent = entered(choice, here)
    assert sent is None
    _, sent = entered(choice, here)
    assert sent is not None
    assert format_action(CLASSIC, sent) == "QH dead"


def test_a_dead_card_that_cannot_be_exchanged_any_more_is_only_looked_at() -> None:
    here = seen(make({"a": "h2", "b": "g7"}, [HAND, "?,?,?,?,?,?,?"], exchanged=1, quiet=0))
    choice = chosen("QH", here)
    assert entered(choice, here) == (choice, None)


def test_a_chip_is_taken() -> None:
    here = open_table()
    choice, _ = entered(chosen("JS", here), here)
    _, sent = entered(choice, here)
    assert sent is not None
    assert format_action(CLASSIC, sent) == "JS xe5"


def test_enter_brings_a_stray_cursor_back_to_a_lit_square() -> None:
    here = open_table()
    stray = Choice(NO_SQUARE, 0, here.hand[0])
    assert entered(stray, here)[0].cursor in targets(here, here.hand[0])


def test_drawing_by_hand() -> None:
    game = Game.deal(CLASSIC, 2, 2, random.Random(1), Options(manual_draw=True))
    game.play(next(action for action in legal_actions(game.position) if action.kind == "place"))
    here = seen(game.position)
    choice = settled(NO_CHOICE, here)
    assert choice.staged == DRAW
    assert entered(choice, here)[1] == DRAW
    assert turned(choice, here, 1).staged == END
    assert turned(turned(choice, here, 1), here, 1).staged == DRAW
    assert moved(choice, here, "up").staged == DRAW
    assert pointed(choice, here, 3)[0] == Choice(3, staged=DRAW, ways=(DRAW,))
    assert entered(taken_back(choice), here)[0].staged == DRAW
    assert turned(taken_back(choice), here, 1).staged == DRAW


def test_nothing_to_play_is_a_pass() -> None:
    hand = "QH,QH,KH,JH,JH,JS,JS"
    here = seen(make({"a": "h2 g7 g2 g6"}, [hand, "?,?,?,?,?,?,?"], exchanged=1, possible=False))
    assert here.legal == (PASS,)
    choice, sent = entered(turned(NO_CHOICE, here, 1), here)
    assert (choice.staged, sent) == (PASS, None)
    assert entered(choice, here)[1] == PASS


def test_a_card_is_given_up_for_talk() -> None:
    game = Game.deal(CLASSIC, 4, 2, random.Random(1), Options(table_talk=False))
    here = seen(apply(game.position, call(game.position.to_move % 4 + 1)))
    assert here.phase == "penalty"
    choice, sent = entered(turned(NO_CHOICE, here, 1), here)
    assert sent is None
    _, sent = entered(choice, here)
    assert sent in here.legal
    # With clicks: the card, the card again, and once more.
    choice, _ = picked(NO_CHOICE, here, 0)
    choice, _ = picked(choice, here, 0)
    assert choice.staged
    assert picked(choice, here, 0)[1] in here.legal


def test_clicks_on_squares_and_cards() -> None:
    here = open_table()
    choice = chosen("QH", here)
    assert picked(choice, here, choice.slot)[0] == Choice(choice.cursor)
    choice, sent = pointed(choice, here, square("g7"))
    assert (sent, choice.staged is not None) == (None, True)
    other, sent = pointed(choice, here, square("h2"))
    assert (sent, other.staged and other.staged.square) == (None, square("h2"))
    assert pointed(choice, here, square("a3"))[0] == Choice(square("a3"))
    _, sent = pointed(choice, here, square("g7"))
    assert sent is not None
    # A square twice: a card that goes there.
    choice, _ = pointed(NO_CHOICE, here, square("h2"))
    choice, _ = pointed(choice, here, square("h2"))
    assert choice.card == parse_card(CLASSIC, "QH")


def test_a_chip_that_completes_more_than_can_count_names_what_counts() -> None:
    here = seen(make({"a": "b5 c5 d5 f5 g5", "b": "a7"}, [HAND, "?,?,?,?,?,?,?"]))
    choice, _ = pointed(chosen("JC", here), here, square("e5"))
    assert [format_action(CLASSIC, way) for way in choice.ways] == ["JC e5", "JC e5 c5-g5"]
    assert lit(choice, here) == set(range(square("b5"), square("f5") + 1))
    choice = turned(choice, here, 1)
    assert lit(choice, here) == set(range(square("c5"), square("g5") + 1))
    assert turned(choice, here, -1).staged == choice.ways[0]
    _, sent = entered(choice, here)
    assert sent is not None
    assert format_action(CLASSIC, sent) == "JC e5 c5-g5"


def test_two_lines_in_each_of_two_directions() -> None:
    row, column = "b5 c5 d5 f5 g5", "e2 e3 e4 e6 e7"
    here = seen(make({"a": f"{row} {column}", "b": "a7"}, [HAND, "?,?,?,?,?,?,?"]))
    choice, _ = pointed(chosen("JC", here), here, square("e5"))
    outcomes = {apply(here.position, way).sequences for way in choice.ways}
    assert len(outcomes) == len(choice.ways) == 4


def test_what_is_not_legal_any_more_is_dropped() -> None:
    before = open_table()
    choice, _ = entered(chosen("QH", before), before)
    taken = seen(make({"a": "b2 c2", "b": "e5 h2"}, [HAND, "?,?,?,?,?,?,?"]))
    after = settled(choice, taken)
    assert (after.staged, after.card, after.cursor) == (None, choice.card, square("g7"))
    # The card lies elsewhere in the hand, and then it has gone.
    moved_on = seen(make({"b": "e5"}, ["2C,3C,4C,5C,QH,9S,9S", "?,?,?,?,?,?,?"]))
    assert settled(choice, moved_on).slot == moved_on.hand.index(choice.card) != choice.slot
    gone = seen(make({"b": "e5"}, ["2C,3C,4C,5C,6C,9S,9S", "?,?,?,?,?,?,?"]))
    assert settled(choice, gone) == Choice(choice.cursor)


def test_a_card_that_is_still_being_drawn_cannot_be_chosen() -> None:
    here = seen(make({"a": "b2"}, ["?,2C,3C,4C,5C,6C,7C", "?,?,?,?,?,?,?"]))
    assert here.hand[0] == UNKNOWN
    assert picked(NO_CHOICE, here, 0) == (NO_CHOICE, None)
    assert turned(NO_CHOICE, here, 1).slot == 1
    nothing = seen(make({"a": "b2"}, ["?,?,?,?,?,?,?", "?,?,?,?,?,?,?"]))
    assert turned(NO_CHOICE, nothing, 1) == NO_CHOICE


def test_nothing_is_staged_while_nothing_is_asked() -> None:
    here = open_table()
    choice = chosen("QH", here)
    move = next(action for action in actions_of(here, choice.card) if action.square == choice.cursor)
    assert entered(choice, here, asked=False) == (Choice(choice.cursor), move)
    assert pointed(choice, here, square("g7"), asked=False)[0].staged is None
    dead = seen(make({"a": "h2", "b": "g7"}, [HAND, "?,?,?,?,?,?,?"]))
    assert picked(chosen("QH", dead), dead, chosen("QH", dead).slot, asked=False)[0].card == UNKNOWN


@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10_000), st.data())
def test_every_lit_square_is_within_reach_of_the_arrows(
    options: tuple[Variant, int, int, Options], seed: int, data: st.DataObject
) -> None:
    variant, players, teams, rules = options
    here = seen(random_position(variant, players, teams, seed, rules).position)
    cards = [card for card in here.hand if targets(here, card)]
    if not cards:
        return
    card = data.draw(st.sampled_from(cards))
    start = Choice(data.draw(st.sampled_from(targets(here, card))), here.hand.index(card), card)
    found, waiting = {start.cursor}, [start]
    while waiting:
        choice = waiting.pop()
        for key in DIRECTIONS:
            onward = moved(choice, here, key)
            if onward.cursor not in found:
                found.add(onward.cursor)
                waiting.append(onward)
    assert found == set(targets(here, card))


@example([])
@given(st.lists(st.tuples(st.sampled_from(["pick", "point"]), st.integers(0, 99))))
def test_whatever_is_clicked_stays_legal(clicks: list[tuple[str, int]]) -> None:
    here = open_table()
    choice = NO_CHOICE
    for what, number in clicks:
        choice, sent = (picked if what == "pick" else pointed)(choice, here, number)
        assert sent is None or sent in here.legal
        assert choice.staged is None or choice.staged in here.legal
