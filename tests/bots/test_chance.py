"""Chances: a table for every size, sums, and what a chance rises with."""

from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots.chance import CERTAIN, KNOTS, OUT, OWN, SHARES, TableKind, among
from seqp2p.bots.value import SCALE_BITS
from seqp2p.rules import VARIANTS
from tests.rules.playing import TABLES

KINDS = [TableKind(table.variant.name, table.players, table.teams) for table in TABLES]


def test_every_table_has_rising_chances() -> None:
    assert [*OWN] == KINDS
    for row in OWN.values():
        assert len(row) == len(KNOTS)
        assert [*row] == sorted(row)
        assert 0 < row[0] <= row[-1] < CERTAIN


def test_every_length_of_a_line_has_a_weight() -> None:
    assert {name: len(weights) for name, weights in SHARES.items()} == {
        name: variant.line_length for name, variant in VARIANTS.items()
    }
    assert all(weight > 0 for weights in SHARES.values() for weight in weights)


@given(st.sampled_from(KINDS), st.integers(-(1 << 60), 1 << 60), st.integers(0, 1 << 24), st.data())
def test_chances_sum_up_and_rise_with_the_value(kind: TableKind, value: int, more: int, data: st.DataObject) -> None:
    team = data.draw(st.integers(1, kind.teams))
    lines = [data.draw(st.integers(0, len(SHARES[kind.variant]) - 1)) for _ in range(kind.teams)]
    found, higher = among(kind, team, value, lines), among(kind, team, value + more, lines)
    assert sum(found) == sum(higher) == CERTAIN
    assert min(found) >= 0
    assert 0 < found[team - 1] <= higher[team - 1] < CERTAIN


def test_a_chance_at_a_knot_is_that_of_the_table() -> None:
    for kind, row in OWN.items():
        found = [among(kind, 1, knot << SCALE_BITS, [0] * kind.teams)[0] for knot in KNOTS[:-1]]
        assert found == [*row[: len(found)]]


def test_a_team_that_has_left_has_no_chance() -> None:
    assert among(TableKind("classic", 3, 3), 2, 0, [4, 1, OUT])[2] == 0
