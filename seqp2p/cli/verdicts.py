"""The verdicts of a results file: what ``verify`` need not verify again."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import msgspec

from seqp2p.api.cluster import code_state, decode_report, encode_report
from seqp2p.api.many import Named, bytes_of
from seqp2p.cli.results import open_results
from seqp2p.replay.verify import Report

Reports: TypeAlias = Generator[tuple[Named, Report]]


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="file", tag="seqp2p verify 1"):
    """The first line of the file."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """A verdict: the SHA-256 of the replay's bytes, the state of the code that has verified them, and its report."""

    replay: str
    code: str
    report: msgspec.Raw


@dataclass
class KeptVerdicts:
    """The reports of a results file by the SHA-256 of the replays' bytes; ``taken`` counts those that were used."""

    path: Path
    reports: dict[str, Report] = field(default_factory=dict[str, Report])
    taken: int = 0

    def through(self, files: Iterable[Named], verify: Callable[[Iterable[Named]], Reports]) -> Reports:
        """Yield each file with its report: from the results file, or by ``verify``, and then it is in the file."""
        ahead = deque[bool]()

        def find(named: Named) -> Named:
            data = bytes_of(named)
            report = None if isinstance(data, Report) else self.reports.get(sha256(data).hexdigest())
            ahead.append(report is not None)
            return Named(named.path, report or data)

        with open_results(self.path, _Head(), self._take) as write, closing(verify(map(find, files))) as found:
            for named, report in found:
                self.taken += ahead.popleft()
                if isinstance(named.content, bytes):
                    mark = sha256(named.content).hexdigest()
                    if mark not in self.reports:
                        write(_Line(mark, code_state(), msgspec.Raw(encode_report(report))))
                        self.reports[mark] = report
                yield named, report

    def _take(self, line: bytes) -> None:
        try:
            kept = msgspec.json.decode(line, type=_Line)
            if kept.code == code_state():
                self.reports[kept.replay] = decode_report(bytes(kept.report))
        except RecursionError:
            raise ValueError from None  # It is nested too deeply.
