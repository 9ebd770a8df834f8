"""A contribution: the signed bytes of one seat for its part of one step. docs/protocol.md, "Contributions"."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, cast

import msgspec

from seqp2p.crypto.group import POINT_SIZE
from seqp2p.crypto.schnorr import KEY_PROOF_SIZE, SHARE_PROOF_SIZE
from seqp2p.i18n import message
from seqp2p.match.encoding import DecodeError, Record, encode, pack, require_canonical, structure, unpack
from seqp2p.match.table import Bytes32, SeatNumber

# A shuffle of the largest deck (104 cards) is about 24 kB; nothing else comes near it.
PAYLOAD_SIZE_MAX = 32_768
# A hand that is shown has about 30. Every seat reads a payload before it knows the signature to be right.
PAYLOAD_VALUES_MAX = 64
SIGNATURE_SIZE = 64
STEP_MAX = 100_000
ACTION_LENGTH_MAX = 64
REMARK_SIZE_MAX = 1024

StepNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=STEP_MAX)]
SignatureBytes: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=SIGNATURE_SIZE, max_length=SIGNATURE_SIZE)]


class SeatBody(Record, frozen=True):
    """Step ``seat``: agreement to the table, and the commitment that step ``reveal`` opens."""

    commitment: Bytes32


class RevealBody(Record, frozen=True):
    """Step ``reveal``: game key X_i (33 bytes), proof of knowledge of x_i, and the nonce; they open the commitment."""

    key: Annotated[bytes, msgspec.Meta(min_length=POINT_SIZE, max_length=POINT_SIZE)]
    proof: Annotated[bytes, msgspec.Meta(min_length=KEY_PROOF_SIZE, max_length=KEY_PROOF_SIZE)]
    nonce: Bytes32


class ShuffleBody(Record, frozen=True):
    """Step ``shuffle``: the re-encrypted, permuted deck (66 bytes a card) and the proof of correct shuffle."""

    deck: bytes
    proof: bytes


class SharesBody(Record, frozen=True):
    """Steps ``deal`` and ``draw``: decryption shares (33 bytes each, in deck order) and their one proof."""

    shares: bytes
    proof: Annotated[bytes, msgspec.Meta(min_length=SHARE_PROOF_SIZE, max_length=SHARE_PROOF_SIZE)]


class TurnBody(Record, frozen=True):
    """Step ``turn``: one action in the game's notation, and the cards it shows.

    ``cards`` are deck positions of the mover's own hand, ascending; ``shares`` the mover's own decryption shares for
    them; ``proof`` the one proof of these shares. An action that shows no card has no shares and an empty proof.
    """

    action: Annotated[str, msgspec.Meta(max_length=ACTION_LENGTH_MAX)]
    cards: tuple[Annotated[int, msgspec.Meta(ge=0, lt=2**31)], ...]
    shares: bytes
    proof: Annotated[bytes, msgspec.Meta(max_length=SHARE_PROOF_SIZE)]


class CallBody(Record, frozen=True):
    """Step ``turn``, table talk: the call of a remark, with the remark's payload and its speaker's signature."""

    action: Annotated[str, msgspec.Meta(max_length=ACTION_LENGTH_MAX)]
    remark: Annotated[bytes, msgspec.Meta(max_length=REMARK_SIZE_MAX)]
    signature: SignatureBytes


class OverBody(Record, frozen=True):
    """Step ``over``: the hash of the final position, hands unknown."""

    position: Bytes32


Body: TypeAlias = SeatBody | RevealBody | ShuffleBody | SharesBody | TurnBody | CallBody | OverBody
StepKind: TypeAlias = Literal["seat", "reveal", "shuffle", "deal", "turn", "draw", "discard", "late", "over"]

# The bodies of each kind of contribution; two bodies of one kind have different keys.
BODIES: dict[StepKind, tuple[type[Body], ...]] = {
    "seat": (SeatBody,),
    "reveal": (RevealBody,),
    "shuffle": (ShuffleBody,),
    "deal": (SharesBody,),
    "turn": (TurnBody, CallBody),
    "draw": (SharesBody,),
    "discard": (TurnBody,),
    "late": (TurnBody,),
    "over": (OverBody,),
}


class AtStep(Record, frozen=True):
    """The place of something signed: a step of a game, after the head ``prev``, by a seat."""

    v: Literal[1]
    game: Bytes32
    step: StepNumber
    prev: Bytes32
    seat: SeatNumber


class Envelope(AtStep, frozen=True):
    """The payload's outer map. ``body`` is still plain data: its type depends on what the step awaits."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Contribution:
    """Payload bytes as they were signed, and the Ed25519 signature over them (64 bytes)."""

    payload: bytes
    signature: bytes


def make_payload(game: bytes, step: int, prev: bytes, seat: int, kind: StepKind, body: Body) -> bytes:
    """Return the canonical payload bytes of a contribution."""
    fields = msgspec.to_builtins(body, builtin_types=(bytes,))
    return encode(Envelope(1, game, step, prev, seat, kind, fields))


def open_envelope(payload: bytes) -> Envelope:
    """Return the outer map of a payload, its body unread. Raises DecodeError.

    Bytes that are not canonical here belong to no seat: they are no contribution.
    """
    envelope = structure(Envelope, unpack(payload, PAYLOAD_SIZE_MAX, PAYLOAD_VALUES_MAX))
    require_canonical(envelope, payload)
    return envelope


def open_body(envelope: Envelope) -> Body:
    """Return the typed body of an envelope whose kind is known. Raises DecodeError."""
    types = BODIES.get(cast("StepKind", envelope.kind))  # any string can be the kind
    if types is None:
        raise DecodeError(message("no such kind of contribution: {kind!r}", kind=envelope.kind[:ACTION_LENGTH_MAX]))
    body_type = next((each for each in types if set(each.__struct_fields__) == envelope.body.keys()), types[0])
    body: Body = structure(body_type, envelope.body)
    # The envelope is canonical msgpack, but only the typed body has one order of keys and no float for an integer.
    require_canonical(body, pack(envelope.body))
    return body
