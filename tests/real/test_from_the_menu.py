"""Two people who have read no page: from the menu of a bare ``seqp2p`` to another game at the same table."""

import pytest

from tests.real.room import Room, number_of
from tests.real.terminals import needs_tmux
from tests.real.test_another_game import play_out

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


def test_colours_and_seats_are_chosen_and_all_play_again(room: Room) -> None:
    ann, ben = room.sit("ann", SEQP2P_NAME="ann", SEQP2P_PACE="0"), room.sit("ben", SEQP2P_NAME="ben")
    ann.see("q  leave")
    ann.type(number_of("host --players 4"))
    code = ann.find(r"the join code is:  (\S+)")[1]
    ben.see("q  leave")
    ben.type(number_of("join"))
    ben.find(f"table +{code.partition('-')[0]} .*ann")
    ben.type(code)
    ben.find("2 ▲ green ben \\(you\\)")
    ben.press("Down", "Down", "Enter")
    ben.find("3 ● blue  ben \\(you\\)")
    ben.press("Right")
    for person in (ann, ben):
        person.find("1 ▲ green ann")
        person.find("3 ▲ green ben")
    ann.press("F5")
    play_out([ann, ben])
    ann.press("Enter")
    ben.see("ann wants another game")
    ben.press("Enter")
    for person in (ann, ben):  # Of the game before, one team has two sequences.
        person.find(r"green +0 of 2 sequences[\s\S]*blue +0 of 2 sequences")
