"""Sitting down, and being refused: one sentence, a hint, an exit code; the host goes on waiting for the others."""

import signal
import socket
import subprocess

import pytest

from seqp2p.cli.lobby import LobbyDesk
from seqp2p.cli.output import Output
from seqp2p.lobby.events import Guest, LobbyRequest, LobbyShown, RelayState, RemovePlayer, declined
from seqp2p.net.addresses import Address
from tests.cli import documented
from tests.cli.conftest import Cli, options_of, refused, teller_of
from tests.cli.processes import Household
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
