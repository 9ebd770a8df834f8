"""A hostile contribution comes to exactly one kind of error, and leaves the match as it was before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from seqp2p.crypto.identity import Identity
from seqp2p.crypto.oracle import Context
from seqp2p.match.contribution import Body, Contribution
from seqp2p.match.errors import MatchError, Unattributable, Violation
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from tests.table import Played, altered, fields_of, shared_match_at, snapshot


def refused(match: Match, contribution: Contribution, error: type[MatchError]) -> Any:
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
    """No seat can be blamed for these bytes."""
    assert text in str(refused(match, contribution, Unattributable))


def violation(match: Match, contribution: Contribution, seat: int, step: int, text: str) -> Violation:
    """This seat is to blame, for this step, and the evidence is the signed bytes."""
    error: Violation = refused(match, contribution, Violation)
    assert (error.seat, error.step) == (seat, step)
    assert text in error.reason, error.reason
    assert error.evidence[-1] == contribution
    assert str(error).startswith(f"seat {seat} broke the rules at step {step}: ")
    return error


def goes_on(match: Match, *honest: Contribution) -> None:
    """The match still takes what it waits for."""
    before = snapshot(match)
    for contribution in honest:
        assert match.judge(match.open(contribution), contribution) is not None
    assert snapshot(match) == before, "judging changes nothing"


@dataclass(frozen=True)
class AtStep:
    """An open step: the match, not to be changed; a seat that it waits for; what that seat contributed to it."""

    match: Match
    seat: SeatKeys
    who: Identity
    honest: Contribution

    @property
    def number(self) -> int:
        """The seat's number."""
        return self.seat.number

    @property
    def body(self) -> dict[str, Any]:
        """The body of the honest contribution."""
        body: dict[str, Any] = fields_of(self.honest)["body"]
        return body

    @property
    def context(self) -> Context:
        """What a proof of this seat is bound to."""
        return self.seat._context(self.match)

    def altered(self, **changes: Any) -> Contribution:
        """The honest contribution with other fields, signed again."""
        return altered(self.who, self.honest, **changes)

    def with_body(self, changes: Mapping[str, Any] | None = None, **more: Any) -> Contribution:
        """The honest contribution with other fields in its body, signed again."""
        return self.altered(body={**self.body, **(changes or {}), **more})

    def signs(self, body: Body) -> Contribution:
        """Any body, of the kind of this step."""
        return self.seat._sign(self.match, body)

    def shares(self, positions: list[int]) -> dict[str, bytes]:
        """True shares of these deck positions, with a true proof."""
        shares, proof = self.seat._shares(self.match, positions) if positions else (b"", b"")
        return {"shares": shares, "proof": proof}

    def refuses(self, text: str, *contributions: Contribution) -> None:
        """The seat is to blame for each of these, and the match still takes the honest one."""
        for contribution in contributions:
            violation(self.match, contribution, self.number, self.match.number, text)
        goes_on(self.match, self.honest)


def at_step(game: Played, step: int | str, seat: int = 0) -> AtStep:
    """A step of a game by its number, or the first one of a kind; the first seat that it waits for, or this one."""
    number = game.step_of(step) if isinstance(step, str) else step
    seat = seat or game.steps[number - 1].contributions[0][0]
    match = shared_match_at(game, number)
    return AtStep(match, game.seat(seat), game.identity(seat), game.contribution(number, seat))
