"""``python -m tests.sim``: play the game of a seed again, or many of them.

python -m tests.sim --seed 7 --players 4 --faults partition crash --spectators 2 --json
python -m tests.sim soak --seconds 600 --processes 2
python -m tests.sim adversaries "two turns" --seeds 3
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict

from seqp2p.rules import KNOWN_VARIANTS, VARIANTS
from tests.sim.adversaries import ADVERSARIES, page
from tests.sim.adversaries.table import all_found, lines
from tests.sim.faults import KINDS, RELAY_KINDS
from tests.sim.mini_variant import MINIATURE, NAME
from tests.sim.outcome import SeatOutcome, SimOutcome, command, commit, simulate
from tests.sim.soak import soak, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0 if every invariant held."""
    chosen = _parser().parse_args(arguments)
    code: int = chosen.run(chosen)
    return code


def _parser() -> argparse.ArgumentParser:
    described = "Play a game of peers in virtual time, from its seed."
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=described)
    parser.set_defaults(run=_one)
    _add_game(parser)
    commands = parser.add_subparsers()
    many = commands.add_parser("soak", help="many games, for so many seconds; prints a table")
    many.set_defaults(run=_soak)
    many.add_argument("--seconds", type=float, default=600.0)
    many.add_argument("--games", type=_count(1), help="no more than so many; without it, what the time allows")
    many.add_argument("--processes", type=_count(1), default=2)
    many.add_argument("--first-seed", type=int, default=0)
    cheats = commands.add_parser("adversaries", help="games with misbehaving seats; prints what came of each")
    cheats.set_defaults(run=_adversaries)
    cheats.add_argument("name", nargs="?", help="the adversaries with this in their names; all without it")
    cheats.add_argument("--seeds", type=_count(1), default=1, help="so many games of each")
    cheats.add_argument("--page", action="store_true", help="play nothing; print docs/adversaries.md")
    return parser


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="what everything follows from")
    parser.add_argument("--players", type=_count(2), default=4)
    parser.add_argument("--spectators", type=_count(0), default=0, help="how many watch; the seats play the same game")
    parser.add_argument(
        "--faults",
        nargs="*",
        choices=KINDS + RELAY_KINDS,
        metavar="KIND",
        help=f"any of {', '.join(KINDS + RELAY_KINDS)}; all of a LAN without it",
    )
    parser.add_argument("--variant", choices=[NAME, *VARIANTS], default=MINIATURE.name)
    parser.add_argument("--json", action="store_true", help="the outcome as one line of JSON")


def _count(least: int) -> Callable[[str], int]:
    """Return a parser of numbers from this one up."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} up")
        return int(text)

    return read


def _one(chosen: argparse.Namespace) -> int:
    sizes = [size.players for size in KNOWN_VARIANTS[chosen.variant].sizes]
    if chosen.players not in sizes:
        named = ", ".join(map(str, sizes))
        print(f"the {chosen.variant} game is not for {chosen.players} players, but for {named}", file=sys.stderr)
        return 2
    kinds = KINDS if chosen.faults is None else tuple(chosen.faults)
    game = chosen.seed, chosen.players, kinds, chosen.variant, chosen.spectators
    outcome, again = simulate(*game), command(*game)
    if chosen.json:
        print(json.dumps({"commit": commit(), "again": again, **asdict(outcome)}))
    else:
        print(*_lines(outcome), sep="\n")
        if outcome.violation is not None:
            print(f"VIOLATION: {outcome.violation}", f"at commit {commit()}, again by: {again}", sep="\n")
    return 0 if outcome.violation is None else 1


def _lines(outcome: SimOutcome) -> list[str]:
    lines = [
        f"seed {outcome.seed}, {outcome.players} players, {outcome.variant}, commit {commit()}",
        f"latency {outcome.plan.latency_s} s, jitter {outcome.plan.jitter_s} s",
        *(f"  {fault}" for fault in outcome.plan.faults),
        f"{outcome.steps} steps, {outcome.events} events, {outcome.time_s} virtual seconds",
    ]
    lines += [_line("seat", seat) for seat in outcome.seats]
    lines += [_line("spectator", spectator) for spectator in outcome.spectators]
    return [*lines, f"records {outcome.hash}"]


def _line(kind: str, one: SeatOutcome) -> str:
    said = f"{one.result} {one.reason}".strip() if one.result else one.reason
    return f"  {kind} {one.seat}: {one.state}; {said}; record {one.verdict}, {one.record[:16]}"


def _soak(chosen: argparse.Namespace) -> int:
    tally = soak(chosen.seconds, chosen.processes, chosen.first_seed, chosen.games)
    print(f"commit {commit()}", *table(tally), sep="\n")
    return 0 if not tally.violations else 1


def _adversaries(chosen: argparse.Namespace) -> int:
    if chosen.page:
        print(page(ADVERSARIES), end="")
        return 0
    asked = [each for each in ADVERSARIES if (chosen.name or "") in each.name]
    if not asked:
        print(f"no adversary has {chosen.name!r} in its name", file=sys.stderr)
        return 2
    rows = list(all_found(asked, range(chosen.seeds)))
    print(f"commit {commit()}", *lines(rows), sep="\n")
    return 1 if any(row.fault for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
