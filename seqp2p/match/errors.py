"""The faults of bytes that claim to be a contribution, by the peer to blame."""

from typing import Literal, TypeAlias

from seqp2p.i18n import message
from seqp2p.match.contribution import Contribution

Failure: TypeAlias = Literal[
    "file",
    "torn",
    "encoding",
    "table",
    "order",
    "signature",
    "chain",
    "equivocation",
    "step",
    "key",
    "shuffle",
    "share",
    "rules",
    "result",
    "ballot",
    "remark",
    "evidence",
    "opening",
    "end",
    "incomplete",
]
"""The kind of check that a replay fails, for programs: docs/protocol.md, section 13."""


class MatchError(Exception):
    """Base of all errors that ``Match.receive`` raises."""

    failure: Failure = "chain"


class Unattributable(MatchError):
    """The bytes are no signed contribution of this game: the peer that passed them on is to blame, and no seat is."""

    failure: Failure = "signature"


class TooEarly(MatchError):
    """A contribution to a future step: keep it until the step opens."""

    def __init__(self, step: int, seat: int) -> None:
        super().__init__(message("step {step} is not open yet", step=step))
        self.step = step
        self.seat = seat


class OtherPast(MatchError):
    """Something signed on top of another past than ours: no evidence against its seat, and no use here."""

    def __init__(self, step: int, seat: int) -> None:
        super().__init__(message("seat {seat} has a different history at step {step}", seat=seat, step=step))


class Violation(MatchError):
    """A seat signed something that it must not sign. ``evidence`` are the signed bytes; any peer can check them.

    ``failure`` is the kind of check that they fail.
    """

    def __init__(
        self, seat: int, step: int, reason: str, evidence: tuple[Contribution, ...], failure: Failure = "equivocation"
    ) -> None:
        super().__init__(
            message("seat {seat} broke the rules at step {step}: {reason}", seat=seat, step=step, reason=reason)
        )
        self.seat = seat
        self.step = step
        self.reason = reason
        self.evidence = evidence
        self.failure = failure


class Refusal(ValueError):
    """A contribution is wrong. ``Match`` turns this into a Violation with the evidence."""
