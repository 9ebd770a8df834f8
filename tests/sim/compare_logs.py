"""Record what comes to every peer of simulated games in one tree, feed this log to the peers of two, and compare.

    python -m tests.sim.compare_logs ../before . --games 2000

Games are recorded in the first tree: what came to each peer, from whom, when. Then each peer of the second tree gets
the same bytes at the same times, with no other peer there. What it signs, chooses and throws for itself follows from
the seed. Compared are its record, its events with their times, its blame and evidence, and all that a seat sends to
others (what spectators ask and are sent has changed on purpose); ``order`` is that of events and frames, which is all
that differs where several happen at one moment. Every tenth log is fed to the first tree too, which has to do
just what it did in the game. Exit code 1: it did not.

This file runs with the program of either tree, so it imports only names that both have.
"""

import argparse
import dataclasses
import hashlib
import json
import subprocess
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from unittest import mock

from seqp2p.net.errors import PeerRefused
from tests.sim import lan as lan_module
from tests.sim import wires
from tests.sim.faults import FIRST_SPECTATOR, draw_plan, draw_watching
from tests.sim.lan import TooLong, VirtualLan
from tests.sim.soak import game_of

_NO_LINK: Final = 0
_Sent: TypeAlias = dict[int, list[tuple[float, int, bytes]]]


class Entry(NamedTuple):
    """Something that comes to a peer, at a virtual time.

    ``kind``: ``frame`` (no bytes: the other side has closed), ``broken``, ``accepted`` (the bytes name the game that a
    spectator comes for), ``dialled`` (a link is made: its bytes may come before the answer), ``answered`` (to a dial;
    the bytes are the code of a refusal).
    """

    at_s: float
    receiver: int
    sender: int
    kind: str
    link: int
    data: str


class _Unwatched:
    """No invariants are checked: a soak does that."""

    def __init__(self, players: int, spectators: int) -> None:
        self.honest = frozenset(range(1, players + 1))
        self.spectators = frozenset(range(FIRST_SPECTATOR, FIRST_SPECTATOR + spectators))

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_arguments: None


# Recording.


class _LoggedNetwork(wires.Network):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.log: list[Entry] = []
        self.hellos: dict[tuple[int, int], bytes] = {}
        self._links = 0

    def note(self, receiver: int, sender: int, kind: str, link: int, data: bytes) -> None:
        self.log.append(Entry(self.now, receiver, sender, kind, link, data.hex()))

    def link(self, one: int, host: Any, other: int, other_host: Any) -> tuple[Any, Any]:
        here, there = super().link(one, host, other, other_host)
        for end in (here, there):
            self._links += 1
            vars(end).update(name=self._links, log=self)
        self.note(one, other, "dialled", vars(here)["name"], b"")
        self.note(other, one, "accepted", vars(there)["name"], self.hellos[one, other])
        return here, there


class _LoggedEnd(wires.End):
    name: int
    log: _LoggedNetwork

    def deliver(self, data: bytes) -> None:
        if self.open:
            self.log.note(self.own, self.seat, "frame", self.name, data)
        super().deliver(data)

    def broken(self) -> None:
        if self.open:
            self.log.note(self.own, self.seat, "broken", self.name, b"")
        super().broken()


class _LoggedLan(VirtualLan):
    network: Any

    def dial(self, process: Any, seat: int, answered: Callable[[Any], None], hello: bytes = b"") -> None:
        own = process.number

        def note(answer: Any) -> None:
            link = answer.name if isinstance(answer, _LoggedEnd) else _NO_LINK
            code = answer.code.encode() if isinstance(answer, PeerRefused) else b""
            self.network.note(own, seat, "answered", link, code)
            answered(answer)

        self.network.hellos[own, seat] = hello
        super().dial(process, seat, note, hello)


# Feeding.


class _Nowhere:
    """The network of fed peers: it counts what they send."""

    def __init__(self, agenda: Any) -> None:
        self._agenda = agenda
        self.sent: _Sent = defaultdict(list)

    @property
    def now(self) -> float:
        return float(self._agenda.now)

    def carry(self, end: wires.End, data: bytes) -> None:
        end.under_way -= len(data)
        self.sent[end.own].append((self.now, end.seat, data))

    def arrived(self, seat: int, data: bytes) -> None:
        """Do nothing: the log, and not this network, says what a peer has received."""


class _FedLan(VirtualLan):
    def feed(self, log: list[Entry]) -> None:
        self.nowhere: Any = _Nowhere(self.agenda)
        self.unfit = 0
        self._links: dict[int, wires.End] = {}
        self._dialled: dict[tuple[int, int], deque[tuple[Any, Callable[[Any], None]]]] = defaultdict(deque)
        for entry in log:
            self.agenda.at(entry.at_s, partial(self._happen, entry))

    def dial(self, process: Any, seat: int, answered: Callable[[Any], None], hello: bytes = b"") -> None:
        del hello
        self._dialled[process.number, seat].append((process, answered))

    def _happen(self, entry: Entry) -> None:
        data, end = bytes.fromhex(entry.data), self._links.get(entry.link)
        match entry.kind:
            case "dialled":
                dialler: Any = self.peers.get(entry.receiver) or self.spectators[entry.receiver]
                self._link(entry, dialler.process)
            case "accepted":
                self._accept(entry, data)
            case "answered":
                self._answer(entry, data)
            case _ if end is None or not end.open:
                self.unfit += 1
            case "frame":
                end.deliver(data)
            case _:
                end.broken()

    def _accept(self, entry: Entry, hello: bytes) -> None:
        process: Any = self.peers[entry.receiver].process
        if process is None or not process.alive or process.mesh.turns_away(entry.sender, hello):
            self.unfit += 1
            return
        process.mesh.adopt(self._link(entry, process))

    def _answer(self, entry: Entry, code: bytes) -> None:
        dialled = self._dialled[entry.receiver, entry.sender]
        while dialled and not dialled[0][0].alive:
            dialled.popleft()
        if not dialled:
            self.unfit += 1
            return
        _, answered = dialled.popleft()
        if code:
            answered(PeerRefused(code.decode()))
        else:
            answered(self._links.get(entry.link))

    def _link(self, entry: Entry, process: Any) -> wires.End:
        end = self._links[entry.link] = wires.End(self.nowhere, entry.receiver, entry.sender, process)
        return end


# Both.


def _lan(kind: type[Any], seed: int) -> Any:
    game = game_of(seed)
    spectators = max(game.spectators, seed % 2)
    plan = draw_plan(seed, game.players, game.kinds)
    plan = dataclasses.replace(plan, faults=plan.faults + draw_watching(seed, spectators, game.kinds))
    lan = kind(game.players, seed, plan, spectators=spectators)
    lan.witness = _Unwatched(game.players, spectators)
    return lan


def record(seed: int) -> dict[str, Any]:
    """Play a seed; return the log, and what came of the peers."""
    with mock.patch.object(wires, "End", _LoggedEnd), mock.patch.object(lan_module, "Network", _LoggedNetwork):
        lan = _lan(_LoggedLan, seed)
        sent: _Sent = defaultdict(list)
        lan.network.watch = lambda own, seat, data: sent[own].append((lan.agenda.now, seat, data))
        lan.run()
    return {"seed": seed, "log": lan.network.log, "peers": dict(_peers(lan, sent))}


def feed(line: dict[str, Any]) -> dict[str, Any]:
    """Feed a log to the peers of this tree; return what came of them."""
    lan = _lan(_FedLan, line["seed"])
    lan.feed([Entry(*entry) for entry in line["log"]])
    too_long = False
    try:
        lan.run()
    except TooLong:
        too_long = True
    return {"peers": dict(_peers(lan, lan.nowhere.sent)), "unfit": lan.unfit, "too_long": too_long}


def _peers(lan: Any, sent: _Sent) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, peer in {**lan.peers, **lan.spectators}.items():
        result, faulted = peer.result, getattr(peer, "faulted", [])
        events = [(at_s, repr(dataclasses.astuple(event))) for at_s, event in peer.events]
        # The other side's end of a link is not a frame. Spectators and their host speak otherwise on purpose.
        frames = [each for each in sent[number] if each[2] and max(number, each[1]) < FIRST_SPECTATOR]
        yield (
            str(number),
            {
                "lives": peer.lives,
                "record": hashlib.sha256(peer.record).hexdigest(),
                "result": None if result is None else [result.kind, list(result.winners)],
                "reason": peer.gone if result is None else result.reason,
                "state": [peer.state, peer.steps],
                "proven": [] if peer.match is None else sorted(peer.match.proven),
                "blamed": [seat for seat, _ in faulted],
                "events": _hash(sorted(events)),
                "sent": _hash(sorted(frames)),
                "order": _hash((events, frames)),
            },
        )


def _hash(what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()


# The two trees.


class _Child:
    """A process with the program of a tree: for each line that goes in, one comes out."""

    def __init__(self, tree: Path, work: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, work],  # -P: trio must not import outcome.py of this folder
            # The old tree sends some things in the order of a set: the order has to be the same each time.
            env={"PYTHONPATH": str(tree.resolve()), "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def does(self, line: str) -> str:
        assert self._process.stdin, "a pipe"
        assert self._process.stdout, "a pipe"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return self._process.stdout.readline()


def compare(old: Path, new: Path, seeds: Sequence[int]) -> Iterator[tuple[int, str, list[str]]]:
    """Record each seed, and feed its log to the new tree, each tenth to the old one too. Yield the differences."""
    recorder, feeds = _Child(old, "record"), {"new": _Child(new, "feed"), "old": _Child(old, "feed")}
    for seed in seeds:
        line = recorder.does(f"{seed}\n")
        for tree, child in feeds.items():
            if tree == "new" or seed % 10 == 0:
                yield seed, tree, list(differences(json.loads(line), json.loads(child.does(line))))


def differences(game: dict[str, Any], fed: dict[str, Any]) -> Iterator[str]:
    if fed["unfit"] or fed["too_long"]:
        yield f"unfit: {fed['unfit']}, too long: {fed['too_long']}"
    for number, peer in game["peers"].items():
        parts = [part for part in peer if peer[part] != fed["peers"][number][part]]
        if parts:
            yield f"{number} ({peer['lives']} lives): {' '.join(parts)}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Feed the logs of simulated games to the peers of two trees.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    sums = Counter[str]()
    for seed, tree, found in compare(
        chosen.old, chosen.new, range(chosen.first_seed, chosen.first_seed + chosen.games)
    ):
        sums[f"logs to the {tree} tree"] += 1
        sums[f"differences of the {tree} tree"] += bool(found)
        if found:
            print(f"seed {seed}, {tree} tree", *found, sep="\n  ", flush=True)
    print(*(f"{what}: {number}" for what, number in sums.items()), sep="\n")
    return 1 if sums["differences of the old tree"] else 0


_WORK: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {"record": record, "feed": feed}

if __name__ == "__main__":
    if sys.argv[1] not in _WORK:
        sys.exit(main())
    for given in sys.stdin:
        print(json.dumps(_WORK[sys.argv[1]](json.loads(given))), flush=True)
