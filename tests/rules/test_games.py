"""Whole games between random players at every table, on the engine and on the rules written naively."""

import random
from collections import Counter

import pytest

from seqp2p.rules import (
    DRAW,
    END,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    WAIVE,
    IllegalAction,
    apply,
    call,
    exchange,
    give,
    hide,
    legal_actions,
    nameable_lines,
    place,
    remove,
    reveal,
)
from seqp2p.rules.status import status
from tests.rules.both import Both
from tests.rules.playing import OPTION_TABLES, OPTIONS, Table, assert_sequences_stay, seats_to_call

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_games_end_as_the_rules_written_naively_have_it_and_no_card_is_lost(table: Table) -> None:
    game, deck = table.deal(random.Random(f"naive {table}")), Counter(table.variant.deck)
    both = Both(game)
    while not game.position.over:
        before = game.position
        assert before.turn < 5_000
        if before.turn % 2:
            both.compare_legal()
        action = game.choose()
        names = nameable_lines(before, action)
        both.play(action._replace(ends=(game.rng.choice(names),)) if names else action)
        assert_sequences_stay(before, game.position)
        if not before.turn % 16:
            assert game.cards() == deck
            assert status(game.position) == ()
    assert game.cards() == deck
    assert status(game.position) == ()


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_every_legal_action_is_accepted_and_every_other_refused(table: Table) -> None:
    variant, rng = table.variant, random.Random(f"refused {table}")
    position = table.stopped(rng.randint(0, 10**6)).position
    legal, accepted = {*legal_actions(position), *map(call, seats_to_call(position))}, set()
    squares, cards = range(-1, len(variant.board.grid) + 1), range(-1, len(variant.faces) + 1)
    actions = [make(card, square) for card in cards for square in squares for make in (place, remove)]
    actions += [*map(exchange, cards), *map(give, cards), *map(call, range(-1, 15)), PASS, DRAW, END, WAIVE]
    sample = set(rng.sample(actions, 150)) | {action for action in actions if action.square == NO_SQUARE} | legal
    for action in sample:
        try:
            after = apply(position, action)
        except IllegalAction:
            continue
        accepted.add(action)
        assert status(after) == ()
    assert accepted == legal


@pytest.mark.parametrize(
    "table", [table for table in OPTION_TABLES if table.options in (OPTIONS[0], OPTIONS[-1])], ids=str
)
def test_who_knows_less_computes_the_same(table: Table) -> None:
    """Every seat follows the game with its own cards only, and a spectator with none: all come to the same position."""
    game = table.deal(random.Random(table.players * 10 + table.teams))
    seen = {seat: hide(game.position, {seat}) for seat in {0, 1, table.players}}
    for after in game.play_random():
        before, action = game.history[-1]
        shown = before.hands[before.to_move - 1] if action.kind == "pass" else ()
        for seat, mine in list(seen.items()):
            own = seat == before.to_move
            known = mine if own else reveal(mine, before.to_move, shown)
            seen[seat] = hide(apply(known, action, game.drawn[-1] if own else UNKNOWN), {seat})
            assert seen[seat] == hide(after, {seat})
