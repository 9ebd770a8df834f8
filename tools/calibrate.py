"""The calibration of chances: play games, fit the weights of ``bots.chance`` to them, and check these with others.

    python -m tools.calibrate play classic-2-2 --games 2000 > games   # variant, players, teams
    python -m tools.calibrate fit games                               # the rows of FITS
    python -m tools.calibrate check games                             # what was foretold, and what happened

Each team is ``learned`` or ``greedy`` by the toss of a coin. How the teams stand is kept after one turn in ONE_IN,
unless it ends the game. A file has a line of JSON for each game.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqp2p import rules
from seqp2p.bots.chance import CERTAIN, Kind, Prospect, Standing, Terms, chances_of, standings, terms_of
from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import LearnedBot
from seqp2p.bots.player import Bot
from seqp2p.bots.value import SCALE, shipped
from seqp2p.rules import ACTION_ROWS, KNOWN_VARIANTS, team_of

Array: TypeAlias = NDArray[Any]

ONE_IN: Final = 4
"""Turns of one game are alike: more of them take their time, and tell little."""
ROUNDS: Final = 30
BINS: Final = 10
MANY: Final = 100
"""A tenth with fewer chances tells nothing."""


class Game(NamedTuple):
    """A game: its table, the team that won, 0 for a drawn game, and by kept turn and team how it stood."""

    variant: str
    players: int
    teams: int
    winner: int
    turns: Sequence[Sequence[Standing]]

    @property
    def kind(self) -> Kind:
        return Kind(self.variant, self.teams, partners=self.players > self.teams)

    @property
    def shares(self) -> list[float]:
        """By team: a drawn game is shared by all."""
        return [1 / self.teams if not self.winner else float(self.winner == n + 1) for n in range(self.teams)]


def play(variant: str, players: int, teams: int, number: int) -> Game:
    """Play the game of this number."""
    rng = random.Random(number)  # noqa: S311 -- the same games again are what is wanted
    bots: list[Bot] = [rng.choice((LearnedBot(), GreedyBot(rng))) for _ in range(teams)]
    first = rng.randrange(players) + 1
    game = rules.Game(KNOWN_VARIANTS[variant], players, rng, teams=teams, first=first)
    turns, weights = list[Sequence[Standing]](), shipped(KNOWN_VARIANTS[variant], teams)
    while seat := game.turn:
        seen = game.view(seat)
        action = bots[team_of(seat, teams) - 1].choose(seen)
        game.play(action)
        if ACTION_ROWS[action.kind].ends_turn and seen.turn % ONE_IN == number % ONE_IN and not game.over:
            found = standings(game.position, weights)
            turns.append([found[team] for team in sorted(found)])
    return Game(variant, players, teams, game.position.winner, turns)


def read(file: Path) -> Iterator[Game]:
    for line in file.read_text("ascii").splitlines():
        variant, players, teams, winner, turns = json.loads(line)
        found = [[Standing(soon, [Prospect(*each) for each in seats]) for soon, seats in turn] for turn in turns]
        yield Game(variant, players, teams, winner, found)


def fit(games: Sequence[Game]) -> Sequence[Terms]:
    """Return the weights that are fitted to games of one kind."""
    teams, width = games[0].teams, len(Terms._fields)
    turns = [(turn, game.shares) for game in games for turn in game.turns]
    rows, won = np.zeros((len(turns), teams, teams * width)), np.array([shares for _, shares in turns])
    for n, (turn, _) in enumerate(turns):
        for team, standing in enumerate(turn):
            rows[n, team, standing.soon * width : (standing.soon + 1) * width] = terms_of(standing)
    found = (CERTAIN * likeliest(rows / SCALE, won)).round().astype(int).reshape(teams, width).tolist()
    return tuple(Terms(*row) for row in found)


def chances(rows: Array, weights: Array) -> Array:
    """Return the chances by turn and team: the exponentials of ratings, as shares of 1."""
    rated: Array = np.exp(rows @ weights)
    shares: Array = rated / rated.sum(1, keepdims=True)
    return shares


def likeliest(rows: Array, won: Array) -> Array:
    """Return the weights of greatest likelihood of features by turn and team, by Newton's method."""
    weights, ridge = np.zeros(rows.shape[2]), np.eye(rows.shape[2])
    for _ in range(ROUNDS):
        chance = chances(rows, weights)
        mean = np.einsum("nt,ntd->nd", chance, rows)
        curvature = np.einsum("nt,ntd,nte->de", chance, rows, rows, optimize=True) - mean.T @ mean + ridge
        weights += np.linalg.solve(curvature, np.einsum("ntd,nt->d", rows, won - chance) - weights)
    return weights


def check(games: Sequence[Game]) -> list[tuple[int, float, float]]:
    """Return by tenth of the chance that was foretold: the number, their mean, and the share of games won."""
    cells = np.zeros((BINS, 3))
    for game in games:
        for turn in game.turns:
            foretold = chances_of(game.kind, dict(enumerate(turn, 1)))
            for chance, share in zip(foretold, game.shares, strict=True):
                cells[min(chance * BINS // CERTAIN, BINS - 1)] += (1, chance / CERTAIN, share)
    return [(int(count), foretold / max(count, 1), won / max(count, 1)) for count, foretold, won in cells.tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("play", "fit", "check"))
    parser.add_argument("names", nargs="+", help="play: kinds of tables, like classic-2-2; else files of games")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    chosen = parser.parse_args()
    if chosen.what == "play":
        for name in chosen.names:
            variant, players, teams = name.split("-")
            for number in range(chosen.first, chosen.first + chosen.games):
                print(json.dumps(play(variant, int(players), int(teams), number)), flush=True)
        return
    games = [game for name in chosen.names for game in read(Path(name))]
    if chosen.what == "fit":
        for kind in sorted({game.kind for game in games}):
            print(f"{kind}: {fit([game for game in games if game.kind == kind])},")
        return
    for table in sorted({game[:3] for game in games}):
        cells = [cell for cell in check([game for game in games if game[:3] == table]) if cell[0]]
        shown = (f"{100 * foretold:.1f}:{100 * won:.1f} ({count})" for count, foretold, won in cells)
        farthest = max((abs(foretold - won) for count, foretold, won in cells if count >= MANY), default=0)
        print(*table, *shown, f"farthest {100 * farthest:.1f}")


if __name__ == "__main__":
    main()
