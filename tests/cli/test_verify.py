"""``seqp2p verify``: one verdict for each file, and the exit code of them all."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from multiprocessing import active_children
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest

from seqp2p import __version__
from seqp2p.api import cluster as on_cluster
from seqp2p.api.cluster import code_state, decode_report, encode_report, verify_for, verify_on_cluster
from seqp2p.api.known import meet, remember
from seqp2p.api.many import Named, named_files, no_file, of_all, processes, verify_named
from seqp2p.cli.replays import describe, table_text, verify_file
from seqp2p.cli.verdicts import KeptVerdicts
from seqp2p.crypto.identity import fingerprint
from seqp2p.errors import UserError
from seqp2p.i18n import Message, message
from seqp2p.match.errors import Violation
from seqp2p.match.events import Result
from seqp2p.replay.format import MAGIC, REPLAY_SIZE_MAX, records
from seqp2p.replay.verify import Player, Report, verify
from tests.cli import documented
from tests.cli.conftest import SMALL, Cli, good, refused
from tests.cli.processes import Household, children, wait_until_gone
from tests.protocol.reading import REPLAYS
from tests.table import identity, make_settings, match_at, played, replay_of, with_body

PLAYERS = (Player(1, "ann", "00" * 32), Player(2, "bob", "11" * 32))


def changed() -> bytes:
    at = len(good()) // 2
    return good()[:at] + bytes([good()[at] ^ 1]) + good()[at + 1 :]


# Contents of a file → its verdict, and a part of the reason.
FILES: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "good": (good, "verified", ""),
    "cut": (lambda: good()[: len(good()) // 2], "unfinished", "the file ends inside a record"),
    "changed": (changed, "invalid", ""),
    "empty": (lambda: b"", "invalid", "not a seqp2p replay"),
    "newer": (lambda: b"seqp2p replay 2\n", "invalid", "of a version other than 1: a newer seqp2p may read it"),
    "escapes": (lambda: MAGIC + b"\x00\x00\x00\x08\x81\xa1t\xa4\x1b[2J", "invalid", ""),
}


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.seqp2p"
        path.write_bytes(FILES[name][0]())
        return path

    return write


@pytest.mark.parametrize("name", FILES)
def test_a_file_and_its_verdict(cli: Cli, written: Callable[[str], Path], name: str) -> None:
    _, verdict, reason = FILES[name]
    path = written(name)
    exit_code, out, err = cli("verify", path)
    first, *more = out.splitlines()
    assert first.startswith(f"{path}: {verdict}: ")
    assert reason in first
    assert (exit_code, err) == ({"verified": 0, "invalid": 3, "unfinished": 5}[verdict], "")
    assert "\x1b" not in out
    if name == "good":
        assert first.endswith(", 19 steps")
        assert [line.split("  ")[2:4] for line in more[:2]] == [["seat 1", "player 1"], ["seat 2", "player 2"]]
        assert more[2:] == [
            "    table: Sequence for Kids, 2 players",
            "    proved: 24 signatures, 2 shuffles, 19 shares, 7 moves",
        ]
    if name == "changed":
        place = next(placed.start for placed in records(good()) if placed.end > len(good()) // 2)
        assert f"    the wrong record begins at byte {place}" in more
        assert json.loads(cli("verify", "--json", path)[1])["byte"] == place


def test_several_files_have_a_line_each_and_the_worst_decides(
    cli: Cli, written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [written(name) for name in ("empty", "good", "cut", "changed")]
    code, out, err = cli("verify", SMALL / "evidence_then_drop_ok.seqp2p", *files)
    lines = out.splitlines()
    assert (code, err, len(lines)) == (3, "", 8)
    assert "broke the rules" in lines[0]  # A verdict says no offence of a game that went on.
    verdicts = ["invalid", "verified", "unfinished", "invalid"]
    for line, file, verdict in zip(lines[1:5], files, verdicts, strict=True):
        assert line.startswith(f"{file}: {verdict}: ")
    assert lines[5:7] == [lines[1], lines[4]]
    assert lines[7].startswith("5 files: 2 verified, 1 unfinished, 2 invalid, ")
    monkeypatch.setattr("seqp2p.cli.verify.AGAIN_MAX", 1)
    assert cli("verify", *files)[1].splitlines()[4:6] == [lines[1], "1 more is invalid"]
    assert [cli("verify", files[1], file)[0] for file in files[1:3]] == [0, 5]


def test_several_files_for_scripts(cli: Cli, written: Callable[[str], Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    unreadable = {
        tmp_path / "fifo": "not a file",
        tmp_path / "folder": "no replay (*.seqp2p) is in this folder",
        tmp_path / ("x" * 300): "cannot be read: File name too long",
        Path("/proc/self/mem"): "cannot be read: Input/output error",  # Nothing is mapped at its beginning.
    }
    files = [written("good"), written("cut"), *unreadable]
    exit_code, out, err = cli("verify", "--json", "--jobs", 1, *files)
    assert (exit_code, err) == (3, "")
    *events, summary = documented.stream(out)
    assert summary.pop("seconds") > 0
    assert summary == {"event": "summary", "files": 6, "verified": 1, "unfinished": 1, "invalid": 4}
    assert [event["file"] for event in events] == [str(path) for path in files]
    whole, cut, *others = events
    assert (whole["seat"], whole["evidence"], whole["byte"]) == (None, [], None)
    assert whole["proved"] == {"signatures": 24, "shuffles": 2, "shares": 19, "moves": 7}
    assert whole["table"]["variant"] == "kids"
    assert cut["step"] == cut["steps"] + 1 > 1
    assert len(cut["players"]) == 2
    assert [event["reason"] for event in others] == [*unreadable.values()]
    assert {(event["verdict"], len(event["players"])) for event in others} == {("invalid", 0)}


@pytest.mark.parametrize(("name", "code"), [("good", 5), ("changed", 3)])
def test_stopped_it_has_a_code_for_invalid_files_and_one_for_others(
    cli: Cli, written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("seqp2p.cli.verify._say", stop)
    kept = written(name).with_name("kept")
    exit_code, _, err = cli("verify", "--results", kept, written(name))
    assert kept.read_bytes().count(b"\n") == 2
    # What a person has stopped is no error, unless an invalid file was found before.
    assert (exit_code, err) == (code, f"seqp2p: {'' if code == 5 else 'error: '}stopped after 1 of 1 files\n")


@pytest.mark.process
def test_it_goes_on_with_the_verdicts_in_a_file(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.jsonl"
    files = [*map(written, ("cut", "good", "changed")), SMALL / "evidence_then_drop_ok.seqp2p", tmp_path / ("x" * 300)]
    kept.write_bytes(b'{"file":"seqp2p ver')  # Killed while it wrote the head.
    whole, early = cli("verify", *files), cli("verify", "--results", kept, files[0])
    assert (early[0], kept.read_bytes().count(b"\n")) == (5, 2)
    assert cli("verify", "--results", kept, files[0])[1] == early[1] + f"1 verdict is from {kept}\n"
    kept.write_bytes(kept.read_bytes() + b'{"replay":"00')  # Killed while it wrote.
    first = kept.read_bytes().splitlines()[:2]
    again = cli("verify", "--results", kept, "--jobs", 2, *files, written("good"))
    assert kept.read_bytes().splitlines()[:2] == first
    # A file twice is kept once, and what cannot be read is not kept.
    assert (again[0], kept.read_bytes().count(b"\n")) == (3, 5)
    monkeypatch.setattr("seqp2p.api.many.verify_data", None)
    (tmp_path / "moved.seqp2p").write_bytes(good())
    last = cli("verify", "--results", kept, *files)
    # All is as it was, but for the seconds.
    assert last[1].splitlines()[:-2] == whole[1].splitlines()[:-1]
    assert last[1].splitlines()[-1] == f"4 verdicts are from {kept}"
    assert cli("verify", "--json", "--results", kept, tmp_path / "moved.seqp2p")[0] == 0


def test_the_verdicts_in_a_file_take_no_memory(tmp_path: Path) -> None:
    kept, count = tmp_path / "kept", 2_000
    report = encode_report(verify(good())).decode()
    line = f'{{"replay":"%064d","code":"{code_state()}","report":{report}}}\n'
    kept.write_text('{"file":"seqp2p verify 1"}\n' + "".join(line % number for number in range(count)))
    verdicts = KeptVerdicts(kept)
    tracemalloc.start()
    assert list(verdicts.through([], lambda files: of_all(verify_named, files, 1))) == []
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(verdicts.places) == count
    assert now < 300 * count < len(line) * count


def test_another_version_verifies_again(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, file = tmp_path / "kept", written("good")
    cli("verify", "--results", kept, file)
    monkeypatch.setattr("seqp2p.cli.verdicts.code_state", lambda: "2.0.0+1")
    assert "from" not in cli("verify", "--results", kept, file)[1]
    assert kept.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"notes\n", "{path} is not a results file of seqp2p verify"),
        (MAGIC, "{path} is not a results file of seqp2p verify"),
        (b"{}\n", "{path} is not a results file of seqp2p verify"),
        (b'{"file":"seqp2p arena 1"}\n', "{path} is not a results file of seqp2p verify"),
        (b'{"file":"seqp2p verify 1"}\n{"replay":"00"}\n', "line 2 of {path} is damaged"),
        (b'{"file":"seqp2p verify 1"}\n{"replay":"","code":"CODE","report":{}}\n', "line 2 of {path} is damaged"),
    ],
)
def test_a_file_of_something_else_is_refused_and_kept(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, content: bytes, text: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(content.replace(b"CODE", code_state().encode()))
    before = kept.read_bytes()
    exit_code, error, _ = refused(cli("verify", "--results", kept, written("good")))
    assert (exit_code, error, kept.read_bytes()) == (1, text.format(path=kept), before)


def test_a_proved_cheater_is_named(cli: Cli, tmp_path: Path) -> None:
    game = played(2, "kids", 3)
    step = game.step_of("turn", 2)
    match = match_at(game, step)
    (seat,) = match.awaited
    # A turn that counts itself wrong is signed nonetheless.
    bad = with_body(game.identity(seat), game.contribution(step, seat), action="unicorn a1")
    with pytest.raises(Violation) as violation:
        match.receive(bad)
    path = tmp_path / "cheated.seqp2p"
    path.write_bytes(replay_of(match, game.seat(3 - seat), violation.value.evidence))
    exit_code, out, _ = cli("verify", path)
    assert exit_code == 5
    assert out.startswith(f"{path}: player {3 - seat} won by forfeit: ")
    assert f"player {seat} broke the rules at step {step}: " in out.splitlines()[0]
    mark = sha256(bad.payload).hexdigest()
    assert f"    evidence: what seat {seat} has signed, SHA-256 {mark}" in out.splitlines()
    verdict = json.loads(cli("verify", "--json", path)[1])
    assert (verdict["seat"], verdict["evidence"], verdict["byte"]) == (seat, [mark], None)


def test_a_cheater_is_named_in_a_game_that_went_on(cli: Cli) -> None:
    path = SMALL / "evidence_then_drop_ok.seqp2p"
    exit_code, out, _ = cli("verify", path)
    assert exit_code == 0
    (verdict,) = documented.stream(cli("verify", "--json", path)[1])
    (cheat,) = verdict["cheats"]
    assert (verdict["verdict"], verdict["seat"], verdict["evidence"]) == ("verified", None, [])
    assert len(cheat["evidence"]) == 2
    name = verdict["players"][cheat["seat"] - 1]["name"]
    words = f"{name} broke the rules at step {cheat['step']}: "
    assert [line for line in out.splitlines() if line.startswith(f"    {words}")]
    assert all(f"SHA-256 {mark}" in out for mark in cheat["evidence"])


def test_a_table_in_brief() -> None:
    assert table_text(make_settings(3)) == "Sequence, 3 players"
    chosen = make_settings(4, teams=2, advanced=True, manual_draw=True, table_talk=False, open_hands=False)
    options = "advanced, no table talk, manual draw, closed hands"
    assert table_text(chosen) == f"Sequence, 4 players in 2 teams, {options}"


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            Report("unfinished", None, PLAYERS, None, 56, "the replay ends at step 57, waiting for seat 1, seat 2", 57),
            "unfinished: the replay ends at step 57, waiting for ann, bob",
        ),
        (
            Report("invalid", None, PLAYERS, None, 3, "Object missing required field `v` - at `$.t`", 4),
            "invalid: a record is not in the form that it has in a replay (step 4)",
        ),
        (
            Report("unfinished", None, PLAYERS, None, 3, "seat 2 broke the rules at step 4: Expected `int`", 4),
            "unfinished: bob broke the rules at step 4: what it signed is not in the form that it has in a game",
        ),
        (
            Report("unfinished", None, PLAYERS, Result("forfeit", (1,), "why"), 7, "seat 2 left the table", 8),
            "ann won by forfeit: bob left the table (step 8)",
        ),
        (Report("verified", None, PLAYERS, Result("drawn"), 41), "verified: drawn: nobody has won, 41 steps"),
    ],
)
def test_a_report_in_words(report: Report, text: str) -> None:
    assert describe(report) == text


@pytest.mark.parametrize(
    ("name", "seat", "told"),
    [("leave_of_one_fail", 2, "   left the table"), ("drop_the_mover_ok", 1, "   out of the game")],
)
def test_a_seat_that_is_gone_is_named(cli: Cli, name: str, seat: int, told: str) -> None:
    seats = cli("verify", SMALL / f"{name}.seqp2p")[1].splitlines()[1:4]
    assert [number for number, line in enumerate(seats, 1) if line.endswith(told)] == [seat]
    verdict = json.loads(cli("verify", "--json", SMALL / f"{name}.seqp2p")[1])
    assert (seat in verdict["left"], seat in verdict["out"]) == ("left" in told, "out" in told)


def test_a_player_who_was_met_is_known(cli: Cli, written: Callable[[str], Path], own_home: Path) -> None:
    path, key = written("good"), identity(2, 3).public
    remember([meet(2, "bob", key, ())])
    told = cli("verify", path)[1].splitlines()
    assert f"    seat 2  player 2  {fingerprint(key)}  known as bob" in told
    verdict = json.loads(cli("verify", "--json", path)[1])
    assert [player["known"] for player in verdict["players"]] == [None, "bob"]
    (own_home / "known_players.json").write_text("?")
    exit_code, out, err = cli("verify", "--json", path)
    assert (exit_code, out.count("\n")) == (0, 1)
    assert "known players are not named: the file of known players" in err


# Verifying on a Dask cluster: a made-up one with every failure, and a real one where it is installed.


FAR = "tcp://far:8786"
WARNING = f"seqp2p: {FAR} is not encrypted: others on the way can change verdicts and run code here"


@pytest.fixture
def many(tmp_path: Path) -> list[Named]:
    contents = [good(), b"", good()[:-1], good()]
    files = [tmp_path / f"{number}.seqp2p" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    return [*map(Named, files), Named(tmp_path / "missing")]


class KilledWorker(Exception):
    """The error of distributed for a task that has ended each of its workers."""


class FakeClient:
    """The used parts of distributed.Client; its cluster is threads, or the executor ``made``."""

    addresses: ClassVar[list[str]]
    nowhere: ClassVar[BaseException | None] = None
    workers: ClassVar[list[dict[str, int]]]
    """The answers of its scheduler, the last one again and again; none is a scheduler that does not answer."""
    made: ClassVar[Executor | None] = None
    closed: ClassVar[list[float]]
    status = "running"

    def __init__(self, address: str, **_: object) -> None:
        if self.nowhere is not None:
            raise self.nowhere
        self.addresses.append(address)

    def sync(self, ask: Callable[[], dict[str, int]], callback_timeout: float) -> dict[str, int]:
        assert callback_timeout > 0
        return ask()

    def nthreads(self, *, asynchronous: bool) -> dict[str, int]:
        assert asynchronous
        if not self.workers:
            raise TimeoutError
        return self.workers.pop(0) if len(self.workers) > 1 else self.workers[0]

    def get_executor(self, *, pure: bool) -> Executor:
        assert not pure
        return self.made or ThreadPoolExecutor(2)

    def close(self, timeout: float) -> None:
        assert timeout > 0
        self.closed.append(timeout)


class Security:
    def get_connection_args(self, _: str) -> dict[str, object]:
        return {"ssl_context": self}


class Failing(ThreadPoolExecutor):
    """Its first task is done, and its others fail or return these bytes; without a failure they are never done."""

    def __init__(self, failure: BaseException | bytes | None) -> None:
        super().__init__(1)
        self.failure = failure
        self.tasks = 0

    def submit(self, *args: Any, **more: Any) -> Future[Any]:
        self.tasks += 1
        future: Future[Any] = Future()
        if self.tasks == 1:
            future.set_result(args[0](*args[1:]))
        elif isinstance(self.failure, CancelledError):
            future.cancel()
        elif isinstance(self.failure, bytes):
            future.set_result(self.failure)
        elif self.failure is not None:
            future.set_exception(self.failure)
        return future


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[FakeClient]:
    class Client(FakeClient):
        addresses: ClassVar = []
        workers: ClassVar = [{"one": 2, "other": 2}]
        closed: ClassVar = []

    module = SimpleNamespace(Client=Client, KilledWorker=KilledWorker, Security=Security)
    monkeypatch.setitem(sys.modules, "distributed", module)
    for name in ("WITHOUT_WORKERS_S", "ASK_S"):
        monkeypatch.setattr(on_cluster, name, 0.05)
    return Client


def test_a_cluster_gives_the_same_reports(cli: Cli, many: list[Named], cluster: type[FakeClient]) -> None:
    told: list[str] = []
    found = list(verify_on_cluster(many * 4, FAR, told.append))
    assert found == list(of_all(verify_named, many, 1)) * 4
    assert (cluster.addresses, len(cluster.closed), told) == ([FAR], 1, [WARNING.removeprefix("seqp2p: ")])
    code, out, err = cli("verify", "--json", "--dask", FAR, *[file.path for file in many[:3]])
    assert (code, out.count('"event": "verdict"'), err) == (3, 3, f"{WARNING}\n")
    kept = many[0].path.with_name("kept")
    for lines in (3, 0):
        cluster.made = Failing(None) if not lines else None  # The second time no file is sent.
        code, out, _ = cli("verify", "--dask", FAR, "--results", kept, *[file.path for file in many[:3]])
        assert (code, kept.read_bytes().count(b"\n"), f"3 verdicts are from {kept}" in out) == (3, 4, not lines)


@pytest.mark.parametrize(
    ("failure", "text", "exit_code"),
    [
        (ModuleNotFoundError("No module named 'seqp2p'"), "the cluster cannot verify replays: No module", 1),
        (ZeroDivisionError(), "the cluster cannot verify replays: ZeroDivisionError\n", 1),
        (KilledWorker("w"), "the cluster is lost: each worker that was to verify {file} has been killed", 4),
        (CancelledError(), "the cluster is lost: its scheduler has ended", 4),
        (OSError("gone"), "the cluster is lost: gone", 4),
        (b"", "the cluster cannot verify replays: a verdict is malformed\n", 1),
    ],
)
def test_a_cluster_that_fails(
    cli: Cli, many: list[Named], cluster: type[FakeClient], failure: BaseException | bytes, text: str, exit_code: int
) -> None:
    cluster.made = Failing(failure)
    code, out, err = cli("verify", "--dask", FAR, many[0].path, many[3].path)
    assert code == exit_code
    assert err.startswith(f"{WARNING}\nseqp2p: error: {text.format(file=many[3].path)}")
    assert "\nseqp2p: hint: " in err
    assert (f"its workers must run the same seqp2p code: {code_state()}" in err) == (exit_code == 1)
    first, last = out.splitlines()
    assert first.startswith(f"{many[0].path}: verified: ")
    assert last.startswith("1 of 2 files: 1 verified, 0 unfinished, 0 invalid, ")
    # An invalid file is the worse news.
    cluster.made = Failing(failure)
    assert cli("verify", "--dask", FAR, many[1].path, many[3].path)[0] == 3
    assert len(cluster.closed) == 2


def test_what_is_here_when_the_cluster_is_lost_is_kept(many: list[Named], cluster: type[FakeClient]) -> None:
    lost: list[str] = []
    found: list[str] = []
    cluster.made = Failing(None)
    cluster.workers = [{"one": 1, "other": 1}, {"other": 1}, {}]
    reports = verify_on_cluster([many[0], many[3], many[4]], FAR, lost.append)
    with pytest.raises(UserError, match="the cluster is lost: it has no workers") as error:
        found += (named.path.name for named, _ in reports)
    assert error.value.exit_code == 4
    assert lost[1:] == [f"a worker of the cluster is lost: {name}" for name in ("one", "other")]
    assert found == ["0.seqp2p", "missing"]


def test_a_verdict_that_a_file_has_is_counted_behind_what_a_lost_cluster_leaves_out(
    many: list[Named], cluster: type[FakeClient], tmp_path: Path
) -> None:
    path = tmp_path / "kept"
    list(KeptVerdicts(path).through(many[:1], partial(of_all, verify_named, jobs=1)))
    kept, found = KeptVerdicts(path), list[str]()
    cluster.made, cluster.workers = Failing(None), [{"one": 1}, {}]
    files = [many[1], many[2], many[0], many[4]]
    with pytest.raises(UserError, match="the cluster is lost"):
        found += (
            named.path.name
            for named, _ in kept.through(files, partial(verify_on_cluster, address=FAR, note=list[str]().append))
        )
    assert (found, kept.taken) == (["1.seqp2p", "0.seqp2p", "missing"], 1)


@pytest.mark.parametrize(
    ("nowhere", "workers", "text"),
    [
        (None, [{}], f"the cluster at {FAR} cannot verify: it has no workers"),
        (None, [], f"the cluster at {FAR} cannot verify: its scheduler does not answer"),
        (OSError("timed out"), [], f"cannot reach the Dask cluster at {FAR}: timed out"),
        # The first bytes of another program, taken for a length.
        (MemoryError(), [], f"cannot reach the Dask cluster at {FAR}: no Dask scheduler answers there"),
    ],
)
def test_no_cluster_there(
    cluster: type[FakeClient], nowhere: BaseException | None, workers: list[dict[str, int]], text: str
) -> None:
    cluster.nowhere, cluster.workers = nowhere, workers
    with pytest.raises(UserError, match=f"^{text}$") as error:
        list(verify_on_cluster([], FAR, list[str]().append))
    assert error.value.exit_code == 4
    assert ("start a worker" in error.value.hint) == (nowhere is None)
    assert len(cluster.closed) == (nowhere is None)


@pytest.mark.parametrize("address", ["http://far:80", "tcp://far", "tcp://far:8786/x", ""])
def test_no_address_of_a_cluster(cli: Cli, many: list[Named], cluster: type[FakeClient], address: str) -> None:
    exit_code, error, _ = refused(cli("verify", "--dask", address, many[0].path))
    assert (exit_code, error) == (2, f"not an address of a Dask cluster: {address}")
    assert cluster.addresses == []


def test_no_distributed_installed(cli: Cli, many: list[Named], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert refused(cli("verify", "--dask", FAR, many[0].path)) == (
        2,
        "a Dask cluster needs a package that is not installed: distributed",
        "install it with: pip install 'seqp2p[dask]'",
    )


@pytest.mark.parametrize(
    ("address", "warned"),
    [
        ("tcp://192.168.1.5:8786", True),
        ("ws://far:8786", True),
        ("tcp://localhost.far:8786", True),
        ("localhost:8786", False),
        ("tcp://[::1]:8786", False),
        ("tls://far:8786", False),
        ("wss://far:8786", False),
    ],
)
def test_a_plain_address_beyond_loopback_is_warned_of(
    many: list[Named], cluster: type[FakeClient], address: str, warned: bool
) -> None:
    told: list[str] = []
    list(verify_on_cluster(many[:1], address, told.append))
    assert ["is not encrypted" in line for line in told] == [True] * warned


def test_a_cluster_that_asks_for_certificates_is_not_joined_without(
    many: list[Named], cluster: type[FakeClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Security, "get_connection_args", lambda *_: {"ssl_context": None})
    with pytest.raises(UserError, match=r"^Dask has no certificates for tls://far:8786$"):
        list(verify_on_cluster(many[:1], "tls://far:8786", print))
    assert cluster.addresses == []


def test_a_worker_of_another_state_judges_nothing() -> None:
    assert decode_report(verify_for(code_state(), good())).verdict == "verified"
    for state in ("0", __version__, code_state()[:-1]):
        with pytest.raises(ImportError, match=re.escape(code_state())):
            verify_for(state, good())


def test_the_state_of_the_code_is_that_of_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_cluster, "PACKAGE", tmp_path)
    (tmp_path / "sub").mkdir()
    module = tmp_path / "sub" / "module.py"
    states = set[str]()
    for path, text in ((module, "a = 1"), (module, "a = 2"), (tmp_path / "b.py", ""), (tmp_path / "c.py", "")):
        path.write_text(text)
        states.add(code_state.__wrapped__())
    assert len(states) == 4
    (tmp_path / "c.pyc").write_text("no module")
    assert code_state.__wrapped__() in states
    assert all(state.startswith(f"{__version__}+") for state in states)


def test_a_report_comes_as_it_was_sent() -> None:
    cut = [verify(good()[:end]) for end in (0, len(good()) // 2, len(good()) - 1)]
    reports = [verify(good()), *cut, *(verify(path.read_bytes()) for path in REPLAYS.glob("[en]*.seqp2p"))]
    assert any(report.cheats for report in reports)
    for report in reports:
        again = decode_report(encode_report(report))
        assert again == report
        reasons = [(each.reason, *(cheat.reason for cheat in each.cheats)) for each in (report, again)]
        for one, other in zip(*reasons, strict=True):
            assert isinstance(other, Message) == isinstance(one, Message)
            assert getattr(other, "template", "") == getattr(one, "template", "")


def test_a_reason_that_cannot_be_sent_in_parts_is_sent_as_a_sentence() -> None:
    for reason in (message("{a:>5}", a=1), message("{a}", a=(1, 2)), message("{a.real}", a=1)):
        again = decode_report(encode_report(Report("invalid", reason=reason)))
        assert (again.reason, getattr(again.reason, "template", None)) == (reason, None)


PLAIN = encode_report(verify(good()))


@pytest.mark.parametrize(
    "data",
    [
        Report("verified"),
        b"",
        PLAIN + b" ",
        PLAIN.replace(b'"verdict"', b'"extra":' + b"[" * 100_000 + b',"verdict"'),
        PLAIN.replace(b'"verified"', b'"certified"'),
        PLAIN.replace(b'"verdict"', b'"extra":1,"verdict"'),
        PLAIN.replace(b'"seat":1', b'"seat":7'),
        PLAIN.replace(b'"winners":[', b'"winners":[9,'),
        PLAIN.replace(b'"key":"', b'"key":"x'),
        PLAIN.replace(b'"variant":"kids"', b'"variant":"none"'),
        encode_report(Report("verified")),
        encode_report(Report("invalid", seat=1)),
        encode_report(replace(verify(good()), result=Result("won"))),
        *(
            msgspec.json.encode(Report("invalid", reason="\0" + reason))
            for reason in (
                "[]",
                '["{a}",{"b":1}]',
                '["{a.__class__}",{"a":1}]',
                '["{a:>99999999}",{"a":1}]',
                '["{",{}]',
            )
        ),
    ],
)
def test_a_verdict_in_another_form_is_none(data: object) -> None:
    with pytest.raises(ValueError, match="a verdict is malformed"):
        decode_report(data)


@contextmanager
def dask(*arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    line = [sys.executable, "-m", "dask", *map(str, arguments)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.process
@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed: pip install '.[dask]'")
@pytest.mark.parametrize("lost", ["worker", "scheduler"])
def test_a_real_cluster_that_is_lost(people: Household, many: list[Named], tmp_path: Path, lost: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    rest = ("--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", tmp_path / "worker")
    with (
        dask("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard") as scheduler,
        dask("worker", address, *rest) as worker,
    ):
        verify = people.start("verify", "--json", "--dask", address, *[many[0].path] * 1000)
        verify.event("verdict", 2)
        (worker if lost == "worker" else scheduler).kill()
        assert verify.end() == 4
    assert 2 <= len(verify.events) < 1000
    said = [line for line in verify.err if line.startswith("seqp2p: ")]
    why = "it has no workers" if lost == "worker" else "its scheduler "
    assert any(line.startswith(f"seqp2p: error: the cluster is lost: {why}") for line in said)
    assert any("a worker of the cluster is lost: tcp://127.0.0.1:" in line for line in said) == (lost == "worker")


# The files that a name means, and verifying many of them: by this process, and by others.


IN_FOLDER = ["A/z.seqp2p", "a.seqp2p", "b.seqp2p", "deep/er/c.seqp2p"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Replays, in folders below, among other files."""
    folder = tmp_path / "games"
    others = ["notes.txt", "deep/er/seqp2p", "x.seqp2p.part"]
    for name in (*IN_FOLDER, *others):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


def names(files: list[Named], folder: Path) -> list[str]:
    return [str(named.path.relative_to(folder)) for named in files]


def test_a_folder_means_the_replays_in_it(folder: Path) -> None:
    assert names(named_files([folder]), folder) == IN_FOLDER
    several = [folder / "b.seqp2p", folder / "A", folder / "missing", folder / "notes.txt"]
    assert names(named_files(several), folder) == ["b.seqp2p", "A/z.seqp2p", "missing", "notes.txt"]


def test_links_in_a_folder_do_not_go_round(folder: Path) -> None:
    (folder / "deep" / "round").symlink_to(folder)
    (folder / "itself.seqp2p").symlink_to("itself.seqp2p")
    (folder / "linked.seqp2p").symlink_to("a.seqp2p")
    assert names(named_files([folder]), folder) == [*IN_FOLDER, "itself.seqp2p", "linked.seqp2p"]
    assert "symbolic links" in (verify_file(folder / "itself.seqp2p").reason or "")
    # A link that is named is followed.
    assert len(named_files([folder / "deep" / "round"])) == 6


def test_a_folder_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("er"):
            raise PermissionError(13, "Permission denied", str(path))
        return before(path)

    monkeypatch.setattr(os, "scandir", scandir)
    *others, closed = named_files([folder])
    assert names(others, folder) == IN_FOLDER[:-1]
    assert closed == Named(folder / "deep" / "er", no_file("cannot be read: Permission denied"))
    assert verify_named(closed) == closed.content


def test_a_pattern_in_quotes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(named_files([folder / "?.seqp2p"]), folder) == ["a.seqp2p", "b.seqp2p"]
    assert names(named_files([folder / "**" / "*.seqp2p"]), folder) == IN_FOLDER
    assert names(named_files([folder / "[Ad]*"]), folder) == ["A/z.seqp2p", "deep/er/c.seqp2p"]
    monkeypatch.chdir(folder)
    assert [str(named.path) for named in named_files([Path("*p2p")])] == ["a.seqp2p", "b.seqp2p"]
    # What nothing matches, and what is no pattern, is a file that is not there.
    for pattern in (folder / "*.replay", folder / "a**b" / "c", Path("x" * 300), Path("nul\0")):
        assert named_files([pattern]) == [Named(pattern)]
        assert verify_file(pattern).verdict == "invalid"
    # A file with such a name is that file.
    (folder / "[ab].seqp2p").write_bytes(b"")
    assert names(named_files([folder / "[ab].seqp2p"]), folder) == ["[ab].seqp2p"]


def test_a_file_larger_than_any_replay_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.seqp2p"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)
    report = verify_file(path)
    assert (report.verdict, report.reason) == ("invalid", f"larger than any replay ({REPLAY_SIZE_MAX} bytes)")
    assert report == verify(bytes(REPLAY_SIZE_MAX + 1))


@pytest.fixture
def all_kinds(tmp_path: Path) -> list[Named]:
    """Files with verdicts of all kinds, in no order."""
    contents = [good(), b"", good()[:-1], good()[: len(good()) // 2], good(), b"seqp2p replay 2\n", good() + b"!"]
    files = [tmp_path / f"{number}.seqp2p" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    os.mkfifo(tmp_path / "fifo.seqp2p")
    return [
        *map(Named, files),
        Named(tmp_path / "fifo.seqp2p"),
        Named(tmp_path / "missing"),
        Named(tmp_path, no_file("fault")),
    ]


@pytest.mark.process
def test_reports_are_the_same_by_any_number_of_processes(all_kinds: list[Named]) -> None:
    alone = list(of_all(verify_named, all_kinds, 1))
    assert [report.verdict[0] for _, report in alone] == [*"viuuviiiii"]
    assert list(of_all(verify_named, all_kinds, 2)) == alone
    assert [processes(files, None) for files in (0, 1, 5)] == [0, 1, 1]
    assert active_children() == []


@pytest.mark.process
def test_a_killed_process_is_missed(all_kinds: list[Named]) -> None:
    reports = of_all(verify_named, all_kinds * 40, 2)
    next(reports)
    active_children()[0].kill()
    with pytest.raises(UserError, match="a process that verifies has been killed") as caught:
        list(reports)
    assert caught.value.hint == "with fewer processes it takes less memory"
    assert "if __name__ == '__main__':" in caught.value.__notes__[0]
    assert active_children() == []


def test_stopped_it_says_how_far_it_came(people: Household, all_kinds: list[Named]) -> None:
    good, empty = (named.path for named in all_kinds[:2])
    verify = people.start("verify", "--json", "--jobs", 2, empty, *[good] * 1000)
    verify.event("verdict", 2)
    started = children(verify.pid)
    verify.signal(signal.SIGTERM)
    assert verify.end() == 3  # An invalid file is the worse news.
    assert len(verify.err) == 1
    assert verify.err[0].startswith("seqp2p: error: stopped after ")
    assert verify.err[0].endswith(" of 1,001 files")
    assert len(verify.events) < 1001
    wait_until_gone(started)
