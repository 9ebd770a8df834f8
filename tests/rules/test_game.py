"""The game that is played on and taken back: it agrees with the engine, loses no card, and says what it refuses."""

import pickle
import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    KIDS,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    WAIVE,
    Action,
    Game,
    IllegalAction,
    NotationError,
    Options,
    Position,
    RulesError,
    apply,
    call,
    deal,
    exchange,
    format_card,
    format_position,
    format_square,
    give,
    hand_size,
    hide,
    legal_actions,
    longest_line,
    nameable_lines,
    parse_action,
    perft,
    place,
    remove,
    reveal,
    status,
    team_of,
    threats,
    view,
)
from tests.rules.both import Both
from tests.rules.playing import OPTION_TABLES, OPTIONS, Table, assert_sequences_stay, seats_to_call


def at(table: Table, seed: int) -> Game:
    return Game(table.variant, table.players, seed, teams=table.teams, options=table.options)


def check_cards(game: Game) -> None:
    cards = (*game.position.hands, *game.position.discards, tuple(game._pile))
    assert Counter(card for each in cards for card in each) == Counter(game.position.variant.deck)
    assert len(game._pile) == game.position.pile


def by_engine(before: Position, action: Action, after: Position) -> Position:
    """The position by ``apply``, with the drawn card that ``after`` knows."""
    expected, seat = apply(before, action), before.to_move
    drawn = Counter(after.hands[seat - 1]) - Counter(expected.hands[seat - 1])
    return reveal(expected, seat, drawn.elements())


@settings(deadline=None, max_examples=12)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6))
def test_playing_and_taking_back_agree_with_the_engine(table: Table, seed: int) -> None:
    game, dice = at(table, seed), random.Random(seed)
    past = list[Position]()
    for _ in range(200):
        if past and (game.over or dice.random() < 0.2):
            game.undo()
            assert game.position == past.pop()
        else:
            past.append(game.position)
            action = dice.choice(game.legal)
            game.play(dice.choice((action, str(action))))
            assert game.position == by_engine(past[-1], action, game.position)
        check_cards(game)
        assert (game.turn, game.legal) == (game.position.to_move, legal_actions(game.position))
    again = Game.from_text(game.text, seed)
    assert (again.text, again.position) == (game.text, game.position)
    while past:
        check_cards(again)
        again.undo()
        assert again.position == past.pop()


def test_a_card_that_is_drawn_again_is_the_same_one() -> None:
    game = Game(CLASSIC, 2, seed=3)
    game.play(game.legal[0])
    after = game.position
    game.undo()
    game.play(game.legal[0])
    assert game.position == after


def test_the_cards_follow_from_the_seed() -> None:
    dice, same = random.Random(1), random.Random(1)
    games = [Game(CLASSIC, 3, seed, first=2) for seed in (1, 1, 2, dice, dice)]
    assert [game.turn for game in games] == [2] * 5
    first, again, other, third, later = (game.position for game in games)
    assert first == again == third == deal(CLASSIC, 3, same, first=2)
    assert len({first, other, later}) == 3


def test_a_game_knows_its_end() -> None:
    game = Game(KIDS, 2, seed=1)
    assert (game.over, game.result) == (False, "-")
    while game.turn:
        game.play(game.legal[0])
    assert (game.over, game.result, game.legal, game.view(2).winner) == (True, "a", (), 1)
    with pytest.raises(IllegalAction, match="the game is over"):
        game.play("pass")


POSITION = deal(KIDS, 2, 1)


@pytest.mark.parametrize(
    ("wrong", "kind", "why"),
    [
        (lambda: Game("classic", 2, seed=1), TypeError, "Game: variant must be Variant, not str"),  # type: ignore[arg-type]
        (lambda: Game(2, CLASSIC, seed=1), TypeError, "Game: variant must be Variant, not int"),  # type: ignore[arg-type]
        (lambda: Game(CLASSIC, 2, seed="x"), TypeError, "Game: seed must be int or Random, not str"),  # type: ignore[arg-type]
        (lambda: deal(CLASSIC, 2, 1, teams="2"), TypeError, "deal: teams must be int or None, not str"),  # type: ignore[arg-type]
        (lambda: Game(CLASSIC, 5, seed=1), RulesError, "5 players cannot form two or three equal teams"),
        (lambda: Game(CLASSIC, 2, seed=1, first=3), RulesError, "seat 3 cannot begin: the seats are 1 to 2"),
        (lambda: Game.from_text("[variant chess]\n\n", 1), NotationError, "'chess' is not a variant"),
        (lambda: Game(KIDS, 2, seed=1).play("cow d1"), NotationError, "'cow' is not a card"),
        (lambda: Game(KIDS, 2, seed=1).play("cat z1"), NotationError, "'z1' is not a square"),
        (lambda: Game(KIDS, 2, seed=1).play("bear c1"), IllegalAction, "seat 1 does not hold bear"),
        (lambda: Game(KIDS, 2, seed=1).play(5), TypeError, "apply: action must be Action, not int"),  # type: ignore[arg-type]
        (lambda: Game(KIDS, 2, seed=1).undo(), RulesError, "there is nothing to take back"),
        (lambda: Game(KIDS, 2, seed=1).view(3), RulesError, "there is no seat 3"),
        (lambda: view(POSITION, "1"), TypeError, "view: seat must be int, not str"),  # type: ignore[arg-type]
        (lambda: apply(POSITION, "cat d1"), TypeError, "not str; parse_action makes one of a text, and Game.play"),  # type: ignore[arg-type]
        (lambda: apply(PASS, POSITION), TypeError, "apply: position must be Position, not Action"),  # type: ignore[arg-type]
        (lambda: apply(POSITION, PASS, "cat"), TypeError, "apply: drawn must be int, not str"),  # type: ignore[arg-type]
        (lambda: apply(POSITION, PASS, True), TypeError, "apply: drawn must be int, not bool"),
        (lambda: legal_actions(None), TypeError, "legal_actions: position must be Position, not NoneType"),  # type: ignore[arg-type]
        (lambda: status(None), TypeError, "status: position must be Position, not NoneType"),  # type: ignore[arg-type]
        (lambda: threats(POSITION), TypeError, "threats: view must be View, not Position"),  # type: ignore[arg-type]
        (lambda: longest_line(view(POSITION, 0), "1"), TypeError, "longest_line: team must be int, not str"),  # type: ignore[arg-type]
        (lambda: longest_line(view(POSITION, 0), 9), RulesError, "there is no team 9: the teams are 1 to 2"),
        (lambda: hand_size(CLASSIC, "2"), TypeError, "hand_size: players must be int, not str"),  # type: ignore[arg-type]
        (lambda: team_of("x", 1), TypeError, "team_of: seat must be int, not str"),  # type: ignore[arg-type]
        (lambda: Options("yes"), TypeError, "Options: advanced must be bool, not str"),  # type: ignore[arg-type]
        (lambda: perft(POSITION, (), 0), ValueError, "plies must be at least 1, not 0"),
        (lambda: perft(POSITION, (), "1"), TypeError, "perft: plies must be int, not str"),  # type: ignore[arg-type]
        (lambda: perft(POSITION, None, 2), TypeError, "apply_known: pile must be tuple, not NoneType"),  # type: ignore[arg-type]
        (lambda: format_card(CLASSIC, 99), RulesError, "there is no card number 99 in Sequence"),
        (lambda: format_card(CLASSIC, -5), RulesError, "there is no card number -5 in Sequence"),
        (lambda: format_square(CLASSIC, 100), RulesError, "there is no square number 100 on the board"),
        (lambda: format_square(CLASSIC, -1), RulesError, "there is no square number -1 on the board"),
        (lambda: apply(POSITION, PASS, 21), IllegalAction, "there is no card number 21 in Sequence for Kids"),
        (lambda: place("cat", "d1"), TypeError, "place: card must be int, not str"),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_said_once_and_by_name(wrong: Callable[[], object], kind: type[Exception], why: str) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert type(raised.value) is kind
    assert why in str(raised.value)


def test_what_is_refused_changes_nothing() -> None:
    game = Game(CLASSIC, 2, seed=1)
    before = game.text
    with pytest.raises(IllegalAction):
        game.play(place(0, 99))
    assert game.text == before


def test_a_text_that_hides_cards_is_not_played_on() -> None:
    game = Game(KIDS, 2, seed=1)
    with pytest.raises(NotationError, match="does not tell all cards"):
        Game.from_text(re.sub("hand 2 .*]", "hand 2 ?]", game.text), 1)


def test_a_seat_that_has_left_comes_back_when_that_is_taken_back() -> None:
    game = Game(KIDS, 3, seed=1)
    hands = [",".join(KIDS.faces[card] for card in hand) for hand in game.position.hands[:2]]
    left = Game.from_text(f"{game.text}1. 1: drop 3 ({'/'.join(hands)})\n", 1)
    check_cards(left)
    assert left.position.out == (3,)
    left.undo()
    check_cards(left)
    assert left.position == game.position


def test_values_print_as_their_text() -> None:
    assert str(POSITION) == format_position(POSITION)
    assert [str(action) for action in legal_actions(POSITION)[:2]] == ["cat d1", "cat f5"]
    assert [str(parse_action(CLASSIC, text)) for text in ("JH xd4", "QH e5 e1-e5", "2C given")] == [
        *("JH xd4", "QH e5 e1-e5", "2C given"),
    ]
    assert [*map(str, (PASS, DRAW))] == ["pass", "draw"]
    assert str(place(2, 3)) == repr(place(2, 3)), "it does not know its variant"
    again = pickle.loads(pickle.dumps(legal_actions(POSITION)))
    assert (again, [*map(str, again)]) == (legal_actions(POSITION), [*map(str, legal_actions(POSITION))])


def test_a_view_prints_as_a_board() -> None:
    game = Game(CLASSIC, 2, seed=1)
    game.play("JC b1")
    board, turn, hand = str(game.view(1)).rsplit("\n", 2)
    assert board.splitlines()[:2] == [
        "   a   b   c   d   e   f   g   h   i   j",
        " 1 *   (a) 3S  4S  5S  6S  7S  8S  9S  *",
    ]
    assert (turn, hand) == ("turn 2, seat 2 of team b: play", "seat 1 holds QC 6D 9D QD 8H 2S JS")
    assert str(game) == str(game.view(2))
    assert "holds" not in str(view(hide(game.position, ()), 0))


# Whole games between random players at every table, on the engine and on the second program.


@pytest.mark.simulation
@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_games_end_as_the_second_program_has_it_and_no_card_is_lost(table: Table) -> None:
    game, deck = table.deal(random.Random(f"both {table}")), Counter(table.variant.deck)
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


@pytest.mark.simulation
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


@pytest.mark.simulation
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
