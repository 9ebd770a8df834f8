"""The environment against PettingZoo's own tests, and against the engine at every step of whole games."""

import copy
import importlib
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test

from seqp2p import learning
from seqp2p.learning import Observation, RawEnv, action_of, env, number_of
from seqp2p.rules import IllegalAction, Position, RulesError, apply, hide, legal_actions, place, team_of

TABLES: list[dict[str, Any]] = [
    {},
    {"players": 3},
    {"players": 4, "advanced": True},
    {"players": 6, "teams": 3, "manual_draw": True},
    {"players": 12, "advanced": True, "manual_draw": True},
    {"variant": "kids"},
    {"variant": "kids", "players": 4},
    {"planes": True},
    {"variant": "kids", "players": 3, "planes": True},
]
IDS = [" ".join(f"{name}={value}" for name, value in table.items()) or "usual" for table in TABLES]


def position_of(raw: RawEnv) -> Position:
    return raw.table.position


def at(raw: RawEnv, position: Position) -> RawEnv:
    """The environment in another position of the same seat to move."""
    raw.table._game.position = position
    return raw


def random_game(raw: RawEnv, seed: int) -> Iterator[tuple[Observation, Position, int]]:
    """Play to the end within the masks; yield each observation, its position, and the chosen number."""
    dice = random.Random(seed)
    raw.reset(seed=seed)
    while not position_of(raw).over:
        before = position_of(raw)
        seen = cast(Observation, raw.observe(raw.agent_selection))
        number = dice.choice(np.flatnonzero(seen["action_mask"]).tolist())
        raw.step(number)
        yield seen, before, number


@pytest.mark.simulation
@pytest.mark.filterwarnings(
    # A seat sees a table and a hand, which is more than one array; PettingZoo lets only its own environments do so.
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    # A game that is over has no legal action.
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_what_pettingzoo_asks_for(table: dict[str, Any]) -> None:
    api_test(env(**table))  # type: ignore[no-untyped-call]  # PettingZoo's
    seed_test(lambda: env(**table), num_cycles=100)  # type: ignore[no-untyped-call]  # PettingZoo's


@pytest.mark.simulation
@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_a_whole_game_is_one_of_the_engine_and_whoever_wins_gets_one(table: dict[str, Any]) -> None:
    raw = RawEnv(**table)
    spaces = raw.observation_space("seat_1")
    for seen, before, number in random_game(raw, 7):
        legal, numbers = legal_actions(before), np.flatnonzero(seen["action_mask"]).tolist()
        allowed = [action_of(raw.table.variant, each) for each in numbers]
        assert len(allowed) == len(legal)
        assert {*allowed} == {*legal}
        assert seen in spaces
        after = position_of(raw)
        assert hide(after, ()) == hide(apply(before, action_of(raw.table.variant, number)), ())
        cards = (*after.hands, *after.discards, raw.table._game._pile)
        assert Counter(card for each in cards for card in each) == Counter(raw.table.variant.deck)
        for agent, seat in raw._seats.items():
            assert (agent == raw.agent_selection) == (seat == after.to_move) or after.over
            mask = raw.observe(agent)["action_mask"]
            assert np.flatnonzero(mask).tolist() == (sorted(raw.table.legal()) if seat == after.to_move else [])
        assert after.over or not any((*raw.rewards.values(), *raw.terminations.values()))
    winner = raw.table.winner
    assert winner
    rewards = {agent: 1 if team_of(seat, raw.table.teams) == winner else -1 for agent, seat in raw._seats.items()}
    assert {*rewards.values()} == {1, -1}
    assert raw.rewards == rewards
    last = {}
    for agent in raw.agent_iter():
        _, reward, terminated, truncated, _ = raw.last()
        assert (terminated, truncated) == (True, False)
        last[agent] = reward
        raw.step(None)
    assert last == rewards
    assert raw.agents == []


@pytest.mark.simulation
@pytest.mark.parametrize("table", TABLES, ids=IDS)
def test_no_seat_sees_what_it_cannot_know(table: dict[str, Any]) -> None:
    """Shuffle the hands of others and the pile: a seat with the same hand sees the same."""
    raw, dice = RawEnv(**table), random.Random(2)
    for turn, _ in enumerate(random_game(raw, 6)):
        position, pile = position_of(raw), raw.table._game._pile
        if turn % 10 or position.over:
            continue
        for agent, seat in raw._seats.items():
            seen = raw.observe(agent)
            hidden = [card for other, hand in enumerate(position.hands, 1) if other != seat for card in hand] + pile
            dice.shuffle(hidden)
            hands = [
                hand if other == seat else tuple(sorted(hidden.pop() for _ in hand))
                for other, hand in enumerate(position.hands, 1)
            ]
            twin = at(raw, position._replace(hands=tuple(hands)))
            assert data_equivalence(twin.observe(agent), seen)
            at(raw, position)


def test_a_drawn_game_gives_nobody_anything() -> None:
    raw = RawEnv()
    raw.reset(seed=1)
    at(raw, position_of(raw)._replace(hands=((), ()), pile=104))
    for _ in range(2):
        (number,) = np.flatnonzero(raw.observe(raw.agent_selection)["action_mask"])
        raw.step(int(number))
    assert position_of(raw).drawn_game
    assert all(raw.terminations.values())
    assert [*raw.rewards.values()] == [0, 0]


def test_the_same_seed_deals_the_same_games() -> None:
    def games(seed: int | None) -> list[Position]:
        raw = RawEnv(players=4)
        dealt = []
        for first in (seed, None):
            raw.reset(seed=first)
            dealt.append(position_of(raw))
        return dealt

    assert games(3) == games(3)
    assert games(3)[0] != games(3)[1]
    assert games(3)[0] != games(4)[0]
    assert games(None) != games(None)
    # Programs that learn seed with the integers of numpy.
    raw = RawEnv(players=4)
    raw.reset(seed=cast(int, np.int64(3)))
    assert position_of(raw) == games(3)[0]


def test_a_copy_goes_its_own_way() -> None:
    """As a search needs it."""
    raw = RawEnv()
    for _, _ in zip(range(20), random_game(raw, 1), strict=False):
        pass
    twin = copy.deepcopy(raw)
    before = position_of(raw)
    twin.step(number_of(raw.table.variant, legal_actions(before)[0]))
    assert position_of(raw) == before
    raw.step(number_of(raw.table.variant, legal_actions(before)[0]))
    assert position_of(raw) == position_of(twin)


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    raw = RawEnv()
    raw.reset(seed=1)
    before = position_of(raw)
    strange = next(card for card in range(52) if card not in before.hands[before.to_move - 1] and card % 13 != 9)
    illegal = number_of(raw.table.variant, place(strange, raw.table.variant.board.grid.index(strange)))
    for step in (raw.step, raw.table.step):
        with pytest.raises(IllegalAction):
            step(illegal)
        for nothing in (0, -1, 608):
            with pytest.raises(ValueError, match="stands for no action of Sequence: choose one that the action mask"):
                step(nothing)
    assert (position_of(raw), raw.table.last) == (before, None)
    assert not any(raw.terminations.values())


def test_in_the_wrappers_what_is_not_legal_loses(caplog: pytest.LogCaptureFixture) -> None:
    game = env()
    with pytest.raises(AssertionError, match="reset"):
        game.step(1)
    game.reset(seed=1)
    agent = game.agent_selection
    observation = game.observe(agent)
    assert observation is not None
    game.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    assert "Illegal move" in caplog.text
    assert all(game.terminations.values())
    assert game.rewards == {each: -1 if each == agent else 0 for each in game.agents}


def test_the_table_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    raw = RawEnv(players=3, render_mode="ansi")
    raw.reset(seed=1)
    text = raw.render()
    assert text is not None
    lines = text.splitlines()
    assert len(lines) == 13
    assert lines[1] == "  1  **  2S  3S  4S  5S  6S  7S  8S  9S  **"
    assert lines[-1] == f"turn 1, seat {position_of(raw).to_move} is to move"
    assert capsys.readouterr().out == ""
    for _ in random_game(raw, 1):
        pass
    text = raw.render()
    assert text is not None
    assert text.endswith(f"\nteam {position_of(raw).winner} has won")
    assert "[" in text


def test_the_table_is_shown_as_the_game_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    raw = RawEnv(variant="kids", render_mode="human")
    turns = sum(1 for _ in random_game(raw, 1))
    assert capsys.readouterr().out.count("sequences:") == turns + 1


def test_without_a_mode_nothing_is_rendered() -> None:
    raw = RawEnv()
    raw.reset(seed=1)
    with pytest.warns(UserWarning, match="without a render mode"):
        assert raw.render() is None


@pytest.mark.parametrize(
    ("table", "kind", "why"),
    [
        ({"players": 5}, RulesError, "5 players"),
        ({"players": 4, "teams": 3}, RulesError, "2 teams"),
        ({"variant": "kids", "advanced": True}, RulesError, "has no option advanced"),
        ({"variant": "chess"}, RulesError, "'chess' is not a variant: there are classic and kids"),
        ({"planes": "yes"}, TypeError, "RawEnv: planes must be bool, not str"),
        ({"render_mode": "rgb_array"}, ValueError, "no render mode 'rgb_array': choose one of human, ansi"),
    ],
)
def test_tables_that_there_are_not(table: dict[str, Any], kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        env(**table)


def test_the_names_that_pettingzoo_knows() -> None:
    assert isinstance(learning.raw_env(players=3), RawEnv)
    assert env().unwrapped.metadata["name"] == "seqp2p_v0"


@pytest.mark.parametrize("missing", ["numpy", "gymnasium", "pettingzoo"])
def test_without_the_extra_there_is_the_table(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("seqp2p.learning")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    module = importlib.import_module(learning.__name__)
    table = module.Table()
    table.step(table.legal()[0])
    assert table.view(1).turn == 1
    found: dict[str, object] = {}
    exec(f"from {module.__name__} import *", found)  # what is meant
    assert ("Table" in found, "observe" in found, "env" in found) == (True, missing != "numpy", False)
    for name in ("env", "observe") if missing == "numpy" else ("env",):
        with pytest.raises(ModuleNotFoundError) as caught:
            getattr(module, name)
        assert str(caught.value) == (
            f"seqp2p.learning.{name} needs {missing}, which is not installed: pip install 'seqp2p[learning]'"
        )
