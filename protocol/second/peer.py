"""Section 14: a peer that joins a table and plays a game to its end, under trio; it writes a replay.

It plays with honest seats, of which some may vanish: it votes to drop those that are absent, and copies such ballots.
It never has to undo a step, because it is never cut off itself. It has no discovery: its games are on one machine.
"""

import contextlib
import datetime as dt
import hashlib
import hmac
import secrets
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import trio
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from protocol.second.agreement import read_agreement
from protocol.second.basics import (
    ED_L,
    G,
    Refused,
    check_identity_point,
    check_signature,
    is_bytes,
    is_name,
    pack,
    read_point,
    read_scalar,
    require,
    total,
    u32,
    unpack,
)
from protocol.second.checks import GAME
from protocol.second.code import confirmations, pake_message, pake_shared
from protocol.second.game import Failure, Machine, Signed
from protocol.second.lobby import read_addresses, read_line
from protocol.second.prover import Prover, write_scalar

Message = dict[str, Any]
FRAME_MAX = 131_072
BEAT_S, SILENCE_S, HANDSHAKE_S, LOOK_S = 2.0, 8.0, 5.0, 5.0
HEAVY = ("shuffle", "deal")


class Fault(Exception):
    """The other side has sent what no honest peer sends, or nothing."""


class Identity:
    """A player's key, and the certificate of its server (14.1)."""

    def __init__(self) -> None:
        self.private = Ed25519PrivateKey.generate()
        self.key = self.private.public_key().public_bytes_raw()
        name = x509.Name([])
        begin = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.private.public_key())
            .serial_number(1)
            .not_valid_before(begin)
            .not_valid_after(begin.replace(year=2120))
            .sign(self.private, None)
        )
        self.certificate_hash = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).digest()
        self.server = _context(ssl.PROTOCOL_TLS_SERVER)
        self.server.num_tickets = 0
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "pem")
            path.write_bytes(self.private.private_bytes(*form) + certificate.public_bytes(form[0]))
            self.server.load_cert_chain(path)

    def sign(self, label: str, data: bytes) -> bytes:
        return self.private.sign(label.encode() + b"\0" + data)


def _context(protocol: Any) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # The key is compared instead.
    return context


class Link:
    """Frames over one connection (14.1)."""

    def __init__(self, stream: "trio.SSLStream[trio.SocketStream]") -> None:
        self.stream = stream
        self.key = b""  # the other side's
        self.lobby = b""  # the id of its lobby
        self.asked = self.answered = False  # its first ``have``
        self.certificate_hash = b""
        self._read = bytearray()
        self._send, self._queue = trio.open_memory_channel[bytes](10_000)

    def send(self, kind: str, **fields: Any) -> None:
        data = pack({"type": kind, **fields})
        self._send.send_nowait(u32(len(data)) + data)

    async def write(self, alive: Callable[[], None]) -> None:
        """Send what is queued, and a sign of life when nothing else was for 2 s."""
        while True:
            frame = b""
            with trio.move_on_after(BEAT_S):
                frame = await self._queue.receive()
            if not frame:
                alive()
                continue
            await self.stream.send_all(frame)

    async def say(self, kind: str, **fields: Any) -> None:
        """Send it at once."""
        self.send(kind, **fields)
        while self._queue.statistics().current_buffer_used:
            await self.stream.send_all(self._queue.receive_nowait())

    async def receive(self, size_max: int = FRAME_MAX, limit_s: float = SILENCE_S) -> Message:
        with trio.fail_after(limit_s):
            size = int.from_bytes(await self._bytes(4), "big")
            if not 0 < size <= size_max:
                raise Fault("a frame of another size")
            data = await self._bytes(size)
        message = unpack(data)
        require(type(message) is dict and next(iter(message), "") == "type")
        found: Message = message
        return found

    async def _bytes(self, count: int) -> bytes:
        while len(self._read) < count:
            some = await self.stream.receive_some()
            if not some:
                raise Fault("the other side has hung up")
            self._read += some
        data = bytes(self._read[:count])
        del self._read[:count]
        return data

    async def expect(self, kind: str, *keys: str) -> Message:
        """The next message of a handshake."""
        message = await self.receive(4096, HANDSHAKE_S)
        if message["type"] != kind:
            raise Fault(f"{message} instead of {kind}")
        require(list(message) == ["type", *keys])
        return message


async def dial(host: str, port: int, expected: bytes | None = None) -> Link:
    stream = await trio.open_tcp_stream(host, port)
    link = Link(trio.SSLStream(stream, _context(ssl.PROTOCOL_TLS_CLIENT), https_compatible=True))
    async with contextlib.AsyncExitStack() as on_error:
        on_error.push_async_callback(trio.aclose_forcefully, stream)
        await link.stream.do_handshake()
        der = link.stream.getpeercert(binary_form=True)
        public = x509.load_der_x509_certificate(der).public_key()
        assert isinstance(public, Ed25519PublicKey), "its identity is an Ed25519 key"
        link.key, link.certificate_hash = public.public_bytes_raw(), hashlib.sha256(der).digest()
        check_identity_point(link.key)
        if expected not in (None, link.key):
            raise Fault("another key answers")
        on_error.pop_all()
    return link


def statement(role: str, client: bytes, server: bytes, certificate: bytes, nonce: bytes, id_: bytes) -> bytes:
    parts = {"client": client, "server": server, "certificate": certificate, "nonce": nonce, "id": id_}
    return pack({"v": 1, "role": role, **parts})


async def prove(link: Link, identity: Identity, role: str, game: bytes | None) -> None:
    """14.2, the client's side."""
    hello = await link.expect("hello", "v", "lobby", "nonce")
    require(hello["v"] == 1 and is_bytes(hello["lobby"], 32) and is_bytes(hello["nonce"], 32))
    link.lobby = hello["lobby"]
    id_ = link.lobby if game is None else game
    said = statement(role, identity.key, link.key, link.certificate_hash, hello["nonce"], id_)
    signature = identity.sign("seqp2p/1 link", said)
    await link.say("proof", v=1, role=role, key=identity.key, id=id_, signature=signature)
    await link.expect("accepted")


async def admit(link: Link, identity: Identity, game: bytes, keys: list[bytes]) -> None:
    """14.2, the server's side of a link of the game."""
    nonce = secrets.token_bytes(32)
    await link.say("hello", v=1, lobby=bytes(32), nonce=nonce)
    proof = await link.expect("proof", "v", "role", "key", "id", "signature")
    said = statement(proof["role"], proof["key"], identity.key, identity.certificate_hash, nonce, proof["id"])
    check_signature(proof["key"], "seqp2p/1 link", said, proof["signature"])
    code = "wrong_game" if proof["id"] != game else "not_seated" if proof["key"] not in keys else ""
    code = code or ("game_started" if proof["role"] == "join" else "no_spectators" if proof["role"] == "watch" else "")
    if code:
        await link.say("refused", code=code, reason="no")
        raise Fault(code)
    link.key = proof["key"]
    await link.say("accepted")


async def give_code(link: Link, own_key: bytes, code: str) -> None:
    """14.4, the joiner's side."""
    x = secrets.randbelow(ED_L)
    X = pake_message(x, code, "M")
    number, *words = code.split("-")
    await link.say("pake_a", table=int(number), words=len(words), message=b"A" + X)
    answer = await link.expect("pake_b", "message")
    require(is_bytes(answer["message"], 33) and answer["message"][:1] == b"B")
    Y = answer["message"][1:]
    ids = own_key + link.key + link.certificate_hash
    joiner, host = confirmations(code, ids, X, Y, pake_shared(x, Y, code, "N"))
    await link.say("confirm", mac=joiner)
    confirmed = await link.expect("confirm", "mac")
    if not hmac.compare_digest(confirmed["mac"], host):
        raise Fault("the host does not know its code")


def address_statement(identity: Identity, nonce: bytes, port: int) -> Message:
    """14.5: where this seat listens."""
    entries = [{"kind": 1, "address": f"127.0.0.1:{port}"}]
    payload = pack({"v": 1, "key": identity.key, "nonce": nonce, "number": 1, "entries": entries})
    return {"payload": payload, "signature": identity.sign("seqp2p/1 addresses", payload)}


def read_statement(signed: Message, key: bytes, nonce: bytes) -> list[tuple[str, int]]:
    """The addresses of a seat's first statement."""
    require(list(signed) == ["payload", "signature"] and type(signed["payload"]) is bytes)
    found, _ = read_addresses(signed, key, nonce)
    # These games are on one machine: another address is none to dial.
    ports = [int(address.removeprefix("127.0.0.1:")) for address in found if address.startswith("127.0.0.1:")]
    return [("127.0.0.1", port) for port in ports if port >= 1024]


@dataclass
class Lobby:
    """14.5, the joiner's side: ``follow`` answers the host until the table starts."""

    identity: Identity
    name: str
    port: int
    seat: int = 0
    agreement: bytes = b""
    addresses: list[list[tuple[str, int]]] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    _said: dict[bytes, int] = field(default_factory=dict)
    _shown: Message = field(default_factory=dict)
    _round: int = 0
    _nonce: bytes = b""
    _statement: Message = field(default_factory=dict)

    async def follow(self, link: Link) -> None:
        while True:
            message = await link.receive()
            kind = message["type"]
            if kind == "lobby":
                self._shown, self.agreement = message, b""
            elif kind == "gather":
                self._round, self._nonce, self.agreement = message["round"], secrets.token_bytes(32), b""
                self._statement = address_statement(self.identity, self._nonce, self.port)
                link.send("nonce", round=self._round, nonce=self._nonce, addresses=self._statement)
            elif kind == "table":
                self._agree(link, message)
                link.send("ready", round=self._round)
            elif kind == "start":
                if not self.agreement or message["round"] != self._round:
                    raise Fault("a start without an agreement")
                return
            elif kind == "line":
                self._hear(link, message)
            elif kind not in ("ping", "declined"):
                raise Fault(f"the lobby ends: {message}")

    def _hear(self, link: Link, message: Message) -> None:
        require(list(message) == ["type", "payload", "signature"] and self._shown)
        keys = [seat["key"] for seat in self._shown["seats"] if seat is not None]
        said = read_line(message, link.lobby, {key: self._said.get(key, 0) for key in keys})
        self._said[said["key"]] = said["number"]
        self.heard.append(said["text"])

    def _agree(self, link: Link, table: Message) -> None:
        shown = self._shown
        agreement = read_agreement(table["agreement"])
        require(shown and table["round"] == self._round)
        seats, own = agreement["seats"], agreement["seats"][shown["seat"] - 1]
        require(agreement["settings"] == shown["settings"])
        require([(seat["name"], seat["key"]) for seat in seats] == [(s["name"], s["key"]) for s in shown["seats"]])
        require((own["key"], own["nonce"]) == (self.identity.key, self._nonce) and own["name"].startswith(self.name))
        require(seats[0]["key"] == link.key and is_name(own["name"]))
        require(len(table["addresses"]) == len(seats) and table["addresses"][shown["seat"] - 1] == self._statement)
        pairs = zip(table["addresses"], seats, strict=True)
        self.addresses = [read_statement(signed, seat["key"], seat["nonce"]) for signed, seat in pairs]
        self.seat, self.agreement = shown["seat"], table["agreement"]


@dataclass
class Neighbour:
    """Another seat: its links, what it said, what it was sent and when."""

    links: list[Link] = field(default_factory=list)
    linked_with: list[int] = field(default_factory=list)
    step: int = 1
    held: list[int] = field(default_factory=list)
    known: set[bytes] = field(default_factory=set)
    sent: dict[bytes, float] = field(default_factory=dict)
    answered: float = float("-inf")


class Player:
    """Sections 14.6 to 14.9: one seat of one game, from ``start`` to the openings."""

    def __init__(self, identity: Identity, lobby: Lobby) -> None:
        self.identity, self.seat = identity, lobby.seat
        self.machine = Machine(lobby.agreement)
        self.prover = Prover(self.seat)
        self.addresses = dict(enumerate(lobby.addresses, 1))
        self.others = {seat: Neighbour() for seat in self.machine.seats if seat != self.seat}
        self.keys = [entry["key"] for entry in self.machine.entries]
        self.final = 0
        self._heads: dict[tuple[int, int], dict[int, Signed]] = {}  # by step and round, by seat
        self._ballots: dict[tuple[int, int], dict[int, tuple[Message, Signed]]] = {}  # by step and round, by seat
        self._certificates: dict[int, list[Signed]] = {}
        self._promised: dict[int, int] = {}  # the round of the last ballot, by step
        self._doubt: tuple[int, int, set[int]] | None = None  # closed by a certificate: step, round, members
        self._away: dict[int, float] = {}  # since when
        self._dialled: dict[int, float] = {}  # when all its addresses have last failed
        self._dealt = 0  # the step of the first deal: until it has closed, all steps are final at once
        self._shown: dict[int, int] = dict.fromkeys(self.machine.seats, 0)  # the last step that a seat shows
        self._early: list[Message] = []
        self._remarks: dict[bytes, Signed] = {}
        self.returned: dict[int, set[bytes]] = {}  # what each seat was sent that it had signed itself
        self._tell, self._told = trio.open_memory_channel[tuple[int, Message]](10_000)

    # Links.

    async def play(self, first: Link, listener: trio.SocketListener) -> None:
        """Play to the end; ``first`` is the link to the host."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._carry, 1, first)
            nursery.start_soon(trio.serve_listeners, self._welcome, [listener])
            for seat in self.others:
                nursery.start_soon(self._dial, seat)
            await self._settle()
            with trio.move_on_after(300):
                while not self._done:
                    await self._turn_of_the_loop()
            assert self._done, f"stuck at step {self.machine.number}, {self.machine.kind}"
            for neighbour in self.others.values():
                for link in neighbour.links:
                    link.send("bye", reason="the game is over")
            await trio.sleep(1)
            nursery.cancel_scope.cancel()

    @property
    def _done(self) -> bool:
        machine = self.machine
        return machine.over and (not machine.settings["open_hands"] or len(machine.openings) == len(machine.seats))

    async def _turn_of_the_loop(self) -> None:
        with trio.move_on_after(1) as patience:
            seat, message = await self._told.receive()
        if patience.cancelled_caught:
            self._show_head()
            self._look()
        else:
            await self._take(seat, message)
        await self._settle()

    async def _dial(self, seat: int) -> None:
        neighbour = self.others[seat]
        while not self._done:
            await trio.sleep(0.2 if self.seat > seat else 1)
            for host, port in self.addresses[seat] if not neighbour.links else ():
                try:
                    link = await dial(host, port, self.keys[seat - 1])
                    async with link.stream:
                        await prove(link, self.identity, "link", self.machine.game)
                        await self._carry(seat, link)
                except (Fault, OSError, trio.BrokenResourceError, trio.TooSlowError):
                    continue
            if not neighbour.links:
                self._dialled[seat] = trio.current_time()

    async def _welcome(self, stream: trio.SocketStream) -> None:
        link = Link(trio.SSLStream(stream, self.identity.server, server_side=True, https_compatible=True))
        try:
            with trio.fail_after(HANDSHAKE_S):
                await link.stream.do_handshake()
                await admit(link, self.identity, self.machine.game, self.keys)
        except (Fault, Refused, OSError, trio.BrokenResourceError, trio.TooSlowError):
            await trio.aclose_forcefully(link.stream)
            return
        await self._carry(self.keys.index(link.key) + 1, link)

    async def _carry(self, seat: int, link: Link) -> None:
        neighbour = self.others[seat]
        neighbour.links.append(link)
        self._announce()
        self._say_have(link)
        if self.machine.openings.get(self.seat):
            link.send("opening", seat=self.seat, secret=write_scalar(self.prover.x))
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.write, partial(self._say_alive, link))
                while True:
                    message = await link.receive()
                    require(list(message)[1:] == GAME.get(message["type"]), str(message))
                    if message["type"] == "have" and not link.asked:
                        link.asked = True
                        message = {**message, "type": "first have", "link": link}
                    await self._tell.send((seat, message))
                    if message["type"] == "bye":
                        nursery.cancel_scope.cancel()
        except* (Fault, OSError, trio.BrokenResourceError, trio.TooSlowError):
            pass
        finally:
            neighbour.links.remove(link)
            neighbour.sent.clear()
            self._announce()
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(link.stream)

    def _announce(self) -> None:
        self._tell_all("links", seats=[seat for seat, neighbour in self.others.items() if neighbour.links])

    def _tell_all(self, kind: str, **fields: Any) -> None:
        for neighbour in self.others.values():
            for link in neighbour.links[-1:]:
                link.send(kind, **fields)

    def _say_have(self, link: Link) -> None:
        base = self.final + 1
        link.send("have", step=base, seats=sorted(self._here(base)))

    def _say_alive(self, link: Link) -> None:
        self._say_have(link) if link.answered else link.send("ping")

    def _here(self, step: int) -> dict[int, Signed]:
        return self.machine.held if step == self.machine.number else self.machine.closed[step - 1]

    # Messages.

    async def _take(self, seat: int, message: Message) -> None:
        neighbour, kind = self.others.get(seat, Neighbour()), message["type"]
        if kind in ("have", "first have"):
            neighbour.step, neighbour.held = message["step"], message["seats"]
            if kind == "first have":
                neighbour.sent.clear()
                neighbour.answered = float("-inf")
            self._answer(seat, neighbour)
            if kind == "first have":
                message["link"].answered = True
                self._say_have(message["link"])
        elif kind == "links":
            neighbour.linked_with = message["seats"]
        elif kind == "contribution":
            neighbour.known.add(message["payload"])
            await self._take_contribution(message)
        elif kind == "head":
            self._take_head(message, seat)
        elif kind == "ballot":
            self._take_ballot(message, seat)
        elif kind == "opening":
            self._take_opening(message)
        elif kind == "remark" and message["payload"] not in self._remarks:
            self._remarks[message["payload"]] = message["payload"], message["signature"]
            self._send_all("remark", self._remarks[message["payload"]], but=(seat,))
        else:
            assert kind in ("ping", "bye", "here", "remark"), f"honest seats that stay send no {kind}"

    async def _take_contribution(self, message: Message) -> None:
        signed = message["payload"], message["signature"]
        try:
            if self.machine.kind in HEAVY:
                found = await trio.to_thread.run_sync(self.machine.receive, signed)
            else:
                found = self.machine.receive(signed)
        except Failure as failure:
            if failure.name not in ("TooEarly", "OtherPast"):
                raise  # These games have honest seats alone.
            if failure.name == "TooEarly":
                self._keep(message)
            return
        if found == "ok":
            self._accepted(signed)

    async def _settle(self) -> None:
        """Contribute, vote, and take what was too early, until nothing changes any more."""
        before = None
        while before != (before := (self.machine.number, len(self.machine.held), self.final)):
            self._vote()
            await self._contribute()
            early, self._early = self._early, []
            for each in early:
                await self._take(0, each)

    def _keep(self, message: Message) -> None:
        """It is too early, and waits for its step."""
        if message not in self._early:
            self._early.append(message)

    def _signed(self, label: str, **fields: Any) -> Signed:
        payload = pack({"v": 1, "game": self.machine.game, **fields})
        return payload, self.identity.sign(f"seqp2p/1 {label}", payload)

    def _accepted(self, signed: Signed) -> None:
        """Pass it on to those who lack it, and note what its signature shows."""
        said = unpack(signed[0])
        author, step = said["seat"], said["step"]
        self._shown[author] = max(self._shown[author], step - 1)
        for seat, neighbour in self.others.items():
            lacks = step > neighbour.step or (step == neighbour.step and author not in neighbour.held)
            if author in (self.seat, seat):
                lacks = author != seat
            elif author in neighbour.linked_with or signed[0] in neighbour.known:
                lacks = False
            if lacks:
                self._send(neighbour, "contribution", signed)
        self._make_final()

    def _send(self, neighbour: Neighbour, kind: str, signed: Signed) -> None:
        now = trio.current_time()
        if neighbour.links and now - neighbour.sent.get(signed[0], float("-inf")) >= 4:
            neighbour.sent[signed[0]] = now
            neighbour.links[-1].send(kind, payload=signed[0], signature=signed[1])

    def _answer(self, seat: int, neighbour: Neighbour) -> None:
        if trio.current_time() - neighbour.answered < 0.5:
            return
        neighbour.answered = trio.current_time()
        here = [*self.machine.closed, self.machine.held]
        for step, contributions in enumerate(here[neighbour.step - 1 :], neighbour.step):
            for author, signed in sorted(contributions.items()):
                if step > neighbour.step or author not in neighbour.held:
                    self._send(neighbour, "contribution", signed)
        for step, ballots in self._certificates.items():
            for signed in ballots if step >= neighbour.step else ():
                self._send(neighbour, "ballot", signed)
        for (step, _), votes in self._ballots.items():
            for _, signed in votes.values() if step == self.final + 1 else ():
                self._send(neighbour, "ballot", signed)
        for (step, _), heads in self._heads.items():
            for signed in heads.values() if step >= self.final - 2 else ():
                self._send(neighbour, "head", signed)
        for signed in self._remarks.values():
            self._send(neighbour, "remark", signed)
        for each in self._early:
            if unpack(each["payload"])["seat"] == seat:
                self._send(neighbour, each["type"], (each["payload"], each["signature"]))
        own = {payload for payload in neighbour.sent if unpack(payload)["seat"] == seat}
        self.returned.setdefault(seat, set()).update(own)

    async def _contribute(self) -> None:
        """Make what is due, until the open step waits for another seat."""
        machine = self.machine
        while self.seat in machine.who and self.seat not in machine.held and not self._bound:
            if machine.kind in HEAVY:
                body = await trio.to_thread.run_sync(self.prover.body, machine)
            else:
                body = self.prover.body(machine)
            place = {"step": machine.number, "prev": machine.heads[-1], "seat": self.seat, "kind": machine.kind}
            signed = self._signed("contribution", **place, body=body)
            assert machine.receive(signed) == "ok", "own contributions pass the same checks"
            self._accepted(signed)
        if machine.over and machine.settings["open_hands"] and self.seat not in machine.openings:
            machine.openings[self.seat] = self.prover.x
            self._tell_all("opening", seat=self.seat, secret=write_scalar(self.prover.x))

    # Ballots, heads, and what is final (10.1).

    @property
    def _bound(self) -> bool:
        """Nothing is signed above a certificate or an own ballot before the step is final."""
        return self._doubt is not None or any(step > self.final for step in self._promised)

    @property
    def _votable(self) -> bool:
        machine = self.machine
        open_ = self.final + 1 == machine.number
        return self._dealt > 0 and machine.kind not in (("", "over") if open_ else ("",)) and len(machine.seats) > 2

    def _look(self) -> None:
        """Note which seats cannot be reached, and since when."""
        linked = {seat: neighbour.linked_with for seat, neighbour in self.others.items() if neighbour.links}
        reachable = set(linked).union(*linked.values())
        gone = set(self.machine.seats) - reachable - {self.seat}
        self._away = {seat: self._away.get(seat, trio.current_time()) for seat in gone}

    def _wish(self) -> list[int]:
        """The seats to drop: absent for the whole grace, looked for in vain, one of them awaited."""
        limit = trio.current_time() - max(self.machine.settings["grace_s"], LOOK_S)
        looked = {seat for seat, since in self._away.items() if since <= limit and self._dialled.get(seat, 0) > since}
        away = sorted(looked & set(self.machine.seats))
        open_ = self.final + 1 == self.machine.number
        awaited = self.machine.who - set(self.machine.held) if open_ else set(self.machine.seats)
        return away if set(away) & awaited else []

    def _take_ballot(self, message: Message, sender: int) -> None:
        signed = message["payload"], message["signature"]
        said = self.machine.read_signed("ballot", *signed)
        base = self.final + 1
        if said["step"] > base:
            self._keep(message)
            return
        votes = self._ballots.setdefault((base, said["round"]), {})
        if (said["step"], said["prev"]) == (base, self.machine.heads[base - 1]) and said["seat"] not in votes:
            votes[said["seat"]] = said, signed
            self._send_all("ballot", signed, but=(sender, said["seat"]))

    def _vote(self) -> None:
        """Cast the ballot that is due, and close the base by a certificate."""
        base, machine = self.final + 1, self.machine
        if self._doubt or not self._votable:
            return
        rounds = {round_: votes for (step, round_), votes in self._ballots.items() if step == base}
        newest, wish = max(rounds, default=0), self._wish()
        closed = base < machine.number
        agreed = [
            (len(said["about"]), seat, said["action"], said["about"])
            for seat, (said, _) in rounds.get(newest, {}).items()
            if self.seat not in said["about"] and (closed or set(said["about"]) <= set(wish))
        ]
        if (agreed or wish) and max(newest, 1) > self._promised.get(base, 0):
            _, _, action, about = min(agreed, default=(0, 0, "drop", wish))
            self._cast(base, max(newest, 1), action, about, "joined" if agreed else "absent")
        for round_ in sorted(rounds, reverse=True):
            self._close_by(base, round_)

    def _cast(self, base: int, round_: int, action: str, about: list[int], reason: str) -> None:
        heads = self.machine.heads
        last = {"round": 0, "head": heads[base]} if base < self.machine.number else None
        place = {"step": base, "prev": heads[base - 1], "seat": self.seat, "round": round_}
        vote = {"action": action, "about": about, "reason": reason, "last": last}
        signed = self._signed("ballot", **place, **vote)
        self._promised[base] = round_
        self._ballots.setdefault((base, round_), {})[self.seat] = unpack(signed[0]), signed
        self._send_all("ballot", signed)

    def _close_by(self, base: int, round_: int) -> None:
        members, machine = set(self.machine.seats), self.machine
        for said, _ in [*self._ballots[base, round_].values()]:
            equal = {
                seat: signed
                for seat, (each, signed) in sorted(self._ballots[base, round_].items())
                if (each["action"], each["about"]) == (said["action"], said["about"])
            }
            if self._doubt or set(equal) != members - set(said["about"]):
                continue
            lasts = [self._ballots[base, round_][seat][0]["last"] for seat in equal]
            if any(lasts):
                # The outcome is the value that is closed here already, or one whose contributions are on their way.
                if base == machine.number or {"round": 0, "head": machine.heads[base]} not in lasts:
                    continue
            else:
                machine.close_by_ballots(list(equal.values()))
                self._certificates[base] = list(equal.values())
            self._doubt = base, round_, members
            self._sign_head(base, round_)

    def _send_all(self, kind: str, signed: Signed, but: tuple[int, ...] = ()) -> None:
        for seat, neighbour in self.others.items():
            if seat not in but:
                self._send(neighbour, kind, signed)

    def _take_head(self, message: Message, sender: int) -> None:
        signed = message["payload"], message["signature"]
        said = self.machine.read_signed("head", *signed)
        if said["step"] >= self.machine.number:
            self._keep(message)
            return
        heads = self._heads.setdefault((said["step"], said["round"]), {})
        if said["seat"] in heads or said["head"] != self.machine.heads[said["step"]]:
            return
        heads[said["seat"]] = signed
        if not said["round"]:
            self._shown[said["seat"]] = max(self._shown[said["seat"]], said["step"])
        # Not to those who have a link with its author.
        linked = (seat for seat, neighbour in self.others.items() if said["seat"] in neighbour.linked_with)
        self._send_all("head", signed, but=(sender, said["seat"], *linked))
        self._make_final()

    def _show_head(self) -> None:
        step = self.machine.number - 1
        if self._votable and not self._bound and step > self.final and self._shown[self.seat] < step:
            self._shown[self.seat] = step
            self._sign_head(step, 0)

    def _sign_head(self, step: int, round_: int) -> None:
        heads = self.machine.heads
        place = {"step": step, "prev": heads[step - 1], "seat": self.seat}
        signed = self._signed("head", **place, round=round_, head=heads[step])
        self._heads.setdefault((step, round_), {})[self.seat] = signed
        self._send_all("head", signed)
        self._make_final()

    def _make_final(self) -> None:
        if self._doubt is not None:
            step, round_, members = self._doubt
            if 2 * len(members & set(self._heads.get((step, round_), ()))) <= len(members):
                return
            self.final, self._doubt = step, None
        if self.machine.position is not None and not self._dealt:
            self.final = self._dealt = self.machine.number - 1
        shown = sorted((self._shown[seat] for seat in self.machine.seats), reverse=True)
        last = self.machine.number - 1
        self.final = max(self.final, min(shown[len(shown) // 2], last)) if self._votable else last

    def _take_opening(self, message: Message) -> None:
        seat, secret = message["seat"], read_scalar(message["secret"])
        assert total((secret, G)) == read_point(self.machine.keys[seat]), "an honest opening"
        self.machine.openings[seat] = secret  # One that comes before `over` has closed here waits.

    def replay(self) -> bytes:
        """Section 12."""
        machine = self.machine
        records: list[Message] = [{"t": "table", "agreement": machine.agreement_bytes}]
        for step, closed in enumerate(machine.closed, 1):
            if step in self._certificates:
                ballots = [list(signed) for signed in self._certificates[step]]
                records.append({"t": "certificate", "step": step, "ballots": ballots})
            else:
                pairs = [list(closed[seat]) for seat in sorted(closed)]
                records.append({"t": "step", "step": step, "contributions": pairs})
        for seat, secret in sorted(machine.openings.items()):
            records.append({"t": "opening", "seat": seat, "secret": write_scalar(secret)})
        data = b"seqp2p replay 1\n" + b"".join(u32(len(pack(record))) + pack(record) for record in records)
        signature = self.identity.sign("seqp2p/1 file", hashlib.sha256(data).digest())
        end = pack({"t": "end", "key": self.identity.key, "signature": signature})
        return data + u32(len(end)) + end


async def join_and_play(host: str, port: int, code: str, name: str, make: Callable[..., Player] = Player) -> Player:
    """Join the table at this address, and play its game to the end."""
    identity = Identity()
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    link = await dial(host, port)
    async with listener, link.stream:
        await prove(link, identity, "join", None)
        await give_code(link, identity.key, code)
        link.send("sit", name=name, asked=False)
        lobby = Lobby(identity, name, listener.socket.getsockname()[1])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(link.write, partial(link.send, "ping"))
            await lobby.follow(link)
            nursery.cancel_scope.cancel()
        player = make(identity, lobby)
        await player.play(link, listener)
    return player
