"""``seqp2p arena BOT BOT…``: bots against bots on the engine alone, over all cores."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
import msgspec

from seqp2p.arena import Contest, DealResult, Ladder, Tally, WorkerLost, elo_ratings, play_deals, round_robin
from seqp2p.arena.contest import TWO_TEAMS
from seqp2p.arena.entrants import EntrantError, kind_of, load_class
from seqp2p.arena.tally import SideTally
from seqp2p.bots.player import TIME_S, TIME_S_MAX
from seqp2p.cli import progress, results
from seqp2p.cli.errors import stopping_alike
from seqp2p.cli.json_events import ArenaBotFields, ArenaEvent, ContestFields
from seqp2p.cli.options import BotName, NumberRange, make_program, with_all
from seqp2p.cli.output import Output, columns
from seqp2p.errors import ABANDONED, FAILED, USAGE, UserError
from seqp2p.i18n import message, message_of, of_system
from seqp2p.rules import VARIANTS, Options, RulesError
from seqp2p.ui.cards import variant_title
from seqp2p.ui.language import number, percent, t, tn, translate
from seqp2p.workers import JOBS_MAX, cores

DEALS_MAX: Final = 1_000_000_000
DEALS_DEFAULT: Final = 500
Write: TypeAlias = Callable[[DealResult], object]


class Entrant(BotName):
    """A name of ``BOTS``, a Python class, or the command line of a program."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fail with the reason if there is no such bot. Programs are tried later."""
        kind = kind_of(value)
        if kind == "bot":
            return super().convert(value, param, ctx)
        if kind == "class":
            try:
                load_class(value)
            except EntrantError as error:
                self.fail(translate(message_of(error)), param, ctx)
        return str(value)


def try_programs(bots: Iterable[str], time_s: float) -> None:
    """Start each program once, before any game. Raises UserError for one that cannot be started."""
    from seqp2p.arena.programs import try_to_start

    for bot in bots:
        if kind_of(bot) != "program":
            continue
        program = make_program(bot, time_s, verbose=False)
        try:
            try_to_start(program)
        except OSError as error:
            reason = of_system(error)
            raise UserError(t("{name} cannot be started: {reason}", name=bot, reason=reason), exit_code=USAGE) from None


def contest_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is played, how long, and where the results are kept."""
    options = (
        click.option(
            "--deals",
            type=click.IntRange(1, DEALS_MAX),
            # Help is translated word for word: DEALS_DEFAULT, and below UNTIL_EVERY and UNTIL_FIRST.
            help=message("Deals per pair, at most; default: 500, or as many as --until needs."),
        ),
        click.option(
            "--until",
            type=NumberRange(0.1, 50),
            metavar=message("POINTS"),
            help=message(
                "Stop a pair once its interval is within plus or minus this many points of 100; checked every 200"
                " deals, from 1000 on."
            ),
        ),
        click.option("--seed", type=int, default=1, help=message("The same seed gives the same games.")),
        click.option("--players", type=click.IntRange(1, 12), default=2, help=message("How many players at a table.")),
        click.option("--teams", type=int, help=message("Number of teams; by default, the usual number.")),
        click.option("--variant", type=click.Choice(list(VARIANTS)), default="classic"),
        click.option("--advanced", is_flag=True, help=message("A one-eyed jack may break a sequence.")),
        click.option(
            "--results",
            "kept_in",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar=message("FILE"),
            help=message("Keep each deal's results in this file, and go on from those already in it."),
        ),
        click.option(
            "--exec-time",
            "time_s",
            type=NumberRange(0.1, TIME_S_MAX),
            default=TIME_S,
            help=message("Seconds that a program or a class has for a choice."),
        ),
    )
    return with_all(options, command)


@click.command(
    "arena",
    help=message(
        "Play bots against each other, on the engine alone.\n\nAll pairs of the BOTs play; at a table"
        " with more than two teams, name one for each team. A deal is played once for each way of giving"
        " the bots to the teams. The first player changes from deal to deal.\n\nA BOT can also be a class"
        " (mymodule:MyBot) or a program (./bot.py, 'node bot.js'): docs/scripting.md. A BOT that fails"
        " loses its game."
    ),
)
@click.argument("bots", nargs=-1, required=True, type=Entrant(), metavar=message("BOT BOT..."))
@contest_options
@click.option("--jobs", type=click.IntRange(1, JOBS_MAX), help=message("Processes; default: one for each core."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object with the result on standard output."))
def command(
    bots: tuple[str, ...],
    deals: int | None,
    until: float | None,
    seed: int,
    players: int,
    teams: int | None,
    variant: str,
    kept_in: Path | None,
    time_s: float,
    jobs: int | None,
    *,
    advanced: bool,
    as_json: bool,
) -> None:
    options = Options(advanced=advanced)
    try:
        contests = round_robin(bots, variant, players, teams, options)
    except RulesError as error:
        raise UserError(message_of(error), exit_code=USAGE) from None
    try_programs(bots, time_s)
    wanted = deals or (DEALS_MAX if until else DEALS_DEFAULT)
    ladder = Ladder(contests, wanted, None if until is None else until / 100)
    settings = ArenaSettings(bots, variant, players, contests[0].teams, options, seed, time_s)
    output, begun = Output(as_json), time.perf_counter()
    with open_results(kept_in, settings, ladder) as write:
        stopped = _play(ladder, settings, jobs or cores(), write, shown=not as_json)
    if stopped is None or total(ladder, "games"):
        seconds = time.perf_counter() - begun
        output.event(result(ladder, seconds, complete=stopped is None))
        if not as_json:
            for line in table(ladder, seconds):
                output.say(line)
    if stopped is not None:
        raise stopped


def _play(ladder: Ladder, settings: "ArenaSettings", jobs: int, write: Write, *, shown: bool) -> UserError | None:
    """Play the rest of the ladder. Return the error that ended it early, or None."""
    is_known = shown and ladder.until is None
    to_play = ladder.deals * len(ladder.contests) - total(ladder, "deals") if is_known else 0
    try:
        with (
            stopping_alike(),
            closing(play_deals(ladder, settings.seed, jobs, settings.time_s)) as deals,
            progress.bar(to_play, t("playing")) as advance,
        ):
            for each in deals:
                write(each)
                advance()
    except KeyboardInterrupt:
        played = total(ladder, "deals")
        return UserError(
            tn("stopped after 1 deal", "stopped after {done} deals", played, done=number(played)), exit_code=ABANDONED
        )
    except WorkerLost as lost:
        return UserError(message_of(lost), exit_code=FAILED)
    return None


class ArenaSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="file", tag="seqp2p arena 1"):
    """The results depend on these settings. A file goes on only with the same ones."""

    bots: tuple[str, ...]
    variant: str
    players: int
    teams: int
    options: Options
    seed: int
    time_s: float


@contextmanager
def open_results(path: Path | None, settings: ArenaSettings, ladder: Ladder) -> Generator[Write]:
    """Let the ladder take the results of a file, and yield what writes one more; without a path nothing is kept.

    The deals of a contest stand in their order. Raises UserError, as ``results.open_results`` does.
    """
    if path is None:
        yield lambda _: None
        return
    decoder = msgspec.json.Decoder(DealResult)

    def take(_at: int, line: bytes) -> None:
        result = decoder.decode(line)
        _check_result(result, ladder.contests)
        ladder.take(result)

    with results.open_results(path, settings, take) as kept:
        yield kept.write


def _check_result(result: DealResult, contests: tuple[Contest, ...]) -> None:
    """Raise ValueError unless the result is one that a contest can have."""
    contest = contests[result.contest] if 0 <= result.contest < len(contests) else None
    if contest is None or len(result.games) != len(contest.seatings):
        raise ValueError(result)
    teams = range(contest.teams + 1)
    if not len(result.choices) == len(result.seconds) == len(contest.sides):
        raise ValueError(result)
    if any(game.winner not in teams or game.failed not in teams for game in result.games):
        raise ValueError(result)


def total(ladder: Ladder, name: str) -> int:
    """Return the sum of a count of the tallies over all contests."""
    return sum(getattr(tally, name) for tally in ladder.tallies)


def bots_of(ladder: Ladder) -> dict[str, SideTally]:
    """Return the sums of each bot over all contests, by its name."""
    found = dict[str, SideTally]()
    for tally in ladder.tallies:
        for name, side in zip(tally.contest.sides, tally.sides, strict=True):
            found.setdefault(name, SideTally()).add(side)
    return found


def ratings_of(ladder: Ladder) -> dict[str, float]:
    """Return the bots' ratings; none but for two teams of different bots that have all played."""
    if ladder.contests[0].teams != TWO_TEAMS or not ladder.contests[0].is_mirrored:
        return {}
    points = dict[tuple[str, str], tuple[float, int]]()
    for tally in ladder.tallies:
        one, two = tally.contest.sides
        points[one, two] = ((tally.score(0) or 0.0) * tally.games, tally.games)
    return elo_ratings(list(bots_of(ladder)), points)


def result(ladder: Ladder, seconds: float, *, complete: bool) -> ArenaEvent:
    """Return the result for scripts."""
    ratings, games = ratings_of(ladder), total(ladder, "games")
    counts = {
        name: total(ladder, name) for name in ("deals", "games", "turns", "draws", "first_mover_wins", "reshuffled")
    }
    bots = [
        ArenaBotFields(
            name=bot,
            elo=_rounded(ratings.get(bot), 1),
            choice_s=_rounded(sums.seconds / sums.choices if sums.choices else None),
            failed=sums.failed,
            reasons=[reason for reason, _ in sums.reasons.most_common()],
        )
        for bot, sums in bots_of(ladder).items()
    ]
    return ArenaEvent(
        complete,
        round(seconds, 3),
        **counts,
        turns_mean=round(total(ladder, "turns") / games, 6),
        passes_mean=round(total(ladder, "passes") / games, 6),
        exchanges_mean=round(total(ladder, "exchanges") / games, 6),
        contests=[_contest_fields(tally) for tally in ladder.tallies],
        bots=bots,
    )


def _contest_fields(tally: Tally) -> ContestFields:
    contest, sides = tally.contest, range(len(tally.contest.sides))
    return ContestFields(
        contest.bots,
        contest.is_mirrored,
        tally.deals,
        tally.games,
        tally.draws,
        contest.sides,
        scores=[_rounded(tally.score(side)) for side in sides],
        intervals=[(round(low, 6), round(high, 6)) for low, high in map(tally.interval, sides)],
    )


def _rounded(value: float | None, digits: int = 6) -> float | None:
    return None if value is None else round(value, digits)


def table(ladder: Ladder, seconds: float) -> Iterator[str]:
    """Yield the result for people: scores with their intervals, the bots and three faults of each, shares, means."""
    contest, games = ladder.contests[0], total(ladder, "games")
    title = variant_title(contest.variant)
    if contest.options.advanced:
        title = t("{game}, advanced", game=title)
    yield tn(
        "1 game of {title}, {players} players in {teams} teams",
        "{games} games of {title}, {players} players in {teams} teams",
        games,
        games=number(games),
        title=title,
        players=contest.players,
        teams=contest.teams,
    )
    yield t("played in {seconds} s", seconds=number(seconds, 1))
    yield ""
    yield from columns(("", t("deals"), t("score"), t("{percent} interval", percent="95 %")), *_scores(ladder.tallies))
    yield ""
    bots = bots_of(ladder)
    yield from columns(("", "Elo", t("a choice"), t("failed")), *_bots(bots, ratings_of(ladder)))
    for bot, sums in bots.items():
        for reason, count in sums.reasons.most_common(3):
            yield tn(
                "{bot} has lost 1 game: {reason}",
                "{bot} has lost {count} games: {reason}",
                count,
                bot=bot,
                reason=translate(reason),
            )
    yield ""
    yield t(
        "drawn {drawn}, won by the first player {began}, reshuffled {reshuffled}",
        drawn=percent(total(ladder, "draws") / games),
        began=percent(total(ladder, "first_mover_wins") / games),
        reshuffled=percent(total(ladder, "reshuffled") / games),
    )
    yield t(
        "a game, on average: {turns} turns, {passes} passes, {exchanges} exchanges",
        turns=number(total(ladder, "turns") / games, 2),
        passes=number(total(ladder, "passes") / games, 2),
        exchanges=number(total(ladder, "exchanges") / games, 2),
    )


def _scores(tallies: Iterable[Tally]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each pair, or for each side of a larger table."""
    for tally in tallies:
        contest = tally.contest
        for side, bot in enumerate(contest.sides):
            if not contest.is_mirrored:
                name = t("team {team}  {bots}", team=side + 1, bots=bot)
            elif contest.teams == TWO_TEAMS:
                name = t("{bot} against {other}", bot=bot, other=contest.sides[1 - side])
            else:
                name = bot
            low, high = map(percent, tally.interval(side))
            score = tally.score(side)
            share = "-" if score is None else percent(score)
            yield name, number(tally.deals), share, t("{low} to {high}", low=low, high=high)
            if contest.is_mirrored and contest.teams == TWO_TEAMS:
                break  # The other score is the rest.


def _bots(bots: Mapping[str, SideTally], ratings: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each bot, the best first."""
    for bot, sums in sorted(bots.items(), key=lambda each: -ratings.get(each[0], 0.0)):
        rating = f"{ratings[bot]:+.0f}" if bot in ratings else "-"
        choice = t("{time} ms", time=number(1000 * sums.seconds / sums.choices, 2)) if sums.choices else "-"
        yield bot, rating, choice, number(sums.failed)
