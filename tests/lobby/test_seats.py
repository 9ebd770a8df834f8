"""Seats, colours and lines of a lobby, and liars at both ends of a line."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from seqp2p.crypto.hashing import LOBBY_LINE
from seqp2p.crypto.identity import sign
from seqp2p.lobby.address_statement import read_statement
from seqp2p.lobby.events import MovePlayer, RemovePlayer, SayLine, SeatChoice, StartGame, UseRelay
from seqp2p.lobby.host import TeamColours
from seqp2p.lobby.lines import LinePayload, LobbyTalk
from seqp2p.match.encoding import encode
from seqp2p.net import messages as wire
from seqp2p.net.addresses import Address
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LineMessage
from tests.lobby.house import Opened
from tests.net.tools import identity, settings

pytestmark = pytest.mark.usefixtures("cheap_codes")

LIMITS = DEFAULT_LIMITS
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


async def test_no_removed_player_comes_in_by_an_exchange_that_has_begun(autojump_clock: object, house: Opened) -> None:
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
    assert room[DAN].declined == ["seat_taken"]
    assert room[HOST].shown.settings.colours == ("green", "blue")


async def test_lines_go_to_all(house: Opened) -> None:
    room = await house(3, BEN, CAT, by_hand=True)
    await room[BEN].ask(SayLine("  hi \x1b[31m all "), SayLine("\x07"))
    await room[HOST].ask(SayLine("hello"))
    for number in (HOST, BEN, CAT):
        assert room[number].heard == ["2 ben: hi [31m all", "1 host: hello"]
    assert room[BEN].declined == ["nothing"]


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


async def test_twenty_lines_a_minute(autojump_clock: object, house: Opened) -> None:
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


# Lines that no honest peer sends.

LOBBY = bytes([9]) * 32


def line(number: int = 1, text: str = "hi", **changed: Any) -> LineMessage:
    fields: dict[str, Any] = {"v": 1, "lobby": LOBBY, "key": KEY[BEN], "number": number, "text": text}
    signer = changed.pop("signer", BEN)
    payload = encode(LinePayload(**fields | changed))
    return LineMessage(payload, sign(identity(signer), LOBBY_LINE, payload))


def talking() -> LobbyTalk:
    return LobbyTalk(LOBBY, LIMITS, lambda: 0.0)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (line(signer=CAT), "not signed"),
        (line(text="a\u202eb"), "direction"),
        (LineMessage(b"", bytes(64)), "not a line"),
    ],
)
def test_a_false_line_is_the_fault_of_the_one_who_passes_it_on(wrong: LineMessage, reason: str) -> None:
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

    def falsely(self: LobbyTalk, *arguments: Any) -> tuple[LineMessage, str] | None:
        signed = signing(self, *arguments)
        assert signed is not None
        return LineMessage(signed[0].payload, bytes(64)), signed[1]

    monkeypatch.setattr(LobbyTalk, "sign", falsely)
    await room[liar].ask(SayLine("psst"))
    if liar == HOST:
        assert [isinstance(room.errors[number], PeerError) for number in (BEN, CAT)] == [True, True]
    else:
        assert room[HOST].names == ["host", None, "cat"]
    assert room[CAT].heard == []


async def test_a_full_table_begins_by_itself_when_all_is_quiet(house: Opened, autojump_clock: MockClock) -> None:
    room = await house(2, BEN, by_hand=True)
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    await room[HOST].ask(SayLine("wait for me"))
    await trio.sleep(DEFAULT_LIMITS.full_table_s - 1)
    assert room[HOST].table is None
    await trio.sleep(2)
    assert room[HOST].table is not None
    assert room[BEN].table is not None
