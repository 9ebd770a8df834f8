"""One seat of a game of three, in a process of its own: ``hostile_seat.py SEAT ATTACK SECONDS PORT PORT PORT``.

Seat 1 is the victim: from its fourth turn on it measures itself for SECONDS, and writes what it found as one line of
JSON. Seat 3 attacks it meanwhile, if ATTACK is not "none", and plays on. Keys and nonces are those of ``tests.table``.
"""

import contextlib
import json
import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import trio
from measuring import memory_mb

from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import RandomBot
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, REMARK
from seqp2p.crypto.identity import Identity, sign
from seqp2p.crypto.schnorr import SHARE_PROOF_SIZE
from seqp2p.live.game import LiveGame
from seqp2p.live.mesh import Mesh
from seqp2p.live.recorder import TableEvent
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.contribution import SharesBody, make_payload
from seqp2p.match.encoding import encode, pack
from seqp2p.match.events import Turned
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import BallotPayload
from seqp2p.match.table import encode_agreement
from seqp2p.net.addresses import Address, open_listeners, tcp_dial
from seqp2p.net.dialling import reach
from seqp2p.net.errors import NetError
from seqp2p.net.frames import FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    BallotMessage,
    ContributionMessage,
    EvidenceMessage,
    Have,
    Ping,
    RemarkMessage,
    Signed,
    WireMessage,
    encode_message,
)
from seqp2p.net.tls import make_credentials
from seqp2p.replay.writer import ReplayWriter
from tests.sim.table import Everything
from tests.table import identity, make_agreement

VICTIM: Final = 1
ATTACKER: Final = 3
PACE_S: Final = 0.3


def table_of(seat: int, ports: list[int], listeners: list[trio.SocketListener]) -> AgreedTable:
    addresses = {n: [Address("127.0.0.1", port)] for n, port in enumerate(ports, 1) if n != seat}
    return AgreedTable(make_credentials(identity(seat)), make_agreement(3), seat, addresses, listeners)


# The attacks: each sends on a link until this breaks.


class Attack:
    def __init__(self, table: AgreedTable, victim: Address, match: Match, key: Identity) -> None:
        self.table, self.victim, self.match, self.key = table, victim, match, key
        self.number = 0
        self.received = self.links = 0

    async def run(self, each: Callable[[FrameStream], Awaitable[None]]) -> None:
        while True:
            try:
                own, game = self.table.credentials, self.table.game
                link = await reach(self.victim, own, tcp_dial, DEFAULT_LIMITS, role="link", game=game)
                self.links += 1
                try:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._read, link.frames)
                        await each(link.frames)
                        nursery.cancel_scope.cancel()
                finally:
                    await link.frames.abort()
            except* NetError:
                await trio.sleep(0.01)

    async def _read(self, frames: FrameStream) -> None:
        while True:
            self.received += len(await frames.receive(DEFAULT_LIMITS.frame_max))

    async def repeat(self, frames: FrameStream, make: Callable[[], WireMessage]) -> None:
        while True:
            await frames.send(b"".join(encode_message(make()) for _ in range(20)))

    def ahead(self, body: bytes = b"") -> ContributionMessage:
        self.number += 1
        step = self.match.number + 1_000 + self.number % 60_000
        payload = make_payload(
            self.match.game.id, step, bytes(32), ATTACKER, "draw", SharesBody(body, bytes(SHARE_PROOF_SIZE))
        )
        return ContributionMessage(payload, sign(self.key, CONTRIBUTION, payload))

    async def early(self, frames: FrameStream) -> None:
        """Contributions to steps far ahead, all different."""
        await self.repeat(frames, self.ahead)

    async def long(self, frames: FrameStream) -> None:
        """The same, of 32 kB each."""
        await self.repeat(frames, lambda: self.ahead(bytes(32_000)))

    async def nested(self, frames: FrameStream) -> None:
        """Contributions far ahead, of 30,000 empty arrays."""
        game = self.match.game.id
        lists: dict[str, list[list[int]]] = {"shares": [[]] * 30_000}
        payload = pack(
            {"v": 1, "game": game, "step": 9_000, "prev": bytes(32), "seat": ATTACKER, "kind": "draw", "body": lists}
        )
        own = ContributionMessage(payload, sign(self.key, CONTRIBUTION, payload))
        await self.repeat(frames, lambda: own)

    async def _fill(self, frames: FrameStream) -> None:
        """Fill its accounts with things that are early."""
        early: list[WireMessage] = [self.ahead() for _ in range(64)]
        early += [self.ballot(self.match.number + 2 + at) for at in range(64)]
        early += [self.remark(2 + at) for at in range(200)]
        await frames.send(b"".join(map(encode_message, early)))

    async def remark_again(self, frames: FrameStream) -> None:
        """One early remark again and again, beside full accounts."""
        await self._fill(frames)
        own = self.remark(100)
        await self.repeat(frames, lambda: own)

    async def ballot_again(self, frames: FrameStream) -> None:
        """One ballot about a step that is final, again and again, beside full accounts."""
        await self._fill(frames)
        own = self.ballot(self.match.final)
        await self.repeat(frames, lambda: own)

    def ballot(self, step: int) -> BallotMessage:
        prev = self.match.game.heads[step - 1] if step <= self.match.final else bytes(32)
        payload = encode(BallotPayload(1, self.match.game.id, step, prev, ATTACKER, 1, "drop", (2,), "absent", None))
        return BallotMessage(payload, sign(self.key, BALLOT, payload))

    def remark(self, number: int) -> RemarkMessage:
        match = self.match
        said = RemarkPayload(1, match.game.id, ATTACKER, number, bytes(32), match.number, match.head, False, "again")
        payload = encode(said)
        return RemarkMessage(payload, sign(self.key, REMARK, payload))

    async def evidence(self, frames: FrameStream) -> None:
        """Right contributions as evidence of nothing: the largest of the record, a shuffle."""
        closed = [each for step in self.match.record for _, each in step.contributions]
        right = max(closed, key=lambda each: len(each.payload))
        own = EvidenceMessage((Signed(right.payload, right.signature),))
        await self.repeat(frames, lambda: own)

    async def reconnects(self, frames: FrameStream) -> None:
        """Ask for the whole game on a new link each time."""
        await frames.send(encode_message(Have(1, ())))
        await trio.sleep(0.03)

    async def pings(self, frames: FrameStream) -> None:
        """Signs of life, as many as go."""
        await self.repeat(frames, Ping)


async def play(seat: int, attack: str, seconds: float, ports: list[int]) -> None:
    listeners = await open_listeners(Address("127.0.0.1", ports[seat - 1]))
    table = table_of(seat, ports, listeners)
    key = identity(seat)
    match = Match(encode_agreement(table.agreement), seat)
    turns, begun = [0], trio.Event()

    def emit(event: TableEvent) -> None:
        turns[0] += isinstance(event, Turned)
        if turns[0] == 4:
            begun.set()

    with tempfile.TemporaryDirectory() as home, ReplayWriter(Path(home) / "game.seqp2p", match) as writer:
        files = contextlib.nullcontext((writer, None))
        keys = SeatKeys(seat, key, secrets.token_bytes)
        keys.signed = Everything()
        game = LiveGame(Mesh(table, secrets.token_bytes), match, keys, writer.path, lambda: files)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(game.play, BotPlayer(RandomBot(random.Random()), PACE_S), emit)
            await begun.wait()
            attacker = Attack(table, Address("127.0.0.1", ports[VICTIM - 1]), match, key)
            if seat == ATTACKER and attack != "none":
                nursery.start_soon(attacker.run, getattr(attacker, attack))
            await measure(seat, seconds, turns)
            if seat == ATTACKER and attack != "none":
                print(json.dumps({"links": attacker.links, "pulled_mb": round(attacker.received / 1e6, 2)}), flush=True)
            await trio.sleep_forever()


async def measure(seat: int, seconds: float, turns: list[int]) -> None:
    before, spent, memory, time_0 = turns[0], time.process_time(), memory_mb(os.getpid()), time.monotonic()
    worst, worst_later, peak, marks = 0.0, 0.0, memory, [spent]
    for _ in range(round(seconds)):
        await trio.sleep(1)
        marks.append(time.process_time())
        window = (marks[-1] - marks[max(0, len(marks) - 11)]) / 10
        worst, worst_later = max(worst, window), max(worst_later, window) if len(marks) > 20 else 0.0
        peak = max(peak, memory_mb(os.getpid()))
    passed = time.monotonic() - time_0
    if seat == VICTIM:
        done, cost_s = turns[0] - before, time.process_time() - spent
        found = {
            "turns": done,
            "turn_s": round(passed / max(1, done), 3),
            "processor_ms_a_turn": round(cost_s / max(1, done) * 1e3, 1),
            "share": round(cost_s / passed, 3),
            "worst_10_s_share": round(worst, 3),
            "worst_10_s_after_10_s": round(worst_later, 3),
            "memory_mb": round(peak - memory, 1),
        }
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    trio.run(play, int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), [int(port) for port in sys.argv[4:7]])
