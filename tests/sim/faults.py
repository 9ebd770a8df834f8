"""Faults as data: the kind, the seats, the time and the duration. A plan of faults is drawn from a seed.

Times are virtual seconds from the start of the game. docs/testing.md has the effect of each kind, and the results.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

_OfLinks: TypeAlias = Literal["cut", "loss", "oneway", "partition", "slow"]
_OfMachines: TypeAlias = Literal["crash", "power", "older", "die", "stall", "drift", "disk"]
_OfPlayers: TypeAlias = Literal["leave", "later", "asleep", "talk"]
_OfLan: TypeAlias = Literal[_OfLinks, _OfMachines, _OfPlayers, "bursts"]
_OfRelay: TypeAlias = Literal["router", "sever", "relay", "choke", "mispair"]
FaultKind: TypeAlias = Literal[_OfLan, _OfRelay]
RELAY_KINDS: Final[tuple[FaultKind, ...]] = get_args(_OfRelay)
"""The faults of a relay. Without ``router`` no seat needs one."""
KINDS: Final[tuple[FaultKind, ...]] = get_args(_OfLan)
"""The faults of a LAN."""
OF_SEATS: Final = frozenset[FaultKind](KINDS) - {"bursts"}
"""The faults of seats, which receive little and read it at once."""
_BESIDE_OLDER: Final = frozenset[FaultKind]({"asleep", "disk", "drift", "talk"})
"""The faults that keep no seat away: while one is, a copy may not be noticed."""
OF_SPECTATORS: Final = frozenset[FaultKind](KINDS) - {"later", "older", "disk", "asleep", "talk"}
"""The faults of spectators too, which have no player, sign nothing and wait for no disk."""
FIRST_SPECTATOR: Final = 101
"""Spectators are numbered from here on, far from any seat."""
# Games of the small variant take 10 to 60 s of virtual time.
_LATEST_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, which lasts ``for_s`` if its kind has a duration.

    ``size``: the seconds that ``slow`` and ``disk`` add, or between reads in ``bursts``; the clock's rate in ``drift``.
    """

    kind: FaultKind
    at_s: float
    seats: tuple[int, ...]
    for_s: float = 0.0
    size: float = 0.0

    @property
    def until_s(self) -> float:
        return self.at_s + self.for_s


@dataclass(frozen=True, slots=True)
class Plan:
    """All faults of one game, and the pace of the network: seconds for a message, and the random part."""

    latency_s: float = 0.002
    jitter_s: float = 0.01
    faults: tuple[Fault, ...] = ()

    @property
    def last_s(self) -> float:
        return max((fault.until_s for fault in self.faults if fault.kind != "drift"), default=0.0)

    @property
    def routers(self) -> frozenset[int]:
        """The seats that cannot be dialled."""
        return frozenset(seat for fault in self.of_kind("router") for seat in fault.seats)

    def of_kind(self, kind: FaultKind) -> list[Fault]:
        return [fault for fault in self.faults if fault.kind == kind]


def draw_plan(seed: object, players: int, kinds: Iterable[FaultKind] = KINDS) -> Plan:
    """Draw a plan with up to five faults of these kinds, the same for the same arguments. Without kinds, only a pace.

    With all kinds, most games have two to four faults: enough to interact, few enough to understand.
    """
    dice = random.Random(repr(("plan", seed, players)))
    chosen = sorted(OF_SEATS.intersection(kinds))
    latency_s = dice.choice((0.0002, 0.002, 0.03, 0.2))
    jitter_s = dice.choice((0.0, 0.01, 0.1, 0.5))
    count = dice.randint(1, 5) if chosen else 0
    seats = range(1, players + 1)
    faults = [_drawn(dice, dice.choice(chosen), seats) for _ in range(count)]
    if older := [fault for fault in faults if fault.kind == "older"]:
        # A copy is noticed only while the others are there, with all that they hold.
        faults = [older[0], *(fault for fault in faults if fault.kind in _BESIDE_OLDER)]
    else:
        faults += _draw_relay(seed, players, kinds)
    return Plan(latency_s, jitter_s, tuple(sorted(faults, key=lambda fault: (fault.at_s, fault.kind, fault.seats))))


def _draw_relay(seed: object, players: int, kinds: Iterable[FaultKind]) -> list[Fault]:
    """Draw the seats that have routers and up to three faults of their relay; other faults do not change."""
    dice = random.Random(repr(("relay", seed, players)))
    chosen: list[FaultKind] = [kind for kind in RELAY_KINDS[1:] if kind in kinds]
    if "router" not in kinds:
        return []
    behind = tuple(sorted(dice.sample(range(1, players + 1), dice.randint(2, players))))
    faults = [Fault("router", 0.0, behind)]
    for _ in range(dice.randint(0, 3) if chosen else 0):
        for_s = round(dice.choice((0.5, 5.0, 10.0, 30.0)) * dice.uniform(0.5, 1.5), 3)
        kind = dice.choice(chosen)
        faults.append(Fault(kind, round(dice.uniform(0, _LATEST_S), 3), behind, 0.0 if kind == "sever" else for_s))
    return faults


def draw_watching(seed: object, spectators: int, kinds: Iterable[FaultKind] = KINDS) -> tuple[Fault, ...]:
    """Draw up to three faults of these kinds for so many spectators; the faults of the seats do not change."""
    dice = random.Random(repr(("watching", seed, spectators)))
    chosen = sorted(OF_SPECTATORS.intersection(kinds))
    count = dice.randint(0, 3) if chosen and spectators else 0
    numbers = range(FIRST_SPECTATOR, FIRST_SPECTATOR + spectators)
    return tuple(_drawn(dice, dice.choice(chosen), numbers) for _ in range(count))


def _drawn(dice: random.Random, kind: FaultKind, among: range) -> Fault:
    at_s = round(dice.uniform(0, _LATEST_S), 3)
    seats = tuple(sorted(dice.sample(among, _how_many(dice, kind, len(among)))))
    # Around the limits that the game has: 2 s between heartbeats, 8 s of silence, graces of 5 to 20 s.
    for_s = round(dice.choice((0.1, 1.0, 5.0, 10.0, 30.0)) * dice.uniform(0.5, 1.5), 3)
    match kind:
        case "cut" | "leave" | "talk" | "die":
            return Fault(kind, at_s, seats)
        case "drift":
            return Fault(kind, 0.0, seats, size=round(dice.uniform(0.9, 1.1), 4))
        case "slow":
            return Fault(kind, at_s, seats, for_s, round(dice.uniform(0.1, 3.0), 3))
        case "bursts":
            # Up to the silence that ends a link.
            return Fault(kind, at_s, seats, for_s, round(dice.uniform(0.5, 8.0), 3))
        case "disk":
            return Fault(kind, at_s, seats, for_s, round(dice.choice((0.05, 0.5, 4.0)) * dice.uniform(0.5, 1), 3))
        case _:
            return Fault(kind, at_s, seats, for_s)


def _how_many(dice: random.Random, kind: FaultKind, players: int) -> int:
    if kind in {"cut", "loss", "oneway", "partition", "slow"}:
        return dice.randint(1, max(1, players - 1))
    if kind in {"crash", "power", "stall"}:
        return dice.choice((1, 1, 1, dice.randint(1, players)))
    return 1
