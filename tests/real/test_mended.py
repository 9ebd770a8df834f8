"""What went wrong for people at real terminals, each as it was found, and as it is to be."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.test_lobby import other_code
from tests.real.terminals import needs_tmux
from tests.real.test_terminals import Room, table

pytestmark = [pytest.mark.terminal, pytest.mark.slow, needs_tmux]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with ExitStack() as stack:
        yield Room(tmp_path, stack)


@pytest.mark.parametrize("plain", [[], ["--plain"]])
def test_a_wrong_code_is_asked_for_again(room: Room, plain: list[str]) -> None:
    ann = room.sit("ann", "host", "--players", "2", "--variant", "kids", "--listen", "127.0.0.1:0", "--name", "ann")
    address, code = table(ann)
    bob = room.sit("bob", "join", address, "--name", "bob", *plain)
    eve = room.sit("eve", "watch", address, "--name", "eve", *plain)
    for terminal in (eve, bob):
        terminal.see("join code (like 7-amber-falcon)")
        terminal.type(other_code(code))
        terminal.see("This is not the code of the table.")
    # One try each was wrong: nothing was tried again by itself.
    ann.see("(wrong codes: 2)")
    eve.type(code)
    eve.see("you are let in")
    bob.type(code)
    for terminal in (ann, bob):
        terminal.find("(your|'s) turn")
