"""Full verification of every golden replay, in this process: milliseconds, bytes, and the share of proof checking.

``ratio`` is the time over that of the point multiplications a verifier cannot do without when it checks equation by
equation, measured in the same run: 8N general and N base ones for each shuffle of N cards, 4 for each proof of shares,
2 more for each further card of a proof, 1 for each opened card.
"""

import secrets
import time
from pathlib import Path
from statistics import median

from seqp2p.crypto.group import POINT_SIZE, mul, mul_base, random_scalar
from seqp2p.match.contribution import SharesBody, ShuffleBody, TurnBody, open_body, open_envelope
from seqp2p.replay.format import StepRecord, contributions_of, records
from seqp2p.replay.verify import verify

REPLAYS = Path(__file__).resolve().parent.parent / "replays"
CIPHERTEXT_SIZE = 2 * POINT_SIZE
RUNS = 3


def multiplications(data: bytes) -> tuple[int, int]:
    """How many general and base multiplications the proofs of a replay stand for."""
    general = base = 0
    for placed in records(data):
        if not isinstance(placed.record, StepRecord):
            continue
        for contribution in contributions_of(placed.record):
            match open_body(open_envelope(contribution.payload)):
                case ShuffleBody(deck):
                    general += 8 * (len(deck) // CIPHERTEXT_SIZE)
                    base += len(deck) // CIPHERTEXT_SIZE
                case SharesBody(shares) | TurnBody(shares=shares) if shares:
                    general += 3 + 2 * (len(shares) // POINT_SIZE - 1)
                    base += 1
                case _:
                    pass
    return general, base


def multiplication_costs() -> tuple[float, float]:
    """Seconds of one general and one base multiplication, now."""
    scalars = [random_scalar(secrets.token_bytes) for _ in range(200)]
    points = [mul_base(scalar) for scalar in scalars]
    begun = time.perf_counter()
    for point, scalar in zip(points, scalars, strict=True):
        mul(point, scalar)
    between = time.perf_counter()
    for scalar in scalars:
        mul_base(scalar)
    return (between - begun) / 200, (time.perf_counter() - between) / 200


def run() -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for file in sorted(REPLAYS.glob("*.seqp2p")):
        data = file.read_bytes()
        general, base = multiplications(data)
        seconds: list[float] = []
        ratios: list[float] = []
        for _ in range(RUNS):
            mul_s, base_s = multiplication_costs()
            begun = time.perf_counter()
            report = verify(data)
            seconds.append(time.perf_counter() - begun)
            ratios.append(seconds[-1] / (general * mul_s + base * base_s))
            assert report.verdict == "verified", f"{file}: {report.reason}"
        figures[f"verify_{file.stem}"] = {
            "ms": round(1000 * median(seconds), 1),
            "ratio": round(median(ratios), 3),
            "bytes": len(data),
        }
        if file.stem == "classic-12":
            figures["verify_12p"] = {"ms": round(1000 * median(seconds), 1), "ratio": round(median(ratios), 3)}
    return figures


if __name__ == "__main__":
    for name, values in run().items():
        print(name, values)
