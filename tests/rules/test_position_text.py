import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import NotationError, Options, format_position, hide, parse_position, position_hash
from tests.rules.playing import OPTION_TABLES, Table

TEXT = (
    "classic advanced,no-table-talk 4/2 *8*/2a7/10/b4b4/10/10/3aaaaa2/10/10/*8* a:d7-h7 3 "
    "?,2C/-/JC,JC/?,? 89 2S,3S/-/QH/4D 12 8 1 1 0 0 -"
)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(OPTION_TABLES), st.integers(0, 10**6), st.integers(0, 12))
def test_every_position_reads_back(table: Table, seed: int, seat: int) -> None:
    position = table.stopped(seed).position
    for seen in (position, hide(position, {seat})):
        text = format_position(seen)
        assert text.isascii()
        assert "\n" not in text
        assert parse_position(text) == seen
        assert hash(parse_position(text)) == hash(seen)
        assert position_hash(seen) == hashlib.sha256(text.encode()).digest()


def test_a_text_in_full() -> None:
    position = parse_position(TEXT)
    assert format_position(position) == TEXT
    assert position.options == Options(advanced=True, table_talk=False)
    assert (position.to_move, position.pile, position.turn, position.draws) == (3, 89, 12, 8)
    assert (position.reshuffles, position.exchanged) == (1, 1)
    assert position.chips == (1 << 12 | 0b11111 << 63, 1 << 30 | 1 << 35)


PENDING = TEXT.replace("advanced,no-table-talk", "no-table-talk,manual-draw").replace("?,2C/-/JC,JC", "?,2C/9C/JC,JC")


LEFT = TEXT.replace("?,2C/-/JC,JC/?,?", "?,2C/-/JC,JC/-")


# What is changed in a text, and why it is none then.
CHANGES = [
    ("classic ", "", "a position has 16 words"),
    (" 89 ", "   89 ", "a position has 16 words"),
    (" 89 ", "  89 ", "stands where a position has"),
    ("classic", "chess", "'chess' is no variant: there are classic and kids"),
    ("advanced,", "advanced,advanced,", "are written 'advanced,no-table-talk'"),
    ("advanced,no-table-talk", "no-table-talk,advanced", "are written 'advanced,no-table-talk'"),
    ("advanced,no-table-talk", "fast", "'fast' is no option"),
    ("classic advanced,no-table-talk 4/2", "kids manual-draw 4/4", "no option manual draw"),
    ("classic advanced,no-table-talk", "kids advanced", "4 players of Sequence for Kids form 4 teams"),
    ("4/2", "5/2", "5 players cannot form"),
    ("4/2", "4", "'4' stands where a position has its players and teams"),
    ("*8*/2a7", "*8*/2a6", "is written"),
    ("*8*/2a7", "*8*/2a07", "'07' stands where a position has a number"),
    ("*8*/2a7", "*8*/2z7", "'z' stands where a position has a team"),
    ("*8*/2a7", "*8*2a7", "is written"),
    ("*8*/2a7", "a8*/2a7", "is written"),
    ("*8*/2a7", "*8*/2a5a", "is written"),
    ("*8*/2a7", "*8*/2a11111aa", "the board has too many squares"),
    ("a:d7-h7", "d7-h7", "'' is no square"),
    ("a:d7-h7", "a:d7-i7", "does not name a line"),
    ("a:d7-h7", "c:d7-h7", "'c' stands where a position has a team"),
    ("a:d7-h7", "b:d7-h7,a:d7-h7", "is written"),
    (" 3 ", " 0 ", "a seat is to move as long as the game is not over"),
    (" 3 ", " - ", "a seat is to move as long as the game is not over"),
    (" 3 ", " x ", "'x' stands where a position has a number"),
    ("?,2C", "2C,?", "is written '?,2C/-/JC,JC/?,?' in a position"),
    ("?,2C", "?,1C", "'1C' is no card of Sequence"),
    ("?,2C/-/", "?,2C/", "the cards of 3 seats are given, 4 are at the table"),
    ("?,2C", "", "'' is no card"),
    (" 89 ", " -1 ", "'-1' stands where"),
    (" 89 ", " 9999999999 ", "'9999999999' stands where"),
    (" 89 ", " ٣ ", "stands where"),
    ("0 0 -", "0 0 a", "a seat is to move as long as the game is not over"),
    ("0 0 -", "0 0 c", "'c' stands where a position has a team"),
    ("0 0 -", "0 0 ab", "'ab' stands where a position has a team"),
    ("0 0 -", "0 0 " + "-" * 5_000, "the text is too long for a position"),
]
AFTER_LEFT = [
    ("out:", "'out:' does not say what is pending"),
    ("out:-", "'-' stands where a position has a number"),
    ("out:4,2", "the seats that have left are seats of the table, in ascending order, and not all of them"),
    ("out:0", "the seats that have left are seats of the table"),
    ("out:5", "the seats that have left are seats of the table"),
    ("out:1,2,3,4", "and not all of them"),
    ("out:1", "seat 1 has left the game, and holds cards"),
    ("out:2 out:4", "'out:2' does not say what is pending"),
    ("out:4 draw/3/-/-/-", "this text has 18"),
    ("draw/3/-/-/- draw/3/-/-/-", "this text has 18"),
    ("draw/3/-/-/- out:2 out:4", "this text has 19"),
]
AFTER_PENDING = [
    ("draw", "'draw' does not say what is pending: write for instance 'draw/1/-/-/-'"),
    ("", "'' does not say what is pending"),
    ("rest/3/-/-/-", "'rest/3/-/-/-' does not say what is pending"),
    ("draw/3/-/-/-/-", "does not say what is pending"),
    ("draw/3/0/-/-", "'draw/3/0/-/-' is written 'draw/3/-/-/-' in a position"),
    ("draw/3/-/-/no", "'draw/3/-/-/no' is written 'draw/3/-/-/-' in a position"),
    ("draw/3/-/2/-", "cards are given up only in the phase penalty"),
    ("draw/3/-/-/passed", "that the mover has passed matters only while a draw is owed"),
    ("draw/2/-/-/-", "seat 3 cannot be to move in the phase draw"),
    ("draw/3/2/-/-", "seat 3 cannot be to move in the phase draw"),
    ("draw/9/-/-/-", "the seat whose turn it is and the one that owes a draw are two seats of the table"),
    ("play/3/9/-/-", "the seat whose turn it is and the one that owes"),
    ("play/3/-/-/-", "seat 3 cannot be to move in the phase play"),
    ("late/3/2/-/-", "seat 3 cannot be to move in the phase late"),
    ("penalty/2/-/-/-", "seat 3 cannot be to move in the phase penalty"),
    ("penalty/2/-/1,3/-", "seat 3 cannot be to move in the phase penalty"),
    ("penalty/2/-/3,1/-", "the penalised seats are seats of the table, in ascending order"),
    ("penalty/2/-/3,3/-", "the penalised seats are seats of the table, in ascending order"),
    ("penalty/2/-/3,5/-", "the penalised seats are seats of the table, in ascending order"),
    ("penalty/2/-/3,4/-", "the penalised seats are all of one team, and not of the mover's"),
    ("penalty/1/-/3/-", "the penalised seats are all of one team, and not of the mover's"),
]
SILENT, MANUAL, BOTH = "no-table-talk", "manual-draw", "no-table-talk,manual-draw"
NOBODY_MOVES = PENDING.replace(" 3 ?,2C", " - ?,2C")[:-1] + "a"
REFUSED = [
    *((TEXT.replace(old, new, 1), reason) for old, new, reason in CHANGES),
    *((f"{LEFT} {words}", reason) for words, reason in AFTER_LEFT),
    *((f"{PENDING} {word}", reason) for word, reason in AFTER_PENDING),
    (LEFT.replace(" 3 ?", " 2 ?") + " out:2", "seat 2 has left the game, and is to move"),
    (LEFT.removesuffix(" -") + " out:2", "this text has 16"),
    (PENDING.replace("9C", "-") + " play/3/2/-/- out:2", "the one that owes a draw are two seats of the table"),
    (PENDING.replace(BOTH, SILENT) + " draw/3/-/-/-", "draws are owed only with manual draw"),
    (PENDING.replace(BOTH, SILENT) + " penalty/2/4/3/-", "draws are owed only with manual draw"),
    (PENDING.replace(BOTH, MANUAL) + " penalty/2/-/3/-", "nobody can be called for talk at this table"),
    (PENDING.replace("JC,JC", "-") + " penalty/2/-/3/-", "a player without a card gives none up"),
    (NOBODY_MOVES + " draw/3/-/-/-", "the game is over, and something is pending"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[f"{at} {reason}" for at, (_, reason) in enumerate(REFUSED)])
def test_a_text_that_is_no_position(text: str, reason: str) -> None:
    assert text != TEXT
    with pytest.raises(NotationError) as refused:
        parse_position(text)
    assert reason in str(refused.value)
