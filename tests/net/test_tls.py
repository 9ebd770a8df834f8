import datetime as dt
import os
import signal
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from trio.testing import memory_stream_pair

from seqp2p.net import tls
from seqp2p.net.errors import LinkLost, PeerError, WrongKey
from seqp2p.net.frames import FrameStream, frame
from tests.net.tools import credentials, identity, tls_pair


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
