import hashlib
import re
from ast import literal_eval
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.rules import NotationError, Options, format_position, hide, parse_position, position_hash
from tests.rules.playing import OPTION_TABLES, Table
from tests.ui.kept import Talk, talks

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

PLACES = {
    "a position": TEXT,
    "a position, seat 4 holds no card": LEFT,
    "a position with both options": PENDING,
    "a position after the end": PENDING.replace(" 3 ?,2C", " - ?,2C")[:-1] + "a",
}


def changed(text: str, line: str) -> str:
    """Change a text as a line says: ``'these words' => 'those' + and these behind it``, or one of both."""
    found = re.fullmatch(r"""> (?:(['"].*['"]) => (['"].*['"]))?(?: ?\+ ?(.*))?""", line)
    assert found is not None
    old, new, more = found.groups()
    if old is not None:
        assert literal_eval(old) in text
        text = text.replace(literal_eval(old), literal_eval(new), 1)
    return text if more is None else f"{text} {more}"


def why_refused(parse: Callable[[str], object], text: str) -> list[str]:
    with pytest.raises(NotationError) as refused:
        parse(text)
    return [str(refused.value)]


@talks(__file__, "position_talks.txt")
def test_a_text_that_is_no_position(talk: Talk) -> None:
    """Changes of a text, and why it is no position then."""
    talk.check(why_refused(parse_position, changed(PLACES[talk.place], line)) for line in talk.lines)


def test_a_text_that_is_too_long() -> None:
    assert why_refused(parse_position, TEXT + "-" * 5_000) == ["the text is too long for a position"]
