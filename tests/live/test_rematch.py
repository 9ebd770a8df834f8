"""Another game at one table: who sat there comes back by its key, nobody else does, and no seat is lost to a wait."""

from dataclasses import replace

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.events import CodeShown, Former
from seqp2p.lobby.join import rejoin_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import NO_LOBBY, check_client, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, PeerError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AcceptGame, Gather, LobbyMessage, LobbySeat, PakeA, Proof, Sit, TableMessage
from tests.lobby.house import House, Liar, LyingHost, telling
from tests.net.tools import Wires, address_of, agreement, credentials, identity, own, randomness, settings

LIMITS = DEFAULT_LIMITS


def former_table(seat: int, players: int) -> AgreedTable:
    """The table of a game before, as this seat has it."""
    others = {other: (address_of(other),) for other in range(1, players + 1) if other != seat}
    return AgreedTable(credentials(seat), agreement(players), seat, others, [])


def remembered(players: int, *seats: int, keeps_s: float = LIMITS.rematch_keeps_s) -> Former:
    """What the host remembers of it: these seats may come back."""
    return Former(former_table(1, players).game, {identity(seat).public: seat for seat in seats}, keeps_s)


async def opened(nursery: trio.Nursery, players: int, former: Former) -> House:
    house = House(nursery, players, former=former)
    await house.open()
    return house


def come_back(
    house: House,
    seat: int,
    players: int,
    *,
    wires: Wires | None = None,
    asked: bool = False,
) -> None:
    player = house[seat]

    async def run() -> AgreedTable:
        mine, dial = own(seat, on_event=player.events.append), (wires or house.wires).dial
        return await rejoin_table(mine, former_table(seat, players), player.requests, asked=asked, dial=dial)

    house.nursery.start_soon(player.run, run)


async def test_the_same_company_once_more(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2, 3))
    for seat in (3, 2):
        come_back(house, seat, 3)
        await wait_all_tasks_blocked()
    assert {number: table.seat for number, table in house.tables.items()} == {1: 1, 2: 2, 3: 3}
    assert house.turned_away == []
    games = {table.game for table in house.tables.values()}
    assert len(games) == 1
    assert former_table(1, 3).game not in games
    nonces = {seat.nonce for seat in house.tables[1].agreement.seats}
    assert nonces.isdisjoint(seat.nonce for seat in agreement(3).seats)


def asked_of(house: House, number: int) -> list[bool | None]:
    """The seats of the lobby as this one has seen it last: None where free, else True for one that is asked."""
    seats = house[number].shown.seats
    return [None if seat is None else seat.asked for seat in seats]


async def test_no_game_begins_while_a_player_is_asked(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = House(nursery, 3, former=remembered(3, 2, 3), asked=True)
    await house.open()
    come_back(house, 2, 3, asked=True)
    come_back(house, 3, 3)
    await wait_all_tasks_blocked()
    assert asked_of(house, 3) == [True, True, False]
    for number, still in ((1, [False, True, False]), (2, [False, False, False])):
        assert house.tables == {}
        await house[number].ask(AcceptGame())
        assert asked_of(house, 3) == still
    assert sorted(house.tables) == [1, 2, 3]


async def test_a_player_who_declines_keeps_no_place(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2, 3))
    come_back(house, 2, 3, asked=True)
    come_back(house, 3, 3)
    await wait_all_tasks_blocked()
    house[2].scope.cancel()
    await wait_all_tasks_blocked()
    # The others learn it from the lobby.
    assert asked_of(house, 3) == [False, None, False]
    assert house.turned_away == []
    await house.enter(12)
    assert sorted(house.tables) == [1, 3, 12]


async def test_only_a_seat_of_the_game_before_is_asked(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 2, Former(b"", {}))
    stranger = Liar(house, 12)
    await stranger.give_code()
    await send(stranger.frames, Sit("stranger", asked=True))
    seen = await stranger.expect(LobbyMessage)
    assert isinstance(seen, LobbyMessage)
    assert [seat and seat.asked for seat in seen.seats] == [False, False]
    # An answer to no question changes nothing.
    await stranger.expect(Gather)
    await send(stranger.frames, AcceptGame())
    await send(stranger.frames, stranger.nonce())
    await stranger.expect(TableMessage)


async def test_a_host_that_begins_without_the_answer(autojump_clock: object, nursery: trio.Nursery) -> None:
    seats = (LobbySeat("host", identity(1).public, 0), LobbySeat("player 2", identity(2).public, 0, asked=True))
    house, host = House(nursery, 2), LyingHost(telling(LobbyMessage(settings(2), seats, 2), Gather(1)))
    house.wires = host.wires
    nursery.start_soon(host.run)
    come_back(house, 2, 2, asked=True)
    await trio.sleep(1)
    assert isinstance(house.errors[2], PeerError)
    assert "has not accepted" in str(house.errors[2])


async def test_a_host_that_takes_its_time(autojump_clock: object, nursery: trio.Nursery) -> None:
    """Its game is not over yet: it answers as a seat of that game does, then not at all, then it opens the lobby."""
    house = House(nursery, 2, former=remembered(2, 2))
    listener = house.wires.listen(address_of(1))
    come_back(house, 2, 2)

    def admit(proof: Proof) -> None:
        assert proof.role == "join"
        raise PeerRefused("game_started")

    with pytest.raises(LinkLost):
        await check_client(
            await tls.accept(await listener.accept(), credentials(1)),
            credentials(1),
            lobby=NO_LOBBY,
            admit=admit,
            randomness=randomness,
            limits=LIMITS,
        )
    await listener.accept()
    await trio.sleep(LIMITS.authenticate_s)
    house.wires.cut(address_of(1))
    await trio.sleep(0.6)
    await house.open()
    await trio.sleep(2)
    assert sorted(house.tables) == [1, 2]


async def test_seats_are_kept_for_a_while_and_then_they_are_free(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 4, remembered(3, 2, 3))
    # Seat 4 has left the game: it is free for whoever has the new code.
    await house.enter(12)
    await house.enter(13)
    assert house.names == ["host", None, None, "guest 12"]
    assert house.refused(13) == "seats_kept"
    come_back(house, 3, 3)
    await wait_all_tasks_blocked()
    assert house.names == ["host", None, "player 3", "guest 12"]
    await house.enter(13)
    assert house.refused(13) == "seats_kept"
    await trio.sleep(LIMITS.rematch_keeps_s)
    await house.enter(13)
    assert sorted(house.tables) == [1, 3, 12, 13]


async def test_the_seat_of_one_that_is_missing_is_free_at_once(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2, 3, keeps_s=0))
    await house.enter(12)
    come_back(house, 3, 3)
    await wait_all_tasks_blocked()
    assert sorted(house.tables) == [1, 3, 12]
    come_back(house, 2, 3)  # too late
    await trio.sleep(LIMITS.authenticate_s + LIMITS.rematch_wait_s)
    assert isinstance(house.errors[2], LinkLost)


async def test_who_comes_back_when_the_table_is_full(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2, keeps_s=0))
    await house.enter(12)
    liar = Liar(house, 13)
    await liar.sit_down()
    come_back(house, 2, 3)
    await wait_all_tasks_blocked()
    assert house.refused(2) == "table_full"


async def test_who_comes_back_with_the_code(autojump_clock: object, nursery: trio.Nursery) -> None:
    """Its program has ended meanwhile and knows nothing of the game before; the seat is its own all the same."""
    house = await opened(nursery, 2, remembered(2, 2))
    await house.enter(2)
    assert sorted(house.tables) == [1, 2]


async def test_a_stranger_gets_no_seat_by_the_game_before(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2))
    game = former_table(1, 3).game
    with pytest.raises(PeerRefused) as refused:
        await reach(address_of(1), credentials(12), house.wires.dial, LIMITS, role="join", game=game)
    assert refused.value.code == "not_seated"
    # Nor does seat 3, which has left the game or cheated.
    come_back(house, 3, 3)
    await wait_all_tasks_blocked()
    assert house.refused(3) == "not_seated"
    # Nor with a proof for the game before in a lobby that follows none, or another.
    other = House(nursery, 3)
    await other.open()
    come_back(other, 2, 3)
    await wait_all_tasks_blocked()
    assert other.refused(2) == "wrong_game"


async def test_who_comes_back_is_asked_for_no_code(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 3, remembered(3, 2))
    link = await reach(
        address_of(1), credentials(2), house.wires.dial, LIMITS, role="join", game=former_table(1, 3).game
    )
    await send(link.frames, PakeA(7, 2, bytes(33)))
    await wait_all_tasks_blocked()
    assert house.turned_away == ["Somebody could not join: The other side did not sit down."]
    # That was no try of the code.
    assert len([event for event in house[1].events if isinstance(event, CodeShown)]) == 1


async def test_a_host_that_is_gone(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = House(nursery, 2)
    begun = trio.current_time()
    come_back(house, 2, 2)
    await trio.sleep(3)
    assert str(house.errors[2]) == "The host is gone."
    # Somebody else at its address is not the host.
    other = House(nursery, 2)
    listener = other.wires.listen(address_of(1))

    async def serve() -> None:
        while True:
            await tls.accept(await listener.accept(), credentials(3))

    nursery.start_soon(serve)
    come_back(other, 2, 2)
    await trio.sleep(3)
    assert str(other.errors[2]) == "The host is gone."
    assert trio.current_time() - begun < 10


async def test_a_host_that_never_opens_the_table_again(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = House(nursery, 2)
    house.wires.listen(address_of(1))
    come_back(house, 2, 2)
    await trio.sleep(LIMITS.rematch_wait_s + 1)
    assert str(house.errors[2]) == "The host has not opened the table again."


async def test_every_address_of_the_host_is_tried(autojump_clock: object, nursery: trio.Nursery) -> None:
    house = await opened(nursery, 2, remembered(2, 2))
    table = former_table(2, 2)
    table = replace(table, addresses={1: (Address("10.9.9.9", 1), address_of(1))})
    again = await rejoin_table(own(2), table, dial=house.wires.dial)
    assert again.addresses[1][0] == address_of(1)
