"""``seqp2p resume``: take the seat of an unfinished game again, after a crash, a reboot, or at a new address."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from seqp2p.api.home import own_keys, usual_replay_dir
from seqp2p.cli import progress
from seqp2p.cli.errors import run_async
from seqp2p.cli.options import SeatOptions, make_address, map_port_option, playing_options, replays_option
from seqp2p.cli.replays import NONE_HINT, cannot_resume, is_number, numbered
from seqp2p.errors import FAILED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.match.table import decode_agreement, game_id
from seqp2p.replay.resume import ResumeError
from seqp2p.replay.sidecar import SUFFIX, OlderCopy, SeatHeld, SidecarError, is_older
from seqp2p.ui.language import t

if TYPE_CHECKING:  # What --help and completion need not wait for.
    from seqp2p.api.resume import StoredGame

NAMES_HINT: Final = message(
    "GAME is a replay, its name, its number in seqp2p games, or the first digits of the game's id"
)


def complete_game(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the unfinished games that ``resume`` can name: the ids in the names of seats' own files."""
    chosen = context.params.get("replay_dir")
    folder = Path(chosen) if chosen else usual_replay_dir()
    names = sorted((path.name for path in folder.glob(f"*-seat*{SUFFIX}")), reverse=True)
    games = dict.fromkeys(name.removesuffix(SUFFIX).split("-seat")[0].rpartition("-")[2] for name in names)
    return [game for game in games if game.startswith(incomplete)]


@click.command(
    "resume",
    help=message(
        "Take your seat again in an unfinished game.\n\nGAME is a replay, its name, its number in seqp2p"
        " games, or the first digits of the game's id; by default, the newest one that is not being played."
    ),
)
@click.argument("game", required=False, metavar=message("[GAME]"), shell_complete=complete_game)
@click.option(
    "--listen", metavar=message("ADDR:PORT"), help=message("Where to listen; default: the same address as before.")
)
@map_port_option
@partial(playing_options, folder=replays_option)
def command(game: str | None, listen: str | None, map_port: bool, seat: Callable[[], SeatOptions]) -> None:
    from seqp2p.cli.own_table import take_seat_again

    address, options = make_address(listen), seat()

    async def resume() -> int:
        progress.show(t("checking the game so far…"))
        stored = find_stored(options.choices.replay_dir, game)
        progress.wipe()
        return await take_seat_again(stored, address, options, map_port=map_port)

    raise SystemExit(run_async(resume))


def find_stored(directory: Path, game: str | None) -> "StoredGame":
    """Lock the seat of the game named, or of the newest one that no process plays. Raises UserError."""
    from seqp2p.api.resume import open_stored

    problems: list[UserError] = []
    for replay in _candidates(directory, game):
        try:
            stored = open_stored(replay)
        except (SidecarError, ResumeError, OSError) as error:
            problems.append(error if isinstance(error, UserError) else cannot_resume(error))
            continue
        if _is_named(stored, game):
            if not is_older(stored.logged):
                return stored
            problems.append(OlderCopy())
        stored.sidecar.close()
    if problems:  # Of several, that another process holds a seat says most; then the newest file's.
        raise min(problems, key=lambda problem: not isinstance(problem, SeatHeld)) from None
    if game is None:
        raise UserError(t("there is no unfinished game in {folder}", folder=directory), NONE_HINT, FAILED)
    if named := _named(directory, game):
        raise ResumeError(message("the seat of {replay} is not yours, or you have left it", replay=named))
    raise UserError(t("no unfinished game of this player goes by {game}", game=game), NAMES_HINT, USAGE)


def _candidates(directory: Path, game: str | None) -> Iterator[Path]:
    """Yield the replays that ``game`` may name, last written first. Raises UserError for a name of nothing."""
    if game is not None and (named := _named(directory, game)) is not None:
        yield named
        return
    if game is not None and not re.fullmatch(r"[0-9a-fA-F]{1,64}", game):
        raise UserError(t("no replay goes by {game}", game=game), NAMES_HINT, USAGE)
    files = [(path.stat().st_mtime_ns, path) for path in directory.glob(f"*{SUFFIX}") if path.is_file()]
    for _, path in sorted(files, reverse=True):
        told = re.search(r"-([0-9a-f]{12})-seat", path.name)
        if game is not None and told is not None and not told[1].startswith(game[:12].lower()):
            continue  # The troubles of another game's file are not those of this one.
        yield path.with_name(path.name.removesuffix(SUFFIX))


def _named(directory: Path, game: str) -> Path | None:
    """Return the replay of this path, of this name in the folder, or of this number in the list of ``games``."""
    for path in (Path(game), directory / Path(game).name):
        replay = path.with_name(path.name.removesuffix(SUFFIX)) if path.name else path
        if replay.is_file():
            return replay
    return numbered(directory, int(game)) if is_number(game) else None


def _is_named(stored: "StoredGame", game: str | None) -> bool:
    """Return True if the seat is one of this player's, and its game the one that was named."""
    secrets = stored.secrets
    seats = decode_agreement(secrets.agreement).seats
    if secrets.seat > len(seats) or seats[secrets.seat - 1].key not in own_keys():
        return False
    named = game is None or is_number(game) or not re.fullmatch(r"[0-9a-fA-F]{1,64}", game)
    return named or game_id(secrets.agreement).hex().startswith((game or "").lower())
