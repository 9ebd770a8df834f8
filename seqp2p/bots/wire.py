"""What this program and a bot of any language say to each other: one JSON object a line. docs/scripting.md has it all.

    we    hello, view, error, void, event, result
    bot   choice

Everything that is sent is made of a View and of what happens before everybody's eyes, so that a bot gets to know what
its seat may see, and nothing else. What it answers is read strictly: it is named what is wrong, and may try again.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

import msgspec

from seqp2p.i18n import message, message_of
from seqp2p.match.events import (
    Dropped,
    Event,
    Redealt,
    Remarked,
    Result,
    Skipped,
    Turned,
    Undone,
    Voted,
    plain,
    plain_result,
)
from seqp2p.match.text import cleaned
from seqp2p.rules import (
    Action,
    Options,
    RulesError,
    Variant,
    View,
    apply,
    format_action,
    format_card,
    format_square,
    hand_size,
    parse_action,
    team_of,
)

PROTOCOL: Final = 1
"""The version of what is written here. It changes when a bot that knows the one before would fail."""
ACTION_LENGTH_MAX: Final = 100
FAULT_LENGTH_MAX: Final = 200

T = TypeVar("T")

BotEvent: TypeAlias = Mapping[str, object]
"""Something that everybody at the table has seen: ``event`` and its fields, as in the table of docs/scripting.md."""


class WireError(Exception):
    """What a bot wrote is no choice; the text says why."""


class _Tagged(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, kw_only=True):
    """A line that we write."""


class BotHello(_Tagged, frozen=True, tag="hello"):
    """The table, before the first view."""

    protocol: int
    game: str
    """The game's id, 64 hexadecimal digits; an empty text where there is no table of peers."""
    seat: int
    team: int
    variant: str
    players: int
    teams: int
    names: Sequence[str]
    """In seat order."""
    options: Options
    board: Sequence[Sequence[str]]
    """The card on every square, row by row, ``*`` on a free corner."""
    deck: Sequence[str]
    """Every card of it, two of a kind."""
    wild: Sequence[str]
    removing: Sequence[str]
    line_length: int
    sequences_to_win: int
    hand_size: int
    turn_time_s: int
    """The table's clock; 0 is none."""


class BotLine(msgspec.Struct, frozen=True):
    """A completed sequence."""

    team: int
    squares: Sequence[str]


class Asked(_Tagged, frozen=True, tag="view"):
    """A choice is to be made: what the seat sees."""

    id: int
    time_s: float
    phase: str
    seat: int
    hand: Sequence[str]
    legal: Sequence[str]
    chips: Sequence[Sequence[int]]
    """By square, row by row: the team whose chip lies there, 0 on a free square, -1 on a free corner."""
    sequences: Sequence[BotLine]
    protected: Sequence[str]
    hand_sizes: Sequence[int]
    pile: int
    discards: Sequence[Sequence[str]]
    to_move: int
    mover: int
    out: Sequence[int]
    turn: int
    draws: int
    reshuffles: int
    exchanges_left: int
    history: Sequence[BotEvent]
    """What has happened since the view before."""


class Error(_Tagged, frozen=True):
    """What the bot wrote is not possible. It may try again, a few times."""

    id: int
    reason: str


class Void(_Tagged, frozen=True):
    """The question is taken back: no answer is waited for, and one that comes is passed over."""

    id: int


class Over(_Tagged, frozen=True, tag="result"):
    """How the game ended; nothing comes after it."""

    result: Literal["won", "drawn", "unfinished"]
    winners: Sequence[int]
    forfeit: Sequence[int]
    reason: str | None


BotMessage: TypeAlias = BotHello | Asked | Error | Void | Over


class BotChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bot answers."""

    type: Literal["choice"]
    id: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
    action: Annotated[str, msgspec.Meta(max_length=ACTION_LENGTH_MAX)]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(BotChoice)


def line_of(message: BotMessage | BotEvent) -> bytes:
    """The line to write, with its end."""
    plain = {"type": "event", **message} if isinstance(message, Mapping) else message
    return _encoder.encode(plain) + b"\n"


def hello(
    seat: int, variant: Variant, teams: int, options: Options, names: Sequence[str], *, game: bytes, turn_time_s: int
) -> BotHello:
    """What a bot is told of its table; ``names`` in seat order."""
    return BotHello(
        protocol=PROTOCOL,
        game=game.hex(),
        seat=seat,
        team=team_of(seat, teams),
        variant=variant.name,
        players=len(names),
        teams=teams,
        names=names,
        options=options,
        board=_rows(variant, [format_card(variant, card).replace("?", "*") for card in variant.board.grid]),
        deck=_cards(variant, variant.deck),
        wild=_cards(variant, variant.wild),
        removing=_cards(variant, variant.removing),
        line_length=variant.line_length,
        sequences_to_win=dict(variant.sequences_to_win)[teams],
        hand_size=hand_size(variant, len(names)),
        turn_time_s=turn_time_s,
    )


def asked(number: int, seen: View, history: Sequence[BotEvent], time_s: float) -> Asked:
    """The question of this number: what the seat sees, and how many seconds it has."""
    variant = seen.variant
    return Asked(
        id=number,
        time_s=round(time_s, 3),
        phase=seen.phase,
        seat=seen.seat,
        hand=_cards(variant, seen.hand),
        legal=[format_action(variant, action) for action in seen.legal],
        chips=_rows(variant, seen.board),
        sequences=[BotLine(sequence.team, _squares(variant, sequence.squares)) for sequence in seen.sequences],
        protected=_squares(variant, seen.protected),
        hand_sizes=seen.hand_sizes,
        pile=seen.pile,
        discards=[_cards(variant, cards) for cards in seen.discards],
        to_move=seen.to_move,
        mover=seen.mover,
        out=seen.out,
        turn=seen.turn,
        draws=seen.draws,
        reshuffles=seen.reshuffles,
        exchanges_left=seen.exchanges_left,
        history=history,
    )


def over(result: Result) -> Over:
    """Return the last line."""
    return Over(**plain_result(result))


def happening(variant: Variant, event: Event) -> BotEvent | None:
    """Return what a bot is told of an event at the table; None if it is told nothing."""
    if not isinstance(event, Turned | Remarked | Voted | Skipped | Dropped | Redealt | Undone):
        return None
    name, fields = plain(event, variant)
    return {"event": name, **fields}


def read_choice(line: bytes) -> BotChoice:
    """The choice that a bot wrote; raises WireError with what is wrong with it."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        form = '{"type": "choice", "id": 1, "action": "QH e5"}'
        fault = cleaned(str(error), FAULT_LENGTH_MAX)  # It may quote what the bot wrote.
        raise WireError(message("this is no choice ({fault}): write one like {form}", fault=fault, form=form)) from None


def read_action(seen: View, text: str) -> Action:
    """The action with this text, legal in this view; raises WireError. Whether a call holds, the table judges."""
    try:
        action = parse_action(seen.variant, text)
        if action.kind != "call":
            apply(seen.position, action)
    except RulesError as error:
        raise WireError(message_of(error)) from None
    return action


def _cards(variant: Variant, cards: Collection[int]) -> list[str]:
    return [format_card(variant, card) for card in cards]


def _squares(variant: Variant, squares: Collection[int]) -> list[str]:
    return [format_square(variant, square) for square in squares]


def _rows(variant: Variant, squares: Sequence[T]) -> list[Sequence[T]]:
    cols = variant.board.cols
    return [squares[first : first + cols] for first in range(0, len(squares), cols)]
