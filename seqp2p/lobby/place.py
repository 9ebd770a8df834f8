"""The meeting place of a table: where its host waits at a relay, and joiners come.

Theory of operation. The place's digits, which are a part of the join code, give four tokens for lines at the relay
(transit.py). The host keeps a line at each, as a server. A joiner tries one token at random, and after a while another
one: a line that is taken or forgotten at one token does not keep it out. Nothing that the relay sees depends on the
secret words of the code, which have so few bits that they could be searched. The digits are hashed by scrypt, because a
relay that sees tokens could search for their places; that it finds them gives it one guess at the words for each joiner
(pake.py), as it would have by guessing. The mark is for adverts on a LAN, which do not show the place.

A place that the host has left stays open where someone was let in: a spectator that comes back knows no other. A line
from there has the source MOVED, so that nobody gives the code by it (door.py).
"""

import hashlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, NoReturn

import trio

from seqp2p.crypto.hashing import label_bytes
from seqp2p.net.addresses import Address, first_of
from seqp2p.net.dialling import Dial
from seqp2p.net.errors import NetError
from seqp2p.net.limits import Limits
from seqp2p.net.transit import RelayListener, Waiting

MEETING_PLACE: Final = "seqp2p/1 meeting place"
TOKENS: Final = 4
MOVED: Final = "moved"
"""The source of those who come by a place that the host has left."""
_PLACES: Final = 4
"""This place and the last three where someone was let in: three burned codes end a place, ten are burned a day."""
_TOLD_EVERY_S: Final = 1.0
_TOKEN_SIZE: Final = 32
_MARK_SIZE: Final = 8
_COST: Final = 1 << 15
"""32 MB and 0.1 to 0.25 s for each place tried: to try 10^14 takes 300,000 years of one core at least."""
_MEMORY_MAX: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class MeetingPlace:
    """The four tokens of 32 bytes, and the 16 hexadecimal digits that tables on a LAN advertise."""

    tokens: tuple[bytes, ...]
    mark: str


async def meeting_place(digits: str) -> MeetingPlace:
    """Return the meeting place of these 14 digits. It takes 0.25 s, in a thread."""
    return await trio.to_thread.run_sync(hash_place, digits)


def hash_place(digits: str) -> MeetingPlace:
    """Return the meeting place of these 14 digits. Slow: run in a thread."""
    size = TOKENS * _TOKEN_SIZE
    data = hashlib.scrypt(
        digits.encode("ascii"),
        salt=label_bytes(MEETING_PLACE),
        n=_COST,
        r=8,
        p=1,
        maxmem=_MEMORY_MAX,
        dklen=size + _MARK_SIZE,
    )
    tokens = tuple(data[begin : begin + _TOKEN_SIZE] for begin in range(0, size, _TOKEN_SIZE))
    return MeetingPlace(tokens, data[size:].hex())


class HostLines:
    """A host's lines at its meeting places, one listener for each token. They wait for the first ``move``."""

    def __init__(
        self,
        relay: Address,
        dial: Dial,
        limits: Limits,
        on_place: Callable[[MeetingPlace], None],
        on_away: Callable[[NetError | None], None],
    ) -> None:
        """``on_place`` gets each place, from when joiners can come there.

        ``on_away`` gets the reason, once, when the relay cannot be used, and None when it can be used again; at most
        one of them a second.
        """
        self.relay: Final = relay
        self._dial, self._limits = dial, limits
        self._on_place, self._on_away = on_place, on_away
        self._away: NetError | None = None
        self._noted = trio.lowlevel.ParkingLot()
        self._digits = ""
        self._moved = trio.lowlevel.ParkingLot()
        self._lines: tuple[Waiting, ...] = ()  # of this place and then of those before, by number
        self._opened = trio.lowlevel.ParkingLot()
        self._waits: dict[int, trio.CancelScope] = {}
        self.listeners: Final = tuple(RelayListener(partial(self._join, each)) for each in range(_PLACES * TOKENS))

    def move(self, digits: str) -> None:
        """Wait at the place of these 14 digits from soon on."""
        self._digits = digits
        self._moved.unpark_all()

    async def run(self) -> NoReturn:
        """Find the places to move to, and tell where the relay is away, until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._tell)
            digits = ""
            while True:
                while digits == self._digits:
                    await self._moved.park()
                digits = self._digits
                place = await meeting_place(digits)
                kept = any(line.has_linked for line in self._lines[:TOKENS])
                before = self._lines if kept else self._lines[TOKENS:]
                lines = (
                    Waiting(self.relay, token, "server", self._dial, self._limits, self._note_away)
                    for token in place.tokens
                )
                self._lines = (*lines, *before)[: _PLACES * TOKENS]
                self._note_away(None)
                self._opened.unpark_all()
                for wait in self._waits.values():
                    wait.cancel()
                self._on_place(place)

    async def _join(self, number: int) -> trio.abc.Stream:
        while True:
            while number >= len(self._lines):
                await self._opened.park()
            # One for all lines of a token: its pauses keep a relay from making this host dial without end.
            with trio.CancelScope() as self._waits[number]:
                line = await self._lines[number].join()
                line.source = MOVED if number >= TOKENS else ""
                return line

    def _note_away(self, reason: NetError | None) -> None:
        self._away = reason
        self._noted.unpark_all()

    async def _tell(self) -> NoReturn:
        told = False
        while True:
            while told == (self._away is not None):
                await self._noted.park()
            told = not told
            self._on_away(self._away)
            await trio.sleep(_TOLD_EVERY_S)


async def meet_host(relay: Address, place: MeetingPlace, dial: Dial, limits: Limits) -> trio.abc.Stream:
    """Return a line that is joined with one of the host's. It waits for that until it is cancelled. Raises nothing."""
    # Joiners that come at once are spread over the tokens; a secret choice would gain nothing.
    tokens = random.sample(place.tokens, 2)
    waits = [Waiting(relay, token, "client", dial, limits) for token in tokens]
    line = await first_of([wait.join for wait in waits], limits.relay_second_s)
    assert line is not None, "it waits until there is one"
    return line


class MetLine:
    """The dial of a host or seat that was met at a relay: at first the line where it was met, then new ones."""

    def __init__(self, line: trio.abc.Stream, meet: Callable[[], Awaitable[trio.abc.Stream]]) -> None:
        self._line: trio.abc.Stream | None = line
        self._meet = meet

    async def dial(self, _: Address) -> trio.abc.Stream:
        """Return a line with it. It waits for one until it is cancelled."""
        line, self._line = self._line, None
        # Without a checkpoint: a caller that is cancelled there would leave the line open.
        return await self._meet() if line is None else line

    async def aclose(self) -> None:
        """Close the first line, if it was not used."""
        line, self._line = self._line, None
        if line is not None:
            await trio.aclose_forcefully(line)
