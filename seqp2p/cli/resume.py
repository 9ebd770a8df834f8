"""``seqp2p resume``: take the seat of an unfinished game again, after a crash, a reboot, or at a new address."""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click
import trio

from seqp2p.api.endpoint import Endpoint, lock_identity
from seqp2p.api.game import LiveGame, Lobby
from seqp2p.api.home import data_dir, own_keys
from seqp2p.api.known import friends
from seqp2p.api.resume import StoredGame, endpoint_of, open_stored, resumed_game
from seqp2p.api.table import HostedTable, HostOptions, resumed_table
from seqp2p.bots.registry import USUAL
from seqp2p.cli import progress
from seqp2p.cli.errors import polite_signals, remember_seat
from seqp2p.cli.lobby import LobbyTeller, LobbyView
from seqp2p.cli.options import SeatOptions, make_address, map_port_option, playing_options, replays_option
from seqp2p.cli.output import Output, on_screen
from seqp2p.cli.own_table import Filling, bots_again, play_at_own_table
from seqp2p.cli.playing import exit_code_of, play, resume_options
from seqp2p.cli.replays import is_number, numbered
from seqp2p.cli.reporter import PortTeller
from seqp2p.cli.running import ending_with_parent, run_async
from seqp2p.cli.series import play_games
from seqp2p.errors import FAILED, USAGE, UserError
from seqp2p.i18n import message, of_system
from seqp2p.match.table import decode_agreement, game_id
from seqp2p.net.addresses import Address, AddressError, parse_address
from seqp2p.net.interfaces import is_loopback
from seqp2p.replay.resume import ResumeError
from seqp2p.replay.sidecar import SUFFIX, OlderCopy, SeatHeld, SidecarError, is_older
from seqp2p.ui.language import t

NAMES_HINT: Final = message(
    "GAME is a replay, its name, its number in seqp2p games, or the first digits of the game's id"
)
NONE_HINT: Final = message("--replay-dir names the folder that the replay is in")


def complete_game(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the unfinished games that ``resume`` can name: the ids in the names of seats' own files."""
    chosen = context.params.get("replay_dir")
    folder = Path(chosen) if chosen else data_dir() / "replays"
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
    address = make_address(listen)
    options = seat()
    raise SystemExit(run_async(lambda: resume(game, address, options, map_port=map_port)))


async def resume(game: str | None, listen: Address | None, options: SeatOptions, *, map_port: bool = False) -> int:
    progress.show(t("checking the game so far…"))
    stored = find_stored(options.choices.replay_dir, game)
    progress.wipe()
    options = replace(options, choices=replace(options.choices, coached=_listened_here_alone(stored)))
    ports = PortTeller(options.output)
    with stored.sidecar, lock_identity(None, stored.secrets.identity) as locked:
        async with ending_with_parent(wanted=options.until_stdin_closes), contextlib.AsyncExitStack() as stack:
            try:
                resumed = await stack.enter_async_context(
                    resumed_game(stored, locked, listen, ports.asking(wanted=map_port))
                )
            except OSError as error:
                raise _cannot_resume(error) from None
            output = await stack.enter_async_context(on_screen(options.output, options.wished))
            remember_seat(stored.replay, resumed.match.game.id, resume_options(stored.replay, options.choices))
            await stack.enter_async_context(bots_again(resumed.match.game.id, output))
            stack.enter_context(ports.telling(output))
            if stored.torn:
                output.say(t("the last thing written is incomplete: it is dropped, and the others will send it again"))
            if options.person and output.asks:
                return await _play_on(resumed, endpoint_of(resumed, stored, locked), options, output)
            with trio.open_signal_receiver(*polite_signals()) as signals:
                return exit_code_of(await play(resumed, options.choices, output, signals))


def _listened_here_alone(stored: StoredGame) -> bool:
    """Return True if no other machine could join the game, as at a table of ``play``."""
    try:
        return is_loopback(parse_address(stored.secrets.listen).host)
    except AddressError:
        return False


async def _play_on(resumed: LiveGame, endpoint: Endpoint, options: SeatOptions, output: Output) -> int:
    """Play a person's game on, and then others at its table, as long as this person wants to."""
    options = replace(options, relay=endpoint.relay)  # that of the game, which may not be the setting's
    opened = HostOptions(friends=friends(), warn=output.say)
    async with resumed_table(resumed, endpoint, opened) as table:
        if isinstance(table, HostedTable):
            filling = Filling(USUAL, output.preferences.pace, at_once=False)
            options = replace(options, start=filling.call, pause=filling.pause)
            return await play_at_own_table(table, options, output, filling)
        teller = LobbyTeller(options, output, LobbyView(output, t("seqp2p: join a table")))
        return await play_games(table, options, teller, teller.on_event, Lobby.wait)


def find_stored(directory: Path, game: str | None) -> StoredGame:
    """Lock the seat of the game named, or of the newest one that no process plays. Raises UserError."""
    problems: list[UserError] = []
    for replay in _candidates(directory, game):
        try:
            stored = open_stored(replay)
        except (SidecarError, ResumeError, OSError) as error:
            problems.append(error if isinstance(error, UserError) else _cannot_resume(error))
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
    raise UserError(t("no unfinished game of this player goes by {game}", game=game), NAMES_HINT, USAGE)


def _cannot_resume(error: OSError) -> UserError:
    return UserError(t("the game cannot be resumed: {reason}", reason=of_system(error)), NONE_HINT)


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


def _is_named(stored: StoredGame, game: str | None) -> bool:
    """Return True if the seat is one of this player's, and its game the one that was named."""
    secrets = stored.secrets
    seats = decode_agreement(secrets.agreement).seats
    if secrets.seat > len(seats) or seats[secrets.seat - 1].key not in own_keys():
        return False
    named = game is None or is_number(game) or not re.fullmatch(r"[0-9a-fA-F]{1,64}", game)
    return named or game_id(secrets.agreement).hex().startswith((game or "").lower())
