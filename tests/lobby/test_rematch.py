"""Another game at one table: who sat there comes back by its key, nobody else does, and no seat is lost to a wait."""

from dataclasses import replace
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.events import Former
from seqp2p.lobby.join import rejoin_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import NO_LOBBY, check_client, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, PeerError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AcceptGame, Gather, LobbyMessage, LobbySeat, PakeA, Proof, Sit, TableMessage
from tests.lobby.house import House, Liar, LyingHost, Opened, telling
from tests.net.tools import address_of, agreement, credentials, identity, own, randomness, refused, settings

pytestmark = pytest.mark.usefixtures("cheap_codes")

LIMITS = DEFAULT_LIMITS


def former_table(seat: int) -> AgreedTable:
    """The table of the game before, which had three seats, as this seat has it."""
    others = {other: (address_of(other),) for other in {1, 2, 3} - {seat}}
    return AgreedTable(credentials(seat), agreement(3), seat, others, [])


def remembered(*seats: int, keeps_s: float = LIMITS.rematch_keeps_s) -> Former:
    """What the host remembers of it: these seats may come back."""
    return Former(former_table(1).game, {identity(seat).public: seat for seat in seats}, keeps_s)


async def come_back(house: House, *seats: int, asked: bool = False) -> None:
    """These seats come one after the other, and wait until nothing more happens."""
    for seat in seats:
        player = house[seat]
        mine = own(seat, on_event=player.events.append)
        attempt = partial(rejoin_table, mine, former_table(seat), asked=asked, dial=house.wires.dial)
        house.nursery.start_soon(player.run, partial(attempt, player.requests))
        await wait_all_tasks_blocked()


async def test_the_same_company_once_more(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2, 3))
    await come_back(table, 3, 2)
    assert {number: table.seat for number, table in table.tables.items()} == {1: 1, 2: 2, 3: 3}
    assert table.turned_away == []
    games = {table.game for table in table.tables.values()}
    assert len(games) == 1
    assert former_table(1).game not in games
    nonces = {seat.nonce for seat in table.tables[1].agreement.seats}
    assert nonces.isdisjoint(seat.nonce for seat in agreement(3).seats)


def asked_of(house: House, number: int) -> list[bool | None]:
    """The seats of the lobby as this one has seen it last: None where free, else True for one that is asked."""
    return [None if seat is None else seat.asked for seat in house[number].shown.seats]


async def test_no_game_begins_while_a_player_is_asked(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2, 3), asked=True)
    await come_back(table, 2, asked=True)
    await come_back(table, 3)
    assert asked_of(table, 3) == [True, True, False]
    for number, still in ((1, [False, True, False]), (2, [False, False, False])):
        assert table.tables == {}
        await table[number].ask(AcceptGame())
        assert asked_of(table, 3) == still
    assert sorted(table.tables) == [1, 2, 3]


async def test_a_player_who_declines_keeps_no_place(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2, 3))
    await come_back(table, 2, asked=True)
    await come_back(table, 3)
    table[2].scope.cancel()
    await wait_all_tasks_blocked()
    # The others learn it from the lobby.
    assert asked_of(table, 3) == [False, None, False]
    assert table.turned_away == []
    await table.enter(12)
    assert sorted(table.tables) == [1, 3, 12]


async def test_only_a_seat_of_the_game_before_is_asked(autojump_clock: object, house: Opened) -> None:
    table = await house(2, former=Former(b"", {}))
    stranger = await Liar(table, 12).give_code()
    await send(stranger.frames, Sit("stranger", asked=True))
    seen = await stranger.expect(LobbyMessage)
    assert [seat and seat.asked for seat in seen.seats] == [False, False]
    # An answer to no question changes nothing.
    await stranger.expect(Gather)
    await send(stranger.frames, AcceptGame())
    await send(stranger.frames, stranger.nonce())
    await stranger.expect(TableMessage)


async def test_a_host_that_begins_without_the_answer(autojump_clock: object, nursery: trio.Nursery) -> None:
    seats = (LobbySeat("host", identity(1).public, 0), LobbySeat("player 2", identity(2).public, 0, asked=True))
    table, host = House(nursery, 2), LyingHost(telling(LobbyMessage(settings(2), seats, 2), Gather(1)))
    table.wires = host.wires
    nursery.start_soon(host.run)
    await come_back(table, 2, asked=True)
    await trio.sleep(1)
    assert isinstance(table.errors[2], PeerError)
    assert "had not accepted" in str(table.errors[2])


async def test_a_host_that_takes_its_time(autojump_clock: object, nursery: trio.Nursery) -> None:
    """Its game is not over yet: it answers as a seat of that game does, then not at all, then it opens the lobby."""
    table = House(nursery, 2, former=remembered(2))
    listener = table.wires.listen(address_of(1))
    await come_back(table, 2)

    def admit(proof: Proof) -> None:
        assert proof.role == "join"
        raise PeerRefused("game_started")

    frames = await tls.accept(await listener.accept(), credentials(1))
    with pytest.raises(LinkLost):
        await check_client(frames, credentials(1), lobby=NO_LOBBY, admit=admit, randomness=randomness, limits=LIMITS)
    await listener.accept()
    await trio.sleep(LIMITS.authenticate_s)
    table.wires.cut(address_of(1))
    await trio.sleep(0.6)
    await table.open()
    await trio.sleep(2)
    assert sorted(table.tables) == [1, 2]


async def test_seats_are_kept_for_a_while_and_then_they_are_free(autojump_clock: object, house: Opened) -> None:
    table = await house(4, former=remembered(2, 3))
    # Seat 4 has left the game: it is free for whoever has the new code.
    await table.enter(12)
    await table.enter(13)
    assert table.names == ["host", None, None, "guest 12"]
    assert table.refused(13) == "seats_kept"
    await come_back(table, 3)
    assert table.names == ["host", None, "player 3", "guest 12"]
    await table.enter(13)
    assert table.refused(13) == "seats_kept"
    await trio.sleep(LIMITS.rematch_keeps_s)
    await table.enter(13)
    assert sorted(table.tables) == [1, 3, 12, 13]


async def test_the_seat_of_one_that_is_missing_is_free_at_once(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2, 3, keeps_s=0))
    await table.enter(12)
    await come_back(table, 3)
    assert sorted(table.tables) == [1, 3, 12]
    await come_back(table, 2)  # too late
    await trio.sleep(LIMITS.authenticate_s + LIMITS.rematch_wait_s)
    assert isinstance(table.errors[2], LinkLost)


async def test_who_comes_back_when_the_table_is_full(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2, keeps_s=0))
    await table.enter(12)
    await Liar(table, 13).sit_down()
    await come_back(table, 2)
    assert table.refused(2) == "table_full"


async def test_who_comes_back_with_the_code(autojump_clock: object, house: Opened) -> None:
    """Its program has ended meanwhile and knows nothing of the game before; the seat is its own all the same."""
    table = await house(2, former=remembered(2))
    await table.enter(2)
    assert sorted(table.tables) == [1, 2]


async def test_a_stranger_gets_no_seat_by_the_game_before(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2))
    game = former_table(1).game
    with refused("not_seated"):
        await reach(address_of(1), credentials(12), table.wires.dial, LIMITS, role="join", game=game)
    # Nor does seat 3, which has left the game or cheated.
    await come_back(table, 3)
    assert table.refused(3) == "not_seated"
    # Nor with a proof for the game before in a lobby that follows none, or another.
    other = await house(3)
    await come_back(other, 2)
    assert other.refused(2) == "wrong_game"


async def test_who_comes_back_is_asked_for_no_code(autojump_clock: object, house: Opened) -> None:
    table = await house(3, former=remembered(2))
    game = former_table(1).game
    link = await reach(address_of(1), credentials(2), table.wires.dial, LIMITS, role="join", game=game)
    await send(link.frames, PakeA(7, 2, bytes(33)))
    await wait_all_tasks_blocked()
    assert table.turned_away == ["Somebody could not join: The other side did not sit down."]
    # That was no try of the code.
    assert len(table[1].codes) == 1


async def test_a_host_that_is_gone(autojump_clock: object, nursery: trio.Nursery) -> None:
    nobody, somebody_else = House(nursery, 2), House(nursery, 2)
    listener = somebody_else.wires.listen(address_of(1))

    @nursery.start_soon
    async def serve() -> None:
        while True:
            await tls.accept(await listener.accept(), credentials(3))

    for table in (nobody, somebody_else):
        await come_back(table, 2)
        await trio.sleep(3)
        assert str(table.errors[2]) == "The host is gone."
    assert trio.current_time() < 10


async def test_a_host_that_never_opens_the_table_again(autojump_clock: object, nursery: trio.Nursery) -> None:
    table = House(nursery, 2)
    table.wires.listen(address_of(1))
    await come_back(table, 2)
    await trio.sleep(LIMITS.rematch_wait_s + 1)
    assert str(table.errors[2]) == "The host has not opened the table again."


async def test_every_address_of_the_host_is_tried(autojump_clock: object, house: Opened) -> None:
    table = await house(2, former=remembered(2))
    last = replace(former_table(2), addresses={1: (Address("10.9.9.9", 1), address_of(1))})
    again = await rejoin_table(own(2), last, dial=table.wires.dial)
    assert again.addresses[1][0] == address_of(1)
