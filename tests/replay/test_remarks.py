"""Remarks in a replay: where they may stand, and in which order they are written. The small replays have the faults."""

from pathlib import Path

import pytest

from seqp2p.crypto.hashing import REMARK
from seqp2p.crypto.identity import sign
from seqp2p.match.encoding import encode
from seqp2p.match.machine import Match
from seqp2p.match.remark import RemarkPayload
from seqp2p.replay.format import AnyRecord, RemarkRecord, StepRecord
from seqp2p.replay.writer import ReplayWriter
from tests.replay.tools import invalid, open_step, openings, records_of, sealed, steps, unfinished, verified
from tests.table import Played, match_at


@pytest.fixture(scope="module")
def talkative(brief: Played, tmp_path_factory: pytest.TempPathFactory) -> list[AnyRecord]:
    """The replay of a game in which both seats say something, early and late, and after the end; without its end."""
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
    verified(path.read_bytes())
    *parts, _ = records_of(path.read_bytes())
    return parts


def places(parts: list[AnyRecord]) -> list[int]:
    return [at for at, record in enumerate(parts) if isinstance(record, RemarkRecord)]


def test_remarks_stand_behind_the_steps_that_were_closed(brief: Played, talkative: list[AnyRecord]) -> None:
    assert [record for record in talkative if isinstance(record, StepRecord)] == steps(brief, 19)[1:]
    before = [sum(isinstance(record, StepRecord) for record in talkative[:at]) for at in places(talkative)]
    assert before == [0, 7, 11, 19, 19]


def test_that_none_is_missing_is_the_writers_word_and_a_gap_is_invalid(talkative: list[AnyRecord]) -> None:
    verified(sealed([record for record in talkative if not isinstance(record, RemarkRecord)]))
    first, *_, last = places(talkative)
    verified(sealed([*talkative[:last], *talkative[last + 1 :]]))
    invalid(sealed([*talkative[:first], *talkative[first + 1 :]]), "out of its seat's order")


def test_a_remark_later_than_it_was_said_verifies_and_earlier_not(talkative: list[AnyRecord]) -> None:
    """When it reached the writer is the writer's word; that it was said before its step was closed is not."""
    at = places(talkative)[2]
    remark, others = talkative[at], [*talkative[:at], *talkative[at + 1 :]]
    verified(sealed([*others[: at + 3], remark, *others[at + 3 :]]))
    invalid(sealed([*others[: at - 1], remark, *others[at - 1 :]]), "not open yet")


def test_remarks_stand_beside_the_steps_and_what_is_open(brief: Played, talkative: list[AnyRecord]) -> None:
    remark = talkative[places(talkative)[0]]
    opened = open_step(2, brief.contribution(2, 1))
    for parts in ([remark, opened], [opened, remark]):
        unfinished(sealed([*steps(brief, 1), *parts]), "waiting for seat 2")
    invalid(sealed([*steps(brief, 19), *openings(brief), remark]), "none of its kind may be")
    invalid(sealed([remark, *talkative]), "not the table agreement")


def test_a_remark_dated_before_its_seats_last_waits_for_it(trio: Played, tmp_path: Path) -> None:
    """The open step follows one that is not final, so its remark is written later, and so is the next remark."""
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
    unfinished(path.read_bytes())
    assert len(places(records_of(path.read_bytes()))) == 2
