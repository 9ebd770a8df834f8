"""The calibration of chances: play games, fit the tables of ``bots.chance`` to them, and check the tables with others.

    python -m tools.calibrate play classic-2-2 --games 2000 > games   # variant, players, teams
    python -m tools.calibrate fit games                               # rows of OWN and SHARES
    python -m tools.calibrate check games                             # what was foretold, and what happened

Each team is ``learned`` or ``greedy`` by the toss of a coin. Of one turn in ONE_IN that does not end the
game the value of its action is kept. A file has a line of JSON for each game.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqp2p import rules
from seqp2p.bots.chance import CERTAIN, KNOTS, TableKind, among
from seqp2p.bots.greedy import GreedyBot
from seqp2p.bots.learned import LearnedBot, Outlook
from seqp2p.bots.player import Bot
from seqp2p.bots.value import SCALE, shipped
from seqp2p.rules import ACTION_ROWS, KNOWN_VARIANTS, Action, View, apply, longest_line, team_of, view

Array: TypeAlias = NDArray[Any]

ONE_IN: Final = 4
"""Turns of one game are alike: more of them take their time, and tell little."""
PRIOR: Final = 200
"""Turns that each knot has beforehand, with the chance of its logit."""
ROUNDS: Final = 100
BINS: Final = 10


class Turn(NamedTuple):
    """A turn as its seat saw it; ``value`` is that of its action."""

    team: int
    value: int
    lines: Sequence[int]
    """By team: the length of its longest line after the action."""


class Game(NamedTuple):
    """A game: the team that won, 0 for a drawn game, and the turns that are kept."""

    kind: TableKind
    winner: int
    turns: Sequence[Turn]


def play(kind: TableKind, number: int) -> Game:
    """Play the game of this number."""
    variant = KNOWN_VARIANTS[kind.variant]
    rng = random.Random(number)  # noqa: S311 -- the same games again are what is wanted
    bots: list[Bot] = [rng.choice((LearnedBot(), GreedyBot(rng))) for _ in range(kind.teams)]
    game = rules.Game(variant, kind.players, rng, teams=kind.teams, first=rng.randrange(kind.players) + 1)
    turns = list[Turn]()
    while seat := game.turn:
        seen = game.view(seat)
        action = bots[team_of(seat, kind.teams) - 1].choose(seen)
        game.play(action)
        if ACTION_ROWS[action.kind].ends_turn and seen.turn % ONE_IN == number % ONE_IN and not game.over:
            turns.append(_turn(seen, action))
    return Game(kind, game.position.winner, turns)


def _turn(seen: View, action: Action) -> Turn:
    after = view(apply(seen.position, action), 0)
    lines = [longest_line(after, team) for team in range(1, seen.teams + 1)]
    return Turn(seen.team, Outlook(seen, shipped(seen.variant, seen.teams)).value(action), lines)


def read(file: Path) -> Iterator[Game]:
    for line in file.read_text("ascii").splitlines():
        kind, winner, turns = json.loads(line)
        yield Game(TableKind(*kind), winner, [Turn(*turn) for turn in turns])


def fit_own(games: Sequence[Game]) -> list[int]:
    """Return the chance at each knot, rising: the least squares of the straight lines between them."""
    turns = [(game, turn) for game in games for turn in game.turns]
    wins = np.array([won(game)[turn.team - 1] for game, turn in turns])
    knots = np.array(KNOTS, float)
    at = np.array([turn.value / SCALE for _, turn in turns]).clip(knots[0], knots[-1])
    rows = np.array([np.interp(at, knots, unit) for unit in np.eye(len(knots))])
    prior = PRIOR * np.eye(len(knots))
    solved = np.linalg.solve(rows @ rows.T + prior, rows @ wins + PRIOR / (1 + np.exp(-knots / SCALE)))
    return [int(each) for each in np.maximum.accumulate((CERTAIN * solved).round().clip(1, CERTAIN - 1))]


def fit_shares(games: Sequence[Game]) -> list[int]:
    """Return by length of the longest line the weight of a team: Luce's choice, by Hunter's MM algorithm (2004)."""
    races = [
        (turn.lines[game.winner - 1], [line for team, line in enumerate(turn.lines, 1) if team != turn.team])
        for game in games
        for turn in game.turns
        if game.winner not in {0, turn.team}
    ]
    lengths = KNOWN_VARIANTS[games[0].kind.variant].line_length
    weights = np.ones(lengths)
    for _ in range(ROUNDS):
        shares = np.zeros(lengths)
        for _, lines in races:
            np.add.at(shares, lines, 1 / weights[lines].sum())
        wins = np.bincount([line for line, _ in races], minlength=lengths)
        weights = (wins + 1) / (shares + 1)
        weights /= weights.max()
    return [max(1, round(100 * float(weight))) for weight in weights]


def check(games: Iterable[Game]) -> dict[str, list[tuple[int, float, float]]]:
    """Return by tenth of the chance that was foretold: the turns, the mean chance, and the share of games won.

    ``own`` are the chances of the team that moved, ``others`` those of the other teams.
    """
    sums = {name: np.zeros((BINS, 3)) for name in ("own", "others")}
    for game in games:
        for turn in game.turns:
            for team, chance in enumerate(among(game.kind, turn.team, turn.value, turn.lines), 1):
                cells = sums["own" if team == turn.team else "others"]
                cells[chance * BINS // CERTAIN] += (1, chance / CERTAIN, won(game)[team - 1])
    return {
        name: [(int(turns), foretold / max(turns, 1), wins / max(turns, 1)) for turns, foretold, wins in cells.tolist()]
        for name, cells in sums.items()
    }


def won(game: Game) -> list[float]:
    """Return by team its share of the game: a drawn game is shared by all."""
    return [1 / game.kind.teams if not game.winner else float(game.winner == n + 1) for n in range(game.kind.teams)]


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
                print(json.dumps(play(TableKind(variant, int(players), int(teams)), number)), flush=True)
        return
    games = [game for name in chosen.names for game in read(Path(name))]
    if chosen.what == "fit":
        for kind in sorted({game.kind for game in games}):
            print(f"{kind}: {tuple(fit_own([game for game in games if game.kind == kind]))},")
        for variant in sorted({game.kind.variant for game in games}):
            several = [game for game in games if game.kind.variant == variant and game.kind.teams > 2]
            print(variant, fit_shares(several) if several else "-")
        return
    for kind in sorted({game.kind for game in games}):
        for name, cells in check(game for game in games if game.kind == kind).items():
            shown = (
                f"{100 * foretold:.0f}:{100 * won:.0f} ({turns})" if turns else "-" for turns, foretold, won in cells
            )
            print(f"{kind.variant}-{kind.players}-{kind.teams} {name}:", *shown)


if __name__ == "__main__":
    main()
