"""What is said at the table: the remarks of one seat, the calls of its player, then whole tables that talk.

How remarks wait for each other is in tests/match/test_intake.py, what can be called in tests/match/test_talk.py.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import trio

from seqp2p.live.asking import Chosen, Talk, Turns
from seqp2p.live.seat_session import Saying
from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import Remarked, Turned
from seqp2p.match.intake import Applied, Intake
from seqp2p.match.machine import Match
from seqp2p.match.remark import REMARKS_MAX, open_word
from seqp2p.match.seat import SeatKeys
from seqp2p.match.signed import SignedRemark
from seqp2p.net.limits import DEFAULT_LIMITS
from seqp2p.rules import Action, View, call
from tests.live.parties import Party, Place, Scripted, Thinker, checked
from tests.live.test_seat_session import Linkless, Noting
from tests.match.voting import table
from tests.sim.mini_variant import NAME as MINIATURE
from tests.table import Played, at_random, fork, identity, match_at, play, randomness


@pytest.fixture
def talk(trio: Played) -> Talk:
    """What seat 2 says and hears at the third step."""
    own = SeatKeys(2, identity(2, 4), randomness(2))
    return Talk(match_at(trio, 3), own, lambda: 0.0)


def said(talk: Talk, *typed: str) -> list[tuple[str, bool]]:
    """What the table gets to hear of these lines, and which are courtesies."""
    heard: list[Remarked] = []
    for text in typed:
        if (remark := talk.signed(text)) is not None:
            intake = Intake(talk._match)
            outcome = intake.take(intake.check(remark), 2)
            assert isinstance(outcome, Applied)
            heard += [event for event in outcome.events if isinstance(event, Remarked)]
    assert [(event.seat, event.number) for event in heard] == [(2, number + 1) for number in range(len(heard))]
    return [(event.text, event.courtesy) for event in heard]


def test_own_remarks_are_cleaned(talk: Talk) -> None:
    typed = ("\x1b[31mhi\u202e   there\n", " \t ", "\u200b", "", "x" * 300, "good luck")
    assert said(talk, *typed) == [("[31mhi there", False), ("x" * 200, False), ("good luck", True)]


def test_one_can_say_only_so_much(talk: Talk) -> None:
    assert len(said(talk, *(f"word {number}" for number in range(REMARKS_MAX + 3)))) == REMARKS_MAX


def test_who_says_too_much_at_once_is_heard_later(trio: Played) -> None:
    """All of it, a burst at a time; nobody else has to wait for it."""
    limits, now = replace(DEFAULT_LIMITS, remark_burst=2, remark_burst_s=60), [0.0]
    talk = Talk(match_at(trio, 3), SeatKeys(2, identity(2, 4), randomness(2)), lambda: now[0], limits)
    remark = SignedRemark(trio.contribution(1, 3))
    for at_s in (0.0, 10.0):
        assert talk.may_hear(3)
        now[0] = at_s
        talk.note(Applied(remark, 3, 3))
    assert (talk.may_hear(3), talk.may_hear(1), talk.may_hear(2)) == (False, True, True)
    now[0] = 59.9
    assert not talk.may_hear(3)
    now[0] = 60.0
    assert talk.may_hear(3)


# Called for it: two teams of two, where nobody may talk.


@cache
def first_turn() -> tuple[Match, list[SeatKeys]]:
    """A match at its first turn, not to be changed."""
    match, seats = table(4, MINIATURE, teams=2, table_talk=False)
    play(match, seats, at_random(1), lambda match: match.kind == "turn")
    return match, seats


class Mover:
    """The seat whose turn it is; the others say what a test says."""

    def __init__(self) -> None:
        match, seats = first_turn()
        self.match = fork(match)
        (self.number,) = self.match.awaited
        self.opponent, self.partner = self.number % 4 + 1, (self.number + 1) % 4 + 1
        self.asking = Noting()
        self.turns = Turns(self.match, seats[self.number - 1], Linkless(self.number, ()), self.asking)

    def hears(self, speaker: int, *texts: str) -> None:
        for text in texts:
            said = SeatKeys(speaker, identity(speaker), randomness(speaker)).say(self.match, text)
            assert self.match.receive_remark(*said)

    def calls(self, speaker: int) -> str:
        """Return the text of the remark that it calls, or the reason why it is asked again."""
        own = self.turns.chosen(Chosen(self.match.number, call(speaker), ahead=False))
        if own is None:
            (why,) = self.asking.why
            return str(why)
        body = open_envelope(own.payload).body
        return open_word(body["remark"]).text


def test_the_newest_remark_that_can_be_called_is_called() -> None:
    """A courtesy does not cover up what was said before it."""
    mover = Mover()
    mover.hears(mover.opponent, "play e5", "and then f6", "good luck")
    assert mover.calls(mover.opponent) == "and then f6"
    assert not mover.asking.asked


def test_a_player_that_calls_what_cannot_be_called_is_told_why_and_asked_again() -> None:
    mover = Mover()
    assert mover.calls(mover.opponent) == f"seat {mover.opponent} has said nothing"
    for speaker, text, why in (
        (mover.opponent, "good luck", "a courtesy cannot be called"),
        (mover.partner, "well", "is on the caller's own team"),
    ):
        other = Mover()
        other.hears(speaker, text)
        assert why in other.calls(speaker)


# Whole tables.


def remarks(place: Place) -> list[tuple[int, int, str]]:
    return sorted((event.seat, event.number, event.text) for event in place.events if isinstance(event, Remarked))


async def test_everybody_hears_everything(virtual_time: object, tmp_path: Path) -> None:
    """A line of four, from before the first step on; and it is in every replay."""
    party = Party(tmp_path, 4, without={(1, 3), (1, 4), (2, 4)})
    thinker = Thinker(1, sleep_s=60)
    party.sit(1, thinker)
    party.sit_others()
    async with party.playing():
        await party[4].game.put(Saying("hello"))
        await party[1].game.put(Saying("good luck"))
        await thinker.asleep.wait()
        for seat in (1, 2, 3, 4):
            await party[seat].game.put(Saying(f"  I am\tseat {seat}\x07 "))
    for place in party.places.values():
        assert remarks(place) == [
            *((1, 1, "good luck"), (1, 2, "I am seat 1"), (2, 1, "I am seat 2")),
            *((3, 1, "I am seat 3"), (4, 1, "hello"), (4, 2, "I am seat 4")),
        ]
        assert len(place.of_kind("RemarkRecord")) == 6
    checked(party)


async def test_a_called_team_gives_a_card_each_and_the_game_goes_on(virtual_time: object, tmp_path: Path) -> None:
    """The speaker and the caller have no link. The first call, of nothing, is refused."""
    party = Party(tmp_path, 4, teams=2, table_talk=False, without={(1, 2), (3, 4)})
    why: list[str] = []

    async def script(view: View, refused: str | None) -> Action | None:
        if view.phase != "play" or (why and refused is None):
            return None
        if refused is not None:
            why.append(refused)
            await party[view.seat % 4 + 1].game.put(Saying("play e5"))
            await trio.sleep(1)
        return call(view.seat % 4 + 1)

    for seat in (1, 2, 3, 4):
        party.sit(seat, Scripted(script, seat))
    await party.play()
    checked(party)
    (caller,) = {event.seat for event in party[1].events if isinstance(event, Turned) and event.action.kind == "call"}
    speaker = caller % 4 + 1
    first, second = sorted((speaker, (speaker + 1) % 4 + 1))
    assert why == [f"seat {speaker} has said nothing"]
    for place in party.places.values():
        acted = [(seat, kind) for _, seat, kind in place.actions("call", "give")]
        assert acted == [(caller, "call"), (first, "give"), (second, "give")]
        assert remarks(place) == [(speaker, 1, "play e5")]
    assert len(set(party.results.values())) == 1
