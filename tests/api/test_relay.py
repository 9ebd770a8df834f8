"""A table that its players meet at a relay, as a script opens and joins it."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import trio

import seqp2p
from seqp2p.api.endpoint import open_endpoint
from seqp2p.api.settings import table_settings
from seqp2p.api.table import HostOptions, open_table
from seqp2p.lobby.code import place_of
from seqp2p.lobby.events import Guest, LobbyShown, RemovePlayer
from seqp2p.net.addresses import Address
from tests.api.tools import identity, play_varied, played_in, refused, table_with
from tests.relay import free_address

pytestmark = pytest.mark.process


async def test_a_game_that_is_joined_and_watched_at_a_relay(tmp_path: Path, relay: Address) -> None:
    seen = list[LobbyShown]()
    results = list[seqp2p.Result | None]()
    watching = trio.Event()

    def hear(event: object) -> None:
        if isinstance(event, LobbyShown):
            seen.append(event)

    kept: dict[str, Any] = {"relay": str(relay), "replay_dir": tmp_path}

    async def sit_down(table: seqp2p.OpenTable) -> None:
        await watching.wait()
        async with seqp2p.join(code=table.code, identity=identity("bob"), listen="127.0.0.1:0", **kept) as seat:
            await play_varied(seat)

    async def see(table: seqp2p.OpenTable) -> None:
        eve: dict[str, Any] = {"identity": identity("eve"), "let_in": watching.set, "on_event": hear, **kept}
        async with seqp2p.watch(code=table.code, **eve) as spectator:
            async for _ in spectator:
                pass
            results.append(spectator.result)

    async with table_with(tmp_path, sit_down, see, relay=str(relay)) as table:
        ann = await played_in(table)
    assert results == [ann.result]
    assert ann.result is not None
    assert [guest is None for guest in seen[0].seats] == [False, True]


async def test_a_host_moves_to_the_place_of_its_next_code(tmp_path: Path, relay: Address) -> None:
    """A removed player knows the first place, so the next code has another."""
    made: dict[str, Any] = {"players": 3, "variant": "classic"}
    async with table_with(tmp_path, relay=str(relay), **made) as table:

        def joins(name: str) -> AbstractAsyncContextManager[seqp2p.Seat]:
            more: dict[str, Any] = {"name": name, "identity": identity(name), "listen": "127.0.0.1:0"}
            return seqp2p.join(code=table.code, relay=str(relay), **more)

        async def remove_first() -> None:
            async for event in table.events:
                if isinstance(event, LobbyShown) and (bob := event.seats[1]) is not None:
                    table.ask(RemovePlayer(bob.key))
                    return

        first = table.code
        async with trio.open_nursery() as nursery:
            nursery.start_soon(refused, seqp2p.PeerRefused, joins("bob"), "removed")
            nursery.start_soon(remove_first)
        assert place_of(table.code) != place_of(first) is not None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(refused, seqp2p.PeerRefused, joins("cat"))
            async for event in table.events:
                if isinstance(event, LobbyShown) and event.seats[1] == Guest("cat", identity("cat").public):
                    break
            nursery.cancel_scope.cancel()


async def test_a_relay_that_is_not_there() -> None:
    own: dict[str, Any] = {"identity": identity("ann"), "listen": "127.0.0.1:0"}
    await refused(seqp2p.Unreachable, seqp2p.host(relay=str(free_address()), **own), "cannot be reached")
    await refused(seqp2p.AddressError, seqp2p.host(relay="no address", **own))


async def test_an_error_of_the_callers_block_comes_as_it_is(tmp_path: Path, relay: Address) -> None:
    async with open_endpoint("ann", identity("ann"), tmp_path, Address("127.0.0.1", 0), relay) as endpoint:
        with pytest.raises(ValueError, match="the caller's own"):
            async with open_table(endpoint, table_settings(2), HostOptions(0, advertise=False)):
                raise ValueError("the caller's own")
