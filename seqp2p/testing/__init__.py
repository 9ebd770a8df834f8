"""Games in virtual time on a network that fails: a test kit, for this program and for authors of bots and clients.

    from seqp2p.testing import Fault, Plan, VirtualLan

    lan = VirtualLan(4, seed=7, plan=Plan(faults=(Fault("partition", at_s=3.0, seats=(1, 2), for_s=12.0),)))
    lan.run()                       # raises SafetyViolation, or TooLong
    lan.peers[1].result             # the result for seat 1
    lan.peers[1].record             # its replay, bytes that ``seqp2p verify`` takes

``simulate(seed, players)`` draws the faults from the seed as well and returns a ``SimOutcome``;
``python -m seqp2p.testing`` does so from the command line. ``try_program`` is the conformance test of ``seqp2p
try-bot``, for a program that plays. docs/testing.md lists the real parts and the models.
"""

from seqp2p.arena.conformance import TABLES, ConformanceTable, Findings, try_program
from seqp2p.bots.program import Program
from seqp2p.testing.faults import FIRST_SPECTATOR, KINDS, RELAY_KINDS, Fault, FaultKind, Plan, draw_plan, draw_watching
from seqp2p.testing.lan import HONEST, SETTLE_S, Cheats, TooLong, VirtualLan
from seqp2p.testing.mini_variant import MINIATURE
from seqp2p.testing.outcome import SeatOutcome, SimOutcome, outcome_of, simulate
from seqp2p.testing.peer import SimSeat
from seqp2p.testing.table import TableKey, draw_settings, make_agreement
from seqp2p.testing.violation import SafetyViolation

__all__ = [
    "FIRST_SPECTATOR",
    "HONEST",
    "KINDS",
    "MINIATURE",
    "RELAY_KINDS",
    "SETTLE_S",
    "TABLES",
    "Cheats",
    "ConformanceTable",
    "Fault",
    "FaultKind",
    "Findings",
    "Plan",
    "Program",
    "SafetyViolation",
    "SeatOutcome",
    "SimOutcome",
    "SimSeat",
    "TableKey",
    "TooLong",
    "VirtualLan",
    "draw_plan",
    "draw_settings",
    "draw_watching",
    "make_agreement",
    "outcome_of",
    "simulate",
    "try_program",
]
