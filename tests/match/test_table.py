"""The table agreement: names, keys, nonces and settings that may be used, and the id that they make."""

import json
import tracemalloc
import unicodedata
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pkgutil import get_data
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.hashing import tagged_hash
from seqp2p.match import names
from seqp2p.match.encoding import DecodeError, pack, unpack
from seqp2p.match.machine import Match
from seqp2p.match.names import is_numbered, look_alike
from seqp2p.match.table import (
    AGREEMENT_SIZE_MAX,
    TABLE_OPTIONS,
    Agreement,
    Settings,
    TableChoices,
    TableError,
    check_agreement,
    check_settings,
    decode_agreement,
    encode_agreement,
    game_id,
    name_fault,
    numbered_name,
)
from seqp2p.rules import RULE_OPTIONS, Options
from tests.table import identity, make_agreement

replace = msgspec.structs.replace
TWO = make_agreement(2)


def with_settings(**changes: Any) -> Agreement:
    return replace(TWO, settings=replace(TWO.settings, **changes))


def with_first_seat(**changes: Any) -> Agreement:
    first, second = TWO.seats
    return replace(TWO, seats=(replace(first, **changes), second))


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8, 9, 10, 12])
def test_an_agreement_comes_back_as_it_was_and_the_largest_fits(players: int) -> None:
    agreement = make_agreement(players)
    longest = replace(agreement, seats=tuple(replace(seat, name="\U0001f98a" * 24) for seat in agreement.seats))
    for each in (agreement, longest):
        data = encode_agreement(each)
        assert decode_agreement(data) == each
        assert len(data) < AGREEMENT_SIZE_MAX


def test_the_id_of_a_game_is_the_hash_of_its_agreement() -> None:
    data = encode_agreement(TWO)
    assert game_id(data) == tagged_hash("seqp2p/1 table", data) == Match(data).head
    assert game_id(encode_agreement(make_agreement(2, seed=2))) != game_id(data)


GOOD_NAMES = ["A", "Anne Marie", "O'Neil-3", "小明", "דנה", "نور", "Анна", "🦊", "x" * 24, "(^_^)", "é́"]
BAD_NAMES = {
    "1 to 24": ["", "x" * 25, "x" * 5_000],
    "spaces": [" Anne", "Anne ", "Anne  Marie", " "],
    # The vectors have all characters that are hidden.
    "control": ["a\tb", "a\u00a0b", "\x1b[2J", "\u202ekcaj", "a\u200bb", "a\ue000b", "\u3164", "a\U000e0100"],
    "mark": ["\u0301", "\u0301a", "\u20dd \u20dd", "a" + "\u0489" * 5, "\u0e01" + "\u0e49" * 5],
}


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_names_of_all_peoples_are_good(name: str) -> None:
    assert name_fault(name) is None
    check_agreement(with_first_seat(name=name))


@pytest.mark.parametrize("text", BAD_NAMES)
def test_names_that_deceive_are_refused(text: str) -> None:
    for name in BAD_NAMES[text]:
        assert text in (name_fault(name) or "none"), repr(name)
        with pytest.raises(TableError, match="seat 1: ") as caught:
            decode_agreement(encode_agreement(with_first_seat(name=name)))
        assert str(caught.value).isprintable()


@settings(max_examples=200)
@given(name=st.text(max_size=30) | st.text(alphabet="aé小 🦊'", min_size=1, max_size=24), number=st.integers(1, 12))
def test_a_good_name_is_printable_and_good_with_a_number_too(name: str, number: int) -> None:
    if name_fault(name) is None:
        assert all(character.isprintable() or unicodedata.category(character) == "Cn" for character in name)
        assert name == name.strip()
        assert 1 <= len(name) <= 24
        numbered = numbered_name(name, number)
        assert name_fault(numbered) is None
        assert (numbered == name) == (number == 1)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"variant": "poker"}, "no such game: 'poker'; there are classic, kids"),
        ({"variant": "\x1b[2J"}, "no such game"),
        ({"players": 1, "teams": 1, "colours": ("blue",)}, "cannot play"),
        ({"players": 12, "teams": 4}, "form 2 or 3 teams"),
        ({"variant": "kids", "manual_draw": True}, "no option manual draw"),
        ({"colours": ()}, "different colours"),
        ({"colours": ("blue",)}, "different colours"),
        ({"colours": ("blue", "blue")}, "different colours"),
        ({"colours": ("blue", "green", "red")}, "different colours"),
        ({"colours": ("blue", "green", "blue")}, "different colours"),
        ({"colours": ("blue", "red")}, "colours of 2 teams of Sequence are blue, green"),
        ({"colours": ("blue", "\x1b[2J")}, "colours of 2 teams of Sequence are"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_played_are_refused(changes: dict[str, Any], text: str) -> None:
    agreement = with_settings(**changes)
    with pytest.raises(TableError, match=text):
        check_settings(agreement.settings)
    with pytest.raises(TableError) as caught:
        decode_agreement(encode_agreement(agreement))
    assert str(caught.value).isprintable()


# Values that a field never has.
WRONG_SETTINGS: dict[str, list[Any]] = {
    "players": [0, 13, 2.0],
    "teams": [0, "2"],
    "advanced": [1],
    "open_hands": [None],
    "turn_time_s": [-1, 86_401, 0.5],
    "grace_s": [0, 86_401],
    "colours": ["blue", ("blue", 1)],
    "variant": [b"classic", None, "x" * 17],
}
WRONG_SEATS: dict[str, list[Any]] = {"name": [b"Anne", None], "key": [bytes(31), "k" * 32], "nonce": [bytes(33), None]}


@pytest.mark.parametrize(("change", "wrong"), [(with_settings, WRONG_SETTINGS), (with_first_seat, WRONG_SEATS)])
def test_settings_and_seats_have_their_types_and_ranges(
    change: Callable[..., Agreement], wrong: dict[str, list[Any]]
) -> None:
    for field, values in wrong.items():
        for value in values:
            with pytest.raises(DecodeError):
                decode_agreement(encode_agreement(change(**{field: value})))


def test_a_key_or_nonce_is_one_seats_and_a_key_verifies_no_other_word() -> None:
    neutral = b"\1" + bytes(31)
    for changes, text in (
        ({"key": neutral}, "seat 1: The identity key has small order"),
        ({"key": b"\xff" * 32}, "seat 1: The identity key"),
        ({"key": identity(2).public}, "two seats have the same identity key"),
        ({"nonce": TWO.seats[1].nonce}, "two seats have the same nonce"),
    ):
        with pytest.raises(TableError, match=text):
            Match(encode_agreement(with_first_seat(**changes)))


def test_the_seats_are_as_many_as_the_players() -> None:
    agreement = make_agreement(3)
    for seats in (agreement.seats[:2], (*agreement.seats, make_agreement(4).seats[3]), ()):
        with pytest.raises(TableError, match=f"{len(seats)} seats for 3 players"):
            check_agreement(replace(agreement, seats=seats))


def test_an_agreement_has_one_form() -> None:
    fields = unpack(encode_agreement(TWO), AGREEMENT_SIZE_MAX)
    first, second = fields["seats"]
    for other in (
        pack(dict(reversed(fields.items()))),
        pack({**fields, "seats": [{**first, "more": 1}, second]}),
        pack({**fields, "settings": {**fields["settings"], "grace_s": 120.0}}),
        b"\x91" * AGREEMENT_SIZE_MAX,
    ):
        with pytest.raises(DecodeError):
            decode_agreement(other)
    with pytest.raises(DecodeError, match="8193 bytes where at most 8192 are allowed"):
        decode_agreement(bytes(AGREEMENT_SIZE_MAX + 1))
    assert decode_agreement(pack(fields)) == TWO


def test_every_option_has_a_row_and_a_setting() -> None:
    assert {row.field: row.usual for row in RULE_OPTIONS} == asdict(Options())
    switches = [field.name for field in msgspec.structs.fields(Settings) if field.type is bool]
    assert [row.field for row in TABLE_OPTIONS] == switches
    assert {*get_type_hints(TableChoices)} == {*Settings.__struct_fields__} - {"players", "colours"}
    assert len({row.word for row in TABLE_OPTIONS}) == len(TABLE_OPTIONS)


# Names that a player may take for each other, and what it costs to know.


ALIKE = {
    "alice": ["ALlCE", "AIice", "aLlCe"],
    "oscar": ["0SCAR"],
    "walter": ["vvaIter"],
    "Wanda": ["VVanda", "vVANDA", "VvaNdA"],
    "dora": ["clora"],
    "Dora": ["cIora"],
    "d\u017ea": ["\u02a3\u030ca"],
    # Marks that compose with nothing, of this script and of others.
    "bob": ["bob\u0334", "b\u0301ob", "bo\u20ddb", "bob\u0e48"],
    "jos\u00e9": ["jose\u0301\u0334"],
    "o\u0338": ["\u00f8", "o"],
    "H\u0331ans": ["h\u0331ANS"],
    # At the end, and where nothing shows.
    "ann": ["ann.", "ann,", "ann\u00b7", "ann\u2022", "ann\u0660", "\u0430nn,", "ann\U0001d159", "an\U00016fe4n"],
    "Ann": ["ann ...", "\U0001d159 ann"],
    "\U00018b00": ["\U00018b00\U00016fe4"],
}
APART = {
    "jose": ["jos\u00e9"],
    "jorgen": ["j\u00f8rgen"],
    "max": ["ma\u1e8d"],
    # The vowels of a script that writes them as marks.
    "\u092e\u0947\u0930\u093e": ["\u092e\u0930\u093e"],
    "\u0e01\u0e38": ["\u0e01\u0e34"],
    "a.b": ["ab"],
    "tim": ["tlm"],
    "bill": ["bili"],
    "ann": [".ann", "anna"],
}


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, others in ALIKE.items() for other in others])
def test_these_names_are_alike(one: str, other: str) -> None:
    assert name_fault(one) is None
    assert name_fault(other) is None
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, others in APART.items() for other in others])
def test_these_are_not(one: str, other: str) -> None:
    assert not look_alike(one, other)


def test_every_pair_of_unicode_is_alike() -> None:
    rows = json.loads(get_data("confusable_homoglyphs", "confusables.json") or b"")
    pairs = [(text, glyph["c"]) for text, glyphs in rows.items() for glyph in glyphs]
    apart = [pair for one, other in pairs if (pair := _as_names(one, other)) and not look_alike(*pair)]
    assert len(pairs) > 10_000
    assert apart == []


def _as_names(*texts: str) -> list[str]:
    """Return these texts inside names; nothing where one may not be, or is another one to Unicode."""
    cleaned = [text.replace("\u200e", "") for text in texts]
    found = [f"x{text}x" for text in cleaned]
    return [] if any(name_fault(name) or not unicodedata.is_normalized("NFKD", name) for name in found) else found


def test_a_number_of_the_lobby_stands_behind_a_name_that_looks_like_another() -> None:
    for name, other in product(("ann. 2", "Ann 12", "\u0430nn 3"), ("ann", "ann,")):
        assert is_numbered(name, [other])
    assert is_numbered("x" * 21 + " 2", ["x" * 24])
    for name in ("ann 1", "ann 13", "ann l2", "ann2", "bob 2"):
        assert not is_numbered(name, ["ann"])


def test_names_of_ascii_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> dict[str, str]:
        raise AssertionError

    monkeypatch.setattr(names, "_shown", fail)
    assert look_alike("Modern Wilma", "rnodern vvilma.")
    with pytest.raises(AssertionError):
        look_alike("Modern Wilma", "Wilm\u0430")


def test_the_table_is_small() -> None:
    tracemalloc.start()
    try:
        table = names._shown.__wrapped__()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table) > 2_000
    assert kept < 700_000
