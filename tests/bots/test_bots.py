"""The bots that ship: fair dice, legal choices, and where one choice is best, that choice."""

import random
import threading
from collections import Counter

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from seqp2p import rules
from seqp2p.bots.chance import CERTAIN, VALUE_MAX, Kind, Prospect, Standing, chances_of, standings, terms_of
from seqp2p.bots.player import Bot, BotPlayer
from seqp2p.bots.registry import BOTS, RandomBot, why_no_bot
from seqp2p.bots.value import SCALE, shipped
from tests.each import for_each
from tests.rules.playing import OPTION_TABLES, TABLES, Table, make, two

every = pytest.mark.parametrize("name", [*BOTS])


def test_random_takes_every_legal_action_equally_often() -> None:
    seen = Table(rules.CLASSIC, 2, 2).seen(3)
    bot, rounds = RandomBot(random.Random(1)), 200 * len(seen.legal)
    counts = Counter(bot.choose(seen) for _ in range(rounds))
    assert set(counts) == set(seen.legal)
    # Chi-squared with len - 1 degrees of freedom; five standard deviations above its mean. The seed is fixed.
    chi_squared = sum((count - 200) ** 2 / 200 for count in counts.values())
    freedom = len(seen.legal) - 1
    assert chi_squared < freedom + 5 * (2 * freedom) ** 0.5


@for_each(BOTS)
def test_dice_of_the_same_seed_fall_the_same(name: str) -> None:
    seen = Table(rules.KIDS, 3, 3).seen(2)
    assert BOTS[name](random.Random(7)).choose(seen) == BOTS[name](random.Random(7)).choose(seen)


@every
@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_a_bot_chooses_what_is_legal_in_every_phase_of_every_game(name: str, table: Table, seed: int) -> None:
    seen = table.seen(seed)
    assert not seen.legal or BOTS[name](random.Random(seed)).choose(seen) in seen.legal


@pytest.mark.parametrize("name", ["easy", "normal", "greedy", "learned"])
@given(table=st.sampled_from(OPTION_TABLES), seed=st.integers(0, 2**32))
def test_no_win_is_passed_by(name: str, table: Table, seed: int) -> None:
    seen = table.seen(seed)
    if winning := [action for action in seen.legal if rules.apply(seen.position, action).winner == seen.team]:
        assert BOTS[name](random.Random(seed)).choose(seen) in winning


@every
def test_a_bot_draws_where_it_may(name: str) -> None:
    table = Table(rules.CLASSIC, 2, 2, rules.Options(manual_draw=True))
    drawing = [(seed, seen) for seed in range(40) if rules.DRAW in (seen := table.seen(seed)).legal]
    assert len(drawing) > 5
    for seed, seen in drawing:
        assert BOTS[name](random.Random(seed)).choose(seen) == rules.DRAW


@every
def test_a_bot_plays_on_after_others_have_left(name: str) -> None:
    game, bot = Table(rules.CLASSIC, 4, 2).deal(random.Random(7)), BOTS[name](random.Random(7))
    while not game.position.over:
        if game.position.turn == 9 and not game.position.out:
            game.drop({(game.position.to_move + 1) % 4 + 1})
        game.play(bot.choose(rules.view(game.position, game.position.to_move)))
    assert game.position.out


def choice(name: str, position: rules.Position, turn: int = 20) -> str:
    seen = rules.view(position._replace(turn=turn), position.to_move)
    return rules.format_action(position.variant, BOTS[name](random.Random(1)).choose(seen))


FOUR_LINES = "b2 c2 d2 e2 f2 b4 c4 d4 e4"
LACKS_E1 = "b1 c1 d1 a9 b9 c9 d9 e9"
DECISIONS: dict[str, tuple[str, rules.Position, set[str]]] = {
    # g2 is the king of hearts. Blocking h4's column would be worth much, too.
    "a sequence is completed": ("greedy", two("KH,QC,2C,3H,TS,9H,4D", "c2 d2 e2 f2", "b6 b7 b8 b9"), {"KH g2"}),
    # f4 completes the second sequence; h9 would spoil two lines of four.
    "a win comes before two lines that could be spoiled": (
        "greedy learned",
        two("3C,4C,TC,7C,3H,2H,JC", FOUR_LINES, "h5 h6 h7 h8 d9 e9 f9 g9", sequences="a:b2-f2"),
        {"3C f4"},
    ),
    "a win comes before an exchange": (
        "learned",
        two("3C,9S,TC,7C,3H,2H,JC", f"{FOUR_LINES} i1", "h5 h6 h7 d9 e9 f9 g9 b7", sequences="a:b2-f2"),
        {"3C f4"},
    ),
    "four in a row are spoiled": ("greedy", two("AH,QC,2S,3H,TS,9H,4D", "a2 d5", "b2 c2 d2 e2"), {"AH f2"}),
    "with a card of the square rather than a jack": (
        "greedy",
        two("JC,JS,2S,AH,TS,9H,4D", "a2 d5", "b2 c2 d2 e2"),
        {"AH f2"},
    ),
    "a chip is taken out of four in a row": (
        "greedy",
        two("JS,QC,2S,3H,TS,9H,4D", "a2 d5", "b2 c2 d2 e2"),
        {f"JS x{square}" for square in ("b2", "c2", "d2", "e2")},
    ),
    # e1 is the five of spades.
    "a last sequence is spoiled": (
        "learned",
        two("5S,QC,2S,3H,TS,9H,4D", "d5 e5 d7 g3", LACKS_E1, sequences="b:a9-e9"),
        {"5S e1"},
    ),
    "a last sequence is spoiled with a jack": (
        "learned",
        two("JC,QC,2S,3H,TS,9H,4D", "d5 e5 d7 g3", LACKS_E1, sequences="b:a9-e9"),
        {"JC e1"},
    ),
    "a chip is taken out of a last sequence": (
        "learned",
        two("JS,QC,2S,3H,TS,9H,4D", "d5 e5 d7 g3", LACKS_E1, sequences="b:a9-e9"),
        {f"JS x{square}" for square in ("b1", "c1", "d1")},
    ),
    # Both squares of the nine of spades are taken.
    "a dead card is exchanged before little is played for": (
        "greedy learned",
        two("9S,2S,5S,6S,TS,9H,4D", "i1 b7", "h8"),
        {"9S dead"},
    ),
    "a pass, when nothing else is legal": (
        "greedy easy learned",
        make({"a": "e3 e5 a2 c2"}, ["dragon,dragon,dragon", "?,?,?"], variant=rules.KIDS, pile=0, possible=False),
        {"pass"},
    ),
    # a4 is the lion's, e4 the rabbit's: the unicorn alone can spoil it, and one of two ends is better than none.
    "a line of the kids' game is spoiled": (
        "greedy",
        make({"a": "c3 d3", "b": "b4 c4 d4"}, ["unicorn,bear,owl", "?,?,?"], variant=rules.KIDS),
        {"unicorn a4", "unicorn e4"},
    ),
}


@for_each(DECISIONS)
def test_decisions(claim: str) -> None:
    names, position, choices = DECISIONS[claim]
    for name in names.split():
        assert choice(name, position) in choices, name


@for_each(["greedy", "learned"])
def test_jacks_are_kept_while_nothing_is_at_stake(name: str) -> None:
    assert "J" not in choice(name, two("JC,JS,2S,3H,TS,9H,JD", "e5", "h8 c3"))


def test_learned_gives_up_no_jack() -> None:
    hands = ["9S,2S,JC,JS,TS,9H", *["?,?,?,?,?,?"] * 3]
    chips = {"a": "i1 b7 c3", "b": "h8 g8 d4"}
    assert "J" not in choice(
        "learned", make(chips, hands, options="no-table-talk", pending="penalty/2/-/1,3/-", possible=False)
    )


@for_each(["easy", "normal", "greedy"])
def test_nobody_blocks_late_in_a_game(name: str) -> None:
    """The ace goes into the own line of two, though another square of its would spoil four; the jack frees a line."""
    four = two("AH,QC,2S,3H,TS,9H,4D", "h5 i5", "b2 c2 d2 e2")
    assert (choice(name, four, 74), choice(name, four, 75)) == ("AH f2", "AH g5")
    freed = two("JS,QC,2S,3H,TS,9H,4D", "a2 b2 c2 e2", "d2 h8 i8 g8")
    assert choice(name, freed, 100) == "JS xd2"


def test_greedy_does_not_lengthen_a_sequence_it_has() -> None:
    # g2 would be the sixth of b2-f2, which is worth nothing; d5 is the third of another line.
    chips = "b2 c2 d2 e2 f2 b5 c5", "i8 i5 e7 f9 d8 g6"
    assert choice("greedy", two("KH,5H,9D,TD,TD,9D,KH", *chips, sequences="a:b2-f2")) != "KH g2"


@pytest.mark.simulation
@pytest.mark.parametrize(("name", "games", "least"), [("greedy", 20, 18), ("easy", 20, 18)])
def test_it_beats_random(name: str, games: int, least: int) -> None:
    won = 0
    for seed in range(games):
        own, game = 1 + seed % 2, Table(rules.CLASSIC, 2, 2).deal(random.Random(seed))
        bots: list[Bot] = [BOTS[name](random.Random(seed)), RandomBot(random.Random(-seed))]
        while seat := game.position.to_move:
            game.play(bots[seat != own].choose(rules.view(game.position, seat)))
        won += game.position.winner == own
    assert won >= least


@for_each(["clever", ":3", "greedy:3", "strong:200", "strong:"])
def test_names_of_no_bot(name: str) -> None:
    kind = name.partition(":")[0]
    named = f"the bot {kind} takes no number: write {kind}"
    assert why_no_bot(name) == (named if kind in BOTS else f"there is no bot {name!r}: the bots are {', '.join(BOTS)}")
    assert name not in BOTS


# A bot at a table, at a pace.


@pytest.fixture
def seen() -> rules.View:
    return Table(rules.KIDS, 2, 2).seen(5)


async def test_it_chooses_at_once_without_a_pace(seen: rules.View, autojump_clock: trio.testing.MockClock) -> None:
    begun = trio.current_time()
    assert await BotPlayer(RandomBot(random.Random(1))).choose(seen, None) in seen.legal
    assert trio.current_time() == begun


async def test_a_turn_takes_its_pace(seen: rules.View, autojump_clock: trio.testing.MockClock) -> None:
    player = BotPlayer(RandomBot(random.Random(1)), 2.5)
    for turn in range(1, 4):
        assert await player.choose(seen, None) in seen.legal
        assert trio.current_time() == pytest.approx(2.5 * turn)


async def test_it_thinks_in_a_thread_of_its_own(seen: rules.View) -> None:
    threads = set[threading.Thread]()

    class Thinker:
        def choose(self, seen: rules.View) -> rules.Action:
            threads.add(threading.current_thread())
            return seen.legal[0]

    await BotPlayer(Thinker()).choose(seen, None)
    assert threads.isdisjoint({threading.current_thread()})
    assert len(threads) == 1


async def test_a_bot_that_is_refused_is_a_fault_of_this_program(seen: rules.View) -> None:
    with pytest.raises(AssertionError, match="d5 is taken"):
        await BotPlayer(RandomBot(random.Random(1))).choose(seen, "d5 is taken")


# Chances: terms for every table, sums, and what a chance rises with.


@given(st.sampled_from(TABLES), st.data())
def test_chances_sum_up_and_a_win_is_nearly_certain(table: Table, data: st.DataObject) -> None:
    teams, seats = table.teams, table.players // table.teams
    kind, values = Kind(table.variant.name, teams, partners=seats > 1), st.integers(-VALUE_MAX, VALUE_MAX)
    prospects = st.lists(st.builds(Prospect, values, values, st.booleans()), min_size=seats, max_size=seats)
    found = chances_of(kind, {team: Standing(team - 1, data.draw(prospects)) for team in range(1, teams + 1)})
    assert sum(found) == CERTAIN
    assert min(found) >= 0
    level, winning = [Prospect(0, 0, wins=False)] * seats, Prospect(VALUE_MAX, 0, wins=True)
    standings = {team: Standing(team - 1, level) for team in range(1, teams + 1)}
    assert chances_of(kind, standings | {1: Standing(0, [winning, *level[1:]])})[0] > 900


def test_who_has_moved_and_is_to_draw_plays_after_all_others() -> None:
    position = make({"a": "i1 b7", "b": "h8"}, ["9S,2S,5S,6S,TS,9H,4D", "3S,QC,2H,JS,8D,KC,4H"], options="manual-draw")
    after = rules.apply(position, rules.parse_action(rules.CLASSIC, "2S b1"))
    assert (after.to_move, after.phase) == (1, "draw")
    assert [*standings(after, shipped(rules.CLASSIC, 2))] == [2, 1]


def test_a_team_stands_as_its_seats_do() -> None:
    hands = ["6C,3C,7D", "7C,9C,2D", "8C,TC,9D", "5S,KC,8D", "QC,AC,TD", "QD,KD,AD"]
    position = make({"a": "b1 c1 d1", "b": "h8", "c": "h9"}, hands, teams=3, possible=False)
    found = standings(position, shipped(rules.CLASSIC, 3))
    assert [each.wins for standing in found.values() for each in standing.seats] == [False, True, *[False] * 4]
    assert found[1].seats[1].best == VALUE_MAX > found[1].seats[1].passed
    terms = terms_of(found[1])
    assert (terms.wins, terms.partner_wins) == (0, SCALE)
    assert terms.best == (found[1].seats[0].best + VALUE_MAX) // 2


def test_a_team_that_has_left_has_no_chance() -> None:
    standing = Standing(0, [Prospect(0, 0, wins=False)])
    assert chances_of(Kind("classic", 3, partners=False), {1: standing, 2: standing._replace(soon=1)})[2] == 0
