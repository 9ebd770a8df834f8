"""What is told of the port of the router: to people, on a screen and without, and to scripts."""

from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
import pytest

from seqp2p.api.port_mapping import PortEvent
from seqp2p.cli.lobby import LobbyTeller, LobbyView, Ways
from seqp2p.cli.options import Choices, SeatOptions
from seqp2p.cli.output import Output
from seqp2p.cli.reporter import PortTeller
from seqp2p.lobby.events import CodeShown
from seqp2p.net.addresses import Address
from tests.cli.processes import Household

PORT, OWN = Address("9.46.10.1", 4610), Address("192.168.1.5", 4610)
CODE = "7-amber-falcon"


@dataclass
class Screen:
    """A screen that keeps its lines."""

    remains: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def say(self, text: str, _kind: str, _colour: str) -> None:
        self.lines.append(text)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (PortEvent("open", PORT, 60.0), "the port 9.46.10.1:4610 is open to the internet until "),
        (PortEvent("not_open", reason="the router refuses"), "no port is open to the internet: the router refuses"),
        (
            PortEvent("lost", PORT, 60.0, "the router refuses"),
            "the port 9.46.10.1:4610 was not renewed: the router refuses; it closes at ",
        ),
        (PortEvent("closed", PORT, 60.0), "the port 9.46.10.1:4610 is closed"),
        (
            PortEvent("left", PORT, 60.0, "the router refuses"),
            "the port 9.46.10.1:4610 could not be closed: the router refuses; it closes by itself at ",
        ),
    ],
)
def test_each_event_is_a_sentence_and_an_object(
    capsys: pytest.CaptureFixture[str], event: PortEvent, sentence: str
) -> None:
    PortTeller(Output(json=False)).on_event(event)
    PortTeller(Output(json=True)).on_event(event)
    out, err = capsys.readouterr()
    line, told = out.splitlines()
    assert line.startswith(sentence)
    assert err.splitlines() == [line]
    address = None if event.address is None else str(event.address)
    assert msgspec.json.decode(told) == {
        "stream": 1,
        "event": "port",
        "state": event.state,
        "address": address,
        "until": event.until,
        "reason": event.reason,
    }


def test_a_screen_that_opens_later_has_the_sentence_too(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    teller = PortTeller(Output(json=False))
    assert teller.asking(wanted=False) is None
    on_event = teller.asking(wanted=True)
    assert on_event is not None
    on_event(PortEvent("open", PORT, 60.0))
    with teller.telling(Output(json=False, screen=cast(Any, screen))):
        on_event(PortEvent("lost", PORT, 60.0, "the router refuses"))
    on_event(PortEvent("closed", PORT))
    assert [line.split()[3] for line in screen.lines] == ["is", "was"]
    assert len(capsys.readouterr().out.splitlines()) == 3
    with teller.telling(Output(json=False)):  # no screen: the line is still there
        assert capsys.readouterr().out == ""


def test_the_end_remains_when_the_screen_is_gone() -> None:
    screen = Screen()
    PortTeller(Output(json=False, screen=cast(Any, screen))).on_event(PortEvent("closed", PORT))
    assert screen.remains == screen.lines == ["the port 9.46.10.1:4610 is closed"]


def test_others_are_told_the_port_beside_the_address() -> None:
    near, far, found = Ways(OWN, PORT).lines(CODE, full=False, again=False)
    assert near.endswith("seqp2p join 192.168.1.5:4610 --code 7-amber-falcon")
    assert far == "from the internet: seqp2p join 9.46.10.1:4610 --code 7-amber-falcon"
    assert found.endswith("seqp2p join")
    assert Ways(OWN, PORT).lines(CODE, full=True, again=False) == ["others watch with:  seqp2p watch 9.46.10.1:4610"]


async def test_the_line_to_copy_has_the_port(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(json=False)
    options = SeatOptions(Choices(None, 0, cast(Any, None)), "ann", output, False, 1)
    for mapped, address in ((PORT, PORT), (None, OWN)):
        teller = LobbyTeller(options, output, LobbyView(output, ""), Ways(OWN, mapped))
        teller.on_event(CodeShown(CODE))
        assert teller.desk.invitation == f"seqp2p join {address} --code {CODE}"
    assert capsys.readouterr().out.count("from the internet: ") == 1


def test_a_table_on_loopback_opens_without_a_port(people: Household) -> None:
    host = people.host("--variant", "kids", "--map-port")
    told = host.event("port")
    assert (told["state"], told["address"]) == ("not_open", None)
    host.line("no port is open to the internet: this program does not listen on the network of the router")
    guest = people.join(host, "--map-port", bot="greedy")
    assert guest.event("port")["state"] == "not_open"
    host.event("lobby", 2)
