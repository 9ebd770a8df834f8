"""The schema takes every real record, payload and message, and none with a small difference."""

import struct
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from secrets import token_bytes
from typing import Any

import msgpack
import msgspec
import pytest

from protocol.second import file
from protocol.second.basics import read_scalar, total
from protocol.second.game import EVERY_STEP, Failure, Machine
from seqp2p.lobby.address_statement import AddressEntry, AddressPayload
from seqp2p.lobby.lines import LinePayload
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import encode
from seqp2p.match.errors import MatchError, Violation
from seqp2p.match.machine import Match
from seqp2p.match.table import decode_agreement
from seqp2p.replay.format import StepRecord, TableRecord, records
from seqp2p.replay.verify import verify_batched
from tests.net.test_messages import SAMPLES
from tests.protocol.reading import GOLDEN, PROTOCOL, read, replay, vectors
from tests.table import fork

pycddl = pytest.importorskip("pycddl", reason="it has no wheel for this Python")

SCHEMA = (PROTOCOL / "schema.cddl").read_text("utf-8")
KEY = bytes(32)


def schema(rule: str) -> Any:
    """A validator of one rule: the first of a schema is what it validates."""
    return pycddl.Schema(f"validated = {rule}\n{SCHEMA}")


def as_cbor(value: Any) -> bytes:
    """Plain data as CBOR (RFC 8949), of which the validator knows."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return _head(2, len(value)) + value
    if isinstance(value, str):
        return _head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(map(as_cbor, value))
    assert isinstance(value, dict)
    return _head(5, len(value)) + b"".join(as_cbor(part) for item in value.items() for part in item)


def _head(major: int, value: int) -> bytes:
    if value < 24:
        return bytes([major << 5 | value])
    size = next(size for size in (1, 2, 4, 8) if value < 1 << 8 * size)
    return bytes([major << 5 | 24 + size.bit_length() - 1]) + value.to_bytes(size, "big")


def of_vector(file: str, name: str, side: str, what: str) -> bytes:
    """The bytes in the vector of that name."""
    (vector,) = (each for each in vectors(file) if each["name"] == name)
    return bytes.fromhex(vector[side][what])


def taken(rule: Any, value: Any) -> bool:
    try:
        rule.validate_cbor(as_cbor(value))
    except pycddl.ValidationError:
        return False
    return True


RULES = ("any-record", "any-payload", "ballot-payload", "leave-payload", "remark-payload", "table-agreement")
# By the path of a replay: what is seen in it.
SEEN = {
    "replays/kids_2_won_ok.seqp2p": {"table", "an agreement", "step", "seat, 1 keys", "reveal, 3 keys", "end"},
    "replays/over_signed_by_two_of_three_ok.seqp2p": {"open", "over, 1 keys"},
    "replays/equivocation_fail.seqp2p": {"evidence"},
    "replays/stopped_in_a_step_fail.seqp2p": {"open"},
    "replays/classic-4-options.seqp2p": {
        *("remark", "a remark", "opening"),
        *("turn, 3 keys", "turn, 4 keys", "late, 4 keys", "discard, 4 keys", "shuffle, 2 keys", "draw, 2 keys"),
    },
    "replays/skip_a_turn_ok.seqp2p": {"certificate", "a ballot"},
    "replays/forfeit_fail.seqp2p": {"leave", "a leave"},
}


@pytest.mark.parametrize("path", SEEN)
def test_records_and_what_is_signed_in_them(path: str) -> None:
    rules, seen = {rule: schema(rule) for rule in RULES}, set[str]()
    for rule, plain, what in parts(replay(path)):
        if what in seen:
            assert taken(rules[rule], plain), what
        else:
            seen.add(what)
            assert_exact(rules[rule], plain)
    assert seen >= SEEN[path]


def parts(data: bytes) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the records of a replay and what is signed in them as plain data: the rule, the data, what it is."""
    for placed in records(data):
        plain = _lists(msgspec.to_builtins(placed.record, builtin_types=(bytes,)))
        yield "any-record", plain, plain["t"]
        for payload, _ in plain.get("contributions", ()):
            envelope = msgpack.unpackb(payload)
            yield "any-payload", envelope, f"{envelope['kind']}, {len(envelope['body'])} keys"
        for payload, _ in plain.get("ballots", ()):
            yield "ballot-payload", msgpack.unpackb(payload), "a ballot"
        if plain["t"] in ("leave", "remark"):
            yield f"{plain['t']}-payload", msgpack.unpackb(plain["payload"]), f"a {plain['t']}"
        if plain["t"] == "table":
            yield "table-agreement", msgpack.unpackb(plain["agreement"]), "an agreement"


def assert_exact(rule: Any, plain: dict[str, Any], *wrong: dict[str, Any]) -> None:
    """A rule takes this, and not with anything changed in it, nor with these values."""
    assert taken(rule, plain), plain
    for changed in (*_changes(plain), *(plain | each for each in wrong)):
        assert not taken(rule, changed), changed


def _lists(value: Any) -> Any:
    """Plain data with lists for tuples."""
    if isinstance(value, dict):
        return {key: _lists(part) for key, part in value.items()}
    return [_lists(part) for part in value] if isinstance(value, list | tuple) else value


def _changes(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The map with a key more, with each key missing, with each value of another type, with byte strings too long."""
    yield value | {"extra": 1}
    for key, part in value.items():
        yield {other: kept for other, kept in value.items() if other != key}
        yield value | {key: 1.5}
        if isinstance(part, bytes) and len(part) in (32, 33, 64, 65, 98):
            yield value | {key: part + b"\0"}


def test_agreements_of_the_vectors() -> None:
    rule = schema("table-agreement")
    for vector in vectors("agreements"):
        if vector["expect"] == "ok":
            data = bytes.fromhex(vector["in"]["bytes"])
            assert taken(rule, msgpack.unpackb(data))
            decode_agreement(data)


def test_messages() -> None:
    rule = schema("any-message")
    for message in SAMPLES:
        assert_exact(rule, msgpack.unpackb(encode(message)))
    assert not taken(rule, {"type": "pong"})


ENTRIES = (AddressEntry(1, "127.0.0.1:4610"), AddressEntry(255, "a kind to come"))


@pytest.mark.parametrize(
    ("rule", "data", "wrong"),
    [
        (
            "address-payload",
            encode(AddressPayload(1, KEY, KEY, 1, ENTRIES)),
            [{"number": 1001}, {"number": 0}, {"entries": [{"kind": 1, "address": "127.0.0.1:4610"}] * 9}],
        ),
        ("line-payload", encode(LinePayload(1, KEY, KEY, 1, "hello")), [{"number": 0}, {"number": 1 << 31}]),
        ("head-payload", of_vector("ballots", "a head", "in", "payload"), []),
        ("link-statement", of_vector("links", "role join", "out", "statement"), []),
    ],
)
def test_what_else_is_signed(rule: str, data: bytes, wrong: list[dict[str, Any]]) -> None:
    assert_exact(schema(rule), msgpack.unpackb(data), *wrong)


# Every contribution of the vectors gets its class of failure, from both programs.


FILES: dict[str, dict[str, Any]] = {name: read(name) for name in ("contributions", "option_contributions")}
Pair = tuple[bytes, bytes]


@cache
def played(name: str) -> tuple[bytes, list[tuple[Pair, ...]]]:
    """The agreement and the steps of the game that the vectors belong to."""
    table, *rest = (placed.record for placed in records(replay(FILES[name]["replay"])))
    assert isinstance(table, TableRecord)
    return table.agreement, [record.contributions for record in rest if isinstance(record, StepRecord)]


@cache
def match_at(name: str, closed: int) -> Match:
    """This program's match with so many steps closed, to be copied."""
    agreement, steps = played(name)
    if not closed:
        return Match(agreement)
    match = fork(match_at(name, closed - 1))
    for pair in steps[closed - 1]:
        match.receive(Contribution(*pair))
    return match


def judged_by_first(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    match, contribution = fork(match_at(name, closed)), Contribution(*judged)
    for pair in held:
        match.receive(Contribution(*pair))
    before = match.head, match.held
    try:
        return "ok" if match.judge(match.open(contribution), contribution) else "duplicate", None
    except Violation as violation:
        return ("Violation" if contribution == violation.evidence[-1] else "evidence is missing"), violation.seat
    except MatchError as error:
        return type(error).__name__, None
    finally:
        assert (match.head, match.held) == before


@cache
def machine_at(name: str, closed: int) -> Machine:
    """The second program's machine with so many steps closed, to be copied."""
    agreement, steps = played(name)
    if not closed:
        return Machine(agreement, proofs=())
    machine = deepcopy(machine_at(name, closed - 1))
    for pair in steps[closed - 1]:
        assert machine.receive(pair) == "ok"
    return machine


def judged_by_second(name: str, closed: int, held: tuple[Pair, ...], judged: Pair) -> tuple[str, int | None]:
    # Proofs of the steps before are not checked again, those of the contribution judged are.
    machine = deepcopy(machine_at(name, closed))
    for pair in held:
        assert machine.receive(pair) == "ok"
    machine.proofs = EVERY_STEP
    try:
        return machine.receive(judged), None
    except Failure as failure:
        return failure.name, failure.seat or None


@pytest.mark.parametrize("judge", [judged_by_first, judged_by_second])
@pytest.mark.parametrize("name", FILES)
def test_contributions(name: str, judge: Any) -> None:
    assert len(FILES[name]["vectors"]) > 35
    for vector in FILES[name]["vectors"]:
        given = vector["in"]
        held = tuple((bytes.fromhex(payload), bytes.fromhex(signature)) for payload, signature in given["held"])
        judged = bytes.fromhex(given["payload"]), bytes.fromhex(given["signature"])
        found = judge(name, given["closed"], held, judged)
        assert found == (vector["expect"], vector.get("seat")), vector["name"]


# The whole games of the vectors, step by step, by the second verifier; the golden games, by both programs.


@pytest.mark.simulation
@pytest.mark.parametrize("name", ["two_player_game", "two_player_kids_game"])
def test_the_second_verifier_plays_it_again(name: str) -> None:
    told: dict[str, Any] = read(name)
    table, *rest = (placed.record for placed in records(replay(told["replay"])))
    assert isinstance(table, TableRecord)
    machine = Machine(table.agreement, proofs=())
    steps = [record for record in rest if isinstance(record, StepRecord)]
    for record, step in zip(steps, told["steps"], strict=True):
        assert (machine.number, machine.kind, sorted(machine.who)) == (step["step"], step["kind"], step["seats"])
        for pair in record.contributions:
            machine.receive(pair)
        assert machine.heads[-1].hex() == step["head"]
        if "position" in step:
            assert machine.position is not None
            assert machine.position.text() == step["position"]
        if step["kind"] == "deal":
            _check_hands(machine, told["dealt"])
    assert machine.dealer == told["dealer"]
    assert machine.position is not None
    assert machine.position.hash().hex() == told["final hash"]


def _check_hands(machine: Machine, dealt: list[dict[str, Any]]) -> None:
    for hand in dealt:
        x = read_scalar(bytes.fromhex(hand["secret"]))
        for position, physical in hand["cards"]:
            opened = total((1, machine.partial[position]), (-x, machine.cards[position][0]))
            assert machine.physical[opened] == physical
        assert machine.hands[hand["seat"]] == [position for position, _ in hand["cards"]]


@pytest.mark.simulation
def test_there_are_golden_games_for_every_promised_size() -> None:
    assert {path.stem for path in GOLDEN} >= {f"classic-{n}" for n in (2, 3, 4, 6, 12)}


@pytest.mark.simulation
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_games(path: Path) -> None:
    data = path.read_bytes()
    report = verify_batched(data, token_bytes)
    assert (report.verdict, report.reason) == ("verified", None)
    assert report.result is not None
    if path.stem != "classic-2":  # The second verifier plays it again step by step, above.
        again = file.verify(data, proofs=())
        assert (again.verdict, again.winners) == ("verified", list(report.result.winners))
