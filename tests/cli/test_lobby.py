"""Sitting down, and being refused: one sentence, a hint, an exit code; the host goes on waiting for the others."""

import signal
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli import documented
from tests.cli.conftest import Cli, refused
from tests.cli.processes import Household


def other_code(code: str) -> str:
    """A code of this table that is not its code."""
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
        assert joined_with(other_code(first["code"])) == "this is not the code of the table"
    assert "holds no more" in joined_with(other_code(first["code"]))
    second = host.event("listening", 2)
    assert second["address"] == first["address"]
    assert second["code"] != first["code"]
    host.line(f"the code {first['code']} was tried wrongly too often, and holds no more")
    host.line(f"the join code is:  {second['code']}")
    assert "holds no more" in joined_with(first["code"])
    # The new code, as people type it.
    guest = people.join(host, code=second["code"].replace("-", " ").upper())
    assert (host.end(), guest.end()) == (0, 0)
    assert host.event("strangers", wrong=3)["count"] == 4
    host.line(r"^turned away: \d \(wrong code: \d; broke off or found no seat: \d\)$")


@pytest.mark.parametrize("code", ["amber", "7-amber-falcno", "x-amber-falcon", "\x1b[2J", "7-amber-falcon-oak"])
def test_what_is_no_code_is_not_tried(cli: Cli, code: str) -> None:
    # The address is nobody's: an attempt would be told as such.
    exit_code, error, hint = refused(cli("join", "127.0.0.1:9", "--code", code, "--bot", "random"))
    assert (exit_code, bool(hint)) == (4, True)
    assert "nobody answers" not in error
    assert "\x1b" not in error


@pytest.mark.parametrize("polite", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_is_asked_to_end_in_a_lobby_says_goodbye(people: Household, polite: signal.Signals) -> None:
    host = people.host("--players", "3")
    guest, other = people.join(host, who="guest"), people.join(host, who="other")
    host.event("lobby", 3)
    for process in (guest, host):
        process.signal(polite)
        assert process.end() == 5
        last = process.events[-1]
        assert last.keys() == documented.fields()["over"]
        assert (last["event"], last["result"], last["reason"]) == ("over", "unfinished", "left the table")
        assert (last["seat"], last["replay"]) == (None, None)
        told = ["this seat left the table"]
        if polite == signal.SIGHUP:
            told.append("seqp2p: error: the terminal is gone")
        assert process.err[-len(told) :] == told
        if process is guest:  # The host reads its goodbye before it is asked to end.
            host.line("^guest has left the table$")
    assert other.end() == 4
    assert other.error() == (
        "the host has closed the table",
        "Ask the host whether there will be another table, or open one.",
    )


def test_nobody_at_that_address(cli: Cli) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address, said, advice in (
        (f"127.0.0.1:{port}", f"nobody answers at 127.0.0.1:{port}", "Check the address"),
        ("nobody.invalid:4610", "the name nobody.invalid cannot be resolved: ", "Check how it is written"),
    ):
        exit_code, error, hint = refused(cli("join", address, "--code", "7-amber-falcon", "--bot", "random"))
        assert exit_code == 4
        assert error.startswith(said)
        assert hint.startswith(advice)


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while data := self.request.recv(4096):
            self.request.sendall(data)


class Banner(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
        while self.request.recv(4096):
            pass


class Hasty(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        pass


@contextmanager
def serving(handler: type[socketserver.BaseRequestHandler]) -> Iterator[str]:
    """Another program, listening; gives its address."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("program", [Echo, Banner, Hasty])
def test_another_program_listens_there(cli: Cli, program: type[socketserver.BaseRequestHandler]) -> None:
    with serving(program) as address:
        exit_code, error, hint = refused(cli("join", address, "--code", "7-amber-falcon", "--bot", "random"))
    assert (exit_code, bool(hint)) == (4, True)
    assert "does not answer as seqp2p does" in error


def test_an_address_that_cannot_be_listened_on(cli: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        exit_code, error, hint = refused(cli("host", "--bot", "random", "--json", "--listen", address))
    assert (exit_code, hint) == (4, "Choose another address or port to listen on.")
    assert error.startswith(f"cannot listen on {address}: ")


def test_two_hosts_at_addresses_that_others_can_reach(people: Household) -> None:
    hosts = [
        people.start("host", "--bot", "random", "--variant", "kids", "--json", who=name) for name in ("one", "two")
    ]
    addresses = [host.event("listening")["address"] for host in hosts]
    assert len(set(addresses)) == 2
    for address in addresses:
        name, _, port = address.rpartition(":")
        assert name not in ("", "0.0.0.0", "[::]")
        assert int(port) > 0


def test_three_people_choose_talk_and_lose_one(people: Household) -> None:
    host = people.host("--players", "4", "--grace", "5", bot=None, stdin=subprocess.PIPE)
    ben = people.join(host, who="ben", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 2)
    cat = people.join(host, who="cat", bot=None, stdin=subprocess.PIPE)
    host.event("lobby", 3)
    ben.type("seat 4", "colour green", "say hello, all")
    assert cat.event("line")["text"] == "hello, all"
    assert [_name(seat) for seat in cat.events[-2]["seats"]] == ["host", None, "cat", "ben"]
    assert cat.events[-2]["colours"] == ["blue", "green"]
    ben.type("seat 3")
    assert ben.event("declined")["code"] == "seat_taken"
    host.type("colour green")
    assert host.event("declined")["code"] == "colour_taken"
    host.type("mute ben")
    host.line("^ben is muted")
    ben.type("say psst")
    cat.line("^ben says: psst$")
    host.type("remove cat")
    assert cat.end() == 4
    assert cat.error() == ("the host has removed this player from the table", "Ask the host, or open a table.")
    host.line("^the code .* holds no more: the player who was removed knows it$")
    old, new = (host.event("listening", nth)["code"] for nth in (1, 2))
    assert old != new
    again = people.join(host, who="cat", bot=None)
    assert again.end() == 4
    assert again.error()[0] == "the host has removed this player from the table"
    host.type("move ben 2", "start")
    for process in (host, ben):
        assert process.event("seated", 2)["name"] == "ben"
        process.event("dealt")
    assert [event["text"] for event in host.events if event["event"] == "line"] == ["hello, all"]
    # A muted player is muted in the game, too, until that is taken back.
    ben.type("say one", "say good luck")
    host.event("remark", 2)
    host.type("mute ben")
    host.line("^ben is muted no more")
    ben.type("say two")
    host.line("ben.* says: two$")
    assert not any("says: one" in line or "says: good luck" in line for line in host.err)


def _name(seat: dict[str, str] | None) -> str | None:
    return None if seat is None else seat["name"]


def test_a_number_as_a_name_has_nobody_else_removed(people: Household) -> None:
    host = people.host("--players", "4", bot=None, stdin=subprocess.PIPE)
    people.join(host, who="ann")
    host.event("lobby", 2)
    people.join(host, who="2")  # on seat 3
    host.event("lobby", 3)
    host.type("remove 2")
    host.line("^write the name or the seat of another player, like: remove seat 2$")
    host.type("remove seat 3")
    left = host.event("lobby", 4)
    assert [_name(seat) for seat in left["seats"]] == ["host", "ann", None, None]


def test_scripts_wish_for_seats_and_colours(people: Household) -> None:
    host = people.host("--players", "4", "--variant", "kids", "--colour", "yellow")
    people.join(host, "--seat", "3", "--colour", "red", who="ben")
    host.event("lobby", colours=["yellow", "green", "red", "blue"])
    cat = people.join(host, "--seat", "3", "--team", "4", who="cat")
    assert cat.event("declined")["code"] == "seat_taken"
    shown = host.event("lobby", seats=cat.event("lobby", seat=4)["seats"])
    assert [_name(seat) for seat in shown["seats"]] == ["host", None, "ben", "cat"]
