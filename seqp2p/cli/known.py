"""Known players: the keys of players met before, with their names, like a shell's known hosts.

A player chooses a name freely, but cannot borrow a key. A player who has a known name and another key is told loudly,
and a person at a terminal is asked before the game begins.

The file ``known_players.json`` is in the data folder, mode 0600, whole at every moment. One player may have several
keys (a laptop, a desktop): each that was said yes to is kept. Names are compared by their looks. A name that the lobby
of this table may have numbered ("ann 2" where an "ann" sits, too) belongs to no particular player: it is neither
remembered nor compared. This player's own other identities are not told.
"""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Literal, TypeAlias

import msgspec
import trio

from seqp2p.api.game import LiveGame
from seqp2p.api.home import HOME_HINT, KNOWN_PLAYERS, data_dir, own_dir, own_keys
from seqp2p.cli import json_events
from seqp2p.cli.output import Output
from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import check_public, fingerprint
from seqp2p.errors import NOT_CONNECTED, UserError
from seqp2p.i18n import message_of, of_system
from seqp2p.match.names import is_bot_name, is_numbered, look_alike
from seqp2p.match.table import name_fault
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.disk import lock, read_regular, write_beside
from seqp2p.ui.language import t
from seqp2p.ui.person.console import is_confirmed
from seqp2p.ui.question import yes_or_no

SIZE_MAX: Final = 1_048_576
LOCK_PATIENCE_S = 2.0
LOCK_PAUSE_S = 0.01
ANSWER_S: Final = 60.0
"""For a person to answer: the others wait, and by default give up on a seat after twice that."""

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


class ChangedKey(UserError):
    """A person does not play with a player whose key is another than before."""

    code = "changed_key"

    def __init__(self, name: str) -> None:
        command = f"seqp2p id --forget '{name}'"
        hint = t("compare fingerprints (seqp2p id); {command} forgets the earlier key", command=command)
        super().__init__(t("left the table: the key of {name} has changed", name=name), hint, NOT_CONNECTED)
        self.name: Final = name


async def check_known(game: LiveGame, output: Output, *, ask: bool) -> None:
    """Compare the players of an agreed table with the known ones, tell the difference, and remember them.

    Raises ChangedKey when ``ask`` is set and the person says no to a changed key, or says nothing: the game is declined
    then. Without ``ask`` a changed key is said, and not remembered.
    """
    players, own, table = load(), own_keys(), game.table
    names = [entry.name for entry in table.agreement.seats]
    met = [
        meet(seat, entry.name, entry.key, players, [*names[: seat - 1], *names[seat:]])
        for seat, entry in enumerate(table.agreement.seats, 1)
        if seat != table.seat and entry.key not in own
    ]
    trusted: list[Meeting] = []
    for meeting in met:
        emit_meeting(meeting, output)
        if meeting.kind != "changed":
            trusted.append(meeting)
        elif ask:
            if not await _ask(meeting, output):
                await game.decline(meeting.seat)
                raise ChangedKey(meeting.name)
            trusted.append(meeting)
    try:
        remember(trusted)
    except UserError as error:
        output.say(t("the players at this table are not remembered: {reason}", reason=message_of(error)))


def emit_meeting(meeting: Meeting, output: Output) -> None:
    """Tell the meeting in a line, loudly where the key has changed."""
    seat, name, known = meeting.seat, meeting.name, meeting.known
    loud = _loud(output)
    match meeting.kind:
        case "new":
            output.say(t("{name} is new here; this key is remembered", name=name), "detail")
        case "same" if known is not None:
            output.say(t("{name} is known since {date}", name=name, date=known.first_seen), "detail")
        case "renamed" if known is not None:
            values = {"name": name, "known": known.name, "date": known.first_seen}
            output.say(t("{name} is known as {known}, since {date}", **values))
        case "changed" if known is not None:
            output.event(json_events.ChangedKeyEvent(seat, name, meeting.key.hex(), known.key))
            loud(t("THE KEY OF {name} HAS CHANGED (seat {seat}). THIS MAY BE SOMEBODY ELSE.", name=name, seat=seat))
            mark = fingerprint(bytes.fromhex(known.key))
            loud(t("  known since {date}:  {fingerprint}", date=known.first_seen, fingerprint=mark))
            loud(t("  now at the table:      {fingerprint}", fingerprint=fingerprint(meeting.key)))
        case _:
            pass  # A name that the lobby made.


def meeting_note(meeting: Meeting) -> str:
    """Return the meeting in a few words; empty for a name that the lobby made."""
    match meeting.kind:
        case "new":
            return t("new here")
        case "same" if meeting.known is not None:
            return t("known since {date}", date=meeting.known.first_seen)
        case "renamed" if meeting.known is not None:
            return t("known as {known}", known=meeting.known.name)
        case "changed":
            return t("THE KEY HAS CHANGED")
        case _:
            return ""


# The file.


def load() -> tuple[Known, ...]:
    """Return the known players, the last met last. Raises UserError where the file is damaged."""
    path = data_dir() / KNOWN_PLAYERS
    try:
        data = read_regular(path, SIZE_MAX)
    except FileNotFoundError:
        return ()
    except OSError as error:
        message = t("cannot read {path}: {reason}", path=path, reason=of_system(error))
        raise UserError(message, HOME_HINT) from None
    try:
        players = msgspec.json.decode(data, type=_KnownFile).players
        if len(data) > SIZE_MAX or not all(map(_is_whole, players)):
            raise msgspec.ValidationError
    except (msgspec.MsgspecError, RecursionError):
        raise UserError(
            t("the file of known players {path} is damaged", path=path), t("move it away; then everybody is new again")
        ) from None
    return players


def remember(meetings: Iterable[Meeting]) -> None:
    """Keep the players that have a name, as met last. Raises UserError."""
    today = datetime.now().astimezone().date().isoformat()
    kept = [meeting for meeting in meetings if meeting.kind != "unnamed"]
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


def note_finished(game: LiveGame, output: Output) -> None:
    """Note that a game was played to its end with the players who are still in it."""
    keys = {game.table.key(seat).hex() for seat in game.table.others if seat not in game.out}
    try:
        with _changing() as players:
            players[:] = [
                msgspec.structs.replace(known, finished=True) if known.key in keys else known for known in players
            ]
    except UserError as error:
        output.say(message_of(error))


def friends() -> frozenset[bytes]:
    """Return the keys of those with whom a game was played to its end. Raises UserError."""
    return frozenset(bytes.fromhex(known.key) for known in load() if known.finished)


def forget(name: str) -> list[Known]:
    with _changing() as players:
        gone = [known for known in players if look_alike(known.name, name)]
        players[:] = [known for known in players if known not in gone]
    return gone


@contextlib.contextmanager
def locked(name: str) -> Generator[None]:
    """Hold the lock of this name until the block ends; other processes of this player wait. Raises UserError."""
    path = own_dir() / name
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UserError(t("cannot use {path}: {reason}", path=path, reason=of_system(error)), HOME_HINT) from None
    try:
        # Work under a lock takes milliseconds; a process that holds one longer has stopped, and is not waited for.
        limit = time.monotonic() + LOCK_PATIENCE_S
        while not lock(descriptor):
            if time.monotonic() > limit:
                raise UserError(t("another seqp2p process holds {path}", path=path), t("end it, then try again"))
            time.sleep(LOCK_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _changing() -> Generator[list[Known]]:
    """Yield the players to change in place; write them when the block ends. One process at a time."""
    with locked(f"{KNOWN_PLAYERS}.lock"):
        players = list(load())
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
        message = t("cannot write {path}: {reason}", path=path, reason=of_system(error))
        raise UserError(message, HOME_HINT) from None


def _is_whole(known: Known) -> bool:
    try:
        check_public(bytes.fromhex(known.key))
        datetime.fromisoformat(known.first_seen)
    except (ValueError, CryptoError):
        return False
    return name_fault(known.name) is None and known.key == known.key.lower()


# Asking.


def _loud(output: Output) -> Callable[[str], None]:
    """Return a function that writes a line on the screen or on standard error."""
    return partial(output.say, kind="alarm") if output.screen else Output(json=True).say


async def _ask(meeting: Meeting, output: Output) -> bool:
    about, text = "key", t("play with this {name}? (no: leave the table)", name=meeting.name)
    output.ask(about, yes_or_no(text, "", trio.current_time() + ANSWER_S))
    try:
        with trio.move_on_after(ANSWER_S):
            return await is_confirmed(output.read_line, lambda: output.say(t("type yes or no"), "answer"))
        return False
    finally:
        output.ask(about, None)
