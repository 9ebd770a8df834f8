"""``seqp2p show FILE``: look at a replay, moment by moment; every proof in it is checked on the way."""

import contextlib
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from seqp2p.api.home import usual_replay_dir
from seqp2p.cli import json_events
from seqp2p.cli.errors import run_async
from seqp2p.cli.moments import (
    NO_TURNS,
    VERIFY_HINT,
    Reviewed,
    frames_of,
    header_lines,
    play_file,
    read_file,
    review_event,
    review_of,
)
from seqp2p.cli.options import screen_options
from seqp2p.cli.output import Output, ScreenWish, can_show, on_screen
from seqp2p.cli.replays import (
    ListedGame,
    ReplayPath,
    describe,
    known_names,
    no_game_yet,
    past_games,
    resolved,
    verdict_of,
)
from seqp2p.errors import ABANDONED, DONE, NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message
from seqp2p.replay.playback import Playback, moment_fields
from seqp2p.ui.frame import Fragment
from seqp2p.ui.language import t, translate
from seqp2p.ui.replay_browser import MOVED, ReplayBrowser, ReplayFrames, Reply, costly_lines, curve_lines, help_lines


@click.command(
    "show",
    help=message(
        "Look at a replay, step by step.\n\nFILE can be last, for your newest game; without FILE your"
        " games are listed, and you are asked for one.\n\nThe replay is verified first; a damaged one is"
        " shown as far as it is valid. With --plain you type words at a terminal, like next, back, 12,"
        " board, hands, play; without a terminal the whole game is printed.\n\n--review prints each team's"
        " chance to win after each turn, by all hands, and the moves that cost most."
        " Only opened hands have a review."
    ),
)
@click.argument("file", type=ReplayPath(), required=False, metavar=message("[FILE]"))
@click.option("--json", "as_json", is_flag=True, help=message("One JSON object per moment on standard output."))
@click.option(
    "--review", "with_review", is_flag=True, help=message("The chances to win, and the moves that cost most.")
)
@screen_options
def command(file: Path | None, *, as_json: bool, with_review: bool, wish: ScreenWish) -> None:
    output = Output(as_json)
    file = chosen_file(output, wish) if file is None else resolved(file)
    playback = play_file(file, read_file(file))
    show(output, wish, file, playback, with_review=with_review)
    if playback.report.verdict == "invalid":
        problem = t("{file}: {verdict}", file=file, verdict=describe(playback.report))
        raise UserError(problem, VERIFY_HINT, NOT_VERIFIED)


def show(output: Output, wish: ScreenWish, file: Path, playback: Playback, *, with_review: bool) -> None:
    """Show a replay to a script, as lines, on a screen or by typed words."""
    if output.json:
        emit_moments(output, file, playback, with_review=with_review)
        return
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if with_review or not playback.moments or not on_terminal:
        lines = [] if with_review else whole_lines(file, playback)
        for line in (*header_lines(playback), "", *lines):
            output.say(line)
        for painted in whole_review(file, playback, plain=wish.plain) if with_review else ():
            output.say_painted(painted, wish)
        return
    on_screen_page = can_show(output, wish)
    frames = frames_of(file.name, playback, brief=on_screen_page, reviewed=review_of(playback))
    if on_screen_page:
        run_async(lambda: on_page(output, wish, frames))
    else:
        run_async(lambda: by_words(output, frames, header_lines(playback)))


def chosen_file(output: Output, wish: ScreenWish) -> Path:
    """Let a person choose one of the last games: from a menu, or by its number in a list. Raises UserError."""
    if output.json or not sys.stdin.isatty():
        raise UserError(t("name a replay, or last"), VERIFY_HINT, USAGE)
    on_menu, games = can_show(output, wish), dict[str, ListedGame]()
    for game in past_games(usual_replay_dir()):
        games[str(game.number)] = game
        if not on_menu:
            output.say(f"{game.number:>3}  {game.line}")
    if not games:
        raise no_game_yet()

    def read(line: str) -> Sequence[str]:
        return [number for number in line.split()[-1:] if number in games]

    def fault(_: str) -> str:
        return t("type a number from the list")

    if on_menu:
        from seqp2p.cli.menu import choose_on_screen  # what a named file need not wait for
        from seqp2p.ui.menu_scene import MenuRow, MenuScene

        rows = [MenuRow(game.line, ("show", number)) for number, game in games.items()]
        chosen = choose_on_screen(MenuScene(rows, (), numbers=[*games]), output, wish, read, fault)
        if not chosen:
            raise UserError(t("stopped"), exit_code=ABANDONED)
        return games[chosen[0]].path
    question = t("which one? (1 is the newest)")
    while not (chosen := read(click.prompt(question, default="1", prompt_suffix=" ", show_default=False))):
        output.say(fault(""))
    return games[chosen[0]].path


def whole_lines(file: Path, playback: Playback) -> list[str]:
    """The whole game: every moment, and how it lay in the end."""
    if not playback.moments:
        return []
    frames = frames_of(file.name, playback)
    browser = ReplayBrowser(frames)
    browser.end()
    hands = browser.hands() if frames.opened else ()
    return [*(line.text for moment in frames.moments for line in moment.lines), "", *browser.board(), *hands]


def whole_review(file: Path, playback: Playback, *, plain: bool) -> list[Sequence[Fragment]]:
    """Return the chances after every move, the moves that cost most, and why others have no review."""
    if not playback.moments:
        return [[("", translate(NO_TURNS))]]
    frames = frames_of(file.name, playback, reviewed=(reviewed := review_of(playback)))
    others = (*costly_lines(frames), *_open_game(reviewed))
    return [*curve_lines(frames, bars=not plain), *([("", line)] for line in others)]


def _open_game(reviewed: Reviewed) -> Iterator[str]:
    """Yield the name of the last game with open hands, if there is one and this one's stayed closed."""
    if reviewed.reason and reviewed.review.closed:
        for game in past_games(usual_replay_dir()):
            settings = game.summary.report.settings
            if settings is not None and settings.open_hands and game.summary.report.verdict == "verified":
                yield t("this one has a review: {command}", command=f"seqp2p show {game.number} --review")
                return


def emit_moments(output: Output, file: Path, playback: Playback, *, with_review: bool) -> None:
    assert playback.agreement is not None, "without a table there is nothing to tell"
    for number, moment in enumerate(playback.moments, 1):
        fields = moment_fields(number, moment, playback.agreement.settings.rules)
        output.event(json_events.MomentEvent(**fields))
    if with_review:
        output.event(review_event(playback, review_of(playback)))
    output.event(verdict_of(json_events.VerdictEvent, file, playback.report, known_names(output)))


async def on_page(output: Output, wish: ScreenWish, frames: ReplayFrames) -> int:
    """On the screen, until the person has seen enough."""
    # What paints takes its time to import: whoever wants lines does without it.
    import trio

    from seqp2p.ui.show_scene import ShowScene

    scene = ShowScene(frames)
    try:
        async with on_screen(output, wish) as shown_on, trio.open_nursery() as nursery:
            screen = shown_on.screen
            assert screen is not None, "there is a terminal to paint on"
            screen.show(scene)
            nursery.start_soon(roll, scene.browser, screen.refresh)
            while (typed := await screen.read_line()) is not None and scene.obey(typed):
                screen.refresh()
            nursery.cancel_scope.cancel()
    except* KeyboardInterrupt:
        pass  # Whoever only looks on leaves nothing behind.
    output.say(frames.verdict)
    return DONE


async def roll(browser: ReplayBrowser, changed: Callable[[], None]) -> None:
    """Step on for as long as it plays; until cancelled."""
    import trio

    while True:
        await trio.sleep(browser.cursor.pace_s)
        if browser.cursor.playing:
            browser.move(1)
            changed()


async def by_words(output: Output, frames: ReplayFrames, header: Sequence[str]) -> int:
    """By typed words, until the person has seen enough, or the input ends."""
    import trio

    for line in (*header, "", *help_lines(), ""):
        output.say(line)
    browser, answer = ReplayBrowser(frames), MOVED
    with contextlib.suppress(KeyboardInterrupt):  # Whoever only looks on leaves nothing behind.
        while not answer.done:
            for line in (*answer.lines, *(line.text for line in browser.moment.lines if answer.moved)):
                output.say(line)
            typed: str | None = ""  # While it plays, to wait is as good as an empty line: it goes on.
            with trio.move_on_after(browser.cursor.pace_s if browser.cursor.playing else math.inf):
                typed = await output.read_line()
            answer = Reply(done=True) if typed is None else browser.obey(typed)
    return DONE
