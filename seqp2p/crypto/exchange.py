"""Key exchange: X25519 (RFC 7748), for a secret that two seats share and nobody else can name."""

from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message

EXCHANGE_SIZE: Final = 32


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
