"""What is said at the table, live: own remarks signed and sent, the others' checked, kept and passed on."""

from collections.abc import Callable

from seqp2p.match.errors import OtherPast, TooEarly
from seqp2p.match.events import Event, Remarked
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARK_LENGTH_MAX, REMARKS_MAX, BadRemark, Remark
from seqp2p.match.seat import OwnSeat
from seqp2p.match.text import cleaned
from seqp2p.net.mesh import Mesh
from seqp2p.net.messages import RemarkMessage
from seqp2p.replay.writer import ReplayWriter

# Remarks that came before their step or before the one they follow. Each seat says only so much.
EARLY_MAX = 64


class Talk:
    """The remarks of one live game."""

    def __init__(
        self, match: Match, seat: OwnSeat, mesh: Mesh, writer: ReplayWriter, tell: Callable[[Event], None]
    ) -> None:
        self._match = match
        self._seat = seat
        self._mesh = mesh
        self._writer = writer
        self._tell = tell
        self._early: dict[tuple[int, int], tuple[int, RemarkMessage]] = {}  # (neighbour, message) by (seat, number)

    def say(self, text: str) -> None:
        """Say something, as typed. Nothing is said where nothing is left to show, or after too many remarks."""
        shown = cleaned(text, REMARK_LENGTH_MAX)
        number, _ = self._match.remarks.next_of(self._seat.number)
        if shown and number <= REMARKS_MAX:
            payload, signature = self._seat.say(self._match, shown)
            remark = self._match.receive_remark(payload, signature)
            assert remark is not None, "an own remark is the next of its chain"
            self._keep(remark)

    def receive(self, sender: int, message: RemarkMessage) -> None:
        """A remark from a neighbour. One that is too early waits until it is not."""
        try:
            remark = self._match.receive_remark(message.payload, message.signature)
        except TooEarly as early:
            self._wait(early.seat, early.step, sender, message)
        except OtherPast:
            pass  # Of no use here, and no evidence.
        except BadRemark as error:
            self._mesh.fault(sender, str(error))
        else:
            if remark is not None:
                self._keep(remark)
                self.retry()

    def retry(self) -> None:
        """Something has moved: take what was too early."""
        waiting, self._early = self._early, {}
        for sender, message in waiting.values():
            self.receive(sender, message)

    def _wait(self, seat: int, step: int, sender: int, message: RemarkMessage) -> None:
        if len(self._early) < EARLY_MAX:
            self._early.setdefault((seat, step), (sender, message))

    def _keep(self, remark: Remark) -> None:
        self._writer.remark(self._match, remark)
        self._mesh.send_remark(remark.payload, remark.signature)
        said = remark.said
        self._tell(Remarked(said.seat, said.number, said.text, said.courtesy))
