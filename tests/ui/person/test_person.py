"""A person at typed lines. ``talks.txt`` has the lines and the answers, claim by claim."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import trio
import trio.testing

from seqp2p.match.events import Dealt, Drawn, Dropped, Redealt, Remarked, Turned, Undone
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARKS_MAX
from seqp2p.match.seat import SeatKeys
from seqp2p.match.table import encode_agreement
from seqp2p.rules import (
    CLASSIC,
    DRAW,
    END,
    PASS,
    WAIVE,
    Action,
    CompletedSequence,
    View,
    exchange,
    format_action,
    give,
    parse_action,
    parse_square,
)
from seqp2p.ui.choice import in_own_turn
from seqp2p.ui.person.console import Console, lobby_answers, wait_in_lobby
from seqp2p.ui.person.person import CHOSEN, PASS_AFTER_S, Hints, Person
from seqp2p.ui.person.seat_info import SeatInfo
from seqp2p.ui.plain import hand_line
from seqp2p.ui.question import Question
from seqp2p.ui.words import Story
from tests.table import Played, make_agreement, make_seats, match_at, named, played, shared_match_at
from tests.ui.kept import Talk, talks

pytestmark = pytest.mark.usefixtures("autojump_clock")

PATIENCE_S = {"draw": 10.0, "late": 30.0}
ASKED = "you are asked"


class Seat:
    """A person's seat in a game that others have played: its typed lines, the shown lines, and the effects."""

    def __init__(
        self,
        match: Match,
        own: SeatKeys,
        *,
        terminal: bool = False,
        screen: bool = False,
        auto_pass: bool = False,
        hints: Hints | None = None,
        alone: bool = False,
    ) -> None:
        self.typed: list[str | None] = []
        self.shown: list[str] = []
        self.done: list[str] = []
        self.asked: dict[str, Question | None] = {}
        self.seen: View | None = None  # what it is asked about, if not the game as it lies
        self.story = Story()
        self.words: Sequence[str] | None = ("amber", "falcon")
        self.match, self.own = match, own
        ring = lambda _: self.done.append("(rings)")  # noqa: E731
        desk = Console(self._read, self.shown.append, ring, terminal, shows_table=screen, ask=self._asks)
        sight = SeatInfo(match, own, self.story, lambda _: self.words)
        self.person = Person(desk, sight, PATIENCE_S, auto_pass=auto_pass, hints=hints, alone=alone)

    def _asks(self, about: str, question: Question | None) -> None:
        self.asked[about] = question
        if question is not None:
            self.shown.append(question.at(trio.current_time()).spoken())

    async def _read(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.typed.pop(0) if self.typed else await trio.sleep_forever()

    async def _does(self, *what: object) -> None:
        await trio.lowlevel.checkpoint()
        self.done.append(f"({' '.join(map(str, what))})")

    async def listen(self) -> None:
        await self.person.listen(
            lambda text: self._does("says:", text),
            lambda reason: self._does("leaves:", reason),
            lambda: self._does("stops"),
            lambda seat: self._does("goes on without", seat) if seat else self._does("waits"),
        )

    @property
    def view(self) -> View:
        return self.own.view(self.match)

    async def type(self, *lines: str | None) -> list[str]:
        """Type while nothing is asked; return the answer."""
        self.typed.extend(lines)
        self.shown.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.listen)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return self.shown

    async def choose(self, *lines: str | None, refused: str | None = None) -> Action | None:
        """Type while something is asked; return the action, None if there is none."""
        self.typed.extend(lines)
        self.shown.clear()
        chosen: list[Action] = []

        async def ask() -> None:
            chosen.append(await self.person.choose(self.seen or self.view, refused))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(self.listen)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return chosen[0] if chosen else None

    async def answer(self, line: str) -> list[str]:
        """Return what a line of a talk shows and does."""
        self.shown.clear()
        self.done.clear()
        text, action = line[2:], None
        typed = None if text == "(the end of the input)" else text
        if text == ASKED or text in TURNS:
            self.seen = self.view if text == ASKED else TURNS[text](in_own_turn(self.view, self.own.number))
            action = await self.choose()
        elif text in HAPPENS:
            HAPPENS[text](self)
        elif self.seen or (self.match.kind in CHOSEN and self.own.owes(self.match)):
            action = await self.choose(typed, refused="")
            del self.shown[0]
        else:
            await self.type(typed)
        if action is not None:
            await self._does("plays", format_action(self.view.variant, action))
        if (prepared := self.person.pending) is not None:
            await self._does("prepared:", format_action(self.view.variant, prepared))
        return [*self.shown, *self.done]


def turn_of(game: Played, seat: int) -> int:
    """A step at which this seat is to play."""
    steps = [shared_match_at(game, step) for step in range(10, 40)]
    return next(match.number for match in steps if match.kind == "turn" and match.awaited == {seat})


def seat_at(game: Played, step: int, number: int = 1, *, alone: bool = False) -> Seat:
    return Seat(match_at(game, step), game.seat(number), alone=alone)


def in_turn(seat: int, *, terminal: bool = False, screen: bool = False, auto_pass: bool = False) -> Seat:
    """The first seat of two, in the turn of this one."""
    game = played(2)
    at = match_at(game, turn_of(game, seat))
    return Seat(at, game.seat(1), terminal=terminal, screen=screen, auto_pass=auto_pass)


def listening() -> Seat:
    """The first seat in its own turn: it is resumed, and has not heard yet what it had signed."""
    seat = in_turn(1)
    seat.own.waits_to_sign = True
    return seat


def callable_game() -> Played:
    return played(4, "classic", 2, table_talk=False)


def manual(phase: str, number: int) -> Seat:
    """A seat of a game with manual draw, in which the first one is in this phase."""
    game = played(2, "classic", 5, manual_draw=True)
    for step in range(5, len(game.steps)):
        match = shared_match_at(game, step)
        if match.kind in ("turn", "late") and match.game.table_position().phase == phase and match.awaited == {1}:
            return seat_at(game, step, number)
    raise AssertionError("no such step")


def called(number: int) -> Seat:
    """A seat of a game in which the talk of seat 2 was called."""
    game = callable_game()
    match = match_at(game, turn_of(game, 1))
    match.receive_remark(*game.seat(2).say(match, "now"))
    (remark,) = match.remarks.after((0,) * 4)
    match.receive(game.seat(1).call(match, remark))
    return Seat(match, game.seat(number))


def with_hints(seat: int) -> Seat:
    game = played(2)
    match = match_at(game, turn_of(game, seat))
    return Seat(match, game.seat(1), hints=lambda seen: (f"hint: one of {len(seen.legal)}", seen.legal[0]))


def talked_out() -> Seat:
    game = played(2, "kids", 3)
    match = match_at(game, 6)
    for number in range(REMARKS_MAX):
        match.receive_remark(*game.seat(1).say(match, f"remark {number}"))
    return Seat(match, game.seat(1))


PLACES: dict[str, Callable[[], Seat]] = {
    "your turn": lambda: in_turn(1),
    "your turn, while you may not sign": listening,
    "another's turn": lambda: in_turn(2),
    "another's turn, at a terminal": lambda: in_turn(2, terminal=True),
    "another's turn, on a screen": lambda: in_turn(2, terminal=True, screen=True),
    "before the deal": lambda: seat_at(played(2), 3),
    "while a card is drawn": lambda: seat_at(played(2), played(2).step_of("draw")),
    "after the end": lambda: seat_at(played(2), played(2).step_of("over")),
    "your turn, with hints": lambda: with_hints(1),
    "another's turn, with hints": lambda: with_hints(2),
    "at a table of four": lambda: seat_at(played(4), 8),
    "seat 2 at a table of four": lambda: seat_at(played(4), 8, 2),
    "another's turn, where talk can be called": lambda: seat_at(callable_game(), turn_of(callable_game(), 2)),
    "beside bots alone": lambda: seat_at(callable_game(), turn_of(callable_game(), 2), alone=True),
    "your draw": lambda: manual("draw", 1),
    "your late draw": lambda: manual("late", 1),
    "another's late draw": lambda: manual("late", 2),
    "your talk was called": lambda: called(2),
    "you have called": lambda: called(1),
    "all remarks are said": talked_out,
}
TURNS: dict[str, Callable[[View], View]] = {
    "your turn comes": lambda seen: seen,
    "your turn comes, a2 is taken": lambda seen: replace(seen, board=taken(seen.board, "a2")),
    "your turn comes, a sequence was made": lambda seen: replace(
        seen, sequences=(*seen.sequences, CompletedSequence(1, ()))
    ),
    "your turn comes, you can only pass": lambda seen: replace(seen, legal=(PASS,)),
    "your turn comes, 2C and 3C are dead": lambda seen: replace(seen, legal=(exchange(0), exchange(1))),
    "your turn comes, 3C is dead": lambda seen: replace(seen, legal=(exchange(1),)),
}
HAPPENS: dict[str, Callable[[Seat], object]] = {
    "the game is shown": lambda seat: seat.person.welcome(),
    "you may sign": lambda seat: setattr(seat.own, "waits_to_sign", False),
    "seat 2 cannot be reached": lambda seat: seat.person.away(2),
    "seat 2 stops for now": lambda seat: seat.person.away(2, later=True),
    "seat 2 is back": lambda seat: seat.person.back(2),
    "seat 2 is waited for, as this one has come back": lambda seat: seat.person.away(2, gathers=True),
    "seat 2 may be dropped": lambda seat: seat.person.ask_absent([2]),
    "seats 2 and 3 may be dropped": lambda seat: seat.person.ask_absent({3, 2}),
    "seat 2 is dropped": lambda seat: seat.person.hear(Dropped((2,))),
    "seat 2 has drawn": lambda seat: seat.person.hear(Drawn(2)),
    "seat 2 has spoken": lambda seat: seat.person.hear(Remarked(2, 1, "hi", courtesy=False)),
    "you play 6C": lambda seat: seat.person.hear(Turned(1, 1, parse_action(CLASSIC, "6C b1"))),
    "you have drawn": lambda seat: seat.person.hear(Drawn(1)),
    "your turn has ended": lambda seat: seat.person.hear(Turned(1, 1, END)),
    "your late draw is waived": lambda seat: seat.person.hear(Turned(1, 1, WAIVE)),
    "the hands are dealt again": lambda seat: seat.person.hear(Redealt()),
    "step 9 is taken back": lambda seat: seat.person.hear(Undone(9)),
    "Ctrl-C": lambda seat: seat.person.interrupted(),
    "there are 2 lines in the log": lambda seat: seat.story.lines.extend(["line 0", "line 1"]),
    "there are 22 lines in the log": lambda seat: seat.story.lines.extend(f"line {at}" for at in range(22)),
    "the keys have not come": lambda seat: setattr(seat, "words", None),
}


def taken(board: tuple[int, ...], square: str) -> tuple[int, ...]:
    at = parse_square(CLASSIC, square)
    return (*board[:at], 2, *board[at + 1 :])


@talks(__file__, "talks.txt")
async def test_talk(talk: Talk) -> None:
    seat = PLACES[talk.place]()
    talk.check([await seat.answer(line) for line in talk.lines])


@pytest.fixture
def own_turn() -> Seat:
    return in_turn(1)


@pytest.fixture
def others_turn() -> Seat:
    return in_turn(2)


async def test_a_seat_whose_name_misleads_is_muted_and_given_up_by_its_answers() -> None:
    agreement = named(make_agreement(4), "ann", "you", "2", "dan")
    seat = Seat(Match(encode_agreement(agreement)), make_seats(4)[0])
    assert await seat.answer("> mute seat 2 (you)") == ["seat 2 (you) is muted; type it again to unmute"]
    seat.person.ask_absent({2, 3})
    drops = [question.answers[0] for question in seat.asked.values() if question]
    assert [(drop.key, drop.line) for drop in drops] == [
        ("drop seat 2 (you)", "drop seat 2"),
        ("drop 2", "drop seat 3"),
    ]
    assert (await seat.answer(f"> {drops[0].key}"))[-1] == "(goes on without 2)"
    assert (await seat.answer(f"> {drops[1].line}"))[-1] == "(goes on without 3)"


async def test_a_question_about_an_absent_seat_keeps_its_time_and_closes_once_nobody_is_asked() -> None:
    seat = seat_at(played(4), 8)
    times: list[list[float | None]] = []
    for about in ({2}, {2, 3}, {3}, set[int](), {3}):
        seat.person.ask_absent(about)
        now = trio.current_time()
        times.append([question.ends_at - now if question else None for question in seat.asked.values()])
        await trio.sleep(10)
    assert times == [[120], [110, 120], [None, 110], [None, None], [None, 120]]


async def test_only_the_reason_is_said_when_an_action_was_refused(own_turn: Seat) -> None:
    assert await own_turn.choose("QH h2", refused="seat 1 does not hold QH: play a card from the hand") is not None
    assert own_turn.shown == ["you do not hold QH: play a card from the hand"]
    assert own_turn.done == [], "the bell does not ring again"


@pytest.mark.parametrize("typed", ["later on", "Q" * 5000, "\x1b[2J \x07", "say \u202e", "say " + "x" * 201])
async def test_an_answer_to_anything_is_short_and_moves_no_cursor(own_turn: Seat, typed: str) -> None:
    assert await own_turn.choose(typed, refused="") is None
    assert own_turn.shown[1:]
    assert own_turn.done == []
    assert all(len(line) < 200 and line.isprintable() for line in own_turn.shown)


async def test_a_second_action_is_no_answer_to_the_next_question(own_turn: Seat) -> None:
    assert await own_turn.choose("QH h2", "QH h2") is not None
    assert own_turn.shown[-1] == "your last input is being processed; one moment"


async def test_a_question_that_is_taken_back(others_turn: Seat) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await others_turn.person.choose(others_turn.view, None)
    assert await others_turn.type("QH h2") == ["player 2's turn; help says what you can do meanwhile"]


async def test_the_end_of_the_input_leaves_no_answer_behind(own_turn: Seat) -> None:
    action = own_turn.view.legal[0]
    assert await own_turn.choose(format_action(own_turn.view.variant, action)) == action
    own_turn.done.clear()
    async with trio.open_nursery() as nursery:
        own_turn.typed.append(None)
        nursery.start_soon(own_turn.listen)
        await trio.testing.wait_all_tasks_blocked()
        assert own_turn.done == []
        own_turn.person.hear(Turned(1, 1, action))
        await trio.testing.wait_all_tasks_blocked()
        assert own_turn.done == ["(stops)"]
        nursery.cancel_scope.cancel()


def heard(game: Played, until: int) -> Seat:
    """A seat that has heard a game from its beginning to a step, and shown what it shows."""
    match = Match(game.agreement)
    seat = Seat(match, game.seat(1))
    for step in game.steps[: until - 1]:
        for _, contribution in step.contributions:
            for event in match.receive(contribution):
                seat.person.hear(event)
    return seat


async def test_hand_and_turn_are_told_as_they_change(duel: Played) -> None:
    seat = heard(duel, duel.step_of("deal") + 1)
    assert seat.shown[0] == "you are seat 1 (player 1) and play blue"
    assert hand_line(seat.view) in seat.shown
    told = heard(duel, turn_of(duel, 1)).shown
    assert sum(line.startswith("your hand: ") for line in told) == 1, "its questions show the hand"
    assert any(line.startswith("you draw ") for line in told)
    # The line of each action says whose turn it was; the question says that it is one's own.
    assert told.count("player 2's turn") <= 1
    assert "your turn" not in told


async def test_a_hand_is_shown_without_the_card_that_was_given_up() -> None:
    game, seat = callable_game(), called(2)
    for giver in (game.seat(2), game.seat(4)):
        for event in seat.match.receive(giver.play(seat.match, giver.view(seat.match).legal[0])):
            seat.person.hear(event)
    assert seat.shown[-2:] == [hand_line(seat.view), "player 1's turn"]


async def in_the_lobby(*typed: str, hosts: bool = False) -> tuple[bool, list[str]]:
    """Type lines, then end the input; return True if they have left before, and the answers."""
    lines, said = iter(typed), list[str]()

    async def read() -> str | None:
        await trio.lowlevel.checkpoint()
        return next(lines, None)

    start = (lambda: said.append("(starts)")) if hosts else None
    answers = {**lobby_answers({"seats": ["at the table: ann, free"]}, start), "say": lambda text: [f"(says: {text})"]}
    left = await wait_in_lobby(Console(read, said.append, lambda _: None, terminal=True), answers)
    return left, said


@talks(__file__, "lobby.txt")
async def test_lobby_talk(talk: Talk) -> None:
    talk.check([(await in_the_lobby(line[2:], hosts=talk.place == "a host"))[1] for line in talk.lines])


async def test_who_asked_to_leave_before_the_deal_is_told_the_price_after_it() -> None:
    game = played(2)
    seat = seat_at(game, 3)
    assert await seat.type("leave") == ["leave the game?  yes · no (Enter)"]
    for step in game.steps[2:]:
        if not seat.match.game.position:
            for _, contribution in step.contributions:
                seat.match.receive(contribution)
    seat.person.hear(Dealt())
    assert seat.shown[-1].startswith("stop for now, or leave the game?  leave: won by player 2")


@pytest.mark.parametrize("typed", ["leave", "QUIT", "exit", "resign"])
async def test_going_away_from_the_lobby(typed: str) -> None:
    assert await in_the_lobby("", typed) == (True, [])


async def test_what_may_be_meant_is_said_in_the_readers_words(french: None, own_turn: Seat, others_turn: Seat) -> None:
    assert (await others_turn.type("wheree"))[0].endswith(" ; peut-être : où ?")
    assert await own_turn.choose("plateaux", refused="") is None
    assert own_turn.shown[-1].endswith("peut-être : plateau ?")
    for typed in ("licorne c5", "voilà", "quoi"):
        assert (await others_turn.type(typed))[-1].endswith("ce que vous pouvez faire en attendant"), typed
    assert (await in_the_lobby("seets"))[1] == ["la partie n'a pas commencé ; peut-être : places ?"]


async def test_a_pass_goes_by_itself_where_nothing_else_can_be_done() -> None:
    seat = in_turn(1, auto_pass=True)
    begun = trio.current_time()
    assert await seat.person.choose(replace(seat.view, legal=(PASS,)), None) == PASS
    assert trio.current_time() - begun == PASS_AFTER_S
    assert "nothing can be played: you pass in 2 seconds; undo (Esc) stops it" in seat.shown


@pytest.mark.parametrize("auto_pass", [True, False])
async def test_a_pass_that_is_stopped_or_switched_off_waits(auto_pass: bool) -> None:
    seat = in_turn(1, auto_pass=auto_pass)
    seat.typed = ["undo"]
    with trio.move_on_after(60) as waiting:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(seat.listen)
            await seat.person.choose(replace(seat.view, legal=(PASS,)), None)
    assert waiting.cancelled_caught
    assert ("you do not pass yet" in seat.shown) == auto_pass


def with_a_remark() -> Seat:
    game = callable_game()
    seat = Seat(match_at(game, turn_of(game, 1)), game.seat(1), auto_pass=True)
    seat.match.receive_remark(*game.seat(2).say(seat.match, "hm"))
    return seat


@pytest.mark.parametrize(
    ("make_seat", "legal"),
    [
        (lambda: in_turn(1, auto_pass=True), (PASS, exchange(0))),
        (lambda: in_turn(1, auto_pass=True), (DRAW, END)),
        (lambda: in_turn(1, auto_pass=True), (give(0),)),
        (with_a_remark, (PASS,)),
    ],
    ids=["exchange", "draw", "give up", "call"],
)
async def test_a_pass_does_not_go_by_itself_where_something_else_can_be_done(
    make_seat: Callable[[], Seat], legal: tuple[Action, ...]
) -> None:
    seat = make_seat()
    with trio.move_on_after(60) as waiting:
        await seat.person.choose(replace(seat.view, legal=legal), None)
    assert waiting.cancelled_caught
