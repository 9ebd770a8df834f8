"""Command-line options that make a table's settings, and those that say how a seat plays."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import click

from seqp2p.api import settings
from seqp2p.api.settings import GRACE_S
from seqp2p.bots.program import Program
from seqp2p.cli import home, resume_hint
from seqp2p.cli.lobby import SeatOptions
from seqp2p.cli.output import USAGE, CommandError, Output
from seqp2p.cli.playing import Choices
from seqp2p.cli.programs import BotName, program_options
from seqp2p.cli.running import sentence
from seqp2p.cli.screening import ScreenWish, screen_options
from seqp2p.i18n import message, message_of
from seqp2p.lobby.requests import SeatChoice
from seqp2p.match.table import TABLE_OPTIONS, TURN_TIME_S_MAX, Settings, TableChoices, TableError
from seqp2p.net.addresses import Address, AddressError, parse_address, parse_relay_address
from seqp2p.rules import VARIANTS, TableOption
from seqp2p.ui.language import t

# Less than this is over before a person has seen the board.
TURN_TIME_S_MIN = 5
GAMES_MAX = 10_000


def make_address(text: str) -> Address:
    """An address as typed; raises CommandError (usage) if it is none."""
    try:
        return parse_address(text)
    except AddressError as error:
        raise CommandError(sentence(message_of(error)), error.hint, USAGE) from None


def make_relay(text: str) -> Address | None:
    """The address of a relay as typed, or None for an empty text; raises CommandError (usage) if it is none."""
    try:
        return parse_relay_address(text) if text else None
    except AddressError as error:
        raise CommandError(
            sentence(message_of(error)), t("write HOST:PORT, as in relay.example.org:4001"), USAGE
        ) from None


def relay_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option that names a relay; the command gets it as ``relay``, a text or None."""
    return click.option(
        "--relay",
        metavar=message("HOST:PORT"),
        help=message("A relay by which players who cannot dial each other play. Without it: the setting; '' is none."),
    )(command)


def make_settings(players: int, **choices: Unpack[TableChoices]) -> Settings:
    """Return the settings of a table. Raises CommandError (usage) with the reason if they cannot be played."""
    try:
        return settings.table_settings(players, **choices)
    except TableError as error:
        context = click.get_current_context(silent=True)
        command = context.command_path if context else "seqp2p host"
        raise CommandError(message_of(error), t("see {command} --help", command=command), USAGE) from None


def _check_turn_time(context: click.Context, option: click.Parameter, turn_time_s: int) -> int:
    """Raise BadParameter for a clock that is too short to play by."""
    if turn_time_s and not TURN_TIME_S_MIN <= turn_time_s <= TURN_TIME_S_MAX:
        bounds = f"{TURN_TIME_S_MIN}<=x<={TURN_TIME_S_MAX}"
        reason = t("{seconds} is neither 0 nor in the range {range}.", seconds=turn_time_s, range=bounds)
        raise click.BadParameter(reason, context, option)
    return turn_time_s


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a table plays, except for how many players. ``make_settings`` takes their values."""
    options: tuple[Callable[..., Any], ...] = (
        click.option("--teams", type=int, help=message("2 or 3, for 6 and 12 players; usually 2.")),
        click.option("--variant", type=click.Choice(list(VARIANTS)), default="classic", show_default=True),
        *map(_flag, TABLE_OPTIONS),
        click.option(
            "--turn-time",
            "turn_time_s",
            metavar=message("S"),
            type=int,
            default=0,
            show_default=True,
            callback=_check_turn_time,
            help=message(
                "Seconds for a turn, 5 to 86400; 0 is no clock. When they are over the others pass over the turn, the"
                " second time in a row they go on without that seat; a game of two ends unfinished after twice the"
                " time."
            ),
        ),
        click.option(
            "--grace",
            "grace_s",
            type=click.IntRange(1, 86_400),
            default=GRACE_S,
            show_default=True,
            help=message("Seconds to wait for a seat that cannot be reached."),
        ),
    )
    return _with_all(options, command)


def _flag(row: TableOption) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the flag of an option: it sets the value that is not usual."""

    def value(_context: click.Context, _option: click.Parameter, given: bool) -> bool:
        return row.usual != given

    return click.option(f"--{row.word}", row.field, is_flag=True, callback=value, help=row.help)


def note_child(context: click.Context, option: click.Parameter, value: bool) -> bool:
    """The hidden flag of a process that another one has started."""
    del context, option
    if value:
        resume_hint.is_child()
    return value


def seat_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that host and join share: who plays the seat, under which name, how often, where replays go."""
    name = click.option("--name", help=message("The name the others see."))
    games = click.option(
        "--games",
        type=click.IntRange(1, GAMES_MAX),
        default=1,
        show_default=True,
        help=message("Play so many games at this table, without being asked."),
    )
    colour = click.option("--colour", metavar=message("COLOUR"), help=message("The colour you want for your team."))
    return playing_options(command, name, games, colour, relay_option)


def playing_options(command: Callable[..., Any], *others: Callable[..., Any]) -> Callable[..., Any]:
    """The options of every command that plays a seat, then these others, then those of the screen.

    The command gets ``seat``, a function that makes a SeatOptions of them. It raises CommandError.
    """

    @functools.wraps(command)
    def with_seat(
        *,
        bot: str | None,
        program: Program | None,
        pace_s: float,
        replay_dir: str | None,
        as_json: bool,
        until_stdin_closes: bool,
        wish: ScreenWish,
        name: str | None = None,
        games: int = 1,
        colour: str | None = None,
        relay: str | None = None,
        **more: Any,
    ) -> None:
        def seat() -> SeatOptions:
            choices = Choices(bot, pace_s, home.replay_dir(replay_dir), program)
            called, choice = home.checked_name(name), SeatChoice(colour=colour)
            options = SeatOptions(choices, called, Output(as_json), until_stdin_closes, games, choice=choice, wish=wish)
            kept = options.output.preferences.relay if options.person else ""
            return dataclasses.replace(options, relay=make_relay(kept if relay is None else relay))

        command(seat=seat, **more)

    options = (
        click.option("--bot", type=BotName(), help=message("A bot plays this seat; without it, you do.")),
        click.option(
            "--pace", "pace_s", type=click.FloatRange(0, 3600), default=0, help=message("A bot's least seconds a turn.")
        ),
        click.option("--replay-dir", type=click.Path(file_okay=False), help=message("Where the replay goes.")),
        click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output.")),
        click.option("--until-stdin-closes", is_flag=True, hidden=True, callback=note_child),
        program_options,
        *others,
        screen_options,
    )
    return _with_all(options, with_seat)


def _with_all(options: Sequence[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
