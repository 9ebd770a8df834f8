"""The equations of a proof, as data: every proof here is a list of linear equations between points.

A proof carries its commitments and not the challenge, so each equation reads

    commitment = Σ over brackets of factor · Σ over terms of scalar · point

in the full group, infinity included. The caller chooses how proofs are checked by passing a `Check`: `require` checks
at once, equation by equation; a `Batch` gathers many, to check them as one sum with random weights.

Theory of the batch. Each equation says that a point R_j, a sum of scalars times points, is infinity. The verifier draws
a weight w_j of 128 bits for each and looks at Σ w_j·R_j alone (the small exponents test: Bellare, Garay, Rabin, "Fast
batch verification for modular exponentiation and digital signatures", Eurocrypt 1998).

- If all hold, every R_j is infinity, and so is the sum.
- If some R_k is not, at most one value of w_k modulo q makes the sum infinity, for any choice of the other weights:
  the group has prime order q, so that R_k generates it, and cofactor 1, so that no point of small order can hide. q
  has 256 bits, so the 2^128 weights are different modulo q. Hence a false equation passes with probability at most
  2^−128, if the weights are drawn when the equations are fixed, uniformly, and independently of them. The prover
  must not foresee them: they come from the verifier's own randomness, and never from a hash of the proofs.

Cost. A point in many equations (G, H_i, a joint key, a deck between two shuffles) is multiplied once, by the sum of
its scalars, and all multiplications are made together (`sum_of_products`). A commitment, which is in one equation
only, keeps a scalar of 128 bits.

A batch that fails does not tell which equation is false. Check them one by one to find out, as `sum_first` does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import INFINITY, ORDER, Point, Randomness, Term, add, combine, mul, sum_of_products, sum_points
from seqp2p.i18n import message

WEIGHT_SIZE = 16
POINTS_MAX = 50_000
"""More different points than this are summed up at once: some 30 MB, and five times as many as in a game of twelve."""
SUM_FROM = 20
"""`sum_first` makes a sum of at least so many equations: a shuffle's. A sum of a few costs more than its parts."""


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
            why = message("The proof is refused: the equation for {name} does not hold.", name=equation.name)
            raise CryptoError(why)


class Batch:
    """A `Check` that gathers equations with `gather` and refuses nothing; `hold` checks them all.

    `randomness` is the verifier's own, and unknown to the provers.
    """

    def __init__(self, randomness: Randomness) -> None:
        self._randomness = randomness
        self._sum = INFINITY
        self._points: dict[bytes, Point] = {}
        self._scalars: dict[bytes, int] = {}  # by the point's encoding, not reduced

    def gather(self, equations: Iterable[Equation]) -> None:
        """Add each equation, as commitment − Σ factor·Σ scalar·point = infinity, with a fresh weight."""
        for equation in equations:
            weight = int.from_bytes(self._randomness(WEIGHT_SIZE), "big")
            self._add(weight, ((1, equation.commitment),))
            for bracket in equation.brackets:
                self._add(-weight * bracket.factor % ORDER, bracket.terms)
        if len(self._points) > POINTS_MAX:  # A hostile file takes time, but no memory.
            self._sum_up()

    def hold(self) -> bool:
        """Return True if all gathered equations hold. True is wrong with probability 2^−128 at most, False never."""
        self._sum_up()
        return self._sum.is_infinity

    def _sum_up(self) -> None:
        gathered = [(self._scalars[key], point) for key, point in self._points.items()]
        self._sum = add(self._sum, sum_of_products(gathered))
        self._points.clear()
        self._scalars.clear()

    def _add(self, factor: int, terms: Iterable[Term]) -> None:
        scalars = self._scalars
        for scalar, point in terms:
            key = point.encoded
            if key in scalars:
                scalars[key] += factor * scalar
            else:
                scalars[key] = factor * scalar
                self._points[key] = point


def sum_first(randomness: Randomness) -> Check:
    """Return a check of each proof as one sum, and equation by equation only if the sum fails, to name the false one.

    A shuffle of the whole deck takes three quarters of the time that `require` takes.
    """

    def check(equations: Iterable[Equation]) -> None:
        whole, batch = tuple(equations), Batch(randomness)
        if len(whole) >= SUM_FROM:
            batch.gather(whole)
            if batch.hold():
                return
        require(whole)

    return check
