"""``seqp2p stats FILES…``: what there is to count in any number of replays."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from seqp2p.api.games import newest
from seqp2p.api.home import own_keys, usual_replay_dir
from seqp2p.api.many import missing_of, named_files, of_all, processes, summarise_named
from seqp2p.cli import progress
from seqp2p.cli.errors import stopping_alike
from seqp2p.cli.json_events import StatsEvent
from seqp2p.cli.output import STDOUT, Output, check_place, columns, write_result
from seqp2p.cli.replays import MISSING_HINT, ReplayPath, describe, no_game_yet, resolved
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import ABANDONED, DONE, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.interval import wilson
from seqp2p.match.names import is_bot_name
from seqp2p.replay.statistics import Counted, PlayerCount, ReplayCounter, Statistics, VariantCount
from seqp2p.rules import KNOWN_VARIANTS, parse_action
from seqp2p.ui.cards import action_shown, variant_title
from seqp2p.ui.frame import clipped
from seqp2p.ui.language import number, percent, t, tn
from seqp2p.workers import JOBS_MAX

SHOWN_MAX: Final = 20
"""So many players and openings are shown to people; scripts are told of all."""
NAMES_WIDTH: Final = 20
"""With it and numbers below 1,000 a line has at most 80 columns, in French too."""
INTERVAL_FROM_GAMES: Final = 20
"""Of fewer games the interval is so wide that it says nothing."""


@click.command(
    "stats",
    help=message(
        "Statistics of replays: files, folders with everything in them, and whatever quoted patterns"
        " match; by default, those of your games.\n\nEvery replay is verified first. A game counts once,"
        " however many of its seats kept a replay; files that do not verify are named with the reason and"
        " left out."
    ),
)
@click.argument("files", nargs=-1, type=ReplayPath(), metavar=message("[FILES...]"))
@click.option("--jobs", type=click.IntRange(1, JOBS_MAX), help=message("Processes; default: one for each core."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object on standard output."))
@click.option("--svg", "picture", help=message("Write a picture of where chips were placed to this file."))
@click.option("--force", is_flag=True, help=message("Overwrite an existing file with the picture."))
def command(files: tuple[Path, ...], jobs: int | None, picture: str | None, *, as_json: bool, force: bool) -> None:
    output, counter = Output(as_json), ReplayCounter()
    early: UserError | None = None
    missing: list[Path] = []
    if picture == STDOUT:
        raise UserError(t("the statistics go to standard output: name a file for the picture"), exit_code=USAGE)
    if picture is not None:
        check_place(picture, force=force)
    files = files or tuple(path for path, _ in newest(usual_replay_dir()))
    if not files:
        raise no_game_yet()
    try:
        with stopping_alike():
            paths, missing = _there(files)
            _count(paths, jobs, counter, output)
    except KeyboardInterrupt:
        text = t("stopped after {files} files", files=counter.statistics().files)
        early = UserError(text, exit_code=ABANDONED)
    except UserError as error:
        early = error
    counted = counter.statistics()
    if early is None:
        output.event(StatsEvent(**counted.as_json()))
    if not as_json and counted.files:
        for line in lines(counted):
            output.say(line)
    if picture is not None and counted.games and early is None:
        from seqp2p.ui.picture import heat_map_svg

        squares = [(KNOWN_VARIANTS[name], each.squares) for name, each in sorted(counted.variants.items())]
        write_result(heat_map_svg(squares), picture, force=force, as_json=as_json)
    if early is None and missing:
        early = UserError(t("no such file: {files}", files=", ".join(map(str, missing))), MISSING_HINT, USAGE)
    if early is not None:
        raise early
    raise SystemExit(DONE if counted.games else NOT_VERIFIED)


def _there(files: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the paths of the files that these names mean, and the names of those that are missing."""
    paths, missing = list[Path](), list[Path]()
    for file in files:
        try:
            path = resolved(file)
        except UserError:
            path = file
        missing += missing_of([path])
        paths.append(path)
    return paths, missing


def _count(files: Iterable[Path], jobs: int | None, counter: ReplayCounter, output: Output) -> None:
    meant = named_files(files)
    summaries = of_all(summarise_named, meant, processes(len(meant), jobs))
    with closing(summaries), progress.bar(len(meant), t("counting")) as advance:
        for named, summary in summaries:
            fate, report = counter.add(summary, str(named.path)), summary.report
            if fate is Counted.DUPLICATE and report.verdict == "unfinished":
                again = t(
                    "left out: {file}: {verdict}; another replay of the same game",
                    file=named.path,
                    verdict=describe(report),
                )
                output.say(again)
            elif fate in (Counted.LEFT_OUT, Counted.UNFINISHED):
                output.say(t("left out: {file}: {verdict}", file=named.path, verdict=describe(report)))
            advance()


def lines(counted: Statistics) -> Iterator[str]:
    yield t(
        "files: {files}   games: {games}   unfinished: {unfinished}   more replays of the same games: {duplicates}",
        files=number(counted.files),
        games=number(counted.games),
        unfinished=number(counted.unfinished),
        duplicates=number(counted.duplicates),
    )
    if counted.players:
        own = {key.hex() for key in own_keys()}
        yield ""
        yield from _own_line(counted, own)
        yield from _player_lines(counted, own)
    for name, each in sorted(counted.variants.items()):
        yield ""
        yield from _variant_lines(name, each)


def _own_line(counted: Statistics, keys: Collection[str]) -> Iterator[str]:
    """Yield the games of this player, whose keys may be several."""
    own = [each for key, each in counted.players.items() if key in keys]
    if games := sum(each.finished for each in own):
        won = sum(each.won for each in own)
        yield tn("you: 1 game, won {won}", "you: {games} games, won {won}", games, games=number(games), won=number(won))


def _with_bots_as_one(counted: Statistics, own: Collection[str]) -> list[tuple[str, PlayerCount]]:
    """Return players with their keys, those with the most games first. All bots, with a key for each game, are one."""
    bots, found = PlayerCount(names=(t("bots"),)), list[tuple[str, PlayerCount]]()
    for key, each in counted.ranked:
        if all(map(is_bot_name, each.names)) and key not in own:
            for name in ("won", "lost", "drawn", "unfinished"):
                setattr(bots, name, getattr(bots, name) + getattr(each, name))
        else:
            found.append((key, each))
    if bots.finished + bots.unfinished:
        found.append(("", bots))
    return found


def _player_lines(counted: Statistics, own: Collection[str]) -> Iterator[str]:
    everybody = _with_bots_as_one(counted, own)
    rows = [[" " * NAMES_WIDTH, t("games"), t("won"), t("lost"), t("drawn"), t("unfinished"), t("share")]]
    for _, each in everybody[:SHOWN_MAX]:
        numbers = (each.finished + each.unfinished, each.won, each.lost, each.drawn, each.unfinished)
        share = percent(each.won / each.finished) if each.finished else "-"
        rows.append([clipped("/".join(each.names), NAMES_WIDTH), *map(number, numbers), share])
    first, *others = columns(*rows)
    yield first
    for line, (key, each) in zip(others, everybody, strict=False):
        yield line
        mark = f"  {fingerprint(bytes.fromhex(key))}" if key else ""
        if each.finished >= INTERVAL_FROM_GAMES:
            between = _between(each.won, each.finished)
            yield t("{mark}   95 % interval of the share: {interval}", mark=mark, interval=between)
        elif mark:
            yield mark
    if len(everybody) > SHOWN_MAX:
        more = len(everybody) - SHOWN_MAX
        yield tn("and one more player; --json has all", "and {count} more players; --json has all", more)


def _variant_lines(name: str, each: VariantCount) -> Iterator[str]:
    title = variant_title(name)
    yield tn("{title}: 1 game", "{title}: {games} games", each.games, title=title, games=number(each.games))
    turns = {"least": number(min(each.turns)), "most": number(max(each.turns))}
    turns |= {"median": number(each.turns_median, 1), "mean": number(each.turns_mean, 1)}
    yield t("  turns: {least} to {most}, median {median}, mean {mean}", **turns)
    share = percent(each.first_mover_won / each.decided) if each.decided else "-"
    between = _between(each.first_mover_won, each.decided)
    yield t(
        "  won by the first player: {share} ({interval}); drawn: {drawn}",
        share=share,
        interval=between,
        drawn=each.drawn,
    )
    counts = {name: number(getattr(each, name)) for name in ("reshuffles", "passes", "exchanges", "sequences")}
    yield t(
        "  in all: reshuffles {reshuffles}, passes {passes}, dead cards {exchanges}, sequences {sequences}", **counts
    )
    variant = KNOWN_VARIANTS[name]
    shown = ", ".join(
        f"{action_shown(variant, parse_action(variant, opening))} ({number(count)})"
        for opening, count in each.openings_ranked[:SHOWN_MAX]
    )
    yield t("  openings: {openings}", openings=shown)


def _between(count: int, among: int) -> str:
    low, high = map(percent, wilson(count, among))
    return t("{low} to {high}", low=low, high=high)
