"""Section 14.4: SPAKE2 over Ed25519, affine and slow; the words."""

import hashlib
import hmac
import json
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocol.second.basics import ED_L, ED_P

D = -121665 * pow(121666, -1, ED_P) % ED_P
FIXED = {
    "M": "15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a02312",
    "N": "f04f2e7eb734b2a8f8b472eaf9c3c632576ac64aea650b496a8a20ff00e583c3",
    "B": "5866666666666666666666666666666666666666666666666666666666666666",
}

# As section 14.4 says, they are in this file.
_VECTORS = Path(__file__).parents[1] / "vectors" / "words.json"
WORDS: list[str] = json.loads(_VECTORS.read_text("utf-8"))["vectors"][0]["out"]["words"]

Affine = tuple[int, int]


def decode(data: bytes) -> Affine:
    """RFC 8032, 5.1.3."""
    number = int.from_bytes(data, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, ED_P) % ED_P
    x = pow(square, (ED_P + 3) // 8, ED_P)
    if (x * x - square) % ED_P:
        x = x * pow(2, (ED_P - 1) // 4, ED_P) % ED_P
    assert (x * x - square) % ED_P == 0
    return (x if x % 2 == sign else ED_P - x), y


def encode(point: Affine) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def add(left: Affine, right: Affine) -> Affine:
    (x1, y1), (x2, y2) = left, right
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + y1 * x2) * pow(1 + product, -1, ED_P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, ED_P)
    return x % ED_P, y % ED_P


def multiply(scalar: int, point: Affine) -> Affine:
    result: Affine = (0, 1)
    for bit in f"{scalar % ED_L:b}":
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def fixed(name: str) -> Affine:
    return decode(bytes.fromhex(FIXED[name]))


def password(code: str) -> int:
    derived = HKDF(algorithm=hashes.SHA256(), length=48, salt=b"", info=b"SPAKE2 pw").derive(code.encode())
    return int.from_bytes(derived, "big") % ED_L


def pake_message(scalar: int, code: str, blinding: str) -> bytes:
    """scalar·B + w·M, or N."""
    return encode(add(multiply(scalar, fixed("B")), multiply(password(code), fixed(blinding))))


def pake_shared(scalar: int, message: bytes, code: str, blinding: str) -> bytes:
    """scalar·(message − w·N), or M."""
    return encode(multiply(scalar, add(decode(message), multiply(-password(code), fixed(blinding)))))


def confirmations(code: str, ids: bytes, X: bytes, Y: bytes, K: bytes) -> list[bytes]:
    """What proves to the other side that it has typed the code, or shown it: by the joiner, by the host."""
    hashed = [code.encode(), b"seqp2p/1 code joiner\0" + ids, b"seqp2p/1 code host\0" + ids]
    transcript = b"".join(hashlib.sha256(item).digest() for item in hashed) + X + Y + K
    key = hashlib.sha256(transcript).digest()
    return [hmac.digest(key, f"seqp2p/1 confirm {by}\0".encode(), "sha256") for by in ("joiner", "host")]
