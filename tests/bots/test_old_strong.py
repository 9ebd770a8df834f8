"""The old ``strong`` in ``benchmarks`` is a fixed rung: it chooses as it always did."""

import importlib
import random
from hashlib import sha256

from seqp2p.rules import CLASSIC, KIDS, Options, format_action, view
from tests.rules.playing import random_position

TABLES = (
    (CLASSIC, 2, 2, Options()),
    (CLASSIC, 4, 2, Options(advanced=True)),
    (CLASSIC, 6, 3, Options(table_talk=False)),
    (KIDS, 4, 4, Options()),
)


def test_it_chooses_as_it_always_did() -> None:
    bot = importlib.import_module("benchmarks.old_strong").OldStrong  # benchmarks is no package to the type checker
    chosen = list[str]()
    for seed in range(12):
        variant, players, teams, options = TABLES[seed % len(TABLES)]
        position = random_position(variant, players, teams, seed, options).position
        seen = view(position, position.to_move)
        chosen.append(format_action(variant, bot(random.Random(seed)).choose(seen)))
    assert sha256("\n".join(chosen).encode()).hexdigest()[:16] == "bea2be6bcf29e88a"
