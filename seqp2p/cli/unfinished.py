"""Games of this player that are not finished: which there are, and taking one's seat again."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from seqp2p.api.unfinished import Unfinished, open_unfinished
from seqp2p.cli import home
from seqp2p.cli.output import FAILED, USAGE, CommandError, what_failed
from seqp2p.i18n import message, message_of
from seqp2p.match.table import decode_agreement, game_id
from seqp2p.replay.resume import GameOver, ResumeError
from seqp2p.replay.sidecar import SUFFIX, SeatHeld, SidecarError, sidecar_path
from seqp2p.ui.language import t

NAMES_HINT: Final = message("GAME is a replay, its name, or the first digits of the game's id")
NONE_HINT: Final = message("--replay-dir names the folder that the replay is in")


def take(directory: Path, game: str | None) -> Unfinished:
    """Take a seat again: of the game named, or of the newest one that nobody holds. Raises CommandError."""
    problem: Exception | None = None
    for replay in _candidates(directory, game):
        try:
            unfinished = open_unfinished(replay)
        except (SidecarError, ResumeError, OSError) as error:
            # Of several reasons, that somebody holds the seat says most.
            if problem is None or (isinstance(error, SeatHeld) and not isinstance(problem, SeatHeld)):
                problem = error
            continue
        if _is_meant(unfinished, game):
            return unfinished
        unfinished.sidecar.close()
    if problem is not None:
        raise as_command_error(problem) from None
    if game is None:
        raise CommandError(t("there is no unfinished game in {folder}", folder=directory), NONE_HINT, FAILED)
    raise CommandError(t("no unfinished game of this player goes by {game}", game=game), NAMES_HINT, USAGE)


def as_command_error(error: Exception) -> CommandError:
    """What a user reads of why a game cannot be taken up."""
    if isinstance(error, SidecarError | ResumeError):
        return CommandError(message_of(error), error.hint)
    reason = what_failed(error) if isinstance(error, OSError) else message_of(error)
    return CommandError(t("the game cannot be taken up: {reason}", reason=reason), NONE_HINT)


def _candidates(directory: Path, game: str | None) -> Iterator[Path]:
    """Replays that may be meant, the one that was written to last first; raises CommandError for a name of nothing."""
    if game is not None and (named := _named(directory, game)) is not None:
        if not sidecar_path(named).exists():
            raise CommandError(
                t(
                    "the game is over, or its seat is not this player's: {replay} has no seat's own file beside it",
                    replay=named,
                ),
                GameOver.hint,
            )
        yield named
        return
    if game is not None and not re.fullmatch(r"[0-9a-fA-F]{1,64}", game):
        raise CommandError(t("no replay goes by {game}", game=game), NAMES_HINT, USAGE)
    files = [(path.stat().st_mtime_ns, path) for path in directory.glob(f"*{SUFFIX}") if path.is_file()]
    for _, path in sorted(files, reverse=True):
        yield path.with_name(path.name.removesuffix(SUFFIX))


def _named(directory: Path, game: str) -> Path | None:
    """The replay of this path, or of this name in the folder."""
    for path in (Path(game), directory / Path(game).name):
        replay = path.with_name(path.name.removesuffix(SUFFIX)) if path.name else path
        if replay.is_file():
            return replay
    return None


def _is_meant(unfinished: Unfinished, game: str | None) -> bool:
    """Whether the seat is one of this player's, and its game the one that was named."""
    secrets = unfinished.secrets
    seats = decode_agreement(secrets.agreement).seats
    if secrets.seat > len(seats) or seats[secrets.seat - 1].key not in home.own_keys():
        return False
    named = game is None or not re.fullmatch(r"[0-9a-fA-F]{1,64}", game)
    return named or game_id(secrets.agreement).hex().startswith((game or "").lower())
