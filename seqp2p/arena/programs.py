"""A game with programs at the table, as ``--exec`` starts them: a process for each of their seats and games.

A program has several answers to a question, as at a real table; then, or when its time is over, it has lost the game.
"""

import time
from collections.abc import Sequence
from typing import Final

import trio

from seqp2p.arena.entrants import BotFault
from seqp2p.arena.game import ArenaGame, ArenaResult, result_of
from seqp2p.bots.exec_player import BotFailed, ExecPlayer, Notice, Time
from seqp2p.bots.player import Bot, Program
from seqp2p.bots.program import start_program
from seqp2p.bots.wire import hello_alone
from seqp2p.i18n import message
from seqp2p.match.events import Turned
from seqp2p.rules import Action, View
from seqp2p.workers import before_abandoning

SAID_NOTHING: Final = message("nobody has said anything that can be called")

_playing = set[ExecPlayer]()


@before_abandoning
def _kill_all() -> None:
    """This process ends at once: the programs of its game end with it."""
    for player in tuple(_playing):
        player.kill()


class _ProgramSeat:
    """The seat of a program: it fails where at a real table an action would be drawn for it."""

    def __init__(self, game: ArenaGame, seat: int, program: Program) -> None:
        contest, variant = game.contest, game.position.variant
        table = hello_alone(seat, variant, contest.players, contest.teams, contest.options)
        self._reason = ""
        self.player = ExecPlayer(program, table, variant, Time(program.time_s), self, self._note)

    def _note(self, notice: Notice) -> None:
        if isinstance(notice, BotFailed):
            self._reason = self._reason or notice.reason

    def choose(self, view: View) -> Action:  # noqa: ARG002  # that of a bot
        """Instead of a drawn action. Raises BotFault."""
        raise BotFault(self._reason)

    async def ask(self, seen: View) -> Action:
        """Return the program's choice. Raises BotFault."""
        action = await self.player.choose(seen, None)
        while action.kind == "call":
            action = await self.player.choose(seen, SAID_NOTHING)
        return action


def play_with_programs(game: ArenaGame, entrants: Sequence[Bot | Program]) -> ArenaResult:
    """Play a game to its end, or until a bot fails. ``entrants`` are by seat."""
    return trio.run(_play, game, entrants)


async def _play(game: ArenaGame, entrants: Sequence[Bot | Program]) -> ArenaResult:
    seats = [
        _ProgramSeat(game, seat, each) if isinstance(each, Program) else each
        for seat, each in enumerate(entrants, start=1)
    ]
    players = [seat.player for seat in seats if isinstance(seat, _ProgramSeat)]
    _playing.update(players)
    try:
        async with trio.open_nursery() as nursery:
            for player in players:
                await nursery.start(player.run)
            result = await _turns(game, seats, players)
            async with trio.open_nursery() as ending:
                for player in players:
                    ending.start_soon(player.finish, result_of(game.position))
            nursery.cancel_scope.cancel()
    finally:
        _playing.difference_update(players)
    return result


async def _turns(game: ArenaGame, seats: Sequence[Bot | _ProgramSeat], players: Sequence[ExecPlayer]) -> ArenaResult:
    try:
        while number := game.turn:
            seen, seat = game.view(number), seats[number - 1]
            if isinstance(seat, _ProgramSeat):
                begun = time.perf_counter()
                action = await seat.ask(seen)
                seconds = time.perf_counter() - begun
            else:
                begun = time.thread_time()
                action = seat.choose(seen)
                seconds = time.thread_time() - begun
            game.take(action, seconds)
            for player in players:
                player.hear(Turned(seen.turn + 1, number, action))
    except BotFault as failure:
        return game.counted(failure)
    return game.counted()


def try_to_start(program: Program) -> None:
    """Start a program, and end it. Raises OSError if it cannot be started."""

    async def start() -> None:
        await (await start_program(program)).end()

    trio.run(start)
