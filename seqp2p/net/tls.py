"""TLS 1.3 links whose certificate is self-signed by the player's Ed25519 identity key.

Python's ssl verifies nothing here by itself: there is no authority to ask. The handshake proves that the server holds
the certificate's private key; ``connect`` compares this key with the expected one, and this comparison is the security
of the link. The client authenticates inside the channel: see auth.py.
"""

import contextlib
import datetime as dt
import hashlib
import os
import secrets
import ssl
import sys
import tempfile
import warnings
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import trio
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.x509.oid import NameOID

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.identity import Identity, check_public
from seqp2p.i18n import message, message_of
from seqp2p.net.errors import LinkLost, PeerError, WrongKey
from seqp2p.net.frames import FrameStream

_NAME: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "seqp2p")])
# The certificate says nothing about time: no clock is read, and 99991231235959Z means "no end" (RFC 5280, 4.1.2.5).
_NOT_BEFORE: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_NOT_AFTER: Final = dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC)
_CERTIFICATE_SIZE_MAX: Final = 4_096


@dataclass(frozen=True, slots=True)
class Credentials:
    """A player's identity, ready for TLS. ``certificate_hash`` is the SHA-256 of the DER certificate."""

    identity: Identity
    certificate_hash: bytes
    server: ssl.SSLContext
    client: ssl.SSLContext


@dataclass(frozen=True, slots=True)
class ServerLink:
    """A connection of a client: the server's key is read, the client has not authenticated yet."""

    frames: FrameStream
    server_key: bytes
    certificate_hash: bytes
    lobby: bytes = b""
    """The id of the server's lobby, once the client has authenticated."""


def make_credentials(identity: Identity) -> Credentials:
    certificate = _certificate(identity)
    der = certificate.public_bytes(serialization.Encoding.DER)
    server = _context(ssl.PROTOCOL_TLS_SERVER)
    # No tickets, so no resumption: every link proves its key again.
    server.num_tickets = 0
    _load(server, identity, certificate.public_bytes(serialization.Encoding.PEM))
    return Credentials(identity, hashlib.sha256(der).digest(), server, _context(ssl.PROTOCOL_TLS_CLIENT))


@contextlib.asynccontextmanager
async def closing_on_error(stream: trio.abc.AsyncResource) -> AsyncGenerator[None]:
    """Close the stream at once if the body fails or is cancelled; leave it open otherwise."""
    async with contextlib.AsyncExitStack() as on_error:
        on_error.push_async_callback(trio.aclose_forcefully, stream)
        yield
        on_error.pop_all()


async def accept(stream: trio.abc.Stream, credentials: Credentials) -> FrameStream:
    """The server's side of the TLS handshake. Raises LinkLost; closes the stream if it fails."""
    secured = trio.SSLStream(stream, credentials.server, server_side=True)
    async with closing_on_error(secured):
        await _handshake(secured)
    return FrameStream(secured)


async def connect(stream: trio.abc.Stream, credentials: Credentials, expected_key: bytes | None) -> ServerLink:
    """Do the client's side: the handshake, the server's key, and its comparison with the expected one.

    ``expected_key`` is 32 bytes, or None if the key is not known yet (first contact: the join code then binds it).
    Raises LinkLost, WrongKey, or PeerError for a certificate with no usable Ed25519 key; closes the stream if it
    fails.
    """
    secured = trio.SSLStream(stream, credentials.client)
    async with closing_on_error(secured):
        await _handshake(secured)
        der = cast("bytes | None", cast("Any", secured).getpeercert(binary_form=True))
        key = certificate_key(der or b"")
        if expected_key is not None and key != expected_key:
            raise WrongKey(message("Whoever answers there is not the expected player: the key is different."))
        return ServerLink(FrameStream(secured), key, hashlib.sha256(der or b"").digest())


def certificate_key(der: bytes) -> bytes:
    """Return the raw Ed25519 key (32 bytes) in a DER certificate. Raises PeerError.

    The key must be a usable identity key: under one of small order any peer can answer for any other.
    """
    if len(der) > _CERTIFICATE_SIZE_MAX:
        raise PeerError(message("The other side's certificate is too large."))
    try:
        with warnings.catch_warnings():
            # Oddities of a stranger's certificate are no news for this player.
            warnings.simplefilter("ignore")
            key = x509.load_der_x509_certificate(der).public_key()
        if not isinstance(key, Ed25519PublicKey):
            raise PeerError(message("The other side's certificate has no Ed25519 key."))
        raw = key.public_bytes_raw()
        check_public(raw)
    except CryptoError as error:
        raise PeerError(message("The other side's key cannot be used: {reason}", reason=message_of(error))) from None
    # The errors of cryptography for a damaged certificate or key.
    except (ValueError, x509.InvalidVersion, UnsupportedAlgorithm) as error:
        raise PeerError(message("The other side's certificate is damaged: {reason}", reason=str(error))) from None
    return raw


async def _handshake(secured: trio.SSLStream[trio.abc.Stream]) -> None:
    try:
        await secured.do_handshake()
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        raise LinkLost(message("The other side does not answer as seqp2p does, or the connection is lost.")) from None


def _context(protocol: int) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _certificate(identity: Identity) -> x509.Certificate:
    return (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(identity.private_key.public_key())
        .serial_number(1)
        .not_valid_before(_NOT_BEFORE)
        .not_valid_after(_NOT_AFTER)
        .sign(identity.private_key, None)
    )


def _load(context: ssl.SSLContext, identity: Identity, certificate_pem: bytes) -> None:
    """Give a context the identity's key. A kill leaves none behind: on Linux the file is memory of this process.

    Elsewhere it is in a private directory, encrypted under a password that only this function knows.
    """
    password = secrets.token_hex(32).encode()
    key_pem = identity.private_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(password)
    )
    if sys.platform == "linux":
        with os.fdopen(os.memfd_create("seqp2p"), "wb", buffering=0) as memory:
            memory.write(key_pem + certificate_pem)
            context.load_cert_chain(f"/proc/self/fd/{memory.fileno()}", password=password)
    else:
        with tempfile.TemporaryDirectory(prefix="seqp2p-") as directory:  # made with mode 0700
            path = Path(directory) / "identity.pem"
            path.write_bytes(key_pem + certificate_pem)
            context.load_cert_chain(path, password=password)
