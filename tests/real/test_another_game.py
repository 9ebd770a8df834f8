"""Another game at one table, for people at real terminals: who declines, who is gone, who was gone for a while.

test_from_the_menu.py has two who accept.
"""

import os
import re
import signal
import time

import pytest

from tests.real.room import HELPED_SEQP2P, Room, begin, sit_down
from tests.real.terminals import LIMIT_S, YOUR_TURN, Terminal, needs_tmux, play_a_turn

ASKED = r"Enter\) or no"
pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


def play_out(people: list[Terminal]) -> None:
    """Play a game of two to its end, and wait until both are asked for another."""
    end = time.monotonic() + LIMIT_S
    score = re.compile("score (at this table|since you came back): ")
    while not all(score.search(person.history() + person.screen()) for person in people):
        assert time.monotonic() < end, people[0].screen()
        for person in people:
            if YOUR_TURN in person.screen():
                play_a_turn(person)
    for person in people:
        person.find(ASKED)


def test_one_declines_and_one_is_killed_at_the_question(room: Room) -> None:
    """A bot chooses for them in the game."""
    ann, ben, cem = people = sit_down(room, "ben", "cem", line=HELPED_SEQP2P, SEQP2P_HELPED="1")
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
    for number, name in enumerate(("ann", "ben")):
        people[number].find(r"\n hand ")
        os.kill(people[number].pid(), signal.SIGKILL)
        assert people[number].exit_code() == 128 + signal.SIGKILL
        people[number] = room.sit(name, "resume")
    play_out(people)
    people[0].press("Enter")
    people[1].find(r"ann wants another game")
    people[1].press("Enter")
    for person in people:
        person.find("turn 1 .*")
