"""Another game at one table, for people at real terminals: some accept, decline, are gone or were gone for a while."""

import os
import re
import signal

import pytest

from tests.real.room import HELPED, Room, begin, number_of, sit_down
from tests.real.terminals import needs_tmux, play_until

ASKED = r"Enter\) or no"
OVER = re.compile(rf"score (at this table|since you came back): [\s\S]*{ASKED}")
pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


def test_one_declines_and_one_is_killed_at_the_question(room: Room) -> None:
    ann, ben, cem = people = sit_down(room, "ben", "cem", **HELPED)
    begin(ann)
    for person in people:
        person.find(ASKED)
    cem.type("no")
    for person in (ann, ben):
        person.see("cem plays no other game")
    ben.press("Enter")
    ann.see("ben wants another game")
    os.kill(ann.pid(), signal.SIGKILL)
    ben.see("there is no other game at this table: ann plays no other game")


def test_seats_that_were_killed_and_resumed_play_another_game(room: Room) -> None:
    people = sit_down(room, "ben")
    begin(people[0])
    for number, (name, look) in enumerate((("ann", HELPED), ("ben", {}))):
        people[number].find(r"\n hand ")
        os.kill(people[number].pid(), signal.SIGKILL)
        assert people[number].exit_code() == 128 + signal.SIGKILL
        people[number] = room.sit(name, "resume", **look)
    ann, ben = people
    play_until(OVER, ben)
    ann.find(OVER.pattern)
    ann.press("Enter")
    ben.find(r"ann wants another game")
    ben.press("Enter")
    for person in people:
        person.find("turn [12] .*")  # The first turn of ben, who is not helped.


def test_from_the_menu_to_another_game_with_chosen_seats_and_colours(room: Room) -> None:
    ann, ben = room.sit("ann", SEQP2P_NAME="ann", SEQP2P_PACE="0", **HELPED), room.sit("ben", SEQP2P_NAME="ben")
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
    play_until(OVER, ben)
    ann.find(OVER.pattern)
    ann.press("Enter")
    ben.see("ann wants another game")
    ben.press("Enter")
    for person in (ann, ben):  # Of the game before, one team has two sequences.
        person.find(r"green +0 of 2 sequences[\s\S]*blue +0 of 2 sequences")
