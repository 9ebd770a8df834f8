"""Game keys: the commitment, which comes first, and the proof that its owner knows the secret key.

Schnorr's proof for X = x·G: T = w·G, c from the oracle over (context, X, T), s = w + c·x; it holds iff
T = s·G − c·X. The proof is T ‖ s, 33 + 32 bytes. Committing first and proving later excludes rogue keys (computed from
the others' keys) and copied keys.
"""

from seqp2p.crypto.equation import Bracket, Check, Equation, require
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import (
    ORDER,
    POINT_SIZE,
    SCALAR_SIZE,
    G,
    Point,
    Randomness,
    decode_point,
    decode_scalar,
    encode_point,
    encode_scalar,
    mul_base,
)
from seqp2p.crypto.hashing import KEY_COMMITMENT, KEY_NONCE, KEY_PROOF, number, tagged_hash
from seqp2p.crypto.oracle import Context, Oracle, nonces
from seqp2p.i18n import message

KEY_PROOF_SIZE = POINT_SIZE + SCALAR_SIZE
NONCE_SIZE = 32


def key_commitment(game: bytes, seat: int, key: bytes, nonce: bytes) -> bytes:
    """Return SHA-256 over (game, seat, the key's 33 bytes, a fresh nonce of 32 bytes): 32 bytes.

    It is bound to the seat, so a copy of another seat's commitment can never be opened.
    Raises CryptoError for another length of key or nonce.
    """
    if len(key) != POINT_SIZE or len(nonce) != NONCE_SIZE:
        raise CryptoError(
            message("A key takes {right} bytes and its nonce {nonce_size}.", right=POINT_SIZE, nonce_size=NONCE_SIZE)
        )
    return tagged_hash(KEY_COMMITMENT, game, number(seat), key, nonce)


def prove_key(x: int, X: Point, context: Context, randomness: Randomness) -> bytes:
    """Return 65 bytes that prove knowledge of x with X = x·G."""
    oracle = _oracle(X, context)
    while True:
        (w,) = nonces(KEY_NONCE, encode_scalar(x), oracle.digest(), randomness(32), 1)
        T = mul_base(w)
        s = (w + oracle.challenge(encode_point(T)) * x) % ORDER
        if s:
            return encode_point(T) + encode_scalar(s)


def verify_key(X: Point, proof: bytes, context: Context, check: Check = require) -> None:
    """Raise CryptoError unless the proof holds for X in this context."""
    check([key_equation(X, proof, context)])


def key_equation(X: Point, proof: bytes, context: Context) -> Equation:
    """Return the equation that must hold. Raises CryptoError if the proof does not decode, or X is infinity."""
    if len(proof) != KEY_PROOF_SIZE:
        raise CryptoError(
            message("A key proof takes {right} bytes, not {size}.", right=KEY_PROOF_SIZE, size=len(proof))
        )
    T = decode_point(proof[:POINT_SIZE])
    s = decode_scalar(proof[POINT_SIZE:])
    c = _oracle(X, context).challenge(encode_point(T))
    return Equation(message("T of the key proof"), T, (Bracket(1, ((s, G), (-c, X))),))


def _oracle(X: Point, context: Context) -> Oracle:
    oracle = Oracle(KEY_PROOF, context)
    oracle.absorb(encode_point(X))
    return oracle
