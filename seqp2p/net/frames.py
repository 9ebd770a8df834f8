"""Frames: 4 bytes of length, big-endian, then so many bytes. docs/protocol.md, "Frames"."""

from typing import Final

import trio

from seqp2p.i18n import message
from seqp2p.net.errors import LinkLost, PeerError

HEADER_SIZE: Final = 4
_CHUNK_SIZE: Final = 65_536


def frame(data: bytes) -> bytes:
    """Return the bytes as one frame.

    >>> frame(b"abc").hex()
    '00000003616263'
    """
    return len(data).to_bytes(HEADER_SIZE, "big") + data


def announced(header: bytes | bytearray, size_max: int) -> int:
    """Return the size in a frame's first bytes. Raises PeerError for an empty or too long frame."""
    size = int.from_bytes(header[:HEADER_SIZE], "big")
    if not 0 < size <= size_max:
        sizes = {"size": size, "most": size_max}
        raise PeerError(message("The other side sent a frame of {size} bytes where 1 to {most} are allowed.", **sizes))
    return size


class FrameStream:
    """Frames over a byte stream, which it owns.

    One task may receive while another sends. A cancelled ``receive`` loses nothing; a cancelled ``send`` leaves the
    stream good for closing only.
    """

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream: Final = stream
        self._buffer = bytearray()

    async def receive(self, size_max: int) -> bytes:
        """Return the next frame's bytes.

        Raises PeerError for an empty frame, one longer than ``size_max`` or cut by an orderly end, LinkLost when
        the stream ends. Holds no more than one frame and one read.
        """
        await self._fill(HEADER_SIZE)
        size = announced(self._buffer, size_max)
        await self._fill(HEADER_SIZE + size)
        data = bytes(self._buffer[HEADER_SIZE : HEADER_SIZE + size])
        del self._buffer[: HEADER_SIZE + size]
        return data

    async def send(self, data: bytes) -> None:
        """Send bytes that are whole frames already. Raises LinkLost."""
        try:
            await self.stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise LinkLost(message("The connection is lost.")) from None

    async def close(self) -> None:
        """End the stream and close it. A broken one is just closed; cancelled, it is closed too."""
        await self.stream.aclose()

    async def abort(self) -> None:
        """Close at once, without waiting for anything."""
        await trio.aclose_forcefully(self.stream)

    async def _fill(self, size: int) -> None:
        while len(self._buffer) < size:
            try:
                data = await self.stream.receive_some(_CHUNK_SIZE)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                raise LinkLost(message("The connection is lost.")) from None
            if data:
                self._buffer += data
            elif self._buffer:
                raise PeerError(message("The other side ended in the middle of a frame."))
            else:
                raise LinkLost(message("The other side has closed the connection."))
