"""The page docs/adversaries.md, from the descriptions alone (``make adversaries``)."""

from collections.abc import Collection
from typing import Final

from seqp2p.testing.adversaries.described import Adversary
from seqp2p.testing.adversaries.table import markdown

_BEFORE: Final = """\
# Adversaries

Written by `make adversaries` from the descriptions in `seqp2p/testing/adversaries`; do not edit it here.

Each of these {count} misbehaving seats, some of them spectators, is at simulated tables with honest ones, with real
cryptography and a small variant of the game (docs/testing.md). `make slow` asserts exactly this ending of each, at
tables of each size in the list, together with all invariants of the simulator.
`python -m seqp2p.testing adversaries [NAME]` plays them.

| outcome | the game |
|---|---|
| no effect | is played out with the seat in it, and no seat is blamed |
| refused at the link | the same, but the link is ended for a message, which may happen three times |
| proven and dropped | all honest seats hold the evidence; a majority votes the seat out, and plays on to the end |
| proven, game ends | the same if no vote is possible: before the first deal, of two seats at the end |
| forfeit | of two seats the honest one has won |
| dropped | a majority votes the seat out without evidence, for its absence or silence, and plays on to the end |
| game ends | stays unfinished, and nothing is proved: with two seats, or before the first deal |

*Evidence* is held and recorded by every honest seat; *verify* is the verdict of `seqp2p verify` on that record.

"""
_AFTER: Final = """
With three seats, one that signs two draws right before its own turn can hold two halves together that do not know of
each other (docs/protocol.md, 6.3): then the game may end there, with the proof and with no winner.

Tested elsewhere, because no seat of a running game can do it: tables offered twice, joining with a guessed code,
a peer in the middle, replayed hellos (tests/net: test_lobby, test_pake, test_auth); half-open links and slow
frames (test_links); spectators that read nothing, or that have a seat (test_spectator_loopback,
test_spectator_server); names with escapes (tests/match/test_table); files cut, spliced and changed
(tests/replay/test_tampering); bots that hang, flood or die (tests/bots).
"""


def page(adversaries: Collection[Adversary]) -> str:
    """Return the whole page."""
    return _BEFORE.format(count=len(adversaries)) + "\n".join(markdown(adversaries)) + "\n" + _AFTER
