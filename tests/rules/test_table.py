import pickle
from collections import Counter

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    UNKNOWN,
    VARIANTS,
    Options,
    RulesError,
    Variant,
    check_table,
    default_teams,
    hand_size,
    start,
    team_of,
)
from tests.rules.playing import make

CLASSIC_TABLES = {
    2: (7, [2]),
    3: (6, [3]),
    4: (6, [2]),
    6: (5, [2, 3]),
    8: (4, [2]),
    9: (4, [3]),
    10: (3, [2]),
    12: (3, [2, 3]),
}
KIDS_TABLES = {2: (3, [2]), 3: (3, [3]), 4: (3, [4])}


@pytest.mark.parametrize(("variant", "tables"), [(CLASSIC, CLASSIC_TABLES), (KIDS, KIDS_TABLES)], ids=str)
def test_who_can_play(variant: Variant, tables: dict[int, tuple[int, list[int]]]) -> None:
    for players in range(-1, 20):
        if players not in tables:
            with pytest.raises(RulesError):
                default_teams(variant, players)
            with pytest.raises(RulesError):
                hand_size(variant, players)
        else:
            hand, teams = tables[players]
            assert default_teams(variant, players) == teams[0]
            assert hand_size(variant, players) == hand
        for count in range(-1, 8):
            if players in tables and count in tables[players][1]:
                check_table(variant, players, count, Options())
            else:
                with pytest.raises(RulesError):
                    check_table(variant, players, count, Options())


@pytest.mark.parametrize(
    ("variant", "players", "teams", "options", "reason"),
    [
        (CLASSIC, 1, 1, Options(), "1 player cannot play: Sequence is for 2, 3, 4, 6, 8, 9, 10 or 12 players"),
        (CLASSIC, 5, 2, Options(), "5 players cannot form two or three equal teams: "),
        (CLASSIC, 7, 2, Options(), "7 players cannot form two or three equal teams: "),
        (CLASSIC, 11, 2, Options(), "11 players cannot form two or three equal teams: "),
        (CLASSIC, 13, 2, Options(), "13 players cannot play: "),
        (CLASSIC, 4, 3, Options(), "4 players of Sequence form 2 teams, not 3"),
        (CLASSIC, 6, 6, Options(), "6 players of Sequence form 2 or 3 teams, not 6"),
        (KIDS, 4, 2, Options(), "4 players of Sequence for Kids form 4 teams, one player each, not 2"),
        (KIDS, 5, 5, Options(), "5 players cannot play: "),
        (KIDS, 2, 2, Options(advanced=True), "Sequence for Kids has no option advanced"),
        (KIDS, 2, 2, Options(table_talk=False), "Sequence for Kids has no option table talk"),
        (KIDS, 2, 2, Options(manual_draw=True), "Sequence for Kids has no option manual draw"),
    ],
)
def test_the_reason_why_a_table_cannot_play(
    variant: Variant, players: int, teams: int, options: Options, reason: str
) -> None:
    with pytest.raises(RulesError, match="^" + reason):
        check_table(variant, players, teams, options)
    with pytest.raises(RulesError, match="^" + reason):
        start(variant, players, teams, options, 1, [()] * players)


def test_teams_alternate_round_the_table() -> None:
    assert [team_of(seat, 2) for seat in range(1, 7)] == [1, 2, 1, 2, 1, 2]
    assert [team_of(seat, 3) for seat in range(1, 7)] == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize(
    ("first", "hands", "reason"),
    [
        (0, [[UNKNOWN] * 7] * 2, "seat 0 cannot begin: the seats are 1 to 2"),
        (3, [[UNKNOWN] * 7] * 2, "seat 3 cannot begin"),
        (1, [[UNKNOWN] * 7] * 3, "the deal is wrong: 2 players get 7 cards each"),
        (1, [[UNKNOWN] * 7, [UNKNOWN] * 6], "the deal is wrong: 2 players get 7 cards each"),
        (1, [[0, 0, 0, 1, 2, 3, 4], [UNKNOWN] * 7], "the deal is wrong: the deck has only 2 2C"),
        (1, [[52, 0, 0, 1, 2, 3, 4], [UNKNOWN] * 7], "the deal is wrong: there is no card number 52"),
        (1, [[-2, 0, 0, 1, 2, 3, 4], [UNKNOWN] * 7], "the deal is wrong: there is no card number -2"),
    ],
)
def test_a_wrong_deal_is_refused(first: int, hands: list[list[int]], reason: str) -> None:
    with pytest.raises(RulesError, match=reason):
        start(CLASSIC, 2, 2, Options(), first, hands)


def test_a_position_survives_a_trip_to_another_process() -> None:
    position = make({"a": "c3"}, ["?", "QH"], options="advanced")
    copy = pickle.loads(pickle.dumps(position))
    assert copy == position
    assert hash(copy) == hash(position)
    assert len(pickle.dumps(position)) < 10_000


def spiral(rows: int, cols: int) -> list[tuple[int, int]]:
    """All cells, clockwise inwards from the top left one."""
    row, col, down, right = 0, 0, 0, 1
    seen: list[tuple[int, int]] = []
    for _ in range(rows * cols):
        seen.append((row, col))
        ahead = (row + down, col + right)
        if ahead in seen or not (0 <= ahead[0] < rows and 0 <= ahead[1] < cols):
            down, right = right, -down
        row, col = row + down, col + right
    return seen


def test_the_classic_board_reads_clockwise_inwards() -> None:
    board = CLASSIC.board
    cells = [board.grid[row * board.cols + col] for row, col in spiral(board.rows, board.cols)]
    names = [CLASSIC.faces[cell] for cell in cells if cell != UNKNOWN]
    up = "23456789TQKA"
    once = [rank + suit for suit, ranks in (("S", up), ("D", up), ("C", up[::-1]), ("H", up[::-1])) for rank in ranks]
    assert names == once * 2


@pytest.mark.parametrize(
    ("variant", "rows", "cols", "lines"), [(CLASSIC, 10, 10, 60 + 60 + 36 + 36), (KIDS, 6, 7, 24 + 21 + 12 + 12)]
)
def test_sizes_corners_and_lines(variant: Variant, rows: int, cols: int, lines: int) -> None:
    board = variant.board
    assert (board.rows, board.cols, len(board.grid)) == (rows, cols, rows * cols)
    assert board.corners == (0, cols - 1, (rows - 1) * cols, rows * cols - 1)
    assert [square for square, card in enumerate(board.grid) if card == UNKNOWN] == list(board.corners)
    assert len(board.lines) == len(set(board.lines)) == lines
    assert all(line == tuple(sorted(line)) and len(line) == variant.line_length for line in board.lines)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=str)
def test_every_card_but_the_special_ones_is_on_two_squares(variant: Variant) -> None:
    special = {*variant.wild, *variant.removing}
    plain = set(range(len(variant.faces))) - special
    assert Counter(card for card in variant.board.grid if card != UNKNOWN) == dict.fromkeys(plain, 2)
    assert Counter(variant.deck) == dict.fromkeys(range(len(variant.faces)), 2)


def test_the_decks() -> None:
    assert len(CLASSIC.deck) == 104
    assert {CLASSIC.faces[card] for card in CLASSIC.wild} == {"JC", "JD"}
    assert {CLASSIC.faces[card] for card in CLASSIC.removing} == {"JS", "JH"}
    assert len(KIDS.deck) == 42
    assert len(KIDS.faces) == 19 + 2


def test_a_variant_is_shown_by_its_name() -> None:
    assert [repr(variant) for variant in VARIANTS.values()] == ["<Variant classic>", "<Variant kids>"]
    assert {CLASSIC: 1}[CLASSIC] == 1
