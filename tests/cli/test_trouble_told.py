"""What a table tells of seats that are away, leave or cheat: to scripts as events, to people in whole sentences."""

import pytest

from seqp2p.cli.output import Output
from seqp2p.cli.reporter import Reporter
from seqp2p.live.absence import Absent
from seqp2p.match.errors import Violation
from seqp2p.match.events import (
    Dropped,
    Event,
    Redealt,
    Remarked,
    Shuffled,
    Skipped,
    Turned,
    Voted,
)
from seqp2p.rules import parse_action
from tests.cli import documented
from tests.table import Played, match_at


async def told(game: Played, *events: Absent | Event, own: int = 1) -> Reporter:
    """A reporter at a table at which seat 2 is proved a cheat and seat 3 has left, after these events."""
    match = match_at(game, 12)
    match.proven[2] = Violation(2, 9, "seat 2 does not hold QH", ())
    match.left[3] = game.contribution(9, min(seat for seat, _ in game.steps[8].contributions))
    reporter = Reporter(Output(json=True), match, own)
    for event in events:
        reporter.on_event(event)
    return reporter


async def test_cheating_is_told_once_with_what_was_proved(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    votes = [Voted(seat, 1, "drop", (2, 3), "cheated") for seat in (1, 2)]
    reporter = await told(trio, *votes)
    said = capsys.readouterr()
    events = documented.stream(said.out)
    assert [event["event"] for event in events] == ["proved", "vote", "vote"]
    assert events[0] == {"event": "proved", "seat": 2, "step": 9, "reason": "seat 2 does not hold QH"}
    for event in events:
        assert event.keys() == documented.fields()[event["event"]]
    lines = said.err.splitlines()
    assert lines == list(reporter.story.lines)
    assert lines[:4] == [
        "player 2 is proved to have cheated at step 9: seat 2 does not hold QH",
        "everybody at the table has the proof and has checked it; it is in the replay too",
        "player 3 has left the table",
        "you vote to go on without player 2 and player 3",
    ]
    assert lines[4].startswith("that is a vote: ")
    assert lines[5:] == ["player 2 votes to go on without player 2 and player 3"]


async def test_an_absence_is_explained_once(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    await told(trio, Absent(2, 120), Absent(3, 120), Absent(2, 120))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "player 2 cannot be reached; waiting up to 2:00"
    assert lines[1].startswith("player 2 can come back with seqp2p resume")
    assert len(lines) == 4


async def test_who_is_away_itself_needs_no_explanation(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    await told(trio, Absent(1, 120))
    assert capsys.readouterr().err.splitlines() == ["you cannot be reached; waiting up to 2:00"]


async def test_why_seats_shuffle_in_the_middle_of_a_game(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = await told(trio, *(Shuffled(seat, seat, 1) for seat in (1, 2, 3)))
    assert list(reporter.story.lines) == ["the pile is used up: all discards are shuffled, and are the pile"]
    lines = capsys.readouterr().err.splitlines()
    assert lines[1:] == [
        "you have shuffled, the proof is checked (1/3)",
        "seat 2 (player 2) has shuffled, the proof is checked (2/3)",
        "seat 3 (player 3) has shuffled, the proof is checked (3/3)",
    ]


async def test_who_comes_back_is_told_what_had_happened(trio: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = await told(trio)
    variant = reporter.match.game.variant
    first, second = parse_action(variant, "cat d1"), parse_action(variant, "dragon xd1")
    reporter.resumed(
        1,
        40,
        [
            Shuffled(1, 1, 0),
            *(Turned(turn, 2, first) for turn in range(1, 10)),
            Turned(10, 1, second),
            Remarked(2, 1, "hello", courtesy=True),
            Skipped(3),
            Dropped((3,)),
            Redealt(),
            Turned(11, 2, parse_action(variant, "pass")),
        ],
    )
    told_lines = [
        " 10. you: dragon xd1",
        "seat 2 (player 2) says: hello",
        "the turn of player 3 is passed over",
        "player 3 is out of the game",
        "the cards that are left are dealt anew",
        " 11. seat 2 (player 2): pass",
    ]
    assert reporter.story.last == second
    assert list(reporter.story.lines)[9:15] == told_lines
    lines = capsys.readouterr().err.splitlines()
    lines = lines[len(lines) - 11 :]  # Before them, who sits where.
    assert lines[:4] == [f"{turn:>3}. seat 2 (player 2): cat d1" for turn in range(6, 10)]
    assert lines[4:10] == told_lines
    assert lines[-1] == "you have come back to the game"
