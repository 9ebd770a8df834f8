"""``seqp2p show FILE``: look at a replay, moment by moment; every proof in it is checked on the way."""

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import trio

from seqp2p.cli import home, progress
from seqp2p.cli.checking import MISSING_HINT, resolved
from seqp2p.cli.common import ReplayPath
from seqp2p.cli.event_table import action_line, row_of, table_seats
from seqp2p.cli.my_games import past_games
from seqp2p.cli.output import DONE, NOT_VERIFIED, USAGE, CommandError, Output, what_failed
from seqp2p.cli.reviewing import COSTLY_SHOWN, NO_TURNS, Reviewed, move_reviews, review_fields, review_of, why_not
from seqp2p.cli.running import run_async
from seqp2p.cli.screening import ScreenWish, can_show, on_screen, screen_options
from seqp2p.cli.verify import describe, known_names, plain_reason, verdict_fields
from seqp2p.i18n import message
from seqp2p.match.events import Finished, Remarked, Turned
from seqp2p.replay.disk import NotAFile, read_regular
from seqp2p.replay.playback import CheatProved, Moment, Playback, play_back
from seqp2p.rules import UNKNOWN, CompletedSequence, Position, Variant, format_card, format_ends, format_position, view
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.plain import sequences_made
from seqp2p.ui.replay_browser import (
    Answer,
    BoardMoment,
    MoveReview,
    ReplayBrowser,
    ReplayFrames,
    costly_lines,
    curve_lines,
    help_lines,
)
from seqp2p.ui.scene import LogLine
from seqp2p.ui.words import Company, Story, sequences_lines, settings_lines

# The fields of an event that a moment has, too.
_OF_EVENT: Final = frozenset({"seat", "action", "seats", "text"})


class Brief(Company):
    """A company whose seats are told by their names alone: the numbers stand beside them on the screen."""

    def who(self, seat: int) -> str:
        """``ann``."""
        return self.names[seat - 1]


def frames_of(title: str, playback: Playback, *, brief: bool = False, reviewed: Reviewed | None = None) -> ReplayFrames:
    """A replay as it is shown; only where there is a moment. ``brief``: where there is little room."""
    agreement = playback.agreement
    assert agreement is not None, "without a table there is nothing to show"
    company = (Brief if brief else Company).of(agreement)
    reviews = move_reviews(playback, reviewed) if reviewed else {}
    return ReplayFrames(
        title=title,
        verdict=describe(playback.report),
        is_right=playback.report.verdict == "verified",
        company=company,
        variant=agreement.settings.rules,
        moments=tuple(_moments(playback, company, agreement.settings.rules, reviews)),
        opened=playback.opened,
        costly=reviewed.review.costly(COSTLY_SHOWN) if reviewed else (),
        no_review=why_not(reviewed, company) if reviewed else "",
    )


def _moments(
    playback: Playback, company: Company, variant: Variant, reviews: Mapping[int, MoveReview]
) -> Iterator[BoardMoment]:
    story = Story()
    before: Position | None = None
    for at, moment in enumerate(playback.moments):
        if isinstance(moment.what, Turned):
            story.turned(moment.what.seat, moment.what.action)
        lines = tuple(moment_lines(moment, before, company, variant))
        moves = tuple(action for _, action in story.since(0))
        yield BoardMoment(moment.turn, lines, moment.position, moves, bool(moment.made), reviews.get(at))
        before = moment.position


def moment_lines(moment: Moment, before: Position | None, company: Company, variant: Variant) -> Iterator[LogLine]:
    """Tell a moment in sentences; ``before`` is the position before it."""
    row = row_of(moment.what, variant)
    tone = row.tone if isinstance(moment.what, Remarked | CheatProved) else "log"
    lines = (
        [_action_line(moment, moment.what, company, variant)] if isinstance(moment.what, Turned) else row.lines(company)
    )
    colour = company.colour(moment.what.seat) if isinstance(moment.what, Turned) else ""
    for text in lines:
        yield LogLine(tone, text, colour)
    if moment.drew and not isinstance(moment.what, Turned) and moment.drew[1] != UNKNOWN:
        seat, card = moment.drew
        yield LogLine("log", t("{who} draws {card}", who=company.who(seat), card=card_shown(variant, card)))
    if before and moment.position and (moment.made or moment.lost):
        old, new = (sequences_made(view(position, 0)) for position in (before, moment.position))
        for text in sequences_lines(company, old, new, moment.position.table.sequences_to_win):
            yield LogLine("log", text)


def _action_line(moment: Moment, turned: Turned, company: Company, variant: Variant) -> str:
    if moment.drew is None or moment.drew[1] == UNKNOWN:
        return action_line(company, variant, turned.turn, turned.seat, turned.action)
    who, action = company.who(turned.seat), action_shown(variant, turned.action)
    card = card_shown(variant, moment.drew[1])
    if isinstance(company, Brief):
        return t("{turn:>3}. {who}: {action} +{card}", turn=turned.turn, who=who, action=action, card=card)
    return t("{turn:>3}. {who}: {action}, draws {card}", turn=turned.turn, who=who, action=action, card=card)


# For scripts.


def moment_fields(number: int, moment: Moment, variant: Variant) -> dict[str, Any]:
    """Return the fields of a moment, as docs/scripting.md has them."""
    row = row_of(moment.what, variant)
    fields: dict[str, Any] = {
        "moment": number,
        "what": row.name,
        "turn": moment.turn,
        "step": moment.step,
        "seat": None,
        "action": None,
        "seats": (),
        "text": None,
        "drew": None,
        "made": [_sequence(variant, each) for each in moment.made],
        "lost": [_sequence(variant, each) for each in moment.lost],
        "position": format_position(moment.position) if moment.position else None,
    }
    if moment.drew:
        seat, card = moment.drew
        fields["drew"] = {"seat": seat, "card": None if card == UNKNOWN else format_card(variant, card)}
    if isinstance(moment.what, Finished):
        result = moment.what.result
        return fields | {"action": result.kind, "seats": result.winners, "text": result.reason or None}
    return fields | {name: value for name, value in row.fields.items() if name in _OF_EVENT}


def _sequence(variant: Variant, made: CompletedSequence) -> dict[str, Any]:
    return {"team": made.team, "line": format_ends(variant, (made.squares[0], made.squares[-1]))}


PROGRESS_AFTER_S: Final = 0.5
"""Seconds that a file may take to read before progress is shown."""
HINT: Final = message("seqp2p verify FILE says more; replays end in .seqp2p")
FOLDER_HINT: Final = message("name one file; verify and stats take folders")


@click.command(
    "show",
    help=message(
        "Look at a replay, moment by moment.\n\n"
        "FILE can be last, for the last of your games; without FILE they are listed, and one is asked for.\n\n"
        "Everything in it is verified first; what is damaged is shown as far as it is right. With --plain a terminal is"
        " asked for words, like next, back, 12, board, hands, play; without a terminal the whole game is printed.\n\n"
        "--review prints the chance of each team to win after each turn, as the seat that moved could know it, and the"
        " moves that cost most. Only opened hands have a review."
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
    file = chosen_file(output) if file is None else resolved(file)
    playback = play_file(file, read_file(file))
    if output.json:
        emit_moments(output, file, playback, with_review=with_review)
        raise SystemExit(DONE)
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if with_review or not playback.moments or not on_terminal:
        lines = whole_review(file, playback, plain=wish.plain) if with_review else whole_lines(file, playback)
        for line in (*header_lines(playback), "", *lines):
            output.say(line)
        raise SystemExit(DONE)
    on_screen_page = can_show(output, wish)
    frames = frames_of(file.name, playback, brief=on_screen_page, reviewed=review_of(playback))
    if on_screen_page:
        raise SystemExit(run_async(lambda: on_page(output, wish, frames)))
    raise SystemExit(run_async(lambda: by_words(output, frames, header_lines(playback))))


def chosen_file(output: Output) -> Path:
    """List the last games, and ask for the number of one. Raises CommandError."""
    if output.json or not sys.stdin.isatty():
        raise CommandError(t("name a replay, or last"), HINT, USAGE)
    games: list[Path] = []
    for number, game in enumerate(past_games(folder := home.shown_dir(None)), 1):
        games.append(game.path)
        output.say(f"{number:>3}  {game.line}")
    if not games:
        raise CommandError(t("there is no such game in {folder}", folder=folder), MISSING_HINT)
    while True:
        typed = str(click.prompt(t("which one? (1 is the last)"), default="1", prompt_suffix=" ", show_default=False))
        if typed.strip().isdecimal() and 1 <= int(typed) <= len(games):
            return games[int(typed) - 1]
        output.say(t("type a number from 1 to {most}", most=len(games)))


def read_file(file: Path) -> bytes:
    """Return the data of a file, or a little more of it than any replay has. Raises CommandError."""
    hint = HINT
    try:
        return read_regular(file)
    except NotAFile:
        problem, hint = t("{file} is not a file", file=file), FOLDER_HINT if file.is_dir() else HINT
    except FileNotFoundError:
        problem, hint = t("there is no file {file}", file=file), MISSING_HINT
    except OSError as error:
        problem = t("{file} cannot be read: {reason}", file=file, reason=what_failed(error))
    raise CommandError(problem, hint, NOT_VERIFIED)


def play_file(file: Path, data: bytes) -> Playback:
    """The replay in this data, while it is said how far that is; raises CommandError where it shows nothing."""
    begun = time.monotonic()

    def tell_progress(read: int) -> None:
        if time.monotonic() > begun + PROGRESS_AFTER_S:
            progress.show(t("the replay is verified… {percent} %", percent=100 * read // len(data)))

    playback = play_back(data, tell_progress)
    progress.wipe()
    if playback.agreement is None:
        reason = plain_reason(playback.report.reason or "")
        raise CommandError(t("{file} shows no game: {reason}", file=file, reason=reason), HINT, NOT_VERIFIED)
    return playback


def header_lines(playback: Playback) -> list[str]:
    """Return the verdict, the settings of the table, and its seats."""
    agreement = playback.agreement
    assert agreement is not None, "without a table there is nothing to show"
    return [describe(playback.report), "", *settings_lines(agreement.settings), *table_seats(agreement)]


def whole_lines(file: Path, playback: Playback) -> list[str]:
    """The whole game: every moment, and how it lay in the end."""
    if not playback.moments:
        return []
    frames = frames_of(file.name, playback)
    browser = ReplayBrowser(frames)
    browser.end()
    hands = browser.hands() if frames.opened else ()
    return [*(line.text for moment in frames.moments for line in moment.lines), "", *browser.board(), *hands]


def whole_review(file: Path, playback: Playback, *, plain: bool) -> list[str]:
    """Return the chances after every move, the moves that cost most, and why others have no review."""
    if not playback.moments:
        return [translate(NO_TURNS)]
    frames = frames_of(file.name, playback, reviewed=review_of(playback))
    return [*curve_lines(frames, bars=not plain), *costly_lines(frames)]


def emit_moments(output: Output, file: Path, playback: Playback, *, with_review: bool) -> None:
    assert playback.agreement is not None, "without a table there is nothing to tell"
    for number, moment in enumerate(playback.moments, 1):
        output.event("moment", **moment_fields(number, moment, playback.agreement.settings.rules))
    if with_review:
        output.event("review", **review_fields(playback, review_of(playback)))
    output.event("verdict", **verdict_fields(file, playback.report, known_names(output)))


async def on_page(output: Output, wish: ScreenWish, frames: ReplayFrames) -> int:
    """On the screen, until the person has seen enough."""
    # What paints takes its time to import: whoever wants lines does without it.
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
    while True:
        await trio.sleep(browser.cursor.pace_s)
        if browser.cursor.playing:
            browser.step(1)
            changed()


async def by_words(output: Output, frames: ReplayFrames, header: Sequence[str]) -> int:
    """By typed words, until the person has seen enough, or the input ends."""
    for line in (*header, "", *help_lines(), ""):
        output.say(line)
    browser = ReplayBrowser(frames)
    _say_shot(output, browser)
    with contextlib.suppress(KeyboardInterrupt):  # Whoever only looks on leaves nothing behind.
        while await _obey(output, browser):
            pass
    return DONE


async def _obey(output: Output, browser: ReplayBrowser) -> bool:
    """Wait for a line, or for the next moment while it plays; says whether to go on."""
    typed: str | None = None
    with trio.move_on_after(browser.cursor.pace_s if browser.cursor.playing else math.inf) as patience:
        typed = await output.read_line()
    if patience.cancelled_caught:
        browser.step(1)
        _say_shot(output, browser)
        return True
    answer = Answer(done=True) if typed is None else browser.obey(typed)
    for line in answer.lines:
        output.say(line)
    if answer.moved:
        _say_shot(output, browser)
    return not answer.done


def _say_shot(output: Output, browser: ReplayBrowser) -> None:
    for line in browser.moment.lines:
        output.say(line.text)
