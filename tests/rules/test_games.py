"""Whole games between random players, for every table size; and the engine held against the rules written naively."""

import hashlib
import random
from collections import Counter
from itertools import pairwise

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    PASS,
    UNKNOWN,
    IllegalAction,
    Options,
    Position,
    Variant,
    apply,
    deal_order,
    exchange,
    format_action,
    hand_size,
    hide,
    legal_actions,
    place,
    position_hash,
    remove,
    reveal,
    start,
    status,
)
from tests.rules import naive
from tests.rules.playing import TABLE_IDS, TABLES, Game, random_position


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_200_games_end_and_no_card_is_ever_lost(variant: Variant, players: int, teams: int) -> None:
    deck, rng = Counter(variant.deck), random.Random(f"{variant.name} {players} {teams}")
    for number in range(200):
        game = Game.deal(variant, players, teams, rng)
        for turn, position in enumerate(game.play_random()):
            held = sum(map(len, position.hands)) + sum(map(len, position.discards))
            assert held + position.pile == len(variant.deck)
            assert position.pile == len(game.pile)
            if not (turn + number) % 16:
                assert game.cards() == deck
            assert turn < 5_000
        assert game.cards() == deck
        assert status(game.position) == ()
        assert game.position.over


def as_naive(position: Position) -> set[tuple[str, str, int]]:
    names = [*position.variant.faces, ""]
    return {(action.kind, names[action.card], action.square) for action in legal_actions(position)}


@pytest.mark.parametrize(
    ("variant", "players", "teams", "advanced"),
    [(*table, advanced) for table in TABLES for advanced in (False, True) if not advanced or table[0].options],
)
def test_the_engine_agrees_with_the_rules_written_naively(
    variant: Variant, players: int, teams: int, advanced: bool
) -> None:
    rng = random.Random(f"naive {variant.name} {players} {teams} {advanced}")
    game = Game.deal(variant, players, teams, rng, Options(advanced=advanced))
    before = game.position
    for after in game.play_random():
        _, action = game.history[-1]
        assert as_naive(before) == naive.legal(before)
        assert len(legal_actions(before)) == len(set(legal_actions(before)))
        if action.kind == "place":
            standing = {(sequence.team, sequence.squares) for sequence in after.sequences}
            assert standing == naive.count_after(before, after, action.square)
        before = after


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_every_legal_action_is_accepted_and_every_other_refused(variant: Variant, players: int, teams: int) -> None:
    position = random_position(variant, players, teams, seed=players).position
    legal, accepted = set(legal_actions(position)), set()
    squares, cards = range(-1, len(variant.board.grid) + 1), range(-1, len(variant.faces) + 1)
    actions = [make(card, square) for card in cards for square in squares for make in (place, remove)]
    for action in [*actions, *map(exchange, cards), PASS]:
        try:
            after = apply(position, action)
        except IllegalAction:
            continue
        accepted.add(action)
        assert status(after) == ()
    assert accepted == legal


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_who_knows_less_computes_the_same(variant: Variant, players: int, teams: int) -> None:
    """Every seat follows the game with its own cards only, and a watcher with none: all come to the same position."""
    game = Game.deal(variant, players, teams, random.Random(players * 10 + teams))
    seen = {seat: hide(game.position, {seat}) for seat in range(players + 1)}
    for after in game.play_random():
        before, action = game.history[-1]
        drawn = list((Counter(after.hands[before.to_move - 1]) - Counter(before.hands[before.to_move - 1])).elements())
        if after.draws > before.draws and not drawn:
            drawn = [action.card]  # the same face came back
        shown = before.hands[before.to_move - 1] if action.kind == "pass" else ()
        for seat, mine in list(seen.items()):
            own = seat == before.to_move
            known = mine if own else reveal(mine, before.to_move, shown)
            seen[seat] = hide(apply(known, action, drawn[0] if drawn and own else UNKNOWN), {seat})
            assert seen[seat] == hide(after, {seat})


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_chips_in_sequences_are_safe(variant: Variant, players: int, teams: int) -> None:
    """No action of any seat changes a protected chip, and no sequence is ever lost."""
    rng = random.Random(f"safe {variant.name} {players} {teams}")
    for _ in range(5):
        game = Game.deal(variant, players, teams, rng)
        for before, after in pairwise([game.position, *game.play_random()]):
            assert before.protected & after.protected == before.protected
            assert set(before.sequences) <= set(after.sequences)
            for old, new in zip(before.chips, after.chips, strict=True):
                assert old & before.protected == new & before.protected


def mechanical(variant: Variant, players: int, teams: int, options: Options) -> str:
    """A game that no language's generator has a part in: orders and choices come from SHA-256 of a counter."""

    def number(*words: object) -> int:
        return int.from_bytes(hashlib.sha256(" ".join(map(str, words)).encode()).digest())

    def shuffled(cards: list[int], name: object) -> list[int]:
        return [card for _, card in sorted((number("shuffle", name, at), card) for at, card in enumerate(cards))]

    pile = shuffled(list(variant.deck), "deck")
    hands: list[list[int]] = [[] for _ in range(players)]
    for seat in deal_order(players, players, hand_size(variant, players)):
        hands[seat - 1].append(pile.pop())
    position, step = start(variant, players, teams, options, 1, hands), 0
    while not position.over:
        actions = sorted(legal_actions(position), key=lambda action: format_action(variant, action))
        action = actions[number("choose", step) % len(actions)]
        after = apply(position, action, pile[-1] if pile else UNKNOWN)
        if after.reshuffles > position.reshuffles:
            pile = shuffled([card for cards in position.discards for card in cards] + [action.card], step)
            after = reveal(after, position.to_move, pile[-1:])
        if after.draws > position.draws:
            pile.pop()
        position, step = after, step + 1
    return f"{position.turn} turns, team {position.winner}, {position_hash(position).hex()[:16]}"


@pytest.mark.parametrize(
    ("variant", "players", "teams", "options", "result"),
    [
        (CLASSIC, 2, 2, Options(), "81 turns, team 1, a04b7a011e060799"),
        (CLASSIC, 3, 3, Options(), "70 turns, team 1, 9eae64f6d07ccdec"),
        (CLASSIC, 6, 2, Options(advanced=True), "99 turns, team 1, 5dbae8d7dd4b5ef2"),
        (CLASSIC, 12, 3, Options(table_talk=False), "45 turns, team 3, ea99176692f4cf8c"),
        (KIDS, 4, 4, Options(), "52 turns, team 4, e2d3344f71640f6f"),
    ],
)
def test_the_same_start_and_actions_give_the_same_position_everywhere(
    variant: Variant, players: int, teams: int, options: Options, result: str
) -> None:
    assert mechanical(variant, players, teams, options) == result
