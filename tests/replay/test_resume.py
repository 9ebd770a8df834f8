"""A resumed game: the match from what a crash leaves of the replay, and the same bytes in the end."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Event, Remarked, Turned, Voted
from seqp2p.match.machine import Match
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import (
    OfferedEvidence,
    ReleasedSecret,
    SignedBallot,
    SignedHead,
    SignedLeave,
    SignedRemark,
    SignedThing,
)
from seqp2p.replay.format import MAGIC, REPLAY_SIZE_MAX, OpeningRecord
from seqp2p.replay.resume import GameOver, Loaded, ResumeError, feed, load
from seqp2p.replay.sidecar import Logged, LoggedKind, from_logged, to_logged
from seqp2p.replay.writer import ReplayWriter
from tests.match.refusal import at_step
from tests.match.voting import at_turn, wish
from tests.replay.tools import assemble, boundaries, evidence, open_step, records_of, steps
from tests.table import Played, identity, make_seats, match_at, played, randomness, replay_bytes

GAME = "game.seqp2p"


@cache
def unfinished_bytes(game: Played) -> bytes:
    """The replay of a whole game before it is finished."""
    return assemble(steps(game, len(game.steps)))


def logged(*things: SignedThing) -> tuple[Logged, ...]:
    return tuple(entry for thing in things if (entry := to_logged(thing)) is not None)


@cache
def whole_log(game: Played) -> tuple[Logged, ...]:
    return logged(*(held for step in game.steps for _, held in step.contributions))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / GAME


def resumed(path: Path, game: Played, entries: Sequence[Logged]) -> tuple[Loaded, tuple[Event, ...]]:
    """Load a game's replay, feed the entries of the seat's own file, and return the events of these too."""
    loaded = load(path, game.agreement)
    with ReplayWriter(path, loaded.match, reopened=True) as writer:
        return loaded, tuple(feed(loaded.match, tuple(entries), writer))


def finished(path: Path, game: Played, entries: Sequence[Logged] | None = None) -> bytes:
    """Resume a game, finish it as seat 1, and return the bytes."""
    match = load(path, game.agreement).match
    with ReplayWriter(path, match, reopened=True) as writer:
        feed(match, whole_log(game) if entries is None else tuple(entries), writer)
        for seat in game.seats:
            match.open_seat(seat.number, seat.release())
        writer.finish(match, game.seat(1).identity_key, game.seat(1).sign)
    return path.read_bytes()


def test_a_replay_that_was_broken_off_at_any_step_or_in_its_header_ends_as_if_it_had_not_been(
    brief: Played, path: Path
) -> None:
    data = unfinished_bytes(brief)
    for size in (*boundaries(data)[1:], 0, 3, len(MAGIC), len(MAGIC) + 30):
        path.write_bytes(data[:size])
        assert finished(path, brief) == replay_bytes(brief, 1)


def test_what_has_happened_is_told_whether_the_replay_has_it_or_the_seats_own_file(brief: Played, path: Path) -> None:
    path.write_bytes(unfinished_bytes(brief))
    every = [event for event in load(path, brief.agreement).events if isinstance(event, Turned)]
    assert [event.turn for event in every] == sorted(event.turn for event in every)
    assert every
    for count in (0, len(brief.steps) // 2):
        path.write_bytes(assemble(steps(brief, count)))
        loaded, later = resumed(path, brief, whole_log(brief))
        assert [event for event in (*loaded.events, *later) if isinstance(event, Turned)] == every


def test_going_on_writes_nothing_twice_nor_what_is_not_for_the_match(brief: Played, path: Path) -> None:
    path.write_bytes(assemble(steps(brief, 5)))
    for entries in ((), whole_log(brief)[:2], (Logged("here", b"", b"h" * 64),)):
        resumed(path, brief, entries)
        assert path.read_bytes() == assemble(steps(brief, 5))


def test_what_came_in_for_the_open_step_comes_back(trio: Played, path: Path) -> None:
    """The seat signs nothing again."""
    path.write_bytes(assemble(steps(trio, 0)))
    seat = SeatKeys(2, identity(2, trio.seed), randomness("other"), trio.seat(2).secrets)
    own = trio.contribution(1, 2)
    loaded, _ = resumed(path, trio, logged(own))
    assert dict(loaded.match.held) == {2: own}
    assert not seat.owes(loaded.match)


def test_remarks_come_back_once(trio: Played, path: Path) -> None:
    match, said = Match(trio.agreement), []
    with ReplayWriter(path, match) as writer:
        for text in ("well", "well, well"):
            said.append(Contribution(*trio.seat(1).say(match, text)))
            remark = match.receive_remark(said[-1].payload, said[-1].signature)
            assert remark is not None
            if text == "well":
                writer.remark(match, remark)
    before = path.read_bytes()
    assert load(path, trio.agreement).match.remarks.counts(3) == (1, 0, 0)
    loaded, _ = resumed(path, trio, logged(*map(SignedRemark, said)))
    assert loaded.match.remarks.counts(3) == (2, 0, 0)
    kinds = [type(record).__name__ for record in records_of(path.read_bytes())]
    assert kinds == ["TableRecord", "RemarkRecord", "RemarkRecord"]
    assert path.read_bytes().startswith(before)


def test_a_replay_cut_at_any_byte(brief: Played, path: Path) -> None:
    data = assemble(steps(brief, 2))
    ends = boundaries(data)
    header = ends[1]
    for size in (*range(0, len(data), 7), *(end + by for end in ends[:-1] for by in (-1, 0, 1, 4, 5)), len(data)):
        path.write_bytes(data[:size])
        loaded = load(path, brief.agreement)
        whole = max((end for end in ends if end <= size), default=0)
        assert loaded.torn == (size not in ends[1:])
        assert path.read_bytes() == (data[:whole] if whole >= header else b"")
        count = max(0, ends.index(whole) - 1 if whole else 0)
        assert loaded.match.record == list(brief.steps[:count])
        assert loaded.match.number == count + 1


def test_zeros_where_data_should_have_come(brief: Played, path: Path) -> None:
    """Zeros in the place of a step's last bytes, its signature, leave a record in its form: it is dropped too."""
    data = assemble(steps(brief, 9))
    for zeros in (1, 40, 64, 80):
        for more in (b"", bytes(100)):
            path.write_bytes(data[:-zeros] + bytes(zeros) + more)
            torn = load(path, brief.agreement).torn
            assert torn or data.endswith(bytes(zeros))
            assert path.read_bytes() == (assemble(steps(brief, 8)) if torn else data)
    data = unfinished_bytes(brief)
    ends = boundaries(data)
    for size in (0, 5, len(MAGIC), len(MAGIC) + 9, ends[1], ends[5], ends[5] + 1, ends[5] + 40, ends[-1]):
        path.write_bytes(data[:size] + bytes(70_000))
        assert load(path, brief.agreement).torn
        assert path.read_bytes() == data[: max((end for end in ends[1:] if end <= size), default=0)]


def test_a_crash_while_the_replay_is_finished(trio: Played, path: Path) -> None:
    """What had been written of the tail is cut off, and written again."""
    data = replay_bytes(trio, 1)
    first = next(number for number, record in enumerate(records_of(data)) if isinstance(record, OpeningRecord))
    ends = boundaries(data)
    for size in (ends[first + 1], ends[first + 2], ends[first + 2] + 7, ends[-2], len(data) - 1):
        path.write_bytes(data[:size])
        load(path, trio.agreement)
        assert path.read_bytes() == unfinished_bytes(trio)
        assert finished(path, trio, ()) == data


def test_a_crash_while_an_abandoned_game_is_written(trio: Played, path: Path) -> None:
    held, wrong = trio.contribution(2, 2), trio.contribution(2, 3)
    path.write_bytes(assemble([*steps(trio, 1), open_step(2, held), evidence(wrong)]))
    assert load(path, trio.agreement).match.number == 2
    assert path.read_bytes() == assemble(steps(trio, 1))


def why_not(path: Path, data: bytes, agreement: bytes) -> str | None:
    """Return the reason why a replay of these bytes is not resumed; it is not changed then."""
    path.write_bytes(data)
    refused: ResumeError | None = None
    try:
        load(path, agreement)
    except ResumeError as error:
        refused = error
    if refused is None:
        return None
    assert str(path) in str(refused)
    assert refused.hint
    assert path.read_bytes() == data
    return str(refused)


def test_a_game_that_is_over_or_another_or_wrong(brief: Played, trio: Played, path: Path) -> None:
    for tail in (b"", b"\0"):
        path.write_bytes(replay_bytes(brief, 1) + tail)
        with pytest.raises(GameOver, match="this game has ended"):
            load(path, brief.agreement)
        assert path.read_bytes() == replay_bytes(brief, 1) + tail
    data = assemble(steps(brief, 9))
    for bytes_, agreement, text in (
        (data, trio.agreement, "a different game"),
        (data[:-1] + b"\x01", brief.agreement, "does not verify"),
        (data[:-11] + bytes(10) + b"\x01", brief.agreement, "does not verify"),
        (b"", b"no agreement", "is damaged"),
        (MAGIC, b"no agreement", "is damaged"),
    ):
        assert text in (why_not(path, bytes_, agreement) or "none")


def test_a_file_larger_than_any_replay_or_none(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(path, b"")
    with path.open("wb") as file:
        file.truncate(REPLAY_SIZE_MAX + 1)
    with pytest.raises(ResumeError, match="larger than any replay"):
        load(path, b"")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / GAME


@given(at=st.integers(0, 10**6), by=st.integers(1, 255))
@example(at=0, by=1)
@example(at=len(MAGIC), by=0x80)
@example(at=len(MAGIC) + 7, by=1)
def test_a_byte_that_is_changed_is_refused_or_looks_broken_off(shared: Path, at: int, by: int) -> None:
    """Only a changed length, which reaches beyond the file, or a last byte of zero looks broken off."""
    game = played(2, "kids", 3)
    whole = assemble(steps(game, 3))
    data = bytearray(whole)
    at %= len(data)
    data[at] ^= by
    if why_not(shared, bytes(data), game.agreement) is None:
        lengths = any(end <= at < end + 4 for end in boundaries(whole)[:-1])
        assert lengths or (at == len(data) - 1 and not data[at])
        assert load(shared, game.agreement).match.head in game.match.game.heads


@pytest.mark.parametrize("kind", ["contribution", "remark", "evidence"])
def test_a_log_that_does_not_fit(brief: Played, trio: Played, path: Path, kind: LoggedKind) -> None:
    path.write_bytes(unfinished_bytes(brief))
    foreign = trio.contribution(1, 1)
    with pytest.raises(ResumeError, match="does not fit"):
        resumed(path, brief, (Logged(kind, foreign.payload, foreign.signature),))


def test_a_step_that_closed_by_what_a_proof_of_cheating_brought(trio: Played, path: Path) -> None:
    """Two versions of a turn; a majority signs on the one that came second, as a part of the proof."""
    at = at_step(trio, trio.step_of("turn", 2))
    step = at.match.number
    actions = (at.seat.play(at.match, action) for action in at.seat.view(at.match).legal)
    other = next(each for each in actions if each.payload != at.honest.payload)
    elsewhere = match_at(trio, step)
    elsewhere.receive(other)
    heads = [SignedHead(head) for seat in trio.seats if seat is not at.seat for head in seat.heads(elsewhere)]
    path.write_bytes(assemble(steps(trio, step - 1)))
    loaded, _ = resumed(path, trio, logged(at.honest, OfferedEvidence((at.honest, other)), *heads))
    assert loaded.match.head == elsewhere.head
    assert loaded.match.final >= step
    assert list(loaded.match.proven) == [at.number]


def test_secrets_that_are_kept_make_the_same_seat(trio: Played, brief: Played) -> None:
    match = Match(trio.agreement)
    first, second, _ = make_seats(3, trio.seed)
    for seat in (first, second):
        again = SeatKeys(seat.number, identity(seat.number, trio.seed), randomness("later"), seat.secrets)
        assert again.contribute(match) == trio.contribution(1, seat.number)
        assert [again.belongs(each) for each in (match, trio.match, brief.match)] == [True, True, False]
        assert repr(seat.secrets) == "SeatSecrets()"
    for number in (1, 2):
        assert not SeatKeys(number, identity(1, trio.seed), randomness(1), second.secrets).belongs(trio.match)


def test_what_the_own_file_has_beside_contributions(path: Path) -> None:
    """A remark is among the events; two ballots of one round are evidence against their seat."""
    match, seats = at_turn(3, 4)
    about = min(match.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    ballots = [voter.ballot(match, 1, wish(action, about), "late") for action in ("skip", "drop")]
    entries = logged(SignedRemark(Contribution(*voter.say(match, "hello"))), *map(SignedBallot, ballots))
    with ReplayWriter(path, match) as writer:
        events = feed(match, entries, writer)
    assert [type(event) for event in events] == [Remarked, Voted]
    assert list(match.proven) == [voter.number]


def test_an_entry_is_what_was_signed() -> None:
    """Every kind comes back from the file as it was; a secret is not kept there."""
    one, other = Contribution(b"one", bytes(64)), Contribution(b"other", bytes(64))
    kinds = (SignedBallot, SignedHead, SignedLeave, SignedRemark)
    things: list[SignedThing] = [one, *(kind(one) for kind in kinds), OfferedEvidence((one, other))]
    assert [from_logged(entry) for entry in logged(*things)] == things
    assert to_logged(ReleasedSecret(1, bytes(32))) is None
    assert from_logged(Logged("here", b"", bytes(64))) is None
