"""Game variants as data: the board, the cards, the table sizes, the options, and the numbers in which the rules differ.

The engine never asks for the variant; it only reads these fields.

A new option of the rules is a field of ``Options`` and a row of ``RULE_OPTIONS`` here, a field of ``Settings`` and of
``TableChoices`` in ``match.table``, and the rule itself. Flags, settings, sentences and the text of a position are made
of the row.

The printed boards, cell by cell: a board is read row by row; row 1 is the first line, column a its first word,
and ``*`` is a free corner. Rotations of a grid are the same board. Sizes, counts and free corners are the printed ones;
the animals of the kids' board and their order are this project's own.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from seqp2p.arguments import CheckedFields, check_arguments
from seqp2p.i18n import Message, message

FREE: Final = "*"
CLASSIC_GRID: Final = """
*  2S 3S 4S 5S 6S 7S 8S 9S *
6C 5C 4C 3C 2C AH KH QH TH TS
7C AS 2D 3D 4D 5D 6D 7D 9H QS
8C KS 6C 5C 4C 3C 2C 8D 8H KS
9C QS 7C 6H 5H 4H AH 9D 7H AS
TC TS 8C 7H 2H 3H KH TD 6H 2D
QC 9S 9C 8H 9H TH QH QD 5H 3D
KC 8S TC QC KC AC AD KD 4H 4D
AC 7S 6S 5S 4S 3S 2S 2H 3H 5D
*  AD KD QD TD 9D 8D 7D 6D *
"""
KIDS_GRID: Final = """
*         alligator bear      cat       duck      elephant  *
frog      giraffe   horse     kangaroo  lion      monkey    owl
penguin   rabbit    sheep     turtle    whale     yak       zebra
lion      monkey    owl       penguin   rabbit    sheep     turtle
whale     yak       zebra     alligator bear      cat       duck
*         elephant  frog      giraffe   horse     kangaroo  *
"""
Card: TypeAlias = int
"""A face of the deck: an index into ``Variant.faces``. All copies of a face are the same Card."""
UNKNOWN: Final = -1
"""A card that this observer does not know."""
Square: TypeAlias = int
"""``row * cols + col``, both from 0, in the orientation of the grid."""
SeatNumber: TypeAlias = int
"""From 1 to the number of players, clockwise round the table."""
Team: TypeAlias = int
"""From 1 to the number of teams; seats take turns: 1, 2, 1, 2 … or 1, 2, 3, 1, 2, 3 …"""
Line: TypeAlias = tuple[Square, ...]
"""As many squares in a row as make a sequence, in reading order (row, column or diagonal)."""
DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True, slots=True)
class TableOption:
    """A choice between the usual way, which needs no word, and another one."""

    field: str  # the setting: a field of ``Settings`` and, for an option of the rules, of ``Options``
    usual: bool
    word: str  # the other value, in a position's text and as a flag of commands
    name: Message  # the option itself
    short: Message  # the other value, in a list of few words
    help: Message  # the flag, in ``--help``
    sentence: Message  # the other value, told to players
    usual_sentence: Message | None = None  # the usual value, told to players; None where it goes without saying
    in_teams: bool = False  # True if the other value changes nothing where every seat plays for itself


@dataclass(frozen=True, slots=True)
class Options(CheckedFields):
    """The options of the rules. The defaults are the usual game."""

    advanced: bool = False
    """A removing card may also take a chip out of a completed sequence, which then counts no more."""
    table_talk: bool = True
    """Talking about the game is allowed. False: an opponent may call it, and the speaker's team pays in cards."""
    manual_draw: bool = False
    """The mover draws by an action of its own, and can forget to."""


TABLE_TALK: Final = TableOption(
    field="table_talk",
    usual=True,
    word="no-table-talk",
    name=message("table talk"),
    short=message("no table talk"),
    help=message("A remark may be called: each player of the speaker's team gives up a card."),
    sentence=message("an opponent may call a remark: all on the speaker's team give up a card"),
    in_teams=True,
)
RULE_OPTIONS: Final = (
    TableOption(
        field="advanced",
        usual=False,
        word="advanced",
        name=message("advanced"),
        short=message("advanced"),
        help=message("One-eyed jacks may take a chip out of a completed sequence."),
        sentence=message("a completed sequence can be broken by a one-eyed jack"),
    ),
    TABLE_TALK,
    TableOption(
        field="manual_draw",
        usual=False,
        word="manual-draw",
        name=message("manual draw"),
        short=message("manual draw"),
        help=message("Players draw their own cards, and can forget to."),
        sentence=message("players draw their own cards (draw), and can forget to"),
    ),
)
"""A row for every field of ``Options``, in their order, which is also that of a position's text."""


@dataclass(frozen=True, slots=True)
class Board:
    """The printed board. ``grid[square]`` is the card on the square, UNKNOWN on a free corner."""

    rows: int
    cols: int
    grid: tuple[Card, ...]
    corners: tuple[Square, ...]
    lines: tuple[Line, ...]
    """Every line of sequence length: rows first, then columns, diagonals to the right, diagonals to the left."""


class TableSize(NamedTuple):
    """A number of players that can play: cards in each hand, and the numbers of teams they may form (usual first)."""

    players: int
    hand: int
    teams: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Variant:
    """The whole of a variant. Sources: rule sheets 000, 002 and 004 for the classic game, 001 and 003 for the kids'."""

    name: str
    title: str
    board: Board
    faces: tuple[str, ...]
    """By card: its name in the notation. A rank and a suit (``QH``) are a card of the French deck; any other word is a
    name, whose translations are in the catalogue."""
    deck: tuple[Card, ...]
    """One entry per physical card in canonical order: physical card k has the face ``deck[k]``."""
    sizes: tuple[TableSize, ...]
    line_length: int
    sequences_to_win: tuple[tuple[int, int], ...]
    """Pairs (number of teams, sequences that win)."""
    wild: tuple[Card, ...]
    """Faces that put a chip on any free square; at least one."""
    removing: tuple[Card, ...]
    """Faces that take a chip of an opposing team; at least one."""
    ranks: tuple[int, ...]
    """Rank of every face in the draw for the dealer; empty when no cards are drawn for it."""
    exchanges_per_turn: int | None
    """Dead cards exchanged in one turn at most; None: as many as pile and discards held when the turn began."""
    quiet_turns_max: int
    """The game is drawn after so many turns in a row in which no chip was placed or taken."""
    options: tuple[str, ...]
    """The names of the options (fields of ``Options``) that the sheets of this variant know."""
    colours: tuple[str, ...]
    """Chip colours, in the order in which they come into use."""
    any_colours: bool
    """True if players choose among all the colours. If not, so many teams have the first so many of them."""

    def __repr__(self) -> str:
        return f"<Variant {self.name}>"

    def __hash__(self) -> int:
        return hash(self.name)


def read_board(text: str, faces: tuple[str, ...], line_length: int) -> Board:
    """Return a board from its grid as text: one line a row, one face name (or ``*``, a free corner) a square."""
    cells = [line.split() for line in text.strip().splitlines()]
    rows, cols = len(cells), len(cells[0])
    names = [name for row in cells for name in row]
    lines = tuple(
        tuple((row + i * down) * cols + col + i * right for i in range(line_length))
        for down, right in DIRECTIONS
        for row in range(rows)
        for col in range(cols)
        if row + (line_length - 1) * down < rows and 0 <= col + (line_length - 1) * right < cols
    )
    return Board(
        rows=rows,
        cols=cols,
        grid=tuple(UNKNOWN if name == FREE else faces.index(name) for name in names),
        corners=tuple(square for square, name in enumerate(names) if name == FREE),
        lines=lines,
    )


def _classic() -> Variant:
    faces = tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")
    return Variant(
        name="classic",
        title="Sequence",
        board=read_board(CLASSIC_GRID, faces, 5),
        faces=faces,
        deck=tuple(range(len(faces))) * 2,
        sizes=(
            TableSize(2, 7, (2,)),
            TableSize(3, 6, (3,)),
            TableSize(4, 6, (2,)),
            TableSize(6, 5, (2, 3)),
            TableSize(8, 4, (2,)),
            TableSize(9, 4, (3,)),
            TableSize(10, 3, (2,)),
            TableSize(12, 3, (2, 3)),
        ),
        line_length=5,
        sequences_to_win=((2, 2), (3, 1)),
        wild=(faces.index("JC"), faces.index("JD")),
        removing=(faces.index("JH"), faces.index("JS")),
        ranks=tuple(range(2, 15)) * 4,
        exchanges_per_turn=1,
        quiet_turns_max=208,
        options=tuple(row.field for row in RULE_OPTIONS),
        colours=("blue", "green", "red"),
        any_colours=False,
    )


def _kids() -> Variant:
    animals = tuple(sorted({name for name in KIDS_GRID.split() if name != FREE}))
    faces = (*animals, "dragon", "unicorn")
    return Variant(
        name="kids",
        title="Sequence for Kids",
        board=read_board(KIDS_GRID, faces, 4),
        faces=faces,
        deck=tuple(range(len(faces))) * 2,
        sizes=(TableSize(2, 3, (2,)), TableSize(3, 3, (3,)), TableSize(4, 3, (4,))),
        line_length=4,
        sequences_to_win=((2, 1), (3, 1), (4, 1)),
        wild=(faces.index("unicorn"),),
        removing=(faces.index("dragon"),),
        ranks=(),
        exchanges_per_turn=None,
        quiet_turns_max=208,
        options=(),
        colours=("red", "yellow", "green", "blue"),
        any_colours=True,
    )


CLASSIC: Final = _classic()
KIDS: Final = _kids()
VARIANTS: Final = MappingProxyType({variant.name: variant for variant in (CLASSIC, KIDS)})
"""By name: the variants that commands offer."""
_known: Final = dict(VARIANTS)
KNOWN_VARIANTS: Final = MappingProxyType(_known)
"""By name: VARIANTS, and what ``make_known`` has added in this process."""


@check_arguments
def make_known(variant: Variant) -> None:
    """Let tables in this process name a variant that no command offers, such as the small one of simulations.

    Raises ValueError for a name taken by another.
    """
    if _known.setdefault(variant.name, variant) is not variant:
        raise ValueError(variant.name)
