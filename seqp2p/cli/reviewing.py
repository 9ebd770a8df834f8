"""The review of a replay for people and for scripts."""

from typing import Any, Final, NamedTuple

from seqp2p.bots.chance import CERTAIN
from seqp2p.bots.value import BadWeights, shipped
from seqp2p.i18n import message, message_of
from seqp2p.match.events import Turned
from seqp2p.replay.playback import Playback
from seqp2p.review import Judged, Review, review
from seqp2p.rules import format_action, team_of
from seqp2p.ui.cards import action_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.replay_browser import MoveReview
from seqp2p.ui.words import Company, listed

COSTLY_SHOWN: Final = 5
CLOSED: Final = message("there is no review: the hands stayed closed in this game")
NO_TURNS: Final = message("there is no review: no turn was played")


class Reviewed(NamedTuple):
    """A review, and the reason why it has no move; the reason is empty if it has one."""

    review: Review
    reason: str = ""


def review_of(playback: Playback) -> Reviewed:
    """Return the review of a replay with a table."""
    assert playback.agreement is not None, "without a table there is nothing to review"
    settings = playback.agreement.settings
    try:
        found = review(playback, shipped(settings.rules, settings.teams))
    except BadWeights as problem:
        return Reviewed(Review({}, ()), message("there is no review: {reason}", reason=message_of(problem)))
    if found.moves:
        return Reviewed(found)
    return Reviewed(found, CLOSED if found.closed else NO_TURNS)


def why_not(reviewed: Reviewed, company: Company) -> str:
    """Return the reason why moves have no review, in the reader's language; empty if all have one."""
    if reviewed.reason or not reviewed.review.closed:
        return translate(reviewed.reason)
    seats = listed([company.who(seat) for seat in reviewed.review.closed])
    return t("there is no review of {seats}: these hands stayed closed", seats=seats)


def move_reviews(playback: Playback, reviewed: Reviewed) -> dict[int, MoveReview]:
    """Return the reviews of moves as they are shown, by moment."""
    return {at: _move_review(playback, at, judged) for at, judged in reviewed.review.moves.items()}


def _move_review(playback: Playback, at: int, judged: Judged) -> MoveReview:
    turned, agreement = playback.moments[at].what, playback.agreement
    assert isinstance(turned, Turned), "a judged moment is a turn"
    assert agreement is not None, "a turn has a table"
    variant, team = agreement.settings.rules, team_of(turned.seat, agreement.settings.teams)
    return MoveReview(
        seat=turned.seat,
        move=action_shown(variant, turned.action),
        chances=judged.chances,
        cost=judged.cost,
        better=action_shown(variant, judged.best) if judged.cost else "",
        better_chance=judged.best_chances[team - 1],
    )


def review_fields(playback: Playback, reviewed: Reviewed) -> dict[str, Any]:
    """Return the fields of the event ``review``."""
    return {
        "moves": [_move_fields(playback, at, judged) for at, judged in reviewed.review.moves.items()],
        "closed": reviewed.review.closed,
        "reason": reviewed.reason or None,
    }


def _move_fields(playback: Playback, at: int, judged: Judged) -> dict[str, Any]:
    moment = playback.moments[at]
    assert isinstance(moment.what, Turned), "a judged moment is a turn"
    assert moment.position is not None, "a turn has a position"
    variant = moment.position.variant
    return {
        "moment": at + 1,
        "turn": moment.turn,
        "seat": moment.what.seat,
        "action": format_action(variant, moment.what.action),
        "chances": [chance / CERTAIN for chance in judged.chances],
        "best": format_action(variant, judged.best),
        "best_chances": [chance / CERTAIN for chance in judged.best_chances],
        "cost": judged.cost / CERTAIN,
    }
