"""``seqp2p stats FILES…``: what there is to count in any number of replays."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from seqp2p.api.home import own_keys
from seqp2p.api.many import named_files, of_all, processes, summarise_named
from seqp2p.arena.tally import wilson
from seqp2p.cli import progress
from seqp2p.cli.errors import stopping_alike
from seqp2p.cli.json_events import LeftOutFields, PlayerStats, StatsEvent, TurnStats, VariantStats
from seqp2p.cli.output import STDOUT, Output, check_place, columns, write_result
from seqp2p.cli.replays import ReplayPath, describe, resolved
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import ABANDONED, DONE, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.match.names import is_bot_name
from seqp2p.replay.statistics import Counted, PlayerCount, ReplayCounter, Statistics, VariantCount
from seqp2p.rules import KNOWN_VARIANTS, format_square, parse_action
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
        " match.\n\nEvery replay is verified first. A game counts once, however many of its seats kept a"
        " replay; files that do not verify are named with the reason and left out."
    ),
)
@click.argument("files", nargs=-1, required=True, type=ReplayPath(), metavar=message("FILES..."))
@click.option("--jobs", type=click.IntRange(1, JOBS_MAX), help=message("Processes; default: one for each core."))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object on standard output."))
@click.option("--svg", "picture", help=message("Write a picture of where chips were placed to this file."))
@click.option("--force", is_flag=True, help=message("Overwrite an existing file with the picture."))
def command(files: tuple[Path, ...], jobs: int | None, picture: str | None, *, as_json: bool, force: bool) -> None:
    output, counter = Output(as_json), ReplayCounter()
    left_out: list[LeftOutFields] = []
    if picture == STDOUT:
        raise UserError(t("the statistics go to standard output: name a file for the picture"), exit_code=USAGE)
    if picture is not None:
        check_place(picture, force=force)
    try:
        with stopping_alike():
            _count([*map(resolved, files)], jobs, counter, left_out, output)
    except KeyboardInterrupt:
        raise UserError(
            t("stopped after {files} files", files=counter.statistics().files), exit_code=ABANDONED
        ) from None
    counted = counter.statistics()
    output.event(stats_of(counted, left_out))
    if not as_json:
        for line in lines(counted):
            output.say(line)
    if picture is not None and counted.games:
        from seqp2p.ui.picture import heat_map_svg

        squares = [(KNOWN_VARIANTS[name], each.squares) for name, each in sorted(counted.variants.items())]
        write_result(heat_map_svg(squares), picture, force=force, as_json=as_json)
    raise SystemExit(DONE if counted.games else NOT_VERIFIED)


def _count(
    files: Iterable[Path], jobs: int | None, counter: ReplayCounter, left_out: list[LeftOutFields], output: Output
) -> None:
    meant = named_files(files)
    summaries = of_all(summarise_named, meant, processes(len(meant), jobs))
    with closing(summaries), progress.bar(len(meant), t("counting")) as advance:
        for named, summary in summaries:
            fate, report = counter.add(summary), summary.report
            if fate is Counted.DUPLICATE and report.verdict == "unfinished":
                again = t(
                    "left out: {file}: {verdict}; another replay of the same game",
                    file=named.path,
                    verdict=describe(report),
                )
                output.say(again)
            elif fate in (Counted.LEFT_OUT, Counted.UNFINISHED):
                output.say(t("left out: {file}: {verdict}", file=named.path, verdict=describe(report)))
                left_out.append(LeftOutFields(str(named.path), report.verdict, report.reason))
            advance()


def stats_of(counted: Statistics, left_out: list[LeftOutFields]) -> StatsEvent:
    players = [_player_stats(key, each) for key, each in ranked(counted)]
    variants = {name: _variant_stats(name, each) for name, each in sorted(counted.variants.items())}
    return StatsEvent(counted.files, counted.games, counted.unfinished, counted.duplicates, players, variants, left_out)


def ranked(counted: Statistics) -> list[tuple[str, PlayerCount]]:
    """Players with their keys, those with the most games first."""
    return sorted(counted.players.items(), key=lambda item: (-item[1].finished, -item[1].won, item[0]))


def _player_stats(key: str, each: PlayerCount) -> PlayerStats:
    return PlayerStats(
        key,
        fingerprint(bytes.fromhex(key)),
        each.names,
        games=each.finished + each.unfinished,
        won=each.won,
        lost=each.lost,
        drawn=each.drawn,
        unfinished=each.unfinished,
        win_share=_share(each.won, each.finished),
        win_interval=_interval(each.won, each.finished),
    )


def _variant_stats(name: str, each: VariantCount) -> VariantStats:
    same = ("games", "drawn", "first_mover_won", "reshuffled", "reshuffles", "passes", "exchanges", "sequences")
    return VariantStats(
        **{name: getattr(each, name) for name in same},
        players={str(players): count for players, count in sorted(each.players.items())},
        turns=TurnStats(min(each.turns), each.turns_median, round(each.turns_mean, 6), max(each.turns)),
        first_mover_share=_share(each.first_mover_won, each.decided),
        first_mover_interval=_interval(each.first_mover_won, each.decided),
        openings=dict(_openings(each)),
        squares={format_square(KNOWN_VARIANTS[name], square): count for square, count in enumerate(each.squares)},
    )


def _openings(each: VariantCount) -> list[tuple[str, int]]:
    """Return the openings with their numbers of games, the most frequent first."""
    return sorted(each.openings.items(), key=lambda item: (-item[1], item[0]))


def _share(count: int, among: int) -> float | None:
    return round(count / among, 6) if among else None


def _interval(count: int, among: int) -> tuple[float, float]:
    low, high = wilson(count, among)
    return round(low, 6), round(high, 6)


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
    for key, each in ranked(counted):
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
        for opening, count in _openings(each)[:SHOWN_MAX]
    )
    yield t("  openings: {openings}", openings=shown)


def _between(count: int, among: int) -> str:
    low, high = map(percent, wilson(count, among))
    return t("{low} to {high}", low=low, high=high)
