"""Replays as rows of moments, and as text that reads back: all that happened in its order, the hands as they were.

Every small replay of protocol/ gets its verdict here, and is shown as far as it is right.
"""

import json
import secrets
import tracemalloc
from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

import pytest

from protocol.check import FIELDS
from protocol.generator.games import Game, replay
from protocol.generator.games import settings as wire
from protocol.generator.votes import drop
from seqp2p.match.events import Dealt, Dropped, Finished, Redealt, Remarked, Seated, Skipped, Turned, Voted
from seqp2p.replay.decoded import decoded
from seqp2p.replay.export import game_text, stretches
from seqp2p.replay.format import EvidenceRecord, LeaveRecord, pairs
from seqp2p.replay.playback import CheatProved, Moment, Playback, Reshuffled, SeatLeft, play_back
from seqp2p.replay.statistics import summarise
from seqp2p.replay.verify import verify
from seqp2p.rules import SKIP, UNKNOWN, Dropping, NotationError, Position, apply, format_game, hide, parse_game, reveal
from seqp2p.rules.status import status
from tests.each import for_each
from tests.protocol.reading import REPLAYS
from tests.replay.tools import boundaries, stored
from tests.table import Played, replay_bytes

SHORT = ("classic-2-advanced", "kids-3")
LONG = ("classic-2", "classic-12", "classic-3-dropped", "classic-4-skipped", "classic-4-table-talk")
"""A reshuffle and passes, closed hands, votes, calls; tests/protocol/test_schema.py verifies all games."""
GAMES = [*SHORT, *(pytest.param(name, marks=pytest.mark.simulation) for name in LONG)]
EXPECTED: dict[str, dict[str, Any]] = json.loads((REPLAYS / "expected.json").read_text("utf-8"))
TAKES_CARD = ("place", "remove", "exchange", "give")


@cache
def playback(name: str) -> Playback:
    return play_back(stored(name))


def of_kind(shown: Playback, kind: type) -> list[Moment]:
    return [moment for moment in shown.moments if isinstance(moment.what, kind)]


def positions(moments: Sequence[Moment]) -> list[Position]:
    return [moment.position for moment in moments if moment.position is not None]


def reads_back(shown: Playback) -> bool:
    """The text of a game reads back to its positions; False if no cards were dealt."""
    game = game_text(shown)
    if game is None:
        assert positions(shown.moments) == []
        return False
    assert parse_game(format_game(game)) == game
    assert [*game.positions()] == [part.after for part in stretches(shown)]
    return True


@for_each(EXPECTED)
def test_every_small_replay_has_its_verdict_and_is_shown_as_far_as_it_is_right(name: str) -> None:
    shown, expected = playback(name), EXPECTED[name]
    told = json.loads(json.dumps(shown.report.as_json()))
    assert [told[field] for field in FIELDS] == [expected[field] for field in FIELDS]
    assert bool(shown.agreement) or not shown.moments
    assert all(moment.step <= shown.report.steps for moment in shown.moments)
    reads_back(shown)
    if shown.report.verdict != "invalid":
        found = decoded(stored(name), raw=True)
        assert json.dumps(found)
        assert all(record["record"] != "table" for record in found)


@pytest.mark.parametrize("name", GAMES)
def test_golden_games_from_the_deal_to_the_end(name: str) -> None:
    shown = playback(name)
    assert shown.report.verdict == "verified"
    assert shown.agreement is not None
    assert [type(moment.what) for moment in shown.moments[:2]] == [Seated, Dealt]
    last = shown.moments[-1]
    assert last.what == Finished(shown.report.result)  # type: ignore[arg-type]  # it has one
    assert shown.moments[0].position is None
    assert len(positions(shown.moments)) == len(shown.moments) - 1
    for numbers in ([moment.turn for moment in shown.moments], [moment.step for moment in shown.moments]):
        assert numbers == sorted(numbers)
    assert last.step == shown.report.steps
    settings = shown.agreement.settings
    assert len(shown.opened) == (settings.players - len(last.position.out) if settings.open_hands else 0)  # type: ignore[union-attr]  # it has one
    assert reads_back(shown)


@pytest.mark.parametrize("name", GAMES)
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


@pytest.mark.parametrize("name", GAMES)
def test_opened_hands_are_those_that_were_played(name: str) -> None:
    shown = playback(name)
    for before, after in pairwise(shown.moments[1:]):
        assert before.position is not None
        what, hands = after.what, before.position.hands
        for seat in shown.opened:
            # A card that is being drawn comes after the reshuffle, and never where hands are dealt again.
            if UNKNOWN in hands[seat - 1]:
                assert isinstance(what, Reshuffled | Voted | Dropped | Redealt)
        if isinstance(what, Turned) and what.seat in shown.opened and what.action.kind in TAKES_CARD:
            assert what.action.card in hands[what.seat - 1]


def test_closed_hands_stay_closed() -> None:
    shown = playback("classic-12")
    assert shown.opened == frozenset()
    assert {card for position in positions(shown.moments) for hand in position.hands for card in hand} == {UNKNOWN}
    assert {moment.drew[1] for moment in shown.moments if moment.drew} == {UNKNOWN}


def test_one_opened_hand() -> None:
    shown = playback("one_opening_ok")
    (seat,) = shown.opened
    for position in positions(shown.moments):
        assert UNKNOWN not in position.hands[seat - 1]
        assert {*position.hands[2 - seat]} <= {UNKNOWN}


def test_the_seats_own_side_agrees(brief: Played) -> None:
    """What the seats themselves see at the end is what the replay opens."""
    last = play_back(replay_bytes(brief)).moments[-1].position
    assert last is not None
    for seat in brief.seats:
        assert last.hands[seat.number - 1] == seat.view(brief.match).hand


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
    for name in ("classic-2", "classic-2-advanced"):
        moments = playback(name).moments
        assert any(moment.lost for moment in moments) == (name == "classic-2-advanced")
        assert sum(len(each.made) - len(each.lost) for each in moments) == len(positions(moments)[-1].sequences)


def test_cards_given_up_one_after_the_other() -> None:
    turned = of_kind(playback("classic-4-table-talk"), Turned)
    gives = [moment for moment in turned if isinstance(moment.what, Turned) and moment.what.action.kind == "give"]
    assert len({moment.position for moment in gives}) == len(gives) == 6


def test_leaves_and_proofs_are_moments() -> None:
    forfeit = playback("forfeit_fail")
    assert len(of_kind(forfeit, SeatLeft)) == 2
    (end,) = of_kind(forfeit, Finished)
    assert isinstance(end.what, Finished)
    assert end.what.result.kind == "forfeit"
    assert forfeit.moments[-1] is end
    for name in ("one_that_left", "a_spectator"):
        unnamed = playback(f"forfeit_written_by_{name}_fail")
        assert (len(of_kind(unnamed, SeatLeft)), of_kind(unnamed, Finished)) == (2, [])
    (proved,) = of_kind(playback("evidence_then_drop_ok"), CheatProved)
    assert isinstance(proved.what, CheatProved)
    assert "broke the rules" in proved.what.reason


def test_progress_goes_to_the_end_of_the_file() -> None:
    data, told = stored("kids_2_won_ok"), list[int]()
    play_back(data, told.append)
    assert told == boundaries(data)[1:]


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
    data = replay([*game.records(), *[evidence] * 300], game.identities[0])
    for read in (verify, play_back, partial(summarise, randomness=secrets.token_bytes)):
        tracemalloc.start()
        read(data)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 1_000_000 + 2 * len(data)
    assert len(of_kind(play_back(data), CheatProved)) == 1


def written(shown: Playback) -> str:
    game = game_text(shown)
    assert game is not None
    return format_game(game)


def test_turns_that_are_skipped_and_seats_that_are_dropped_are_written() -> None:
    assert parse_game(written(playback("classic-4-skipped"))).moves.count(SKIP) == 2
    text = written(playback("classic-3-dropped"))
    (drop,) = (move for move in parse_game(text).moves if isinstance(move, Dropping))
    assert len(drop.hands) == 2
    assert all(UNKNOWN not in hand for hand in drop.hands)
    (line,) = (line for line in text.splitlines() if "drop" in line)
    with pytest.raises(NotationError, match="dealt as many cards as they held"):
        parse_game(text.replace(line, line.replace(")", ",2C)")))


def test_a_reshuffle_before_the_card_is_drawn_is_written() -> None:
    text = written(playback("classic-2"))
    *_, last = parse_game(text).positions()
    assert last.reshuffles == 1
    assert "+?" not in text
    assert "pass" in text
