"""Which chips in line are a sequence, how many, and which five."""

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    Position,
    format_ends,
    legal_actions,
    nameable_lines,
    parse_action,
    squares_of,
)
from seqp2p.rules.status import status
from tests.rules.playing import do, make, refusal

COLS = "abcdefghij"


def made(position: Position) -> list[str]:
    return [
        f"{'abcd'[sequence.team - 1]}:{format_ends(position.variant, (sequence.squares[0], sequence.squares[-1]))}"
        for sequence in position.sequences
    ]


def row5(*cols: int) -> str:
    return " ".join(f"{COLS[col]}5" for col in cols)


@pytest.mark.parametrize(
    ("chips", "last", "line"),
    [
        ("c3 d3 f3 g3", "e3", "c3-g3"),
        ("c3 c4 c5 c6", "c7", "c3-c7"),
        ("c4 d5 e6 g8", "f7", "c4-g8"),
        ("g2 f3 e4 c6", "d5", "g2-c6"),
        ("b1 c1 d1", "e1", "a1-e1"),  # a corner counts
        ("j6 j7 j8", "j9", "j6-j10"),
        ("b2 c3 d4", "e5", "a1-e5"),
        ("i2 h3 g4", "f5", "j1-f5"),
    ],
)
def test_five_in_line(chips: str, last: str, line: str) -> None:
    before = make({"a": chips}, ["JC", "?"])
    after = do(before, f"JC {last}")
    assert made(after) == [f"a:{line}"]
    assert not after.over
    assert after.protected == sum(1 << s for s in after.sequences[0].squares) & ~after.table.look.corners


@pytest.mark.parametrize("chips", ["c3 d3 g3 h3", "i1 a2 b2 c2", "c3 c4 c6 c8", "i3 j3 a4 b4"])
def test_four_or_broken_lines_are_none(chips: str) -> None:
    assert made(do(make({"a": chips}, ["JC", "?"]), "JC e6")) == []


def test_another_team_in_the_line_breaks_it() -> None:
    assert made(do(make({"a": "c3 d3 f3", "b": "e3"}, ["JC", "?"]), "JC g3")) == []


def test_a_corner_belongs_to_everybody_and_to_several_sequences() -> None:
    first = do(make({"a": "b1 c1 d1 b2 c3 d4", "b": "a2 a3 a4 a5"}, ["JC", "?"], sequences="b:a1-a5"), "JC e1")
    assert made(first) == ["a:a1-e1", "b:a1-a5"]
    assert not first.protected & 1
    won = do(make({"a": "b1 c1 d1 e1 b2 c3 d4"}, ["JC", "?"], sequences="a:a1-e1"), "JC e5")
    assert made(won) == ["a:a1-e1", "a:a1-e5"]
    assert won.winner == 1


@pytest.mark.parametrize(
    ("length", "recorded"), [(length, recorded) for length in range(6, 11) for recorded in range(length - 4)]
)
def test_a_run_in_one_line(length: int, recorded: int) -> None:
    """Every run of 6 to 10, every place of the recorded five in it, every chip that can come last."""
    cases = 0
    for last in set(range(length)) - set(range(recorded, recorded + 5)):
        before = make(
            {"a": row5(*(col for col in range(length) if col != last))},
            ["JC,JD", "?"],
            sequences=f"a:{COLS[recorded]}5-{COLS[recorded + 4]}5",
            possible=False,
        )
        if status(before):
            continue  # the second sequence stood before the last chip
        cases += 1
        after = do(before, f"JC {COLS[last]}5")
        fits = [at for at in range(length - 4) if abs(at - recorded) >= 4]
        expected = 2 if fits else 1
        assert len(after.sequences) == expected
        assert after.winner == expected - 1
        assert status(after) == ()
    assert cases


@pytest.mark.parametrize(
    ("length", "recorded", "count"),
    [(6, 0, 1), (8, 0, 1), (8, 3, 1), (9, 0, 2), (9, 4, 2), (9, 2, 1), (10, 2, 1), (10, 3, 1), (10, 1, 2)],
)
def test_the_sharing_rule_in_numbers(length: int, recorded: int, count: int) -> None:
    """Six to eight are one; nine are two with the recorded five at an end; ten are one with them in the middle."""
    last = length - 1 if recorded == 0 or recorded + 5 < length else 0
    before = make(
        {"a": row5(*(col for col in range(length) if col != last))},
        ["JC", "?"],
        sequences=f"a:{COLS[recorded]}5-{COLS[recorded + 4]}5",
    )
    assert len(do(before, f"JC {COLS[last]}5").sequences) == count


def test_nine_at_once_are_two() -> None:
    before = make({"a": row5(0, 1, 2, 3, 5, 6, 7, 8)}, ["JC", "?"])
    after = do(before, "JC e5")
    assert made(after) == ["a:a5-e5", "a:e5-i5"]
    assert after.winner == 1


def test_one_chip_that_completes_two_directions_makes_two() -> None:
    after = do(make({"a": "a5 b5 c5 d5 e1 e2 e3 e4"}, ["JC", "?"]), "JC e5")
    assert made(after) == ["a:e1-e5", "a:a5-e5"]
    assert after.winner == 1


def test_two_sequences_may_cross() -> None:
    before = make({"a": "a5 b5 c5 d5 e5 c3 c4 c6"}, ["JC", "?"], sequences="a:a5-e5")
    assert do(before, "JC c7").winner == 1


def test_three_teams_need_one_two_teams_need_two() -> None:
    assert do(make({"a": "c3 d3 e3 f3"}, ["JC", "?", "?"], teams=3), "JC g3").winner == 1
    third = make({"c": "c3 d3 e3 f3"}, ["?", "?", "?", "?", "?", "JC"], teams=3, to_move=6)
    assert do(third, "JC g3").winner == 3
    assert not do(make({"a": "c3 d3 e3 f3"}, ["JC", "?", "?", "?"]), "JC g3").over


def test_team_mates_build_together() -> None:
    second = make({"b": "c3 d3 e3 f3"}, ["?", "?", "?", "JC"], to_move=4)
    assert made(do(second, "JC g3")) == ["b:c3-g3"]


def test_only_the_five_are_protected_not_the_whole_run() -> None:
    before = make({"a": row5(0, 1, 2, 4, 5, 6)}, ["JC", "JS,JH"])
    after = do(before, "JC d5")
    assert made(after) == ["a:a5-e5"]
    removals = {action.square for action in legal_actions(after)}
    assert removals == set(squares_of(after.chips[0])) - set(after.sequences[0].squares)
    assert "part of a completed sequence" in refusal(after, "JS xe5")
    assert do(after, "JS xf5").chips[0].bit_count() == 6


def test_the_mover_may_name_the_five() -> None:
    before = make({"a": row5(0, 1, 2, 4, 5, 6)}, ["JC", "JS"])
    action = parse_action(CLASSIC, "JC d5")
    assert [format_ends(CLASSIC, ends) for ends in nameable_lines(before, action)] == ["a5-e5", "b5-f5", "c5-g5"]
    for ends in ("a5-e5", "b5-f5", "c5-g5"):
        after = do(before, f"JC d5 {ends}")
        assert made(after) == [f"a:{ends}"]
        assert legal_actions(after) != ()
    assert do(before, "JC d5 a5-e5") == do(before, "JC d5")


def test_naming_both_directions_or_one_of_them() -> None:
    before = make({"a": "b5 c5 d5 f5 g5 e3 e4 e6 e7 e8"}, ["JC,?", "?,?", "?,?"], teams=3)
    assert made(do(before, "JC e5 e4-e8 c5-g5")) == ["a:e4-e8", "a:c5-g5"]
    assert made(do(before, "JC e5 c5-g5")) == ["a:e3-e7", "a:c5-g5"]
    assert made(do(before, "JC e5")) == ["a:e3-e7", "a:b5-f5"]


def test_a_name_must_leave_the_recorded_sequence_alone() -> None:
    before = make({"a": row5(0, 1, 2, 3, 4, 5, 6, 8, 9)}, ["JC", "JS"], sequences="a:a5-e5")
    assert "d5-h5 shares more than one chip with a sequence of the team" in refusal(before, "JC h5 d5-h5")
    assert made(do(before, "JC h5 f5-j5")) == ["a:a5-e5", "a:f5-j5"]
    assert made(do(before, "JC h5")) == ["a:a5-e5", "a:e5-i5"]


def test_there_is_nothing_to_name_without_a_choice() -> None:
    before = make({"a": "a5 b5 c5 d5 e1 e2 e3 e4", "b": "j9"}, ["JC,JS", "?,?"])
    for text in ("JC e5", "JC h9", "JS xj9", "pass"):
        assert nameable_lines(before, parse_action(CLASSIC, text)) == ()
    assert made(do(before, "JC e5 e1-e5 a5-e5")) == ["a:e1-e5", "a:a5-e5"]


def test_kids_need_four() -> None:
    after = do(make({"b": "c3 d3 e3"}, ["?", "unicorn"], variant=KIDS, to_move=2, turn=30), "unicorn f3")
    assert (made(after), after.winner) == (["b:c3-f3"], 2)
    corner = do(make({"b": "b5 c4", "a": "c3"}, ["?", "unicorn"], variant=KIDS, to_move=2, turn=30), "unicorn d3")
    assert (made(corner), corner.winner) == (["b:d3-a6"], 2)


def test_own_chips_stay_out_of_reach_by_the_advanced_rule() -> None:
    before = make({"a": "c3 d3 e3 f3 g3"}, ["JS", "?"], options="advanced", sequences="a:c3-g3")
    assert "your own team's" in refusal(before, "JS xc3")
