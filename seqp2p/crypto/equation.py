"""The equations of a proof, as data: every proof here is a list of linear equations between points.

A proof carries its commitments and not the challenge, so each equation reads

    commitment = Σ over brackets of factor · Σ over terms of scalar · point

in the full group, infinity included. The caller chooses how proofs are checked by passing a `Check`: `require` checks
at once, equation by equation; a `Batch` gathers many, to check them as one sum with random weights (batch.py).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Point, Term, combine, mul, sum_points
from seqp2p.i18n import message


@dataclass(frozen=True, slots=True)
class Bracket:
    """factor · Σ scalar·point. A factor outside costs one long multiplication instead of many."""

    factor: int
    terms: tuple[Term, ...]

    def value(self) -> Point:
        total = combine(*self.terms)
        return total if self.factor == 1 else mul(total, self.factor)


@dataclass(frozen=True, slots=True)
class Equation:
    """One equation, as in the module's docstring. `name` is for the text of an error."""

    name: str
    commitment: Point
    brackets: tuple[Bracket, ...]

    def holds(self) -> bool:
        return sum_points([bracket.value() for bracket in self.brackets]) == self.commitment


Check: TypeAlias = Callable[[Iterable[Equation]], None]
"""A function of the equations of one proof, in their order; it may raise CryptoError if they do not hold."""


def require(equations: Iterable[Equation]) -> None:
    """Check each equation in order. Raises CryptoError naming the first that does not hold."""
    for equation in equations:
        if not equation.holds():
            raise CryptoError(
                message("The proof is refused: the equation for {name} does not hold.", name=equation.name)
            )
