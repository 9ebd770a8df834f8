"""The pending buffer: early things, kept until their step opens.

Every place is on the account of the seat that signed the thing in it, separately for each kind of thing. A full account
keeps the nearest steps. So a seat that signs too much loses its own things, and never another seat's.

Two kinds have a longer account. Evidence is on the account of its signer *and* of the seat that offers it: otherwise a
cheat could fill its own account, and so crowd out the evidence against itself. A game secret is unsigned, so it is on
the account of its sender until the seat's game key is known; from then on a false one is not kept at all.
"""

from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from seqp2p.match.contribution import Contribution
from seqp2p.match.remark import REMARKS_MAX
from seqp2p.match.signed import OfferedEvidence, ReleasedSecret, SignedBallot, SignedHead, SignedRemark, SignedThing

Account: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """The room for one kind in an account: ``places`` in all, and ``versions`` of them for one step."""

    places: int
    versions: int


# An honest seat is at most a round of shuffles ahead, unless we are catching up. Two different contributions for one
# step are proof of cheating, and more prove no more. A remark's step is its number.
ROOMS: Final[dict[type[SignedThing], Room]] = {
    Contribution: Room(64, 2),
    SignedBallot: Room(64, 64),
    SignedHead: Room(64, 64),
    SignedRemark: Room(REMARKS_MAX, 1),
    # An honest seat offers a proof or two of each cheat, and each pair of signer and offerer has an account.
    OfferedEvidence: Room(4, 2),
    ReleasedSecret: Room(12, 1),
}


@dataclass(frozen=True, slots=True)
class PendingThing:
    """A waiting thing: ``step`` is the one it waits for, ``sender`` the neighbour that sent it."""

    step: int
    thing: SignedThing
    sender: int


class PendingBuffer:
    """Early things by kind, each with its account, the nearest steps first."""

    def __init__(self) -> None:
        self._kept: dict[type[SignedThing], list[tuple[Account, PendingThing]]] = {kind: [] for kind in ROOMS}

    def keep(self, account: Account, step: int, thing: SignedThing, sender: int) -> bool:
        """Keep a thing that waits for a step. Return False if it is kept already, or its account has no room."""
        room, kept = ROOMS[type(thing)], self._kept[type(thing)]
        own = [each for by, each in kept if by == account]
        same_step = [each for each in own if each.step == step]
        if len(same_step) >= room.versions or any(_payloads(each.thing) == _payloads(thing) for each in same_step):
            return False
        if len(own) >= room.places:
            if own[-1].step <= step:
                return False
            self.remove(account, own[-1])
        insort(kept, (account, PendingThing(step, thing, sender)), key=_by_step)
        return True

    def of(self, kind: type[SignedThing]) -> Sequence[tuple[Account, PendingThing]]:
        """Return all waiting things of one kind, the nearest steps first. They must not change while it is read."""
        return self._kept[kind]

    def remove(self, account: Account, waiting: PendingThing) -> None:
        """Give up a place."""
        self._kept[type(waiting.thing)].remove((account, waiting))

    def __len__(self) -> int:
        return sum(map(len, self._kept.values()))


def _by_step(entry: tuple[Account, PendingThing]) -> tuple[int, Account]:
    account, waiting = entry
    return waiting.step, account


def _payloads(thing: SignedThing) -> tuple[bytes, ...]:
    """Return the part that tells things apart: two valid signatures of one payload are one thing."""
    match thing:
        case Contribution(payload):
            return (payload,)
        case OfferedEvidence(contributions):
            return tuple(each.payload for each in contributions)
        case ReleasedSecret(_, secret):
            return (secret,)
        case _:
            return (thing.bytes.payload,)
