"""Bytes that are no contribution, or not the canonical form of one: nobody's fault at the table, or the signer's."""

from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto import hashing
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import BODIES, PAYLOAD_SIZE_MAX, Contribution, open_body, open_envelope
from seqp2p.match.encoding import DecodeError, pack
from seqp2p.match.errors import MatchError
from seqp2p.match.machine import Match
from tests.match.ed25519 import NEUTRAL, L
from tests.match.refusal import goes_on, unattributable, violation
from tests.table import (
    Played,
    altered,
    fields_of,
    identity,
    played,
    resigned,
    shared_match_at,
    signed,
    snapshot,
    with_body,
)

# Those of a table without options; the other two are of test_talk.py and test_drawing.py.
KINDS = ["seat", "reveal", "shuffle", "deal", "turn", "draw", "over"]
WRONG_VALUES: list[Any] = [None, True, 0, -1, 1.0, float("nan"), 2**64 - 1, "", "x", b"", b"x", [], [1], {}, {"a": 1}]


def open_at(game: Played, kind: str) -> tuple[Match, int, Contribution]:
    """A match whose open step is of this kind, a seat it waits for, and what that seat contributed."""
    step = game.step_of(kind)
    seat, contribution = game.steps[step - 1].contributions[0]
    return shared_match_at(game, step), seat, contribution


def raw_map(pairs: list[tuple[bytes, bytes]]) -> bytes:
    """A msgpack map of parts that are packed already."""
    return bytes([0x80 + len(pairs)]) + b"".join(key + value for key, value in pairs)


def raw_pairs(fields: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    return [(pack(key), pack(value)) for key, value in fields.items()]


# Each of these says what the honest payload says, in another form.
OTHER_FORMS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "a byte behind it": lambda fields: pack(fields) + b"\0",
    "itself behind it": lambda fields: pack(fields) * 2,
    "keys in another order": lambda fields: pack(dict(sorted(fields.items()))),
    "a key twice": lambda fields: b"\x88" + pack(fields)[1:] + pack("v") + pack(1),
    "a longer map header": lambda fields: b"\xde\0\x07" + pack(fields)[1:],
    "a longer number": lambda fields: raw_map(
        [(k, b"\xcd\0" + v if k == pack("seat") else v) for k, v in raw_pairs(fields)]
    ),
    "a number as float": lambda fields: pack({**fields, "seat": float(fields["seat"])}),
    "a step as float": lambda fields: pack({**fields, "step": float(fields["step"])}),
    "the version as float": lambda fields: pack({**fields, "v": 1.0}),
    "a longer text": lambda fields: raw_map(
        [(k, b"\xd9" + bytes([v[0] & 31]) + v[1:] if k == pack("kind") else v) for k, v in raw_pairs(fields)]
    ),
    "longer byte strings": lambda fields: raw_map(
        [(k, b"\xc5\0" + v[1:] if k == pack("prev") else v) for k, v in raw_pairs(fields)]
    ),
    "bytes as the old raw type": lambda fields: bytes(msgpack.packb(fields, use_bin_type=False)),
    "keys as byte strings": lambda fields: pack({key.encode(): value for key, value in fields.items()}),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_a_payload_has_one_form(trio: Played, form: str) -> None:
    for kind in ("seat", "turn"):
        match, seat, honest = open_at(trio, kind)
        other = OTHER_FORMS[form](fields_of(honest))
        assert other != honest.payload
        unattributable(match, signed(trio.identity(seat), other), "not a contribution")
        goes_on(match, honest)


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 0},
        {"v": 2},
        {"v": True},
        {"v": None},
        {"game": bytes(31)},
        {"game": bytes(33)},
        {"game": "g" * 32},
        {"step": 0},
        {"step": -1},
        {"step": 100_001},
        {"step": 2**64 - 1},
        {"step": True},
        {"prev": bytes(31)},
        {"seat": 0},
        {"seat": 13},
        {"seat": "1"},
        {"kind": b"seat"},
        {"kind": 1},
        {"body": None},
        {"body": []},
        {"body": b""},
        {"body": {b"commitment": bytes(32)}},
        {"extra": 1},
    ],
    ids=str,
)
def test_an_envelope_has_these_fields_and_types(trio: Played, changes: dict[str, Any]) -> None:
    match, seat, honest = open_at(trio, "seat")
    unattributable(match, altered(trio.identity(seat), honest, **changes), "not a contribution")


@pytest.mark.parametrize("missing", ["v", "game", "step", "prev", "seat", "kind", "body"])
def test_no_field_of_an_envelope_may_be_missing(trio: Played, missing: str) -> None:
    match, seat, honest = open_at(trio, "seat")
    fields = fields_of(honest)
    del fields[missing]
    unattributable(match, signed(trio.identity(seat), pack(fields)), missing)


def test_bytes_that_are_cut_are_no_contribution(trio: Played) -> None:
    match, seat, honest = open_at(trio, "reveal")
    for length in range(len(honest.payload)):
        unattributable(match, signed(trio.identity(seat), honest.payload[:length]), "not a contribution")


@settings(max_examples=100)
@given(payload=st.binary(max_size=100), signature=st.binary(max_size=70))
def test_random_bytes_are_no_contribution(trio: Played, payload: bytes, signature: bytes) -> None:
    unattributable(shared_match_at(trio, 1), Contribution(payload, signature), "not a contribution")


def with_raw_body(honest: Contribution, body: bytes) -> bytes:
    """The payload with other bytes where the body is."""
    return raw_map([*raw_pairs(fields_of(honest))[:-1], (pack("body"), body)])


@pytest.mark.parametrize("opener", [b"\x91", b"\x81\xa1a", b"\xdc\0\1", b"\x81\xc4\x01a"])
@pytest.mark.parametrize("depth", [7, 400, 900, 1010, 1023, 1024, 8000])
def test_nested_bombs_are_no_contribution(trio: Played, opener: bytes, depth: int) -> None:
    """Libraries give up at depths of their own, some by crashing: the limit here comes first, and is the same."""
    match, seat, honest = open_at(trio, "seat")
    payload = with_raw_body(honest, b"\x81\xa1a" + opener * depth + b"\xc0")
    unattributable(match, signed(trio.identity(seat), payload), "")


def test_what_is_nested_less_is_judged_as_a_body(trio: Played) -> None:
    match, seat, honest = open_at(trio, "seat")
    payload = with_raw_body(honest, b"\x81\xa1a" + b"\x91" * 6 + b"\xc0")
    violation(match, signed(trio.identity(seat), payload), seat, 1, "field")


@pytest.mark.parametrize(
    "claim", [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff"]
)
def test_headers_that_claim_more_than_there_is_allocate_nothing(trio: Played, claim: bytes) -> None:
    unattributable(shared_match_at(trio, 1), signed(trio.identity(1), claim), "not a contribution")


@pytest.mark.parametrize("part", [b"\xd6\xff\0\0\0\0", b"\xc7\0\xff", b"\xc7\0\5", b"\xd4\5\0", b"\xc1", b"\xa1\xff"])
def test_extension_types_and_broken_text_are_no_contribution(trio: Played, part: bytes) -> None:
    match, seat, honest = open_at(trio, "seat")
    payload = with_raw_body(honest, b"\x81\xa1a" + part)
    unattributable(match, signed(trio.identity(seat), payload), "not a contribution")


def test_a_payload_beyond_the_limit_is_not_even_decoded(trio: Played) -> None:
    match, seat, honest = open_at(trio, "seat")
    longest = with_body(trio.identity(seat), honest, pad=bytes(PAYLOAD_SIZE_MAX - len(honest.payload) - 7))
    assert len(longest.payload) == PAYLOAD_SIZE_MAX
    violation(match, longest, seat, 1, "pad")
    longer = with_body(trio.identity(seat), honest, pad=bytes(PAYLOAD_SIZE_MAX - len(honest.payload) - 6))
    unattributable(match, longer, "bytes where at most")


def test_a_contribution_to_another_game_is_no_contribution_here(trio: Played, brief: Played) -> None:
    unattributable(shared_match_at(trio, 1), brief.contribution(1, 1), "another game")
    stolen = altered(brief.identity(1), brief.contribution(1, 1), game=trio.match.game.id)
    unattributable(shared_match_at(trio, 1), stolen, "signature")


def test_a_seat_that_is_not_at_the_table_cannot_sign(trio: Played) -> None:
    match, _, honest = open_at(trio, "seat")
    unattributable(match, altered(identity(4), honest, seat=4), "no seat 4")


def test_a_signature_must_be_the_seats_own(trio: Played) -> None:
    match, seat, honest = open_at(trio, "turn")
    other = trio.identity(seat % 3 + 1)
    forged = {
        "another seat's": signed(other, honest.payload).signature,
        "for another purpose": sign(trio.identity(seat), hashing.FILE, honest.payload),
        "of other bytes": signed(trio.identity(seat), honest.payload + b"\0").signature,
        "stripped": b"",
        "zeros": bytes(64),
        "short": honest.signature[:63],
        "long": honest.signature + b"\0",
        "universal": NEUTRAL + bytes(32),
        "malleable": honest.signature[:32]
        + (int.from_bytes(honest.signature[32:], "little") + L).to_bytes(32, "little"),
    }
    for signature in forged.values():
        unattributable(
            match, resigned(honest, signature), f"the signature of seat {seat} on its contribution does not verify"
        )
    goes_on(match, honest)


def test_nobody_signs_for_somebody_else(trio: Played) -> None:
    """A cheater cannot put another seat's number on its own words: the envelope is the signer's, or nobody's."""
    match, seat, honest = open_at(trio, "turn")
    cheater = seat % 3 + 1
    unattributable(match, signed(trio.identity(cheater), honest.payload), f"signature of seat {seat}")


@settings(max_examples=60)
@given(place=st.integers(0, 63), bit=st.integers(0, 7))
def test_every_bit_of_a_signature_matters(trio: Played, place: int, bit: int) -> None:
    match, _, honest = open_at(trio, "turn")
    changed = bytearray(honest.signature)
    changed[place] ^= 1 << bit
    unattributable(match, resigned(honest, bytes(changed)), "signature")


@settings(max_examples=60)
@given(data=st.data())
def test_every_bit_of_a_payload_is_signed(trio: Played, data: st.DataObject) -> None:
    match, _, honest = open_at(trio, "turn")
    changed = bytearray(honest.payload)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(MatchError):
        match.receive(Contribution(bytes(changed), honest.signature))


@pytest.mark.parametrize("kind", KINDS)
def test_a_contribution_of_another_kind_is_a_violation(trio: Played, kind: str) -> None:
    match, seat, honest = open_at(trio, kind)
    step = match.number
    for other in [*KINDS, "", "Seat", "ballot", "x" * 1000, "\x1b[2J"]:
        if other != kind:
            violation(match, altered(trio.identity(seat), honest, kind=other), seat, step, f"another kind than {kind}")
    goes_on(match, honest)


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_has_one_form(trio: Played, kind: str) -> None:
    match, seat, honest = open_at(trio, kind)
    who, step, body = trio.identity(seat), match.number, fields_of(honest)["body"]
    violation(match, altered(who, honest, body={}), seat, step, "missing required field")
    violation(match, altered(who, honest, body={**body, "more": 1}), seat, step, "unknown field `more`")
    violation(match, altered(who, honest, body={**body, "\x1b]0;owned\a\u202e": 1}), seat, step, "unknown field")
    violation(match, altered(who, honest, body={**body, "x" * 9999: 1}), seat, step, "unknown field")
    if len(body) > 1:
        reordered = dict(reversed(body.items()))
        violation(match, altered(who, honest, body=reordered), seat, step, "not the canonical encoding")
    for field in body:
        rest = {key: value for key, value in body.items() if key != field}
        violation(match, altered(who, honest, body=rest), seat, step, f"missing required field `{field}`")
    goes_on(match, honest)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "seat"])
def test_every_field_of_a_body_has_its_type_and_value(trio: Played, kind: str) -> None:
    match, seat, honest = open_at(trio, kind)
    for field, right in fields_of(honest)["body"].items():
        for wrong in [*WRONG_VALUES, [right], {"a": right}]:
            violation(match, with_body(trio.identity(seat), honest, **{field: wrong}), seat, match.number, "")
        if isinstance(right, bytes):
            for wrong in (right[:-1], right + b"\0", bytes(len(right)), b"\xff" * len(right), right * 2):
                violation(match, with_body(trio.identity(seat), honest, **{field: wrong}), seat, match.number, "")
    goes_on(match, honest)


def test_deck_positions_are_integers(trio: Played) -> None:
    match, seat, honest = open_at(trio, "turn")
    (position,) = fields_of(honest)["body"]["cards"]
    for wrong in (float(position), -1, 2**31, 2**63, True, None, str(position), [position]):
        violation(match, with_body(trio.identity(seat), honest, cards=[wrong]), seat, match.number, "")
    goes_on(match, honest)


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.binary(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=150)
@given(kind=st.sampled_from([kind for kind in KINDS if kind != "seat"]), data=st.data())
def test_whatever_is_signed_only_the_errors_of_a_match_come_out(trio: Played, kind: str, data: st.DataObject) -> None:
    """Any plain value anywhere in an honest contribution, signed by its own seat."""
    match, seat, honest = open_at(trio, kind)
    fields = fields_of(honest)
    value = data.draw(plain)
    where = data.draw(st.sampled_from(["envelope", "body", "all of the body", "all"]))
    if where == "envelope":
        changed: Any = {**fields, data.draw(st.sampled_from(list(fields)) | st.text(max_size=8)): value}
    elif where == "body":
        body = fields["body"]
        changed = {**fields, "body": {**body, data.draw(st.sampled_from(list(body)) | st.text(max_size=8)): value}}
    else:
        changed = value if where == "all" else {**fields, "body": value}
    if changed != fields:
        before = snapshot(match)
        with pytest.raises(MatchError):
            match.receive(signed(trio.identity(seat), pack(changed)))
        assert snapshot(match) == before


@settings(max_examples=200)
@given(kind=st.sampled_from([kind for kind in KINDS if kind != "seat"]), data=st.data())
def test_whatever_byte_is_changed_and_signed_again_is_refused(trio: Played, kind: str, data: st.DataObject) -> None:
    match, seat, honest = open_at(trio, kind)
    changed = bytearray(honest.payload)
    place = data.draw(st.integers(0, len(changed) - 1))
    changed[place] = data.draw(st.integers(0, 255).filter(lambda value: value != changed[place]))
    with pytest.raises(MatchError):
        match.receive(signed(trio.identity(seat), bytes(changed)))
    assert match.held == ()


def test_a_body_of_no_kind_does_not_open(trio: Played) -> None:
    envelope = open_envelope(altered(trio.identity(1), trio.contribution(1, 1), kind="ballot").payload)
    with pytest.raises(DecodeError, match="no such kind of contribution: 'ballot'"):
        open_body(envelope)


def test_every_body_of_a_game_opens_and_is_what_was_packed(trio: Played) -> None:
    for step in trio.steps:
        for _, held in step.contributions:
            envelope = open_envelope(held.payload)
            assert pack(fields_of(held)) == held.payload
            assert type(open_body(envelope)) in BODIES[envelope.kind]  # type: ignore[index]  # it is one of them


def test_the_largest_shuffle_fits_into_a_contribution() -> None:
    game = played(2)
    assert max(len(held.payload) for step in game.steps for _, held in step.contributions) < PAYLOAD_SIZE_MAX
