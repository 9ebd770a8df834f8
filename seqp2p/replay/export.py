"""Replays for others to read: as the text of the game (``rules.game_text``). No I/O."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from seqp2p.match.events import Dealt, Dropped, Skipped, Turned
from seqp2p.match.table import Agreement
from seqp2p.replay.playback import Moment, Playback
from seqp2p.rules import ACTION_ROWS, SKIP, UNKNOWN, Dropping, GameText, Hand, Happening, Move, Position


@dataclass(frozen=True, slots=True)
class Stretch:
    """An event of cards and chips, and the position before it."""

    what: Dealt | Turned | Skipped | Dropped
    drawn: int  # the card drawn by it; UNKNOWN if there is none, or it is hidden
    after: Position


def stretches(playback: Playback) -> tuple[Stretch, ...]:
    """Return the moments from the deal on that change the table; empty if no cards were dealt."""
    count = 0

    def part(moment: Moment) -> int:
        nonlocal count
        count += isinstance(moment.what, Dealt | Turned | Skipped | Dropped)
        return count

    return tuple(_stretch([*moments]) for number, moments in groupby(playback.moments, part) if number)


def game_text(playback: Playback) -> GameText | None:
    """Return the game of a replay, with the hands that are opened; None if no cards were dealt."""
    parts = stretches(playback)
    if not parts:
        return None
    agreement, first = playback.agreement, parts[0].after
    assert isinstance(agreement, Agreement), "there is no moment without a table"
    settings = agreement.settings
    return GameText(
        variant=settings.rules,
        players=settings.players,
        teams=settings.teams,
        options=settings.options,
        first_seat=first.to_move,
        hands=first.hands,
        moves=tuple(_happenings(parts)),
    )


def _stretch(moments: Sequence[Moment]) -> Stretch:
    what, after = moments[0].what, moments[-1].position
    assert isinstance(what, Dealt | Turned | Skipped | Dropped), "these begin a stretch"
    assert after is not None, "the cards are dealt"
    # The card comes after a reshuffle, and after remarks.
    drawn = next((moment.drew[1] for moment in moments if moment.drew), UNKNOWN)
    return Stretch(what, drawn, after)


def _happenings(parts: Sequence[Stretch]) -> Iterator[Happening]:
    before = parts[0].after
    for part in parts[1:]:
        what, after = part.what, part.after
        if isinstance(what, Turned):
            shown: Hand = ()
            if ACTION_ROWS[what.action.kind].shows == "hand":
                new = Counter(after.hands[what.seat - 1]) - Counter(before.hands[what.seat - 1])
                shown = tuple(sorted(card for card in new.elements() if card != UNKNOWN))
            yield Move(what.action, part.drawn, shown)
        elif isinstance(what, Dropped):
            yield Dropping(what.seats, tuple(after.hands[seat - 1] for seat in after.staying))
        else:
            yield SKIP
        before = after
