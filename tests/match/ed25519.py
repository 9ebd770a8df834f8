"""Ed25519 by hand, for signatures that no library makes: RFC 8032 with a nonce of one's own choice."""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P
NEUTRAL = b"\1" + bytes(31)
"""The encoding of the neutral element: a key of order 1, under which R = NEUTRAL, S = 0 signs everything."""

Affine = tuple[int, int]


def _base() -> Affine:
    square = (BASE_Y * BASE_Y - 1) * pow(D * BASE_Y * BASE_Y + 1, -1, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    return (root if root % 2 == 0 else P - root), BASE_Y


def _add(left: Affine, right: Affine) -> Affine:
    (x_1, y_1), (x_2, y_2) = left, right
    t = D * x_1 * x_2 * y_1 * y_2 % P
    return (x_1 * y_2 + x_2 * y_1) * pow(1 + t, -1, P) % P, (y_1 * y_2 + x_1 * x_2) * pow(1 - t, -1, P) % P


def _times_base(scalar: int) -> bytes:
    total, doubled = (0, 1), _base()
    while scalar:
        if scalar & 1:
            total = _add(total, doubled)
        doubled = _add(doubled, doubled)
        scalar >>= 1
    x, y = total
    return (y | (x & 1) << 255).to_bytes(32, "little")


def sign_with_nonce(seed: bytes, message: bytes, nonce: int) -> bytes:
    """A valid signature over the message, another one for every nonce."""
    expanded = hashlib.sha512(seed).digest()
    secret = int.from_bytes(expanded[:32], "little") & ((1 << 254) - 8) | 1 << 254
    public, R = _times_base(secret), _times_base(nonce)
    h = int.from_bytes(hashlib.sha512(R + public + message).digest(), "little")
    return R + ((nonce + h * secret) % L).to_bytes(32, "little")
