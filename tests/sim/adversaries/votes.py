"""Strategies with ballots, heads, leaves and evidence, and with two faces: how a step closes."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.match.contribution import Contribution, SeatBody, StepKind, open_envelope
from seqp2p.match.encoding import encode
from seqp2p.match.signed import BallotPayload, HeadPayload, LastRecord, LeavePayload, SignedHead
from seqp2p.net.messages import BallotMessage, HeadMessage, LeaveMessage, signed_message
from tests.sim.adversaries.byzantine import Byzantine, Once, Strategy
from tests.sim.adversaries.decks import proved, shares_due
from tests.sim.adversaries.described import (
    HARMLESS,
    LEAVER,
    LINK,
    NO_EFFECT,
    TWICE,
    Adversary,
    ExpectedEnding,
    always,
    at_setup,
    doing,
    in_play,
    once,
)
from tests.sim.faults import Fault

_PAIR: Final = "two contributions"
_VOTES = "vote forged, vote by a minority, vote against an honest seat"
_EVIDENCE = "forged evidence"
_LATE = "late contribution after a vote"
_HEADS: Final = "withholding heads"
_ONE_IS_AWAY: Final = (Fault("crash", 2.0, (3,), 8.0),)


Second = Callable[[Byzantine, Contribution], Contribution]


def ballot(crook: Byzantine, about: Collection[int], round_: int = 1, **fields: Any) -> BallotMessage:
    """Return a ballot to drop these seats from the first step that is not final."""
    step = crook.match.chain.base
    assert step is not None, "the game is on"
    usual: dict[str, Any] = {"game": crook.match.game.id, "seat": crook.number, "action": "drop", "reason": "absent"}
    place: dict[str, Any] = {"step": step.number, "prev": step.prev, "round": round_, "last": None}
    word = BallotPayload(v=1, about=tuple(sorted(about)), **(place | usual | fields))
    signed = crook.signed(encode(word), BALLOT)
    return BallotMessage(signed.payload, signed.signature)


def forged_vote(crook: Byzantine) -> None:
    """Votes in another seat's name."""
    victim = crook.others[0]
    crook.say(ballot(crook, [max({crook.number, *crook.others} - {victim})], seat=victim))


def foreign_vote(crook: Byzantine) -> None:
    """Votes in another game."""
    crook.say(ballot(crook, crook.others[:1], game=bytes(32)))


def minority_vote(crook: Byzantine) -> None:
    """Alone, votes to drop an honest seat."""
    crook.say(ballot(crook, crook.others[:1]))


def majority_dropped(crook: Byzantine) -> None:
    """Alone, votes to drop all others."""
    crook.say(ballot(crook, crook.others))


def two_ballots(crook: Byzantine) -> None:
    """Signs two ballots of one round, each about another seat, and sends both to all."""
    for seat in crook.others[:2]:
        crook.say(ballot(crook, [seat]))


def two_ballots_apart(crook: Byzantine) -> None:
    """Signs two ballots of one round, and sends them to different seats."""
    for seat, about in zip(crook.others, reversed(crook.others), strict=True):
        crook.say(ballot(crook, [about]), [seat]) if about != seat else None


def lying_last(crook: Byzantine) -> None:
    """Votes, and claims to have closed the step in an impossible way."""
    crook.say(ballot(crook, crook.others[:1], last=LastRecord(0, bytes(32))))


def far_rounds(crook: Byzantine) -> None:
    """Votes in two hundred rounds at once, up to the last possible one."""
    for round_ in range(801, 1001):
        crook.say(ballot(crook, crook.others[:1], round_))


@dataclass
class Hinders(Strategy):
    """Votes to drop an honest seat at every step, in round after round."""

    rounds: Counter[int] = field(default_factory=Counter[int])

    def after(self, crook: Byzantine) -> None:
        base = crook.match.chain.base
        if base is not None and base.votable and self.rounds[base.number] < 3:
            self.rounds[base.number] += 1
            own = ballot(crook, [crook.others[base.number % len(crook.others)]], self.rounds[base.number])
            crook.match.receive_word(BallotPayload, own.contribution)  # It binds this seat too: one ballot a round.
            crook.say(own)


def false_head(crook: Byzantine) -> None:
    """Signs that it has closed the open step in an impossible way."""
    step = crook.match.chain.base
    assert step is not None, "the game is on"
    for round_ in (0, 1, 2):
        payload = HeadPayload(1, crook.match.game.id, step.number, step.prev, crook.number, round_, bytes(32))
        signed = crook.signed(encode(payload), HEAD)
        crook.say(HeadMessage(signed.payload, signed.signature))


@dataclass
class TooLate(Strategy):
    """Does not act until its turn is skipped, then sends the action that it had signed, and plays on."""

    kept: tuple[int, Contribution] | None = None
    sent: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if crook.match.kind != "turn" or (self.kept is not None and self.kept[0] != crook.match.number):
            return False
        self.kept = self.kept or (crook.match.number, own)
        return True

    def after(self, crook: Byzantine) -> None:
        if self.kept is not None and crook.match.final >= self.kept[0] and not self.sent:
            self.sent = True
            crook.publish(self.kept[1])


def _leaves(crook: Byzantine, seat: int) -> None:
    signed = crook.signed(encode(LeavePayload(1, crook.match.game.id, seat)), LEAVE)
    crook.say(LeaveMessage(signed.payload, signed.signature))


def leave(crook: Byzantine) -> None:
    """Signs a leave, and plays on."""
    _leaves(crook, crook.number)


def forged_leave(crook: Byzantine) -> None:
    """Signs a leave for another seat."""
    _leaves(crook, crook.others[0])


def _closed(crook: Byzantine) -> list[Contribution]:
    """Return the contributions of the other seats to the step of the deal, which is final."""
    deal = next(step for step in crook.match.record if len(step.contributions) > 1 and step.number > 2)
    return [contribution for seat, contribution in deal.contributions if seat != crook.number]


def forged_evidence(crook: Byzantine) -> None:
    """Offers an honest seat's contribution as evidence, changed in one byte."""
    honest = _closed(crook)[0]
    changed = honest.payload[:-1] + bytes([honest.payload[-1] ^ 1])
    crook.accuse(Contribution(changed, honest.signature))


def own_words_as_evidence(crook: Byzantine) -> None:
    """Offers a contribution as evidence against another seat that it has signed itself in that seat's name."""
    crook.accuse(crook.signed(_closed(crook)[0].payload), crook.made("turn", crook.action("")))


def evidence_of_nothing(crook: Byzantine) -> None:
    """Offers honest contributions as evidence: a single one, the same twice, and two of two steps."""
    honest = _closed(crook)[0]
    first = next(each for seat, each in crook.match.record[0].contributions if seat != crook.number)
    for offered in ([honest], [honest, honest], [first, honest]):
        crook.accuse(*offered)


def two_futures(crook: Byzantine) -> None:
    """Signs two contributions for a step far away, and offers them itself."""
    step = crook.match.number + 1000
    crook.accuse(*(crook.made("turn", crook.action(word), step, bytes(32)) for word in ("pass", "draw")))


@dataclass
class TwoFaces(Strategy):
    """Send every second seat another contribution at the first step of a kind, and play on with one of them."""

    kind: StepKind
    second: Second
    when: Callable[[Byzantine], bool]
    done: bool = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        if crook.match.kind != self.kind or self.done or not self.when(crook):
            return False
        self.done = crook.mesh.relay.linked == frozenset(crook.others)
        if self.done:
            second = self.second(crook, own)
            for each in (own, second):
                crook.mesh.hold_back(each)
            crook.publish(own, crook.others[1::2])
            crook.publish(second, crook.others[::2])
            if len(crook.others) == 1:
                crook.publish(own)
        return not self.done


def other_commitment(crook: Byzantine, _own: Contribution) -> Contribution:
    """Another commitment."""
    return crook.made("seat", SeatBody(bytes(32)))


def other_shuffle(crook: Byzantine, _own: Contribution) -> Contribution:
    """Another right shuffle."""
    return crook.made("shuffle", proved(crook))


def other_proof(crook: Byzantine, _own: Contribution) -> Contribution:
    """The same shares with another proof."""
    assert crook.match.kind is not None, "it owes something"
    return crook.made(crook.match.kind, crook.shares(shares_due(crook)))


def other_action(crook: Byzantine, own: Contribution) -> Contribution:
    """Another legal action."""
    actions = (crook.seat.play(crook.match, action) for action in crook.seat.view(crook.match).legal)
    chosen = open_envelope(own.payload).body["action"]
    return next(each for each in actions if open_envelope(each.payload).body["action"] != chosen)


def _one_is_away(crook: Byzantine) -> bool:
    return crook.match.game.position is not None and len(crook.mesh.relay.reachable) < len(crook.others)


@dataclass
class HeadsToOne(Strategy):
    """Sends its heads to one seat alone, though it has links with all."""

    def shows(self, crook: Byzantine, head: SignedHead) -> None:
        crook.mesh.hold_back(head)
        crook.say(signed_message(head), crook.others[:1])


def _plays_next(crook: Byzantine) -> bool:
    plan, players = crook.match.plan, crook.match.game.players
    return plan is not None and plan.subject % players + 1 == crook.number


def _faces(
    name: str,
    kind: StepKind,
    second: Second,
    endings: Mapping[int, ExpectedEnding],
    when: Callable[[Byzantine], bool] = lambda _crook: True,
    more: str = "",
) -> Adversary:
    what = f"sends every second seat another contribution at a step ``{kind}``{more}: {doing(second)}"
    also, reason = (at_setup(_PAIR),) if more else (), "two different contributions"
    return Adversary(name, TWICE, what, lambda: TwoFaces(kind, second, when), endings, reason=reason, also=also)


# The one that is left stops after the grace; both come back.
_AWAY_AND_BACK: Final = (Fault("crash", 3.0, (3,), 43.0), Fault("later", 40.0, (1,), 6.0))
_LEFT = {2: ExpectedEnding("forfeit", "a leave", "unfinished"), 3: ExpectedEnding("dropped", "a leave", "verified")}
VOTES = (
    once("forged vote", _VOTES, forged_vote, LINK, "does not verify"),
    once("vote of another game", _VOTES, foreign_vote, LINK, "in another game"),
    once("vote by a minority", _VOTES, minority_vote, always(NO_EFFECT, 2, 3, 4)),
    once("vote against all", _VOTES, majority_dropped, always(NO_EFFECT, 3)),
    Adversary("votes without end", _VOTES, doing(Hinders), Hinders, always(NO_EFFECT, 3, 4)),
    once("two ballots", _VOTES, two_ballots, {2: NO_EFFECT, **in_play("two ballots", 3, 4)}, "round"),
    once("two ballots apart", _VOTES, two_ballots_apart, in_play("two ballots", 3), "round"),
    once("lying ballot", _VOTES, lying_last, always(NO_EFFECT, 3, 4)),
    once("rounds far ahead", _VOTES, far_rounds, HARMLESS),
    Adversary(
        "heads to one", _HEADS, doing(HeadsToOne), HeadsToOne, always(NO_EFFECT, 4, 5), seat=1, faults=_ONE_IS_AWAY
    ),
    once("false heads", _VOTES, false_head, HARMLESS),
    Adversary("late contribution", _LATE, doing(TooLate), TooLate, always(NO_EFFECT, 3, 4)),
    once("leaver that plays on", LEAVER, leave, _LEFT),
    once("forged leave", LEAVER, forged_leave, LINK, "does not verify"),
    once("forged evidence", _EVIDENCE, forged_evidence, LINK, "does not verify"),
    once("own words as evidence", _EVIDENCE, own_words_as_evidence, LINK, "does not verify"),
    once("evidence of nothing", _EVIDENCE, evidence_of_nothing, HARMLESS),
    once("two contributions far ahead", TWICE, two_futures, in_play(_PAIR), "two different contributions"),
    Adversary(
        "two contributions while one is away",
        TWICE,
        "waits until one of the others is away, and signs two contributions: the one that is left is no majority",
        lambda: Once(two_futures, _one_is_away),
        in_play(_PAIR, 3),
        seat=2,
        faults=_AWAY_AND_BACK,
        reason="two different contributions",
        also=(at_setup(_PAIR),),  # where its own turn was the last one
    ),
    _faces("two commitments", "seat", other_commitment, always(at_setup(_PAIR))),
    _faces("two shuffles", "shuffle", other_shuffle, always(at_setup(_PAIR), 2, 3, 4)),
    _faces("two deals", "deal", other_proof, {**in_play(_PAIR, 2), **always(at_setup(_PAIR), 3, 4)}),
    _faces("two turns", "turn", other_action, in_play(_PAIR, 2, 3, 4)),
    _faces("two draws", "draw", other_proof, in_play(_PAIR, 4), lambda crook: not _plays_next(crook)),
    _faces(
        "two draws before its turn",
        "draw",
        other_proof,
        in_play(_PAIR, 2, 3, 4),
        _plays_next,
        ", before its own turn, so that of three seats it may hold two halves together",
    ),
)
