"""Lines said in a lobby, each signed by its speaker. docs/protocol.md, "The lobby".

The host passes lines on, and nothing it says of them is taken on trust: a reader checks the signature of each. A line
names its lobby and has a number above that of the speaker's last one, so none is shown in another lobby or twice.
"""

from collections.abc import Callable, Collection
from typing import Annotated, Final, Literal

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import LOBBY_LINE
from seqp2p.crypto.identity import Identity, sign, verify
from seqp2p.i18n import message, message_of
from seqp2p.match.encoding import DecodeError, Record, decode, encode
from seqp2p.match.table import Bytes32
from seqp2p.match.text import cleaned, text_fault
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import Limits, Newest, Window
from seqp2p.net.messages import LINE_LENGTH_MAX, LINE_SIZE_MAX, LineMessage

_NUMBER_MAX: Final = 2**31 - 1
SPEAKERS_MAX: Final = 1_024
"""Keys whose numbers are kept; each has given the code."""


class LinePayload(Record, frozen=True):
    """The signed bytes: in this lobby the player with this key says this, after all its lines with lower numbers."""

    v: Literal[1]
    lobby: Bytes32
    key: Bytes32
    number: Annotated[int, msgspec.Meta(ge=1, le=_NUMBER_MAX)]
    text: str


class PerKey:
    """Limits each key to ``lines_max`` things in ``lines_s``, over all its links: lines, or wishes.

    ``lines_s`` is shortened by ``silence_s``: a live link may be so late, and then bring at once what was said apart.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._windows = Newest[bytes, Window](SPEAKERS_MAX)

    def take(self, key: bytes, now: float) -> bool:
        """Count one thing of this key. Return False, and count nothing, if that would be too many."""
        time_s = self._limits.lines_s - self._limits.silence_s
        return self._windows.of(key, lambda: Window(self._limits.lines_max, time_s)).take(now)


class LobbyTalk:
    """The lines of one lobby, as the host or one joiner has them. ``lobby`` is its id, ``now`` a clock."""

    def __init__(self, lobby: bytes, limits: Limits, now: Callable[[], float]) -> None:
        self._lobby = lobby
        self._now = now
        self._numbers = Newest[bytes, int](SPEAKERS_MAX)
        self._own = Window(limits.lines_max, limits.lines_s)
        self._others = PerKey(limits)

    def said(self, key: bytes) -> int:
        """Return the number of this key's last line, 0 for none."""
        return self._numbers.get(key, 0)

    def sign(self, identity: Identity, typed: str, said: int = 0) -> tuple[LineMessage, str] | str:
        """Sign a line, as typed; return it with its text. ``said`` is the number of the last one, as the host has it.

        Return a code of DECLINED where nothing is left to show, or too much, and after too many lines.
        """
        key, text = identity.public, cleaned(typed, len(typed))
        number = max(said, self.said(key)) + 1
        if not text or len(text) > LINE_LENGTH_MAX:
            return "too_long" if text else "nothing"
        if number > _NUMBER_MAX or not self._own.take(self._now()):
            return "too_fast"
        self._numbers[key] = number
        payload = encode(LinePayload(1, self._lobby, key, number, text))
        return LineMessage(payload, sign(identity, LOBBY_LINE, payload)), text

    def take(self, line: LineMessage, speakers: Collection[bytes]) -> LinePayload | None:
        """Check a line of one of these keys. Return it, or None if its speaker says too much.

        Raises PeerError for a line that no honest peer sends or passes on.
        """
        try:
            payload = decode(LinePayload, line.payload, LINE_SIZE_MAX)
        except DecodeError as error:
            text = message(
                "The other side sent something that is not a line of a lobby: {reason}.", reason=message_of(error)
            )
            raise PeerError(text) from None
        if payload.lobby != self._lobby or payload.key not in speakers:
            raise PeerError(message("The other side sent a line of another lobby or of a player who is not here."))
        if not self._others.take(payload.key, self._now()):  # before the signature: a check costs more than a line
            return None
        try:
            verify(payload.key, LOBBY_LINE, line.payload, line.signature)
        except CryptoError:
            raise PeerError(message("The other side sent a line that its speaker has not signed.")) from None
        if payload.number <= self.said(payload.key):
            raise PeerError(message("The other side sent a line twice."))
        if fault := text_fault(message("a line"), payload.text, LINE_LENGTH_MAX):
            raise PeerError(fault)
        self._numbers[payload.key] = payload.number
        return payload
