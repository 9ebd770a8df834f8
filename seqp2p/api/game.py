"""One seat's game beside the caller's block: played, left by a signature when the block ends, and kept on the disk.

A session that is cut off or fails leaves its own file beside the replay, so that the seat can be taken again.
"""

import secrets
from dataclasses import dataclass
from typing import Final

import trio

from seqp2p.api.events import Events
from seqp2p.api.running import Running
from seqp2p.api.turns import Questions
from seqp2p.live.mesh import Mesh
from seqp2p.live.recorder import TableEvent
from seqp2p.live.session import SeatRunner
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.replay.sidecar import Sidecar
from seqp2p.replay.writer import ReplayWriter

LINKED_S: Final = 3.0
"""For the first link to somebody: a dial by one side or, after ``dial_patience_s``, by the other."""
LOOK_S: Final = 0.05


@dataclass(frozen=True)
class AgreedSeat:
    """A seat that is about to be played: what it knows, and where it keeps it."""

    table: AgreedTable
    match: Match
    own: SeatKeys
    writer: ReplayWriter
    sidecar: Sidecar


class LiveGame:
    """A seat's game while it goes on, and how it ended."""

    def __init__(self, sitting: AgreedSeat) -> None:
        self.sitting = sitting
        self.mesh = Mesh(sitting.table, secrets.token_bytes)
        self.events = Events[TableEvent]()
        self.questions = Questions(sitting.match, sitting.own)
        self.session = SeatRunner(
            sitting.match,
            sitting.own,
            self.mesh,
            self.questions,
            sitting.writer,
            self._tell,
            sitting.sidecar,
            cancel_leaves=False,
        )
        self._begun_at = trio.current_time()
        self.running = Running(self._play, self._leave, self._end)

    async def _play(self) -> Result:
        result = await self.session.run()
        # It is over for this seat: nobody can take it again, and nobody needs its secrets.
        self.sitting.sidecar.delete()
        return result

    async def _leave(self, reason: str) -> None:
        # A seat that has just sat down, or has just been taken again, may have no link yet: nobody would hear of it.
        with trio.move_on_at(self._begun_at + LINKED_S):
            while not self.mesh.linked:  # noqa: ASYNC110  # a mesh tells its session alone
                await trio.sleep(LOOK_S)
        await self.session.leave(reason)

    def _tell(self, event: TableEvent) -> None:
        self.events.put(event)
        self.questions.hear(event)

    def _end(self) -> None:
        self.events.end()
        self.questions.end()
