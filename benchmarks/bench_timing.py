"""Whether the time of a multiplication tells its scalar: a statistical test, to be run by hand on a quiet machine.

    python benchmarks/run.py timing

After Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?" (2017). One scalar is fixed, the other fresh
for every measurement; which of the two is measured next is drawn at random; of the slowest measurements, which the
machine and not the scalar made, the last tenth is left out. Welch's t then says how sure it is that the two differ in
time: beyond ±4.5 they do, within it nothing was found, which is no proof that there is nothing to be found.

The plain multiplication is the control: libsecp256k1's public one is not constant-time, so the same test must find a
difference there. If it does not, it could not have found one in the blinded one either.
"""

import math
import random
import secrets
import statistics
import time
from collections.abc import Callable

from seqp2p.crypto.group import encode_scalar, mul, mul_base, mul_blinded, random_scalar

MEASUREMENTS = 40_000
CROPPED = 0.1
# What an attacker would like to tell apart from other secrets.
FIXED = {"small": 3, "another": random_scalar(secrets.token_bytes), "one bit": 1 << 255, "half": (1 << 128) - 1}


def welch(some: list[int], others: list[int]) -> float:
    """Welch's t of two samples."""
    spread = statistics.variance(some) / len(some) + statistics.variance(others) / len(others)
    return (statistics.fmean(some) - statistics.fmean(others)) / math.sqrt(spread)


def measure(multiply: Callable[[int], object], fixed: int) -> tuple[float, float]:
    """t of the times with a fixed scalar against those with fresh ones, and the difference of their means in ns."""
    times: dict[bool, list[int]] = {True: [], False: []}
    order = random.SystemRandom()
    data = encode_scalar(fixed)
    for _ in range(MEASUREMENTS):
        is_fixed = order.random() < 0.5
        fresh = encode_scalar(random_scalar(secrets.token_bytes))
        # Both are drawn and read, so that the two classes differ in nothing but the number.
        scalar = int.from_bytes(data if is_fixed else fresh, "big")
        begun = time.perf_counter_ns()
        multiply(scalar)
        times[is_fixed].append(time.perf_counter_ns() - begun)
    limit = statistics.quantiles([*times[True], *times[False]], n=round(1 / CROPPED))[-1]
    some, others = ([each for each in times[which] if each <= limit] for which in (True, False))
    return round(welch(some, others), 1), round(statistics.fmean(some) - statistics.fmean(others))


def run() -> dict[str, dict[str, float]]:
    """t for each fixed scalar, plain and blinded."""
    point = mul_base(random_scalar(secrets.token_bytes))
    blinded: Callable[[int], object] = lambda scalar: mul_blinded(point, scalar, random_scalar(secrets.token_bytes))  # noqa: E731
    found: dict[str, dict[str, float]] = {}
    for name, fixed in FIXED.items():
        plain, plain_ns = measure(lambda scalar: mul(point, scalar), fixed)
        hidden, hidden_ns = measure(blinded, fixed)
        found[f"scalar: {name}"] = {"plain t": plain, "ns": plain_ns, "blinded t": hidden, "blinded ns": hidden_ns}
    return found
