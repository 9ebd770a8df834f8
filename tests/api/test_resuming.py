"""A seat whose session has failed, and is taken again."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import seqp2p
from seqp2p.replay.sidecar import Sidecar
from tests.api.tools import ended, identity, lasting, play_varied, played_by_host, refused, sits_down, table_with

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
    """Ann plays to the end; bob's session fails, and ``again`` gets his replay."""
    seats: list[seqp2p.Seat] = []

    async def play(seat: seqp2p.Seat) -> None:
        seats.append(seat)
        await refused(seqp2p.SeatHeld, seqp2p.resume(seat.replay, identity=key))
        await play_varied(seat)

    async def bob(table: seqp2p.OpenTable) -> None:
        with pytest.raises(OSError, match="No space left on device"):
            await sits_down(folder, play, name=None, identity=key)(table)
        assert seats[0].result is None
        await again(seats[0].replay)

    async with table_with(folder, bob) as table:
        return await played_by_host(table)


@pytest.mark.usefixtures("bad_disk")
async def test_the_seat_is_taken_again(tmp_path: Path) -> None:
    seats: list[seqp2p.Seat] = []

    async def again(path: Path) -> None:
        async with seqp2p.resume(path, listen="127.0.0.1:0") as seat:
            assert seat.number == 2
            assert seat.events.so_far
            seats.append(seat)
            await play_varied(seat)

    ann = await evening(tmp_path, None, again)
    (bob,) = seats
    assert (ended(ann), ann.result) == ("won", bob.result)
    assert [seqp2p.verify(seat.replay).verdict for seat in (ann, bob)] == ["verified", "verified"]
    turns = [{event for event in seat.events.so_far if isinstance(event, seqp2p.Turned)} for seat in (ann, bob)]
    assert turns[0] == turns[1]
    assert lasting(tmp_path) == [".seqp2p", ".seqp2p"]
    await refused(FileNotFoundError, seqp2p.resume(bob.replay))


@pytest.mark.usefixtures("bad_disk")
async def test_by_its_own_key_alone(tmp_path: Path) -> None:
    async def again(path: Path) -> None:
        another = seqp2p.resume(path, identity=identity("eve"))
        await refused(seqp2p.ResumeError, another, "does not hold the secrets of this seat")
        await refused(seqp2p.HomeError, seqp2p.resume(path), "not in this player's folder")
        # Nothing is lost by that: the owner of the key may still leave, for one.
        async with seqp2p.resume(path, identity=identity("bob")) as seat:
            await seat.leave()

    assert ended(await evening(tmp_path, identity("bob"), again)) == "forfeit"
