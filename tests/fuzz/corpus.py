"""Where fuzzing starts from: a few right inputs of every kind for each target, from the vectors and the golden replays.

``python -m tests.fuzz.corpus`` writes them again, the same bytes each time. Files called found-… are inputs that once
showed a fault; nothing writes them again.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import trio
from cryptography.hazmat.primitives import serialization

from seqp2p.lobby.address_statement import make_statement
from seqp2p.lobby.adverts import SeatAdvert, TableAdvert
from seqp2p.lobby.lines import LinePayload
from seqp2p.match.ballots import Wish
from seqp2p.match.contribution import Contribution
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.net import tls
from seqp2p.net.addresses import Address
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.messages import Have, Ping, Sit, Watch, encode_message
from seqp2p.replay.format import MAGIC, StepRecord, records
from seqp2p.replay.sidecar import Logged
from seqp2p.rules import format_action
from tests.fuzz.door import honest_words
from tests.fuzz.kept import CORPUS, ROOT
from tests.fuzz.targets import TARGETS, game
from tests.net.test_messages import SAMPLES
from tests.net.tools import identity as numbered
from tests.protocol.reading import read
from tests.rules.test_notation import TEXT
from tests.table import fork, identity, match_at

# No file of a corpus is larger, so that a fuzzer changes what matters.
FILE_MAX: Final = 2_500

Named = Iterator[tuple[str, bytes]]


def frames() -> Named:
    yield "two", b"\3" + encode_message(Ping()) + encode_message(Have(57, (1, 3)))
    yield "too-large", b"\1" + encode_message(Ping()) + b"\0\1\0\0abc"
    yield "cut", b"\0" + encode_message(Ping())[:-2]


def messages() -> Named:
    for sample in SAMPLES:
        yield type(sample).__name__.lower(), encode_message(sample)[HEADER_SIZE:]


def _words_of(match: Match) -> Named:
    """Other things than contributions that seats sign in this match."""
    two, three = (game().seat(seat) for seat in (2, 3))
    yield "ballot", two.ballot(match, 1, Wish("skip", frozenset({1})), "late").payload
    yield "ballot-drop", three.ballot(match, 2, Wish("drop", frozenset({1})), "absent").payload
    yield "leave", two.leave(match).payload
    yield "remark", two.say(match, "the fox is mine")[0]
    yield "courtesy", three.say(match, "good luck")[0]


def signed() -> Named:
    """One contribution of each kind, and what else seats of the table may sign."""
    seen: set[str] = set()
    for number, step in enumerate(game().steps, 1):
        match = match_at(game(), number)
        if match.kind not in {None, "shuffle", *seen}:
            seen.add(str(match.kind))
            yield f"{match.kind}", step.contributions[-1][1].payload
    turn = match_at(game(), game().step_of("turn", 3))
    yield from _words_of(turn)
    after = fork(turn)
    for _, held in game().steps[turn.number - 1].contributions:
        after.receive(held)
    for head in game().seat(2).heads(after):
        yield "head", head.payload


def payloads() -> Named:
    yield from signed()
    yield "agreement", game().agreement
    yield "here", make_statement(numbered(2), bytes(32), 1, [Address("10.0.0.2", 4610)]).payload
    yield "line", encode(LinePayload(1, bytes(32), identity(1, game().seed).public, 1, "good luck"))
    for name in ("ballots", "remarks", "option_contributions"):
        for number, vector in enumerate(read(name)["vectors"]):
            data = bytes.fromhex(vector["in"].get("payload", ""))
            if vector["expect"] != "ok" and number % 4 == 0 and 0 < len(data) < FILE_MAX:
                yield f"{name}-{number}", data


def replay() -> Named:
    for path in sorted((ROOT / "protocol/replays").glob("*.seqp2p")):
        data = path.read_bytes()
        if 0 < len(data) < FILE_MAX:
            yield path.stem, data
    golden = (ROOT / "replays/kids-3.seqp2p").read_bytes()
    third = list(records(golden))[2]
    yield "kids-3-begun", golden[: third.end]
    rest = (golden[each.start : each.end] for each in records(golden) if not isinstance(each.record, StepRecord))
    yield "kids-3-without-steps", MAGIC + b"".join(rest)


def sidecar() -> Named:
    for name, payload in signed():
        kind: Any = "ballot" if name == "ballot-drop" else "remark" if name == "courtesy" else name
        if kind in {"ballot", "head", "leave", "remark"}:
            yield f"logged-{name}", encode(Logged(kind, payload, bytes(64)))
    first = game().contribution(1, 1)
    yield "logged-contribution", encode(Logged("contribution", first.payload, first.signature))
    said = Contribution(*game().seat(2).say(match_at(game(), 1), "hello"))
    yield "logged-first-remark", encode(Logged("remark", said.payload, said.signature))


def notation() -> Named:
    moves = dict.fromkeys(vector["in"].get("action", "pass") for vector in read("moves")["vectors"])
    for number, text in enumerate(list(moves)[:24]):
        yield f"move-{number}", text.encode()
    for name in ("QH", "cat", "e5", "a5-e5", "call 3", "JC e5 e1-e5 a5-e5"):
        yield name.replace(" ", "-").lower(), name.encode()


def positions() -> Named:
    positions = list(dict.fromkeys(vector["in"].get("position", "") for vector in read("moves")["vectors"]))
    for number, text in enumerate(positions[::3]):
        yield f"position-{number}", text.encode()
    yield "game", TEXT.encode()


def bots() -> Named:
    """Answers to the view of a turn of kids, some of them legal."""
    match = match_at(game(), game().step_of("turn", 2))
    seen = game().seat(min(match.awaited)).view(match)
    actions = [format_action(seen.variant, action) for action in seen.legal[:2]]
    choices = [{"type": "choice", "id": number, "action": action} for number, action in enumerate(actions, 1)]
    lines = [json.dumps(choice).encode() + b"\n" for choice in choices]
    yield "two", b"\7" + b"".join(lines)
    yield "one-cut", b"\0" + lines[0][:-9]
    yield "rubbish", b"\0hello\n{}\n[1]\n\n" + lines[1]
    yield "escapes", b'\0{"type": "choice", "id": 1, "action": "\\u001b[2J \\ud83d\\ude00"}\n{"\\u202e": 1e400}\n'


def words() -> Named:
    texts = (
        *("7-amber-falcon", " 07 Amber  FALCON", "7amber_falkon"),
        *("192.168.1.5:4610", "[fd00::2]:4000", "fd00::2", "table.lan:0"),
        *("ann 2", "José 小 🦊", "\x1b[31mred\u202e"),
    )
    for number, text in enumerate(texts):
        yield f"text-{number}", text.encode()


def certificate() -> Named:
    for number in (1, 2):
        yield f"certificate-{number}", tls._certificate(numbered(number)).public_bytes(serialization.Encoding.DER)


def adverts() -> Named:
    for name, advert in (
        ("table", TableAdvert(7, "ann", "kids", 3, 2)),
        ("playing", TableAdvert(99, "José 🦊", "classic", 12, 0, "playing")),
        ("seat", SeatAdvert("66687aadf862bd77", 3)),
    ):
        items = [f"{key}={value}".encode() for key, value in advert.properties().items()]
        yield name, b"".join(bytes([len(item)]) + item for item in items)


def door() -> Named:
    joiner = trio.run(honest_words, Sit("ann"))
    yield "joiner", b"\5" + joiner
    yield "spectator", b"\0" + trio.run(honest_words, Watch("ann"))
    yield "proof-alone", b"\0" + joiner[: HEADER_SIZE + int.from_bytes(joiner[:HEADER_SIZE], "big")]


def main() -> None:
    """For each target, what the function of its name makes here."""
    for target in TARGETS:
        make: Callable[[], Named] = globals()[target]
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if not path.name.startswith("found-"):
                path.unlink()
        for name, data in make():
            assert len(data) <= FILE_MAX, (target, name, len(data))
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
