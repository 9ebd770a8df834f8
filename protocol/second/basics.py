"""Sections 1 to 4 and 9: encodings, hashes, identities, the group, joint randomness."""

import base64
import hashlib
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgpack
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

P = 2**256 - 2**32 - 977
Q = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
ED_P = 2**255 - 19
ED_L = 2**252 + 27742317777372353535851937790883648493
ED_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7

Point = tuple[int, int] | None


class Encoding(Exception):
    """Bytes that are not in their form."""


class Refused(Exception):
    """A proof, signature or statement that does not hold."""


@contextmanager
def raising(failure: Exception) -> Iterator[None]:
    """What is not in its form or does not hold in the block is this failure."""
    try:
        yield
    except (Encoding, Refused):
        raise failure from None


# 1. Encodings


def pack(value: Any) -> bytes:
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return _number(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return _sized(len(data), 0xA0, 32, b"\xd9\xda\xdb") + data
    if isinstance(value, bytes):
        return _sized(len(value), 0, 0, b"\xc4\xc5\xc6") + value
    if isinstance(value, dict):
        items = [part for key, item in value.items() for part in (key, item)]
        return _sized(len(value), 0x80, 16, b"\x00\xde\xdf") + b"".join(map(pack, items))
    assert isinstance(value, list)
    return _sized(len(value), 0x90, 16, b"\x00\xdc\xdd") + b"".join(map(pack, value))


def _number(value: int) -> bytes:
    if 0 <= value < 128 or -32 <= value < 0:
        return struct.pack("b" if value < 0 else "B", value)
    forms = ((b"\xd0", "b"), (b"\xd1", ">h"), (b"\xd2", ">i"), (b"\xd3", ">q"))
    if value >= 0:
        forms = ((b"\xcc", "B"), (b"\xcd", ">H"), (b"\xce", ">I"), (b"\xcf", ">Q"))
    for prefix, form in forms:
        try:
            return prefix + struct.pack(form, value)
        except struct.error:
            continue
    raise Encoding("an integer too large")


def _sized(size: int, fixed: int, below: int, prefixes: bytes) -> bytes:
    if size < below:
        return bytes([fixed | size])
    for prefix, width in zip(prefixes, (1, 2, 4), strict=True):
        if prefix and size < 1 << 8 * width:
            return bytes([prefix]) + size.to_bytes(width, "big")
    raise Encoding("too long")


def unpack(data: bytes, values_max: int = 256) -> Any:
    try:
        value = msgpack.unpackb(data, raw=False, strict_map_key=False, max_ext_len=0)
    # What msgpack documents, and what its parts raise.
    except (ValueError, TypeError, msgpack.UnpackException, RecursionError) as error:
        raise Encoding(str(error)) from None
    require(_count(value) <= values_max and pack(value) == data, "not canonical")
    return value


def _count(value: Any, levels: int = 8) -> int:
    """How many values it has; Encoding if it has more levels of maps and arrays, or is not plain."""
    if not isinstance(value, (dict, list)):
        require(value is None or type(value) in (bool, int, float, str, bytes))
        return 1
    keys, parts = (value.keys(), value.values()) if isinstance(value, dict) else ((), value)
    require(levels and all(isinstance(key, (str, bytes)) for key in keys))
    return 1 + len(keys) + sum(_count(part, levels - 1) for part in parts)


def unpack_map(data: bytes, *keys: str, size_max: int, values_max: int = 256) -> dict[str, Any]:
    """A map with these keys, in their order."""
    require(0 < len(data) <= size_max)
    value = unpack(data, values_max)
    require(type(value) is dict and list(value) == list(keys))
    found: dict[str, Any] = value
    return found


def require(condition: object, text: str = "not in its form") -> None:
    if not condition:
        raise Encoding(text)


def is_int(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def is_bytes(value: Any, *sizes: int) -> bool:
    return type(value) is bytes and len(value) in sizes


# As section 5 says, they are in this file.
_VECTORS = Path(__file__).parents[1] / "vectors" / "characters.json"
CHARACTERS: dict[str, list[str]] = {
    each["name"]: each["out"]["ranges"] for each in json.loads(_VECTORS.read_text("utf-8"))["vectors"]
}
HIDDEN, MARKS = CHARACTERS["hidden"], CHARACTERS["marks"]


def is_in(ranges: list[str], character: str) -> bool:
    bounds = ([int(bound, 16) for bound in some.split("-")] for some in ranges)
    return any(some[0] <= ord(character) <= some[-1] for some in bounds)


def is_text(text: str, length_max: int) -> bool:
    return 1 <= len(text) <= length_max and not any(is_in(HIDDEN, c) for c in text) and "" not in text.split(" ")


def is_name(text: str) -> bool:
    marks = [is_in(MARKS, c) for c in text]
    return is_text(text, 24) and not marks[0] and not any(all(marks[at : at + 5]) for at in range(len(marks) - 4))


# 2. Hashes


def u32(value: int) -> bytes:
    return value.to_bytes(4, "big")


def framed(*items: bytes) -> bytes:
    return b"".join(u32(len(item)) + item for item in items)


def H(label: str, *items: bytes) -> bytes:
    return hashlib.sha256(label.encode() + b"\0" + framed(*items)).digest()


# 3. Identities


def check_identity_point(data: bytes) -> None:
    y = int.from_bytes(data, "little") & (1 << 255) - 1
    require(len(data) == 32 and y < ED_P)
    if y in (0, 1, ED_P - 1, ED_ORDER_8, ED_P - ED_ORDER_8):
        raise Refused("small order")


def check_signature(key: bytes, label: str, data: bytes, signature: bytes) -> None:
    check_identity_point(key)
    require(len(signature) == 64)
    check_identity_point(signature[:32])
    require(int.from_bytes(signature[32:], "little") < ED_L)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, label.encode() + b"\0" + data)
    except InvalidSignature:
        raise Refused("signature") from None


def fingerprint(key: bytes) -> str:
    text = base64.b32encode(H("seqp2p/1 fingerprint", key)[:10]).decode().lower()
    return "-".join(text[at : at + 4] for at in (0, 4, 8, 12))


# 4. The group


def read_point(data: bytes) -> Point:
    require(len(data) == 33 and data[0] in (2, 3))
    x = int.from_bytes(data[1:], "big")
    require(x < P)
    y = pow(x**3 + 7, (P + 1) // 4, P)
    require(y * y % P == (x**3 + 7) % P)
    return x, y if y % 2 == data[0] % 2 else P - y


def write_point(point: Point) -> bytes:
    require(point is not None, "infinity")
    assert point is not None
    return bytes([2 + point[1] % 2]) + point[0].to_bytes(32, "big")


def read_points(data: bytes, count: int) -> list[Point]:
    require(len(data) == 33 * count)
    return [read_point(data[33 * k : 33 * k + 33]) for k in range(count)]


def read_scalar(data: bytes) -> int:
    value = int.from_bytes(data, "big")
    require(len(data) == 32 and 0 < value < Q)
    return value


Jacobian = tuple[int, int, int]


def _double(X: int, Y: int, Z: int) -> Jacobian:
    yy = Y * Y % P
    s = 4 * X * yy % P
    m = 3 * X * X
    x = (m * m - 2 * s) % P
    return x, (m * (s - x) - 8 * yy * yy) % P, 2 * Y * Z % P


def _add(left: Jacobian, right: Jacobian) -> Jacobian:
    if not left[2] or not right[2]:
        return right if not left[2] else left
    X1, Y1, Z1 = left
    X2, Y2, Z2 = right
    z1, z2 = Z1 * Z1 % P, Z2 * Z2 % P
    u1, u2 = X1 * z2 % P, X2 * z1 % P
    s1, s2 = Y1 * z2 * Z2 % P, Y2 * z1 * Z1 % P
    if u1 == u2:
        return _double(*left) if s1 == s2 else (1, 1, 0)
    h, r = u2 - u1, s2 - s1
    hh = h * h % P
    hhh, v = h * hh % P, u1 * hh % P
    x = (r * r - hhh - 2 * v) % P
    return x, (r * (v - x) - s1 * hhh) % P, Z1 * Z2 * h % P


def total(*terms: tuple[int, Point]) -> Point:
    """Σ scalar·point: those of 1 and −1 just added, the others four bits at a time together (Straus)."""
    single: Jacobian = (1, 1, 0)
    tables = []
    for scalar, point in terms:
        if point is None:
            continue
        if abs(scalar) == 1:
            single = _add(single, (point[0], scalar * point[1] % P, 1))
            continue
        table: list[Jacobian] = [(1, 1, 0)]
        for _ in range(15):
            table.append(_add(table[-1], (point[0], point[1], 1)))
        tables.append((scalar % Q, table))
    result: Jacobian = (1, 1, 0)
    for shift in range(252, -4, -4):
        for _ in range(4 if result[2] else 0):
            result = _double(*result)
        for scalar, table in tables:
            if digit := scalar >> shift & 15:
                result = _add(result, table[digit])
    result = _add(result, single)
    if not result[2]:
        return None
    inverse = pow(result[2], -1, P)
    return result[0] * inverse**2 % P, result[1] * inverse**3 % P


G = read_point(bytes.fromhex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"))


@cache
def hash_point(label: str, index: int) -> Point:
    counter = 0
    while True:
        try:
            return read_point(b"\2" + H(label, u32(index), u32(counter)))
        except Encoding:
            counter += 1


# 9. Joint randomness


def joint_words(seed: bytes) -> Iterator[int]:
    j = 0
    while True:
        yield from struct.unpack(">8I", H("seqp2p/1 joint", seed, u32(j)))
        j += 1


def below(words: Iterator[int], n: int) -> int:
    return next(w for w in words if w < 2**32 - 2**32 % n) % n


def permutation(words: Iterator[int], n: int) -> list[int]:
    order = list(range(n))
    for place in range(n - 1, 0, -1):
        other = below(words, place + 1)
        order[place], order[other] = order[other], order[place]
    return order
