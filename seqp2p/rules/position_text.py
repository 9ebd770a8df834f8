"""The text form of a position: one line of ASCII, one text for each position, and its hash.

Sixteen words with a space between them, in this order. Two more follow if they apply: the pending parts of a turn, from
manual draw and called talk, and the seats that have left.

    variant      its name
    options      - or a comma list of the words of ``RULE_OPTIONS`` (variant.py)
    table        players/teams
    board        rows from 1 on, separated by /: a letter for a chip (a is team 1), * for a free corner,
                 a number for as many free squares
    sequences    - or a comma list of team letter and line, a:a5-e5
    to move      a seat, - when the game is over
    hands        in seat order, separated by /: - or a comma list of cards, ? first for each unknown one
    pile         cards in it
    discards     in seat order, separated by /: - or a comma list of cards, oldest first
    turn         turns completed
    draws        cards drawn since the deal
    reshuffles
    exchanged    dead cards exchanged in this turn
    idle         turns in a row with neither play nor exchange
    quiet        turns in a row without a chip placed or taken
    result       - going on, = drawn, or the letter of the team that has won
    pending      phase/mover/seat that owes a draw/seats penalised/passed: play, draw, late or penalty; a seat; a seat
                 or -; - or a comma list of seats; - or passed, if the mover has
    out          out: and a comma list of the seats that have left, ascending
"""

import hashlib
import re
from typing import Final

from seqp2p.arguments import check_arguments
from seqp2p.i18n import message, message_of
from seqp2p.rules.actions import NotationError, RulesError
from seqp2p.rules.notation import no_card, parse_ends, variant_named
from seqp2p.rules.phases import absence_fault, pending_fault
from seqp2p.rules.position import (
    DRAWN,
    ONGOING,
    OUT,
    TEAM_LETTERS,
    CompletedSequence,
    Pending,
    Phase,
    Position,
    format_options,
)
from seqp2p.rules.sequences import protected_by
from seqp2p.rules.table import SquareSet, TableRules, make_table
from seqp2p.rules.variant import RULE_OPTIONS, Card, Options

_TEXT_MAX: Final = 5_000
_SHOWN_MAX: Final = 100
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_CELLS: Final = re.compile(r"[0-9]+|[a-z*]", re.ASCII)
_WORDS: Final = 16
_PHASES: Final[dict[str, Phase]] = {"play": "play", "draw": "draw", "late": "late", "penalty": "penalty"}
_OUTCOMES: Final = {"-": ONGOING, "=": DRAWN}
_OPTION_OF: Final = {row.word: row for row in RULE_OPTIONS}


@check_arguments
def position_hash(position: Position) -> bytes:
    """Return SHA-256 (32 bytes) of the text of a position: the same on every machine."""
    return hashlib.sha256(format_position(position).encode("ascii")).digest()


@check_arguments
def format_position(position: Position) -> str:
    """Return a position as one line of text, as ``str`` does.

    >>> from seqp2p.rules import KIDS, Options, start
    >>> format_position(start(KIDS, 2, 2, Options(), 1, [(0, 1, 2), (2, 19, -1)]))
    'kids - 2/2 *5*/7/7/7/7/*5* - 1 alligator,bear,cat/?,cat,dragon 36 -/- 0 0 0 0 0 0 -'
    """
    return str(position)


@check_arguments
def parse_position(text: str) -> Position:
    """Return the position with this text. Raises NotationError. Not every impossible position is refused."""
    if len(text) > _TEXT_MAX:
        raise NotationError(message("the text is too long for a position"))
    words = text.split(" ")
    out = words[-1].removeprefix(OUT) if words[-1].startswith(OUT) else ""
    pending = words[_WORDS : -1 if out else None]
    if len(words) < _WORDS + bool(out) or len(pending) > 1:
        counts = {"right": _WORDS, "count": len(words)}
        why = message("a position has {right} words with one space between them, this text has {count}", **counts)
        raise NotationError(why)
    table = _parse_table(*words[:3])
    chips = _parse_board(table, words[3])
    sequences = tuple(sorted(_parse_sequence(table, item) for item in _items(words[4])))
    turn, draws, reshuffles, exchanged, idle, quiet = map(_parse_number, words[9:15])
    position = Position(
        table=table,
        to_move=0 if words[5] == "-" else _parse_number(words[5]),
        hands=tuple(tuple(sorted(hand)) for hand in _parse_cards(table, words[6])),
        pile=_parse_number(words[7]),
        discards=_parse_cards(table, words[8]),
        chips=chips,
        free=table.look.squares & ~sum(chips),
        sequences=sequences,
        protected=protected_by(table, sequences),
        turn=turn,
        draws=draws,
        reshuffles=reshuffles,
        exchanged=exchanged,
        idle=idle,
        quiet=quiet,
        outcome=_OUTCOMES[words[15]] if words[15] in _OUTCOMES else _parse_team(table, words[15]),
        pending=_parse_pending(pending[0]) if pending else None,
        out=tuple(map(_parse_number, out.split(","))) if out else (),
    )
    if (position.to_move == 0) != position.over or position.to_move > position.players:
        raise NotationError(message("a seat is to move as long as the game is not over, and none after that"))
    if fault := absence_fault(position) or pending_fault(position):
        raise NotationError(fault)
    if (right := str(position)) != text:
        word, canonical = next(pair for pair in zip(words, right.split(" "), strict=True) if len({*pair}) > 1)
        values = {"word": word[:_SHOWN_MAX], "canonical": canonical[:_SHOWN_MAX]}
        raise NotationError(message("{word!r} is written {canonical!r} in a position", **values))
    return position


def parse_options(text: str) -> Options:
    """Return the options with this text. Raises NotationError."""
    chosen = _items(text)
    for word in chosen:
        if word not in _OPTION_OF:
            raise NotationError(message("{word!r} is not an option", word=word[:_SHOWN_MAX]))
    options = Options(**{_OPTION_OF[word].field: not _OPTION_OF[word].usual for word in chosen})
    if (right := format_options(options)) != text:
        raise NotationError(message("the options {text!r} are written {right!r}", text=text[:_SHOWN_MAX], right=right))
    return options


def _parse_pending(word: str) -> Pending:
    parts = word.split("/")
    if len(parts) != 5 or parts[0] not in _PHASES:
        shown = word[:_SHOWN_MAX]
        why = message("{word!r} does not say what is pending: write for instance 'draw/1/-/-/-'", word=shown)
        raise NotationError(why)
    phase, mover, owes, penalised, passed = parts
    return Pending(
        phase=_PHASES[phase],
        mover=_parse_number(mover),
        owes=0 if owes == "-" else _parse_number(owes),
        penalised=tuple(map(_parse_number, _items(penalised))),
        passed=passed == "passed",
    )


def _items(word: str) -> list[str]:
    return [] if word == "-" else word.split(",")


def _parse_number(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise NotationError(message("the position has {word!r} in place of a number", word=word[:_SHOWN_MAX]))
    return int(word)


def _parse_table(name: str, options: str, seats: str) -> TableRules:
    variant = variant_named(name)
    players, slash, teams = seats.partition("/")
    if not slash:
        why = message("the position has {seats!r} in place of its players and teams", seats=seats[:_SHOWN_MAX])
        raise NotationError(why)
    chosen, counts = parse_options(options), (_parse_number(players), _parse_number(teams))
    try:
        return make_table(variant, *counts, chosen)
    except RulesError as error:
        raise NotationError(message_of(error)) from error


def _parse_team(table: TableRules, letter: str) -> int:
    if len(letter) != 1 or letter not in TEAM_LETTERS[: table.teams]:
        raise NotationError(message("the position has {letter!r} in place of a team", letter=letter[:_SHOWN_MAX]))
    return TEAM_LETTERS.index(letter) + 1


def _parse_board(table: TableRules, word: str) -> tuple[SquareSet, ...]:
    """Return chips in team order. Writing the position again checks the breaks of rows, and the corners."""
    chips, square, total = [0] * table.teams, 0, len(table.look.bit)
    runs = {str(run): run for run in range(table.variant.board.cols + 1)} | {"*": 1}
    teams = {letter: at for at, letter in enumerate(TEAM_LETTERS[: table.teams])}
    for cell in _CELLS.findall(word):
        if square >= total:
            raise NotationError(message("the board has too many squares"))
        if cell in runs:
            square += runs[cell]
        elif cell in teams:
            chips[teams[cell]] |= 1 << square
            square += 1
        else:  # no cell of a board that is written as it should be
            square += _parse_number(cell) if cell.isdecimal() else _parse_team(table, cell)
    return tuple(chips)


def _parse_sequence(table: TableRules, item: str) -> CompletedSequence:
    letter, _, ends = item.partition(":")
    line = table.look.line_between[parse_ends(table.variant, ends)]
    return CompletedSequence(_parse_team(table, letter), table.look.line_of[line])


def _parse_cards(table: TableRules, word: str) -> tuple[tuple[Card, ...], ...]:
    """Return cards by seat, in the order of the text."""
    card_of = table.look.card_of
    try:
        by_seat = tuple([tuple([card_of[name] for name in _items(cards)]) for cards in word.split("/")])
    except KeyError as error:
        raise no_card(table.variant, error.args[0]) from None
    if len(by_seat) != table.players:
        counts = {"count": len(by_seat), "players": table.players}
        raise NotationError(message("cards are given for {count} seats, but {players} are at the table", **counts))
    return by_seat
