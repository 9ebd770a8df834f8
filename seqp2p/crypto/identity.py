"""Keys: Ed25519 identities (RFC 8032) that sign everything a player says, and X25519 (RFC 7748) for shared secrets.

Each signature has a label for its purpose: it is over label ‖ 0x00 ‖ data. The check is the strict one: OpenSSL's (no
cofactor: R must be the very bytes of S·B − h·A, and S < L), and every key and every R must be canonical and not of
small order. OpenSSL accepts the others: under the key 01 00 … 00 one signature fits every message.
"""

import base64
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from seqp2p.arguments import check_arguments
from seqp2p.crypto.errors import CryptoError, require_size
from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import FINGERPRINT, label_bytes, tagged_hash
from seqp2p.i18n import message

PUBLIC_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64
EXCHANGE_SIZE: Final = 32
_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_Y_OF_ORDER_8: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER: Final = frozenset({1, _P - 1, 0, _Y_OF_ORDER_8, _P - _Y_OF_ORDER_8})
"""The y of the eight points of order 1, 2, 4, 4, 8, 8, 8, 8. None is a key, with either sign of x."""


class Identity:
    """A player's own key pair. Never prints its secret."""

    @check_arguments
    def __init__(self, seed: bytes) -> None:
        """Make the identity of the 32 secret bytes of RFC 8032. Raises CryptoError for another length."""
        require_size(message("The secret of an identity"), seed, PUBLIC_SIZE)
        self.private_key: Final = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: Final = self.private_key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls, randomness: Randomness) -> "Identity":
        return cls(randomness(PUBLIC_SIZE))

    def secret_bytes(self) -> bytes:
        """Return the 32 bytes to keep in a file of mode 0600."""
        return self.private_key.private_bytes_raw()

    def __repr__(self) -> str:
        return f"Identity({fingerprint(self.public)})"


class ExchangeKey:
    """A key pair for one game. Never prints its secret."""

    def __init__(self, secret: bytes) -> None:
        """Make the key pair of 32 secret bytes."""
        self._private: Final = X25519PrivateKey.from_private_bytes(secret)
        self.public: Final = self._private.public_key().public_bytes_raw()

    @classmethod
    def generate(cls, randomness: Randomness) -> "ExchangeKey":
        return cls(randomness(EXCHANGE_SIZE))

    def secret_bytes(self) -> bytes:
        """Return the 32 bytes to keep in a file of mode 0600."""
        return self._private.private_bytes_raw()

    def shared(self, public: bytes) -> bytes:
        """Return the secret shared with the owner of this key, 32 bytes.

        Raises CryptoError for a key of small order, with which everybody would have the same secret.
        """
        try:
            return self._private.exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError:
            raise CryptoError(message("The key of an exchange has small order.")) from None

    def __repr__(self) -> str:
        return f"ExchangeKey({self.public.hex()})"


def sign(identity: Identity, label: str, data: bytes) -> bytes:
    """Return 64 bytes, R ‖ S, over label ‖ 0x00 ‖ data. The labels are in hashing.py."""
    return identity.private_key.sign(label_bytes(label) + data)


def verify(public: bytes, label: str, data: bytes, signature: bytes) -> None:
    """Raise CryptoError unless the signature over label ‖ 0x00 ‖ data is the key's."""
    key = _key(public)
    require_size(message("A signature"), signature, SIGNATURE_SIZE)
    _check_point(signature[:32], message("The point R of the signature"))
    if int.from_bytes(signature[32:], "little") >= _L:
        raise CryptoError(message("The number S of the signature is not below L."))
    try:
        key.verify(signature, label_bytes(label) + data)
    except InvalidSignature as error:
        raise CryptoError(message("The signature is not this key's over these bytes.")) from error


def check_public(public: bytes) -> None:
    """Raise CryptoError unless these 32 bytes can be an identity key: canonical, not of small order."""
    require_size(message("An identity key"), public, PUBLIC_SIZE)
    _check_point(public, message("The identity key"))


@check_arguments
def fingerprint(public: bytes) -> str:
    """Return 80 bits of a hash of the key for people to compare, as in `kq3w-7hpd-x2mc-a5tn`."""
    text = base64.b32encode(tagged_hash(FINGERPRINT, public)[:10]).decode("ascii").lower()
    return "-".join(text[i : i + 4] for i in range(0, 16, 4))


@lru_cache(maxsize=64)
def _key(public: bytes) -> Ed25519PublicKey:
    """Return a checked key; the keys of a table are checked once. Raises CryptoError."""
    check_public(public)
    return Ed25519PublicKey.from_public_bytes(public)


def _check_point(data: bytes, name: str) -> None:
    # The top bit is the sign of x. Where x is 0 the sign must be 0 too, but there y is 1 or −1: small order.
    y = int.from_bytes(data, "little") & ((1 << 255) - 1)
    if y >= _P:
        raise CryptoError(message("{name} is not in canonical form.", name=name))
    if y in _SMALL_ORDER:
        raise CryptoError(message("{name} has small order: it would fit any message.", name=name))
