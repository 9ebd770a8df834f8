"""Cards dealt step by step are those of a game: none is lost, none is twice there. What its bots see is a view like any
other, that costs nothing until it is looked at.
"""

import copy
import random
from collections import Counter
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.arena.conformance import peaceful
from seqp2p.arena.game import Dealer, late_view
from seqp2p.rules import UNKNOWN, VARIANTS, IllegalAction, Options, View, default_teams, legal_actions, place, view
from tests.rules.playing import OPTIONS, TABLES, Table

FIELDS = [field.name for field in fields(View)]


@pytest.mark.parametrize(("name", "players"), [("classic", 2), ("classic", 4), ("kids", 3)])
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_a_game_to_its_end(name: str, players: int, options: Options) -> None:
    variant = VARIANTS[name]
    options = options if variant.options else Options()
    dice = random.Random(7)
    dealer = Dealer(variant, players, default_teams(variant, players), options, 2, random.Random(1))
    assert dealer.position.to_move == 2
    reshuffled = False
    while seat := dealer.position.to_move:
        seen = view(dealer.position, seat)
        dealer.play(peaceful(seen, dice) if seen.phase == "play" else dice.choice(legal_actions(dealer.position)))
        position = dealer.position
        cards = (*position.hands, *position.discards, tuple(dealer._pile))
        assert Counter(card for each in cards for card in each) == Counter(variant.deck)
        assert len(dealer._pile) == position.pile
        reshuffled = reshuffled or position.reshuffles > 0
    assert reshuffled == (dealer.position.reshuffles > 0)


def test_the_same_cards_give_the_same_game() -> None:
    variant = VARIANTS["classic"]
    hands = [Dealer(variant, 2, 2, Options(), 1, random.Random(seed)).position.hands for seed in (1, 1, 2)]
    assert hands[0] == hands[1] != hands[2]


def test_what_is_not_legal_is_refused() -> None:
    dealer = Dealer(VARIANTS["classic"], 2, 2, Options(), 1, random.Random(1))
    before = dealer.position
    with pytest.raises(IllegalAction):
        dealer.play(place(0, 99))
    assert dealer.position == before


# What bots see.


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
