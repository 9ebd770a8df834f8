"""Games between bots: the same again from the same seed, cards that are all there, and how random games go."""

from collections import Counter
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import seqp2p.arena.entrants
import seqp2p.rules.game
from seqp2p.arena import ArenaResult, Contest, Tally, make_contest, play_deal
from seqp2p.bots.registry import RandomBot
from seqp2p.rules import PASS, UNKNOWN, VARIANTS, Action, Card, Options, Position, apply, start

pytestmark = pytest.mark.simulation

TWO = make_contest(["random", "random"])
KIDS = make_contest(["random"] * 3, "kids", 3)
MIRRORED = make_contest(["greedy", "random"])


def play(who: Contest, seed: int, deal: int) -> ArenaResult:
    """The first game of a deal."""
    return play_deal(who, seed, deal).games[0]


def test_a_deal_follows_from_seed_and_number() -> None:
    games = [play(TWO, 7, number) for number in range(20)]
    assert [play(TWO, 7, number) for number in reversed(range(20))] == games[::-1]
    assert len(set(games)) > 15
    assert [play(TWO, 8, number) for number in range(20)] != games
    assert play(TWO, -1, 0) != play(TWO, 1, 0)


def test_these_games_stay_what_they_are() -> None:
    """Who repeats a run of last year finds the same games."""
    assert play(TWO, 1, 0) == ArenaResult(first_team=1, winner=1, turns=79, reshuffles=0, passes=0, exchanges=0)
    assert play(KIDS, 1, 1) == ArenaResult(first_team=2, winner=1, turns=27, reshuffles=0, passes=0, exchanges=0)


def test_choices_and_their_time_are_counted_for_each_side() -> None:
    result = play_deal(MIRRORED, 1, 0)
    assert len(result.games) == 2
    assert sum(result.choices) == sum(game.turns + game.exchanges for game in result.games)
    assert result.seconds[0] > result.seconds[1] >= 0


@pytest.mark.parametrize(("players", "teams"), [(2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (9, 3), (12, 3)])
def test_who_starts_goes_round_the_table(players: int, teams: int, monkeypatch: pytest.MonkeyPatch) -> None:
    starters: list[int] = []

    def start_seen(*args: Any) -> Position:
        starters.append(args[4])
        return start(*args)

    monkeypatch.setattr(seqp2p.rules.game, "start", start_seen)
    who = make_contest(["random"] * teams, "classic", players, teams)
    first_teams = [play(who, 1, number).first_team for number in range(2 * players)]
    assert starters == list(range(1, players + 1)) * 2
    assert first_teams == [(seat - 1) % teams + 1 for seat in starters]


class Recorder:
    """Stands in for ``apply``, and keeps what it was asked for and what came of it."""

    def __init__(self) -> None:
        self.steps: list[tuple[Position, Action, Card, Position]] = []

    def __call__(self, position: Position, action: Action, drawn: Card) -> Position:
        after = apply(position, action, drawn)
        self.steps.append((position, action, drawn, after))
        return after


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    kept = Recorder()
    monkeypatch.setattr(seqp2p.rules.game, "apply", kept)
    return kept


@pytest.mark.parametrize(
    "who", [TWO, KIDS, make_contest(["random"] * 2, players=12), make_contest(["random"] * 3, players=9)]
)
def test_the_arena_holds_the_cards_that_nobody_else_does(who: Contest, recorder: Recorder) -> None:
    deck, drawn = Counter(VARIANTS[who.variant].deck), Counter[int]()
    for number in range(30):
        result = play(who, 3, number)
        for before, _, _, _ in recorder.steps:
            held = Counter(card for cards in (*before.hands, *before.discards) for card in cards)
            assert UNKNOWN not in held
            assert held <= deck
            assert before.pile == len(VARIANTS[who.variant].deck) - held.total()
        *_, end = recorder.steps[-1]
        assert end.over
        assert (end.turn, end.reshuffles, end.winner) == (result.turns, result.reshuffles, result.winner)
        kinds = Counter(action.kind for _, action, _, _ in recorder.steps)
        assert (kinds["pass"], kinds["exchange"]) == (result.passes, result.exchanges)
        assert kinds.total() == result.turns + result.exchanges
        drawn[result.reshuffles] += 1
        recorder.steps.clear()
    assert max(drawn) >= 1, "one of these games had a reshuffle"


def test_all_seatings_and_other_bots_get_the_same_deal(recorder: Recorder) -> None:
    play_deal(MIRRORED, 1, 5)
    play_deal(TWO, 1, 5)
    dealt = [before.hands for before, *_ in recorder.steps if before.turn == 0 and before.draws == 0]
    assert len(dealt) >= 3
    assert dealt == dealt[:1] * len(dealt)


def test_the_advanced_rule_is_played(recorder: Recorder) -> None:
    who = make_contest(["random", "random"], options=Options(advanced=True))
    for number in range(40):
        play(who, 1, number)
    assert any(len(after.sequences) < len(before.sequences) for before, _, _, after in recorder.steps)


def test_a_bot_that_does_what_is_not_legal_loses_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    stubborn = SimpleNamespace(choose=lambda _: PASS)
    bots: dict[str, Callable[[Random], object]] = {"random": RandomBot, "stubborn": lambda _: stubborn}
    for module in (seqp2p.arena.entrants, seqp2p.bots.registry):
        monkeypatch.setattr(module, "BOTS", bots)
    who = make_contest(["random", "stubborn"])
    result = play_deal(who, 1, 0)
    assert [(game.failed, game.winner) for game in result.games] == [(2, 0), (1, 0)]
    assert result.games[0].reason.startswith("its choice is not legal: seat 2 cannot pass: ")
    tally = Tally(who)
    tally.add(result)
    assert (tally.score(0), [side.failed for side in tally.sides], tally.draws) == (1.0, [0, 2], 0)
