"""Many games over many processes: the same result, no process left over, nothing lost in silence."""

from multiprocessing import active_children

import pytest

import seqp2p.arena.pool
from seqp2p.arena import BotError, Contest, Tally, WorkerLost, make_contest, play_games
from seqp2p.arena.pool import RUN_S, play_run
from seqp2p.rules import Options


def contest(*bots: str, variant: str = "classic", players: int | None = None) -> Contest:
    return make_contest(bots, variant, players, None, Options())


KIDS = contest("random", "random", "random", variant="kids")


def total(who: Contest, seed: int, games: int, jobs: int) -> Tally:
    return sum(play_games(who, seed, games, jobs), Tally.of(who.teams))


@pytest.mark.process
@pytest.mark.parametrize(
    ("who", "games"), [(contest("greedy", "random"), 3), (contest("random", "random", players=4), 20)]
)
def test_the_same_result_whatever_the_number_of_processes(who: Contest, games: int) -> None:
    whole, _ = play_run(who, 5, range(games))
    assert whole.games == games
    assert total(who, 5, games, 1) == total(who, 5, games, 3) == whole
    assert total(who, 6, games, 1) != whole


def test_one_game_needs_no_second_process() -> None:
    assert [tally.games for tally in play_games(KIDS, 1, 1, 8)] == [1]
    assert active_children() == []


def test_runs_get_longer_as_games_turn_out_to_be_quick() -> None:
    sizes = [tally.games for tally in play_games(KIDS, 1, 600, 1)]
    assert sizes[0] == 1
    assert max(sizes) > 50 * RUN_S
    assert sum(sizes) == 600


@pytest.mark.process
def test_when_it_is_closed_no_process_is_left() -> None:
    playing = play_games(KIDS, 1, 10**9, 2)
    assert next(playing).games == 1
    assert len(active_children()) >= 1
    playing.close()
    assert active_children() == []


@pytest.mark.process
def test_a_process_that_is_killed_is_missed() -> None:
    playing = play_games(KIDS, 1, 10**9, 2)
    next(playing)
    active_children()[0].kill()
    with pytest.raises(WorkerLost, match="a process that played games has been killed"):
        for _ in playing:
            pass
    assert active_children() == []


def test_a_bot_at_fault_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BotError("the bot random in seat 1 chose what is not legal: it does not hold 2C")

    monkeypatch.setattr(seqp2p.arena.pool, "play", refuse)
    with pytest.raises(BotError, match="seat 1"):
        total(KIDS, 1, 5, 1)
