"""Bytes that are no contribution, or not the canonical form of one: no seat is at fault, or the signer is.

The vectors of the protocol have more of them, each with its class: tests/protocol/test_schema.py.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.match.contribution import BODIES, PAYLOAD_SIZE_MAX, Contribution, open_body, open_envelope
from seqp2p.match.encoding import DecodeError, pack
from seqp2p.match.errors import MatchError
from tests.match.refusal import at_step, goes_on, unattributable
from tests.table import Played, altered, fields_of, played, resigned, signed

# Those of a table without options; the other two are of test_talk.py and test_turn_attacks.py.
KINDS = ["seat", "reveal", "shuffle", "deal", "turn", "draw", "over"]
# Any commitment is right, so a changed one is no fault.
JUDGED = KINDS[1:]
WRONG_VALUES: list[Any] = [None, True, 0, -1, 1.0, float("nan"), 2**64 - 1, "", "x", b"", b"x", [], [1], {}, {"a": 1}]
# For each field of an envelope, values that it never has.
WRONG_FIELDS: dict[str, list[Any]] = {
    "v": [0, 2, True, None, 1.0],
    "game": [bytes(31), bytes(33), "g" * 32],
    "step": [0, -1, 100_001, 2**64 - 1, True],
    "prev": [bytes(31)],
    "seat": [0, 13, "1", 2.0],
    "kind": [b"seat", 1],
    "body": [None, [], b"", {b"commitment": bytes(32)}],
    "extra": [1],
}


def test_an_envelope_has_its_fields_and_their_types(trio: Played) -> None:
    """No seat is to blame for another form, though one has signed it."""
    at = at_step(trio, "seat")
    fields = fields_of(at.honest)
    for field, values in WRONG_FIELDS.items():
        without = {key: value for key, value in fields.items() if key != field}
        for wrong in (*({**fields, field: value} for value in values), without if field in fields else {}):
            unattributable(at.match, signed(at.who, pack(wrong)), "not a contribution")
    goes_on(at.match, at.honest)


@pytest.mark.parametrize(
    "part", [b"\xd6\xff\0\0\0\0", b"\xc7\0\xff", b"\xc7\0\5", b"\xd4\5\0", b"\xc1", b"\xa1\xff", b"\xdf" + b"\xff" * 4]
)
def test_what_msgpack_has_beside_plain_values_is_no_contribution(trio: Played, part: bytes) -> None:
    """Extension types, broken text, and a header that claims more than there is, which allocates nothing."""
    at = at_step(trio, "seat")
    before_body = at.honest.payload[: -len(pack(at.body))]
    unattributable(at.match, signed(at.who, before_body + b"\x81\xa1a" + part), "not a contribution")


def test_a_payload_beyond_the_limit_is_not_even_decoded(trio: Played) -> None:
    at = at_step(trio, "seat")
    longest = at.with_body(pad=bytes(PAYLOAD_SIZE_MAX - len(at.honest.payload) - 7))
    assert len(longest.payload) == PAYLOAD_SIZE_MAX
    at.refuses("pad", longest)
    longer = at.with_body(pad=bytes(PAYLOAD_SIZE_MAX - len(at.honest.payload) - 6))
    unattributable(at.match, longer, "bytes where at most")


@settings(max_examples=60)
@given(data=st.data())
def test_every_bit_of_a_signature_and_of_what_it_covers_matters(trio: Played, data: st.DataObject) -> None:
    at = at_step(trio, "turn")
    payload, signature = bytearray(at.honest.payload), bytearray(at.honest.signature)
    for part in (payload, signature):
        part[data.draw(st.integers(0, len(part) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    text = f"the signature of seat {at.number} on its contribution does not verify"
    unattributable(at.match, resigned(at.honest, bytes(signature)), text)
    with pytest.raises(MatchError):
        at.match.receive(Contribution(bytes(payload), at.honest.signature))


@pytest.mark.parametrize("kind", KINDS)
def test_a_contribution_of_another_kind_is_a_violation(trio: Played, kind: str) -> None:
    at = at_step(trio, kind)
    others = {*KINDS, "", "Seat", "ballot", "x" * 1000, "\x1b[2J"} - {kind}
    at.refuses(f"a kind other than {kind}", *(at.altered(kind=other) for other in others))


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_has_one_form(trio: Played, kind: str) -> None:
    at = at_step(trio, kind)
    at.refuses("missing required field", at.altered(body={}))
    at.refuses("unknown field", *(at.with_body({key: 1}) for key in ("more", "\x1b]0;owned\a\u202e", "x" * 9999)))
    if len(at.body) > 1:
        at.refuses("not the canonical encoding", at.altered(body=dict(reversed(at.body.items()))))
    for field in at.body:
        rest = {key: value for key, value in at.body.items() if key != field}
        at.refuses(f"missing required field `{field}`", at.altered(body=rest))


@pytest.mark.parametrize("kind", JUDGED)
def test_every_field_of_a_body_has_its_type_and_value(trio: Played, kind: str) -> None:
    at = at_step(trio, kind)
    for field, right in at.body.items():
        wrong = [*WRONG_VALUES, [right], {"a": right}]
        if isinstance(right, bytes):
            wrong += [right[:-1], right + b"\0", bytes(len(right)), b"\xff" * len(right), right * 2]
        if field == "cards":
            wrong += [[other] for other in (float(*right), -1, 2**31, 2**63, True, None, str(*right), right)]
        at.refuses("", *(at.with_body({field: value}) for value in wrong))


@settings(max_examples=200)
@given(kind=st.sampled_from(JUDGED), data=st.data())
def test_a_byte_that_is_changed_and_signed_again_is_refused(trio: Played, kind: str, data: st.DataObject) -> None:
    at = at_step(trio, kind)
    changed = bytearray(at.honest.payload)
    place = data.draw(st.integers(0, len(changed) - 1))
    changed[place] = data.draw(st.integers(0, 255).filter(lambda value: value != changed[place]))
    with pytest.raises(MatchError):
        at.match.receive(signed(at.who, bytes(changed)))
    assert at.match.held == ()


def test_a_body_of_no_kind_does_not_open(trio: Played) -> None:
    envelope = open_envelope(altered(trio.identity(1), trio.contribution(1, 1), kind="ballot").payload)
    with pytest.raises(DecodeError, match="no such kind of contribution: 'ballot'"):
        open_body(envelope)


def test_every_body_of_a_game_opens_and_fits(trio: Played) -> None:
    """The largest shuffle too, of a whole deck."""
    for step in (*trio.steps, *played(2).steps):
        for _, held in step.contributions:
            envelope = open_envelope(held.payload)
            assert len(held.payload) < PAYLOAD_SIZE_MAX
            assert pack(fields_of(held)) == held.payload
            assert type(open_body(envelope)) in BODIES[envelope.kind]  # type: ignore[index]  # it is one of them
