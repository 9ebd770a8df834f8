"""The protocol between this program and a bot of any language: one JSON object a line. protocol.md has it all.

    we    hello, view, error, void, event, result
    bot   choice

Every line is made of a View and of public events, so a bot learns only what its seat may see. Its answers are read
strictly: it gets the fault, and may try again.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

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
"""The version of this protocol. It changes when a bot for the last one would fail."""
ACTION_LENGTH_MAX: Final = 100
FAULT_LENGTH_MAX: Final = 200

T = TypeVar("T")

BotEvent: TypeAlias = Mapping[str, Any]
"""A public event: ``event`` and its fields, as in the table of docs/scripting.md."""


def protocol_text() -> str:
    """Return the page that describes this protocol, in Markdown."""
    return Path(__file__).with_name("protocol.md").read_text("utf-8")


class WireError(Exception):
    """The bot's line is no choice; the text has the reason."""


class _Tagged(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, kw_only=True):
    """A line to the bot."""


class BotHello(_Tagged, frozen=True, tag="hello"):
    """The table, before the first view."""

    protocol: int
    game: str
    """The game's id, 64 hexadecimal digits; empty without a table of peers."""
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
    """A choice is due: the view of the seat."""

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
    """The events since the last view."""


class Error(_Tagged, frozen=True):
    """The bot's answer is not possible. It may try again, a few times."""

    id: int
    reason: str


class Void(_Tagged, frozen=True):
    """The question is taken back: an answer is ignored."""

    id: int


class Over(_Tagged, frozen=True, tag="result"):
    """The result of the game, the last message."""

    result: Literal["won", "drawn", "unfinished"]
    winners: Sequence[int]
    forfeit: Sequence[int]
    reason: str | None


BotMessage: TypeAlias = BotHello | Asked | Error | Void | Over


class BotChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of a bot."""

    type: Literal["choice"]
    id: Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
    action: Annotated[str, msgspec.Meta(max_length=ACTION_LENGTH_MAX)]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(BotChoice)


def line_of(message: BotMessage | BotEvent) -> bytes:
    """Return the line to write, with its end."""
    plain = {"type": "event", **message} if isinstance(message, Mapping) else message
    return _encoder.encode(plain) + b"\n"


def hello(
    seat: int, variant: Variant, teams: int, options: Options, names: Sequence[str], *, game: bytes, turn_time_s: int
) -> BotHello:
    """Return the bot's description of its table; ``names`` in seat order."""
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


def hello_alone(seat: int, variant: Variant, players: int, teams: int, options: Options) -> BotHello:
    """Return the description of a table without peers, names and clock."""
    names = [f"player {number}" for number in range(1, players + 1)]
    return hello(seat, variant, teams, options, names, game=b"", turn_time_s=0)


def asked(number: int, seen: View, history: Sequence[BotEvent], time_s: float) -> Asked:
    """Return the question of this number: the view of the seat, and its seconds."""
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
    """Return an event at the table for a bot, or None if the bot is not told."""
    if not isinstance(event, Turned | Remarked | Voted | Skipped | Dropped | Redealt | Undone):
        return None
    name, fields = plain(event, variant)
    return {"event": name, **fields}


def read_choice(line: bytes) -> BotChoice:
    """Return the choice that a bot wrote. Raises WireError with the fault."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        form = '{"type": "choice", "id": 1, "action": "QH e5"}'
        fault = cleaned(str(error), FAULT_LENGTH_MAX)  # It may quote the bot's line.
        raise WireError(
            message("this is not a choice ({fault}): write one like {form}", fault=fault, form=form)
        ) from None


def read_action(seen: View, text: str) -> Action:
    """Return the action with this text, legal in this view. Raises WireError. The table judges calls."""
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
