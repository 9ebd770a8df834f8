"""The verdicts of a results file: what ``verify`` need not verify again."""

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


@dataclass(frozen=True, slots=True)
class _Marked(Named):
    """A file by the SHA-256 of its bytes. Its content is the report that the results file has, or the bytes."""

    mark: str = ""


@dataclass
class KeptVerdicts:
    """The verdicts of a results file. Memory has only their ``places`` in it; ``taken`` counts those that were used."""

    path: Path
    places: dict[str, int] = field(default_factory=dict[str, int])
    """By the SHA-256 of the replay's bytes."""
    taken: int = 0

    def through(self, files: Iterable[Named], verify: Callable[[Iterable[Named]], Reports]) -> Reports:
        """Yield each file with its report: from the results file, or by ``verify``, and then it is in the file."""

        def find(named: Named) -> Named:
            data = bytes_of(named)
            if isinstance(data, Report):
                return Named(named.path, data)
            mark = sha256(data).hexdigest()
            place = self.places.get(mark)
            return _Marked(named.path, data if place is None else _report(_line(results.read(place))), mark)

        with open_results(self.path, _Head(), self._take) as results, closing(verify(map(find, files))) as found:
            for named, report in found:
                if isinstance(named, _Marked):
                    if isinstance(named.content, Report):
                        self.taken += 1
                    elif named.mark not in self.places:
                        line = _Line(named.mark, code_state(), msgspec.Raw(encode_report(report)))
                        self.places[named.mark] = results.write(line)
                yield named, report

    def _take(self, at: int, line: bytes) -> None:
        kept = _line(line)
        if kept.code == code_state():
            _report(kept)
            self.places[kept.replay] = at


def _line(data: bytes) -> _Line:
    """Return a line of the file. Raises ValueError."""
    try:
        return msgspec.json.decode(data, type=_Line)
    except RecursionError:
        raise ValueError from None  # It is nested too deeply.


def _report(line: _Line) -> Report:
    """Return the report of a line. Raises ValueError."""
    return decode_report(bytes(line.report))
