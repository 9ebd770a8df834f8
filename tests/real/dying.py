"""``seqp2p`` that dies by SIGKILL at a named place: ``python -m tests.real.dying MOMENT KIND NTH seqp2p-arguments…``.

KIND is the kind of a step (``seat`` … ``over``), or ``ballot``, ``head``, ``opening``. MOMENT is, for what is own:

    made      signed, and nothing of it is written
    torn      half of its record is in the seat's own file
    logged    its record is written, and not synced
    synced    it is on the disk, and no other seat has it
    accepted  the match has taken it, its replay too if that closes the step; it is queued for the links
    sent      one neighbour has been sent it, the others have not

and ``taken`` for what came from another seat and is in the seat's own file, not in the replay; ``shredded`` for a step
of which half the record is in the replay; ``finishing`` (KIND ``opening``) for the end.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, cast

from seqp2p.cli.main import main
from seqp2p.live.recorder import Recorder
from seqp2p.live.seat_session import SeatSession
from seqp2p.match.contribution import Contribution, open_envelope
from seqp2p.match.intake import Applied, Outcome
from seqp2p.match.signed import ReleasedSecret, SignedBallot, SignedHead, SignedThing
from seqp2p.net.links import Link
from seqp2p.replay.format import AnyRecord, StepRecord, contributions_of, frame
from seqp2p.replay.sidecar import Sidecar
from seqp2p.replay.writer import ReplayWriter
from tests import helpful

OWN: Final = ("made", "torn", "logged", "synced", "accepted", "sent")


class Death:
    """Kills this process at the nth of such moments."""

    def __init__(self, moment: str, kind: str, nth: int) -> None:
        self._moment = moment
        self._kind = kind
        self._left = nth
        self._due = False

    def made(self, kind: str) -> None:
        """Note that an own thing of this kind has been signed, which goes through all moments of ``OWN``."""
        if kind == self._kind and self._moment in OWN:
            self._left -= 1
            self._due = self._left == 0
        self.come("made")

    def come(self, moment: str, kind: str | None = None) -> None:
        """Die if this moment, of an own thing or of this kind, is the one."""
        if moment != self._moment:
            return
        if kind == self._kind:
            self._left -= 1
        if self._due or (kind == self._kind and self._left == 0):
            os.kill(os.getpid(), signal.SIGKILL)

    def tears(self, moment: str, kind: str | None = None) -> bool:
        """Return True if half a record is to be written now, before that moment comes."""
        return moment == self._moment and (self._due or (kind == self._kind and self._left == 1))

    def is_queued(self) -> None:
        """Note that from now on a write to a link carries the own thing, if it has been made."""
        if self._due and self._moment == "sent":
            self._moment = "written"


def wrap(owner: type, name: str, before: Callable[..., None] | None, after: Callable[..., None] | None) -> None:
    """Do something before and after a method, which may be asynchronous; both get its arguments."""
    original: Any = getattr(owner, name)

    async def awaited(result: Any, arguments: Any) -> Any:
        value = await result
        if after:
            after(*arguments)
        return value

    def wrapped(*arguments: Any) -> Any:
        if before:
            before(*arguments)
        result = original(*arguments)
        if hasattr(result, "__await__"):
            return awaited(result, arguments)
        if after:
            after(*arguments)
        return result

    setattr(owner, name, wrapped)


def arm(death: Death) -> None:
    own_seat = 0

    def begin(session: SeatSession) -> None:
        nonlocal own_seat
        own_seat = session.seat.number

    def sign(_session: SeatSession, thing: SignedThing) -> None:
        match thing:
            case Contribution(payload):
                death.made(open_envelope(payload).kind)
            case SignedBallot():
                death.made("ballot")
            case SignedHead():
                death.made("head")
            case _:
                pass

    def logged(_recorder: Recorder, thing: SignedThing) -> None:
        death.come("logged")
        if isinstance(thing, Contribution) and open_envelope(thing.payload).seat != own_seat:
            death.come("taken", open_envelope(thing.payload).kind)

    def tear(sidecar: Sidecar, data: bytes) -> None:
        if death.tears("torn"):
            os.write(cast("Any", sidecar)._file.fileno(), data[: len(data) // 2])
            death.come("torn")

    def shred(writer: ReplayWriter, record: AnyRecord) -> None:
        if isinstance(record, StepRecord):
            kind = open_envelope(contributions_of(record)[0].payload).kind
            if death.tears("shredded", kind):
                data = frame(record)
                cast("Any", writer)._file.write(data[: len(data) // 2])
            death.come("shredded", kind)

    def at(moment: str, kind: str | None = None) -> Callable[..., None]:
        return lambda *_: death.come(moment, kind)

    def handled(_session: SeatSession, outcome: Outcome, _sender: int) -> None:
        match outcome:
            case Applied(ReleasedSecret()):
                pass
            case Applied():
                death.come("accepted")
                death.is_queued()
            case _:
                pass

    wrap(SeatSession, "begin", begin, None)
    wrap(SeatSession, "_take_own", sign, None)
    wrap(Recorder, "log", None, logged)
    wrap(Sidecar, "_write", tear, None)
    wrap(Recorder, "sync", None, at("synced"))
    wrap(Link, "_write_some", None, at("written"))
    wrap(ReplayWriter, "_append", shred, None)
    wrap(SeatSession, "_handle", None, handled)
    wrap(ReplayWriter, "finish", at("finishing", "opening"), None)


if __name__ == "__main__":
    moment, kind, nth, *arguments = sys.argv[1:]
    arm(Death(moment, kind, int(nth)))
    helpful.make_known()
    sys.argv = ["seqp2p", *arguments]
    main()
