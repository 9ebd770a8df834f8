"""The arena: how fast it plays, and whether random games go as they should.

``turns_per_s`` is of one process, ``ratio`` that to the bare engine doing the same (``bench_engine``) in the same run:
what asking bots through views costs. ``all_cores`` is of as many processes as there are cores. The shares and means of
20,000 random games, of three kids, and of greedy against random are held against the bands they have to lie in; a
figure out of its band ends the benchmark.
"""

import os
import random
import time

from bench_engine import per_second, playout

from seqp2p.arena import Contest, Ladder, Tally, make_contest, play_deal, play_deals

GAMES = 20_000
GREEDY_GAMES = 400
JOBS = os.cpu_count() or 1


def arena_playout(two_players: Contest, rng: random.Random) -> int:
    return sum(game.turns for game in play_deal(two_players, 1, rng.getrandbits(32)).games)


def played(who: Contest, games: int) -> tuple[Tally, float]:
    """All games over a few processes, and how many turns a second that made."""
    ladder, begun = Ladder([who], games // len(who.seatings)), time.perf_counter()
    for _ in play_deals(ladder, 1, JOBS):
        pass
    (total,) = ladder.tallies
    return total, total.turns / (time.perf_counter() - begun)


def within(name: str, low: float, figure: float, high: float) -> float:
    assert low <= figure <= high, f"{name} is {figure:g}, and should lie between {low:g} and {high:g}"
    return round(figure, 4)


def run() -> dict[str, dict[str, float]]:
    """The figures for ``build/bench.json``."""
    two = make_contest(["random", "random"])
    engine = per_second(playout, random.Random(1))
    arena = per_second(arena_playout, two, random.Random(1))
    classic, together = played(two, GAMES)
    kids, _ = played(make_contest(["random"] * 3, "kids", 3), GAMES)
    greedy, greedy_per_s = played(make_contest(["greedy", "random"]), GREEDY_GAMES)
    return {
        "arena": {"turns_per_s": round(arena), "ratio": round(arena / engine, 3), "all_cores": round(together)},
        "arena_classic": {
            "turns_mean": within("turns of two random players", 78, classic.turns / GAMES, 84),
            "first_mover": within(
                "first mover's share", 0.51, classic.first_mover_wins / (GAMES - classic.draws), 0.54
            ),
            "reshuffled": within("share reshuffled", 0.19, classic.reshuffled / GAMES, 0.29),
        },
        "arena_kids": {
            "turns_mean": within("turns of three random kids", 31, kids.turns / GAMES, 36),
            "draws": within("drawn games of three random kids", 0, kids.draws, 0),
        },
        "arena_greedy": {
            "turns_per_s": round(greedy_per_s),
            "won": within("greedy's share against random", 0.97, greedy.score(0) or 0.0, 1),
        },
    }
