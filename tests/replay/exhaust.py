"""Every single-byte change and every truncation of a small replay: none of them may be verified.

    python -m tests.replay.exhaust         a small game of two: some 7 million changes, half an hour
    python -m tests.replay.exhaust --bits  single bits alone, and every truncation: one minute

Exit code 0: no changed file was verified. 1: one was, and is named.

Why this is the same as verifying every changed file from its beginning. Verifying reads records one after the other,
each with nothing but its bytes and the state after those before it (``Reading``; only the ``end`` record looks at all
bytes before it). A change in record k leaves those before it as they are. So their state is computed once, and for each
change a copy of it goes on from record k, in the changed file, by the very function that verifies whole files
(``verify_on``). The tests compare both on changes drawn at random.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from seqp2p.match.events import Event
from seqp2p.replay.format import MAGIC, Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Report, verify, verify_on
from tests.protocol.reading import REPLAYS
from tests.table import fork

GOLDEN = REPLAYS / "kids_2_won_ok.seqp2p"
EVERY_VALUE = range(1, 256)
EVERY_BIT = tuple(1 << bit for bit in range(8))


def forked(reading: Reading) -> Reading:
    """Return an independent reading that has come as far."""
    return replace(reading, match=fork(reading.match))


class Golden:
    """A replay that verifies, and the reports on its changed and cut copies."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Each record, and how far the reading has come before it: None before the first.
        self._before: list[tuple[Placed, Reading | None]] = []
        self._reading: Reading | None = None
        self.whole = verify(data, self._follow)
        assert self.whole.verdict == "verified", "only then a change can spoil it"

    def _follow(self, reading: Reading, placed: Placed, _events: tuple[Event, ...]) -> None:
        self._before.append((placed, self._reading))
        self._reading = forked(reading)

    def changed(self, place: int, by: int) -> Report:
        """The report on the file in which the byte at this place is XORed with ``by``, 1 to 255."""
        byte = bytes([self.data[place] ^ by])
        return self._report(self.data[:place] + byte + self.data[place + 1 :], place)

    def cut(self, length: int) -> Report:
        """The report on the file cut to this length."""
        return self._report(self.data[:length], length)

    def _report(self, data: bytes, place: int) -> Report:
        if place < len(MAGIC):
            return verify(data)
        placed, reading = next(before for before in self._before if place < before[0].end)
        return verify(data) if reading is None else verify_on(forked(reading), data, placed.start)


def examine(golden: Golden, place: int, values: Sequence[int] = EVERY_VALUE) -> Counter[str]:
    """Change one byte in all these ways, and cut the file before it; return the count of each verdict.

    Raises AssertionError if a change is not noticed.
    """
    verdicts = Counter[str]()
    for by in values:
        report = golden.changed(place, by)
        assert report.verdict != "verified", f"byte {place} XOR {by} is not noticed"
        verdicts[report.verdict] += 1
    report = golden.cut(place)
    assert report.verdict != "verified", f"cut to {place} bytes is not noticed"
    verdicts[f"cut: {report.verdict}"] += 1
    return verdicts


def main(arguments: Sequence[str]) -> int:
    """Examine byte after byte, and return the exit code."""
    parser = argparse.ArgumentParser(description="Try every single-byte change and every truncation of a replay.")
    parser.add_argument("--bits", action="store_true", help="change one bit at a time, instead of to every other value")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th byte alone")
    options = parser.parse_args(arguments)
    golden, values = Golden(GOLDEN.read_bytes()), EVERY_BIT if options.bits else EVERY_VALUE
    verdicts, begun, size = Counter[str](), time.monotonic(), len(golden.data)
    try:
        for place in range(0, size, options.every):
            verdicts += examine(golden, place, values)
            print(f"{place} of {size} bytes", end="\r", file=sys.stderr, flush=True)
    except AssertionError as error:
        print(error)
        return 1
    said = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items()))
    print(f"{GOLDEN.name}: {verdicts.total():,} changes and cuts in {time.monotonic() - begun:.0f} s: {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
