"""``strong``: what it sees at once, what it never sees, and that it keeps within its time and its trials."""

import random
import subprocess
import sys
import tracemalloc
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqp2p.bots.lookahead import TRIED, Effort, Lookahead, StrongBot, World, best_later, shuffled
from seqp2p.bots.player import Bot
from seqp2p.bots.registry import BOTS, RandomBot, why_no_bot
from seqp2p.bots.value import CERTAIN, shipped
from seqp2p.rules import (
    CLASSIC,
    DRAW,
    KIDS,
    Action,
    Options,
    Position,
    Variant,
    View,
    apply,
    format_action,
    hide,
    parse_action,
    parse_card,
    view,
)
from tests.rules.playing import OPTION_TABLES, TABLES, Game, make, random_position

OTHERS = "?,?,?,?,?,?,?"


def bot(trials: int = 150, seed: int = 1) -> StrongBot:
    return StrongBot(random.Random(seed), lambda: 0.0, Effort(trials))


def choice(position: Position, trials: int = 150, seed: int = 1) -> str:
    """What strong does."""
    action = bot(trials, seed).choose(view(position, position.to_move))
    return format_action(position.variant, action)


def lookahead(position: Position, seed: int = 1) -> Lookahead:
    return ahead_of(view(position, position.to_move), seed)


def ahead_of(seen: View, seed: int = 1) -> Lookahead:
    return Lookahead(seen, shipped(seen.variant, seen.teams), random.Random(seed))


# What it does


def test_it_completes_its_last_sequence() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2 b4 c4 d4 e4", "b": "h5 h6 h7 h8 d9 e9 f9 g9"},
        ["3C,4C,TC,7C,3H,2H,JC", OTHERS],
        sequences="a:b2-f2",
    )
    assert choice(position, trials=1) == "3C f4"


@given(table=st.sampled_from(TABLES), seed=st.integers(0, 2**32))
def test_it_never_passes_a_win_by(table: tuple[Variant, int, int], seed: int) -> None:
    seen = seen_somewhere((*table, Options()), seed)
    winning = [action for action in seen.legal if apply(seen.position, action).winner == seen.team]
    if winning:
        assert bot(trials=1, seed=seed).choose(seen) in winning


def test_it_spoils_what_would_win() -> None:
    # b has one sequence and lacks e1 for the second: that is the five of spades.
    position = make(
        {"a": "d5 e5 d7 g3", "b": "b1 c1 d1 a9 b9 c9 d9 e9"},
        ["5S,QC,2S,3H,TS,9H,4D", OTHERS],
        sequences="b:a9-e9",
    )
    assert choice(position, trials=400) == "5S e1"


def test_it_spoils_what_would_win_with_a_jack_if_it_must() -> None:
    position = make(
        {"a": "d5 e5 d7 g3", "b": "b1 c1 d1 a9 b9 c9 d9 e9"},
        ["JC,QC,2S,3H,TS,9H,4D", OTHERS],
        sequences="b:a9-e9",
    )
    assert choice(position, trials=400) == "JC e1"


def test_it_takes_a_chip_out_of_what_would_win() -> None:
    position = make(
        {"a": "d5 e5 d7 g3", "b": "b1 c1 d1 a9 b9 c9 d9 e9"},
        ["JS,QC,2S,3H,TS,9H,4D", OTHERS],
        sequences="b:a9-e9",
    )
    assert choice(position, trials=600) in {f"JS x{square}" for square in ("b1", "c1", "d1")}


def test_it_keeps_its_jacks_while_nothing_is_at_stake() -> None:
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    assert "J" not in choice(position)


def test_it_exchanges_a_dead_card_first() -> None:
    position = make({"a": "i1 b7", "b": "h8"}, ["9S,2S,5S,6S,TS,9H,4D", OTHERS])
    assert choice(position) == "9S dead"


def test_it_wins_before_it_exchanges() -> None:
    position = make(
        {"a": "b2 c2 d2 e2 f2 b4 c4 d4 e4 i1", "b": "h5 h6 h7 d9 e9 f9 g9 b7"},
        ["3C,9S,TC,7C,3H,2H,JC", OTHERS],
        sequences="a:b2-f2",
    )
    assert choice(position) == "3C f4"


def test_it_draws_whenever_it_may() -> None:
    for seed in range(40):
        game = random_position(CLASSIC, 4, 2, seed, Options(manual_draw=True))
        seen = view(game.position, game.position.to_move)
        if seen.phase in {"draw", "late"}:
            assert bot(trials=1).choose(seen) == DRAW


def test_it_gives_up_no_jack() -> None:
    hands = ["9S,2S,JC,JS,TS,9H", "?,?,?,?,?,?", "?,?,?,?,?,?", "?,?,?,?,?,?"]
    position = make(
        {"a": "i1 b7 c3", "b": "h8 g8 d4"},
        hands,
        options="no-table-talk",
        pending="penalty/2/-/1,3/-",
        to_move=1,
        possible=False,
    )
    assert "J" not in choice(position)


# What it may do


def seen_somewhere(table: tuple[Variant, int, int, Options], seed: int) -> View:
    variant, players, teams, options = table
    position = random_position(variant, players, teams, seed, options).position
    return view(position, position.to_move)


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32), trials=st.integers(1, 10))
def test_what_it_chooses_is_legal_in_every_phase_of_every_game(
    table: tuple[Variant, int, int, Options], seed: int, trials: int
) -> None:
    seen = seen_somewhere(table, seed)
    assert bot(trials, seed).choose(seen) in seen.legal


@pytest.mark.parametrize(("variant", "players", "teams"), [(CLASSIC, 2, 2), (CLASSIC, 12, 3), (KIDS, 4, 4)])
def test_it_plays_whole_games(variant: Variant, players: int, teams: int) -> None:
    options = Options(advanced=True, manual_draw=True) if variant is CLASSIC else Options()
    game, player = Game.deal(variant, players, teams, random.Random(5), options), bot(trials=12)
    while not game.position.over:
        game.play(player.choose(view(game.position, game.position.to_move)))
    assert game.position.winner


def test_it_beats_random() -> None:
    for seed in range(2):
        bots: list[Bot] = [bot(trials=15, seed=seed), RandomBot(random.Random(seed))]
        game = Game.deal(CLASSIC, 2, 2, random.Random(seed))
        while not game.position.over:
            game.play(bots[(game.position.to_move + seed) % 2].choose(view(game.position, game.position.to_move)))
        assert game.position.winner % 2 == seed % 2


# What it knows


@settings(max_examples=40)
@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_it_chooses_the_same_whatever_the_others_hold(table: tuple[Variant, int, int, Options], seed: int) -> None:
    variant, players, teams, options = table
    game = random_position(variant, players, teams, seed, options)
    position, seat = game.position, game.position.to_move
    hidden = [card for at, hand in enumerate(position.hands, 1) if at != seat for card in hand] + game.pile
    random.Random(seed).shuffle(hidden)
    hands = [
        hand if at == seat else tuple(sorted(hidden.pop() for _ in hand))
        for at, hand in enumerate(position.hands, start=1)
    ]
    chosen = choice(position, trials=20, seed=seed)
    assert choice(position._replace(hands=tuple(hands)), trials=20, seed=seed) == chosen
    assert choice(hide(position, (seat,)), trials=20, seed=seed) == chosen


@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_a_world_is_made_of_the_cards_that_its_seat_has_not_seen(
    table: tuple[Variant, int, int, Options], seed: int
) -> None:
    seen = seen_somewhere(table, seed)
    world = ahead_of(seen, seed).world()
    assert tuple(map(len, world.hands)) == seen.hand_sizes
    assert world.hands[seen.seat - 1] == seen.hand
    cards = Counter(card for cards in (*world.hands, *seen.discards) for card in cards)
    if seen.pile:
        cards[world.drawn] += 1
    assert cards <= Counter(seen.variant.deck)


def test_worlds_are_dealt_evenly_where_nothing_is_known() -> None:
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    ahead, rounds = lookahead(position), 2_000
    held = Counter(card for _ in range(rounds) for card in ahead.world().hands[1])
    hidden = Counter(CLASSIC.deck) - Counter(position.hands[0])
    expected = {card: rounds * 7 * count / 97 for card, count in hidden.items()}
    chi_squared = sum((held[card] - each) ** 2 / each for card, each in expected.items())
    # Five standard deviations above the mean. The seed is fixed.
    assert chi_squared < len(expected) + 5 * (2 * len(expected)) ** 0.5
    assert sorted(shuffled(range(9), random.Random(3))) == list(range(9))


def test_a_card_that_would_have_won_is_rarely_dealt() -> None:
    # b's last chip is b9, far from its open three; e1, the five of spades, would have made four of them.
    position = make({"a": "d5 e5 d7 g3", "b": "b1 c1 d1 b9"}, ["QC,2S,3H,TS,9H,4D,JD", OTHERS], discards=["-", "7S"])
    ahead, five, rounds = lookahead(position), parse_card(CLASSIC, "5S"), 1_000
    held = Counter(card for _ in range(rounds) for card in ahead.world().hands[1])
    evenly = rounds * 7 * 2 / len(ahead.hidden)
    assert held[five] < 0.7 * evenly


def test_a_seat_that_can_win_does_so_in_every_world_in_which_it_holds_the_card() -> None:
    position = make(
        {"a": "d5 e5 d7 g3", "b": "b1 c1 d1 a9 b9 c9 d9 e9"}, ["QC,2S,3H,TS,9H,4D,JD", OTHERS], sequences="b:a9-e9"
    )
    ahead, seen = lookahead(position), view(position, 1)
    five = parse_card(CLASSIC, "5S")
    others = ahead.world().hands[1]
    with_it = World([seen.hand, (five, *others[1:])], seen.hand[0])
    action = parse_action(CLASSIC, "QC e10")
    assert ahead.play(action, with_it) == 0
    assert 0 < ahead.play(parse_action(CLASSIC, "JD e1"), with_it) < CERTAIN


def test_a_seat_without_an_action_has_no_later_one() -> None:
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    outlook = lookahead(position).outlook.after([])
    outlook.hand.clear()
    assert best_later(outlook) is None


# How much it takes


@pytest.mark.process
def test_the_same_seed_makes_the_same_choice_in_every_process() -> None:
    program = (
        "import random\n"
        "from seqp2p.bots.registry import BOTS\n"
        "from seqp2p.rules import CLASSIC, KIDS, Options, view\n"
        "from tests.rules.playing import random_position\n"
        "for seed in range(4):\n"
        "    for variant, players, teams in ((CLASSIC, 2, 2), (CLASSIC, 6, 3), (KIDS, 4, 4)):\n"
        "        position = random_position(variant, players, teams, seed).position\n"
        "        print(BOTS['strong:40'](random.Random(seed)).choose(view(position, position.to_move)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("Action") == 12


class Stopwatch:
    """Time that passes with what is tried, and in no other way."""

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
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    player = StrongBot(random.Random(1), clock, Effort(seconds=seconds))
    assert player.choose(view(position, 1)) in view(position, 1).legal
    assert 0.9 * seconds <= clock.now - 100 <= 1.1 * seconds


def test_it_keeps_to_its_trials_however_much_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Stopwatch(monkeypatch, trial_s=0.0)
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    for most in (1, 7, 100, 333):
        clock.trials = 0
        StrongBot(random.Random(1), clock, Effort(most, seconds=60)).choose(view(position, 1))
        assert clock.trials <= most


def test_it_asks_for_no_time_where_only_trials_count() -> None:
    def clock() -> float:
        raise AssertionError("no clock is needed")

    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    StrongBot(random.Random(1), clock, Effort(20)).choose(view(position, 1))


def test_it_takes_no_memory_for_its_trials() -> None:
    position = make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS])
    seen, player = view(position, 1), bot(trials=100)
    player.choose(seen)
    tracemalloc.start()
    try:
        player.choose(seen)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1 << 20


def test_it_tries_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    position = make({"a": "e5 e6 e7", "b": "h8 c3 c4"}, ["JC,JD,JH,JS,2S,3H,TS", OTHERS])
    tried = set[Action]()

    def play(_: Lookahead, action: Action, __: World) -> int:
        tried.add(action)
        return 0

    monkeypatch.setattr(Lookahead, "play", play)
    bot(trials=300).choose(view(position, 1))
    assert len(tried) == TRIED


# Names


def test_names_with_a_number() -> None:
    seen = view(make({"a": "e5", "b": "h8 c3"}, ["JC,JS,2S,3H,TS,9H,JD", OTHERS]), 1)
    named: Action = BOTS["strong:20"](random.Random(1)).choose(seen)
    assert named == bot(trials=20).choose(seen)
    assert "strong:20" in BOTS
    assert list(BOTS) == ["easy", "normal", "hard", "random", "greedy", "learned", "strong"]
    assert len(BOTS) == 7


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "clever",
            "there is no bot 'clever': the bots are easy, normal, hard, random, greedy, learned, strong, strong:N",
        ),
        (":3", "there is no bot ':3': the bots are easy, normal, hard, random, greedy, learned, strong, strong:N"),
        ("greedy:3", "the bot greedy takes no number: write greedy"),
        *(
            (f"strong:{number}", "the trials for a choice are a number from 1 to 100000: write for instance strong:200")
            for number in ("", "0", "-1", "100001", "1e3", "٣", "1:2", "9" * 30)
        ),
    ],
)
def test_names_of_no_bot(name: str, reason: str) -> None:
    assert why_no_bot(name) == reason
    assert name not in BOTS
    with pytest.raises(KeyError):
        BOTS[name]
