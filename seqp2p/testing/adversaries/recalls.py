"""Strategies against a seat with an older copy of its files: false answers when it asks for what it has signed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from seqp2p.match.signed import SignedThing
from seqp2p.net.gossip import Recollection
from seqp2p.testing.adversaries.byzantine import Byzantine, Strategy
from seqp2p.testing.adversaries.described import AT_THE_LINK, NO_EFFECT, Adversary, ExpectedEnding, always, doing
from seqp2p.testing.faults import Fault

Lie = Callable[[Byzantine, int, Recollection], Recollection | None]

_ROW: Final = "a false answer about another seat's signatures"
_OLDER: Final = Fault("older", 2.0, (2,), 3.0)


@dataclass
class Lies(Strategy):
    """Answers a seat that may have lost signatures of its own with a lie, so many times."""

    lie: Lie
    times: int

    def recalls(self, crook: Byzantine, seat: int, true: Recollection) -> Recollection | None:
        self.times -= 1
        crook.has_acted = True
        return self.lie(crook, seat, true) if self.times >= 0 else true


def nothing_signed(_crook: Byzantine, _seat: int, true: Recollection) -> Recollection:
    """Answers that the seat has signed nothing."""
    return replace(true, things=())


def silence(_crook: Byzantine, _seat: int, _true: Recollection) -> None:
    """Does not answer."""


def far_ahead(_crook: Byzantine, _seat: int, true: Recollection) -> Recollection:
    """Answers about steps that are far ahead."""
    return replace(true, step=100_000)


def older_words(crook: Byzantine, seat: int, true: Recollection) -> Recollection:
    """Answers with what the seat signed for older steps, and keeps back the rest."""
    older = [held for closed in crook.match.record for by, held in closed.contributions if by == seat]
    return replace(true, things=tuple[SignedThing, ...](older))


def others_words(crook: Byzantine, seat: int, true: Recollection) -> Recollection:
    """Answers with what all other seats have signed."""
    others = [held for closed in crook.match.record for by, held in closed.contributions if by != seat]
    return replace(true, things=tuple[SignedThing, ...](others))


def made_up_words(crook: Byzantine, seat: int, true: Recollection) -> Recollection:
    """Answers with a contribution that it has made up in the seat's name."""
    return replace(true, things=(crook.altered(crook.made("turn"), seat=seat), *true.things))


def _lying(
    name: str, lie: Lie, endings: Mapping[int, ExpectedEnding], reason: str = "", times: int = 1_000_000, more: str = ""
) -> Adversary:
    what = f"when a seat asks for its own signatures, {doing(lie)}{more}"
    return Adversary(name, _ROW, what, lambda: Lies(lie, times), endings, seat=1, faults=(_OLDER,), reason=reason)


_LOST: Final = ": that seat signs nothing, and the others may go on without it"
RECALLS: Final = (
    _lying("nothing signed", nothing_signed, always(NO_EFFECT, 3, 4)),
    _lying("older signatures", older_words, always(NO_EFFECT, 3, 4)),
    _lying("others' signatures", others_words, always(NO_EFFECT, 3, 4)),
    _lying("made-up signatures", made_up_words, always(AT_THE_LINK, 2, 3, 4), "does not verify", 1, ", once"),
    _lying("no answer", silence, always(NO_EFFECT, 3, 4), more=_LOST),
    _lying("answer from far ahead", far_ahead, always(NO_EFFECT, 3, 4), more=_LOST),
)
