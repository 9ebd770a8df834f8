"""A replay told again: every moment in sentences for people, in one object for scripts."""

from collections.abc import Iterator
from typing import Any, Final

from seqp2p.cli.event_table import action_line, row_of
from seqp2p.cli.verify import describe
from seqp2p.match.events import Finished, Remarked, Turned
from seqp2p.replay.playback import CheatProved, Moment, Playback
from seqp2p.rules import (
    ACTION_ROWS,
    UNKNOWN,
    Action,
    CompletedSequence,
    Position,
    Variant,
    format_card,
    format_ends,
    format_position,
    view,
)
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import t
from seqp2p.ui.plain import sequences_made
from seqp2p.ui.replay_browser import BoardMoment, ReplayFrames
from seqp2p.ui.scene import LogLine
from seqp2p.ui.words import Company, sequences_lines

# The fields of an event that a moment has, too.
_OF_EVENT: Final = frozenset({"seat", "action", "seats", "text"})


class Brief(Company):
    """A company whose seats are told by their names alone: the numbers stand beside them on the screen."""

    def who(self, seat: int) -> str:
        """``ann``."""
        return self.names[seat - 1]


def frames_of(title: str, playback: Playback, *, brief: bool = False) -> ReplayFrames:
    """A replay as it is shown; only where there is a moment. ``brief``: where there is little room."""
    agreement = playback.agreement
    assert agreement is not None, "without a table there is nothing to show"
    company = (Brief if brief else Company).of(agreement)
    return ReplayFrames(
        title=title,
        verdict=describe(playback.report),
        is_right=playback.report.verdict == "verified",
        company=company,
        variant=agreement.settings.rules,
        moments=tuple(_moments(playback, company, agreement.settings.rules)),
        opened=playback.opened,
    )


def _moments(playback: Playback, company: Company, variant: Variant) -> Iterator[BoardMoment]:
    last: Action | None = None
    before: Position | None = None
    for moment in playback.moments:
        if isinstance(moment.what, Turned) and ACTION_ROWS[moment.what.action.kind].moves_chip:
            last = moment.what.action
        lines = tuple(moment_lines(moment, before, company, variant))
        yield BoardMoment(moment.turn, lines, moment.position, last, bool(moment.made))
        before = moment.position


def moment_lines(moment: Moment, before: Position | None, company: Company, variant: Variant) -> Iterator[LogLine]:
    """Tell a moment in sentences; ``before`` is the position before it."""
    row = row_of(moment.what, variant)
    tone = row.tone if isinstance(moment.what, Remarked | CheatProved) else "log"
    lines = (
        [_action_line(moment, moment.what, company, variant)] if isinstance(moment.what, Turned) else row.lines(company)
    )
    for text in lines:
        yield LogLine(tone, text)
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
