"""A replay case: a file, and the verdict on it."""

from dataclasses import dataclass
from typing import Any, Literal

Verdict = Literal["verified", "unfinished", "invalid"]


@dataclass(frozen=True)
class Case:
    """A replay and its verdict.

    ``failure`` is the class, ``seat`` the seat that is proved to have broken the rules, ``awaited`` the missing seats.
    """

    data: bytes
    verdict: Verdict
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
