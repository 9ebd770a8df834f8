"""The join code at work: SPAKE2 between joiner (side A) and host (side B), with explicit key confirmation.

Theory of operation.

    joiner                                   host
      pake_a  ───────────────────────────────▶
      ◀───────────────────────────────  pake_b     from here on it counts as a try
      confirm ───────────────────────────────▶     wrong: refused (wrong_code, or code_burned at the last try)
      ◀──────────────────────────────  confirm     the try is taken back

Both sides bind the exchange to their roles, both identity keys and the hash of the host's certificate. So a man in the
middle, with other keys, gets two exchanges that do not fit together, and one try in each. The joiner confirms first: a
host learns nothing that it could check a guess against before its own guess is used up. A code is never a key: the
messages cannot be searched offline. Source: SPAKE2 as in RFC 9382 with the group, M and N
of the package ``spake2`` (Ed25519); the confirmations are HMAC-SHA256 of a label under the shared key.
"""

import hmac
from collections.abc import Callable
from typing import Any, Final

import spake2
import trio
from spake2.ed25519_basic import NotOnCurve

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import label_bytes
from seqp2p.i18n import message
from seqp2p.lobby.code import public_part
from seqp2p.net.auth import receive, send
from seqp2p.net.errors import PeerError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB

CODE_JOINER: Final = "seqp2p/1 code joiner"
CODE_HOST: Final = "seqp2p/1 code host"
CONFIRM_JOINER: Final = "seqp2p/1 confirm joiner"
CONFIRM_HOST: Final = "seqp2p/1 confirm host"


class Exchange:
    """One side of one exchange: a message out, a message in, then two confirmations."""

    def __init__(
        self,
        code: str,
        joiner_key: bytes,
        host_key: bytes,
        certificate_hash: bytes,
        randomness: Randomness,
        *,
        host: bool,
    ) -> None:
        """The keys and the hash have 32 bytes each."""
        keys = joiner_key + host_key + certificate_hash
        side = spake2.SPAKE2_B if host else spake2.SPAKE2_A
        self._side: Any = side(
            code.encode("ascii"),
            idA=label_bytes(CODE_JOINER) + keys,
            idB=label_bytes(CODE_HOST) + keys,
            entropy_f=randomness,
        )
        self.message: Final[bytes] = self._side.start()
        """33 bytes to send."""
        self.code: Final = code
        self.answered = False
        """True if the other side's message has come: from then on the code is tried."""

    def finish(self, received: bytes) -> tuple[bytes, bytes]:
        """Return the joiner's and the host's confirmation, 32 bytes each; raises PeerError for a damaged message."""
        try:
            key: bytes = self._side.finish(received)
        # The package's failures: not a point of the group, not the other side's, or one's own message returned.
        except (NotOnCurve, ValueError, spake2.SPAKEError):
            raise PeerError(message("The other side did not send a message of the code exchange.")) from None
        joiner, host = (hmac.digest(key, label_bytes(label), "sha256") for label in (CONFIRM_JOINER, CONFIRM_HOST))
        return joiner, host


async def give_code(
    frames: FrameStream, exchange: Exchange, limits: Limits, on_wait: Callable[[], None] = lambda: None
) -> None:
    """Run the joiner's side, once: a joiner never tries a code again by itself.

    ``on_wait`` is called if the host does not answer at once, because others come first.
    Raises PeerRefused ("wrong_code", "code_burned"), PeerError, LinkLost. The caller bounds the time.
    """
    number, words = public_part(exchange.code)
    await send(frames, PakeA(number, words, exchange.message))
    answer = None
    with trio.move_on_after(limits.code_hurry_s):
        answer = await receive(frames, LinkStage.CODE_JOINER, limits)
    if answer is None:
        on_wait()
        answer = await receive(frames, LinkStage.CODE_JOINER, limits)
    if not isinstance(answer, PakeB):
        raise PeerError(message("The other side does not follow the code exchange."))
    exchange.answered = True
    joiner, host = exchange.finish(answer.message)
    await send(frames, Confirm(joiner))
    answer = await receive(frames, LinkStage.CODE_JOINER, limits)
    if not isinstance(answer, Confirm):
        raise PeerError(message("The other side does not follow the code exchange."))
    if not hmac.compare_digest(answer.mac, host):
        raise PeerError(message("The other side does not know the code of the table it offers."))
