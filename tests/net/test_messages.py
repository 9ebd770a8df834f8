import msgpack
import pytest

from seqp2p.match.encoding import encode
from seqp2p.net import messages as wire
from seqp2p.net.errors import REFUSALS, NetError, PeerError, PeerRefused
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.limits import DEFAULT_LIMITS
from tests.net import tools

A32, A33, A64 = bytes(32), bytes(33), bytes(64)
SAMPLES: list[wire.WireMessage] = [
    wire.Hello(1, A32, A32),
    wire.Proof(1, "link", A32, A32, A64),
    wire.Accepted(),
    wire.Refused("table_full", "The table is full."),
    wire.PakeA(7, 2, A33),
    wire.PakeB(A33),
    wire.Confirm(A32),
    wire.Sit("ann"),
    wire.LobbyMessage(tools.settings(2), (wire.LobbySeat("ann", A32, 0), None), 1, "relay.example.org:4001"),
    wire.TakeSeat(3),
    wire.ChooseColour("green"),
    wire.AcceptGame(),
    wire.DeclinedMessage("seat_taken", "That seat is taken."),
    wire.LineMessage(b"line", A64),
    wire.Gather(1),
    wire.Nonce(1, A32, wire.AddressStatement(b"addresses", bytes(64))),
    wire.TableMessage(1, b"agreement", (wire.AddressStatement(b"addresses", bytes(64)),)),
    wire.Ready(1),
    wire.StartMessage(1),
    wire.Watch("ann"),
    wire.Watching(b"agreement"),
    wire.Ping(),
    wire.ContributionMessage(b"payload", A64),
    wire.Have(57, (1, 3)),
    wire.More(57),
    wire.Links((2, 12)),
    wire.OpeningMessage(3, A32),
    wire.EvidenceMessage((wire.Signed(b"one", A64), wire.Signed(b"two", A64))),
    wire.RemarkMessage(b"payload", A64),
    wire.BallotMessage(b"payload", A64),
    wire.HeadMessage(b"payload", A64),
    wire.LeaveMessage(b"payload", A64),
    wire.AddressUpdate(b"here", bytes(64)),
    wire.Hurry(57),
    wire.Bye("good night"),
]
STAGE_OF = {kind: stage for stage, kinds in wire.ALLOWED.items() for kind in kinds}


# tests/fuzz and protocol/vectors/links.json have other forms of a message, which are refused.


def test_there_is_a_sample_and_a_stage_for_every_message() -> None:
    assert {type(sample) for sample in SAMPLES} == set(STAGE_OF)


@pytest.mark.parametrize("stage", wire.LinkStage)
def test_every_message_in_every_stage(stage: wire.LinkStage) -> None:
    for message in SAMPLES:
        data = wire.encode_message(message)[HEADER_SIZE:]
        if isinstance(message, wire.ALLOWED[stage]):
            assert wire.decode_message(data, stage) == message
        else:
            with pytest.raises(PeerError, match="out of place"):
                wire.decode_message(data, stage)


@pytest.mark.parametrize("stage", ["AUTH_CLIENT", "AUTH_SERVER", "CODE_JOINER", "CODE_HOST"])
def test_a_stranger_can_send_nothing_large(stage: str) -> None:
    for message in SAMPLES:
        if isinstance(message, wire.ALLOWED[wire.LinkStage[stage]]):
            assert len(wire.encode_message(message)) < DEFAULT_LIMITS.frame_before_auth_max / 4


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
    with pytest.raises(PeerError, match="not a message"):
        wire.decode_message(msgpack.packb(message), wire.LinkStage.GAME)


@pytest.mark.parametrize("stage", [wire.LinkStage.AUTH_CLIENT, wire.LinkStage.AUTH_SERVER])
def test_another_version_is_refused_whatever_else_it_says(stage: wire.LinkStage) -> None:
    with tools.refused("version"):
        wire.decode_message(msgpack.packb({"type": "hello", "v": 2, "news": [1, 2, 3]}), stage)


@pytest.mark.parametrize("stage", [stage for stage in wire.LinkStage if "handshake" not in stage.value])
@pytest.mark.parametrize("version", [1, 2])
def test_a_version_after_that_makes_it_no_message(stage: wire.LinkStage, version: int) -> None:
    with pytest.raises(PeerError, match="not a message"):
        wire.decode_message(msgpack.packb({"type": "bye", "v": version, "reason": ""}), stage)


def test_what_a_peer_writes_never_reaches_a_terminal_raw() -> None:
    with pytest.raises(PeerError) as error:
        wire.decode_message(msgpack.packb({"type": "\x1b[31m\u202eevil\n"}), wire.LinkStage.GAME)
    assert str(error.value).isprintable()
    assert wire.bye("\x1b]0;title\x07" + "x" * 300).reason == ("]0;title" + "x" * 300)[:200]
    assert str(PeerRefused("news", "\x1b[2Jno \u2066entry")) == "The other side refused: [2Jno entry"
    assert str(PeerRefused("\x07news")) == "The other side refused: news"


def test_refusals_have_a_sentence_of_our_own() -> None:
    for code, (text, hint) in REFUSALS.items():
        message = wire.refusal(code)
        assert isinstance(wire.decode_message(encode(message), wire.LinkStage.AUTH_CLIENT), wire.Refused)
        assert str(PeerRefused(code, "the peer's own words")) == text == message.reason
        assert PeerRefused(code).hint == (hint or NetError.hint)
        assert text.endswith(".")
