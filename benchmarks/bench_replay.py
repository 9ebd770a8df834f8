"""Full verification of every golden replay, in this process, and of many replays over the cores of this machine.

``ms`` is the time of verifying with all proof equations as one sum, ``exact_ms`` that of checking equation by equation,
and ``ratio`` the median of their ratios, one after the other in one run. ``floor`` is ``exact_ms`` over the time of the
point multiplications that checking equation by equation cannot do without, measured in the same run: 8N general and N
base ones for each shuffle of N cards, 4 for each proof of shares, 2 more for each further card of a proof.

``peak_mb`` is the most memory that a process verifying the replay of 12 players ever has. ``verify_many`` is 200
replays, named to the command with ``--jobs 1`` and with ``--jobs 2``: ``speed_up`` is the median ratio of their times.

``verify_process`` is ``seqp2p verify`` of the replay of 12 players as a whole process: ``ratio`` is to the verification
alone, one after the other. ``import_seqp2p`` is a process that imports the library; ``ratio`` is to one that does
nothing.
"""

import secrets
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from measuring import process_seconds, ratio_of, seconds

from seqp2p.crypto.group import POINT_SIZE, mul, mul_base, random_scalar
from seqp2p.match.contribution import SharesBody, ShuffleBody, TurnBody, open_body, open_envelope
from seqp2p.replay.format import StepRecord, contributions_of, records
from seqp2p.replay.verify import Report, verify, verify_batched

REPLAYS = Path(__file__).resolve().parent.parent / "replays"
CIPHERTEXT_SIZE = 2 * POINT_SIZE
RUNS = 5
MANY = 200
MANY_RUNS = 3
IMPORT_RUNS = 25
# What a process verifies and then says how much memory it had: kilobytes on Linux, bytes on macOS.
PEAK = """
import resource, sys
from pathlib import Path
from seqp2p.cli.replays import verify_file
assert verify_file(Path(sys.argv[1])).verdict == "verified"
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak / (2**20 if sys.platform == "darwin" else 2**10))
"""


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
    general = seconds(lambda: [mul(point, scalar) for point, scalar in zip(points, scalars, strict=True)])
    base = seconds(lambda: [mul_base(scalar) for scalar in scalars])
    return general / len(scalars), base / len(scalars)


def verifying(data: bytes) -> dict[str, float]:
    """One replay, both ways."""
    general, base = multiplications(data)
    batched, exact, floors = list[float](), list[float](), list[float]()
    for _ in range(RUNS):
        mul_s, base_s = multiplication_costs()
        exact.append(seconds(lambda: check(verify(data))))
        batched.append(seconds(lambda: check(verify_batched(data, secrets.token_bytes))))
        floors.append(exact[-1] / (general * mul_s + base * base_s))
    return ratio_of(list(zip(batched, exact, strict=True))) | {
        "exact_ms": round(1000 * median(exact), 1),
        "floor": round(median(floors), 3),
        "bytes": len(data),
    }


def check(report: Report) -> None:
    assert report.verdict == "verified", report.reason


def peak_mb(file: Path) -> float:
    done = subprocess.run([sys.executable, "-c", PEAK, str(file)], check=True, capture_output=True, text=True)
    return round(float(done.stdout), 1)


def many(file: Path) -> dict[str, float]:
    """Many replays by one process, and by two."""
    with TemporaryDirectory() as folder:
        for number in range(MANY):
            Path(folder, f"{number}.seqp2p").write_bytes(file.read_bytes())
        alone, together = list[float](), list[float]()
        for _ in range(MANY_RUNS):
            alone.append(command_seconds(folder, 1))
            together.append(command_seconds(folder, 2))
    return {
        "s": round(median(together), 2),
        "alone_s": round(median(alone), 2),
        "speed_up": round(median(one / two for one, two in zip(alone, together, strict=True)), 2),
    }


def command_seconds(folder: str, jobs: int) -> float:
    return process_seconds("-m", "seqp2p", "verify", "--json", "--jobs", str(jobs), folder)


def whole_process(file: Path) -> dict[str, float]:
    data, pairs = file.read_bytes(), list[tuple[float, float]]()
    for _ in range(RUNS):
        alone = seconds(lambda: check(verify_batched(data, secrets.token_bytes)))
        pairs.append((process_seconds("-m", "seqp2p", "verify", str(file)), alone))
    return ratio_of(pairs)


def importing() -> dict[str, float]:
    pairs = [(process_seconds("-c", "import seqp2p"), process_seconds("-c", "pass")) for _ in range(IMPORT_RUNS)]
    return ratio_of(pairs)


def run() -> dict[str, dict[str, float]]:
    figures = {f"verify_{file.stem}": verifying(file.read_bytes()) for file in sorted(REPLAYS.glob("*.seqp2p"))}
    figures["verify_12p"] = figures["verify_classic-12"] | {"peak_mb": peak_mb(REPLAYS / "classic-12.seqp2p")}
    figures["verify_process"] = whole_process(REPLAYS / "classic-12.seqp2p")
    figures["import_seqp2p"] = importing()
    figures["verify_many"] = many(REPLAYS / "kids-3.seqp2p")
    return figures
