"""Another game at one table: who sat there comes back by its key, nobody else does, and no seat is lost to a wait."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.crypto.hashing import LOBBY_LINE
from seqp2p.crypto.identity import sign
from seqp2p.lobby.address_statement import read_statement
from seqp2p.lobby.events import Former, MovePlayer, RemovePlayer, SayLine, SeatChoice, StartGame, UseRelay
from seqp2p.lobby.host import TeamColours
from seqp2p.lobby.join import rejoin_table
from seqp2p.lobby.lines import LinePayload, LobbyTalk
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import encode
from seqp2p.net import messages as wire
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import NO_LOBBY, check_client, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import LinkLost, PeerError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.lobby.house import House, Liar, LyingHost, Opened, telling
from tests.net.tools import address_of, agreement, credentials, identity, own, randomness, refused, settings

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes")

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


async def test_the_same_company_once_more(house: Opened) -> None:
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


async def test_no_game_begins_while_a_player_is_asked(house: Opened) -> None:
    table = await house(3, former=remembered(2, 3), asked=True)
    await come_back(table, 2, asked=True)
    await come_back(table, 3)
    assert asked_of(table, 3) == [True, True, False]
    for number, still in ((1, [False, True, False]), (2, [False, False, False])):
        assert table.tables == {}
        await table[number].ask(wire.AcceptGame())
        assert asked_of(table, 3) == still
    assert sorted(table.tables) == [1, 2, 3]


async def test_a_player_who_declines_keeps_no_place(house: Opened) -> None:
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


async def test_only_a_seat_of_the_game_before_is_asked(house: Opened) -> None:
    table = await house(2, former=Former(b"", {}))
    stranger = await Liar(table, 12).give_code()
    await send(stranger.frames, wire.Sit("stranger", asked=True))
    seen = await stranger.expect(wire.LobbyMessage)
    assert [seat and seat.asked for seat in seen.seats] == [False, False]
    # An answer to no question changes nothing.
    await stranger.expect(wire.Gather)
    await send(stranger.frames, wire.AcceptGame())
    await send(stranger.frames, stranger.nonce())
    await stranger.expect(wire.TableMessage)


async def test_a_host_that_begins_without_the_answer(nursery: trio.Nursery) -> None:
    seats = (
        wire.LobbySeat("host", identity(1).public, 0),
        wire.LobbySeat("player 2", identity(2).public, 0, asked=True),
    )
    table, host = House(nursery, 2), LyingHost(telling(wire.LobbyMessage(settings(2), seats, 2), wire.Gather(1)))
    table.wires = host.wires
    nursery.start_soon(host.run)
    await come_back(table, 2, asked=True)
    await trio.sleep(1)
    assert isinstance(table.errors[2], PeerError)
    assert "had not accepted" in str(table.errors[2])


async def test_a_host_that_takes_its_time(nursery: trio.Nursery) -> None:
    """Its game is not over yet: it answers as a seat of that game does, then not at all, then it opens the lobby."""
    table = House(nursery, 2, former=remembered(2))
    listener = table.wires.listen(address_of(1))
    await come_back(table, 2)

    def admit(proof: wire.Proof) -> None:
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


async def test_seats_are_kept_for_a_while_and_then_they_are_free(house: Opened) -> None:
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


async def test_the_seat_of_one_that_is_missing_is_free_at_once(house: Opened) -> None:
    table = await house(3, former=remembered(2, 3, keeps_s=0))
    await table.enter(12)
    await come_back(table, 3)
    assert sorted(table.tables) == [1, 3, 12]
    await come_back(table, 2)  # too late
    await trio.sleep(LIMITS.authenticate_s + LIMITS.rematch_wait_s)
    assert isinstance(table.errors[2], LinkLost)


async def test_who_comes_back_when_the_table_is_full(house: Opened) -> None:
    table = await house(3, former=remembered(2, keeps_s=0))
    await table.enter(12)
    await Liar(table, 13).sit_down()
    await come_back(table, 2)
    assert table.refused(2) == "table_full"


async def test_who_comes_back_with_the_code(house: Opened) -> None:
    """Its program has ended meanwhile and knows nothing of the game before; the seat is its own all the same."""
    table = await house(2, former=remembered(2))
    await table.enter(2)
    assert sorted(table.tables) == [1, 2]


async def test_a_stranger_gets_no_seat_by_the_game_before(house: Opened) -> None:
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


async def test_who_comes_back_is_asked_for_no_code(house: Opened) -> None:
    table = await house(3, former=remembered(2))
    game = former_table(1).game
    link = await reach(address_of(1), credentials(2), table.wires.dial, LIMITS, role="join", game=game)
    await send(link.frames, wire.PakeA(7, 2, bytes(33)))
    await wait_all_tasks_blocked()
    assert table.turned_away == ["Somebody could not join: The other side did not sit down."]
    # That was no try of the code.
    assert len(table[1].codes) == 1


async def test_a_host_that_is_gone(nursery: trio.Nursery) -> None:
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


async def test_a_host_that_never_opens_the_table_again(nursery: trio.Nursery) -> None:
    table = House(nursery, 2)
    table.wires.listen(address_of(1))
    await come_back(table, 2)
    await trio.sleep(LIMITS.rematch_wait_s + 1)
    assert str(table.errors[2]) == "The host has not opened the table again."


async def test_every_address_of_the_host_is_tried(house: Opened) -> None:
    table = await house(2, former=remembered(2))
    last = replace(former_table(2), addresses={1: (Address("10.9.9.9", 1), address_of(1))})
    again = await rejoin_table(own(2), last, dial=table.wires.dial)
    assert again.addresses[1][0] == address_of(1)


# Seats, colours and lines of a lobby, and liars at both ends of a line.


HOST, BEN, CAT, DAN = 1, 2, 3, 4
KEY = {number: identity(number).public for number in (HOST, BEN, CAT, DAN)}
RELAY = Address("relay.example.org", 4001)


async def test_a_player_uses_the_hosts_relay_after_agreeing_to_it(house: Opened) -> None:
    room = await house(3, BEN, CAT, by_hand=True, relay=RELAY)
    assert [room[number].shown.relay for number in (HOST, BEN, CAT)] == [RELAY] * 3
    await room[BEN].ask(UseRelay())
    await room[HOST].ask(StartGame())
    used = {number: table.relay and table.relay.address for number, table in room.tables.items()}
    assert used == {HOST: RELAY, BEN: RELAY, CAT: None}
    for table in room.tables.values():
        entries = [read_statement(statement).payload.entries for statement in table.statements]
        assert [any(entry.kind == 2 for entry in each) for each in entries] == [True, True, False]


async def test_players_choose_free_seats_and_so_their_partners(house: Opened) -> None:
    room = await house(4, BEN, CAT, by_hand=True)
    assert room[HOST].names == ["host", "ben", "cat", None]
    await room[CAT].ask(wire.TakeSeat(4))
    assert room[HOST].names == room[BEN].names == room[CAT].names == ["host", "ben", None, "cat"]
    assert room[CAT].shown.own_seat == 4
    await room[BEN].ask(wire.TakeSeat(4), wire.TakeSeat(1), wire.TakeSeat(5), wire.TakeSeat(2))
    assert sorted(room[BEN].declined) == ["no_seat", "no_seat", "seat_taken"]
    await room[HOST].ask(wire.TakeSeat(3))
    assert room[HOST].declined == ["no_seat"]
    await room.enter(DAN)
    assert room[HOST].names == ["host", "ben", "dan", "cat"]
    await room[HOST].ask(StartGame())
    assert {number: table.seat for number, table in room.tables.items()} == {HOST: 1, BEN: 2, CAT: 4, DAN: 3}
    assert {table.agreement.seats[3].name for table in room.tables.values()} == {"cat"}


async def test_of_two_teams_that_want_a_colour_the_later_one_is_told(house: Opened) -> None:
    room = await house(3, BEN, CAT, by_hand=True)
    await room[CAT].ask(wire.ChooseColour("blue"))
    assert room[HOST].shown.settings.colours == ("red", "green", "blue")
    await room[HOST].ask(wire.ChooseColour("blue"), wire.ChooseColour("pink"))
    await room[BEN].ask(wire.ChooseColour("blue"), wire.ChooseColour("red"))
    assert room[HOST].declined == ["colour_taken", "no_colour"]
    assert room[BEN].declined == ["colour_taken"]
    assert room[CAT].shown.settings.colours == ("green", "red", "blue")
    await room[HOST].ask(StartGame())
    assert [table.agreement.settings.colours for table in room.tables.values()] == [("green", "red", "blue")] * 3


async def test_a_wish_that_comes_before_the_lobby_waits_for_it(house: Opened) -> None:
    room = await house(3, by_hand=True)
    room.join(BEN)
    await room[BEN].ask(wire.ChooseColour("blue"))
    assert room[HOST].shown.settings.colours == ("green", "blue", "red")


async def test_a_colour_is_free_again_when_its_chooser_leaves_the_team() -> None:
    table, colours = settings(4), TeamColours()
    first = colours.choose(table, 1, b"host", "green")
    assert not isinstance(first, str)
    assert first.colours == ("green", "blue")
    assert colours.choose(first, 2, b"ben", "green") == "colour_taken"
    colours.forget(b"host")
    second = colours.choose(first, 2, b"ben", "green")
    assert not isinstance(second, str)
    assert second.colours == ("blue", "green")


async def test_the_host_moves_players(house: Opened) -> None:
    room = await house(4, BEN, CAT, by_hand=True)
    await room[HOST].ask(MovePlayer(KEY[BEN], 4))
    assert room[BEN].names == ["host", None, "cat", "ben"]
    await room[HOST].ask(MovePlayer(KEY[BEN], 3), MovePlayer(KEY[BEN], 1), MovePlayer(KEY[DAN], 2))
    assert room[CAT].names == ["host", None, "ben", "cat"]
    assert room[HOST].declined == ["no_seat", "nobody"]


async def test_a_removed_player_is_refused_and_the_code_is_another(house: Opened) -> None:
    room = await house(3, BEN, CAT, by_hand=True)
    await room[HOST].ask(RemovePlayer(KEY[BEN]))
    assert room.refused(BEN) == "removed"
    assert room[CAT].names == ["host", None, "cat"]
    old, new = room[HOST].codes
    assert old.split("-")[0] != new.split("-")[0]
    await room.enter(BEN)  # with the new code
    assert room.refused(BEN) == "removed"
    await room.enter(DAN)
    assert room[HOST].names == ["host", "dan", "cat"]


async def test_no_removed_player_comes_in_by_an_exchange_that_has_begun(house: Opened) -> None:
    """The code is replaced between the host's answer and the confirmation of a second identity."""
    room = await house(3, BEN, by_hand=True)

    async def dial_slowly(address: Any) -> trio.abc.Stream:
        stream = await room.wires.dial(address)
        send_all, sent = stream.send_all, 0

        async def delayed(data: Any) -> None:
            nonlocal sent
            sent += 1
            if sent == 5:  # hello of TLS, its end, proof, pake_a, and now the confirmation
                await trio.sleep(1)
            await send_all(data)

        stream.send_all = delayed  # type: ignore[method-assign]
        return stream

    room.join(CAT, dial=dial_slowly)
    await trio.sleep(0.5)
    await room[HOST].ask(RemovePlayer(KEY[BEN]))
    await trio.sleep(5)
    assert room.refused(CAT) == "code_burned"
    assert room[HOST].names == ["host", None, None]


async def test_a_change_begins_the_agreement_again(house: Opened) -> None:
    """A joiner changes its colour as soon as it has sat down: the table is agreed with it, never without."""
    room = await house(2)
    await room.enter(BEN, choice=SeatChoice(colour="blue"))
    assert [table.agreement.settings.colours for table in room.tables.values()] == [("green", "blue")] * 2


async def test_wishes_for_a_first_seat(house: Opened) -> None:
    room = await house(6, by_hand=True)
    await room.enter(BEN, choice=SeatChoice(seat=5))
    await room.enter(CAT, choice=SeatChoice(team=1, colour="green"))
    await room.enter(DAN, choice=SeatChoice(team=1))
    assert room[HOST].names == ["host", "dan", "cat", None, "ben", None]
    await room.enter(5, choice=SeatChoice(team=3))
    assert [room[number].declined for number in (CAT, DAN, 5)] == [[], ["seat_taken"], ["no_team"]]
    assert room[HOST].shown.settings.colours == ("green", "blue")


async def test_lines_go_to_all(house: Opened) -> None:
    room = await house(3, BEN, CAT, by_hand=True)
    await room[BEN].ask(SayLine("  hi \x1b[31m all "), SayLine("\x07"), SayLine("x" * 201))
    await room[HOST].ask(SayLine("hello"))
    for number in (HOST, BEN, CAT):
        assert room[number].heard == ["2 ben: hi [31m all", "1 host: hello"]
    assert room[BEN].declined == ["nothing", "too_long"]


async def test_a_player_who_comes_back_goes_on_counting(house: Opened, nursery: trio.Nursery) -> None:
    room = await house(3, CAT, by_hand=True)
    with trio.CancelScope() as stay:
        async with trio.open_nursery() as room.nursery:
            await room.enter(BEN)
            await room[BEN].ask(SayLine("one"))
            stay.cancel()
    room.nursery = nursery
    await room.enter(BEN)
    await room[BEN].ask(SayLine("two"))
    assert room[CAT].heard == ["3 ben: one", "3 ben: two"]


async def test_twenty_lines_a_minute(house: Opened) -> None:
    room = await house(3, BEN, by_hand=True)
    await room[BEN].ask(*(SayLine(f"line {number}") for number in range(21)))
    assert len(room[HOST].heard) == 20
    assert room[BEN].declined == ["too_fast"]
    await trio.sleep(LIMITS.lines_s)
    await room[BEN].ask(SayLine("again"))
    assert room[HOST].heard[-1] == "2 ben: again"


async def test_a_player_is_told_which_wishes_are_declined(house: Opened) -> None:
    room = await house(4, BEN, by_hand=True)
    for number in (HOST, BEN):
        await room[number].ask(UseRelay())
        assert room[number].declined == ["no_relay"]
    await room[BEN].ask(*(wire.TakeSeat(2 + number % 2) for number in range(25)))
    assert room[BEN].declined == ["no_relay", *["too_fast"] * 5]


LOBBY = bytes([9]) * 32


def line(number: int = 1, text: str = "hi", **changed: Any) -> wire.LineMessage:
    fields: dict[str, Any] = {"v": 1, "lobby": LOBBY, "key": KEY[BEN], "number": number, "text": text}
    signer = changed.pop("signer", BEN)
    payload = encode(LinePayload(**fields | changed))
    return wire.LineMessage(payload, sign(identity(signer), LOBBY_LINE, payload))


def talking() -> LobbyTalk:
    return LobbyTalk(LOBBY, LIMITS, lambda: 0.0)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (line(signer=CAT), "not signed"),
        (line(text="a\u202eb"), "direction"),
        (wire.LineMessage(b"", bytes(64)), "not a line"),
    ],
)
def test_a_false_line_is_the_fault_of_the_one_who_passes_it_on(wrong: wire.LineMessage, reason: str) -> None:
    """``protocol/vectors/links.json`` has more of them."""
    with pytest.raises(PeerError, match=reason):
        talking().take(wrong, {KEY[BEN]})


def test_a_line_above_the_rate_is_not_verified() -> None:
    talk = talking()
    assert all(talk.take(line(number), {KEY[BEN]}) for number in range(1, LIMITS.lines_max + 1))
    assert talk.take(line(99, signer=CAT), {KEY[BEN]}) is None
    assert talk.said(KEY[BEN]) == LIMITS.lines_max


@pytest.mark.parametrize("liar", [HOST, BEN])
async def test_who_passes_on_a_false_line_is_out(house: Opened, liar: int, monkeypatch: pytest.MonkeyPatch) -> None:
    room = await house(3, BEN, CAT, by_hand=True)
    signing = LobbyTalk.sign

    def falsely(self: LobbyTalk, *arguments: Any) -> tuple[wire.LineMessage, str]:
        signed = signing(self, *arguments)
        assert not isinstance(signed, str)
        return wire.LineMessage(signed[0].payload, bytes(64)), signed[1]

    monkeypatch.setattr(LobbyTalk, "sign", falsely)
    await room[liar].ask(SayLine("psst"))
    if liar == HOST:
        assert [isinstance(room.errors[number], PeerError) for number in (BEN, CAT)] == [True, True]
    else:
        assert room[HOST].names == ["host", None, "cat"]
    assert room[CAT].heard == []


async def test_a_full_table_begins_by_itself_when_all_is_quiet(house: Opened) -> None:
    room = await house(2, BEN, by_hand=True)
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    await room[HOST].ask(SayLine("wait for me"))
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    assert room[HOST].table is None
    await trio.sleep(2)
    assert room[HOST].table is not None
    assert room[BEN].table is not None
