"""The weights of lines and cards for ``strong``. All whole numbers: the same everywhere, and quick.

The numbers of ``worth_of_line`` and the next two are hundredths of a logit of winning: fitted by logistic regression to
some 110,000 positions of two-player games between bots, by the chips that each line lacks and the number of these for
which its team holds the card. A line with two to go and both cards in hand is worth more than one with one to go and no
card for it. A second fit, to some 6,000 positions of games of ``strong`` itself, gave more to a sequence and to the
cards that can go anywhere, and changed little else: these are its numbers.
"""

from typing import Final

# What a chip is worth by how many chips the line lacks before it: to the team that it belongs to, and to the others,
# for whom it spoils the line. For quick play, not for judging a position.
_FAR: Final = (0,) * 10
"""A line with more to go is worth nothing."""
OWN_CHIP: Final = (0, 900, 170, 36, 8, 2, *_FAR)
OTHERS_CHIP: Final = (0, 800, 130, 24, 4, *_FAR)
JACK_PRICE: Final = 150
"""The advantage of a chip that justifies a card that can go anywhere, in quick play."""

_OPENING: Final = ((), (22, 48), (8, 18, 33), (2, 5, 13, 26), (1, 1, 5, 9, 17))
_BEHIND: Final = ((), (15, 64), (9, 14, 37), (2, 3, 10, 30), (0, 1, 1, 9, 9))
_BEHIND_TO_MOVE: Final = ((), (16, 68), (10, 17, 44), (2, 3, 12, 35), (0, 1, 1, 9, 9))
_AHEAD: Final = ((), (23, 174), (9, 17, 63), (1, 9, 12, 46), (1, 1, 4, 12, 12))
_AHEAD_TO_MOVE: Final = ((), (24, 192), (10, 20, 63), (1, 10, 13, 57), (1, 1, 4, 12, 15))
_LAST: Final = ((), (22, 184), (9, 14, 35), (1, 2, 8, 45), (0, 1, 2, 11, 11))
_LAST_TO_MOVE: Final = ((), (25, 291), (10, 16, 48), (1, 3, 9, 48), (0, 1, 2, 11, 11))


def worth_of_line(*, wins: bool, others_win: bool, to_move: bool) -> tuple[tuple[int, ...], ...]:
    """Return by the chips that a line lacks, then by the cards for them in its team's hands: its worth to the team.

    ``wins``: the team wins with one more sequence; ``others_win``: another team does; ``to_move``: the team is next.
    """
    if wins:
        if others_win:
            return _LAST_TO_MOVE if to_move else _LAST
        return _AHEAD_TO_MOVE if to_move else _AHEAD
    if others_win:
        return _BEHIND_TO_MOVE if to_move else _BEHIND
    return _OPENING


def worth_of_specials(*, wins: bool, others_win: bool) -> tuple[int, int]:
    """The worth in the hand of a card that places a chip anywhere, and of one that takes a chip."""
    if wins:
        return (155, 38) if others_win else (135, 58)
    return (97, 44) if others_win else (72, 44)


SEQUENCE: Final = 128
"""A sequence that the others lack, in addition to its effect on lines and cards."""
TO_MOVE: Final = 10
"""Being next."""
FLATTENING: Final = 200
"""The advantage that is half of a certain win."""
