"""Verifying on a Dask cluster. Its workers are sent the bytes of the files, and need no file system of ours.

The cluster is trusted: it sends pickles, which can run code here, and nothing proves a verdict. The checks find
mistakes: workers whose code is in another state refuse, and a verdict is JSON that is decoded strictly.

A future of ``distributed`` waits for ever if its cluster has no worker, so each wait here is short, and asks the
scheduler for its workers in between. The bytes that are under way are bounded by the cluster's threads.
"""

import contextlib
import functools
import hashlib
import importlib
import logging
import re
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from seqp2p import __version__
from seqp2p.api.many import FILES_AHEAD, Named, bytes_of, verify_data
from seqp2p.errors import FAILED, NOT_CONNECTED, USAGE, UserError
from seqp2p.i18n import message, message_of, received, sent
from seqp2p.match.table import check_settings
from seqp2p.net.interfaces import is_loopback
from seqp2p.replay.verify import Report

PACKAGE: Final = Path(__file__).parents[1]
ADDRESS: Final = re.compile(r"((tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}")
CONNECT_S: Final = 4
"""With the time below it is under ten seconds until a cluster that cannot verify is reported."""
WITHOUT_WORKERS_S: Final = 5
ASK_S: Final = 1
ANSWER_S: Final = 5
CLOSE_S: Final = 3


class Unable(Exception):
    """The cluster answers, but not with a report: one sentence for the user."""


class Lost(Exception):
    """The cluster verifies no more: one sentence for the user."""


class Unanswered(Exception):
    """Nothing is at the address, or another program."""


@dataclass
class _Watch:
    """The workers of a cluster: ``note`` is told of each lost one."""

    client: Any
    note: Callable[[str], None]
    threads: dict[str, int] = field(default_factory=dict[str, int])
    asked: float = field(default_factory=time.monotonic)
    seen: float = field(default_factory=time.monotonic)

    def ask(self) -> None:
        """Ask the scheduler for its workers. Raises Lost if there has been none for a while."""
        try:
            # Without a time limit a scheduler that hangs would be waited for as long.
            now: dict[str, int] = self.client.sync(
                lambda: self.client.nthreads(asynchronous=True), callback_timeout=ANSWER_S
            )
        except (OSError, AttributeError):  # No answer, or a client that has given up.
            raise Lost(message("its scheduler does not answer")) from None
        self.asked = time.monotonic()
        for lost in sorted(self.threads.keys() - now.keys()):
            self.note(message("a worker of the cluster is lost: {address}", address=lost))
        self.threads = dict(now)
        if now:
            self.seen = self.asked
        elif self.asked - self.seen > WITHOUT_WORKERS_S:
            raise Lost(message("it has no workers"))

    def result(self, named: Named, future: Future[bytes], killed: type[Exception]) -> Report:
        """Wait for a report. Raises Lost and Unable."""
        while not future.done():
            if time.monotonic() - self.asked > ASK_S:
                self.ask()
            wait([future], ASK_S)
        if future.cancelled():
            raise Lost(message("its scheduler has ended"))
        match future.exception():
            case killed():
                raise Lost(message("each worker that was to verify {file} has been killed", file=named.path))
            case OSError() as error:
                raise Lost(str(error))
            case BaseException() as error:
                raise Unable(message_of(error) or type(error).__name__)
            case None:
                pass
        try:
            return decode_report(future.result())
        except ValueError as error:
            raise Unable(message_of(error)) from None


def verify_on_cluster(
    files: Iterable[Named], address: str, note: Callable[[str], None]
) -> Generator[tuple[Named, Report]]:
    """Yield the files with their reports, in order, by the workers of the Dask cluster at this address.

    ``note`` is told of lost workers, and of an unencrypted address beyond loopback. If the cluster
    is lost, the reports that are here by then are the last ones. Raises UserError.
    """
    distributed = _distributed()
    with _quiet(), _connected(distributed, address, note) as client:
        watch = _Watch(client, note)
        try:
            watch.ask()
            while not watch.threads:
                time.sleep(0.1)
                watch.ask()
        except Lost as lost:
            text = message("the cluster at {address} cannot verify: {reason}", address=address, reason=message_of(lost))
            hint = message("start a worker with: {command}", command=f"dask worker {address}")
            raise UserError(text, hint, NOT_CONNECTED) from None
        waiting = deque[tuple[Named, Future[bytes]]]()
        with _ending(client) as executor:
            try:
                for named in files:
                    waiting.append((named, _sent(executor, named)))
                    while len(waiting) > FILES_AHEAD * sum(watch.threads.values()):
                        yield _first(waiting, watch, distributed)
                while waiting:
                    yield _first(waiting, watch, distributed)
            except Unable as error:
                yield from _done(waiting)
                text = message("the cluster cannot verify replays: {reason}", reason=message_of(error))
                hint = message("its workers must run the same seqp2p code: {state}", state=code_state())
                raise UserError(text, hint, FAILED) from None
            except Lost as lost:
                yield from _done(waiting)
                text = message("the cluster is lost: {reason}", reason=message_of(lost))
                hint = message("without the cluster this machine verifies them")
                raise UserError(text, hint, NOT_CONNECTED) from None


def _first(waiting: deque[tuple[Named, Future[bytes]]], watch: _Watch, distributed: Any) -> tuple[Named, Report]:
    named, future = waiting[0]
    report = watch.result(named, future, distributed.KilledWorker)
    waiting.popleft()
    return named, report


def _done(waiting: Iterable[tuple[Named, Future[bytes]]]) -> Iterator[tuple[Named, Report]]:
    """Yield the reports that are here."""
    for named, future in waiting:
        if future.done() and not future.cancelled() and future.exception() is None:
            with contextlib.suppress(ValueError):
                yield named, decode_report(future.result())


def verify_for(state: str, data: bytes) -> bytes:
    """Verify on a worker, and return the report in JSON.

    Raises ImportError if its code is in another state: it may judge in another way.
    """
    if state != code_state():
        raise ImportError(f"seqp2p {code_state()}")
    return encode_report(verify_data(data))


@functools.cache
def code_state() -> str:
    """Return the version and a digest of the package's modules, as ``0.1.0+0123456789abcdef``."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name, data = path.relative_to(PACKAGE).as_posix().encode(), path.read_bytes()
        digest.update(b"%d %s %d " % (len(name), name, len(data)) + data)
    return f"{__version__}+{digest.hexdigest()[:16]}"


def encode_report(report: Report) -> bytes:
    """Return a report in JSON. A reason that is a message keeps its template and values."""
    return msgspec.json.encode(report, enc_hook=sent)


def decode_report(data: object) -> Report:
    """Return the report that a worker has sent. Raises ValueError if ``encode_report`` writes none such."""
    try:
        plain = msgspec.json.decode(cast("bytes", data), type=Report)
        report = replace(
            plain,
            reason=plain.reason and received(plain.reason),
            result=plain.result and replace(plain.result, reason=received(plain.result.reason)),
            cheats=tuple(replace(cheat, reason=received(cheat.reason)) for cheat in plain.cheats),
        )
        if _fits(report) and encode_report(report) == data:
            return report
    except (TypeError, ValueError, RecursionError):  # Those of msgspec, too.
        pass
    raise ValueError(message("a verdict is malformed"))


def _fits(report: Report) -> bool:
    """Return True if the parts of a report fit each other. Raises ValueError for a key or a table that is none."""
    for player in report.players:
        bytes.fromhex(player.key)
    if report.settings is not None:
        check_settings(report.settings)
    result, seats = report.result, [player.seat for player in report.players]
    named = {cheat.seat for cheat in report.cheats}.union(report.awaited, result.winners if result else ())
    named |= set[int]() if report.seat is None else {report.seat}
    is_won = result is not None and result.kind in {"won", "forfeit"}
    has_winners = result is not None and bool(result.winners)
    has_result = result is not None or report.verdict != "verified"
    return has_result and is_won == has_winners and seats == [*range(1, len(seats) + 1)] and named <= {*seats}


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        text = message("a Dask cluster needs a package that is not installed: {package}", package="distributed")
        hint = message("install it with: {command}", command="pip install 'seqp2p[dask]'")
        raise UserError(text, hint, USAGE) from None


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Keep back the log and the warnings of ``distributed``: the errors here have a sentence of their own."""
    logging.disable()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="distributed")
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def _is_here(address: str) -> bool:
    """Return True for an address of this machine alone."""
    host = address.rpartition("//")[2].rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or is_loopback(host)
    except ValueError:
        return False


@contextlib.contextmanager
def _connected(distributed: Any, address: str, note: Callable[[str], None]) -> Generator[Any]:
    """A client of the scheduler at this address. Raises UserError."""
    hint = message("the address is that of its scheduler, like tcp://HOST:8786")
    if not ADDRESS.fullmatch(address):
        raise UserError(message("not an address of a Dask cluster: {address}", address=address), hint, USAGE)
    secured = address.startswith(("tls:", "wss:"))
    if secured and distributed.Security().get_connection_args("client")["ssl_context"] is None:
        text = message("Dask has no certificates for {address}", address=address)
        raise UserError(text, message("name them in its configuration: {name}", name="distributed.comm.tls"), USAGE)
    if not secured and not _is_here(address):
        note(
            message(
                "{address} is not encrypted: others on the way can change verdicts and run code here", address=address
            )
        )
    opened: Future[Any] = Future()
    threading.Thread(target=_open, args=(distributed, address, opened), daemon=True).start()
    try:
        client = opened.result(CONNECT_S + 1)
    except (Unanswered, TimeoutError) as error:
        reason = str(error).partition("\n")[0] or message("no Dask scheduler answers there")
        text = message("cannot reach the Dask cluster at {address}: {reason}", address=address, reason=reason)
        raise UserError(text, hint, NOT_CONNECTED) from None
    try:
        yield client
    finally:
        with contextlib.suppress(OSError):  # The scheduler does not answer any more.
            client.close(timeout=CLOSE_S)


def _delete(_client: object) -> None:
    """Delete a client at once."""


def _open(distributed: Any, address: str, opened: Future[Any]) -> None:
    """Connect. In a thread of its own: at the answer of another program ``distributed`` forgets its time limit."""

    def fail(_kind: object, error: BaseException | None, _trace: object) -> bool:
        if error is not None:
            opened.set_exception(Unanswered(str(error)))
        return True

    # A client that has not connected would wait for its connection again when it is deleted.
    kind = type("Client", (distributed.Client,), {"__del__": _delete})
    with contextlib.ExitStack() as failing:
        failing.push(fail)  # Bytes that are no answer raise anything, a MemoryError for one.
        opened.set_result(kind(address, timeout=CONNECT_S, set_as_default=False))


@contextlib.contextmanager
def _ending(client: Any) -> Generator[Executor]:
    """An executor whose futures are cancelled at the end."""
    executor = client.get_executor(pure=False)  # Else it would hash all the bytes to name a task.
    try:
        yield executor
    finally:
        if client.status == "running":
            executor.shutdown(wait=False)


def _sent(executor: Executor, named: Named) -> Future[bytes]:
    """Return the answer to come on what a file holds now; on one that cannot be read it is there at once."""
    data = bytes_of(named)
    if not isinstance(data, Report):
        return executor.submit(verify_for, code_state(), data)
    known: Future[bytes] = Future()
    known.set_result(encode_report(data))
    return known
