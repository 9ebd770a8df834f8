"""Contributions that came before their step opened, kept until it does: by who signed them, within limits."""

from typing import Final

from seqp2p.match.contribution import Contribution

# Of one seat. Honest ones are at most a round of shuffles ahead, but for a seat that is catching up.
EARLY_MAX: Final = 64
# Different ones of one seat for one step: two are proof of cheating, more prove no more.
VERSIONS_MAX: Final = 2


class Early:
    """What came early. Nobody can crowd out another, because each is kept on the account of the seat that signed it."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, int], list[tuple[int, Contribution]]] = {}  # (neighbour, …) by (step, author)

    def keep(self, step: int, author: int, sender: int, contribution: Contribution) -> None:
        """Keep one that ``author`` has signed; where there are too many of it, those of the nearest steps."""
        versions = self._kept.setdefault((step, author), [])
        if len(versions) < VERSIONS_MAX and contribution.payload not in [kept.payload for _, kept in versions]:
            versions.append((sender, contribution))
        steps = sorted(number for number, seat in self._kept if seat == author)
        if len(steps) > EARLY_MAX:
            del self._kept[steps[-1], author]

    def due(self, step: int) -> list[tuple[int, Contribution]]:
        """Take what is due once this step is open: neighbours it came from, and contributions, in order of steps."""
        keys = sorted(key for key in self._kept if key[0] <= step)
        return [each for key in keys for each in self._kept.pop(key)]
