"""The games of training are the engine's, and their values the bot's."""

import numpy as np

from seqp2p.bots.learned import WIN, Outlook
from seqp2p.bots.value import SCALE, read_weights
from seqp2p.rules import CLASSIC, KIDS, Action, Options, Position, apply, place, remove, start, view
from tests.each import for_each
from tools.batch import TAKE, WILD, Batch
from tools.weights import write_weights

UNITS = 4


def position_of(batch: Batch) -> Position:
    faces = range(len(batch.variant.faces))
    hands = [[card for card in faces for _ in range(batch.hand[0, seat, card])] for seat in range(batch.players)]
    return start(batch.variant, batch.players, batch.teams, Options(), 1, hands)


def action_of(batch: Batch, square: int, kind: int) -> Action:
    hand = batch.hand[0, batch.seat]
    if kind == TAKE:
        return remove(next(card for card in batch.variant.removing if hand[card]), square)
    if kind == WILD:
        return place(next(card for card in batch.variant.wild if hand[card]), square)
    return place(batch.variant.board.grid[square], square)


def drawn(batch: Batch) -> int:
    return int(batch.pile[0, batch.top[0]])


TABLES = {
    "two players": (CLASSIC, 2, 2),
    "pairs": (CLASSIC, 4, 2),
    "three teams": (CLASSIC, 6, 3),
    "three children": (KIDS, 3, 3),
    "two children": (KIDS, 2, 2),
}


@for_each(TABLES)
def test_batch_plays_as_the_engine(table: str) -> None:
    variant, players, teams = TABLES[table]
    seed = list(TABLES).index(table)
    rng = np.random.default_rng(seed)
    batch = Batch(variant, players, teams, 1, rng)
    form = batch.tables.shape
    rows = rng.normal(0, 0.5, (form.states, form.features, UNITS))
    rows[:, 0] = 0
    content = write_weights("trial", rows.tolist(), rng.normal(0, 1, (form.states, UNITS - 1)).tolist())
    weights = read_weights(content, "trial", form.states, form.features)
    numbers = np.frombuffer(content[content.index(b"\n") + 33 :], "<i2").astype(np.int64)
    split = form.states * form.features * UNITS
    tables, out = numbers[:split].reshape(rows.shape), numbers[split:].reshape(form.states, -1)
    position = position_of(batch)
    only = np.zeros(1, np.int64)
    while batch.winner[0] < 0:
        seat, left = batch.seat, batch.exchanges()[0]
        while left and len(batch.exchange(only)):
            left -= 1
            card = drawn(batch)
            position = apply(
                position, Action("exchange", int(batch.last[0, seat]) if batch.last[0, seat] >= 0 else -1), card
            )
        seen = view(position, seat + 1)
        at, square, kind = batch.candidates(only)
        if not len(at):
            assert [action.kind for action in seen.legal] == ["pass"]
            batch.play(only[:0], square, kind)
            position = apply(position, seen.legal[0])
            continue
        phi, state, wins = batch.features(only, at, square, kind)
        outlook = Outlook(seen, weights)
        for n in range(len(at)):
            sums = phi[n].astype(np.int64) @ tables[state[n]]
            value = int(sums[-1]) * SCALE + int(np.maximum(sums[:-1], 0) @ out[state[n]])
            assert outlook.value(action_of(batch, int(square[n]), int(kind[n]))) == (WIN if wins[n] else value)
        pick = int(rng.integers(len(at)))
        if (complete := np.flatnonzero(kind == 0)).size and rng.random() < 0.9:
            pick = int(rng.choice(complete))
        action = action_of(batch, int(square[pick]), int(kind[pick]))
        batch.play(only, square[[pick]], kind[[pick]])
        position = apply(position, action, drawn(batch))
        assert position.winner == max(batch.winner[0], 0)
        for team in range(teams):
            assert position.chips[team] == sum(1 << int(s) for s in np.flatnonzero(batch.chip[0] == team + 1))
            assert sum(each.team == team + 1 for each in position.sequences) == batch.made[0, team]
    assert position.over
