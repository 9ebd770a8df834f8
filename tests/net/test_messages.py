import msgpack
import pytest

from seqp2p.match.encoding import encode
from seqp2p.net.errors import REFUSALS, PeerError, PeerRefused
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import (
    ALLOWED,
    Accepted,
    AcceptMessage,
    AddressStatement,
    AddressUpdate,
    BallotMessage,
    Bye,
    ColourWish,
    Confirm,
    ContributionMessage,
    DeclinedMessage,
    EvidenceMessage,
    Gather,
    Have,
    HeadMessage,
    Hello,
    Hurry,
    LeaveMessage,
    LineMessage,
    Links,
    LinkStage,
    LobbyMessage,
    LobbySeat,
    Nonce,
    OpeningMessage,
    PakeA,
    PakeB,
    Ping,
    Proof,
    Ready,
    Refused,
    RemarkMessage,
    SeatWish,
    Signed,
    Sit,
    StartMessage,
    TableMessage,
    Watch,
    Watching,
    WireMessage,
    bye,
    decode_message,
    encode_message,
    refusal,
)
from tests.net import tools

A32, A33, A64 = bytes(32), bytes(33), bytes(64)
SAMPLES: list[WireMessage] = [
    Hello(1, A32, A32),
    Proof(1, "link", A32, A32, A64),
    Accepted(),
    Refused("table_full", "The table is full."),
    PakeA(7, 2, A33),
    PakeB(A33),
    Confirm(A32),
    Sit("ann"),
    LobbyMessage(tools.settings(2), (LobbySeat("ann", A32, 0), None), 1, "relay.example.org:4001"),
    SeatWish(3),
    ColourWish("green"),
    AcceptMessage(),
    DeclinedMessage("seat_taken", "That seat is taken."),
    LineMessage(b"line", A64),
    Gather(1),
    Nonce(1, A32, AddressStatement(b"addresses", bytes(64))),
    TableMessage(1, b"agreement", (AddressStatement(b"addresses", bytes(64)),)),
    Ready(1),
    StartMessage(1),
    Watch("ann"),
    Watching(b"agreement"),
    Ping(),
    ContributionMessage(b"payload", A64),
    Have(57, (1, 3)),
    Links((2, 12)),
    OpeningMessage(3, A32),
    EvidenceMessage((Signed(b"one", A64), Signed(b"two", A64))),
    RemarkMessage(b"payload", A64),
    BallotMessage(b"payload", A64),
    HeadMessage(b"payload", A64),
    LeaveMessage(b"payload", A64),
    AddressUpdate(b"here", bytes(64)),
    Hurry(57),
    Bye("good night"),
]
STAGE_OF = {kind: stage for stage, kinds in ALLOWED.items() for kind in kinds}


def test_there_is_a_sample_and_a_stage_for_every_message() -> None:
    assert {type(sample) for sample in SAMPLES} == set(STAGE_OF)


@pytest.mark.parametrize("stage", LinkStage)
@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: type(message).__name__)
def test_every_message_in_every_stage(message: WireMessage, stage: LinkStage) -> None:
    data = encode_message(message)[HEADER_SIZE:]
    if isinstance(message, ALLOWED[stage]):
        assert decode_message(data, stage) == message
    else:
        with pytest.raises(PeerError, match="out of place"):
            decode_message(data, stage)


def test_a_stranger_can_send_nothing_large() -> None:
    for stage in (LinkStage.AUTH_CLIENT, LinkStage.AUTH_SERVER, LinkStage.CODE_JOINER, LinkStage.CODE_HOST):
        for message in SAMPLES:
            if isinstance(message, ALLOWED[stage]):
                assert len(encode_message(message)) < DEFAULT_LIMITS.frame_before_auth_max / 4


@pytest.mark.parametrize(
    "data",
    [
        encode(Ping()) + b"\0",
        msgpack.packb({"type": "ping", "more": 1}),
        msgpack.packb({"round": 1, "type": "ready"}),
        msgpack.packb({"type": "ready"}),
        msgpack.packb({"type": "ready", "round": 1.0}),
        b"\x82\xa4type\xa5ready\xa5round\xcd\x00\x01",
        b"\x82\xa4type\xa4ping\xa4type\xa4ping",
        msgpack.packb({"type": "nothing"}),
        msgpack.packb({"v": 1}),
        msgpack.packb([1, 2]),
        b"\x91" * 5000 + b"\xc0",
        b"\xdd\xff\xff\xff\xff",
        b"\xc1",
    ],
)
def test_only_the_canonical_bytes_of_a_message_count(data: bytes) -> None:
    with pytest.raises(PeerError, match="no message"):
        decode_message(data, LinkStage.LOBBY_HOST)


@pytest.mark.parametrize(
    "message",
    [
        {"type": "have", "step": 1, "seats": [2, 1]},
        {"type": "have", "step": 1, "seats": [1, 1]},
        {"type": "have", "step": 1, "seats": [0]},
        {"type": "have", "step": 0, "seats": []},
        {"type": "links", "seats": [1, 13]},
        {"type": "links", "seats": [3, 2]},
        {"type": "opening", "seat": 1, "secret": bytes(31)},
        {"type": "evidence", "contributions": []},
        {"type": "evidence", "contributions": [{"payload": b"", "signature": bytes(64)}] * 3},
        {"type": "contribution", "payload": bytes(32_769), "signature": bytes(64)},
        {"type": "contribution", "payload": b"", "signature": bytes(63)},
        {"type": "bye", "reason": "x" * 201},
    ],
)
def test_values_out_of_bounds(message: dict[str, object]) -> None:
    with pytest.raises(PeerError, match="no message"):
        decode_message(msgpack.packb(message), LinkStage.GAME)


@pytest.mark.parametrize("stage", [LinkStage.AUTH_CLIENT, LinkStage.AUTH_SERVER])
def test_another_version_is_refused_whatever_else_it_says(stage: LinkStage) -> None:
    with pytest.raises(PeerRefused) as refused:
        decode_message(msgpack.packb({"type": "hello", "v": 2, "news": [1, 2, 3]}), stage)
    assert refused.value.code == "version"
    assert "version" in str(refused.value)


@pytest.mark.parametrize("stage", [stage for stage in LinkStage if "handshake" not in stage.value])
@pytest.mark.parametrize("version", [1, 2])
def test_a_version_after_that_makes_it_no_message(stage: LinkStage, version: int) -> None:
    with pytest.raises(PeerError, match="no message"):
        decode_message(msgpack.packb({"type": "bye", "v": version, "reason": ""}), stage)


def test_what_a_peer_writes_never_reaches_a_terminal_raw() -> None:
    with pytest.raises(PeerError) as error:
        decode_message(msgpack.packb({"type": "\x1b[31m\u202eevil\n"}), LinkStage.GAME)
    assert str(error.value).isprintable()
    assert bye("\x1b]0;title\x07" + "x" * 300).reason == ("]0;title" + "x" * 300)[:200]
    assert str(PeerRefused("news", "\x1b[2Jno \u2066entry")) == "The other side refused: [2Jno entry"
    assert str(PeerRefused("\x07news")) == "The other side refused: news"


def test_refusals_have_a_sentence_of_our_own() -> None:
    for code, (text, hint) in REFUSALS.items():
        message = refusal(code)
        assert isinstance(decode_message(encode(message), LinkStage.AUTH_CLIENT), Refused)
        assert str(PeerRefused(code, "the peer's own words")) == text == message.reason
        assert PeerRefused(code).hint == hint
        assert text.endswith(".")


def test_signed_bytes_come_out_as_they_were() -> None:
    assert ContributionMessage(b"p", A64).contribution.payload == b"p"
    assert Signed(b"p", A64).contribution.signature == A64
