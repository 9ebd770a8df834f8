"""A replay case: a file, and the verdict on it."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Case:
    """A replay and its verdict.

    ``failure`` is the class, ``seat`` the seat that is proved to have broken the rules, ``awaited`` the missing seats.
    """

    data: bytes
    verdict: Literal["verified", "unfinished", "invalid"]
    why: str
    failure: str | None = None
    step: int | None = None
    seat: int | None = None
    awaited: tuple[int, ...] = ()

    @property
    def expected(self) -> dict[str, Any]:
        """Its entry in expected.json, but for the seats that win."""
        return {
            "verdict": self.verdict,
            "class": self.failure,
            "step": self.step,
            "seat": self.seat,
            "awaited": list(self.awaited),
            "why": self.why,
        }


def verified(data: bytes, why: str) -> Case:
    """Return a case of a whole game."""
    return Case(data, "verified", why)


def invalid(data: bytes, why: str, failure: str, step: int | None = None, seat: int | None = None) -> Case:
    """Return a case of a file that no honest peer writes."""
    return Case(data, "invalid", why, failure, step, seat)


def unfinished(data: bytes, why: str, failure: str, step: int, seat: int | None = None) -> Case:
    """Return a case of a game that has not ended, by the fault of this seat or of the file."""
    return Case(data, "unfinished", why, failure, step, seat)


def incomplete(data: bytes, why: str, step: int, *awaited: int) -> Case:
    """Return a case of a record that ends before its game, which awaits these seats."""
    return Case(data, "unfinished", why, "incomplete", step, awaited=awaited)
