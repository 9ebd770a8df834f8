"""Which chips in line are a sequence, how many, and which five."""

import pytest

from seqp2p.rules import (
    CLASSIC,
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


def test_there_is_nothing_to_name_without_a_choice() -> None:
    before = make({"a": "a5 b5 c5 d5 e1 e2 e3 e4", "b": "j9"}, ["JC,JS", "?,?"])
    for text in ("JC e5", "JC h9", "JS xj9", "pass"):
        assert nameable_lines(before, parse_action(CLASSIC, text)) == ()


def test_own_chips_stay_out_of_reach_by_the_advanced_rule() -> None:
    before = make({"a": "c3 d3 e3 f3 g3"}, ["JS", "?"], options="advanced", sequences="a:c3-g3")
    assert "your own team's" in refusal(before, "JS xc3")
