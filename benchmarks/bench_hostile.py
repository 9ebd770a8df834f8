"""Attacks on a host, each in a process of its own: what they cost the host, and how friends fare meanwhile.

``door``: strangers at a lobby (tests/sim/strangers.py), from the friends' own address (``own``) and from another.
A friend joins with the code that is shown, and again if it is burned meanwhile or its exchange ends; ``joins_in`` are
those who got in within ten seconds, ``longest_s`` is the longest of them. ``host_share`` is the host's processor time
and ``attacker_share`` the attacker's, in cores; ``memory_mb`` is what the host's memory has grown by. SECONDS=60 sets
how long an attack runs, and ATTACK names one.

``moves``: a seat of a running game passes on ten new address statements a second of another, each with eight addresses
of a third machine, which counts the connections; ``busy_share`` is the processor time of all three, in cores.

``seat``: a seat of a running game attacks another (benchmarks/hostile_seat.py); ``none`` is the same game without an
attack. The attacker reads and answers later what it has crowded out itself, so its own turns take longer.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import trio
from measuring import memory_mb, processor_s

from seqp2p.crypto.identity import Identity
from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.lobby.address_statement import make_statement
from seqp2p.lobby.code import public_part
from seqp2p.lobby.events import Own
from seqp2p.lobby.join import join_table
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.machine import Match
from seqp2p.match.table import encode_agreement
from seqp2p.net.addresses import Address, listening_addresses, open_listeners, parse_address, tcp_dial
from seqp2p.net.dialling import Route, reach
from seqp2p.net.errors import NetError
from seqp2p.net.gossip import MatchStore
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import AddressUpdate, encode_message
from seqp2p.net.tls import make_credentials
from tests.sim.strangers import ATTACKS
from tests.table import identity, make_agreement

SEAT_ATTACKS = ("none", "early", "long", "nested", "evidence", "reconnects", "pings", "remark_again", "ballot_again")

SECONDS = float(os.environ.get("SECONDS", "60"))
JOINS = max(1, round(20 * SECONDS / 60))
LIMIT_S = 10.0
SOURCES = {"own": "127.0.0.1", "other": "127.0.0.66"}
Figures = dict[str, dict[str, float]]


class Host:
    """A host in a process of its own, with the code that it shows."""

    def __init__(self, stack: ExitStack) -> None:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        line = [sys.executable, "-m", "seqp2p", "host", "--players", "12", "--bot", "greedy", "--json"]
        line += ["--listen", "127.0.0.1:0", "--replay-dir", home]
        environment = os.environ | {"SEQP2P_HOME": home}
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
        )
        stack.enter_context(ended(self.process))
        self.code = self.address = ""
        self.codes = 0
        self.attackers: list[subprocess.Popen[str]] = []
        self._listening = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self._listening.wait(30)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "listening":
                self.code, self.address = event["code"], event["address"]
                self.codes += 1
                self._listening.set()
                self.tell()

    def tell(self) -> None:
        """Tell the attackers what is public of the code."""
        number, words = public_part(self.code)
        for attacker in self.attackers:
            assert attacker.stdin is not None
            attacker.stdin.write(f"{number} {words}\n")
            attacker.stdin.flush()

    def attack(self, stack: ExitStack, name: str, source: str) -> subprocess.Popen[str]:
        line = [sys.executable, "-m", "tests.sim.strangers", name, self.address, source]
        attacker = subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        stack.enter_context(ended(attacker))
        self.attackers.append(attacker)
        self.tell()
        return attacker


@contextmanager
def ended(process: subprocess.Popen[str]) -> Generator[None]:
    try:
        yield
    finally:
        process.kill()
        process.wait()


async def join(host: Host) -> float:
    """Join as a friend, and leave again; return the seconds until it sat, infinite if they were too many."""
    begun = time.monotonic()
    in_lobby = trio.Event()

    async def sit() -> None:
        credentials = make_credentials(Identity(secrets.token_bytes(32)))
        own = Own(credentials, "friend", secrets.token_bytes, lambda _: in_lobby.set())
        route = Route(parse_address(host.address))
        while True:
            try:
                await join_table(own, route, host.code)
            except NetError:
                # The code was burned, or a busy machine was too slow: a person types the code that is shown now.
                await trio.sleep(0.1)

    with trio.move_on_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sit)
            await in_lobby.wait()
            nursery.cancel_scope.cancel()
    return time.monotonic() - begun if in_lobby.is_set() else float("inf")


async def joins(host: Host) -> list[float]:
    """Join every few seconds while the attack runs."""
    took: list[float] = []
    begun = trio.current_time()
    for number in range(JOINS):
        await trio.sleep_until(begun + number * SECONDS / JOINS)
        took.append(await join(host))
    await trio.sleep_until(begun + SECONDS)
    return took


def measured(name: str, source: str) -> dict[str, float]:
    with ExitStack() as stack:
        host = Host(stack)
        attacker = host.attack(stack, name, source)
        memory, spent, time_0 = memory_mb(host.process.pid), processor_s(host.process.pid), time.monotonic()
        took = trio.run(joins, host)
        passed = time.monotonic() - time_0
        inside = [each for each in took if each < LIMIT_S]
        return {
            "joins": len(took),
            "joins_in": len(inside),
            "longest_s": round(max(inside, default=0), 2),
            "codes": host.codes,
            "host_share": round((processor_s(host.process.pid) - spent) / passed, 2),
            "attacker_share": round(processor_s(attacker.pid) / passed, 2),
            "memory_mb": round(memory_mb(host.process.pid) - memory, 1),
        }


async def moves() -> dict[str, float]:
    """Let a seat move all the time, and count what another dials for it."""
    agreement, keys = make_agreement(3), [identity(seat) for seat in (1, 2, 3)]
    doors = [await open_listeners(Address(host, 0)) for host in ("127.0.0.1", "0.0.0.0")]
    (victim,) = await listening_addresses(doors[0])
    places = [Address(f"127.0.0.{number}", doors[1][0].socket.getsockname()[1]) for number in range(1, 9)]
    own = make_statement(keys[0], agreement.seats[0].nonce, 1, [victim])
    table = AgreedTable(make_credentials(keys[0]), agreement, 1, {}, doors[0], statements=(own,))
    dialled = [0]

    async def count(stream: trio.SocketStream) -> None:
        dialled[0] += 1
        await stream.aclose()

    async def read() -> None:
        async for _ in inbox:
            pass

    async with trio.open_nursery() as nursery:
        send, inbox = trio.open_memory_channel[MeshEvent](0)
        nursery.start_soon(read)
        mesh, store = Mesh(table, secrets.token_bytes), MatchStore(Match(encode_agreement(agreement), 1))
        nursery.start_soon(mesh.run, store, send)
        nursery.start_soon(trio.serve_listeners, count, doors[1])
        reached = await reach(
            victim, make_credentials(keys[1]), tcp_dial, DEFAULT_LIMITS, role="link", game=table.game, expected_key=None
        )
        spent, begun = time.process_time(), time.monotonic()
        for number in range(2, 2 + round(10 * min(SECONDS, 60))):
            told = make_statement(keys[2], agreement.seats[2].nonce, number, places)
            await reached.frames.send(encode_message(AddressUpdate(told.payload, told.signature)))
            await trio.sleep(0.1)
        passed = time.monotonic() - begun
        nursery.cancel_scope.cancel()
    await reached.frames.abort()
    busy_share = (time.process_time() - spent) / passed
    return {"dials_s": round(dialled[0] / passed, 2), "busy_share": round(busy_share, 2)}


def seats(attack: str) -> dict[str, float]:
    """Play a game of three in three processes; return the victim's figures, and the attacker's."""
    with ExitStack() as stack:
        ports = [free.getsockname()[1] for free in [stack.enter_context(socket.create_server(("", 0))) for _ in "123"]]
        stack.close()
        line = [sys.executable, str(Path(__file__).with_name("hostile_seat.py"))]
        figures: dict[str, float] = {}
        played = [
            subprocess.Popen(
                [*line, str(seat), attack, str(SECONDS), *map(str, ports)], stdout=subprocess.PIPE, text=True
            )
            for seat in (1, 2, 3)
        ]
        for process in played:
            stack.enter_context(ended(process))
        for process in (played[0], played[2]) if attack != "none" else played[:1]:
            assert process.stdout is not None
            figures |= json.loads(process.stdout.readline())
        return figures


def run() -> Figures:
    wanted = os.environ.get("ATTACK")
    found = {
        f"door, {name}, {where}": measured(name, source)
        for name in ATTACKS
        if wanted in {None, name}
        for where, source in SOURCES.items()
    }
    found |= {f"seat, {name}": seats(name) for name in SEAT_ATTACKS if wanted in {None, f"seat-{name}", "seat"}}
    return found | {"moves": trio.run(moves)} if wanted in {None, "moves"} else found
