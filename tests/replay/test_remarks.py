"""Remarks in a replay: in their place they verify, whatever else is done with them is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from seqp2p.crypto.hashing import REMARK
from seqp2p.crypto.identity import sign
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.replay.format import AnyRecord, RemarkRecord, StepRecord
from seqp2p.replay.writer import ReplayWriter
from tests.replay.tools import (
    STRANGER,
    assemble,
    invalid,
    open_step,
    openings,
    records_of,
    sealed,
    steps,
    unfinished,
    verified,
)
from tests.table import Played, at_random, match_at, play, played, signed


@pytest.fixture(scope="module")
def talkative(brief: Played, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The replay of a game in which both seats say something, early and late, and after the end."""
    path = tmp_path_factory.mktemp("talk") / "game.seqp2p"
    match = Match(brief.agreement)
    with ReplayWriter(path, match) as replay:

        def say(seat: int, text: str) -> None:
            remark = match.receive_remark(*brief.seat(seat).say(match, text))
            assert remark is not None
            replay.remark(match, remark)

        for closed in brief.steps:
            if closed.number in {1, 8, 12}:
                say(1 + closed.number % 2, f"step {closed.number}")
            for _, held in closed.contributions:
                match.receive(held)
        say(1, "good game")
        say(2, "thank you")
        replay.finish(match, brief.seat(1).identity_key, brief.seat(1).sign)
    return path.read_bytes()


def parts_of(data: bytes) -> list[AnyRecord]:
    *parts, _ = records_of(data)
    return parts


def places(parts: list[AnyRecord]) -> list[int]:
    return [at for at, record in enumerate(parts) if isinstance(record, RemarkRecord)]


def test_remarks_stand_behind_the_steps_that_were_closed(brief: Played, talkative: bytes) -> None:
    report = verified(talkative)
    assert report.steps == len(brief.steps)
    parts = parts_of(talkative)
    assert len(places(parts)) == 5
    assert [record for record in parts if isinstance(record, StepRecord)] == steps(brief, 19)[1:]
    before = [sum(isinstance(record, StepRecord) for record in parts[:at]) for at in places(parts)]
    assert before == [0, 7, 11, 19, 19]


def test_that_none_is_missing_is_the_writers_word(talkative: bytes) -> None:
    parts = parts_of(talkative)
    silent = [record for record in parts if not isinstance(record, RemarkRecord)]
    verified(sealed(silent))
    last = places(parts)[-1]
    verified(sealed([*parts[:last], *parts[last + 1 :]]))


def test_a_gap_in_a_seats_chain_is_invalid(talkative: bytes) -> None:
    parts = parts_of(talkative)
    first = places(parts)[0]
    invalid(sealed([*parts[:first], *parts[first + 1 :]]), "out of its seat's order")


def test_a_remark_later_than_it_was_said_verifies_and_earlier_not(talkative: bytes) -> None:
    """When it reached the writer is the writer's word; that it was said before its step was closed is not."""
    parts = parts_of(talkative)
    at = places(parts)[2]
    record = parts.pop(at)
    verified(sealed([*parts[: at + 3], record, *parts[at + 3 :]]))
    invalid(sealed([*parts[: at - 1], record, *parts[at - 1 :]]), "not open yet")


CHANGES: dict[str, Callable[[RemarkRecord, Played], RemarkRecord]] = {
    "another text": lambda record, _: RemarkRecord(record.payload.replace(b"step 8", b"step 9"), record.signature),
    "no signature": lambda record, _: RemarkRecord(record.payload, bytes(64)),
    "another signer": lambda record, _: RemarkRecord(record.payload, signed(STRANGER, record.payload).signature),
    "a byte behind it": lambda record, _: RemarkRecord(record.payload + b"\0", record.signature),
    "no remark": lambda record, _: RemarkRecord(b"", record.signature),
    "a contribution": lambda _, game: RemarkRecord(game.contribution(1, 1).payload, game.contribution(1, 1).signature),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_remark_that_is_changed_is_invalid(brief: Played, talkative: bytes, change: str) -> None:
    parts = parts_of(talkative)
    at = places(parts)[1]
    record = parts[at]
    assert isinstance(record, RemarkRecord)
    changed = CHANGES[change](record, brief)
    assert changed != record
    invalid(sealed([*parts[:at], changed, *parts[at + 1 :]]), "remark")


def test_a_remark_twice_is_invalid(talkative: bytes) -> None:
    parts = parts_of(talkative)
    at = places(parts)[0]
    invalid(sealed([*parts[: at + 1], *parts[at:]]), "out of its seat's order")


def test_remarks_of_another_game_are_invalid(talkative: bytes) -> None:
    other = played(2, "kids", 2)
    remark = parts_of(talkative)[places(parts_of(talkative))[0]]
    invalid(sealed([*steps(other, 3), remark]), "a remark in another game")


def test_remarks_stand_beside_the_steps_and_what_is_open(brief: Played, talkative: bytes) -> None:
    parts = parts_of(talkative)
    remark = parts[places(parts)[0]]
    opened = open_step(2, brief.contribution(2, 1))
    unfinished(sealed([*steps(brief, 1), remark, opened]), "awaiting seat 2")
    unfinished(sealed([*steps(brief, 1), opened, remark]), "awaiting seat 2")
    whole = [*steps(brief, len(brief.steps)), *openings(brief)]
    invalid(sealed([*whole, remark]), "none of its kind may stand")
    invalid(sealed([remark, *parts]), "not the table agreement")


def test_every_byte_of_a_remark_matters(talkative: bytes) -> None:
    parts = parts_of(talkative)
    start = len(assemble(parts[: places(parts)[0]]))
    end = len(assemble(parts[: places(parts)[0] + 1]))
    for place in range(start + 4, end, 5):
        changed = bytearray(talkative)
        changed[place] ^= 4
        invalid(bytes(changed))


def test_a_called_remark_is_in_the_record(tmp_path: Path) -> None:
    """A replay without its remarks holds the one that was called, in the caller's turn."""
    game = played(4, table_talk=False)
    match = Match(game.agreement)
    for closed in game.steps[: game.step_of("turn") - 1]:
        for _, held in closed.contributions:
            match.receive(held)
    assert match.plan is not None
    mover = match.plan.subject
    remark = match.receive_remark(*game.seat(mover % 4 + 1).say(match, "the queen!"))
    assert remark is not None
    match.receive(game.seat(mover).call(match, remark))
    play(match, list(game.seats), at_random(2), until=lambda match: len(match.record) > 20)
    with ReplayWriter(tmp_path / "game.seqp2p", match) as replay:
        replay.finish(match, game.seat(1).identity_key, game.seat(1).sign)
    data = (tmp_path / "game.seqp2p").read_bytes()
    assert b"the queen!" in data
    assert unfinished(data, "awaiting").steps == len(match.record)


def test_a_remark_dated_before_its_seats_last_waits_for_it(trio: Played, tmp_path: Path) -> None:
    """The open step stands on one that is not final: what is dated to it is written later, and so is what follows."""
    path = tmp_path / "game.seqp2p"
    match, seat = match_at(trio, 8), trio.seat(1)
    assert match.final < match.number - 1
    with ReplayWriter(path, match) as replay:
        for step in (8, 1):
            number, last = match.remarks.next_of(1)
            payload = encode(RemarkPayload(1, match.game.id, 1, number, last, step, match.head, False, "now"))
            remark = match.receive_remark(payload, sign(trio.identity(1), REMARK, payload))
            assert remark is not None
            replay.remark(match, remark)
        replay.finish(match, seat.identity_key, seat.sign)
    data = path.read_bytes()
    unfinished(data)
    assert len(places(parts_of(data))) == 2
