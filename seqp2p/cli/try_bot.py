"""``seqp2p try-bot 'program args'``: whether a program keeps to the protocol of ``--exec``, at tables of every kind."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from itertools import count
from typing import TYPE_CHECKING, Final

import click

from seqp2p.bots.player import Program
from seqp2p.bots.wire import protocol_text
from seqp2p.cli import json_events, progress
from seqp2p.cli.errors import run_async
from seqp2p.cli.options import BotName, make_program, time_option
from seqp2p.cli.output import Output, put_line
from seqp2p.errors import DONE, FAILED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.rules import RULE_OPTIONS, VARIANTS, ActionKind
from seqp2p.ui.language import number, t, tn, translate

if TYPE_CHECKING:  # What --help and completion need not wait for.
    from seqp2p.arena.conformance import ConformanceTable, Findings

GAMES_MAX: Final = 10_000
PROBLEMS_MAX: Final = 5
"""Of one table, so many problems are shown to people."""
HINT: Final = message(
    "seqp2p try-bot --protocol describes the lines that a program reads and writes; the program must print"
    " nothing else to standard output"
)
SILENT_HINT: Final = message(
    "it was silent when it had to choose: every line must be written out at once, newline included (flush)"
)


def show_protocol(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """Print the page of the protocol without its links, which lead to other pages."""
    if value and not context.resilient_parsing:
        put_line(re.sub(r"\[(.+?)\]\(.+?\)", r"\1", protocol_text()).rstrip())
        context.exit(DONE)


@click.command(
    "try-bot",
    help=message(
        "Try a program as a bot.\n\nCOMMAND, quoted as one word, is started as --exec would start it, and"
        " plays on the engine alone: at tables of every kind, with dead cards, passes, forgotten draws and"
        " called talk, with questions that are taken back and answers that are refused. What it does wrong"
        " is listed."
    ),
)
@click.argument("line", metavar=message("COMMAND"))
@click.option(
    "--protocol",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_protocol,
    help=message("Print the protocol of programs that play, with an example, and exit."),
)
@click.option("--variant", type=click.Choice(list(VARIANTS)), help=message("Only tables of this game."))
@click.option("--players", type=click.IntRange(2, 12), help=message("Only tables for this many players."))
@click.option("--games", type=click.IntRange(1, GAMES_MAX), default=2, help=message("How many games at a table."))
@click.option("--against", type=BotName(), default="random", help=message("The bot it plays against."))
@click.option("--seed", type=int, default=1, help=message("The same seed gives the same cards."))
@time_option
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per table on standard output."))
def command(
    line: str,
    variant: str | None,
    players: int | None,
    games: int,
    against: str,
    seed: int,
    exec_time_s: float | None,
    *,
    as_json: bool,
) -> None:
    from seqp2p.arena.conformance import TABLES

    program = make_program(line, exec_time_s, verbose=True)
    tables = [each for each in TABLES if variant in (None, each.variant.name) and players in (None, each.players)]
    if not tables:
        tried = sorted({each.players for each in TABLES if variant in (None, each.variant.name)})
        game = variant or message("any game")
        received = t("no table of {players} players is tried in {variant}", players=players, variant=game)
        raise UserError(received, t("choose one of --players {sizes}", sizes=", ".join(map(str, tried))), USAGE)
    output = Output(as_json)
    raise SystemExit(run_async(lambda: try_bot(program, tables, games, against, seed, output)))


async def try_bot(
    program: Program, tables: Sequence["ConformanceTable"], games: int, against: str, seed: int, output: Output
) -> int:
    """Try it at one table after the other; returns the exit code, or raises UserError where it has failed."""
    from seqp2p.arena.conformance import try_program

    chosen, problems, silent = Counter[ActionKind](), 0, False
    played, most = count(1), number(len(tables) * games)

    def told() -> None:
        progress.show(t("game {done} of {games}", done=number(next(played)), games=most))

    async with aclosing(try_program(program, tables, against=against, games=games, seed=seed, told=told)) as findings:
        async for found in findings:
            emit_findings(found, output)
            chosen.update(found.chosen)
            problems += len(found.problems)
            silent = silent or found.silent
    output.event(json_events.TriedEvent(not problems, problems, dict(chosen)))
    output.say()
    output.say(t("it chose: {actions}", actions=_counted(chosen)))
    if problems:
        raise UserError(
            tn("the bot has failed: 1 problem", "the bot has failed: {count} problems", problems),
            translate(SILENT_HINT if silent else HINT),
            FAILED,
        )
    output.say(t("the bot keeps to the protocol"))
    return DONE


def table_name(table: "ConformanceTable") -> str:
    parts = [t("{variant}, {players} players", variant=table.variant.name, players=table.players)]
    parts += [translate(row.short) for row in RULE_OPTIONS if getattr(table.options, row.field) != row.usual]
    parts += [t("starting where only an exchange is possible")] if table.only == "exchange" else []
    parts += [t("starting where only a pass is possible")] if table.only == "pass" else []
    return ", ".join(parts)


def emit_findings(found: "Findings", output: Output) -> None:
    choices = sum(found.chosen.values())
    trial = json_events.TrialEvent(
        variant=found.table.variant.name,
        players=found.table.players,
        options=found.table.option_names,
        begins_with=found.table.only,
        games=found.games,
        wins=found.wins,
        choices=choices,
        slowest_s=round(found.slowest_s, 3),
        problems=found.problems,
    )
    output.event(trial)
    output.say(
        t(
            "{table}: games {games}, won {wins}, choices {choices}, slowest {seconds} s",
            table=table_name(found.table),
            games=number(found.games),
            wins=number(found.wins),
            choices=number(choices),
            seconds=number(found.slowest_s, 3),
        )
    )
    for problem in found.problems[:PROBLEMS_MAX]:
        output.say("  " + translate(problem))
    if more := len(found.problems[PROBLEMS_MAX:]):
        output.say("  " + tn("and one more", "and {count} more", more))


def _counted(chosen: Counter[ActionKind]) -> str:
    return ", ".join(f"{kind} {number(count)}" for kind, count in chosen.most_common()) or t("nothing")
