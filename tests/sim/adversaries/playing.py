"""Playing a game with an adversary in it, and reading off its ending."""

from collections.abc import Sequence
from typing import Final

import msgspec

from seqp2p.match.signed import is_ballot
from seqp2p.match.table import USUAL_OPTIONS
from seqp2p.replay.format import EvidenceRecord, LeaveRecord, records
from tests.sim.adversaries.byzantine import Byzantine, byzantine
from tests.sim.adversaries.described import Adversary, ExpectedEnding, ExpectedEvidence, ExpectedOutcome
from tests.sim.faults import FIRST_SPECTATOR, Plan
from tests.sim.lan import Cheats, VirtualLan
from tests.sim.peer import SimPeer
from tests.sim.table import TABLES, TableKey, draw_settings, make_agreement

# One table of each size for all, so that what is the same in all games is computed once.
_NUMBER: Final = 0
_USUAL: Final = {**USUAL_OPTIONS, "turn_time_s": 15, "grace_s": 10}


class Disagreement(AssertionError):
    """Two honest seats see different things."""


def play(adversary: Adversary, players: int, seed: int = 0, spectators: int = 0) -> VirtualLan:
    """Play a whole game with the adversary in it, and honest spectators.

    Raises SafetyViolation or TooLong as ``VirtualLan.run`` does.
    """
    key = TableKey(_NUMBER, players)
    settings = msgspec.structs.replace(draw_settings(key), **(_USUAL | dict(adversary.table)))
    first = 1 + seed % players if adversary.seat is None else adversary.seat
    crooks = [1 + (first - 1 + number) % players for number in range(adversary.crooks)]
    hostile_spectators = {} if adversary.hostile_spectator is None else {FIRST_SPECTATOR: adversary.hostile_spectator}
    lan = VirtualLan(
        players,
        seed * TABLES + _NUMBER,
        Plan(faults=adversary.faults),
        agreement=make_agreement(key, settings),
        cheats=Cheats({seat: byzantine(adversary.make) for seat in crooks}, visits=hostile_spectators),
        spectators=len(hostile_spectators) + spectators,
    )
    lan.run()
    return lan


def had_no_occasion(lan: VirtualLan) -> bool:
    """Return True if the game was over before the adversaries could act."""
    crooks = [peer.process for peer in lan.peers.values() if peer.number not in lan.witness.honest]
    sessions = [process.session for process in crooks if process is not None]
    return bool(sessions) and not any(isinstance(each, Byzantine) and each.has_acted for each in sessions)


def reasons(lan: VirtualLan) -> frozenset[str]:
    """Return the complaints of honest seats about the others: of links, and in proofs."""
    of_links = {reason for peer in lan.honest for seat, reason in peer.faulted if seat not in lan.witness.honest}
    proofs = [peer.match.proven for peer in lan.honest if peer.match is not None]
    return frozenset(of_links).union(*({violation.reason for violation in proven.values()} for proven in proofs))


def ending(lan: VirtualLan) -> ExpectedEnding:
    """Return the ending, the same for all honest seats that have closed a step. Raises Disagreement if it differs.

    A seat that is linked as the others end may not have closed one, and only hears why: for it the game is unfinished.
    """
    crooks = frozenset(lan.peers) - lan.witness.honest
    blamed = any(number not in lan.witness.honest for peer in lan.honest for number, _ in peer.faulted)
    ended = [peer for peer in lan.honest if peer.state == "ended"]
    begun = [peer for peer in ended if peer.match is not None and peer.match.number > 1]
    found = {_ending(lan, peer, crooks, blamed=blamed) for peer in begun or ended}
    late = [peer.result for peer in ended if begun and peer not in begun]
    if len(found) != 1 or any(result is None or result.kind != "unfinished" for result in late):
        raise Disagreement(f"honest seats do not see the same: {found}")
    return found.pop()


def _ending(lan: VirtualLan, peer: SimPeer, crooks: frozenset[int], *, blamed: bool) -> ExpectedEnding:
    match, result = peer.match, peer.result
    assert match is not None, "it has played"
    assert result is not None, "it has ended"
    proven = not crooks.isdisjoint(match.proven)
    gone = not crooks.isdisjoint(match.game.gone)
    outcome: ExpectedOutcome
    if result.kind == "forfeit":
        outcome = "forfeit"
    elif result.kind == "unfinished":
        outcome = "proven, game ends" if proven else "game ends"
    elif gone:
        outcome = "proven and dropped" if proven else "dropped"
    else:
        outcome = "refused at the link" if blamed else "no effect"
    return ExpectedEnding(outcome, _evidence(peer, crooks), lan.witness.reports[peer.number].verdict)


def _evidence(peer: SimPeer, crooks: frozenset[int]) -> ExpectedEvidence:
    """Return the seat's evidence against the adversaries. Raises Disagreement if its record lacks it."""
    match = peer.match
    assert match is not None, "it has played"
    held: set[ExpectedEvidence] = {"a leave" for seat in match.left if seat in crooks}
    for seat in crooks & match.proven.keys():
        held.add(_kind_of([signed.payload for signed in match.proven[seat].evidence]))
    recorded: set[ExpectedEvidence] = set()
    for placed in records(peer.record):
        match placed.record:
            case LeaveRecord():
                recorded.add("a leave")
            case EvidenceRecord(pairs):
                recorded.add(_kind_of([payload for payload, _ in pairs]))
            case _:
                pass
    if held != recorded:
        raise Disagreement(f"seat {peer.number} holds {held}, its record has {recorded}")
    return min(held) if held else "none"


def _kind_of(payloads: Sequence[bytes]) -> ExpectedEvidence:
    if len(payloads) == 1:
        return "one contribution"
    if is_ballot(payloads[0]):
        return "two ballots"
    return "two contributions"
