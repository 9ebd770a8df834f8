"""Replays as rows of moments: all that happened in its order, the positions of the engine, the hands as they were."""

import secrets
import tracemalloc
from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.generator.games import Game, replay
from protocol.generator.games import settings as wire
from protocol.generator.votes import drop
from seqp2p.match.events import Dealt, Dropped, Finished, Redealt, Remarked, Seated, Skipped, Turned, Voted
from seqp2p.replay.format import EvidenceRecord, LeaveRecord, pairs, records
from seqp2p.replay.playback import CheatProved, Moment, Playback, Reshuffled, SeatLeft, play_back
from seqp2p.replay.summary import summarise
from seqp2p.replay.verify import verify
from seqp2p.rules import UNKNOWN, Position, apply, hide, reveal
from seqp2p.rules.status import status
from tests.protocol.reading import REPLAYS as SMALL
from tests.table import played, replay_bytes

GOLDEN = Path(__file__).parents[2] / "replays"
GAMES = sorted(path.stem for path in GOLDEN.glob("*.seqp2p"))
SHORT = ("classic-2-advanced", "kids-3")
ALL_GAMES = [name if name in SHORT else pytest.param(name, marks=pytest.mark.simulation) for name in GAMES]
CASES = sorted(path.stem for path in SMALL.glob("*.seqp2p"))
TAKES_CARD = ("place", "remove", "exchange", "give")


@cache
def playback(name: str) -> Playback:
    return play_back((GOLDEN / f"{name}.seqp2p").read_bytes())


def of_kind(shown: Playback, kind: type) -> list[Moment]:
    return [moment for moment in shown.moments if isinstance(moment.what, kind)]


def positions(moments: Sequence[Moment]) -> list[Position]:
    return [moment.position for moment in moments if moment.position is not None]


@pytest.mark.simulation
@pytest.mark.parametrize("name", GAMES)
def test_golden_games_from_the_deal_to_the_end(name: str) -> None:
    shown = playback(name)
    assert shown.report.verdict == "verified"
    assert shown.agreement is not None
    assert isinstance(shown.moments[0].what, Seated)
    assert isinstance(shown.moments[1].what, Dealt)
    last = shown.moments[-1]
    assert isinstance(last.what, Finished)
    assert last.what.result == shown.report.result
    assert shown.moments[0].position is None
    assert len(positions(shown.moments)) == len(shown.moments) - 1
    turns = [moment.turn for moment in shown.moments]
    assert turns == sorted(turns)
    steps = [moment.step for moment in shown.moments]
    assert steps == sorted(steps)
    assert steps[-1] == shown.report.steps
    settings = shown.agreement.settings
    assert len(shown.opened) == (settings.players - len(last.position.out) if settings.open_hands else 0)  # type: ignore[union-attr]  # it has one


@pytest.mark.parametrize("name", ALL_GAMES)
def test_every_turn_is_the_engines(name: str) -> None:
    """From the position before a turn and the card drawn in it the engine comes to the position after it."""
    for before, after in pairwise(playback(name).moments[1:]):
        old, new = before.position, after.position
        assert old is not None
        assert new is not None
        assert status(new) == ()
        if isinstance(after.what, Turned):
            seat, action = after.what.seat, after.what.action
            hand = old.hands[seat - 1]
            if action.kind in TAKES_CARD and action.card not in hand:
                old = reveal(old, seat, [action.card])
            if action.kind == "pass" and UNKNOWN in hand:
                old = reveal(old, seat, [card for card in new.hands[seat - 1] if card != UNKNOWN])
            drawn = after.drew[1] if after.drew else UNKNOWN
            assert apply(old, action, drawn) == new
        elif isinstance(after.what, Remarked | Voted | SeatLeft | CheatProved | Finished):
            assert old == new
        elif isinstance(after.what, Reshuffled):
            # The card that was drawn after it belongs here.
            assert after.drew is not None
            assert hide(old, ()) == hide(new, ())


@pytest.mark.parametrize("name", ALL_GAMES)
def test_opened_hands_are_those_that_were_played(name: str) -> None:
    shown = playback(name)
    for before, after in pairwise(shown.moments[1:]):
        assert before.position is not None
        what, hands = after.what, before.position.hands
        for seat in shown.opened:
            # A card that is being drawn comes after the reshuffle, and never where hands are dealt anew.
            if UNKNOWN in hands[seat - 1]:
                assert isinstance(what, Reshuffled | Voted | Dropped | Redealt)
        if isinstance(what, Turned) and what.seat in shown.opened and what.action.kind in TAKES_CARD:
            assert what.action.card in hands[what.seat - 1]


def test_closed_hands_stay_closed() -> None:
    shown = playback("classic-12")
    assert shown.opened == frozenset()
    for position in positions(shown.moments):
        assert {card for hand in position.hands for card in hand} <= {UNKNOWN}
    assert {moment.drew[1] for moment in shown.moments if moment.drew} == {UNKNOWN}


def test_one_opened_hand() -> None:
    shown = play_back((SMALL / "one_opening_ok.seqp2p").read_bytes())
    (seat,) = shown.opened
    for position in positions(shown.moments):
        assert UNKNOWN not in position.hands[seat - 1]
        assert {*position.hands[2 - seat]} <= {UNKNOWN}


def test_the_seats_own_side_agrees() -> None:
    """What the seats themselves see at the end is what the replay opens."""
    game = played(2, "kids", 3)
    last = play_back(replay_bytes(game)).moments[-1].position
    assert last is not None
    for seat in game.seats:
        assert last.hands[seat.number - 1] == seat.view(game.match).hand


def test_what_happens_beside_turns() -> None:
    assert len(of_kind(playback("classic-4-table-talk"), Remarked)) == 7
    assert [moment.what for moment in of_kind(playback("classic-2"), Reshuffled)] == [Reshuffled(1)]
    assert len(of_kind(playback("classic-4-skipped"), Skipped)) == 2
    assert len(of_kind(playback("classic-4-skipped"), Voted)) == 6
    dropped = playback("classic-3-dropped")
    kinds = [type(moment.what) for moment in dropped.moments if not isinstance(moment.what, Turned)]
    assert kinds == [Seated, Dealt, Voted, Voted, Dropped, Redealt, Finished]
    (gone,) = of_kind(dropped, Dropped)
    assert isinstance(gone.what, Dropped)
    assert gone.position is not None
    assert gone.position.out == gone.what.seats


def test_sequences_are_made_and_lost() -> None:
    made = [moment for moment in playback("classic-2").moments if moment.made]
    assert all(isinstance(moment.what, Turned) for moment in made)
    assert sum(len(moment.made) for moment in made) == len(positions(playback("classic-2").moments)[-1].sequences)
    advanced = playback("classic-2-advanced").moments
    assert any(moment.lost for moment in advanced)
    assert sum(len(moment.made) - len(moment.lost) for moment in advanced) == len(positions(advanced)[-1].sequences)


def test_cards_given_up_one_after_the_other() -> None:
    gives = [
        m
        for m in playback("classic-4-table-talk").moments
        if isinstance(m.what, Turned) and m.what.action.kind == "give"
    ]
    assert len(gives) == 6
    assert len({moment.position for moment in gives}) == 6


@settings(max_examples=20)
@given(st.sampled_from(CASES))
def test_damaged_files_are_shown_as_far_as_they_are_right(name: str) -> None:
    data = (SMALL / f"{name}.seqp2p").read_bytes()
    shown = play_back(data)
    assert shown.report == verify(data)
    assert bool(shown.agreement) or not shown.moments
    assert all(moment.step <= shown.report.steps for moment in shown.moments)


def test_leaves_and_proofs_are_moments() -> None:
    forfeit = play_back((SMALL / "forfeit_fail.seqp2p").read_bytes())
    assert len(of_kind(forfeit, SeatLeft)) == 2
    (end,) = of_kind(forfeit, Finished)
    assert isinstance(end.what, Finished)
    assert end.what.result.kind == "forfeit"
    assert forfeit.moments[-1] is end
    for name in ("one_that_left", "a_spectator"):
        unnamed = play_back((SMALL / f"forfeit_written_by_{name}_fail.seqp2p").read_bytes())
        assert (len(of_kind(unnamed, SeatLeft)), of_kind(unnamed, Finished)) == (2, [])
    proof = play_back((SMALL / "evidence_then_drop_ok.seqp2p").read_bytes())
    (proved,) = of_kind(proof, CheatProved)
    assert isinstance(proved.what, CheatProved)
    assert "broke the rules" in proved.what.reason


@pytest.mark.parametrize("data", [b"", b"seqp2p replay 1\n", b"once upon a time"])
def test_no_replay_at_all(data: bytes) -> None:
    shown = play_back(data)
    assert (shown.report.verdict, shown.agreement, shown.moments) == ("invalid", None, ())


def test_progress_goes_to_the_end_of_the_file() -> None:
    data = (SMALL / "kids_2_won_ok.seqp2p").read_bytes()
    told: list[int] = []
    play_back(data, told.append)
    assert told == [placed.end for placed in records(data)]
    assert told[-1] == len(data)


def test_two_that_left_write_no_two_winners() -> None:
    """Each of two opponents has the other's leave and its own; a drop by the record itself says the same."""
    game = Game("classic-4/votes", wire("classic", 4), ("random",) * 4, votes={8: drop(2), 10: drop(4)}).play()
    leave = game.seats[3].leave(game.match)
    *before, last = game.records()
    left = [*before, LeaveRecord(leave.payload, leave.signature), last]
    named = [play_back(replay(left, game.identities[seat - 1])) for seat in (1, 2, 3, 4)]
    assert [shown.report.result and shown.report.result.winners for shown in named] == [(1, 3), None, (1, 3), None]
    ends = [end.what.result for shown in named for end in of_kind(shown, Finished) if isinstance(end.what, Finished)]
    assert [(end.kind, end.winners) for end in ends] == [("forfeit", (1, 3)), ("unfinished", ())] * 2


def test_a_replay_full_of_evidence_takes_memory_in_proportion() -> None:
    """Evidence may come again and again: nothing but its record is kept of it."""
    game = Game("kids-3/votes", wire("kids", 3), ("random",) * 3).play(until=13)
    player = game.seats[game.match.game.table_position().to_move - 1]
    some, other = (player.play(game.match, action) for action in player.view(game.match).legal[:2])
    evidence = EvidenceRecord(pairs((some, other)))
    for count in (100, 400):
        data = replay([*game.records(), *[evidence] * count], game.identities[0])
        for read in (verify, play_back, partial(summarise, randomness=secrets.token_bytes)):
            tracemalloc.start()
            read(data)
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert most < 1_000_000 + 2 * len(data)
    assert len(of_kind(play_back(data), CheatProved)) == 1
