"""Remarks: signed, numbered and chained per seat, and text that others can be shown."""

from typing import Any

import pytest

from seqp2p.crypto import hashing
from seqp2p.crypto.hashing import REMARK_HASH, tagged_hash
from seqp2p.crypto.identity import sign
from seqp2p.match.contribution import REMARK_SIZE_MAX
from seqp2p.match.encoding import encode, pack, unpack
from seqp2p.match.remark import COURTESIES, NO_REMARK, REMARK_LENGTH_MAX, BadRemark, Remark, RemarkLog, open_remark
from seqp2p.match.table import encode_agreement, game_id
from tests.table import identity, make_agreement

AGREEMENT = make_agreement(3)
GAME = game_id(encode_agreement(AGREEMENT))


def payload(**changes: Any) -> bytes:
    fields = {
        "v": 1,
        "game": GAME,
        "seat": 2,
        "number": 1,
        "last": NO_REMARK,
        "step": 7,
        "prev": bytes(range(32)),
        "courtesy": False,
        "text": "what a move",
    }
    return pack({**fields, **changes})


def opened(data: bytes, signer: int = 2) -> Remark:
    """What this seat has signed."""
    return open_remark(data, sign(identity(signer), hashing.REMARK, data), GAME, AGREEMENT)


def test_a_remark_says_what_was_signed() -> None:
    made = opened(payload())
    assert (made.said.seat, made.said.text) == (2, "what a move")
    assert encode(made.said) == made.payload
    assert made.hash == tagged_hash(REMARK_HASH, made.payload)


def test_the_longest_remark_fits() -> None:
    data = payload(text="🦊" * REMARK_LENGTH_MAX)
    assert opened(data).said.text
    assert len(data) < REMARK_SIZE_MAX


@pytest.mark.parametrize("courtesy", COURTESIES)
def test_courtesies_are_preset(courtesy: str) -> None:
    assert opened(payload(courtesy=True, text=courtesy)).said.courtesy
    assert not opened(payload(text=courtesy)).said.courtesy
    with pytest.raises(BadRemark, match="no such courtesy"):
        opened(payload(courtesy=True, text=courtesy + "!"))


@pytest.mark.parametrize(
    ("text", "field", "values"),
    [
        ("another game", "game", [bytes(32)]),
        ("another game", "seat", [4]),
        ("the signature of seat 3", "seat", [3]),
        ("not a remark", "number", [0, 501, 1.0]),
        ("not a remark", "last", [bytes(31)]),
        ("not a remark", "step", [0]),
        ("not a remark", "\x1b[2J", [1]),
        ("not a remark", "text", [b"hello", "x" * 2000]),
        ("1 to 200", "text", ["", "x" * 201]),
        ("control", "text", ["\x1b[2J", "a\nb", "a\u202eb", "\u200b"]),
        ("single spaces", "text", [" a", "a  b"]),
    ],
)
def test_what_is_no_remark_is_refused(text: str, field: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(BadRemark, match=text) as caught:
            opened(payload(**{field: value}))
        assert str(caught.value).isprintable()


def test_a_remark_has_one_form_and_one_signature() -> None:
    data = payload()
    fields = unpack(data, 1000)
    for other in (data + b"\0", data[:-1], pack(dict(reversed(fields.items()))), b"", b"\x91" * 900 + b"\xc0"):
        with pytest.raises(BadRemark, match="not a remark"):
            opened(other)
    for wrong in (bytes(64), b"", opened(data).signature[:-1], sign(identity(2), hashing.CONTRIBUTION, data)):
        with pytest.raises(BadRemark, match="does not verify"):
            open_remark(data, wrong, GAME, AGREEMENT)


def test_a_log_keeps_chains_without_gaps() -> None:
    log, first = RemarkLog(), opened(payload())
    second = opened(payload(number=2, last=first.hash, text="again"))
    other = opened(payload(seat=3), 3)
    assert (log.next_of(2), log.of(2)) == ((1, NO_REMARK), [])
    for remark, kept in (
        (second, False),  # a gap
        (first, True),
        (first, False),
        (opened(payload(text="something else")), False),  # another first one
        (opened(payload(number=2)), False),  # on another past
        (second, True),
        (other, True),
    ):
        assert log.add(remark) == kept
    assert log.next_of(2) == (3, second.hash)
    assert log.counts(3) == (0, 2, 1)
    assert log.after((0, 0, 0)) == [first, second, other]
    assert log.after((0, 1, 1)) == [second]
    assert log.after((0, 2, 1)) == log.after((9, 9, 9)) == []
    assert (log.of(2)[-1], log.of(3)[-1]) == (second, other)
