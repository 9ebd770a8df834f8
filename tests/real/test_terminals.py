"""People at real terminals: the screens of two of them, keys, sizes, and another game at one table."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from seqp2p.cli.replays import verify_file
from tests.cli.processes import wait_until
from tests.cli.test_lobby import other_code
from tests.real.room import HELPED, KIDS, Room, begin, sit_down, table
from tests.real.terminals import YOUR_TURN, Terminal, interrupt, needs_tmux, play_until

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
    back = "Enter: back to the menu"
    screen = terminal.wait(lambda screen: screen.rstrip().endswith(back), back)
    terminal.click(screen.rstrip().count("\n"), 1)
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
    ann.see("later: seqp2p resume goes on")
    ann.press("C-c")
    back_to_the_menu(ann)
    ann.see("Continue")
    ann.type("g")
    ann.see("seqp2p show 1")
    ann.press("Enter")
    ann.see("the cards are not dealt yet")
    ann.type("q")
    back_to_the_menu(ann)
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
    ann.type("exit")
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


# What went wrong for people at real terminals, each as it was found, and as it is to be.


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_a_wrong_code_is_asked_for_again(room: Room, plain: list[str]) -> None:
    ann = room.sit("ann", "host", "--players", "2", "--variant", "kids", "--listen", "127.0.0.1:0", "--name", "ann")
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--name", "bob", *plain)
    eve = room.sit("eve", "watch", address, "--name", "eve", *plain)
    for terminal in (eve, bob):
        terminal.see("join code, which the host")
        terminal.type(other_code(code))
        terminal.see("wrong code; compare it")
    # One try each was wrong: nothing was tried again by itself.
    ann.see("(wrong code: 2)")
    eve.type(code)
    eve.see("you are let in")
    bob.type(code)
    begin(ann)
    for terminal in (ann, bob):
        terminal.find("(your|'s) turn")


def test_a_host_that_refuses_a_changed_key_keeps_its_table(room: Room) -> None:
    """The refused player is told the truth, and the third one sits down again without doing anything."""
    before = sit_down(room, "bob", "carl")
    begin(before[0])
    for terminal in before:
        terminal.find("(your|'s) turn")
    for terminal in before:
        terminal.close()
    (room.folder / "bob" / "identity.key").unlink()
    ann, bob, carl = sit_down(room, "bob", "carl")
    address, code = table(ann)
    begin(ann)
    ann.see("THE KEY OF bob HAS CHANGED")
    carl.see("THE KEY OF bob HAS CHANGED")
    carl.see("no: leave the table")
    carl.type("yes")
    ann.type("no")
    assert bob.exit_code() == 5
    told = " ".join(bob.history().split())
    assert "ann says: does not play with you: your name had another key before" in told
    assert "the host no longer admits" in told
    assert "opens again" not in told
    ann.see("without this bob the lobby opens again, with another code")
    assert "tried wrongly" not in ann.screen()
    second = table(ann)
    assert (second[0], second[1] != code) == (address, True)
    ann.find(r"carl ")
    carl.wait(lambda shown: "does not play with another seat here" in " ".join(shown.split()), "the reason")
    dora = room.sit("dora", "join", address, "--code", second[1], "--name", "dora")
    begin(ann)
    for terminal in (ann, carl, dora):
        terminal.find("(your|'s) turn")


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_ctrl_c_asks_before_it_closes_a_table_where_others_sit(room: Room, plain: list[str]) -> None:
    ann = room.sit("ann", "host", "--players", "3", "--listen", "127.0.0.1:0", "--name", "ann", *plain)
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--code", code, "--name", "bob", *plain)
    for terminal, asks in ((bob, "leave the table?"), (ann, "close the table? The others")):
        terminal.find("bob.*you|bob  |, bob")
        terminal.press("C-c")
        terminal.see(asks)
        terminal.type("no")
        terminal.see("you stay")
    interrupt(ann)
    assert ann.exit_code() == 5
    bob.see("has closed the table")
    # A host alone need not answer.
    ann = room.sit("ann", "host", "--listen", "127.0.0.1:0", "--name", "ann", *plain)
    table(ann)
    ann.press("C-c")
    assert ann.exit_code() == 5


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_the_title_says_whose_turn_it_is_and_is_the_old_one_again(room: Room, plain: list[str]) -> None:
    ann = room.sit("ann", "host", "--variant", "kids", "--listen", "127.0.0.1:0", "--name", "ann", *plain)
    ann.title("my own title")
    seen = ann.raw()
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--code", code, "--name", "bob", *plain, SEQP2P_TITLE="off")
    bob.title("bob's own title")
    seen_by_bob = bob.raw()
    begin(ann)
    for terminal in (ann, bob):
        terminal.find("(your|'s) turn")
    turns = ["waiting for bob", "Your turn"]
    wait_until(lambda: ann.title() in turns, "no turn")
    if ann.title() == "waiting for bob":
        turns.reverse()
    own, mover = turns[-1] == "Your turn", bob if turns[-1] == "waiting for bob" else ann
    mover.type("moves")
    card, square = mover.find(r"([a-z]+) ([a-g][1-6]), \1 ").groups()
    mover.type(f"{card} {square}")
    wait_until(lambda: ann.title() in turns and (ann.title() == "Your turn") != own, "no other turn")
    interrupt(ann)
    assert ann.exit_code() == 5
    wait_until(lambda: ann.title() == "my own title", "another title stays")
    assert bob.title() == "bob's own title"
    for told in (seen, seen_by_bob):
        wait_until(lambda told=told: b"\x1b]9;Your turn\x07\x07" in told.read_bytes(), "nobody is called")  # type: ignore[misc]
