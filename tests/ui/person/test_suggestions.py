"""Did you mean …: the nearest action and the nearest word, and none where nothing is near."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.rules import CLASSIC, view
from seqp2p.ui.cards import action_shown
from seqp2p.ui.person.input_parser import nearest, nearest_action, nearest_word
from tests.rules.playing import make

WORDS = ("help", "hand", "board", "moves", "say", "leave")
SEEN = view(make({}, ["QH,2C,3C,4C,TD,6S,7S", "?,?,?,?,?,?,?"]), 1)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("q10", None),
        ("qqh", "QH"),
        ("2", None),
        ("hnad", "hand"),
        ("moves?", "moves"),
        ("brd", "board"),
        ("saay hello", "say"),
        ("scoore c5", None),
        ("xyzzy", None),
        ("what now", None),
    ],
)
def test_words(typed: str, meant: str | None) -> None:
    assert nearest(SEEN, typed, WORDS) == meant


def test_an_action_with_a_slip_in_it() -> None:
    shown = [action_shown(CLASSIC, action) for action in SEEN.legal]
    queen = next(text for text in shown if text.startswith("QH "))
    square = queen.split()[1]
    for typed in (f"Q {square}", f"QJ {square}", f"QH{square}{square[-1]}", f"hq {square}", f"QH  x{square}-"):
        assert nearest(SEEN, typed, WORDS) == queen, typed


@given(st.text(max_size=40))
def test_whatever_is_typed_a_suggestion_can_be_typed(typed: str) -> None:
    shown = {action_shown(CLASSIC, action) for action in SEEN.legal}
    assert nearest(SEEN, typed, WORDS) in {None, *WORDS, *shown, *CLASSIC.faces}
    assert nearest_action(SEEN, typed) in {None, *shown}
    assert nearest_word(typed, WORDS) in {None, *WORDS}
