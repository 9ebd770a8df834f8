"""What went wrong for people at real terminals, each as it was found, and as it is to be."""

import pytest

from tests.cli.processes import wait_until
from tests.cli.test_lobby import other_code
from tests.real.room import Room, begin, sit_down, table
from tests.real.terminals import interrupt, needs_tmux

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_a_wrong_code_is_asked_for_again(room: Room, plain: list[str]) -> None:
    ann = room.sit("ann", "host", "--players", "2", "--variant", "kids", "--listen", "127.0.0.1:0", "--name", "ann")
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--name", "bob", *plain)
    eve = room.sit("eve", "watch", address, "--name", "eve", *plain)
    for terminal in (eve, bob):
        terminal.see("join code, which the host")
        terminal.type(other_code(code))
        terminal.see("Wrong code.")
    # One try each was wrong: nothing was tried again by itself.
    ann.see("(wrong code: 2; disconnected or")
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
