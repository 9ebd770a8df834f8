"""The table of events, a row each: its name and fields for scripts, its sentences and their tone for people.

The rows of a match's own events take name and fields from ``match.events.plain``, which bots are told, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from seqp2p.crypto.identity import fingerprint
from seqp2p.live.absence import Absent, Back
from seqp2p.match import events
from seqp2p.match.table import Agreement
from seqp2p.replay.playback import CheatProved, ReplayEvent, Reshuffled, SeatLeft, named
from seqp2p.rules import Action, DealerDraw, Variant
from seqp2p.ui import words
from seqp2p.ui.cards import action_shown, card_shown, colour_name
from seqp2p.ui.language import t, translate

AnyEvent: TypeAlias = events.Event | ReplayEvent | Absent | Back
"""An event of a match, of the live game around it, or of a replay."""
Tone: TypeAlias = Literal["setup", "log", "remark", "alarm"]
"""The look of a line. One of the setup is no part of the story of the game."""
Lines: TypeAlias = Callable[[words.Company], list[str]]


@dataclass(frozen=True, slots=True)
class EventRow:
    """The row of an event. Fields that only the caller knows, ``seconds`` and ``name``, are None."""

    name: str
    fields: dict[str, Any]
    lines: Lines
    tone: Tone = "log"


def row_of(event: AnyEvent, variant: Variant) -> EventRow:  # a row for each event
    match event:
        case Absent(seat, grace_s, later):
            fields = {"seat": seat, "name": None, "grace_s": grace_s, "later": later}
            line = words.stopped_line if later else words.absent_line
            return EventRow("absent", fields, lambda company: [line(company, seat, grace_s)], "alarm")
        case Back(seat):
            return EventRow("back", {"seat": seat}, lambda company: [words.back_line(company, seat)])
        case _:
            return EventRow(*named(event, variant), *_lines(event, variant))


def _lines(event: events.Event | ReplayEvent, variant: Variant) -> tuple[Lines, Tone]:  # noqa: C901, PLR0911, PLR0912  # a row for each event
    match event:
        case events.Seated(draw):
            return lambda company: _dealer_lines(draw, company, variant), "setup"
        case events.Shuffled(seat, number, _, seats):
            return lambda company: [words.shuffled_line(company, seat, number, seats)], "setup"
        case events.Dealt():
            return lambda _: [t("the cards are dealt")], "setup"
        case events.Turned(turn, seat, action):
            return lambda company: [action_line(company, variant, turn, seat, action)], "log"
        case events.Drawn():
            return lambda _: [], "log"  # Its holder sees the card.
        case events.Remarked(seat, _, text, courtesy):
            return lambda company: [words.remark_line(company, seat, text, courtesy=courtesy)], "remark"
        case events.Voted(seat, _, action, about):
            return lambda company: [words.vote_line(company, seat, action, about)], "alarm"
        case events.Skipped(seat):
            return lambda company: [words.skipped_line(company, seat)], "log"
        case events.Dropped(seats):
            return lambda company: [words.dropped_line(company, seats)], "alarm"
        case events.Redealt():
            return lambda _: [translate(words.REDEAL_LINE)], "log"
        case events.Undone(step):
            text = t("step {step} is taken back: the table has decided otherwise, and it is played again", step=step)
            return lambda _: [text], "log"
        case events.Finished(result):
            return lambda company: [words.result_line(company, result)], "log"
        case Reshuffled():
            return lambda _: [translate(words.RESHUFFLED_LINE)], "log"
        case SeatLeft(seat):
            return lambda company: [t("{who} leaves the table", who=company.name(seat))], "log"
        case CheatProved(_, reason):
            return lambda company: [company.to_reader(words.plain_reason(reason))], "alarm"


def table_seats(agreement: Agreement, own: int = 0) -> list[str]:
    """Return a line for each seat of an agreed table; ``own`` is the reader's."""
    company = words.Company.of(agreement, own)
    return [
        t(
            "seat {seat}: {name}  {colour}  {fingerprint}",
            seat=number,
            name=t("{name} (you)", name=seat.name) if number == own else seat.name,
            colour=colour_name(company.colour(number)),
            fingerprint=fingerprint(seat.key),
        )
        for number, seat in enumerate(agreement.seats, 1)
    ]


def action_line(company: words.Company, variant: Variant, turn: int, seat: int, action: Action) -> str:
    shown = action_shown(variant, action)
    return t("{turn:>3}. {who}  {action}", turn=turn, who=company.name(seat), action=shown)


def _dealer_lines(draw: DealerDraw, company: words.Company, variant: Variant) -> list[str]:
    rounds = [[f"{company.name(seat)} {card_shown(variant, card)}" for seat, card in turned] for turned in draw.rounds]
    return [
        *(t("turned over: {cards}", cards=t("; ").join(cards)) for cards in rounds),
        t("you deal") if draw.dealer == company.own else t("{who} deals", who=company.name(draw.dealer)),
    ]
