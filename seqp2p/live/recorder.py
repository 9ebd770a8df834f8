"""What one seat keeps of its game and tells of it: the match, its replay, its journal, and who is to hear of it.

    taken ──▶ journal (signed bytes, in the order taken) ──▶ match ──▶ replay (what is final) ──▶ told
    own   ──▶ journal ──▶ sync ──▶ sent

Whatever this seat signs is on the disk before it is sent, and so is what was final when it signed: a seat that comes
back after a crash finds its own words in their places, and never signs a second thing for one of them.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from seqp2p.live.absence import Absent, Back
from seqp2p.live.runtime import UNDER_TRIO, Runtime
from seqp2p.live.voting import AskAbout
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import Violation
from seqp2p.match.events import Event
from seqp2p.match.machine import Match
from seqp2p.net.relay import AnyRelay
from seqp2p.replay.sidecar import LoggedKind, logged_evidence
from seqp2p.replay.writer import ReplayWriter

TableEvent: TypeAlias = Event | Absent | Back | AskAbout


class Journal(Protocol):
    """Where signed bytes are kept for this seat to come back after a crash (replay/sidecar.py)."""

    def log(self, kind: LoggedKind, payload: bytes, signature: bytes) -> None:
        """Keep something signed, own or another's, in the order in which it was taken."""
        ...

    def sync(self) -> None:
        """Wait until the disk has it all."""
        ...


class Recorder:
    """One seat's game as it is kept. ``tell`` hears every event in order; tests and spectators need no journal."""

    def __init__(
        self,
        match: Match,
        mesh: AnyRelay,
        writer: ReplayWriter,
        tell: Callable[[TableEvent], None],
        journal: Journal | None = None,
        runtime: Runtime = UNDER_TRIO,
    ) -> None:
        self.match = match
        self.mesh = mesh
        self.writer = writer
        self.tell = tell
        self.runtime = runtime
        self._journal = journal

    def log(self, kind: LoggedKind, signed: Contribution) -> None:
        """Something signed is about to be taken."""
        if self._journal is not None:
            self._journal.log(kind, signed.payload, signed.signature)

    def log_evidence(self, violation: Violation) -> None:
        """A proof of cheating is taken: what it proves may decide how a step closes."""
        if self._journal is not None:
            self._journal.log("evidence", *logged_evidence(violation.evidence))

    async def sync(self) -> None:
        """Something own is about to be sent: wait until the disk has it."""
        if self._journal is not None:
            await self.runtime.on_disk(self._sync_all)

    def _sync_all(self) -> None:
        # In this order: what is final may be so by something that is not in the journal.
        self.writer.sync()
        if self._journal is not None:
            self._journal.sync()

    def record(self, events: tuple[Event, ...]) -> None:
        """What has become of the game: on disk as far as it is final, then told."""
        self.writer.record(self.match)
        for event in events:
            self.tell(event)
