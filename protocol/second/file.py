"""Sections 12 and 13: the file and the verdict."""

import hashlib
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any

from protocol.second.agreement import Table
from protocol.second.basics import Encoding, check_signature, is_bytes, is_int, raising, require, unpack
from protocol.second.game import EVERY_STEP, BadRemark, Failure, Machine, Wrong, stands

MAGIC = b"seqp2p replay 1\n"


@dataclass
class Verdict:
    verdict: str
    failure: str | None = None
    step: int | None = None
    seat: int | None = None
    winners: list[int] = field(default_factory=list)
    forfeit: list[int] = field(default_factory=list)
    awaited: list[int] = field(default_factory=list)


ORDER = {"table": 0, "step": 1, "certificate": 1, "open": 2, "opening": 3, "end": 4}
BESIDE = ("remark", "leave", "evidence")
MANY = ("step", "certificate", "open", "opening")
FIELDS = {
    "table": ["t", "agreement"],
    "step": ["t", "step", "contributions"],
    "remark": ["t", "payload", "signature"],
    "certificate": ["t", "step", "ballots"],
    "open": ["t", "step", "contributions"],
    "leave": ["t", "payload", "signature"],
    "evidence": ["t", "contributions"],
    "opening": ["t", "seat", "secret"],
    "end": ["t", "key", "signature"],
}


CLASSES: dict[type[Exception], str] = {Encoding: "encoding", Table: "table", BadRemark: "remark"}


def verify(data: bytes, *, proofs: Container[int] = EVERY_STEP) -> Verdict:
    if not data.startswith(MAGIC) or len(data) > 67_108_864:
        return Verdict("invalid", "file")
    reading = Reading(data, proofs)
    try:
        while reading.at < len(data):
            reading.next()
    except (Encoding, Table, BadRemark) as refused:
        return reading.verdict("invalid", CLASSES[type(refused)])
    except Wrong as wrong:
        return reading.verdict("invalid", str(wrong))
    except Failure as failure:
        return reading.verdict("invalid", failure.failure, failure.seat or None)
    except Torn:
        if reading.machine is None or reading.writer:
            return reading.verdict("invalid", "order" if reading.writer else "torn")
        return reading.verdict("unfinished", "torn")
    return reading.conclude()


class Torn(Exception):
    """The file ends inside a record."""


class Reading:
    def __init__(self, data: bytes, proofs: Container[int]) -> None:
        self.data, self.proofs, self.at = data, proofs, len(MAGIC)
        self.machine: Machine | None = None
        self.last = ""
        self.writer = b""

    def next(self) -> None:
        start, size = self.at + 4, int.from_bytes(self.data[self.at : self.at + 4], "big")
        if start <= len(self.data) and size > 394_752:
            raise Encoding
        if start + size > len(self.data):
            raise Torn
        record = unpack(self.data[start : start + size])
        require(type(record) is dict and list(record) == FIELDS.get(str(record.get("t"))))
        self._check_form(record)
        kind = record["t"]
        stands((self.last == "") == (kind == "table"), "order")
        before = ORDER[self.last] if self.last else -1
        if kind in BESIDE:
            stands(before <= 2, "order")
        else:
            stands(ORDER[kind] > before or (ORDER[kind] == before and kind in MANY), "order")
            self.last = kind
        getattr(self, f"_{kind}")(record)
        self.at = start + size

    def _check_form(self, record: dict[str, Any]) -> None:
        for pairs in (record[key] for key in ("contributions", "ballots") if key in record):
            require(type(pairs) is list and 1 <= len(pairs) <= (2 if record["t"] == "evidence" else 12))
            for pair in pairs:
                require(type(pair) is list and len(pair) == 2 and type(pair[0]) is bytes and is_bytes(pair[1], 64))
                require(len(pair[0]) <= 32_768)
            pairs[:] = map(tuple, pairs)
        forms = {
            "agreement": lambda value: type(value) is bytes and len(value) <= 8192,
            "step": lambda value: is_int(value, 1, 100_000),
            "seat": lambda value: is_int(value, 1, 12),
            "payload": lambda value: type(value) is bytes and len(value) <= (512 if record["t"] == "leave" else 1024),
            "secret": lambda value: is_bytes(value, 32),
            "key": lambda value: is_bytes(value, 32),
            "signature": lambda value: is_bytes(value, 64),
        }
        require(all(forms[key](value) for key, value in record.items() if key in forms))

    def _table(self, record: dict[str, Any]) -> None:
        self.machine = Machine(record["agreement"], self.proofs)

    def _step(self, record: dict[str, Any]) -> None:
        machine = self._at(record)
        pairs = record["contributions"]
        for pair in pairs:
            stands(machine.number == record["step"], "order")
            machine.receive(pair)
        stands(machine.number > record["step"], "order")
        stands([machine.closed[-1][seat] for seat in sorted(machine.closed[-1])] == pairs, "order")

    def _certificate(self, record: dict[str, Any]) -> None:
        self._at(record).close_by_ballots(record["ballots"])

    def _leave(self, record: dict[str, Any]) -> None:
        self._begun.receive_leave(record["payload"], record["signature"])

    def _remark(self, record: dict[str, Any]) -> None:
        self._begun.receive_remark(record["payload"], record["signature"])

    def _open(self, record: dict[str, Any]) -> None:
        machine = self._at(record)
        for pair in record["contributions"]:
            machine.receive(pair)
        held = machine.held if machine.number == record["step"] else machine.closed[record["step"] - 1]
        stands([held[seat] for seat in sorted(held)] == record["contributions"], "order")

    @property
    def _begun(self) -> Machine:
        assert self.machine is not None, "the table is the first record"
        return self.machine

    def _at(self, record: dict[str, Any]) -> Machine:
        stands(record["step"] == self._begun.number and self._begun.kind, "order")
        return self._begun

    def _evidence(self, record: dict[str, Any]) -> None:
        violation = self._begun.weigh(tuple(record["contributions"]))
        if violation is None:
            raise Wrong("evidence")
        self._begun.accuse(violation)

    def _opening(self, record: dict[str, Any]) -> None:
        with raising(Wrong("opening")):
            self._begun.open_seat(record["seat"], record["secret"])

    def _end(self, record: dict[str, Any]) -> None:
        digest = hashlib.sha256(self.data[: self.at]).digest()
        with raising(Wrong("end")):
            check_signature(record["key"], "seqp2p/1 file", digest, record["signature"])
        self.writer = record["key"]

    def verdict(self, verdict: str, failure: str | None, seat: int | None = None) -> Verdict:
        machine = self.machine
        forfeit = self.forfeit() if verdict == "unfinished" else []
        return Verdict(verdict, failure, machine.number if machine else None, seat, forfeit=forfeit)

    def forfeit(self) -> list[int]:
        """The seats that win by forfeit, if one of them has written the file."""
        machine = self.machine
        keys = [machine.entries[seat - 1]["key"] for seat in machine.forfeited] if machine else []
        return machine.forfeited if machine and self.writer in keys else []

    def conclude(self) -> Verdict:
        machine = self.machine
        if machine is None:
            return Verdict("invalid", "file")
        cheats = {seat: proof for seat, proof in machine.proven.items() if seat in machine.seats}
        if cheats and not machine.confirmed:
            first = cheats[min(cheats)]
            return Verdict("unfinished", first.failure, first.step, first.seat, forfeit=self.forfeit())
        if machine.forfeited or machine.stopped:
            return self.verdict("unfinished", "incomplete")
        if not machine.confirmed:
            awaited = sorted(machine.who - set(machine.held))
            return Verdict("unfinished", "incomplete", machine.number, awaited=awaited)
        if not self.writer:
            return self.verdict("unfinished", "incomplete")
        outcome, teams = machine.dealt.outcome, machine.settings["teams"]
        winners = [seat for seat in machine.seats if "abcd"[(seat - 1) % teams] == outcome]
        return Verdict("verified", winners=winners)
