"""What bots in the arena see: a view like any other, that costs nothing until it is looked at."""

import copy
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.arena.game import late_view
from seqp2p.rules import UNKNOWN, View, legal_actions, view
from tests.rules.playing import TABLES, Table

FIELDS = [field.name for field in fields(View)]


@given(st.sampled_from(TABLES), st.integers(0, 10**6), st.permutations(FIELDS))
def test_it_is_the_view_of_the_seat_to_move(table: Table, seed: int, order: list[str]) -> None:
    position = table.stopped(seed).position
    late, whole = late_view(position), view(position, position.to_move)
    assert isinstance(late, View)
    for name in order:
        assert getattr(late, name) == getattr(whole, name)
    assert all(
        card == UNKNOWN for seat, hand in enumerate(late.position.hands, 1) if seat != late.seat for card in hand
    )


def test_legal_actions_need_nothing_else() -> None:
    position = TABLES[0].stopped(1).position
    late = late_view(position)
    assert late.legal == legal_actions(position)
    with pytest.raises(AttributeError):
        object.__getattribute__(late, "board")


def test_it_is_frozen_and_has_the_fields_of_a_view_only() -> None:
    late = late_view(TABLES[0].stopped(1).position)
    with pytest.raises(AttributeError):
        late.pile = 3  # type: ignore[misc] # what is tried here
    with pytest.raises(AttributeError, match="a view has no cards"):
        _ = late.cards  # type: ignore[attr-defined] # what is tried here
    assert repr(late).startswith("LateView(seat=")
    assert late == late_view(TABLES[0].stopped(1).position)
    assert copy.copy(late) == late
