"""Signed leaves, and proofs of cheating: looked at, kept, and passed on to everybody."""

from collections.abc import Callable

from seqp2p.i18n import message_of
from seqp2p.live.early import Early
from seqp2p.live.recorder import Recorder
from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.events import Event


class Proofs:
    """What one seat has of what puts others out of the game at once; ``follow`` gets the events of what is taken."""

    def __init__(self, ledger: Recorder, follow: Callable[[tuple[Event, ...]], None]) -> None:
        self._ledger = ledger
        self._match = ledger.match
        self._follow = follow
        self._offered = Early()  # contributions that others say are wrong, before their step

    def take_leave(self, signed: Contribution, sender: int) -> bool:
        """A signed leave from a neighbour; says whether it is new."""
        try:
            events = self._match.receive_leave(signed)
        except Unattributable as error:
            self._ledger.mesh.fault(sender, message_of(error))
            return False
        if events is None:
            return False
        self._ledger.log("leave", signed)
        self._ledger.mesh.send_leave(signed)
        self._ledger.writer.leave(self._match, signed)
        return True

    def weigh(self, evidence: tuple[Contribution, ...], sender: int) -> Violation | None:
        """What a neighbour offers as proof of cheating; of what proves nothing nothing is kept. It may take long."""
        try:
            self._match.weigh(evidence)
        except Violation as violation:
            return violation
        except TooEarly as early:
            # It need not come again by itself. On the account of whoever offers it, so that no cheat can crowd it out.
            self._offered.keep(early.step, sender, sender, evidence[0])
        except OtherPast:
            pass
        except Unattributable as error:
            self._ledger.mesh.fault(sender, message_of(error))
        return None

    def due(self, step: int) -> list[tuple[int, Contribution]]:
        """Take what was offered before its step opened: neighbours, and contributions to be judged now."""
        return self._offered.due(step)

    def accuse(self, violation: Violation) -> bool:
        """Somebody signed what it must not have signed: everybody gets the evidence. Says whether that is news."""
        known = self._match.knows_of(violation)
        events = self._match.accuse(violation)
        if events is None:
            return False
        self._ledger.log_evidence(violation)
        self._follow(events)
        if not known:
            self._ledger.writer.evidence(self._match, violation)
        for evidence in self._match.proofs(violation):
            self._ledger.mesh.send_evidence(evidence)
        return True

    def say_again(self) -> None:
        """Send what a seat that comes back may be the only one to have."""
        for signed in self._match.left.values():
            self._ledger.mesh.send_leave(signed)
        for violation in self._match.proven.values():
            self._ledger.mesh.send_evidence(violation.evidence)
