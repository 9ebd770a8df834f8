"""People at real terminals: the screens of two of them, keys, sizes, and another game at one table."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from seqp2p.cli.replays import verify_file
from tests.real.room import HELPED, KIDS, Room, begin, sit_down, table
from tests.real.terminals import YOUR_TURN, Terminal, needs_tmux, play_until

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]
OVER = re.compile(r"you (won|lost)|Y O U   (W O N|L O S T)|drawn: nobody has won")
ASKED = r"another game at this table\?"
AGAIN = re.compile(rf"{ASKED}[\s\S]*score (at this table|since you came back): ")


def test_two_people_and_two_bots_play_a_game_by_keys(room: Room) -> None:
    ann = room.sit("ann", "host", "--players", "4", "--listen", "127.0.0.1:0", "--name", "ann")
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--name", "bob", width=120, height=40)
    bob.see("join code, which the host")
    bob.type(code)
    ann.see("bob")
    for name in ("carl", "dora"):
        room.bot(name, "join", address, "--name", name, SEQP2P_CODE=code)
    ann.see("all seats are taken")
    bob.see("dora")
    ann.press("F5")
    play_until(OVER, ann, bob)
    for terminal in (ann, bob):
        terminal.see("another game at this table")
    for terminal in (bob, ann):  # The host last: where it plays no other game, no other player is asked any longer.
        terminal.type("no")
        assert terminal.exit_code() == 0
        # The screen is gone, and what matters stands on the terminal as it was before.
        left = terminal.history()
        assert OVER.search(left)
        replay = left.replace("\n", "").partition("replay: ")[2].split(".seqp2p")[0] + ".seqp2p"
        assert verify_file(Path(replay)).verdict == "verified"


def back_to_the_menu(terminal: Terminal) -> None:
    terminal.see("Enter: back to the menu")
    terminal.press("Enter")
    terminal.see("q Enter quit")


def test_the_menu_starts_commands_and_comes_back(room: Room) -> None:
    ann = room.sit("ann", SEQP2P_NAME="")
    ann.see("your name at the table (Enter: ")
    ann.type("a" * 99)
    ann.see("this name cannot be used")
    ann.type("anna")
    ann.see("q Enter quit")
    ann.type("9000")
    ann.see("This is not a join code")
    ann.type("rules")
    ann.see("SEQUENCE, THE CLASSIC GAME")
    ann.press("q")  # The rules are longer than the page, and stand in a pager.
    back_to_the_menu(ann)
    ann.type("s")  # The letter of its row.
    ann.see("the file: ")
    assert 'name = "anna"' in (room.folder / "ann" / "config.toml").read_text()
    back_to_the_menu(ann)
    ann.type("resume")
    ann.see("there is no unfinished game")
    back_to_the_menu(ann)
    ann.press("Enter")
    ann.see(YOUR_TURN)
    ann.press("C-c")
    ann.see("later: seqp2p resume continues the game")
    ann.press("C-c")
    back_to_the_menu(ann)
    ann.see("Continue")
    ann.type("q")
    assert ann.exit_code() == 0


def test_the_menu_is_a_list_without_a_screen_and_so_is_what_it_starts(room: Room) -> None:
    ann = room.sit("ann", "--plain")
    ann.see("q  quit")
    ann.type("show them")
    back = ann.see("Enter: back to the menu")
    assert "seqp2p: error: " in back
    ann.type("")
    ann.wait(lambda shown: shown.count("q  quit") > back.count("q  quit"), "the list again")
    ann.type("1")
    ann.see("type an action (help says how)")
    ann.type("quit")
    ann.see("Enter: back to the menu")


def test_two_people_stop_for_now_come_back_and_finish(room: Room) -> None:
    ann, bob = sit_down(room, "bob", host=(*KIDS, "--grace", "3"))
    begin(ann)
    for terminal in (ann, bob):
        terminal.see("the cards are dealt")
    ann.type("later")
    bob.see("ann has stopped for now: stop too?")
    bob.type("yes")
    for terminal in (ann, bob):
        assert terminal.exit_code() == 5
        terminal.see("unfinished: you have stopped for now")
        terminal.see("come back with: seqp2p resume")
    ann = room.sit("ann", "resume", **HELPED)
    ann.see("bob is not back yet; the game waits")
    time.sleep(6)  # Twice the grace.
    bob = room.sit("bob", "resume", **HELPED)
    ann.see("bob is back")
    for terminal in (ann, bob):
        terminal.see("another game at this table")
    for who, terminal in (("bob", bob), ("ann", ann)):
        terminal.type("no")
        assert terminal.exit_code() == 0
        (replay,) = (room.folder / who / "replays").glob("*.seqp2p")
        assert verify_file(replay).verdict == "verified"


# Another game: some accept, decline, are gone or were gone for a while.


def test_seats_that_were_killed_and_resumed_play_another_game(room: Room) -> None:
    people = sit_down(room, "ben")
    begin(people[0])
    for number, (name, look) in enumerate((("ann", HELPED), ("ben", {}))):
        people[number].find(r"\n hand ")
        os.kill(people[number].pid(), signal.SIGKILL)
        assert people[number].exit_code() == 128 + signal.SIGKILL
        people[number] = room.sit(name, "resume", **look)
    ann, ben = people
    play_until(AGAIN, ben)
    ann.find(AGAIN.pattern)
    ann.press("Enter")
    ben.find(r"ann wants another game")
    ben.press("Enter")
    for person in people:
        person.find("turn [12] .*")  # The first turn of ben, who is not helped.


def test_from_the_menu_to_another_game_with_chosen_seats_and_colours(room: Room) -> None:
    ann, ben = room.sit("ann", SEQP2P_NAME="ann", SEQP2P_PACE="0", **HELPED), room.sit("ben", SEQP2P_NAME="ben")
    ann.see("q Enter quit")
    ann.type("host --players 4")
    code = ann.find(r"the join code is:  (\S+)")[1]
    ben.see("q Enter quit")
    ben.press("Down", "Down", "Down", "Enter")
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
    play_until(AGAIN, ben)
    ann.find(AGAIN.pattern)
    ann.press("Enter")
    ben.see("ann wants another game")
    ben.press("Enter")
    for person in (ann, ben):  # Of the game before, one team has two sequences.
        person.find(r"green +0 of 2 sequences[\s\S]*blue +0 of 2 sequences")
