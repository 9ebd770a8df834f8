"""A position: everything that has happened so far as far as it matters, as one immutable value."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from seqp2p.arguments import check_arguments
from seqp2p.i18n import message
from seqp2p.rules.actions import IllegalAction, RulesError
from seqp2p.rules.notation import UNKNOWN_CARD, format_ends
from seqp2p.rules.table import SquareSet, TableRules, hand_size, make_table
from seqp2p.rules.variant import RULE_OPTIONS, UNKNOWN, Card, Line, Options, SeatNumber, Team, Variant

Item = TypeVar("Item")
Hand: TypeAlias = tuple[Card, ...]
"""Ascending, so that unknown cards come first."""

Phase: TypeAlias = Literal["play", "draw", "late", "penalty"]
"""What is waited for: the mover's play; its draw; another seat's draw that is still owed; a penalised seat's card."""

ONGOING = 0
DRAWN = -1
TEAM_LETTERS: Final = "abcdefghijkl"
OUT: Final = "out:"
_CELLS: Final = str.maketrans("0123456789abcf", f".{TEAM_LETTERS}*")
"""The cells of a board's text by the digits of ``owners``."""


class CompletedSequence(NamedTuple):
    """A sequence that counts: exactly as many squares in line as make one."""

    team: Team
    squares: Line


class Pending(NamedTuple):
    """The open parts of a turn that manual draw and called talk can bring about."""

    phase: Phase
    mover: SeatNumber
    """The seat whose turn it is. In the phases late and penalty another seat is to move."""
    owes: SeatNumber = 0
    """The seat that has ended its turn without drawing, and may still draw; 0 if none."""
    penalised: tuple[SeatNumber, ...] = ()
    """The seats that still have to give up a card, ascending; only in the phase penalty."""
    passed: bool = False
    """Only in the phase late: the mover has passed, so its turn ends with this phase."""


class Position(NamedTuple):
    """The state of a game between two actions. Equal positions have equal fields, on any way to them.

    Never built by hand: ``start``, ``apply``, ``reveal``, ``hide``, ``skip``, ``drop`` and ``parse_position`` make
    positions.
    """

    table: TableRules
    """The rules and the board of this table, off which the properties below read. For this package."""
    to_move: SeatNumber
    """The seat that acts next, nearly always the one whose turn it is; 0 when the game is over."""
    hands: tuple[Hand, ...]
    """In seat order."""
    pile: int
    """Cards in the draw pile."""
    discards: tuple[tuple[Card, ...], ...]
    """In seat order, each oldest first; empty again after a reshuffle."""
    chips: tuple[SquareSet, ...]
    """In team order: the squares that bear a chip of the team (bit s for square s)."""
    free: SquareSet
    """The squares that bear no chip, the corners left out; follows from ``chips``."""
    sequences: tuple[CompletedSequence, ...]
    """Ascending."""
    protected: SquareSet
    """The squares with a safe chip: those of ``sequences``, none under the advanced rule."""
    turn: int
    """Turns completed. An exchange is no turn, a pass is one."""
    draws: int
    """Cards drawn since the deal."""
    reshuffles: int
    exchanged: int
    """Dead cards exchanged in this turn."""
    idle: int
    """Turns in a row, up to now, with neither a play nor an exchange."""
    quiet: int
    """Turns in a row, up to now, in which no chip was placed or taken."""
    outcome: int
    """0 while the game goes on, -1 if it is drawn, or the team that has won."""
    pending: Pending | None = None
    """None if the seat to move is about to play and no seat owes a draw; so always in the ordinary game."""
    out: tuple[SeatNumber, ...] = ()
    """The seats that have left the game, ascending: they hold no card, and have no more turns."""

    def __str__(self) -> str:
        return " ".join(_words(self))

    @property
    def phase(self) -> Phase:
        return self.pending.phase if self.pending else "play"

    @property
    def mover(self) -> SeatNumber:
        """The seat whose turn it is; 0 when the game is over."""
        return self.pending.mover if self.pending else self.to_move

    @property
    def variant(self) -> Variant:
        return self.table.variant

    @property
    def options(self) -> Options:
        return self.table.options

    @property
    def players(self) -> int:
        return self.table.players

    @property
    def teams(self) -> int:
        return self.table.teams

    @property
    def staying(self) -> tuple[SeatNumber, ...]:
        """The seats still in the game, ascending."""
        return tuple(seat for seat in range(1, self.players + 1) if seat not in self.out)

    @property
    def exchanges_left(self) -> int:
        """The number of dead cards that the seat to move may still exchange in this turn.

        If the sheet sets no limit, the number of cards in pile and discards at the beginning of the turn is the limit.
        An exchange moves one card from the pile to the discards, so their sum does not change.
        """
        limit = self.table.variant.exchanges_per_turn
        if limit is None:
            limit = self.pile + sum(map(len, self.discards))
        return limit - self.exchanged

    @property
    def over(self) -> bool:
        return self.outcome != ONGOING

    @property
    def winner(self) -> Team:
        """The team that has won, 0 if none has."""
        return max(self.outcome, 0)

    @property
    def drawn_game(self) -> bool:
        return self.outcome == DRAWN


@check_arguments
def start(
    variant: Variant,
    players: int,
    teams: int,
    options: Options,
    first_seat: SeatNumber,
    hands: Sequence[Iterable[Card]],
) -> Position:
    """Return the position after the deal: an empty board, and ``first_seat`` to move.

    ``hands`` holds a hand for each seat, in seat order; a card may be UNKNOWN. Raises RulesError for a table that
    cannot play or a wrong deal.
    """
    table = make_table(variant, players, teams, options)
    size = hand_size(variant, players)
    dealt = tuple(tuple(sorted(hand)) for hand in hands)
    if not 1 <= first_seat <= players:
        why = message("seat {seat} cannot begin: the seats are 1 to {players}", seat=first_seat, players=players)
        raise RulesError(why)
    if [len(hand) for hand in dealt] != [size] * players:
        why = message("the deal is wrong: {players} players get {size} cards each", players=players, size=size)
        raise RulesError(why)
    position = Position(
        table=table,
        to_move=first_seat,
        hands=dealt,
        pile=len(variant.deck) - size * players,
        discards=((),) * players,
        chips=(0,) * teams,
        free=table.look.squares,
        sequences=(),
        protected=0,
        turn=0,
        draws=0,
        reshuffles=0,
        exchanged=0,
        idle=0,
        quiet=0,
        outcome=ONGOING,
    )
    if surplus := surplus_face(position):
        raise RulesError(message("the deal is wrong: {surplus}", surplus=surplus))
    return position


def surplus_face(position: Position) -> str | None:
    """Return the fault of the visible cards, if a face is seen more often than the deck has it."""
    variant = position.variant
    seen = [card for cards in (*position.hands, *position.discards) for card in cards if card != UNKNOWN]
    for card in sorted(set(seen)):
        if not 0 <= card < len(variant.faces):
            return message("there is no card number {card}", card=card)
        if seen.count(card) > variant.deck.count(card):
            return message("the deck has only {count} {name}", count=variant.deck.count(card), name=variant.faces[card])
    return None


def next_seat(position: Position) -> SeatNumber:
    """Return the seat after the mover: the next one clockwise that has not left the game."""
    seat = position.mover % position.players + 1
    while seat in position.out:
        seat = seat % position.players + 1
    return seat


def check_seat(position: Position, seat: SeatNumber, *, lowest: SeatNumber = 1) -> None:
    """Raise RulesError if there is no such seat. Seat 0 is a spectator."""
    if not lowest <= seat <= position.players:
        values = {"seat": seat, "players": position.players}
        raise RulesError(message("there is no seat {seat}: the seats are 1 to {players}", **values))


@check_arguments
def reveal(position: Position, seat: SeatNumber, cards: Iterable[Card]) -> Position:
    """Return the same position with these cards known among the unknown ones of the hand of ``seat``.

    Raises RulesError if there is no such seat, IllegalAction if the hand has fewer unknown cards, or if they cannot be
    these.
    """
    check_seat(position, seat)
    shown = tuple(cards)
    hand = position.hands[seat - 1]
    unknown = hand.count(UNKNOWN)
    if len(shown) > unknown or UNKNOWN in shown:
        values = {"seat": seat, "count": len(shown), "unknown": unknown}
        why = message("seat {seat} shows {count} cards, but {unknown} cards of its hand are unknown", **values)
        raise IllegalAction(why)
    learnt = position._replace(hands=with_one(position.hands, seat - 1, tuple(sorted((*hand[len(shown) :], *shown)))))
    if surplus := surplus_face(learnt):
        raise IllegalAction(message("seat {seat} cannot hold what it shows: {surplus}", seat=seat, surplus=surplus))
    return learnt


@check_arguments
def hide(position: Position, seats: Collection[SeatNumber]) -> Position:
    """Return the same position with only the hands of these seats known."""
    return position._replace(
        hands=tuple(
            hand if seat in seats else (UNKNOWN,) * len(hand) for seat, hand in enumerate(position.hands, start=1)
        )
    )


def owners(position: Position) -> str:
    """Return a hexadecimal digit for each square: the team of its chip, 0 if it is free, f for a free corner."""
    look = position.table.look
    # The binary digits of a set, read as hexadecimal ones, are a number with a digit for each square.
    digits = 15 * int(f"{look.corners:b}", 16)
    for team, chips in enumerate(position.chips, start=1):
        digits |= team * int(f"{chips:b}", 16)
    return f"{digits:0{len(look.bit)}x}"[::-1]


def format_options(options: Options) -> str:
    """Return the options that differ from the usual game, ``-`` if none does.

    >>> from seqp2p.rules import Options
    >>> format_options(Options(table_talk=False, manual_draw=True))
    'no-table-talk,manual-draw'
    """
    return ",".join([row.word for row in RULE_OPTIONS if getattr(options, row.field) != row.usual]) or "-"


def format_outcome(position: Position) -> str:
    """Return ``-`` for a game that goes on, ``=`` for a drawn one, or the letter of the team that has won."""
    if position.winner:
        return TEAM_LETTERS[position.winner - 1]
    return "=" if position.drawn_game else "-"


def _words(position: Position) -> Iterator[str]:
    """Yield the words of the text; ``position_text`` says what they mean."""
    table, variant = position.table, position.table.variant
    name_of = (*variant.faces, UNKNOWN_CARD).__getitem__  # UNKNOWN is the last place
    yield variant.name
    yield format_options(table.options)
    yield f"{table.players}/{table.teams}"
    yield _board_word(position)
    yield ",".join([format_sequence(variant, sequence) for sequence in position.sequences]) or "-"
    yield str(position.to_move or "-")
    yield "/".join([",".join(map(name_of, hand)) or "-" for hand in position.hands])
    yield str(position.pile)
    yield "/".join([",".join(map(name_of, cards)) or "-" for cards in position.discards])
    yield from map(str, (position.turn, position.draws, position.reshuffles))
    yield from map(str, (position.exchanged, position.idle, position.quiet))
    yield format_outcome(position)
    if position.pending is not None:
        yield _pending_word(position.pending)
    if position.out:
        yield OUT + ",".join(map(str, position.out))


def _board_word(position: Position) -> str:
    cells, cols = owners(position).translate(_CELLS), position.variant.board.cols
    word = "/".join([cells[at : at + cols] for at in range(0, len(cells), cols)])
    for run in range(cols, 0, -1):
        word = word.replace("." * run, str(run))
    return word


def format_sequence(variant: Variant, sequence: CompletedSequence) -> str:
    ends = sequence.squares[0], sequence.squares[-1]
    return f"{TEAM_LETTERS[sequence.team - 1]}:{format_ends(variant, ends)}"


def _pending_word(pending: Pending) -> str:
    penalised = ",".join(map(str, pending.penalised))
    passed = "passed" if pending.passed else "-"
    return f"{pending.phase}/{pending.mover}/{pending.owes or '-'}/{penalised or '-'}/{passed}"


def with_one(items: tuple[Item, ...], at: int, item: Item) -> tuple[Item, ...]:
    changed = list(items)
    changed[at] = item
    return tuple(changed)
