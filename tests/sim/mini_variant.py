"""A small variant: 24 cards on four rows of six squares, for any number of players from 2 to 12.

It is data like the real variants, so it has the same rules, proofs and messages; its shuffle takes a quarter of the
time. ``make_known`` lets tables of this process name it; no command offers it.
"""

from typing import Final

from seqp2p.rules import RULE_OPTIONS, Variant, make_known
from seqp2p.rules.variant import TableSize, read_board

NAME: Final = "miniature"

_GRID: Final = """
*  a  b  c  d  *
e  f  g  h  i  j
j  i  h  g  f  e
*  d  c  b  a  *
"""
_FACES: Final = (*"abcdefghij", "anywhere", "away")
_SIZES: Final = {
    2: (3, (2,)),
    3: (3, (3,)),
    4: (3, (2, 4)),
    5: (2, (5,)),
    6: (2, (2, 3)),
    7: (2, (7,)),
    8: (2, (2, 4)),
    9: (1, (3,)),
    10: (1, (2, 5)),
    11: (1, (11,)),
    12: (1, (2, 3)),
}
MINIATURE: Final = Variant(
    name=NAME,
    title="Sequence in miniature",
    board=read_board(_GRID, _FACES, 3),
    faces=_FACES,
    deck=tuple(range(len(_FACES))) * 2,
    sizes=tuple(TableSize(players, hand, teams) for players, (hand, teams) in _SIZES.items()),
    line_length=3,
    sequences_to_win=tuple((teams, 2 if teams == 2 else 1) for teams in range(2, 12)),
    wild=(_FACES.index("anywhere"),),
    removing=(_FACES.index("away"),),
    ranks=(),
    exchanges_per_turn=1,
    quiet_turns_max=36,
    options=tuple(row.field for row in RULE_OPTIONS),
    colours=tuple(f"colour {number}" for number in range(1, 12)),
    any_colours=True,
)
make_known(MINIATURE)
