"""A table that its players meet at a relay, as a script opens and joins it."""

from pathlib import Path

import pytest
import trio

import seqp2p
from seqp2p.api.endpoint import open_endpoint
from seqp2p.api.settings import table_settings
from seqp2p.api.table import open_table
from seqp2p.lobby.code import place_of
from seqp2p.lobby.events import Guest, LobbyShown
from seqp2p.lobby.requests import RemovePlayer
from seqp2p.net.addresses import Address
from tests.api.tools import LIMIT_S, identity, play_varied, table_of
from tests.relay import free_address, running_relay

pytestmark = pytest.mark.process


async def test_a_game_that_is_joined_and_watched_at_a_relay(tmp_path: Path) -> None:
    seen = list[LobbyShown]()
    result: seqp2p.Result | None = None
    watching = trio.Event()
    with trio.fail_after(LIMIT_S):
        async with (
            running_relay() as relay,
            table_of(tmp_path, relay=str(relay)) as table,
            trio.open_nursery() as nursery,
        ):

            async def guest() -> None:
                await watching.wait()
                own = identity("bob")
                async with seqp2p.join(code=table.code, relay=str(relay), identity=own, listen="127.0.0.1:0") as seat:
                    await play_varied(seat)

            async def spectator() -> None:
                nonlocal result
                async with seqp2p.watch(
                    code=table.code,
                    relay=str(relay),
                    identity=identity("eve"),
                    replay_dir=tmp_path,
                    let_in=watching.set,
                    on_event=lambda event: seen.append(event) if isinstance(event, LobbyShown) else None,
                ) as spectator:
                    async for _ in spectator:
                        pass
                    result = spectator.result

            nursery.start_soon(guest)
            nursery.start_soon(spectator)
            async with table.seat() as ann:
                await play_varied(ann)
    assert ann.result == result is not None
    assert [guest is None for guest in seen[0].seats] == [False, True]


async def test_a_host_moves_to_the_place_of_its_next_code(tmp_path: Path) -> None:
    """A player who is removed knows the first place, so the next code has another."""

    async def guest(table: seqp2p.OpenTable, relay: str, name: str) -> None:
        own = identity(name)
        async with seqp2p.join(code=table.code, relay=relay, name=name, identity=own, listen="127.0.0.1:0"):
            raise AssertionError("the table is never full")

    async def removed(table: seqp2p.OpenTable, relay: str) -> None:
        with pytest.raises(seqp2p.PeerRefused, match="removed"):
            await guest(table, relay, "bob")

    async def remove_first(table: seqp2p.OpenTable) -> None:
        async for event in table.events:
            if isinstance(event, LobbyShown) and (bob := event.seats[1]) is not None:
                table.ask(RemovePlayer(bob.key))
                return

    with trio.fail_after(LIMIT_S):
        async with running_relay() as relay, table_of(tmp_path, 3, variant="classic", relay=str(relay)) as table:
            first = table.code
            async with trio.open_nursery() as nursery:
                nursery.start_soon(removed, table, str(relay))
                nursery.start_soon(remove_first, table)
            assert place_of(table.code) != place_of(first) is not None
            async with trio.open_nursery() as nursery:
                nursery.start_soon(guest, table, str(relay), "cat")
                async for event in table.events:
                    if isinstance(event, LobbyShown) and event.seats[1] == Guest("cat", identity("cat").public):
                        break
                nursery.cancel_scope.cancel()


async def test_a_relay_that_is_not_there() -> None:
    relay = str(free_address())
    with pytest.raises(seqp2p.Unreachable, match="cannot be reached"):
        async with seqp2p.host(identity=identity("ann"), listen="127.0.0.1:0", relay=relay):
            raise AssertionError("no relay")
    with pytest.raises(seqp2p.AddressError):
        async with seqp2p.host(identity=identity("ann"), listen="127.0.0.1:0", relay="no address"):
            raise AssertionError("no address")


async def test_an_error_of_the_callers_block_comes_as_it_is(tmp_path: Path) -> None:
    async with (
        running_relay() as relay,
        open_endpoint("ann", identity("ann"), tmp_path, Address("127.0.0.1", 0), relay) as endpoint,
    ):
        with pytest.raises(ValueError, match="the caller's own"):
            async with open_table(endpoint, table_settings(2), 0, lambda _: None, advertise=False):
                raise ValueError("the caller's own")
