"""A seat that signs far ahead: what it is signed to may never open."""

import msgspec

from seqp2p.match.contribution import TurnBody
from tests.sim import Fault, Plan, TableKey, VirtualLan, draw_settings, make_agreement
from tests.sim.adversaries.byzantine import Byzantine, Strategy
from tests.sim.lan import Cheats
from tests.sim.peer import SimSeat


class Prophet(Strategy):
    """Contributes, once, to every step that may come."""

    def __init__(self) -> None:
        self._done = False

    def after(self, crook: Byzantine) -> None:
        if not self._done and crook.match.kind == "turn":
            self._done = True
            body = TurnBody("pass", (), b"", b"")
            for ahead in range(1, 61):
                crook.publish(crook.made("turn", body, crook.match.number + ahead, bytes(32)))


def prophet(sitting: SimSeat) -> Byzantine:
    return Byzantine(sitting, Prophet())


def test_the_last_opponent_is_voted_out() -> None:
    """No step opens behind that: until it is final, those who stay neither ask for more nor wait for what they have."""
    table = TableKey(1, 4)
    teams = msgspec.structs.replace(
        draw_settings(table), teams=2, colours=("colour 1", "colour 2"), turn_time_s=5, grace_s=10, manual_draw=False
    )
    lan = VirtualLan(
        4,
        1,
        Plan(faults=(Fault("die", 4.0, (2,)), Fault("die", 28.0, (4,)))),
        agreement=make_agreement(table, teams),
        cheats=Cheats(sessions={4: prophet}),
    )
    for peer in lan.peers.values():
        peer.think_mean_s = 3.0
    lan.run()
    results = [lan.peers[seat].result for seat in (1, 3)]
    assert all(result and "there is nobody to play against" in result.reason for result in results), results
