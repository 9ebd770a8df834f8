"""An adversary as data: its attack, and the expected endings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from seqp2p.match.contribution import StepKind
from seqp2p.replay.verify import Verdict
from tests.sim.adversaries.byzantine import Byzantine, Forge, Instead, MakeTrick, Once, Withholds
from tests.sim.faults import Fault
from tests.sim.spectator import MakeVisit

ExpectedOutcome: TypeAlias = Literal[
    "no effect", "refused at the link", "proven and dropped", "proven, game ends", "dropped", "forfeit", "game ends"
]
"""The outcome for the honest seats. ``no effect`` and ``refused at the link``: the game is played out with the seat in
it; in the second case its links are ended for a message, which counts against it. ``proven``: every honest seat holds
the evidence. ``dropped``: a majority votes it out, and the others play the game out. ``forfeit``: with two seats the
honest one has won. ``game ends``: no vote is possible there, so it is unfinished.
"""
ExpectedEvidence: TypeAlias = Literal["none", "one contribution", "two contributions", "two ballots", "a leave"]


@dataclass(frozen=True, slots=True)
class ExpectedEnding:
    """The ending for every honest seat: the outcome, the evidence in its memory and its record, and the verdict of
    ``verify`` on that record.
    """

    outcome: ExpectedOutcome
    evidence: ExpectedEvidence
    verdict: Verdict


# Attacks of several modules.
BYTES: Final = "identity, non-canonical point, scalar ≥ q, wrong length"
FLOOD: Final = "flooding"
FRAMES: Final = "frames too large, nested msgpack bombs"
LEAVER: Final = "a leaver that keeps playing, forged leave"
REPLAY: Final = "replayed proof or share from another game, step, seat, card"
SIGNED: Final = "another seat's signature"
TWICE: Final = "equivocation: two contributions for one step"
WITHHOLDS: Final = "withholding a share, selective abort after the reveal"

NO_EFFECT: Final = ExpectedEnding("no effect", "none", "verified")
AT_THE_LINK: Final = ExpectedEnding("refused at the link", "none", "verified")


def at_setup(evidence: ExpectedEvidence = "one contribution") -> ExpectedEnding:
    """Return the ending of a proof before the first deal: no seat can be voted out."""
    return ExpectedEnding("proven, game ends", evidence, "unfinished")


def in_play(evidence: ExpectedEvidence = "one contribution", *sizes: int) -> dict[int, ExpectedEnding]:
    """Return the ending of a proof in the game: with two seats the other has won, with more the cheat is dropped."""
    forfeit = ExpectedEnding("forfeit", evidence, "unfinished")
    dropped = ExpectedEnding("proven and dropped", evidence, "verified")
    return {players: forfeit if players == 2 else dropped for players in sizes or (2, 3)}


def always(ending: ExpectedEnding, *sizes: int) -> dict[int, ExpectedEnding]:
    """Return the same ending at tables of every size."""
    return dict.fromkeys(sizes or (2, 3), ending)


def doing(deed: object) -> str:
    """Return a deed's docstring as the rest of a sentence about a seat."""
    text = (deed.__doc__ or "").rstrip(".")
    return text[:1].lower() + text[1:]


GAME_ENDS: Final = ExpectedEnding("game ends", "none", "unfinished")
# Endings at tables of two and of three.
HARMLESS: Final = always(NO_EFFECT)
LINK: Final = always(AT_THE_LINK)
SETUP: Final = always(at_setup())
ENDS: Final = always(GAME_ENDS)
WITHHELD: Final = {2: GAME_ENDS, **always(ExpectedEnding("dropped", "none", "verified"), 3, 4)}


@dataclass(frozen=True, slots=True)
class Adversary:
    """A misbehaving seat, or spectator. ``row`` is its attack, ``what`` describes it, and ``endings`` are the expected
    endings at tables of each size that it is tried at.

    ``reason`` is in the text of every honest seat about it, in a proof or of a link. ``also`` are endings that are
    possible by chance, because §10.1 of the protocol excludes them only with more seats.

    ``make`` makes its strategy; ``crooks`` seats have it, and ``seat`` is the first of them, if that matters. With a
    ``hostile_spectator`` it is a spectator. ``table`` has settings that differ from the usual ones, ``faults`` the
    faults of the network and the machines.
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
    """Return an adversary that does this once and is honest otherwise; ``what`` is by default the deed's docstring."""
    return Adversary(name, row, what or doing(deed), lambda: Once(deed), endings, reason=reason)


def instead(
    name: str,
    row: str,
    kind: StepKind,
    forge: Forge,
    reason: str,
    endings: Mapping[int, ExpectedEnding] | None = None,
    what: str = "",
) -> Adversary:
    """Return an adversary that contributes this once instead; by default it is a proof, before play or in it."""
    proof = in_play() if kind in {"turn", "draw"} else always(at_setup())
    return Adversary(name, row, what or doing(forge), lambda: Instead(kind, forge), endings or proof, reason=reason)


def withholds(name: str, kind: StepKind, what: str, endings: Mapping[int, ExpectedEnding]) -> Adversary:
    """Return an adversary that contributes nothing from such a step on."""
    return Adversary(name, WITHHOLDS, what, lambda: Withholds(kind), endings)
