"""The port of the router while a block lasts: answers of the test's own, and processes that answer as they like."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

import seqp2p
from seqp2p.api import port_mapping
from seqp2p.api.endpoint import closing
from seqp2p.api.port_mapping import RENEW_S, PortEvent, ask_router, mapped_port, with_mapped
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.igd import LEASE_S, PortAnswer
from tests.api.tools import identity, refused

WIDE = "9.46.10.1"
SILENT = PortAnswer("silent")


class Router:
    """It answers in turn, and then as if all was well; ``asked`` has the words and the ports."""

    def __init__(self) -> None:
        self.answers: list[PortAnswer] = []
        self.asked: list[tuple[str, list[int]]] = []
        self.events: list[PortEvent] = []
        self.hangs = False

    async def ask(self, word: str, listener: Address, externals: Sequence[int]) -> PortAnswer:
        assert listener.host == "0.0.0.0"
        self.asked.append((word, list(externals)))
        if self.hangs:
            self.hangs = False
            await trio.sleep_forever()
        if self.answers:
            return self.answers.pop(0)
        return PortAnswer("", WIDE, externals[0]) if word == "open" else PortAnswer("")

    @asynccontextmanager
    async def mapped(self, host: str = "0.0.0.0") -> AsyncGenerator[tuple[Address | None, int]]:
        """A port of it while the block lasts, and the port of the listener; the events are noted."""
        async with closing(await open_listeners(Address(host, 0))) as listeners:
            port = listeners[0].socket.getsockname()[1]
            self.answers = [msgspec.structs.replace(answer, port=answer.port or port) for answer in self.answers]
            async with mapped_port(listeners, self.events.append) as address:
                yield address, port

    @property
    def words(self) -> list[str]:
        return [word for word, _ in self.asked]

    @property
    def states(self) -> list[str]:
        return [event.state for event in self.events]


@pytest.fixture
def router(monkeypatch: pytest.MonkeyPatch) -> Router:
    router = Router()
    monkeypatch.setattr(port_mapping, "ask_router", router.ask)
    return router


async def test_a_port_is_renewed_alone_and_closed_at_the_end(router: Router, autojump_clock: object) -> None:
    async with router.mapped() as (address, port):
        assert address == Address(WIDE, port)
        await trio.sleep(2.5 * RENEW_S)
    (_, first), *rest = router.asked
    assert first[0] == port
    assert all(49_152 <= other <= 65_535 for other in first[1:])
    assert rest == [("open", [port])] * 2 + [("close", [port])]
    assert [(event.state, event.address, event.reason) for event in router.events] == [
        ("open", address, ""),
        ("closed", address, ""),
    ]
    assert 2 * RENEW_S < LEASE_S


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (PortAnswer("no_router"), "no router"),
        (PortAnswer("elsewhere"), "does not listen"),
        (PortAnswer("no_address"), "does not give its own address"),
        (PortAnswer("not_global", "100.64.0.2"), "address 100.64.0.2 is not on the internet"),
        (PortAnswer("not_global", "\x1b[2J"), "does not give its own address"),
        (PortAnswer("taken"), "other programs"),
        (PortAnswer("permanent"), "only without a time limit"),
        (PortAnswer("refused"), "refuses"),
    ],
)
async def test_nothing_is_opened(router: Router, answer: PortAnswer, reason: str) -> None:
    router.answers = [answer]
    async with router.mapped() as (address, _):
        assert address is None
    (event,) = router.events
    assert (event.state, event.address) == ("not_open", None)
    assert reason in event.reason
    assert len(router.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        SILENT,
        PortAnswer("", WIDE, 22),
        PortAnswer("", WIDE, -1),
        PortAnswer("", "192.168.1.1", 0),
        PortAnswer("", "", 0),
        PortAnswer("", "2a0e::1", 0),
    ],
)
async def test_what_was_asked_without_an_answer_is_closed(router: Router, answer: PortAnswer) -> None:
    """An impossible answer counts as none: a host outside the internet, or a port no one asked for."""
    router.answers = [answer]
    async with router.mapped() as (address, _):
        assert address is None
        assert router.words == ["open", "close"]
    assert router.states == ["not_open"]
    assert "not answered in time" in router.events[0].reason
    assert router.asked[0][1] == router.asked[1][1]
    assert len(router.asked) == 2


async def test_a_port_that_is_lost_and_comes_back(router: Router, autojump_clock: object) -> None:
    async with router.mapped() as (address, port):
        router.answers = [PortAnswer(fault) for fault in ("no_router", "no_router", "taken")]
        router.answers += [PortAnswer("", WIDE, port), PortAnswer("", "9.46.10.9", port)]
        await trio.sleep(5.5 * RENEW_S)
        router.answers = [PortAnswer("no_router")]
    assert [(event.state, event.reason[:20]) for event in router.events] == [
        ("open", ""),
        ("lost", "no router with UPnP "),
        ("lost", "other programs have "),
        ("open", ""),
        ("lost", "the router now has a"),
        ("left", "no router with UPnP "),
    ]
    assert {event.address for event in router.events} == {address}
    assert all(externals == [port] for _, externals in router.asked[1:])


async def test_a_player_who_leaves_meanwhile_leaves_no_port(router: Router) -> None:
    router.hangs = True
    async with trio.open_nursery() as nursery:
        nursery.start_soon(refused, AssertionError, router.mapped())
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert router.words == ["open", "close"]
    assert router.events == []


async def test_the_port_is_closed_after_an_error(router: Router) -> None:
    with pytest.raises(KeyboardInterrupt):
        async with router.mapped():
            raise KeyboardInterrupt
    assert router.words == ["open", "close"]


async def test_a_program_on_loopback_asks_for_nothing(router: Router) -> None:
    async with router.mapped("127.0.0.1") as (address, _):
        assert address is None
    assert router.states == ["not_open"]
    async with mapped_port([], None) as address:
        assert address is None
    assert router.asked == []


async def test_every_listener_is_closed_even_when_cancelled() -> None:
    opened = [listener for _ in range(2) for listener in await open_listeners(Address("127.0.0.1", 0))]
    with trio.CancelScope() as scope:
        async with closing(opened):
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert [listener.socket.fileno() for listener in opened] == [-1, -1]


def test_the_port_comes_second() -> None:
    first, second, port = Address("10.0.0.2", 1), Address("fd00::2", 1), Address(WIDE, 1)
    assert with_mapped([first, second], port) == (first, port, second)
    assert with_mapped([first, second], None) == (first, second)


async def test_the_library_tells(router: Router, tmp_path: Path) -> None:
    own: dict[str, Any] = {"name": "ann", "identity": identity("ann"), "replay_dir": tmp_path}
    port: dict[str, Any] = {"map_port": True, "on_port": router.events.append}
    async with seqp2p.host(listen="0.0.0.0:0", advertise=False, **port, **own) as table:
        assert table.addresses[1] == str(router.events[0].address)
    assert router.states == ["open", "closed"]
    async with seqp2p.host(listen="127.0.0.1:0", **own):
        pass
    assert len(router.asked) == 2


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "limit_s", "answer"),
    [
        (
            "from seqp2p.net import interfaces; interfaces.local_hosts = lambda: []",
            port_mapping.PROCESS_S,
            PortAnswer("no_router"),
        ),
        ("print('x' * 100_000)", port_mapping.PROCESS_S, SILENT),
        ("import os; os.abort()", port_mapping.PROCESS_S, SILENT),
        ("import time; time.sleep(600)", 0.2, SILENT),
    ],
)
async def test_answers_of_a_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, limit_s: float, answer: PortAnswer
) -> None:
    """Lines of the test's own come first in it; one that hangs is killed."""
    (tmp_path / "sitecustomize.py").write_text(text)
    root = Path(seqp2p.__file__).parents[1]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(root)]))
    monkeypatch.setattr(port_mapping, "PROCESS_S", limit_s)
    assert await ask_router("open", Address("0.0.0.0", 4610), [4610]) == answer


async def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(port_mapping, "open_process", fail)
    assert await ask_router("close", Address("0.0.0.0", 4610), [4610]) == SILENT
