"""Spectators that do more than watch: they send what seats send, bytes that are no message, and too much."""

import random
from collections.abc import Callable
from functools import partial
from typing import Final

from seqp2p.crypto.group import encode_scalar
from seqp2p.net.frames import frame
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    BallotMessage,
    Bye,
    ContributionMessage,
    EvidenceMessage,
    Have,
    OpeningMessage,
    RemarkMessage,
    Signed,
    WireMessage,
    encode_message,
)
from seqp2p.testing.adversaries.byzantine import Strategy
from seqp2p.testing.adversaries.described import AT_THE_LINK, NO_EFFECT, Adversary, ExpectedEnding, always, doing
from seqp2p.testing.sim_spectator import SimSpectator, SpectatorMachine, Ticket
from seqp2p.testing.spectator import MakeVisit

_JOINS_IN: Final = "a spectator that joins in"
_FRAMES: Final = "frames too large, nested msgpack bombs"
_FLOOD: Final = "flooding"


class HostileSpectator(SimSpectator):
    """A spectator that does something once, as soon as it has seen a step."""

    def __init__(
        self, machine: SpectatorMachine, ticket: Ticket, dice: random.Random, deed: Callable[["HostileSpectator"], None]
    ) -> None:
        super().__init__(machine, ticket, dice)
        self._deed = deed
        self.done = False

    def _taken(self) -> None:
        super()._taken()
        if not self.done and self.spectator.match.record:
            self.done = True
            self._deed(self)

    def say(self, *messages: WireMessage) -> None:
        """Send messages to the host."""
        self.throw(b"".join(map(encode_message, messages)))

    def throw(self, data: bytes) -> None:
        """Send the host any bytes."""
        if self.end is not None:
            self.end.send_frame(data)

    @property
    def overheard(self) -> ContributionMessage:
        """Return a contribution of a seat."""
        made = self.spectator.match.record[-1].contributions[-1][1]
        return ContributionMessage(made.payload, made.signature)


def contributes(spectator: HostileSpectator) -> None:
    """Sends the host a contribution of a seat."""
    spectator.say(spectator.overheard)


def votes(spectator: HostileSpectator) -> None:
    """Sends a ballot."""
    spectator.say(BallotMessage(b"drop them all", bytes(64)))


def accuses(spectator: HostileSpectator) -> None:
    """Offers a seat's contribution as evidence against it."""
    spectator.say(EvidenceMessage((Signed(spectator.overheard.payload, spectator.overheard.signature),)))


def talks(spectator: HostileSpectator) -> None:
    """Says something to the table."""
    spectator.say(RemarkMessage(b"play the knave", bytes(64)))


def opens(spectator: HostileSpectator) -> None:
    """Releases a secret in the first seat's name, in the middle of the game."""
    spectator.say(OpeningMessage(1, encode_scalar(77)))


def babbles(spectator: HostileSpectator) -> None:
    """Sends bytes that are no message."""
    spectator.throw(frame(b"\xc1"))


def sends_much(spectator: HostileSpectator) -> None:
    """Sends a frame one byte above a spectator's limit."""
    spectator.throw(frame(bytes(DEFAULT_LIMITS.watch_frame_max + 1)))


def asks_and_asks(spectator: HostileSpectator) -> None:
    """Claims three hundred times to have nothing."""
    spectator.say(*[Have(1, ())] * 300)


def asks_ahead(spectator: HostileSpectator) -> None:
    """Claims to be a hundred thousand steps ahead."""
    spectator.say(Have(100_000, tuple(range(1, 13))))


def says_bye(spectator: HostileSpectator) -> None:
    """Says goodbye, and stays."""
    spectator.say(Bye("\x1b[2Jwhat a game"), Have(1, ()))


def _one(
    name: str,
    row: str,
    deed: Callable[[HostileSpectator], None],
    ending: ExpectedEnding = AT_THE_LINK,
    reason: str = "out of place",
) -> Adversary:
    visit: MakeVisit = partial(HostileSpectator, deed=deed)
    reason = reason if ending is AT_THE_LINK else ""
    what = f"as a spectator, {doing(deed)}"
    return Adversary(name, row, what, Strategy, always(ending, 3), crooks=0, reason=reason, hostile_spectator=visit)


HOSTILE_SPECTATORS: Final = (
    _one("spectator contributes", _JOINS_IN, contributes),
    _one("spectator votes", _JOINS_IN, votes),
    _one("spectator accuses", _JOINS_IN, accuses),
    _one("spectator talks", _JOINS_IN, talks),
    _one("spectator opens a hand", _JOINS_IN, opens),
    _one("spectator babbles", _FRAMES, babbles, reason="no message"),
    _one("spectator sends a large frame", _FRAMES, sends_much, reason="where 1 to"),
    _one("spectator asks and asks", _FLOOD, asks_and_asks, NO_EFFECT),
    _one("spectator asks ahead", _JOINS_IN, asks_ahead, NO_EFFECT),
    _one("spectator says goodbye and stays", _JOINS_IN, says_bye, NO_EFFECT),
)
