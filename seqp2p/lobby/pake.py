"""The join code at work: SPAKE2 between joiner (side A) and host (side B), with explicit key confirmation.

Theory of operation.

    joiner                                   host
      pake_a  ───────────────────────────────▶
      ◀───────────────────────────────  pake_b     from here on it counts as a try
      confirm ───────────────────────────────▶     wrong: refused (wrong_code, or code_burned at the third)
      ◀──────────────────────────────  confirm     the try is taken back

Both sides bind the exchange to their roles, both identity keys and the hash of the host's certificate. So a man in the
middle, with other keys, gets two exchanges that do not fit together, and one try in each. The joiner confirms first: a
host learns nothing that it could check a guess against before its own guess is used up. A code is never a key: the
messages cannot be searched offline. Source: SPAKE2 as in RFC 9382 with the group, M and N
of the package ``spake2`` (Ed25519); the confirmations are HMAC-SHA256 of a label under the shared key.
"""

import hmac
from collections.abc import Callable
from typing import Final, NoReturn, Protocol, cast

import spake2
import trio
from spake2.ed25519_basic import NotOnCurve

from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import label_bytes
from seqp2p.i18n import message
from seqp2p.lobby.code import make_code
from seqp2p.net.auth import receive, refuse, send
from seqp2p.net.errors import PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB

CODE_JOINER: Final = "seqp2p/1 code joiner"
CODE_HOST: Final = "seqp2p/1 code host"
CONFIRM_JOINER: Final = "seqp2p/1 confirm joiner"
CONFIRM_HOST: Final = "seqp2p/1 confirm host"


class _Side(Protocol):
    def start(self) -> bytes: ...
    def finish(self, inbound_side_and_message: bytes) -> bytes: ...


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
        self._side = cast(
            "_Side",
            side(
                code.encode("ascii"),
                idA=label_bytes(CODE_JOINER) + keys,
                idB=label_bytes(CODE_HOST) + keys,
                entropy_f=randomness,
            ),
        )
        self.message: Final = self._side.start()
        """33 bytes to send."""

    def finish(self, received: bytes) -> tuple[bytes, bytes]:
        """Return the joiner's and the host's confirmation, 32 bytes each; raises PeerError for a damaged message."""
        try:
            key = self._side.finish(received)
        # The package's failures: not a point of the group, not the other side's, or one's own message returned.
        except (NotOnCurve, ValueError, spake2.SPAKEError):
            raise PeerError(message("The other side sent no message of a code exchange.")) from None
        joiner, host = (hmac.digest(key, label_bytes(label), "sha256") for label in (CONFIRM_JOINER, CONFIRM_HOST))
        return joiner, host


async def give_code(frames: FrameStream, exchange: Exchange, limits: Limits) -> None:
    """Run the joiner's side, once: a joiner never tries again by itself.

    Raises PeerRefused ("wrong_code", "code_burned"), PeerError, LinkLost. The caller bounds the time.
    """
    await send(frames, PakeA(exchange.message))
    answer = await receive(frames, LinkStage.CODE_JOINER, limits)
    if not isinstance(answer, PakeB):
        raise PeerError(message("The other side does not follow the code exchange."))
    joiner, host = exchange.finish(answer.message)
    await send(frames, Confirm(joiner))
    answer = await receive(frames, LinkStage.CODE_JOINER, limits)
    if not isinstance(answer, Confirm):
        raise PeerError(message("The other side does not follow the code exchange."))
    if not hmac.compare_digest(answer.mac, host):
        raise PeerError(message("The other side does not know the code of the table it offers."))


class CodeKeeper:
    """The host's code: answers one exchange at a time, counts tries, burns the code and makes a new one."""

    def __init__(self, table_number: int, randomness: Randomness, limits: Limits, show: Callable[[str], None]) -> None:
        """``show`` gets the code, now and each time there is a new one."""
        self._table_number = table_number
        self._randomness = randomness
        self._limits = limits
        self._show = show
        self._lock = trio.Lock()
        self._waiting = 0
        self._burned = 0
        self._not_before = float("-inf")
        self._renew()

    def _renew(self) -> None:
        self.code = make_code(self._table_number, self._randomness)
        self._tries = 0
        self._show(self.code)

    async def check(
        self, frames: FrameStream, joiner_key: bytes, host_key: bytes, certificate_hash: bytes, *, rest_s: float = 0.0
    ) -> None:
        """Run the host's side of one exchange, in this joiner's turn. The next one begins ``rest_s`` after it.

        Raises PeerRefused (wrong_code, code_burned, busy, too_slow) once the joiner is told, PeerError, LinkLost.
        """
        if self._waiting >= self._limits.code_waiting_max:
            await self._refuse(frames, "busy")
        self._waiting += 1
        proven = False
        try:
            async with self._lock:
                await trio.sleep_until(self._not_before)
                code = self.code
                exchange = Exchange(code, joiner_key, host_key, certificate_hash, self._randomness, host=True)
                with trio.move_on_after(self._limits.code_exchange_s) as patience:
                    proven = await self._answer(frames, exchange)
                self._not_before = max(self._not_before, trio.current_time() + rest_s)
        finally:
            self._waiting -= 1
        if patience.cancelled_caught:
            await self._refuse(frames, "too_slow")
        elif not proven:
            await self._refuse(frames, "wrong_code" if self.code == code else "code_burned")

    async def _answer(self, frames: FrameStream, exchange: Exchange) -> bool:
        first = await receive(frames, LinkStage.CODE_HOST, self._limits)
        if not isinstance(first, PakeA):
            raise PeerError(message("The other side does not follow the code exchange."))
        # After the answer the other side can check one guess, so this counts as a try.
        self._tries += 1
        proven = False
        try:
            await send(frames, PakeB(exchange.message))
            # After the answer, so that the time this takes, which depends on the code, cannot be seen.
            joiner, host = exchange.finish(first.message)
            second = await receive(frames, LinkStage.CODE_HOST, self._limits)
            proven = isinstance(second, Confirm) and hmac.compare_digest(second.mac, joiner)
        finally:
            self._count(proven=proven)
        if proven:
            await send(frames, Confirm(host))
        return proven

    def _count(self, *, proven: bool) -> None:
        if proven:
            self._tries -= 1
        elif self._tries >= self._limits.code_tries:
            pause_s = min(2.0 ** min(self._burned, 16), self._limits.code_pause_max_s)
            self._burned += 1
            self._not_before = trio.current_time() + pause_s
            self._renew()

    async def _refuse(self, frames: FrameStream, code: str) -> NoReturn:
        await refuse(frames, code, self._limits)
        raise PeerRefused(code)
