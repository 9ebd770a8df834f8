"""The confidence interval of a share."""

from math import sqrt
from typing import Final

from seqp2p.arguments import check_arguments

Z_95: Final = 1.959964  # 95 % of a normal distribution lie within so many standard deviations of its mean.


@check_arguments
def wilson(count: float, games: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share seen ``count`` times in ``games`` games (Wilson's score interval).

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927). Without games
    it is everything from 0 to 1.

    >>> tuple(round(bound, 3) for bound in wilson(0, 10))
    (0.0, 0.278)
    >>> tuple(round(bound, 3) for bound in wilson(525, 1000))
    (0.494, 0.556)
    """
    if not games:
        return 0.0, 1.0
    share, weight = count / games, Z_95 * Z_95 / games
    middle = (share + weight / 2) / (1 + weight)
    half = Z_95 / (1 + weight) * sqrt(share * (1 - share) / games + weight / (4 * games))
    return middle - half if count else 0.0, middle + half if count < games else 1.0
