"""Actions as numbers, one for one; and views as arrays and as planes, held against the view field by field."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from seqp2p import learning, rules
from seqp2p.learning import action_mask, action_of, actions_of, number_of, observe, observe_planes, planes_of
from seqp2p.learning.environment import planes_space
from tests.rules.playing import OPTION_TABLES, OPTIONS, Game, Table, do, make

TABLES = [("classic", 2, 2), ("classic", 6, 3), ("classic", 8, 2), ("kids", 3, 3)]


def games(options: rules.Options, seed: int) -> list[tuple[Game, int]]:
    """A game at each table that has these options, and how often to look at it."""
    found = []
    for name, players, teams in TABLES:
        if name == "classic" or options == rules.Options():
            found.append((Game.deal(rules.VARIANTS[name], players, teams, random.Random(seed), options), 5))
    return found


@pytest.mark.parametrize("variant", rules.VARIANTS.values(), ids=repr)
def test_every_action_has_one_number_and_one_text(variant: rules.Variant) -> None:
    actions = actions_of(variant)
    there = [action for action in actions if action is not None]
    texts = {rules.format_action(variant, action): action for action in there}
    assert len(texts) == len({*there}) == len(there)
    for text, action in texts.items():
        assert rules.parse_action(variant, text) == action
        assert action_of(variant, number_of(variant, action)) == action
    specials = len(variant.wild) + len(variant.removing)
    nothing = (1 + specials) * len(variant.board.corners) + specials
    assert actions.count(None) == nothing
    assert len(actions) == {"classic": 608, "kids": 172}[variant.name]


@pytest.mark.parametrize("variant", rules.VARIANTS.values(), ids=repr)
def test_numbers_and_actions_that_there_are_not(variant: rules.Variant) -> None:
    for number in (-1, 0, len(actions_of(variant))):
        with pytest.raises(ValueError, match=f"{number} stands for no action"):
            action_of(variant, number)
    for action in (rules.call(1), rules.place(variant.wild[0], 1, ((0, 4),)), rules.place(rules.UNKNOWN, 1)):
        with pytest.raises(ValueError, match="has no number"):
            number_of(variant, action)


@pytest.mark.parametrize(
    ("use", "why"),
    [
        (lambda: action_of("classic", 1), "action_of: variant must be Variant, not str"),  # type: ignore[arg-type]
        (lambda: action_of(rules.CLASSIC, True), "action_of: number must be int, not bool"),
        (lambda: action_of(rules.CLASSIC, 1.0), "action_of: number must be int, not float"),  # type: ignore[arg-type]
        (lambda: number_of(rules.CLASSIC, "QH e5"), "number_of: action must be Action, not str; parse_action"),  # type: ignore[arg-type]
        (lambda: actions_of("classic"), "actions_of: variant must be Variant, not str"),
        (lambda: action_mask(learning.Table().position), "action_mask: view must be View, not Position"),  # type: ignore[arg-type]
        (lambda: observe(None), "observe: view must be View, not NoneType"),  # type: ignore[arg-type]
        (lambda: learning.Table("2"), "Table: players must be int, not str"),  # type: ignore[arg-type]
        (lambda: learning.Table(2, "x"), "Table: teams must be int or None, not str"),  # type: ignore[arg-type]
        (lambda: learning.Table().step("a"), "action_of: number must be int, not str"),  # type: ignore[arg-type]
        (lambda: learning.Table().reset(True), "Table.reset: seed must be int or None, not bool"),
        (lambda: learning.Table().reset("x"), "Table.reset: seed must be int or None, not str"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_is_named(use: Callable[[], object], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        use()


def test_no_planes_of_teams_that_cannot_be() -> None:
    with pytest.raises(rules.RulesError, match="form 2 teams, one player each, not -1"):
        planes_of(rules.CLASSIC, 2, -1)


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_the_mask_allows_what_is_legal(options: rules.Options) -> None:
    """Also where talk is called and cards are given up for it, which the environment leaves out."""
    for game, _ in games(options, 3):
        for position in game.play_random():
            if position.over:
                break
            mask = action_mask(rules.view(position, position.to_move))
            numbers = {number_of(position.variant, action) for action in rules.legal_actions(position)}
            assert {*np.flatnonzero(mask).tolist()} == numbers
            assert mask.dtype == np.int8


def counts(variant: rules.Variant, cards: tuple[int, ...]) -> list[int]:
    return [cards.count(card) for card in range(len(variant.faces))]


def held_against(seen: rules.View) -> None:
    arrays, variant = observe(seen), seen.variant
    seats = [*range(seen.seat, seen.players + 1), *range(1, seen.seat)]
    teams = [*range(seen.team, seen.teams + 1), *range(1, seen.team)]
    shape = (len(teams), variant.board.rows, variant.board.cols)
    chips = [[int(there == team) for there in seen.board] for team in teams]
    assert arrays["board"].tolist() == np.reshape(chips, shape).tolist()
    squares = [{square for made in seen.sequences if made.team == team for square in made.squares} for team in teams]
    lines = [[int(square in each) for square in range(len(seen.board))] for each in squares]
    assert arrays["sequences"].tolist() == np.reshape(lines, shape).tolist()
    most = dict(variant.sequences_to_win)[seen.teams]
    made = [min(most, sum(each.team == team for each in seen.sequences)) for team in teams]
    assert arrays["completed"].tolist() == made
    assert arrays["hand"].tolist() == counts(variant, seen.hand)
    assert arrays["hand_sizes"].tolist() == [seen.hand_sizes[seat - 1] for seat in seats]
    assert arrays["discards"].tolist() == [counts(variant, seen.discards[seat - 1]) for seat in seats]
    assert arrays["pile"].tolist() == [seen.pile]
    assert arrays["phase"].tolist() == [int(phase == seen.phase) for phase in ("play", "draw", "late", "penalty")]
    assert arrays["to_move"].tolist() == [int(seat == seen.to_move) for seat in seats]
    assert arrays["mover"].tolist() == [int(seat == seen.mover) for seat in seats]
    owes = seen.position.pending.owes if seen.position.pending else 0
    assert arrays["owes"].tolist() == [int(seat == owes) for seat in seats]
    assert arrays["quiet"].tolist() == [seen.position.quiet]
    assert {array.dtype for array in arrays.values() if isinstance(array, np.ndarray)} == {np.dtype(np.uint8)}


@pytest.mark.parametrize("options", [rules.Options(), rules.Options(table_talk=False, manual_draw=True)], ids=repr)
def test_arrays_say_what_the_view_says(options: rules.Options) -> None:
    for game, every in games(options, 4):
        for turn, position in enumerate(game.play_random()):
            if turn % every == 0 or position.over:
                for seat in range(1, position.players + 1):
                    held_against(rules.view(position, seat))


def test_a_card_that_is_not_known_yet_is_not_counted() -> None:
    """At a real table a drawn card is opened a moment later."""
    position = make({}, ["QH,QH,2C,3C,4C,5C,6C", "?,?,?,?,?,?,?"], turn=0)
    assert observe(rules.view(position, 1))["hand"].sum() == 7
    assert observe(rules.view(rules.hide(position, ()), 1))["hand"].sum() == 0


def test_one_chip_can_complete_more_than_win() -> None:
    chips = "a5 b5 c5 d5 e1 e2 e3 e4 b2 c3 d4"
    position = do(make({"a": chips}, ["JC,2C,3C,4C,5C,6C,7C", "?,?,?,?,?,?,?"]), "JC e5")
    assert len(position.sequences) == 3
    for seat in (1, 2):
        held_against(rules.view(position, seat))
    assert observe(rules.view(position, 2))["completed"].tolist() == [0, 2]


def named(seen: rules.View) -> dict[str, np.ndarray[Any, Any]]:
    names = [name for name, _ in planes_of(seen.variant, seen.players, seen.teams)]
    return dict(zip(names, observe_planes(seen), strict=True))


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_they_say_what_the_dictionary_says(table: Table) -> None:
    for seed in range(5):
        seen = rules.view(table.stopped(seed).position, 1 + seed % table.players)
        planes, arrays, variant = named(seen), observe(seen), seen.variant
        assert observe_planes(seen) in planes_space(variant, seen.players, seen.teams)["observation"]
        for team in range(seen.teams):
            assert np.array_equal(planes[f"team {team}"], arrays["board"][team])
            assert np.array_equal(planes[f"sequences {team}"], arrays["sequences"][team])
            assert np.all(planes[f"completed {team}"] == arrays["completed"][team])
        gone = Counter(card for cards in seen.discards for card in cards)
        for square, card in enumerate(variant.board.grid):
            counts = [planes[name].reshape(-1)[square] for name in ("hand", "discarded")]
            assert counts == ([0, 0] if card == rules.UNKNOWN else [arrays["hand"][card], gone[card]])
        for name, cards in (("wild", variant.wild), ("removing", variant.removing)):
            assert np.all(planes[f"{name} in hand"] == sum(arrays["hand"][card] for card in cards))
            assert np.all(planes[f"{name} discarded"] == sum(gone[card] for card in cards))
        assert [planes[name].max() for name in planes if name.startswith("phase")] == arrays["phase"].tolist()
        assert [planes[name].max() for name in planes if name.startswith("hand size")] == arrays["hand_sizes"].tolist()
        assert np.all(planes["to move"] == arrays["to_move"][0])
        assert np.all(planes["pile"] == seen.pile)
