"""Host and joiners over a network without sockets, with the clock jumping; and each side against a liar."""

from collections.abc import Callable
from functools import partial

import msgspec
import pytest
import trio
from msgspec.structs import replace
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.address_statement import AddressBook
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import OnLobbyEvent, Strangers, TurnedAway
from seqp2p.lobby.host import Hosting, host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.table import Agreement, SeatEntry, TableError, encode_agreement
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.auth import refuse, send
from seqp2p.net.dialling import Dial, Route, reach
from seqp2p.net.errors import BadCode, LinkLost
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.lobby.house import House, Liar, LyingHost, Opened, Player, Script, Step, telling
from tests.net.tools import Wires, address_of, credentials, identity, own, refused, said, settings

pytestmark = pytest.mark.usefixtures("autojump_clock", "cheap_codes")

LIMITS = DEFAULT_LIMITS
WAITS = "Waiting for the host to check the code, at most 25 s."


async def test_a_table_for_four(house: Opened) -> None:
    table = await house(4, 12, 13)
    assert table.names == ["host", "guest 12", "guest 13", None]
    for at, number in enumerate((12, 13), 2):
        assert table[number].names == table.names
        assert (table[number].shown.own_seat, table[number].shown.settings) == (at, settings(4))
    await trio.sleep(100)  # A lobby lives as long as it takes.
    await table.enter(14)
    assert {number: each.seat for number, each in table.tables.items()} == {1: 1, 12: 2, 13: 3, 14: 4}
    assert len({each.game for each in table.tables.values()}) == 1
    agreement = table.tables[1].agreement
    assert [seat.name for seat in agreement.seats] == ["host", "guest 12", "guest 13", "guest 14"]
    assert [seat.key for seat in agreement.seats] == [identity(number).public for number in (1, 12, 13, 14)]
    assert len({seat.nonce for seat in agreement.seats}) == 4
    assert set(table.tables[1].links) == {2, 3, 4}
    assert set(table.tables[13].links) == {1}
    assert table.tables[13].addresses == {1: (address_of(1),)}
    assert len({each.statements for each in table.tables.values()}) == 1
    book = AddressBook(table.tables[13], LIMITS)
    assert [book.of(seat) for seat in (1, 2, 4)] == [(address_of(1),), (address_of(12),), (address_of(14),)]
    assert table.turned_away == []
    # The connections are whole: what one end sends the other receives.
    await table.tables[1].links[3].send(b"\0\0\0\x02hi")
    assert await table.tables[13].links[1].receive(10) == b"hi"


async def test_a_wrong_code_is_refused_and_not_tried_again(house: Opened) -> None:
    table = await house(3)
    async with await table.wires.dial(address_of(1)):
        pass  # Who only looks whether a host is there is not counted.
    await table.enter(12, code="7-acorn-acorn" if table.code != "7-acorn-acorn" else "7-agent-agent")
    await trio.sleep(2 * LIMITS.code_wrong_s)
    assert table.refused(12) == "wrong_code"
    assert len(table.wires.dialled) == 2
    assert table[1].told(Strangers) == [Strangers(1, 1)]
    assert table.names == ["host", None, None]


async def come(dial: Dial, code: str = "7-amber-falcon", on_event: OnLobbyEvent = lambda _: None) -> AgreedTable:
    return await join_table(own(2, "x", on_event), Route(address_of(1), dial), code)


def hanging_up(table: House, times: int) -> Dial:
    """Return a way to a host that hangs up so often."""

    async def dial(address: Address) -> trio.abc.Stream:
        stream = await table.wires.dial(address)
        if len(table.wires.dialled) <= times:
            await stream.aclose()
        return stream

    return dial


async def test_a_busy_host_is_dialled_again_until_the_code_is_tried(house: Opened) -> None:
    table, told = await house(2), list[object]()
    assert (await come(hanging_up(table, 2), table.code, told.append)).seat == 2
    assert not [event for event in told if isinstance(event, TurnedAway)]
    assert len(table.wires.dialled) == 3


async def test_a_joiner_that_waits_is_told_once(house: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    table, told = await house(2), list[object]()
    check, refusals = CodeDoor.check, iter(["busy", "busy"])

    async def busy_at_first(self: CodeDoor, frames: FrameStream, key: bytes, source: str, **more: float) -> None:
        for refusal in refusals:
            await refuse(frames, refusal, DEFAULT_LIMITS)
        await check(self, frames, key, source, **more)

    monkeypatch.setattr(CodeDoor, "check", busy_at_first)
    assert (await come(table.wires.dial, table.code, told.append)).seat == 2
    assert [event for event in told if isinstance(event, TurnedAway)] == [TurnedAway(WAITS)]


async def test_a_listener_that_always_hangs_up_is_no_host(house: Opened) -> None:
    table = await house(2)
    with pytest.raises(LinkLost):
        await come(hanging_up(table, 100))
    assert len(table.wires.dialled) == 8
    assert trio.current_time() < 5


async def test_a_host_that_says_nothing_is_asked_twice() -> None:
    wires = Wires()
    wires.listen(address_of(1))
    begun = trio.current_time()
    with pytest.raises(LinkLost, match="takes too long"):
        await come(wires.dial)
    assert trio.current_time() - begun == pytest.approx(2 * LIMITS.authenticate_s, abs=0.5)
    assert len(wires.dialled) == 2


async def test_a_host_that_hangs_up_and_is_gone(nursery: trio.Nursery) -> None:
    """It is tried once more. Then no one is there, which says less than the first end."""
    wires = Wires()
    listener = wires.listen(address_of(1))

    @nursery.start_soon
    async def hang_up() -> None:
        stream = await listener.accept()
        wires.cut(address_of(1))
        await trio.aclose_forcefully(stream)

    with pytest.raises(LinkLost):
        await come(wires.dial)
    assert len(wires.dialled) == 2


async def test_a_host_that_never_checks_the_code(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(CodeDoor, "check", never)
    host = LyingHost(telling())
    nursery.start_soon(host.run)
    with pytest.raises(LinkLost, match="did not get round"):
        await come(host.wires.dial)


async def test_codes_names_and_settings_that_cannot_be_stay_at_home() -> None:
    wires = Wires()
    with pytest.raises(BadCode):
        await come(wires.dial, "what?")
    assert wires.dialled == []
    with pytest.raises(ValueError, match="control"):
        await join_table(own(2, "\x1b[31m"), Route(address_of(1)), "7-amber-falcon")
    with pytest.raises(ValueError, match="1 to 24"):
        await host_table(own(1, name=""), Hosting(settings(2), 7))
    with pytest.raises(TableError):
        await host_table(own(1), Hosting(replace(settings(4), players=5), 7))


async def test_somebody_leaves_the_lobby_and_somebody_else_takes_the_seat(house: Opened) -> None:
    table = await house(3, 12)
    table[12].scope.cancel()
    await wait_all_tasks_blocked()
    assert table.names == ["host", None, None]
    assert table.turned_away == ["guest 12 has left the table"]
    await table.enter(13)
    await table.enter(14)
    assert [seat.name for seat in table.tables[1].agreement.seats] == ["host", "guest 13", "guest 14"]
    assert table.tables[13].game == table.tables[14].game == table.tables[1].game


async def test_the_same_identity_twice(house: Opened) -> None:
    table = await house(4, 12)
    await table.enter(12, name="other name")
    assert table.refused(12) == "same_key"
    assert table.names == ["host", "guest 12", None, None]


@pytest.mark.parametrize("name", ["HOST", "h\u043est", "a name of 24 characters!"])
async def test_a_name_that_is_taken_gets_a_number(house: Opened, name: str) -> None:
    table = await house(4)
    await table.enter(12, name=name if name.startswith("a name") else "guest 12")
    await table.enter(13, name=name)
    assert table.names[2] == f"{name[:21].rstrip()} 2"
    await table.enter(14, name=name)
    assert table.tables[14].agreement.seats[3].name == f"{name[:21].rstrip()} 3"


async def test_a_bot_is_named_after_its_seat(house: Opened) -> None:
    """A person sits down between the call of a bot and its coming."""
    table = await house(4, 12)
    for number in (13, 14):
        await table.enter(number, name="bot")
    assert [each.name for each in table.tables[14].agreement.seats] == ["host", "guest 12", "bot 3", "bot 4"]


async def test_a_full_table(house: Opened) -> None:
    table = await house(3, 12)
    await Liar(table, 13).sit_down()  # It never answers.
    await table.enter(14)
    assert table.refused(14) == "table_full"
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert table.names == ["host", "guest 12", None]


@pytest.mark.parametrize(("role", "code"), [("link", "not_started"), ("join", "wrong_game")])
async def test_who_comes_for_another_game(house: Opened, role: wire.Role, code: str) -> None:
    table = await house(3)
    with refused(code):
        await reach(address_of(1), credentials(2), table.wires.dial, LIMITS, role=role, game=bytes([1]) * 32)


async def test_a_joiner_that_goes_away_does_not_wait_for_a_host_that_does_not_read() -> None:
    async def silent(_: LyingHost, frames: FrameStream) -> None:
        await trio.sleep_forever()

    begun = trio.current_time()
    with trio.move_on_after(1) as patience:
        await guest_of(silent)
    assert patience.cancelled_caught
    assert trio.current_time() - begun <= 1 + LIMITS.close_s


async def test_a_host_that_goes_away_does_not_wait_for_a_joiner_that_does_not_read(house: Opened) -> None:
    table = await house(3)
    liar = await Liar(table, 13).give_code()
    await liar.say(wire.Sit("liar"))
    table[1].scope.cancel()
    await trio.sleep(LIMITS.close_s + 0.1)
    assert await liar.expect(wire.Bye) == wire.Bye("")
    with pytest.raises(LinkLost):
        await liar.expect(wire.Bye)


async def test_two_for_the_last_seat(house: Opened) -> None:
    table = await house(3)
    first, second = await Liar(table, 13).give_code(), await Liar(table, 14).give_code()
    await table.enter(12)
    await first.say(wire.Sit("first"))
    await second.say(wire.Sit("second"))
    assert await second.expect(wire.Refused) == wire.Refused("table_full", "The table is full.")


async def test_those_who_do_not_sit_down_are_told_three_times(house: Opened) -> None:
    table = await house(2)
    for number in range(13, 20):
        liar = await Liar(table, number).give_code()
        await liar.frames.abort()
        await trio.sleep(2)
    assert len(table.turned_away) == 3
    assert [event.count for event in table[1].told(Strangers)] == [1, 2, 3, 4, 5, 6, 7]


async def test_a_joiner_with_a_bad_name(house: Opened) -> None:
    liar = await Liar(await house(2), 13).sit_down(name="\x1b[31m")
    assert (await liar.expect(wire.Refused)).code == "bad_name"


async def test_a_joiner_that_does_not_sit_down(house: Opened) -> None:
    table = await house(2)
    await Liar(table, 13).give_code()
    await trio.sleep(LIMITS.authenticate_s + 1)
    assert table.turned_away == ["Somebody could not join: It took too long to sit down."]
    liar = await Liar(table, 14).give_code()
    await liar.say(wire.PakeA(7, 2, bytes(33)))
    assert table.turned_away[1] == "Somebody could not join: The other side did not sit down."
    await table.enter(12)
    assert sorted(table.tables) == [1, 12]


async def test_a_joiner_that_agrees_to_nothing_loses_its_seat(house: Opened) -> None:
    table = await house(3, 12)
    liar = await Liar(table, 13).sit_down()
    await send(liar.frames, liar.nonce())
    proposed = await liar.expect(wire.TableMessage)
    await send(liar.frames, liar.nonce(7, bytes(32)))  # It is out of its round, and of no interest.
    await send(liar.frames, wire.Ready(7))
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert table.names == ["host", "guest 12", None]
    await table.enter(14)
    first = msgspec.msgpack.decode(proposed.agreement)["seats"]
    assert first[2]["nonce"] == bytes(32)
    assert first[1]["nonce"] != table.tables[12].agreement.seats[1].nonce


async def test_two_joiners_with_one_nonce(house: Opened) -> None:
    table = await house(3)
    first, second = await Liar(table, 13).sit_down("first"), await Liar(table, 14).sit_down("second")
    await first.say(first.nonce())
    await first.say(first.nonce(1, bytes([1]) * 32))  # Its first counts.
    await second.say(second.nonce())
    assert "second has left the table" in table.turned_away[0]
    assert "not fresh" in table.turned_away[0]


NONCE = bytes(32)
FALSE_ADDRESSES = [
    said(14, NONCE),
    said(13, bytes([1]) * 32),
    said(13, NONCE, count=2),
    said(13, NONCE, Address("10.0.0.1", 0)),
    replace(said(13, NONCE), signature=bytes(64)),
]


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "It did not answer."),
        ([wire.Nonce(1, NONCE, said(13, NONCE)), wire.Bye("changed \x1b my mind")], "changed my mind"),
        *([[wire.Nonce(1, NONCE, false)], "addresses"] for false in FALSE_ADDRESSES),
    ],
)
async def test_a_joiner_that_does_not_agree_loses_its_seat(
    house: Opened, messages: list[wire.WireMessage], reason: str
) -> None:
    table = await house(3, 12)
    liar = await Liar(table, 13).sit_down()
    for message in messages:
        await liar.say(message)
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert "liar has left the table: " in table.turned_away[0]
    assert reason in table.turned_away[0]
    await table.enter(14)
    assert sorted(table.tables) == [1, 12, 14]
    assert table.tables[12].game == table.tables[14].game


async def test_a_joiner_that_is_lost_as_the_table_starts_is_still_seated(house: Opened) -> None:
    table = await house(3, 12)
    liar = await Liar(table, 13).sit_down()
    await send(liar.frames, liar.nonce())
    await liar.expect(wire.TableMessage)
    await send(liar.frames, wire.Ready(1))
    await liar.frames.abort()
    await wait_all_tasks_blocked()
    assert sorted(table.tables) == [1, 12]
    assert set(table.tables[1].links) == {2}
    assert AddressBook(table.tables[1], LIMITS).of(3) == ()


async def guest_of(script: Script) -> Player:
    """A guest, number 2, at a host with this script."""
    host, guest = LyingHost(script), Player()
    attempt = partial(
        join_table, own(2, "guest", guest.events.append), Route(address_of(1), host.wires.dial), host.code
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host.run)
        await guest.run(attempt)
        nursery.cancel_scope.cancel()
    return guest


HOST_NONCE = bytes([1]) * 32
HOST_SEAT, OWN_SEAT = wire.LobbySeat("host", identity(1).public, 0), wire.LobbySeat("guest", identity(2).public, 0)
LOBBY = wire.LobbyMessage(settings(2), (HOST_SEAT, OWN_SEAT), 2)
AT_HOST = said(1, HOST_NONCE, Address("fd00::1", 5001))
OTHER_SETTINGS = replace(settings(2), open_hands=False)


def seats(name: str = "guest", key: int = 2, nonce: bytes = bytes(32), host_key: int = 1) -> tuple[SeatEntry, ...]:
    return (
        SeatEntry("host", identity(host_key).public, HOST_NONCE),
        SeatEntry(name, identity(key).public, nonce),
    )


def proposing(
    first: wire.AddressStatement = AT_HOST, own: wire.AddressStatement | None = None, **changes: object
) -> Callable[[LyingHost], wire.TableMessage]:
    """Propose a table with these statements, and these changes of the agreement."""

    def propose(host: LyingHost) -> wire.TableMessage:
        agreement = replace(Agreement(1, settings(2), seats(nonce=host.given.nonce)), **changes)
        return wire.TableMessage(1, encode_agreement(agreement), (first, own or host.given.addresses))

    return propose


HONEST = proposing()


async def test_the_script_of_an_honest_host() -> None:
    guest = await guest_of(telling(LOBBY, wire.Gather(1), HONEST, wire.StartMessage(1)))
    assert guest.table is not None
    assert AddressBook(guest.table, LIMITS).of(1) == (Address("fd00::1", 5001), address_of(1))


def shown(*changes: dict[str, object]) -> list[Step]:
    """Show the lobby with each of these changes in turn."""
    return [replace(LOBBY, **each) for each in changes]


def proposed(proposal: Step, *then: Step) -> list[Step]:
    return [LOBBY, wire.Gather(1), proposal, *then]


@pytest.mark.parametrize(
    ("steps", "part"),
    [
        ([], "The host did not show the table."),
        ([wire.Bye("bed\x1b time")], "The host has closed the table: bed time"),
        ([wire.Refused("table_full", "")], "The table is full."),
        # A lobby that cannot be.
        (shown({"settings": replace(settings(2), players=5)}), "cannot be played"),
        (shown({"settings": replace(settings(2), variant="poker")}), "cannot be played"),
        (shown({"seats": (HOST_SEAT,)}), "do not fit"),
        (shown({"seat": 3}), "do not fit"),
        (shown({"seats": (wire.LobbySeat("\x07", identity(1).public, 0), OWN_SEAT)}), "names or keys"),
        (shown({"seats": (wire.LobbySeat("host", identity(2).public, 0), OWN_SEAT)}), "names or keys"),
        (shown({"seats": (wire.LobbySeat("host", identity(3).public, 0), OWN_SEAT)}), "another key has its seat"),
        (shown({"seats": (None, OWN_SEAT)}), "another key has its seat"),
        (shown({"seats": (HOST_SEAT, None)}), "somebody else's"),
        (shown({"seats": (HOST_SEAT, wire.LobbySeat("not me", identity(2).public, 0))}), "somebody else's"),
        (shown({"seats": (HOST_SEAT, wire.LobbySeat("guest", identity(3).public, 0))}), "somebody else's"),
        (shown({"seat": 1}), "somebody else's"),
        (shown({"relay": "Relay.example.org:4001"}), "relay with an invalid address"),
        (shown({"relay": "relay.example.org"}), "relay with an invalid address"),
        (shown({"relay": ""}), "relay with an invalid address"),
        # Another way than the protocol's.
        (shown({}, {"settings": OTHER_SETTINGS}), "changed the rules"),
        (shown({}, {"relay": "a.example:1"}), "changed the relay"),
        (shown({"relay": "a.example:1"}, {"relay": "b.example:1"}), "changed the relay"),
        (shown({"relay": "a.example:1"}, {}), "changed the relay"),
        ([wire.Gather(1)], "before it had shown the table"),
        (proposed(HONEST, HONEST), "out of turn"),
        (proposed(wire.StartMessage(1)), "was not agreed"),
        (proposed(HONEST, wire.StartMessage(2)), "was not agreed"),
        (proposed(HONEST, LOBBY, wire.StartMessage(1)), "was not agreed"),
        # A table that was not shown.
        (proposed(wire.TableMessage(1, b"rubbish", (AT_HOST, AT_HOST))), "invalid table"),
        (proposed(proposing(wire.AddressStatement(b"rubbish", bytes(64)))), "in an invalid form"),
        (proposed(proposing(said(1, HOST_NONCE, Address("localhost", 5001)))), "invalid form"),
        (proposed(proposing(said(2, HOST_NONCE))), "that seat 1 (host) has not signed"),
        (proposed(proposing(said(1, bytes([2]) * 32))), "that seat 1 (host) has not signed"),
        (proposed(proposing(said(1, HOST_NONCE, count=2))), "that seat 1 (host) has not signed"),
        (proposed(proposing(replace(AT_HOST, signature=bytes(64)))), "has not signed"),
        (proposed(proposing(own=said(2, bytes(32), Address("10.9.9.9", 5001)))), "that this seat has not signed"),
        (proposed(lambda host: replace(HONEST(host), addresses=(AT_HOST,))), "do not fit the seats"),
        (proposed(lambda host: replace(HONEST(host), round=2)), "out of turn"),
        (proposed(proposing(seats=seats()[:1])), "invalid table"),
        (proposed(proposing(settings=OTHER_SETTINGS)), "a different table"),
        (proposed(proposing(seats=seats(name="gu est"))), "a different table"),
        (proposed(proposing(seats=seats(key=3))), "a different table"),
        (proposed(proposing(seats=seats(host_key=3))), "a different table"),
        (proposed(proposing(seats=seats())), "fresh nonce"),
    ],
)
async def test_a_host_that_lies_is_left(steps: list[Step], part: str) -> None:
    assert part in str((await guest_of(telling(*steps))).error)
    assert trio.current_time() < 15
