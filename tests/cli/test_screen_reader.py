"""A whole game in ``--plain`` by the script of one who hears it: few lines, and nothing twice."""

import re
import subprocess

from tests.cli.processes import Household
from tests.cli.test_person import Person

ACTION = re.compile(r" *\d+\. (you|seat \d)")
OWN = re.compile(r"your turn|your hand: |type an action| *\d+\. you: |you draw ")
ASKED = re.compile(r"  \w|there is nobody to wait for")
"""Answers to the two words that the script types in each turn."""


def test_a_whole_game_in_few_lines(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--plain", bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    while True:
        legal = person.turn()
        before = len([line for line in guest.err if OWN.match(line)])
        guest.type(legal[0])
        told = guest.line("^type an action|^you (won|lost)|^drawn", person.turns + 1)
        assert len([line for line in guest.err if OWN.match(line)]) > before
        if not told[0].startswith("type"):
            break
    guest.close_input()
    assert guest.end() == 0, guest.said()
    begun = next(at for at, line in enumerate(guest.err) if line.startswith("your hand: ")) + 1
    ended = next(at for at, line in enumerate(guest.err) if line.startswith(("you won", "you lost", "drawn")))
    heard = [line for line in guest.err[begun:ended] if ACTION.match(line) or not ASKED.match(line)]
    board = next(at for at, line in enumerate(heard) if line == "")
    lines = heard[:board]  # The last board comes with the result.
    others = [line for line in lines if not OWN.match(line)]
    assert all(ACTION.match(line) for line in others if line != "host's turn"), others
    events = [event for event in guest.events if event["event"] in {"turn", "exchange"} and event["seat"] == 1]
    assert len(others) <= len(events) + 1, (others, events)  # And the line that names the first mover.
    own = [line for line in lines if OWN.match(line)]
    actions = [line for line in own if ACTION.match(line)]
    assert len(own) <= 6 * len(actions)
    hands = sum(line.startswith("your hand: ") for line in own)
    assert hands == sum(line == "your turn" for line in own)
