"""Trains the value of ``learned`` from games: ``make train FILE=build/classic-2.npz``.

    python -m tools.train FILE [--table classic-2] [--games 200000] [--seed 1] [--weights WEIGHTS]

TD(λ) on the positions after a seat's action: the target is the next value of the same seat, and with weight λ what
comes after it, at the end the result. In half of the games one team is played by ``greedy``. The first games are of
``greedy`` alone. FILE keeps everything, so a training goes on where it stopped; one process and one seed give one file.
"""

import argparse
import json
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from seqp2p.bots.features import DEAD, shape
from seqp2p.bots.value import teams_max
from seqp2p.rules import CLASSIC, KIDS, Variant
from tools.batch import ROWS_MAX, Batch, best_of, greedy_turn
from tools.weights import write_weights

Array = NDArray[Any]
LAMBDA: Final = 0.4
HIDDEN: Final = 16
BATCH: Final = 256
MINIBATCH: Final = 512
KEPT: Final = 24
"""The batches of games whose positions are learned from."""
STEPS: Final = 4.0
"""How often each position is learned from."""
WARM_GAMES: Final = 5_000
NOISE: Final = 0.05
"""Added to the values of actions, in logits, so games differ."""
RATE: Final = 2e-3
SAVE_EVERY: Final = 8
"""The batches from one saving to the next."""
HALVED_AFTER: Final = 25_000
"""The games after which the rate of learning is half."""

Table = tuple[int, int]
"""Players and teams."""
TABLES: Final[dict[str, tuple[Variant, tuple[Table, ...]]]] = {
    "classic-2": (CLASSIC, tuple((players, 2) for players in (2, 4, 2, 4, 2, 6, 2, 4, 2, 4, 8, 2, 4, 10, 2, 4, 12))),
    "classic-3": (CLASSIC, ((3, 3), (6, 3), (3, 3), (9, 3), (3, 3), (12, 3))),
    "kids": (KIDS, ((2, 2), (3, 3), (2, 2), (4, 4))),
}
"""By the name of the weights, which is ``name_of`` each of its tables."""


@dataclass
class Net:
    """The weights and what Adam keeps of them. A value is a sum over features of one row of weights each."""

    rows: Array
    """By state of the score, feature, unit; the last unit is the linear part."""
    out: Array
    """By state and unit."""
    moments: list[Array] = field(default_factory=list[Array])
    steps: int = 0

    def logits(self, phi: Array, state: Array) -> tuple[Array, Array]:
        """Return the values in logits, and the sums of the rows."""
        sums = np.zeros((len(phi), self.rows.shape[2]), np.float32)
        for n in range(len(self.rows)):
            here = state == n
            sums[here] = phi[here].astype(np.float32) @ self.rows[n]
        hidden = np.maximum(sums[:, :-1], 0)
        return (hidden * self.out[state]).sum(axis=1) + sums[:, -1], sums

    def learn(self, phi: Array, state: Array, target: Array, rate: float) -> float:
        """Take one step of Adam towards the targets; return the log-loss."""
        logits, sums = self.logits(phi, state)
        guess = 1 / (1 + np.exp(-logits))
        error = (guess - target).astype(np.float32) / np.float32(len(phi))
        back = np.concatenate([error[:, None] * self.out[state] * (sums[:, :-1] > 0), error[:, None]], axis=1)
        rows, out = np.zeros_like(self.rows), np.zeros_like(self.out)
        for n in range(len(self.rows)):
            here = state == n
            rows[n] = phi[here].astype(np.float32).T @ back[here]
            out[n] = error[here] @ np.maximum(sums[here, :-1], 0)
        self._adam((self.rows, self.out), (rows, out), rate)
        safe = np.clip(guess, 1e-6, 1 - 1e-6)
        return float(-(target * np.log(safe) + (1 - target) * np.log(1 - safe)).mean())

    def _adam(self, weights: tuple[Array, ...], gradients: tuple[Array, ...], rate: float) -> None:
        if not self.moments:
            self.moments = [np.zeros_like(each) for each in (*weights, *weights)]
        self.steps += 1
        fix = np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for n, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
            first, second = self.moments[n], self.moments[n + len(weights)]
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient * gradient - second)
            np.subtract(weight, (rate * fix) * first / (np.sqrt(second) + 1e-8), out=weight)


def new_net(variant: Variant, teams: int, rng: np.random.Generator) -> Net:
    """Return a net whose values are all nearly even."""
    form = shape(variant, teams)
    rows = rng.normal(0, 0.02, (form.states, form.features, HIDDEN + 1)).astype(np.float32)
    rows[:, :, -1] = 0
    return Net(rows, rng.normal(0, 0.3, (form.states, HIDDEN)).astype(np.float32))


def choose(net: Net, batch: Batch, rows: Array) -> tuple[Array, ...]:
    """Return the choices of the net: games, squares, kinds, features, states, values; after its exchanges."""
    left, changed = batch.exchanges(), rows
    while len(changed):
        changed = batch.exchange(changed[left[changed] > 0])
        left[changed] -= 1
    at, square, kind = batch.candidates(rows)
    score = np.zeros(len(at))
    for first in range(0, len(at), ROWS_MAX):
        part = slice(first, first + ROWS_MAX)
        phi, state, wins = batch.features(rows, at[part], square[part], kind[part])
        score[part] = net.logits(phi, state)[0] + wins * 1e6
    have, best = best_of(at, score + NOISE * batch.rng.normal(size=len(at)))
    phi, state, wins = batch.features(rows, at[best], square[best], kind[best])
    values = 1 / (1 + np.exp(-np.clip(score[best], -30, 30)))
    return rows[have], square[best], kind[best], phi, state, values, wins


@dataclass
class Record:
    """The positions of one turn of a batch; those in which the game is won are not learned."""

    games: Array
    seat: int
    phi: Array
    state: Array
    values: Array
    wins: Array


def play_batch(net: Net, batch: Batch, by_greedy: Array, *, warm: bool) -> list[Record]:
    """Play games to their ends; ``by_greedy`` by game and team. Return the positions, turn by turn."""
    records = list[Record]()
    while len(active := batch.active()):
        seat = batch.seat
        theirs = by_greedy[active, seat % batch.teams]
        games, squares, kinds = greedy_turn(batch, active[theirs]) if theirs.any() else (active[:0],) * 3
        if warm and len(games):
            n = np.arange(len(games))
            phi, state, wins = batch.features(games, n, squares, kinds)
            records.append(Record(games, seat, phi, state, np.zeros(len(n)), wins))
        if not theirs.all():
            mine = choose(net, batch, active[~theirs])
            records.append(Record(mine[0], seat, *mine[3:]))
            games, squares, kinds = (np.concatenate(pair) for pair in zip((games, squares, kinds), mine, strict=False))
        batch.play(games, squares, kinds)
    return records


def targets(batch: Batch, records: list[Record], decay: float) -> list[Array]:
    """Return by record the targets of its positions."""
    teams = np.arange(batch.players) % batch.teams + 1
    result = np.where(batch.winner[:, None] == teams, 1.0, np.where(batch.winner[:, None] == 0, 1 / batch.teams, 0.0))
    value, target = result.copy(), result.copy()
    found = list[Array]()
    for record in reversed(records):
        at = record.games, record.seat
        target[at] = (1 - decay) * value[at] + decay * target[at]
        value[at] = record.values
        found.append(target[at].copy())
    return found[::-1]


class Training:
    """A training, from a file or new."""

    def __init__(self, file: Path, table: str, seed: int) -> None:
        self.file = file
        self.variant, self.sizes = TABLES[table]
        self.name = table
        self.rng = np.random.default_rng(seed)
        self.net = new_net(self.variant, teams_max(self.variant, self.sizes[0][1]), self.rng)
        self.games = self.batches = 0
        self.kept: deque[tuple[Array, Array, Array]] = deque(maxlen=KEPT)
        if file.exists():
            self._load()

    def _load(self) -> None:
        with np.load(self.file) as kept:
            facts = json.loads(str(kept["facts"]))
            if facts["table"] != self.name:
                sys.exit(f"{self.file} is a training for {facts['table']}: name another file")
            self.net = Net(kept["rows"], kept["out"], [kept[f"moment{n}"] for n in range(4)], facts["steps"])
            self.games, self.batches = facts["games"], facts["batches"]
            self.rng.bit_generator.state = facts["random"]

    def save(self) -> None:
        """Write the file, in one step."""
        facts = {
            "table": self.name,
            "games": self.games,
            "batches": self.batches,
            "steps": self.net.steps,
            "random": self.rng.bit_generator.state,
        }
        kept: dict[str, Any] = {f"moment{n}": each for n, each in enumerate(self.net.moments)}
        new = self.file.with_suffix(".new.npz")
        np.savez(new, rows=self.net.rows, out=self.net.out, facts=np.array(json.dumps(facts)), **kept)
        new.replace(self.file)

    def weights(self) -> bytes:
        """Return the file of weights for the bot. The rows of lines that no team can complete are zero."""
        rows = self.net.rows.copy()
        rows[:, DEAD] = 0
        return write_weights(self.name, rows.tolist(), self.net.out.tolist())

    def step(self) -> tuple[float, Array]:
        """Play a batch and learn from it. Return the log-loss, and the results of the net against ``greedy``."""
        warm = self.games < WARM_GAMES
        players, teams = self.sizes[self.batches % len(self.sizes)]
        batch = Batch(self.variant, players, teams, BATCH, self.rng)
        by_greedy = np.zeros((BATCH, teams), bool)
        numbers = np.arange(BATCH)
        against = numbers % 2 == 0
        # One team of the net against greedy, and the other way round where there are three.
        by_greedy[against] = True
        lone = (numbers // 2) % teams
        by_greedy[numbers[against], lone[against]] = False
        if warm:
            by_greedy[:] = True
        records = play_batch(self.net, batch, by_greedy, warm=warm)
        found = targets(batch, records, 1.0 if warm else LAMBDA)
        self.kept.append(
            (
                np.concatenate([r.phi[~r.wins] for r in records]),
                np.concatenate([r.state[~r.wins] for r in records]),
                np.concatenate([t[~r.wins] for r, t in zip(records, found, strict=True)]).astype(np.float32),
            )
        )
        rate, losses = RATE / (1 + self.games / HALVED_AFTER), list[float]()
        # With few positions at hand, fewer steps: they would be learned by heart.
        for _ in range(1 + int(STEPS * len(self.kept[-1][0]) / MINIBATCH * len(self.kept) / KEPT)):
            phi, state, target = self._sample()
            losses.append(self.net.learn(phi, state, target, rate))
        self.games += BATCH
        self.batches += 1
        return sum(losses) / len(losses), batch.winner[against] == lone[against] + 1

    def _sample(self) -> tuple[Array, Array, Array]:
        which = self.rng.integers(0, len(self.kept), len(self.kept))
        size = MINIBATCH // len(which)
        parts = list[tuple[Array, Array, Array]]()
        for n in which:
            phi, state, target = self.kept[n]
            at = self.rng.integers(0, len(phi), size)
            parts.append((phi[at], state[at], target[at]))
        first, second, third = (np.concatenate(each) for each in zip(*parts, strict=True))
        return first, second, third


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--table", choices=TABLES, default="classic-2")
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path, help="write the weights for the bot here, and end")
    chosen = parser.parse_args()
    training = Training(chosen.file, chosen.table, chosen.seed)
    if chosen.weights:
        chosen.weights.write_bytes(training.weights())
        return
    begun = time.monotonic()
    wins: dict[int, deque[float]] = {}
    while training.games < chosen.games:
        players = training.sizes[training.batches % len(training.sizes)][0]
        loss, won = training.step()
        wins.setdefault(players, deque(maxlen=16)).append(float(won.mean()))
        shares = " ".join(f"{size}p {sum(each) / len(each):.3f}" for size, each in sorted(wins.items()))
        print(f"{training.games} games, {time.monotonic() - begun:.0f} s, loss {loss:.4f}, won {shares}", flush=True)
        if training.batches % SAVE_EVERY == 0:
            training.save()
    training.save()


if __name__ == "__main__":
    main()
