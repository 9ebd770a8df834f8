"""Another game at one table, for people at real terminals: who accepts, who declines, who is gone."""

import os
import re
import signal
import time

import pytest

from tests.real.room import HELPED_SEQP2P, Room, table
from tests.real.terminals import LIMIT_S, YOUR_TURN, Terminal, needs_tmux, play_a_turn
from tests.real.test_mended import begin

ASKED = r"Enter\) or no"
pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


def sit_down(room: Room, *guests: str, helped: bool = False) -> list[Terminal]:
    """Ann hosts a kids' game, and these join her; a bot chooses for those who are ``helped``."""

    def sit(who: str, *arguments: str, code: str = "") -> Terminal:
        if helped:
            line = [*HELPED_SEQP2P, *arguments, "--name", who]
            return room.terminal(line, who, SEQP2P_CODE=code, SEQP2P_HELPED="1")
        return room.sit(who, *arguments, "--name", who, SEQP2P_CODE=code)

    ann = sit("ann", "host", "--players", str(1 + len(guests)), "--variant", "kids", "--listen", "127.0.0.1:0")
    address, code = table(ann)
    people = [ann]
    for guest in guests:
        people.append(sit(guest, "join", address, code=code))
        ann.see(guest)
    begin(ann)
    return people


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


@pytest.mark.parametrize("first", [0, 1])
def test_each_sees_that_the_other_accepts(room: Room, first: int) -> None:
    people = sit_down(room, "ben")
    play_out(people)
    people[first].press("Enter")
    people[1 - first].see(f"{('ann', 'ben')[first]} wants another game")
    people[first].find(r"waiting for (ann|ben) \([345]\d s\)")
    people[1 - first].press("Enter")
    for person in people:
        person.find("turn 1 .*")


def test_one_accepts_and_one_declines(room: Room) -> None:
    ann, ben, cem = people = sit_down(room, "ben", "cem", helped=True)
    for person in people:
        person.find(ASKED)
    cem.type("no")
    for person in (ann, ben):
        person.see("cem plays no other game")
    ben.press("Enter")
    ann.see("ben wants another game")
    ann.type("no")
    ben.see("there is no other game at this table: ann plays no other game")


def test_the_question_ends_with_the_last_other(room: Room) -> None:
    ann, ben = people = sit_down(room, "ben")
    play_out(people)
    ben.type("no")
    ann.see("there is no other game at this table: all others have declined")


@pytest.mark.parametrize("lost", ["host", "guest", "both"])
def test_a_seat_that_was_killed_and_resumed(room: Room, lost: str) -> None:
    people = sit_down(room, "ben")
    for number, name in enumerate(("ann", "ben")):
        people[number].find(r"\n hand ")
        if lost in (("host", "both"), ("guest", "both"))[number]:
            os.kill(people[number].pid(), signal.SIGKILL)
            assert people[number].exit_code() == 128 + signal.SIGKILL
            people[number] = room.sit(name, "resume")
    play_out(people)
    people[0].press("Enter")
    people[1].see("ann wants another game")
    people[1].press("Enter")
    for person in people:
        person.find("turn 1 .*")


def test_one_is_killed_at_the_question(room: Room) -> None:
    ann, ben, cem = people = sit_down(room, "ben", "cem", helped=True)
    for person in people:
        person.find(ASKED)
    os.kill(cem.pid(), signal.SIGKILL)
    for person in (ann, ben):
        person.see("cem plays no other game")
    os.kill(ann.pid(), signal.SIGKILL)
    ben.see("there is no other game at this table: ann plays no other game")
