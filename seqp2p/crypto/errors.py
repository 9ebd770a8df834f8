"""The one error of this package."""


class CryptoError(ValueError):
    """Bytes that do not decode, or a proof or signature that does not hold.

    The text names the field or the equation, never a secret. The caller knows the owner of the bytes, and so the seat
    to blame.
    """
