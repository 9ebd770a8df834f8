"""What is said at the table, live: own remarks signed and sent, the others' checked, kept and passed on."""

from collections import deque

from seqp2p.i18n import message_of
from seqp2p.live.recorder import Recorder
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Remarked
from seqp2p.match.remark import REMARK_LENGTH_MAX, REMARKS_MAX, BadRemark, Remark, open_remark
from seqp2p.match.seat import SeatKeys
from seqp2p.match.text import cleaned
from seqp2p.net.limits import DEFAULT_LIMITS, Limits
from seqp2p.net.messages import RemarkMessage


class Talk:
    """The remarks of one live game."""

    def __init__(self, ledger: Recorder, seat: SeatKeys, limits: Limits = DEFAULT_LIMITS) -> None:
        self._ledger = ledger
        self._limits = limits
        self._heard: dict[int, deque[float]] = {}  # when the last remarks of each seat were taken
        self._match = ledger.match
        self._seat = seat
        # By (seat, number), before their step or before the ones they follow: no more than a seat may say at all.
        self._early: dict[tuple[int, int], Remark] = {}

    async def say(self, text: str) -> None:
        """Say something, as typed. Nothing is said where nothing is left to show, or after too many remarks."""
        shown = cleaned(text, REMARK_LENGTH_MAX)
        number, _ = self._match.remarks.next_of(self._seat.number)
        if shown and number <= REMARKS_MAX:
            own = Contribution(*self._seat.say(self._match, shown))
            self._ledger.log("remark", own)
            await self._ledger.sync()
            self._take(own.payload, own.signature)

    def receive(self, sender: int, message: RemarkMessage) -> None:
        """A remark from a neighbour. One that is too early waits until it is not."""
        game = self._match.game
        try:
            remark = open_remark(message.payload, message.signature, game.id, game.agreement)
        except BadRemark as error:
            self._ledger.mesh.fault(sender, message_of(error))
            return
        word = remark.said
        number, _ = self._match.remarks.next_of(word.seat)
        if word.number >= number:
            self._early.setdefault((word.seat, word.number), remark)
            self._take_next(word.seat)

    def say_again(self) -> None:
        """Send all that is known to have been said: a seat that comes back may be the only one that has it."""
        for remark in self._match.remarks.after((0,) * self._match.game.players):
            self._ledger.mesh.send_remark(remark.payload, remark.signature)

    def retry(self) -> None:
        """The game has moved, or time has passed: take what was too early, or too much at once."""
        for seat in {seat for seat, _ in self._early}:
            self._take_next(seat)

    def _take_next(self, seat: int) -> None:
        """Take what follows in a seat's chain, as far as it is here and its step is open."""
        while True:
            key = seat, self._match.remarks.next_of(seat)[0]
            remark = self._early.get(key)
            if remark is None or remark.said.step > self._match.number or not self._may_be_heard(seat):
                return
            del self._early[key]
            self._take(remark.payload, remark.signature)

    def _may_be_heard(self, seat: int) -> bool:
        """Whether another remark of this seat is taken now: somebody who says too much at once is heard later."""
        now = self._ledger.runtime.now()
        times = self._heard.setdefault(seat, deque(maxlen=self._limits.remark_burst))
        if len(times) == times.maxlen and now - times[0] < self._limits.remark_burst_s:
            return False
        times.append(now)
        return True

    def _take(self, payload: bytes, signature: bytes) -> None:
        remark = self._match.receive_remark(payload, signature)
        if remark is not None:
            if remark.said.seat != self._seat.number:
                self._ledger.log("remark", Contribution(payload, signature))
            self._keep(remark)

    def _keep(self, remark: Remark) -> None:
        self._ledger.writer.remark(self._match, remark)
        self._ledger.mesh.send_remark(remark.payload, remark.signature)
        word = remark.said
        self._ledger.tell(Remarked(word.seat, word.number, word.text, word.courtesy))
