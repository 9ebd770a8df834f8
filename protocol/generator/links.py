"""Vectors for links: the client's statement, messages as frames, the code exchange, meeting places."""

from typing import Any

from spake2.ed25519_basic import L

from protocol.generator.stream import Stream, identity
from protocol.generator.vectors import Vector, as_plain, bad, file_of, good
from seqp2p.crypto.hashing import ADDRESSES, LINK, LOBBY_LINE, PAIR, REMATCH
from seqp2p.crypto.identity import ExchangeKey, sign
from seqp2p.lobby.address_statement import RELAY, TCP, AddressEntry, AddressPayload
from seqp2p.lobby.lines import LinePayload
from seqp2p.lobby.pake import Exchange
from seqp2p.lobby.place import hash_place
from seqp2p.lobby.table import OwnRelay, RelayEntry
from seqp2p.match.encoding import encode
from seqp2p.net.addresses import Address
from seqp2p.net.auth import Statement
from seqp2p.net.frames import frame
from seqp2p.net.messages import (
    Accepted,
    Bye,
    ChooseColour,
    Confirm,
    Have,
    Hello,
    Links,
    More,
    OpeningMessage,
    Proof,
    Ready,
    TakeSeat,
    WireMessage,
    encode_message,
)


def links() -> Vector:
    """Return the client's statement, messages as frames, a code exchange, and meeting places."""
    client, server = identity("ben"), identity("ann")
    stream = Stream("links")
    certificate, nonce, lobby = stream(32), stream(32), stream(32)
    statement = Statement(1, "join", client.public, server.public, certificate, nonce, lobby)
    data = encode(statement)
    signature = sign(client, LINK, data)
    messages: list[WireMessage] = [
        Hello(1, lobby, nonce),
        Proof(1, "join", client.public, lobby, signature),
        Accepted(),
        Ready(1),
        TakeSeat(3),
        ChooseColour("green"),
        Have(300, (1, 12)),
        Links(()),
        More(300),
        OpeningMessage(2, (7).to_bytes(32, "big")),
        Confirm(bytes(32)),
        Bye("the game is over"),
    ]
    said, secret = {"statement": data, "signature": signature}, {"seed": client.secret_bytes()}
    vectors = [good("link statement", "role join", as_plain(statement), said, secret)]
    vectors += [*_addresses(), *_tokens(), *_lines(lobby)]
    for message in messages:
        fields = as_plain(message)
        vectors.append(good("message", fields["type"], {"message": fields}, {"frame": encode_message(message)}))
    have = encode(Have(300, (1, 12)))
    for name, data in {
        "no such type": encode(Bye("")).replace(b"\xa3bye", b"\xa3byf"),
        "seats out of order": have.replace(b"\x01\x0c", b"\x0c\x01"),
        "a longer integer": have.replace(b"\xcd\x01\x2c", b"\xce\x00\x00\x01\x2c"),
        "a byte behind it": have + b"\0",
        "a message of another stage": encode(Accepted()),
    }.items():
        vectors.append(bad("message of the game", name, "peer", {"frame": frame(data)}))
    return file_of(
        "Links: the client's proof, messages, the code exchange, meeting places.", [*vectors, *_codes(), *_places()]
    )


def _addresses() -> list[Vector]:
    """Return what a seat signs for the lobby, and what others take of it."""
    ben, ann, nonce = identity("ben"), identity("ann"), Stream("a nonce")(32)
    tcp = AddressEntry(TCP, "192.168.1.5:4610")
    several = (tcp, AddressEntry(255, "a kind to come"), AddressEntry(TCP, "[fd00::2]:4000"))
    key = ExchangeKey(Stream("a key of ben's")(32))
    relay = str(RelayEntry(Address("relay.example.org", 4001), key.public))
    by_ip = str(RelayEntry(Address("2001:db8::1", 4001), key.public))
    text = relay.partition(" ")[2]

    def made(entries: tuple[AddressEntry, ...] = (tcp,), number: int = 1, label: str = ADDRESSES) -> dict[str, bytes]:
        payload = encode(AddressPayload(1, ben.public, nonce, number, entries))
        return {"payload": payload, "signature": sign(ben, label, payload)}

    def given(statement: dict[str, bytes], **changed: bytes) -> dict[str, bytes]:
        return {"key": ben.public, "nonce": nonce, **statement, **changed}

    vectors = []
    for name, entries in (
        ("one address", (tcp,)),
        ("two addresses and a kind to come", several),
        ("none", ()),
        ("a relay by its name", (tcp, AddressEntry(RELAY, relay))),
        ("a relay by its address", (AddressEntry(RELAY, by_ip), tcp)),
    ):
        statement = made(entries)
        dialled = [entry.address for entry in entries if entry.kind == TCP]
        plain = [{"kind": entry.kind, "address": entry.address} for entry in entries]
        fields = {"key": ben.public, "nonce": nonce, "number": 1, "entries": plain}
        vectors.append(good("address statement", name, fields, statement, {"seed": ben.secret_bytes()}))
        relays = [entry.address for entry in entries if entry.kind == RELAY]
        vectors.append(good("addresses of the lobby", name, given(statement), {"addresses": dialled, "relays": relays}))
    for name, wrong in {
        "another seat's key": given(made(), key=ann.public),
        "another nonce": given(made(), nonce=bytes(32)),
        "a later number": given(made(number=2)),
        "signed with another label": given(made(label=LINK)),
        "nine entries": given(made((tcp,) * 9)),
        "a name to look up": given(made((AddressEntry(TCP, "table.lan:4610"),))),
        "no port": given(made((AddressEntry(TCP, "192.168.1.5"),))),
        "port 0": given(made((AddressEntry(TCP, "192.168.1.5:0"),))),
        "a zero before the port": given(made((AddressEntry(TCP, "192.168.1.5:04610"),))),
        "a space before the address": given(made((AddressEntry(TCP, " 192.168.1.5:4610"),))),
        "a longer form of an address": given(made((AddressEntry(TCP, "[fd00:0::2]:4000"),))),
        "an IPv4 address written as IPv6": given(made((AddressEntry(TCP, "[::ffff:c0a8:105]:4610"),))),
        "an address with a zone": given(made((AddressEntry(TCP, "[fe80::1%1]:4610"),))),
        "kind 0": given(made((AddressEntry(0, "192.168.1.5:4610"),))),
        "an entry of 129 characters": given(made((AddressEntry(255, "x" * 129),))),
        "two relays": given(made((AddressEntry(RELAY, relay),) * 2)),
        **{
            f"a relay {how}": given(made((AddressEntry(RELAY, wrong),)))
            for how, wrong in {
                "without a key": "relay.example.org:4001",
                "without a port": f"relay.example.org {text}",
                "at port 0": f"relay.example.org:0 {text}",
                "at a port with a zero before it": f"relay.example.org:04001 {text}",
                "in capitals": f"Relay.example.org:4001 {text}",
                "with a label of 64": f"{'x' * 64}.org:4001 {text}",
                "with a name that could be an address": f"127.1:4001 {text}",
                "with a hyphen before a dot": f"relay-.example.org:4001 {text}",
                "with a longer form of its address": f"[2001:db8:0::1]:4001 {text}",
                "with an IPv4 address written as IPv6": f"[::ffff:c0a8:105]:4001 {text}",
                "with a place of 85 characters": f"{'x.' * 39}xx:4001 {text}",
                "with two spaces": f"relay.example.org:4001  {text}",
                "with a key of 31 bytes": f"relay.example.org:4001 {text[:-2]}",
                "with a padded key": f"relay.example.org:4001 {text}=",
                "with bits behind its key": f"relay.example.org:4001 {text[:-1]}{chr(ord(text[-1]) + 1)}",
            }.items()
        },
    }.items():
        vectors.append(bad("addresses of the lobby", name, "peer", wrong))
    return vectors


def _tokens() -> list[Vector]:
    """Return the tokens at which two seats meet at a relay, as each of them finds it."""
    stream = Stream("tokens")
    where, game = Address("relay.example.org", 4001), stream(32)
    keys = [ExchangeKey(stream(32)) for _ in range(2)]
    vectors = []
    for name, label in (("of a pair", PAIR), ("of the host's next lobby", REMATCH)):
        for own, other in (keys, keys[::-1]):
            lower = own is keys[0]
            token = OwnRelay(where, own).token(RelayEntry(where, other.public), game, label, lower=lower)
            assert token is not None, "they have one relay"
            given = {"secret": own.secret_bytes(), "other": other.public, "game": game, "label": label, "lower": lower}
            seat = "lower" if lower else "higher"
            vectors.append(good("relay token", f"{name}, for the {seat} seat", given, {"token": token}))
    small = {"secret": keys[0].secret_bytes(), "other": bytes(32), "game": game, "label": PAIR, "lower": True}
    vectors.append(bad("relay token", "a key of small order", "small order", small))
    return vectors


def _lines(lobby: bytes) -> list[Vector]:
    """Return what a player says in a lobby, and what others take of it."""
    ben, ann = identity("ben"), identity("ann")

    def made(number: int = 2, text: str = "blue?", label: str = LOBBY_LINE, where: bytes = lobby) -> dict[str, bytes]:
        payload = encode(LinePayload(1, where, ben.public, number, text))
        return {"payload": payload, "signature": sign(ben, label, payload)}

    def given(line: dict[str, bytes], **changed: Any) -> dict[str, Any]:
        return {"lobby": lobby, "keys": [ben.public], "said": 1, **line, **changed}

    fields = {"lobby": lobby, "key": ben.public, "number": 2, "text": "blue?"}
    vectors = [
        good("lobby line", "the second", fields, made(), {"seed": ben.secret_bytes()}),
        good("line of the lobby", "the second", given(made()), {"text": "blue?"}),
        good("line of the lobby", "numbers are left out", given(made(number=7)), {"text": "blue?"}),
    ]
    for name, wrong in {
        "another lobby": given(made(where=bytes(32))),
        "a key that has no seat": given(made(), keys=[ann.public]),
        "said before": given(made(number=1)),
        "signed with another label": given(made(label=LINK)),
        "an empty text": given(made(text="")),
        "an escape in the text": given(made(text="a\x1b[31mb")),
        "201 characters": given(made(text="x" * 201)),
        "number 0": given(made(number=0)),
    }.items():
        vectors.append(bad("line of the lobby", name, "peer", wrong))
    return vectors


def _codes() -> list[Vector]:
    keys = identity("ben").public, identity("ann").public
    certificate = Stream("a certificate")(32)
    # How the package spake2 makes its scalars of 64 random bytes.
    x, y = (int.from_bytes(Stream(side)(64), "big") % L for side in ("joiner", "host"))
    vectors = []
    for name, typed, code in (
        ("the right code", "7-amber-falcon", "7-amber-falcon"),
        ("another code", "7-amber-fabric", "7-amber-falcon"),
        ("a code of four words", "99-amber-falcon-acorn-zebra", "99-amber-falcon-acorn-zebra"),
        ("a code with a meeting place", "7-4821937-5526041-amber-falcon", "7-4821937-5526041-amber-falcon"),
    ):
        joiner = Exchange(typed, *keys, certificate, Stream("joiner"), host=False)
        host = Exchange(code, *keys, certificate, Stream("host"), host=True)
        ends = {"joiner": keys[0], "host": keys[1], "certificate": certificate, "typed": typed, "code": code}
        given = ends | {"x": x.to_bytes(32, "big"), "y": y.to_bytes(32, "big")}
        out = {
            "pake_a": joiner.message,
            "pake_b": host.message,
            "by joiner, by host: as the joiner has them": joiner.finish(host.message),
            "by joiner, by host: as the host has them": host.finish(joiner.message),
        }
        vectors.append(good("code exchange", name, given, out))
    return vectors


def _places() -> list[Vector]:
    vectors = []
    for name, digits in (("a place", "48219375526041"), ("zeros at its begin", "00000000000007")):
        place = hash_place(digits)
        vectors.append(good("meeting place", name, {"digits": digits}, {"tokens": place.tokens, "mark": place.mark}))
    return vectors
