"""Observations: the view of a seat as arrays of small numbers, and nothing else.

They are relative to the seat: index 0 is the seat itself or its team, and the others follow clockwise. So one policy
plays every seat.

Planes are the same as one array, for networks that look at pictures: a plane has a number for each square, or the same
number on all squares for what belongs to none.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Final, TypeAlias, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from seqp2p.arguments import check, check_arguments
from seqp2p.learning.table import actions_of, numbers_of
from seqp2p.rules import UNKNOWN, Card, Options, Phase, SeatNumber, Team, Variant, View, check_table

Numbers: TypeAlias = NDArray[np.uint8]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
_AT_MOST: Final = 255


def action_mask(view: View) -> NDArray[np.int8]:
    """Return by number 1 for an action legal now, else 0 (int8); all 0 when the seat is not to move."""
    if type(view) is not View:
        check(action_mask, view)
    numbers = numbers_of(view.variant)
    mask = np.zeros(len(actions_of(view.variant)), np.int8)
    mask[[numbers[action] for action in view.legal]] = 1
    return mask


class Seen(TypedDict):
    """One seat's view. ``teams`` and ``players`` are how many; faces are counted as in ``variant.faces``."""

    board: Numbers
    """(teams, rows, cols): 1 where the team has a chip."""
    sequences: Numbers
    """(teams, rows, cols): 1 on the squares of the team's completed sequences, their corners among them."""
    completed: Numbers
    """(teams,): completed sequences, counted up to as many as win."""
    hand: Numbers
    """(faces,): how many of each the seat holds."""
    hand_sizes: Numbers
    """(players,)"""
    discards: Numbers
    """(players, faces): how many of each lie on the discards of each seat."""
    pile: Numbers
    """(1,): cards in the draw pile."""
    phase: Numbers
    """(4,): 1 for what the seat to move is to do: play, draw, draw late, give up a card."""
    to_move: Numbers
    """(players,): 1 for the seat that acts next; all 0 when the game is over."""
    mover: Numbers
    """(players,): 1 for the seat whose turn it is, nearly always the same."""
    owes: Numbers
    """(players,): 1 for a seat that may still draw for its last turn; manual draw only."""
    quiet: Numbers
    """(1,): turns in a row in which no chip was placed or taken; the game is drawn at 208."""


class Observation(TypedDict):
    """The observation of an agent."""

    observation: Seen
    action_mask: NDArray[np.int8]


class PlanesObservation(TypedDict):
    """The observation of an agent of an environment with planes."""

    observation: Numbers
    """(planes, rows, cols); ``planes_of`` has their names."""
    action_mask: NDArray[np.int8]


def observe(view: View) -> Seen:
    """The view of a seat as arrays; fresh ones at every call."""
    if type(view) is not View:
        check(observe, view)
    variant, players = view.variant, view.players
    clockwise = [(view.seat - 1 + step) % players for step in range(players)]
    pending, planes = view.position.pending, (view.teams, variant.board.rows, variant.board.cols)
    return {
        "board": _chips(view).reshape(planes),
        "sequences": _sequences(view).reshape(planes),
        "completed": _completed(view),
        "hand": _counted(variant, view.hand)[:-1],
        "hand_sizes": np.array([view.hand_sizes[at] for at in clockwise], np.uint8),
        "discards": np.stack([_counted(variant, view.discards[at])[:-1] for at in clockwise]),
        "pile": np.array([view.pile], np.uint8),
        "phase": np.array([phase == view.phase for phase in PHASES], np.uint8),
        "to_move": _marked(view, view.to_move),
        "mover": _marked(view, view.mover),
        "owes": _marked(view, pending.owes if pending else 0),
        "quiet": np.array([view.position.quiet], np.uint8),
    }


@cache
@check_arguments
def planes_of(variant: Variant, players: int, teams: int) -> tuple[tuple[str, int], ...]:
    """Return by plane its name and its highest number.

    ``team N`` has 1 on the chips of a team, ``sequences N`` on its completed sequences. ``hand`` and ``discarded`` have
    on each square the number of its card in the hand and on all discards. The others have one number on all squares:
    wild and removing cards in the hand and on the discards, completed sequences by team, 1 for the phase, 1 if the
    seat is to move, the cards of the pile, and the turns in a row without a chip placed or taken.
    """
    check_table(variant, players, teams, Options())
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


def observe_planes(view: View) -> Numbers:
    """Return the view of a seat as planes, in the order of ``planes_of``; a fresh array at every call."""
    if type(view) is not View:
        check(observe_planes, view)
    variant, teams, players = view.variant, view.teams, view.players
    board = variant.board
    planes = np.zeros((len(planes_of(variant, players, teams)), len(board.grid)), np.uint8)
    planes[:teams], planes[teams : 2 * teams] = _chips(view), _sequences(view)
    held = _counted(variant, view.hand)
    gone = _counted(variant, chain.from_iterable(view.discards))
    planes[2 * teams] = held[_card_by_square(variant)]
    planes[2 * teams + 1] = gone[_card_by_square(variant)]
    clockwise = [view.hand_sizes[(view.seat - 1 + place) % players] for place in range(players)]
    planes[2 * teams + 2 :] = np.array(
        [
            *(sum(held[card] for card in kind) for kind in (variant.wild, variant.removing)),
            *(sum(gone[card] for card in kind) for kind in (variant.wild, variant.removing)),
            *_completed(view),
            *(phase == view.phase for phase in PHASES),
            view.seat == view.to_move,
            view.pile,
            min(view.position.quiet, _AT_MOST),
            *clockwise,
        ],
        np.uint8,
    )[:, None]
    return planes.reshape(-1, board.rows, board.cols)


def _chips(view: View) -> Numbers:
    teams = np.array([[(view.team - 1 + step) % view.teams + 1] for step in range(view.teams)], np.int8)
    return np.array(np.array(view.board, np.int8) == teams, np.uint8)


def _sequences(view: View) -> Numbers:
    planes = np.zeros((view.teams, len(view.board)), np.uint8)
    for made in view.sequences:
        planes[_turned(view, made.team), list(made.squares)] = 1
    return planes


def _completed(view: View) -> Numbers:
    counts = np.zeros(view.teams, np.uint8)
    for made in view.sequences:
        counts[_turned(view, made.team)] += 1
    # One chip can complete more than are needed; how many more is of no use to anybody.
    return np.minimum(counts, np.uint8(dict(view.variant.sequences_to_win)[view.teams]))


def _turned(view: View, team: Team) -> int:
    """Return the team as the seat counts: 0 for its own."""
    return (team - view.team) % view.teams


def _counted(variant: Variant, cards: Iterable[Card]) -> Numbers:
    """Return the count of each card, and a 0 after the last one; unknown cards are left out."""
    known = np.array([card for card in cards if card != UNKNOWN], np.intp)
    return np.bincount(known, minlength=len(variant.faces) + 1).astype(np.uint8)


def _marked(view: View, seat: SeatNumber) -> Numbers:
    """Return a 1 for this seat as the observer counts, and no 1 for seat 0."""
    marks = np.zeros(view.players, np.uint8)
    if seat:
        marks[(seat - view.seat) % view.players] = 1
    return marks


@cache
def _card_by_square(variant: Variant) -> NDArray[np.intp]:
    """Return by square its card; on a free corner the number after the last card."""
    return np.array([len(variant.faces) if card == UNKNOWN else card for card in variant.board.grid])
