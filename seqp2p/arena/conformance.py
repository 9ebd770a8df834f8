"""The conformance test of programs that play: games on the engine alone, at tables of every kind.

A program meets all phases, dead cards, passes, forgotten draws and called talk, questions that are taken back and good
answers that are refused. docs/scripting.md, "A bot in any language", has the lines that it reads and writes.
"""

import random
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import trio

from seqp2p.arena.contest import USUAL
from seqp2p.arena.game import result_of
from seqp2p.arena.programs import SAID_NOTHING
from seqp2p.arguments import check_arguments
from seqp2p.bots.exec_player import BotFailed, ExecPlayer, Notice, ProgramEnded, Stale, Time, Wrong
from seqp2p.bots.player import Bot, Program
from seqp2p.bots.program import GOODBYE_S
from seqp2p.bots.registry import BOTS, RandomBot
from seqp2p.bots.wire import hello_alone
from seqp2p.i18n import message
from seqp2p.match.events import Remarked, Turned
from seqp2p.rules import (
    CLASSIC,
    END,
    KIDS,
    RULE_OPTIONS,
    Action,
    ActionKind,
    Game,
    Options,
    Variant,
    View,
    apply,
    call,
    default_teams,
    team_of,
)

REFUSED: Final = "this would be possible, and is refused to see what you do: answer once more"
# Which of the questions of a game is taken back, and the answer to which is refused; the turns before which talk is
# called; which draw is forgotten.
TAKEN_BACK: Final = 2
REFUSED_AT: Final = 3
CALLED_BEFORE: Final = (4, 9)
FORGOTTEN: Final = 2


@dataclass(frozen=True, slots=True)
class ConformanceTable:
    """A table for a trial. ``only``: the game begins where the program's seat can do nothing but this."""

    variant: Variant
    players: int
    options: Options = USUAL
    only: ActionKind | None = None

    @property
    def option_names(self) -> tuple[str, ...]:
        """Return the options of ``seqp2p host`` that make such a table."""
        return tuple(row.word for row in RULE_OPTIONS if getattr(self.options, row.field) != row.usual)


TABLES: Final = (
    ConformanceTable(CLASSIC, 2),
    ConformanceTable(CLASSIC, 3),
    ConformanceTable(CLASSIC, 4, Options(advanced=True)),
    ConformanceTable(CLASSIC, 4, Options(table_talk=False)),
    ConformanceTable(CLASSIC, 2, Options(manual_draw=True)),
    ConformanceTable(CLASSIC, 6, Options(manual_draw=True, table_talk=False)),
    ConformanceTable(CLASSIC, 12),
    ConformanceTable(CLASSIC, 2, only="exchange"),
    ConformanceTable(CLASSIC, 4, only="pass"),
    ConformanceTable(KIDS, 2),
    ConformanceTable(KIDS, 4),
    ConformanceTable(KIDS, 3, only="exchange"),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The observations at one table. ``problems`` are sentences, one for each mistake of the program.

    ``games`` were played, ``wins`` of them won by the program. ``chosen`` counts its choices by kind of action, and
    ``slowest_s`` is its longest time for one. ``gone``: it could not go on playing. ``silent``: it has
    let the time of a question pass without writing a line.
    """

    table: ConformanceTable
    games: int = 0
    wins: int = 0
    chosen: Mapping[ActionKind, int] = field(default_factory=dict[ActionKind, int])
    slowest_s: float = 0.0
    problems: tuple[str, ...] = ()
    gone: bool = False
    silent: bool = False


def note(found: Findings, notice: Notice) -> Findings:
    """Return the findings with this notice as one more problem, unless it is of right behaviour."""
    game = found.games + 1
    match notice:
        case BotFailed(reason, gone, silent):
            problem = message("game {game}: {reason}", game=game, reason=reason)
            found = replace(found, gone=found.gone or gone, silent=found.silent or silent)
        case Wrong(number, reason) if reason != REFUSED:
            problem = message("game {game}, question {number}: {reason}", game=game, number=number, reason=reason)
        case Stale(number, taken_back) if not taken_back:
            problem = message("game {game}: question {number} was answered too late", game=game, number=number)
        case ProgramEnded(killed) if killed:
            problem = message(
                "game {game}: it did not end within {seconds} s of the result", game=game, seconds=GOODBYE_S
            )
        case _:
            return found
    return replace(found, problems=(*found.problems, problem))


class Trial:
    """One game of a program against bots of one kind. ``seed`` decides everything but the program's answers."""

    def __init__(self, found: Findings, program: Program, against: str, seed: int) -> None:
        dice = random.Random(f"seqp2p try-bot {seed} {found.games}")  # noqa: S311  # the same games again are wanted
        table = found.table
        self._found = found
        self._table = table
        self._game, self._seat = begin(table, found.games, dice)
        self._teams = default_teams(table.variant, table.players)
        self._team = team_of(self._seat, self._teams)
        self._against: Bot = BOTS[against](dice)
        self._asked = self._draws = 0
        self._called = set[int]()
        welcome = hello_alone(self._seat, table.variant, table.players, self._teams, table.options)
        time, lot = Time(program.time_s), RandomBot(dice)
        self._player = ExecPlayer(program, welcome, table.variant, time, lot, self._note)

    def _note(self, notice: Notice) -> None:
        self._found = note(self._found, notice)

    async def play(self) -> Findings:
        """Play the game to its end, or until the program is gone. Return the findings so far."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._player.run)
            while self._game.turn and not self._player.is_gone:
                seen = self._game.view(self._game.turn)
                action = await (self._ask(seen) if seen.seat == self._seat else self._other(seen))
                self._player.hear(Turned(seen.turn + 1, seen.seat, action))
                self._game.play(action)
            result = result_of(self._game.position)
            await self._player.finish(result)
            nursery.cancel_scope.cancel()
        found = self._found
        return replace(found, games=found.games + 1, wins=found.wins + (self._seat in result.winners))

    async def _ask(self, seen: View) -> Action:
        """Ask the program, with questions taken back and answers refused; return its choice."""
        self._asked += 1
        self._draws += seen.phase == "draw"
        if seen.phase == "draw" and self._draws == FORGOTTEN:
            self._player.ask_in_vain(seen)
            return END
        if self._asked == TAKEN_BACK:
            self._player.ask_in_vain(seen)
        action = await self._timed(seen, None)
        if self._asked == REFUSED_AT:
            action = await self._timed(seen, REFUSED)
        while action.kind == "call":
            action = await self._timed(seen, SAID_NOTHING)
        chosen = {**self._found.chosen, action.kind: self._found.chosen.get(action.kind, 0) + 1}
        self._found = replace(self._found, chosen=chosen)
        return action

    async def _timed(self, seen: View, refused: str | None) -> Action:
        begun = trio.current_time()
        action = await self._player.choose(seen, refused)
        slowest_s = max(self._found.slowest_s, trio.current_time() - begun)
        self._found = replace(self._found, slowest_s=slowest_s)
        return action

    async def _other(self, seen: View) -> Action:
        """Return another seat's choice. An opponent calls the talk of the program's team now and then."""
        due = [turn for turn in CALLED_BEFORE if turn <= seen.turn and turn not in self._called]
        opponent = team_of(seen.seat, self._teams) != self._team
        if self._table.options.table_talk or seen.phase != "play" or not opponent or not due:
            return await trio.to_thread.run_sync(self._against.choose, seen)
        self._called.add(due[0])
        mates = range(self._team, self._table.players + 1, self._teams)
        mate = next(seat for seat in mates if seat != self._seat)
        self._player.hear(Remarked(mate, len(self._called), "look at e5", courtesy=False))
        return call(mate)


def begin(table: ConformanceTable, number: int, dice: random.Random) -> tuple[Game, int]:
    """Deal the cards of a game (from 0) at this table; return them with the program's seat."""
    teams, first = default_teams(table.variant, table.players), number % table.players + 1
    while True:
        game = Game(table.variant, table.players, dice, teams=teams, options=table.options, first=first)
        if table.only is None:
            return game, first
        while seat := game.turn:
            seen = game.view(seat)
            if {action.kind for action in seen.legal} == {table.only}:
                return game, seat
            game.play(peaceful(seen, dice))


def peaceful(seen: View, dice: random.Random) -> Action:
    """Choose an action that completes no sequence, if there is one: so the board fills."""
    count = len(seen.sequences)
    places = [action for action in seen.legal if action.kind == "place"]
    quiet = [action for action in places if len(apply(seen.position, action).sequences) == count]
    exchanges = [action for action in seen.legal if action.kind == "exchange"]
    others = [action for action in seen.legal if action.kind != "place"]
    return dice.choice(quiet or exchanges or others or places)


@check_arguments
async def try_program(
    program: Program,
    tables: Sequence[ConformanceTable] = TABLES,
    *,
    against: str = "random",
    games: int = 2,
    seed: int = 1,
    told: Callable[[], None] = lambda: None,
) -> AsyncGenerator[Findings]:
    """Play a program of ``--exec`` at one table after the other, and yield the findings at each, until it is gone.

    ``games`` are played at each table against bots ``against`` (a name of ``BOTS``). ``seed`` decides everything but
    the program's answers. ``told`` is called after each game. Raises OSError if the program cannot be started.
    """
    for table in tables:
        found = Findings(table)
        while found.games < games and not found.gone:
            found = await Trial(found, program, against, seed).play()
            told()
        yield found
        if found.gone:
            break
