"""``--log-file``: it has all that helps to find a fault, and no secret."""

import json
import logging
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.cli import log_file
from seqp2p.cli.main import exit_code_of
from seqp2p.cli.output import report_bug
from seqp2p.errors import NOT_CONNECTED, USAGE
from seqp2p.replay.sidecar import Sidecar
from seqp2p.rules import VARIANTS
from tests.cli.processes import Household
from tests.cli.test_person import Person


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("_logger", "_path"):
        monkeypatch.setattr(log_file, name, getattr(log_file, name))
    monkeypatch.setattr(logging, "raiseExceptions", logging.raiseExceptions)
    yield tmp_path / "log"
    for handler in logging.getLogger("seqp2p").handlers:
        handler.close()


def test_nothing_is_logged_without_it(tmp_path: Path) -> None:
    log_file.event({"event": "turn", "seat": 1})
    log_file.error("nothing", "", 1)
    log_file.fault(ValueError, ValueError("x"), None)
    assert log_file.path() == ""
    assert list(tmp_path.iterdir()) == []


def test_it_is_nobody_elses_and_grows(log: Path) -> None:
    log.write_text("before\n")
    log.chmod(0o644)
    log_file.start(str(log))
    log_file.event({"event": "listening", "address": "127.0.0.1:1", "code": "7-amber-falcon"})
    log_file.error("cannot join with 7-amber-falcon", "try again", 4)
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    before, begun, event, error = log.read_text("utf-8").splitlines()
    assert before == "before"
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d+ INFO seqp2p \S+, Python 3", begun)
    assert event.endswith('INFO listening {"address": "127.0.0.1:1", "code": "[redacted]"}')
    assert error.endswith("ERROR exit code 4: cannot join with [redacted]; hint: try again")


@pytest.mark.parametrize("typed", [("7", "amber", "pear"), ("7-amber-pear",), ("--code=7-amber-pear", "127.0.0.1:1")])
def test_a_mistyped_code_is_not_in_it(typed: tuple[str, ...], log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["join", *typed, f"--log-file={log}"]
    monkeypatch.setattr(sys, "argv", ["seqp2p", *words])
    assert exit_code_of(words) in {USAGE, NOT_CONNECTED}
    assert not re.search("amber|pear|polar", log.read_text("utf-8"))
    assert "which may quote a join code" in log.read_text("utf-8")


@given(st.binary(min_size=16, max_size=64))
def test_no_secret_survives_in_the_text_of_an_error(secret: bytes) -> None:
    texts = (secret.hex(), secret.hex().upper(), repr(secret), str(int.from_bytes(b"\x7f" + secret)))
    for text in texts:
        shown = log_file.redacted(f"error: <{text}> is wrong")
        assert text not in shown
        assert shown == "error: <[redacted]> is wrong"


def test_a_fault_is_told_with_where_it_was_but_without_cards(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log_file.start(str(log))
    hand, nothing = ", ".join(VARIANTS["classic"].faces), dict[object, object]()
    with pytest.raises(KeyError) as caught:
        nothing.pop((hand, bytes(range(32))))
    report_bug(KeyError, caught.value, caught.value.__traceback__)
    written = log.read_text("utf-8")
    assert "CRITICAL a fault in seqp2p itself\nTraceback (most recent call last):" in written
    assert "test_log_file.py" in written
    assert "KeyError" in written
    assert not any(re.search(rf"\b{face}\b", written) for face in VARIANTS["classic"].faces)
    assert "\\x1f" not in written
    said = capsys.readouterr().err
    assert "a fault in seqp2p itself (KeyError)" in said
    assert f"{log} has the trace" in said
    assert "Traceback" not in said


def test_a_real_game_leaves_no_secret_in_the_log(people: Household, tmp_path: Path) -> None:
    logs = [tmp_path / f"log {seat}" for seat in (1, 2)]
    host = people.host("--variant", "kids", "--closed-hands", "--log-file", logs[0], bot=None, stdin=subprocess.PIPE)
    guest = people.join(host, "--log-file", logs[1])
    host.line("^type an action")
    # Meanwhile the seats' own files hold what is secret of the game; the players' folders have their keys.
    kept = [path for who in ("host", "guest") for path in people.replays(who).glob("*.seat")]
    keys = [path.read_bytes() for who in ("host", "guest") for path in people.home(who).glob("identity*.key")]
    assert (len(kept), len(keys)) == (2, 2)
    secrets = [*keys, *(secret for path in kept for secret in secrets_in(path, tmp_path))]
    Person(host).play_on()
    assert (host.end(), guest.end()) == (0, 0)
    code = host.event("listening")["code"]
    for log, process in zip(logs, (host, guest), strict=True):
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        text = log.read_text("utf-8")
        told = [line.split(" INFO ")[1].partition(" ") for line in text.splitlines()[1:] if " INFO " in line]
        assert [name for name, _, _ in told] == [event["event"] for event in process.events]
        assert json.loads(told[-1][2])["result"] == process.events[-1]["result"]
        assert code not in text
        for secret in secrets:
            assert secret.hex() not in text.lower()
            assert str(int.from_bytes(secret)) not in text
            assert repr(secret) not in text


def secrets_in(path: Path, folder: Path) -> tuple[bytes, bytes]:
    """Return the secrets in a seat's own file, read from a copy: the file itself is held."""
    copy = folder / path.name
    copy.write_bytes(path.read_bytes())
    sidecar, secrets, _, _ = Sidecar.open(copy)
    sidecar.close()
    return secrets.secret, secrets.nonce
