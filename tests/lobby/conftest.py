"""Fixtures of this package: those of the live games, and codes and places that are cheap."""

import hashlib
from functools import partial
from typing import Any

import pytest
import spake2
import trio
from spake2.groups import IntegerGroup
from spake2.params import _Params

from seqp2p.lobby import place
from seqp2p.lobby.place import MeetingPlace
from tests.live.conftest import virtual_time
from tests.lobby.house import House, Opened

__all__ = ["cheap_codes", "cheap_places", "virtual_time"]

P = 0xFB87E2BDBBF807EF9E4605244FEE58CB5550896F6B3DD1A1D4A546356B23CC7F
"""A safe prime of 256 bits: an element takes 32 bytes, as on the curve."""
CHEAP = _Params(IntegerGroup(P, P >> 1, 4))


@pytest.fixture
def cheap_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """SPAKE2 in a group with fast integers. On the curve an exchange takes 30 ms."""
    for side in ("SPAKE2_A", "SPAKE2_B"):
        monkeypatch.setattr(spake2, side, partial(getattr(spake2, side), params=CHEAP))


@pytest.fixture
def cheap_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash the digits of meeting places without a thread, for which a clock that jumps does not wait."""

    async def quick(digits: str) -> MeetingPlace:
        await trio.lowlevel.checkpoint()
        return MeetingPlace(tuple(hashlib.sha256(f"{digits}{each}".encode()).digest() for each in "abcd"), digits)

    monkeypatch.setattr(place, "meeting_place", quick)


@pytest.fixture
def house(nursery: trio.Nursery) -> Opened:
    """Open a lobby with so many seats, and let these players enter; the options are those of host_table."""

    async def opened(seats: int, *numbers: int, **options: Any) -> House:
        made = House(nursery, seats, **options)
        await made.open()
        for number in numbers:
            await made.enter(number)
        return made

    return opened
