"""Random two-player games through the engine's public API: list all legal actions, choose one, apply it.

Turns a second on one core, and the ratio to python-chess doing the same with chess (legal moves listed, one
chosen, pushed, until the game is over) if that is installed, as ``make bench`` sees to.
"""

import importlib
import random
import time
from typing import Any

from seqp2p.rules import CLASSIC, UNKNOWN, Options, Position, apply, hand_size, legal_actions, reveal, start

ROUNDS = 3
ROUND_S = 2.0


def playout(rng: random.Random) -> int:
    """One random game; the number of its turns."""
    size, deck, choose = hand_size(CLASSIC, 2), list(CLASSIC.deck), rng.random
    rng.shuffle(deck)
    pile = deck[2 * size :]
    position: Position = start(CLASSIC, 2, 2, Options(), 1, (deck[:size], deck[size : 2 * size]))
    while not position.over:
        actions = legal_actions(position)
        action = actions[int(choose() * len(actions))]
        after = apply(position, action, pile[-1] if pile else UNKNOWN)
        if after.reshuffles > position.reshuffles:
            pile = [card for cards in position.discards for card in cards] + [action.card]
            rng.shuffle(pile)
            after = reveal(after, position.to_move, pile[-1:])
        if after.draws > position.draws:
            pile.pop()
        position = after
    return position.turn


def chess_playout(chess: Any, rng: random.Random) -> int:
    """One random game of chess; the number of its half-moves."""
    board, choose = chess.Board(), rng.random
    while not board.is_game_over():
        moves = list(board.legal_moves)
        board.push(moves[int(choose() * len(moves))])
    return len(board.move_stack)


def per_second(play: Any, *args: Any) -> float:
    """Turns a second, the best of a few rounds."""
    best = 0.0
    for _ in range(ROUNDS):
        turns, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < ROUND_S:
            turns += play(*args)
        best = max(best, turns / (time.perf_counter() - begin))
    return best


def run() -> dict[str, dict[str, float]]:
    """The figures for ``build/bench.json``."""
    rng = random.Random(1)
    turns_per_s = per_second(playout, rng)
    engine: dict[str, float] = {"turns_per_s": round(turns_per_s)}
    try:
        chess = importlib.import_module("chess")
    except ImportError:
        print("    no ratio: python-chess is not installed")
    else:
        chess_per_s = per_second(chess_playout, chess, rng)
        engine |= {"chess_turns_per_s": round(chess_per_s), "ratio": round(turns_per_s / chess_per_s, 2)}
    return {"engine": engine}
