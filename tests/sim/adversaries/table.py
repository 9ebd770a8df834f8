"""The adversaries as tables: the endings that games had, and the page of the expected ones."""

import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from tests.sim.adversaries.described import NO_EFFECT, Adversary, ExpectedEnding
from tests.sim.adversaries.hosts import HOSTS
from tests.sim.adversaries.playing import Disagreement, ending, had_no_occasion, play, reasons
from tests.sim.lan import TooLong
from tests.sim.violation import SafetyViolation

_HEAD: Final = ("adversary", "seats", "outcome", "evidence", "verify says")
_BEFORE: Final = """\
# Adversaries

Written by `make adversaries` from the descriptions in `tests/sim/adversaries`; do not edit it here.

Each of these {count} misbehaving seats, some of them spectators, is at simulated tables with honest ones, with real
cryptography and a small variant of the game ([testing](testing.md)). `make slow` asserts exactly this ending of each,
at tables of each size in the list, together with all invariants of the simulator.
`python -m tests.sim adversaries [NAME]` plays them.

| outcome | the game |
|---|---|
| no effect | is played out with the seat in it, and no seat is blamed |
| refused at the link | the same, but the link is ended for a message, which may happen three times |
| proven and dropped | all honest seats hold the evidence; a majority votes the seat out, and plays on to the end |
| proven, game ends | the same if no vote is possible: before the first deal, of two seats at the end |
| forfeit | of two seats the honest one has won |
| dropped | a majority votes the seat out without evidence, for its absence or silence, and plays on to the end |
| game ends | stays unfinished, and nothing is proved: with two seats, or before the first deal |

*Evidence* is held and recorded by every honest seat; *verify* is the verdict of `seqp2p verify` on that record.

"""
_HOSTS: Final = """
Hosts that lie about addresses or cut links keep real tables of three and four, over TCP on loopback
(tests/sim/test_hostile_hosts.py):

| adversary: what the host does | ending |
|---|---|
"""
_AFTER: Final = """
With three seats, one that signs two draws right before its own turn can hold two halves together that do not know of
each other ([protocol](protocol.md#101-ballots), 10.1): then the game may end there, with the proof and
with no winner.

"""
ELSEWHERE: Final = {
    "a table offered twice": "tests/lobby/test_lobby.py::test_a_host_that_lies_is_left",
    "a guessed code": "tests/lobby/test_lobby.py::test_a_wrong_code_is_refused_and_not_tried_again",
    "a peer in the middle": "tests/lobby/test_code.py::test_any_difference_shows",
    "replayed hellos": "tests/net/test_tls.py::test_a_proof_fits_one_connection_for_one_purpose",
    "half-open links and slow frames": "tests/net/test_serving.py::test_silence_ends_a_link",
    "a spectator that reads nothing": "tests/live/test_spectator.py::test_one_that_does_not_read",
    "a spectator with a seat in the lobby": "tests/lobby/test_spectator_server.py::test_what_is_refused_in_the_lobby",
    "a spectator with a seat in the game": "tests/lobby/test_spectator_server.py::test_who_sits_down_watches_no_longer",
    "addresses that lead elsewhere": "tests/net/test_interfaces.py::test_no_forbidden_address_is_dialled",
    "a seat that moves all the time": "tests/live/test_relayed_mesh.py::"
    "test_new_addresses_by_the_dozen_are_dialled_one_a_second",
    "names with escapes": "tests/match/test_table.py::test_names_that_deceive_are_refused",
    "files cut and changed": "tests/replay/test_verify.py::test_a_byte_changed_or_a_cut_anywhere",
    "records dropped, doubled and moved": "tests/replay/test_verify.py::"
    "test_records_dropped_doubled_moved_and_signed_for",
    "a bot that hangs": "tests/bots/test_exec_player.py::test_a_slow_program_loses_its_turn",
    "a bot that floods": "tests/bots/test_exec_player.py::test_a_program_that_writes_without_end_loses_its_turn",
    "a bot that dies": "tests/bots/test_exec_player.py::test_a_program_that_ends_is_gone",
}
"""What else misbehaves, and the test of it."""


@dataclass(frozen=True, slots=True)
class FoundAdversary:
    """One game with an adversary: its ending, or in ``fault`` the failure.

    ``idle``: the game was over before the adversary could act, as happens with some seeds.
    """

    adversary: Adversary
    players: int
    seed: int
    ending: ExpectedEnding | None = None
    fault: str = ""
    idle: bool = False


def found(adversary: Adversary, players: int, seed: int) -> FoundAdversary:
    """Play one game; an error of the game is in the row, and not raised."""
    try:
        lan = play(adversary, players, seed)
        came = ending(lan)
    except (SafetyViolation, TooLong, Disagreement) as wrong:
        return FoundAdversary(adversary, players, seed, fault=f"{type(wrong).__name__}: {wrong}")
    expected, fault = {adversary.endings[players], *adversary.also}, ""
    if came == NO_EFFECT and came not in expected and had_no_occasion(lan):
        return FoundAdversary(adversary, players, seed, came, idle=True)
    if came not in expected:
        fault = f"not as expected: {adversary.endings[players]}"
    elif any(adversary.reason not in reason for reason in reasons(lan)):
        fault = f"for another reason than {adversary.reason!r}: {sorted(reasons(lan))}"
    return FoundAdversary(adversary, players, seed, came, fault)


def all_found(adversaries: Collection[Adversary], seeds: Collection[int]) -> Iterator[FoundAdversary]:
    """Yield a row for every adversary at tables of each size that it is tried at."""
    for adversary in adversaries:
        for players in adversary.endings:
            for seed in seeds:
                yield found(adversary, players, seed)


def lines(rows: Collection[FoundAdversary]) -> list[str]:
    width = max(len(_HEAD[0]), *(len(row.adversary.name) for row in rows)) + 2
    text = [f"{_HEAD[0]:<{width}}{_HEAD[1]:<7}{_HEAD[2]:<21}{_HEAD[3]:<19}{_HEAD[4]}"]
    for row in rows:
        came = row.ending
        said = f"{came.outcome:<21}{came.evidence:<19}{came.verdict}" if came else ""
        noted = f" FAULT {row.fault}" if row.fault else " (over before it could do anything)" if row.idle else ""
        text.append(f"{row.adversary.name:<{width}}{row.players:<7}{said}{noted}")
    faults = sum(bool(row.fault) for row in rows)
    return [*text, f"{len(rows)} games, {faults} not as they must be"]


def _markdown(adversaries: Collection[Adversary]) -> Iterator[str]:
    """Yield the expected endings by attack, from the descriptions alone."""
    yield "| attack | adversary: what the seat does | seats: outcome | evidence | `verify` |"
    yield "|---|---|---|---|---|"
    for adversary in sorted(adversaries, key=lambda each: each.row):
        by_ending: dict[ExpectedEnding, list[int]] = {}
        for players, came in adversary.endings.items():
            by_ending.setdefault(came, []).append(players)
        told = "; ".join(f"{', '.join(map(str, sizes))}: {came.outcome}" for came, sizes in by_ending.items())
        told += "".join(f"; 3 also: {came.outcome}" for came in adversary.also)
        evidence = ", ".join(dict.fromkeys(came.evidence for came in by_ending))
        verdict = ", ".join(dict.fromkeys(came.verdict for came in by_ending))
        yield f"| {adversary.row} | **{adversary.name}**: {adversary.what} | {told} | {evidence} | {verdict} |"


def page(adversaries: Collection[Adversary]) -> str:
    """Return the page docs/adversaries.md, from the descriptions alone (``make adversaries``)."""
    seats = _BEFORE.format(count=len(adversaries)) + "\n".join(_markdown(adversaries)) + "\n"
    hosts = "".join(f"| **{host.name}**: {host.what} | {host.ending} |\n" for host in HOSTS)
    tests = "; ".join(f"{what} ({test.partition('.py::')[0]})" for what, test in ELSEWHERE.items())
    elsewhere = f"Tested elsewhere, because no seat of a running game can do it: {tests}."
    return seats + _HOSTS + hosts + _AFTER + textwrap.fill(elsewhere, 150, break_on_hyphens=False) + "\n"
