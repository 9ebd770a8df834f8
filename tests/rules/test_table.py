import pickle

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    UNKNOWN,
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
