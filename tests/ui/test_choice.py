"""The choice a person is making: what keys and clicks make of it, step by step and back."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    NO_SQUARE,
    UNKNOWN,
    Action,
    Position,
    View,
    apply,
    format_action,
    format_square,
    parse_card,
    parse_square,
    view,
)
from seqp2p.ui.choice import (
    DIRECTIONS,
    NO_CHOICE,
    Choice,
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
from tests.rules.playing import OPTION_TABLES, Table
from tests.ui.kept import Talk, talks
from tests.ui.positions import POSITIONS, classic, own_seat

MANY = 12
NOT_ASKED = ", nothing is asked"
OPEN = view(POSITIONS["the usual hand"], 1)
HAPPENS: dict[str, Position] = {
    "h2 is taken": classic({"a": "b2 c2", "b": "e5 h2"}),
    "QH lies elsewhere in the hand": classic({"b": "e5"}, "2C,3C,4C,5C,QH,9S,9S"),
    "QH has gone": classic({"b": "e5"}, "2C,3C,4C,5C,6C,9S,9S"),
}


def sees(place: str) -> View:
    return view(POSITIONS[place], own_seat(place))


def press(key: str, choice: Choice, here: View, *, asked: bool) -> tuple[Choice, Action | None]:
    match key:
        case "enter":
            return entered(choice, here, asked=asked)
        case "escape":
            return taken_back(choice), None
        case "tab" | "s-tab":
            return turned(choice, here, 1 if key == "tab" else -1), None
        case "home" | "end":
            return to_edge(choice, here, last=key == "end"), None
        case _:
            return moved(choice, here, key), None


def told(choice: Choice, here: View) -> str:
    """A choice in words: the card and its place in the hand, the cursor, the lit squares, the action to be sent."""
    name = partial(format_square, here.variant)
    card = "no card" if choice.slot < 0 else f"{here.variant.faces[choice.card]}, card {choice.slot + 1}"
    squares = sorted(lit(choice, here))
    shown = " ".join(map(name, squares)) if len(squares) <= MANY else f"{len(squares)} squares"
    actions = [format_action(here.variant, way) for way in choice.ways]
    return "; ".join(
        [
            card,
            "no cursor" if choice.cursor == NO_SQUARE else f"cursor {name(choice.cursor)}",
            *([f"lit {shown}"] if squares else []),
            *([f"to be sent: {format_action(here.variant, choice.staged)}"] if choice.staged else []),
            *([f"one of {', '.join(actions)}"] if len(actions) > 1 else []),
            *(["only cards for this square"] if choice.pinned else []),
        ]
    )


@talks(__file__, "choice_talks.txt")
def test_talk(talk: Talk) -> None:
    """Keys, or a click on a card or a square, and the choice after it."""
    place, asked = talk.place.removesuffix(NOT_ASKED), not talk.place.endswith(NOT_ASKED)
    here = sees(place)
    choice = settled(NO_CHOICE, here)

    def answer(line: str) -> list[str]:
        nonlocal here, choice
        text, sent = line[2:], None
        if text in HAPPENS:
            here = view(HAPPENS[text], 1)
            choice = settled(choice, here)
        elif line.startswith(">"):
            for key in text.split():
                assert sent is None
                choice, sent = press(key, choice, here, asked=asked)
        elif text in CLASSIC.faces:
            choice, sent = picked(choice, here, here.hand.index(parse_card(CLASSIC, text)), asked=asked)
        else:
            choice, sent = pointed(choice, here, parse_square(CLASSIC, text), asked=asked)
        return [*([f"(sends {format_action(CLASSIC, sent)})"] if sent else []), told(choice, here)]

    talk.check(map(answer, talk.lines))


def test_two_lines_of_each_of_two_directions_are_four_outcomes() -> None:
    here = sees("e5 completes two lines of each of two directions")
    card = parse_card(CLASSIC, "JC")
    choice, _ = pointed(Choice(NO_SQUARE, here.hand.index(card), card), here, parse_square(CLASSIC, "e5"))
    outcomes = {apply(here.position, way).sequences for way in choice.ways}
    assert len(outcomes) == len(choice.ways) == 4


@pytest.mark.parametrize("place", ["the first card is still being drawn", "all cards are still being drawn"])
def test_a_card_that_is_still_being_drawn_cannot_be_picked(place: str) -> None:
    here = sees(place)
    assert here.hand[0] == UNKNOWN
    assert picked(NO_CHOICE, here, 0) == (NO_CHOICE, None)


def test_tab_finds_no_card_for_a_square_that_has_none() -> None:
    pinned = Choice(parse_square(CLASSIC, "a2"), pinned=True)
    assert turned(pinned, sees("a hand without jacks"), 1) == pinned


def test_enter_brings_a_stray_cursor_back_to_a_lit_square() -> None:
    stray = Choice(NO_SQUARE, 0, OPEN.hand[0])
    assert entered(stray, OPEN)[0].cursor in targets(OPEN, OPEN.hand[0])


@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10_000), st.data())
def test_every_lit_square_is_within_reach_of_the_arrows(table: Table, seed: int, data: st.DataObject) -> None:
    here = table.seen(seed)
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
