"""Turns that are played, refused, or over before the script has chosen."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.api.turns import Questions, Turn
from seqp2p.match.events import Dropped, Remarked, Skipped, Turned
from seqp2p.rules import DRAW, END, PASS, Action, IllegalAction, NotationError
from tests.table import Played, match_at, shared_match_at


class Asker:
    """A seat, and the questions of its session."""

    def __init__(self, game: Played, nursery: trio.Nursery) -> None:
        first = next(closed.number for closed in game.steps if shared_match_at(game, closed.number).kind == "turn")
        self.game = game
        self.match = match_at(game, first)
        (number,) = self.match.awaited
        self.own = game.seat(number)
        self.questions = Questions(self.match, self.own)
        self.nursery = nursery
        self.chosen: list[Action] = []
        self.played: list[bool | str] = []
        self.patience = trio.CancelScope()

    def ask(self, refused: str | None = None) -> None:
        async def choose() -> None:
            with trio.CancelScope() as self.patience:
                self.chosen.append(await self.questions.choose(self.own.view(self.match), refused))

        self.nursery.start_soon(choose)

    def move_on(self) -> None:
        """The game goes on to the next turn, another seat's."""
        while self.match.kind != "turn" or self.own.owes(self.match):
            for _, contribution in self.game.steps[self.match.number - 1].contributions:
                self.match.receive(contribution)
        self.questions.on_event(SPOKEN)

    async def turn(self) -> Turn:
        turn = await self.questions.next()
        assert turn is not None
        return turn

    async def play(self, turn: Turn, action: Action = PASS) -> None:
        async def play() -> None:
            try:
                self.played.append(await turn.play(action))
            except IllegalAction as error:
                self.played.append(str(error))

        self.nursery.start_soon(play)
        await wait_all_tasks_blocked()


SPOKEN = Remarked(1, 1, "hello", courtesy=True)


@pytest.fixture
def asker(brief: Played, nursery: trio.Nursery) -> Asker:
    return Asker(brief, nursery)


async def test_played(asker: Asker) -> None:
    asker.ask()
    turn = await asker.turn()
    await asker.play(turn)
    assert (asker.chosen, asker.played) == ([PASS], [])
    # Of no concern: what others do, and what is said.
    asker.questions.on_event(SPOKEN)
    await wait_all_tasks_blocked()
    assert asker.played == []
    asker.questions.on_event(Turned(3, asker.own.number, PASS))
    asker.questions.on_event(Turned(3, asker.own.number, PASS))
    await wait_all_tasks_blocked()
    assert asker.played == [True]
    assert not await turn.play(PASS), "nothing can be added to it"


@pytest.mark.parametrize(
    "passes",
    [
        lambda asker: asker.questions.on_event(Turned(3, asker.own.number, END)),
        lambda asker: asker.questions.on_event(Skipped(asker.own.number)),
        lambda asker: asker.questions.on_event(Dropped((asker.own.number,))),
        Asker.ask,
        lambda asker: asker.questions.end(),
        Asker.move_on,
    ],
    ids=["another action", "skipped", "dropped", "asked again", "over", "moved on"],
)
async def test_the_moment_has_passed(asker: Asker, passes: Callable[[Asker], None]) -> None:
    asker.ask()
    turn = await asker.turn()
    await asker.play(turn, DRAW)
    passes(asker)
    await wait_all_tasks_blocked()
    assert asker.played == [False]
    assert not turn.open
    asker.questions.end()


async def test_taken_back_before_it_is_played(asker: Asker) -> None:
    asker.ask()
    turn = await asker.turn()
    opens = [turn.open]
    asker.patience.cancel()
    await wait_all_tasks_blocked()
    opens.append(turn.open)
    assert opens == [True, False]
    assert not await turn.play(PASS)
    asker.ask()
    assert await asker.turn() is not turn


@pytest.mark.parametrize("what", [None, 7, ("pass", "0"), Action("place", "cat", "b3")])  # type: ignore[arg-type]  # so it is
async def test_what_is_no_action_is_an_error_of_the_script(asker: Asker, what: Any) -> None:
    asker.ask()
    turn = await asker.turn()
    with pytest.raises(TypeError, match=re.escape(f"{what!r} is not an action, nor its text")) as error:
        await turn.play(what)
    assert (await asker.turn(), turn.refused, turn.open) == (turn, str(error.value), True)
    asker.questions.end()


async def test_cancelled_before_it_is_played(asker: Asker) -> None:
    asker.ask()
    turn = await asker.turn()
    with trio.CancelScope() as scope:
        scope.cancel()
        await turn.play(PASS)
    with trio.fail_after(1):
        assert (await asker.turn(), turn.refused, turn.open) == (turn, None, True)
    asker.questions.end()


async def test_refused(asker: Asker) -> None:
    asker.ask()
    turn = await asker.turn()
    with pytest.raises(NotationError, match="nonsense") as error:
        await turn.play("nonsense")
    assert (await asker.turn(), turn.refused, turn.open) == (turn, str(error.value), True)
    await asker.play(turn)
    asker.ask("you cannot pass")
    await wait_all_tasks_blocked()
    assert asker.played == ["you cannot pass"]
    assert (await asker.turn(), turn.refused, turn.open) == (turn, "you cannot pass", True)
    asker.questions.end()
    assert await asker.questions.next() is None
