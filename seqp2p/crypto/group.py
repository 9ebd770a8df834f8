"""The group: secp256k1 of prime order q and cofactor 1, computed by libsecp256k1.

Only this module knows the bindings (btclib_libsecp256k1), so the group can be changed in one place. Every operation
is total: infinity is an argument and a result like any other point. Only the *encoding* refuses infinity.

Timing. libsecp256k1 multiplies the base point in constant time, so `mul_base` may take any secret. Its
multiplication of another point is variable-time in the scalar: long-lived secrets, and the nonces that would
reveal them, go through `mul_blinded`. Python's own integers are not constant-time either. Blinding hides the many
microseconds of a multiplication, not the nanoseconds of one addition.
"""

import secrets
from binascii import b2a_base64, b2a_hex
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, cast

# The extension module of btclib_libsecp256k1: to import the package around it takes 20 ms more.
import _btclib_libsecp256k1

from seqp2p.crypto.errors import CryptoError, require_size
from seqp2p.crypto.hashing import number, tagged_hash
from seqp2p.i18n import message

Randomness = Callable[[int], bytes]
"""`randomness(n)` gives n fresh, uniform, secret bytes: `secrets.token_bytes` in production."""

ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""q, the number of points (SEC 2, section 2.4.1)."""

Term = tuple[int, "Point"]
"""A scalar, any integer, and the point it multiplies."""

POINT_SIZE: Final = 33
SCALAR_SIZE: Final = 32
_A_POINT: Final = message("A point")
_A_SCALAR: Final = message("A scalar")

WIDTHS: Final = ((7000, 8), (1200, 6), (0, 4))
"""`sum_of_products` cuts scalars into digits of so many bits from so many points on: starting a sum costs about twelve
additions. Other widths would save little, and lose it in Python: bytes, base64 and hexadecimal are digits."""


_bindings = cast("Any", _btclib_libsecp256k1)  # They have no types.
ffi: Final = _bindings.ffi
lib: Final = _bindings.lib

_NO_FLAGS: Final = 1
_COMPRESSED: Final = 1 << 1 | 1 << 8
"""SECP256K1_CONTEXT_NONE and SECP256K1_EC_COMPRESSED of secp256k1.h."""

_context = lib.secp256k1_context_create(_NO_FLAGS)
# This blinds the multiplications of the base point against side channels, and changes no result.
lib.secp256k1_context_randomize(_context, secrets.token_bytes(32))

Raw: TypeAlias = Any
"""A pointer to a secp256k1_pubkey, which is not written to after it was made."""


class Point:
    """A point of the group, infinity included. Immutable; equal and hashed by value."""

    __slots__ = ("_encoded", "raw")

    def __init__(self, raw: Raw | None, encoded: bytes | None = None) -> None:
        # `raw` is for this module alone: a secp256k1_pubkey *, or None for infinity, which has no such value.
        self.raw = raw
        self._encoded = encoded

    @property
    def is_infinity(self) -> bool:
        return self.raw is None

    @property
    def encoded(self) -> bytes:
        """The 33 canonical bytes, computed once; empty for infinity."""
        if self._encoded is None:
            self._encoded = b"" if self.raw is None else _serialized(self.raw)
        return self._encoded

    def __eq__(self, other: object) -> bool:
        return self.encoded == other.encoded if isinstance(other, Point) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.encoded)

    def __repr__(self) -> str:
        return f"Point({self.encoded.hex() or 'infinity'})"


def _serialized(raw: Raw) -> bytes:
    data = ffi.new("unsigned char[]", POINT_SIZE)
    lib.secp256k1_ec_pubkey_serialize(_context, data, ffi.new("size_t *", POINT_SIZE), raw, _COMPRESSED)
    return bytes(ffi.buffer(data))


INFINITY: Final = Point(None)


def mul(point: Point, scalar: int) -> Point:
    """Return scalar·point, for any integer. Variable-time in the scalar (see the module's docstring)."""
    scalar %= ORDER
    if point.raw is None or scalar == 0:
        return INFINITY
    raw = ffi.new("secp256k1_pubkey *", point.raw[0])
    lib.secp256k1_ec_pubkey_tweak_mul(_context, raw, scalar.to_bytes(SCALAR_SIZE, "big"))
    return Point(raw)


def mul_base(scalar: int) -> Point:
    """Return scalar·G, for any integer. Constant-time, so it needs no blinding."""
    scalar %= ORDER
    if scalar == 0:
        return INFINITY
    raw = ffi.new("secp256k1_pubkey *")
    lib.secp256k1_ec_pubkey_create(_context, raw, scalar.to_bytes(SCALAR_SIZE, "big"))
    return Point(raw)


G: Final = mul_base(1)
_BLINDINGS: Final = 5
_LIFT: Final = ORDER << 64


def mul_blinded(point: Point, scalar: int, blinding: int) -> Point:
    """Return scalar·point as (scalar − 5·blinding)·point and five times blinding·point, with a fresh random blinding.

    The two scalars are multiplied in times that are independent. With (scalar − blinding) they are not: of a small
    scalar both take the same time, for b and −b have as many digits.
    """
    # The lifted difference is never negative and always of one length: it is reduced in one time for every scalar.
    rest = mul(point, _LIFT - _BLINDINGS * blinding + scalar)
    return add(rest, *[mul(point, blinding)] * _BLINDINGS)


def sum_points(points: Iterable[Point]) -> Point:
    """Return the sum, infinity for no points. One inversion for the whole sum is far cheaper than adding in pairs."""
    return Point(_sum([point.raw for point in points if point.raw is not None]))


def _sum(raws: list[Raw]) -> Raw | None:
    if len(raws) < 2:
        return raws[0] if raws else None
    raw = ffi.new("secp256k1_pubkey *")
    # For well-formed points secp256k1_ec_pubkey_combine has one reason to fail: the sum is infinity.
    return raw if lib.secp256k1_ec_pubkey_combine(_context, raw, raws, len(raws)) else None


def add(*points: Point) -> Point:
    return sum_points(points)


def neg(point: Point) -> Point:
    if point.raw is None:
        return INFINITY
    raw = ffi.new("secp256k1_pubkey *", point.raw[0])
    lib.secp256k1_ec_pubkey_negate(_context, raw)
    return Point(raw)


def sub(left: Point, right: Point) -> Point:
    return add(left, neg(right))


def combine(*terms: Term) -> Point:
    """Return Σ scalar·point. Variable-time in every scalar, and cheaper than its parts: terms of G are free."""
    base = 0
    summands: list[Point] = []
    products: list[Term] = []
    for scalar, point in terms:
        if point is G:
            base += scalar
        elif scalar == 1:
            summands.append(point)
        else:
            products.append((scalar, point))
    if base and products:
        scalar, point = products.pop()
        summands.append(_mul_add_base(point, scalar, base))
    elif base:
        summands.append(mul_base(base))
    return sum_points([*summands, *(mul(point, scalar) for scalar, point in products)])


def _mul_add_base(point: Point, scalar: int, base: int) -> Point:
    """Return scalar·point + base·G by one double multiplication: some 46 µs where the two and their sum take 56.

    libsecp256k1 has it as the recovery of an ECDSA key (SEC 1, section 4.1.6): (r, s) and the hash z give
    r⁻¹·(s·R − z·G), R being the point with x-coordinate r. R = point, s = r·scalar and z = −r·base give the result,
    provided that x is below q, s is not zero and the result is not infinity. The plain way computes the other cases.
    """
    encoded = point.encoded
    r = int.from_bytes(encoded[1:], "big")
    s = r * scalar % ORDER
    if r < ORDER and s:
        z = (-r * base % ORDER).to_bytes(SCALAR_SIZE, "big")
        signature = ffi.new("secp256k1_ecdsa_recoverable_signature *")
        compact = encoded[1:] + s.to_bytes(SCALAR_SIZE, "big")
        lib.secp256k1_ecdsa_recoverable_signature_parse_compact(_context, signature, compact, encoded[0] - 2)
        raw = ffi.new("secp256k1_pubkey *")
        if lib.secp256k1_ecdsa_recover(_context, raw, signature, z):
            return Point(raw)
    return add(mul(point, scalar), mul_base(base))


_BASE64: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bytes(range(64)))
_HEX: Final = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


def _digits(scalar: int, width: int) -> bytes:
    """Return the digits of 4, 6 or 8 bits of a scalar, one a byte, the first ones first."""
    # 33 bytes are 44 digits of 6 bits.
    data = scalar.to_bytes(SCALAR_SIZE + (width == 6), "big")
    match width:
        case 4:
            return b2a_hex(data).translate(_HEX)
        case 6:
            return b2a_base64(data, newline=False).translate(_BASE64)
        case _:
            return data


def sum_of_products(terms: Sequence[Term]) -> Point:
    """Return Σ scalar·point for many terms, by buckets (Pippenger 1976). Variable-time in every scalar.

    Scalars are cut into digits of w bits. For each place of the digits, points go into buckets by their digit d, and
    every bucket but that of d = 0 is one sum. The buckets are summed up by the first half of the bits of d, and by the
    second: bit j of a half then counts for the sum of those whose half has bit j set, added to twice the total so far,
    one sum a bit. With n points this takes 256/w·n additions inside long sums, each a hundredth of the price of a
    multiplication, and 256/w·2^w sums to start.
    """
    raws = [point.raw for _, point in terms if point.raw is not None]
    width = next(width for count, width in WIDTHS if len(raws) >= count)
    scalars = [_digits(scalar % ORDER, width) for scalar, point in terms if point.raw is not None]
    half, size = width // 2, 1 << width // 2
    total: Raw | None = None
    for column in zip(*scalars, strict=True):
        buckets: list[list[Any]] = [[] for _ in range(1 << width)]
        for digit, raw in zip(column, raws, strict=True):
            buckets[digit].append(raw)
        sums = [None, *map(_sum, buckets[1:])]
        first = [_sum_of(sums[digit : digit + size]) for digit in range(0, len(sums), size)]
        second = [_sum_of(sums[digit::size]) for digit in range(size)]
        for part in (first, second):
            for bit in reversed(range(half)):
                total = _sum_of([total, total, *(each for digit, each in enumerate(part) if digit >> bit & 1)])
    return Point(total)


def _sum_of(raws: "list[Raw | None]") -> Raw | None:
    return _sum([raw for raw in raws if raw is not None])


def encode_point(point: Point) -> bytes:
    """Return 33 bytes: 02 or 03 for an even or odd y, then x, big-endian (SEC 1, section 2.3.3, compressed).

    Raises CryptoError for infinity, which has no encoding here.
    """
    if point.is_infinity:
        raise CryptoError(message("The point at infinity has no encoding."))
    return point.encoded


def decode_point(data: bytes) -> Point:
    """Return the point of 33 canonical bytes. Raises CryptoError for anything else; infinity cannot be written."""
    require_size(_A_POINT, data, POINT_SIZE)
    raw = ffi.new("secp256k1_pubkey *")
    # Of 33 bytes libsecp256k1 takes the prefixes 02 and 03, x below p, and x of a point on the curve: nothing else.
    if not lib.secp256k1_ec_pubkey_parse(_context, raw, data, POINT_SIZE):
        raise CryptoError(message("These 33 bytes are not a point of secp256k1 in compressed form."))
    return Point(raw, data)


def encode_scalar(scalar: int) -> bytes:
    """Return 32 bytes, big-endian. Raises CryptoError outside 1 … q−1, without showing the scalar."""
    if not 0 < scalar < ORDER:
        raise CryptoError(message("A scalar that is written must be in 1 … q−1."))
    return scalar.to_bytes(SCALAR_SIZE, "big")


def decode_scalar(data: bytes) -> int:
    """Return a scalar in 1 … q−1 from 32 bytes. Raises CryptoError for anything else."""
    require_size(_A_SCALAR, data, SCALAR_SIZE)
    scalar = int.from_bytes(data, "big")
    if not 0 < scalar < ORDER:
        raise CryptoError(message("A scalar must be in 1 … q−1."))
    return scalar


def encode_points(points: Sequence[Point]) -> bytes:
    """Return the encodings, joined. Raises CryptoError for infinity."""
    data = b"".join([point.encoded for point in points])
    if len(data) != len(points) * POINT_SIZE:
        raise CryptoError(message("The point at infinity has no encoding."))
    return data


def decode_points(data: bytes, count: int) -> tuple[Point, ...]:
    """Return `count` points from exactly 33·count bytes. Raises CryptoError."""
    if len(data) != count * POINT_SIZE:
        values = {"count": count, "right": count * POINT_SIZE, "size": len(data)}
        raise CryptoError(message("{count} points take {right} bytes, not {size}.", **values))
    return tuple([decode_point(data[i : i + POINT_SIZE]) for i in range(0, len(data), POINT_SIZE)])


def hash_to_point(label: str, index: int) -> Point:
    """Return a point of unknown discrete logarithm, by try-and-increment.

    x = SHA-256(label ‖ 0 ‖ framed(index, counter)), both of 4 bytes. The first counter from 0 for which 02 ‖ x is a
    point gives the result. Not constant-time: the input is public.
    """
    counter = 0
    while True:
        x = tagged_hash(label, number(index), number(counter))
        try:
            return decode_point(b"\2" + x)
        except CryptoError:
            counter += 1


def random_scalar(randomness: Randomness) -> int:
    """Return a uniform scalar in 1 … q−1: draw 32 bytes until they are in the range (the first ones nearly always)."""
    while True:
        scalar = int.from_bytes(randomness(SCALAR_SIZE), "big")
        if 0 < scalar < ORDER:
            return scalar


def random_below(bound: int, randomness: Randomness) -> int:
    """Return a uniform number in 0 … bound−1, by rejection: no modulo, so no bias. `bound` is at least 1."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        number = int.from_bytes(randomness(size), "big") & ((1 << bits) - 1)
        if number < bound:
            return number
