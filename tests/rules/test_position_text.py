import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import (
    NotationError,
    Options,
    Variant,
    format_position,
    hide,
    parse_position,
    position_hash,
    status,
)
from tests.rules.playing import TABLES, random_position

TEXT = (
    "classic advanced,no-table-talk 4/2 *8*/2a7/10/b4b4/10/10/3aaaaa2/10/10/*8* a:d7-h7 3 "
    "?,2C/-/JC,JC/?,? 89 2S,3S/-/QH/4D 12 8 1 1 0 0 -"
)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TABLES), st.integers(0, 10**6), st.booleans(), st.integers(0, 12))
def test_every_position_reads_back(table: tuple[Variant, int, int], seed: int, advanced: bool, seat: int) -> None:
    variant, players, teams = table
    options = Options(advanced=advanced and bool(variant.options))
    position = random_position(variant, players, teams, seed, options).position
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


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("classic ", "", "a position has 16 words"),
        (" 89 ", "   89 ", "a position has 16 words"),
        (" 89 ", "  89 ", "stands where a position has"),
        ("classic", "chess", "'chess' is no variant: there are classic and kids"),
        ("advanced,", "advanced,advanced,", "is written 'advanced,no-table-talk' in a position"),
        ("advanced,no-table-talk", "no-table-talk,advanced", "is written 'advanced,no-table-talk' in a position"),
        ("advanced,no-table-talk", "fast", "'fast' is no option"),
        ("classic advanced,no-table-talk 4/2", "kids manual-draw 4/4", "no option manual draw"),
        ("classic advanced,no-table-talk", "kids advanced", "4 players of Sequence for Kids form 4 teams"),
        ("4/2", "5/2", "5 players cannot form"),
        ("4/2", "4", "'4' stands where a position has its players and teams"),
        ("4/2", "4/x", "'x' stands where a position has a number"),
        ("*8*/2a7", "*8*/2a6", "is written"),
        ("*8*/2a7", "*8*/2a07", "'07' stands where a position has a number"),
        ("*8*/2a7", "*8*/2z7", "'z' stands where a position has a team"),
        ("*8*/2a7", "*8*2a7", "is written"),
        ("*8*/2a7", "a8*/2a7", "is written"),
        ("*8*/2a7", "*8*/2a5a", "is written"),
        ("*8*/2a7", "*8*/2A7", "is written"),
        ("*8*/2a7", "*8*/2a11111aa", "the board has too many squares"),
        ("a:d7-h7", "d7-h7", "'' is no square"),
        ("a:d7-h7", "a:d7-i7", "does not name a line"),
        ("a:d7-h7", "c:d7-h7", "'c' stands where a position has a team"),
        ("a:d7-h7", "b:d7-h7,a:d7-h7", "is written"),
        (" 3 ", " 0 ", "a seat is to move as long as the game is not over"),
        (" 3 ", " - ", "a seat is to move as long as the game is not over"),
        (" 3 ", " 5 ", "a seat is to move as long as the game is not over"),
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
    ],
)
def test_a_text_that_is_no_position(old: str, new: str, reason: str) -> None:
    assert TEXT.count(old) >= 1
    with pytest.raises(NotationError) as refused:
        parse_position(TEXT.replace(old, new, 1))
    assert reason in str(refused.value)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_changed_text_is_another_position_or_refused(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(at, min(len(TEXT), at + 3)))
    text = TEXT[:at] + data.draw(st.text("abc*?-/, 0123456789JQKSHDC:", max_size=3)) + TEXT[end:]
    try:
        position = parse_position(text)
    except NotationError:
        return
    assert format_position(position) == text
    assert isinstance(status(position), tuple)
    assert (position == parse_position(TEXT)) == (text == TEXT)
