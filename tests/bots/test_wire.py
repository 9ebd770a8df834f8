"""Messages to bots, and their answers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots import wire
from seqp2p.match.events import (
    Dealt,
    Drawn,
    Dropped,
    Event,
    Finished,
    Redealt,
    Remarked,
    Result,
    Shuffled,
    Skipped,
    Turned,
    Undone,
    Voted,
)
from seqp2p.rules import CLASSIC, KIDS, PASS, Options, call, exchange, place
from tests.cli import documented
from tests.rules.playing import OPTION_TABLES, Table


def plain(line: bytes) -> dict[str, Any]:
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return dict(json.loads(line))


@pytest.mark.parametrize("table", OPTION_TABLES, ids=str)
def test_every_legal_action_can_be_read_back(table: Table) -> None:
    seen, board = table.seen(1), table.variant.board
    message = plain(wire.line_of(wire.asked(1, seen, (), 30)))
    assert [wire.read_action(seen, text) for text in message["legal"]] == list(seen.legal)
    assert len(message["chips"]) == board.rows
    assert sum(map(len, message["chips"])) == len(board.grid)


@given(st.integers(0, 10_000), st.sampled_from([Table(CLASSIC, 2, 2), Table(CLASSIC, 4, 2), Table(KIDS, 3, 3)]))
def test_nobody_is_told_of_another_hand(seed: int, table: Table) -> None:
    seen = table.seen(seed)
    message, faces = plain(wire.line_of(wire.asked(1, seen, (), 30))), seen.variant.faces
    assert message["hand"] == [faces[card] for card in seen.hand]
    # Cards stand nowhere else but in what can be done with the own hand.
    rest = json.dumps({name: value for name, value in message.items() if name not in ("hand", "discards", "legal")})
    assert not any(f'"{face}"' in rest for face in faces)


def test_a_table_is_told_with_all_that_it_takes() -> None:
    table = wire.hello(2, CLASSIC, 2, Options(advanced=True), ["ann", "bob"], game=b"\xab" * 32, turn_time_s=60)
    message = plain(wire.line_of(table))
    assert message["type"] == "hello"
    assert message["protocol"] == 1
    assert message["game"] == "ab" * 32
    assert (message["seat"], message["team"], message["players"], message["teams"]) == (2, 2, 2, 2)
    assert message["options"] == {"advanced": True, "table_talk": True, "manual_draw": False}
    assert message["board"][0][0] == "*"
    assert message["board"][1][1] in message["deck"]
    assert (len(message["board"]), len(message["board"][0]), len(message["deck"])) == (10, 10, 104)
    assert (message["wild"], message["removing"]) == (["JC", "JD"], ["JH", "JS"])
    assert (message["line_length"], message["sequences_to_win"], message["hand_size"]) == (5, 2, 7)


TOLD: list[tuple[Event, str]] = [
    (Turned(3, 1, PASS), "turn"),
    (Turned(3, 1, place(0, 11)), "turn"),
    (Turned(3, 1, exchange(0)), "exchange"),
    (Turned(3, 1, call(2)), "call"),
    (Remarked(1, 1, "well played", courtesy=True), "remark"),
    (Voted(1, 2, "drop", (3,), "gone"), "vote"),
    (Skipped(2), "skipped"),
    (Dropped((2, 3)), "dropped"),
    (Redealt(), "redeal"),
    (Undone(7), "undone"),
]


@pytest.mark.parametrize(("event", "name"), TOLD)
def test_what_happens_is_told_as_scripts_are_told(event: Event, name: str) -> None:
    told = wire.happening(CLASSIC, event)
    assert told is not None
    message = plain(wire.line_of(told))
    assert message.pop("type") == "event"
    assert message["event"] == name
    assert message.keys() == documented.fields()["turn" if name == "call" else name]


@pytest.mark.parametrize("event", [Dealt(), Drawn(1), Shuffled(1, 1, 0, 2), Finished(Result("drawn"))])
def test_some_things_are_not_told(event: Event) -> None:
    assert wire.happening(CLASSIC, event) is None


ENDS: list[tuple[Result, tuple[object, ...]]] = [
    (Result("won", (1, 3)), ("won", [1, 3], [], None)),
    (Result("drawn"), ("drawn", [], [], None)),
    (Result("forfeit", (2,), "seat 1 left"), ("unfinished", [], [2], "seat 1 left")),
    (Result("unfinished", (), "away"), ("unfinished", [], [], "away")),
]


@pytest.mark.parametrize(("result", "told"), ENDS)
def test_how_a_game_ended(result: Result, told: tuple[object, ...]) -> None:
    message = plain(wire.line_of(wire.over(result)))
    assert (message["result"], message["winners"], message["forfeit"], message["reason"]) == told


def test_the_short_lines() -> None:
    assert plain(wire.line_of(wire.Error(3, "no"))) == {"type": "error", "id": 3, "reason": "no"}
    assert plain(wire.line_of(wire.Void(3))) == {"type": "void", "id": 3}


def test_a_choice() -> None:
    assert wire.read_choice(b'{"type": "choice", "id": 7, "action": "QH e5"}') == wire.BotChoice("choice", 7, "QH e5")
    assert wire.read_choice(b' {"action":"pass","id":1,"type":"choice"}\r') == wire.BotChoice("choice", 1, "pass")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"", "truncated"),
        (b"QH e5", "malformed"),
        (b"[]", "Expected `object`, got `array`"),
        (b'{"id": 1, "action": "pass"}', "missing required field `type`"),
        (b'{"type": "move", "id": 1, "action": "pass"}', "Invalid enum value 'move'"),
        (b'{"type": "choice", "action": "pass"}', "missing required field `id`"),
        (b'{"type": "choice", "id": 1}', "missing required field `action`"),
        (b'{"type": "choice", "id": "1", "action": "pass"}', "Expected `int`, got `str`"),
        (b'{"type": "choice", "id": 1.5, "action": "pass"}', "Expected `int`, got `float`"),
        (b'{"type": "choice", "id": true, "action": "pass"}', "Expected `int`, got `bool`"),
        (b'{"type": "choice", "id": 0, "action": "pass"}', "Expected `int` >= 1"),
        (b'{"type": "choice", "id": 1, "action": null}', "Expected `str`, got `null`"),
        (b'{"type": "choice", "id": 1, "action": "pass", "why": 1}', "unknown field `why`"),
        (b'{"type": "choice", "id": 1, "action": "pass"} x', "trailing characters"),
        (b'{"type": "choice", "id": 1, "action": "' + b"x" * 101 + b'"}', "length <= 100"),
        (b'{"type": "choice", "id": 1, "action": "\xff"}', "utf"),
        (b"[" * 4000, "got `array`"),
        (b'{"type": "choice", "id": 1, "action": ' + b"[" * 3000, "got `array`"),
        (b'{"type": "choice", "id": 1, "x": ' + b"[" * 3000, "unknown field `x`"),
    ],
)
def test_what_is_no_choice_is_told_why(line: bytes, fault: str) -> None:
    with pytest.raises(wire.WireError) as raised:
        wire.read_choice(line)
    assert fault.lower() in str(raised.value).lower()
    assert '{"type": "choice", "id": 1, "action": "QH e5"}' in str(raised.value)


def test_an_action_that_is_not_possible_is_told_why() -> None:
    seen = Table(KIDS, 2, 2).seen(5)
    for text, reason in (
        ("cat", "not an action"),
        ("cat z9", "not a square"),
        ("pass", "cannot pass"),
        ("draw", "draw"),
    ):
        with pytest.raises(wire.WireError, match=reason):
            wire.read_action(seen, text)
    # Whether somebody has said something is not in the view.
    assert wire.read_action(seen, "call 2") == call(2)
