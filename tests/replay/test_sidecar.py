"""The seat's own file: private, locked, whole after every crash; damage is never taken for a crash, nor shown."""

import os
import stat
import subprocess
import sys
import traceback
from itertools import accumulate
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqp2p.match.encoding import DecodeError, encode
from seqp2p.replay import disk
from seqp2p.replay import sidecar as module
from seqp2p.replay.disk import NotAFile, read_regular, write_beside
from seqp2p.replay.format import REPLAY_SIZE_MAX
from seqp2p.replay.sidecar import (
    HEADER_SIZE,
    MAGIC,
    Logged,
    SeatHeld,
    Sidecar,
    SidecarDamaged,
    SidecarError,
    SidecarFull,
    SidecarRelay,
    SidecarSecrets,
    frame,
    sidecar_path,
)

SECRET = bytes(range(100, 132))
NONCE = bytes(range(200, 232))
RELAY_SECRET = bytes(range(50, 82))
SECRETS = SidecarSecrets(
    game=bytes(32),
    agreement=b"what the table agreed to",
    seat=2,
    identity="identity-3.key",
    secret=SECRET,
    nonce=NONCE,
    listen="0.0.0.0:4610",
    addresses=(("192.0.2.1:4610", "[2001:db8::1]:4610"), ("192.0.2.2:4610",)),
    relay=SidecarRelay("relay.example.org:4001", RELAY_SECRET),
)
LOGGED = (
    Logged("contribution", b"first", b"a" * 64),
    Logged("remark", b"second " * 30, b"b" * 64),
    Logged("ballot", b"", b"\x01" * 63 + b"\0"),
)

PARTS = [MAGIC, *(frame(encode(record)) for record in (SECRETS, *LOGGED))]
DATA, ENDS = b"".join(PARTS), tuple(accumulate(map(len, PARTS)))
"""A file's bytes, and the places between its records."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sidecar_path(tmp_path / "game.seqp2p")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seats")


def opened(path: Path) -> tuple[SidecarSecrets, tuple[Logged, ...], bool]:
    sidecar, secrets, logged, torn = Sidecar.open(path)
    with sidecar:
        return secrets, logged, torn


def opened_bytes(folder: Path, data: bytes) -> tuple[SidecarSecrets, tuple[Logged, ...], bool, bytes]:
    """Open a file of these bytes; return what it gives, and the bytes afterwards."""
    path = folder / "some.seat"
    path.write_bytes(data)
    return *opened(path), path.read_bytes()


def damage(folder: Path, data: bytes) -> SidecarDamaged | None:
    """Return the error if a file of these bytes is damaged."""
    try:
        opened_bytes(folder, data)
    except SidecarDamaged as error:
        return error
    return None


def log(sidecar: Sidecar, *entries: Logged) -> None:
    for each in entries:
        sidecar.log(each.kind, each.payload, each.signature)


def test_what_is_written_is_read_and_goes_on_where_it_was(path: Path) -> None:
    """Every record is there before the call returns."""
    Sidecar.create(path, SECRETS).close()
    assert path.name == "game.seqp2p.seat"
    assert path.read_bytes() == DATA[: ENDS[1]]
    for count, each in enumerate(LOGGED):
        sidecar, secrets, logged, torn = Sidecar.open(path)
        with sidecar:
            assert (secrets, logged, torn) == (SECRETS, LOGGED[:count], False)
            log(sidecar, each)
            assert path.read_bytes() == DATA[: ENDS[count + 2]]
            sidecar.sync()
            sidecar.sync()
    assert path.read_bytes() == DATA
    assert opened(path) == (SECRETS, LOGGED, False)


def test_only_its_owner_may_read_it(path: Path) -> None:
    before = os.umask(0o000)
    try:
        with Sidecar.create(path, SECRETS):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_file_that_is_there_is_never_touched(path: Path) -> None:
    path.write_bytes(b"something dear")
    link = path.with_name("link.seat")
    link.symlink_to(path.with_name("nowhere"))
    for there in (path, link):
        with pytest.raises(FileExistsError):
            Sidecar.create(there, SECRETS)
    assert path.read_bytes() == b"something dear"
    assert not path.with_name("nowhere").exists()


def test_the_secrets_go_with_the_game(path: Path) -> None:
    with Sidecar.create(path, SECRETS) as sidecar:
        sidecar.delete()
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        Sidecar.open(path)


def test_a_seat_is_held_once(path: Path) -> None:
    """A refused process changes nothing, not even a record that was broken off."""
    with Sidecar.create(path, SECRETS), pytest.raises(SeatHeld, match="another seqp2p process holds this seat"):
        Sidecar.open(path)
    sidecar, *_ = Sidecar.open(path)
    path.write_bytes(DATA[:-3])
    with pytest.raises(SeatHeld) as held:
        Sidecar.open(path)
    assert held.value.hint
    sidecar.close()
    assert path.read_bytes() == DATA[:-3]
    assert opened(path)[0] == SECRETS


HOLD = """
import sys, time
from pathlib import Path
from seqp2p.replay.sidecar import Sidecar
held = Sidecar.open(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.mark.process
def test_a_lock_goes_with_its_process(path: Path) -> None:
    Sidecar.create(path, SECRETS).close()
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(SeatHeld):
            Sidecar.open(path)
        other.kill()
    assert opened(path)[0] == SECRETS


def test_a_seat_that_was_given_up_while_it_was_opened(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game ended between opening the file and locking it: there is no seat any more."""
    Sidecar.create(path, SECRETS).close()

    def late(_: int) -> bool:
        path.unlink()
        return True

    monkeypatch.setattr(module, "lock", late)
    with pytest.raises(FileNotFoundError, match="the game is over"):
        Sidecar.open(path)


def test_a_write_that_was_broken_off_is_dropped(folder: Path) -> None:
    """A crash cuts the file, or leaves zeros: some file systems make a file longer first."""
    near = {end + by for end in ENDS for by in range(-3, HEADER_SIZE + 3)}
    for size in [size for size in range(len(DATA) + 1) if size in near or size % 9 == 0]:
        count = sum(end <= size for end in ENDS) - 2
        # The last byte is a zero by itself.
        for zeros in (0, len(DATA) - size, 4096) if size != len(DATA) - 1 else (0,):
            if count < 0:
                assert damage(folder, DATA[:size] + bytes(zeros)) is not None
            else:
                found = opened_bytes(folder, DATA[:size] + bytes(zeros))
                assert found == (SECRETS, LOGGED[:count], size not in ENDS or zeros > 0, DATA[: ENDS[count + 1]])


def test_a_byte_that_is_changed_is_damage_unless_its_record_may_be_broken_off(folder: Path) -> None:
    for at in range(len(DATA)):
        changed = bytearray(DATA)
        changed[at] ^= 0xFF if at % 2 else 0x80
        error = damage(folder, bytes(changed))
        if error is not None:
            assert str(folder / "some.seat") in str(error)
            assert (folder / "some.seat").read_bytes() == changed
        else:
            # The last record ends in a zero by itself, like one whose end never came.
            assert at >= ENDS[-2] + HEADER_SIZE
            assert opened(folder / "some.seat") == (SECRETS, LOGGED[:-1], False)


@given(st.binary(max_size=300))
@example(b"")
@example(b"\xff" * 40)
@example(encode(LOGGED[0]))
@example(encode(SECRETS) + b"\0")
@example(b"\xdf\xff\xff\xff\xff")
@example(b"\x81" * 5000)
def test_bytes_and_records_that_this_program_does_not_write(folder: Path, data: bytes) -> None:
    for whole_file in (data, MAGIC + data, MAGIC + frame(data), DATA + frame(data + b"\0")):
        with pytest.raises(SidecarDamaged):
            opened_bytes(folder, whole_file)


def test_another_version_and_more_bytes_than_any_game_has(folder: Path) -> None:
    with pytest.raises(SidecarDamaged, match="a newer seqp2p may read it"):
        opened_bytes(folder, b"seqp2p seat 2\n" + DATA[len(MAGIC) :])
    path = folder / "large.seat"
    path.touch()
    os.truncate(path, REPLAY_SIZE_MAX + 1)
    with pytest.raises(SidecarDamaged, match="larger than"):
        Sidecar.open(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.seat")
    (tmp_path / "folder.seat").mkdir()
    (tmp_path / "real.seat").write_bytes(DATA)
    (tmp_path / "link.seat").symlink_to(tmp_path / "real.seat")
    for name in ("fifo", "folder", "link", "none"):
        with pytest.raises((OSError, SidecarError), match=name):
            Sidecar.open(tmp_path / f"{name}.seat")
    assert str(Sidecar.trouble(tmp_path / "folder.seat", ())) == "Is a directory"


def test_what_could_not_be_read_again_is_not_written(path: Path) -> None:
    with pytest.raises(DecodeError):
        Sidecar.create(path, msgspec.structs.replace(SECRETS, listen="a" * 65))
    assert not path.exists()
    with Sidecar.create(path, SECRETS) as sidecar, pytest.raises(DecodeError):
        sidecar.log("contribution", b"", b"no signature")
    assert opened(path) == (SECRETS, (), False)


def test_it_does_not_grow_without_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REPLAY_SIZE_MAX", ENDS[2])
    with Sidecar.create(path, SECRETS) as sidecar:
        log(sidecar, LOGGED[0])
        with pytest.raises(SidecarFull, match="is full"):
            sidecar.log("contribution", b"", b"c" * 64)
    assert opened(path) == (SECRETS, LOGGED[:1], False)


class Full:
    """A file on a disk that takes half of each write."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._file = sidecar._file

    def write(self, data: bytes) -> int:
        return self._file.write(data[: len(data) // 2]) or 0

    def fileno(self) -> int:
        return self._file.fileno()


def test_half_a_record_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sidecar.create(path, SECRETS) as sidecar:
        with monkeypatch.context() as patch:
            patch.setattr(sidecar, "_file", Full(sidecar))
            with pytest.raises(OSError, match="only part of a record"):
                sidecar.log("contribution", b"lost", b"c" * 64)
        log(sidecar, LOGGED[0])
    assert opened(path) == (SECRETS, LOGGED[:1], False)


@pytest.mark.parametrize("call", ["os.path.lexists", "pathlib.Path.rename"])
def test_a_file_that_cannot_be_begun_is_not_left(path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(call, refuse)
    with pytest.raises(OSError, match="no space"):
        Sidecar.create(path, SECRETS)
    assert list(path.parent.iterdir()) == []


# Each process is killed at a later one of its calls into the system, until one comes to its end.
KILLED = """
import io, os, signal, sys
from itertools import count
from pathlib import Path
from tests.replay.test_sidecar import SECRETS
from seqp2p.replay.sidecar import Sidecar

SYSTEM = {"posix", "fcntl", "_io"}

def run(path, at):
    calls = count()
    def kill(frame, event, called):
        system = event == "c_call" and (called.__module__ in SYSTEM or isinstance(called.__self__, io.IOBase))
        if system and next(calls) == at:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(kill)
    Sidecar.create(path, SECRETS).close()
    os._exit(0)

for at in count():
    folder = Path(sys.argv[1]) / str(at)
    folder.mkdir()
    (folder / "game.seqp2p").write_bytes(b"a table")
    pid = os.fork()
    if not pid:
        run(folder / "game.seqp2p.seat", at)
    if not os.waitpid(pid, 0)[1]:
        break
"""


@pytest.mark.process
def test_a_seat_that_is_killed_while_its_file_is_made_leaves_all_of_it_or_none(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path], check=True, timeout=60)
    made = [each / "game.seqp2p.seat" for each in sorted(tmp_path.iterdir(), key=lambda each: int(each.name))]
    there = [each.exists() for each in made]
    assert there == sorted(there)
    assert {True, False} == set(there[:-1]), "killed before and after"
    for each in made[there.index(True) :]:
        assert opened(each) == (SECRETS, (), False)


def test_the_folder_is_synced_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with Sidecar.create(path, SECRETS) as sidecar:
        sidecar.sync()
        sidecar.sync()
        assert synced == [False, True, False]
    monkeypatch.setattr(os, "name", "nt")
    module._sync_folder(path / "nowhere")


def shows_secrets(text: str) -> bool:
    return any(
        shown in text
        for secret in (SECRET, NONCE, RELAY_SECRET)
        for shown in (repr(secret)[2:10], secret.hex()[:8], secret.hex().upper()[:8], str(int.from_bytes(secret))[:8])
    )


def test_nothing_secret_is_in_a_repr(path: Path) -> None:
    with Sidecar.create(path, SECRETS) as sidecar:
        for each in (sidecar, SECRETS, SECRETS.relay, [SECRETS], {"a": SECRETS}):
            assert not shows_secrets(f"{each!r} {each!s}")
    assert SECRETS.relay is not None
    assert not shows_secrets(repr((SECRETS.__rich_repr__(), SECRETS.relay.__rich_repr__())))


def test_a_seat_without_a_relay_has_the_file_of_older_versions(path: Path) -> None:
    without = msgspec.structs.replace(SECRETS, relay=None)
    assert b"relay" not in encode(without)
    Sidecar.create(path, without).close()
    assert opened(path)[0] == without


@given(st.integers(0, len(encode(SECRETS)) - 1), st.integers(1, 255))
def test_nothing_secret_is_in_an_error(folder: Path, at: int, by: int) -> None:
    body = bytearray(encode(SECRETS))
    body[at] ^= by
    error = damage(folder, MAGIC + frame(bytes(body)))
    if error is not None:
        assert not shows_secrets("".join(traceback.format_exception(error)))
        assert not shows_secrets(f"{error} {error!r} {error.args} {error.hint}")


# Reading anything in the place of a replay, and writing its neighbours.


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes between the look and the opening. Opening a pipe without a writer would take for ever."""
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"a replay")
    os.mkfifo(pipe)
    assert read_regular(file) == b"a replay"
    was = file.stat()
    monkeypatch.setattr(os, "stat", lambda _: was)
    with pytest.raises(NotAFile):
        read_regular(pipe)


def test_what_calls_itself_a_file_and_has_nothing_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the messages of the kernel do: reading them would wait for the next one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(disk, "_require_file", lambda *_: None)
    with pipe.open("r+b", buffering=0), pytest.raises(NotAFile):
        read_regular(pipe)


HEX = "0123456789abcdef"


def aged(path: Path, age_s: float) -> None:
    found = path.stat()
    os.utime(path, (found.st_atime, found.st_mtime - age_s))


@pytest.mark.parametrize(
    ("name", "age_s", "stays"),
    [
        (f".other.seqp2p.seat.{HEX}", 90_000, False),
        (f".other.seqp2p.seat.{HEX}", 3_600, True),  # Its process may still write.
        (f"other.seqp2p.seat.{HEX}", 90_000, True),
        (f".other.seqp2p.{HEX}", 90_000, True),
        (f".other.seqp2p.seat.{HEX}0", 90_000, True),
        (".other.seqp2p.seat", 90_000, True),
    ],
)
def test_a_new_file_deletes_those_that_a_kill_has_left(tmp_path: Path, name: str, age_s: float, stays: bool) -> None:
    left = tmp_path / name
    left.write_bytes(b"secrets")
    aged(left, age_s)
    new = write_beside(tmp_path / "game.seqp2p.seat", b"secrets", synced=False)
    assert new.read_bytes() == b"secrets"
    assert left.exists() == stays


def test_a_folder_and_a_link_of_such_a_name_stay(tmp_path: Path) -> None:
    folder, link, file = tmp_path / f".one.seat.{HEX}", tmp_path / f".two.seat.{HEX}", tmp_path / "file"
    folder.mkdir()
    file.write_bytes(b"")
    link.symlink_to(file)
    aged(folder, 90_000)
    os.utime(link, (0, 0), follow_symlinks=False)
    write_beside(tmp_path / "game.seat", b"", synced=True).rename(tmp_path / "game.seat")
    assert {each.name for each in tmp_path.iterdir()} == {folder.name, link.name, file.name, "game.seat"}
