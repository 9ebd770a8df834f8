"""What an adversary is, as data: what it does, and what must come of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from seqp2p.replay.verify import Verdict
from seqp2p.testing.adversaries.byzantine import Byzantine, MakeTrick, Once
from seqp2p.testing.faults import Fault
from seqp2p.testing.spectator import MakeVisit

ExpectedOutcome: TypeAlias = Literal[
    "no effect", "refused at the link", "proven and dropped", "proven, game ends", "dropped", "forfeit", "game ends"
]
"""What the honest seats make of it. ``no effect`` and ``refused at the link``: the game is played out with the seat in
it; the second time its links are ended for what it sent, which counts against it. ``proven``: every honest seat holds
the proof. ``dropped``: a majority votes it out, and the others play the game out. ``forfeit``: with two seats the
honest one has won. ``game ends``: nobody can be voted out there, so it is unfinished."""
ExpectedEvidence: TypeAlias = Literal["none", "one contribution", "two contributions", "two ballots", "a leave"]


@dataclass(frozen=True, slots=True)
class ExpectedEnding:
    """What comes of it for every honest seat: the outcome, the evidence that it holds and that its record has, and
    what ``verify`` says of that record.
    """

    outcome: ExpectedOutcome
    evidence: ExpectedEvidence
    verdict: Verdict


NO_EFFECT: Final = ExpectedEnding("no effect", "none", "verified")
AT_THE_LINK: Final = ExpectedEnding("refused at the link", "none", "verified")


def at_setup(evidence: ExpectedEvidence = "one contribution") -> ExpectedEnding:
    """Proved before the first deal: nobody can be voted out."""
    return ExpectedEnding("proven, game ends", evidence, "unfinished")


def in_play(evidence: ExpectedEvidence = "one contribution", *sizes: int) -> dict[int, ExpectedEnding]:
    """Proved in the game: with two seats the other has won, with more the cheat is dropped."""
    forfeit, dropped = (
        ExpectedEnding("forfeit", evidence, "unfinished"),
        ExpectedEnding("proven and dropped", evidence, "verified"),
    )
    return {players: forfeit if players == 2 else dropped for players in sizes or (2, 3)}


def always(ending: ExpectedEnding, *sizes: int) -> dict[int, ExpectedEnding]:
    """The same at tables of every size."""
    return dict.fromkeys(sizes or (2, 3), ending)


def doing(deed: object) -> str:
    """What a deed is by its docstring, as the rest of a sentence about a seat."""
    text = (deed.__doc__ or "").rstrip(".")
    return text[:1].lower() + text[1:]


GAME_ENDS: Final = ExpectedEnding("game ends", "none", "unfinished")
WITHHELD: Final = {
    2: GAME_ENDS,
    3: ExpectedEnding("dropped", "none", "verified"),
    4: ExpectedEnding("dropped", "none", "verified"),
}


@dataclass(frozen=True, slots=True)
class Adversary:
    """A misbehaving seat, or spectator. ``row`` is the attack that it tries, ``what`` what it does, and ``endings``
    what must come of it at tables of each size that it is tried at.

    ``reason`` is in what every honest seat says of it, in a proof or of a link. ``also`` is what may come of it too, by
    chance: what §6.3 of the protocol does not promise with so few seats.

    ``make`` makes its trick; ``crooks`` seats have it, and ``seat`` is the first of them where that matters. With a
    ``hostile_spectator`` it is a spectator. ``table`` has settings that differ from the usual ones,
    ``faults`` what else happens.
    """

    name: str
    row: str
    what: str
    make: MakeTrick
    endings: Mapping[int, ExpectedEnding]
    crooks: int = 1
    seat: int | None = None
    table: Mapping[str, Any] = field(default_factory=dict[str, Any])
    faults: tuple[Fault, ...] = ()
    reason: str = ""
    also: tuple[ExpectedEnding, ...] = ()
    hostile_spectator: MakeVisit | None = None


def once(
    name: str,
    row: str,
    deed: Callable[[Byzantine], None],
    endings: Mapping[int, ExpectedEnding],
    reason: str = "",
    what: str = "",
) -> Adversary:
    """One that does this one time, and is as it should be otherwise; ``what`` it does is in the deed's own text."""
    return Adversary(name, row, what or doing(deed), lambda: Once(deed), endings, reason=reason)
