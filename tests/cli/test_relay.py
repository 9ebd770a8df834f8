"""Playing over a relay: the long code, the meeting place, and what goes wrong there. The relay is a real process.

Nobody is found on a network here: a table that listens on loopback is not advertised.
"""

from collections.abc import Iterator

import pytest

from seqp2p.lobby.code import place_of
from seqp2p.net.addresses import Address
from tests.cli.processes import Household, Process
from tests.relay import relay_process

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def relay() -> Iterator[Address]:
    with relay_process() as address:
        yield address


def host_at(people: Household, relay: Address, *more: str) -> Process:
    """A bot that hosts a short game."""
    return people.host("--variant", "kids", "--relay", relay, *more, bot="learned")


def join_at(people: Household, relay: Address, code: str) -> Process:
    """A bot that comes by the relay. Its code is in the environment, as a demo gives it."""
    arguments = ("join", "--relay", relay, "--bot", "learned", "--listen", "127.0.0.1:0", "--json")
    replays = people.replays("guest")
    return people.start(*arguments, "--replay-dir", replays, who="guest", env={"SEQP2P_CODE": code})


def test_two_bots_play_a_whole_game_over_the_relay(people: Household, relay: Address) -> None:
    host = host_at(people, relay)
    shown = host.event("listening")
    assert shown["relay"] == str(relay)
    assert place_of(shown["code"]) is not None
    host.line(f"others join with:  seqp2p join {shown['code']} --relay {relay}")
    guest = join_at(people, relay, shown["code"])
    assert (host.end(), guest.end()) == (0, 0), host.said() + guest.said()
    assert host.events[-1]["result"] == guest.events[-1]["result"] != "unfinished"


def test_the_code_is_not_in_the_log(people: Household, relay: Address) -> None:
    log = people.directory / "log"
    host = host_at(people, relay, "--log-file", str(log))
    code = host.event("listening")["code"]
    text = log.read_text("utf-8")
    assert "[redacted]" in text
    assert code not in text
    assert "-".join(code.split("-")[-2:]) not in text
