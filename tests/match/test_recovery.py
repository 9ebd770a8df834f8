"""A seat that recovers its signatures: its states, one by one."""

from dataclasses import dataclass, field
from typing import cast

import pytest

from seqp2p.match.machine import Match
from seqp2p.match.recovery import Recovery

GRACE_S = 10.0


@dataclass
class Members:
    members: frozenset[int]


@dataclass
class Base:
    number: int
    votable: bool
    decree: Members


@dataclass
class Chain:
    base: Base | None


@dataclass
class Game:
    seats: tuple[int, ...]


@dataclass
class State:
    """What a recovery reads of a match: step ``number`` is open, ``final`` steps are final."""

    players: int
    number: int = 8
    final: int = 6
    votable: bool = True
    awaited: frozenset[int] = frozenset()
    left: dict[int, str] = field(default_factory=dict)
    proven: dict[int, str] = field(default_factory=dict)

    @property
    def game(self) -> Game:
        return Game(tuple(range(1, self.players + 1)))

    @property
    def chain(self) -> Chain:
        return Chain(Base(self.final + 1, self.votable, Members(frozenset(self.game.seats))))


def recovering(players: int, final: int = 6) -> tuple[State, Recovery]:
    state = State(players, final=final)
    return state, Recovery(cast("Match", state), 1)


def may(recovery: Recovery) -> str:
    """The state, and what may be signed."""
    words = {"careful": recovery.careful, "contribute": recovery.may_contribute, "vote": recovery.may_vote}
    return " ".join(word for word, true in words.items() if true)


@pytest.mark.parametrize(("players", "needed"), [(2, 1), (3, 2), (4, 3), (6, 4), (8, 5), (9, 5), (12, 7)])
def test_a_strict_majority_without_itself(players: int, needed: int) -> None:
    state, recovery = recovering(players)
    for seat in range(2, needed + 1):
        recovery.answered(seat, 7)
        assert may(recovery) == ""
    recovery.answered(needed + 1, 7)
    # With an answer of each no vote is forgotten; else there is none before the steps that were open then are final.
    everyone = needed == players - 1
    assert may(recovery) == ("careful contribute vote" if everyone else "careful")
    state.final, state.number = 8, 9
    assert may(recovery) == ("careful contribute vote" if everyone else "careful vote")
    assert recovery.recovered == everyone


def test_an_answer_about_a_later_step_does_not_count_yet() -> None:
    _, recovery = recovering(2)
    recovery.answered(2, 8)
    assert may(recovery) == ""
    assert recovery.missing == {2}
    recovery.answered(2, 7)
    assert may(recovery) == "careful contribute vote"


def test_contributions_wait_for_all_and_for_what_is_below() -> None:
    state, recovery = recovering(6)
    for seat in (2, 3, 4, 5):
        recovery.answered(seat, 7)
    state.final = 7
    assert may(recovery) == "careful"
    state.left[6] = "signed"
    assert may(recovery) == "careful contribute"
    state.final = 6
    assert may(recovery) == "careful"
    state.votable = False
    assert may(recovery) == "careful contribute"


def test_of_two_that_recover_each_counts_for_all_and_for_no_majority() -> None:
    _, recovery = recovering(5)
    recovery.asked(5)
    recovery.answered(5, 7, recovers=True)
    for seat in (2, 3):
        recovery.answered(seat, 7)
        assert may(recovery) == ""
        assert not recovery.may_answer
    recovery.answered(4, 7)
    assert may(recovery) == "careful contribute vote"
    assert recovery.may_answer


def test_after_an_answer_of_a_seat_that_recovers_the_others_are_asked_again() -> None:
    _, recovery = recovering(5)
    for seat in (2, 3, 4):
        recovery.answered(seat, 7)
    answers = [recovery.may_answer]  # Seat 5 may still answer, and know more.
    recovery.asked(5)
    assert [*answers, recovery.may_answer] == [False, True]
    for _ in range(2):  # once: it cannot make this seat ask for ever
        recovery.answered(5, 7, recovers=True)
        assert recovery.missing == {2, 3, 4}
    for seat in (2, 3, 4):
        recovery.answered(seat, 7)
    recovery.answered(5, 7, recovers=True)
    assert may(recovery) == "careful contribute vote"


@pytest.mark.parametrize("gone", ["left", "proven"])
def test_a_seat_that_is_gone_is_not_waited_for(gone: str) -> None:
    state, recovery = recovering(4, final=7)
    for seat in (2, 3):
        recovery.answered(seat, 7)
    getattr(state, gone)[4] = "signed"
    assert recovery.missing == frozenset()
    assert may(recovery) == ""
    recovery.answered(4, 7)
    assert may(recovery) == "careful contribute vote"


def test_time_alone_stops_it_and_never_lets_it_sign() -> None:
    state, recovery = recovering(5, final=7)
    assert not recovery.waited_out(0.0, GRACE_S)
    assert not recovery.waited_out(GRACE_S - 1, GRACE_S)
    assert recovery.waited_out(GRACE_S, GRACE_S)
    assert may(recovery) == ""
    for seat in (2, 3, 4):
        recovery.answered(seat, 7)
    # The others do not wait for it: it has time.
    state.awaited = frozenset({2})
    assert not recovery.waited_out(5 * GRACE_S, GRACE_S)
    state.awaited = frozenset({1})
    assert not recovery.waited_out(6 * GRACE_S - 1, GRACE_S)
    assert recovery.waited_out(6 * GRACE_S, GRACE_S)
    recovery.answered(5, 7)
    assert not recovery.waited_out(6 * GRACE_S + 1, GRACE_S)


def test_each_answer_gives_it_the_grace_again_and_once() -> None:
    _, recovery = recovering(4)
    assert not recovery.waited_out(0.0, GRACE_S)
    recovery.answered(2, 7)
    assert not recovery.waited_out(GRACE_S, GRACE_S)
    assert not recovery.waited_out(2 * GRACE_S - 1, GRACE_S)
    recovery.answered(2, 7)
    assert recovery.waited_out(2 * GRACE_S, GRACE_S)
