"""What a hostile contribution must come to: exactly one kind of error, and a match that is as it was before."""

import pytest

from seqp2p.match.contribution import Contribution
from seqp2p.match.errors import MatchError, OtherPast, TooEarly, Unattributable, Violation
from seqp2p.match.machine import Match
from tests.table import snapshot


def refused(match: Match, contribution: Contribution, error: type[MatchError]) -> MatchError:
    """The match raises exactly this error, and is unchanged."""
    before = snapshot(match)
    with pytest.raises(MatchError) as caught:
        match.receive(contribution)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {caught.value}"
    assert snapshot(match) == before
    assert str(caught.value).isprintable(), "an error is shown on terminals"
    assert len(str(caught.value)) < 300
    return caught.value


def unattributable(match: Match, contribution: Contribution, text: str) -> None:
    """Nobody at the table can be blamed for these bytes."""
    error = refused(match, contribution, Unattributable)
    assert text in str(error)


def too_early(match: Match, contribution: Contribution, step: int, seat: int) -> None:
    """To be handed in again later."""
    error = refused(match, contribution, TooEarly)
    assert isinstance(error, TooEarly)
    assert (error.step, error.seat) == (step, seat)


def other_past(match: Match, contribution: Contribution) -> None:
    """No evidence, and of no use here."""
    refused(match, contribution, OtherPast)


def violation(match: Match, contribution: Contribution, seat: int, step: int, text: str) -> Violation:
    """This seat is to blame, for this step, and the evidence is the signed bytes."""
    error = refused(match, contribution, Violation)
    assert isinstance(error, Violation)
    assert (error.seat, error.step) == (seat, step)
    assert text in error.reason, error.reason
    assert error.evidence[-1] == contribution
    assert str(error).startswith(f"seat {seat} broke the rules at step {step}: ")
    return error


def goes_on(match: Match, honest: Contribution) -> None:
    """The match still takes what it waits for."""
    before = snapshot(match)
    assert match.judge(match.open(honest), honest) is not None
    assert snapshot(match) == before, "judging changes nothing"
