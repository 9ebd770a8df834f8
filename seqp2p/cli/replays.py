"""Named replays, the reports on them, in one process or over all cores, what is said of a report, and past games.

Reports come in the order of the names. Of a file that cannot be read, the report has the reason.
"""

import os
import re
import secrets
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from seqp2p.api.home import KNOWN_PLAYERS, data_dir, own_keys, usual_replay_dir
from seqp2p.cli.json_events import GameEvent, PlayerFields, VerdictFields
from seqp2p.cli.output import Output
from seqp2p.errors import FAILED, UserError
from seqp2p.i18n import Message, message, message_of, of_system
from seqp2p.match.events import Result, plain_result
from seqp2p.match.table import TABLE_OPTIONS, Settings
from seqp2p.replay.disk import NotAFile, read_regular
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.sidecar import SeatHeld, Sidecar, SidecarError, sidecar_path
from seqp2p.replay.verify import TOO_LARGE, Report, verify_batched
from seqp2p.rules import CLASSIC
from seqp2p.ui.cards import variant_title
from seqp2p.ui.frame import clipped, width_of
from seqp2p.ui.language import t, tn, translate, without_accents
from seqp2p.ui.words import LEFT, NO_FORM, Company, is_of_library, result_line, winners_text
from seqp2p.workers import cores, interrupts_deferred, workers

if TYPE_CHECKING:  # What the verification of one file need not wait for.
    from concurrent.futures import Future

    from seqp2p.replay.statistics import Summary

T = TypeVar("T")
Told = TypeVar("Told", bound=VerdictFields)
SUFFIX: Final = ".seqp2p"
LAST: Final = Path("last")
NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)
"""Longer ones are the first digits of a game's id."""
MISSING_HINT: Final = message("check the name; replays end in .seqp2p, and seqp2p games numbers yours")
# To start another process takes as long as to verify one or two replays.
PROCESSES_FROM_FILES: Final = 6
# Files handed out at a time, for each process: one that it verifies, and some to go on with behind a slow one.
FILES_AHEAD: Final = 4
FORM: Final = message("a record is not in the form that it has in a replay")
SHOWN: Final = 20
"""So many games are listed, where no number is asked for."""
UNFINISHED_MAX: Final = 3
"""So many files are looked at for an unfinished game."""
NAMES_WIDTH: Final = 27
"""With it and a short result a line has at most 80 columns."""
NOBODY: Final[Mapping[str, str]] = MappingProxyType({})


def newest(folder: Path) -> list[tuple[Path, datetime]]:
    """Return the replays in a folder with the times when they were written, last first."""
    found: list[tuple[float, Path]] = []
    for path in folder.glob(f"*{SUFFIX}"):
        with suppress(OSError):  # It is gone again.
            found.append((path.stat().st_mtime, path))
    return [(path, datetime.fromtimestamp(at, UTC).astimezone()) for at, path in sorted(found, reverse=True)]


def resolved(file: Path) -> Path:
    """Return the replay of a name. ``last`` is the last of this player's games, and a number that of ``games``.

    A file of that name comes first. Raises UserError if there is none.
    """
    if not _is_listed(file) or file.exists():
        return file
    return numbered(usual_replay_dir(), 1 if file == LAST else int(str(file)))


def _is_listed(file: Path) -> bool:
    return file == LAST or is_number(str(file))


def is_number(text: str) -> bool:
    """Return True for the number of a line of ``games``."""
    return NUMBER.fullmatch(text) is not None


def numbered(folder: Path, number: int) -> Path:
    """Return the replay in a folder that ``games`` lists with this number. Raises UserError if there is none."""
    found = newest(folder)
    if number > len(found):
        raise UserError(t("there is no such game in {folder}", folder=folder), MISSING_HINT)
    return found[number - 1][0]


@dataclass(frozen=True, slots=True)
class Named:
    """A file to verify; ``fault`` says why there is none."""

    path: Path
    fault: str = ""


def named_files(arguments: Iterable[Path]) -> list[Named]:
    """The files that these arguments mean: a file itself, what a folder holds, what a pattern in quotes matches."""
    return [named for argument in arguments for named in _meant(resolved(argument))]


def missing_of(arguments: Iterable[Path]) -> list[Path]:
    """Return the arguments that name nothing: no file, no folder, and no pattern that matches."""
    return [each for each in arguments if not (_is_listed(each) or _is_there(each) or _matching(each))]


def _is_there(path: Path) -> bool:
    """Return True unless there is no such file. What cannot be looked at, its report says."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True


def _meant(argument: Path) -> Iterable[Named]:
    try:
        if argument.is_dir():
            return _in_folder(argument)
        if not argument.is_file():
            return [named for match in _matching(argument) for named in _meant(match)] or [Named(argument)]
    except (OSError, ValueError):  # What cannot be looked at, its report says.
        pass
    return [Named(argument)]


def _in_folder(folder: Path) -> list[Named]:
    """Every replay in a folder and the folders in it, sorted. Links to folders are not followed: they can go round."""
    unreadable: list[OSError] = []
    found = [
        Named(Path(place, name))
        for place, _, names in os.walk(folder, onerror=unreadable.append)
        for name in names
        if name.endswith(SUFFIX)
    ]
    found += [Named(Path(os.fsdecode(error.filename)), _unreadable(error)) for error in unreadable]
    return sorted(found, key=lambda named: named.path) or [
        Named(folder, message("no replay (*.seqp2p) is in this folder"))
    ]


def _matching(pattern: Path) -> list[Path]:
    """Return the matches of a pattern with ``*``, ``?``, ``[…]`` or ``**``, sorted; nothing for another text."""
    relative = pattern.relative_to(pattern.anchor)
    if not set("*?[") & set(str(relative)):
        return []
    return sorted(Path(pattern.anchor).glob(str(relative)))


def verify_named(named: Named) -> Report:
    """The report on a file that was named; one that cannot be read is invalid with the reason."""
    data = bytes_of(named)
    return data if isinstance(data, Report) else verify_data(data)


def verify_file(file: Path) -> Report:
    return verify_named(Named(file))


def summarise_named(named: Named) -> "Summary":
    from seqp2p.replay.statistics import Summary, summarise

    data = bytes_of(named)
    return Summary(data) if isinstance(data, Report) else summarise(data, secrets.token_bytes)


def verify_data(data: bytes) -> Report:
    return verify_batched(data, secrets.token_bytes)


def bytes_of(named: Named) -> bytes | Report:
    """Return the bytes of a file, or the report that there are none to verify."""
    if named.fault:
        return Report("invalid", reason=named.fault, failure="file")
    try:
        data = read_regular(named.path)
    except NotAFile:
        return Report("invalid", reason=message("not a file"), failure="file")
    except FileNotFoundError:
        return Report("invalid", reason=message("no such file"), failure="file")
    except OSError as error:
        return Report("invalid", reason=_unreadable(error), failure="file")
    return data if len(data) <= REPLAY_SIZE_MAX else TOO_LARGE


def _unreadable(error: OSError) -> str:
    return message("cannot be read: {reason}", reason=of_system(error))


def of_all(look: Callable[[Named], T], files: Sequence[Named], jobs: int | None = None) -> Generator[T]:
    """Yield the result of ``look`` for each, in order, by so many processes; else by this one, or one for each core.

    Closing it, or an exception such as KeyboardInterrupt, ends the processes at once. Raises UserError.
    """
    if jobs is None:
        jobs = cores() if len(files) >= PROCESSES_FROM_FILES else 1
    jobs = min(jobs, len(files))
    if jobs <= 1:
        yield from map(look, files)
        return
    from concurrent.futures.process import BrokenProcessPool

    with workers(jobs) as pool:

        def submit(named: Named) -> "Future[T]":
            with interrupts_deferred():
                return pool.submit(look, named)

        try:
            yield from _in_order(files, submit, FILES_AHEAD * jobs)
        except BrokenProcessPool:
            message = t("a process that verifies has been killed")
            raise UserError(message, t("with --jobs 1 it takes less memory"), FAILED) from None


def _in_order(files: Iterable[Named], submit: "Callable[[Named], Future[T]]", ahead: int) -> Iterator[T]:
    waiting = deque["Future[T]"]()
    for file in files:
        waiting.append(submit(file))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


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
    reason = company.to_reader(plain_reason(report.reason or ""))
    if report.step and f"step {report.step}" not in (report.reason or ""):
        reason = t("{reason} (step {step})", reason=reason, step=report.step)
    if report.result:
        winners = winners_text(company, report.result.winners)
        reason = t("{reason}; {winners} won by forfeit", reason=reason, winners=winners)
    if report.verdict == "invalid":
        return t("invalid: {reason}", reason=reason)
    return t("unfinished: {reason}", reason=reason)


def plain_reason(reason: str) -> str:
    """A reason in the reader's language, without the text of a library, which speaks of the record's fields and types.

    >>> plain_reason("Object missing required field `v` - at `$.table`")
    'a record is not in the form that it has in a replay'
    >>> plain_reason("seat 2 broke the rules at step 9: Expected `int`, got `str`")
    'seat 2 broke the rules at step 9: what it signed is not in the form that it has in a game'
    """
    who, colon, what = reason.rpartition(": ") if reason.startswith("seat ") else ("", "", reason)
    if not is_of_library(what):
        return translate(reason)
    if not isinstance(reason, Message):
        return f"{who}{colon}{translate(NO_FORM)}" if who else translate(FORM)
    values = {name: NO_FORM if is_of_library(str(value)) else value for name, value in reason.values.items()}
    return t(reason.template, **values) if who else translate(FORM)


@dataclass(frozen=True, slots=True)
class PastGame:
    """A replay and its summary; ``own`` is the seat of this player, 0 for one who watched.

    ``number`` is its place among the replays of its folder, the last is 1. ``trouble``: why its seat cannot be taken
    now, None if it can.
    """

    path: Path
    at: datetime
    summary: "Summary"
    own: int
    trouble: SidecarError | FileNotFoundError | None
    number: int = 1

    @property
    def company(self) -> Company:
        return Company(tuple(player.name for player in self.summary.report.players), (), self.own)

    @property
    def resumable(self) -> bool:
        """True if ``resume`` can take it: the seat's own file is there, sound and newest, and no process plays it."""
        return self.summary.report.verdict != "invalid" and self.trouble is None

    @property
    def outcome(self) -> str:
        """The result in a word or two, for the reader."""
        summary, report = self.summary, self.summary.report
        if report.verdict == "invalid":
            return t("damaged: seqp2p verify {file}", file=self.path.name)
        if self.resumable:
            return t("unfinished: seqp2p resume {game}", game=(report.game or "")[:12])
        if isinstance(self.trouble, SeatHeld):
            return t("being played in another window")
        result = report.result
        if result is None and self.own in report.left:
            return result_line(self.company, Result("unfinished", (), LEFT), heirs=summary.heirs)
        if result is None:
            reason = plain_reason(report.reason or "")
            why = message_of(self.trouble) if isinstance(self.trouble, SidecarError) else reason
            result = Result("forfeit", summary.heirs, reason) if summary.heirs else Result("unfinished", (), why)
        return result_line(self.company, result)

    @property
    def line(self) -> str:
        """When, what, who, the length, and the result."""
        course = self.summary.course
        shown = clipped(self.company.names_of(self.company.seats), NAMES_WIDTH)
        variant = f"  ({course.variant})" if course and course.variant != CLASSIC.name else ""
        turns = tn("{count} turn", "{count} turns", course.turns) if course else ""
        words = [f"{self.at:%Y-%m-%d %H:%M}", shown + " " * (NAMES_WIDTH - width_of(shown)), f"{turns:>8}"]
        return "  ".join([*words, self.outcome]) + variant

    def has(self, words: Sequence[str]) -> bool:
        """Return True if each word is in the line or in a name."""
        text = _plain(" ".join([self.line, *self.company.names, self.path.name]))
        return all(_plain(word) in text for word in words)

    @property
    def event(self) -> GameEvent:
        report, course = self.summary.report, self.summary.course
        result = plain_result(report.result or Result("unfinished"))
        del result["reason"]
        return GameEvent(
            file=str(self.path),
            written=self.at.isoformat(timespec="seconds"),
            verdict=report.verdict,
            game=report.game,
            variant=course.variant if course else None,
            names=self.company.names,
            own=self.own or None,
            **result,
            turns=course.turns if course else 0,
            resumable=self.resumable,
        )


def _own_keys() -> Collection[str]:
    return {key.hex() for key in own_keys()}


def _past_game(keys: Collection[str], path: Path, at: datetime, summary: "Summary") -> PastGame:
    own = next((player.seat for player in summary.report.players if player.key in keys), 0)
    return PastGame(path, at, summary, own, Sidecar.trouble(sidecar_path(path)))


def past_games(folder: Path, words: Sequence[str] = (), most: int = SHOWN) -> Iterator[PastGame]:
    """Yield the games whose lines have all these words, last written first; a game of several own seats once each."""
    keys, files = _own_keys(), newest(folder)
    with closing(of_all(summarise_named, [Named(path) for path, _ in files])) as summaries:
        for number, ((path, at), summary) in enumerate(zip(files, summaries, strict=True), 1):
            game = replace(_past_game(keys, path, at, summary), number=number)
            if game.has(words):
                yield game
                most -= 1
            if not most:
                return


def unfinished_game(folder: Path) -> PastGame | None:
    """Return the game that was written last of those that can be resumed, None if there is none."""
    kept = [(path, at) for path, at in newest(folder) if sidecar_path(path).exists()]
    keys = _own_keys()
    games = (_past_game(keys, path, at, summarise_named(Named(path))) for path, at in kept[:UNFINISHED_MAX])
    return next((game for game in games if game.resumable), None)


def _plain(text: str) -> str:
    return without_accents(text).lower()
