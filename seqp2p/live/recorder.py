"""The files of one seat's game: the match, its replay, and the journal of what was signed.

    own     ──▶ journal ──▶ sync ──▶ match ──▶ sent
    others' ──▶ match ──▶ journal (signed bytes, in the order taken)
                match ──▶ replay (what is final) ──▶ emitted

All that this seat signs is on the disk before it is sent, and so are the steps that were final then: a seat that
resumes after a crash finds its own words in their places, and never signs a second thing for one of them.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from seqp2p.live.absence import Absent, Back
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.live.voting import AskAbout
from seqp2p.match.contribution import SIGNATURE_SIZE
from seqp2p.match.events import Event
from seqp2p.match.intake import Applied, Cheating
from seqp2p.match.machine import Match
from seqp2p.match.signed import SignedThing
from seqp2p.net.messages import AddressStatement
from seqp2p.replay.sidecar import LoggedKind, SidecarError, to_logged
from seqp2p.replay.writer import ReplayWriter

TableEvent: TypeAlias = Event | Absent | Back | AskAbout


class Journal(Protocol):
    """Keeps signed bytes, with which this seat resumes after a crash (replay/sidecar.py)."""

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        """Keep something signed, own or another's, in the order in which it was taken."""

    def sync(self) -> None:
        """Wait until the disk has it all."""


@dataclass(eq=False)
class Recorder:
    """Writes one seat's game. ``emit`` gets every event in order. Without a journal the seat cannot be resumed."""

    match: Match
    writer: ReplayWriter
    emit: Callable[[TableEvent], None]
    journal: Journal | None = None
    runtime: Runtime = UNDER_TRIO

    def log(self, thing: SignedThing) -> None:
        """Note something signed in the journal: taken, or about to be sent."""
        entry = to_logged(thing)
        if self.journal is not None and entry is not None:
            self.journal.log(entry.kind, entry.payload, entry.signature)

    def log_addresses(self, statement: AddressStatement) -> None:
        """Note in the journal where a seat listens now, for this seat to find it after a crash."""
        if self.journal is not None:
            self.journal.log("here", statement.payload, statement.signature)

    async def mark_older(self) -> None:
        """Mark the journal as an older copy: no seat resumes with it. A full disk takes no mark."""
        if self.journal is not None:
            with suppress(OSError, SidecarError):
                self.journal.log("older", b"", bytes(SIGNATURE_SIZE))
                await self.runtime.on_disk(self.journal.sync)

    async def sync(self) -> None:
        """Wait until the disk has it all, before something own is sent."""
        if self.journal is not None:
            await self.runtime.on_disk(self._sync_all)

    def _sync_all(self) -> None:
        # In this order: what is final may be so by something that is not in the journal.
        self.writer.sync()
        if self.journal is not None:
            self.journal.sync()

    def keep(self, outcome: Applied | Cheating) -> None:
        """Write an applied thing to the replay, and emit its events."""
        self.writer.keep(self.match, outcome)
        for event in outcome.events:
            self.emit(event)

    def record(self, events: tuple[Event, ...]) -> None:
        """Write the new final steps to the replay, and emit these events."""
        self.writer.record(self.match)
        for event in events:
            self.emit(event)
