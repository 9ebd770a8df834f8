"""Observations as planes: the board and the hand as they are, and nothing that the seat cannot know."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from seqp2p.learning import observe, observe_planes, planes_of
from seqp2p.learning.observation import planes_space
from seqp2p.rules import UNKNOWN, View, view
from tests.rules.playing import OPTION_TABLES, Table


def seen_at(table: Table, seed: int) -> View:
    return view(table.stopped(seed).position, 1 + seed % table.players)


def named(seen: View) -> dict[str, np.ndarray[Any, Any]]:
    names = [name for name, _ in planes_of(seen.variant, seen.players, seen.teams)]
    return dict(zip(names, observe_planes(seen), strict=True))


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_they_say_what_the_dictionary_says(table: Table) -> None:
    for seed in range(5):
        seen = seen_at(table, seed)
        planes, arrays, variant = named(seen), observe(seen), seen.variant
        assert observe_planes(seen) in planes_space(variant, seen.players, seen.teams)["observation"]
        for team in range(seen.teams):
            assert np.array_equal(planes[f"team {team}"], arrays["board"][team])
            assert np.array_equal(planes[f"sequences {team}"], arrays["sequences"][team])
            assert np.all(planes[f"completed {team}"] == arrays["completed"][team])
        gone = Counter(card for cards in seen.discards for card in cards)
        for square, card in enumerate(variant.board.grid):
            counts = [planes[name].reshape(-1)[square] for name in ("hand", "discarded")]
            assert counts == ([0, 0] if card == UNKNOWN else [arrays["hand"][card], gone[card]])
        for name, cards in (("wild", variant.wild), ("removing", variant.removing)):
            assert np.all(planes[f"{name} in hand"] == sum(arrays["hand"][card] for card in cards))
            assert np.all(planes[f"{name} discarded"] == sum(gone[card] for card in cards))
        assert [planes[name].max() for name in planes if name.startswith("phase")] == arrays["phase"].tolist()
        assert [planes[name].max() for name in planes if name.startswith("hand size")] == arrays["hand_sizes"].tolist()
        assert np.all(planes["to move"] == arrays["to_move"][0])
        assert np.all(planes["pile"] == seen.pile)
