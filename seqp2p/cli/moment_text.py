"""A replay told again: every moment in sentences for people, in one object for scripts."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final

from seqp2p.cli.verify import describe, plain_reason
from seqp2p.match.events import Dealt, Dropped, Finished, Redealt, Remarked, Seated, Skipped, Turned, Voted
from seqp2p.match.play_steps import PLACINGS
from seqp2p.replay.playback import CheatProved, Moment, Playback, ReplayEvent, Reshuffled, SeatLeft
from seqp2p.rules import (
    UNKNOWN,
    Action,
    CompletedSequence,
    Position,
    Variant,
    format_action,
    format_card,
    format_ends,
    format_position,
    view,
)
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.language import t, translate
from seqp2p.ui.plain import sequences_made
from seqp2p.ui.replay_browser import BoardMoment, ReplayFrames
from seqp2p.ui.scene import LogLine
from seqp2p.ui.words import (
    REDEAL_LINE,
    RESHUFFLED_LINE,
    Company,
    dealer_line,
    dropped_line,
    listed,
    named,
    remark_line,
    result_line,
    sequences_lines,
    skipped_line,
    vote_line,
)

# What scripts are told of what happened; a turn is told by its action.
KINDS: Final = MappingProxyType(
    {
        Seated: "dealer",
        Dealt: "dealt",
        Remarked: "remark",
        Voted: "vote",
        Skipped: "skipped",
        Dropped: "dropped",
        Redealt: "redeal",
        Reshuffled: "reshuffle",
        SeatLeft: "left",
        CheatProved: "proved",
        Finished: "over",
    }
)
# The actions that move a chip, which is marked as the last one.
CHIPS: Final = frozenset({"place", "remove"})


class Brief(Company):
    """A company whose seats are told by their names alone: the numbers stand beside them on the screen."""

    def who(self, seat: int) -> str:
        """``ann``."""
        return self.names[seat - 1]


def film_of(title: str, playback: Playback, *, brief: bool = False) -> ReplayFrames:
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
        shots=tuple(_shots(playback, company, agreement.settings.rules)),
        opened=playback.opened,
    )


def _shots(playback: Playback, company: Company, variant: Variant) -> Iterator[BoardMoment]:
    last: Action | None = None
    before: Position | None = None
    for moment in playback.moments:
        if isinstance(moment.what, Turned) and moment.what.action.kind in CHIPS:
            last = moment.what.action
        lines = tuple(moment_lines(moment, before, company, variant))
        yield BoardMoment(moment.turn, lines, moment.position, last, bool(moment.made))
        before = moment.position


def moment_lines(moment: Moment, before: Position | None, company: Company, variant: Variant) -> Iterator[LogLine]:
    """What happened, in sentences; ``before`` is the position that it happened to."""
    kind = "remark" if isinstance(moment.what, Remarked) else "alarm" if isinstance(moment.what, CheatProved) else "log"
    for text in _told(moment, company, variant):
        yield LogLine(kind, text)
    if moment.drew and not isinstance(moment.what, Turned) and moment.drew[1] != UNKNOWN:
        seat, card = moment.drew
        yield LogLine("log", t("{who} draws {card}", who=company.who(seat), card=card_shown(variant, card)))
    if before and moment.position and (moment.made or moment.lost):
        old, new = (sequences_made(view(position, 0)) for position in (before, moment.position))
        for text in sequences_lines(company, old, new, moment.position.table.sequences_to_win):
            yield LogLine("log", text)


def _told(moment: Moment, company: Company, variant: Variant) -> Iterator[str]:
    match moment.what:
        case Seated(draw):
            for turned in draw.rounds:
                cards = [f"{company.who(seat)} {card_shown(variant, card)}" for seat, card in turned]
                yield t("turned over: {cards}", cards=listed(cards))
            yield dealer_line(company, draw.dealer)
        case Dealt():
            yield t("the cards are dealt")
        case Turned():
            yield _action_line(moment, moment.what, company, variant)
        case Remarked(seat, _, text, courtesy):
            yield remark_line(company, seat, text, courtesy=courtesy)
        case Reshuffled():
            yield translate(RESHUFFLED_LINE)
        case Finished(result):
            yield result_line(company, result)
        case _:
            yield _absence_line(moment.what, company)


def _absence_line(what: Voted | Skipped | Dropped | Redealt | SeatLeft | CheatProved, company: Company) -> str:
    match what:
        case Voted(seat, _, action, about):
            return vote_line(company, seat, action, about)
        case Skipped(seat):
            return skipped_line(company, seat)
        case Dropped(seats):
            return dropped_line(company, seats)
        case Redealt():
            return translate(REDEAL_LINE)
        case SeatLeft(seat):
            return t("{who} leaves the table", who=company.who(seat))
        case CheatProved(_, reason):
            return named(plain_reason(reason), company.names)


def _action_line(moment: Moment, turned: Turned, company: Company, variant: Variant) -> str:
    who, action = company.who(turned.seat), action_shown(variant, turned.action)
    if moment.drew is None or moment.drew[1] == UNKNOWN:
        return t("{turn:>3}. {who}: {action}", turn=turned.turn, who=who, action=action)
    card = card_shown(variant, moment.drew[1])
    if isinstance(company, Brief):
        return t("{turn:>3}. {who}: {action} +{card}", turn=turned.turn, who=who, action=action, card=card)
    return t("{turn:>3}. {who}: {action}, draws {card}", turn=turned.turn, who=who, action=action, card=card)


# For scripts.


def moment_fields(number: int, moment: Moment, variant: Variant) -> dict[str, Any]:
    """The fields of a moment in docs/scripting.md."""
    fields: dict[str, Any] = {
        "moment": number,
        "what": _kind_of(moment.what),
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
    return fields | _happened(moment, variant)


def _sequence(variant: Variant, made: CompletedSequence) -> dict[str, Any]:
    return {"team": made.team, "line": format_ends(variant, (made.squares[0], made.squares[-1]))}


def _happened(moment: Moment, variant: Variant) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    match moment.what:
        case Seated(draw):
            fields = {"seat": draw.dealer}
        case Turned(_, seat, action):
            fields = {"seat": seat, "action": format_action(variant, action)}
        case Remarked(seat, _, text):
            fields = {"seat": seat, "text": text}
        case Voted(seat, _, action, about):
            fields = {"seat": seat, "action": action, "seats": about}
        case Skipped(seat) | SeatLeft(seat):
            fields = {"seat": seat}
        case Dropped(seats):
            fields = {"seats": seats}
        case CheatProved(seat, reason):
            fields = {"seat": seat, "text": str(reason)}
        case Finished(result):
            fields = {"action": result.kind, "seats": result.winners, "text": result.reason or None}
        case _:
            pass
    return fields


def _kind_of(what: ReplayEvent) -> str:
    if isinstance(what, Turned):
        return "turn" if what.action.kind in PLACINGS else what.action.kind
    return KINDS[type(what)]
