"""The check of a program that plays, for authors of bots: what ``seqp2p try-bot`` runs.

``try_program`` plays games on the engine alone, and yields its findings at each table. docs/scripting.md has an
example.
"""

from seqp2p.arena.conformance import TABLES, ConformanceTable, Findings, try_program
from seqp2p.bots.player import Program

__all__ = ["TABLES", "ConformanceTable", "Findings", "Program", "try_program"]
