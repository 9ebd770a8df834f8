"""Seats, colours and lines of a lobby, and liars at both ends of a line."""

import contextlib
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from seqp2p.crypto.hashing import LOBBY_LINE, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.lobby.address_statement import read_statement
from seqp2p.lobby.events import CodeShown, Declined, LineSaid, LobbyEvent, LobbyShown
from seqp2p.lobby.host import TeamColours, host_table
from seqp2p.lobby.join import join_table
from seqp2p.lobby.lines import LinePayload, LobbyTalk
from seqp2p.lobby.requests import (
    ANY_SEAT,
    ChooseColour,
    LobbyRequest,
    MovePlayer,
    RemovePlayer,
    SayLine,
    SeatChoice,
    StartGame,
    TakeSeat,
    UseRelay,
)
from seqp2p.lobby.spectator_join import watch_table
from seqp2p.lobby.spectators import spectator_server
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.encoding import encode
from seqp2p.net.addresses import Address
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LineMessage
from tests.net.tools import Wires, address_of, credentials, identity, randomness, settings

pytestmark = pytest.mark.usefixtures("cheap_codes")

LIMITS = DEFAULT_LIMITS
ANN, BEN, CAT, DAN = 1, 2, 3, 4
KEY = {number: identity(number).public for number in (ANN, BEN, CAT, DAN)}


class Player:
    """One of those in the lobby: what it was told, and its requests."""

    def __init__(self) -> None:
        self.events: list[LobbyEvent] = []
        self.table: AgreedTable | None = None
        self.error: NetError | None = None
        self._send, self.requests = trio.open_memory_channel[LobbyRequest](100)

    async def ask(self, *requests: LobbyRequest) -> None:
        for request in requests:
            self._send.send_nowait(request)
        await wait_all_tasks_blocked()

    @property
    def shown(self) -> LobbyShown:
        return [event for event in self.events if isinstance(event, LobbyShown)][-1]

    @property
    def names(self) -> list[str]:
        return [seat.name if seat else "-" for seat in self.shown.seats]

    @property
    def heard(self) -> list[str]:
        return [f"{event.seat} {event.name}: {event.text}" for event in self.events if isinstance(event, LineSaid)]

    @property
    def declined(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, Declined)]

    @property
    def codes(self) -> list[str]:
        return [event.code for event in self.events if isinstance(event, CodeShown)]


class Room:
    """A lobby of a host who starts by hand, and joiners by number."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.nursery = nursery
        self.wires = Wires()
        self.players = {number: Player() for number in KEY}

    def __getitem__(self, number: int) -> Player:
        return self.players[number]

    async def open(
        self, count: int, *, by_hand: bool = True, spectators: int = 0, relay: Address | None = None
    ) -> None:
        listener, player = self.wires.listen(address_of(ANN)), self[ANN]

        async def host() -> None:
            async with spectator_server(spectators) as server:
                player.table = await host_table(
                    *(credentials(ANN), "ann", settings(count), [listener], [address_of(ANN)], randomness),
                    player.events.append,
                    table_number=7,
                    requests=player.requests,
                    by_hand=by_hand,
                    spectators=server,
                    relay=relay,
                )

        self.nursery.start_soon(host)
        await wait_all_tasks_blocked()

    async def join(self, number: int, choice: SeatChoice = ANY_SEAT) -> None:
        player = self.players[number] = Player()
        name, code = {BEN: "ben", CAT: "cat", DAN: "dan"}[number], self[ANN].codes[-1]

        async def join() -> None:
            try:
                player.table = await join_table(
                    *(credentials(number), name, code, address_of(ANN), [], [address_of(number)], randomness),
                    player.events.append,
                    dial=self.wires.dial,
                    requests=player.requests,
                    choice=choice,
                )
            except NetError as error:
                player.error = error

        self.nursery.start_soon(join)
        await wait_all_tasks_blocked()


@pytest.fixture
def room(nursery: trio.Nursery) -> Room:
    return Room(nursery)


RELAY = Address("relay.example.org", 4001)


async def test_a_player_uses_the_hosts_relay_after_agreeing_to_it(room: Room) -> None:
    await room.open(3, relay=RELAY)
    await room.join(BEN)
    await room.join(CAT)
    assert [room[number].shown.relay for number in (ANN, BEN, CAT)] == [RELAY] * 3
    await room[BEN].ask(UseRelay())
    await room[ANN].ask(StartGame())
    used = dict[int, Address | None]()
    for number in (ANN, BEN, CAT):
        table = room[number].table
        assert table is not None
        used[number] = table.relay.address if table.relay else None
        statements = [read_statement(statement).payload.entries for statement in table.statements]
        assert [any(entry.kind == 2 for entry in entries) for entries in statements] == [True, True, False]
    assert used == {ANN: RELAY, BEN: RELAY, CAT: None}


async def test_there_may_be_no_relay_to_agree_to(room: Room) -> None:
    await room.open(3)
    await room.join(BEN)
    for number in (ANN, BEN):
        await room[number].ask(UseRelay())
        assert room[number].declined == ["no_relay"]


async def test_players_choose_free_seats_and_so_their_partners(room: Room) -> None:
    await room.open(4)
    await room.join(BEN)
    await room.join(CAT)
    assert room[ANN].names == ["ann", "ben", "cat", "-"]
    await room[CAT].ask(TakeSeat(4))
    assert room[ANN].names == room[BEN].names == room[CAT].names == ["ann", "ben", "-", "cat"]
    assert room[CAT].shown.own_seat == 4
    await room[BEN].ask(TakeSeat(4), TakeSeat(1), TakeSeat(5), TakeSeat(2))
    assert sorted(room[BEN].declined) == ["no_seat", "no_seat", "seat_taken"]
    await room[ANN].ask(TakeSeat(3))
    assert room[ANN].declined == ["no_seat"]
    await room.join(DAN)
    assert room[ANN].names == ["ann", "ben", "dan", "cat"]
    await room[ANN].ask(StartGame())
    tables = [room[number].table for number in KEY]
    assert [table.seat for table in tables if table] == [1, 2, 4, 3]
    assert [table.agreement.seats[3].name for table in tables if table] == ["cat"] * 4


async def test_of_two_teams_that_want_a_colour_the_later_one_is_told(room: Room) -> None:
    await room.open(3)
    await room.join(BEN)
    await room.join(CAT)
    await room[CAT].ask(ChooseColour("blue"))
    assert room[ANN].shown.settings.colours == ("red", "green", "blue")
    await room[ANN].ask(ChooseColour("blue"), ChooseColour("pink"))
    await room[BEN].ask(ChooseColour("blue"), ChooseColour("red"))
    assert room[ANN].declined == ["colour_taken", "no_colour"]
    assert room[BEN].declined == ["colour_taken"]
    assert room[CAT].shown.settings.colours == ("green", "red", "blue")
    await room[ANN].ask(StartGame())
    for number in (ANN, BEN, CAT):
        table = room[number].table
        assert table is not None
        assert table.agreement.settings.colours == ("green", "red", "blue")


async def test_a_colour_is_free_again_when_its_chooser_leaves_the_team() -> None:
    table, colours = settings(4), TeamColours()
    first = colours.choose(table, 1, b"ann", "green")
    assert not isinstance(first, str)
    assert first.colours == ("green", "blue")
    assert colours.choose(first, 2, b"ben", "green") == "colour_taken"
    colours.forget(b"ann")
    second = colours.choose(first, 2, b"ben", "green")
    assert not isinstance(second, str)
    assert second.colours == ("blue", "green")


async def test_the_host_moves_players(room: Room) -> None:
    await room.open(4)
    await room.join(BEN)
    await room.join(CAT)
    await room[ANN].ask(MovePlayer(KEY[BEN], 4))
    assert room[BEN].names == ["ann", "-", "cat", "ben"]
    await room[ANN].ask(MovePlayer(KEY[BEN], 3), MovePlayer(KEY[BEN], 1), MovePlayer(KEY[DAN], 2))
    assert room[CAT].names == ["ann", "-", "ben", "cat"]
    assert room[ANN].declined == ["no_seat", "nobody"]


async def test_a_removed_player_is_refused_and_the_code_is_another(room: Room) -> None:
    await room.open(3)
    await room.join(BEN)
    await room.join(CAT)
    await room[ANN].ask(RemovePlayer(KEY[BEN]))
    error = room[BEN].error
    assert isinstance(error, PeerRefused)
    assert error.code == "removed"
    assert room[CAT].names == ["ann", "-", "cat"]
    old, new = room[ANN].codes
    assert old.split("-")[0] != new.split("-")[0]
    await room.join(BEN)  # with the new code
    again = room[BEN].error
    assert isinstance(again, PeerRefused)
    assert again.code == "removed"
    await room.join(DAN)
    assert room[ANN].names == ["ann", "dan", "cat"]


async def test_no_removed_player_comes_in_by_an_exchange_that_has_begun(autojump_clock: object, room: Room) -> None:
    """The code is replaced between the host's answer and the confirmation of a second identity."""
    await room.open(3)
    await room.join(BEN)
    door, code = room, room[ANN].codes[-1]

    async def remove_meanwhile() -> None:
        await room[ANN].ask(RemovePlayer(KEY[BEN]))

    slow = Player()
    dial = room.wires.dial

    async def dial_slowly(address: Any) -> trio.abc.Stream:
        stream = await dial(address)
        send_all, sent = stream.send_all, 0

        async def delayed(data: Any) -> None:
            nonlocal sent
            sent += 1
            if sent == 5:  # hello of TLS, its end, proof, pake_a, and now the confirmation
                await trio.sleep(1)
            await send_all(data)

        stream.send_all = delayed  # type: ignore[method-assign]
        return stream

    async def join() -> None:
        try:
            await join_table(
                credentials(CAT), "cat", code, address_of(ANN), [], [], randomness, print, dial=dial_slowly
            )
        except NetError as error:
            slow.error = error

    door.nursery.start_soon(join)
    await trio.sleep(0.5)
    await remove_meanwhile()
    await trio.sleep(5)
    assert isinstance(slow.error, PeerRefused)
    assert slow.error.code == "code_burned"
    assert room[ANN].names == ["ann", "-", "-"]


async def test_a_change_begins_the_agreement_again(room: Room) -> None:
    """A joiner changes its colour as soon as it has sat down: the table is agreed with it, never without."""
    await room.open(2, by_hand=False)
    await room.join(BEN, SeatChoice(colour="blue"))
    for number in (ANN, BEN):
        table = room[number].table
        assert table is not None
        assert table.agreement.settings.colours == ("green", "blue")


async def test_wishes_for_a_first_seat(room: Room) -> None:
    await room.open(6)
    await room.join(BEN, SeatChoice(seat=5))
    await room.join(CAT, SeatChoice(team=1, colour="green"))
    await room.join(DAN, SeatChoice(team=1))
    assert room[ANN].names == ["ann", "dan", "cat", "-", "ben", "-"]
    assert room[DAN].declined == ["seat_taken"]
    assert room[ANN].shown.settings.colours == ("green", "blue")


async def test_lines_go_to_all(room: Room) -> None:
    await room.open(3)
    await room.join(BEN)
    await room.join(CAT)
    await room[BEN].ask(SayLine("  hi \x1b[31m all "), SayLine("\x07"))
    await room[ANN].ask(SayLine("hello"))
    for number in (ANN, BEN, CAT):
        assert room[number].heard == ["2 ben: hi [31m all", "1 ann: hello"]
    assert room[BEN].declined == ["nothing"]


async def test_a_player_who_comes_back_goes_on_counting(room: Room, nursery: trio.Nursery) -> None:
    await room.open(3)
    await room.join(CAT)
    with trio.CancelScope() as stay:
        async with trio.open_nursery() as room.nursery:
            await room.join(BEN)
            await room[BEN].ask(SayLine("one"))
            stay.cancel()
    room.nursery = nursery
    await room.join(BEN)
    await room[BEN].ask(SayLine("two"))
    assert room[CAT].heard == ["3 ben: one", "3 ben: two"]


async def test_twenty_lines_a_minute(autojump_clock: object, room: Room) -> None:
    await room.open(3)
    await room.join(BEN)
    await room[BEN].ask(*(SayLine(f"line {number}") for number in range(21)))
    assert len(room[ANN].heard) == 20
    assert room[BEN].declined == ["too_fast"]
    await trio.sleep(LIMITS.lines_s)
    await room[BEN].ask(SayLine("again"))
    assert room[ANN].heard[-1] == "2 ben: again"


async def test_twenty_wishes_a_minute(room: Room) -> None:
    await room.open(4)
    await room.join(BEN)
    await room[BEN].ask(*(TakeSeat(2 + number % 2) for number in range(25)))
    assert room[BEN].declined == ["too_fast"] * 5


async def test_spectators_see_the_seats(room: Room) -> None:
    await room.open(2, spectators=1)
    shown: list[LobbyEvent] = []

    async def watch() -> None:
        with contextlib.suppress(LinkLost):  # The host's block ends at the start.
            await watch_table(
                *(credentials(CAT), "cat", room[ANN].codes[-1], address_of(ANN), randomness),
                dial=room.wires.dial,
                on_event=shown.append,
            )

    room.nursery.start_soon(watch)
    await wait_all_tasks_blocked()
    await room.join(BEN)
    seats = [[seat.name if seat else "-" for seat in event.seats] for event in shown if isinstance(event, LobbyShown)]
    assert seats == [["ann", "-"], ["ann", "ben"]]
    assert {event.own_seat for event in shown if isinstance(event, LobbyShown)} == {0}
    await room[ANN].ask(StartGame())


# Lines that no honest peer sends.

LOBBY = bytes([9]) * 32


def line(number: int = 1, text: str = "hi", **changed: Any) -> LineMessage:
    fields: dict[str, Any] = {"v": 1, "lobby": LOBBY, "key": KEY[BEN], "number": number, "text": text}
    label, signer = changed.pop("label", LOBBY_LINE), changed.pop("signer", BEN)
    payload = encode(LinePayload(**fields | changed))
    return LineMessage(payload, sign(identity(signer), label, payload))


def test_lines_are_taken_once_and_in_order() -> None:
    talk = LobbyTalk(LOBBY, LIMITS, lambda: 0.0)
    for number, text in ((1, "one"), (5, "five")):
        said = talk.take(line(number, text), {KEY[BEN]})
        assert said is not None
        assert said.text == text
    assert talk.said(KEY[BEN]) == 5
    for number in (5, 4):
        with pytest.raises(PeerError, match="twice"):
            talk.take(line(number), {KEY[BEN]})


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (line(lobby=bytes(32)), "another lobby"),
        (line(key=KEY[CAT]), "not here"),
        (line(signer=CAT), "not signed"),
        (line(label=REMARK), "not signed"),
        (line(text=""), "1 to 200"),
        (line(text="x" * 201), "1 to 200"),
        (line(text="a\u202eb"), "direction"),
        (line(number=0), "no line"),
        (LineMessage(b"", bytes(64)), "no line"),
    ],
)
def test_a_false_line_is_the_fault_of_the_one_who_passes_it_on(wrong: LineMessage, reason: str) -> None:
    talk = LobbyTalk(LOBBY, LIMITS, lambda: 0.0)
    with pytest.raises(PeerError, match=reason):
        talk.take(wrong, {KEY[BEN]})


def test_a_line_above_the_rate_is_not_verified() -> None:
    talk = LobbyTalk(LOBBY, LIMITS, lambda: 0.0)
    assert all(talk.take(line(number), {KEY[BEN]}) for number in range(1, LIMITS.lines_max + 1))
    assert talk.take(line(99, signer=CAT), {KEY[BEN]}) is None
    assert talk.said(KEY[BEN]) == LIMITS.lines_max


@pytest.mark.parametrize("liar", [ANN, BEN])
async def test_who_passes_on_a_false_line_is_out(room: Room, liar: int, monkeypatch: pytest.MonkeyPatch) -> None:
    await room.open(3)
    await room.join(BEN)
    await room.join(CAT)
    signing = LobbyTalk.sign

    def falsely(self: LobbyTalk, *arguments: Any) -> tuple[LineMessage, str] | None:
        signed = signing(self, *arguments)
        assert signed is not None
        return LineMessage(signed[0].payload, bytes(64)), signed[1]

    monkeypatch.setattr(LobbyTalk, "sign", falsely)
    await room[liar].ask(SayLine("psst"))
    if liar == ANN:
        assert [isinstance(room[number].error, PeerError) for number in (BEN, CAT)] == [True, True]
    else:
        assert room[ANN].names == ["ann", "-", "cat"]
    assert room[CAT].heard == []


async def test_a_full_table_begins_by_itself_when_all_is_quiet(room: Room, autojump_clock: MockClock) -> None:
    await room.open(2)
    await room.join(BEN)
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    await room[ANN].ask(SayLine("wait for me"))
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    assert room[ANN].table is None
    await trio.sleep(2)
    assert room[ANN].table is not None
    assert room[BEN].table is not None
