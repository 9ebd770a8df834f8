"""The search for secrets in every byte that was sent.

A card in a hand is hidden by one number: the holder's own decryption share D = x·a. All others' shares for it are
public, so D opens the card, and a coalition of all but one seat needs exactly the last one's D for each position. The
search covers all bytes on the wire, with the seats' real secrets: the share of every seat for every card that it held
and never showed, and the secrets x themselves. A seat's own turns are left out: it shows cards in them on purpose, also
in a turn that is undone later.
"""

from collections.abc import Mapping

from seqp2p.crypto.group import encode_point, encode_scalar, mul
from tests.sim.referee import Referee
from tests.sim.violation import SafetyViolation


def look_for_secrets(
    referee: Referee, secrets: Mapping[int, int], honest: frozenset[int], sent: Mapping[int, bytes]
) -> None:
    """Raise SafetyViolation if a secret of an honest seat was ``sent``.

    ``sent`` has all frames but the openings after the end: by seat without that seat's own turns, and under 0 all.
    """
    for seat in sorted(honest & secrets.keys()):
        if encode_scalar(secrets[seat]) in sent[0]:
            raise SafetyViolation(f"the game secret of seat {seat} was sent")
    if referee.game is None:
        return
    ciphertexts = referee.game.deck.ciphertexts
    hidden = {at: owner for at, owner in referee.owners.items() if owner in honest and at not in referee.shown}
    for position, owner in sorted(hidden.items()):
        if encode_point(mul(ciphertexts[position].a, secrets[owner])) in sent[owner]:
            raise SafetyViolation(f"the share of seat {owner} that opens its own card {position} was sent")
