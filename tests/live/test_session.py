"""Whole games between sessions, to the end, over links of all kinds."""

import contextlib
import random
from pathlib import Path

import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.live.mesh import Mesh
from seqp2p.live.runtime import UNDER_TRIO
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Dealt, Finished, Seated, Shuffled, Turned
from seqp2p.net import tls
from seqp2p.net.addresses import Address, listening_addresses, open_listeners
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from tests.live.parties import Party, Thinker, checked, credentials, of_kind, steps_of
from tests.live.wires import SlowWires
from tests.table import randomness


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_a_whole_game(virtual_time: object, tmp_path: Path, players: int) -> None:
    party = Party(tmp_path, players)
    await party.play()
    (result,) = set(party.results.values())
    assert result is not None
    assert result.kind in ("won", "drawn")
    assert {report.result for report in checked(party)} == {result}
    for place in party.places.values():
        assert len(of_kind(place, "OpeningRecord")) == players
        assert steps_of(place) == steps_of(party[1])
        kinds = [type(event) for event in place.events]
        assert kinds[: players + 2] == [Seated, *[Shuffled] * players, Dealt]
        assert kinds[-1] is Finished
        assert [event for event in place.events if isinstance(event, Turned)] == [
            event for event in party[1].events if isinstance(event, Turned)
        ]
    assert trio.current_time() < 1, "nobody waits for anything but the others"


async def test_a_classic_game(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, "classic", seed=2)
    await party.play()
    assert party[1].result == party[2].result
    assert {report.result for report in checked(party)} == {party[1].result}


async def test_hands_stay_closed_where_the_table_wants_it(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    await party.play()
    checked(party)
    assert [of_kind(place, "OpeningRecord") for place in party.places.values()] == [[], []]
    assert all(not place.match.openings for place in party.places.values())


@pytest.mark.parametrize("without", [{(1, 3)}, {(1, 3), (2, 4), (1, 4)}])
async def test_a_pair_without_a_link_plays(virtual_time: object, tmp_path: Path, without: set[tuple[int, int]]) -> None:
    """The second table is a line: 1 – 2 – 3 – 4."""
    party = Party(tmp_path, max(map(max, without)), without=without)
    await party.play()
    assert len(set(party.results.values())) == 1
    checked(party)
    assert all(len(of_kind(place, "OpeningRecord")) == party.players for place in party.places.values())


@pytest.mark.parametrize("seed", range(3))
async def test_links_that_take_their_time(virtual_time: object, tmp_path: Path, seed: int) -> None:
    """What is sent on one link overtakes what was sent before on another."""
    party = Party(tmp_path, 3, wires=SlowWires(0.8, seed))
    await party.play()
    assert len(set(party.results.values())) == 1
    checked(party)
    assert all(len(of_kind(place, "OpeningRecord")) == 3 for place in party.places.values())


async def test_slow_links_and_a_missing_one(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 4, wires=SlowWires(0.5), without={(1, 4)})
    await party.play()
    assert len(set(party.results.values())) == 1
    checked(party)


async def linked(host: int, guest: int) -> tuple[FrameStream, FrameStream]:
    """The connection that the lobby leaves: the host's end and the guest's."""
    here, there = memory_stream_pair()
    ends: list[FrameStream] = []

    async def accept() -> None:
        ends.append(await tls.accept(here, credentials(host)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept)
        ends.append((await tls.connect(there, credentials(guest), None)).frames)
    return ends[0], ends[1]


class Lobbied(Party):
    """A table as the lobby leaves it: the host linked with everybody, and nobody with addresses, or all."""

    links: dict[int, dict[int, FrameStream]]

    async def lobby(self, *, addresses: bool) -> None:
        self.links = {seat: {} for seat in range(1, self.players + 1)}
        self._addresses = addresses
        for guest in range(2, self.players + 1):
            self.links[1][guest], self.links[guest][1] = await linked(1, guest)

    def table(self, seat: int) -> AgreedTable:
        table = super().table(seat)
        addresses = table.addresses if self._addresses else {}
        return AgreedTable(table.credentials, table.agreement, seat, addresses, table.listeners, self.links[seat])


async def test_the_links_of_the_lobby_are_enough(virtual_time: object, tmp_path: Path) -> None:
    party = Lobbied(tmp_path, 3)
    await party.lobby(addresses=False)
    await party.play()
    checked(party)
    assert trio.current_time() < 1


async def test_the_hosts_links_are_but_links(virtual_time: object, tmp_path: Path) -> None:
    """They break in mid-game, and the game goes on over others."""
    party = Lobbied(tmp_path, 3, "kids")
    await party.lobby(addresses=True)
    thinker = Thinker(2, sleep_s=20)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for frames in party.links[1].values():
            await frames.abort()
    checked(party)
    assert 20 <= trio.current_time() < 21


QUICK = Limits(heartbeat_s=0.2, dial_min_s=0.05)


class Wired(Party):
    """A table on real sockets; ``doors`` are the listeners and addresses of each seat."""

    doors: dict[int, tuple[list[trio.SocketListener], tuple[Address, ...]]]

    def mesh(self, seat: int) -> Mesh:
        addresses = {other: door[1] for other, door in self.doors.items() if other != seat}
        table = AgreedTable(credentials(seat), self.agreement, seat, addresses, self.doors[seat][0])
        return Mesh(table, randomness(("mesh", seat)), self.limits)


@pytest.mark.simulation
async def test_real_sockets_and_threads(tmp_path: Path) -> None:
    """Nothing is made quick here: bots, proofs and TCP as in a real game."""
    party = Wired(tmp_path, 3, limits=QUICK)
    party.doors = {}
    async with contextlib.AsyncExitStack() as stack:
        for seat in (1, 2, 3):
            listeners = await open_listeners(Address("127.0.0.1", 0))
            for listener in listeners:
                stack.push_async_callback(trio.aclose_forcefully, listener)
            party.doors[seat] = listeners, await listening_addresses(listeners)
        for seat in (1, 2, 3):
            party.sit(seat, BotPlayer(RandomBot(random.Random(seat))), runtime=UNDER_TRIO)
        await party.play()
    assert len(set(party.results.values())) == 1
    assert all(report.result == party[1].result for report in checked(party))
