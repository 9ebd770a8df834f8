import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    KIDS,
    PASS,
    SKIP,
    UNKNOWN,
    VARIANTS,
    WAIVE,
    Action,
    Dropping,
    GameText,
    Happening,
    IllegalAction,
    Move,
    NotationError,
    Options,
    Position,
    RulesError,
    Variant,
    apply,
    call,
    exchange,
    format_action,
    format_card,
    format_ends,
    format_game,
    format_position,
    format_square,
    give,
    hide,
    nameable_lines,
    parse_action,
    parse_card,
    parse_ends,
    parse_game,
    parse_square,
    place,
    remove,
    reveal,
    skip,
)
from tests.rules.playing import OPTION_TABLES, Game, Table
from tests.rules.test_position_text import changed, why_refused
from tests.ui.kept import Talk, talks

variants = st.sampled_from(list(VARIANTS.values()))


@st.composite
def written_actions(draw: st.DrawFn) -> tuple[Variant, Action]:
    """Any action that can be written down, sensible or not."""
    variant = draw(variants)
    card = draw(st.integers(0, len(variant.faces) - 1))
    square = draw(st.integers(0, len(variant.board.grid) - 1))
    lines = draw(st.lists(st.sampled_from(variant.board.lines), max_size=3, unique=True))
    ends = tuple((line[0], line[-1]) for line in lines)
    seat = draw(st.integers(1, 12))
    plays = [place(card, square, ends), remove(card, square), exchange(card), PASS]
    return variant, draw(st.sampled_from([*plays, DRAW, END, WAIVE, call(seat), give(card)]))


@settings(deadline=None, max_examples=60)
@given(written_actions())
def test_every_action_reads_back(written: tuple[Variant, Action]) -> None:
    variant, action = written
    assert parse_action(variant, format_action(variant, action)) == action


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=str)
def test_every_card_square_and_line_reads_back(variant: Variant) -> None:
    for card in range(len(variant.faces)):
        assert parse_card(variant, format_card(variant, card)) == card
    for square in range(len(variant.board.grid)):
        assert parse_square(variant, format_square(variant, square)) == square
    for line in variant.board.lines:
        assert parse_ends(variant, format_ends(variant, (line[0], line[-1]))) == (line[0], line[-1])


# Other forms of what could be an action, and what is none.
SPACES = ["QH e5 ", "QH  e5", "QH e5\n", "draw ", ""]
CASES = ["qh e5", "QH E5", "PASS"]
NUMBERS = ["QH e05", "QH e\u0665", "10H e5", "call 0", "call 03", "call \u0663", "call 100"]
WORDS = ["QH", "x", "QH x", "? e5", "pass pass", "draw QH", "call", "call 3 4", "given", "QH given e5"]
LINES = ["QH dead a5-e5", "QH xe5 a5-e5", "QH e5 a5-e5 a5-e5", "QH e5 e5-a5", "QH e5" + " a5-e5" * 100_000]


@pytest.mark.parametrize("text", [*SPACES, *CASES, *NUMBERS, *WORDS, *LINES], ids=range(30))
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(CLASSIC, text)


@pytest.mark.parametrize("text", ["QH e5", "cat h1", "cat a7"])
def test_what_the_kids_board_lacks_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(KIDS, text)


def test_squares_are_named_from_the_first_cell_of_the_grid() -> None:
    for name, card in [("b1", "2S"), ("a2", "6C"), ("e5", "5H"), ("j9", "5D"), ("i10", "6D")]:
        assert format_card(CLASSIC, CLASSIC.board.grid[parse_square(CLASSIC, name)]) == card
    assert format_card(KIDS, KIDS.board.grid[parse_square(KIDS, "b3")]) == "rabbit"


def test_an_unknown_card_is_written_but_not_read() -> None:
    assert format_card(CLASSIC, UNKNOWN) == "?"
    with pytest.raises(NotationError, match="is not a card"):
        parse_card(CLASSIC, "?")


# A whole game as text reads back to the same positions, for every writer.


TEXT = """\
[variant classic]
[players 4]
[teams 2]
[options no-table-talk,manual-draw]
[first 2]
[hand 1 2C,3C,4C,5C,6C,7C]
[hand 2 ?]
[hand 3 ?,?,?,JC,JH,JS]
[hand 4 ?]
[result -]

1. 2: QH h2; end
2. 3: JS xh2; 2: draw +?; 3: draw +?
3. 4: call 3; 1: 7C given; 3: JH given; 4: JD e5; end
4. 1: 2C e2; 4: waive; 1: end
5. 2: AH f2; 1: draw +KD; 2: draw +?
"""


def written_down(game: Game, known: set[int], steps: int, *, away: bool) -> tuple[GameText, list[Position]]:
    """Play on, and write the game down as one does who knows the hands of these seats; and its positions."""
    first, happened = game.position, list[Happening]()
    positions = [hide(first, known)]
    for _ in range(steps):
        before, chance = game.position, game.rng.random()
        if before.over:
            break
        if away and chance < 0.1 and before.phase in {"play", "draw"}:
            game.skip()
            happened.append(SKIP)
            positions.append(skip(positions[-1]))
        elif away and chance < 0.2 and len(before.staying) > 2:
            gone = (game.rng.choice(before.staying),)
            dealt = hide(game.drop(gone), known)
            happened.append(Dropping(gone, tuple(dealt.hands[seat - 1] for seat in dealt.staying)))
            positions.append(dealt)
        else:
            move = move_as_seen(game, known, positions[-1])
            happened.append(move)
            shown = reveal(positions[-1], before.to_move, move.shown)
            positions.append(apply(shown, move.action, move.drawn))
    table = first.variant, first.players, first.teams, first.options
    return GameText(*table, first.to_move, positions[0].hands, tuple(happened)), positions


def move_as_seen(game: Game, known: set[int], seen: Position) -> Move:
    """Play an action; the cards drawn and shown as one sees them who has seen this."""
    before, action = game.position, game.choose()
    names = nameable_lines(before, action)
    action = action._replace(ends=(game.rng.choice(names),)) if names else action
    game.play(action)
    seat = before.to_move
    shown = Counter(before.hands[seat - 1]) - Counter(seen.hands[seat - 1])
    shown_cards = tuple(sorted(shown.elements())) if action.kind == "pass" else ()
    return Move(action, game.drawn[-1] if seat in known else UNKNOWN, shown_cards)


@pytest.mark.simulation
@settings(deadline=None, max_examples=30)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6), st.integers(0, 200), st.booleans(), st.data())
def test_every_game_reads_back_to_the_same_positions(
    table: Table, seed: int, steps: int, away: bool, data: st.DataObject
) -> None:
    game = table.deal(random.Random(seed))
    everybody = set(range(1, table.players + 1))
    known = data.draw(st.one_of(st.just(everybody), st.sets(st.sampled_from(sorted(everybody)))))
    written, positions = written_down(game, known, steps, away=away)
    text = format_game(written)
    assert text.isascii()
    assert parse_game(text) == written
    assert list(parse_game(text).positions()) == positions
    assert hide(positions[-1], ()) == hide(game.position, ())


AWAY = """\
[variant classic]
[players 3]
[teams 3]
[options manual-draw]
[first 2]
[hand 1 ?]
[hand 2 ?]
[hand 3 ?]
[result -]

1. 2: QH h2; drop 1 (2C,3C,4C,5C,6C/?,?,?,?,?,?); draw +KD
2. 3: skip
3. 2: 2C e2; skip
4. 3: drop 3 (?,?,?,?,?)
"""


def test_what_the_table_decides() -> None:
    game = parse_game(AWAY)
    positions = list(game.positions())
    assert [position.mover for position in positions] == [2, 2, 2, 3, 2, 2, 3, 2]
    assert positions[-1].out == (1, 3)
    assert game.moves[1] == Dropping((1,), ((0, 1, 2, 3, 4), (UNKNOWN,) * 6))
    assert [move for move in game.moves if move == SKIP] == [SKIP, SKIP]


def test_comments_for_people() -> None:
    assert parse_game("# Åse, Bo\n#\n" + TEXT) == parse_game(TEXT)
    with pytest.raises(NotationError, match="line 4 is"):
        parse_game("# Åse, Bo\n# 2\n" + TEXT.replace("players 4", "players 04"))
    with pytest.raises(NotationError):
        parse_game(TEXT.replace("1. 2:", "# so it began\n1. 2:"))
    with pytest.raises(NotationError):
        parse_game("# nothing else\n")


def test_a_text_in_full() -> None:
    game = parse_game(TEXT)
    assert format_game(game) == TEXT
    assert (game.variant, game.players, game.teams, game.first_seat) == (CLASSIC, 4, 2, 2)
    assert game.options == Options(table_talk=False, manual_draw=True)
    assert game.hands[2][:4] == (UNKNOWN, UNKNOWN, UNKNOWN, parse_card(CLASSIC, "JC"))
    *_, last = game.positions()
    assert format_position(last) == (
        "classic no-table-talk,manual-draw 4/2 *8*/4ab4/10/10/4b5/10/10/10/10/*8* - 3 "
        "3C,4C,5C,6C,KD/?,?,?,?,?,?/?,?,?,?,JC/?,?,?,?,? 76 7C,2C/QH,AH/JS,JH/JD 5 4 0 0 0 0 -"
    )


def test_a_turn_is_one_line_and_unfinished_turns_are_too() -> None:
    lines = TEXT.split("\n")
    before_the_draw = "\n".join([*lines[:-2], "5. 2: AH f2", ""])
    *_, last = parse_game(before_the_draw).positions()
    assert (last.phase, last.to_move, last.mover) == ("late", 1, 2)
    begun = "\n".join(lines[:11]) + "\n"
    assert parse_game(begun).moves == ()


@talks(__file__, "game_talks.txt")
def test_a_text_that_is_no_game(talk: Talk) -> None:
    """Changes of a text, and why it is no game then."""
    text = AWAY if talk.place == "a game that seats leave" else TEXT
    talk.check(why_refused(parse_game, changed(text, line)) for line in talk.lines)


def test_a_text_without_turns_or_with_too_many() -> None:
    assert why_refused(parse_game, TEXT[: TEXT.index("\n\n") + 1]) == [
        "the game has '' in place of a line like [first 2]"
    ]
    assert why_refused(parse_game, TEXT + "5. 2: AH f2" * 20_000) == ["the text is too long for a game"]


def test_a_card_drawn_that_has_been_seen_elsewhere() -> None:
    hand = tuple(sorted(parse_card(CLASSIC, name) for name in ("QH", "QH", "2C", "3C", "4C", "5C", "6C")))
    move = Move(parse_action(CLASSIC, "QH h2"), drawn=parse_card(CLASSIC, "QH"))
    game = GameText(CLASSIC, 2, 2, Options(), 1, (hand, (UNKNOWN,) * 7), (move,))
    with pytest.raises(IllegalAction, match="turn 1: seat 1 cannot have drawn that: the deck has only 2 QH"):
        format_game(game)
    with pytest.raises(RulesError, match="turn 1: there is no card number 60 in Sequence"):
        list(GameText(CLASSIC, 2, 2, Options(), 1, game.hands, (move._replace(drawn=60),)).positions())
