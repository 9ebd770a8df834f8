"""Remarks: the talk of seats. docs/protocol.md, "Remarks".

A remark is signed, numbered per seat, chained to the seat's last one, and dated with the step that was open for its
speaker. It is outside the steps: no head depends on it, and nothing waits for it. With the table-talk rule on, a call
carries a remark's bytes into the record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from seqp2p.crypto.errors import CryptoError
from seqp2p.crypto.hashing import REMARK, REMARK_HASH, tagged_hash
from seqp2p.crypto.identity import verify
from seqp2p.i18n import message, message_of
from seqp2p.match.contribution import REMARK_SIZE_MAX, StepNumber
from seqp2p.match.encoding import DecodeError, Record, decode
from seqp2p.match.table import Agreement, Bytes32, SeatNumber
from seqp2p.match.text import text_fault

REMARK_LENGTH_MAX = 200
REMARKS_MAX = 200  # per seat and game: more than a person types, and the replay stays small
NO_REMARK = bytes(32)
COURTESIES = ("hello", "good luck", "well played", "good game", "thank you", "one moment")


class RemarkPayload(Record, frozen=True):
    """The signed payload. ``last`` is the hash of the seat's remark before this one, 32 zero bytes for the first.

    ``courtesy``: the text is one of COURTESIES, and can never be called.
    """

    v: Literal[1]
    game: Bytes32
    seat: SeatNumber
    number: Annotated[int, msgspec.Meta(ge=1, le=REMARKS_MAX)]
    last: Bytes32
    step: StepNumber
    prev: Bytes32
    courtesy: bool
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark as it was signed, and its content."""

    payload: bytes
    signature: bytes
    said: RemarkPayload

    @property
    def hash(self) -> bytes:
        """The hash that the seat's next remark names, and that identifies a call."""
        return tagged_hash(REMARK_HASH, self.payload)


class BadRemark(ValueError):
    """These bytes are no remark of a seat of this game; the peer that passed them on is to blame."""


def open_remark(payload: bytes, signature: bytes, game: bytes, agreement: Agreement) -> Remark:
    """Return a remark signed by a seat of the game. Raises BadRemark. Its place in the game is not checked here."""
    word = open_word(payload)
    if word.game != game or word.seat > len(agreement.seats):
        raise BadRemark(message("a remark in another game"))
    try:
        verify(agreement.seats[word.seat - 1].key, REMARK, payload, signature)
    except CryptoError:
        raise BadRemark(message("the signature of seat {seat} on its remark does not verify", seat=word.seat)) from None
    if fault := text_fault(message("a remark"), word.text, REMARK_LENGTH_MAX):
        raise BadRemark(fault)
    if word.courtesy and word.text not in COURTESIES:
        raise BadRemark(message("no such courtesy"))
    return Remark(payload, signature, word)


def open_word(payload: bytes) -> RemarkPayload:
    """Return a remark's payload, its signature unchecked. Raises BadRemark."""
    try:
        return decode(RemarkPayload, payload, REMARK_SIZE_MAX)
    except DecodeError as error:
        raise BadRemark(message("not a remark: {reason}", reason=message_of(error))) from None


class RemarkLog:
    """The remarks of one game: for each seat a chain without gaps."""

    def __init__(self) -> None:
        self._chains: dict[int, list[Remark]] = {}

    def counts(self, players: int) -> tuple[int, ...]:
        """The number of remarks of each seat, in seat order."""
        return tuple(len(self.of(seat)) for seat in range(1, players + 1))

    def after(self, counts: tuple[int, ...]) -> list[Remark]:
        """Return the remarks that a peer with these numbers lacks."""
        return [remark for seat, count in enumerate(counts, 1) for remark in self.of(seat)[count:]]

    def next_of(self, seat: int) -> tuple[int, bytes]:
        """Return the number of a seat's next remark, and the hash it must name."""
        chain = self.of(seat)
        return len(chain) + 1, chain[-1].hash if chain else NO_REMARK

    def of(self, seat: int) -> Sequence[Remark]:
        """Return a seat's remarks, the newest last."""
        return self._chains.get(seat, [])

    def add(self, remark: Remark) -> bool:
        """Keep a remark if it is the next of its seat's chain, else return False."""
        number, last = self.next_of(remark.said.seat)
        if (remark.said.number, remark.said.last) != (number, last):
            return False
        self._chains.setdefault(remark.said.seat, []).append(remark)
        return True
