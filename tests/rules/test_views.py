import copy
import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import CORNER, UNKNOWN, Options, RulesError, hide, legal_actions, view
from tests.rules.playing import OPTION_TABLES, TABLES, Table, make


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6), st.data())
def test_a_view_does_not_depend_on_what_the_seat_cannot_know(table: Table, seed: int, data: st.DataObject) -> None:
    game = table.stopped(seed)
    seat = data.draw(st.integers(0, game.position.players))
    before = game.position
    unseen = [card for other, hand in enumerate(before.hands, 1) if other != seat for card in hand] + game.pile
    data.draw(st.randoms(use_true_random=False)).shuffle(unseen)
    hands = []
    for other, hand in enumerate(before.hands, 1):
        hands.append(hand if other == seat else tuple(sorted(unseen[: len(hand)])))
        unseen = unseen if other == seat else unseen[len(hand) :]
    after = before._replace(hands=tuple(hands))
    assert view(after, seat) == view(before, seat) == view(hide(before, {seat}), seat)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6))
def test_a_view_says_what_lies_on_the_table(table: Table, seed: int) -> None:
    position = table.stopped(seed).position
    for seat in range(1, position.players + 1):
        seen = view(position, seat)
        assert seen.hand == position.hands[seat - 1]
        assert (seen.phase, seen.mover, seen.to_move) == (position.phase, position.mover, position.to_move)
        assert seen.legal == (legal_actions(position) if seat == position.to_move else ())
        assert seen.position.hands[seat - 1] == seen.hand
        assert all(card == UNKNOWN for other in seen.position.hands if other is not seen.hand for card in other)
        for square, owner in enumerate(seen.board):
            chips = [team for team, squares in enumerate(position.chips, 1) if squares >> square & 1]
            assert [owner] == (chips or [CORNER if square in position.variant.board.corners else 0])


def test_the_fields_of_a_view() -> None:
    position = make(
        {"a": "b1 c1 d1 e1 f6", "b": "h8"},
        ["2C", "QH,QD", "?", "?"],
        sequences="a:a1-e1",
        to_move=2,
        discards=["3C,4C", "-", "-", "-"],
    )
    seen = view(position, 2)
    assert (seen.seat, seen.team, seen.players, seen.teams, seen.options) == (2, 2, 4, 2, Options())
    assert (seen.hand_sizes, seen.discards) == ((1, 2, 1, 1), ((1, 2), (), (), ()))
    assert (seen.to_move, seen.exchanges_left, seen.winner, seen.over, seen.drawn_game) == (2, 1, 0, False, False)
    assert seen.sequences == position.sequences
    assert seen.protected == (1, 2, 3, 4)
    assert (seen.pile, seen.turn, seen.draws, seen.reshuffles) == (97, 150, 140, 0)
    assert seen.variant is position.variant
    assert seen.out == ()


def test_a_view_is_plain_frozen_data() -> None:
    seen, same = TABLES[0].seen(1), TABLES[0].seen(1)
    with pytest.raises(AttributeError):
        seen.pile = 3  # type: ignore[misc]  # what is tried here
    with pytest.raises(AttributeError, match="a view has no cards"):
        _ = seen.cards  # type: ignore[attr-defined]  # what is tried here
    assert pickle.loads(pickle.dumps(seen)) == copy.copy(seen) == seen == same
    assert replace(same, turn=99).turn == 99
    assert repr(seen).startswith(f"View(seat={seen.seat}, team={seen.team}, ")


def test_a_view_says_who_has_left() -> None:
    seen = view(make({}, ["2C", "-", "?", "-"], out="out:2,4"), 2)
    assert (seen.out, seen.hand, seen.legal, seen.hand_sizes) == ((2, 4), (), (), (1, 0, 1, 0))


def test_who_only_watches_sees_no_hand() -> None:
    seen = view(make({}, ["2C", "QH"]), 0)
    assert (seen.seat, seen.team, seen.hand, seen.legal) == (0, 0, (), ())
    assert seen.position.hands == ((UNKNOWN,), (UNKNOWN,))


@pytest.mark.parametrize("seat", [-1, 3])
def test_there_is_no_such_seat(seat: int) -> None:
    with pytest.raises(RulesError, match="the seats are 1 to 2"):
        view(make({}, ["2C", "QH"]), seat)
