"""One deal between bots: a game for each seating, with the same cards."""

import random
import time
from collections.abc import Sequence
from hashlib import sha256

import msgspec

from seqp2p.arena.contest import Contest
from seqp2p.arena.entrants import BotFailed, kind_of, maker_of, program_of
from seqp2p.arena.game import ArenaResult, Game
from seqp2p.arena.programs import play_with_programs
from seqp2p.bots.exec_player import TIME_S
from seqp2p.bots.player import Bot
from seqp2p.bots.program import Program


class DealResult(msgspec.Struct, frozen=True):
    """The games of one deal."""

    contest: int
    """The number of the contest."""
    deal: int
    games: tuple[ArenaResult, ...]
    """By seating."""
    choices: tuple[int, ...]
    """By side, over all games."""
    seconds: tuple[float, ...]
    """By side: the time of its choices, of a program by the clock."""


def play_deal(contest: Contest, seed: int, deal: int, number: int = 0, time_s: float = TIME_S) -> DealResult:
    """Play a deal (from 0) of a contest in all its seatings. Who starts goes round the table from deal to deal.

    The cards do not depend on who plays: with the same seed other bots get the same deals. ``number`` is that of the
    contest, for the result; ``time_s`` the time of programs and classes for a choice. A bot that fails loses its game.
    Raises EntrantError for a class that cannot be imported.
    """
    sides, seatings = contest.sides, contest.seatings
    games, choices, seconds = list[ArenaResult](), [0] * len(sides), [0.0] * len(sides)
    for which, seating in enumerate(seatings):
        cards = random.Random(sha256(f"seqp2p arena, seed {seed}, deal {deal}".encode()).digest())  # noqa: S311  # the same cards again are wanted
        game = Game(contest, cards, deal % contest.players + 1)
        names = [sides[seating[seat % contest.teams]] for seat in range(contest.players)]
        entrants = [
            _entrant(name, f"seqp2p arena, seed {seed}, deal {deal}, seating {which}, seat {seat}", time_s)
            for seat, name in enumerate(names, start=1)
        ]
        games.append(_play(game, entrants))
        for team, side in enumerate(seating):
            choices[side] += game.choices[team]
            seconds[side] += game.seconds[team]
    return DealResult(number, deal, tuple(games), tuple(choices), tuple(round(each, 6) for each in seconds))


def _entrant(name: str, seed: str, time_s: float) -> Bot | Program:
    if kind_of(name) == "program":
        return program_of(name, time_s)
    return maker_of(name, time_s)(random.Random(seed))  # noqa: S311  # the same choices again are wanted


def _play(game: Game, entrants: Sequence[Bot | Program]) -> ArenaResult:
    """Play to the end, or until a bot fails. ``entrants`` are by seat."""
    bots = [each for each in entrants if not isinstance(each, Program)]
    if len(bots) < len(entrants):
        return play_with_programs(game, entrants)
    clock = time.thread_time  # The processor's: other work on the machine is not the bot's.
    try:
        while seat := game.to_move:
            seen, begun = game.view(), clock()
            game.take(bots[seat - 1].choose(seen), clock() - begun)
    except BotFailed as failure:
        return game.result(failure)
    return game.result()
