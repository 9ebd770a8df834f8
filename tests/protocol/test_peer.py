"""A peer written from the text alone plays whole games with this program, over real TCP."""

import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio

import seqp2p
from protocol.second import basics, file
from protocol.second.basics import Point
from protocol.second.peer import Player, join_and_play
from seqp2p.crypto.group import combine, decode_point
from tests.api.tools import LIMIT_S as GAME_LIMIT_S
from tests.api.tools import play_varied, table_of
from tests.cli.processes import LIMIT_S, Household, Process, household
from tests.cli.test_resume_seat import killed, resume


@pytest.fixture
def quick_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this program's library add points: the proofs take no time in tests of votes and links."""

    def total(*terms: tuple[int, Point]) -> Point:
        known = [(scalar, decode_point(basics.write_point(point))) for scalar, point in terms if point is not None]
        found = combine(*known)
        return None if found.is_infinity else basics.read_point(found.encoded)

    for name, module in sys.modules.items():
        if name.startswith("protocol.second.") and hasattr(module, "total"):
            monkeypatch.setattr(module, "total", total)


@pytest.mark.simulation
@pytest.mark.parametrize("sums", ["of the library", pytest.param("in plain Python", marks=pytest.mark.slow)])
async def test_a_whole_game(tmp_path: Path, sums: str, request: pytest.FixtureRequest) -> None:
    if sums == "of the library":
        request.getfixturevalue("quick_sums")
    players = list[Player]()

    async def join(table: seqp2p.OpenTable) -> None:
        host, _, port = table.address.rpartition(":")
        players.append(await join_and_play(host, int(port), table.code, "stranger"))

    with trio.fail_after(GAME_LIMIT_S):
        async with table_of(tmp_path) as table, trio.open_nursery() as nursery:
            nursery.start_soon(join, table)
            async with table.seat() as ann:
                await play_varied(ann)
    own, record = players[0].replay(), ann.replay.read_bytes()
    report, found = seqp2p.verify(own), file.verify(record, proofs=())
    assert (report.verdict, found.verdict) == ("verified", "verified")
    assert ann.result is not None
    assert report.result == ann.result
    assert found.winners == list(ann.result.winners)
    # The same steps are in both records.
    assert record.partition(b"opening")[0] == own.partition(b"opening")[0]


def stranger_at(shown: dict[str, Any], beside: Callable[[], object], make: type[Player] = Player) -> Player:
    """Let the peer play a whole game at this table, while this is done in a thread."""
    host, _, port = shown["address"].rpartition(":")

    async def play() -> Player:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, beside)
            return await join_and_play(host, int(port), shown["code"], "stranger", make)

    return trio.run(play)


@pytest.mark.process
@pytest.mark.usefixtures("quick_sums")
def test_it_drops_a_seat_that_vanishes(tmp_path: Path) -> None:
    """The others vote, deal again, and play to the end."""
    with household(tmp_path) as people:
        host = people.host("--variant", "kids", "--players", 3, "--grace", 3)
        shown = host.event("listening")
        guest = people.join(host)

        def vanish() -> None:
            host.event("dealt")
            guest.process.kill()

        player = stranger_at(shown, vanish)
        assert host.end() == 0, host.said()
        dropped = host.event("dropped")["seats"]
        own = tmp_path / "stranger.seqp2p"
        own.write_bytes(player.replay())
        verdict = people.call("verify", "--json", own)
        assert verdict.process.returncode == 0, verdict.said()
    assert player.machine.seats == [seat for seat in (1, 2, 3) if seat not in dropped]
    assert len(dropped) == 1


def folders(people: Household, who: str) -> list[Path]:
    return [people.home(who), people.replays(who)]


def copy(people: Household, who: str) -> None:
    """Copy a player's whole home, as ``cp -a`` does it."""
    for folder in folders(people, who):
        shutil.copytree(folder, folder.with_name(f"{folder.name}.copy"))


def put_back(people: Household, who: str) -> None:
    """Write over the files, which keep their inodes."""
    for folder in folders(people, who):
        shutil.copytree(folder.with_name(f"{folder.name}.copy"), folder, dirs_exist_ok=True)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.usefixtures("quick_sums")
def test_it_tells_a_seat_with_an_older_copy_of_its_files_what_it_has_signed(tmp_path: Path) -> None:
    """Its signature in the open step: the peer keeps its own back until it has told the seat."""
    stands_still, is_copied, has_signed = threading.Event(), threading.Event(), threading.Event()

    class Waiting(Player):
        async def _contribute(self) -> None:
            if is_copied.is_set() and not self.returned.get(1) and {1, self.seat} <= self.machine.who:
                if 1 in self.machine.held:
                    has_signed.set()
            else:
                await super()._contribute()
                if self.machine.kind == "turn" and self.seat not in self.machine.who:
                    stands_still.set()  # One of the others is to move, and is held.

    with household(tmp_path) as people:
        people.hold(0)
        host = people.host("--variant", "kids", "--players", "3", "--grace", "10")
        shown = host.event("listening")
        guest = people.join(host)
        resumed = list[Process]()

        def put_older_files_back() -> None:
            assert stands_still.wait(LIMIT_S)
            copy(people, "host")
            is_copied.set()
            people.let_go()
            assert has_signed.wait(LIMIT_S)
            guest.signal(signal.SIGSTOP)  # Else it may tell the seat first.
            killed(host)
            put_back(people, "host")
            resumed.append(back := resume(people, "host"))
            assert back.end() == 1, back.said()
            guest.signal(signal.SIGCONT)

        player = stranger_at(shown, put_older_files_back, Waiting)
        (back,) = resumed
        assert guest.end() == 0, guest.said()
        assert "a copy of this game's files was put back" in back.error()[0]
        end = guest.events[-1]
        record = Path(end["replay"]).read_bytes()
    verdicts = [file.verify(data, proofs=()) for data in (player.replay(), record)]
    assert {(each.verdict, *each.winners) for each in verdicts} == {("verified", *end["winners"])}
    assert player.returned[1], "its signature in the open step"
