"""The readers of others' bytes, as functions of bytes.

A target returns for any bytes. A reader must give a value or its own typed error, and a value must be written again as
the very bytes it was read from. Any other outcome is a fault of the product.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import trio

from seqp2p import rules
from seqp2p.bots.program import ProgramFailed, RunningProgram
from seqp2p.bots.wire import WireError, read_action, read_choice
from seqp2p.crypto.hashing import BALLOT, CONTRIBUTION, HEAD, LEAVE, LOBBY_LINE, REMARK
from seqp2p.crypto.identity import sign
from seqp2p.i18n import message_of
from seqp2p.lobby.address_statement import AddressPayload
from seqp2p.lobby.adverts import read_seat, read_table
from seqp2p.lobby.code import parse_code
from seqp2p.lobby.lines import LinePayload, LobbyTalk
from seqp2p.match.contribution import Contribution, make_payload, open_body, open_envelope
from seqp2p.match.encoding import DecodeError, Record, decode, encode
from seqp2p.match.errors import MatchError
from seqp2p.match.machine import Match
from seqp2p.match.remark import BadRemark, RemarkPayload
from seqp2p.match.signed import BALLOT_SIZE_MAX, BallotPayload, HeadPayload, LeavePayload, Word
from seqp2p.match.table import TableError, decode_agreement, encode_agreement
from seqp2p.match.text import clean, cleaned, text_fault
from seqp2p.net.addresses import AddressError, parse_address, parse_peer_address
from seqp2p.net.errors import BadCode, NetError, PeerError, PeerRefused
from seqp2p.net.frames import HEADER_SIZE, FrameStream
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.net.messages import LineMessage, LinkStage, decode_message, encode_message
from seqp2p.net.tls import certificate_key
from seqp2p.replay.format import frame as record_frame
from seqp2p.replay.format import records
from seqp2p.replay.playback import play_back
from seqp2p.replay.resume import ResumeError, feed, load
from seqp2p.replay.sidecar import MAGIC, Sidecar, SidecarDamaged, SidecarSecrets
from seqp2p.replay.sidecar import frame as checked_frame
from seqp2p.replay.verify import verify
from seqp2p.replay.writer import ReplayWriter
from seqp2p.rules.status import status
from tests.fuzz.pieces import Pieces, run_now
from tests.table import Played, fork, identity, played, shared_match_at, snapshot

Target = Callable[[bytes], None]


@cache
def game() -> Played:
    """Three kids, forty steps: everything in these targets is signed at their table."""
    return played(3, "kids", 4)


@cache
def folder() -> Path:
    """Where targets write the files that they read."""
    made = tempfile.TemporaryDirectory(prefix="seqp2p-fuzz-")
    folders.append(made)
    return Path(made.name)


folders: list[tempfile.TemporaryDirectory[str]] = []  # deleted at the end of the process


@contextlib.contextmanager
def refused(*kinds: type[Exception]) -> Iterator[None]:
    """The block may raise these, with a text that can be shown to a person."""
    try:
        yield
    except kinds as error:
        _check_text(message_of(error))


def _check_text(text: str) -> None:
    assert text, "an error without a reason"
    assert text.isprintable(), repr(text)
    assert len(text) < 1_000, f"{len(text)} characters: {text[:99]!r}"


def as_text(data: bytes) -> str:
    """Text as it may come from a terminal or a file: bytes that are no UTF-8 are lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def frames(data: bytes) -> None:
    """A stream of frames in pieces; the first byte is the size of some pieces."""
    head, stream = data[:1], data[1:]
    whole = _read_frames(stream, len(stream) + 1)
    for size in (1, 1 + int.from_bytes(head, "big") % 9):
        assert _read_frames(stream, size) == whole, f"in pieces of {size}"


def _read_frames(data: bytes, size: int) -> tuple[list[bytes], str]:
    async def read() -> tuple[list[bytes], str]:
        stream, found = FrameStream(Pieces(data, size)), list[bytes]()
        while True:
            try:
                found.append(await stream.receive(300))
            except NetError as error:
                return found, f"{type(error).__name__}: {message_of(error)}"

    return run_now(read())


def messages(data: bytes) -> None:
    """A frame's bytes, in every stage of a connection."""
    for stage in LinkStage:
        with refused(PeerError, PeerRefused):
            assert encode_message(decode_message(data, stage))[HEADER_SIZE:] == data


LOBBY: Final = bytes(32)
SIGNED: Final[dict[str, tuple[str, type[Record]]]] = {
    "ballot": (BALLOT, BallotPayload),
    "head": (HEAD, HeadPayload),
    "leave": (LEAVE, LeavePayload),
    "remark": (REMARK, RemarkPayload),
}


def payloads(data: bytes) -> None:
    """A payload's bytes, as each kind of payload there is."""
    with refused(DecodeError):
        envelope = open_envelope(data)
        assert encode(envelope) == data
        body: Any = open_body(envelope)
        kind: Any = envelope.kind
        again = make_payload(envelope.game, envelope.step, envelope.prev, envelope.seat, kind, body)
        assert again == data
    for kind in (*(kind for _, kind in SIGNED.values()), AddressPayload, LinePayload):
        with refused(DecodeError):
            assert encode(decode(kind, data, BALLOT_SIZE_MAX * 2)) == data
    speaker = identity(1, game().seed)
    line = LineMessage(data, sign(speaker, LOBBY_LINE, data))
    with refused(PeerError):
        said = LobbyTalk(LOBBY, DEFAULT_LIMITS, lambda: 0.0).take(line, {speaker.public})
        assert said is not None
        assert text_fault("a line", said.text, 200) is None
    with refused(DecodeError, TableError):
        assert encode_agreement(decode_agreement(data)) == data


def signed(data: bytes) -> None:
    """A payload's bytes, signed by the seat of this table that they name, for a match in which that step is open."""
    match, seat = _match_for(data)
    _take(match, lambda match: match.receive(_signed(CONTRIBUTION, seat, data)))
    honest = game().contribution(1, seat)
    for evidence in ((_signed(CONTRIBUTION, seat, data),), (_signed(CONTRIBUTION, seat, data), honest)):
        with refused(MatchError):
            match.weigh(evidence)
    for name, (label, kind) in SIGNED.items():
        with contextlib.suppress(DecodeError):
            decode(kind, data, BALLOT_SIZE_MAX * 2)
            _take(match, partial(receive, kind=name, word=_signed(label, seat, data)))


def receive(match: Match, kind: str, word: Contribution) -> object:
    """Give a match a signed thing other than a contribution."""
    if kind == "remark":
        return match.receive_remark(word.payload, word.signature)
    kinds: dict[str, type[Word]] = {"ballot": BallotPayload, "head": HeadPayload, "leave": LeavePayload}
    return match.receive_word(kinds[kind], word)


def _match_for(data: bytes) -> tuple[Match, int]:
    """A match in which the step that these bytes name is open, and the seat that they name, if there are such."""
    seat, step = 1, 7
    for kind in (None, *(kind for _, kind in SIGNED.values())):
        with contextlib.suppress(DecodeError):
            word: Any = open_envelope(data) if kind is None else decode(kind, data, BALLOT_SIZE_MAX * 2)
            seat, step = word.seat, getattr(word, "step", step)
            break
    return shared_match_at(game(), min(step, len(game().steps))), min(seat, game().players)


def _signed(label: str, seat: int, data: bytes) -> Contribution:
    return Contribution(data, sign(identity(seat, game().seed), label, data))


def _take(match: Match, take: Callable[[Match], object]) -> None:
    """A refused thing leaves a match as it was; a taken one leaves it sound."""
    match = fork(match)
    before = snapshot(match)
    try:
        with refused(MatchError, BadRemark):
            take(match)
            before = snapshot(match)
            sound(match)
    finally:
        assert snapshot(match) == before


def sound(match: Match) -> None:
    """Check the invariants of every match."""
    position = match.game.position
    assert position is None or status(position) == ()
    assert match.number == len(match.record) + 1
    assert match.final <= len(match.record)
    assert match.awaited <= set(match.game.seats)
    assert [step.number for step in match.record] == list(range(1, match.number))
    assert [step.prev for step in match.record] == match.game.heads[: len(match.record)]
    assert match.head == match.game.heads[-1]


def replay(data: bytes) -> None:
    """A replay: verified, shown, and resumed."""
    report = verify(data)
    assert (report.verdict == "verified") == (report.reason is None)
    assert report.reason is None or report.reason.isprintable()
    shown = play_back(data)
    assert shown.report == report
    with refused(DecodeError):
        for placed in records(data):
            assert record_frame(placed.record) == data[placed.start : placed.end]
    path = folder() / "game.seqp2p"
    path.write_bytes(data)
    with refused(ResumeError):
        loaded = load(path, game().agreement, 1)
        sound(loaded.match)
        assert data.startswith(path.read_bytes())


def sidecar(data: bytes) -> None:
    """A seat's own file, as it is and as records whose sums are right; then what it makes a match take."""
    for whole in (data, MAGIC + checked_frame(data), MAGIC + checked_frame(encode(_secrets())) + checked_frame(data)):
        path = folder() / "game.seqp2p.seat"
        path.write_bytes(whole)
        path.chmod(0o600)
        with refused(SidecarDamaged, ResumeError):
            opened, secrets, logged, _ = Sidecar.open(path)
            opened.close()
            assert path.read_bytes() == whole[: path.stat().st_size]
            match = Match(game().agreement, secrets.seat if secrets.seat <= game().players else 1)
            replayed = folder() / "fed.seqp2p"
            replayed.unlink(missing_ok=True)
            with ReplayWriter(replayed, match) as writer:
                feed(match, logged, writer)
            sound(match)


@cache
def _secrets() -> SidecarSecrets:
    return SidecarSecrets(game().match.game.id, game().agreement, 1, "a.key", bytes(32), bytes(32), "10.0.0.1:4610", ())


def notation(data: bytes) -> None:
    """An action, or what an action is made of."""
    text = as_text(data)
    written: tuple[tuple[Any, Any], ...] = (
        *((rules.format_action, rules.parse_action), (rules.format_card, rules.parse_card)),
        *((rules.format_square, rules.parse_square), (rules.format_ends, rules.parse_ends)),
    )
    for variant, (write, parse) in product(rules.VARIANTS.values(), written):
        with refused(rules.NotationError):
            assert write(variant, parse(variant, text)) == text


def positions(data: bytes) -> None:
    """A position, or a whole game, as text."""
    text = as_text(data)
    with refused(rules.NotationError):
        position = rules.parse_position(text)
        assert rules.format_position(position) == text
        assert all(each.isprintable() for each in status(position))
    with refused(rules.NotationError):
        assert rules.format_game(rules.parse_game(text)) == text


def bots(data: bytes) -> None:
    """The output of a program that plays a seat, in pieces; the first byte is the size of some pieces."""
    head, written = data[:1], data[1:]
    whole = run_now(_answers(written, len(written) + 1))
    for size in (1, 2 + int.from_bytes(head, "big")):
        assert run_now(_answers(written, size)) == whole, f"in pieces of {size}"


class _Read(RunningProgram):
    """Bytes that no process has written: none is waited for at their end."""

    async def _gone(self, closed: str) -> ProgramFailed:
        return ProgramFailed(closed, gone=True)


async def _answers(data: bytes, size: int) -> list[str]:
    """Return the outcome of each line: an action, or its fault."""
    pipes: Any = SimpleNamespace(stdin=Pieces(b"", 1), stdout=Pieces(data, size))
    running, found = _Read(pipes), list[str]()
    while True:
        try:
            choice = read_choice(await running.read_line())
            found.append(str(read_action(_seen(), choice.action)))
        except (ProgramFailed, WireError) as error:
            text = message_of(error)
            _check_text(text)
            found.append(text)
            if isinstance(error, ProgramFailed) and error.gone:
                return found


@cache
def _seen() -> rules.View:
    match = shared_match_at(game(), game().step_of("turn", 2))
    return game().seat(min(match.awaited)).view(match)


def words(data: bytes) -> None:
    """What a person types or another program says: codes, addresses, names."""
    text = as_text(data)
    with refused(BadCode):
        assert parse_code(parse_code(text)) == parse_code(text)
    with refused(AddressError):
        assert parse_address(str(parse_address(text))) == parse_address(text)
    with refused(AddressError):
        address = parse_peer_address(text)
        assert parse_peer_address(str(address)) == address
    assert clean(clean(text)) == clean(text)
    assert clean(text).isprintable()
    tidy = cleaned(text, 40)
    assert not tidy or text_fault("it", tidy, 40) is None


def certificate(data: bytes) -> None:
    """A certificate that a server shows."""
    with refused(PeerError):
        assert len(certificate_key(data)) == 32


def adverts(data: bytes) -> None:
    """An advert on the LAN: strings of a TXT record, each after its length, key=value."""
    properties: dict[bytes, bytes | None] = {}
    while data:
        item, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        key, equals, value = item.partition(b"=")
        properties[key] = value if equals else None
    table, seat = read_table(properties), read_seat(properties)
    assert table is None or (table.host.isprintable() and 1 <= table.players <= 12 and table.variant.isascii())
    assert seat is None or 1 <= seat.number <= 12


def door(data: bytes) -> None:
    """All that a stranger says at a host's door inside TLS, up to its name; the first byte cuts it into pieces."""
    from tests.fuzz.door import answered  # certificates are made when it is imported

    head, said = data[:1], data[1:]
    whole = trio.run(answered, said, len(said) + 1)
    for size in (1, 2 + int.from_bytes(head, "big")):
        assert trio.run(answered, said, size) == whole, f"in pieces of {size}"


TARGETS: Final[dict[str, Target]] = {
    target.__name__: target
    for target in (
        *(frames, messages, payloads, signed, replay, sidecar, notation),
        *(positions, bots, words, certificate, adverts, door),
    )
}
