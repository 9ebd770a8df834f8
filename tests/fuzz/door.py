"""A host's door, by itself: what it answers to a stranger's bytes, the same for the same bytes."""

import random

from seqp2p.crypto.group import Randomness
from seqp2p.i18n import message_of
from seqp2p.lobby.door import CodeDoor
from seqp2p.lobby.pake import Exchange, give_code
from seqp2p.net.auth import check_client, prove, receive, send
from seqp2p.net.errors import NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LinkStage, Proof, WireMessage
from seqp2p.net.tls import ServerLink
from tests.fuzz.pieces import Pieces
from tests.net.tools import credentials, frames_pair, identity, own

LOBBY = bytes([9]) * 32
HOST, GUEST = 1, 2


async def answered(data: bytes, size: int) -> tuple[bytes, str]:
    """Return the host's answer to these bytes in pieces of this size, and the outcome."""
    stream = Pieces(data, size)
    try:
        return stream.answer, repr(await host(FrameStream(stream)))
    except NetError as error:
        text = message_of(error)
        assert text.isprintable(), repr(text)
        return stream.answer, f"{type(error).__name__}: {text}"


async def host(frames: FrameStream) -> tuple[Proof, WireMessage | None]:
    """Who came, by proof, and what it wants, by code: the steps of lobby/host.py, without TLS."""
    dice = random.Random(1).randbytes
    own = credentials(HOST)
    door = door_of_host(dice)
    proof = await check_client(frames, own, lobby=LOBBY, admit=lambda _: None, randomness=dice, limits=DEFAULT_LIMITS)
    if proof.role == "link":
        return proof, None
    await door.check(frames, proof.key, "")
    wish = await receive(frames, LinkStage.CODE_HOST, DEFAULT_LIMITS)
    return proof, wish


async def honest_words(wish: WireMessage) -> bytes:
    """All that an honest guest says to this host, to be said again."""
    import trio

    here, there = frames_pair()
    said = bytearray()
    dice = random.Random(2).randbytes
    link = ServerLink(there, identity(HOST).public, credentials(HOST).certificate_hash)
    send_all = there.stream.send_all

    async def heard(data: bytes | bytearray | memoryview) -> None:
        said.extend(data)
        await send_all(data)

    there.stream.send_all = heard  # type: ignore[method-assign]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(host, here)
        await prove(link, identity(GUEST), "join", None, DEFAULT_LIMITS)
        code = door_of_host(random.Random(1).randbytes).code
        exchange = Exchange(code, identity(GUEST).public, link.server_key, link.certificate_hash, dice, host=False)
        await give_code(there, exchange, DEFAULT_LIMITS)
        await send(there, wish)
    return bytes(said)


def door_of_host(dice: Randomness) -> CodeDoor:
    return CodeDoor(own(HOST, randomness=dice), 7)
