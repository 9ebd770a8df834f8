"""The table agreement: names, keys, nonces and settings that may be used, and the id that they make."""

import unicodedata
from dataclasses import asdict
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.hashing import tagged_hash
from seqp2p.match.encoding import DecodeError, decode, encode, pack, unpack
from seqp2p.match.machine import Match
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
from seqp2p.rules import CLASSIC, KIDS, RULE_OPTIONS, Options
from tests.match.ed25519 import NEUTRAL, P
from tests.table import identity, make_agreement, make_settings


def renamed(name: str) -> Agreement:
    agreement = make_agreement(2)
    first, second = agreement.seats
    return msgspec.structs.replace(agreement, seats=(msgspec.structs.replace(first, name=name), second))


def with_settings(**changes: Any) -> Agreement:
    agreement = make_agreement(2)
    return msgspec.structs.replace(agreement, settings=msgspec.structs.replace(agreement.settings, **changes))


def with_first_seat(**changes: Any) -> Agreement:
    agreement = make_agreement(2)
    first, second = agreement.seats
    return msgspec.structs.replace(agreement, seats=(msgspec.structs.replace(first, **changes), second))


def test_an_agreement_comes_back_as_it_was() -> None:
    for players in (2, 3, 4, 6, 8, 9, 10, 12):
        agreement = make_agreement(players)
        data = encode_agreement(agreement)
        assert decode_agreement(data) == agreement
        assert len(data) < AGREEMENT_SIZE_MAX


def test_the_largest_agreement_fits() -> None:
    agreement = make_agreement(12)
    seats = tuple(msgspec.structs.replace(seat, name="\U0001f98a" * 24) for seat in agreement.seats)
    data = encode_agreement(msgspec.structs.replace(agreement, seats=seats))
    assert len(data) < AGREEMENT_SIZE_MAX
    decode_agreement(data)


def test_the_id_of_a_game_is_the_hash_of_its_agreement() -> None:
    data = encode_agreement(make_agreement(2))
    assert game_id(data) == tagged_hash("seqp2p/1 table", data) == Match(data).head
    assert game_id(encode_agreement(make_agreement(2, seed=2))) != game_id(data)


def test_settings_say_what_the_rules_need() -> None:
    settings = make_settings(4, advanced=True, table_talk=False)
    assert settings.options == Options(advanced=True, table_talk=False, manual_draw=False)
    assert settings.rules is CLASSIC
    assert make_settings(3, "kids").rules is KIDS


@pytest.mark.parametrize(
    "name",
    ["A", "Anne", "Anne Marie", "Björn", "O'Neil-3", "小明", "דנה", "نور", "Анна", "🦊", "x" * 24, "(^_^)", "é́"],
)
def test_names_of_all_peoples_are_good(name: str) -> None:
    assert name_fault(name) is None
    check_agreement(renamed(name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "1 to 24"),
        ("x" * 25, "1 to 24"),
        ("x" * 5_000, "1 to 24"),
        (" Anne", "spaces"),
        ("Anne ", "spaces"),
        ("Anne  Marie", "spaces"),
        (" ", "spaces"),
        ("a\tb", "control"),
        ("a\nb", "control"),
        ("a\u00a0b", "control"),
        ("a\u2003b", "control"),
        ("a\u2028b", "control"),
        ("\x1b[2J", "control"),
        ("a\x00b", "control"),
        ("a\x7fb", "control"),
        ("a\x9bb", "control"),
        ("\u202ekcaj", "control"),
        ("a\u2066b", "control"),
        ("a\u200fb", "control"),
        ("a\u200bb", "control"),
        ("a\u200db", "control"),
        ("\ufeffa", "control"),
        ("a\u00adb", "control"),
        ("a\ue000b", "control"),
        ("a\U000e0041", "control"),
        ("\u3164", "control"),
        ("\u2800", "control"),
        ("a\u115fb", "control"),
        ("a\uffa0", "control"),
        ("a\ufe0f", "control"),
        ("a\U000e0100", "control"),
        ("\u0301", "mark"),
        ("\u0301a", "mark"),
        ("\u20dd \u20dd", "mark"),
        ("a\u0489\u0489\u0489\u0489\u0489", "mark"),
        ("\u0e01" + "\u0e49" * 5, "mark"),
    ],
)
def test_names_that_deceive_are_refused(name: str, text: str) -> None:
    fault = name_fault(name)
    assert fault is not None
    assert text in fault
    with pytest.raises(TableError, match="seat 1: ") as caught:
        decode_agreement(encode_agreement(renamed(name)))
    assert str(caught.value).isprintable()


@settings(max_examples=200)
@given(name=st.text(max_size=30))
def test_a_good_name_is_printable_and_its_own_only_form(name: str) -> None:
    if name_fault(name) is None:
        assert all(character.isprintable() or unicodedata.category(character) == "Cn" for character in name)
        assert name == name.strip()
        assert 1 <= len(name) <= 24


@settings(max_examples=100)
@given(name=st.text(alphabet="aé小 🦊'", min_size=1, max_size=24), number=st.integers(1, 12))
def test_a_name_with_a_number_is_a_good_name_too(name: str, number: int) -> None:
    if name_fault(name) is None:
        numbered = numbered_name(name, number)
        assert name_fault(numbered) is None
        assert (numbered == name) == (number == 1)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"variant": "poker"}, "no such game: 'poker'; there are classic, kids"),
        ({"variant": "\x1b[2J"}, "no such game"),
        ({"players": 1, "teams": 1, "colours": ("blue",)}, "cannot play"),
        ({"players": 5}, "cannot form"),
        ({"players": 7}, "cannot form"),
        ({"players": 11}, "cannot form"),
        ({"players": 4, "teams": 4}, "form 2 teams"),
        ({"players": 12, "teams": 4}, "form 2 or 3 teams"),
        ({"variant": "kids", "manual_draw": True}, "no option manual draw"),
        ({"variant": "kids", "advanced": True}, "no option advanced"),
        ({"variant": "kids", "table_talk": False}, "no option table talk"),
        ({"colours": ("blue",)}, "different colours"),
        ({"colours": ("blue", "blue")}, "different colours"),
        ({"colours": ("blue", "green", "red")}, "different colours"),
        ({"colours": ("blue", "green", "blue")}, "different colours"),
        ({"colours": ("blue", "red")}, "colours of 2 teams of Sequence are blue, green"),
        ({"colours": ("blue", "yellow")}, "colours of 2 teams of Sequence are blue, green"),
        ({"colours": ("blue", "\x1b[2J")}, "colours of 2 teams of Sequence are"),
        ({"colours": ()}, "different colours"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_played_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(TableError, match=text):
        check_settings(msgspec.structs.replace(make_settings(2), **changes))
    with pytest.raises(TableError) as caught:
        decode_agreement(encode_agreement(with_settings(**changes)))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "changes",
    [
        {"players": 0},
        {"players": 13},
        {"players": 2.0},
        {"teams": 0},
        {"teams": "2"},
        {"advanced": 1},
        {"open_hands": None},
        {"turn_time_s": -1},
        {"turn_time_s": 86_401},
        {"turn_time_s": 0.5},
        {"grace_s": 0},
        {"grace_s": 86_401},
        {"colours": "blue"},
        {"colours": ("blue", 1)},
        {"variant": b"classic"},
        {"variant": None},
        {"variant": "x" * 17},
    ],
    ids=str,
)
def test_settings_have_their_types_and_ranges(changes: dict[str, Any]) -> None:
    with pytest.raises(DecodeError):
        decode_agreement(encode_agreement(with_settings(**changes)))


@pytest.mark.parametrize(
    "changes",
    [{"name": b"Anne"}, {"name": None}, {"key": bytes(31)}, {"key": "k" * 32}, {"nonce": bytes(33)}, {"nonce": None}],
    ids=str,
)
def test_seats_have_their_types_and_lengths(changes: dict[str, Any]) -> None:
    with pytest.raises(DecodeError):
        decode_agreement(encode_agreement(with_first_seat(**changes)))


@pytest.mark.parametrize(
    "key",
    [
        NEUTRAL,
        bytes(32),
        (P - 1).to_bytes(32, "little"),
        P.to_bytes(32, "little"),
        b"\xff" * 32,
        (1 | 1 << 255).to_bytes(32, "little"),
    ],
)
def test_a_key_under_which_anything_verifies_is_refused(key: bytes) -> None:
    with pytest.raises(TableError, match="seat 1: The identity key"):
        Match(encode_agreement(with_first_seat(key=key)))


def test_nobody_sits_at_two_seats() -> None:
    with pytest.raises(TableError, match="two seats have the same identity key"):
        check_agreement(with_first_seat(key=identity(2).public))


def test_nobody_repeats_a_nonce() -> None:
    with pytest.raises(TableError, match="two seats have the same nonce"):
        check_agreement(with_first_seat(nonce=make_agreement(2).seats[1].nonce))


def test_the_seats_are_as_many_as_the_players() -> None:
    agreement = make_agreement(3)
    for seats in (agreement.seats[:2], (*agreement.seats, make_agreement(4).seats[3]), ()):
        with pytest.raises(TableError, match=f"{len(seats)} seats for 3 players"):
            check_agreement(msgspec.structs.replace(agreement, seats=seats))


def test_an_agreement_has_one_form() -> None:
    fields = unpack(encode_agreement(make_agreement(2)), AGREEMENT_SIZE_MAX)
    reordered = dict(reversed(fields.items()))
    for other in (
        pack(fields) + b"\0",
        pack(fields)[:-1],
        pack(reordered),
        pack({**fields, "more": 1}),
        pack({**fields, "v": 2}),
        pack({**fields, "v": 1.0}),
        pack({**fields, "seats": [{**fields["seats"][0], "more": 1}, fields["seats"][1]]}),
        pack({**fields, "settings": {**fields["settings"], "grace_s": 120.0}}),
        pack([]),
        b"",
        b"\x91" * AGREEMENT_SIZE_MAX,
        b"\x91" * 1000 + b"\xc0",
    ):
        with pytest.raises(DecodeError):
            decode_agreement(other)
    assert decode_agreement(pack(fields)) == make_agreement(2)


def test_an_agreement_beyond_the_limit_is_not_decoded() -> None:
    with pytest.raises(DecodeError, match="8193 bytes where at most 8192 are allowed"):
        decode_agreement(bytes(AGREEMENT_SIZE_MAX + 1))


@settings(max_examples=150)
@given(data=st.data())
def test_whatever_the_bytes_of_an_agreement_one_of_two_errors_comes_out(data: st.DataObject) -> None:
    good = encode_agreement(make_agreement(3))
    changed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        agreement = decode_agreement(bytes(changed))
    except (DecodeError, TableError):
        return
    assert encode_agreement(agreement) == changed, "what is accepted is canonical"


@settings(max_examples=100)
@given(data=st.binary(max_size=300))
def test_random_bytes_are_no_agreement(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_agreement(data)


def test_settings_alone_come_back_as_they_were() -> None:
    settings = make_settings(6, teams=3, turn_time_s=30)
    assert decode(Settings, encode(settings), AGREEMENT_SIZE_MAX) == settings


def test_every_option_has_a_row_and_a_setting() -> None:
    assert {row.field: row.usual for row in RULE_OPTIONS} == asdict(Options())
    switches = [field.name for field in msgspec.structs.fields(Settings) if field.type is bool]
    assert [row.field for row in TABLE_OPTIONS] == switches
    assert {*get_type_hints(TableChoices)} == {*Settings.__struct_fields__} - {"players", "colours"}
    assert len({row.word for row in TABLE_OPTIONS}) == len(TABLE_OPTIONS)
