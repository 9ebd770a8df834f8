"""``strong``: the worlds it deals, its time and its trials, and names of bots. test_bots.py has what it chooses."""

import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.bots import value
from seqp2p.bots.features import shape
from seqp2p.bots.learned import COMPLETED, WIN, Event, Outlook, worth_comparing
from seqp2p.bots.lookahead import TRIED, Effort, Lookahead, StrongBot, World, best_later, shuffled
from seqp2p.bots.registry import BOTS, why_no_bot
from seqp2p.bots.value import CERTAIN, BadWeights, read_weights, shipped
from seqp2p.rules import CLASSIC, KIDS, Action, Position, View, apply, parse_action, parse_card, view
from tests.rules.playing import OPTION_TABLES, TABLES, Table, two
from tools.weights import write_weights

QUIET = two("JC,JS,2S,3H,TS,9H,JD", "e5", "h8 c3")


def bot(trials: int) -> StrongBot:
    return StrongBot(random.Random(1), lambda: 0.0, Effort(trials))


def lookahead(position: Position) -> Lookahead:
    return ahead_of(view(position, position.to_move), 1)


def ahead_of(seen: View, seed: int) -> Lookahead:
    return Lookahead(seen, shipped(seen.variant, seen.teams), random.Random(seed))


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_a_world_is_made_of_the_cards_that_its_seat_has_not_seen(table: Table, seed: int) -> None:
    seen = table.seen(seed)
    world = ahead_of(seen, seed).world()
    assert tuple(map(len, world.hands)) == seen.hand_sizes
    assert world.hands[seen.seat - 1] == seen.hand
    cards = Counter(card for cards in (*world.hands, *seen.discards) for card in cards)
    if seen.pile:
        cards[world.drawn] += 1
    assert cards <= Counter(seen.variant.deck)


def test_worlds_are_dealt_evenly_where_nothing_is_known() -> None:
    ahead, rounds = lookahead(QUIET), 2_000
    held = Counter(card for _ in range(rounds) for card in ahead.world().hands[1])
    hidden = Counter(CLASSIC.deck) - Counter(QUIET.hands[0])
    expected = {card: rounds * 7 * count / 97 for card, count in hidden.items()}
    chi_squared = sum((held[card] - each) ** 2 / each for card, each in expected.items())
    # Five standard deviations above the mean. The seed is fixed.
    assert chi_squared < len(expected) + 5 * (2 * len(expected)) ** 0.5
    assert sorted(shuffled(range(9), random.Random(3))) == list(range(9))


def test_a_card_that_would_have_won_is_rarely_dealt() -> None:
    # b's last chip is b9, far from its open three; e1, the five of spades, would have made four of them.
    position = two("QC,2S,3H,TS,9H,4D,JD", "d5 e5 d7 g3", "b1 c1 d1 b9", discards=["-", "7S"])
    ahead, five, rounds = lookahead(position), parse_card(CLASSIC, "5S"), 1_000
    held = Counter(card for _ in range(rounds) for card in ahead.world().hands[1])
    evenly = rounds * 7 * 2 / len(ahead.hidden)
    assert held[five] < 0.7 * evenly


def test_a_seat_that_can_win_does_so_in_every_world_in_which_it_holds_the_card() -> None:
    position = two("QC,2S,3H,TS,9H,4D,JD", "d5 e5 d7 g3", "b1 c1 d1 a9 b9 c9 d9 e9", sequences="b:a9-e9")
    ahead, seen = lookahead(position), view(position, 1)
    five = parse_card(CLASSIC, "5S")
    others = ahead.world().hands[1]
    with_it = World([seen.hand, (five, *others[1:])], seen.hand[0])
    action = parse_action(CLASSIC, "QC e10")
    assert ahead.play(action, with_it) == 0
    assert 0 < ahead.play(parse_action(CLASSIC, "JD e1"), with_it) < CERTAIN


def test_a_seat_without_an_action_has_no_later_one() -> None:
    outlook = lookahead(QUIET).outlook.after([])
    outlook.hand.clear()
    assert best_later(outlook) is None


PROGRAM = """
import random
from seqp2p.bots.registry import BOTS
from seqp2p.rules import CLASSIC, KIDS
from tests.rules.playing import Table
for table in (Table(CLASSIC, 2, 2), Table(CLASSIC, 6, 3), Table(KIDS, 4, 4)):
    print(BOTS["strong:40"](random.Random(1)).choose(table.seen(1)))
"""


@pytest.mark.process
def test_the_same_seed_makes_the_same_choice_in_every_process() -> None:
    said = set[str]()
    for hash_seed in ("0", "1"):
        environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
        said.add(subprocess.check_output([sys.executable, "-c", PROGRAM], env=environment, text=True))
    (choices,) = said
    assert choices.count("\n") == 3


class Stopwatch:
    """Time that passes with each trial, and in no other way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, trial_s: float) -> None:
        self.now = 100.0
        self.trials = 0

        def play(*_: object) -> int:
            self.now += trial_s
            self.trials += 1
            return self.trials * 7 % 11

        monkeypatch.setattr(Lookahead, "play", play)

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("seconds", [0.05, 0.5, 2.0])
def test_it_keeps_to_its_time(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Stopwatch(monkeypatch, trial_s=0.004)
    player = StrongBot(random.Random(1), clock, Effort(seconds=seconds))
    assert player.choose(view(QUIET, 1)) in view(QUIET, 1).legal
    assert 0.9 * seconds <= clock.now - 100 <= 1.1 * seconds


def test_it_keeps_to_its_trials_however_much_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Stopwatch(monkeypatch, trial_s=0.0)
    for most in (1, 7, 100, 333):
        clock.trials = 0
        StrongBot(random.Random(1), clock, Effort(most, seconds=60)).choose(view(QUIET, 1))
        assert clock.trials <= most


def test_it_asks_for_no_time_where_only_trials_count() -> None:
    def clock() -> float:
        raise AssertionError("no clock is needed")

    StrongBot(random.Random(1), clock, Effort(20)).choose(view(QUIET, 1))


def test_it_takes_no_memory_for_its_trials() -> None:
    seen, player = view(QUIET, 1), bot(trials=30)
    player.choose(seen)
    tracemalloc.start()
    try:
        player.choose(seen)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1 << 20


def test_it_tries_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    position = two("JC,JD,JH,JS,2S,3H,TS", "e5 e6 e7", "h8 c3 c4")
    tried = set[Action]()

    def play(_: Lookahead, action: Action, __: World) -> int:
        tried.add(action)
        return 0

    monkeypatch.setattr(Lookahead, "play", play)
    bot(trials=300).choose(view(position, 1))
    assert len(tried) == TRIED


# Names


def test_names_with_a_number() -> None:
    seen = view(QUIET, 1)
    named: Action = BOTS["strong:20"](random.Random(1)).choose(seen)
    assert named == bot(trials=20).choose(seen)
    assert "strong:20" in BOTS
    assert "strong:20" not in list(BOTS)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("clever", f"there is no bot 'clever': the bots are {', '.join(BOTS)}, strong:N"),
        (":3", f"there is no bot ':3': the bots are {', '.join(BOTS)}, strong:N"),
        ("greedy:3", "the bot greedy takes no number: write greedy"),
        *(
            (f"strong:{number}", "the number of trials for a choice is 1 to 100000: write for instance strong:200")
            for number in ("", "0", "-1", "100001", "1e3", "٣", "1:2", "9" * 30)
        ),
    ],
)
def test_names_of_no_bot(name: str, reason: str) -> None:
    assert why_no_bot(name) == reason
    assert name not in BOTS
    with pytest.raises(KeyError):
        BOTS[name]


# ``learned``: a sum by differences is the whole sum, and files of weights that cannot be used.


FORM = shape(CLASSIC, 2)
ZERO = write_weights("classic-2", [[[0.0] * 3] * FORM.features] * FORM.states, [[0.0] * 2] * FORM.states)


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_differences_give_the_sum(table: Table, seed: int) -> None:
    seen = table.seen(seed)
    outlook = Outlook(seen, shipped(seen.variant, seen.teams))
    for action in worth_comparing(seen):
        if action.kind in {"place", "remove"}:
            assert outlook.value(action) == copy(outlook).counted_with(action, outlook._changes(action))
            completes = len(apply(seen.position, action).sequences) > len(seen.sequences)
            plain = completes and action.card not in seen.variant.wild
            assert outlook.worth(action) == outlook.value(action) + COMPLETED * plain


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_a_later_position_is_as_if_it_had_been_seen(table: Table, seed: int) -> None:
    game = table.stopped(seed)
    before, dice = game.position, random.Random(seed)
    outlook, events = Outlook(view(before, before.to_move), shipped(before.variant, before.teams)), list[Event]()
    while len(events) < 3 and not game.position.over:
        action = dice.choice(view(game.position, game.position.to_move).legal)
        if action.kind not in {"place", "remove"} or (len(events) == table.players and not game.pile):
            return
        events.append((game.position.to_move, action))
        game.play(action)
    drawn = [card for (seat, _), card in zip(events, game.drawn[-len(events) :], strict=True) if seat == before.to_move]
    if game.position.reshuffles != before.reshuffles or len(drawn) > 1:
        return
    seen = Outlook(view(game.position, before.to_move), outlook._weights)
    later = outlook.after(events, *drawn)
    assert (later.seen, sorted(later.sequences), later._sums) == (seen.seen, sorted(seen.sequences), seen._sums)
    assert (+later.hand, later._free, sorted(later._dead)) == (+seen.hand, seen._free, sorted(seen._dead))
    assert later._total == seen._total


def test_the_value_of_a_win_is_beyond_all_others() -> None:
    assert WIN > 1 << 2 * value.FIELD_BITS - 8


def test_weights_are_read_as_written() -> None:
    weights = read_weights(ZERO, "classic-2", FORM.states, FORM.features)
    assert weights.value(0, weights.rows[0][5]) == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (ZERO[:-2], "damaged"),
        (ZERO[:-1] + b"\1", "damaged"),
        (ZERO.replace(b"value 1", b"value 2"), "another version"),
        (b"", "another version"),
    ],
)
def test_weights_that_are_not_whole_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(BadWeights, match=reason):
        read_weights(content, "classic-2", FORM.states, FORM.features)


def test_without_weights_one_sentence_says_so_and_other_bots_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value, "name_of", lambda variant, teams: f"no-{variant.name}-{teams}")
    shipped.cache_clear()
    try:
        assert why_no_bot("learned") == "the bot's weights no-classic-2 are missing: reinstall seqp2p"
        for needing in ("easy", "normal", "hard", "strong", "strong:20"):
            assert why_no_bot(needing) == why_no_bot("learned")
        for other in ("greedy", "random"):
            assert why_no_bot(other) is None
    finally:
        shipped.cache_clear()


def test_one_file_serves_all_numbers_of_teams_of_children() -> None:
    assert shipped(KIDS, 2).rows == shipped(KIDS, 4).rows
