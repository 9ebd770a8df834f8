"""The pending buffer: early things, kept until their step opens.

Every place is on the account of the seat that signed the thing in it, separately for each kind of thing. A full account
keeps the nearest steps. So a seat that signs too much loses its own things, and never another seat's.

Two kinds have a longer account. Evidence is on the account of its signer *and* of the seat that offers it: otherwise a
cheat could fill its own account, and so crowd out the evidence against itself. A game secret is unsigned, so it is on
the account of its sender until the seat's game key is known; from then on a false one is not kept at all.
"""

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
    """Early things, by kind and account."""

    def __init__(self) -> None:
        self._kept: dict[type[SignedThing], dict[Account, list[PendingThing]]] = {kind: {} for kind in ROOMS}

    def keep(self, account: Account, step: int, thing: SignedThing, sender: int) -> bool:
        """Keep a thing that waits for a step. Return False if it is kept already, or its account has no room."""
        room = ROOMS[type(thing)]
        kept = self._kept[type(thing)].setdefault(account, [])
        same_step = [each for each in kept if each.step == step]
        if len(same_step) >= room.versions or any(_payloads(each.thing) == _payloads(thing) for each in same_step):
            return False
        new = PendingThing(step, thing, sender)
        kept.append(new)
        if len(kept) > room.places:
            farthest = max(reversed(kept), key=lambda each: each.step)
            kept.remove(farthest)
            return farthest is not new
        return True

    def of(self, kind: type[SignedThing]) -> list[tuple[Account, PendingThing]]:
        """Return all waiting things of one kind, the nearest steps first."""
        accounts = self._kept[kind]
        return sorted(((account, each) for account, kept in accounts.items() for each in kept), key=_by_step)

    def remove(self, account: Account, waiting: PendingThing) -> None:
        """Give up a place."""
        accounts = self._kept[type(waiting.thing)]
        accounts[account].remove(waiting)
        if not accounts[account]:
            del accounts[account]

    def __len__(self) -> int:
        return sum(len(kept) for accounts in self._kept.values() for kept in accounts.values())


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
