"""Host and joiners over a network without sockets, with the clock jumping; and each side against a liar."""

import contextlib
from collections.abc import Awaitable, Callable

import msgspec
import pytest
import trio
from msgspec.structs import replace
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.address_statement import AddressBook
from seqp2p.lobby.code import public_part
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.events import CodeShown, Former, LobbyEvent, LobbyShown, OnLobbyEvent, Strangers, TurnedAway
from seqp2p.lobby.host import host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.lobby.requests import LobbyRequests
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.table import Agreement, SeatEntry, Settings, TableError, encode_agreement
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.auth import check_client, prove, receive, send
from seqp2p.net.dialling import reach
from seqp2p.net.errors import BadCode, LinkLost, NetError, PeerRefused, Unreachable
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    AddressStatement,
    Bye,
    Gather,
    LinkStage,
    LobbyMessage,
    LobbySeat,
    Nonce,
    PakeA,
    PakeB,
    Ping,
    Ready,
    Refused,
    Sit,
    StartMessage,
    TableMessage,
    WireMessage,
    decode_message,
)
from tests.net.tools import WireListener, Wires, address_of, credentials, identity, randomness, said, settings

pytestmark = pytest.mark.usefixtures("cheap_codes")

LIMITS = DEFAULT_LIMITS
WAITS = "The table lets you wait for your turn at the code, at most 25 s."


class House:
    """A host, seat 1, whose lobby is open; joiners are numbered by their identities."""

    def __init__(self, nursery: trio.Nursery, players: int, former: Former | None = None) -> None:
        self.former = former
        self.nursery = nursery
        self.players = players
        self.requests: LobbyRequests | None = None
        self.asked = False
        self.wires = Wires()
        self.events: list[LobbyEvent] = []
        self.tables: dict[int, AgreedTable] = {}
        self.errors: dict[int, Exception] = {}
        self.shown: dict[int, list[LobbyShown]] = {}
        self.scopes: dict[int, trio.CancelScope] = {}

    @property
    def code(self) -> str:
        return [event.code for event in self.events if isinstance(event, CodeShown)][-1]

    @property
    def names(self) -> list[str | None]:
        shown = [event for event in self.events if isinstance(event, LobbyShown)][-1]
        return [None if seat is None else seat.name for seat in shown.seats]

    @property
    def turned_away(self) -> list[str]:
        return [event.reason for event in self.events if isinstance(event, TurnedAway)]

    async def host(self) -> None:
        listener = self.wires.listen(address_of(1))
        with trio.CancelScope() as self.scopes[1]:
            self.tables[1] = await self._host(listener)

    async def _host(self, listener: WireListener) -> AgreedTable:
        return await host_table(
            credentials(1),
            "host",
            settings(self.players),
            [listener],
            [address_of(1)],
            randomness,
            self.events.append,
            table_number=7,
            former=self.former,
            requests=self.requests,
            asked=self.asked,
        )

    async def open(self) -> None:
        self.nursery.start_soon(self.host)
        await wait_all_tasks_blocked()

    def shown_to(self, number: int) -> OnLobbyEvent:
        shown: list[LobbyShown] = self.shown.setdefault(number, [])

        def tell(event: LobbyEvent) -> None:
            assert isinstance(event, LobbyShown)
            shown.append(event)

        return tell

    def join(self, number: int, name: str | None = None, code: str | None = None) -> None:
        async def run() -> AgreedTable:
            return await join_table(
                credentials(number),
                name or f"guest {number}",
                code or self.code,
                address_of(1),
                [],
                [address_of(number)],
                randomness,
                self.shown_to(number),
                dial=self.wires.dial,
            )

        self.nursery.start_soon(self.take, number, run)

    async def take(self, number: int, run: Callable[[], Awaitable[AgreedTable]]) -> None:
        """What becomes of somebody's attempt to get a seat."""
        with trio.CancelScope() as self.scopes[number]:
            try:
                self.tables[number] = await run()
            except NetError as error:
                self.errors[number] = error

    async def enter(self, number: int, name: str | None = None, code: str | None = None) -> None:
        """Join, and wait until nothing more happens."""
        self.join(number, name, code)
        await wait_all_tasks_blocked()

    async def enter_wrongly(self, number: int) -> None:
        """Try a wrong code of this table, and wait for the refusal."""
        words = "zebra-zebra" if not self.code.endswith("zebra-zebra") else "acorn-acorn"
        await self.enter(number, code=f"{public_part(self.code)[0]}-{words}")
        await trio.sleep(LIMITS.code_wrong_s)
        await wait_all_tasks_blocked()

    def refused(self, number: int) -> str:
        error = self.errors[number]
        assert isinstance(error, PeerRefused)
        return error.code


Rooms = Callable[[int], Awaitable[House]]


@pytest.fixture
def house(nursery: trio.Nursery) -> Rooms:
    async def make(players: int) -> House:
        made = House(nursery, players)
        await made.open()
        return made

    return make


async def test_a_table_for_four(autojump_clock: object, house: Rooms) -> None:
    table = await house(4)
    assert table.code.startswith("7-")
    for number in (12, 13, 14):
        await table.enter(number)
    assert sorted(table.tables) == [1, 12, 13, 14]
    assert len({each.game for each in table.tables.values()}) == 1
    assert [table.tables[number].seat for number in (1, 12, 13, 14)] == [1, 2, 3, 4]
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
    # and the connections are whole: what one end sends the other receives
    await table.tables[1].links[3].send(b"\0\0\0\x02hi")
    assert await table.tables[13].links[1].receive(10) == b"hi"


async def test_the_lobby_is_shown_as_it_fills(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    assert table.names == ["host", "guest 12", None]
    assert table.shown[12][-1].own_seat == 2
    assert table.shown[12][-1].settings == settings(3)
    await table.enter(13)
    assert table.shown[12][-1].seats[2] is not None
    assert table.shown[13][-1].own_seat == 3


async def test_a_wrong_code_is_refused_and_not_tried_again(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter_wrongly(12)
    assert table.refused(12) == "wrong_code"
    assert len(table.wires.dialled) == 1
    assert [event for event in table.events if isinstance(event, Strangers)] == [Strangers(1, 1)]
    assert table.names == ["host", None, None]
    number, _, words = table.code.partition("-")
    await table.enter(12, code=f"{number} {words.replace('-', '  ').upper()}")
    assert table.names == ["host", "guest 12", None]


async def test_a_burned_code(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    old = table.code
    for number in (12, 13, 14):
        await table.enter_wrongly(number)
    assert [table.refused(number) for number in (12, 13, 14)] == ["wrong_code", "wrong_code", "code_burned"]
    assert table.code != old
    await table.enter(15, code=old)
    assert table.refused(15) == "code_burned"
    await table.enter(16)
    assert sorted(table.tables) == [1, 16]


async def test_a_busy_host_is_dialled_again_until_the_code_is_tried(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    hung_up = 0

    async def hang_up_twice(address: Address) -> trio.abc.Stream:
        nonlocal hung_up
        stream = await table.wires.dial(address)
        if hung_up < 2:
            hung_up += 1
            await stream.aclose()
        return stream

    events: list[LobbyEvent] = []
    joined = await join_table(
        credentials(12), "x", table.code, address_of(1), [], [], randomness, events.append, dial=hang_up_twice
    )
    assert joined.seat == 2
    assert not [event for event in events if isinstance(event, TurnedAway)]
    assert hung_up == 2


async def test_a_joiner_that_waits_is_told_once(
    autojump_clock: object, house: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await house(2)
    check, refusals = CodeDoor.check, iter(["busy", "busy"])

    async def busy_at_first(self: CodeDoor, frames: FrameStream, key: bytes, source: str, **more: float) -> None:
        for refusal in refusals:
            await self._refuse(frames, refusal)
        await check(self, frames, key, source, **more)

    monkeypatch.setattr(CodeDoor, "check", busy_at_first)
    told: list[str] = []

    def on_event(event: LobbyEvent) -> None:
        if isinstance(event, TurnedAway):
            told.append(event.reason)

    joined = await join_table(
        credentials(12), "x", table.code, address_of(1), [], [], randomness, on_event, dial=table.wires.dial
    )
    assert joined.seat == 2
    assert told == [WAITS]


async def test_a_listener_that_always_hangs_up_is_no_host(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    dials = 0

    async def hang_up(address: Address) -> trio.abc.Stream:
        nonlocal dials
        dials += 1
        stream = await table.wires.dial(address)
        await stream.aclose()
        return stream

    with pytest.raises(LinkLost):
        await join_table(credentials(12), "x", table.code, address_of(1), [], [], randomness, print, dial=hang_up)
    assert dials == 8
    assert trio.current_time() < 5


async def test_what_cannot_be_a_code_is_not_even_tried(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    with pytest.raises(BadCode):
        await join_table(credentials(2), "x", "what?", address_of(1), [], [], randomness, print, dial=table.wires.dial)
    assert table.wires.dialled == []


async def test_names_that_cannot_be_shown_stay_at_home() -> None:
    with pytest.raises(ValueError, match="control"):
        await join_table(credentials(2), "\x1b[31m", "7-amber-falcon", address_of(1), [], [], randomness, print)
    with pytest.raises(ValueError, match="1 to 24"):
        await host_table(credentials(1), "", settings(2), [], [], randomness, print)


async def test_settings_that_cannot_be_played() -> None:
    odd = replace(settings(4), players=5)
    with pytest.raises(TableError):
        await host_table(credentials(1), "host", odd, [], [], randomness, print)


async def test_somebody_leaves_the_lobby_and_somebody_else_takes_the_seat(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    table.scopes[12].cancel()
    await wait_all_tasks_blocked()
    assert table.names == ["host", None, None]
    assert table.turned_away == ["guest 12 has left the table"]
    await table.enter(13)
    await table.enter(14)
    assert [seat.name for seat in table.tables[1].agreement.seats] == ["host", "guest 13", "guest 14"]
    assert table.tables[13].game == table.tables[14].game == table.tables[1].game


async def test_a_lobby_lives_as_long_as_it_takes(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    await trio.sleep(600)
    assert table.names == ["host", "guest 12", None]
    await table.enter(13)
    assert len(table.tables) == 3


async def test_the_same_identity_twice(autojump_clock: object, house: Rooms) -> None:
    table = await house(4)
    await table.enter(12)
    await table.enter(12, name="other name")
    assert table.refused(12) == "same_key"
    await table.enter(1)
    assert table.refused(1) == "same_key"
    assert table.names == ["host", "guest 12", None, None]


@pytest.mark.parametrize("name", ["HOST", "h\u043est", "Guest 12", "a name of 24 characters!"])
async def test_a_name_that_is_taken_gets_a_number(autojump_clock: object, house: Rooms, name: str) -> None:
    table = await house(4)
    await table.enter(12, name=name if name.startswith("a name") else "guest 12")
    await table.enter(13, name=name)
    assert table.names[2] == f"{name[:21].rstrip()} 2"
    await table.enter(14, name=name)
    assert table.tables[14].agreement.seats[3].name == f"{name[:21].rstrip()} 3"


async def test_a_bot_is_named_after_its_seat(autojump_clock: object, house: Rooms) -> None:
    """A person sits down between the call of a bot and its coming."""
    table = await house(4)
    await table.enter(12)
    await table.enter(13, name="bot")
    assert table.names == ["host", "guest 12", "bot 3", None]
    await table.enter(14, name="bot")
    assert [each.name for each in table.tables[14].agreement.seats] == ["host", "guest 12", "bot 3", "bot 4"]


async def test_a_full_table(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    liar = Liar(table, 13)
    await liar.sit_down()  # and never answers
    table.join(14)
    await wait_all_tasks_blocked()
    assert table.refused(14) == "table_full"
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert table.names == ["host", "guest 12", None]


async def test_a_seat_of_the_game_that_comes_too_early(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    with pytest.raises(PeerRefused, match="filling up"):
        await reach(address_of(1), credentials(2), table.wires.dial, LIMITS, role="link", game=bytes(32))


async def test_another_lobbys_id(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    link = await tls.connect(await table.wires.dial(address_of(1)), credentials(2), None)
    with pytest.raises(PeerRefused) as refused:
        await prove(link, identity(2), "join", bytes([1]) * 32, LIMITS)
    assert refused.value.code == "wrong_game"


async def test_no_host() -> None:
    with pytest.raises(Unreachable):
        await join_table(
            credentials(2), "x", "7-amber-falcon", address_of(1), [], [], randomness, print, dial=Wires().dial
        )


async def test_a_host_that_says_nothing_is_asked_twice(autojump_clock: object) -> None:
    wires = Wires()
    wires.listen(address_of(1))
    begun = trio.current_time()
    with pytest.raises(LinkLost, match="takes too long"):
        await join_table(
            credentials(2), "x", "7-amber-falcon", address_of(1), [], [], randomness, print, dial=wires.dial
        )
    assert trio.current_time() - begun == pytest.approx(2 * LIMITS.authenticate_s, abs=0.5)
    assert len(wires.dialled) == 2


async def test_a_host_that_hangs_up_and_is_gone() -> None:
    """It is tried once more; that nobody is there by then says less than that somebody was."""
    wires = Wires()
    listener = wires.listen(address_of(1))

    async def hang_up() -> None:
        stream = await listener.accept()
        wires.cut(address_of(1))
        await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hang_up)
        with pytest.raises(LinkLost):
            await join_table(
                credentials(2), "x", "7-amber-falcon", address_of(1), [], [], randomness, print, dial=wires.dial
            )
    assert len(wires.dialled) == 2


async def test_the_host_gives_up(autojump_clock: object) -> None:
    async with trio.open_nursery() as outer, trio.open_nursery() as inner:
        table = House(outer, 3)
        inner.start_soon(table.host)
        await wait_all_tasks_blocked()
        await table.enter(12)
        inner.cancel_scope.cancel()
    assert isinstance(table.errors[12], LinkLost)
    assert str(table.errors[12]) == "The host has closed the table."


async def test_a_joiner_that_goes_away_does_not_wait_for_a_host_that_does_not_read(autojump_clock: object) -> None:
    async def silent(host: "LyingHost") -> None:
        await trio.sleep(1000)

    begun = trio.current_time()
    with trio.move_on_after(1) as patience:
        await LyingHost(silent).join()
    assert patience.cancelled_caught
    assert trio.current_time() - begun <= 1 + LIMITS.close_s


async def test_a_host_that_goes_away_does_not_wait_for_a_joiner_that_does_not_read(
    autojump_clock: object, house: Rooms
) -> None:
    table = await house(3)
    liar = Liar(table, 13)
    await liar.give_code()
    await send(liar.frames, Sit("liar"))
    await wait_all_tasks_blocked()
    table.scopes[1].cancel()
    await trio.sleep(LIMITS.close_s + 0.1)
    assert await liar.expect(Bye) == Bye("")
    with pytest.raises(LinkLost):
        await liar.expect(Bye)


async def test_the_last_seat_is_taken_while_the_code_is_checked(autojump_clock: object, house: Rooms) -> None:
    """Both are let in by a table with one free seat; the slower one is told."""
    table = await house(2)
    liar = Liar(table, 13)
    await liar.give_code()
    await table.enter(12)
    assert sorted(table.tables) == [1, 12]


async def test_those_who_do_not_sit_down_are_told_three_times(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    for number in range(13, 20):
        liar = Liar(table, number)
        await liar.give_code()
        await liar.frames.abort()
        await trio.sleep(2)
    assert len(table.turned_away) == 3
    assert [event.count for event in table.events if isinstance(event, Strangers)] == [1, 2, 3, 4, 5, 6, 7]


async def test_two_for_the_last_seat(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    first, second = Liar(table, 13), Liar(table, 14)
    await first.give_code()
    await second.give_code()
    await table.enter(12)
    await send(first.frames, Sit("first"))
    await wait_all_tasks_blocked()
    await send(second.frames, Sit("second"))
    assert await second.expect(Refused) == Refused("table_full", "The table is full.")


class Liar:
    """A joiner that follows the protocol as far as a test wants it."""

    def __init__(self, table: House, number: int) -> None:
        self.table = table
        self.number = number

    async def give_code(self) -> None:
        link = await reach(address_of(1), credentials(self.number), self.table.wires.dial, LIMITS, role="join")
        self.frames = link.frames
        own = identity(self.number).public
        exchange = Exchange(self.table.code, own, link.server_key, link.certificate_hash, randomness, host=False)
        await give_code(link.frames, exchange, LIMITS)

    async def sit_down(self, name: str = "liar") -> None:
        await self.give_code()
        await send(self.frames, Sit(name))
        await wait_all_tasks_blocked()
        self.table.nursery.start_soon(self.stay)

    def nonce(self, round_: int = 1, nonce: bytes = bytes(32)) -> Nonce:
        return Nonce(round_, nonce, said(self.number, nonce))

    async def stay(self) -> None:
        """Signs of life, whatever else is not said."""
        try:
            while True:
                await trio.sleep(2)
                await send(self.frames, Ping())
        except LinkLost:
            pass

    async def expect(self, kind: type[WireMessage]) -> WireMessage:
        while True:
            message = decode_message(await self.frames.receive(LIMITS.frame_max), LinkStage.LOBBY_JOINER)
            if isinstance(message, kind):
                return message


@pytest.mark.parametrize("name", ["", "\x1b[31m", "two  spaces", "\u202eevil"])
async def test_a_joiner_with_a_bad_name(autojump_clock: object, house: Rooms, name: str) -> None:
    table = await house(2)
    liar = Liar(table, 13)
    await liar.sit_down(name=name)
    refusal = await liar.expect(Refused)
    assert isinstance(refusal, Refused)
    assert refusal.code == "bad_name"


async def test_a_joiner_that_does_not_sit_down(autojump_clock: object, house: Rooms) -> None:
    table = await house(2)
    liar = Liar(table, 13)
    await liar.give_code()
    await trio.sleep(LIMITS.authenticate_s + 1)
    assert table.turned_away == ["Somebody could not join: It took too long to sit down."]
    liar = Liar(table, 14)
    await liar.give_code()
    await send(liar.frames, PakeA(7, 2, bytes(33)))
    await wait_all_tasks_blocked()
    assert table.turned_away[1] == "Somebody could not join: The other side did not sit down."
    await table.enter(12)
    assert sorted(table.tables) == [1, 12]


async def test_a_joiner_that_gives_no_nonce_loses_its_seat(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    liar = Liar(table, 13)
    await liar.sit_down()
    await liar.expect(Gather)
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert table.turned_away == ["liar has left the table: It did not answer."]
    await table.enter(14)
    assert sorted(table.tables) == [1, 12, 14]
    assert table.tables[12].game == table.tables[14].game


async def test_a_joiner_that_agrees_to_nothing_loses_its_seat(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    liar = Liar(table, 13)
    await liar.sit_down()
    await send(liar.frames, liar.nonce())
    await send(liar.frames, liar.nonce(1, bytes([1]) * 32))  # the first counts
    proposed = await liar.expect(TableMessage)
    assert isinstance(proposed, TableMessage)
    await send(liar.frames, liar.nonce(7, bytes(32)))  # out of its round: of no interest
    await send(liar.frames, Ready(7))
    await trio.sleep(LIMITS.lobby_answer_s + 0.1)
    assert table.names == ["host", "guest 12", None]
    await table.enter(14)
    first = msgspec.msgpack.decode(proposed.agreement)["seats"]
    assert first[2]["nonce"] == bytes(32)
    assert first[1]["nonce"] != table.tables[12].agreement.seats[1].nonce


async def test_a_joiner_that_leaves_while_the_table_is_settled(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    liar = Liar(table, 13)
    await liar.sit_down()
    await send(liar.frames, liar.nonce())
    await liar.expect(TableMessage)
    await send(liar.frames, Bye("changed \x1b my mind"))
    await wait_all_tasks_blocked()
    assert table.turned_away == ["liar has left the table: changed my mind"]
    await table.enter(14)
    assert sorted(table.tables) == [1, 12, 14]


async def test_two_joiners_with_one_nonce(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    first, second = Liar(table, 13), Liar(table, 14)
    await first.sit_down(name="first")
    await second.sit_down(name="second")
    await send(first.frames, first.nonce())
    await wait_all_tasks_blocked()
    await send(second.frames, second.nonce())
    await wait_all_tasks_blocked()
    assert "second has left the table" in table.turned_away[0]
    assert "not fresh" in table.turned_away[0]


@pytest.mark.parametrize(
    "false",
    [
        said(14, bytes(32)),
        said(13, bytes([1]) * 32),
        said(13, bytes(32), count=2),
        said(13, bytes(32), Address("10.0.0.1", 0)),
        replace(said(13, bytes(32)), signature=bytes(64)),
    ],
)
async def test_a_joiner_signs_its_own_addresses(autojump_clock: object, house: Rooms, false: AddressStatement) -> None:
    table = await house(2)
    liar = Liar(table, 13)
    await liar.sit_down()
    await send(liar.frames, Nonce(1, bytes(32), false))
    await wait_all_tasks_blocked()
    assert "liar has left the table" in table.turned_away[0]
    assert "addresses" in table.turned_away[0]


async def test_a_joiner_that_is_lost_as_the_table_starts_is_still_seated(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    await table.enter(12)
    liar = Liar(table, 13)
    await liar.sit_down()
    await send(liar.frames, liar.nonce())
    await liar.expect(TableMessage)
    await send(liar.frames, Ready(1))
    await liar.frames.abort()
    await wait_all_tasks_blocked()
    assert sorted(table.tables) == [1, 12]
    assert set(table.tables[1].links) == {2}
    assert AddressBook(table.tables[1], LIMITS).of(3) == ()


async def test_invalid_bytes_cost_the_seat(autojump_clock: object, house: Rooms) -> None:
    table = await house(3)
    liar = Liar(table, 13)
    await liar.sit_down()
    await liar.frames.send(b"\0\0\0\x03abc")
    await wait_all_tasks_blocked()
    assert table.names == ["host", None, None]
    assert "no message" in table.turned_away[0]


# A host that lies.


class LyingHost:
    """Follows the protocol until a joiner sits, then sends what the test wants."""

    told: AddressStatement

    def __init__(self, script: Callable[["LyingHost"], Awaitable[None]]) -> None:
        self.script = script
        self.wires = Wires()
        self.listener = self.wires.listen(address_of(1))
        self.lobby = LobbyMessage(
            settings(2),
            (LobbySeat("host", identity(1).public, 0), LobbySeat("guest", identity(2).public, 0)),
            2,
        )

    async def serve(self) -> None:
        self.frames = await tls.accept(await self.listener.accept(), credentials(1))
        proof = await check_client(
            self.frames,
            credentials(1),
            lobby=bytes([1]) * 32,
            admit=lambda _: None,
            randomness=randomness,
            limits=LIMITS,
        )
        door = CodeDoor(7, identity(1).public, credentials(1).certificate_hash, bytes, LIMITS, lambda _: None)
        door._randomness = randomness
        await door.check(self.frames, proof.key, "")
        assert isinstance(await receive(self.frames, LinkStage.CODE_HOST, LIMITS), Sit)
        await self.script(self)

    async def say(self, message: WireMessage) -> None:
        await send(self.frames, message)

    async def gather(self) -> bytes:
        await self.say(Gather(1))
        nonce = decode_message(await self.frames.receive(1000), LinkStage.LOBBY_HOST)
        assert isinstance(nonce, Nonce)
        self.told = nonce.addresses
        return nonce.nonce

    @property
    def statements(self) -> tuple[AddressStatement, AddressStatement]:
        return said(1, bytes([1]) * 32, Address("fd00::1", 5001)), self.told

    def agreement(self, nonce: bytes, **changes: object) -> Agreement:
        seats = (
            SeatEntry("host", identity(1).public, bytes([1]) * 32),
            SeatEntry("guest", identity(2).public, nonce),
        )
        return replace(Agreement(1, settings(2), seats), **changes)

    async def join(self) -> NetError | AgreedTable:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.serve)
            try:
                return await join_table(
                    credentials(2),
                    "guest",
                    "7-acorn-acorn",
                    address_of(1),
                    [],
                    [],
                    randomness,
                    lambda _: None,
                    dial=self.wires.dial,
                )
            except NetError as error:
                return error


async def outcome(script: Callable[[LyingHost], Awaitable[None]]) -> str:
    result = await LyingHost(script).join()
    assert isinstance(result, NetError)
    return str(result)


@pytest.mark.parametrize("relay", ["Relay.example.org:4001", "relay.example.org", "relay\x1b:1", "a:0", ""])
async def test_a_relay_that_cannot_be(autojump_clock: object, relay: str) -> None:
    async def script(host: LyingHost) -> None:
        await host.say(replace(host.lobby, relay=relay))

    assert "relay whose address cannot be" in await outcome(script)


@pytest.mark.parametrize("relays", [(None, "a.example:1"), ("a.example:1", "b.example:1"), ("a.example:1", None)])
async def test_the_relay_that_a_player_agrees_to_is_the_one_that_was_shown(
    autojump_clock: object, relays: tuple[str | None, str | None]
) -> None:
    async def script(host: LyingHost) -> None:
        for relay in relays:
            await host.say(replace(host.lobby, relay=relay))

    assert "changed the relay" in await outcome(script)


async def test_the_script_of_an_honest_host(autojump_clock: object) -> None:
    async def script(host: LyingHost) -> None:
        await host.say(host.lobby)
        agreement = host.agreement(await host.gather())
        await host.say(TableMessage(1, encode_agreement(agreement), host.statements))
        assert decode_message(await host.frames.receive(1000), LinkStage.LOBBY_HOST) == Ready(1)
        await host.say(StartMessage(1))

    result = await LyingHost(script).join()
    assert isinstance(result, AgreedTable)
    assert AddressBook(result, LIMITS).of(1) == (Address("fd00::1", 5001), address_of(1))


async def test_a_host_that_never_shows_the_table(autojump_clock: object) -> None:
    async def script(host: LyingHost) -> None:
        with contextlib.suppress(LinkLost):
            while True:
                await host.say(Ping())
                await trio.sleep(1)

    assert await outcome(script) == "The host did not show the table."
    assert trio.current_time() < 15


def lobby_with(**changes: object) -> Callable[[LyingHost], Awaitable[None]]:
    async def script(host: LyingHost) -> None:
        await host.say(replace(host.lobby, **changes))

    return script


HOST_SEAT, OWN_SEAT = LobbySeat("host", identity(1).public, 0), LobbySeat("guest", identity(2).public, 0)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"settings": replace(settings(2), players=5)}, "cannot be played"),
        ({"settings": replace(settings(2), variant="poker")}, "cannot be played"),
        ({"seats": (HOST_SEAT,)}, "do not fit"),
        ({"seat": 3}, "do not fit"),
        ({"seats": (LobbySeat("\x07", identity(1).public, 0), OWN_SEAT)}, "names or keys"),
        ({"seats": (LobbySeat("host", identity(2).public, 0), OWN_SEAT)}, "names or keys"),
        ({"seats": (LobbySeat("host", identity(3).public, 0), OWN_SEAT)}, "another key has its seat"),
        ({"seats": (None, OWN_SEAT)}, "another key has its seat"),
        ({"seats": (HOST_SEAT, None)}, "somebody else's"),
        ({"seats": (HOST_SEAT, LobbySeat("not me", identity(2).public, 0))}, "somebody else's"),
        ({"seats": (HOST_SEAT, LobbySeat("guest", identity(3).public, 0))}, "somebody else's"),
        ({"seat": 1}, "somebody else's"),
    ],
)
async def test_a_lobby_that_cannot_be(autojump_clock: object, changes: dict[str, object], part: str) -> None:
    assert part in await outcome(lobby_with(**changes))


async def test_a_game_that_begins_before_the_table_is_shown(autojump_clock: object) -> None:
    async def script(host: LyingHost) -> None:
        await host.say(Gather(1))

    assert "before it has shown the table" in await outcome(script)


Proposal = Callable[[LyingHost, bytes], TableMessage]


def proposing(host: LyingHost, nonce: bytes, **changes: object) -> TableMessage:
    return TableMessage(1, encode_agreement(host.agreement(nonce, **changes)), host.statements)


def lying(
    host: LyingHost, nonce: bytes, first: AddressStatement | None = None, own: AddressStatement | None = None
) -> TableMessage:
    """The table with other statements."""
    return replace(proposing(host, nonce), addresses=(first or host.statements[0], own or host.told))


def seats(name: str = "guest", key: int = 2, nonce: bytes = bytes(32), host_key: int = 1) -> tuple[SeatEntry, ...]:
    return (
        SeatEntry("host", identity(host_key).public, bytes([1]) * 32),
        SeatEntry(name, identity(key).public, nonce),
    )


OTHER_SETTINGS: Settings = replace(settings(2), open_hands=False)
PROPOSALS: list[tuple[Proposal, str]] = [
    (lambda host, _nonce: TableMessage(1, b"rubbish", host.statements), "cannot be"),
    (lambda host, nonce: lying(host, nonce, AddressStatement(b"rubbish", bytes(64))), "in a form that cannot be"),
    (lambda host, nonce: lying(host, nonce, said(1, bytes([1]) * 32, Address("localhost", 5001))), "cannot be"),
    (lambda host, nonce: lying(host, nonce, said(2, bytes([1]) * 32)), "that seat 1 (host) has not signed"),
    (lambda host, nonce: lying(host, nonce, said(1, bytes([2]) * 32)), "that seat 1 (host) has not signed"),
    (lambda host, nonce: lying(host, nonce, said(1, bytes([1]) * 32, count=2)), "that seat 1 (host) has not signed"),
    (lambda host, nonce: lying(host, nonce, replace(host.statements[0], signature=bytes(64))), "has not signed"),
    (lambda host, nonce: lying(host, nonce, own=said(2, nonce, Address("10.9.9.9", 5001))), "for this seat than it"),
    (lambda host, nonce: replace(proposing(host, nonce), addresses=host.statements[:1]), "do not fit the seats"),
    (lambda host, nonce: replace(proposing(host, nonce), round=2), "out of turn"),
    (lambda host, nonce: proposing(host, nonce, seats=seats()[:1]), "cannot be"),
    (lambda host, nonce: proposing(host, nonce, settings=OTHER_SETTINGS), "another table"),
    (lambda host, nonce: proposing(host, nonce, seats=seats(name="gu est", nonce=nonce)), "another table"),
    (lambda host, nonce: proposing(host, nonce, seats=seats(key=3, nonce=nonce)), "another table"),
    (lambda host, nonce: proposing(host, nonce, seats=seats(host_key=3, nonce=nonce)), "another table"),
    (lambda host, nonce: proposing(host, nonce, seats=seats(nonce=bytes([7]) * 32)), "fresh nonce"),
]


@pytest.mark.parametrize(("proposal", "part"), PROPOSALS)
async def test_a_table_that_was_not_shown(autojump_clock: object, proposal: Proposal, part: str) -> None:
    async def script(host: LyingHost) -> None:
        await host.say(host.lobby)
        await host.say(proposal(host, await host.gather()))

    assert part in await outcome(script)


async def test_a_table_twice(autojump_clock: object) -> None:
    async def twice(host: LyingHost) -> None:
        await host.say(host.lobby)
        nonce = await host.gather()
        await host.say(proposing(host, nonce))
        await host.say(proposing(host, nonce))

    assert "out of turn" in await outcome(twice)


async def test_a_start_that_was_not_agreed(autojump_clock: object) -> None:
    async def early(host: LyingHost) -> None:
        await host.say(host.lobby)
        await host.gather()
        await host.say(StartMessage(1))

    async def other_round(host: LyingHost) -> None:
        await host.say(host.lobby)
        await host.say(proposing(host, await host.gather()))
        await host.say(StartMessage(2))

    async def other_lobby(host: LyingHost) -> None:
        await host.say(host.lobby)
        await host.say(proposing(host, await host.gather()))
        await host.say(host.lobby)
        await host.say(StartMessage(1))

    for script in (early, other_round, other_lobby):
        assert "was not agreed" in await outcome(script)


async def test_a_host_that_says_goodbye_or_no(autojump_clock: object) -> None:
    async def goodbye(host: LyingHost) -> None:
        await host.say(Bye("bed\x1b time"))

    async def no(host: LyingHost) -> None:
        await host.say(Refused("table_full", ""))

    assert await outcome(goodbye) == "The host has closed the table: bed time"
    assert await outcome(no) == "The table is full."


async def test_a_host_that_never_checks_the_code(autojump_clock: object) -> None:
    wires = Wires()
    listener = wires.listen(address_of(1))

    async def serve() -> None:
        frames: FrameStream = await tls.accept(await listener.accept(), credentials(1))
        await check_client(
            frames,
            credentials(1),
            lobby=bytes([1]) * 32,
            admit=lambda _: None,
            randomness=randomness,
            limits=LIMITS,
        )
        await receive(frames, LinkStage.CODE_HOST, LIMITS)
        await trio.sleep(1000)
        await send(frames, PakeB(bytes(33)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        with pytest.raises(LinkLost, match="did not get round"):
            await join_table(
                credentials(2), "x", "7-amber-falcon", address_of(1), [], [], randomness, print, dial=wires.dial
            )
        nursery.cancel_scope.cancel()
