"""Strategies with ballots, heads, leaves and evidence, and with two faces: how a step closes."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from seqp2p.crypto.hashing import BALLOT, HEAD, LEAVE
from seqp2p.match.contribution import Contribution, SeatBody, ShuffleBody, StepKind, TurnBody, open_envelope
from seqp2p.match.signed import BallotPayload, HeadPayload, LastRecord, LeavePayload, encode_signed
from seqp2p.net.messages import BallotMessage, EvidenceMessage, HeadMessage, LeaveMessage, Signed
from seqp2p.testing.adversaries.byzantine import Byzantine, Once, Strategy
from seqp2p.testing.adversaries.decks import proved, shares_due
from seqp2p.testing.adversaries.described import (
    AT_THE_LINK,
    NO_EFFECT,
    Adversary,
    ExpectedEnding,
    always,
    at_setup,
    doing,
    in_play,
)

_TWICE: Final = "two contributions"
_VOTES = "vote forged, vote by a minority, vote against an honest seat"
_TWO = "equivocation: two contributions for one step"
_EVIDENCE = "forged evidence"
_LEAVES = "a leaver that keeps playing, forged leave"
_LATE = "late contribution after a vote"


Second = Callable[[Byzantine, Contribution], Contribution]


def ballot(
    crook: Byzantine,
    about: Collection[int],
    round_: int = 1,
    *,
    seat: int | None = None,
    game: bytes | None = None,
    last: LastRecord | None = None,
) -> BallotMessage:
    """Return a ballot to drop these seats from the first step that is not final."""
    step = crook.match.chain.base
    assert step is not None, "the game is on"
    payload = BallotPayload(
        1,
        game or crook.match.game.id,
        step.number,
        step.prev,
        seat or crook.number,
        round_,
        "drop",
        tuple(sorted(about)),
        "absent",
        last,
    )
    signed = crook.signed(encode_signed(payload), BALLOT)
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


class Hinders(Strategy):
    """Votes to drop an honest seat at every step, in round after round."""

    def __init__(self) -> None:
        self._round: dict[int, int] = {}

    def after(self, crook: Byzantine) -> None:
        """See Strategy."""
        base = crook.match.chain.base
        if base is not None and base.votable and self._round.get(base.number, 0) < 3:
            round_ = self._round[base.number] = self._round.get(base.number, 0) + 1
            own = ballot(crook, [crook.others[base.number % len(crook.others)]], round_)
            crook.match.receive_ballot(own.contribution)  # It binds this seat too: one ballot a round.
            crook.say(own)


def false_head(crook: Byzantine) -> None:
    """Signs that it has closed the open step in an impossible way."""
    step = crook.match.chain.base
    assert step is not None, "the game is on"
    for round_ in (0, 1, 2):
        payload = HeadPayload(1, crook.match.game.id, step.number, step.prev, crook.number, round_, bytes(32))
        signed = crook.signed(encode_signed(payload), HEAD)
        crook.say(HeadMessage(signed.payload, signed.signature))


class TooLate(Strategy):
    """Wait until its turn is skipped; then send the signed action, and play on."""

    def __init__(self) -> None:
        self._kept: tuple[int, Contribution] | None = None
        self._sent = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Strategy."""
        if crook.match.kind != "turn" or (self._kept is not None and self._kept[0] != crook.match.number):
            return False
        self._kept = self._kept or (crook.match.number, own)
        return True

    def after(self, crook: Byzantine) -> None:
        """See Strategy."""
        if self._kept is not None and crook.match.final >= self._kept[0] and not self._sent:
            self._sent = True
            crook.publish(self._kept[1])


def leave(crook: Byzantine) -> None:
    """Signs a leave, and plays on."""
    signed = crook.signed(encode_signed(LeavePayload(1, crook.match.game.id, crook.number)), LEAVE)
    crook.say(LeaveMessage(signed.payload, signed.signature))


def forged_leave(crook: Byzantine) -> None:
    """Signs a leave for another seat."""
    signed = crook.signed(encode_signed(LeavePayload(1, crook.match.game.id, crook.others[0])), LEAVE)
    crook.say(LeaveMessage(signed.payload, signed.signature))


def _closed(crook: Byzantine) -> list[Contribution]:
    """Return the contributions of the other seats to the step of the deal, which is final."""
    deal = next(step for step in crook.match.record if len(step.contributions) > 1 and step.number > 2)
    return [contribution for seat, contribution in deal.contributions if seat != crook.number]


def forged_evidence(crook: Byzantine) -> None:
    """Offers an honest seat's contribution as evidence, changed in one byte."""
    honest = _closed(crook)[0]
    changed = honest.payload[:-1] + bytes([honest.payload[-1] ^ 1])
    crook.say(EvidenceMessage((Signed(changed, honest.signature),)))


def own_words_as_evidence(crook: Byzantine) -> None:
    """Offers a contribution as evidence against another seat that it has signed itself in that seat's name."""
    two = [crook.signed(each.payload) for each in (_closed(crook)[0], crook.made("turn", TurnBody("", (), b"", b"")))]
    crook.say(EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in two)))


def evidence_of_nothing(crook: Byzantine) -> None:
    """Offers honest contributions as evidence: a single one, the same twice, and two of two steps."""
    honest = _closed(crook)[0]
    first = next(each for seat, each in crook.match.record[0].contributions if seat != crook.number)
    for offered in ([honest], [honest, honest], [first, honest]):
        crook.say(EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in offered)))


def two_futures(crook: Byzantine) -> None:
    """Signs two contributions for a step far away, and offers them itself."""
    step = crook.match.number + 1000
    two = [crook.made("turn", TurnBody(word, (), b"", b""), step, bytes(32)) for word in ("pass", "draw")]
    crook.say(EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in two)))


class TwoFaces(Strategy):
    """Send every second seat another contribution at the first step of a kind, and play on with one of them."""

    def __init__(self, kind: StepKind, second: Second, when: Callable[[Byzantine], bool]) -> None:
        self._kind = kind
        self._second = second
        self._when = when
        self._done = False

    def instead(self, crook: Byzantine, own: Contribution) -> bool:
        """See Strategy."""
        if crook.match.kind != self._kind or self._done or not self._when(crook):
            return False
        self._done = crook.mesh.relay.linked == frozenset(crook.others)
        if self._done:
            second = self._second(crook, own)
            for each in (own, second):
                crook.mesh.hold_back(each)
            crook.publish(own, crook.others[1::2])
            crook.publish(second, crook.others[::2])
            if len(crook.others) == 1:
                crook.publish(own)
        return not self._done


def other_commitment(crook: Byzantine, _own: Contribution) -> Contribution:
    """Another commitment."""
    return crook.made("seat", SeatBody(bytes(32)))


def other_shuffle(crook: Byzantine, _own: Contribution) -> Contribution:
    """Another right shuffle."""
    body = proved(crook, tuple(crook.match.game.deck.mixing), lambda _, deck: deck)
    return crook.made("shuffle", ShuffleBody(body.deck, body.proof))


def other_proof(crook: Byzantine, _own: Contribution) -> Contribution:
    """The same shares with another proof."""
    assert crook.match.kind is not None, "it owes something"
    return crook.made(crook.match.kind, crook.shares(shares_due(crook)))


def other_action(crook: Byzantine, own: Contribution) -> Contribution:
    """Another legal action."""
    actions = (crook.seat.play(crook.match, action) for action in crook.seat.view(crook.match).legal)
    return next(each for each in actions if open_envelope(each.payload).body["action"] != _words(own))


def _words(own: Contribution) -> object:
    return open_envelope(own.payload).body["action"]


def _whenever(_crook: Byzantine) -> bool:
    return True


def _plays_next(crook: Byzantine) -> bool:
    plan, players = crook.match.plan, crook.match.game.players
    return plan is not None and plan.subject % players + 1 == crook.number


def _plays_later(crook: Byzantine) -> bool:
    return not _plays_next(crook)


def _once(
    name: str, row: str, deed: Callable[[Byzantine], None], endings: Mapping[int, ExpectedEnding], reason: str = ""
) -> Adversary:
    return Adversary(name, row, doing(deed), lambda: Once(deed), endings, reason=reason)


def _faces(
    name: str,
    kind: StepKind,
    second: Second,
    endings: Mapping[int, ExpectedEnding],
    when: Callable[[Byzantine], bool] = _whenever,
    more: str = "",
) -> Adversary:
    also = (at_setup(_TWICE),) if more else ()
    what = f"sends every second seat another contribution at a step ``{kind}``{more}: {doing(second)}"
    return Adversary(
        name,
        _TWO,
        what,
        lambda: TwoFaces(kind, second, when),
        endings,
        reason="two different contributions",
        also=also,
    )


VOTES = (
    _once("forged vote", _VOTES, forged_vote, always(AT_THE_LINK), "does not verify"),
    _once("vote of another game", _VOTES, foreign_vote, always(AT_THE_LINK), "in another game"),
    _once("vote by a minority", _VOTES, minority_vote, always(NO_EFFECT, 2, 3, 4)),
    _once("vote against all", _VOTES, majority_dropped, always(NO_EFFECT, 3)),
    Adversary(
        "votes without end",
        _VOTES,
        "votes to drop an honest seat at every step, in round after round",
        Hinders,
        always(NO_EFFECT, 3, 4),
    ),
    _once("two ballots", _VOTES, two_ballots, {2: NO_EFFECT, **in_play("two ballots", 3, 4)}, "round"),
    _once("two ballots apart", _VOTES, two_ballots_apart, in_play("two ballots", 3), "round"),
    _once("lying ballot", _VOTES, lying_last, always(NO_EFFECT, 3, 4)),
    _once("rounds far ahead", _VOTES, far_rounds, always(NO_EFFECT)),
    _once("false heads", _VOTES, false_head, always(NO_EFFECT)),
    Adversary(
        "late contribution",
        _LATE,
        "does not act until its turn is skipped, then sends the action that it had signed, and plays on",
        TooLate,
        always(NO_EFFECT, 3, 4),
    ),
    _once(
        "leaver that plays on",
        _LEAVES,
        leave,
        {2: ExpectedEnding("forfeit", "a leave", "unfinished"), 3: ExpectedEnding("dropped", "a leave", "verified")},
    ),
    _once("forged leave", _LEAVES, forged_leave, always(AT_THE_LINK), "does not verify"),
    _once("forged evidence", _EVIDENCE, forged_evidence, always(AT_THE_LINK), "does not verify"),
    _once("own words as evidence", _EVIDENCE, own_words_as_evidence, always(AT_THE_LINK), "does not verify"),
    _once("evidence of nothing", _EVIDENCE, evidence_of_nothing, always(NO_EFFECT)),
    _once("two contributions far ahead", _TWO, two_futures, in_play(_TWICE), "two different contributions"),
    _faces("two commitments", "seat", other_commitment, always(at_setup(_TWICE))),
    _faces("two shuffles", "shuffle", other_shuffle, always(at_setup(_TWICE), 2, 3, 4)),
    _faces("two deals", "deal", other_proof, {**in_play(_TWICE, 2), **always(at_setup(_TWICE), 3, 4)}),
    _faces("two turns", "turn", other_action, in_play(_TWICE, 2, 3, 4)),
    _faces("two draws", "draw", other_proof, in_play(_TWICE, 4), _plays_later),
    _faces(
        "two draws before its turn",
        "draw",
        other_proof,
        in_play(_TWICE, 2, 3, 4),
        _plays_next,
        ", before its own turn, so that of three seats it may hold two halves together",
    ),
)
