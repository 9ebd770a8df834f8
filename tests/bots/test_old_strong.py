"""The old ``strong`` in ``benchmarks`` is a fixed rung: it chooses as it always did."""

import importlib
import random
from hashlib import sha256

from seqp2p.rules import CLASSIC, KIDS, Options, format_action
from tests.rules.playing import Table

TABLES = (
    Table(CLASSIC, 2, 2),
    Table(CLASSIC, 4, 2, Options(advanced=True)),
    Table(CLASSIC, 6, 3, Options(table_talk=False)),
    Table(KIDS, 4, 4),
)


def test_it_chooses_as_it_always_did() -> None:
    bot = importlib.import_module("benchmarks.old_strong").OldStrong  # benchmarks is no package to the type checker
    chosen = list[str]()
    for seed in range(12):
        table = TABLES[seed % len(TABLES)]
        chosen.append(format_action(table.variant, bot(random.Random(seed)).choose(table.seen(seed))))
    assert sha256("\n".join(chosen).encode()).hexdigest()[:16] == "bea2be6bcf29e88a"
