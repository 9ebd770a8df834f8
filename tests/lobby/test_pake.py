import hmac
from collections.abc import Awaitable, Callable

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from seqp2p.lobby.pake import CodeKeeper, Exchange, give_code
from seqp2p.net.auth import receive, send
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB, Sit
from tests.net.tools import frames_pair, randomness

JOINER, HOST, CERTIFICATE = bytes([1]) * 32, bytes([2]) * 32, bytes([3]) * 32
CODE = "7-amber-falcon"
LIMITS = Limits()


def exchange(
    code: str, *, host: bool, joiner: bytes = JOINER, host_key: bytes = HOST, certificate: bytes = CERTIFICATE
) -> Exchange:
    return Exchange(code, joiner, host_key, certificate, randomness, host=host)


def test_the_same_code_gives_the_same_confirmations() -> None:
    a, b = exchange(CODE, host=False), exchange(CODE, host=True)
    assert len(a.message) == 33
    joiner, host = a.finish(b.message)
    assert (joiner, host) == b.finish(a.message)
    assert joiner != host


@pytest.mark.parametrize(
    "other",
    [
        exchange("7-amber-eagle", host=True),
        exchange("8-amber-falcon", host=True),
        exchange(CODE, host=True, joiner=bytes(32)),
        exchange(CODE, host=True, host_key=bytes(32)),
        exchange(CODE, host=True, certificate=bytes(32)),
    ],
)
def test_any_difference_shows(other: Exchange) -> None:
    mine = exchange(CODE, host=False)
    assert not set(mine.finish(other.message)) & set(other.finish(mine.message))


def test_messages_that_are_none() -> None:
    for message in (b"B" + bytes(32), b"A" + bytes(32), b"X" + bytes(32), bytes(33), b"B" + b"\xff" * 32):
        with pytest.raises(PeerError, match="no message of a code exchange"):
            exchange(CODE, host=False).finish(message)


def test_an_own_message_reflected() -> None:
    mine = exchange(CODE, host=False)
    with pytest.raises(PeerError):
        mine.finish(b"B" + mine.message[1:])


@settings(deadline=None, max_examples=25)
@given(st.binary(min_size=32, max_size=32))
def test_any_message_is_an_answer_or_a_typed_error(message: bytes) -> None:
    try:
        confirmations = exchange(CODE, host=True).finish(b"A" + message)
    except PeerError:
        return
    assert [len(each) for each in confirmations] == [32, 32]


class Table:
    """A host's code keeper and joiners that try it."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.shown: list[str] = []
        self.keeper = CodeKeeper(7, randomness, limits, self.shown.append)
        self.limits = limits
        self.outcomes: list[str] = []

    async def host(self, frames: FrameStream) -> None:
        try:
            await self.keeper.check(frames, JOINER, HOST, CERTIFICATE)
        except PeerRefused as refused:
            self.outcomes.append(refused.code)
        except NetError as error:
            self.outcomes.append(type(error).__name__)
        else:
            self.outcomes.append("in")

    async def meet(self, joiner: Callable[[FrameStream], Awaitable[None]]) -> None:
        here, there = frames_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.host, here)
            await joiner(there)

    async def join(self, code: str) -> str:
        outcome = "in"

        async def give(frames: FrameStream) -> None:
            nonlocal outcome
            try:
                await give_code(frames, exchange(code, host=False), self.limits)
            except PeerRefused as refused:
                outcome = refused.code

        await self.meet(give)
        return outcome


def wrong(code: str) -> str:
    return "7-amber-falcon" if code != "7-amber-falcon" else "7-amber-eagle"


async def test_the_right_code() -> None:
    table = Table()
    assert await table.join(table.keeper.code) == "in"
    assert table.outcomes == ["in"]


async def test_three_wrong_codes_burn_it(autojump_clock: object) -> None:
    table = Table()
    first = table.keeper.code
    assert [await table.join(wrong(first)) for _ in range(3)] == ["wrong_code", "wrong_code", "code_burned"]
    assert table.shown == [first, table.keeper.code]
    assert first != table.keeper.code
    assert await table.join(first) == "wrong_code"
    assert await table.join(table.keeper.code) == "in"
    assert table.keeper._tries == 1


async def test_burning_takes_longer_every_time(autojump_clock: object) -> None:
    table = Table()
    for _ in range(8):
        for _ in range(3):
            await table.join(wrong(table.keeper.code))
    # 1 + 2 + 4 … s, and then a minute each
    assert trio.current_time() > 0
    start = trio.current_time()
    await table.join(wrong(table.keeper.code))
    assert trio.current_time() - start == pytest.approx(60)


async def test_eleven_honest_joiners_at_once_burn_nothing(autojump_clock: object) -> None:
    table = Table()
    async with trio.open_nursery() as nursery:
        for _ in range(11):
            nursery.start_soon(table.join, table.keeper.code)
    assert table.outcomes == ["in"] * 11
    assert table.shown == [table.keeper.code]
    assert table.keeper._tries == 0


async def test_an_exchange_broken_off_after_the_answer_is_a_try(autojump_clock: object) -> None:
    table = Table()

    async def run_away(frames: FrameStream) -> None:
        await send(frames, PakeA(exchange(CODE, host=False).message))
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        await frames.abort()

    for _ in range(3):
        await table.meet(run_away)
    assert table.outcomes == ["LinkLost"] * 3
    assert len(table.shown) == 2


async def test_an_exchange_without_an_answer_is_none(autojump_clock: object) -> None:
    table = Table()

    async def leave(frames: FrameStream) -> None:
        await frames.abort()

    async def babble(frames: FrameStream) -> None:
        await send(frames, Confirm(bytes(32)))

    for _ in range(4):
        await table.meet(leave)
        await table.meet(babble)
    assert table.outcomes == ["LinkLost", "PeerError"] * 4
    assert len(table.shown) == 1


async def test_a_joiner_that_dawdles_is_sent_away_and_the_next_one_gets_in(autojump_clock: object) -> None:
    table = Table()

    async def dawdle(frames: FrameStream) -> None:
        await send(frames, PakeA(exchange(CODE, host=False).message))
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        with pytest.raises(PeerRefused) as refused:
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        assert refused.value.code == "too_slow"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.meet, dawdle)
        await wait_all_tasks_blocked()
        assert await table.join(table.keeper.code) == "in"
    assert trio.current_time() == pytest.approx(LIMITS.code_exchange_s, abs=1)
    assert table.keeper._tries == 1


async def test_too_many_wait(autojump_clock: object) -> None:
    table = Table(Limits(code_waiting_max=1))

    async def silent(frames: FrameStream) -> None:
        with pytest.raises(PeerRefused):
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.meet, silent)
        await wait_all_tasks_blocked()
        assert await table.join(table.keeper.code) == "busy"
    assert await table.join(table.keeper.code) == "in"


async def test_a_wrong_message_after_the_answer_is_a_try(autojump_clock: object) -> None:
    table = Table()

    async def skip(frames: FrameStream) -> None:
        await send(frames, PakeA(exchange(CODE, host=False).message))
        await receive(frames, LinkStage.CODE_JOINER, LIMITS)
        await send(frames, Sit("ann"))
        with pytest.raises(PeerRefused):
            await receive(frames, LinkStage.CODE_JOINER, LIMITS)

    async def no_point(frames: FrameStream) -> None:
        await send(frames, PakeA(bytes(33)))

    await table.meet(skip)
    await table.meet(no_point)
    assert table.outcomes == ["wrong_code", "PeerError"]
    assert table.keeper._tries == 2


@pytest.mark.parametrize("step", [1, 2, 3])
async def test_a_host_that_does_not_know_the_code(step: int) -> None:
    here, there = frames_pair()

    async def host() -> None:
        first = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(first, PakeA)
        guess = exchange("7-amber-eagle", host=True)
        await send(here, Confirm(bytes(32)) if step == 1 else PakeB(guess.message))
        if step == 1:
            return
        joiner, mac = guess.finish(first.message)
        second = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(second, Confirm)
        assert not hmac.compare_digest(second.mac, joiner)
        await send(here, PakeB(guess.message) if step == 2 else Confirm(mac))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(host)
        with pytest.raises(PeerError, match="code"):
            await give_code(there, exchange(CODE, host=False), LIMITS)


async def test_a_host_that_leaves() -> None:
    here, there = frames_pair()
    await here.abort()
    with pytest.raises(LinkLost):
        await give_code(there, exchange(CODE, host=False), LIMITS)
