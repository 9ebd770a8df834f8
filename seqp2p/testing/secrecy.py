"""Looking for what must not have got out, in every byte that was sent.

A card in a hand is hidden by one number: the holder's own decryption share D = x·a. All others' shares for it are
public, so whoever has D has the card, and a coalition of all but one seat needs exactly the last one's D for each
position. So that is what is searched for, with the seats' real secrets, in all bytes on the wire: the share of every
seat for every card that it held and never showed, and the secrets x themselves. Its own turns are left out: in them a
seat shows a card because it wants to, also where the turn does not stand in the end.
"""

from collections.abc import Mapping

from seqp2p.crypto.group import encode_point, encode_scalar, mul
from seqp2p.testing.referee import Referee
from seqp2p.testing.violation import SafetyViolation


def look_for_secrets(
    referee: Referee, secrets: Mapping[int, int], honest: frozenset[int], sent: Mapping[int, bytes]
) -> int:
    """Raise SafetyViolation if a secret of an honest seat was ``sent``; returns how many were looked for.

    ``sent`` is everything but the openings after the end, and by seat without that seat's own turns; under 0 with all.
    """
    looked = 0
    for seat in sorted(honest & secrets.keys()):
        looked += 1
        if encode_scalar(secrets[seat]) in sent[0]:
            raise SafetyViolation(f"the game secret of seat {seat} was sent")
    if referee.game is None:
        return looked
    ciphertexts = referee.game.deck.ciphertexts
    for position, owner in sorted(referee.owners.items()):
        if owner in honest and position not in referee.shown:
            looked += 1
            if encode_point(mul(ciphertexts[position].a, secrets[owner])) in sent[owner]:
                raise SafetyViolation(f"the share of seat {owner} that opens its own card {position} was sent")
    return looked
