"""``seqp2p resume``: take one's seat again after a crash, a reboot, or at a new address, and play on."""

from functools import partial

import click

from seqp2p.bots.program import Program
from seqp2p.cli import progress
from seqp2p.cli.completion import complete_game
from seqp2p.cli.output import Output
from seqp2p.cli.playing import Choices, resume_play
from seqp2p.cli.running import run_async
from seqp2p.cli.screening import ScreenWish, on_screen, screen_options
from seqp2p.cli.settings import make_address, make_choices, playing_options
from seqp2p.cli.taking_up import taken_up
from seqp2p.i18n import message
from seqp2p.net.addresses import Address
from seqp2p.ui.language import t


@click.command(
    "resume",
    help=message(
        "Take your seat again in a game that is not finished.\n\n"
        "GAME is a replay, its name, or the first digits of the game's id; without it, the newest one that nobody"
        " plays."
    ),
)
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--listen", metavar="ADDR:PORT", help=message("Where to listen; where it was without it."))
@playing_options
@screen_options
def command(
    game: str | None,
    listen: str | None,
    bot: str | None,
    program: Program | None,
    pace_s: float,
    replay_dir: str | None,
    wish: ScreenWish,
    *,
    as_json: bool,
    until_stdin_closes: bool,
) -> None:
    """Find the game, and go on with it."""
    address = None if listen is None else make_address(listen)
    choices, output = make_choices(bot, pace_s, replay_dir, program), Output(as_json)
    wished = wish if choices.person and not until_stdin_closes else None
    raise SystemExit(run_async(partial(resume, game, address, choices, output, wished, orphan_ends=until_stdin_closes)))


async def resume(
    game: str | None,
    listen: Address | None,
    choices: Choices,
    output: Output,
    wish: ScreenWish | None,
    *,
    orphan_ends: bool,
) -> int:
    """Take the seat, and play on; returns the exit code."""
    progress.show(t("the game so far is checked…"))
    async with (
        taken_up(choices.replay_dir, game, listen, until_stdin_closes=orphan_ends) as resumed,
        on_screen(output, wish) as shown,
    ):
        if resumed.torn:
            shown.say(t("the last thing written was broken off: it is dropped, and comes back from the others"))
        return await resume_play(resumed, choices, shown)
