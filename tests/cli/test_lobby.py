"""Sitting down, and being refused: one sentence, a hint, an exit code; the host goes on waiting for the others."""

import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
import trio
import trio.testing

from seqp2p.api import table as table_module
from seqp2p.cli import own_table as filling_module
from seqp2p.cli.bot_process import BotCall, BotEnded
from seqp2p.cli.lobby import LobbyDesk
from seqp2p.cli.output import Output
from seqp2p.cli.own_table import TRIES, Filling
from seqp2p.cli.running import ChildStart, Hear
from seqp2p.errors import UserError
from seqp2p.lobby.adverts import TableAdvert
from seqp2p.lobby.events import CodeShown, Guest, LobbyRequest, LobbyShown, RelayState, RemovePlayer, declined
from seqp2p.net.addresses import Address
from tests.api.tools import play_two_games, sits_down, table_with
from tests.cli import documented
from tests.cli.conftest import Cli, options_of, refused, teller_of
from tests.cli.processes import Household, children
from tests.helpful import HELPFUL
from tests.net.tools import until
from tests.table import make_settings


def other_code(code: str) -> str:
    """Return a code with the table's number and another word."""
    number, *words = code.split("-")
    return "-".join([number, *words[:-1], "acorn" if words[-1] != "acorn" else "amber"])


def test_a_wrong_code_is_refused_and_a_third_one_burns_the_code(cli: Cli, people: Household) -> None:
    host = people.host("--variant", "kids")
    first = host.event("listening")

    def joined_with(code: str) -> str:
        ended = cli("join", first["address"], "--code", code, "--bot", "random", "--name", "thief")
        exit_code, error, hint = refused(ended)
        assert (exit_code, bool(hint)) == (4, True)
        return error

    for _ in range(2):
        assert joined_with(other_code(first["code"])) == "wrong code"
    assert "has a new one by now" in joined_with(other_code(first["code"]))
    second = host.event("listening", 2)
    assert second["address"] == first["address"]
    assert second["code"] != first["code"]
    host.line(f"the code {first['code']} is no longer valid: there were too many wrong tries")
    host.line(f"the join code is:  {second['code']}")
    assert "has a new one by now" in joined_with(first["code"])
    # The new code, as people type it.
    guest = people.join(host, code=second["code"].replace("-", " ").upper())
    assert (host.end(), guest.end()) == (0, 0)
    assert host.event("strangers", wrong=4)["count"] == 4
    host.line(r"^turned away: \d \(wrong code: \d")


def test_an_address_that_nobody_listens_at_and_one_that_is_taken(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        exit_code, error, hint = refused(cli("host", "--bot", "random", "--json", "--listen", address))
    assert (exit_code, hint) == (4, "Choose another address or port to listen on.")
    assert error.startswith(f"cannot listen on {address}: ")
    exit_code, error, hint = refused(cli("join", address, "--code", "7-amber-falcon", "--bot", "random"))
    assert exit_code == 4
    assert error.startswith(f"nobody answers at {address}")
    assert hint.startswith("Check the address")


def test_a_seat_that_is_asked_to_end_in_a_lobby_says_goodbye(people: Household) -> None:
    host = people.host("--players", "4")  # One seat stays free: the game does not begin.
    guest, other = people.join(host, who="guest"), people.join(host, who="other")
    host.event("lobby", 3)
    for process, number, said in (
        (guest, signal.SIGTERM, ["this seat left the table"]),
        (host, signal.SIGHUP, ["this seat left the table", "seqp2p: the terminal is gone"]),
    ):
        process.signal(number)
        assert process.end() == 5
        last = process.events[-1]
        assert (last["event"], last["result"], last["reason"]) == ("over", "unfinished", "left the table")
        assert (last["seat"], last["replay"]) == (None, None)
        assert process.err[-len(said) :] == said
        if process is guest:  # The host reads its goodbye before it is asked to end.
            host.line("^guest has left the table$")
    assert other.end() == 4
    assert other.error() == (
        "the host has closed the table",
        "Ask the host whether there will be another table, or open one.",
    )


def test_three_people_choose_talk_and_lose_one(people: Household) -> None:
    host = people.host("--players", "4", "--grace", "5", bot=None, stdin=subprocess.PIPE)
    ben = people.join(host, who="ben", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 2)
    cat = people.join(host, who="cat", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 3)
    ben.type("seat 4", "colour green", "say hello, all")
    assert cat.event("line")["text"] == "hello, all"
    assert [seat and seat["name"] for seat in cat.events[-2]["seats"]] == ["host", None, "cat", "ben"]
    assert cat.events[-2]["colours"] == ["blue", "green"]
    ben.type("seat 3")
    assert ben.event("declined")["code"] == "seat_taken"
    host.type("colour green")
    assert host.event("declined")["code"] == "colour_taken"
    host.type("mute ben")
    host.line("^ben is muted")
    ben.type("say psst")
    cat.line("^ben: psst$")
    host.type("remove cat")
    assert cat.end() == 4
    assert cat.error() == ("the host has removed this player from the table", "Ask the host, or open a table.")
    host.line("^the code .* is no longer valid: the player who was removed knows it$")
    old, new = (host.event("listening", nth)["code"] for nth in (1, 2))
    assert old != new
    again = people.join(host, who="cat", bot=None)
    assert again.end() == 4
    assert again.error()[0] == "the host has removed this player from the table"
    host.type("move ben 2", "start")
    for process in (host, ben):
        assert process.event("seated", 2)["name"] == "ben"
        process.event("dealt")
    assert [host.event("seated", seat)["name"] for seat in (3, 4)] == ["bot 3", "bot 4"]
    assert [event["text"] for event in host.events if event["event"] == "line"] == ["hello, all"]
    # A muted player is muted in the game, too, until that is taken back.
    ben.type("say one", "say good luck")
    host.event("remark", 2)
    host.type("mute ben")
    host.line("^ben is no longer muted")
    ben.type("say two")
    host.line("ben.*: two$")
    assert not any(": one" in line or ": good luck" in line for line in host.err)


def test_scripts_wish_for_seats_and_colours(people: Household) -> None:
    host = people.host("--players", "4", "--variant", "kids", "--colour", "yellow")
    people.join(host, "--seat", "3", "--colour", "red", who="ben")
    host.event("lobby", colours=["yellow", "green", "red", "blue"])
    cat = people.join(host, "--seat", "3", "--team", "4", who="cat")
    assert cat.event("declined")["code"] == "seat_taken"
    shown = host.event("lobby", seats=cat.event("lobby", seat=4)["seats"])
    assert [seat and seat["name"] for seat in shown["seats"]] == ["host", None, "ben", "cat"]


def test_a_number_as_a_name_has_no_other_player_removed() -> None:
    host, ann, two = (Guest(name, name.encode()) for name in ("host", "ann", "2"))
    asked: list[LobbyRequest] = []
    desk = LobbyDesk(Output(json=False), lambda: None, lambda: None)
    desk.ask = asked.append
    desk.lobby = LobbyShown(make_settings(4), (host, ann, two, None), 1)
    remove = desk.answers()["remove"]
    assert remove("2") == ["add the name or the seat of another player, like: remove seat 2"]
    assert (remove("seat 3"), asked) == ((), [RemovePlayer(two.key)])


async def test_what_was_declined_and_the_state_of_the_relay_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    teller, relay = teller_of(options_of()), Address("relay.example.org", 4001)
    for event in (declined("seat_taken"), RelayState(relay, "nobody answers"), RelayState(relay, "")):
        teller.on_event(event)
    out, err = capsys.readouterr()
    declining, *states = documented.stream(out)
    assert (declining["event"], declining["code"]) == ("declined", "seat_taken")
    assert [(each["event"], each["problem"]) for each in states] == [("relay", "nobody answers"), ("relay", None)]
    assert err.splitlines()[1:] == [
        "nobody can join through the relay now: nobody answers",
        "the relay at relay.example.org:4001 is back",
    ]


# A player's own table: its adverts, and the bots in its free seats.


TABLE, RELAY = Address("127.0.0.1", 4610), Address("10.9.0.9", 4001)
SETTINGS = make_settings(3, "kids")
HOST = Guest("host", bytes(32))


def test_where_nobody_types_bots_come_at_once(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3", "--fill", HELPFUL, "--games", "2")
    assert host.end() == 0
    names = [event["name"] for event in host.events if event["event"] == "seated"]
    assert names == ["host", "bot 2", "bot 3"] * 2
    results = [event["result"] for event in host.events if event["event"] == "over"]
    assert len(results) == 2
    assert {*results} <= {"won", "drawn"}


def test_places_are_kept_for_players_from_elsewhere(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "4", "--fill", HELPFUL, "--wait-for", "2", "--no-advertise")
    host.line("at the table: host .you., bot 2, free, free")
    ann, ben = people.join(host, who="ann"), people.join(host, who="ben")
    assert [process.end() for process in (host, ann, ben)] == [0, 0, 0]
    names = {event["name"] for event in host.events if event["event"] == "seated"}
    assert names == {"host", "bot 2", "ann", "ben"}
    assert sum(line.startswith("at the table: ") for line in host.err) == 4


@pytest.mark.parametrize("words", [("--fill", "random"), ("--bot", "random"), ("--bot", "random", "--fill", "random")])
def test_places_are_kept_only_where_bots_come_at_once_and_leave_some(cli: Cli, words: tuple[str, ...]) -> None:
    exit_code, error, _ = refused(cli("host", "--players", "2", "--wait-for", 2, *words))
    assert (exit_code, error.split()[0]) == (2, "--wait-for")


def test_bots_that_are_killed_in_the_lobby_are_replaced(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "4", bot=None, stdin=subprocess.PIPE)
    guest = people.join(host, who="anna")
    host.line("at the table: host .you., anna, free, free")
    # It holds its seat, and does not answer: the table is full, and the game does not begin.
    guest.signal(signal.SIGSTOP)
    host.type("start")
    host.line("at the table: host .you., anna, bot 3, bot 4")
    [bots] = children(host.pid)
    before = sum("free" in line for line in host.err)
    people.kill(bots)
    host.line("free", before + 1)
    guest.signal(signal.SIGCONT)
    host.event("dealt")
    assert [event["name"] for event in host.events if event["event"] == "seated"] == ["host", "anna", "bot 3", "bot 4"]
    assert children(host.pid) != {bots}
    host.signal(signal.SIGTERM)
    assert host.end() == 5


def shown(*guests: Guest | None) -> LobbyShown:
    return LobbyShown(SETTINGS, (HOST, *guests), 1)


class RefusedBots:
    """A process whose bots are all refused, as if the code had been burned."""

    calls: ClassVar[list[BotCall]] = []

    def __init__(self, _: ChildStart, hear: Hear) -> None:
        self._hear = hear

    async def run(self) -> int:
        await trio.sleep_forever()

    async def send(self, line: bytes) -> None:
        call = msgspec.json.decode(line, type=BotCall)
        self.calls.append(call)
        await trio.sleep(0.001)
        self._hear(msgspec.to_builtins(BotEnded(call.number, call.name, "the code is wrong")))


def filling_of(*guests: Guest | None, bot: str = "random", at_once: bool = False) -> Filling:
    """Return who fills a table with these guests, whose code has been shown."""
    filling = Filling(bot, 0, at_once=at_once)
    filling.on_event(CodeShown("1-a-b"))
    filling.on_event(shown(*guests))
    return filling


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[BotCall]:
    """The calls of bots; every bot is refused."""
    monkeypatch.setattr(filling_module, "Child", RefusedBots)
    monkeypatch.setattr(filling_module, "PAUSE_S", 0.001)
    RefusedBots.calls = []
    return RefusedBots.calls


async def test_a_new_code_is_used_by_the_next_bot(calls: list[BotCall], capsys: pytest.CaptureFixture[str]) -> None:
    filling = filling_of(None, None)
    async with filling.ready(TABLE, RELAY, Output(json=False)):
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []
        filling.call()
        await until(lambda: len(calls) >= 2)
        filling.on_event(CodeShown("2-c-d"))
        await until(lambda: calls[-1].code == "2-c-d")
        # A player elsewhere may reach a bot by the host's relay alone.
        assert {(call.address, call.relay) for call in calls} == {(str(TABLE), str(RELAY))}
        # Others have come: there is nothing to fill.
        filling.on_event(shown(Guest("anna", b"a"), Guest("bert", b"b")))
        count = len(calls)
        await trio.sleep(0.1)
        assert len(calls) <= count + 1
    assert "bots take the 2 free seats" in capsys.readouterr().out


async def test_bots_that_never_get_in_are_given_up(calls: list[BotCall], capsys: pytest.CaptureFixture[str]) -> None:
    filling = filling_of(None, Guest("anna", b"a"))
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.call()
        await until(lambda: "bots cannot sit down" in capsys.readouterr().out)
        assert len(calls) == TRIES
        # A person may try again.
        filling.call()
        await until(lambda: len(calls) > TRIES)


async def test_a_bot_without_weights_is_not_called(
    calls: list[BotCall], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling_module, "why_no_bot", lambda _: "the weights are missing")
    filling = filling_of(None, None, bot="normal")
    async with filling.ready(TABLE, None, Output(json=False)):
        filling.call()
        await trio.testing.wait_all_tasks_blocked()
    assert (calls, capsys.readouterr().out) == ([], "the weights are missing\n")


async def test_where_nobody_could_call_again_it_is_an_error(calls: list[BotCall]) -> None:
    filling = filling_of(None, Guest("anna", b"a"), at_once=True)
    with pytest.RaisesGroup(UserError, flatten_subgroups=True):
        async with filling.ready(TABLE, None, Output(json=False)):
            await trio.sleep_forever()
    assert len(calls) == TRIES


async def test_a_closed_lobby_needs_no_bot(calls: list[BotCall]) -> None:
    filling = filling_of(None, None, at_once=True)
    filling.close()
    async with filling.ready(TABLE, None, Output(json=False)):
        await trio.testing.wait_all_tasks_blocked()
        assert calls == []


@pytest.mark.simulation
async def test_a_table_is_advertised_as_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told: list[TableAdvert] = []

    @asynccontextmanager
    async def advertising(advert: TableAdvert, *_: Any) -> AsyncIterator[Callable[[TableAdvert], None]]:
        told.append(advert)
        yield told.append

    monkeypatch.setattr(table_module, "advertising", advertising)
    async with table_with(tmp_path, sits_down(tmp_path, play_two_games)) as table:
        number = int(table.code.partition("-")[0])  # Of the code no more is told.
        async with table.seat() as ann:
            await play_two_games(ann)
    assert {replace(advert, free=1, state="open") for advert in told} == {TableAdvert(number, "ann", "kids", 2, 1)}
    states = [state for state, _ in groupby((advert.free, advert.state) for advert in told)]
    assert states == [(1, "open"), (0, "open"), (0, "playing")] * 2
