"""Bytes that are nearly right: changed as bytes, or as what they consist of (frames, msgpack values, text).

Everything here is a function of the dice, so that a seed says all.
"""

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgpack

Change = Callable[[bytes, random.Random], bytes]

# Lengths and numbers at which something may tip over.
_EDGES: Final = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63, 2**64 - 1)
# Heads of msgpack values that promise more than comes, or of kinds that no record has.
_HEADS: Final = (b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9", b"\xc1", b"\xd4\x05\x00", b"\xd6\xff", b"\xc7\x0c\xff")
_BOMBS: Final = (b"\x91" * 600, b"\x81\xa0" * 400, b"\x90" * 2_000, b"\xdd\xff\xff\xff\xff", b"\xdf\x7f\xff\xff\xff")
_STRANGE: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.0, float("nan"), float("inf"), 2**63, -(2**63), "", "\0", "\x1b[2J", "\u202e",
    "é" * 300, b"", bytes(32), bytes(64), [], {}, [[]], {"": {}}, [None] * 40, {"a": 1, "b": [{}]}, "x" * 5000,
)  # fmt: skip
_DEPTH_MAX: Final = 12  # of what is taken apart: deeper ones are bombs already
_ODDS: Final = 0.3  # of one more change, and of looking further inside


def mutated(data: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    """Bytes like these, but for a few changes; parts of ``others`` may stand in them."""
    while True:
        data = _changed(data, others, dice)
        if dice.random() > _ODDS:
            return data


def _changed(data: bytes, others: Sequence[bytes], dice: random.Random) -> bytes:
    framed = frames_in(data)
    if framed is not None and framed[1] and dice.random() > _ODDS:
        return _changed_frames(*framed, others, dice)
    if dice.random() > _ODDS and (value := _value(data)) is not None:
        return loosely_packed(_changed_value(value, others, dice), dice)
    if others and dice.random() < _ODDS:
        return _spliced(data, dice.choice(others), dice)
    return dice.choice(_BYTE_CHANGES)(data, dice)


def _changed_frames(stem: bytes, frames: list[bytes], others: Sequence[bytes], dice: random.Random) -> bytes:
    """One frame changed inside, or frames moved about; the lengths fit."""
    at = dice.randrange(len(frames))
    match dice.randrange(6):
        case 0:
            del frames[at]
        case 1:
            frames.insert(dice.randrange(len(frames) + 1), frames[at])
        case 2:
            frames.insert(dice.randrange(len(frames)), frames.pop(at))
        case _:
            frames[at] = _changed(frames[at], others, dice)
    return stem + b"".join(len(each).to_bytes(4, "big") + each for each in frames)


def _value(data: bytes) -> Any:
    """The msgpack map or array that these bytes are, or None."""
    try:
        value = msgpack.unpackb(data, raw=False, strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException):
        return None
    return value if isinstance(value, dict | list) and value and _is_flat(value, _DEPTH_MAX) else None


def _is_flat(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_flat(part, levels - 1) for part in parts)


def _changed_value(value: Any, others: Sequence[bytes], dice: random.Random) -> Any:
    """One change somewhere inside."""
    if isinstance(value, dict) and value:
        return _changed_map(dict(value), others, dice)
    if isinstance(value, list) and value:
        at = dice.randrange(len(value))
        match dice.randrange(5):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value[:at] + [value[at]] * dice.choice((2, 3, 13, 70))
            case 2:
                return dice.sample(value, len(value))
            case _:
                return [*value[:at], _changed_value(value[at], others, dice), *value[at + 1 :]]
    return _changed_leaf(value, others, dice)


def _changed_map(value: dict[Any, Any], others: Sequence[bytes], dice: random.Random) -> Any:
    key = dice.choice(list(value))
    match dice.randrange(8):
        case 0:
            del value[key]
        case 1:
            value[dice.choice(("", "v", "type", "zz", b"v", "\x1b[2J"))] = value[key]
        case 2:
            value = dict(dice.sample(list(value.items()), len(value)))
        case _:
            value[key] = _changed_value(value[key], others, dice)
    return value


def _changed_leaf(value: Any, others: Sequence[bytes], dice: random.Random) -> Any:
    if dice.random() < _ODDS:
        return dice.choice(_STRANGE)
    if isinstance(value, bytes):
        return _changed(value, others, dice) if value else dice.choice(_BOMBS)
    if isinstance(value, str):
        return dice.choice(_BYTE_CHANGES)(value.encode("utf-8", "replace"), dice).decode("utf-8", "replace")
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-(2**63), min(2**64 - 1, dice.choice((value - 1, value + 1, -value, *_EDGES))))
    return dice.choice(_STRANGE)


def loosely_packed(value: Any, dice: random.Random) -> bytes:
    """A value as msgpack; now and then in a form that no writer of records gives it."""
    odd = dice.random() < 0.02
    if isinstance(value, dict):
        pairs = [loosely_packed(key, dice) + loosely_packed(each, dice) for key, each in value.items()]
        if odd and pairs:
            pairs.append(dice.choice(pairs))  # a key twice
        head = struct.pack(">BI", 0xDF, len(pairs)) if odd and not pairs else _head(len(pairs), 0x80, 0xDE)
        return head + b"".join(pairs)
    if isinstance(value, list):
        return _head(len(value), 0x90, 0xDC) + b"".join(loosely_packed(each, dice) for each in value)
    if odd and isinstance(value, int) and 0 <= value < 2**32:
        return struct.pack(">BI", 0xCE, value) if dice.random() < 0.5 else struct.pack(">Bd", 0xCB, value)
    if odd and isinstance(value, str):
        return struct.pack(">BI", 0xDB, len(value.encode())) + value.encode()
    return bytes(msgpack.packb(value, use_bin_type=True))


def _head(count: int, short: int, long: int) -> bytes:
    return bytes([short + count]) if count < 16 else struct.pack(">BH", long, count)


def frames_in(data: bytes) -> tuple[bytes, list[bytes]] | None:
    """Return the magic line, or nothing, and the frames, each after its length in four bytes; None for other bytes."""
    line = data[: data.find(b"\n", 0, 32) + 1] if data.startswith(b"seqp2p") else b""
    frames, at = list[bytes](), len(line)
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "big")
        if end > len(data) or at + 4 > len(data):
            return None
        frames.append(data[at + 4 : end])
        at = end
    return line, frames


def _flip(data: bytes, dice: random.Random) -> bytes:
    if not data:
        return dice.randbytes(1)
    at = dice.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]


def _put(data: bytes, dice: random.Random) -> bytes:
    at, what = dice.randint(0, len(data)), dice.choice((dice.randbytes(dice.randint(1, 8)), *_HEADS, *_BOMBS))
    return data[:at] + what + data[at + dice.choice((0, len(what))) :]


def _cut(data: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(data))
    return data[:at] + data[at + dice.choice((1, 4, 30, len(data))) :]


def _double(data: bytes, dice: random.Random) -> bytes:
    at, size = dice.randint(0, len(data)), dice.choice((1, 4, 30))
    return data[: at + size] + data[at : at + size] * dice.choice((1, 2, 60)) + data[at + size :]


def _number(data: bytes, dice: random.Random) -> bytes:
    """A length or a number becomes an edge."""
    size, at = dice.choice((1, 2, 4, 8)), dice.randint(0, len(data))
    number = dice.choice(_EDGES).to_bytes(8, "big")[-size:]
    return data[:at] + number + data[at + size :]


def _spliced(data: bytes, other: bytes, dice: random.Random) -> bytes:
    at, first = dice.randint(0, len(data)), dice.randint(0, len(other))
    last = dice.randint(first, min(len(other), first + 200))
    return data[:at] + other[first:last] + data[dice.choice((at, at + last - first, len(data))) :]


_BYTE_CHANGES: Final[tuple[Change, ...]] = (_flip, _flip, _put, _cut, _double, _number)
