"""The game of a replay as text: it reads back to the positions of the replay."""

from functools import cache
from pathlib import Path

import pytest

from seqp2p.match.events import Dropped, Skipped, Turned
from seqp2p.replay.playback import Playback, play_back
from seqp2p.replay.to_text import game_text, stretches
from seqp2p.rules import SKIP, Dropping, NotationError, format_game, parse_game
from tests.protocol.reading import REPLAYS as SMALL
from tests.table import played, replay_bytes

GOLDEN = Path(__file__).parents[2] / "replays"
GAMES = (
    "kids-3",
    "classic-2",
    "classic-2-manual-draw",
    "classic-3-dropped",
    "classic-4-options",
    "classic-4-skipped",
    "classic-4-table-talk",
    "classic-12",
)
UNFINISHED = ("forfeit_fail", "last_opponent_dropped_fail", "stopped_fail", "stopped_in_a_step_fail", "no_end_fail")
CASES = (*sorted(path.stem for path in SMALL.glob("*_ok.seqp2p")), *UNFINISHED)


@cache
def playback(name: str) -> Playback:
    folder = GOLDEN if name in GAMES else SMALL
    return play_back((folder / f"{name}.seqp2p").read_bytes())


def written(name: str) -> str:
    game = game_text(playback(name))
    assert game is not None
    return format_game(game)


@pytest.mark.simulation
@pytest.mark.parametrize("name", GAMES)
def test_golden_games_read_back_to_the_same_positions(name: str) -> None:
    text, parts = written(name), stretches(playback(name))
    game = parse_game(text)
    assert game == game_text(playback(name))
    assert list(game.positions()) == [part.after for part in parts]
    assert len(game.moves) == sum(isinstance(m.what, Turned | Skipped | Dropped) for m in playback(name).moments)


@pytest.mark.parametrize("name", CASES)
def test_unfinished_games_are_written_as_far_as_they_went(name: str) -> None:
    game = game_text(playback(name))
    if game is None:
        assert all(moment.position is None for moment in playback(name).moments)
        return
    assert parse_game(format_game(game)) == game
    assert [*game.positions()] == [part.after for part in stretches(playback(name))]


def test_turns_that_are_skipped_and_seats_that_are_dropped() -> None:
    skipped = parse_game(written("classic-4-skipped"))
    assert skipped.moves.count(SKIP) == 2
    dropped = parse_game(written("classic-3-dropped"))
    (drop,) = (move for move in dropped.moves if isinstance(move, Dropping))
    assert len(drop.hands) == 2
    assert all(-1 not in hand for hand in drop.hands)
    (line,) = (line for line in written("classic-3-dropped").splitlines() if "drop" in line)
    with pytest.raises(NotationError, match="dealt as many cards as they held"):
        parse_game(written("classic-3-dropped").replace(line, line.replace(")", ",2C)")))


def test_a_reshuffle_before_the_card_is_drawn() -> None:
    text = replay_bytes(played(2, "classic", 20, "peaceful"))
    game = game_text(play_back(text))
    assert game is not None
    *_, last = game.positions()
    assert last.reshuffles == 1
    assert "+?" not in format_game(game)
    assert "pass" in format_game(game)
