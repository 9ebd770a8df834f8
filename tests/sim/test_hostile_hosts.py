"""Hosts that lie about addresses or cut links: every lie is named before the game, and no honest seat is voted out."""

from pathlib import Path

import pytest
import trio

from tests.sim.adversaries.hosts import HOSTS, HostileHost, play_host

LIMIT_S = 120.0
LIARS = {host.name: host for host in HOSTS if host.lie is not None}
CUTTING = {host.name: host for host in HOSTS if host.lie is None}


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("host", LIARS.values(), ids=LIARS)
async def test_a_lie_is_named_before_the_game(host: HostileHost, players: int, tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        ending = await play_host(host, players, tmp_path)
    assert (ending.dropped, ending.finished) == (set(), set())
    assert ending.said
    for sentence in ending.said:
        assert sentence.startswith("The host gave")
        assert host.part in sentence


@pytest.mark.slow
@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("host", CUTTING.values(), ids=CUTTING)
async def test_no_honest_seat_is_voted_out(host: HostileHost, players: int, tmp_path: Path) -> None:
    with trio.fail_after(LIMIT_S):
        ending = await play_host(host, players, tmp_path)
    assert (ending.said, ending.dropped) == (set(), set())
    assert ending.finished == set(range(1, players + 1)), "all have played to the end"
