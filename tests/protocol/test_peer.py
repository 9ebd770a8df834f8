"""A peer written from the text alone plays whole games with this program, over real TCP."""

from pathlib import Path

import pytest
import trio

from tests.cli.processes import household
from tests.protocol.second import file
from tests.protocol.second.peer import Player, join_and_play

pytestmark = pytest.mark.process


def test_it_drops_a_seat_that_vanishes(tmp_path: Path) -> None:
    """The others vote, deal again, and play to the end."""
    with household(tmp_path) as people:
        host = people.host("--variant", "kids", "--players", 3, "--grace", 3)
        shown = host.event("listening")
        guest = people.join(host)
        address, _, port = shown["address"].rpartition(":")

        async def play() -> Player:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(trio.to_thread.run_sync, vanish)
                return await join_and_play(address, int(port), shown["code"], "stranger")

        def vanish() -> None:
            host.event("dealt")
            guest.process.kill()

        player = trio.run(play)
        assert host.end() == 0, host.said()
        dropped = host.event("dropped")["seats"]
        own = tmp_path / "stranger.seqp2p"
        own.write_bytes(player.replay())
        verdict = people.call("verify", "--json", own)
        assert verdict.process.returncode == 0, verdict.said()
    assert player.machine.seats == [seat for seat in (1, 2, 3) if seat not in dropped]
    assert len(dropped) == 1


@pytest.mark.parametrize("players", [2, 3])
def test_a_whole_game(players: int, tmp_path: Path) -> None:
    with household(tmp_path) as people:
        host = people.host("--variant", "kids", "--players", players)
        shown = host.event("listening")
        joined = [people.join(host, who=f"guest{seat}") for seat in range(2, players)]
        address, _, port = shown["address"].rpartition(":")
        player: Player = trio.run(join_and_play, address, int(port), shown["code"], "stranger")
        replays = []
        for process, who in [(host, "host"), *((each, f"guest{at}") for at, each in enumerate(joined, 2))]:
            assert process.end() == 0, process.said()
            (path,) = people.replays(who).glob("*.seqp2p")
            replays.append(path.read_bytes())
        own = tmp_path / "stranger.seqp2p"
        own.write_bytes(player.replay())
        verdict = people.call("verify", "--json", own)
        assert verdict.process.returncode == 0, verdict.said()
        winners = verdict.event("verdict")["winners"]
    for data in replays:
        found = file.verify(data, proofs=())
        assert (found.verdict, found.winners) == ("verified", winners)
        # Another seat's remarks aside, which bots do not make, the same steps are in all records.
        assert data.partition(b"opening")[0] == player.replay().partition(b"opening")[0]
