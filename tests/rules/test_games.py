"""Whole games between random players, for every table size; and the engine held against the rules written naively."""

import hashlib
import random
from collections import Counter
from itertools import pairwise

import pytest

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    KIDS,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    WAIVE,
    IllegalAction,
    Options,
    Position,
    Variant,
    apply,
    call,
    deal_order,
    exchange,
    format_action,
    format_square,
    give,
    hand_size,
    hide,
    legal_actions,
    nameable_lines,
    new_pile,
    place,
    position_hash,
    remove,
    reveal,
    start,
)
from seqp2p.rules.status import status
from tests.rules.naive import NaiveGame
from tests.rules.playing import (
    OPTION_TABLE_IDS,
    OPTION_TABLES,
    OPTIONS,
    TABLE_IDS,
    TABLES,
    Game,
    random_position,
    seats_to_call,
)

pytestmark = pytest.mark.simulation


@pytest.mark.parametrize(("variant", "players", "teams"), TABLES, ids=TABLE_IDS)
def test_games_end_and_no_card_is_ever_lost(variant: Variant, players: int, teams: int) -> None:
    deck, rng = Counter(variant.deck), random.Random(f"{variant.name} {players} {teams}")
    for number in range(32):
        options = rng.choice(OPTIONS) if variant.options and number % 4 else Options()
        game = Game.deal(variant, players, teams, rng, options)
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


def naive_game(game: Game) -> NaiveGame:
    position, faces = game.position, game.position.variant.faces
    return NaiveGame(
        kids=position.variant is KIDS,
        players=position.players,
        teams=position.teams,
        options={
            name
            for name, chosen in [
                ("advanced", position.options.advanced),
                ("no-table-talk", not position.options.table_talk),
                ("manual-draw", position.options.manual_draw),
            ]
            if chosen
        },
        seat=position.to_move,
        hands={seat: [faces[card] for card in hand] for seat, hand in enumerate(position.hands, 1)},
        pile=[faces[card] for card in game.pile],
    )


def assert_same(naive: NaiveGame, position: Position) -> None:
    faces = position.variant.faces
    phase, to_move = naive.todo[0] if naive.result == "-" else ("play", 0)
    assert (position.phase, position.to_move) == (phase, to_move)
    if to_move:
        assert position.mover == naive.seat
        owes = position.pending.owes if position.pending else 0
        assert owes == naive.owes
    for seat in naive.hands:
        assert sorted(naive.hands[seat]) == sorted(faces[card] for card in position.hands[seat - 1])
        assert naive.discards[seat] == [faces[card] for card in position.discards[seat - 1]]
    chips = {
        s: t for t, squares in enumerate(position.chips, 1) for s in range(squares.bit_length()) if squares >> s & 1
    }
    assert naive.chips == {format_square(position.variant, square): team for square, team in chips.items()}
    recorded = [(team, tuple(format_square(position.variant, s) for s in line)) for team, line in position.sequences]
    assert sorted(naive.sequences) == sorted(recorded)
    assert position.pile == len(naive.pile)
    assert (position.turn, position.draws, position.reshuffles) == (naive.turn, naive.draws, naive.reshuffles)
    assert (position.exchanged, position.idle, position.quiet) == (naive.exchanged, naive.idle, naive.quiet)
    assert naive.result == ("=" if position.drawn_game else str(position.winner or "-"))


@pytest.mark.parametrize(("variant", "players", "teams", "options"), OPTION_TABLES, ids=OPTION_TABLE_IDS)
def test_the_engine_agrees_with_the_rules_written_naively(
    variant: Variant, players: int, teams: int, options: Options
) -> None:
    game = Game.deal(variant, players, teams, random.Random(f"naive {variant.name} {players} {teams}"), options)
    naive = naive_game(game)
    assert_same(naive, game.position)
    while not game.position.over:
        actions = legal_actions(game.position)
        texts = {format_action(variant, action) for action in actions}
        assert len(texts) == len(actions)
        assert texts == naive.legal()
        action = game.choose()
        names = nameable_lines(game.position, action)
        action = action._replace(ends=(game.rng.choice(names),)) if names else action
        before = len(game.pile)
        after = game.play(action)
        drawn = [variant.faces[card] for card in (*game.pile, *game.drawn[-1:])]
        naive.play(format_action(variant, action), [] if before else drawn)
        assert_same(naive, after)


@pytest.mark.parametrize(("variant", "players", "teams", "options"), OPTION_TABLES, ids=OPTION_TABLE_IDS)
def test_every_legal_action_is_accepted_and_every_other_refused(
    variant: Variant, players: int, teams: int, options: Options
) -> None:
    rng = random.Random(f"refused {variant.name} {players} {teams}")
    position = random_position(variant, players, teams, rng.randint(0, 10**6), options).position
    legal, accepted = {*legal_actions(position), *map(call, seats_to_call(position))}, set()
    squares, cards = range(-1, len(variant.board.grid) + 1), range(-1, len(variant.faces) + 1)
    actions = [make(card, square) for card in cards for square in squares for make in (place, remove)]
    actions += [*map(exchange, cards), *map(give, cards), *map(call, range(-1, 15)), PASS, DRAW, END, WAIVE]
    sample = set(rng.sample(actions, 250)) | {action for action in actions if action.square == NO_SQUARE} | legal
    for action in sample:
        try:
            after = apply(position, action)
        except IllegalAction:
            continue
        accepted.add(action)
        assert status(after) == ()
    assert accepted == legal


@pytest.mark.parametrize(
    ("variant", "players", "teams", "options"),
    [table for table in OPTION_TABLES if table[3] in {OPTIONS[0], OPTIONS[-1]}],
)
def test_who_knows_less_computes_the_same(variant: Variant, players: int, teams: int, options: Options) -> None:
    """Every seat follows the game with its own cards only, and a spectator with none: all come to the same position."""
    game = Game.deal(variant, players, teams, random.Random(players * 10 + teams), options)
    seen = {seat: hide(game.position, {seat}) for seat in {0, 1, players}}
    for after in game.play_random():
        before, action = game.history[-1]
        shown = before.hands[before.to_move - 1] if action.kind == "pass" else ()
        for seat, mine in list(seen.items()):
            own = seat == before.to_move
            known = mine if own else reveal(mine, before.to_move, shown)
            seen[seat] = hide(apply(known, action, game.drawn[-1] if own else UNKNOWN), {seat})
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
            lying = [card for cards in position.discards for card in cards]
            pile = shuffled(lying if action.kind == "draw" else [*lying, action.card], step)
            assert Counter(pile) == Counter(new_pile(position, action))
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
        (CLASSIC, 4, 2, Options(manual_draw=True), "71 turns, team 1, 2631ecd2747844d8"),
        (KIDS, 4, 4, Options(), "52 turns, team 4, e2d3344f71640f6f"),
    ],
)
def test_the_same_start_and_actions_give_the_same_position_everywhere(
    variant: Variant, players: int, teams: int, options: Options, result: str
) -> None:
    assert mechanical(variant, players, teams, options) == result
