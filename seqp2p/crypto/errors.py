"""The one error of this package."""

from seqp2p.i18n import message


class CryptoError(ValueError):
    """Bytes that do not decode, or a proof or signature that does not hold.

    The text names the field or the equation, never a secret. The caller knows the owner of the bytes, and so the seat
    to blame.
    """


def require_size(what: str, data: bytes, size: int) -> None:
    """Raise CryptoError unless the data has this size in bytes; ``what`` names the data in the text."""
    if len(data) != size:
        raise CryptoError(message("{what} takes {right} bytes, not {size}.", what=what, right=size, size=len(data)))
