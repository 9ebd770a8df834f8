"""A whole game as text reads back to the same positions, for every writer."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import (
    CLASSIC,
    SKIP,
    UNKNOWN,
    Dropping,
    GameText,
    Happening,
    IllegalAction,
    Move,
    NotationError,
    Options,
    Position,
    RulesError,
    apply,
    format_game,
    format_position,
    hide,
    nameable_lines,
    parse_action,
    parse_card,
    parse_game,
    reveal,
    skip,
)
from tests.rules.playing import OPTION_TABLES, Game, Table

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


# What is changed in a text, and why it is no game then.
CHANGES = [
    ("[variant classic]\n", "", "the game does not say its variant"),
    ("[hand 3 ?,?,?,JC,JH,JS]\n", "", "the game does not say its hand 3"),
    ("classic", "chess", "'chess' is no variant: there are classic and kids"),
    ("players 4", "players 5", "5 players cannot form two or three equal teams"),
    ("players 4", "players four", "'four' stands where a game has a number"),
    ("players 4", "players 04", "line 2 is '[players 04]', and should be '[players 4]'"),
    ("teams 2", "teams 3", "the game cannot have gone like this: 4 players of Sequence form 2 teams, not 3"),
    ("no-table-talk,", "no-talk,", "'no-talk' is no option"),
    ("first 2", "first 5", "the game cannot have gone like this: seat 5 cannot begin"),
    ("first 2", "first 1", "turn 1: "),
    ("[first 2]", "[first  2]", "'[first  2]' stands where a game has a line like [first 2]"),
    ("[first 2]", "first 2", "'first 2' stands where a game has a line like [first 2]"),
    ("2C,3C,4C,5C,6C,7C", "2C,3C,4C,5C,6C", "the deal is wrong: 4 players get 6 cards each"),
    ("2C,3C,4C,5C,6C,7C", "2C,3C,4C,5C,6C,QX", "'QX' is no card of Sequence"),
    ("2C,3C,4C,5C,6C,7C", "2C,2C,2C,5C,6C,7C", "the deal is wrong: the deck has only 2 2C"),
    ("2C,3C,4C,5C,6C,7C", "3C,2C,4C,5C,6C,7C", "line 6 is '[hand 1 3C,2C,4C,5C,6C,7C]', and should be"),
    ("[hand 2 ?]", "[hand 2 ?,?,?,?,?,?]", "line 7 is"),
    ("[hand 2 ?]", "[hand 2 ?]\n[hand 9 ?]", "line 8 is '[hand 9 ?]', and should be"),
    ("result -", "result a", "line 10 is '[result a]', and should be '[result -]'"),
    ("1. 2: QH h2; end", "1. 2: QH h3; end", "turn 1: h3 is 7D, not QH"),
    ("1. 2: QH h2; end", "1. 3: QH h2; end", "line 12 is '1. 3: QH h2; end', and should be '1. 2: QH h2; end'"),
    ("1. 2: QH h2; end", "1. 2: QH h2; 2: end", "line 12 is"),
    ("1. 2: QH h2; end", "1. 2: QH h2 +?; end", "line 12 is"),
    ("1. 2: QH h2; end", "1. 2: QH h2; draw +?", "turn 3: seat 4 is to play"),
    ("1. 2: QH h2; end", "1. 2: QH h2;end", "'h2;end' is no square"),
    ("1. 2: QH h2; end", "1. 2: QH h2; ", "'' is no action of a game: write for instance '2: QH h2 +?'"),
    ("1. 2: QH h2; end", "1. 2: QH h2 (JS); end", "turn 1: only a pass shows cards"),
    ("1. 2: QH h2; end", "QH h2; end", "'QH h2; end' is no turn: write for instance '1. 2: QH h2 +?'"),
    ("1. 2: QH h2; end\n", "1. 2: QH h2; end\n\n", "'' is no turn"),
    ("1: draw +KD", "1: draw +10D", "'10D' is no card"),
    ("1: draw +KD", "1: draw", "line 16 is"),
    ("5. 2: AH f2", "5. 2: pass (JS,JH)", "turn 5: seat 2 may pass only when it shows its whole hand"),
    ("2: draw +?\n", "2: draw +?", "every line of a game ends with a newline"),
    (TEXT[TEXT.index("\n\n") :], "\n", "'' stands where a game has a line like [first 2]"),
    ("5. 2: AH f2", "5. 2: AH f2" * 20_000, "the text is too long for a game"),
]
CHANGES_AWAY = [
    ("drop 1 (2C,3C,4C,5C,6C/?,?,?,?,?,?)", "drop 1 (2C,3C,4C,5C,6C/?)", "dealt as many cards as they held"),
    ("drop 1 (2C,3C,4C,5C,6C/?,?,?,?,?,?)", "drop 1 (2C,3C,4C,5C,6C)", "dealt as many cards as they held"),
    ("2C,3C,4C,5C,6C", "2C,2C,2C,5C,6C", "turn 1: seat 2 cannot hold what it shows: the deck has only 2 2C"),
    ("2C,3C,4C,5C,6C", "2C,2C,QH,QH,6C", "turn 1: seat 2 cannot hold what it shows: the deck has only 2 QH"),
    ("2C,3C,4C,5C,6C", "3C,2C,4C,5C,6C", "line 11 is"),
    ("drop 1 ", "drop 01 ", "line 11 is"),
    ("drop 1 ", "drop 1,1 ", "turn 1: the seats that leave are named in ascending order, each once"),
    ("drop 1 ", "drop 1, ", "'' stands where a game has a number"),
    ("drop 1 ", "drop 4 ", "turn 1: there is no seat 4 to leave"),
    ("drop 1 (2C", "drop (2C", "'drop' is no action"),
    ("2. 3: skip", "2. 3: skip; skip", "turn 5: those who stay"),
    ("2. 3: skip", "2. 2: skip", "line 12 is"),
    ("2. 3: skip", "2. 3: skip +?", "'skip'"),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [*((TEXT, *change) for change in CHANGES), *((AWAY, *change) for change in CHANGES_AWAY)],
)
def test_a_text_that_is_no_game(text: str, old: str, new: str, reason: str) -> None:
    assert old in text
    with pytest.raises(NotationError) as refused:
        parse_game(text.replace(old, new, 1))
    assert reason in str(refused.value)


def test_a_card_drawn_that_has_been_seen_elsewhere() -> None:
    hand = tuple(sorted(parse_card(CLASSIC, name) for name in ("QH", "QH", "2C", "3C", "4C", "5C", "6C")))
    move = Move(parse_action(CLASSIC, "QH h2"), drawn=parse_card(CLASSIC, "QH"))
    game = GameText(CLASSIC, 2, 2, Options(), 1, (hand, (UNKNOWN,) * 7), (move,))
    with pytest.raises(IllegalAction, match="turn 1: seat 1 cannot have drawn that: the deck has only 2 QH"):
        format_game(game)
    with pytest.raises(RulesError, match="turn 1: seat 1 cannot have drawn that: there is no card number 60"):
        list(GameText(CLASSIC, 2, 2, Options(), 1, game.hands, (move._replace(drawn=60),)).positions())
