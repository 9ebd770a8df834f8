"""Replays by their names and numbers, what is said of a report, and past games."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

import click
from click.shell_completion import CompletionItem

from seqp2p.api.games import PastGame, games_in, newest, past_game
from seqp2p.api.home import KNOWN_PLAYERS, data_dir, own_dir, usual_replay_dir
from seqp2p.api.many import SUFFIX, Named, summarise_named, verify_named
from seqp2p.cli.json_events import GameEvent, PlayerFields, VerdictFields
from seqp2p.cli.output import Output
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import message, message_of, of_system
from seqp2p.match.events import DROPPED, Result, plain_result
from seqp2p.match.table import TABLE_OPTIONS, Settings
from seqp2p.replay.sidecar import SeatHeld, SidecarError, sidecar_path
from seqp2p.replay.verify import Report
from seqp2p.rules import CLASSIC
from seqp2p.ui.cards import variant_title
from seqp2p.ui.frame import clipped, width_of
from seqp2p.ui.language import command_line, t, tn, translate, without_accents
from seqp2p.ui.words import LEFT, Company, plain_reason, result_line

Told = TypeVar("Told", bound=VerdictFields)
LAST: Final = Path("last")
NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)
"""Longer ones are the first digits of a game's id."""
MISSING_HINT: Final = message("check the name; replays end in .seqp2p, and seqp2p games numbers yours")
NONE_HINT: Final = message("--replay-dir names the folder that the replay is in")
SHOWN: Final = 20
"""So many games are listed, where no number is asked for."""
UNFINISHED_MAX: Final = 3
"""So many files are looked at for an unfinished game."""
NAMES_WIDTH: Final = 26
"""With it and a short result a line has at most 80 columns."""
NOBODY: Final[Mapping[str, str]] = MappingProxyType({})


def resolved(file: Path) -> Path:
    """Return the replay of a name. ``last`` is the last of this player's games, and a number that of ``games``.

    A file of that name comes first. Raises UserError if there is none.
    """
    if not (file == LAST or is_number(str(file))) or file.exists():
        return file
    return numbered(usual_replay_dir(), 1 if file == LAST else int(str(file)))


def no_game_yet() -> UserError:
    """Return the error of a player without games. Raises HomeError where the folder of the games cannot be."""
    if data_dir().exists() and not data_dir().is_dir():
        own_dir()
    none = t("there is no game in {folder} yet", folder=usual_replay_dir())
    return UserError(none, t("{command} starts one", command=command_line("play")))


def is_number(text: str) -> bool:
    """Return True for the number of a line of ``games``."""
    return NUMBER.fullmatch(text) is not None


def numbered(folder: Path, number: int) -> Path:
    """Return the replay in a folder that ``games`` lists with this number. Raises UserError if there is none."""
    found = newest(folder)
    if number > len(found):
        raise UserError(t("there is no such game in {folder}", folder=folder), MISSING_HINT, USAGE)
    return found[number - 1][0]


def verify_file(file: Path) -> Report:
    return verify_named(Named(file))


class ReplayPath(click.Path):
    """The name of a file or a folder. An empty name, as from an unset variable, is refused: it means this folder."""

    def __init__(self) -> None:
        # Files are opened one by one: one that cannot be read must not stop the others.
        super().__init__(readable=False, path_type=Path)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Raises click.BadParameter."""
        if not os.fspath(value):
            self.fail(t("a file name cannot be empty"), param, ctx)
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return ``last`` and the numbers of ``games``, or files: a shell that gets words completes no files."""
        words = {} if not incomplete and any(Path().glob(f"*{SUFFIX}")) else _listed_names()
        found = [CompletionItem(word, help=name) for word, name in words.items() if word.startswith(incomplete)]
        return found or super().shell_complete(ctx, param, incomplete)


def _listed_names() -> dict[str, str]:
    """Return the words that mean this player's last replays, with the names of these."""
    names = [path.name for path, _ in newest(usual_replay_dir())[:SHOWN]]
    return {str(LAST): names[0]} | {str(number): name for number, name in enumerate(names, 1)} if names else {}


def known_names(output: Output) -> Mapping[str, str]:
    """Return the names of known players by their keys; none if the file cannot be read."""
    if not (data_dir() / KNOWN_PLAYERS).exists():
        return NOBODY
    from seqp2p.api.known import known_players

    try:
        return {known.key: known.name for known in known_players()}
    except UserError as error:
        output.say(t("known players are not named: {reason}", reason=message_of(error)))
        return NOBODY


def table_text(settings: Settings) -> str:
    players, teams = settings.players, settings.teams
    parts = [
        variant_title(settings.variant),
        t("{players} players in {teams} teams", players=players, teams=teams)
        if teams < players
        else t("{players} players", players=players),
        *(translate(row.short) for row in TABLE_OPTIONS if getattr(settings, row.field) != row.usual),
    ]
    return ", ".join(parts)


def verdict_of(kind: type[Told], file: Path, report: Report, known: Mapping[str, str] = NOBODY) -> Told:
    """Return the verdict on a file; ``known`` are the names of those who were met, by their keys."""
    fields = report.as_json()
    players = [PlayerFields(**player, known=known.get(player["key"])) for player in fields.pop("players")]
    return kind(file=str(file), players=players, failure=fields.pop("class"), **fields)


def describe(report: Report) -> str:
    company = Company(tuple(player.name for player in report.players), ())
    if report.verdict == "verified" and report.result is not None:
        result = result_line(company, report.result)
        return t("verified: {result}, {steps} steps", result=result, steps=report.steps)
    forfeit, reason = report.result if report.verdict == "unfinished" else None, plain_reason(report.reason or "")
    reason = result_line(company, replace(forfeit, reason=reason)) if forfeit else company.to_reader(reason)
    if report.step and f"step {report.step}" not in (report.reason or ""):
        reason = t("{reason} (step {step})", reason=reason, step=report.step)
    if report.verdict == "invalid":
        return t("invalid: {reason}", reason=reason)
    return reason if forfeit else t("unfinished: {reason}", reason=reason)


def folder_options(replay: Path) -> list[str]:
    """Return the options with which ``resume`` looks for this replay where it is."""
    return [] if replay.parent == usual_replay_dir() else ["--replay-dir", str(replay.parent)]


def cannot_resume(error: OSError) -> UserError:
    return UserError(t("the game cannot be resumed: {reason}", reason=of_system(error)), NONE_HINT)


class ListedGame(PastGame):
    """A past game as its line in the list."""

    __slots__ = ()

    @property
    def company(self) -> Company:
        return Company(tuple(player.name for player in self.summary.report.players), (), self.own)

    @property
    def outcome(self) -> str:
        """The result in a word or two, for the reader."""
        report = self.summary.report
        if report.verdict == "invalid":
            return t("damaged: {command}", command=command_line("verify", self.path.name))
        if self.resumable:
            words = ("resume", (report.game or "")[:12], *folder_options(self.path))
            return t("unfinished: {command}", command=command_line(*words))
        if isinstance(self.trouble, SeatHeld):
            return t("being played in another window")
        return result_line(self.company, self.result, heirs=self.summary.heirs)

    @property
    def result(self) -> Result:
        """The result; without one in the record, a forfeit of others, or the reason why it has none."""
        report, heirs = self.summary.report, self.summary.heirs
        if report.result is not None:
            return report.result
        if report.verdict == "invalid":
            return Result("unfinished", (), report.reason or "")
        if self.own in (*report.left, *report.out):
            return Result("unfinished", (), LEFT if self.own in report.left else DROPPED)
        if heirs:
            return Result("forfeit", heirs, report.reason or "")
        why = message_of(self.trouble) if isinstance(self.trouble, SidecarError) else report.reason
        return Result("unfinished", (), why or "")

    @property
    def line(self) -> str:
        """When, what, who, the length, and the result."""
        course = self.summary.course
        shown = clipped(self.company.names_of(self.company.seats), NAMES_WIDTH)
        variant = f" ({translate(course.variant)})" if course and course.variant != CLASSIC.name else ""
        turns = tn("{count} turn", "{count} turns", course.turns) if course else ""
        words = [f"{self.at:%Y-%m-%d %H:%M}", shown + " " * (NAMES_WIDTH - width_of(shown)), f"{turns:>8}"]
        return "  ".join([*words, self.outcome]) + variant

    def has(self, words: Sequence[str]) -> bool:
        """Return True if each word is in the line, up to a reason or the winner of a lost game, or in a name."""
        course, told = self.summary.course, self.line.partition(": ")[0]
        text = _plain(" ".join([told, *self.company.names, self.path.name, course.variant if course else ""]))
        return all(_plain(word) in text for word in words)

    @property
    def event(self) -> GameEvent:
        report, course = self.summary.report, self.summary.course
        return GameEvent(
            file=str(self.path),
            written=self.at.isoformat(timespec="seconds"),
            verdict=report.verdict,
            game=report.game,
            variant=course.variant if course else None,
            names=self.company.names,
            own=self.own or None,
            **plain_result(self.result),
            turns=course.turns if course else 0,
            resumable=self.resumable,
        )


def past_games(folder: Path, words: Sequence[str] = (), most: int = SHOWN) -> Iterator[ListedGame]:
    """Yield games whose lines have all these words, last written first: of several sound replays of a game the last."""
    told = dict[str | None, ListedGame]()
    with closing(games_in(folder, ListedGame)) as games:
        named = ((game, game.path.name if game.report.verdict == "invalid" else game.report.game) for game in games)
        yield from islice((game for game, of in named if told.setdefault(of, game) is game and game.has(words)), most)


def unfinished_game(folder: Path) -> ListedGame | None:
    """Return the game that was written last of those that can be resumed, None if there is none."""
    kept = [(path, at) for path, at in newest(folder) if sidecar_path(path).exists()]
    games = (past_game(path, at, summarise_named(Named(path)), ListedGame) for path, at in kept[:UNFINISHED_MAX])
    return next((game for game in games if game.resumable), None)


def _plain(text: str) -> str:
    return without_accents(text).lower()
