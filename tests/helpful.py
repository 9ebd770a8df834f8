"""A bot for the tests, whose games are soon over: every seat helps every team to complete a line.

Bots that play against each other block all lines now and then, and go on for thousands of turns: one game in a hundred
of three ``random``, ``greedy`` or ``learned`` seats. Of 4,000 kids' games of three and four ``helpful`` seats none had
more than 52 choices, and with a ``random`` one among three seats none of 1,000 had more than 54.

A game stands still while a test wants it to: the bot makes no turn beyond the number in the file ``GATE``, if there is
one (``Household.hold``). So nothing depends on how soon a test looks, or on whose turn comes first.

``python -m tests.helpful MODULE …`` runs a module of the product in which ``--bot helpful`` is known, and in the
process that plays its bots too. With ``HELPED`` in the environment the bot also chooses for the person at the terminal.
"""

import gc
import os
import random
import runpy
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from seqp2p.bots.features import shape
from seqp2p.rules import Action, Square, View, apply, team_of

HELPFUL: Final = "helpful"
GATE: Final = "SEQP2P_GATE"
"""The environment's name for the path of that file."""
HELPED: Final = "SEQP2P_HELPED"
WON: Final = 10**9


class HelpfulBot:
    """Completes a line, or plays where the lines that can still be completed come nearest to it; ties by lot."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def choose(self, seen: View) -> Action:
        while seen.turn >= _turns_allowed():
            time.sleep(0.02)
        worth = {action: _worth(seen, action) for action in seen.legal}
        best = max(worth.values())
        return self._dice.choice([action for action in seen.legal if worth[action] == best])


def _turns_allowed() -> float:
    with suppress(KeyError, FileNotFoundError):
        return int(Path(os.environ[GATE]).read_text("ascii"))
    return float("inf")


def _worth(seen: View, action: Action) -> int:
    """How much an action brings the lines through its square forward."""
    if action.kind not in ("place", "remove"):
        return -1
    if apply(seen.position, action).winner:
        return WON
    board = list(seen.board)
    before = _hope(seen, board, action.square)
    board[action.square] = seen.team if action.kind == "place" else 0
    return _hope(seen, board, action.square) - before


def _hope(seen: View, board: list[int], square: Square) -> int:
    """The worth of the lines through a square that one team that still plays can complete, by its chips in them."""
    playing = {team_of(seat, seen.teams) for seat in range(1, seen.players + 1) if seat not in seen.out}
    lines, through = seen.variant.board.lines, shape(seen.variant, seen.teams).through[square]
    chips = [[board[at] for at in lines[n] if board[at]] for n in through]
    # A free corner is -1: every team's.
    return sum(8 ** len(line) for line in chips if len(teams := {*line} - {-1}) < 2 and teams <= playing)


def make_known() -> None:
    """The bot has a name in this process, and in the one that it starts for its bots."""
    from seqp2p.bots import registry
    from seqp2p.cli import own_table
    from seqp2p.cli.running import ChildStart

    (bots_of_all,) = gc.get_referents(registry.BOTS)  # Nobody else may change what is behind the proxy.
    bots_of_all[HELPFUL] = HelpfulBot
    bots = own_table.PROCESS
    cast("Any", own_table).PROCESS = ChildStart(
        bots.name, ("tests.helpful", *bots.arguments), bots.environment, bots.detached
    )


def choose_for_the_person() -> None:
    """The person sees the game, and is asked for all but its moves."""
    from seqp2p.bots.player import BotPlayer
    from seqp2p.ui.person.person import Person

    player = BotPlayer(HelpfulBot(random.Random()))
    cast("Any", Person).choose = lambda _, seen, refused: player.choose(seen, refused)


if __name__ == "__main__":
    make_known()
    if HELPED in os.environ:
        choose_for_the_person()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
