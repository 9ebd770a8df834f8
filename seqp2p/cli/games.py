"""``seqp2p games``: list this player's games, last first, with who played, the length and the result."""

from pathlib import Path

import click

from seqp2p.api.home import usual_replay_dir
from seqp2p.cli.errors import stopping_alike
from seqp2p.cli.options import replays_option
from seqp2p.cli.output import Output
from seqp2p.cli.replays import SHOWN, no_game_yet, past_games
from seqp2p.errors import UserError
from seqp2p.i18n import message
from seqp2p.ui.language import command_line, t


@click.command(
    "games",
    help=message(
        "List your games, newest first: who played, how long, and the result.\n\nFILTER is words that a"
        " line must contain: a name, a date, won, lost, unfinished, kids. Each replay is verified before"
        " it is listed."
    ),
)
@click.argument("words", nargs=-1, metavar=message("[FILTER...]"))
@click.option("--last", type=click.IntRange(min=1), default=SHOWN, help=message("Show this many games."))
@replays_option
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per game on standard output."))
def command(words: tuple[str, ...], last: int, replay_dir: str | None, *, as_json: bool) -> None:
    output, found = Output(as_json), False
    folder = Path(replay_dir) if replay_dir else usual_replay_dir()
    with stopping_alike():
        for game in past_games(folder, words, last):
            found = True
            output.event(game.event)
            if not as_json:
                output.say(f"{game.number:>3}  {game.line}")
    if not found:
        if not words and folder == usual_replay_dir():
            raise no_game_yet()
        if words:
            raise UserError(t("there is no such game in {folder}", folder=folder), t("without a filter all are listed"))
        hint = t("--replay-dir names the folder that the replays are in")
        raise UserError(t("there is no game in {folder} yet", folder=folder), hint)
    if not as_json and folder == usual_replay_dir():
        shown = command_line("show", "1")
        output.say(t("use the number: {command}; resume, export, verify and stats take it too", command=shown))
