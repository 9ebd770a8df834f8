"""Whole games between random players, for every table size; and the engine held against the rules written naively."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from seqp2p.rules import (
    DRAW,
    END,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    WAIVE,
    IllegalAction,
    Options,
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
from tests.rules.playing import OPTION_TABLES, OPTIONS, Table, seats_to_call

pytestmark = pytest.mark.simulation

USUAL_TABLES = [table for table in OPTION_TABLES if table.options == Options()]


@pytest.mark.parametrize("table", USUAL_TABLES, ids=str)
def test_games_end_and_no_card_is_ever_lost(table: Table) -> None:
    variant, rng = table.variant, random.Random(str(table))
    deck = Counter(variant.deck)
    for number in range(8):
        options = rng.choice(OPTIONS) if variant.options and number % 4 else Options()
        game = table._replace(options=options).deal(rng)
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


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_the_engine_agrees_with_the_rules_written_naively(table: Table) -> None:
    game = table.deal(random.Random(f"naive {table}"))
    both = Both(game)
    while not game.position.over:
        if game.position.turn % 2:
            both.compare_legal()
        action = game.choose()
        names = nameable_lines(game.position, action)
        both.play(action._replace(ends=(game.rng.choice(names),)) if names else action)


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


@pytest.mark.parametrize("table", USUAL_TABLES, ids=str)
def test_chips_in_sequences_are_safe(table: Table) -> None:
    """No action of any seat changes a protected chip, and no sequence is ever lost."""
    rng = random.Random(f"safe {table}")
    for _ in range(5):
        game = table.deal(rng)
        for before, after in pairwise([game.position, *game.play_random()]):
            assert before.protected & after.protected == before.protected
            assert set(before.sequences) <= set(after.sequences)
            for old, new in zip(before.chips, after.chips, strict=True):
                assert old & before.protected == new & before.protected
