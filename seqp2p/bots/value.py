"""The weights of ``learned``: files of 16-bit numbers with a version and a check, and the sum of rows.

    header   "seqp2p value 1 NAME STATES FEATURES UNITS", one line of ASCII
    check    SHA-256 of all the rest, 32 bytes
    rows     for each state of the score, for each feature: UNITS numbers
    out      for each state: UNITS - 1 numbers

Numbers are signed, little-endian, in units of 1/SCALE. The last unit is the linear part. A row is kept as one whole
number with 32 bits for each unit, so rows add and subtract in one step; a guard in each field takes the signs back out.
"""

import struct
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from seqp2p.bots.features import shape
from seqp2p.i18n import message, message_of
from seqp2p.rules import VARIANTS, Variant

MAGIC: Final = "seqp2p value"
VERSION: Final = 1
SCALE_BITS: Final = 10
SCALE: Final = 1 << SCALE_BITS
FIELD_BITS: Final = 32
GUARD: Final = 1 << (FIELD_BITS - 1)
CHECK_LENGTH: Final = 32


class BadWeights(ValueError):
    """The weights cannot be used; the text has the reason."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The rows of a file."""

    rows: tuple[tuple[int, ...], ...]
    """By state of the score, then by feature: its numbers in one."""
    out: tuple[tuple[int, ...], ...]
    """By state, then by unit."""
    units: int
    guard: int

    def value(self, state: int, total: int) -> int:
        """Return the value of a sum of rows: a logit, in units of 1/SCALE²."""
        fields: tuple[int, ...] = struct.unpack(
            f"<{self.units}I", (total + self.guard).to_bytes(self.units * FIELD_BITS // 8, "little")
        )
        linear: int = (fields[-1] - GUARD) << SCALE_BITS
        return linear + sum(
            weight * (field - GUARD) for weight, field in zip(self.out[state], fields, strict=False) if field > GUARD
        )


def name_of(variant: Variant, teams: int) -> str:
    """Return the name of the weights for a table. One file serves all numbers of teams if all win by equal scores."""
    return variant.name if len({wins for _, wins in variant.sequences_to_win}) == 1 else f"{variant.name}-{teams}"


def teams_max(variant: Variant, teams: int) -> int:
    """Return the highest number of teams that the weights for a table know."""
    return teams if name_of(variant, teams) != variant.name else max(teams for teams, _ in variant.sequences_to_win)


@lru_cache(maxsize=8)
def shipped(variant: Variant, teams: int) -> Weights:
    """Return the weights for a table from the installed file. Raises BadWeights."""
    name, form = name_of(variant, teams), shape(variant, teams_max(variant, teams))
    try:
        content = files("seqp2p.bots").joinpath("values", f"{name}.bin").read_bytes()
    except OSError:
        raise BadWeights(message("the bot's weights {name} are missing: reinstall seqp2p", name=name)) from None
    return read_weights(content, name, form.states, form.features)


def why_no_weights() -> str | None:
    """Return the reason why the installed weights cannot be used, or None. Every variant of commands has some."""
    tables = ((variant, teams) for variant in VARIANTS.values() for teams, _ in variant.sequences_to_win)
    try:
        for variant, teams in {name_of(*table): table for table in tables}.values():
            shipped(variant, teams)
    except BadWeights as reason:
        return message_of(reason)
    return None


def read_weights(content: bytes, name: str, states: int, features: int) -> Weights:
    """Return the weights in a file. Raises BadWeights unless they are whole and of this name and shape."""
    header, _, rest = content.partition(b"\n")
    check, numbers = rest[:CHECK_LENGTH], rest[CHECK_LENGTH:]
    start = f"{MAGIC} {VERSION} {name} {states} {features} "
    words = header.decode("ascii", "replace")
    if not words.startswith(start) or not words.removeprefix(start).isdecimal():
        why = message("the bot's weights {name} are from another version of seqp2p: reinstall it", name=name)
        raise BadWeights(why)
    units = int(words.removeprefix(start))
    if check != sha256(header + b"\n" + numbers).digest():
        raise BadWeights(message("the bot's weights {name} are damaged: reinstall seqp2p", name=name))
    row_count = states * features * units
    found = struct.unpack(f"<{len(numbers) // 2}h", numbers)
    packed = [
        sum(weight << FIELD_BITS * unit for unit, weight in enumerate(found[at : at + units]))
        for at in range(0, row_count, units)
    ]
    out = found[row_count:]
    return Weights(
        rows=tuple(tuple(packed[state * features : (state + 1) * features]) for state in range(states)),
        out=tuple(tuple(out[state * (units - 1) : (state + 1) * (units - 1)]) for state in range(states)),
        units=units,
        guard=sum(GUARD << FIELD_BITS * unit for unit in range(units)),
    )
