"""The schema takes every real record, payload and message, and none with a small difference."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import pytest

from seqp2p.lobby.address_statement import AddressEntry, AddressPayload
from seqp2p.lobby.lines import LinePayload
from seqp2p.match.encoding import encode
from seqp2p.match.table import decode_agreement
from seqp2p.replay.format import records
from tests.net.test_messages import SAMPLES
from tests.protocol.reading import PROTOCOL, REPLAYS, ROOT, vectors

pycddl = pytest.importorskip("pycddl", reason="it has no wheel for this Python")

SCHEMA = (PROTOCOL / "schema.cddl").read_text("utf-8")
KEY = bytes(32)


def schema(rule: str) -> Any:
    """A validator of one rule: the first of a schema is what it validates."""
    return pycddl.Schema(f"validated = {rule}\n{SCHEMA}")


def as_cbor(value: Any) -> bytes:
    """Plain data as CBOR (RFC 8949), of which the validator knows."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        return _head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(as_cbor, value))
    assert isinstance(value, dict)
    return _head(5, len(value)) + b"".join(as_cbor(part) for item in value.items() for part in item)


def _head(major: int, value: int) -> bytes:
    if value < 24:
        return bytes([major << 5 | value])
    size = next(size for size in (1, 2, 4, 8) if value < 1 << 8 * size)
    return bytes([major << 5 | 24 + size.bit_length() - 1]) + value.to_bytes(size, "big")


def taken(rule: Any, value: Any) -> bool:
    try:
        rule.validate_cbor(as_cbor(value))
    except pycddl.ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    "name", ["kids_2_won_ok", "over_signed_by_two_of_three_ok", "equivocation_fail", "stopped_in_a_step_fail"]
)
def test_records_and_payloads(name: str) -> None:
    record_rule, payload_rule, table_rule = schema("any-record"), schema("any-payload"), schema("table-agreement")
    seen = set[str]()
    for plain in plain_records(REPLAYS / f"{name}.seqp2p"):
        _judge(record_rule, plain, seen, plain["t"])
        for payload, _ in plain.get("contributions", ()):
            envelope = msgpack.unpackb(payload)
            _judge(payload_rule, envelope, seen, f"a payload, {envelope['kind']}")
        if plain["t"] == "table":
            _judge(table_rule, msgpack.unpackb(plain["agreement"]), seen, "an agreement")
    assert {"an agreement", "a payload, seat", "table", "end"} <= seen


def test_options() -> None:
    record_rule, payload_rule, remark_rule = schema("any-record"), schema("any-payload"), schema("remark-payload")
    seen = set[str]()
    for plain in plain_records(ROOT / "replays" / "classic-4-options.seqp2p"):
        if plain["t"] == "remark":
            _judge(record_rule, plain, seen, "remark")
            _judge(remark_rule, msgpack.unpackb(plain["payload"]), seen, "a remark")
        for payload, _ in plain.get("contributions", ()):
            envelope = msgpack.unpackb(payload)
            if envelope["kind"] in ("turn", "late", "discard"):
                _judge(payload_rule, envelope, seen, f"{envelope['kind']}, {len(envelope['body'])} keys")
    assert seen == {"remark", "a remark", "turn, 3 keys", "turn, 4 keys", "late, 4 keys", "discard, 4 keys"}


def plain_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a replay as plain data."""
    for placed in records(path.read_bytes()):
        yield _lists(msgspec.to_builtins(placed.record, builtin_types=(bytes,)))


def _judge(rule: Any, plain: dict[str, Any], seen: set[str], what: str) -> None:
    """It is taken; the first of its kind is not, with anything changed in it."""
    if what in seen:
        assert taken(rule, plain), what
    else:
        seen.add(what)
        assert_exact(rule, plain)


def assert_exact(rule: Any, plain: dict[str, Any], *wrong: dict[str, Any]) -> None:
    """A rule takes this, and not with anything changed in it, nor with these values."""
    assert taken(rule, plain), plain
    for changed in (*_changes(plain), *(plain | each for each in wrong)):
        assert not taken(rule, changed), changed


def _lists(value: Any) -> Any:
    """Plain data with lists for tuples."""
    if isinstance(value, dict):
        return {key: _lists(part) for key, part in value.items()}
    return [_lists(part) for part in value] if isinstance(value, list | tuple) else value


def _changes(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The map with a key more, with each key missing, with each value of another type, with byte strings too long."""
    yield value | {"extra": 1}
    for key, part in value.items():
        yield {other: kept for other, kept in value.items() if other != key}
        yield value | {key: 1.5}
        if isinstance(part, bytes) and len(part) in (32, 33, 64, 65, 98):
            yield value | {key: part + b"\0"}


def test_agreements_of_the_vectors() -> None:
    rule = schema("table-agreement")
    for vector in vectors("agreements"):
        if vector["expect"] == "ok":
            data = bytes.fromhex(vector["in"]["bytes"])
            assert taken(rule, msgpack.unpackb(data))
            decode_agreement(data)


def test_messages() -> None:
    rule = schema("any-message")
    for message in SAMPLES:
        assert_exact(rule, msgpack.unpackb(encode(message)))
    assert not taken(rule, {"type": "pong"})


def test_where_a_seat_listens() -> None:
    entries = (AddressEntry(1, "127.0.0.1:4610"), AddressEntry(255, "a kind to come"))
    plain = msgpack.unpackb(encode(AddressPayload(1, KEY, KEY, 1, entries)))
    assert_exact(
        schema("address-payload"), plain, {"number": 1001}, {"number": 0}, {"entries": plain["entries"][:1] * 9}
    )


def test_what_a_line_of_a_lobby_signs() -> None:
    plain = msgpack.unpackb(encode(LinePayload(1, KEY, KEY, 1, "hello")))
    assert_exact(schema("line-payload"), plain, {"number": 0}, {"number": 1 << 31})


@pytest.mark.parametrize("name", ["skip_a_turn_ok", "forfeit_fail"])
def test_certificates_and_leaves(name: str) -> None:
    record_rule, ballot_rule, leave_rule = schema("any-record"), schema("ballot-payload"), schema("leave-payload")
    seen = set[str]()
    for plain in plain_records(REPLAYS / f"{name}.seqp2p"):
        if plain["t"] not in ("certificate", "leave"):
            continue
        _judge(record_rule, plain, seen, plain["t"])
        for payload, _ in plain.get("ballots", ()):
            _judge(ballot_rule, msgpack.unpackb(payload), seen, "a ballot")
        if plain["t"] == "leave":
            _judge(leave_rule, msgpack.unpackb(plain["payload"]), seen, "a leave")
    assert seen == ({"certificate", "a ballot"} if name == "skip_a_turn_ok" else {"leave", "a leave"})


def test_heads() -> None:
    heads = [vector for vector in vectors("ballots") if vector["in"].get("kind") == "head" and vector["expect"] == "ok"]
    (vector,) = heads
    assert_exact(schema("head-payload"), msgpack.unpackb(bytes.fromhex(vector["in"]["payload"])))


def test_link_statement() -> None:
    (vector,) = (vector for vector in vectors("links") if vector["primitive"] == "link statement")
    assert_exact(schema("link-statement"), msgpack.unpackb(bytes.fromhex(vector["out"]["statement"])))
