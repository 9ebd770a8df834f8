"""Authentication of the client: it signs the server's fresh nonce, inside the TLS channel. docs/protocol.md, "Links".

The signature (label ``link``) is over the canonical bytes of a Statement: version, role, both keys, the hash of the
server's certificate, the nonce, and the id of the lobby or game. So it fits one connection to one server for one
purpose: another server cannot pass it on (its key and certificate differ), a replay fails (the nonce is fresh), and so
does a reflection (a client with the server's own key is refused).
"""

import contextlib
from collections.abc import Callable
from typing import Final, NoReturn

import trio

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.group import Randomness
from seqp2p.crypto.hashing import LINK
from seqp2p.crypto.identity import Identity, sign, verify
from seqp2p.i18n import message
from seqp2p.match.encoding import Record, encode
from seqp2p.match.table import PROTOCOL_VERSION, Bytes32
from seqp2p.net import messages as wire
from seqp2p.net.errors import LinkLost, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import Limits
from seqp2p.net.tls import Credentials, ServerLink

NONCE_SIZE: Final = 32
NO_LOBBY: Final = bytes(32)
"""The id of a server that keeps no lobby."""


class Statement(Record, frozen=True):
    """The statement that a client signs."""

    v: int
    role: wire.Role
    client: Bytes32
    server: Bytes32
    certificate: Bytes32
    nonce: Bytes32
    id: Bytes32


def make_proof(identity: Identity, role: wire.Role, link: ServerLink, nonce: bytes, context_id: bytes) -> wire.Proof:
    """Return the client's signed answer to the server's nonce."""
    statement = Statement(
        PROTOCOL_VERSION, role, identity.public, link.server_key, link.certificate_hash, nonce, context_id
    )
    signature = sign(identity, LINK, encode(statement))
    return wire.Proof(PROTOCOL_VERSION, role, identity.public, context_id, signature)


def check_proof(proof: wire.Proof, credentials: Credentials, nonce: bytes) -> None:
    """Raise PeerRefused ("same_key", "bad_proof") unless the client holds the key it names."""
    own = credentials.identity.public
    if proof.key == own:
        raise PeerRefused("same_key")
    statement = Statement(proof.v, proof.role, proof.key, own, credentials.certificate_hash, nonce, proof.id)
    try:
        verify(proof.key, LINK, encode(statement), proof.signature)
    except CryptoError:
        raise PeerRefused("bad_proof") from None


async def prove(link: ServerLink, identity: Identity, role: wire.Role, game: bytes | None, limits: Limits) -> bytes:
    """Authenticate as a client, wait to be accepted, and return the id of the server's lobby.

    ``game`` is the game's id for role link; for role join it is None, and the lobby's id is taken from the hello.
    Raises PeerRefused, PeerError, LinkLost. The caller bounds the time.
    """
    if link.server_key == identity.public:
        raise PeerRefused("same_key")
    hello = await receive(link.frames, wire.LinkStage.AUTH_CLIENT, limits)
    if not isinstance(hello, wire.Hello):
        raise PeerError(message("The other side did not begin with a hello."))
    if role == "join" and hello.lobby == NO_LOBBY:
        raise PeerRefused("game_started")
    signed_id = hello.lobby if game is None else game
    await send(link.frames, make_proof(identity, role, link, hello.nonce, signed_id))
    answer = await receive(link.frames, wire.LinkStage.AUTH_CLIENT, limits)
    if not isinstance(answer, wire.Accepted):
        raise PeerError(message("The other side neither accepted nor refused."))
    return hello.lobby


async def check_client(
    frames: FrameStream,
    credentials: Credentials,
    *,
    lobby: bytes,
    admit: Callable[[wire.Proof], None],
    randomness: Randomness,
    limits: Limits,
) -> wire.Proof:
    """Authenticate a client: greet, check the proof, ask ``admit`` (raises PeerRefused), accept; return the proof.

    Raises PeerRefused after the client has been told, PeerError, LinkLost. The caller bounds the time.
    """
    nonce = randomness(NONCE_SIZE)
    await send(frames, wire.Hello(PROTOCOL_VERSION, lobby, nonce))
    try:
        proof = await receive(frames, wire.LinkStage.AUTH_SERVER, limits)
        assert isinstance(proof, wire.Proof), "the stage allows nothing else"
        check_proof(proof, credentials, nonce)
        admit(proof)
    except PeerRefused as refused:
        await refuse(frames, refused.code, limits)
    await send(frames, wire.Accepted())
    return proof


async def receive(frames: FrameStream, stage: wire.LinkStage, limits: Limits) -> wire.WireMessage:
    """Return the next message of a handshake. Raises a refusal as PeerRefused; PeerError, LinkLost."""
    message = wire.decode_message(await frames.receive(limits.frame_before_auth_max), stage)
    if isinstance(message, wire.Refused):
        raise PeerRefused(message.code, message.reason)
    return message


async def send(frames: FrameStream, message: wire.WireMessage) -> None:
    await frames.send(wire.encode_message(message))


async def refuse(frames: FrameStream, code: str, limits: Limits) -> NoReturn:
    """Refuse, close within ``close_s`` (in good order, as far as the other side listens), and raise PeerRefused."""
    with trio.move_on_after(limits.close_s), contextlib.suppress(LinkLost):
        await send(frames, wire.refusal(code))
        await frames.close()
    await frames.abort()
    raise PeerRefused(code)
