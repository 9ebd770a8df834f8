"""A resumed game: whatever a crash leaves of the replay, the match, and the same bytes in the end."""

import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Remarked, Turned, Voted
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
from seqp2p.replay.resume import GameOver, ResumeError, feed, load
from seqp2p.replay.sidecar import Logged, LoggedKind, from_logged, logged_evidence, to_logged
from seqp2p.replay.writer import ReplayWriter
from tests.match.test_ballots_games import nth, table
from tests.match.voting import play_on, show, wish
from tests.replay.tools import assemble, boundaries, evidence, open_step, records_of, steps
from tests.table import Played, at_random, identity, make_seats, match_at, played, randomness, replay_bytes

GAME = "game.seqp2p"


@cache
def unfinished_bytes(game: Played) -> bytes:
    """The replay of a whole game, as it is before it is finished."""
    return assemble(steps(game, len(game.steps)))


@cache
def logged(game: Played) -> tuple[Logged, ...]:
    """What the seat's own file has of a whole game."""
    contributions = [held for step in game.steps for _, held in step.contributions]
    return tuple(Logged("contribution", held.payload, held.signature) for held in contributions)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / GAME


def finish(path: Path, match: Match, writer: ReplayWriter, game: Played) -> bytes:
    """Finish a resumed game as seat 1 would; the bytes that are there then."""
    for seat in game.seats:
        match.open_seat(seat.number, seat.release())
    writer.finish(match, game.seat(1).identity_key, game.seat(1).sign)
    return path.read_bytes()


def test_a_match_comes_back_as_far_as_its_replay_goes(trio: Played, path: Path) -> None:
    for count in (0, 1, 7, len(trio.steps)):
        data = assemble(steps(trio, count))
        path.write_bytes(data)
        loaded = load(path, trio.agreement)
        assert (loaded.torn, path.read_bytes()) == (False, data)
        assert loaded.match.record == list(trio.steps[:count])
        assert loaded.match.number == count + 1


def test_a_replay_that_was_broken_off_at_every_step_ends_as_if_it_had_not_been(brief: Played, path: Path) -> None:
    for count in range(len(brief.steps) + 1):
        path.write_bytes(assemble(steps(brief, count)))
        match = load(path, brief.agreement).match
        with ReplayWriter.reopen(path, match) as writer:
            feed(match, logged(brief), writer)
            assert finish(path, match, writer, brief) == replay_bytes(brief, 1)


def test_what_has_happened_is_told_whether_the_replay_has_it_or_the_seats_own_file(brief: Played, path: Path) -> None:
    path.write_bytes(unfinished_bytes(brief))
    every = [event for event in load(path, brief.agreement).events if isinstance(event, Turned)]
    assert [event.turn for event in every] == sorted(event.turn for event in every)
    assert every
    for count in (0, len(brief.steps) // 2):
        path.write_bytes(assemble(steps(brief, count)))
        loaded = load(path, brief.agreement)
        with ReplayWriter.reopen(path, loaded.match) as writer:
            later = feed(loaded.match, logged(brief), writer)
        assert [event for event in (*loaded.events, *later) if isinstance(event, Turned)] == every


def test_going_on_writes_nothing_twice(brief: Played, path: Path) -> None:
    path.write_bytes(assemble(steps(brief, 5)))
    match = load(path, brief.agreement).match
    with ReplayWriter.reopen(path, match) as writer:
        writer.record(match)
        feed(match, logged(brief)[:2], writer)
    assert path.read_bytes() == assemble(steps(brief, 5))


def test_what_came_in_for_the_open_step_comes_back(trio: Played, path: Path) -> None:
    """The very bytes that were signed: nothing is signed again."""
    with ReplayWriter(path, Match(trio.agreement)):
        pass
    match = load(path, trio.agreement).match
    seat = SeatKeys(2, identity(2, trio.seed), randomness("other"), make_seats(3, trio.seed)[1].secrets)
    own = trio.contribution(1, 2)
    with ReplayWriter.reopen(path, match) as writer:
        feed(match, (Logged("contribution", own.payload, own.signature),), writer)
    assert dict(match.held) == {2: own}
    assert not seat.owes(match)


def test_remarks_come_back_once(trio: Played, path: Path) -> None:
    match = Match(trio.agreement)
    seat = trio.seat(1)
    said = []
    with ReplayWriter(path, match) as writer:
        for text in ("well", "well, well"):
            payload, signature = seat.say(match, text)
            said.append(Logged("remark", payload, signature))
            remark = match.receive_remark(payload, signature)
            assert remark is not None
            if text == "well":
                writer.remark(match, remark)
    before = path.read_bytes()
    again = load(path, trio.agreement).match
    assert again.remarks.counts(3) == (1, 0, 0)
    with ReplayWriter.reopen(path, again) as writer:
        feed(again, tuple(said), writer)
    assert again.remarks.counts(3) == (2, 0, 0)
    kinds = [type(record).__name__ for record in records_of(path.read_bytes())]
    assert kinds == ["TableRecord", "RemarkRecord", "RemarkRecord"]
    assert path.read_bytes().startswith(before)


def test_where_the_seat_said_it_listens_is_not_for_the_match(brief: Played, path: Path) -> None:
    path.write_bytes(unfinished_bytes(brief))
    match = load(path, brief.agreement).match
    with ReplayWriter.reopen(path, match) as writer:
        feed(match, (Logged("here", b"", b"h" * 64),), writer)
    assert path.read_bytes() == unfinished_bytes(brief)


# Crashes.


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
        assert len(loaded.match.record) == max(0, ends.index(whole) - 1 if whole else 0)


@pytest.mark.parametrize("size", [0, 3, len(MAGIC), len(MAGIC) + 30])
def test_a_header_that_was_broken_off_is_written_again(brief: Played, path: Path, size: int) -> None:
    path.write_bytes(unfinished_bytes(brief)[:size])
    loaded = load(path, brief.agreement)
    assert loaded.torn
    with ReplayWriter.reopen(path, loaded.match) as writer:
        feed(loaded.match, logged(brief), writer)
        assert finish(path, loaded.match, writer, brief) == replay_bytes(brief, 1)


def test_zeros_where_data_should_have_come(brief: Played, path: Path) -> None:
    data = unfinished_bytes(brief)
    ends = boundaries(data)
    for size in (0, 5, len(MAGIC), len(MAGIC) + 9, ends[1], ends[5], ends[5] + 1, ends[5] + 40, ends[-1]):
        path.write_bytes(data[:size] + bytes(70_000))
        loaded = load(path, brief.agreement)
        assert loaded.torn
        whole = max((end for end in ends[1:] if end <= size), default=0)
        assert path.read_bytes() == data[:whole]


@pytest.mark.parametrize("zeros", [1, 40, 64, 80])
def test_zeros_at_the_end_of_a_record_that_still_reads_as_one(brief: Played, path: Path, zeros: int) -> None:
    """The last bytes of a step are a signature's: without them it is a step all the same, but for what it says."""
    before, data = (assemble(steps(brief, count)) for count in (8, 9))
    for behind in (b"", bytes(100)):
        path.write_bytes(data[:-zeros] + bytes(zeros) + behind)
        loaded = load(path, brief.agreement)
        assert loaded.torn or data.endswith(bytes(zeros))
        assert path.read_bytes() == (before if loaded.torn else data)


def test_a_step_that_is_wrong_and_does_not_end_in_zeros_is_no_crash(brief: Played, path: Path) -> None:
    data = assemble(steps(brief, 9))
    for end in (b"\x01", bytes(10) + b"\x01"):
        path.write_bytes(data[: -len(end)] + end)
        with pytest.raises(ResumeError, match="does not verify"):
            load(path, brief.agreement)


def test_a_crash_while_the_replay_is_finished(trio: Played, path: Path) -> None:
    """What had been written of the tail is cut off, and written again."""
    data = replay_bytes(trio, 1)
    records = records_of(data)
    first = next(number for number, record in enumerate(records) if isinstance(record, OpeningRecord))
    ends = boundaries(data)
    for size in (ends[first + 1], ends[first + 2], ends[first + 2] + 7, ends[-2], len(data) - 1):
        path.write_bytes(data[:size])
        loaded = load(path, trio.agreement)
        assert path.read_bytes() == unfinished_bytes(trio)
        with ReplayWriter.reopen(path, loaded.match) as writer:
            assert finish(path, loaded.match, writer, trio) == data


def test_a_crash_while_an_abandoned_game_is_written(trio: Played, path: Path) -> None:
    held, wrong = trio.contribution(2, 2), trio.contribution(2, 3)
    path.write_bytes(assemble([*steps(trio, 1), open_step(2, held), evidence(wrong)]))
    assert load(path, trio.agreement).match.number == 2
    assert path.read_bytes() == assemble(steps(trio, 1))


@pytest.mark.simulation
def test_a_long_game_of_twelve_is_read_quickly(path: Path) -> None:
    """The bound is generous: what it guards against is work that grows with the square of the game."""
    game = played(12, "classic", 5)
    path.write_bytes(assemble(steps(game, 100)))
    begun = time.process_time()
    load(path, game.agreement)
    assert time.process_time() - begun < 10


# What cannot be resumed.


def test_a_game_that_is_over(brief: Played, path: Path) -> None:
    data = replay_bytes(brief, 1)
    for tail in (b"", b"\0"):
        path.write_bytes(data + tail)
        with pytest.raises(GameOver, match="this game is over"):
            load(path, brief.agreement)
        assert path.read_bytes() == data + tail


def test_a_replay_of_another_game(brief: Played, trio: Played, path: Path) -> None:
    path.write_bytes(unfinished_bytes(brief))
    with pytest.raises(ResumeError, match="of another game"):
        load(path, trio.agreement)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared") / GAME


def refused(path: Path, data: bytes, agreement: bytes) -> ResumeError | None:
    """Why a replay of these bytes is not resumed, if it is not."""
    path.write_bytes(data)
    try:
        load(path, agreement)
    except ResumeError as error:
        return error
    return None


@given(at=st.integers(0, 10**6), by=st.integers(1, 255))
@example(at=0, by=1)
@example(at=len(MAGIC), by=0x80)
@example(at=len(MAGIC) + 7, by=1)
def test_a_byte_that_is_changed_is_refused_or_looks_broken_off(shared: Path, at: int, by: int) -> None:
    game = played(2, "kids", 3)
    data = bytearray(assemble(steps(game, 3)))
    at %= len(data)
    data[at] ^= by
    error = refused(shared, bytes(data), game.agreement)
    if error is not None:
        assert str(shared) in str(error)
        assert error.hint
        assert shared.read_bytes() == data
    else:
        # A length that reaches beyond the file: what it cuts off comes back from the others.
        # Or a last byte that is zero now: data that never came.
        lengths = any(end <= at < end + 4 for end in boundaries(assemble(steps(game, 3)))[:-1])
        assert lengths or (at == len(data) - 1 and not data[at])
        assert load(shared, game.agreement).match.head in game.match.game.heads


@given(data=st.binary(max_size=200))
@example(data=MAGIC + b"\xff" * 20)
@example(data=b"seqp2p replay 2\n")
def test_what_is_no_replay(shared: Path, data: bytes) -> None:
    error = refused(shared, b"x" + data, played(2, "kids", 3).agreement)
    assert "is damaged" in str(error)


@pytest.mark.parametrize("data", [b"", MAGIC])
def test_no_table_in_either_file(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(ResumeError, match="is damaged"):
        load(path, b"no agreement")


def test_a_file_larger_than_any_replay(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(REPLAY_SIZE_MAX + 1)
    with pytest.raises(ResumeError, match="larger than any replay"):
        load(path, b"")


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(path, b"")


@pytest.mark.parametrize("kind", ["contribution", "remark", "evidence"])
def test_a_log_that_does_not_fit(brief: Played, trio: Played, path: Path, kind: LoggedKind) -> None:
    path.write_bytes(unfinished_bytes(brief))
    match = load(path, brief.agreement).match
    foreign = trio.contribution(1, 1)
    entry = Logged(kind, foreign.payload, foreign.signature)
    with ReplayWriter.reopen(path, match) as writer, pytest.raises(ResumeError, match="does not fit"):
        feed(match, (entry,), writer)


def test_a_step_that_closed_by_what_a_proof_of_cheating_brought(trio: Played, path: Path) -> None:
    """Two versions of a turn; a majority signs on the one that came second, as a part of the proof."""
    step = trio.step_of("turn", 2)
    match, one = match_at(trio, step), trio.steps[step - 1].contributions[0]
    seat, other = trio.seat(one[0]), None
    for action in seat.view(match).legal:
        other = seat.play(match, action)
        if other.payload != one[1].payload:
            break
    assert other is not None
    elsewhere = match_at(trio, step)
    elsewhere.receive(other)
    shown = [head for each in trio.seats if each is not seat for head in each.heads(elsewhere)]
    entries = [Logged("contribution", one[1].payload, one[1].signature)]
    entries += [Logged("evidence", *logged_evidence((one[1], other)))]
    entries += [Logged("head", head.payload, head.signature) for head in shown]
    path.write_bytes(assemble(steps(trio, step - 1)))
    match = load(path, trio.agreement).match
    with ReplayWriter.reopen(path, match) as writer:
        feed(match, tuple(entries), writer)
    assert match.head == elsewhere.head
    assert match.final >= step
    assert list(match.proven) == [seat.number]


# A seat's secrets.


def test_secrets_that_are_kept_make_the_same_seat(trio: Played) -> None:
    match = Match(trio.agreement)
    for seat in make_seats(3, trio.seed):
        again = SeatKeys(seat.number, identity(seat.number, trio.seed), randomness("later"), seat.secrets)
        assert again.contribute(match) == trio.contribution(1, seat.number)
        assert again.belongs(match)
        assert again.belongs(trio.match)
        assert repr(seat.secrets) == "SeatSecrets()"


def test_secrets_of_another_seat_or_game_are_noticed(trio: Played, brief: Played) -> None:
    first, second, _ = make_seats(3, trio.seed)
    own = identity(1, trio.seed)
    assert not SeatKeys(1, own, randomness(1), second.secrets).belongs(trio.match)
    assert not SeatKeys(1, own, randomness(1), first.secrets).belongs(brief.match)
    assert not SeatKeys(2, own, randomness(1), second.secrets).belongs(trio.match)


def test_what_the_own_file_has_beside_contributions(tmp_path: Path) -> None:
    """A remark is among the events; two ballots of one round are evidence against their seat."""
    match, seats = table(4)
    play_on(match, seats, at_random(1), nth("turn", 3))
    show(match, seats)
    about = min(match.awaited)
    voter = next(seat for seat in seats if seat.number != about)
    said = Contribution(*voter.say(match, "hello"))
    ballots = [voter.ballot(match, 1, wish(action, about), "late") for action in ("skip", "drop")]
    things: list[SignedThing] = [SignedRemark(said), *map(SignedBallot, ballots)]
    entries = tuple(entry for thing in things if (entry := to_logged(thing)) is not None)
    with ReplayWriter(tmp_path / "game.seqp2p", match) as writer:
        events = feed(match, entries, writer)
    assert [type(event) for event in events] == [Remarked, Voted]
    assert list(match.proven) == [voter.number]


def test_an_entry_is_what_was_signed() -> None:
    """Every kind comes back from the file as it was; a secret is not kept there."""
    one, other = Contribution(b"one", bytes(64)), Contribution(b"other", bytes(64))
    kinds = (SignedBallot, SignedHead, SignedLeave, SignedRemark)
    things: list[SignedThing] = [one, *(kind(one) for kind in kinds), OfferedEvidence((one, other))]
    for thing in things:
        entry = to_logged(thing)
        assert entry is not None
        assert from_logged(entry) == thing
    assert to_logged(ReleasedSecret(1, bytes(32))) is None
    assert from_logged(Logged("here", b"", bytes(64))) is None
