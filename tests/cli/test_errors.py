"""The event ``error``: every command that ends with one writes it, with a code of the table."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
import trio

import seqp2p
from seqp2p.api.error_codes import ERROR_CODES
from seqp2p.errors import UserError
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.errors import REFUSALS
from seqp2p.net.messages import Refused
from tests.cli.conftest import Cli
from tests.cli.documented import stream
from tests.lobby.house import LyingHost, telling

UNKNOWN = ("of_tomorrow", "older_copy")


def kinds(kind: type[UserError]) -> Iterator[type[UserError]]:
    for each in kind.__subclasses__():
        yield each
        yield from kinds(each)


def test_every_error_has_a_code_of_the_table() -> None:
    assert {kind.code for kind in kinds(UserError)} - {""} <= ERROR_CODES.keys() == seqp2p.ERROR_CODES.keys()
    assert {UserError("it broke", exit_code=code).code for code in range(1, 6)} <= ERROR_CODES.keys()


@contextmanager
def refusing(*codes: str) -> Iterator[str]:
    """A host on a socket that refuses each joiner with the next of these codes; yields the words that join it."""
    host, where, ready = LyingHost(*(telling(Refused(code, "why")) for code in codes)), list[int](), threading.Event()

    async def serve() -> None:
        (listener,) = await open_listeners(Address("127.0.0.1", 0))
        host._listener = listener  # type: ignore[assignment]  # it accepts, too
        where.append(listener.socket.getsockname()[1])
        ready.set()
        async with listener:
            with trio.move_on_after(60):
                await host.run()

    thread = threading.Thread(target=partial(trio.run, serve))
    thread.start()
    ready.wait()
    yield f"127.0.0.1:{where[0]} --code {host.code}"
    thread.join()


def test_each_refusal_over_a_socket(cli: Cli, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    codes = [*REFUSALS, *UNKNOWN]
    with refusing(*codes) as words:
        for code in codes:
            exit_code, out, err = cli("join", *words.split(), "--json", "--bot", "random", "--no-progress")
            *_, last = stream(out)
            assert (last["event"], last["code"], last["exit"]) == ("error", "refused" if code in UNKNOWN else code, 4)
            assert f"seqp2p: error: {last['reason']}" in err
            assert exit_code == 4
