import msgpack
import pytest
import trio
from msgspec.structs import replace
from trio.testing import memory_stream_pair

from seqp2p.net.auth import NO_LOBBY, check_client, check_proof, make_proof, prove, receive, refuse, send
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused
from seqp2p.net.frames import FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Accepted, Bye, Hello, LinkStage, Proof, Refused, Role, WireMessage, encode_message
from seqp2p.net.tls import ServerLink
from tests.net.tools import credentials, frames_pair, identity, randomness, refused

LOBBY = bytes([9]) * 32
GAME = bytes([8]) * 32
LIMITS = DEFAULT_LIMITS


def server_link(frames: FrameStream, server: int) -> ServerLink:
    return ServerLink(frames, identity(server).public, credentials(server).certificate_hash)


class Handshake:
    """Server 1 against a client."""

    def __init__(self) -> None:
        self.server_frames, self.client_frames = frames_pair()
        self.proof: Proof | NetError | None = None

    async def serve(self, lobby: bytes = LOBBY, refused_code: str | None = None) -> None:
        def admit(_: Proof) -> None:
            if refused_code:
                raise PeerRefused(refused_code)

        try:
            self.proof = await check_client(
                self.server_frames, credentials(1), lobby=lobby, admit=admit, randomness=randomness, limits=LIMITS
            )
        except NetError as error:
            self.proof = error

    async def run(self, role: Role, game: bytes | None, client: int = 2, **server: object) -> bytes | NetError:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: self.serve(**server))  # type: ignore[arg-type]  # passed on as they came
            try:
                return await prove(server_link(self.client_frames, 1), identity(client), role, game, LIMITS)
            except NetError as error:
                return error


@pytest.mark.parametrize(("role", "game", "lobby"), [("join", None, LOBBY), ("link", GAME, NO_LOBBY)])
async def test_a_joiner_signs_the_lobbys_id_and_a_seat_the_games(role: Role, game: bytes | None, lobby: bytes) -> None:
    handshake = Handshake()
    assert await handshake.run(role, game, lobby=lobby) == lobby
    assert isinstance(handshake.proof, Proof)
    assert (handshake.proof.key, handshake.proof.role) == (identity(2).public, role)
    assert handshake.proof.id == (game or lobby)


async def test_a_refusal_reaches_the_client() -> None:
    handshake = Handshake()
    for error in (await handshake.run("join", None, refused_code="table_full"), handshake.proof):
        assert isinstance(error, PeerRefused)
        assert error.code == "table_full"


async def test_no_lobby_any_more() -> None:
    here, there = frames_pair()
    await send(there, Hello(1, NO_LOBBY, bytes(32)))
    with pytest.raises(PeerRefused, match="has started"):
        await prove(server_link(here, 1), identity(2), "join", None, LIMITS)


async def test_the_same_identity_on_both_sides() -> None:
    here, _ = frames_pair()
    with pytest.raises(PeerRefused, match="already sits"):
        await prove(server_link(here, 1), identity(1), "join", None, LIMITS)
    proof = make_proof(identity(1), "join", server_link(here, 1), bytes(32), LOBBY)
    with pytest.raises(PeerRefused, match="already sits"):
        check_proof(proof, credentials(1), bytes(32))


NONCE = bytes([5]) * 32


def proof_to(server: int = 1, certificate: bytes = credentials(1).certificate_hash, **changes: object) -> Proof:
    """A joiner's proof to the server with this key and certificate, with these changes."""
    link = ServerLink(frames_pair()[0], identity(server).public, certificate)
    return replace(make_proof(identity(2), "join", link, NONCE, LOBBY), **changes)


def test_the_proof_itself_is_good() -> None:
    check_proof(proof_to(), credentials(1), NONCE)


@pytest.mark.parametrize(
    ("proof", "nonce"),
    [
        (proof_to(), bytes(32)),  # replayed
        (proof_to(3, credentials(3).certificate_hash), NONCE),  # made for another server, passed on
        (proof_to(1, bytes(32)), NONCE),  # made for another certificate of the same key
        (proof_to(role="link"), NONCE),
        (proof_to(id=GAME), NONCE),
        (proof_to(key=identity(4).public), NONCE),
        (proof_to(key=bytes([1]) + bytes(31)), NONCE),  # small order: one signature fits all
        (proof_to(v=2), NONCE),
        (proof_to(signature=bytes(64)), NONCE),
    ],
)
def test_a_proof_fits_one_connection_for_one_purpose(proof: Proof, nonce: bytes) -> None:
    with refused("bad_proof"):
        check_proof(proof, credentials(1), nonce)


async def test_a_server_says_another_nonce_to_each_client() -> None:
    """So no recorded handshake is good again."""
    nonces = set[bytes]()
    for _ in range(2):
        handshake = Handshake()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(handshake.serve)
            hello = await receive(handshake.client_frames, LinkStage.AUTH_CLIENT, LIMITS)
            assert isinstance(hello, Hello)
            nonces.add(hello.nonce)
            await handshake.client_frames.abort()
    assert len(nonces) == 2


async def test_versions_are_told_apart_on_both_sides() -> None:
    handshake = Handshake()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(handshake.serve)
        await receive(handshake.client_frames, LinkStage.AUTH_CLIENT, LIMITS)
        await handshake.client_frames.send(frame(msgpack.packb({"type": "proof", "v": 2, "key": b"new kind of key"})))
        with refused("version"):
            await receive(handshake.client_frames, LinkStage.AUTH_CLIENT, LIMITS)
    assert isinstance(handshake.proof, PeerRefused)
    here, there = frames_pair()
    await there.send(frame(msgpack.packb({"type": "hello", "v": 2})))
    with pytest.raises(PeerRefused, match="another version"):
        await prove(server_link(here, 1), identity(2), "join", None, LIMITS)


@pytest.mark.parametrize(
    "answers", [[Accepted()], [Hello(1, LOBBY, NONCE), Hello(1, LOBBY, NONCE)], [Bye("no")], [Refused("news", "no")]]
)
async def test_a_server_that_follows_another_protocol(answers: list[WireMessage]) -> None:
    here, there = frames_pair()
    for answer in answers:
        await send(there, answer)
    with pytest.raises((PeerError, PeerRefused)):
        await prove(server_link(here, 1), identity(2), "join", None, LIMITS)


async def test_large_frames_are_for_known_peers() -> None:
    handshake = Handshake()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(handshake.serve)
        await handshake.client_frames.send(frame(bytes(LIMITS.frame_before_auth_max + 1)))
    assert isinstance(handshake.proof, PeerError)
    assert "where 1 to 4096 are allowed" in str(handshake.proof)


async def test_refusing_somebody_who_has_gone() -> None:
    here, there = memory_stream_pair()
    await trio.aclose_forcefully(there)
    frames = FrameStream(here)
    with pytest.raises(PeerRefused):
        await refuse(frames, "table_full", LIMITS)
    with pytest.raises(LinkLost):
        await frames.send(encode_message(Accepted()))
