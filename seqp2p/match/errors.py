"""What can be wrong with bytes that claim to be a contribution, by who is to blame for it."""

from seqp2p.match.contribution import Contribution
from seqp2p.said import said


class MatchError(Exception):
    """Base of everything that ``Match.receive`` raises."""


class Unattributable(MatchError):
    """The bytes are no signed contribution of this game: whoever passed them on is to blame, and no seat is."""


class TooEarly(MatchError):
    """A contribution to a step that is not open yet: keep it, and hand it in again when the step opens."""

    def __init__(self, step: int, seat: int) -> None:
        super().__init__(said("step {step} is not open yet", step=step))
        self.step = step
        self.seat = seat


class OtherPast(MatchError):
    """A contribution signed on top of another past than ours: no evidence against its seat, and of no use here."""


class Violation(MatchError):
    """A seat signed what it must not have signed. ``evidence`` is the signed bytes; anybody can check them."""

    def __init__(self, seat: int, step: int, reason: str, evidence: tuple[Contribution, ...]) -> None:
        super().__init__(
            said("seat {seat} broke the rules at step {step}: {reason}", seat=seat, step=step, reason=reason)
        )
        self.seat = seat
        self.step = step
        self.reason = reason
        self.evidence = evidence


class Refusal(ValueError):
    """What a seat contributed to a step is wrong. ``Match`` turns it into a Violation with the evidence."""
