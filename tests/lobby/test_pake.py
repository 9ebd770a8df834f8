import hmac

import pytest
import trio

from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.net.auth import receive, send
from seqp2p.net.errors import PeerError
from seqp2p.net.limits import Limits
from seqp2p.net.messages import Confirm, LinkStage, PakeA, PakeB
from tests.net.tools import frames_pair, randomness

JOINER, HOST, CERTIFICATE = bytes([1]) * 32, bytes([2]) * 32, bytes([3]) * 32
CODE = "7-amber-falcon"
LIMITS = Limits()


def exchange(
    code: str, *, host: bool, joiner: bytes = JOINER, host_key: bytes = HOST, certificate: bytes = CERTIFICATE
) -> Exchange:
    return Exchange(code, joiner, host_key, certificate, randomness, host=host)


@pytest.mark.parametrize(
    "other",
    [
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
    fresh = [exchange(CODE, host=False) for _ in range(6)]
    reflected = b"B" + fresh[5].message[1:]
    wrong = [b"B" + bytes(32), b"A" + bytes(32), b"X" + bytes(32), bytes(33), b"B" + b"\xff" * 32, reflected]
    for mine, message in zip(fresh, wrong, strict=True):
        with pytest.raises(PeerError, match="did not send a message of the code exchange"):
            mine.finish(message)


@pytest.mark.parametrize("step", [1, 2, 3])
async def test_a_host_that_does_not_know_the_code(step: int, nursery: trio.Nursery) -> None:
    here, there = frames_pair()

    @nursery.start_soon
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

    with pytest.raises(PeerError, match="code"):
        await give_code(there, exchange(CODE, host=False), LIMITS)


async def test_a_client_that_waits_for_its_turn_is_told(autojump_clock: object, nursery: trio.Nursery) -> None:
    here, there = frames_pair()
    told: list[float] = []
    own, theirs = exchange(CODE, host=False), exchange(CODE, host=True)

    @nursery.start_soon
    async def host() -> None:
        first = await receive(here, LinkStage.CODE_HOST, LIMITS)
        assert isinstance(first, PakeA)
        await trio.sleep(10)
        await send(here, PakeB(theirs.message))
        assert isinstance(await receive(here, LinkStage.CODE_HOST, LIMITS), Confirm)
        await send(here, Confirm(theirs.finish(first.message)[1]))

    begun = trio.current_time()
    await give_code(there, own, LIMITS, lambda: told.append(trio.current_time() - begun))
    assert told == [pytest.approx(LIMITS.code_hurry_s, abs=0.1)]
