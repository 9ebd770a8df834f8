"""One seat's game beside the caller's block: played, left by a signature when the block ends, and kept on the disk.

A session that is cut off or fails leaves its own file beside the replay, so that the seat can be taken again.
"""

import secrets
from dataclasses import dataclass

from seqp2p.api.events import Events
from seqp2p.api.running import Running
from seqp2p.api.turns import Questions
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import OwnSeat
from seqp2p.net.ledger import TableEvent
from seqp2p.net.mesh import Mesh
from seqp2p.net.session import Session
from seqp2p.net.table import Table
from seqp2p.replay.sidecar import Sidecar
from seqp2p.replay.writer import ReplayWriter


@dataclass(frozen=True)
class Sitting:
    """A seat that is about to be played: what it knows, and where it keeps it."""

    table: Table
    match: Match
    own: OwnSeat
    writer: ReplayWriter
    sidecar: Sidecar


class Game:
    """A seat's game while it goes on, and how it ended."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.mesh = Mesh(sitting.table, secrets.token_bytes)
        self.events = Events[TableEvent]()
        self.questions = Questions(sitting.match, sitting.own)
        self.session = Session(
            sitting.match,
            sitting.own,
            self.mesh,
            self.questions,
            sitting.writer,
            self._tell,
            sitting.sidecar,
            cancel_leaves=False,
        )
        self.running = Running(self._play, self.session.leave, self._end)

    async def _play(self) -> Result:
        result = await self.session.run()
        # It is over for this seat: nobody can take it again, and nobody needs its secrets.
        self.sitting.sidecar.delete()
        return result

    def _tell(self, event: TableEvent) -> None:
        self.events.put(event)
        self.questions.hear(event)

    def _end(self) -> None:
        self.events.end()
        self.questions.end()
