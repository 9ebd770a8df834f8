"""``learned``: a sum by differences is the whole sum, and files of weights that cannot be used."""

from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots import value
from seqp2p.bots.features import shape
from seqp2p.bots.learned import COMPLETED, COMPLETED_WILD, WIN, Outlook, worth_comparing
from seqp2p.bots.registry import why_no_bot
from seqp2p.bots.value import BadWeights, read_weights, shipped
from seqp2p.rules import CLASSIC, KIDS, apply
from tests.rules.playing import OPTION_TABLES, Table
from tools.weights import write_weights

FORM = shape(CLASSIC, 2)
ZERO = write_weights("classic-2", [[[0.0] * 3] * FORM.features] * FORM.states, [[0.0] * 2] * FORM.states)


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_differences_give_the_sum(table: Table, seed: int) -> None:
    seen = table.seen(seed)
    outlook = Outlook(seen, shipped(seen.variant, seen.teams))
    for action in worth_comparing(seen):
        if action.kind in {"place", "remove"}:
            assert outlook.value(action) == copy(outlook).counted_with(action, outlook._changes(action))
            completes = len(apply(seen.position, action).sequences) > len(seen.sequences)
            more = COMPLETED_WILD if action.card in seen.variant.wild else COMPLETED
            assert outlook.worth(action) == min(WIN, outlook.value(action) + completes * more)


def test_the_value_of_a_win_is_beyond_all_others() -> None:
    assert WIN > 1 << 2 * value.FIELD_BITS - 8


def test_weights_are_read_as_written() -> None:
    weights = read_weights(ZERO, "classic-2", FORM.states, FORM.features)
    assert weights.value(0, weights.rows[0][5]) == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ZERO[:-2], "damaged"),
        (ZERO[:-1] + b"\1", "damaged"),
        (ZERO.replace(b"value 1", b"value 2"), "another version"),
        (b"", "another version"),
    ],
)
def test_weights_that_are_not_whole_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(BadWeights, match=reason):
        read_weights(content, "classic-2", FORM.states, FORM.features)


def test_without_weights_one_sentence_says_so_and_other_bots_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value, "name_of", lambda variant, teams: f"no-{variant.name}-{teams}")
    shipped.cache_clear()
    try:
        assert why_no_bot("learned") == "the bot's weights no-classic-2 are missing: reinstall seqp2p"
        for needing in ("easy", "normal", "hard", "strong"):
            assert why_no_bot(needing) == why_no_bot("learned")
        for other in ("greedy", "random"):
            assert why_no_bot(other) is None
    finally:
        shipped.cache_clear()


def test_one_file_serves_all_numbers_of_teams_of_children() -> None:
    assert shipped(KIDS, 2).rows == shipped(KIDS, 4).rows
