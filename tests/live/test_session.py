"""Whole games between sessions under trio. tests/sim has those on bad networks, tests/api those over real sockets."""

from pathlib import Path

import trio

from seqp2p.lobby.table import AgreedTable
from seqp2p.match.events import Dealt, Finished, Seated, Shuffled, Turned
from seqp2p.net.frames import FrameStream
from tests.live.parties import Party, Thinker, checked, credentials
from tests.net.tools import tls_pair


async def test_a_whole_game(virtual_time: object, tmp_path: Path) -> None:
    party = Party(tmp_path, 3)
    await party.play()
    (result,) = set(party.results.values())
    assert result is not None
    assert result.kind in ("won", "drawn")
    assert {report.result for report in checked(party)} == {result}
    for place in party.places.values():
        assert len(place.of_kind("OpeningRecord")) == 3
        assert place.steps() == party[1].steps()
        assert place.game._send.statistics().max_buffer_size == 0, "a link crowds out another"
        kinds = [type(event) for event in place.events]
        assert kinds[:5] == [Seated, *[Shuffled] * 3, Dealt]
        assert kinds[-1] is Finished
        assert [event for event in place.events if isinstance(event, Turned)] == [
            event for event in party[1].events if isinstance(event, Turned)
        ]
    assert trio.current_time() < 1, "nobody waits for anything but the others"


class Lobbied(Party):
    """A table as the lobby leaves it: the host linked with everybody, and nobody with addresses, or all."""

    links: dict[int, dict[int, FrameStream]]

    async def lobby(self, *, addresses: bool) -> None:
        self.links = {seat: {} for seat in range(1, self.players + 1)}
        self._addresses = addresses
        for guest in range(2, self.players + 1):
            self.links[1][guest], link = await tls_pair(credentials(1), credentials(guest))
            self.links[guest][1] = link.frames

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
