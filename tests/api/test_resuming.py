"""A seat whose session has failed, and is taken again."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

import seqp2p
from seqp2p.replay.sidecar import Sidecar
from tests.api.tools import LIMIT_S, identity, lasting, play_varied, table_of

pytestmark = pytest.mark.simulation


@pytest.fixture
def bad_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk of seat 2 takes nothing for a moment, in the middle of the game."""
    # The shortest games have some ten of these.
    sync, left = Sidecar.sync, [7]

    def fails_once(sidecar: Sidecar) -> None:
        if "seat2" in sidecar.path.name:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(28, "No space left on device", str(sidecar.path))
        sync(sidecar)

    monkeypatch.setattr(Sidecar, "sync", fails_once)


async def evening(folder: Path, key: seqp2p.Identity | None, again: Callable[[Path], Awaitable[None]]) -> seqp2p.Seat:
    """Ann plays to the end; bob's session fails, and then this is done about it."""
    with trio.fail_after(LIMIT_S):
        async with table_of(folder) as table, trio.open_nursery() as nursery:

            async def bob() -> None:
                failed: OSError | None = None
                try:
                    async with seqp2p.join(table.address, code=table.code, identity=key, replay_dir=folder) as seat:
                        path = seat.replay
                        with pytest.raises(seqp2p.SeatHeld):
                            async with seqp2p.resume(path, identity=key):
                                raise AssertionError("the seat is held")
                        await play_varied(seat)
                except OSError as error:
                    failed = error
                assert failed is not None
                assert failed.strerror == "No space left on device"
                assert seat.result is None
                await again(path)

            nursery.start_soon(bob)
            async with table.seat() as ann:
                await play_varied(ann)
    return ann


@pytest.mark.usefixtures("bad_disk")
@pytest.mark.parametrize("key", [identity("bob"), None])
async def test_the_seat_is_taken_again(tmp_path: Path, key: seqp2p.Identity | None) -> None:
    ends: list[seqp2p.Seat] = []

    async def again(path: Path) -> None:
        async with seqp2p.resume(path, identity=key, listen="127.0.0.1:0") as seat:
            assert seat.number == 2
            assert seat.events.so_far
            ends.append(seat)
            await play_varied(seat)

    ann = await evening(tmp_path, key, again)
    (bob,) = ends
    assert ann.result == bob.result
    assert ann.result is not None
    assert ann.result.kind == "won"
    assert [seqp2p.verify(seat.replay).verdict for seat in (ann, bob)] == ["verified", "verified"]
    assert {event for event in ann.events.so_far if isinstance(event, seqp2p.Turned)} == {
        event for event in bob.events.so_far if isinstance(event, seqp2p.Turned)
    }
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    with pytest.raises(FileNotFoundError):
        async with seqp2p.resume(bob.replay):
            pass


@pytest.mark.usefixtures("bad_disk")
async def test_by_its_own_key_alone(tmp_path: Path) -> None:
    async def again(path: Path) -> None:
        with pytest.raises(seqp2p.ResumeError, match="does not hold the secrets of this seat"):
            async with seqp2p.resume(path, identity=identity("eve")):
                raise AssertionError("it is another's")
        with pytest.raises(seqp2p.HomeError, match="not in this player's folder"):
            async with seqp2p.resume(path):
                raise AssertionError("its key is in no file")
        # Nothing is lost by that: whoever has the key may still leave, for one.
        async with seqp2p.resume(path, identity=identity("bob")) as seat:
            await seat.leave()

    ann = await evening(tmp_path, identity("bob"), again)
    assert ann.result is not None
    assert ann.result.kind == "forfeit"
