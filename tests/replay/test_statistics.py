"""Counting over replays: each game once, though each seat wrote it down, and only right ones."""

import random
import tracemalloc
from dataclasses import replace
from secrets import token_bytes
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqp2p.match.events import Result, Turned
from seqp2p.replay.playback import play_back
from seqp2p.replay.statistics import NAMES_MAX, Counted, Course, ReplayCounter, Summary, summarise
from seqp2p.replay.verify import Player, Report, Verdict
from seqp2p.rules import Action
from tests.replay.tools import stored

GAMES = ("kids-3", "classic-2-manual-draw", "classic-3-dropped", "classic-4-options", "classic-4-skipped")


@pytest.mark.simulation
@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game(name: str) -> None:
    summary, playback = summarise(stored(name), token_bytes), play_back(stored(name))
    course = summary.course
    assert course is not None
    assert playback.agreement is not None
    assert summary.report == playback.report
    first, last = (moment.position for moment in (playback.moments[1], playback.moments[-1]))
    assert first is not None
    assert last is not None
    actions: list[Action] = [moment.what.action for moment in playback.moments if isinstance(moment.what, Turned)]
    kinds = [action.kind for action in actions]
    assert course.first_seat == first.to_move
    assert (course.turns, course.reshuffles, course.sequences) == (last.turn, last.reshuffles, len(last.sequences))
    assert (course.passes, course.exchanges) == (kinds.count("pass"), kinds.count("exchange"))
    assert course.placed == tuple(action.square for action in actions if action.kind == "place")
    assert (course.players, course.teams) == (playback.agreement.settings.players, playback.agreement.settings.teams)


def test_what_cannot_be_counted() -> None:
    assert summarise(b"", token_bytes).course is None
    assert summarise(stored("copied_key_fail"), token_bytes).course is None


# Games that were made up, quickly.

KEYS = tuple(bytes([number]).hex() * 32 for number in range(1, 9))


def made_up(
    number: int, keys: tuple[str, ...], winners: tuple[int, ...], turns: int = 10, verdict: Verdict = "verified"
) -> Summary:
    players = tuple(Player(seat, f"p{key[:2]}", key) for seat, key in enumerate(keys, 1))
    result = Result("won", winners) if winners else Result("drawn")
    report = Report(
        verdict,
        number.to_bytes(32, "big").hex(),
        players,
        result if verdict == "verified" else None,
        reason=None if verdict == "verified" else "it stopped",
    )
    return Summary(report, Course("kids", len(keys), len(keys), 1, turns, 0, 1, 2, 1, "cat d1", (3, 3, 4)))


def test_results_by_player() -> None:
    counter = ReplayCounter()
    ann, ben, cleo = KEYS[:3]
    assert counter.add(made_up(1, (ann, ben), (1,))) is Counted.GAME
    assert counter.add(made_up(1, (ann, ben), (1,))) is Counted.DUPLICATE
    assert counter.add(made_up(2, (ben, ann, cleo), (1,))) is Counted.GAME
    assert counter.add(made_up(3, (ann, cleo), ())) is Counted.GAME
    assert counter.add(made_up(4, (ann, cleo), (), verdict="unfinished")) is Counted.UNFINISHED
    assert counter.add(made_up(4, (ann, cleo), (), verdict="unfinished")) is Counted.DUPLICATE
    assert counter.add(made_up(5, (ann, cleo), (), verdict="invalid")) is Counted.LEFT_OUT
    assert counter.add(Summary(Report("invalid", reason="no such file"))) is Counted.LEFT_OUT
    counted = counter.statistics()
    won = {key: (each.won, each.lost, each.drawn, each.unfinished) for key, each in counted.players.items()}
    assert won == {ann: (1, 1, 1, 1), ben: (1, 1, 0, 0), cleo: (0, 1, 1, 1)}
    assert (counted.files, counted.games, counted.unfinished, counted.duplicates) == (8, 3, 1, 2)
    kids = counted.variants["kids"]
    assert (kids.games, kids.drawn, kids.decided, kids.first_mover_won) == (3, 1, 2, 2)
    assert (kids.passes, kids.exchanges, kids.sequences) == (3, 6, 3)
    assert kids.openings == {"cat d1": 3}
    assert (kids.squares[3], kids.squares[4], sum(kids.squares)) == (6, 3, 9)


def test_another_seats_replay_may_know_the_end() -> None:
    counter = ReplayCounter()
    counter.add(made_up(1, KEYS[:2], (), verdict="unfinished"))
    assert counter.add(made_up(1, KEYS[:2], (2,))) is Counted.GAME
    assert counter.add(made_up(1, KEYS[:2], (), verdict="unfinished")) is Counted.DUPLICATE
    counted = counter.statistics()
    assert (counted.games, counted.unfinished) == (1, 0)
    assert [each.unfinished for each in counted.players.values()] == [0, 0]


def test_names_that_a_player_had() -> None:
    counter = ReplayCounter()
    for number in range(NAMES_MAX + 5):
        game = made_up(number, KEYS[:2], (1,))
        players = (Player(1, f"name {number}", KEYS[0]), Player(2, "ben", KEYS[1]))
        counter.add(Summary(replace(game.report, players=players), game.course))
    counted = counter.statistics()
    assert counted.players[KEYS[0]].names == tuple(f"name {number}" for number in range(NAMES_MAX))
    assert counted.players[KEYS[1]].names == ("ben",)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_lengths(lengths: list[int]) -> None:
    counter = ReplayCounter()
    for number, turns in enumerate(lengths):
        counter.add(made_up(number, KEYS[:2], (1,), turns))
    kids = counter.statistics().variants["kids"]
    assert kids.turns_median == median(lengths)
    assert kids.turns_mean == pytest.approx(mean(lengths))


def test_memory_of_many_files() -> None:
    games = 1_000
    rng = random.Random(1)
    counter = ReplayCounter()
    tracemalloc.start()
    for number in range(games):
        first, second = rng.sample(KEYS, 2)
        counter.add(made_up(number, (first, second), (1 + number % 2,), turns=20 + number % 50))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    counted = counter.statistics()
    assert counted.games == games
    assert peak < 300 * games  # of a hundred thousand, less than 30 MB
    tracemalloc.start()
    for number in range(games):
        players = tuple(Player(seat, "ann", f"{number:060}{seat:04}") for seat in range(1, 13))
        counter.add(Summary(Report("invalid", players=players, reason="why")), f"{number}.seqp2p")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(counter.statistics().left_out) == games
    assert peak < 700 * games  # A whole report of these has 2,500 bytes.
