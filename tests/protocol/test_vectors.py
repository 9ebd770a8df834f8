"""Every vector, by this program, as far as it reads it, and by the second verifier."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from protocol.generator.vectors import hexed
from protocol.second import checks as second
from seqp2p.crypto.identity import verify as verify_signature
from tests.protocol import first
from tests.protocol.reading import VECTORS, vectors

PROGRAMS: dict[str, tuple[Callable[[str], Callable[[Any], Any] | None], Mapping[str, type[Exception]]]] = {
    "this program": (first.CHECKS.get, first.FAILURES),
    "the second verifier": (second.check_of, second.FAILURES),
}
NOT_PRIMITIVES = {"contributions", "option_contributions", "two_player_game", "two_player_kids_game"}
FILES = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem not in NOT_PRIMITIVES)
# What this program itself says of a vector that it makes (test_generator.py).
OF_MADE = {"ok", "illegal", "ambiguous", "notation"}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", FILES)
def test_vectors(name: str, program: str) -> None:
    check_of, failures = PROGRAMS[program]
    for vector in vectors(name):
        check, given, where = check_of(vector["primitive"]), vector["in"], f"{vector['primitive']}: {vector['name']}"
        if check is None:
            assert (program, vector["expect"] in OF_MADE) == ("this program", True), where
        elif vector["expect"] == "ok":
            out = hexed(check(given))
            # They do not tell all that a vector has; what they tell must be the same.
            assert {key: vector["out"][key] for key in out} == out, where
        else:
            with pytest.raises(failures[vector["expect"]]):
                check(given)


@pytest.mark.parametrize("name", FILES)
def test_names_are_unique_and_all_is_told(name: str) -> None:
    listed = vectors(name)
    assert len({(vector["primitive"], vector["name"]) for vector in listed}) == len(listed)
    assert {vector["expect"] for vector in listed} <= {*OF_MADE, *first.FAILURES}


@pytest.mark.parametrize("name", ["links", "replays"])
def test_signatures_of_vectors(name: str) -> None:
    for vector in vectors(name):
        if vector["primitive"] in first.SIGNED:
            label, what = first.SIGNED[vector["primitive"]]
            key = vector["in"].get("key") or vector["in"]["client"]
            out = {key: bytes.fromhex(value) for key, value in vector["out"].items()}
            verify_signature(bytes.fromhex(key), label, out[what], out["signature"])
