"""``seqp2p play``: a person against bots on this machine, at once: real peers over loopback, nothing to set up."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from seqp2p.api.home import usual_name
from seqp2p.bots.registry import USUAL
from seqp2p.cli.errors import run_async
from seqp2p.cli.options import (
    BotName,
    Choices,
    NumberRange,
    SeatOptions,
    make_address,
    make_settings,
    own_name,
    replay_dir_option,
    screen_options,
    table_options,
    usable_replay_dir,
)
from seqp2p.cli.output import Output, ScreenWish, on_screen
from seqp2p.errors import ABANDONED, DONE, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.rules import VARIANTS
from seqp2p.ui.language import t, tn, translate
from seqp2p.ui.person.command_words import YES, word_of
from seqp2p.ui.words import Sight

if TYPE_CHECKING:  # What --help and completion need not wait for.
    from seqp2p.ui.person.console import Console
    from seqp2p.ui.person.tutorial import Tutorial
    from seqp2p.ui.screen import Screen

PLAYS_ON: Final = -1
"""After the tutorial the pupil plays a game."""
THOUGHT_S: Final = 1.0
"""The opponent of the tutorial seems to think so long: the two actions can be seen one after the other."""


@click.command(
    "play",
    help=message(
        "Play against bots on this machine, at once.\n\n"
        "Every bot is a peer like any other: it sees no card but its own. One process plays all bots."
    ),
)
@click.option("--bots", type=click.IntRange(min=1), default=1, help=message("How many bots play."))
@click.option(
    "--bot", type=BotName(), default=USUAL, help=message("Which bots they are; easy, normal and hard are levels.")
)
@table_options
@click.option(
    "--pace",
    "pace_s",
    type=NumberRange(0, 60),
    help=message("Minimum seconds for a bot's turn; default: the setting, or 1."),
)
@click.option("--tutorial", is_flag=True, help=message("Ten turns that show the whole game, each of them explained."))
@click.option("--name", help=message("The name at your seat."))
@replay_dir_option
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per event on standard output."))
@screen_options
def command(
    bots: int,
    bot: str,
    pace_s: float | None,
    name: str | None,
    replay_dir: str | None,
    wish: ScreenWish,
    *,
    tutorial: bool,
    as_json: bool,
    **table: Any,
) -> None:
    from seqp2p.api.table import HostOptions
    from seqp2p.cli.own_table import Filling, host

    if tutorial:
        check_alone()
        name, output = own_name(name, Output(as_json)), Output(as_json)
        exit_code = run_async(lambda: teach(output, name, wish))
        if exit_code != PLAYS_ON:
            raise SystemExit(exit_code)
        bot = "easy"
    check_bots(bots, table["variant"])
    settings, listen = make_settings(bots + 1, **table), make_address("127.0.0.1:0")
    output = Output(as_json)
    pace_s = output.preferences.pace if pace_s is None else pace_s
    filling = Filling(bot, pace_s, at_once=True)
    choices = Choices(None, 0, usable_replay_dir(replay_dir), coached=True)
    options = SeatOptions(choices, own_name(name, output), output, until_stdin_closes=False, wish=wish)
    output.say(tn("you play against a bot ({bot})", "you play against {count} bots ({bot})", bots, bot=bot))
    raise SystemExit(run_async(lambda: host(settings, HostOptions(0), listen, options, filling, invites=False)))


def check_alone() -> None:
    """Raise UserError (usage) for an option of a table beside --tutorial, which has a table of its own."""
    context = click.get_current_context()
    kept = {"tutorial", "as_json", "plain", "palette", "ascii_only", "name"}
    for option in context.command.params:
        name = option.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name in context.params.keys() - kept:  # Those of every command, like --lang, are not in it.
            values = {"option": option.opts[0]}
            raise UserError(t("the tutorial has a table of its own: it takes no {option}", **values), exit_code=USAGE)


def check_bots(bots: int, variant: str) -> None:
    """Raise UserError (usage) unless so many bots and a person make a table of this variant."""
    numbers = [size.players - 1 for size in VARIANTS[variant].sizes]
    if bots not in numbers:
        message = tn(
            "{variant} has no table for you and a bot",
            "{variant} has no table for you and {count} bots",
            bots,
            variant=variant,
        )
        raise UserError(message, t("choose one of --bots {numbers}", numbers=", ".join(map(str, numbers))), USAGE)


async def teach(output: Output, name: str | None, wish: ScreenWish) -> int:
    """Lead through the tutorial, until it ends or is left; returns the exit code, or PLAYS_ON."""
    from seqp2p.cli.playing import own_console
    from seqp2p.ui.person.tutorial import LEFT, Tutorial, tutor  # a game does without it

    exit_code, tutorial = ABANDONED, Tutorial(name or usual_name())
    try:
        async with on_screen(output, wish) as shown_on:
            console = own_console(shown_on)
            lead = partial(tutor, console, tutorial)
            if shown_on.screen is None:
                exit_code = DONE if await lead() else ABANDONED
            else:
                exit_code = await _at_table(console, shown_on.screen, tutorial, lead)
    except* KeyboardInterrupt:
        output.say(translate(LEFT))
    return exit_code


async def _at_table(
    console: "Console", screen: "Screen", tutorial: "Tutorial", lead: Callable[..., Awaitable[bool]]
) -> int:
    """Lead through the tutorial on the screen; returns the exit code, or PLAYS_ON."""
    # Only where there is a screen.
    import trio

    from seqp2p.ui.person.tutorial import FAREWELL, LEFT, Showing
    from seqp2p.ui.table_scene import ClosingKey, TableScene

    sight = Sight(tutorial.sees, tutorial.asked, wanted=tutorial.wanted, coached=True)
    scene = TableScene(sight, tutorial.company, tutorial.story, trio.current_time, tutorial.settings)

    def changed() -> None:
        scene.changed()
        scene.forget_choice()
        screen.refresh()

    screen.show(scene)
    if not await lead(Showing(changed, THOUGHT_S, scene.show_page, scene.forget_choice, screen.dressed)):
        screen.remains.append(translate(LEFT))
        return ABANDONED
    lines = [t("you have won"), t("that was the tutorial; Enter begins a game against an easy bot, or quit")]
    scene.over(lines, ClosingKey("yes", t("begin")))
    screen.refresh()
    if word_of(await console.read() or "") in YES:
        return PLAYS_ON
    screen.remains.extend(map(translate, FAREWELL))
    return DONE
