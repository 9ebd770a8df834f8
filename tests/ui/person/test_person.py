"""A person at typed lines: what is shown, what is understood, what is said to what is not."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import trio
import trio.testing

from seqp2p.match.events import Drawn, Dropped, Event, Redealt, Remarked, Turned, Undone
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARKS_MAX
from seqp2p.rules import (
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
)
from seqp2p.ui.person.console import (
    HOST_HELP,
    HOST_STARTS,
    LOBBY_HELP,
    NOT_STARTED,
    Console,
    lobby_answers,
    wait_in_lobby,
)
from seqp2p.ui.person.person import ASK_LEAVE, HOW_TO_SAY, NO_HINTS, NOBODY_AWAY, PASS_AFTER_S, Hints, Person
from seqp2p.ui.person.prepared import in_own_turn
from seqp2p.ui.person.seat_info import NOT_DEALT, SeatInfo
from seqp2p.ui.plain import board_lines, hand_line, help_lines, legal_lines, score_line, seats_lines
from seqp2p.ui.words import LEFT, Company, Story
from tests.table import Played, fork, make_seats, match_at, played

COLOURS = ("blue", "green")
PATIENCE_S = {"draw": 10.0, "late": 30.0}


class Seat:
    """A person's seat in a game that others have played: lines to type, and what was shown, said and done."""

    def __init__(
        self,
        game: Played,
        match: Match,
        number: int,
        *typed: str,
        terminal: bool = False,
        hears: bool = False,
        auto_pass: bool = False,
        hints: Hints | None = None,
    ) -> None:
        self.typed: list[str | None] = list(typed)
        self.shown: list[str] = []
        self.bells = 0
        self.spoken: list[str] = []
        self.left: list[str] = []
        self.dropped: list[int] = []
        self.stops = 0
        self.story = Story()
        self.words: Sequence[str] | None = ("amber", "falcon")
        self.match = match
        self.own = game.seat(number)
        self.company = Company.of(match.game.agreement, number)
        desk = Console(self.read, self.shown.append, self.ring, terminal, hears=hears)
        self.person = Person(
            desk,
            SeatInfo(match, self.own, self.story, lambda _: self.words),
            PATIENCE_S,
            auto_pass=auto_pass,
            hints=hints,
        )

    async def read(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.typed.pop(0) if self.typed else await trio.sleep_forever()

    def ring(self, news: str) -> None:
        assert news
        self.bells += 1

    async def speak(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self.spoken.append(text)

    async def leave(self, reason: str) -> None:
        await trio.lowlevel.checkpoint()
        self.left.append(reason)

    async def go_on(self, seat: int) -> None:
        await trio.lowlevel.checkpoint()
        self.dropped.append(seat)

    async def stop(self) -> None:
        await trio.lowlevel.checkpoint()
        self.stops += 1

    @property
    def view(self) -> View:
        return self.own.view(self.match)

    async def type(self, *lines: str | None) -> list[str]:
        """Type while nothing is asked; returns what is answered."""
        self.typed.extend(lines)
        self.shown.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.person.listen, self.speak, self.leave, self.stop, self.go_on)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return self.shown

    async def choose(self, *lines: str, refused: str | None = None, seen: View | None = None) -> Action | None:
        """Type while something is asked; returns the action, None if there is none."""
        self.typed.extend(lines)
        chosen: list[Action] = []

        async def ask() -> None:
            chosen.append(await self.person.choose(seen or self.view, refused))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            nursery.start_soon(self.person.listen, self.speak, self.leave, self.stop, self.go_on)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return chosen[0] if chosen else None


def turn_of(game: Played, seat: int) -> int:
    """A step at which this seat is to play."""
    return next(
        step
        for step in range(10, len(game.steps))
        if match_at(game, step).kind == "turn" and match_at(game, step).awaited == {seat}
    )


@pytest.fixture
def own_turn(duel: Played) -> Seat:
    return Seat(duel, match_at(duel, turn_of(duel, 1)), 1)


@pytest.fixture
def others_turn(duel: Played) -> Seat:
    return Seat(duel, match_at(duel, turn_of(duel, 2)), 1)


@pytest.fixture
def undealt(duel: Played) -> Seat:
    return Seat(duel, match_at(duel, 3), 1)


# Being asked


async def test_everything_is_shown_when_it_is_ones_turn(own_turn: Seat) -> None:
    seen = own_turn.view
    text = format_action(seen.variant, seen.legal[0])
    assert await own_turn.choose(text) == seen.legal[0]
    assert own_turn.shown == ["your turn", hand_line(seen), "type an action (help says how)"]
    assert own_turn.bells == 1


async def test_the_board_is_not_shown_again_within_a_turn(own_turn: Seat) -> None:
    await own_turn.choose()
    own_turn.shown.clear()
    await own_turn.choose()
    assert own_turn.shown == ["your turn goes on", "type an action (help says how)"]
    assert own_turn.bells == 1


async def test_only_the_reason_is_said_when_an_action_was_refused(own_turn: Seat) -> None:
    text = format_action(own_turn.view.variant, own_turn.view.legal[0])
    assert await own_turn.choose(text, refused="seat 1 does not hold QH: play a card of the hand") is not None
    assert own_turn.shown == ["you do not hold QH: play a card of the hand"]


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("QH h2", "QH h2"),
        ("  qh   H2 ", "QH h2"),
        ("JC\td7", "JC d7"),
        ("js XD4", "JS xd4"),
        ("10c Dead", "TC dead"),
        ("Pass", "pass"),
        ("call 2", "call 2"),
        # What the rules forbid is for the match to refuse.
        ("AC a9", "AC a9"),
    ],
)
async def test_an_action_is_understood(own_turn: Seat, typed: str, action: str) -> None:
    assert await own_turn.choose(typed) == parse_action(own_turn.view.variant, action)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("QX e5", "is no card of Sequence"),
        ("QH k5", "is no square"),
        ("play something", "is no card"),
        ("Q" * 5000, "too long"),
        ("\x1b[2J \x07", "no card"),
        ("bord", "did you mean board?"),
        ("lave", "did you mean leave?"),
        ("QH", "QH (queen of hearts): h2"),
        ("js", "JS (jack of spades) takes an opponent's chip"),
    ],
)
async def test_what_is_no_action_is_said_and_asked_again(own_turn: Seat, typed: str, said: str) -> None:
    assert await own_turn.choose(typed, refused="") is None
    assert any(said in line for line in own_turn.shown)
    assert all(len(line) < 200 and "\x1b" not in line for line in own_turn.shown)


async def test_an_empty_line_says_what_is_asked(own_turn: Seat) -> None:
    assert await own_turn.choose(" ", refused="") is None
    assert own_turn.shown[1:] == ["type an action (help says how)"]


async def think(seen: View) -> str:
    """Think of a hint."""
    await trio.lowlevel.checkpoint()
    return f"hint: one of {len(seen.legal)}"


async def test_a_hint_is_given_in_ones_own_turn(duel: Played) -> None:
    own = Seat(duel, match_at(duel, turn_of(duel, 1)), 1, hints=think)
    assert await own.choose("hint", refused="") is None
    assert own.shown[-1] == f"hint: one of {len(own.view.legal)}"
    assert own.spoken == []
    other = Seat(duel, match_at(duel, turn_of(duel, 2)), 1, hints=think)
    assert await other.type("hint") == ["a hint comes in your own turn"]


async def test_at_other_tables_there_are_no_hints(own_turn: Seat, others_turn: Seat) -> None:
    assert await own_turn.choose("hint", refused="") is None
    assert own_turn.shown[-1] == NO_HINTS
    assert await others_turn.type("hint") == [NO_HINTS]


async def test_a_second_action_is_no_answer_to_the_next_question(own_turn: Seat) -> None:
    assert await own_turn.choose("QH h2", "QH h2") is not None
    assert own_turn.shown[-1] == "your last line is being looked at; one moment"


async def test_a_question_that_is_taken_back(others_turn: Seat) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await others_turn.person.choose(others_turn.view, None)
    assert await others_turn.type("QH h2") == ["player 2's turn; help says what you can do meanwhile"]


# Words at any time


ANYTIME: dict[str, Callable[[Seat], list[str]]] = {
    "hand": lambda seat: [hand_line(seat.view)],
    "HAND": lambda seat: [hand_line(seat.view)],
    "board": lambda seat: [*board_lines(seat.view, COLOURS), score_line(seat.view, COLOURS)],
    "seats": lambda seat: seats_lines(seat.view, seat.company),
    "Log": lambda _: ["nothing has been played yet"],
    "log all": lambda _: ["nothing has been played yet"],
    "wait": lambda _: [NOBODY_AWAY],
    "drop 2": lambda _: [NOBODY_AWAY],
    "board never": lambda _: ["the board is shown when you ask for it: board, board 5, board e, where e5"],
    "board Always": lambda _: ["the board is shown in every turn"],
    "board 10": lambda _: [
        "row 10: a free corner, b AD, c KD, d QD, e TD, f 9D, g 8D, h 7D, i 6D, j free corner",
    ],
    "board C": lambda _: ["column c: c1 3S, c2 4C, c3 2D, c4 6C, c5 7C, c6 8C, c7 9C, c8 TC, c9 6S, c10 KD"],
    "board a1": lambda _: ["a1 is a free corner: it counts for everybody"],
    "board 11": lambda _: ["board takes a row, a column or a square, like: board 5, board e, board e5"],
    "score": lambda seat: [score_line(seat.view, COLOURS)],
    "where": lambda _: ["write a card or a square behind it, like: where 2S"],
    "where a1": lambda _: ["a1 is a free corner: it counts for everybody"],
    "where JC": lambda _: ["JC (jack of clubs) puts a chip on any free square"],
    "say": lambda _: [HOW_TO_SAY],
    "say \u202e": lambda _: [HOW_TO_SAY],
    "say " + "x" * 201: lambda _: ["a remark has at most 200 characters, and this one has 201"],
}


@pytest.mark.parametrize("typed", ANYTIME)
async def test_words_are_answered_whoever_s_turn_it_is(own_turn: Seat, others_turn: Seat, typed: str) -> None:
    assert await others_turn.type(typed) == ANYTIME[typed](others_turn)
    assert await own_turn.choose(typed, refused="") is None
    assert own_turn.shown[1:] == ANYTIME[typed](own_turn)


@pytest.mark.parametrize("typed", ["help", "?", "Help"])
async def test_help_says_who_one_is_and_how_to_read_the_board(others_turn: Seat, typed: str) -> None:
    shown = await others_turn.type(typed)
    assert shown[0] == "you are seat 1 (player 1) and play blue"
    assert shown[1:3] == [
        "on the board:  (B) blue, (G) green chips    ** a free corner",
        "               [B] in a completed sequence    <B> the last move",
    ]
    assert shown[3:5] == [
        "cards:         T ten, J jack, Q queen, K king, A ace",
        "               C clubs, D diamonds, H hearts, S spades",
    ]
    assert shown[5:] == help_lines(others_turn.view)


async def test_team_mates_are_named() -> None:
    game = played(4)
    seat = Seat(game, match_at(game, 8), 2)
    assert (await seat.type("help"))[0] == "you are seat 2 (player 2) and play green with seat 4 (player 4)"


@pytest.mark.parametrize("typed", ["hand", "board", "moves", "where QH", "QH e5", "", "call 2", "pass"])
async def test_before_the_deal(undealt: Seat, typed: str) -> None:
    assert await undealt.type(typed) == [NOT_DEALT]


async def test_before_the_deal_there_is_something_to_do_all_the_same(undealt: Seat) -> None:
    assert (await undealt.type("help"))[0].startswith(NOT_DEALT)
    assert await undealt.type("seats") == ["you", "seat 2 (player 2)"]
    assert await undealt.type("say hello") == []
    assert undealt.spoken == ["hello"]


async def test_a_card_or_a_square_alone_is_looked_up(own_turn: Seat, others_turn: Seat) -> None:
    assert await others_turn.type("e5") == ["e5 is 5H (five of hearts), free"]
    assert await others_turn.type("jc") == ["JC (jack of clubs) puts a chip on any free square"]
    assert await own_turn.choose("a1", refused="") is None
    assert own_turn.shown[1:] == ["a1 is a free corner: it counts for everybody", "type an action (help says how)"]


async def test_who_hears_the_table_is_not_told_the_board_unasked(own_turn: Seat) -> None:
    top = board_lines(own_turn.view, COLOURS)[0]
    await own_turn.choose("board")
    assert own_turn.shown[0] == "your turn"
    assert own_turn.shown.count(top) == 1


async def test_the_newest_lines_of_the_log(others_turn: Seat) -> None:
    others_turn.story.lines.extend(f"line {number}" for number in range(30))
    assert await others_turn.type("log 2") == ["line 28", "line 29"]
    assert await others_turn.type("log 0") == ["line 29"]
    assert len(await others_turn.type("log 9999999999")) == 30
    assert (await others_turn.type("log"))[0] == "the last 20 of 30 lines; log all shows them all"


async def test_who_is_away_is_said_among_the_seats(others_turn: Seat) -> None:
    others_turn.person.away(2)
    assert (await others_turn.type("seats"))[1].endswith("   away")
    assert await others_turn.type("wait") == ["waiting for player 2"]
    others_turn.person.back(2)
    assert not (await others_turn.type("seats"))[1].endswith("   away")
    assert await others_turn.type("wait") == [NOBODY_AWAY]


async def test_moves_out_of_turn_are_those_that_the_hand_would_have(others_turn: Seat) -> None:
    first, *rest = await others_turn.type("moves")
    assert first.startswith("it is not your turn")
    held = {others_turn.view.variant.faces[card] for card in others_turn.view.hand}
    assert {line.split()[0] for line in rest} <= held
    assert rest


async def test_moves_in_turn(own_turn: Seat) -> None:
    assert await own_turn.choose("moves", refused="") is None
    assert own_turn.shown[1:] == legal_lines(own_turn.view)


async def test_safety_words(others_turn: Seat) -> None:
    assert (await others_turn.type("words"))[1:] == ["  seat 2 (player 2): amber falcon"]
    others_turn.words = None
    assert (await others_turn.type("words")) == ["there are no safety words yet: they come with the keys of the game"]


async def test_the_log_has_the_newest_lines_unless_all_are_asked_for(others_turn: Seat) -> None:
    others_turn.story.lines.extend(map(str, range(50)))
    shown = await others_turn.type("log")
    assert shown == ["the last 20 of 50 lines; log all shows them all", *map(str, range(30, 50))]
    assert await others_turn.type("log all") == [*map(str, range(50))]


async def test_one_can_talk_at_any_time(own_turn: Seat, others_turn: Seat) -> None:
    await others_turn.type("say  well   played", "SAY bye")
    assert others_turn.spoken == ["well played", "bye"]
    assert await own_turn.choose("say hi", refused="") is None
    assert own_turn.spoken == ["hi"]


async def test_a_seat_may_say_so_much(brief: Played) -> None:
    match = match_at(brief, 6)
    for number in range(REMARKS_MAX):
        match.receive_remark(*brief.seat(1).say(match, f"remark {number}"))
    seat = Seat(brief, match, 1)
    assert await seat.type("say more") == ["you have said 200 things, and that is all that one game takes"]
    assert seat.spoken == []


async def test_out_of_turn_an_action_is_not_kept(others_turn: Seat) -> None:
    assert await others_turn.type("QH h2", "") == [
        "player 2's turn; help says what you can do meanwhile",
        "player 2's turn",
    ]


async def test_a_call_out_of_turn_says_when_it_can_be_made(others_turn: Seat) -> None:
    assert await others_turn.type("call 2") == ["talk is free at this table: nothing can be called"]
    game = played(4, "classic", 2, table_talk=False)
    seat = Seat(game, match_at(game, turn_of(game, 2)), 1)
    assert await seat.type("CALL 2") == ["a remark is called in your own turn, before you play a card"]


async def test_a_speaker_is_told_once_that_a_remark_may_be_called() -> None:
    game = played(4, "classic", 2, table_talk=False)
    seat = Seat(game, match_at(game, turn_of(game, 2)), 1)
    assert await seat.type("say good luck") == []
    assert (await seat.type("say h4 now"))[0].startswith("mind that an opponent may call a remark")
    assert await seat.type("say or j3") == []
    assert seat.spoken == ["good luck", "h4 now", "or j3"]


# Stopping and leaving

PRICES = "later: seqp2p resume goes on once both are back · leave: won by player 1 · Enter: you stay"


@pytest.mark.parametrize("typed", ["leave", "resign", " LEAVE "])
async def test_leaving_is_asked_about_once_with_its_price(own_turn: Seat, others_turn: Seat, typed: str) -> None:
    prices = PRICES.replace("player 1", "player 2")
    assert await others_turn.type(typed, "no") == [prices, "you stay"]
    assert others_turn.left == []
    assert await others_turn.type(typed, "Yes", "hand") == [prices]
    assert others_turn.left == [LEFT]
    assert await own_turn.choose(typed, "leave") is None
    assert own_turn.left == [LEFT]


@pytest.mark.parametrize("typed", ["later", "quit", "EXIT"])
async def test_stopping_for_now_is_not_asked_about(own_turn: Seat, typed: str) -> None:
    assert await own_turn.type(typed) == []
    assert (own_turn.stops, own_turn.left) == (1, [])


@pytest.mark.parametrize("typed", ["later", "leave"])
async def test_before_the_deal_there_is_one_way_to_go(undealt: Seat, typed: str) -> None:
    assert await undealt.type(typed, "yes") == [ASK_LEAVE]
    assert (undealt.stops, undealt.left) == (0, [LEFT])


async def test_the_price_at_larger_tables() -> None:
    game = played(4, "classic", 2)
    seat = Seat(game, match_at(game, turn_of(game, 1)), 1)
    resumes = "later: seqp2p resume goes on; the others wait 2:00, then may play on without you"
    assert await seat.type("leave", "later") == [f"{resumes} · leave: the others play on without you · Enter: you stay"]
    assert (seat.stops, seat.left) == (1, [])


async def test_another_who_stops_is_a_reason_to_ask(duel: Played) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 1)), 1, terminal=True)
    seat.person.away(2, later=True)
    assert seat.shown == ["player 2 has stopped for now: stop too? yes/no"]
    assert await seat.type("no") == ["you stay"]
    seat.person.away(2, later=True)
    assert seat.shown == ["you stay"], "asked once"
    seat.person.back(2)
    seat.person.away(2, later=True)
    assert await seat.type("yes") == []
    assert seat.stops == 1


async def test_only_a_question_with_prices_lets_one_leave_at_once(duel: Played) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 2)), 1, terminal=True)
    seat.person.away(2, later=True)
    assert await seat.type("leave", "no") == [PRICES.replace("player 1", "player 2"), "you stay"]
    assert seat.left == []
    seat.person.back(2)
    seat.person.away(2, later=True)
    assert await seat.type(None, "no") == [PRICES.replace("player 1", "player 2"), "you stay"]
    assert seat.stops == 0
    seat.person.back(2)
    seat.person.away(2, later=True)
    assert seat.person.interrupted()  # It asks again, with the prices.
    await seat.type("no")
    seat.person.back(2)
    seat.person.away(2, later=True)
    seat.person.back(2)
    await seat.type("yes")
    assert seat.stops == 0


async def test_who_waits_for_others_to_come_back_can_go_on_without(own_turn: Seat) -> None:
    own_turn.person.away(1, gathers=True)
    await own_turn.type("drop")
    assert own_turn.dropped == [1]


async def test_whatever_else_is_answered_is_obeyed_and_one_stays(others_turn: Seat) -> None:
    assert await others_turn.type("leave", "hand", "yes") == [
        PRICES.replace("player 1", "player 2"),
        "you stay",
        hand_line(others_turn.view),
        "player 2's turn; help says what you can do meanwhile",
    ]
    assert others_turn.left == []


async def test_the_end_of_the_input_stops_at_once(own_turn: Seat, others_turn: Seat, undealt: Seat) -> None:
    for seat in (own_turn, others_turn, undealt):
        assert await seat.type("seats", None)
        assert (seat.stops, seat.left) == (1, [])


async def test_at_a_terminal_the_end_of_the_input_asks(duel: Played) -> None:
    prices = PRICES.replace("player 1", "player 2")
    seat = Seat(duel, match_at(duel, turn_of(duel, 2)), 1, terminal=True)
    assert await seat.type(None, "no") == [prices, "you stay"]
    assert seat.stops == 0
    assert await seat.type(None, "yes") == [prices]
    assert (seat.stops, seat.left) == (1, [])


async def test_at_a_terminal_a_second_end_of_the_input_stops(duel: Played) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 2)), 1, terminal=True)
    await seat.type(None, None)
    assert (seat.stops, seat.left) == (1, [])


async def test_the_end_of_the_input_leaves_no_answer_behind(duel: Played) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 1)), 1)
    action = seat.view.legal[0]
    assert await seat.choose(format_action(seat.view.variant, action)) == action
    async with trio.open_nursery() as nursery:
        seat.typed.append(None)
        nursery.start_soon(seat.person.listen, seat.speak, seat.leave, seat.stop, seat.go_on)
        await trio.testing.wait_all_tasks_blocked()
        assert seat.stops == 0
        seat.person.hear(Turned(1, 1, action))
        await trio.testing.wait_all_tasks_blocked()
        assert seat.stops == 1
        nursery.cancel_scope.cancel()


async def test_a_game_that_the_last_line_has_won_is_not_left(duel: Played) -> None:
    match = fork(match_at(duel, duel.step_of("over")))
    seat = Seat(duel, match, 1)
    assert await seat.type(None) == []
    assert seat.left == []
    assert await seat.type("moves", "") == ["the game is over", "the game is over"]


# What happens


def heard(game: Played, number: int, until: int, **changes: bool) -> Seat:
    """A seat that has heard a game from its beginning to a step, and shown what it shows."""
    match = Match(game.agreement)
    seat = Seat(game, match, number)
    for step in game.steps[: until - 1]:
        for _, contribution in step.contributions:
            for event in match.receive(contribution):
                seat.person.hear(event)
    return seat


def after_deal(seat: Seat) -> list[str]:
    return seat.shown[next(at for at, line in enumerate(seat.shown) if line.startswith("your hand: ")) :]


async def test_the_deal_shows_all_that_one_needs(duel: Played) -> None:
    seat = heard(duel, 1, duel.step_of("deal") + 1)
    assert seat.shown[0] == "you are seat 1 (player 1) and play blue"
    assert hand_line(seat.view) in seat.shown


async def test_hand_and_turn_are_told_as_they_change(duel: Played) -> None:
    seat = heard(duel, 1, turn_of(duel, 1))
    told = after_deal(seat)
    hands = [line for line in told if line.startswith("your hand: ")]
    drawn = [line for line in told if line.startswith("you draw ")]
    assert len(hands) == 1, "its questions show the hand"
    assert drawn
    # The line of each action says whose turn it was; the question says that it is one's own.
    assert told.count("player 2's turn") <= 1
    assert "your turn" not in told


async def test_others_remarks_and_draws_show_nothing_more(others_turn: Seat) -> None:
    others_turn.person.hear(Drawn(2))
    assert others_turn.shown == ["player 2's turn"]
    others_turn.person.hear(Remarked(2, 1, "hi", courtesy=False))
    assert others_turn.shown == ["player 2's turn"]


async def test_a_new_hand_is_shown_as_it_is(others_turn: Seat) -> None:
    await others_turn.choose()
    others_turn.shown.clear()
    others_turn.person.hear(Redealt())
    assert others_turn.shown == [hand_line(others_turn.view), "player 2's turn"]


async def test_what_is_taken_back_is_shown_again(own_turn: Seat, others_turn: Seat) -> None:
    for _ in range(2):
        others_turn.person.hear(Undone(9))
    assert others_turn.shown == ["player 2's turn"] * 2
    await own_turn.choose()
    own_turn.person.hear(Undone(9))
    own_turn.shown.clear()
    await own_turn.choose()
    assert "your turn" in own_turn.shown


async def test_nothing_to_show_before_the_deal(undealt: Seat) -> None:
    undealt.person.hear(Drawn(1))
    assert undealt.shown == []
    assert await undealt.type("\n") == [NOT_DEALT]


async def test_between_the_turns(duel: Played) -> None:
    seat = Seat(duel, match_at(duel, duel.step_of("draw")), 1)
    assert await seat.type("") == ["a card is being drawn"]


# Drawing by hand, giving up cards


def manual(phase: str, seat: int) -> Seat:
    """A seat of a game with drawing by hand, where it is to do this."""
    game = played(2, "classic", 5, manual_draw=True)
    for step in range(5, len(game.steps)):
        match = match_at(game, step)
        if match.kind in ("turn", "late") and match.game.table_position().phase == phase and match.awaited == {seat}:
            return Seat(game, match, seat)
    raise AssertionError("no such step")


async def test_drawing_by_hand_is_explained_when_it_comes_up() -> None:
    seat = manual("draw", 1)
    assert await seat.choose("Draw") == Action("draw")
    assert seat.shown == [
        hand_line(seat.view),
        "draw your new card within 10 seconds: type draw (or end, to do without)",
    ]
    assert seat.bells == 1


async def test_a_late_draw_is_explained() -> None:
    seat = manual("late", 1)
    assert await seat.choose("end") == WAIVE
    assert seat.shown[1] == "you have not drawn yet: type draw within 30 seconds, or end to do without"
    other = Seat(played(2, "classic", 5, manual_draw=True), seat.match, 2)
    assert await other.type("") == ["player 1 may still draw a card"]


async def test_a_draw_that_was_forgotten_is_said() -> None:
    seat = manual("draw", 1)
    seat.person.hear(Turned(1, 1, END))
    assert seat.shown[0] == "your turn ends without a new card"
    seat.shown.clear()
    seat.person.hear(Turned(1, 1, WAIVE))
    assert seat.shown[0] == "you have not drawn in time"
    seat.shown.clear()
    assert await seat.choose("end", refused="") == END
    seat.shown.clear()
    seat.person.hear(Turned(1, 1, END))
    assert seat.shown == []


@pytest.mark.parametrize("typed", ["{}", "give {}", "GIVE {}", "{} given"])
async def test_a_card_is_given_up(typed: str) -> None:
    game = played(4, "classic", 2, table_talk=False)
    match, seats = match_at(game, turn_of(game, 1)), make_seats(4, 2)
    match.receive_remark(*game.seat(2).say(match, "now"))
    (remark,) = match.remarks.after((0,) * 4)
    match.receive(game.seat(1).call(match, remark))
    seat = Seat(game, match, 2)
    card = seat.view.variant.faces[seat.view.hand[-1]]
    assert await seat.choose(typed.format(card)) == Action("give", seat.view.hand[-1])
    assert seat.shown[1] == (f"your team's talk was called: give up a card, you get no new one; type it, like {card}")
    caller = Seat(game, match, 1)
    assert await caller.type("") == ["waiting for player 2 and player 4 to give up a card"]
    events: list[Event] = []
    for giver in (seats[1], seats[3]):
        own = game.seat(giver.number)
        events.extend(match.receive(own.play(match, own.view(match).legal[0])))
    for event in events:
        seat.person.hear(event)
    assert seat.shown[-2:] == [hand_line(seat.view), "player 1's turn"]


# Seats that are away


@pytest.mark.parametrize("typed", ["drop", "drop 2", "DROP Player 2", "drop seat 2"])
async def test_going_on_without_a_seat(others_turn: Seat, typed: str) -> None:
    others_turn.person.ask_absent([2])
    assert others_turn.shown == [
        "player 2 is away: type wait, or drop player 2 to go on without (in 2:00, if you do not answer)"
    ]
    assert await others_turn.type("wait", typed, "drop") == [
        "waiting for player 2; drop is still possible",
        "player 2 is voted out as soon as the wait is over",
        NOBODY_AWAY,
    ]
    assert others_turn.dropped == [0, 2]


async def test_of_several_one_must_be_named() -> None:
    game = played(4)
    seat = Seat(game, match_at(game, 8), 1)
    seat.person.ask_absent({3, 2})
    told = await seat.type("drop", "drop 4", "drop nobody", "drop 3")
    assert told[:3] == ["write who: drop player 2 or drop player 3"] * 3
    assert seat.dropped == [3]


async def test_one_of_many_can_be_dropped_once_the_game_has_waited() -> None:
    game = played(4)
    seat = Seat(game, match_at(game, 8), 1)
    seat.person.away(2)
    assert await seat.type("drop") == ["drop is possible once the game has waited for player 2 for 2:00"]


async def test_who_is_back_or_out_is_not_asked_about_any_more(others_turn: Seat) -> None:
    others_turn.person.away(2)
    assert await others_turn.type("drop 2") == ["once the game has waited for player 2 for 2:00, it stops"]
    others_turn.person.ask_absent([2])
    others_turn.person.back(2)
    assert await others_turn.type("drop 2", "wait") == [NOBODY_AWAY] * 2
    others_turn.person.ask_absent([2])
    others_turn.person.hear(Dropped((2,)))
    assert await others_turn.type("drop 2") == [NOBODY_AWAY]
    assert others_turn.dropped == []


# The lobby


async def in_the_lobby(*typed: str | None) -> tuple[bool, list[str]]:
    """Whether the person went away, and what was said."""
    lines, said = list(typed), list[str]()

    async def read() -> str | None:
        await trio.lowlevel.checkpoint()
        return lines.pop(0) if lines else await trio.sleep_forever()

    went = False

    async def wait() -> None:
        nonlocal went
        told = {"seats": ["at the table: ann, free"]}
        await wait_in_lobby(Console(read, said.append, lambda _: None, terminal=True), lobby_answers(told))
        went = True

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return went, said


@pytest.mark.parametrize("typed", ["leave", "QUIT", "exit", "resign", None])
async def test_going_away_from_the_lobby(typed: str | None) -> None:
    assert await in_the_lobby("", typed) == (True, [])


async def test_a_host_starts_with_bots() -> None:
    called = list[str]()
    said = list[str]()
    typed: list[str | None] = ["START", "help", "strat", None]

    async def read() -> str | None:
        await trio.lowlevel.checkpoint()
        return typed.pop(0)

    answers = lobby_answers({}, lambda: called.append("bots"))
    await wait_in_lobby(Console(read, said.append, lambda _: None, terminal=True), answers)
    assert called == ["bots"]
    assert said == [HOST_HELP, "the game has not started; did you mean start?"]


async def test_a_slip_of_the_finger_in_the_lobby() -> None:
    # Who is no host cannot start.
    assert await in_the_lobby("laeve", "start") == (
        False,
        ["the game has not started; did you mean leave?", HOST_STARTS],
    )


async def test_what_may_be_meant_is_said_in_the_readers_words(french: None, own_turn: Seat, others_turn: Seat) -> None:
    assert (await others_turn.type("wheree"))[0].endswith(" ; vouliez-vous dire où ?")
    assert await own_turn.choose("plateaux", refused="") is None
    assert own_turn.shown[-1].endswith("vouliez-vous dire plateau ?")
    for typed in ("licorne c5", "voilà", "quoi"):
        assert (await others_turn.type(typed))[-1].endswith("ce que vous pouvez faire en attendant"), typed
    assert (await in_the_lobby("seets"))[1] == ["la partie n'a pas commencé ; vouliez-vous dire places ?"]


async def test_what_was_said_of_the_lobby_can_be_asked_again() -> None:
    # Only a host has a code to tell.
    assert await in_the_lobby("Seats", "code") == (False, ["at the table: ann, free", NOT_STARTED])


async def test_what_is_typed_in_the_lobby_is_answered_and_gone() -> None:
    assert await in_the_lobby("QH e5", "help", "?") == (False, [NOT_STARTED, LOBBY_HELP, LOBBY_HELP])


# What goes by itself.

NO_SEQUENCE = CompletedSequence(1, ())


def own_view(seat: Seat) -> View:
    """The view that the seat would have in its turn, as the game lies now."""
    return in_own_turn(seat.view, seat.own.number)


def a_move(seen: View) -> Action:
    return next(action for action in seen.legal if action.kind == "place")


async def test_a_prepared_move_is_sent_in_the_own_turn(others_turn: Seat) -> None:
    seen = own_view(others_turn)
    line = format_action(seen.variant, a_move(seen))
    prepared = f"{line} is prepared: it is sent in your turn, if nothing it depends on changes"
    assert await others_turn.type(line) == [prepared]
    assert others_turn.person.pending == a_move(seen)
    assert await others_turn.choose(seen=seen) == a_move(seen)
    assert others_turn.shown[-1] == f"{line} is sent, as you prepared it"
    assert others_turn.bells == 0
    assert others_turn.person.pending is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda seen, move: replace(seen, board=changed(seen.board, move.square)), "its square has changed since"),
        (
            lambda seen, _: replace(seen, sequences=(*seen.sequences, NO_SEQUENCE)),
            "a sequence was made or broken since",
        ),
        (lambda seen, _: replace(seen, legal=(PASS,)), "it is not possible any more"),
    ],
)
async def test_a_prepared_move_is_taken_back_when_the_board_has_changed(
    others_turn: Seat, change: Callable[[View, Action], View], why: str
) -> None:
    seen = own_view(others_turn)
    move = a_move(seen)
    line = format_action(seen.variant, move)
    await others_turn.type(line)
    assert await others_turn.choose(seen=change(seen, move)) is None
    assert f"{line} is taken back: {why}" in others_turn.shown
    assert others_turn.person.pending is None


def changed(board: tuple[int, ...], square: int) -> tuple[int, ...]:
    return (*board[:square], 2, *board[square + 1 :])


async def test_a_prepared_move_can_be_taken_back_and_another_takes_its_place(others_turn: Seat) -> None:
    seen = own_view(others_turn)
    first, second = [action for action in seen.legal if action.kind == "place"][:2]
    await others_turn.type(format_action(seen.variant, first), format_action(seen.variant, second))
    assert others_turn.person.pending == second
    assert await others_turn.type("undo") == [f"{format_action(seen.variant, second)} is taken back"]
    assert await others_turn.type("undo") == ["there is nothing to take back"]
    assert await others_turn.choose(seen=seen) is None


@pytest.mark.parametrize("line", ["pass", "draw", "end", "QH dead", "call 2"])
async def test_only_a_move_with_a_square_is_prepared(others_turn: Seat, line: str) -> None:
    await others_turn.type(line)
    assert others_turn.person.pending is None


async def test_a_pass_goes_by_itself_where_nothing_else_can_be_done(
    duel: Played, autojump_clock: trio.testing.MockClock
) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 1)), 1, auto_pass=True)
    begun = trio.current_time()
    assert await seat.person.choose(replace(seat.view, legal=(PASS,)), None) == PASS
    assert trio.current_time() - begun == PASS_AFTER_S
    assert "nothing can be played: you pass in 2 seconds; undo (Esc) stops it" in seat.shown


@pytest.mark.parametrize("auto_pass", [True, False])
async def test_a_pass_that_is_stopped_or_switched_off_waits(
    duel: Played, autojump_clock: trio.testing.MockClock, auto_pass: bool
) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 1)), 1, auto_pass=auto_pass)
    seat.typed = ["undo"]
    with trio.move_on_after(60) as waiting:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(seat.person.listen, seat.speak, seat.leave, seat.stop, seat.go_on)
            await seat.person.choose(replace(seat.view, legal=(PASS,)), None)
    assert waiting.cancelled_caught
    assert ("you do not pass yet" in seat.shown) == auto_pass


async def test_a_pass_does_not_go_by_itself_where_something_else_can_be_done(
    duel: Played, autojump_clock: trio.testing.MockClock
) -> None:
    seat = Seat(duel, match_at(duel, turn_of(duel, 1)), 1, auto_pass=True)
    for legal in ((PASS, exchange(0)), (DRAW, END), (give(0),)):
        with trio.move_on_after(60) as waiting:
            await seat.person.choose(replace(seat.view, legal=legal), None)
        assert waiting.cancelled_caught


async def test_a_pass_does_not_go_by_itself_where_a_remark_can_be_called(
    autojump_clock: trio.testing.MockClock,
) -> None:
    game = played(4, "classic", 2, table_talk=False)
    seat = Seat(game, match_at(game, turn_of(game, 1)), 1, auto_pass=True)
    seen = replace(seat.view, legal=(PASS,))
    seat.match.receive_remark(*game.seat(2).say(seat.match, "hm"))
    with trio.move_on_after(60) as waiting:
        await seat.person.choose(seen, None)
    assert waiting.cancelled_caught


async def test_exchange_exchanges_one_dead_card_after_another(own_turn: Seat) -> None:
    seen = own_turn.view
    dead = [replace(seen, legal=legal) for legal in ((exchange(0), exchange(1)), (exchange(1),))]
    assert await own_turn.choose("exchange", seen=dead[0]) == exchange(0)
    assert await own_turn.choose(seen=dead[1]) == exchange(1)
    # Now a card can be played: the player is asked.
    assert await own_turn.choose(seen=seen) is None
    assert await own_turn.choose(seen=dead[1]) is None


async def test_exchange_without_a_dead_card(own_turn: Seat, others_turn: Seat) -> None:
    assert await own_turn.choose("exchange", seen=replace(own_turn.view, legal=(PASS,))) is None
    assert own_turn.shown[-1] == "no card of your hand can be exchanged now"
    assert await others_turn.type("exchange") == ["cards are exchanged in your own turn"]
