"""What verifying says of replays that are right, that stop short, and that hold what cannot be.

The small replays of protocol/ have the verdict and the class of each fault, and test_playback.py sees that they get
them. Here: what else a report says, and the reasons in words.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.crypto.group import ORDER
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.replay import verify as verify_module
from seqp2p.replay.format import MAGIC, AnyRecord, EvidenceRecord, OpeningRecord, OpenRecord, StepRecord, pairs
from seqp2p.replay.verify import Player
from tests.match.refusal import at_step
from tests.replay.exhaust import Golden, examine, main
from tests.replay.tools import (
    STRANGER,
    assemble,
    evidence,
    invalid,
    open_step,
    openings,
    records_of,
    sealed,
    step,
    steps,
    stored,
    unfinished,
    verified,
    verify,
)
from tests.table import Played, altered, match_at, played, replay_bytes, replay_of
from tests.ui.kept import Talk, talks


def calls(data: bytes) -> int:
    """The calls of functions, of the group's library too, that verifying this file takes."""
    count = 0

    def called(_frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(called)
    try:
        verify_module.verify(data)
    finally:
        sys.setprofile(None)
    return count


def evidence_again_and_again(count: int) -> bytes:
    """As a writer can put it who wants a slow file."""
    game = played(2, "kids", 3)
    return assemble([*steps(game, 8), *[evidence(at_step(game, 9).with_body(more=1))] * count])


def held_again_and_again(count: int) -> bytes:
    game = played(3, "kids", 1)
    number = next(step.number for step in game.steps if step.number > 3 and len(step.contributions) > 1)
    return assemble([*steps(game, number - 1), *[open_step(number, at_step(game, number).honest)] * count])


@pytest.mark.parametrize(
    "made",
    [lambda size: assemble(records_of(stored("classic-2"))[:size]), evidence_again_and_again, held_again_and_again],
)
def test_the_work_is_in_proportion_to_the_file(made: Callable[[int], bytes]) -> None:
    """Twice the records are at most about twice the calls: work of the square would take four times as many."""
    files = [made(size) for size in (60, 120, 240)]
    calls(files[0])  # The generators of the proofs are made once.
    first, second, third = map(calls, files)
    assert first < second < third
    assert third - second < 3 * (second - first)


def test_a_file_beyond_the_limit_is_not_read(brief: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    data = replay_bytes(brief)
    monkeypatch.setattr(verify_module, "REPLAY_SIZE_MAX", len(data))
    verified(data)
    monkeypatch.setattr(verify_module, "REPLAY_SIZE_MAX", len(data) - 1)
    invalid(data, "larger than any replay")


def test_a_report_says_what_was_played_and_who_wrote_it(trio: Played) -> None:
    *parts, _ = records_of(replay_bytes(trio))
    written = [(replay_bytes(trio, seat), trio.identity(seat)) for seat in (1, 2, 3)]
    for data, writer in (*written, (sealed(parts), STRANGER)):
        report = verified(data)
        assert (report.steps, report.result) == (len(trio.steps), trio.match.game.result)
        assert (report.game, report.writer) == (trio.match.game.id.hex(), writer.public.hex())
        assert report.players == tuple(
            Player(seat, f"player {seat}", trio.identity(seat).public.hex()) for seat in (1, 2, 3)
        )


def test_a_cheat_cannot_deny_what_a_majority_has_signed(trio: Played) -> None:
    at = at_step(trio, "turn")
    report = verify(replay_of(trio.match, trio.seat(1), (at.honest, at.altered(body={}))))
    assert (report.verdict, report.result) == ("verified", trio.match.game.result)
    assert [cheat.seat for cheat in report.cheats] == [at.number]


@pytest.mark.parametrize(
    ("signers", "draw", "reason"),
    [
        ((1,), False, "seat 1 claims the win at step {}, but seat 2, seat 3, seat 4 have not signed"),
        ((2, 3), False, "seat 2, seat 3 claim the win at step {}, but seat 1, seat 4 have not signed"),
        ((2,), True, "seat 2 claims the draw at step {}, but seat 1, seat 3, seat 4 have not signed"),
        ((2, 3), True, "seat 2, seat 3 claim the draw at step {}, but seat 1, seat 4 have not signed"),
    ],
)
def test_an_end_that_no_majority_has_signed_is_claimed(
    signers: tuple[int, ...], draw: bool, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A drawn game takes hundreds of turns, so the result of a won one is replaced."""
    game = played(4, "kids", 4)
    number = game.step_of("over")
    if draw:
        monkeypatch.setattr(verify_module, "final_result", lambda _game: Result("drawn"))
    signed_by = [game.contribution(number, seat) for seat in signers]
    data = sealed([*steps(game, number - 1), open_step(number, *signed_by)])
    assert unfinished(data, reason.format(number)).step == number


def test_a_game_that_stops_anywhere_is_unfinished(brief: Played) -> None:
    match = Match(brief.agreement)
    for number, closed in enumerate(brief.steps, 1):
        for seat, held in closed.contributions:
            waiting = ", ".join(f"seat {seat}" for seat in sorted(match.awaited))
            claim = f"seat 1 claims the win at step {number}, but seat 2 has not signed"
            ends = f"the replay ends at step {number}, waiting for {waiting}"
            report = unfinished(replay_of(match, brief.seat(seat)), claim if match.held and number == 19 else ends)
            assert (report.steps, report.step) == (number - 1, number)
            match.receive(held)
    verified(replay_of(match, brief.seat(1)))
    report = unfinished(assemble(steps(brief, 19)), "no writer's signature")
    assert (report.steps, report.writer) == (19, None)


def test_evidence_ends_a_game_also_in_a_file_that_nobody_signed(trio: Played) -> None:
    """Of two equal game keys each proves something only with the other, so held contributions precede evidence."""
    match = match_at(trio, 2)
    match.receive(trio.contribution(2, 3))
    wrong = altered(trio.identity(1), trio.contribution(2, 1), body={})
    data = replay_of(match, trio.seat(1), (wrong,))
    *parts, _ = records_of(data)
    assert [type(record) for record in parts[-2:]] == [OpenRecord, EvidenceRecord]
    for each in (data, assemble(parts)):
        report = unfinished(each, "seat 1 broke the rules at step 2: ")
        assert (report.step, report.steps) == (2, 1)


@talks(__file__, "reasons.txt")
def test_the_reason_tells_what_is_wrong(talk: Talk) -> None:
    """Of small replays of protocol/, by their names."""
    talk.check([invalid(stored(line[2:])).reason or "none"] for line in talk.lines)


def test_more_reasons(trio: Played) -> None:
    """protocol/replays has no such files."""
    at = at_step(trio, "deal")
    number, wrong = at.match.number, at.with_body(more=1)
    before, whole, opened = steps(trio, number - 1), steps(trio, len(trio.steps)), openings(trio)
    one, two, three = (trio.contribution(number, seat) for seat in (1, 2, 3))
    past, place = trio.contribution(1, 1), "a record is where none of its kind may be"
    rows: list[tuple[list[AnyRecord], str]] = [
        ([*before, StepRecord(number, pairs((one, two, wrong)))], "it signed two different contributions"),
        ([*before, open_step(number, three, one)], "malformed"),
        ([*before, open_step(number, wrong)], "seat 1 broke the rules"),
        ([*whole, *opened, evidence(past, altered(trio.identity(1), past, body={}))], place),
        ([*whole, opened[0], opened[0]], "openings out of seat order"),
    ]
    for parts, text in rows:
        invalid(sealed(parts), text)


def test_the_negative_of_a_game_secret_opens_no_hand(trio: Played) -> None:
    """Both have a public point with the same x."""
    whole, (first, *_) = steps(trio, len(trio.steps)), openings(trio)
    opposite = (ORDER - int.from_bytes(first.secret, "big")).to_bytes(32, "big")
    invalid(sealed([*whole, OpeningRecord(1, opposite)]), "not the game secret of seat 1")
    invalid(sealed([*whole, OpeningRecord(1, bytes(32))]), "1 … q−1")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "not a seqp2p replay"),
        (MAGIC[:-1], "a version other than 1"),
        (b"seqp2p replay 11\n", "a version other than 1"),
        (MAGIC + b"\0\0\0\1\x80", "missing required field"),
        (MAGIC + b"\xff\xff\xff\xff", "a record of 4294967295 bytes at byte 16"),
        (MAGIC + b"\x00\x10\x00\x00", "a record of 1048576 bytes"),
        (MAGIC + b"\0\0\x04\0" + b"\x91" * 1024, "more than 256 values"),
    ],
)
def test_bytes_that_are_no_replay_are_invalid(data: bytes, text: str) -> None:
    report = invalid(data, text)
    assert (report.game, report.players, report.steps) == (None, (), 0)


def test_a_report_says_where_a_wrong_record_is(brief: Played) -> None:
    data = replay_bytes(brief)
    for more in (b"\0", b"x" * 9, b"\0\0\0\1\x80"):
        report = invalid(data + more)
        assert (report.byte, report.steps) == (len(data), 19)


# Every byte of a replay matters: no changed, cut, extended or reordered file is verified.


def refused(data: bytes) -> None:
    report = verify(data)
    assert report.verdict != "verified"
    assert report.reason
    assert report.reason.isprintable()
    assert report.result is None


@pytest.fixture(scope="module")
def golden(brief: Played) -> Golden:
    return Golden(replay_bytes(brief))


@settings(max_examples=30)
@given(data=st.data())
def test_a_byte_changed_or_a_cut_anywhere(golden: Golden, data: st.DataObject) -> None:
    """The file is refused, and the quick way to verify it says what the slow one does."""
    place, by = data.draw(st.integers(0, len(golden.data) - 1)), data.draw(st.integers(1, 255))
    changed = bytearray(golden.data)
    changed[place] ^= by
    for other, quick in ((bytes(changed), golden.changed(place, by)), (golden.data[:place], golden.cut(place))):
        refused(other)
        assert quick == verify(other)


def test_every_part_of_the_file(golden: Golden) -> None:
    """`make soak` changes every bit, and cuts before every byte. Here: every 43rd byte, three ways."""
    verdicts = sum((examine(golden, place, (1, 0x80, 0xFF)) for place in range(0, len(golden.data), 43)), Counter())
    assert verdicts.keys() == {"invalid", "unfinished", "cut: invalid", "cut: unfinished"}


def test_the_command_looks_at_every_byte(
    capsys: pytest.CaptureFixture[str], golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--bits", "--every", "5000"]) == 0
    assert "kids_2_won_ok.seqp2p: 54 changes and cuts in" in capsys.readouterr().out
    monkeypatch.setattr(Golden, "changed", lambda *_: golden.whole)
    assert main(["--bits"]) == 1
    assert "byte 0 XOR 1 is not noticed" in capsys.readouterr().out


@settings(max_examples=25)
@given(data=st.data(), more=st.binary(min_size=1, max_size=20))
def test_bytes_put_in_or_taken_out_anywhere(golden: Golden, data: st.DataObject, more: bytes) -> None:
    replay = golden.data
    place = data.draw(st.integers(0, len(replay) - 1))
    count = data.draw(st.integers(1, 200))
    for changed in (replay[:place] + more + replay[place:], replay[:place] + replay[place + count :]):
        if changed != replay:
            refused(changed)


@pytest.fixture(scope="module")
def other(brief: Played) -> Played:
    """Another game of the same people, with the same keys."""
    return played(2, "kids", brief.seed, open_hands=False)


@settings(max_examples=25)
@given(dice=st.randoms(use_true_random=False))
def test_records_dropped_doubled_moved_and_signed_for(brief: Played, other: Played, dice: random.Random) -> None:
    """A writer may do this to whole records: what verifies has every step in its place."""
    *parts, _ = records_of(replay_bytes(brief))
    changed: list[AnyRecord] = list(parts)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(1, len(changed))
        what = dice.choice(["drop", "double", "move", "foreign"])
        record = changed.pop(at)
        if what == "double":
            changed[at:at] = [record, record]
        elif what == "move":
            changed.insert(dice.randrange(len(changed) + 1), record)
        elif what == "foreign":
            changed.insert(at, step(other, min(at, 19)))
    report = verify(sealed(changed))
    whole = [record for record in changed if not isinstance(record, OpeningRecord)]
    if report.verdict == "verified":
        assert whole == steps(brief, len(brief.steps))
    else:
        assert report.reason
