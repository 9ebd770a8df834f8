r"""The seat's own file next to its replay: the secrets that it must not lose. Not part of the protocol.

    "seqp2p seat 1\n" ‖ record*     record = length ‖ crc(body) ‖ crc(the 8 bytes before) ‖ body      (4 bytes each)

The first record is the seat's secrets; each later one is a signed thing, own or another seat's, in the order of taking.
Own ones are synced before they are sent, so a seat that resumes never signs a second thing for one place. Only an
incomplete write may be dropped: a record in which the file ends, or zeros that a file system put in the place of data.
Any other damage could be an own contribution that was sent, so it is never skipped. A record "older" marks a copy that
was put back: the others have signatures that it lacks.
"""

import errno
import os
import stat
import sys
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeAlias, TypeVar, assert_never

import msgspec

from seqp2p.errors import UserError
from seqp2p.i18n import message, of_system
from seqp2p.match.contribution import SIGNATURE_SIZE, Contribution, SignatureBytes
from seqp2p.match.encoding import DecodeError, Record, decode, encode
from seqp2p.match.signed import WORD_OF_KIND, OfferedEvidence, ReleasedSecret, SignedThing, SignedWord
from seqp2p.match.table import AGREEMENT_SIZE_MAX, Bytes32, SeatNumber
from seqp2p.replay.disk import lock, write_beside
from seqp2p.replay.format import RECORD_SIZE_MAX, REPLAY_SIZE_MAX, SEATS_MAX, EvidenceRecord, contributions_of, pairs

T = TypeVar("T")

SUFFIX: Final = ".seat"
MAGIC: Final = b"seqp2p seat 1\n"
MAGIC_STEM: Final = b"seqp2p seat "
HEADER_SIZE: Final = 12
LOGGED_SIZE_MAX: Final = RECORD_SIZE_MAX - 256  # the bytes around a payload, generously
ADDRESSES_MAX: Final = 8  # of a seat
ADDRESS_LENGTH_MAX: Final = 64
RELAY_LENGTH_MAX: Final = 84

LoggedKind: TypeAlias = Literal["contribution", "ballot", "head", "leave", "evidence", "remark", "here", "older"]
SidecarAddress: TypeAlias = Annotated[str, msgspec.Meta(max_length=ADDRESS_LENGTH_MAX)]

# Windows has no O_NOFOLLOW, and other systems no O_BINARY.
_FLAGS: Final = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class SidecarRelay(Record, frozen=True):
    """The relay of a seat, HOST:PORT, and its secret X25519 key for the game. Its repr hides everything."""

    address: Annotated[str, msgspec.Meta(max_length=RELAY_LENGTH_MAX)]
    secret: Bytes32

    def __repr__(self) -> str:
        return "SidecarRelay()"

    # msgspec's own would show every field.
    def __rich_repr__(self) -> list[tuple[str, object]]:
        return []


class SidecarSecrets(Record, frozen=True, omit_defaults=True):
    """The secrets of this seat, and the addresses of all.

    ``identity`` names the key file in the player's own folder; ``secret`` is x_i (32 bytes, big-endian), ``nonce``
    opens the seat's commitment. ``listen`` is the address it listened on, ``addresses`` those of every seat, in seat
    order. ``relay`` is None where the seat uses none, as in files of older versions. Its repr hides everything.
    """

    game: Bytes32
    agreement: Annotated[bytes, msgspec.Meta(max_length=AGREEMENT_SIZE_MAX)]
    seat: SeatNumber
    identity: Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9.-]{1,40}\Z")]
    secret: Bytes32
    nonce: Bytes32
    listen: SidecarAddress
    addresses: Annotated[
        tuple[Annotated[tuple[SidecarAddress, ...], msgspec.Meta(max_length=ADDRESSES_MAX)], ...],
        msgspec.Meta(max_length=SEATS_MAX),
    ]
    relay: SidecarRelay | None = None

    def __repr__(self) -> str:
        return f"Secrets(game={self.game.hex()[:12]}, seat={self.seat})"

    # msgspec's own would show every field.
    def __rich_repr__(self) -> list[tuple[str, object]]:
        return [("seat", self.seat)]


class Logged(Record, frozen=True):
    """Signed bytes of a seat; evidence is a record of the replay with a signature of zeros."""

    kind: LoggedKind
    payload: Annotated[bytes, msgspec.Meta(max_length=LOGGED_SIZE_MAX)]
    signature: SignatureBytes


def to_logged(thing: SignedThing) -> Logged | None:
    """Return the entry for something signed; None for a game secret, which the other seats send again."""
    match thing:
        case Contribution():
            return Logged("contribution", thing.payload, thing.signature)
        case SignedWord():
            return Logged(thing.kind, thing.bytes.payload, thing.bytes.signature)
        case OfferedEvidence(contributions):
            return Logged("evidence", encode(EvidenceRecord(pairs(contributions))), bytes(SIGNATURE_SIZE))
        case ReleasedSecret():
            return None
        case _:
            assert_never(thing)


def from_logged(logged: Logged) -> SignedThing | None:
    """Return what the match takes of an entry; None for an address and for the mark. Raises DecodeError."""
    signed = Contribution(logged.payload, logged.signature)
    match logged.kind:
        case "contribution":
            return signed
        case "ballot" | "head" | "leave" | "remark":
            return WORD_OF_KIND[logged.kind](signed)
        case "evidence":
            return OfferedEvidence(contributions_of(decode(EvidenceRecord, logged.payload, RECORD_SIZE_MAX)))
        case "here" | "older":
            return None
        case _:
            assert_never(logged.kind)


class SidecarError(UserError):
    """The seat's own file cannot be used; the text names it."""

    code = "not_resumable"
    hint = message("the game goes on without this seat; another game can be resumed")


class SidecarDamaged(SidecarError):
    """The file was changed. The seat's signatures are unknown, so it must not sign again."""

    code = "damaged"


class SeatHeld(SidecarError):
    """Another process holds the seat: two processes would sign against each other."""

    code = "held"
    hint = message("end the other one first, or name another game")


class SeatStopped(SidecarError):
    """The seat can sign nothing more for now; its files stay."""

    code = "seat_stopped"
    hint = message("resume the seat once the others can be reached")


class OlderCopy(SeatStopped):
    """The others have a signature of this seat that its file lacks."""

    code = "older_copy"
    hint = message("resume the seat with the files that it wrote last; meanwhile the others may go on without it")

    def __init__(self) -> None:
        super().__init__(
            message("a copy of this game's files was put back: signing again would be evidence of cheating")
        )


class SidecarFull(SidecarError):
    """The file has more signatures than any game needs."""


def sidecar_path(replay: Path) -> Path:
    return replay.with_name(replay.name + SUFFIX)


class Sidecar:
    """The file of a seat in a running game: locked, append-only, of mode 0600. Raises OSError as files do."""

    def __init__(self, path: Path, descriptor: int, *, new: bool) -> None:
        """Take over the descriptor. Raises SeatHeld if another process has the file's lock. See create, open."""
        self.path = path
        self._new = new
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            if not lock(descriptor):
                raise SeatHeld(message("another seqp2p process holds this seat ({path})", path=path))
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise SidecarDamaged(message("{path} is not a file", path=path))
            if not found.st_nlink:
                raise FileNotFoundError(message("{path} was deleted: the game is over", path=path))
            self._size = found.st_size
        except (OSError, SidecarError):
            self._file.close()
            raise

    def __repr__(self) -> str:
        return f"Sidecar({str(self.path)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @classmethod
    def create(cls, path: Path, secrets: SidecarSecrets) -> Self:
        """Make a new file, which has a seat's secrets as soon as it has its name. Raises FileExistsError.

        Bytes that could not be read again are not written: they raise DecodeError, here and in ``log``.
        """
        new = write_beside(path, beginning(secrets), synced=False)  # Nothing is signed before the first sync.
        try:
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
            # Not a hard link, which some file systems lack: only one process makes the replay of this name.
            new.rename(path)
        except OSError:
            new.unlink(missing_ok=True)
            raise
        return cls(path, os.open(path, _FLAGS), new=True)

    @classmethod
    def open(cls, path: Path) -> tuple[Self, SidecarSecrets, tuple[Logged, ...], bool]:
        """Open a file; return it, its secrets, its signed things, and True if an incomplete last write was dropped.

        Raises SeatHeld, SidecarDamaged, FileNotFoundError.
        """
        sidecar = cls(path, os.open(path, _FLAGS), new=False)
        try:
            secrets, logged, whole = parse(sidecar._bytes(), path)
            torn = whole < sidecar._size
            if torn:
                sidecar._truncate(whole)
            # Bytes of a process that died may not be on the disk yet; from here on they may be sent.
            sidecar.sync()
        except (OSError, SidecarError):
            sidecar.close()
            raise
        return sidecar, secrets, logged, torn

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        """Append signed bytes: the system has them when this returns, the disk only after ``sync``."""
        data = entry(kind, payload, signature)
        if self._size + len(data) > REPLAY_SIZE_MAX:
            values = {"path": self.path, "most": REPLAY_SIZE_MAX}
            raise SidecarFull(message("{path} is full: {most} bytes are more than any game needs", **values))
        self._write(data)

    def sync(self) -> None:
        """Wait until the disk has everything; for a worker thread. After this, own contributions may be sent."""
        os.fsync(self._file.fileno())
        if self._new:
            _sync_folder(self.path.parent)
            self._new = False

    def close(self) -> None:
        """Release the seat; the file stays for ``resume``."""
        self._file.close()

    def delete(self) -> None:
        """Delete the file at the end of the game, while it is still locked. Windows deletes no open file."""
        if sys.platform == "win32":
            self.close()
        self.path.unlink(missing_ok=True)
        self.close()

    def _write(self, data: bytes) -> None:
        if self._file.write(data) != len(data):
            # Half a record must not precede a whole one.
            self._truncate(self._size)
            raise OSError(message("the disk took only part of a record"))
        self._size += len(data)

    def _truncate(self, size: int) -> None:
        os.ftruncate(self._file.fileno(), size)
        self._size = size

    def _bytes(self) -> bytes:
        if self._size > REPLAY_SIZE_MAX:
            values = {"path": self.path, "most": REPLAY_SIZE_MAX}
            raise SidecarDamaged(message("{path} is larger than any seat's file ({most} bytes)", **values))
        return self._file.readall()

    @classmethod
    def trouble(cls, path: Path, own: Collection[int]) -> SidecarError | FileNotFoundError | None:
        """Return why no process of a player with the seats ``own`` can take this file's seat now; None if one can."""
        try:
            with cls(path, os.open(path, _FLAGS), new=False) as sidecar:
                data = sidecar._bytes()
            secrets, logged, _ = parse(data, Path(path.name))
        except (FileNotFoundError, SidecarError) as error:
            return error
        except OSError as error:
            return SidecarError(of_system(error))
        if is_older(logged):
            return OlderCopy()
        not_own = message("the seat of {replay} is another player's", replay=path.stem)
        return None if secrets.seat in own else SidecarError(not_own)


def is_older(logged: Iterable[Logged]) -> bool:
    """Return True if a seat with this file has found it to be an older copy."""
    return any(each.kind == "older" for each in logged)


def parse(data: bytes, path: Path) -> tuple[SidecarSecrets, tuple[Logged, ...], int]:
    """Return secrets, signed things, and the number of complete bytes. Raises SidecarDamaged, which names ``path``."""
    if not data.startswith(MAGIC):
        if data.startswith(MAGIC_STEM) and len(data) >= len(MAGIC):
            text = message("{path} is of a version other than 1: a newer seqp2p may read it", path=path)
            raise SidecarDamaged(text)
        raise SidecarDamaged(message("{path} is not a seat's file", path=path))
    at, bodies = len(MAGIC), list[tuple[int, bytes]]()
    while (end := _record_end(data, at, path)) is not None:
        bodies.append((at, data[at + HEADER_SIZE : end]))
        at = end
    if not bodies:
        raise SidecarDamaged(message("{path} ends before the seat's secrets: nothing was signed with them", path=path))
    secrets = _decoded(SidecarSecrets, *bodies[0], path)
    return secrets, tuple(_decoded(Logged, *body, path) for body in bodies[1:]), at


def _record_end(data: bytes, at: int, path: Path) -> int | None:
    """Return the end of the record at this place, or None at the end of the complete records."""
    header = data[at : at + HEADER_SIZE]
    if len(header) < HEADER_SIZE or only_zeros(data, at + HEADER_SIZE - 1):
        return None
    length, body_check = int.from_bytes(header[:4], "big"), header[4:8]
    end = at + HEADER_SIZE + length
    if header[8:] != _check(header[:8]) or length > RECORD_SIZE_MAX:
        raise _damaged(at, path)
    if end > len(data):
        return None
    if _check(data[at + HEADER_SIZE : end]) != body_check:
        if only_zeros(data, end - 1):
            return None
        raise _damaged(at, path)
    return end


def _decoded(kind: type[T], at: int, body: bytes, path: Path) -> T:
    try:
        return decode(kind, body, RECORD_SIZE_MAX)
    except DecodeError:
        # The library's text may quote secret bytes.
        raise _damaged(at, path) from None


def _damaged(at: int, path: Path) -> SidecarDamaged:
    return SidecarDamaged(
        message("{path} is damaged at byte {at}: what this seat has signed is no longer known", path=path, at=at)
    )


def beginning(secrets: SidecarSecrets) -> bytes:
    """Return the bytes of a new file. Raises DecodeError if they could not be read again."""
    return MAGIC + frame(_readable(secrets))


def entry(kind: LoggedKind, payload: bytes, signature: bytes) -> bytes:
    """Return the record of signed bytes. Raises DecodeError if it could not be read again."""
    return frame(_readable(Logged(kind, payload, signature)))


def _readable(record: Record) -> bytes:
    body = encode(record)
    decode(type(record), body, RECORD_SIZE_MAX)
    return body


def frame(body: bytes) -> bytes:
    """Return a record's bytes. The checks are against accidents, not against a writer of this file."""
    header = len(body).to_bytes(4, "big") + _check(body)
    return header + _check(header) + body


def only_zeros(data: bytes, at: int) -> bool:
    """Return True if only zeros follow from this place on: the file was extended, and its data never came."""
    return at < len(data) and not data[at:].strip(b"\0")


def _check(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "big")


def _sync_folder(folder: Path) -> None:
    """Sync the folder of a new file, whose name is on the disk only then. Windows does not need it."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
