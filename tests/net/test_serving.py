import errno
import socket
from collections.abc import Sequence

import pytest
import trio
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from seqp2p.net.addresses import Address
from seqp2p.net.dialling import pause_s, reach
from seqp2p.net.errors import LinkLost, Unreachable, WrongKey
from seqp2p.net.limits import Limits
from seqp2p.net.serving import Gate, serve
from tests.net.tools import Wires, address_of, credentials, identity

LIMITS = Limits()


async def test_the_oldest_makes_room_for_the_newest() -> None:
    gate = Gate(2, 5)
    ended: list[int] = []

    async def dawdle(number: int) -> None:
        with gate.enter():
            await trio.sleep(1000)
        ended.append(number)

    async with trio.open_nursery() as nursery:
        for number in range(4):
            nursery.start_soon(dawdle, number)
            await wait_all_tasks_blocked()
        assert ended == [0, 1]
        nursery.cancel_scope.cancel()


async def test_nobody_stays_long(autojump_clock: object) -> None:
    with Gate(2, 5).enter() as scope:
        await trio.sleep(1000)
    assert scope.cancelled_caught
    assert trio.current_time() == pytest.approx(5, abs=0.01)


class Failing(trio.abc.Listener[trio.abc.Stream]):
    """Raises these errors one after the other, then gives one connection, then nothing."""

    def __init__(self, codes: Sequence[int]) -> None:
        self._codes = list(codes)
        self._given = False

    async def accept(self) -> trio.abc.Stream:
        if self._codes:
            raise OSError(self._codes.pop(0), "no")
        if self._given:
            await trio.sleep_forever()
        self._given = True
        return memory_stream_pair()[0]

    async def aclose(self) -> None:
        raise AssertionError


async def test_accepting_goes_on_when_the_machine_is_exhausted(autojump_clock: object) -> None:
    welcomed = trio.Event()

    async def welcome(_: trio.abc.Stream) -> None:
        welcomed.set()

    async with trio.open_nursery() as nursery:
        serve(nursery, [Failing([errno.EMFILE, errno.ENFILE])], welcome)
        await welcomed.wait()
        nursery.cancel_scope.cancel()
    assert trio.current_time() == pytest.approx(0.2, abs=0.01)


async def test_a_broken_listener_is_an_error() -> None:
    async def welcome(_: trio.abc.Stream) -> None:
        raise AssertionError

    with pytest.raises(ExceptionGroup) as group:
        async with trio.open_nursery() as nursery:
            serve(nursery, [Failing([errno.EBADF])], welcome)
    assert group.group_contains(OSError)


async def test_nobody_there() -> None:
    with pytest.raises(Unreachable, match=r"Nobody answers at 10\.0\.0\.1:4610\.") as error:
        await reach(address_of(1), credentials(2), Wires().dial, LIMITS, role="join")
    assert "firewall" in error.value.hint


async def test_a_name_without_an_address() -> None:
    async def resolve(_: Address) -> trio.abc.Stream:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    name = r"The name no\.lan cannot be resolved: Name or service not known\."
    with pytest.raises(Unreachable, match=name) as error:
        await reach(Address("no.lan", 1), credentials(2), resolve, LIMITS, role="join")
    assert "IP address" in error.value.hint


async def test_nothing_comes_back(autojump_clock: object) -> None:
    async def hang(_: Address) -> trio.abc.Stream:
        await trio.sleep_forever()
        raise AssertionError

    with pytest.raises(Unreachable):
        await reach(address_of(1), credentials(2), hang, LIMITS, role="join")
    assert trio.current_time() == pytest.approx(LIMITS.connect_s, abs=0.01)
    wires = Wires()
    wires.listen(address_of(1))
    with pytest.raises(LinkLost, match="takes too long"):
        await reach(address_of(1), credentials(2), wires.dial, LIMITS, role="join", expected_key=identity(1).public)


async def test_somebody_else_there() -> None:
    wires = Wires()
    listener = wires.listen(address_of(1))

    async def answer(stream: trio.abc.Stream) -> None:
        await trio.SSLStream(stream, credentials(3).server, server_side=True).do_handshake()

    async with trio.open_nursery() as nursery:
        serve(nursery, [listener], answer)
        with pytest.raises(WrongKey):
            await reach(address_of(1), credentials(2), wires.dial, LIMITS, role="join", expected_key=identity(1).public)
        nursery.cancel_scope.cancel()


def test_pauses_double_up_to_the_longest() -> None:
    pauses = [pause_s(failures, 1.0, LIMITS) for failures in range(1, 9)]
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8, 8]
    assert pause_s(10**9, 0.5, LIMITS) == 4
