import datetime as dt
import os
import signal
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace
from trio.testing import memory_stream_pair

from seqp2p.net import tls
from seqp2p.net.auth import NO_LOBBY, check_client, check_proof, make_proof, prove, receive, refuse, send
from seqp2p.net.errors import LinkLost, NetError, PeerError, PeerRefused, WrongKey
from seqp2p.net.frames import FrameStream, frame
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import Accepted, Bye, Hello, LinkStage, Proof, Refused, Role, WireMessage, encode_message
from seqp2p.net.tls import ServerLink
from tests.net.tools import credentials, frames_pair, identity, randomness, refused, tls_pair


def certificate_of(number: int) -> bytes:
    return tls._certificate(identity(number)).public_bytes(serialization.Encoding.DER)


async def test_the_client_reads_the_servers_key_and_certificate() -> None:
    server, client = await tls_pair(credentials(1), credentials(2), identity(1).public)
    assert client.server_key == identity(1).public
    assert client.certificate_hash == credentials(1).certificate_hash
    await server.send(frame(b"hello"))
    assert await client.frames.receive(10) == b"hello"


async def test_a_pinned_key_that_does_not_fit_ends_it() -> None:
    """A man in the middle ends the client's TLS and opens his own to the server."""
    with pytest.raises(WrongKey, match="key is different"):
        await tls_pair(credentials(3), credentials(2), identity(1).public)


async def test_a_man_in_the_middle_needs_the_key_itself() -> None:
    """He shows the victim's certificate, but cannot sign the handshake: OpenSSL does not even load the pair."""
    stolen = tls._certificate(identity(1)).public_bytes(serialization.Encoding.PEM)
    with pytest.raises(ssl.SSLError, match=r"(?i)mismatch"):
        tls._load(tls._context(ssl.PROTOCOL_TLS_SERVER), identity(3), stolen)


async def test_links_are_tls_1_3_without_tickets() -> None:
    server, client = await tls_pair(credentials(1), credentials(2))
    await server.send(frame(b"x"))
    await client.frames.receive(10)
    stream = client.frames.stream
    assert isinstance(stream, trio.SSLStream)
    assert stream.version() == "TLSv1.3"
    assert stream.session is None or not stream.session.has_ticket
    assert not stream.session_reused


async def test_an_older_tls_is_not_spoken(nursery: trio.Nursery) -> None:
    here, there = memory_stream_pair()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2

    @nursery.start_soon
    async def old_client() -> None:
        with pytest.raises(trio.BrokenResourceError):
            await trio.SSLStream(here, context).do_handshake()

    with pytest.raises(LinkLost):
        await tls.accept(there, credentials(1))


async def test_no_tls_at_all() -> None:
    here, there = memory_stream_pair()
    await here.send_all(b"GET / HTTP/1.0\r\n\r\n")
    with pytest.raises(LinkLost, match="as seqp2p does"):
        await tls.accept(there, credentials(1))


async def test_a_cut_in_the_handshake() -> None:
    here, there = memory_stream_pair()
    await trio.aclose_forcefully(here)
    with pytest.raises(LinkLost):
        await tls.connect(there, credentials(1), None)


async def test_a_failed_body_closes_the_stream() -> None:
    here, there = memory_stream_pair()
    with pytest.raises(KeyError):
        async with tls.closing_on_error(here):
            raise KeyError
    with pytest.raises(trio.ClosedResourceError):
        await here.send_all(b"x")
    async with tls.closing_on_error(there):
        pass
    assert await FrameStream(there).stream.receive_some(1) == b""


def test_the_key_leaves_the_disk_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def look(self: ssl.SSLContext, path: Path, password: bytes) -> None:
        seen.append(path.parent.stat().st_mode & 0o777)
        load(self, path, password=password)

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", look)
    tls.make_credentials(identity(1))
    assert seen == [0o700]
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_is_a_function_of_the_key() -> None:
    assert certificate_of(1) == certificate_of(1) != certificate_of(2)
    assert tls.certificate_key(certificate_of(1)) == identity(1).public


@pytest.mark.parametrize(
    ("der", "reason"),
    [
        (certificate_of(1).replace(identity(1).public, bytes([1]) + bytes(31)), "small order"),
        (b"", "damaged"),
        (bytes(5000), "too large"),
    ],
)
def test_a_certificate_that_cannot_be_is_refused(der: bytes, reason: str) -> None:
    with pytest.raises(PeerError, match=reason):
        tls.certificate_key(der)


def test_a_key_of_another_kind_is_refused() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1)
        .not_valid_before(dt.datetime(2000, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2100, 1, 1, tzinfo=dt.UTC))
        .sign(key, hashes.SHA256())
    )
    with pytest.raises(PeerError, match="no Ed25519 key"):
        tls.certificate_key(certificate.public_bytes(serialization.Encoding.DER))


KILLED = """
import os, signal, ssl, sys
from seqp2p.crypto.identity import Identity
from seqp2p.net import tls

sys.platform = sys.argv[1]
ssl.SSLContext.load_cert_chain = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
tls.make_credentials(Identity(bytes(31) + bytes([1])))
"""


@pytest.mark.process
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_kill_leaves_no_key_behind(tmp_path: Path, platform: str) -> None:
    """Killed while ssl reads the key: Linux has no file, other systems have an encrypted one."""
    program = [sys.executable, "-c", KILLED, platform]
    ended = subprocess.run(program, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert ended.returncode == -signal.SIGKILL
    left = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(left) == (platform == "darwin")
    for pem in left:
        assert pem.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
        assert b"-----BEGIN PRIVATE KEY-----" not in pem


LOBBY = bytes([9]) * 32
GAME = bytes([8]) * 32
LIMITS = DEFAULT_LIMITS


def server_link(frames: FrameStream) -> ServerLink:
    return ServerLink(frames, identity(1).public, credentials(1).certificate_hash)


async def join(frames: FrameStream, client: int = 2, role: Role = "join", game: bytes | None = None) -> bytes:
    """Prove this identity to server 1, which is at the other end."""
    return await prove(server_link(frames), identity(client), role, game, LIMITS)


class Server:
    """Server 1 at the other end of ``client``. ``proof`` is what it has found."""

    def __init__(self, refused_code: str) -> None:
        self.frames, self.client = frames_pair()
        self.proof: Proof | NetError | None = None
        self._refused_code = refused_code

    def admit(self, _: Proof) -> None:
        if self._refused_code:
            raise PeerRefused(self._refused_code)

    async def check(self, lobby: bytes) -> None:
        rest: dict[str, Any] = {"lobby": lobby, "admit": self.admit, "randomness": randomness, "limits": LIMITS}
        try:
            self.proof = await check_client(self.frames, credentials(1), **rest)
        except NetError as error:
            self.proof = error


@asynccontextmanager
async def checking(lobby: bytes = LOBBY, refused_code: str = "") -> AsyncGenerator[Server]:
    """The block ends when the server has checked its client."""
    server = Server(refused_code)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.check, lobby)
        yield server


@pytest.mark.parametrize(("role", "game", "lobby"), [("join", None, LOBBY), ("link", GAME, NO_LOBBY)])
async def test_a_joiner_signs_the_lobbys_id_and_a_seat_the_games(role: Role, game: bytes | None, lobby: bytes) -> None:
    async with checking(lobby) as server:
        assert await join(server.client, role=role, game=game) == lobby
    assert isinstance(server.proof, Proof)
    assert (server.proof.key, server.proof.role) == (identity(2).public, role)
    assert server.proof.id == (game or lobby)


async def test_a_refusal_reaches_the_client() -> None:
    async with checking(refused_code="table_full") as server:
        with refused("table_full"):
            await join(server.client)
    assert isinstance(server.proof, PeerRefused)
    assert server.proof.code == "table_full"


async def test_no_lobby_any_more() -> None:
    here, there = frames_pair()
    await send(there, Hello(1, NO_LOBBY, bytes(32)))
    with pytest.raises(PeerRefused, match="has started"):
        await join(here)


async def test_the_same_identity_on_both_sides() -> None:
    here, _ = frames_pair()
    with pytest.raises(PeerRefused, match="already sits"):
        await join(here, 1)
    proof = make_proof(identity(1), "join", server_link(here), bytes(32), LOBBY)
    with pytest.raises(PeerRefused, match="already sits"):
        check_proof(proof, credentials(1), bytes(32))


NONCE = bytes([5]) * 32


def proof_to(server: int = 1, certificate: bytes = credentials(1).certificate_hash, **changes: object) -> Proof:
    """A joiner's proof to the server with this key and certificate, with these changes."""
    link = ServerLink(frames_pair()[0], identity(server).public, certificate)
    return replace(make_proof(identity(2), "join", link, NONCE, LOBBY), **changes)


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
    check_proof(proof_to(), credentials(1), NONCE)
    with refused("bad_proof"):
        check_proof(proof, credentials(1), nonce)


async def test_a_server_says_another_nonce_to_each_client() -> None:
    """So no recorded handshake is good again."""
    nonces = set[bytes]()
    for _ in range(2):
        async with checking() as server:
            hello = await receive(server.client, LinkStage.AUTH_CLIENT, LIMITS)
            assert isinstance(hello, Hello)
            nonces.add(hello.nonce)
            await server.client.abort()
    assert len(nonces) == 2


async def test_versions_are_told_apart_on_both_sides() -> None:
    async with checking() as server:
        await receive(server.client, LinkStage.AUTH_CLIENT, LIMITS)
        await server.client.send(frame(msgpack.packb({"type": "proof", "v": 2, "key": b"new kind of key"})))
        with refused("version"):
            await receive(server.client, LinkStage.AUTH_CLIENT, LIMITS)
    assert isinstance(server.proof, PeerRefused)
    here, there = frames_pair()
    await there.send(frame(msgpack.packb({"type": "hello", "v": 2})))
    with pytest.raises(PeerRefused, match="another version"):
        await join(here)


@pytest.mark.parametrize(
    "answers", [[Accepted()], [Hello(1, LOBBY, NONCE), Hello(1, LOBBY, NONCE)], [Bye("no")], [Refused("news", "no")]]
)
async def test_a_server_that_follows_another_protocol(answers: list[WireMessage]) -> None:
    here, there = frames_pair()
    for answer in answers:
        await send(there, answer)
    with pytest.raises((PeerError, PeerRefused)):
        await join(here)


async def test_large_frames_are_for_known_peers() -> None:
    async with checking() as server:
        await server.client.send(frame(bytes(LIMITS.frame_before_auth_max + 1)))
    assert isinstance(server.proof, PeerError)
    assert "where 1 to 4096 are allowed" in str(server.proof)


async def test_refusing_somebody_who_has_gone() -> None:
    here, there = memory_stream_pair()
    await trio.aclose_forcefully(there)
    frames = FrameStream(here)
    with pytest.raises(PeerRefused):
        await refuse(frames, "table_full", LIMITS)
    with pytest.raises(LinkLost):
        await frames.send(encode_message(Accepted()))
