"""The results file of ``seqp2p arena``: the settings in the first line, then a line of JSON for each deal.

Deals of a contest stand in their order. A last line without an end was cut off when the arena was killed: it is cut
off for good, and its deal is played again.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from seqp2p.arena import Contest, DealResult, Ladder
from seqp2p.cli.output import FAILED, CommandError, what_failed
from seqp2p.replay.locks import lock
from seqp2p.rules import Options
from seqp2p.ui.language import t

LINE_SIZE_MAX: Final = 1_000_000
"""The bytes of a line."""


class ArenaSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="file", tag="seqp2p arena 1"):
    """The settings on which the results depend. A file goes on only with the same ones."""

    bots: tuple[str, ...]
    variant: str
    players: int
    teams: int
    options: Options
    seed: int
    time_s: float


class ResultsFile:
    """An open results file, after its results."""

    def __init__(self, file: BinaryIO | None, name: str) -> None:
        """Without a file, nothing is kept."""
        self._file = file
        self._name = name

    def write(self, line: ArenaSettings | DealResult) -> None:
        """Write a line, at once. Raises CommandError if the disk does not take it."""
        if self._file is None:
            return
        try:
            self._file.write(msgspec.json.encode(line, enc_hook=str) + b"\n")
            self._file.flush()
        except OSError as error:
            raise CommandError(
                t("cannot write {path}: {reason}", path=self._name, reason=what_failed(error)), exit_code=FAILED
            ) from None


@contextmanager
def open_results(path: Path | None, settings: ArenaSettings, ladder: Ladder) -> Generator[ResultsFile]:
    """Open a results file, or make a new one, and let the ladder take its results.

    Without a path nothing is kept. Raises CommandError, and changes nothing, if it is no results file, has other
    settings, or is in use.
    """
    if path is None:
        yield ResultsFile(None, "")
        return
    try:
        file = path.open("r+b" if path.exists() else "x+b")
    except OSError as error:
        raise CommandError(t("cannot open {path}: {reason}", path=path, reason=what_failed(error))) from None
    with file:
        if not lock(file.fileno()):
            raise CommandError(t("another process writes {path}", path=path), t("name another file"))
        results = ResultsFile(file, str(path))
        head = file.readline(LINE_SIZE_MAX)
        if not head:
            results.write(settings)
        else:
            _check_settings(head, settings, path)
            _take_results(file, ladder, path)
        yield results


def _check_settings(line: bytes, settings: ArenaSettings, path: Path) -> None:
    hint = t("name another file")
    try:
        found = msgspec.json.decode(line, type=ArenaSettings)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CommandError(t("{path} is no results file of seqp2p arena", path=path), hint) from None
    other = [name for name in ArenaSettings.__struct_fields__ if getattr(found, name) != getattr(settings, name)]
    if other:
        raise CommandError(
            t("{path} has the results of other settings ({names})", path=path, names=", ".join(other)), hint
        )


def _take_results(file: BinaryIO, ladder: Ladder, path: Path) -> None:
    """Let the ladder take the results that follow, and leave the file at their end."""
    decoder, number = msgspec.json.Decoder(DealResult), 1
    while line := file.readline(LINE_SIZE_MAX):
        number += 1
        if not line.endswith(b"\n") and len(line) < LINE_SIZE_MAX:
            file.seek(-len(line), 1)
            file.truncate()
            break
        try:
            result = decoder.decode(line)
            _check(result, ladder.contests)
            ladder.take(result)
        except (ValueError, UnicodeDecodeError):
            raise CommandError(
                t("line {number} of {path} is damaged", number=number, path=path), t("name another file")
            ) from None


def _check(result: DealResult, contests: tuple[Contest, ...]) -> None:
    """Raise ValueError unless the result is one that a contest can have."""
    if not 0 <= result.contest < len(contests):
        raise ValueError(result.contest)
    contest = contests[result.contest]
    if len(result.games) != len(contest.seatings) or not len(result.choices) == len(result.seconds) == len(
        contest.sides
    ):
        raise ValueError(result.games)
    teams = range(contest.teams + 1)
    if any(game.winner not in teams or game.failed not in teams for game in result.games):
        raise ValueError(result.games)
