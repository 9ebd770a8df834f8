"""Tables by number: the games of the environment, without its agents."""

import random
from typing import cast

import numpy as np
import pytest

from seqp2p import learning
from seqp2p.learning import RawEnv, Table, action_mask
from seqp2p.rules import IllegalAction, RulesError


@pytest.mark.parametrize("options", [{}, {"variant": "kids", "players": 3}, {"players": 6, "manual_draw": True}])
def test_it_plays_the_games_of_the_environment(options: dict[str, str | int | bool]) -> None:
    table, raw, dice = Table(**options), RawEnv(**options), random.Random(1)  # type: ignore[arg-type]  # as a program has them
    for seed in (4, None):
        table.reset(seed)
        raw.reset(seed)
        while table.to_move:
            assert raw.agent_selection == f"seat_{table.to_move}"
            mask = action_mask(table.view(table.to_move))
            assert sorted(table.legal()) == np.flatnonzero(mask).tolist()
            number = dice.choice(table.legal())
            table.step(number)
            raw.step(number)
            assert table.position == raw.table.position
        assert table.legal() == []
        assert all(raw.terminations.values())
        winners = {agent for agent, reward in raw.rewards.items() if reward > 0}
        assert winners == {
            f"seat_{seat}" for seat in range(table.winner, table.players + 1, table.teams) if table.winner
        }


def test_what_is_not_legal_changes_nothing() -> None:
    table = Table()
    table.reset(seed=cast(int, np.int64(1)))
    before, last = table.position, table.last
    illegal = next(number for number in range(1, 9) if number not in table.legal())
    with pytest.raises(IllegalAction):
        table.step(illegal)
    with pytest.raises(ValueError, match="stands for no action"):
        table.step(608)
    assert (table.position, table.last) == (before, last)


def test_tables_that_there_are_not() -> None:
    with pytest.raises(RulesError, match="5 players"):
        Table(5)
    with pytest.raises(RulesError, match="2 teams"):
        Table(4, teams=3)
    with pytest.raises(ValueError, match="there is no variant 'chess': choose one of classic, kids"):
        Table(variant="chess")


def test_the_names_that_pettingzoo_knows() -> None:
    assert isinstance(learning.raw_env(players=3), RawEnv)
    assert learning.env().unwrapped.metadata["name"] == "seqp2p_v0"
