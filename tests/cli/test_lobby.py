"""Sitting down, and being refused: one sentence, a hint, an exit code; the host goes on waiting for the others."""

import http.server
import signal
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Household, Process


def refused(process: Process) -> str:
    """The sentence with which a joiner was refused; there is a hint, and nothing else is said."""
    assert process.end() == 4, process.said()
    error, hint = process.error()
    assert hint
    assert process.out == []
    assert error == error.strip().rstrip(".")
    assert len(process.err) == 2, process.said()
    return error


def other_code(code: str) -> str:
    """A code of this table that is not its code."""
    number, *words = code.split("-")
    return "-".join([number, *words[:-1], "acorn" if words[-1] != "acorn" else "amber"])


def test_a_wrong_code_is_refused_and_the_host_goes_on(people: Household) -> None:
    host = people.host("--variant", "kids")
    code = host.event("listening")["code"]
    assert refused(people.join(host, code=other_code(code))) == "this is not the code of the table"
    # It is still the same code, by the environment or as typed by people.
    guest = people.join(host, code=code.replace("-", " ").upper())
    assert (host.end(), guest.end()) == (0, 0)
    assert [event["event"] for event in host.events].count("listening") == 1
    assert "turned away: 1 (wrong code: 1; broke off or found no seat: 0)" in host.err


def test_a_code_is_burned_after_three_wrong_tries(cli: Cli, people: Household) -> None:
    host = people.host("--variant", "kids")
    first = host.event("listening")

    def joined_with(code: str) -> str:
        exit_code, out, err = cli("join", first["address"], "--code", code, "--bot", "random", "--name", "thief")
        assert (exit_code, out) == (4, "")
        return err.splitlines()[0].removeprefix("seqp2p: error: ")

    for _ in range(2):
        assert joined_with(other_code(first["code"])) == "this is not the code of the table"
    assert "holds no more" in joined_with(other_code(first["code"]))
    second = host.event("listening", 2)
    assert second["address"] == first["address"]
    assert second["code"] != first["code"]
    host.line(f"the code {first['code']} was tried wrongly too often, and holds no more")
    host.line(f"the join code is:  {second['code']}")
    assert "holds no more" in joined_with(first["code"])
    guest = people.join(host)
    assert (host.end(), guest.end()) == (0, 0)
    # The events of the game are the same as ever.
    kinds = [event["event"] for event in host.events if event["event"] not in ("strangers", "lobby")]
    assert kinds[2:5] == ["seated", "seated", "dealer"]


@pytest.mark.parametrize("code", ["amber", "7-amber-falcno", "x-amber-falcon", "\x1b[2J", "7-amber-falcon-oak"])
def test_what_is_no_code_is_not_tried(cli: Cli, code: str) -> None:
    # The address is nobody's: an attempt would be told as such.
    exit_code, out, err = cli("join", "127.0.0.1:9", "--code", code, "--bot", "random")
    error, hint = err.splitlines()
    assert (exit_code, out) == (4, "")
    assert error.startswith("seqp2p: error: ")
    assert "nobody answers" not in error
    assert hint.startswith("seqp2p: hint: ")
    assert "\x1b" not in err


def test_a_full_table_and_a_game_that_has_started(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3")
    slow = people.join(host, who="slow")
    host.line("slow, free")
    slow.signal(signal.SIGSTOP)  # It holds its seat, and does not answer yet: the table is full but has not begun.
    last = people.join(host, "--pace", "3600", who="last")
    host.line("slow, last")
    assert refused(people.join(host, who="late")) == "the table is full"
    slow.signal(signal.SIGCONT)
    for process in (host, slow, last):
        process.event("dealt")
    assert refused(people.join(host, who="late")) == "the game at this table has started"


def test_whoever_leaves_makes_room_for_others(people: Household) -> None:
    host = people.host("--variant", "kids", "--players", "3")
    first = people.join(host, who="anna")
    host.line("anna, free")
    first.signal(signal.SIGINT)
    assert first.end() == 5
    host.line("^anna has left the table$")
    # Names are told apart by the host.
    guests = [people.join(host, who="anna"), people.join(host, "--name", "HOST", who="other")]
    assert [process.end() for process in (host, *guests)] == [0, 0, 0]
    names = {event["name"] for event in host.events if event["event"] == "seated"}
    assert names == {"host", "anna", "HOST 2"}


def test_a_host_that_closes_the_table(people: Household) -> None:
    host = people.host("--players", "3")
    guest = people.join(host)
    host.line("guest, free")
    host.signal(signal.SIGINT)
    assert host.end() == 5
    assert guest.end() == 4
    error, hint = guest.error()
    assert error == "the host has closed the table"
    assert hint is not None
    assert "ask the host" in hint.lower()


@pytest.mark.parametrize("polite", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_is_asked_to_end_in_a_lobby_says_goodbye(people: Household, polite: signal.Signals) -> None:
    host = people.host("--players", "3")
    guest = people.join(host)
    host.line("guest, free")
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


def test_nobody_at_that_address(cli: Cli) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address, said, advice in (
        (f"127.0.0.1:{port}", f"nobody answers at 127.0.0.1:{port}", "Check the address"),
        ("nobody.invalid:4610", "the name nobody.invalid cannot be resolved: ", "Check how it is written"),
    ):
        exit_code, out, err = cli("join", address, "--code", "7-amber-falcon", "--bot", "random")
        assert (exit_code, out) == (4, "")
        error, hint = err.splitlines()
        assert error.startswith(f"seqp2p: error: {said}")
        assert hint.startswith(f"seqp2p: hint: {advice}")


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


class Web(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
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


def test_another_program_listens_there(people: Household) -> None:
    with serving(Echo) as echo, serving(Banner) as banner, serving(Hasty) as hasty, serving(Web) as web:
        joiners = [
            people.start("join", address, "--code", "7-amber-falcon", "--bot", "random", who=address)
            for address in (echo, banner, hasty, web)
        ]
        for joiner in joiners:
            assert "does not answer as seqp2p does" in refused(joiner)


def test_an_address_that_cannot_be_listened_on(cli: Cli) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        exit_code, out, err = cli("host", "--bot", "random", "--json", "--listen", address)
    assert (exit_code, out) == (4, "")
    error, hint = err.splitlines()
    assert error.startswith(f"seqp2p: error: cannot listen on {address}: ")
    assert hint == "seqp2p: hint: Choose another address or port to listen on."


def test_two_hosts_at_addresses_that_others_can_reach(people: Household) -> None:
    options = ("--bot", "random", "--variant", "kids", "--json")
    hosts = [people.start("host", *options, "--replay-dir", people.replays(name), who=name) for name in ("one", "two")]
    addresses = [host.event("listening")["address"] for host in hosts]
    assert len(set(addresses)) == 2
    for address in addresses:
        name, _, port = address.rpartition(":")
        assert name not in ("", "0.0.0.0", "[::]")
        assert int(port) > 0
    guest = people.join(hosts[0])
    assert (hosts[0].end(), guest.end()) == (0, 0)
