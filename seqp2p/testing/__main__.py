"""``python -m seqp2p.testing``: play the game of a seed again, or many of them.

python -m seqp2p.testing --seed 7 --players 4 --faults partition crash --json
python -m seqp2p.testing soak --seconds 600 --processes 2
"""

import argparse
import json
import sys
from collections.abc import Sequence

from seqp2p.rules import VARIANTS
from seqp2p.testing.faults import KINDS
from seqp2p.testing.miniature import MINIATURE, NAME
from seqp2p.testing.outcome import Outcome, commit, simulate
from seqp2p.testing.soak import soak, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code: 0 when nothing happened that must not."""
    chosen = _parser().parse_args(arguments)
    if chosen.command == "soak":
        return _soak(chosen)
    kinds = KINDS if chosen.faults is None else tuple(chosen.faults)
    outcome = simulate(chosen.seed, chosen.players, kinds, chosen.variant)
    if chosen.json:
        print(json.dumps({"commit": commit(), **outcome.as_data()}))
    else:
        print(*_lines(outcome), sep="\n")
    return 0 if outcome.violation is None else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m seqp2p.testing", description="Play a game of peers in virtual time, from its seed."
    )
    parser.set_defaults(command="one")
    _add_game(parser)
    commands = parser.add_subparsers()
    many = commands.add_parser("soak", help="many games, for so many seconds; prints a table")
    many.set_defaults(command="soak")
    many.add_argument("--seconds", type=float, default=600.0)
    many.add_argument("--processes", type=int, default=2)
    many.add_argument("--first-seed", type=int, default=0)
    many.add_argument("--json", action="store_true", help="one line of JSON instead of the table")
    return parser


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="what everything follows from")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument(
        "--faults", nargs="*", choices=KINDS, metavar="KIND", help=f"any of {', '.join(KINDS)}; all without it"
    )
    parser.add_argument("--variant", choices=[NAME, *VARIANTS], default=MINIATURE.name)
    parser.add_argument("--json", action="store_true", help="the outcome as one line of JSON")


def _lines(outcome: Outcome) -> list[str]:
    lines = [
        f"seed {outcome.seed}, {outcome.players} players, {outcome.variant}, commit {commit()}",
        f"latency {outcome.plan.latency_s} s, jitter {outcome.plan.jitter_s} s",
        *(f"  {fault}" for fault in outcome.plan.faults),
        f"{outcome.steps} steps, {outcome.events} events, {outcome.time_s} virtual seconds",
    ]
    for seat in outcome.seats:
        said = f"{seat.result} {seat.reason}".strip() if seat.result else seat.reason
        lines.append(f"  seat {seat.seat}: {seat.state}; {said}; record {seat.verdict}, {seat.record[:16]}")
    lines.append(f"records {outcome.hash}")
    if outcome.violation:
        lines.append(f"VIOLATION: {outcome.violation}")
    return lines


def _soak(chosen: argparse.Namespace) -> int:
    tally = soak(chosen.seconds, chosen.processes, chosen.first_seed)
    if chosen.json:
        print(json.dumps({"commit": commit(), **tally.as_data()}))
    else:
        print(f"commit {commit()}")
        print(*table(tally), sep="\n")
    return 0 if not tally.violations else 1


if __name__ == "__main__":
    sys.exit(main())
