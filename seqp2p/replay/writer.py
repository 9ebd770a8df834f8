"""Writing a replay during the game: one append-only file, never over an existing one except to resume it."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Self, assert_never

from seqp2p.crypto.group import encode_scalar
from seqp2p.crypto.hashing import FILE
from seqp2p.i18n import message
from seqp2p.match.contribution import open_envelope
from seqp2p.match.errors import Violation
from seqp2p.match.intake import Applied, Cheating
from seqp2p.match.machine import Match
from seqp2p.match.remark import Remark, open_word
from seqp2p.match.signed import SignedLeave, SignedRemark
from seqp2p.replay import format as form
from seqp2p.replay.disk import REAL_DISK, Disk

Signer = Callable[[str, bytes], bytes]


class ReplayWriter:
    """A replay being written. The system has every record when the call returns; ``finish`` also syncs.

    Raises OSError as files do, FileExistsError if ``path`` exists.
    """

    def __init__(self, path: Path, match: Match, *, reopened: bool = False, disk: Disk = REAL_DISK) -> None:
        """``reopened``: continue the replay that ``resume.load`` has just read into this match."""
        self.path = path
        self._file = disk.append(path, new=not reopened)
        self._synced = not reopened  # Bytes of a process that died may not be on the disk.
        try:
            there = disk.read(path) if reopened else b""
            self._digest = hashlib.sha256(there)
            self._steps = match.final if there else 0
            # Remarks, leaves and evidence, each with the step that must be open for it, and the place (step, head
            # before it) that it depends on.
            self._beside: list[tuple[int, tuple[int, bytes] | None, form.BesideRecord]] = []
            self._remarked: dict[int, int] = {}  # the step of each seat's last remark
            if not there:
                self._write(form.MAGIC)
                self._append(form.TableRecord(match.agreement_bytes))
        except OSError:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def record(self, match: Match) -> None:
        """Append the steps that have become final since the last call, and their remarks, leaves and evidence."""
        for step in match.record[self._steps : match.final]:
            self._append_beside(step.number, match)
            if step.action:
                self._append(form.CertificateRecord(step.number, form.pairs(step.ballots)))
            else:
                self._append(form.StepRecord(step.number, form.pairs(tuple(held for _, held in step.contributions))))
            self._steps += 1
        self._append_beside(self._steps + 1, match)

    def keep(self, match: Match, outcome: Applied | Cheating) -> None:
        """Append what the match has taken, as far as it has a place in the record, and the steps that it made final."""
        match outcome:
            case Cheating(violation, first=True):
                self.evidence(match, violation)
            case Applied(SignedLeave(leave)):
                self._beside.append((0, None, form.LeaveRecord(leave.payload, leave.signature)))
                self.record(match)
            case Applied(SignedRemark(remark)):
                self.remark(match, Remark(remark.payload, remark.signature, open_word(remark.payload)))
            case Applied() | Cheating():
                self.record(match)  # Contributions and ballots are written when their step is final.
            case _:
                assert_never(outcome)

    def remark(self, match: Match, remark: Remark) -> None:
        """Append a remark, after the steps before the one it is dated to, and after its seat's last remark.

        A seat may date a remark before its last one, which waits until its step is final. In the file they are a chain.
        """
        word = remark.said
        place = self._remarked[word.seat] = max(word.step, self._remarked.get(word.seat, 0))
        self._beside.append((place, None, form.RemarkRecord(remark.payload, remark.signature)))
        self.record(match)

    def evidence(self, match: Match, violation: Violation) -> None:
        """Append evidence, before the step it was found at is closed.

        Two contributions to a step that is not open yet are evidence already. Two equal game keys are evidence only
        together: such a record follows the contributions held of their step, which never closes after it.
        """
        first, *others = violation.evidence
        record = form.EvidenceRecord(form.pairs(violation.evidence))
        if others:
            step = violation.step if violation.step <= match.number else 0
            self._beside.append((step, None, record))
        else:
            word = open_envelope(first.payload)
            step = word.step + 1 if match.kind == "reveal" and word.step == match.number else word.step
            self._beside.append((step, (word.step, word.prev), record))
        self.record(match)

    def sync(self) -> None:
        """Wait until the disk has everything; for a worker thread."""
        if not self._synced:
            self._file.sync()
            self._synced = True

    def finish(self, match: Match, key: bytes, sign: Signer) -> None:
        """Append the remaining records and the writer's signature. ``key`` is the public key of ``sign``."""
        self.record(match)
        for step in match.chain.live:
            held = tuple(checked.contribution for _, checked in sorted(step.held.items()))
            if held:
                self._append(form.OpenRecord(step.number, form.pairs(held)))
            if step.decree.closing is not None and step.decree.closing.value.action:
                break
            self._append_beside(step.number + 1, match)
        for seat, secret in sorted(match.openings.items()):
            self._append(form.OpeningRecord(seat, encode_scalar(secret)))
        self._append(form.EndRecord(key, sign(FILE, self._digest.digest())))
        self.sync()

    def _append_beside(self, number: int, match: Match) -> None:
        """Append the records dated to this step or an earlier one, if their past was not undone."""
        due = [each for each in self._beside if each[0] <= number]
        self._beside = [each for each in self._beside if each[0] > number]
        for _, place, record in due:
            if place is None or match.game.heads[place[0] - 1] == place[1]:
                self._append(record)

    def _append(self, record: form.AnyRecord) -> None:
        self._write(form.frame(record))

    def _write(self, data: bytes) -> None:
        # An unbuffered write of a regular file takes everything or raises; a short write means a full disk.
        if self._file.write(data) != len(data):
            raise OSError(message("the disk took only part of a record"))
        self._digest.update(data)
        self._synced = False
