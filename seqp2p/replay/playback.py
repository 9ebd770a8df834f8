"""A replay as a row of moments: events, and the position after each. No I/O.

Theory of operation. ``verify`` reads the file as usual, and this module follows: every event of a record becomes a
moment, with the position after it. In this position every hand is hidden, as for a spectator, and the ciphertexts of
each hand are kept with it. A replay can end with the game secrets x_i of seats: then share = x_i·a opens every
ciphertext that was ever dealt to seat i, and its hands are known from the deal on.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any, TypeAlias

import msgspec

from seqp2p.crypto.elgamal import Ciphertext
from seqp2p.crypto.group import Point, mul, sub
from seqp2p.crypto.identity import fingerprint
from seqp2p.i18n import message_of
from seqp2p.match.events import (
    Dealt,
    Drawn,
    Dropped,
    Event,
    Finished,
    Redealt,
    Remarked,
    Result,
    Seated,
    Shuffled,
    Skipped,
    Turned,
    Voted,
    plain,
)
from seqp2p.match.game import without_forfeit
from seqp2p.match.machine import Match
from seqp2p.match.table import Agreement, SeatEntry, Settings
from seqp2p.replay.decoded import decoded
from seqp2p.replay.format import Placed
from seqp2p.replay.reading import Reading
from seqp2p.replay.verify import Report, verify
from seqp2p.rules import (
    NO_SQUARE,
    UNKNOWN,
    Card,
    CompletedSequence,
    Position,
    Variant,
    apply,
    format_card,
    format_ends,
    format_position,
    format_square,
    hide,
    reveal,
    team_of,
)


@dataclass(frozen=True, slots=True)
class Reshuffled:
    """The pile was used up, and every seat has shuffled the discards. ``number`` counts from 1."""

    number: int


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat has signed a leave."""

    seat: int


@dataclass(frozen=True, slots=True)
class CheatProved:
    """A seat is proved to have cheated; ``reason`` names it and its offence."""

    seat: int
    reason: str


TableChange: TypeAlias = Seated | Dealt | Turned | Skipped | Dropped | Redealt | Finished
ReplayEvent: TypeAlias = TableChange | Remarked | Voted | Reshuffled | SeatLeft | CheatProved


@dataclass(frozen=True, slots=True)
class Moment:
    """One event. ``turn`` is the number of the turn it belongs to, 0 before the first.

    ``step`` counts the steps closed by then. ``position`` is the one after it, None before the deal; its hands are
    unknown except for cards that were shown or opened. ``drew`` is the seat that then drew a card, and the card,
    UNKNOWN if it is hidden. ``made`` and ``lost`` are the sequences that it completed and broke.
    """

    turn: int
    step: int
    what: ReplayEvent
    position: Position | None
    drew: tuple[int, Card] | None = None
    made: tuple[CompletedSequence, ...] = ()
    lost: tuple[CompletedSequence, ...] = ()


@dataclass(frozen=True, slots=True)
class Playback:
    """The contents of a file. ``agreement`` is None if it has none that can be played; then there are no moments.

    ``report`` is that of ``verify``; ``moments`` go as far as the file is right. ``opened`` are the seats whose hands
    are known. ``data`` are the bytes of the file.
    """

    report: Report
    agreement: Agreement | None = None
    moments: tuple[Moment, ...] = ()
    opened: frozenset[int] = frozenset()
    data: bytes = field(default=b"", repr=False)

    def as_json(self, *, raw: bool = False) -> dict[str, Any]:
        """Return plain data for ``json.dumps``: docs/scripting.md, "Replays as JSON".

        ``raw``: with the digits of ciphertexts, shares, proofs and signatures.
        """
        agreement, settings = self.agreement, self.agreement.settings if self.agreement else None
        seats = enumerate(agreement.seats if agreement else (), 1)
        return {
            "version": agreement.v if agreement else None,
            "verdict": self.report.as_json(),
            "settings": msgspec.structs.asdict(settings) if settings else None,
            "seats": [_seat_fields(settings, number, seat) for number, seat in seats if settings],
            "opened": sorted(self.opened),
            "moments": [moment_fields(*each, settings.rules) for each in enumerate(self.moments, 1) if settings],
            "records": decoded(self.data[: self.report.byte], raw=raw) if agreement else [],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each action of a seat, as for a data frame. A replay has no times.

        ``turn``, ``seat``, ``kind`` (of the action), ``card`` and ``square`` (None without one) and ``hand``: the cards
        before it, None while the hand stays closed.
        """
        steps = pairwise(self.moments)
        return [
            _row(now.what, before.position) for before, now in steps if isinstance(now.what, Turned) and before.position
        ]


def _seat_fields(settings: Settings, number: int, seat: SeatEntry) -> dict[str, Any]:
    team = team_of(number, settings.teams)
    return {
        "seat": number,
        "name": seat.name,
        "key": seat.key.hex(),
        "fingerprint": fingerprint(seat.key),
        "nonce": seat.nonce.hex(),
        "team": team,
        "colour": settings.colours[team - 1],
    }


def named(event: Event | ReplayEvent, variant: Variant) -> tuple[str, dict[str, Any]]:
    """Return an event's name and fields in JSON, as ``match.events.plain`` does for those of a match."""
    match event:
        case Reshuffled():
            return "reshuffle", {}
        case SeatLeft(seat):
            return "left", {"seat": seat}
        case CheatProved(seat, reason):
            return "proved", {"seat": seat, "text": str(reason)}
        case _:
            return plain(event, variant)


def moment_fields(number: int, moment: Moment, variant: Variant) -> dict[str, Any]:
    """Return the moment of this number as plain data."""
    name, what = named(moment.what, variant)
    if isinstance(moment.what, Finished):
        result = moment.what.result
        what = {"action": result.kind, "seats": result.winners, "text": result.reason or None}
    drew = None
    if moment.drew:
        seat, card = moment.drew
        drew = {"seat": seat, "card": None if card == UNKNOWN else format_card(variant, card)}
    return {
        "moment": number,
        "what": name,
        "turn": moment.turn,
        "step": moment.step,
        "seat": what.get("seat"),
        "action": what.get("action"),
        "seats": what.get("seats", ()),
        "text": what.get("text"),
        "drew": drew,
        "made": [_line_fields(variant, each) for each in moment.made],
        "lost": [_line_fields(variant, each) for each in moment.lost],
        "position": format_position(moment.position) if moment.position else None,
    }


def _line_fields(variant: Variant, made: CompletedSequence) -> dict[str, Any]:
    return {"team": made.team, "line": format_ends(variant, (made.squares[0], made.squares[-1]))}


def _row(turned: Turned, before: Position) -> dict[str, Any]:
    variant, action, hand = before.variant, turned.action, before.hands[turned.seat - 1]
    return {
        "turn": turned.turn,
        "seat": turned.seat,
        "kind": action.kind,
        "card": None if action.card == UNKNOWN else format_card(variant, action.card),
        "square": None if action.square == NO_SQUARE else format_square(variant, action.square),
        "hand": None if UNKNOWN in hand else [format_card(variant, card) for card in hand],
    }


Hands: TypeAlias = tuple[tuple[int, ...], ...]
"""Deck positions by seat − 1."""


@dataclass(frozen=True, slots=True)
class _Taken:
    """A moment before anything is opened, and the ciphertexts of the hands."""

    moment: Moment
    hands: Hands
    drawn_at: int | None = None


@dataclass
class _Follower:
    """The state of a reading."""

    progress: Callable[[int], None]
    reading: Reading | None = None
    taken: list[_Taken] = field(default_factory=list[_Taken])
    partial: dict[int, tuple[Ciphertext, Point]] = field(default_factory=dict[int, tuple[Ciphertext, Point]])
    left: set[int] = field(default_factory=set[int])
    proven: set[int] = field(default_factory=set[int])
    reshuffles: int = 0

    def follow(self, reading: Reading, placed: Placed, events: tuple[Event, ...]) -> None:
        self.reading = reading
        self._take(events)
        match = reading.match
        for seat in sorted(match.left.keys() - self.left):
            self._add(SeatLeft(seat))
        for seat in sorted(match.proven.keys() - self.proven):
            self._add(CheatProved(seat, message_of(match.proven[seat])))
        self.left, self.proven = {*match.left}, {*match.proven}
        self.progress(placed.end)

    def end(self, named: Result | None) -> None:
        """Add the end of the game, if no step has told it. A step may tell a forfeit that the file does not name."""
        told = False
        for at, taken in enumerate(self.taken):
            if isinstance(taken.moment.what, Finished):
                told, result = True, taken.moment.what.result
                if named is None:
                    unnamed = Finished(without_forfeit(result))
                    self.taken[at] = replace(taken, moment=replace(taken.moment, what=unnamed))
        if named is not None and not told:
            self._add(Finished(named))

    def _take(self, events: tuple[Event, ...]) -> None:
        for at, event in enumerate(events):
            if isinstance(event, Drawn):
                self._draw(event.seat)
            elif isinstance(event, Shuffled):
                self._shuffled(event)
            elif isinstance(event, Turned) and any(isinstance(later, Turned) for later in events[at + 1 :]):
                self._add_give(event)
            elif isinstance(event, Voted | Remarked):
                self._add(event, before=True)
            elif isinstance(event, TableChange):
                self._add(event)

    def _add(self, what: ReplayEvent, *, before: bool = False) -> None:
        """Add a moment; with ``before``, one that precedes the effect of its record."""
        game, last = self._match.game, self.taken[-1] if self.taken else None
        position, hands = game.position, tuple(map(tuple, game.deck.hands))
        if before:
            position, hands = (last.moment.position, last.hands) if last else (None, ())
        self._keep(what, position, hands)
        if isinstance(what, Dealt | Redealt):
            for deck_position in chain(*hands):
                self._open_partly(deck_position)

    def _add_give(self, event: Turned) -> None:
        """Add one of several cards that are given up in one step, but not the last."""
        before = self.taken[-1]
        assert before.moment.position is not None, "nothing is given up before the deal"
        after = self._match.game.deck.hands[event.seat - 1]
        hands = (*before.hands[: event.seat - 1], tuple(after), *before.hands[event.seat :])
        self._keep(event, apply(before.moment.position, event.action), hands)

    def _keep(self, what: ReplayEvent, position: Position | None, hands: Hands) -> None:
        last = self.taken[-1].moment.position if self.taken else None
        old, new = (last.sequences if last else ()), (position.sequences if position else ())
        turn = what.turn if isinstance(what, Turned) else position.turn if position else 0
        turn = max(turn, self.taken[-1].moment.turn if self.taken else 0)
        made = tuple(each for each in new if each not in old)
        lost = tuple(each for each in old if each not in new)
        step = len(self._match.record)
        self.taken.append(_Taken(Moment(turn, step, what, position, None, made, lost), hands))

    def _draw(self, seat: int) -> None:
        """Add the drawn card to the last moment."""
        game, last = self._match.game, self.taken[-1]
        deck_position = game.deck.hands[seat - 1][-1]
        self._open_partly(deck_position)
        moment = replace(last.moment, position=game.position, drew=(seat, UNKNOWN))
        self.taken[-1] = _Taken(moment, tuple(map(tuple, game.deck.hands)), deck_position)

    def _shuffled(self, event: Shuffled) -> None:
        game = self._match.game
        if game.position is not None and event.reshuffle > self.reshuffles and event.number == len(game.seats):
            self.reshuffles = event.reshuffle
            self._add(Reshuffled(event.reshuffle))

    def _open_partly(self, deck_position: int) -> None:
        deck = self._match.game.deck
        self.partial[deck_position] = deck.ciphertexts[deck_position], deck.partial[deck_position]

    @property
    def _match(self) -> Match:
        assert self.reading is not None, "there is a match from the first record on"
        return self.reading.match


def play_back(data: bytes, progress: Callable[[int], None] = lambda _: None) -> Playback:
    """Return the moments of a replay. Never raises: there is a report on any bytes.

    ``progress`` is called with the number of bytes read, after every record.
    """
    follower = _Follower(progress)
    report = verify(data, follower.follow)
    if follower.reading is None:
        return Playback(report, data=data)
    match = follower.reading.match
    follower.end(report.result)
    faces = _faces(follower, match)
    moments = tuple(_opened(taken, frozenset(match.openings), faces) for taken in follower.taken)
    return Playback(report, match.game.agreement, moments, frozenset(match.openings), data)


def _faces(follower: _Follower, match: Match) -> Mapping[int, Card]:
    """Return the cards that the released secrets open, by deck position."""
    deck = match.game.deck
    physical = {point: card for card, point in enumerate(deck.points)}
    holders = {at: seat for taken in follower.taken for seat, hand in enumerate(taken.hands, 1) for at in hand}
    found: dict[int, Card] = {}
    for at, seat in holders.items():
        if seat in match.openings:
            ciphertext, partial = follower.partial[at]
            point = sub(partial, mul(ciphertext.a, match.openings[seat]))
            found[at] = deck.face(physical[point])
    return found


def _opened(taken: _Taken, opened: Collection[int], faces: Mapping[int, Card]) -> Moment:
    """Return the moment with the hands of these seats, and the drawn card, as far as they are known."""
    position, drew = taken.moment.position, taken.moment.drew
    if position is None:
        return taken.moment
    position = hide(position, [seat for seat in range(1, position.players + 1) if seat not in opened])
    for seat in opened:
        position = reveal(position, seat, [faces[at] for at in taken.hands[seat - 1]])
    if drew is not None and taken.drawn_at is not None:
        drew = (drew[0], faces.get(taken.drawn_at, UNKNOWN))
    return replace(taken.moment, position=position, drew=drew)
