"""Heads that one seat alone is sent: all others get them within two heartbeats, and the steps become final."""

import pytest

from seqp2p.net.limits import DEFAULT_LIMITS
from tests.sim.adversaries import ADVERSARIES, ending, play
from tests.sim.faults import FIRST_SPECTATOR
from tests.sim.lan import VirtualLan
from tests.sim.sim_process import Machine

ROUND_S = 2.0
AWAY = 3


@pytest.mark.parametrize("players", [4, 5])
def test_a_step_is_final_within_two_heartbeats_and_a_round(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: dict[tuple[int, int], float] = {}  # when each seat closed each step,
    waited: list[float] = []  # and how long it was not final there
    done: set[tuple[int, int]] = set()
    looked = VirtualLan.looked

    def looking(lan: VirtualLan, machine: Machine) -> None:
        looked(lan, machine)
        if machine.match is None or machine.number == AWAY:
            return
        for step in range(1, machine.match.number):
            closed.setdefault((machine.number, step), lan.agenda.now)
        final = {(machine.number, step) for step in range(1, machine.match.final + 1)}
        for place in final & closed.keys() - done:
            waited.append(lan.agenda.now - closed[place])
            done.add(place)

    monkeypatch.setattr(VirtualLan, "looked", looking)
    (crook,) = (each for each in ADVERSARIES if each.name == "heads to one")
    lan = play(crook, players, spectators=1)
    assert lan.host == players  # It gets the heads from others, and its spectator from it.
    assert ending(lan) == crook.endings[players]
    assert {number for number, _ in done} >= {2, players, FIRST_SPECTATOR}
    assert 0.5 < max(waited) < 2 * DEFAULT_LIMITS.heartbeat_s + ROUND_S
