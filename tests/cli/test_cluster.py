"""Verifying on a Dask cluster: a made-up one with every failure, and a real one where it is installed."""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import msgspec
import pytest

from seqp2p import __version__
from seqp2p.api import cluster as on_cluster
from seqp2p.api.cluster import code_state, decode_report, encode_report, verify_for, verify_on_cluster
from seqp2p.api.many import Named, of_all, verify_named
from seqp2p.cli.verdicts import KeptVerdicts
from seqp2p.errors import UserError
from seqp2p.i18n import Message, message
from seqp2p.match.events import Result
from seqp2p.replay.verify import Report, verify
from tests.cli.conftest import Cli, good, refused
from tests.cli.processes import Household
from tests.protocol.reading import REPLAYS

FAR = "tcp://far:8786"
WARNING = f"seqp2p: {FAR} is not encrypted: others on the way can change verdicts and run code here"


@pytest.fixture
def many(tmp_path: Path) -> list[Named]:
    contents = [good(), b"", good()[:-1], good()]
    files = [tmp_path / f"{number}.seqp2p" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    return [*map(Named, files), Named(tmp_path / "missing")]


# --- a made-up one


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


# --- workers


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


# --- a real one


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
