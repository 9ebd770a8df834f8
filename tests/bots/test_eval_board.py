"""The board to look ahead on: turn by turn it knows what the engine knows, and its sums are right."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.bots.eval_board import TAKEN, EvalBoard, eval_board_of, geometry
from seqp2p.rules import CLASSIC, KIDS, Options, Position, Variant, place, team_of, view
from tests.rules.playing import OPTION_TABLES, TABLES, Game, make, random_position


def drawn(position: Position) -> EvalBoard:
    """The board of a position, worked out from nothing."""
    seen = view(position, 0)
    tables = geometry(seen.variant, seen.teams)
    return eval_board_of(tables, seen.board, seen.sequences, advanced=seen.options.advanced)


def everything(board: EvalBoard) -> tuple[object, ...]:
    lists = (board.owner, board.code, board.worth, board.made)
    return (*lists, sorted(board.sequences), board.free, board.protected)


@pytest.mark.simulation
@settings(max_examples=40)
@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_it_agrees_with_the_engine_turn_by_turn(table: tuple[Variant, int, int, Options], seed: int) -> None:
    variant, players, teams, options = table
    game = Game.deal(variant, players, teams, random.Random(seed), options)
    board = drawn(game.position)
    for position in game.play_random():
        before, action = game.history[-1]
        if action.kind == "place":
            made = board.place(team_of(before.to_move, teams), action.square)
            assert made == (len(position.sequences) > len(before.sequences))
        elif action.kind == "remove":
            board.remove(action.square)
        assert everything(board) == everything(drawn(position))
        lines = sorted((team, board.geometry.lines[n]) for team, n in board.sequences)
        assert lines == sorted(position.sequences)
        assert board.free == position.free
        if not options.advanced:
            corners = set(variant.board.corners)
            assert board.protected - corners == set(view(position, 0).protected)


def test_a_five_that_is_left_of_a_longer_run_counts_again_under_the_advanced_rule() -> None:
    # b2-f2 is recorded, g2 is the sixth: after b2 is taken, c2-g2 counts when its team next places in that row.
    position = make(
        {"a": "b2 c2 d2 e2 f2 g2"},
        ["?,?,?,?,?,?,?"] * 2,
        sequences="a:b2-f2",
        options="advanced",
    )
    board = drawn(position)
    board.remove(11)
    assert board.sequences == []
    assert board.place(1, 19)
    assert [board.geometry.lines[n] for _, n in board.sequences] == [(12, 13, 14, 15, 16)]


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_a_copy_leaves_the_first_as_it_is(table: tuple[Variant, int, int], seed: int) -> None:
    variant, players, teams = table
    board = drawn(random_position(variant, players, teams, seed).position)
    before, copy = everything(board), board.copy()
    for square, team in enumerate(list(copy.owner)):
        if team == 0:
            copy.place(1, square)
        elif team > 0:
            copy.remove(square)
    assert everything(board) == before != everything(copy)


def test_what_a_chip_is_worth() -> None:
    four = drawn(make({"a": "b2 c2 d2 e2", "b": "h5"}, ["?,?,?,?,?,?,?"] * 2))
    ours, theirs = four.worth[1], four.worth[2]
    # a2 and f2 complete the row: worth more than anything else, to the team itself and to those whom it would cost.
    assert {square for square, worth in enumerate(ours) if worth >= 900} == {10, 15}
    assert {square for square, worth in enumerate(theirs) if worth >= 800} == {10, 15}
    assert all(worth[square] < -TAKEN // 2 for worth in (ours, theirs) for square in (0, 11, 12, 13, 14, 47))
    assert four.worth_of_taking(2, 13) > four.worth_of_taking(2, 11) > 0


def test_every_board_gives_its_tables() -> None:
    for variant, _, teams in TABLES:
        tables = geometry(variant, teams)
        assert len(tables.full) == len(tables.lacking) == len(tables.worth[teams]) == tables.closed + 1
        assert max(tables.empty) < tables.closed
    assert geometry(KIDS, 2).spots[0] == tuple(s for s, face in enumerate(KIDS.board.grid) if face == 0)
    assert geometry(CLASSIC, 2).spots[place(CLASSIC.wild[0], 0).card] == ()
