"""Spectators that do more than watch: they send what seats send, bytes that are no message, and too much."""

from collections.abc import Callable
from functools import partial
from typing import Final

from seqp2p.crypto.group import encode_scalar
from seqp2p.match.machine import Match
from seqp2p.net import messages as wire
from seqp2p.net.frames import frame
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.replay.writer import ReplayWriter
from tests.sim.adversaries.byzantine import Strategy
from tests.sim.adversaries.described import AT_THE_LINK, FLOOD, FRAMES, NO_EFFECT, Adversary, always
from tests.sim.spectator import MakeVisit, SimSpectator, VirtualSpectator

_JOINS_IN: Final = "a spectator that joins in"


class HostileSpectator(SimSpectator):
    """A spectator that does something once, as soon as it has seen a step."""

    def __init__(
        self, machine: VirtualSpectator, match: Match, writer: ReplayWriter, deed: Callable[["HostileSpectator"], None]
    ) -> None:
        super().__init__(machine, match, writer)
        self._deed = deed
        self.done = False

    def _taken(self) -> None:
        super()._taken()
        if not self.done and self.spectator.match.record:
            self.done = True
            self._deed(self)

    def say(self, *messages: wire.WireMessage) -> None:
        """Send messages to the host."""
        self.throw(b"".join(map(wire.encode_message, messages)))

    def throw(self, data: bytes) -> None:
        """Send the host any bytes."""
        if self.end is not None:
            self.end.send_frame(data)

    @property
    def overheard(self) -> wire.ContributionMessage:
        """Return a contribution of a seat."""
        made = self.spectator.match.record[-1].contributions[-1][1]
        return wire.ContributionMessage(made.payload, made.signature)


def _one(
    name: str, row: str, what: str, deed: Callable[[HostileSpectator], None], reason: str = "out of place"
) -> Adversary:
    visit: MakeVisit = partial(HostileSpectator, deed=deed)
    endings = always(AT_THE_LINK if reason else NO_EFFECT, 3)
    what = f"as a spectator, {what}"
    return Adversary(name, row, what, Strategy, endings, crooks=0, reason=reason, hostile_spectator=visit)


def _says(
    name: str, what: str, *said: wire.WireMessage, row: str = _JOINS_IN, reason: str = "out of place"
) -> Adversary:
    return _one(name, row, what, lambda spectator: spectator.say(*said), reason)


def _throws(name: str, what: str, data: bytes, reason: str) -> Adversary:
    return _one(name, FRAMES, what, lambda spectator: spectator.throw(frame(data)), reason)


def _accuse(spectator: HostileSpectator) -> None:
    spectator.say(wire.EvidenceMessage((wire.Signed(spectator.overheard.payload, spectator.overheard.signature),)))


_TOO_LARGE: Final = bytes(DEFAULT_LIMITS.watch_frame_max + 1)
_BYE: Final = wire.Bye("\x1b[2Jwhat a game")
_OPENING: Final = wire.OpeningMessage(1, encode_scalar(77))
_NOTHING: Final = wire.More(0)
_AHEAD: Final = wire.More(100_000)
HOSTILE_SPECTATORS: Final = (
    _one(
        "spectator contributes",
        _JOINS_IN,
        "sends the host a contribution of a seat",
        lambda spectator: spectator.say(spectator.overheard),
    ),
    _says("spectator votes", "sends a ballot", wire.BallotMessage(b"drop them all", bytes(64))),
    _one("spectator accuses", _JOINS_IN, "offers a seat's contribution as evidence against it", _accuse),
    _says("spectator talks", "says something to the table", wire.RemarkMessage(b"play the knave", bytes(64))),
    _says("spectator opens a hand", "releases a secret in the first seat's name, in the middle of the game", _OPENING),
    _throws("spectator babbles", "sends bytes that are no message", b"\xc1", "not a message"),
    _throws(
        "spectator sends a large frame", "sends a frame one byte above a spectator's limit", _TOO_LARGE, "where 1 to"
    ),
    _says(
        "spectator asks and asks", "claims three hundred times to have nothing", *[_NOTHING] * 300, row=FLOOD, reason=""
    ),
    _says("spectator asks ahead", "claims to have had a hundred thousand messages", _AHEAD, reason=""),
    _says("spectator says goodbye and stays", "says goodbye, and stays", _BYE, _NOTHING, reason=""),
)
