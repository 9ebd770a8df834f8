"""Options of more than one command, and what a command gets of them."""

import dataclasses
import functools
import math
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, Unpack

import click

from seqp2p.api import settings
from seqp2p.api.home import REPLAYS, own_dir, usual_name
from seqp2p.api.settings import GRACE_S
from seqp2p.bots.player import TIME_S_MAX, Program
from seqp2p.bots.registry import BOTS, why_no_bot
from seqp2p.cli import progress
from seqp2p.cli.errors import note_child, sentence
from seqp2p.cli.output import Output, ScreenWish, show_error
from seqp2p.cli.preferences import BY_NAME, PALETTES, change, kept, refusal
from seqp2p.errors import USAGE, UserError
from seqp2p.i18n import message, message_of, of_system
from seqp2p.match.table import GRACE_S_MAX, TABLE_OPTIONS, Settings, TableChoices, TableError
from seqp2p.rules import VARIANTS, TableOption
from seqp2p.ui.language import t, translate
from seqp2p.ui.words import own_name_fault

if TYPE_CHECKING:  # What --help and the completion of a name need not wait for.
    from seqp2p.net.addresses import Address

Function: TypeAlias = Callable[..., Any]
# Less than this is over before a person has seen the board.
GAMES_MAX = 10_000
REPLAYS_HINT: Final = message("choose another folder with --replay-dir")
# Numbers and a word: no sensible name of a machine. A machine named so can be given with its port.
_LIKE_A_CODE = re.compile(r"\s*\d[\d\s\-_]*[^\W\d_][^:.]*")


class NumberRange(click.FloatRange):
    """A range that has no NaN in it: to click it is in each, as nothing is less or more."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            values = {"value": number, "range": self._describe_range()}
            self.fail(t("{value} is not in the range {range}.", **values), param, ctx)
        return number


@dataclass(frozen=True, slots=True)
class Choices:
    """The player of a seat: a bot of this name, a program, or a person; ``pace_s`` is a bot's least time for a turn."""

    bot: str | None
    pace_s: float
    replay_dir: Path
    program: Program | None = None
    coached: bool = False
    """A person at a table of bots, who may ask for hints."""

    @property
    def person(self) -> bool:
        """True if a person plays, not a bot or a program."""
        return self.bot is None and self.program is None


@dataclass(frozen=True, slots=True)
class SeatOptions:
    """A seat's options on the command line.

    ``games`` are played without asking. ``start`` calls bots to the free seats, where this player may, and ``pause``
    calls no more of them. A seat, a team and a colour are wished for in the first lobby. With ``until_stdin_closes``
    another process started this one, and its end ends it. ``wish`` is a person's screen, ``relay`` the one that this
    player has named.
    """

    choices: Choices
    name: str | None
    output: Output
    until_stdin_closes: bool
    games: int = 1
    start: Callable[[], None] | None = None
    pause: Callable[[], None] = lambda: None
    wished_seat: int | None = None
    team: int | None = None
    colour: str | None = None
    wish: ScreenWish | None = None
    relay: "Address | None" = None

    @property
    def person(self) -> bool:
        """True if a person plays, who can be asked and can type."""
        return self.choices.person and not self.until_stdin_closes

    def with_relay(self, typed: str | None) -> "SeatOptions":
        """Return the options with the relay that was typed, else with the one of a person's settings."""
        kept = self.output.preferences.relay if self.person else ""
        return dataclasses.replace(self, relay=make_address(kept if typed is None else typed, relay=True))

    @property
    def wished(self) -> ScreenWish | None:
        """The screen wished for; None where no person plays."""
        return self.wish if self.person else None


def usable_replay_dir(chosen: str | None) -> Path:
    """Return the folder for replays, made if it is missing. Raises UserError where no replay could be kept."""
    directory = Path(chosen) if chosen else own_dir() / REPLAYS
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = t("cannot keep replays in {folder}: {reason}", folder=directory, reason=of_system(error))
        raise UserError(message, REPLAYS_HINT) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise UserError(t("cannot keep replays in {folder}: it is not writable", folder=directory), REPLAYS_HINT)
    return directory


def checked_name(wish: str | None) -> str | None:
    """Return the name that was given. Raises UserError (usage) for one that would mislead others."""
    if wish is not None and (fault := own_name_fault(wish)):
        raise UserError(fault, t("choose another with --name"), USAGE)
    return wish


def is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def own_name(wish: str | None, output: Output) -> str | None:
    """Return the name that a person has given; one who has none yet is asked for it at a terminal."""
    if wish is None and not output.json and is_terminal() and sys.stdout.isatty():
        wish = ask_name()
    return checked_name(wish)


def ask_name() -> str | None:
    """Ask once for the name that the others see: the account's may be the same for all of them.

    Return it where it cannot be kept.
    """
    now, setting, usual = kept(), BY_NAME["name"], usual_name()
    if now.values.name or now.problems:
        return None
    usual = t("player") if refusal(setting, usual) else usual
    asks = t("your name at the table (Enter: {name}): ", name=usual)
    while fault := refusal(setting, typed := input(asks).strip() or usual):
        Output(json=False).say(translate(fault))
    try:
        change(setting, typed)
    except UserError as error:
        show_error(error)
        return typed
    return None


def make_address(text: str | None, *, relay: bool = False) -> "Address | None":
    """Return the typed address, None if none was. An empty text is no relay. Raises UserError (usage) for another."""
    if text is None or (relay and not text):
        return None
    from seqp2p.net.addresses import AddressError, parse_address, parse_relay_address

    try:
        return (parse_relay_address if relay else parse_address)(text)
    except AddressError as error:
        hint = t("write HOST:PORT, as in relay.example.org:4001") if relay else error.hint
        raise UserError(sentence(message_of(error)), hint, USAGE) from None


replay_dir_option = click.option(
    "--replay-dir", type=click.Path(file_okay=False), help=message("Where the replay goes; default: your own folder.")
)
replays_option = click.option(
    "--replay-dir", type=click.Path(exists=True, file_okay=False), help=message("The folder of the replays.")
)
relay_option = click.option(
    "--relay",
    metavar=message("HOST:PORT"),
    help=message("A relay for players who cannot connect to each other directly. Default: the setting; '' for none."),
)


def make_settings(players: int, **choices: Unpack[TableChoices]) -> Settings:
    """Return the settings of a table. Raises UserError (usage) with the reason if they cannot be played."""
    try:
        return settings.table_settings(players, **choices)
    except TableError as error:
        raise UserError(message_of(error), exit_code=USAGE) from None


def table_options(command: Function) -> Function:
    """The options that say how a table plays, except for how many players. ``make_settings`` takes their values."""
    options: tuple[Function, ...] = (
        click.option("--teams", type=int, help=message("2 or 3 teams, with 6 or 12 players; 2 by default.")),
        click.option("--variant", type=click.Choice(list(VARIANTS)), default="classic"),
        *map(_flag, TABLE_OPTIONS),
        click.option(
            "--turn-time",
            "turn_time_s",
            type=int,
            default=0,
            help=message(
                "Seconds for a turn, 5 to 86400; 0 for no clock. When time is up, the others skip the turn; the"
                " second time in a row, they go on without that seat. A game of two ends unfinished after twice"
                " that time."
            ),
        ),
        click.option(
            "--grace",
            "grace_s",
            type=click.IntRange(1, GRACE_S_MAX),
            default=GRACE_S,
            help=message("Seconds to wait for a seat that cannot be reached."),
        ),
    )
    return with_all(options, command)


def _flag(row: TableOption) -> Callable[[Function], Function]:
    """Return the flag of an option: it sets the unusual value."""

    def value(_context: click.Context, _option: click.Parameter, given: bool) -> bool:
        return row.usual != given

    return click.option(f"--{row.word}", row.field, is_flag=True, callback=value, help=row.help)


time_option = click.option(
    "--exec-time",
    "exec_time_s",
    type=NumberRange(0.1, TIME_S_MAX),
    help=message("Seconds for a choice; default: the table's turn time minus 2, or 30."),
)


def complete_colour(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    colours = dict.fromkeys(colour for variant in VARIANTS.values() for colour in variant.colours)
    return [colour for colour in colours if colour.startswith(incomplete)]


def seat_options(command: Function) -> Function:
    """The options that host and join share: who plays the seat, under which name, how often, where replays go."""
    name = click.option("--name", help=message("The name the others see; default: the setting, or the account's."))
    games = click.option(
        "--games",
        type=click.IntRange(1, GAMES_MAX),
        default=1,
        help=message("Play this many games at this table, without asking again."),
    )
    colour = click.option(
        "--colour",
        metavar=message("COLOUR"),
        shell_complete=complete_colour,
        help=message("The colour you want for your team."),
    )
    return playing_options(command, name, games, colour, relay_option)


def playing_options(command: Function, *others: Function, folder: Function = replay_dir_option) -> Function:
    """The options of every command that plays a seat, then these others, then those of the screen.

    The command gets ``seat``, a function that makes a SeatOptions of them. It raises UserError.
    """

    @functools.wraps(command)
    def with_seat(
        *,
        bot: str | None,
        exec_line: str | None,
        exec_time_s: float | None,
        verbose_bot: bool,
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
        if until_stdin_closes:
            note_child()
        if exec_line is not None and bot is not None:
            raise UserError(t("one seat has one bot: --bot and --exec exclude each other"), exit_code=USAGE)
        program = None if exec_line is None else make_program(exec_line, exec_time_s, verbose=verbose_bot)

        def seat() -> SeatOptions:
            choices, output = Choices(bot, pace_s, usable_replay_dir(replay_dir), program), Output(as_json)
            # A seat that is resumed keeps its name: it has no such option.
            called = own_name(name, output) if others and choices.person else checked_name(name)
            options = SeatOptions(choices, called, output, until_stdin_closes, games, colour=colour, wish=wish)
            return options.with_relay(relay)

        command(seat=seat, **more)

    options = (
        click.option("--bot", type=BotName(), help=message("A bot plays this seat instead of you.")),
        click.option(
            "--pace", "pace_s", type=NumberRange(0, 3600), default=0, help=message("Minimum seconds for a turn.")
        ),
        folder,
        click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output.")),
        click.option("--until-stdin-closes", is_flag=True, hidden=True),
        click.option(
            "--exec",
            "exec_line",
            metavar=message("COMMAND"),
            help=message("A program plays this seat, in JSON lines: see docs/scripting.md."),
        ),
        time_option,
        click.option("--verbose-bot", is_flag=True, help=message("Show what the program writes to standard error.")),
        *others,
        screen_options,
    )
    return with_all(options, with_seat)


def with_all(options: Sequence[Function], command: Function) -> Function:
    for option in reversed(options):
        command = option(command)
    return command


def screen_options(command: Function) -> Function:
    """Add the options of every command with a screen; the command gets them as ``wish``."""

    @functools.wraps(command)
    def with_wish(*, plain: bool, palette: str | None, ascii_only: bool | None, **others: Any) -> None:
        if plain:
            progress.hide()  # Nothing is repainted.
        command(wish=ScreenWish(plain, palette, ascii_only), **others)

    options = (
        click.option(
            "--plain", is_flag=True, help=message("Print lines only, repaint nothing; the same as ACCESSIBLE=1.")
        ),
        click.option(
            "--palette",
            type=click.Choice(PALETTES),
            help=message("Screen colours; default: the setting, or auto. NO_COLOR turns them off."),
        ),
        click.option(
            "--ascii/--no-ascii",
            "ascii_only",
            default=None,
            help=message("Use only ASCII characters on the screen; default: the setting."),
        ),
    )
    return with_all(options, with_wish)


class BotName(click.Choice[str]):
    """One of ``BOTS``."""

    def __init__(self) -> None:
        super().__init__(list(BOTS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if reason := why_no_bot(value):
            self.fail(translate(reason), param, ctx)
        return str(value)


def make_program(line: str, time_s: float | None, *, verbose: bool) -> Program:
    """Return the program of this command line, split as by a shell. Raises UserError (usage) if there is none."""
    try:
        arguments = tuple(shlex.split(line))
    except ValueError:
        message = t("a quotation mark is not closed in: {line}", line=line)
        raise UserError(message, exit_code=USAGE) from None
    if not arguments or shutil.which(arguments[0]) is None:
        name = arguments[0] if arguments else ""
        message = t("there is no program {name!r} that could be started", name=name)
        hint = t("name it with its folder, like {example}; it must be executable", example="./bot.py")
        raise UserError(message, hint, USAGE)
    return Program(arguments, time_s, verbose)


map_port_option = click.option(
    "--map-port",
    is_flag=True,
    help=message("Ask the home router, by UPnP, to open a port to the internet until this ends."),
)


def place_options(command: Function) -> Function:
    """Add the options that name a table; the command gets them as ``host`` and ``code``."""

    @functools.wraps(command)
    def with_place(*, place: str | None, code: str | None, **others: Any) -> None:
        host, given = read_place(place, code)
        if given is None and not is_terminal():
            raise UserError(t("no join code was given"), t("use --code CODE or set SEQP2P_CODE"), USAGE)
        command(host=host, code=given, **others)

    code = click.option(
        "--code", help=message("The join code that the host shows; default: SEQP2P_CODE, or you are asked for it.")
    )
    return click.argument("place", metavar=message("[CODE | HOST:PORT]"), required=False)(code(with_place))


def read_place(place: str | None, code: str | None) -> "tuple[Address | None, str | None]":
    """Return the host's address and the code, as far as they are given. Raises UserError (usage)."""
    if place is not None and _LIKE_A_CODE.fullmatch(place):
        if code is not None:
            raise UserError(t("the join code is given twice"), t("leave out --code"), USAGE)
        return None, place
    return make_address(place), code or os.environ.get("SEQP2P_CODE") or None
