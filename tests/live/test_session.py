"""Whole games between sessions under trio. tests/sim has those on bad networks, tests/api those over real sockets."""

from pathlib import Path

import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Dealt, Finished, Seated, Shuffled, Turned
from seqp2p.net import tls
from seqp2p.net.frames import FrameStream
from tests.live.parties import Party, Thinker, checked, credentials, of_kind, steps_of


@pytest.mark.parametrize("players", [2, 3])
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
        assert place.game._send.statistics().max_buffer_size == 0, "a link crowds out another"
        kinds = [type(event) for event in place.events]
        assert kinds[: players + 2] == [Seated, *[Shuffled] * players, Dealt]
        assert kinds[-1] is Finished
        assert [event for event in place.events if isinstance(event, Turned)] == [
            event for event in party[1].events if isinstance(event, Turned)
        ]
    assert trio.current_time() < 1, "nobody waits for anything but the others"


async def test_hands_stay_closed_where_the_table_wants_it(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 2, open_hands=False)
    await party.play()
    checked(party)
    assert [of_kind(place, "OpeningRecord") for place in party.places.values()] == [[], []]
    assert all(not place.match.openings for place in party.places.values())


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
    party = Lobbied(tmp_path, 3)
    await party.lobby(addresses=True)
    thinker = Thinker(1, sleep_s=20)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await thinker.asleep.wait()
        for frames in party.links[1].values():
            await frames.abort()
    checked(party)
    assert 20 <= trio.current_time() < 21
