"""Files and streams of this project: perhaps a magic line, then frames of four bytes of length. Taken apart, joined."""

LENGTH_SIZE = 4
STEM_SIZE_MAX = 32


def frames_in(data: bytes) -> tuple[bytes, list[bytes]] | None:
    """The magic line, or nothing, and the frames; None where the bytes are not made so."""
    line = data[: data.find(b"\n", 0, STEM_SIZE_MAX) + 1] if data.startswith(b"seqp2p") else b""
    frames, at = list[bytes](), len(line)
    while at < len(data):
        end = at + LENGTH_SIZE + int.from_bytes(data[at : at + LENGTH_SIZE], "big")
        if end > len(data) or at + LENGTH_SIZE > len(data):
            return None
        frames.append(data[at + LENGTH_SIZE : end])
        at = end
    return line, frames


def join_frames(stem: bytes, frames: list[bytes]) -> bytes:
    """The bytes again."""
    return stem + b"".join(len(each).to_bytes(LENGTH_SIZE, "big") + each for each in frames)
