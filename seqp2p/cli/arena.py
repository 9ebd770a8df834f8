"""``seqp2p arena BOT BOT…``: bots against bots on the engine alone, over all cores."""

import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager

import click

from seqp2p.arena import BotError, Contest, Tally, WorkerLost, make_contest, play_games, wilson
from seqp2p.cli import progress
from seqp2p.cli.bot_name import BotName
from seqp2p.cli.output import ABANDONED, FAILED, USAGE, CommandError, Output
from seqp2p.cli.stopping import stopping_alike
from seqp2p.i18n import message, message_of
from seqp2p.rules import VARIANTS, Options, RulesError
from seqp2p.ui.cards import variant_title
from seqp2p.ui.language import number, percent, t, tn
from seqp2p.workers import JOBS_MAX, cores

GAMES_MAX = 1_000_000_000


@click.command(
    "arena",
    help=message(
        "Play bots against each other, on the engine alone.\n\n"
        "Name a BOT for each seat, or one for each team: they are repeated round the table. Who starts goes round from"
        " game to game."
    ),
)
@click.argument("bots", nargs=-1, required=True, type=BotName(), metavar=message("BOT BOT..."))
@click.option(
    "--games", type=click.IntRange(1, GAMES_MAX), default=1000, show_default=True, help=message("How many games.")
)
@click.option("--seed", type=int, default=1, show_default=True, help=message("The same seed gives the same games."))
@click.option("--players", type=int, help=message("Seats; without it, one for each bot."))
@click.option("--teams", type=int, help=message("Teams; without it, the usual number."))
@click.option("--variant", type=click.Choice(list(VARIANTS)), default="classic", show_default=True)
@click.option("--advanced", is_flag=True, help=message("A one-eyed jack may break a sequence."))
@click.option("--jobs", type=click.IntRange(1, JOBS_MAX), help=message("Processes; without it, one for each core."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object with the result on standard output."))
def command(
    bots: tuple[str, ...],
    games: int,
    seed: int,
    players: int | None,
    teams: int | None,
    variant: str,
    jobs: int | None,
    *,
    advanced: bool,
    as_json: bool,
) -> None:
    try:
        contest = make_contest(bots, variant, players, teams, Options(advanced=advanced))
    except RulesError as error:
        raise CommandError(message_of(error), t("see {command} --help", command="seqp2p arena"), USAGE) from None
    output = Output(as_json)
    total = Tally.of(contest.teams)
    begun = time.perf_counter()
    try:
        with (
            stopping_alike(),
            closing(play_games(contest, seed, games, jobs or cores())) as tallies,
            _progress(games, shown=not as_json) as advance,
        ):
            for tally in tallies:
                total += tally
                advance(tally.games)
    except KeyboardInterrupt:
        received = t("stopped after {done} of {games} games", done=number(total.games), games=number(games))
        raise CommandError(received, exit_code=ABANDONED) from None
    except (BotError, WorkerLost) as error:
        raise CommandError(message_of(error), exit_code=FAILED) from None
    seconds = time.perf_counter() - begun
    output.event("arena", **result(total, seconds))
    if not as_json:
        for line in table(contest, total, seconds):
            output.say(line)


def result(total: Tally, seconds: float) -> dict[str, object]:
    """The fields of the result for scripts; docs/scripting.md says what they mean."""
    return {
        "games": total.games,
        "seconds": round(seconds, 3),
        "turns": total.turns,
        "wins": list(total.wins),
        "first_mover_wins": round(total.first_mover_wins / total.decided, 6) if total.decided else None,
        "draws": total.draws,
        "turns_mean": round(total.turns / total.games, 6),
        "reshuffled": round(total.reshuffled / total.games, 6),
        "passes_mean": round(total.passes / total.games, 6),
        "exchanges_mean": round(total.exchanges / total.games, 6),
        "shares": [round(wins / total.games, 6) for wins in total.wins],
        "intervals": [[round(bound, 6) for bound in wilson(wins, total.games)] for wins in total.wins],
    }


def table(contest: Contest, total: Tally, seconds: float) -> Iterator[str]:
    """The result for people: shares with their 95 % confidence intervals, then means."""
    title = variant_title(contest.variant)
    if contest.options.advanced:
        title = t("{game}, advanced", game=title)
    yield tn(
        "1 game of {title}, {players} players in {teams} teams",
        "{games} games of {title}, {players} players in {teams} teams",
        total.games,
        games=number(total.games),
        title=title,
        players=contest.players,
        teams=contest.teams,
    )
    yield t("{seconds} s, {turns} turns a second", seconds=number(seconds, 1), turns=number(total.turns / seconds))
    yield ""
    teams = [
        t("team {team}  {bots}", team=team, bots="+".join(contest.bots_of(team)))
        for team in range(1, contest.teams + 1)
    ]
    shares = [(name, count, total.games) for name, count in zip(teams, total.wins, strict=True)]
    shares += [
        (t("drawn"), total.draws, total.games),
        (t("won by who began"), total.first_mover_wins, total.decided),
        (t("reshuffled"), total.reshuffled, total.games),
    ]
    width = max(len(name) for name, _, _ in shares)
    games_title, share_title, interval_title = t("games"), t("share"), t("{percent} interval", percent="95 %")
    yield f"{'':{width}}  {games_title:>13}  {share_title:>7}  {interval_title}"
    for name, count, among in shares:
        low, high = map(percent, wilson(count, among))
        share = percent(count / among) if among else "-"
        interval = t("{low} to {high}", low=low, high=high)
        yield f"{name:{width}}  {number(count):>13}  {share:>7}  {interval}"
    yield ""
    yield t(
        "a game, on average: {turns} turns, {passes} passes, {exchanges} exchanges",
        turns=number(total.turns / total.games, 2),
        passes=number(total.passes / total.games, 2),
        exchanges=number(total.exchanges / total.games, 2),
    )


@contextmanager
def _progress(games: int, *, shown: bool) -> Generator[Callable[[int], None]]:
    """A progress bar on standard error if it can be shown there, told how many more games have been played."""
    if not shown or not progress.can_show():
        yield lambda _: None
        return
    with click.progressbar(length=games, label=t("playing"), file=sys.stderr, show_pos=True) as bar:
        yield bar.update
