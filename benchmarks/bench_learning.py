"""The learning environment: steps a second of random games on one core, by three roads.

``table`` plays by numbers alone, ``planes`` looks at each position as an array and a mask, and ``agents`` goes through
PettingZoo's loop with the dictionary of arrays. ``ratio`` is that to the bare engine in the same run
(``bench_engine``).
"""

import random

from bench_engine import per_second, playout

from seqp2p.learning import RawEnv, Table, action_mask, observe_planes


def by_numbers(table: Table, rng: random.Random) -> int:
    """One random game; the number of its steps."""
    steps = 0
    table.reset()
    while table.to_move:
        table.step(rng.choice(table.legal()))
        steps += 1
    return steps


def by_planes(table: Table, rng: random.Random) -> int:
    """The same; each seat looks at what a network would get."""
    steps = 0
    table.reset()
    while table.to_move:
        seen = table.view(table.to_move)
        observe_planes(seen)
        table.step(rng.choice(action_mask(seen).nonzero()[0].tolist()))
        steps += 1
    return steps


def by_agents(raw: RawEnv, rng: random.Random) -> int:
    """The same with the loop of PettingZoo."""
    steps = 0
    raw.reset()
    for _ in raw.agent_iter():
        observation, _, termination, truncation, _ = raw.last()
        if termination or truncation:
            raw.step(None)
        else:
            assert observation is not None
            raw.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
            steps += 1
    return steps


def run() -> dict[str, dict[str, float]]:
    """The figures for ``build/bench.json``."""
    rng = random.Random(1)
    engine = per_second(playout, rng)
    table = Table()
    rates = {
        "learning_table": per_second(by_numbers, table, rng),
        "learning_planes": per_second(by_planes, table, rng),
        "learning_agents": per_second(by_agents, RawEnv(), rng),
    }
    return {name: {"steps_per_s": round(rate), "ratio": round(rate / engine, 3)} for name, rate in rates.items()}
