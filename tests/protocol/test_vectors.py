"""Every vector, by this program and by the second verifier."""

import pytest

from protocol.second import checks as second
from seqp2p.crypto.identity import verify as verify_signature
from tests.protocol import first
from tests.protocol.reading import VECTORS, hexed, vectors

PROGRAMS = {"this program": first, "the second verifier": second}
NOT_PRIMITIVES = {"contributions", "option_contributions", "two_player_game", "two_player_kids_game"}
FILES = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem not in NOT_PRIMITIVES)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", FILES)
def test_vectors(name: str, program: str) -> None:
    checks, failures = PROGRAMS[program].CHECKS, PROGRAMS[program].FAILURES
    for vector in vectors(name):
        check, given, where = checks[vector["primitive"]], vector["in"], f"{vector['primitive']}: {vector['name']}"
        if vector["expect"] == "ok":
            out = hexed(check(given))
            # The second verifier does not tell all that this program does; what it tells must be the same.
            assert {key: vector["out"][key] for key in out} == out, where
            signed = {"signature"} if vector["primitive"] in first.SIGNED else set()
            assert program != "this program" or set(out) == set(vector["out"]) - signed, where
        else:
            with pytest.raises(failures[vector["expect"]]):
                check(given)


@pytest.mark.parametrize("name", FILES)
def test_names_are_unique_and_all_is_told(name: str) -> None:
    listed = vectors(name)
    assert len({(vector["primitive"], vector["name"]) for vector in listed}) == len(listed)
    for vector in listed:
        assert vector["expect"] in {"ok", *first.FAILURES}


@pytest.mark.parametrize("name", ["links", "replays"])
def test_signatures_of_vectors(name: str) -> None:
    for vector in vectors(name):
        if vector["primitive"] in first.SIGNED:
            label, what = first.SIGNED[vector["primitive"]]
            key = vector["in"].get("key") or vector["in"]["client"]
            out = {key: bytes.fromhex(value) for key, value in vector["out"].items()}
            verify_signature(bytes.fromhex(key), label, out[what], out["signature"])
