"""Small replays, named by their verdicts."""

from collections.abc import Sequence
from typing import Any, Final

import msgpack

from protocol.generator.case import Case
from protocol.generator.contributions import GAME, REPLAY, Maker, put, small_game
from protocol.generator.drops import drop_cases
from protocol.generator.forged import forged_cases
from protocol.generator.games import Game, finish, replay, settings
from protocol.generator.stream import Stream
from protocol.generator.vectors import flip
from protocol.generator.votes import vote_cases
from protocol.generator.wrong_moves import wrong_move_cases
from seqp2p.crypto.group import encode_scalar
from seqp2p.match.contribution import Contribution
from seqp2p.match.seat import SeatKeys
from seqp2p.replay.format import (
    MAGIC,
    AnyRecord,
    CertificateRecord,
    EvidenceRecord,
    OpeningRecord,
    OpenRecord,
    StepRecord,
    TableRecord,
    frame,
    pairs,
)

_unpackb: Any = msgpack.unpackb
_packb: Any = msgpack.packb
# The stopped game, of two steps, is what cases are made of where nothing later in a file matters.
SETUP_STEPS: Final = 2


def cases() -> dict[str, Case]:
    """Return all cases by name, the name of the file without its ending."""
    whole = small_game().play()
    made = {REPLAY: Case(replay(whole.records(), whole.identities[0]), "verified", "a whole game, hands opened")}
    for part in (_good, _unfinished, _cheated, _damaged, _misplaced):
        made |= part(whole)
    return made | forged_cases() | wrong_move_cases() | vote_cases() | drop_cases()


def _stopped(at: int) -> Game:
    return small_game().play(until=at)


def _with(game: Game, *behind: AnyRecord) -> bytes:
    """Return the game's replay with these records before the end."""
    return replay([*game.records(), *behind], game.identities[0])


def _good(whole: Game) -> dict[str, Case]:
    records = whole.records()
    three = Game("kids-3/3", settings("kids", 3), ("random",) * 3).play(until=56)
    assert three.match.kind == "over", "the game of three ends with step 56"
    signed = three.contributions()
    for contribution in signed[:2]:
        three.match.receive(contribution)
    again = Maker(three).changed(signed[1], put("body", "position", value=bytes(32)))
    closed = Game("kids-2/1 closed", settings("kids", 2, open_hands=False), ("random", "random")).play()
    ben = whole.identities[1]
    return {
        "over_signed_by_two_of_three_ok": Case(
            replay(three.records(), three.identities[2]), "verified", "a strict majority has signed the final position"
        ),
        "over_signed_by_a_cheat_fail": Case(
            replay([*three.records(), _evidence(signed[1], again)], three.identities[2]),
            "unfinished",
            "one of the two that have signed the final position has signed another one too",
            "equivocation",
            56,
            2,
        ),
        "closed_hands_ok": Case(replay(closed.records(), closed.identities[0]), "verified", "hands stay closed"),
        "one_opening_ok": Case(
            replay(records[:-1], ben), "verified", "one seat opened its hand; the other one wrote it"
        ),
        "no_opening_ok": Case(replay(records[:-2], ben), "verified", "nobody opened a hand, though the table agreed"),
    }


def _unfinished(whole: Game) -> dict[str, Case]:
    records, ann = whole.records(), whole.identities[0]
    data = replay(records, ann)
    over = records[-3]
    assert isinstance(over, StepRecord)
    one_over = OpenRecord(over.step, over.contributions[:1])
    unsigned = MAGIC + b"".join(map(frame, records))
    stopped = _stopped(8)
    half = _stopped(5)
    half.match.receive(half.contribution(2))
    incomplete = "incomplete"
    return {
        "no_end_fail": Case(unsigned, "unfinished", "the writer's last record is missing", incomplete, 20),
        "cut_in_a_record_fail": Case(data[: len(data) // 2], "unfinished", "cut inside step 4", "torn", 4),
        "cut_by_one_byte_fail": Case(data[:-1], "unfinished", "cut inside the last record", "torn", 20),
        "bytes_behind_the_end_fail": Case(data + b"\0\0", "invalid", "two bytes more", "order", 20),
        "zeros_behind_the_end_fail": Case(
            data + bytes(4), "invalid", "four zeros are a whole record of no bytes, which has no form", "encoding", 20
        ),
        "zeros_for_an_end_fail": Case(unsigned + bytes(8), "invalid", "a record of no bytes", "encoding", 20),
        "three_zeros_for_an_end_fail": Case(
            unsigned + bytes(3), "unfinished", "cut inside the length of a record", "torn", 20
        ),
        "stopped_fail": Case(
            _with(stopped), "unfinished", "the record ends awaiting seat 2", incomplete, 8, awaited=(2,)
        ),
        "stopped_in_a_step_fail": Case(
            _with(half), "unfinished", "step 5 has only seat 2's shares", incomplete, 5, awaited=(1,)
        ),
        "over_signed_by_one_of_two_fail": Case(
            replay([*records[:-3], one_over], ann),
            "unfinished",
            "of two seats both must sign the end",
            incomplete,
            19,
            awaited=(2,),
        ),
    }


def _evidence(*contributions: Contribution) -> EvidenceRecord:
    return EvidenceRecord(pairs(contributions))


def _cheated(whole: Game) -> dict[str, Case]:
    twice, rules = "equivocation", "rules"
    game, at_turn = _stopped(1), _stopped(8)
    maker, turns = Maker(game), Maker(at_turn)
    one, two = game.contributions()
    other = maker.changed(one, put("body", "commitment", value=bytes(32)))
    late = maker.changed(two, put("body", "commitment", value=bytes(32)))
    (move,) = at_turn.contributions()
    corner = turns.changed(move, put("body", "action", value=f"{_card(move)} a1"))
    shuffled = _stopped(3)
    (shuffle,) = shuffled.contributions()
    deck = _unpackb(shuffle.payload)["body"]["deck"]
    swapped = Maker(shuffled).changed(shuffle, put("body", "deck", value=deck[66:132] + deck[:66] + deck[132:]))
    copied, copy = _copied_key()
    step_1 = whole.records()[1]
    assert isinstance(step_1, StepRecord)
    beginning = whole.records()[: SETUP_STEPS + 1]
    return {
        "equivocation_fail": Case(
            _with(game, _evidence(one, other)), "unfinished", "seat 1 signed two commitments", twice, 1, 1
        ),
        "equivocation_in_a_closed_step_fail": Case(
            replay([*beginning, _evidence(two, late)], game.identities[0]), "unfinished",
            "seat 2 signed another commitment than the one on record", twice, 1, 2,
        ),
        "half_an_equivocation_fail": Case(
            replay([*beginning, _evidence(late)], game.identities[0]), "invalid",
            "evidence is all that proves the violation: here both versions", "evidence", 3,
        ),
        "equivocation_turned_round_fail": Case(
            replay([*beginning, _evidence(late, two)], game.identities[0]), "unfinished",
            "two contributions of one place, in either order", twice, 1, 2,
        ),
        "illegal_move_fail": Case(
            _with(at_turn, _evidence(corner)), "unfinished", "seat 2 signed a chip on a free corner", rules, 8, 2
        ),
        "illegal_move_in_the_record_fail": Case(
            _with(at_turn, StepRecord(8, pairs((corner,)))), "invalid", "as a step, not as evidence", rules, 8, 2
        ),
        "wrong_shuffle_fail": Case(
            _with(shuffled, _evidence(swapped)), "unfinished", "seat 1 swapped two cards", "shuffle", 3, 1
        ),
        "copied_key_fail": Case(
            _with(copied, _evidence(copy)), "unfinished", "seat 2 shows the game key of seat 1", "key", 2, 2
        ),
        "copied_key_alone_fail": Case(
            replay([*copied.records()[:-1], _evidence(copy)], copied.identities[0]), "invalid",
            "without the key that it copies it is right", "evidence", 2,
        ),
        "false_evidence_fail": Case(
            _with(at_turn, _evidence(move)), "invalid", "the evidence is a legal move", "evidence", 8
        ),
        "evidence_from_another_past_fail": Case(
            _with(at_turn, _evidence(turns.changed(move, put("prev", value=bytes(32))))), "invalid",
            "a contribution on another past proves nothing", "chain", 8,
        ),
        "evidence_nobody_signed_fail": Case(
            _with(at_turn, _evidence(Contribution(corner.payload, move.signature))), "invalid",
            "the signature is not over these bytes", "signature", 8,
        ),
    }  # fmt: skip


def _card(contribution: Contribution) -> str:
    action: str = _unpackb(contribution.payload)["body"]["action"]
    return action.split(" ", maxsplit=1)[0]


def _copied_key() -> tuple[Game, Contribution]:
    """A table where one person holds both seats and gives them one game key; step 2 with seat 1's part in."""
    game = Game(GAME, settings("kids", 2), ("random", "random"))
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
    beginning = _stopped(SETUP_STEPS + 1)
    agreement = records[0]
    assert isinstance(agreement, TableRecord)
    escaped = TableRecord(agreement.agreement.replace(b"\xa3ann", b"\xa3a\x1bn"))
    encoding, file = "encoding", "file"
    return {
        "empty_fail": Case(b"", "invalid", "no bytes", file),
        "not_a_replay_fail": Case(b"PK\3\4" + bytes(100), "invalid", "another kind of file", file),
        "version_2_fail": Case(b"seqp2p replay 2\n" + data[16:2000], "invalid", "a later version", file),
        "nothing_but_the_magic_fail": Case(MAGIC, "invalid", "the file ends before its table", file),
        "cut_in_the_table_fail": Case(data[:100], "invalid", "cut inside the first record", "torn"),
        "a_name_with_an_escape_fail": Case(replay([escaped], ann), "invalid", "a control character in a name", "table"),
        "bit_flipped_in_a_payload_fail": Case(
            flip(data, in_step_1, 3), "invalid", "one bit of step 1", "signature", 1
        ),
        "bit_flipped_in_the_end_fail": Case(flip(data, len(data) - 1), "invalid", "its last bit", "end", 20),
        "another_writer_fail": Case(
            data[:key_of_end] + flip(data[key_of_end:], 0), "invalid", "the writer's key is another", "end", 20
        ),
        "signed_for_other_bytes_fail": Case(
            unsigned + replay(records[:-1], ann)[-(len(data) - len(unsigned)) :], "invalid",
            "an opening added after the signature was made", "end", 20,
        ),
        "record_too_long_fail": Case(
            MAGIC + table + b"\x7f\xff\xff\xff" + bytes(8), "invalid", "a record of 2 GB", encoding, 1
        ),
        "record_not_canonical_fail": Case(
            finish(MAGIC + table + _longer(frame(beginning.records()[1])), ann), "invalid", "a long number", encoding, 1
        ),
        "record_of_no_kind_fail": Case(
            finish(MAGIC + table + _framed(_packb({"t": "note", "text": "hello"})), ann), "invalid", "no such record",
            encoding, 1,
        ),
        "signature_stripped_fail": Case(
            replay(_with_signature(records, bytes(64)), ann), "invalid", "64 zero bytes for a signature",
            "signature", 1,
        ),
    }  # fmt: skip


def _longer(framed: bytes) -> bytes:
    data = framed[4:].replace(b"\xa4step\x01", b"\xa4step\xcc\x01", 1)
    return _framed(data)


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _with_signature(records: Sequence[AnyRecord], signature: bytes) -> list[AnyRecord]:
    first, step, *_ = records
    assert isinstance(step, StepRecord)
    (payload, _), other = step.contributions
    return [first, StepRecord(1, ((payload, signature), other))]


def _misplaced(whole: Game) -> dict[str, Case]:
    ann = whole.identities[0]
    records = whole.records()
    table, first, second, *rest = records
    assert isinstance(first, StepRecord)
    foreign = Game("kids-2/0", settings("kids", 2), ("random", "random")).play(until=2).records()[1]
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
        f"{name}_fail": Case(replay(listed, ann), "invalid", why, failure, step or None)
        for name, (listed, why, failure, step) in made.items()
    }
    early = _stopped(SETUP_STEPS + 1)
    found["opening_before_the_end_fail"] = Case(
        _with(early, OpeningRecord(1, encode_scalar(early.seats[0].release()))), "invalid", "the game is not over",
        "opening", 3,
    )  # fmt: skip
    closed = Game("kids-2/1 closed", settings("kids", 2, open_hands=False), ("random", "random")).play()
    found["opening_at_a_closed_table_fail"] = Case(
        _with(closed, OpeningRecord(1, encode_scalar(closed.seats[0].release()))), "invalid",
        "the table did not agree to open hands", "opening", len(closed.match.record) + 1,
    )  # fmt: skip
    end = replay([table], ann)[len(MAGIC) + len(frame(table)) :]
    found["two_ends_fail"] = Case(replay([table], ann) + end, "invalid", "a record after the last", "order", 1)
    found["step_after_the_end_fail"] = Case(
        replay([table], ann) + frame(first), "invalid", "a record after the last", "order", 1
    )
    return found
