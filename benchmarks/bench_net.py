"""Peers over loopback, a process each: how soon a move is seen everywhere, what coming back takes, memory, spectators.

``move_4``, ``move_12``: from a bot's decision (before it is proved, signed, synced and sent) until the last of the
others has told of it; ``told``: the same from the mover's own ``turn`` event. ``resync``: a peer that is 100 steps
behind links and catches up, both ends in this process. ``memory``: the largest peer of the game of twelve.
``play_1``, ``play_3``, ``play_11``: from the command ``play`` with so many local bots to the person's hand, and the
processor seconds of both processes. ``demo_12``: the same for ``demo`` with twelve peers, a process each, until the
last of them has its hand; ``dealt_s`` begins when the table is full. ``spectators``: the ratio to a table without any.
Of ``move_4``, ``play``, ``demo`` and ``spectators`` the best of three games counts, for other work of this machine
comes on top. ``level``: from a turn's event at the host until the last of the spectators has all of that turn, over all
turns of the three games; ``periods`` is the worst of them in units of the time between two ``have`` of a spectator.
``relay_4``: moves as in ``move_4`` where all links go by the transit relay of magic-wormhole, a process of its own; the
ratio to direct links is the median of three pairs of games. ``relay_12``: the same for the seconds until twelve peers,
a process each, have their hands, from the full table on.
"""

import json
import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from operator import itemgetter
from pathlib import Path
from typing import Any

import trio
from measuring import processor_s

from seqp2p.bots.player import BotPlayer
from seqp2p.bots.registry import BOTS
from seqp2p.live.game import LiveGame
from seqp2p.live.mesh import Mesh, MeshEvent
from seqp2p.live.spectator_session import ASK_S
from seqp2p.lobby.table import AgreedTable
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.gossip import MatchStore
from seqp2p.net.relay import FirstHave
from seqp2p.net.tls import make_credentials
from seqp2p.replay.writer import ReplayWriter
from tests.table import fork, make_agreement, played

HERE = Path(__file__).resolve().parent
# Seconds a bot takes for its turn. All peers share this machine's cores, and after each move every peer checks a proof
# of every other: 3 ms × 12 × 11 that twelve machines would not do one after the other.
PACE_S = {4: "0.15", 12: "0.6"}
BEHIND = 100
LOCAL_BOTS = (1, 3, 11)
SPECTATORS = 50
ROUNDS = 3

Figures = dict[str, dict[str, float]]


# Moves


def start(stack: ExitStack, script: str, *arguments: object, home: Path, **env: str) -> subprocess.Popen[str]:
    """Run a script of this folder until the stack ends."""
    line = [sys.executable, str(HERE / script), *map(str, arguments)]
    environment = os.environ | {"SEQP2P_HOME": str(home)} | env
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
    stack.enter_context(process)
    stack.callback(process.kill)
    return process


class Table:
    """A host and its joiners, a process each, in a folder of their own; with a relay all their links go by that."""

    def __init__(self, folder: str, stack: ExitStack, players: int, relay: int | None = None) -> None:
        self._folder, self._stack = folder, stack
        self._common = ["--bot", "greedy", "--pace", PACE_S[players], "--json"]
        self._env: dict[str, str] = {}
        if relay is not None:
            self._common += ["--relay", f"127.0.0.1:{relay}"]
            self._env = {"BENCH_RELAY": str(relay)}
        self.host = self._peer(1, "host", "--players", players, "--listen", "127.0.0.1:0")
        assert self.host.stdout is not None
        self.shown = json.loads(self.host.stdout.readline())
        self._ways = ["--listen", "127.0.0.1:0"] if relay is not None else [self.shown["address"]]

    def join(self, seat: int) -> subprocess.Popen[str]:
        return self._peer(seat, "join", *self._ways, SEQP2P_CODE=self.shown["code"])

    def _peer(self, number: int, *arguments: object, **env: str) -> subprocess.Popen[str]:
        kept = ["--name", f"p{number}", "--replay-dir", f"{self._folder}/{number}"]
        home = Path(self._folder, f"home{number}")
        arguments = *arguments, *self._common, *kept
        return start(self._stack, "net_peer.py", *arguments, home=home, **self._env, **env)


def game(players: int, spectators: int = 0, relay: int | None = None) -> tuple[list[list[dict[str, Any]]], list[float]]:
    """Return every event of every peer of one game, the host first, and when the last spectator had each turn."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        table = Table(folder, stack, players, relay)
        had = None
        if spectators:
            there, home = (table.shown["address"], table.shown["code"]), Path(folder, "crowd")
            had = start(stack, "net_spectators.py", *there, spectators, home=home).stdout
            assert had is not None
            had.readline()
        joined = [table.join(seat) for seat in range(2, players + 1)]
        # A whole game's events fit into no pipe's buffer.
        with ThreadPoolExecutor(players) as readers:
            events = list(readers.map(events_of, (table.host, *joined)))
        return events, json.loads(had.readline()) if had else []


def events_of(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    assert process.stdout is not None
    return list(map(json.loads, process.stdout))


def latencies_ms(told: Iterable[list[dict[str, Any]]]) -> tuple[list[float], list[float]]:
    """Of every move: from the decision, and from the mover's own event, to the last of the others."""
    seats = {event["seat"]: events for events in told for event in events if event["event"] == "over"}
    seen = {
        seat: {(event["turn"], event["event"], event["action"]): event for event in events if "action" in event}
        for seat, events in seats.items()
    }
    decided: list[float] = []
    own: list[float] = []
    for seat, events in seats.items():
        chosen = 0.0
        for event in events:
            if event["event"] == "chosen":
                chosen = event["at"]
            elif event["event"] == "turn" and event["seat"] == seat:
                key = event["turn"], event["event"], event["action"]
                last = max(others[key]["at"] for other, others in seen.items() if other != seat)
                decided.append(1000 * (last - chosen))
                own.append(1000 * (last - event["at"]))
    return decided, own


def moves(told: list[list[dict[str, Any]]]) -> dict[str, float]:
    decided, own = latencies_ms(told)
    return {
        "median_ms": round(statistics.median(decided), 2),
        "p99_ms": round(statistics.quantiles(decided, n=100)[98], 2),
        "told_median_ms": round(statistics.median(own), 2),
        "told_p99_ms": round(statistics.quantiles(own, n=100)[98], 2),
        "moves": len(decided),
    }


def levels_ms(told: list[list[dict[str, Any]]], had_at: list[float]) -> list[float]:
    """Of every turn: from the host's event until the last of the spectators has it."""
    turned_at = [event["at"] for event in told[0] if "action" in event]
    return [1000 * (had - turned) for turned, had in zip(turned_at, had_at, strict=True)]


# A relay


@contextmanager
def running_relay() -> Generator[int]:
    """Run a transit relay at a port of loopback, and return the port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    line = [sys.executable, "-m", "twisted", "transitrelay", f"--port=tcp:{port}:interface=127.0.0.1"]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)
            yield port
        finally:
            process.kill()


def dealt_s(players: int, relay: int | None = None) -> float:
    """Return the seconds from the full table to the last hand."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        table = Table(folder, stack, players, relay)
        peers = [table.host, *(table.join(seat) for seat in range(2, players + 1))]
        return max(_dealt_s(peer) for peer in peers)


def _dealt_s(peer: subprocess.Popen[str]) -> float:
    assert peer.stdout is not None
    return float(next(event["seconds"] for event in map(json.loads, peer.stdout) if event["event"] == "dealt"))


def relay_against_direct() -> Figures:
    """Measure in turns, so that both meet the same machine."""
    with running_relay() as port:
        medians = [tuple(moves(game(4, relay=way)[0])["median_ms"] for way in (None, port)) for _ in range(ROUNDS)]
        dealt = [(dealt_s(12), dealt_s(12, port)) for _ in range(ROUNDS)]
    return {"relay_4": _ratio("ms", medians), "relay_12": _ratio("s", dealt)}


def _ratio(unit: str, pairs: Sequence[tuple[float, ...]]) -> dict[str, float]:
    direct, relayed = (statistics.median(each) for each in zip(*pairs, strict=True))
    ratio = statistics.median(by_relay / without for without, by_relay in pairs)
    return {f"direct_{unit}": round(direct, 2), f"relay_{unit}": round(relayed, 2), "ratio": round(ratio, 3)}


# Local bots


def setting_up(until: str, *command: object) -> dict[str, float]:
    """Run a command until a line of it begins so; return the seconds until then, and those of processors.

    ``dealt_s`` are the seconds from the full table to the hands, where that line is an event that says them.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"SEQP2P_HOME": home, "TERM": "dumb"}
        begun = time.monotonic()
        with subprocess.Popen(
            [sys.executable, "-m", "seqp2p", *map(str, command)],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith(until))
            seconds = time.monotonic() - begun
            tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
            children = [child for task in tasks for child in task.read_text("ascii").split()]
            processors = sum(map(processor_s, [process.pid, *map(int, children)]))
            process.terminate()
            process.stdout.read()
    dealt = {"dealt_s": round(json.loads(line)["seconds"], 2)} if line.startswith("{") else {}
    return {"s": round(seconds, 2), **dealt, "processor_s": round(processors, 2)}


# Coming back


class Silent(SeatKeys):
    """A seat that owes nothing: what it gave when it was there is in the others' hands."""

    def owes(self, match: Match) -> bool:  # noqa: ARG002  # as every seat has it
        return False


async def resync_s() -> float:
    """Seconds from the start of a seat that is 100 steps behind until it has them all, checked and written down."""
    game = played(2)
    agreement, keys, whole = make_agreement(2), [game.identity(seat) for seat in (1, 2)], fork(game.match)
    behind = Match(game.agreement, 2)
    for closed in game.steps[:-BEHIND]:
        for _, contribution in closed.contributions:
            behind.receive(contribution)
    caught_up = trio.Event()
    doors = [await open_listeners(Address("127.0.0.1", 0)) for _ in keys]
    places = {seat: (Address("127.0.0.1", door[0].socket.getsockname()[1]),) for seat, door in enumerate(doors, 1)}
    meshes = [
        Mesh(
            AgreedTable(make_credentials(key), agreement, seat, {3 - seat: places[3 - seat]}, door), secrets.token_bytes
        )
        for seat, (key, door) in enumerate(zip(keys, doors, strict=True), 1)
    ]

    def tell(_: object) -> None:
        if behind.number >= whole.number - 1:
            caught_up.set()

    with tempfile.TemporaryDirectory() as folder, ReplayWriter(Path(folder, "2.seqp2p"), behind) as writer:
        async with trio.open_nursery() as nursery:
            send, inbox = trio.open_memory_channel[MeshEvent](0)
            await nursery.start(meshes[0].run, MatchStore(whole), send)
            nursery.start_soon(drain, meshes[0], inbox)
            player = BotPlayer(BOTS["greedy"](random.Random(1)))
            own, files = Silent(2, keys[1], secrets.token_bytes, game.seat(2).secrets), nullcontext((writer, None))
            own.signed = game.seat(2).signed
            back = LiveGame(meshes[1], behind, own, writer.path, lambda: files)
            begun = time.monotonic()
            nursery.start_soon(back.play, player, tell)
            await caught_up.wait()
            seconds = time.monotonic() - begun
            nursery.cancel_scope.cancel()
    for door in doors:
        for listener in door:
            await trio.aclose_forcefully(listener)
    return seconds


async def drain(mesh: Mesh, inbox: trio.MemoryReceiveChannel[MeshEvent]) -> None:
    async for event in inbox:
        if isinstance(event, FirstHave):
            mesh.relay.answer_first(event.seat)


def run() -> Figures:
    figures: Figures = {}
    for bots in LOCAL_BOTS:
        play = "play", "--bots", bots, "--name", "p1"
        figures[f"play_{bots}"] = min((setting_up("your hand", *play) for _ in range(ROUNDS)), key=itemgetter("s"))
    demo = "demo", "--players", 12, "--pace", 60, "--json"
    dealt = (setting_up('{"event": "dealt"', *demo) for _ in range(ROUNDS))
    figures["demo_12"] = min(dealt, key=itemgetter("dealt_s"))
    alone: list[dict[str, float]] = []
    crowded: list[dict[str, float]] = []
    level_ms: list[float] = []
    for _ in range(ROUNDS):
        # In turns, so that both meet the same machine.
        alone.append(moves(game(4)[0]))
        watched = game(4, SPECTATORS)
        crowded.append(moves(watched[0]))
        level_ms += levels_ms(*watched)
    figures["move_4"], best = (min(each, key=itemgetter("median_ms")) for each in (alone, crowded))
    told, _ = game(12)
    figures["move_12"] = moves(told)
    ends = [event for events in told for event in events if event["event"] == "over"]
    figures["resync"] = {"s": round(statistics.median(trio.run(resync_s) for _ in range(3)), 3), "steps": BEHIND}
    figures["memory"] = {
        "rss_mb": round(max(event["rss_mb"] for event in ends), 1),
        "peak_mb": round(max(event["peak_mb"] for event in ends), 1),
    }
    ratio = best["median_ms"] / figures["move_4"]["median_ms"]
    figures["spectators"] = {"count": SPECTATORS, "median_ms": best["median_ms"], "ratio": round(ratio, 3)}
    figures["level"] = {
        "median_ms": round(statistics.median(level_ms), 1),
        "worst_ms": round(max(level_ms), 1),
        "periods": round(max(level_ms) / (1000 * ASK_S), 2),
        "turns": len(level_ms),
    }
    return figures | relay_against_direct()
