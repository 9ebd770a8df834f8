"""Random two-player games through the engine's public API, and the texts and views of their positions.

Turns a second on one core (list all legal actions, choose one, apply it), and the ratio to python-chess doing the same
with chess (legal moves listed, one chosen, pushed, until the game is over) if that is installed, as ``make bench`` sees
to. A position's text is measured against a FEN. A view is measured as ``view`` gives it, and with its actions and its
board read.
"""

import importlib
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from seqp2p.rules import (
    CLASSIC,
    UNKNOWN,
    Options,
    Position,
    apply,
    format_position,
    hand_size,
    legal_actions,
    parse_position,
    reveal,
    start,
    view,
)

ROUNDS = 3
ROUND_S = 2.0


def playout(rng: random.Random, seen: list[Position] | None = None) -> int:
    """One random game, with its positions added to ``seen``; the number of its turns."""
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
        if seen is not None:
            seen.append(position)
    return position.turn


def chess_playout(chess: Any, rng: random.Random, seen: list[Any] | None = None) -> int:
    """One random game of chess, with its boards added to ``seen``; the number of its half-moves."""
    board, choose = chess.Board(), rng.random
    while not board.is_game_over():
        moves = list(board.legal_moves)
        board.push(moves[int(choose() * len(moves))])
        if seen is not None:
            seen.append(board.copy(stack=False))
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


def each(work: Callable[[Any], object], items: Sequence[Any]) -> int:
    for item in items:
        work(item)
    return len(items)


def microseconds(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    """Time for one of the items, of which all are worked on again and again."""
    return round(1e6 / per_second(each, work, items), 1)


def look(position: Position) -> object:
    """A view with the fields that most bots read."""
    seen = view(position, position.to_move)
    return seen.legal, seen.board


def run() -> dict[str, dict[str, float]]:
    """The figures for ``build/bench.json``."""
    rng, positions, boards = random.Random(1), list[Position](), list[Any]()
    turns_per_s = per_second(playout, rng)
    playout(rng, positions)
    engine: dict[str, float] = {"turns_per_s": round(turns_per_s)}
    write = {"us": microseconds(format_position, positions)}
    read = {"us": microseconds(parse_position, [format_position(position) for position in positions])}
    views = {
        "us": microseconds(lambda position: view(position, position.to_move), positions),
        "read_us": microseconds(look, positions),
    }
    try:
        chess = importlib.import_module("chess")
    except ImportError:
        print("    no ratio: python-chess is not installed")
    else:
        chess_per_s = per_second(chess_playout, chess, rng)
        engine |= {"chess_turns_per_s": round(chess_per_s), "ratio": round(turns_per_s / chess_per_s, 2)}
        chess_playout(chess, rng, boards)
        write["chess_us"] = microseconds(chess.Board.fen, boards)
        read["chess_us"] = microseconds(chess.Board, [board.fen() for board in boards])
    return {"engine": engine, "text_written": write, "text_read": read, "view": views}
