"""Every message between two peers: one record each, one decoder, and a table of the messages of each stage.

A message is the canonical msgpack map of its record (match/encoding.py), the key ``type`` first. docs/protocol.md,
"Messages".
"""

import enum
import itertools
from typing import Annotated, Any, Final, Literal, TypeAlias, assert_never, cast, get_args

import msgspec

from seqp2p.arguments import CheckedFields
from seqp2p.i18n import message, message_of
from seqp2p.match.contribution import PAYLOAD_SIZE_MAX, REMARK_SIZE_MAX, Contribution, SignatureBytes, StepNumber
from seqp2p.match.encoding import DecodeError, Record, encode, require_canonical, structure, unpack
from seqp2p.match.signed import (
    AnyWord,
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
    SignedWord,
)
from seqp2p.match.table import AGREEMENT_SIZE_MAX, NAME_LENGTH_MAX, PROTOCOL_VERSION, Bytes32, SeatNumber, Settings
from seqp2p.match.text import SHOWN_LENGTH_MAX, clean
from seqp2p.net.addresses import RELAY_LENGTH_MAX
from seqp2p.net.errors import PeerError, PeerRefused
from seqp2p.net.frames import frame

PAKE_SIZE: Final = 33
STATEMENT_SIZE_MAX: Final = 2048
LINE_LENGTH_MAX: Final = 200
LINE_SIZE_MAX: Final = 1024

Role: TypeAlias = Literal["join", "link", "watch"]
PakeMessage: TypeAlias = Annotated[bytes, msgspec.Meta(min_length=PAKE_SIZE, max_length=PAKE_SIZE)]
ReasonText: TypeAlias = Annotated[str, msgspec.Meta(max_length=SHOWN_LENGTH_MAX)]
RefusalCode: TypeAlias = Annotated[str, msgspec.Meta(max_length=32)]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH_MAX)]
RoundNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, lt=2**31)]
Seats: TypeAlias = Annotated[tuple[SeatNumber, ...], msgspec.Meta(max_length=12)]


def _require_ascending(seats: tuple[int, ...]) -> None:
    if any(a >= b for a, b in itertools.pairwise(seats)):
        raise ValueError("seats are not in ascending order")


# Before authentication. The shape of hello and proof, and of refused, is that of every version to come.


class Hello(Record, frozen=True, tag="hello"):
    """Server's first message: its version, its lobby (all zero: none), a fresh nonce to sign."""

    v: int
    lobby: Bytes32
    nonce: Bytes32


class Proof(Record, frozen=True, tag="proof"):
    """Client's answer: its key and its role.

    ``id`` is the lobby's for role join, the game's for role link; for role watch it is that of the hello (lobby or
    none: the join code comes next), or the game's for a spectator that reconnects.
    """

    v: int
    role: Role
    key: Bytes32
    id: Bytes32
    signature: SignatureBytes


class Accepted(Record, frozen=True, tag="accepted"):
    """Server: the proof holds, and the client may go on."""


class Refused(Record, frozen=True, tag="refused"):
    """Server: no. ``code`` is for programs, ``reason`` for people whose program does not know the code."""

    code: RefusalCode
    reason: ReasonText


# The join code: SPAKE2, the joiner is side A.


class PakeA(Record, frozen=True, tag="pake_a"):
    """Joiner: its SPAKE2 message, and the public part of its code: the table's number, and how many words follow."""

    table: Annotated[int, msgspec.Meta(ge=1, le=99)]
    words: Annotated[int, msgspec.Meta(ge=2, le=4)]
    message: PakeMessage


class PakeB(Record, frozen=True, tag="pake_b"):
    message: PakeMessage


class Confirm(Record, frozen=True, tag="confirm"):
    """Key confirmation, HMAC-SHA256: the joiner's first, the host's in answer."""

    mac: Bytes32


class Sit(Record, frozen=True, tag="sit"):
    """Joiner, once its code is confirmed: the name to show. ``asked``: its player has not accepted the game yet."""

    name: Name
    asked: bool = False


class Watch(Record, frozen=True, tag="watch"):
    """Spectator, once its code is confirmed: the name to show."""

    name: Name


# The lobby.


class LobbySeat(Record, frozen=True):
    """The player of a seat. ``said`` is the number of the last line that it has said in this lobby, 0 for none.

    ``asked``: it has not accepted another game yet.
    """

    name: Name
    key: Bytes32
    said: Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
    asked: bool = False


class LobbyMessage(Record, frozen=True, tag="lobby"):
    """Host, after each change: the settings, the seats (null: free), and the reader's own seat (null: a spectator).

    ``relay`` is the host's, which a player may agree to use.
    """

    settings: Settings
    seats: Annotated[tuple[LobbySeat | None, ...], msgspec.Meta(max_length=12)]
    seat: SeatNumber | None
    relay: Annotated[str, msgspec.Meta(max_length=RELAY_LENGTH_MAX)] | None = None


class TakeSeat(Record, CheckedFields, frozen=True, tag="seat_wish"):
    """Request of a joiner: sit on this free seat."""

    seat: SeatNumber


class ChooseColour(Record, CheckedFields, frozen=True, tag="colour_wish"):
    """Request of a player: have this colour for the own team."""

    colour: Annotated[str, msgspec.Meta(max_length=8)]


class AcceptGame(Record, frozen=True, tag="accept"):
    """Request of a player who was asked for another game: play."""


class DeclinedMessage(Record, frozen=True, tag="declined"):
    """Host: a wish or a line of this joiner was not taken. ``code`` and ``reason`` are as in ``refused``."""

    code: RefusalCode
    reason: ReasonText


class LineMessage(Record, frozen=True, tag="line"):
    """A line said in the lobby, as its speaker signed it (lobby/lines.py); the host passes it on."""

    payload: Annotated[bytes, msgspec.Meta(max_length=LINE_SIZE_MAX)]
    signature: SignatureBytes


class Gather(Record, frozen=True, tag="gather"):
    """Host: the table is full; every seat's fresh nonce, please."""

    round: RoundNumber


class AddressStatement(Record, frozen=True):
    """The addresses of a seat, signed by it (lobby/address_statement.py)."""

    payload: Annotated[bytes, msgspec.Meta(max_length=STATEMENT_SIZE_MAX)]
    signature: SignatureBytes


class Nonce(Record, frozen=True, tag="nonce"):
    """Joiner: its fresh nonce, and its addresses for other seats, signed with that nonce."""

    round: RoundNumber
    nonce: Bytes32
    addresses: AddressStatement


class TableMessage(Record, frozen=True, tag="table"):
    """Host: the agreement's canonical bytes, and each seat's statement of its addresses, in seat order."""

    round: RoundNumber
    agreement: Annotated[bytes, msgspec.Meta(max_length=AGREEMENT_SIZE_MAX)]
    addresses: Annotated[tuple[AddressStatement, ...], msgspec.Meta(max_length=12)]


class Ready(Record, frozen=True, tag="ready"):
    """Joiner: this is the table it was shown."""

    round: RoundNumber


class StartMessage(Record, frozen=True, tag="start"):
    """Host: all are ready. From here on the connection is a link of the mesh."""

    round: RoundNumber


class Watching(Record, frozen=True, tag="watching"):
    """Host, to a spectator, once all seats have agreed: the agreement's canonical bytes."""

    agreement: Annotated[bytes, msgspec.Meta(max_length=AGREEMENT_SIZE_MAX)]


class Ping(Record, frozen=True, tag="ping"):
    """A sign of life in the lobby; one sent before ``start`` arrived may come in the game."""


# The game.


class Signed(Record, frozen=True):
    """A contribution's bytes as they were signed."""

    payload: Annotated[bytes, msgspec.Meta(max_length=PAYLOAD_SIZE_MAX)]
    signature: SignatureBytes

    @property
    def contribution(self) -> Contribution:
        return Contribution(self.payload, self.signature)


class ContributionMessage(Signed, frozen=True, tag="contribution"):
    """One contribution, the sender's own or passed on."""


class BallotMessage(Signed, frozen=True, tag="ballot"):
    """A vote to close a step without its contributor, the sender's own or passed on."""


class HeadMessage(Signed, frozen=True, tag="head"):
    """A seat's signed head of a step, the sender's own or passed on."""


class LeaveMessage(Signed, frozen=True, tag="leave"):
    """A seat leaves for good, the sender itself or another."""


class Have(Record, frozen=True, tag="have"):
    """The sender's first step that is not final, and the seats whose contributions to it are held; a sign of life."""

    step: StepNumber
    seats: Seats

    def __post_init__(self) -> None:
        _require_ascending(self.seats)


class More(Record, frozen=True, tag="more"):
    """Spectator: it has had so many things of the game from this host; the rest, please. A sign of life."""

    position: Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class Links(Record, frozen=True, tag="links"):
    """The seats that the sender has a live link with; after each change."""

    seats: Seats

    def __post_init__(self) -> None:
        _require_ascending(self.seats)


class OpeningMessage(Record, frozen=True, tag="opening"):
    """After the end: a seat's secret x_i, 32 bytes big-endian, which opens its hand for the replay."""

    seat: SeatNumber
    secret: Bytes32


class EvidenceMessage(Record, frozen=True, tag="evidence"):
    """Evidence: one invalid contribution, or two different things by one seat for one place."""

    contributions: Annotated[tuple[Signed, ...], msgspec.Meta(min_length=1, max_length=2)]


class RemarkMessage(Record, frozen=True, tag="remark"):
    """A remark's bytes as they were signed, the sender's own or passed on."""

    payload: Annotated[bytes, msgspec.Meta(max_length=REMARK_SIZE_MAX)]
    signature: SignatureBytes


class AddressUpdate(AddressStatement, frozen=True, tag="here"):
    """A later statement of a seat that listens elsewhere now, its own or passed on."""


class Hurry(Record, frozen=True, tag="hurry"):
    """Drawing by hand: the next player goes on, so a seat that still owes a draw at this step waives it."""

    step: StepNumber


class Bye(Record, frozen=True, tag="bye"):
    """The sender ends the link: its player has stopped or left, or its game is over. The receiver closes it too."""

    reason: ReasonText


class LinkStage(enum.Enum):
    """The stage of a receiver."""

    AUTH_CLIENT = "handshake, client"
    AUTH_SERVER = "handshake, server"
    CODE_JOINER = "join code, joiner"
    CODE_HOST = "join code, host"
    LOBBY_JOINER = "lobby, joiner"
    LOBBY_HOST = "lobby, host"
    GAME = "game"
    SPECTATOR = "watching, spectator"
    WATCHED = "watching, host"


HandshakeMessage: TypeAlias = Hello | Proof | Accepted | Refused
CodeMessage: TypeAlias = PakeA | PakeB | Confirm | Sit | Watch
TalkMessage: TypeAlias = (
    LobbyMessage | TakeSeat | ChooseColour | AcceptGame | DeclinedMessage | LineMessage | Watching | More | Ping
)
AgreementMessage: TypeAlias = Gather | Nonce | TableMessage | Ready | StartMessage
WordMessage: TypeAlias = BallotMessage | HeadMessage | LeaveMessage | RemarkMessage
SignedMessage: TypeAlias = ContributionMessage | WordMessage | OpeningMessage | EvidenceMessage
"""The things of a game: seats send them to each other and to their spectators."""
SeatMessage: TypeAlias = Have | Links | AddressUpdate | Hurry | Bye
WireMessage: TypeAlias = HandshakeMessage | CodeMessage | TalkMessage | AgreementMessage | SignedMessage | SeatMessage
SEEN: Final[tuple[type[WireMessage], ...]] = get_args(SignedMessage)

# The messages of each stage. Any other message is the sender's fault.
ALLOWED: Final[dict[LinkStage, tuple[type[WireMessage], ...]]] = {
    LinkStage.AUTH_CLIENT: (Hello, Accepted, Refused),
    LinkStage.AUTH_SERVER: (Proof,),
    LinkStage.CODE_JOINER: (PakeB, Confirm, Refused),
    LinkStage.CODE_HOST: (PakeA, Confirm, Sit, Watch),
    LinkStage.LOBBY_JOINER: (
        LobbyMessage,
        Gather,
        TableMessage,
        StartMessage,
        LineMessage,
        DeclinedMessage,
        Ping,
        Refused,
        Bye,
    ),
    LinkStage.LOBBY_HOST: (Nonce, Ready, TakeSeat, ChooseColour, AcceptGame, LineMessage, Ping, Bye),
    LinkStage.GAME: (*SEEN, Have, Links, AddressUpdate, Hurry, Bye, Ping),
    LinkStage.SPECTATOR: (LobbyMessage, Watching, *SEEN, Hurry, Ping, Refused, Bye),
    LinkStage.WATCHED: (More, Ping, Bye),
}


def encode_message(message: WireMessage) -> bytes:
    return frame(encode(message))


def decode_message(data: bytes, stage: LinkStage) -> WireMessage:
    """Return the message in a frame.

    Raises PeerRefused ("version") for another protocol version before authentication, PeerError for bytes that are no
    message, or a message out of its stage.
    """
    try:
        value = unpack(data, len(data))
        if stage in {LinkStage.AUTH_CLIENT, LinkStage.AUTH_SERVER}:
            _check_version(value)
        received = structure(cast("type[WireMessage]", WireMessage), value)
        require_canonical(received, data)
    except DecodeError as error:
        text = message("The other side sent bytes that are not a message: {reason}.", reason=message_of(error))
        raise PeerError(text) from None
    if not isinstance(received, ALLOWED[stage]):
        values = {"tag": str(received.__struct_config__.tag), "stage": stage.value}
        raise PeerError(message("The other side sent a message of type {tag} out of place ({stage}).", **values))
    return received


def signed_thing(message: SignedMessage) -> SignedThing:
    """Return a message of the game as a thing for the intake (match/intake.py)."""
    match message:
        case ContributionMessage():
            return message.contribution
        case BallotMessage() | HeadMessage() | LeaveMessage() | RemarkMessage():
            return _WORDS[type(message)](Contribution(message.payload, message.signature))
        case EvidenceMessage(contributions):
            return OfferedEvidence(tuple(signed.contribution for signed in contributions))
        case OpeningMessage(seat, secret):
            return ReleasedSecret(seat, secret)
        case _:
            assert_never(message)


def signed_message(thing: SignedThing) -> SignedMessage:
    match thing:
        case Contribution(payload, signature):
            return ContributionMessage(payload, signature)
        case SignedWord():
            return _MESSAGES[type(thing)](thing.bytes.payload, thing.bytes.signature)
        case OfferedEvidence(contributions):
            return EvidenceMessage(tuple(Signed(each.payload, each.signature) for each in contributions))
        case ReleasedSecret(seat, secret):
            return OpeningMessage(seat, secret)
        case _:
            assert_never(thing)


_WORDS: Final[dict[type[WordMessage], type[AnyWord]]] = {
    BallotMessage: SignedBallot,
    HeadMessage: SignedHead,
    LeaveMessage: SignedLeave,
    RemarkMessage: SignedRemark,
}
_MESSAGES: Final = {word: message for message, word in _WORDS.items()}


def refusal(code: str) -> Refused:
    return Refused(code, str(PeerRefused(code)))


def bye(reason: str) -> Bye:
    """Return a farewell with a reason of any length and kind."""
    return Bye(clean(reason))


def _check_version(value: Any) -> None:
    # Before the typed step: the rest of another version's message does not matter here.
    if isinstance(value, dict):
        version = cast("dict[str, Any]", value).get("v", PROTOCOL_VERSION)
        if isinstance(version, int) and version != PROTOCOL_VERSION:
            raise PeerRefused("version")
