"""The page docs/adversaries.md, from the descriptions alone (``make adversaries``)."""

from collections.abc import Collection
from typing import Final

from seqp2p.testing.adversaries.described import Adversary
from seqp2p.testing.adversaries.table import markdown

_BEFORE: Final = """\
# Adversaries

Written by `make adversaries` from the descriptions in `seqp2p/testing/adversaries`; do not edit it here.

Each of these {count} misbehaving seats, some of them spectators, is at simulated tables with honest ones, with real
cryptography and the game in miniature (docs/testing.md). `make slow` asserts for each that it comes to exactly what
stands here, at tables of each size that is named, besides all that the simulator checks in every game.
`python -m seqp2p.testing adversaries [NAME]` plays them.

| outcome | what becomes of the game |
|---|---|
| no effect | it is played out with the seat in it, and nobody is blamed |
| refused at the link | the same, but its link is ended for what it sent, which may happen three times |
| proven and dropped | all honest seats hold the signed proof; a majority votes the seat out, and plays on to the end |
| proven, game ends | the same where nobody can be voted out: before the first deal, of two seats at the end |
| forfeit | of two seats the honest one has won |
| dropped | voted out without proof, for its absence or silence; the others play on to the end |
| game ends | it stays unfinished, and nothing is proved: with two seats, or before the first deal |

*Evidence* is what every honest seat holds and has in its record; *verify* is what `seqp2p verify` says of that record.

"""
_AFTER: Final = """
With three seats, one that signs two draws right before its own turn can hold two halves together that do not know of
each other (docs/protocol.md, 6.3): then the game may end there, with the proof and with no winner.

Tried elsewhere, because nobody in a game under way can do it: tables offered twice, joining with a guessed code,
whoever stands in the middle, replayed hellos (tests/net: test_lobby, test_pake, test_auth); half-open links and slow
frames (test_links); spectators that read nothing, or that have a seat (test_spectator_loopback,
test_spectator_server); names with escapes (tests/match/test_table); files cut, spliced and changed
(tests/replay/test_tampering); bots that hang, flood or die (tests/bots).
"""


def page(adversaries: Collection[Adversary]) -> str:
    """The whole page."""
    return _BEFORE.format(count=len(adversaries)) + "\n".join(markdown(adversaries)) + "\n" + _AFTER
