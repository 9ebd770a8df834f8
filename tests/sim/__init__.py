"""Games in virtual time on a network that fails: a test kit.

    from tests.sim import Fault, Plan, VirtualLan

    lan = VirtualLan(4, seed=7, plan=Plan(faults=(Fault("partition", at_s=3.0, seats=(1, 2), for_s=12.0),)))
    lan.run()                       # raises SafetyViolation, or TooLong
    lan.peers[1].result             # the result for seat 1
    lan.peers[1].record             # its replay, bytes that ``seqp2p verify`` takes

``outcome.simulate(seed, players)`` draws the faults from the seed as well and returns a ``SimOutcome``;
``python -m tests.sim`` does so from the command line. docs/testing.md lists the real parts and the models.
"""

from tests.sim.faults import KINDS, Fault, FaultKind, Plan
from tests.sim.lan import Cheats, VirtualLan
from tests.sim.mini_variant import MINIATURE
from tests.sim.peer import SimSeat
from tests.sim.violation import SafetyViolation

__all__ = ["KINDS", "MINIATURE", "Cheats", "Fault", "FaultKind", "Plan", "SafetyViolation", "SimSeat", "VirtualLan"]
