"""Small replays, named by their verdicts."""

from collections.abc import Sequence
from typing import Final

from protocol.generator.case import Case, incomplete, invalid, unfinished, verified
from protocol.generator.contributions import GAME, REPLAY, small_game
from protocol.generator.drops import drop_cases
from protocol.generator.forged import forged_cases
from protocol.generator.games import Game, evidence, finish, in_body, in_envelope, opened, replay, settings
from protocol.generator.stream import Stream
from protocol.generator.vectors import flip, packb
from protocol.generator.votes import vote_cases
from protocol.generator.wrong_moves import wrong_move_cases
from seqp2p.crypto.group import encode_scalar
from seqp2p.match.contribution import Contribution
from seqp2p.match.seat import SeatKeys
from seqp2p.net.frames import HEADER_SIZE
from seqp2p.net.frames import frame as framed
from seqp2p.replay.format import (
    MAGIC,
    AnyRecord,
    CertificateRecord,
    OpeningRecord,
    OpenRecord,
    StepRecord,
    TableRecord,
    frame,
    pairs,
)

# The stopped game, of two steps, is what cases are made of where nothing later in a file matters.
SETUP_STEPS: Final = 2


def cases() -> dict[str, Case]:
    """Return all cases by name, the name of the file without its ending."""
    whole = small_game().play()
    made = {REPLAY: verified(whole.written(), "a whole game, hands opened")}
    for part in (_good, _unfinished, _cheated, _damaged, _misplaced):
        made |= part(whole)
    return made | forged_cases() | wrong_move_cases() | vote_cases() | drop_cases()


def _stopped(at: int) -> Game:
    return small_game().play(until=at)


def _closed_hands() -> Game:
    return Game("kids-2/1 closed", settings("kids", 2, open_hands=False)).play()


def _good(whole: Game) -> dict[str, Case]:
    records = whole.records()
    three = Game("kids-3/3", settings("kids", 3)).play(until=56)
    assert three.match.kind == "over", "the game of three ends with step 56"
    signed = three.contributions()
    for contribution in signed[:2]:
        three.match.receive(contribution)
    again = three.changed(signed[1], in_body(position=bytes(32)))
    cleo, ben = three.identities[2], whole.identities[1]
    both = "one of the two that have signed the final position has signed another one too"
    return {
        "over_signed_by_two_of_three_ok": verified(
            replay(three.records(), cleo), "a strict majority has signed the final position"
        ),
        "over_signed_by_a_cheat_fail": unfinished(
            replay([*three.records(), evidence(signed[1], again)], cleo), both, "equivocation", 56, 2
        ),
        "closed_hands_ok": verified(_closed_hands().written(), "hands stay closed"),
        "one_opening_ok": verified(replay(records[:-1], ben), "one seat opened its hand; the other one wrote it"),
        "no_opening_ok": verified(replay(records[:-2], ben), "nobody opened a hand, though the table agreed"),
    }


def _unfinished(whole: Game) -> dict[str, Case]:
    records, ann = whole.records(), whole.identities[0]
    data = replay(records, ann)
    over = records[-3]
    assert isinstance(over, StepRecord)
    one_over = OpenRecord(over.step, over.contributions[:1])
    unsigned = MAGIC + b"".join(map(frame, records))
    half = _stopped(5)
    half.match.receive(half.contribution(2))
    empty = "four zeros are a whole record of no bytes, which has no form"
    return {
        "no_end_fail": incomplete(unsigned, "the writer's last record is missing", 20),
        "cut_in_a_record_fail": unfinished(data[: len(data) // 2], "cut inside step 4", "torn", 4),
        "cut_by_one_byte_fail": unfinished(data[:-1], "cut inside the last record", "torn", 20),
        "bytes_behind_the_end_fail": invalid(data + b"\0\0", "two bytes more", "order", 20),
        "zeros_behind_the_end_fail": invalid(data + bytes(4), empty, "encoding", 20),
        "zeros_for_an_end_fail": invalid(unsigned + bytes(8), "a record of no bytes", "encoding", 20),
        "three_zeros_for_an_end_fail": unfinished(unsigned + bytes(3), "cut inside the length of a record", "torn", 20),
        "stopped_fail": incomplete(_stopped(8).written(), "the record ends awaiting seat 2", 8, 2),
        "stopped_in_a_step_fail": incomplete(half.written(), "step 5 has only seat 2's shares", 5, 1),
        "over_signed_by_one_of_two_fail": incomplete(
            replay([*records[:-3], one_over], ann), "of two seats both must sign the end", 19, 2
        ),
    }


def _cheated(whole: Game) -> dict[str, Case]:
    twice, rules = "equivocation", "rules"
    game, at_turn = _stopped(1), _stopped(8)
    one, two = game.contributions()
    other, late = (game.changed(each, in_body(commitment=bytes(32))) for each in (one, two))
    (move,) = at_turn.contributions()
    card, *_ = opened(move)["body"]["action"].split(" ")
    corner = at_turn.changed(move, in_body(action=f"{card} a1"))
    shuffled = _stopped(3)
    (shuffle,) = shuffled.contributions()
    deck = opened(shuffle)["body"]["deck"]
    swapped = shuffled.changed(shuffle, in_body(deck=deck[66:132] + deck[:66] + deck[132:]))
    copied, copy = _copied_key()
    beginning = whole.records()[: SETUP_STEPS + 1]

    def proved(*contributions: Contribution) -> bytes:
        """Return two steps, and contributions to the first of them as evidence."""
        return replay([*beginning, evidence(*contributions)], game.identities[0])

    return {
        "equivocation_fail": unfinished(
            game.written(evidence(one, other)), "seat 1 signed two commitments", twice, 1, 1
        ),
        "equivocation_in_a_closed_step_fail": unfinished(
            proved(two, late), "seat 2 signed another commitment than the one on record", twice, 1, 2
        ),
        "half_an_equivocation_fail": invalid(
            proved(late), "evidence is all that proves the violation: here both versions", "evidence", 3
        ),
        "equivocation_turned_round_fail": unfinished(
            proved(late, two), "two contributions of one place, in either order", twice, 1, 2
        ),
        "illegal_move_fail": unfinished(
            at_turn.written(evidence(corner)), "seat 2 signed a chip on a free corner", rules, 8, 2
        ),
        "illegal_move_in_the_record_fail": invalid(
            at_turn.written(StepRecord(8, pairs((corner,)))), "as a step, not as evidence", rules, 8, 2
        ),
        "wrong_shuffle_fail": unfinished(
            shuffled.written(evidence(swapped)), "seat 1 swapped two cards", "shuffle", 3, 1
        ),
        "copied_key_fail": unfinished(
            copied.written(evidence(copy)), "seat 2 shows the game key of seat 1", "key", 2, 2
        ),
        "copied_key_alone_fail": invalid(
            replay([*copied.records()[:-1], evidence(copy)], copied.identities[0]),
            "without the key that it copies it is right", "evidence", 2,
        ),
        "false_evidence_fail": invalid(at_turn.written(evidence(move)), "the evidence is a legal move", "evidence", 8),
        "evidence_from_another_past_fail": invalid(
            at_turn.written(evidence(at_turn.changed(move, in_envelope(prev=bytes(32))))),
            "a contribution on another past proves nothing", "chain", 8,
        ),
        "evidence_nobody_signed_fail": invalid(
            at_turn.written(evidence(Contribution(corner.payload, move.signature))),
            "the signature is not over these bytes", "signature", 8,
        ),
    }  # fmt: skip


def _copied_key() -> tuple[Game, Contribution]:
    """A table where one person holds both seats and gives them one game key; step 2 with seat 1's part in."""
    game = Game(GAME, settings("kids", 2))
    game.seats[1] = SeatKeys(2, game.identities[1], Stream(f"{GAME} seat 1"))
    game.play(until=2)
    one, two = game.contributions()
    game.match.receive(one)
    return game, two


def _damaged(whole: Game) -> dict[str, Case]:
    records, ann = whole.records(), whole.identities[0]
    data = replay(records, ann)
    unsigned = MAGIC + b"".join(map(frame, records))
    table = frame(records[0])
    in_step_1 = len(MAGIC) + len(table) + 60
    key_of_end = len(data) - 64 - 2 - 20
    later = unsigned + replay(records[:-1], ann)[len(unsigned) - len(data) :]
    step_1 = frame(_stopped(SETUP_STEPS + 1).records()[1])[HEADER_SIZE:]
    longer = framed(step_1.replace(b"\xa4step\x01", b"\xa4step\xcc\x01", 1))
    note = finish(MAGIC + table + framed(packb({"t": "note", "text": "hello"})), ann)
    agreement = records[0]
    assert isinstance(agreement, TableRecord)
    escaped = TableRecord(agreement.agreement.replace(b"\xa3ann", b"\xa3a\x1bn"))
    stripped = replay(_with_signature(records, bytes(64)), ann)
    return {
        "empty_fail": invalid(b"", "no bytes", "file"),
        "not_a_replay_fail": invalid(b"PK\3\4" + bytes(100), "another kind of file", "file"),
        "version_2_fail": invalid(b"seqp2p replay 2\n" + data[16:2000], "a later version", "file"),
        "nothing_but_the_magic_fail": invalid(MAGIC, "the file ends before its table", "file"),
        "cut_in_the_table_fail": invalid(data[:100], "cut inside the first record", "torn"),
        "a_name_with_an_escape_fail": invalid(replay([escaped], ann), "a control character in a name", "table"),
        "bit_flipped_in_a_payload_fail": invalid(flip(data, in_step_1, 3), "one bit of step 1", "signature", 1),
        "bit_flipped_in_the_end_fail": invalid(flip(data, len(data) - 1), "its last bit", "end", 20),
        "another_writer_fail": invalid(flip(data, key_of_end), "the writer's key is another", "end", 20),
        "signed_for_other_bytes_fail": invalid(later, "an opening added after the signature was made", "end", 20),
        "record_too_long_fail": invalid(
            MAGIC + table + b"\x7f\xff\xff\xff" + bytes(8), "a record of 2 GB", "encoding", 1
        ),
        "record_not_canonical_fail": invalid(finish(MAGIC + table + longer, ann), "a long number", "encoding", 1),
        "record_of_no_kind_fail": invalid(note, "no such record", "encoding", 1),
        "signature_stripped_fail": invalid(stripped, "64 zero bytes for a signature", "signature", 1),
    }


def _with_signature(records: Sequence[AnyRecord], signature: bytes) -> list[AnyRecord]:
    first, step, *_ = records
    assert isinstance(step, StepRecord)
    (payload, _), other = step.contributions
    return [first, StepRecord(1, ((payload, signature), other))]


def _misplaced(whole: Game) -> dict[str, Case]:
    records, ann = whole.records(), whole.identities[0]
    table, first, second, *rest = records
    assert isinstance(first, StepRecord)
    foreign = Game("kids-2/0", settings("kids", 2)).play(until=2).records()[1]
    wrong = OpeningRecord(2, encode_scalar(7))
    over = records[-3]
    assert isinstance(over, StepRecord)
    late = over.contributions[:1]
    made: dict[str, tuple[Sequence[AnyRecord], str, str, int]] = {
        "steps_swapped": ([table, second, first, *rest[:1]], "step 2 before step 1", "order", 1),
        "step_missing": ([table, first, *rest[:1]], "step 2 left out", "order", 2),
        "step_twice": ([table, first, first], "step 1 again", "order", 2),
        "spliced": ([table, foreign], "step 1 of another game", "signature", 1),
        "contribution_missing": (
            [table, StepRecord(1, first.contributions[:1])], "step 1 without seat 2", "order", 1,
        ),
        "open_after_the_end": ([*records[:-2], OpenRecord(20, late)], "nothing is open", "order", 20),
        "certificate_after_the_end": ([*records[:-2], CertificateRecord(20, late)], "nothing is open", "order", 20),
        "contributions_swapped": (
            [table, StepRecord(1, first.contributions[::-1])], "seat 2 before seat 1", "order", 2,
        ),
        "contribution_twice": (
            [table, StepRecord(1, (first.contributions[0], *first.contributions))], "seat 1 twice", "order", 2,
        ),
        "contribution_too_many": (
            [table, StepRecord(1, (*first.contributions, first.contributions[0]))], "a third one of two", "order", 2,
        ),
        "two_tables": ([table, table], "a second table", "order", 1),
        "no_table": ([first], "the first record is a step", "order", 0),
        "open_before_a_step": (
            [table, OpenRecord(1, first.contributions[:1]), first], "an open step is the last one", "order", 1,
        ),
        "wrong_opening": ([*records[:-1], wrong], "not the secret of seat 2", "opening", 20),
        "openings_swapped": ([*records[:-2], records[-1], records[-2]], "seat 2 before seat 1", "opening", 20),
    }  # fmt: skip
    found = {
        f"{name}_fail": invalid(replay(listed, ann), why, failure, step or None)
        for name, (listed, why, failure, step) in made.items()
    }
    early, closed = _stopped(SETUP_STEPS + 1), _closed_hands()
    first_hand, hidden = (OpeningRecord(1, encode_scalar(each.seats[0].release())) for each in (early, closed))
    end = replay([table], ann)[len(MAGIC) + len(frame(table)) :]
    return found | {
        "opening_before_the_end_fail": invalid(early.written(first_hand), "the game is not over", "opening", 3),
        "opening_at_a_closed_table_fail": invalid(
            closed.written(hidden), "the table did not agree to open hands", "opening", len(closed.match.record) + 1
        ),
        "two_ends_fail": invalid(replay([table], ann) + end, "a record after the last", "order", 1),
        "step_after_the_end_fail": invalid(replay([table], ann) + frame(first), "a record after the last", "order", 1),
    }
