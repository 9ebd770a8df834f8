"""People whose terminals, keyboards and neighbours misbehave: the screen stays whole, and the terminal as it was."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.cli.processes import wait_until, wait_until_gone
from tests.real.room import SEQP2P, Room, table
from tests.real.terminals import YOUR_TURN, Terminal, needs_tmux

pytestmark = [pytest.mark.terminal, needs_tmux]
TABLE = ("host", "--listen", "127.0.0.1:0", "--players", "2")
CODE = "join code, which"


def kill(number: int) -> Callable[[Terminal], None]:
    return lambda terminal: os.kill(terminal.pid(), number)


@pytest.mark.parametrize(
    ("what", "sign", "end"),
    [
        (("join",), CODE, lambda terminal: terminal.press("C-c", "C-c")),
        (("join",), CODE, lambda terminal: terminal.press("C-d")),
        (TABLE, "join code is", kill(signal.SIGHUP)),
        (TABLE, "join code is", lambda terminal: terminal.type("leave")),
        (("watch",), "you are let in", kill(signal.SIGTERM)),
    ],
    ids=["question-Ctrl-C", "question-Ctrl-D", "lobby-SIGHUP", "lobby-leave", "watching-SIGTERM"],
)
def test_the_terminal_is_as_it_was(
    room: Room, what: tuple[str, ...], sign: str, end: Callable[[Terminal], None]
) -> None:
    if what == ("watch",):
        address, code = table(room.sit("host", *TABLE))
        what = ("watch", address, "--code", code)
    ann = room.sit("ann", *what)
    ann.see(sign)
    end(ann)
    assert ann.exit_code() == 5
    assert ann.is_as_before()
    assert ann.history().strip(), "a word of how it ended"


@pytest.mark.slow
def test_ctrl_c_says_no_to_a_changed_key(room: Room) -> None:
    for number, who in enumerate(("bob", "mallory")):
        ann = room.sit("ann", *TABLE, "--variant", "kids", "--name", "ann")
        address, code = table(ann)
        room.sit(who, "join", address, "--code", code, "--name", "bob")
        ann.see("all seats are taken")
        ann.press("F5")
        ann.see("THE KEY OF bob HAS CHANGED" if number else "turn 1")
        ann.press("C-c")
        if not number:
            ann.see("you stay")
            ann.press("C-c")
        assert ann.exit_code() == 5
        assert "the cards are dealt" not in ann.history()


def test_a_fault_of_the_screen_is_one_sentence_and_the_way_back(room: Room) -> None:
    faulty = (
        "import seqp2p.ui.table_paint as it, seqp2p.cli.main as m; it.paint_board = lambda *_, **__: 1 / 0; m.main()"
    )
    command = [sys.executable, "-c", faulty, "play", "--variant", "kids", "--grace", "5", "--name", "ann"]
    ann = room.terminal(command, "ann")
    assert ann.exit_code() == 1
    assert ann.is_as_before()
    said = ann.history()
    assert said.count("seqp2p: error: a fault in seqp2p itself") == 1
    assert "come back with: seqp2p resume" in said
    assert "Traceback" not in said


def test_stopped_and_continued(room: Room) -> None:
    shell = room.terminal(["bash", "--norc", "-i"], "ann")
    shell.type(" ".join([*SEQP2P, *TABLE]))
    shell.see("join code is")
    shell.press("C-z")
    shell.see("Stopped")
    assert shell.modes() == "0 1 0"
    shell.type("clear; fg")
    shell.see("join code is")
    pid = int(subprocess.check_output(["ps", "-o", "pid=", "--ppid", str(shell.pid())]))
    os.kill(pid, signal.SIGSTOP)
    shell.see("Stopped")  # written over the screen
    shell.type("fg")
    shell.wait(lambda screen: "join code is" in screen and "Stopped" not in screen, "the whole screen again")
    shell.press("C-c")
    shell.see("you left the table")
    wait_until(lambda: shell.modes() == "0 1 0", "the screen stays")


def test_a_terminal_that_closes_ends_the_program_and_not_the_game(room: Room) -> None:
    ann = room.sit("ann", "play", "--variant", "kids", "--pace", "0", "--grace", "60")
    ann.see(YOUR_TURN)
    pid = ann.pid()
    ann.close()
    wait_until_gone([pid])
    room.sit("ann", "resume").see(YOUR_TURN)
