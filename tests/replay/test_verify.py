"""What verifying says of replays that are right, that stop short, and that hold what cannot be."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from seqp2p.crypto.group import ORDER
from seqp2p.match.contribution import Contribution
from seqp2p.match.events import Result
from seqp2p.match.machine import Match
from seqp2p.replay import verify as verify_module
from seqp2p.replay.format import (
    MAGIC,
    CertificateRecord,
    EndRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    StepRecord,
    TableRecord,
    frame,
    pairs,
)
from seqp2p.replay.verify import Player
from tests.replay.tools import (
    STRANGER,
    assemble,
    evidence,
    invalid,
    open_step,
    openings,
    records_of,
    seal,
    sealed,
    step,
    steps,
    table,
    unfinished,
    verified,
    verify,
)
from tests.table import Played, altered, match_at, played, replay_bytes, replay_of, resigned, signed, with_body

GOLDEN = Path(__file__).parents[2] / "replays"

# --- verified


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


def part_of_a_long_game(size: int) -> bytes:
    return assemble(records_of((GOLDEN / "classic-2.seqp2p").read_bytes())[:size])


def evidence_again_and_again(count: int) -> bytes:
    """As a writer can put it who wants a slow file."""
    game = played(2, "kids", 3, "random")
    wrong = evidence(wrong_at(game, 9)[1])
    return assemble([*steps(game, 8), *[wrong] * count])


def held_again_and_again(count: int) -> bytes:
    game = played(3, "kids", 1, "random")
    number = next(step.number for step in game.steps if step.number > 3 and len(step.contributions) > 1)
    (_, first), *_ = game.steps[number - 1].contributions
    return assemble([*steps(game, number - 1), *[open_step(number, first)] * count])


@pytest.mark.parametrize("made", [part_of_a_long_game, evidence_again_and_again, held_again_and_again])
def test_the_work_is_in_proportion_to_the_file(made: Callable[[int], bytes]) -> None:
    """Twice the records are at most about twice the calls: work of the square would take four times as many."""
    files = [made(size) for size in (100, 200, 400)]
    calls(files[0])  # The generators of the proofs are made once.
    first, second, third = map(calls, files)
    assert first < second < third
    assert third - second < 3 * (second - first)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("players", "variant", "seed", "policy"),
    [
        (2, "classic", 1, "random"),
        (4, "classic", 1, "random"),
        (2, "kids", 3, "random"),
        (4, "kids", 4, "random"),
        (2, "classic", 20, "peaceful"),
        (2, "kids", 7, "peaceful"),
    ],
)
def test_a_whole_game_verifies(players: int, variant: str, seed: int, policy: str) -> None:
    game = played(players, variant, seed, policy)
    report = verified(replay_bytes(game))
    assert report.result == game.match.game.result
    assert report.steps == len(game.steps)
    assert report.game == game.match.game.id.hex()
    assert report.writer == game.seat(1).identity_key.hex()


def test_a_report_names_the_players(trio: Played) -> None:
    assert verify(replay_bytes(trio)).players == tuple(
        Player(seat, f"player {seat}", trio.identity(seat).public.hex()) for seat in (1, 2, 3)
    )


def test_every_seat_writes_a_replay_that_verifies(trio: Played) -> None:
    for seat in (1, 2, 3):
        assert verified(replay_bytes(trio, seat)).writer == trio.identity(seat).public.hex()


def test_a_table_with_closed_hands_verifies() -> None:
    game = played(2, "kids", 3, open_hands=False)
    data = replay_bytes(game)
    verified(data)
    assert not any(isinstance(record, OpeningRecord) for record in records_of(data))
    secret = OpeningRecord(1, game.seat(1).release().to_bytes(32, "big"))
    invalid(sealed([*steps(game, len(game.steps)), secret]), "a table that agreed to it")


def test_anybody_may_sign_the_file_but_then_the_file_says_who(brief: Played) -> None:
    *parts, end = records_of(replay_bytes(brief))
    assert isinstance(end, EndRecord)
    assert verified(sealed(parts, STRANGER)).writer == STRANGER.public.hex() != end.key.hex()


def test_opened_hands_are_optional_each(trio: Played) -> None:
    whole, opened = steps(trio, len(trio.steps)), openings(trio)
    for some in ([], opened[:1], opened[1:], [opened[0], opened[2]], opened):
        verified(sealed([*whole, *some]))


@pytest.mark.parametrize("players", [3, 4])
def test_a_majority_that_signed_the_end_is_enough(players: int) -> None:
    game = played(players, "kids", 4)
    number = game.step_of("over")
    for count in range(1, players):
        some = [game.contribution(number, seat) for seat in range(2, 2 + count)]
        data = sealed([*steps(game, number - 1), open_step(number, *some)])
        if 2 * count > players:
            assert verified(data).result == game.match.game.result
        else:
            missing = ", ".join(f"seat {seat}" for seat in range(1, players + 1) if not 2 <= seat < 2 + count)
            assert unfinished(data, f"{missing} ha").step == number


@pytest.mark.parametrize(
    ("signers", "claim"), [((2,), "seat 2 claims the draw"), ((2, 3), "seat 2, seat 3 claim the draw")]
)
def test_a_draw_is_claimed_as_a_win_is(signers: tuple[int, ...], claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawn game takes hundreds of turns, so the result of a won one is replaced."""
    game = played(4, "kids", 4)
    number = game.step_of("over")
    monkeypatch.setattr(verify_module, "final_result", lambda _game: Result("drawn"))
    signed_by = [game.contribution(number, seat) for seat in signers]
    unfinished(sealed([*steps(game, number - 1), open_step(number, *signed_by)]), f"{claim} at step {number}")


def test_one_of_two_is_no_majority(brief: Played) -> None:
    number = brief.step_of("over")
    data = sealed([*steps(brief, number - 1), open_step(number, brief.contribution(number, 1))])
    unfinished(data, f"seat 1 claims the win at step {number}, seat 2 has not signed")


# --- unfinished


def test_a_game_that_stops_anywhere_is_unfinished(brief: Played) -> None:
    match = Match(brief.agreement)
    for number, closed in enumerate(brief.steps, 1):
        for seat, held in closed.contributions:
            waiting = ", ".join(f"seat {seat}" for seat in sorted(match.awaited))
            claimed = match.kind == "over" and match.held
            reason = "not signed" if claimed else f"the record ends at step {number}, awaiting {waiting}"
            report = unfinished(replay_of(match, brief.seat(seat)), reason)
            assert (report.steps, report.step) == (number - 1, number)
            match.receive(held)
    verified(replay_of(match, brief.seat(1)))


def test_a_file_that_nobody_signed_is_unfinished(brief: Played) -> None:
    *parts, _ = records_of(replay_bytes(brief))
    report = unfinished(assemble(parts), "no writer's signature")
    assert report.writer is None
    assert report.steps == len(brief.steps)


def test_a_header_alone_is_unfinished(brief: Played) -> None:
    assert unfinished(assemble([table(brief)]), "the record ends at step 1, awaiting seat 1, seat 2").steps == 0
    unfinished(sealed([table(brief)]))


# --- evidence


def wrong_at(game: Played, number: int) -> tuple[int, Contribution]:
    """What a seat that this step awaits must not sign."""
    seat, honest = game.steps[number - 1].contributions[0]
    return seat, with_body(game.identity(seat), honest, more=1)


@pytest.mark.parametrize("kind", ["seat", "reveal", "shuffle", "deal", "turn", "draw", "over"])
def test_a_contribution_that_is_wrong_is_evidence(trio: Played, kind: str) -> None:
    number = trio.step_of(kind)
    seat, wrong = wrong_at(trio, number)
    report = unfinished(
        replay_of(match_at(trio, number), trio.seat(2), (wrong,)), f"seat {seat} broke the rules at step {number}: "
    )
    assert (report.step, report.steps) == (number, number - 1)


def test_two_contributions_to_an_open_step_are_evidence(trio: Played) -> None:
    match, first = match_at(trio, 1), trio.contribution(1, 2)
    second = altered(trio.identity(2), first, body={"commitment": bytes(32)})
    match.receive(first)
    unfinished(replay_of(match, trio.seat(1), (first, second)), "seat 2 broke the rules at step 1: it signed two")
    # The first one need not be in the file otherwise.
    unfinished(sealed([table(trio), evidence(first, second)]), "seat 2")


def test_two_contributions_to_a_closed_step_are_evidence_to_the_end(trio: Played) -> None:
    number = trio.step_of("turn")
    ((seat, first),) = trio.steps[number - 1].contributions
    second = altered(trio.identity(seat), first, body={})
    before_the_end = len(trio.steps) - 1
    for last in (number, number + 1, number + 4, before_the_end):
        report = unfinished(sealed([*steps(trio, last), evidence(first, second)]), f"seat {seat} broke")
        assert (report.step, report.steps) == (number, last)


def test_a_cheat_cannot_deny_what_a_majority_has_signed(trio: Played) -> None:
    number = trio.step_of("turn")
    ((seat, first),) = trio.steps[number - 1].contributions
    second = altered(trio.identity(seat), first, body={})
    report = verify(replay_of(trio.match, trio.seat(1), (first, second)))
    assert (report.verdict, report.result) == ("verified", trio.match.game.result)


def test_evidence_with_what_was_in_for_the_open_step(trio: Played) -> None:
    """Of two equal game keys each proves something beside the other only, so what is held comes first."""
    match = match_at(trio, 2)
    match.receive(trio.contribution(2, 3))
    wrong = altered(trio.identity(1), trio.contribution(2, 1), body={})
    data = replay_of(match, trio.seat(1), (wrong,))
    assert [type(record) for record in records_of(data)][-3:-1] == [OpenRecord, EvidenceRecord]
    unfinished(data, "seat 1 broke the rules at step 2")


def test_evidence_without_a_signature_of_the_file_is_unfinished_all_the_same(trio: Played) -> None:
    _, wrong = wrong_at(trio, 4)
    unfinished(assemble([*steps(trio, 3), evidence(wrong)]), "broke the rules")


def test_what_proves_nothing_is_no_evidence(trio: Played) -> None:
    number = trio.step_of("deal")
    before, honest, other = steps(trio, number - 1), trio.contribution(number, 1), trio.contribution(number, 2)
    wrong = with_body(trio.identity(1), honest, more=1)
    past = trio.contribution(1, 1)
    of_others = signed(trio.identity(2), honest.payload)
    for lies, text in (
        ((honest,), "proves nothing"),
        ((honest, honest), "proves nothing"),
        ((honest, other), "proves nothing"),
        ((past,), "proves nothing"),
        ((wrong, wrong), "proves nothing"),
        ((other, wrong), "proves nothing"),
        ((wrong, past), "proves nothing"),
        ((wrong, altered(trio.identity(1), wrong, prev=bytes(32))), "proves nothing"),
        ((altered(trio.identity(1), wrong, prev=bytes(32)),), "another past"),
        ((altered(trio.identity(1), wrong, step=number + 1),), "not open yet"),
        ((of_others,), "does not verify"),
        ((resigned(wrong, bytes(64)),), "does not verify"),
        ((altered(trio.identity(1), wrong, game=bytes(32)),), "another game"),
        ((Contribution(b"", bytes(64)),), "not a contribution"),
    ):
        invalid(sealed([*before, evidence(*lies)]), text)


def test_two_things_for_one_place_are_evidence_in_either_order(trio: Played) -> None:
    number = trio.step_of("deal")
    before, honest = steps(trio, number - 1), trio.contribution(number, 1)
    wrong, second = (with_body(trio.identity(1), honest, more=more) for more in (1, 2))
    past = trio.contribution(1, 1)
    other_past = altered(trio.identity(1), past, body={})
    elsewhere = (altered(trio.identity(1), each, prev=bytes(32)) for each in (honest, wrong))
    for proof, at in (
        ((wrong, second), number),
        ((wrong, honest), number),
        ((honest, wrong), number),
        ((past, other_past), 1),
        ((other_past, past), 1),
        (tuple(elsewhere), number),
    ):
        report = unfinished(sealed([*before, evidence(*proof)]), "seat 1 broke the rules")
        assert report.step == at


def test_evidence_stands_beside_the_steps(trio: Played) -> None:
    _, wrong = wrong_at(trio, 1)
    proof, cheat = evidence(wrong), "seat 1 broke the rules at step 1"
    unfinished(sealed([table(trio), proof, evidence(wrong)]), cheat)
    unfinished(sealed([table(trio), proof, step(trio, 1)]), cheat)
    unfinished(sealed([table(trio), proof, open_step(1, trio.contribution(1, 1))]), cheat)
    unfinished(sealed([table(trio), open_step(1, trio.contribution(1, 2)), proof]), cheat)
    whole = [*steps(trio, len(trio.steps)), *openings(trio)]
    past = trio.contribution(1, 1)
    late = evidence(past, altered(trio.identity(1), past, body={}))
    invalid(sealed([*whole, late]), "none of its kind may stand")
    invalid(sealed([proof, table(trio)]), "not the table agreement")


# --- what cannot be: the open step


def test_the_open_step_has_its_form(trio: Played) -> None:
    number = trio.step_of("deal")
    before = steps(trio, number - 1)
    one, two, three = (trio.contribution(number, seat) for seat in (1, 2, 3))
    unfinished(sealed([*before, open_step(number, one, three)]), "awaiting seat 2")
    form = "not in their form"
    for wrong, text in (
        (open_step(number, three, one), form),
        (open_step(number, one, one), form),
        (open_step(number, trio.contribution(1, 1)), form),
        (open_step(number - 1, one), f"a record of step {number - 1} where step {number} is due"),
        (open_step(number + 1, one), f"a record of step {number + 1}"),
        (open_step(number, wrong_at(trio, number)[1]), "broke the rules"),
        (open_step(number, trio.contribution(number + 1, trio.steps[number].contributions[0][0])), "not open yet"),
        (open_step(number, resigned(one, bytes(64))), "does not verify"),
    ):
        invalid(sealed([*before, wrong]), text)
    # What had closed but was not final is written as open too; then the step above it may follow.
    report = unfinished(sealed([*before, open_step(number, one, two, three)]), "awaiting")
    assert (report.steps, report.step) == (number, number + 1)
    unfinished(sealed([*before, open_step(number, one), open_step(number, one, two)]), "awaiting seat 3")
    invalid(sealed([*before, open_step(number, one), open_step(number, two)]), "not in their form")
    invalid(sealed([*before, open_step(number, one), step(trio, number)]), "none of its kind")


def test_nothing_is_open_after_the_end(trio: Played) -> None:
    last = trio.contribution(len(trio.steps), 1)
    after = trio.match.number
    whole = steps(trio, len(trio.steps))
    more = altered(trio.identity(1), last, step=after, prev=trio.match.head)
    for record in (
        open_step(after, last),
        open_step(after, more),
        StepRecord(after, pairs((more,))),
        CertificateRecord(after, pairs((more,))),
    ):
        report = invalid(sealed([*whole, record]), f"a record of step {after} behind the last step")
        assert (report.failure, report.step) == ("order", after)


# --- what cannot be: steps


def test_a_step_has_its_contributions_in_seat_order(trio: Played) -> None:
    number = trio.step_of("deal")
    before = steps(trio, number - 1)
    one, two, three = (trio.contribution(number, seat) for seat in (1, 2, 3))
    late = trio.steps[number].contributions[0][1]
    for wrong, text in (
        ((two, one, three), "out of seat order"),
        ((one, two), "without all its contributions"),
        ((one, one, two, three), "out of seat order"),
        ((one, two, three, three), "more contributions than the step takes"),
        ((one, two, three, late), "more contributions than the step takes"),
        ((trio.contribution(1, 1), one, two, three), "out of seat order"),
        ((one, two, resigned(three, bytes(64))), "does not verify"),
        ((one, two, signed(STRANGER, three.payload)), "does not verify"),
        ((one, two, wrong_at(trio, number)[1]), "it signed two different contributions"),
        ((wrong_at(trio, number)[1], two, three), "unknown field"),
        ((late,), "not open yet"),
    ):
        invalid(sealed([*before, StepRecord(number, pairs(wrong))]), text)


def test_steps_are_numbered(trio: Played) -> None:
    pairs_ = pairs(tuple(held for _, held in trio.steps[0].contributions))
    for number in (2, 100_000):
        invalid(sealed([table(trio), StepRecord(number, pairs_)]), f"step {number} where step 1 is due")
    for number in (0, 100_001):
        invalid(sealed([table(trio), StepRecord(number, pairs_)]), "step")


# --- what cannot be: openings


def test_openings_are_the_secrets_in_seat_order(trio: Played) -> None:
    whole, (one, two, three) = steps(trio, len(trio.steps)), openings(trio)
    assert isinstance(one, OpeningRecord)
    secret = int.from_bytes(one.secret, "big")
    for wrong, text in (
        ([two, one], "openings out of seat order"),
        ([one, one], "openings out of seat order"),
        ([one, three, two], "openings out of seat order"),
        ([OpeningRecord(2, one.secret)], "not the game secret of seat 2"),
        ([OpeningRecord(4, one.secret)], "not the game secret of seat 4"),
        ([OpeningRecord(0, one.secret)], "seat"),
        ([OpeningRecord(1, bytes(32))], "1 … q−1"),
        ([OpeningRecord(1, b"\xff" * 32)], "1 … q−1"),
        ([OpeningRecord(1, (ORDER - secret).to_bytes(32, "big"))], "not the game secret of seat 1"),
        ([OpeningRecord(1, one.secret[1:])], "secret"),
    ):
        invalid(sealed([*whole, *wrong]), text)


def test_no_hand_is_opened_before_the_end(trio: Played) -> None:
    for last in (0, 2, trio.step_of("turn"), len(trio.steps) - 1):
        invalid(sealed([*steps(trio, last), openings(trio)[0]]), "only after the end")
    number = trio.step_of("over")
    majority = open_step(number, *(trio.contribution(number, seat) for seat in (1, 2)))
    invalid(sealed([*steps(trio, number - 1), majority, openings(trio)[0]]), "only after the end")


# --- what cannot be: the file


def test_records_stand_in_their_order(brief: Played) -> None:
    *parts, end = records_of(replay_bytes(brief))
    place = "none of its kind may stand"
    invalid(sealed([parts[0], *parts]), "a second table agreement")
    invalid(sealed([*parts, parts[0]]), "a second table agreement")
    invalid(assemble([*parts, end, end]), place)
    invalid(assemble([*parts[:5], end, *parts[5:]]))
    whole = assemble([*parts, end])
    for behind in (bytes(1), bytes(9)):
        assert verify(whole + behind).byte == len(whole)
    invalid(sealed([*parts[:-1], step(brief, 19)]), place)
    for first in (parts[1], end, parts[-1]):
        invalid(assemble([first, *parts]), "not the table agreement")


def test_the_writers_signature_covers_every_byte_before_it(brief: Played) -> None:
    *parts, end = records_of(replay_bytes(brief))
    assert isinstance(end, EndRecord)
    text = "signature does not cover this file"
    for wrong in (
        EndRecord(end.key, bytes(64)),
        EndRecord(STRANGER.public, end.signature),
        EndRecord(bytes(32), end.signature),
        EndRecord(b"\1" + bytes(31), b"\1" + bytes(63)),
    ):
        report = invalid(assemble([*parts, wrong]), text)
        assert report.writer is None
    invalid(assemble([*parts[:-1], end]), text)


def test_nothing_may_stand_behind_the_end(brief: Played) -> None:
    data = replay_bytes(brief)
    for more in (b"\0", b"\n", b"\0\0\0", b"\0\0\0\1", b"x" * 100, b"\0\0\0\1\x80"):
        invalid(data + more)
    invalid(data + data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "not a seqp2p replay"),
        (b"\0", "not a seqp2p replay"),
        (b"PK\3\4", "not a seqp2p replay"),
        (MAGIC[:-1], "another version"),
        (MAGIC[:5], "not a seqp2p replay"),
        (b"seqp2p replay 2\n" + bytes(100), "another version than 1"),
        (b"seqp2p replay 11\n", "another version than 1"),
        (MAGIC, "ends before its header"),
        (MAGIC + b"\0", "ends inside a record"),
        (MAGIC + b"\0\0\0\0", "not a msgpack value"),
        (MAGIC + b"\0\0\0\1\x80", "missing required field"),
        (MAGIC + b"\0\0\1\0\x80", "ends inside a record"),
        (MAGIC + b"\xff\xff\xff\xff", "a record of 4294967295 bytes at byte 16"),
        (MAGIC + b"\x00\x10\x00\x00", "a record of 1048576 bytes"),
        (MAGIC + b"\0\0\0\x08" + b"\x81\xa1t\xa4beef"[:8], "Invalid value"),
        (MAGIC + frame(TableRecord(b"")), "not a msgpack value"),
        (MAGIC + b"\0\0\x04\0" + b"\x91" * 1024, "more than 256 values"),
        (MAGIC + b"\0\0\0\xc9" + b"\x91" * 201, "not a msgpack value"),
        (MAGIC + b"\0\0\0\xc9" + b"\x91" * 200 + b"\xc0", "nested"),
    ],
)
def test_what_is_no_replay_is_invalid(data: bytes, text: str) -> None:
    report = invalid(data, text)
    assert (report.game, report.players, report.steps) == (None, (), 0)


def test_a_table_that_cannot_be_played_is_invalid(brief: Played) -> None:
    broken = brief.agreement.replace(b"player 1", b"player\x1b1")
    invalid(assemble([TableRecord(broken)]), "seat 1: a name has no control")
    invalid(assemble([TableRecord(brief.agreement + b"\0")]), "not a msgpack value")


def test_a_file_beyond_the_limit_is_not_read(brief: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    data = replay_bytes(brief)
    monkeypatch.setattr(verify_module, "REPLAY_SIZE_MAX", len(data))
    verified(data)
    monkeypatch.setattr(verify_module, "REPLAY_SIZE_MAX", len(data) - 1)
    invalid(data, "larger than any replay")


def test_a_result_belongs_to_what_is_verified_only(brief: Played) -> None:
    """A claim without a majority is no result, and neither is one that nobody signed for."""
    assert verify(replay_bytes(brief)).result == Result("won", brief.match.game.result.winners)  # type: ignore[union-attr]
    assert verify(replay_bytes(brief)[:-1]).result is None
    assert verify(seal(assemble(steps(brief, 18)))).result is None


def test_a_replay_is_verified_from_its_bytes_alone(brief: Played) -> None:
    """Twice the same, and no match of the process is touched."""
    before = Match(brief.agreement).head, brief.match.head
    assert verify(replay_bytes(brief)) == verify(replay_bytes(brief))
    assert (Match(brief.agreement).head, brief.match.head) == before
