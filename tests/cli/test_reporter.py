"""The events of a game and of its port, as told to scripts, to people in sentences, and on a screen."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

from seqp2p.api.port_mapping import PortEvent
from seqp2p.cli.lobby import WaysIn
from seqp2p.cli.output import Output, printable
from seqp2p.cli.reporter import TABLE_FULL, PortTeller, Reporter
from seqp2p.live.absence import Absent, Back
from seqp2p.live.recorder import TableEvent
from seqp2p.live.voting import AskAbout
from seqp2p.lobby.events import CodeShown
from seqp2p.match.errors import Violation
from seqp2p.match.events import (
    Dealt,
    Dropped,
    Event,
    Redealt,
    Remarked,
    Result,
    Shuffled,
    Skipped,
    Turned,
    Undone,
    Voted,
)
from seqp2p.match.machine import Match
from seqp2p.net.addresses import Address
from seqp2p.rules import PASS, Action, Card, Variant, exchange, parse_action, view
from seqp2p.ui.cards import action_shown, card_shown
from seqp2p.ui.plain import board_lines
from seqp2p.ui.scene import Page, Scene
from seqp2p.ui.styles import UNICODE
from seqp2p.ui.words import Sight, settings_lines
from tests.cli import documented
from tests.cli.conftest import options_of, teller_of
from tests.table import Played, make_settings, match_at, played
from tests.ui.kept import Talk, talks


def in_trouble() -> Match:
    """A match of three, where seat 2 is a proved cheat and seat 3 has left."""
    game = played(3, "kids", 4)
    match = match_at(game, 12)
    match.proven[2] = Violation(2, 9, "seat 2 does not hold QH", ())
    match.left[3] = game.contribution(9, min(seat for seat, _ in game.steps[8].contributions))
    return match


def two_left() -> Match:
    match = Match(played(3, "kids", 4).agreement)
    match.game.gone = (3,)
    return match


PLACES: dict[str, Callable[[], Match]] = {
    "seat 1 of three": lambda: Match(played(3, "kids", 4).agreement),
    "seat 1 of three, where two are left": two_left,
    "seat 1 of three, where seat 2 has cheated and seat 3 has left": in_trouble,
}
HAPPENS: dict[str, TableEvent] = {
    "you cannot be reached": Absent(1, 120),
    "seat 2 cannot be reached": Absent(2, 120),
    "seat 2 is back": Back(2),
    "you vote to drop seats 2 and 3": Voted(1, 1, "drop", (2, 3), "cheated"),
    "seat 2 votes to drop seats 2 and 3": Voted(2, 1, "drop", (2, 3), "cheated"),
    "seat 3 votes to drop seat 2": Voted(3, 1, "drop", (2,), "gone"),
    "seat 3 votes so again, in the next round": Voted(3, 2, "drop", (2,), "gone"),
    "the turn of seat 2 is skipped": Skipped(2),
    "seat 2 is dropped": Dropped((2,)),
    "the hands are dealt anew": Redealt(),
    "step 56 is undone": Undone(56),
    "you shuffle the discards": Shuffled(1, 1, 1, 3),
    "seat 2 shuffles the discards": Shuffled(2, 2, 1, 3),
    "seat 3 shuffles the discards": Shuffled(3, 3, 1, 3),
    "seat 3 shuffles, as one of two": Shuffled(3, 2, 2, 2),
    "you say hi": Remarked(1, 1, "hi", courtesy=False),
    "seat 2 says what moves a cursor": Remarked(2, 1, "well \x1b played", courtesy=False),
}


@talks(__file__, "reporter_talks.txt")
async def test_talk(talk: Talk, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock) -> None:
    """What scripts and people are told of each event; a line in brackets is no part of the story of the game."""
    reporter, heard = Reporter(Output(json=True), PLACES[talk.place](), own=1), list[TableEvent]()
    objects: list[str] = []
    reporter.follow(heard.append)

    def answer(line: str) -> list[str]:
        event = HAPPENS[line[2:]]
        reporter.story.lines.clear()
        reporter.on_event(event)
        assert heard.pop() == event
        out, err = capsys.readouterr()
        objects.extend(out.splitlines())
        story = [printable(told) for told in reporter.story.lines]
        lines = err.splitlines()
        assert [told for told in lines if told in story] == story
        return [*out.splitlines(), *(told if told in story else f"({told})" for told in lines)]

    talk.check(map(answer, talk.lines))
    documented.stream("\n".join(objects))


async def test_who_comes_back_is_told_what_had_happened(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(Output(json=True), in_trouble(), own=1)
    variant = reporter.match.game.variant
    first, second = parse_action(variant, "cat d1"), parse_action(variant, "dragon xd1")
    turns = [Turned(turn, 2, first) for turn in range(1, 10)]
    later: list[Event] = [Remarked(2, 1, "hello", courtesy=True), Skipped(3), Dropped((3,)), Redealt()]
    reporter.resumed(1, 40, [Shuffled(1, 1, 0, 2), *turns, Turned(10, 1, second), *later, Turned(11, 2, PASS)])
    told_lines = [
        " 10. you  dragon xd1",
        "player 2: hello",
        "player 3's turn is skipped",
        "player 3 is out of the game",
        "the cards that are left are dealt again",
        " 11. player 2  pass",
    ]
    assert reporter.story.last == second
    assert list(reporter.story.lines)[9:15] == told_lines
    lines = capsys.readouterr().err.splitlines()
    lines = lines[len(lines) - 11 :]  # Before them, who sits where.
    assert lines[:4] == [f"{turn:>3}. player 2  cat d1" for turn in range(6, 10)]
    assert lines[4:10] == told_lines
    assert lines[-1] == "you have come back to the game"


PORT, OWN = Address("9.46.10.1", 4610), Address("192.168.1.5", 4610)
CODE = "7-amber-falcon"


class FakeScreen:
    """A screen that keeps its lines, with their kinds and colours."""

    def __init__(self) -> None:
        self.remains: list[str] = []
        self.said: list[tuple[str, ...]] = []
        self.amended: list[tuple[str, str]] = []
        self.close_questions = lambda: None
        self.board: object = None

    def show(self, scene: Scene) -> None:
        self._scene = scene
        self.refresh()

    def refresh(self) -> None:
        """Paint, and keep the text of the whole picture."""
        self.text = "\n".join(self._scene.painter(Page((), UNICODE))(120, 40).lines)

    @property
    def output(self) -> Output:
        return Output(json=False, screen=cast(Any, self))

    def say(self, *line: str) -> None:
        self.said.append(line)

    def amend(self, before: str, line: str) -> None:
        self.amended.append((before, line))

    def card(self, variant: Variant, card: Card) -> str:
        return f"<{card_shown(variant, card)}>"

    def action(self, variant: Variant, action: Action) -> str:
        return f"<{action_shown(variant, action)}>"


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (PortEvent("open", PORT, 60.0), "the port 9.46.10.1:4610 is open to the internet until "),
        (PortEvent("not_open", reason="the router refuses"), "no port is open to the internet: the router refuses"),
        (PortEvent("lost", PORT, 60.0, "no"), "the port 9.46.10.1:4610 was not renewed: no; it closes at "),
        (PortEvent("closed", PORT, 60.0), "the port 9.46.10.1:4610 is closed"),
        (PortEvent("left", PORT, 60.0, "no"), "the port 9.46.10.1:4610 could not be closed: no; it closes by itself"),
    ],
)
def test_each_event_is_a_sentence_and_an_object(
    capsys: pytest.CaptureFixture[str], event: PortEvent, sentence: str
) -> None:
    PortTeller(Output(json=False)).on_event(event)
    PortTeller(Output(json=True)).on_event(event)
    out, err = capsys.readouterr()
    line, told = out.splitlines()
    assert line.startswith(sentence)
    assert err.splitlines() == [line]
    port = {"state": event.state, "until": event.until, "reason": event.reason}
    address = None if event.address is None else str(event.address)
    assert documented.stream(told) == [{"event": "port", "address": address} | port]


def test_a_screen_that_opens_later_has_the_sentence_too(capsys: pytest.CaptureFixture[str]) -> None:
    screen = FakeScreen()
    teller = PortTeller(Output(json=False))
    assert teller.asking(wanted=False) is None
    on_event = teller.asking(wanted=True)
    assert on_event is not None
    on_event(PortEvent("open", PORT, 60.0))
    with teller.telling(screen.output):
        on_event(PortEvent("lost", PORT, 60.0, "the router refuses"))
    on_event(PortEvent("closed", PORT))
    assert [line.split()[3] for line, *_ in screen.said] == ["is", "was"]
    assert len(capsys.readouterr().out.splitlines()) == 3
    with teller.telling(Output(json=False)):  # no screen: the line is still there
        assert capsys.readouterr().out == ""
    # The end remains when the screen is gone.
    screen = FakeScreen()
    PortTeller(screen.output).on_event(PortEvent("closed", PORT))
    assert screen.remains == [line for line, *_ in screen.said] == ["the port 9.46.10.1:4610 is closed"]


def test_others_are_told_the_port_and_the_address() -> None:
    found, near, far = WaysIn(OWN, PORT).lines(CODE, full=False)
    assert found == "others join with:  seqp2p join 7-amber-falcon"
    assert near == "if that finds nothing:  seqp2p join 192.168.1.5:4610 --code 7-amber-falcon"
    assert far == "from the internet: seqp2p join 9.46.10.1:4610 --code 7-amber-falcon"
    assert WaysIn(OWN, PORT).lines(CODE, full=True) == [
        "others watch with:  seqp2p watch 9.46.10.1:4610 --code 7-amber-falcon"
    ]


async def test_the_line_to_copy_has_the_port(capsys: pytest.CaptureFixture[str]) -> None:
    for mapped, address in ((PORT, PORT), (None, OWN)):
        teller = teller_of(options_of(None, json=False), WaysIn(OWN, mapped))
        teller.on_event(CodeShown(CODE))
        assert teller.desk.invitation == f"seqp2p join {address} --code {CODE}"
    assert capsys.readouterr().out.count("from the internet: ") == 1


async def tell_all(game: Played, output: Output, own: int = 0) -> None:
    """Let a reporter hear a whole game."""
    reporter = Reporter(output, game.match, own)
    reporter.seats()
    for event in game.events:
        reporter.on_event(event)
        await trio.sleep(0.25)
    assert game.match.game.result is not None
    reporter.over(game.match.game.result, 2, Path("/replays/game.seqp2p"))


async def test_every_event_of_a_long_game_is_told_as_documented(
    long_game: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(long_game, Output(json=True))
    said = capsys.readouterr()
    events = documented.stream(said.out)
    assert {event["event"] for event in events} == {"seated", "dealer", "shuffle", "dealt", "turn", "exchange", "over"}
    # The deck is used up once: every seat shuffles again.
    shuffles = [(event["reshuffle"], event["seat"]) for event in events if event["event"] == "shuffle"]
    assert shuffles == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert {event["seconds"] for event in events if event["event"] == "shuffle"} == {0.25}
    turns = [event["turn"] for event in events if event["event"] == "turn"]
    assert turns == list(range(1, len(turns) + 1))
    # An exchange belongs to the turn that is still to come.
    for event, following in pairwise(events):
        if event["event"] == "exchange":
            assert following["turn"] == event["turn"]
            assert following["seat"] == event["seat"]
    assert events[-1]["replay"] == "/replays/game.seqp2p"


async def test_people_are_told_the_same(
    duel: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(duel, Output(json=False))
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == TABLE_FULL
    assert lines[1].startswith("seat 1: player 1  blue  ")
    assert lines[3:7] == settings_lines(make_settings(2))
    assert any(line.startswith("turned over: player 1 ") for line in lines)
    assert any(re.fullmatch(r"player \d deals", line) for line in lines)
    assert "player 2 has shuffled, the proof is checked (2/2)" in lines
    assert "the cards are dealt" in lines
    assert any(line.startswith("  1. player ") for line in lines)
    assert any(" has completed a sequence: 2 of 2" in line for line in lines)
    assert lines[-2].endswith(" won")
    assert lines[-1] == "replay: /replays/game.seqp2p"


async def test_a_player_is_spoken_to(
    duel: Played, capsys: pytest.CaptureFixture[str], autojump_clock: trio.testing.MockClock
) -> None:
    await tell_all(duel, Output(json=False), own=2)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("seat 2: player 2 (you)  green  ")
    assert "you have shuffled, the proof is checked (2/2)" in lines
    assert {"you deal", "player 1 deals"} & {*lines}
    assert any(re.match(r" +\d+\. you  ", line) for line in lines)
    assert not any("player 2" in line for line in lines[3:-2])
    assert lines[-2].startswith(("you won", "you lost: player 1 won"))


async def test_a_seat_taken_again_counts_from_the_position(duel: Played, capsys: pytest.CaptureFixture[str]) -> None:
    # At the end: all sequences have been made before, and none is told again.
    reporter = Reporter(Output(json=False), duel.match, own=1)
    reporter.resumed(1, duel.match.number, duel.events)
    told = capsys.readouterr().out.splitlines()
    # What happened last stands last.
    assert told[0] == TABLE_FULL
    assert told[-1] == "you have come back to the game"
    assert told[-2] == list(reporter.story.lines)[-2]
    reporter.on_event(next(event for event in reversed(duel.events) if isinstance(event, Turned)))
    assert "sequence" not in capsys.readouterr().out


async def test_a_resumed_seat_and_exchanges_on_the_screen(duel: Played) -> None:
    screen = FakeScreen()
    reporter = Reporter(screen.output, duel.match, own=1)
    turned = [event for event in duel.events if isinstance(event, Turned)]
    reporter.resumed(1, duel.match.number, turned)
    colours = duel.match.game.agreement.settings.colours
    assert [colour for _, _, colour in screen.said[-4:-1]] == [colours[event.seat - 1] for event in turned[-3:]]
    for card in (3, 4):
        reporter.on_event(Turned(turned[-1].turn + 1, 2, exchange(card)))
    ((before, line),) = screen.amended
    assert before == screen.said[-1][0]
    assert re.search(r"  <\w+> and <\w+ dead>$", line)
    for event in [each for each in duel.events if isinstance(each, Shuffled | Dealt)][:3]:
        reporter.on_event(event)
    assert [kind for _, kind, _ in screen.said[-4:]] == ["log"] * 4  # The deal is one line, in the whole log too.


async def test_the_last_board_stays_when_the_screen_is_gone(duel: Played) -> None:
    screen = FakeScreen()
    reporter = Reporter(screen.output, duel.match)
    assert duel.match.game.result is not None
    reporter.over(duel.match.game.result, None, Path("game.seqp2p"))
    blank, *board, outcome, replay = screen.remains
    assert (blank, replay) == ("", "replay: game.seqp2p")
    assert board == board_lines(view(duel.match.game.table_position(), 0), duel.match.game.agreement.settings.colours)
    assert outcome.endswith(" won")
    assert [line for line, *_ in screen.said] == [outcome, replay]


async def test_the_table_on_the_screen_follows_the_events() -> None:
    screen, game = FakeScreen(), played(3, "kids", 4)
    reporter = Reporter(screen.output, match_at(game, game.step_of("shuffle")), own=1)
    reporter.show(Sight(lambda: None, lambda: None))
    for event in (Absent(2, 120), AskAbout((2,)), Back(2), Absent(2, 120), Dropped((2,)), Redealt()):
        reporter.on_event(event)
        assert ("away 1:59" in screen.text) == isinstance(event, Absent | AskAbout)
        assert "you shuffle… proof checked 0/3" in screen.text
    reporter.over(Result("unfinished", (), "stopped"), 1, Path("game.seqp2p"))
    assert "ended without a winner: stopped" in screen.text


async def test_a_game_that_ends_before_the_deal_has_no_board(brief: Played, capsys: pytest.CaptureFixture[str]) -> None:
    reporter = Reporter(Output(json=False), Match(brief.agreement))
    for seat, said in ((1, "ended without a winner"), (None, "you no longer see the game")):
        reporter.over(Result("unfinished", (), "seat 2 (player 2) left the table"), seat, Path("game.seqp2p"))
        assert capsys.readouterr().out == f"{said}: player 2 left the table\nreplay: game.seqp2p\n"


async def test_a_link_by_a_relay_alone_is_told_once(brief: Played) -> None:
    screen = FakeScreen()
    ways: dict[int, int | str] = {2: "relay.example.org:4001", 3: "", 4: 3}
    reporter = Reporter(screen.output, Match(brief.agreement), 1, lambda: ways)
    for _ in range(2):
        reporter.on_event(Redealt())
    told = "the relay relay.example.org:4001 links you with player 2: it sees no card, and can cut you off"
    assert [line for line in screen.said if "relay" in line[0]] == [(told, "detail", "")]
