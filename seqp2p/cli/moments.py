"""A replay for people and for scripts: the reading of its file, its moments, and the review of its moves."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from seqp2p.api.replays import review
from seqp2p.bots.chance import CERTAIN
from seqp2p.bots.value import BadWeights
from seqp2p.cli import json_events, progress
from seqp2p.cli.events import action_line, row_of, table_seats
from seqp2p.cli.replays import MISSING_HINT, describe
from seqp2p.errors import NOT_VERIFIED, USAGE, UserError
from seqp2p.i18n import message, message_of, of_system
from seqp2p.match.events import Remarked, Turned
from seqp2p.replay.disk import NotAFile, read_regular
from seqp2p.replay.playback import CheatProved, Moment, Playback, play_back
from seqp2p.reviewing import Judged, Review
from seqp2p.rules import UNKNOWN, Position, Variant, format_action, view
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.plain import sequences_made
from seqp2p.ui.replay_browser import BoardMoment, MoveReview, ReplayFrames
from seqp2p.ui.scene import LogLine
from seqp2p.ui.words import Company, Story, listed, plain_reason, sequences_lines, settings_lines

COSTLY_SHOWN: Final = 5
CLOSED: Final = message("there is no review: the hands stayed closed in this game")
NOT_ENDED: Final = message("there is no review: hands are opened at the end of a game, which this one has not reached")
NO_TURNS: Final = message("there is no review: no turn was played")
PROGRESS_AFTER_S: Final = 0.5
"""Seconds that a file may take to read before progress is shown."""
VERIFY_HINT: Final = message("seqp2p verify FILE says more; replays end in .seqp2p")
FOLDER_HINT: Final = message("name one file; verify and stats take folders")


class Reviewed(NamedTuple):
    """A review, and the reason why it has no move; the reason is empty if it has one."""

    review: Review
    reason: str = ""


def review_of(playback: Playback) -> Reviewed:
    assert playback.agreement is not None, "without a table there is nothing to review"
    settings = playback.agreement.settings
    try:
        found = review(playback)
    except BadWeights as problem:
        return Reviewed(Review({}, ()), message("there is no review: {reason}", reason=message_of(problem)))
    if found.moves:
        return Reviewed(found)
    to_come = settings.open_hands and playback.report.verdict != "verified"
    return Reviewed(found, NO_TURNS if not found.closed else NOT_ENDED if to_come else CLOSED)


def why_not(reviewed: Reviewed, company: Company) -> str:
    """Return the reason why moves have no review, in the reader's language; empty if all have one."""
    if reviewed.reason or not reviewed.review.closed:
        return translate(reviewed.reason)
    seats = listed([company.name(seat) for seat in reviewed.review.closed])
    return t("there is no review of {seats}: these hands stayed closed", seats=seats)


def _move_review(playback: Playback, at: int, judged: Judged) -> MoveReview:
    turned, agreement = playback.moments[at].what, playback.agreement
    assert isinstance(turned, Turned), "a judged moment is a turn"
    assert agreement is not None, "a turn has a table"
    variant = agreement.settings.rules
    return MoveReview(
        seat=turned.seat,
        move=action_shown(variant, turned.action),
        chances=judged.chances,
        cost=judged.cost,
        better=action_shown(variant, judged.best) if judged.cost else "",
    )


def review_event(playback: Playback, reviewed: Reviewed) -> json_events.ReviewEvent:
    moves = [_judged_fields(playback.moments[at], at, judged) for at, judged in reviewed.review.moves.items()]
    return json_events.ReviewEvent(moves, reviewed.review.closed, reviewed.reason or None)


def _judged_fields(moment: Moment, at: int, judged: Judged) -> json_events.JudgedFields:
    assert isinstance(moment.what, Turned), "a judged moment is a turn"
    assert moment.position is not None, "a turn has a position"
    variant = moment.position.variant
    return json_events.JudgedFields(
        moment=at + 1,
        turn=moment.turn,
        seat=moment.what.seat,
        action=format_action(variant, moment.what.action),
        chances=[each / CERTAIN for each in judged.chances],
        chance=judged.chance / CERTAIN,
        best=format_action(variant, judged.best),
        best_chance=judged.best_chance / CERTAIN,
        cost=judged.cost / CERTAIN,
    )


def frames_of(title: str, playback: Playback, *, brief: bool = False, reviewed: Reviewed | None = None) -> ReplayFrames:
    """A replay as it is shown; only where there is a moment. ``brief``: where there is little room."""
    agreement = playback.agreement
    assert agreement is not None, "without a table there is nothing to show"
    company = Company.of(agreement)
    judged: Mapping[int, Judged] = reviewed.review.moves if reviewed else {}
    reviews = {at: _move_review(playback, at, each) for at, each in judged.items()}
    return ReplayFrames(
        title=title,
        verdict=describe(playback.report),
        is_right=playback.report.verdict == "verified",
        company=company,
        variant=agreement.settings.rules,
        moments=tuple(_moments(playback, company, reviews, brief=brief)),
        opened=playback.opened,
        costly=reviewed.review.costly(COSTLY_SHOWN) if reviewed else (),
        no_review=why_not(reviewed, company) if reviewed else "",
    )


def _moments(
    playback: Playback, company: Company, reviews: Mapping[int, MoveReview], *, brief: bool
) -> Iterator[BoardMoment]:
    assert playback.agreement is not None, "without a table there is nothing to show"
    story, variant = Story(), playback.agreement.settings.rules
    before: Position | None = None
    for at, moment in enumerate(playback.moments):
        if isinstance(moment.what, Turned):
            story.turned(moment.what.seat, moment.what.action)
        lines = tuple(moment_lines(moment, before, company, variant, brief=brief))
        if at in reviews and reviews[at].mark:
            lines = (lines[0]._replace(text=lines[0].text + reviews[at].mark), *lines[1:])
        moves = tuple(action for _, action in story.since(0))
        yield BoardMoment(moment.turn, lines, moment.position, moves, bool(moment.made), reviews.get(at))
        before = moment.position


def moment_lines(
    moment: Moment, before: Position | None, company: Company, variant: Variant, *, brief: bool = False
) -> Iterator[LogLine]:
    """Tell a moment in sentences; ``before`` is the position before it. ``brief``: where there is little room."""
    row = row_of(moment.what, variant)
    tone = row.tone if isinstance(moment.what, Remarked | CheatProved) else "log"
    lines = (
        [_action_line(moment, moment.what, company, variant, brief=brief)]
        if isinstance(moment.what, Turned)
        else row.lines(company)
    )
    colour = company.colour(moment.what.seat) if isinstance(moment.what, Turned) else ""
    for text in lines:
        yield LogLine(tone, text, colour)
    if moment.drew and not isinstance(moment.what, Turned) and moment.drew[1] != UNKNOWN:
        seat, card = moment.drew
        yield LogLine("log", t("{who} draws {card}", who=company.name(seat), card=card_shown(variant, card)))
    if before and moment.position and (moment.made or moment.lost):
        old, new = (sequences_made(view(position, 0)) for position in (before, moment.position))
        for text in sequences_lines(company, old, new, moment.position.table.sequences_to_win):
            yield LogLine("log", text)


def _action_line(moment: Moment, turned: Turned, company: Company, variant: Variant, *, brief: bool) -> str:
    if moment.drew is None or moment.drew[1] == UNKNOWN:
        return action_line(company, variant, turned.turn, turned.seat, turned.action)
    who, action = company.name(turned.seat), action_shown(variant, turned.action)
    card = card_shown(variant, moment.drew[1])
    if brief:
        return t("{turn:>3}. {who}  {action} +{card}", turn=turned.turn, who=who, action=action, card=card)
    return t("{turn:>3}. {who}  {action}, draws {card}", turn=turned.turn, who=who, action=action, card=card)


def read_file(file: Path) -> bytes:
    """Return the data of a file, or a little more of it than any replay has. Raises UserError."""
    code = NOT_VERIFIED
    try:
        return read_regular(file)
    except NotAFile:
        problem, hint = t("{file} is not a file", file=file), FOLDER_HINT if file.is_dir() else VERIFY_HINT
    except (FileNotFoundError, NotADirectoryError):
        problem, hint, code = t("there is no file {file}", file=file), MISSING_HINT, USAGE
    except OSError as error:
        problem, hint = t("{file} cannot be read: {reason}", file=file, reason=of_system(error)), VERIFY_HINT
    raise UserError(problem, hint, code)


def play_file(file: Path, data: bytes) -> Playback:
    """The replay in this data, while it is said how far that is; raises UserError where it shows nothing."""
    begun = time.monotonic()

    def tell_progress(read: int) -> None:
        if time.monotonic() > begun + PROGRESS_AFTER_S:
            progress.show(t("verifying the replay… {percent} %", percent=100 * read // len(data)))

    playback = play_back(data, tell_progress)
    progress.wipe()
    if playback.agreement is None:
        reason = plain_reason(playback.report.reason or "")
        raise UserError(t("{file} shows no game: {reason}", file=file, reason=reason), VERIFY_HINT, NOT_VERIFIED)
    return playback


def header_lines(playback: Playback) -> list[str]:
    agreement = playback.agreement
    assert agreement is not None, "without a table there is nothing to show"
    return [describe(playback.report), "", *settings_lines(agreement.settings), *table_seats(agreement)]
