"""The review: what a seat can know decides what its move costs, a win is certain, and every golden replay has one."""

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots.chance import CERTAIN
from seqp2p.bots.value import shipped
from seqp2p.match.events import Turned
from seqp2p.replay.playback import Playback, play_back
from seqp2p.reviewing import COSTLY_MIN, Judged, judge, review
from seqp2p.rules import ACTION_ROWS, Action, Position, apply, hide, legal_actions, reveal
from tests.rules.playing import OPTION_TABLES, Table

GOLDEN = sorted((Path(__file__).parents[1] / "replays").glob("*.seqp2p"))


@cache
def playback(path: Path) -> Playback:
    return play_back(path.read_bytes())


def moves_of(position: Position) -> list[Action]:
    return [action for action in legal_actions(position) if ACTION_ROWS[action.kind].ends_turn]


def judged(position: Position, action: Action) -> Judged:
    return judge(position, action, apply(position, action), shipped(position.variant, position.teams))


def dealt_otherwise(position: Position, rng: random.Random) -> Position:
    """The same for the seat to move: the cards of the other hands are dealt again among them."""
    others = [seat for seat in position.staying if seat != position.to_move]
    cards = [card for seat in others for card in position.hands[seat - 1]]
    rng.shuffle(cards)
    sizes = [len(hand) for hand in position.hands]
    position = hide(position, (position.to_move,))
    for seat in others:
        position = reveal(position, seat, [cards.pop() for _ in range(sizes[seat - 1])])
    return position


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32), data=st.data())
def test_a_move_is_judged_by_what_its_seat_knows(table: Table, seed: int, data: st.DataObject) -> None:
    position = table.stopped(seed).position
    moves = moves_of(position)
    if not moves:
        return
    action = data.draw(st.sampled_from(moves))
    found = judged(position, action)
    assert sum(found.chances) in (0, CERTAIN)  # 0 where the seat draws a card that nobody knows here
    assert found.cost >= 0
    assert replace(found, chances=()) == replace(
        judged(dealt_otherwise(position, random.Random(seed)), action), chances=()
    )


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_a_win_is_certain_and_costs_nothing(table: Table, seed: int) -> None:
    position = table.stopped(seed).position
    for action in moves_of(position):
        if winner := apply(position, action).winner:
            found = judged(position, action)
            assert found.chances == tuple(CERTAIN * (team == winner) for team in range(1, position.teams + 1))
            assert (found.best, found.cost) == (action, 0)


@pytest.mark.simulation
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_replays_have_a_review(path: Path) -> None:
    played = playback(path)
    assert played.agreement is not None
    settings = played.agreement.settings
    found = review(played, shipped(settings.rules, settings.teams))
    turns = {
        at: moment.what.seat
        for at, moment in enumerate(played.moments)
        if isinstance(moment.what, Turned) and ACTION_ROWS[moment.what.action.kind].ends_turn
    }
    assert found.moves.keys() == {at for at, seat in turns.items() if seat in played.opened}
    assert {*found.closed} == {*turns.values()} - played.opened
    assert found.closed or all(move.chances for move in found.moves.values())
    costly = [found.moves[at].cost for at in found.costly(5)]
    assert costly == sorted((move.cost for move in found.moves.values() if move.cost >= COSTLY_MIN), reverse=True)[:5]
    last = played.moments[max(found.moves, default=0)]
    if last.position is not None and last.position.winner and found.moves:
        assert found.moves[max(found.moves)].chances[last.position.winner - 1] == CERTAIN
