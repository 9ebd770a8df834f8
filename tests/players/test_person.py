"""A person at typed lines: what is shown, what is understood, what is said to what is not."""

import pytest
import trio
import trio.testing

from seqp2p.players.person import Person
from seqp2p.rules import CLASSIC, KIDS, Variant, View, format_action, view
from seqp2p.ui.plain import board_lines, hand_line, help_line, legal_lines, score_line
from tests.rules.playing import make, random_position

COLOURS = ("blue", "green")
NOT_YET = "it is not your turn yet; say TEXT talks to the table, leave leaves it"


class Desk:
    """A person's desk: lines to type, and what was read, said to the table, and done there."""

    def __init__(self, *typed: str) -> None:
        self.typed = list(typed)
        self.said: list[str] = []
        self.spoken: list[str] = []
        self.left: list[str] = []
        self.person = Person(self.read, self.said.append, COLOURS)

    async def read(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.typed.pop(0) if self.typed else None

    async def speak(self, text: str) -> None:
        await trio.lowlevel.checkpoint()
        self.spoken.append(text)

    async def leave(self, reason: str) -> None:
        await trio.lowlevel.checkpoint()
        self.left.append(reason)

    async def listen(self) -> None:
        """Type everything while it is not this seat's turn."""
        await self.person.listen(self.speak, self.leave)

    async def choose(self, seen: View, refused: str | None = None) -> str:
        """Type everything while it is; returns the action."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.listen)
            with trio.fail_after(10):
                action = await self.person.choose(seen, refused)
            nursery.cancel_scope.cancel()
        return format_action(seen.variant, action)


def seen_by_first(variant: Variant = CLASSIC) -> View:
    hands = ["QH,JC,JS,2C,3C,4C,TD", "?,?,?,?,?,?,?"] if variant is CLASSIC else ["cat,unicorn,dragon", "?,?,?"]
    return view(make({"a": "e5", "b": "d4"}, hands, variant=variant), 1)


async def test_everything_is_shown_when_it_is_ones_turn() -> None:
    seen, desk = seen_by_first(), Desk("QH h2")
    assert await desk.choose(seen) == "QH h2"
    assert desk.said == [
        *board_lines(seen, COLOURS),
        score_line(seen, COLOURS),
        hand_line(seen),
        *legal_lines(seen),
        help_line(seen),
    ]


async def test_only_the_reason_is_said_when_an_action_was_refused() -> None:
    desk = Desk("QH h2")
    assert await desk.choose(seen_by_first(), "d4 is taken: choose a free square") == "QH h2"
    assert desk.said == ["d4 is taken: choose a free square"]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("board", lambda seen: [*board_lines(seen, COLOURS), score_line(seen, COLOURS)]),
        ("hand", lambda seen: [hand_line(seen)]),
        ("moves", legal_lines),
        ("help", lambda seen: [help_line(seen)]),
        ("", lambda seen: [help_line(seen)]),
        ("  ", lambda seen: [help_line(seen)]),
    ],
)
async def test_words_are_answered_and_the_turn_stays(typed: str, answer: object) -> None:
    seen, desk = seen_by_first(), Desk(typed, "QH h2")
    assert await desk.choose(seen, "") == "QH h2"
    assert callable(answer)
    assert desk.said[1:] == answer(seen)


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("QH h2", "QH h2"),
        ("  QH   h2 ", "QH h2"),
        ("JC\td7", "JC d7"),
        ("JS xd4", "JS xd4"),
        ("js XD4", "JS xd4"),
        ("2C dead", "2C dead"),
        ("pass", "pass"),
        # What the rules forbid is for the match to refuse.
        ("AC a9", "AC a9"),
    ],
)
async def test_an_action_is_understood(typed: str, action: str) -> None:
    assert await Desk(typed).choose(seen_by_first()) == action


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("QH", "is no action"),
        ("QX e5", "is no card of Sequence"),
        ("QH k5", "is no square"),
        ("play something", "is no card"),
        ("Q" * 5000, "too long"),
        ("\x1b[2J \x07", "no card"),
    ],
)
async def test_what_is_no_action_is_said_and_asked_again(typed: str, said: str) -> None:
    desk = Desk(typed, "QH h2")
    assert await desk.choose(seen_by_first(), "") == "QH h2"
    assert said in desk.said[-1]
    assert len(desk.said[-1]) < 200
    assert "\x1b" not in desk.said[-1]


async def test_animals_are_played_by_name() -> None:
    seen = seen_by_first(KIDS)
    desk = Desk("CA d1", "cat d1")
    assert await desk.choose(seen) == "cat d1"
    assert "is no card" in desk.said[-1]


@pytest.mark.parametrize("typed", ["leave", "resign", "quit", " leave "])
async def test_leaving_in_turn_or_out_of_turn(typed: str, autojump_clock: trio.testing.MockClock) -> None:
    desk = Desk(typed)
    with trio.move_on_after(1):
        await desk.choose(seen_by_first())
    assert desk.left[0] == "left the table"
    desk = Desk(typed)
    with trio.move_on_after(1):
        await desk.listen()
    assert desk.left == ["left the table"]


async def test_the_end_of_the_input_leaves(autojump_clock: trio.testing.MockClock) -> None:
    desk = Desk("hand")
    with trio.move_on_after(1):
        await desk.choose(seen_by_first())
    assert desk.left == ["the player's input ended"]


async def test_the_end_of_the_input_leaves_no_answer_behind(autojump_clock: trio.testing.MockClock) -> None:
    # The action may win the game: only a question that nobody answers any more ends it.
    desk = Desk("QH h2")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.listen)
        action = await desk.person.choose(seen_by_first(), None)
        await trio.testing.wait_all_tasks_blocked()
        assert format_action(CLASSIC, action) == "QH h2"
        assert desk.left == []
        with trio.move_on_after(1):
            await desk.person.choose(seen_by_first(), None)
        assert desk.left == ["the player's input ended"]


async def test_one_can_talk_at_any_time() -> None:
    desk = Desk("say  well   played", "QH h2", "say bye")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.listen)
        await desk.person.choose(seen_by_first(), None)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert desk.spoken == ["well played", "bye"]


async def test_an_action_out_of_turn_is_not_kept_for_later(autojump_clock: trio.testing.MockClock) -> None:
    desk = Desk("QH h2", "", "hand")
    with trio.move_on_after(1):
        await desk.listen()
    assert desk.said == [NOT_YET] * 2


async def test_a_second_action_is_no_answer_to_the_next_question() -> None:
    desk = Desk("QH h2", "QH h2")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.listen)
        await desk.person.choose(seen_by_first(), None)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert desk.said[-1] == NOT_YET


async def test_a_question_that_is_taken_back(autojump_clock: trio.testing.MockClock) -> None:
    # The turn has passed: what is typed from now on is out of turn.
    desk = Desk("QH h2")
    with trio.CancelScope() as scope:
        scope.cancel()
        await desk.person.choose(seen_by_first(), None)
    desk.said.clear()
    with trio.move_on_after(1):
        await desk.listen()
    assert desk.said == [NOT_YET]


async def test_every_legal_action_can_be_typed() -> None:
    for seed in range(5):
        position = random_position(CLASSIC, 2, 2, seed).position
        seen = view(position, position.to_move)
        for action in seen.legal:
            text = format_action(CLASSIC, action)
            assert await Desk(text).choose(seen) == text
