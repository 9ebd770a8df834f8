"""Asking the player, and what time decides in its place: manual draw, alone and at whole tables."""

import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from seqp2p.bots.player import SeatPlayer
from seqp2p.live.asking import HASTE_S, PATIENCE_S, Asking, Chosen, Turns
from seqp2p.live.seat_session import SeatSession
from seqp2p.match.contribution import Contribution
from seqp2p.match.machine import Match
from seqp2p.rules import CLASSIC, DRAW, END, WAIVE, Action, Options, View, apply, legal_actions, start, view
from tests.live.parties import Party, Place, Scripted, checked
from tests.live.test_seat_session import Linkless, Noting
from tests.match.voting import table
from tests.table import play

MANUAL = Options(manual_draw=True)


def seen_in(phase: str) -> View:
    """What a seat sees that is to do something in this phase."""
    hands = [tuple(range(7)), tuple(range(7, 14))]
    position = start(CLASSIC, 2, 2, MANUAL, 1, hands)
    played = apply(position, legal_actions(position)[0])
    forgotten = apply(played, END)
    late = apply(forgotten, legal_actions(forgotten)[0])
    position = {"play": position, "draw": played, "late": late}[phase]
    return view(position, position.to_move)


class Slow:
    """Answers after so long, each time with the next of these."""

    def __init__(self, after_s: float, *actions: Action) -> None:
        self.after_s = after_s
        self.actions = list(actions)
        self.asked: list[str | None] = []
        self.cancelled = 0

    async def choose(self, view: View, refused: str | None) -> Action:
        self.asked.append(refused)
        try:
            await trio.sleep(self.after_s)
        except trio.Cancelled:
            self.cancelled += 1
            raise
        return self.actions.pop(0)


Taken = list[tuple[float, Chosen]]


@asynccontextmanager
async def asked(
    player: SeatPlayer, phase: str, why: str | None = None, *, ahead: bool = False, take_s: float = 0
) -> AsyncGenerator[tuple[Asking, Taken]]:
    """A player is asked about step 7. The session takes what it says, after so long, and when."""
    taken: Taken = []

    async def take(chosen: Chosen) -> None:
        await trio.sleep(take_s)
        taken.append((trio.current_time(), chosen))

    asking = Asking(player, take)
    asking.hurry()  # Nothing is asked.
    async with trio.open_nursery() as nursery:
        asking.begin(nursery)
        asking.ask(7, seen_in(phase), why, ahead=ahead)
        yield asking, taken


async def test_an_answer(autojump_clock: object) -> None:
    player = Slow(100, DRAW)
    async with asked(player, "play", "why not") as (asking, taken):
        assert asking.open == (7, False)
    assert taken == [(100, Chosen(7, DRAW, ahead=False))]
    assert player.asked == ["why not"]
    assert asking.open == (7, False), "it is not asked again by itself"
    assert asking.take_ahead() is None


async def test_another_question_takes_the_first_back(autojump_clock: object) -> None:
    player = Slow(100, DRAW)
    async with asked(player, "play") as (asking, taken):
        await trio.sleep(50)
        asking.ask(8, seen_in("play"), None)
    assert taken == [(150, Chosen(8, DRAW, ahead=False))]
    assert player.cancelled == 1


class Alone:
    """Knows the question that it has before it, as a person does, and forgets it when it is taken back."""

    def __init__(self) -> None:
        self.open: View | None = None

    async def choose(self, view: View, refused: str | None) -> Action:
        assert self.open is None, "two questions at a time"
        self.open = view
        try:
            await trio.sleep_forever()
        finally:
            self.open = None
        raise AssertionError


async def test_a_question_is_not_put_before_the_last_one_is_gone(autojump_clock: object) -> None:
    """Whichever of the two tasks trio runs first."""
    player = Alone()
    async with asked(player, "draw") as (asking, _):
        for step in range(30):
            asking.ask(step, each := seen_in("draw"), None, ahead=step % 2 == 0)
            await wait_all_tasks_blocked()
            assert player.open is each
        asking.take_back()


@pytest.mark.parametrize(("phase", "forgotten"), [("draw", END), ("late", WAIVE)])
async def test_a_draw_is_forgotten(autojump_clock: object, phase: str, forgotten: Action) -> None:
    async with asked(Slow(math.inf), phase) as (_, taken):
        pass
    assert taken == [(PATIENCE_S[phase], Chosen(7, forgotten, ahead=False))]


@pytest.mark.parametrize("at_once", [True, False])
async def test_haste_cuts_the_wait(autojump_clock: object, at_once: bool) -> None:
    """Also of a question that was asked just now, and whose task has not run yet."""
    async with asked(Slow(math.inf), "late") as (asking, taken):
        if not at_once:
            await wait_all_tasks_blocked()
        asking.hurry()
    assert taken == [(HASTE_S, Chosen(7, WAIVE, ahead=False))]


@pytest.mark.parametrize("after_s", [0, HASTE_S - 0.1])
async def test_haste_leaves_a_choice_made_alone(autojump_clock: object, after_s: float) -> None:
    async with asked(Slow(after_s, DRAW), "late") as (asking, taken):
        asking.hurry()
    assert taken == [(after_s, Chosen(7, DRAW, ahead=False))]


async def test_haste_never_makes_the_wait_longer(autojump_clock: object) -> None:
    async with asked(Slow(math.inf), "draw") as (asking, taken):
        await trio.sleep(PATIENCE_S["draw"] - HASTE_S / 2)
        asking.hurry()
    assert taken[0][0] == PATIENCE_S["draw"]


async def test_a_choice_ahead_is_kept_from_the_moment_it_is_made(autojump_clock: object) -> None:
    """Even if the session has not taken the answer when the draw opens."""
    async with asked(Slow(1, DRAW), "draw", ahead=True, take_s=math.inf) as (asking, _):
        await trio.sleep(0.5)
        assert asking.take_ahead() is None
        await trio.sleep(1)
        assert asking.take_ahead() == DRAW
        assert asking.take_ahead() is None
        asking.take_back()


async def test_what_cannot_be_done_ahead_is_not_kept(autojump_clock: object) -> None:
    async with asked(Slow(1, WAIVE), "draw", ahead=True) as (asking, taken):
        pass
    assert taken == [(1, Chosen(7, WAIVE, ahead=True))]
    assert asking.take_ahead() is None


# A draw that another seat owes.


@dataclass
class Late:
    """A table of three where a seat owes a draw. ``mover`` is next to draw, ``third`` only sits there."""

    match: Match
    owing: int
    mover: int
    third: int
    asked: dict[int, Noting]
    turns: dict[int, Turns]


@pytest.fixture
def late() -> Late:
    match, seats = table(3, "classic", manual_draw=True)
    play(match, seats, lambda seen: END if END in seen.legal else seen.legal[0], lambda match: match.kind == "late")
    position = match.game.table_position()
    (third,) = {1, 2, 3} - {position.to_move, position.mover}
    asked = {seat: Noting() for seat in (1, 2, 3)}
    turns = {seat: Turns(match, seats[seat - 1], Linkless(seat, ()), asking) for seat, asking in asked.items()}
    return Late(match, position.to_move, position.mover, third, asked, turns)


def test_only_the_next_player_hurries_and_only_who_owes_a_draw(late: Late) -> None:
    number = late.match.number
    for sender, step in ((late.third, number), (late.mover, number - 1), (late.mover, number + 1)):
        late.turns[late.owing].hurry(sender, step)
    late.turns[late.third].hurry(late.mover, number)
    assert not any(asking.hurried for asking in late.asked.values())
    late.turns[late.owing].hurry(late.mover, number)
    assert late.asked[late.owing].hurried == 1


def test_what_cannot_be_done_ahead_is_asked_for_again(late: Late) -> None:
    step, asked = late.match.number, late.asked[late.mover]
    late.turns[late.mover].ask()
    assert asked.open == (step, True)
    assert late.turns[late.mover].chosen(Chosen(step, Action("place", 1, 1), ahead=True)) is None
    assert asked.open == (step, True)
    first, second = asked.why
    assert first is None
    assert "has played its card: it can draw" in str(second)


# Drawing by hand between sessions.

Script = Callable[[View], Awaitable[Action | None]]


def by_phase(**scripts: Script) -> Scripted:
    """A player that does what a script says in its phase, and what comes otherwise."""

    async def script(view: View, refused: str | None) -> Action | None:
        act = scripts.get(view.phase)
        return None if act is None else await act(view)

    return Scripted(script)


def does(action: Action, after_s: float = 0.0) -> Script:
    async def act(_view: View) -> Action:
        await trio.sleep(after_s)
        return action

    return act


FORGETS = does(DRAW, math.inf)


def turns(place: Place) -> list[tuple[float, int, str]]:
    """What was done with the draws, and the placings between."""
    return place.actions("place", "remove", "draw", "end", "waive")


async def played(party: Party, count: int) -> list[tuple[float, int, str]]:
    """The first so many actions at a table; the first mover is called 1, the next 2. Then all leave."""
    async with party.playing():
        await party.until(1, lambda _: len(turns(party[1])) >= count)
        for place in party.places.values():
            place.scope.cancel()
    checked(party, "unfinished")
    done = turns(party[1])[:count]
    first = done[0][1]
    return [(when, (seat - first) % party.players + 1, kind) for when, seat, kind in done]


@pytest.mark.parametrize(("players", "without"), [(2, set[tuple[int, int]]()), (3, {(1, 2)}), (3, {(1, 3)})])
async def test_who_never_draws_forgets(
    virtual_time: object, tmp_path: Path, players: int, without: set[tuple[int, int]]
) -> None:
    """After the placing there are so many seconds, and once more so many when the next has placed."""
    party = Party(tmp_path, players, manual_draw=True, without=without)
    for seat in range(1, players + 1):
        party.sit(seat, by_phase(draw=FORGETS, late=FORGETS))
    done = await played(party, 5)
    assert [(seat, kind) for _, seat, kind in done] == [
        (1, "place"),
        (1, "end"),
        (2, "place"),
        (1, "waive"),
        (2, "end"),
    ]
    start_at, end_at, placed_at, waived_at, last_at = (when for when, _, _ in done)
    assert end_at - start_at == pytest.approx(PATIENCE_S["draw"], abs=0.1)
    assert placed_at == pytest.approx(end_at, abs=0.1)
    # The next player has forgotten its own draw meanwhile, and says so to those it is linked with.
    first = turns(party[1])[0][1]
    linked = not {(first, first % players + 1), (first % players + 1, first)} & without
    expected_s = PATIENCE_S["draw"] + HASTE_S if linked else PATIENCE_S["late"]
    assert waived_at - placed_at == pytest.approx(expected_s, abs=0.1)
    assert last_at == pytest.approx(waived_at, abs=0.1)


def ends_first(asked: list[int]) -> Script:
    """Take two seconds; the first mover forgets its draw then, the others draw. Note the turns asked about."""

    async def act(view: View) -> Action:
        asked.append(view.turn)
        await trio.sleep(2)
        return END if view.turn == 0 else DRAW

    return act


@pytest.mark.parametrize(
    ("late_s", "at_s", "kind"),
    [(1, 3, "draw"), (2 + HASTE_S / 2, 4 + HASTE_S / 2, "draw"), (math.inf, 4 + HASTE_S, "waive")],
)
async def test_a_late_draw(virtual_time: object, tmp_path: Path, late_s: float, at_s: float, kind: str) -> None:
    """In time is before the next player has chosen, or in the moment that haste leaves.

    The next player's choice to draw is made ahead, hurries the one before, and holds without being asked for again.
    """
    party, asked = Party(tmp_path, 2, manual_draw=True), list[int]()
    for seat in (1, 2):
        party.sit(seat, by_phase(draw=ends_first(asked), late=does(DRAW, late_s)))
    done = await played(party, 5)
    assert done[:4] == [(0, 1, "place"), (2, 1, "end"), (2, 2, "place"), (at_s, 1, kind)]
    if late_s < 2:
        # It had not chosen yet, and is asked anew when its draw opens.
        assert done[4] == (at_s + 2, 2, "draw")
        assert asked == [0, 1, 1]
    else:
        assert done[4] == (at_s, 2, "draw")
        assert asked == [0, 1]


class Dawdler(SeatSession):
    """Takes three seconds for its shares for a drawn card."""

    async def _contribute(self, own: Contribution) -> None:
        if self.match.kind == "draw":
            await trio.sleep(3)
        await super()._contribute(own)


async def test_a_choice_ahead_holds_while_the_late_card_is_dealt(virtual_time: object, tmp_path: Path) -> None:
    """It is made when the late draw is no longer open and its own not yet, and it is not asked for again."""
    party, asked = Party(tmp_path, 3, manual_draw=True), list[int]()
    for seat in (1, 2, 3):
        party.sit(seat, by_phase(draw=ends_first(asked), late=does(DRAW, 0.5)), session=Dawdler)
    done = await played(party, 5)
    assert done[2:] == [(2, 2, "place"), (2.5, 1, "draw"), (5.5, 2, "draw")]
    assert asked[:2] == [0, 1]
