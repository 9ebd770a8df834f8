"""What a verifier checks, as data: every proof here is a list of linear equations between points.

A proof carries its commitments and not the challenge, so each equation reads

    commitment = Σ over groups of factor · Σ over terms of scalar · point

in the full group, infinity included. `Equation.holds` checks one as it is written. `Equation.terms` multiplies
it out, so that many equations can be added up with random weights and checked as one sum.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import ORDER, G, Point, mul, mul_base, sum_points

Term = tuple[int, Point]


@dataclass(frozen=True, slots=True)
class Group:
    """factor · Σ scalar·point. The factor is outside, because that is one long multiplication instead of many."""

    factor: int
    terms: tuple[Term, ...]

    def value(self) -> Point:
        return _times(self.factor, sum_points([_times(scalar, point) for scalar, point in self.terms]))


@dataclass(frozen=True, slots=True)
class Equation:
    """`name` is for the error's text; all else is in the module's text."""

    name: str
    commitment: Point
    groups: tuple[Group, ...]

    def holds(self) -> bool:
        return sum_points([group.value() for group in self.groups]) == self.commitment

    def terms(self) -> tuple[Term, ...]:
        """The same equation as Σ scalar·point = infinity, scalars in 0 … q−1."""
        return (
            *((group.factor * scalar % ORDER, point) for group in self.groups for scalar, point in group.terms),
            (ORDER - 1, self.commitment),
        )


def require(equations: Iterable[Equation]) -> None:
    """Check each in its order. Raises CryptoError naming the first that does not hold."""
    for equation in equations:
        if not equation.holds():
            raise CryptoError(f"The proof is refused: the equation for {equation.name} does not hold.")


def _times(scalar: int, point: Point) -> Point:
    if scalar == 1:
        return point
    return mul_base(scalar) if point is G else mul(point, scalar)
