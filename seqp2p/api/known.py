"""The players that this player has met: their names and keys, in a file of its own folder.

The file ``known_players.json`` is in the data folder, mode 0600, whole at every moment. One player may have several
keys (a laptop, a desktop): each that was said yes to is kept. Names are compared by their looks. A name that the lobby
of this table may have numbered ("ann 2" where an "ann" sits, too) belongs to no particular player: it is neither
remembered nor compared.
"""

import contextlib
import os
import time
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from seqp2p.api.home import KNOWN_PLAYERS, HomeError, data_dir, own_dir, own_keys
from seqp2p.arguments import check_arguments
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import check_public
from seqp2p.i18n import message, of_system
from seqp2p.match.names import is_bot_name, is_numbered, look_alike
from seqp2p.match.table import name_fault
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.disk import lock, read_regular, write_beside

if TYPE_CHECKING:  # What the completion of a name need not wait for.
    from seqp2p.lobby.table import AgreedTable

SIZE_MAX: Final = 1_048_576
LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.01

MeetingKind: TypeAlias = Literal["new", "same", "changed", "renamed", "unnamed"]


class Known(msgspec.Struct, frozen=True):
    """A player who was met: ``key`` in hexadecimal digits, ``first_seen`` a date like 2025-01-31.

    ``finished``: a game with this player was played to its end.
    """

    name: str
    key: str
    first_seen: str
    finished: bool = False


class _KnownFile(msgspec.Struct, frozen=True):
    version: Literal[1]
    players: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A player at the table, compared with a known one."""

    seat: int
    name: str
    key: bytes
    kind: MeetingKind
    known: Known | None = None


def meet(seat: int, name: str, key: bytes, players: Sequence[Known], others: Collection[str] = ()) -> Meeting:
    """Compare a player with the known ones; ``others`` are the other names at the table."""
    by_key = next((known for known in players if known.key == key.hex()), None)
    by_name = [known for known in players if look_alike(known.name, name)]
    numbered = is_numbered(name, others) or is_bot_name(name)
    if by_key is not None and (by_key in by_name or numbered):
        return Meeting(seat, name, key, "same", by_key)
    if numbered:
        return Meeting(seat, name, key, "unnamed")
    if by_name:
        return Meeting(seat, name, key, "changed", by_name[-1])
    if by_key is not None:
        return Meeting(seat, name, key, "renamed", by_key)
    return Meeting(seat, name, key, "new")


def meet_others(table: "AgreedTable") -> list[Meeting]:
    """Compare the other players of an agreed table with the known ones; leave this player's own seats out."""
    players, own = known_players(), own_keys()
    names = [entry.name for entry in table.agreement.seats]
    return [
        meet(seat, entry.name, entry.key, players, [*names[: seat - 1], *names[seat:]])
        for seat, entry in enumerate(table.agreement.seats, 1)
        if seat != table.seat and entry.key not in own
    ]


def known_players() -> tuple[Known, ...]:
    """Return the known players, the last met last. Raises HomeError where the file is damaged."""
    path = data_dir() / KNOWN_PLAYERS
    try:
        data = read_regular(path, SIZE_MAX)
    except FileNotFoundError:
        return ()
    except OSError as error:
        text = message("cannot read {path}: {reason}", path=path, reason=of_system(error))
        raise HomeError(text) from None
    try:
        players = msgspec.json.decode(data, type=_KnownFile).players
        if len(data) > SIZE_MAX or not all(map(_is_whole, players)):
            raise msgspec.ValidationError
    except (msgspec.MsgspecError, RecursionError):
        text = message("the file of known players {path} is damaged", path=path)
        raise HomeError(text, message("move it away; then everybody is new again")) from None
    return players


@check_arguments
def remember(meetings: Iterable[Meeting]) -> None:
    """Keep the players that have a name, as met last. Raises HomeError."""
    today = datetime.now().astimezone().date().isoformat()
    kept = [meeting for meeting in meetings if _is_named(meeting)]
    if not kept:
        return
    with _changing() as players:
        for meeting in kept:
            key = meeting.key.hex()
            before = next((known for known in players if known.key == key), None)
            if before is None:
                players.append(Known(meeting.name, key, today))
            else:
                # Under the name it was met with first, unless a person has said yes to another.
                players.remove(before)
                name = meeting.name if meeting.kind == "changed" else before.name
                players.append(msgspec.structs.replace(before, name=name))


@check_arguments
def _is_named(meeting: Meeting) -> bool:
    return meeting.kind != "unnamed"


def friends() -> frozenset[bytes]:
    """Return the keys of those who played a game to its end here. Raises HomeError."""
    return frozenset(bytes.fromhex(known.key) for known in known_players() if known.finished)


def note_finished(keys: Collection[str]) -> None:
    """Note that a game was played to its end with the players of these keys. Raises HomeError."""
    with _changing() as players:
        players[:] = [
            msgspec.structs.replace(known, finished=True) if known.key in keys else known for known in players
        ]


def forget(name: str) -> list[Known]:
    with _changing() as players:
        gone = [known for known in players if look_alike(known.name, name)]
        players[:] = [known for known in players if known not in gone]
    return gone


@contextlib.contextmanager
def locked(name: str) -> Generator[None]:
    """Hold the lock of this name until the block ends; other processes of this player wait. Raises HomeError."""
    path = own_dir() / name
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise HomeError(message("cannot use {path}: {reason}", path=path, reason=of_system(error))) from None
    try:
        # Work under a lock takes milliseconds; a process that holds one longer has stopped, and is not waited for.
        limit = time.monotonic() + LOCK_PATIENCE_S
        while not lock(descriptor):
            if time.monotonic() > limit:
                raise HomeError(
                    message("another seqp2p process holds {path}", path=path), message("end it, then try again")
                )
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _changing() -> Generator[list[Known]]:
    """Yield the players to change in place; write them when the block ends. One process at a time."""
    with locked(f"{KNOWN_PLAYERS}.lock"):
        players = list(known_players())
        before = tuple(players)
        yield players
        del players[: -DEFAULT_LIMITS.known_players_max]
        if tuple(players) != before:
            _write(players)


def _write(players: Collection[Known]) -> None:
    path = data_dir() / KNOWN_PLAYERS
    data = msgspec.json.format(msgspec.json.encode(_KnownFile(1, tuple(players))), indent=1)
    try:
        write_beside(path, data, synced=True).replace(path)
    except OSError as error:
        text = message("cannot write {path}: {reason}", path=path, reason=of_system(error))
        raise HomeError(text) from None


def _is_whole(known: Known) -> bool:
    try:
        check_public(bytes.fromhex(known.key))
        datetime.fromisoformat(known.first_seen)
    except (ValueError, CryptoError):
        return False
    return name_fault(known.name) is None and known.key == known.key.lower()
