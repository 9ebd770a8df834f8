"""Strategies with remarks and their calls: table talk."""

from collections.abc import Collection
from dataclasses import dataclass

from seqp2p.crypto.hashing import REMARK
from seqp2p.match.contribution import CallBody, Contribution, StepKind
from seqp2p.match.encoding import encode
from seqp2p.match.remark import NO_REMARK, Remark, RemarkPayload
from seqp2p.net.messages import RemarkMessage
from seqp2p.rules import Action, format_action
from tests.sim.adversaries.byzantine import Byzantine, Forge, Instead, MakeTrick, Strategy
from tests.sim.adversaries.described import (
    FLOOD,
    FRAMES,
    HARMLESS,
    LINK,
    SIGNED,
    TWICE,
    Adversary,
    doing,
    in_play,
    once,
)
from tests.sim.faults import Fault

_TALK = "table talk"
_ESCAPES = "terminal escapes in names and chat"


def _remark(crook: Byzantine, text: str, number: int = 1, last: bytes = NO_REMARK, *, courtesy: bool = False) -> Remark:
    here = crook.at
    word = RemarkPayload(1, here.game, crook.number, number, last, here.step, here.prev, courtesy, text)
    signed = crook.signed(encode(word), REMARK)
    return Remark(signed.payload, signed.signature, word)


def _say(crook: Byzantine, remark: Remark, seats: Collection[int] | None = None) -> None:
    crook.say(RemarkMessage(remark.payload, remark.signature), seats)


def talks(crook: Byzantine) -> None:
    """Sends two hundred remarks at once."""
    last = NO_REMARK
    for number in range(1, 201):
        said = _remark(crook, f"word {number}", number, last)
        last = said.hash
        _say(crook, said)


def forged_remark(crook: Byzantine) -> None:
    """Sends a remark in another seat's name."""
    said = _remark(crook, "hello")
    signature = crook.seat.sign(REMARK, said.payload[:-1])
    crook.say(RemarkMessage(said.payload, signature))


def two_first_remarks(crook: Byzantine) -> None:
    """Signs two different first remarks, one for each half of the table."""
    for half, text in ((crook.others[::2], "one thing"), (crook.others[1::2], "another")):
        _say(crook, _remark(crook, text), half)


def _call(crook: Byzantine, remark: Remark) -> Contribution:
    words = format_action(crook.match.game.variant, Action("call", seat=remark.said.seat))
    return crook.made("turn", CallBody(words, remark.payload, remark.signature))


def _heard(crook: Byzantine, *, courtesy: bool) -> Remark | None:
    remarks = crook.match.remarks.after((0,) * crook.match.game.players)
    return next((each for each in remarks if each.said.courtesy == courtesy), None)


def calls_courtesy(crook: Byzantine, _own: Contribution) -> Contribution | None:
    """Calls a courtesy."""
    remark = _heard(crook, courtesy=True)
    return None if remark is None else _call(crook, remark)


def calls_own_words(crook: Byzantine, _own: Contribution) -> Contribution:
    """Calls a remark that it has made itself, in an opponent's name."""
    word = RemarkPayload(1, crook.at.game, crook.others[0], 1, NO_REMARK, 1, crook.at.game, False, "my knave")
    signed = crook.signed(encode(word), REMARK)
    return _call(crook, Remark(signed.payload, signed.signature, word))


def calls_no_remark(crook: Byzantine, _own: Contribution) -> Contribution:
    """Calls without a remark."""
    return crook.made("turn", crook.action(f"call {crook.others[0]}"))


def calls_too_late(crook: Byzantine, _own: Contribution) -> Contribution | None:
    """Calls a remark from before its last turn."""
    remark = _heard(crook, courtesy=False)
    placed = crook.match.game.placed_at.get(crook.number, 0)
    return None if remark is None or remark.said.step >= placed else _call(crook, remark)


@dataclass
class CallsTwice(Strategy):
    """Calls a remark, and calls it again when the cards are given up."""

    called: bool = False
    done: bool = False

    def instead(self, crook: Byzantine, _own: Contribution) -> bool:
        kind: StepKind | None = crook.match.kind
        remark = _heard(crook, courtesy=False)
        if kind != "turn" or remark is None or self.done:
            return self.done
        own = _call(crook, remark)
        if self.called:
            self.done = True
        else:
            self.called = True
            crook.match.receive(own)
        crook.publish(own)
        return True


# Four seats in two teams; an opponent says a courtesy, and then something else.
_TALKED = (Fault("talk", 0.3, (2,)), Fault("talk", 0.4, (2,)))


def _talk(name: str, what: str, make: MakeTrick, reason: str) -> Adversary:
    table, endings = {"table_talk": False}, in_play("one contribution", 4)
    return Adversary(name, _TALK, what, make, endings, seat=1, table=table, faults=_TALKED, reason=reason)


def _called(name: str, forge: Forge, reason: str) -> Adversary:
    return _talk(name, doing(forge), lambda: Instead("turn", forge), reason)


def _says(name: str, row: str, what: str, text: str, reason: str, *, courtesy: bool = False) -> Adversary:
    return once(name, row, lambda crook: _say(crook, _remark(crook, text, courtesy=courtesy)), LINK, reason, what)


_UNSEEN = "control, direction"
TALK = (
    once("remarks without end", FLOOD, talks, HARMLESS),
    _says(
        "escapes in a remark",
        _ESCAPES,
        "sends a remark that would clear the screen",
        "\x1b[2J\x1b]0;owned\x07",
        _UNSEEN,
    ),
    _says("remark turned round", _ESCAPES, "sends a remark that is read backwards", "abc\u202edef", _UNSEEN),
    _says("remark too long", FRAMES, "sends a remark one character above the limit", "x" * 201, "1 to 200 characters"),
    _says(
        "false courtesy",
        _TALK,
        "marks another text as a courtesy, so that it could not be called",
        "the knave",
        "no such courtesy",
        courtesy=True,
    ),
    once("forged remark", SIGNED, forged_remark, LINK, "does not verify"),
    once("two first remarks", TWICE, two_first_remarks, HARMLESS),
    _called("call of a courtesy", calls_courtesy, "a courtesy"),
    _called("call of its own words", calls_own_words, "does not verify"),
    _called("call of nothing", calls_no_remark, "a call carries"),
    _called("call too late", calls_too_late, "in the first turn after"),
    _talk("call twice", doing(CallsTwice), CallsTwice, "called before"),
)
