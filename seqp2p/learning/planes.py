"""Observations as one array: planes of the size of the board, for networks that look at pictures.

Like the arrays of ``observation``, planes are relative to the seat: team 0 is its own. A plane has a number for each
square, or the same number on all squares for what belongs to none.
"""

from collections import Counter
from functools import cache
from itertools import chain
from typing import Any, Final, TypedDict

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from seqp2p.learning.numbering import actions_of
from seqp2p.learning.observation import PHASES, Numbers
from seqp2p.rules import UNKNOWN, Card, Variant, View

_AT_MOST: Final = 255


class PlanesObservation(TypedDict):
    """The observation of an agent of an environment with planes."""

    observation: Numbers
    """(planes, rows, cols); ``planes_of`` has their names."""
    action_mask: NDArray[np.int8]
    """See ``numbering``."""


@cache
def planes_of(variant: Variant, players: int, teams: int) -> tuple[tuple[str, int], ...]:
    """Return by plane its name and its highest number.

    ``team N`` has 1 on the chips of a team, ``sequences N`` on its completed sequences. ``hand`` and ``discarded`` have
    on each square the number of its card in the hand and on all discards. The others have one number on all squares:
    wild and removing cards in the hand and on the discards, completed sequences by team, 1 for the phase, 1 if the
    seat is to move, the cards of the pile, and the turns in a row without a chip placed or taken.
    """
    copies, wins = max(Counter(variant.deck).values()), dict(variant.sequences_to_win)[teams]
    special = [sum(variant.deck.count(card) for card in cards) for cards in (variant.wild, variant.removing)]
    return (
        *((f"team {team}", 1) for team in range(teams)),
        *((f"sequences {team}", 1) for team in range(teams)),
        ("hand", copies),
        ("discarded", copies),
        ("wild in hand", special[0]),
        ("removing in hand", special[1]),
        ("wild discarded", special[0]),
        ("removing discarded", special[1]),
        *((f"completed {team}", wins) for team in range(teams)),
        *((f"phase {phase}", 1) for phase in PHASES),
        ("to move", 1),
        ("pile", len(variant.deck)),
        ("quiet", min(variant.quiet_turns_max, _AT_MOST)),
        *((f"hand size {place}", len(variant.deck)) for place in range(players)),
    )


def planes_space(variant: Variant, players: int, teams: int) -> spaces.Dict:
    """Return the space of every PlanesObservation at such a table."""
    board = variant.board
    highest = np.array([most for _, most in planes_of(variant, players, teams)], np.uint8)
    high = np.broadcast_to(highest[:, None, None], (len(highest), board.rows, board.cols))
    box: spaces.Space[Any] = spaces.Box(np.zeros_like(high), high, dtype=np.uint8)
    return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (len(actions_of(variant)),), np.int8)})


def observe_planes(view: View) -> Numbers:
    """Return the view of a seat as planes, in the order of ``planes_of``; a fresh array at every call."""
    variant, teams, players = view.variant, view.teams, view.players
    board, wins = variant.board, dict(variant.sequences_to_win)[teams]
    planes = np.zeros((len(planes_of(variant, players, teams)), len(board.grid)), np.uint8)
    chips = np.array(view.board, np.int8)
    planes[:teams] = chips == np.array([[(view.team - 1 + turned) % teams + 1] for turned in range(teams)])
    completed = [0] * teams
    for made in view.sequences:
        turned = (made.team - view.team) % teams
        planes[teams + turned, list(made.squares)] = 1
        completed[turned] += 1
    held, gone = _counted(variant, view.hand), _counted(variant, tuple(chain.from_iterable(view.discards)))
    planes[2 * teams] = held[_cards(variant)]
    planes[2 * teams + 1] = gone[_cards(variant)]
    clockwise = [view.hand_sizes[(view.seat - 1 + place) % players] for place in range(players)]
    planes[2 * teams + 2 :] = np.array(
        [
            *(sum(held[card] for card in kind) for kind in (variant.wild, variant.removing)),
            *(sum(gone[card] for card in kind) for kind in (variant.wild, variant.removing)),
            *(min(count, wins) for count in completed),
            *(phase == view.phase for phase in PHASES),
            view.seat == view.to_move,
            view.pile,
            min(view.position.quiet, _AT_MOST),
            *clockwise,
        ],
        np.uint8,
    )[:, None]
    return planes.reshape(-1, board.rows, board.cols)


@cache
def _cards(variant: Variant) -> NDArray[np.intp]:
    """Return by square its card; on a free corner the number after the last card, of which there are none."""
    return np.array([len(variant.faces) if card == UNKNOWN else card for card in variant.board.grid])


def _counted(variant: Variant, cards: tuple[Card, ...]) -> NDArray[np.intp]:
    """Return the count of each card, and a 0 after the last one."""
    return np.bincount(np.array(cards, np.intp), minlength=len(variant.faces) + 1)
