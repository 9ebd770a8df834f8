"""Play the same simulated games in two trees of this program, and compare what came of them, record by record.

    python -m tests.sim.compare_trees ../before . --games 2000

A simulated game follows from its seed alone, so a change that must not change behaviour gives the same bytes in every
record, of seats and of spectators. Every second game has a spectator, and seats crash and resume. Exit code 1: there
is a violation in the second tree. A difference is printed with its seed: it has to have a reason.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

PLAY = """
import dataclasses, json, sys
from tests.sim.outcome import simulate
from tests.sim.soak import game_of
for seed in map(int, sys.argv[1:]):
    game = game_of(seed)
    outcome = simulate(seed, game.players, game.kinds, spectators=max(game.spectators, seed % 2))
    print(json.dumps(dataclasses.asdict(outcome)), flush=True)
"""
BATCH = 20

Game: TypeAlias = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare the simulated games of two trees.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first_seed, chosen.first_seed + chosen.games)
    with ThreadPoolExecutor(2) as executor:
        old, new = executor.map(lambda tree: played(tree, seeds), (chosen.old, chosen.new))
    print(*report(old, new), sep="\n")
    return 1 if any(game["violation"] for game in new) else 0


def played(tree: Path, seeds: Sequence[int]) -> list[Game]:
    games: list[Game] = []
    for at in range(0, len(seeds), BATCH):
        words = [sys.executable, "-c", PLAY, *map(str, seeds[at : at + BATCH])]
        done = subprocess.run(words, cwd=tree, env={"PYTHONPATH": str(tree.resolve())}, check=True, capture_output=True)
        games += map(json.loads, done.stdout.splitlines())
    return games


def report(old: Sequence[Game], new: Sequence[Game]) -> Iterator[str]:
    """Say how many games are the same, and which are not."""
    seats = [game["seed"] for game, other in zip(old, new, strict=True) if game["seats"] != other["seats"]]
    watched = [game["seed"] for game, other in zip(old, new, strict=True) if game["spectators"] != other["spectators"]]
    yield f"{len(old)} games, {sum(len(game['spectators']) for game in old)} spectators"
    yield f"records of seats differ: {seats or 'none'}"
    yield f"only those of spectators: {sorted(set(watched) - set(seats)) or 'none'}"
    yield from (f"seed {game['seed']}: {game['violation']}" for game in new if game["violation"])


if __name__ == "__main__":
    sys.exit(main())
