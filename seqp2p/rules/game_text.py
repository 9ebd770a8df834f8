"""The text form of a whole game: the table, the deal as far as it is known, and every turn.

    [variant classic]
    [players 4]
    [teams 2]
    [options no-table-talk]             - or a comma list, as in a position
    [first 2]                           the seat that began
    [hand 1 2C,3H,7S,9D,QH,JS]          as dealt: ? for an unknown hand, or a ? for each unknown card
    [hand 2 ?]
    [hand 3 ?]
    [hand 4 ?]
    [result -]                          - going on, = drawn, or the letter of the team that has won (a is team 1)

    1. 2: 4D d3 +?
    2. 3: 2S dead +?; 6H d5 +?
    3. 4: call 1; 1: 7S given; 3: 5C given; 4: JD e5 +?
    4. 1: QH h2 +KD
    5. 2: skip
    6. 3: drop 2 (2C,5C,JD/?,?,?,?/?,?,?,?)

A turn is one line: its number, and the actions in order, each as in ``notation``. The seat precedes the first action
and each action of another seat. The drawn card follows a +, ? if it is unknown. A pass is followed by the cards that it
shows for the first time, in brackets. The table, and not the seat to move, decides on ``skip`` (the turn passes on) and
``drop`` (seats leave for good); a drop is followed by the new hands of the seats that stay, in brackets and in seat
order, with a ? for each unknown card, - for an empty hand.

Lines with # may come before the first one: they are for people, and no part of the game. Every line ends with a
newline. Each game has one text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from seqp2p.arguments import check_arguments
from seqp2p.i18n import message, message_of
from seqp2p.rules.actions import ACTION_ROWS, Action, IllegalAction, NotationError, RulesError
from seqp2p.rules.engine import apply
from seqp2p.rules.notation import format_action, format_card, parse_action, parse_known, variant_named
from seqp2p.rules.phases import drop, skip
from seqp2p.rules.position import Hand, Position, format_options, format_outcome, reveal, start, surplus_face
from seqp2p.rules.position_text import parse_options
from seqp2p.rules.table import hand_size
from seqp2p.rules.variant import UNKNOWN, Card, Options, SeatNumber, Variant

_TEXT_MAX: Final = 200_000
_SHOWN_MAX: Final = 100
_TAG: Final = re.compile(r"\[(hand [0-9]+|[a-z]+) (\S+)\]", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
_TURN: Final = re.compile(r"[0-9]+\. (.+)", re.ASCII)
_MOVE: Final = re.compile(r"(?:[0-9]+: )?([^+():]+?)(?: \(([^()]+)\))?(?: \+(\S+))?", re.ASCII)
_DROP: Final = re.compile(r"(?:[0-9]+: )?drop ([0-9,]+) \(([^()]+)\)", re.ASCII)
_SKIP: Final = re.compile(r"(?:[0-9]+: )?skip", re.ASCII)


class Move(NamedTuple):
    """An action, and the cards that move with it, as far as the writer of the game knows them."""

    action: Action
    drawn: Card = UNKNOWN  # the card drawn; UNKNOWN also if there is none
    shown: Hand = ()  # the cards that a pass shows and that were unknown before it


class Dropping(NamedTuple):
    """Seats leave the game for good, and all cards that are not played are dealt again."""

    seats: tuple[SeatNumber, ...]  # ascending
    hands: tuple[Hand, ...]  # the new hands of the seats that stay, in seat order, each ascending


SKIP: Final = "skip"
"""The turn passes on without its seat."""

Happening: TypeAlias = Move | Dropping | Literal["skip"]


@dataclass(frozen=True, slots=True)
class GameText:
    """A game from the deal on, finished or not."""

    variant: Variant
    players: int
    teams: int
    options: Options
    first_seat: SeatNumber
    hands: tuple[Hand, ...]  # as dealt, in seat order, each ascending
    moves: tuple[Happening, ...]

    def positions(self) -> Iterator[Position]:
        """The first position, and the one after each move. Raises RulesError with the fault of the game.

        After a drop it is the position with the new hands.
        """
        position = start(self.variant, self.players, self.teams, self.options, self.first_seat, self.hands)
        yield position
        for move in self.moves:
            position = _after(position, move)
            yield position


@check_arguments
def format_game(game: GameText) -> str:
    """Return a game as text. Raises RulesError if it breaks the rules.

    >>> from seqp2p.rules import KIDS, UNKNOWN, Options, parse_action
    >>> moves = Move(parse_action(KIDS, "cat d1"), drawn=4), Move(parse_action(KIDS, "dragon xd1"))
    >>> game = GameText(KIDS, 2, 2, Options(), 1, ((0, 1, 2), (UNKNOWN,) * 3), moves)
    >>> print(format_game(game), end="")
    [variant kids]
    [players 2]
    [teams 2]
    [options -]
    [first 1]
    [hand 1 alligator,bear,cat]
    [hand 2 ?]
    [result -]
    <BLANKLINE>
    1. 1: cat d1 +elephant
    2. 2: dragon xd1 +?
    >>> parse_game(format_game(game)) == game
    True
    """
    before, *others = game.positions()
    lines: list[str] = []
    turn, seat = -1, 0
    for move, after in zip(game.moves, others, strict=True):
        text = _format_happening(game.variant, move, drew=after.draws > before.draws)
        if before.turn != turn:
            lines.append(f"{before.turn + 1}. {before.to_move}: {text}")
        elif before.to_move != seat:
            lines[-1] += f"; {before.to_move}: {text}"
        else:
            lines[-1] += f"; {text}"
        turn, seat, before = before.turn, before.to_move, after
    hands = ("?" if {*hand} == {UNKNOWN} else _format_cards(game.variant, hand) for hand in game.hands)
    tags = [
        ("variant", game.variant.name),
        ("players", game.players),
        ("teams", game.teams),
        ("options", format_options(game.options)),
        ("first", game.first_seat),
        *((f"hand {seat}", hand) for seat, hand in enumerate(hands, start=1)),
        ("result", format_outcome(before)),
    ]
    return "\n".join([*(f"[{name} {value}]" for name, value in tags), "", *lines]) + "\n"


@check_arguments
def parse_game(text: str) -> GameText:
    """Return the game with this text. Raises NotationError if there is none, or if the game breaks the rules."""
    if len(text) > _TEXT_MAX:
        raise NotationError(message("the text is too long for a game"))
    if not text.endswith("\n"):
        raise NotationError(message("every line of a game ends with a newline"))
    comments = 0
    while text.startswith("#"):
        text, comments = text.partition("\n")[2], comments + 1
    head, _, body = text.partition("\n\n")
    game = _parse_deal(dict(_parse_tag(line) for line in head.split("\n")), body)
    try:
        canonical = format_game(game)
    except RulesError as error:
        why = message("the game cannot have gone like this: {reason}", reason=message_of(error))
        raise NotationError(why) from error
    for number, (line, right) in enumerate(
        zip(text.split("\n"), canonical.split("\n"), strict=False), start=1 + comments
    ):
        if line != right:
            values = {"number": number, "line": line[:_SHOWN_MAX], "right": right[:_SHOWN_MAX]}
            raise NotationError(message("line {number} is {line!r}, and should be {right!r}", **values))
    return game


def _after(position: Position, happening: Happening) -> Position:
    try:
        if isinstance(happening, Move):
            return _after_move(position, happening)
        return skip(position) if isinstance(happening, str) else _dealt_anew(position, happening)
    except RulesError as error:
        turn, reason = position.turn + 1, message_of(error)
        raise IllegalAction(message("turn {turn}: {reason}", turn=turn, reason=reason)) from error


def _dealt_anew(position: Position, dropping: Dropping) -> Position:
    after = drop(position, dropping.seats)
    if list(dropping.seats) != sorted(set(dropping.seats)):
        raise IllegalAction(message("the seats that leave are named in ascending order, each once"))
    if [len(hand) for hand in dropping.hands] != [len(after.hands[seat - 1]) for seat in after.staying]:
        raise IllegalAction(message("those who stay must be dealt as many cards as they held"))
    for seat, hand in zip(after.staying, dropping.hands, strict=True):
        after = reveal(after, seat, [card for card in hand if card != UNKNOWN])
    return after


def _after_move(position: Position, move: Move) -> Position:
    if move.shown and ACTION_ROWS[move.action.kind].shows != "hand":
        raise IllegalAction(message("only a pass shows cards"))
    after = apply(reveal(position, position.to_move, move.shown), move.action, move.drawn)
    if move.drawn != UNKNOWN and (surplus := surplus_face(after)):
        seat = position.to_move
        raise IllegalAction(message("seat {seat} cannot have drawn that: {surplus}", seat=seat, surplus=surplus))
    return after


def _format_happening(variant: Variant, happening: Happening, *, drew: bool) -> str:
    if isinstance(happening, Move):
        return _format_move(variant, happening, drew=drew)
    if isinstance(happening, str):
        return happening
    hands = "/".join(_format_cards(variant, hand) or "-" for hand in happening.hands)
    return f"drop {','.join(map(str, happening.seats))} ({hands})"


def _format_move(variant: Variant, move: Move, *, drew: bool) -> str:
    shown = f" ({_format_cards(variant, move.shown)})" if move.shown else ""
    drawn = f" +{format_card(variant, move.drawn)}" if drew else ""
    return format_action(variant, move.action) + shown + drawn


def _format_cards(variant: Variant, cards: Hand) -> str:
    return ",".join(format_card(variant, card) for card in sorted(cards))


def _parse_tag(line: str) -> tuple[str, str]:
    match = _TAG.fullmatch(line)
    if not match:
        raise NotationError(message("the game has {line!r} in place of a line like [first 2]", line=line[:_SHOWN_MAX]))
    return match[1], match[2]


def _parse_deal(tags: dict[str, str], body: str) -> GameText:
    variant, players = variant_named(_tag(tags, "variant")), _parse_number(_tag(tags, "players"))
    try:
        size = hand_size(variant, players)
    except RulesError as error:
        raise NotationError(message_of(error)) from error
    return GameText(
        variant=variant,
        players=players,
        teams=_parse_number(_tag(tags, "teams")),
        options=parse_options(_tag(tags, "options")),
        first_seat=_parse_number(_tag(tags, "first")),
        hands=tuple(_parse_hand(variant, size, _tag(tags, f"hand {seat}")) for seat in range(1, players + 1)),
        moves=tuple(move for line in body.split("\n")[:-1] for move in _parse_turn(variant, line)),
    )


def _tag(tags: dict[str, str], name: str) -> str:
    if name not in tags:
        raise NotationError(message("the game does not give its {name}", name=name))
    return tags[name]


def _parse_number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise NotationError(message("the game has {text!r} in place of a number", text=text[:_SHOWN_MAX]))
    return int(text)


def _parse_hand(variant: Variant, size: int, text: str) -> Hand:
    return (UNKNOWN,) * size if text == "?" else _parse_cards(variant, text)


def _parse_cards(variant: Variant, text: str) -> Hand:
    return tuple(sorted(parse_known(variant, name) for name in text.split(",")))


def _parse_turn(variant: Variant, line: str) -> Iterator[Happening]:
    turn = _TURN.fullmatch(line)
    if not turn:
        raise NotationError(
            message("{line!r} is not a turn: write for instance '1. 2: QH h2 +?'", line=line[:_SHOWN_MAX])
        )
    for item in turn[1].split("; "):
        yield _parse_happening(variant, item)


def _parse_happening(variant: Variant, item: str) -> Happening:
    if _SKIP.fullmatch(item):
        return SKIP
    if dropped := _DROP.fullmatch(item):
        seats, hands = dropped.groups()
        return Dropping(
            seats=tuple(map(_parse_number, seats.split(","))),
            hands=tuple(() if hand == "-" else _parse_cards(variant, hand) for hand in hands.split("/")),
        )
    match = _MOVE.fullmatch(item)
    if not match:
        why = message("{item!r} is not an action of a game: write for instance '2: QH h2 +?'", item=item[:_SHOWN_MAX])
        raise NotationError(why)
    action, shown, drawn = match.groups()
    return Move(
        action=parse_action(variant, action),
        drawn=parse_known(variant, drawn) if drawn else UNKNOWN,
        shown=_parse_cards(variant, shown) if shown else (),
    )
