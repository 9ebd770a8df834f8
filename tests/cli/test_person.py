"""A person in a terminal: a whole game by typed words, mistakes and all."""

import re
import subprocess
from collections.abc import Callable

from seqp2p.rules import KIDS, parse_action
from tests.cli.processes import Household, Process, command


class Person:
    """Types at a process, and reads the answers."""

    def __init__(self, process: Process, types: Callable[..., object] | None = None) -> None:
        self.process = process
        self.type = types or process.type
        self.turns = 0

    def turn(self) -> list[str]:
        """Wait until it is this person's turn; return the legal actions as listed."""
        self.turns += 1
        self.process.line("^type an action", self.turns)
        spoken = self.process.out if self.process.out and not self.process.out[0].startswith("{") else self.process.err
        begun = len(spoken)
        self.type("moves", "wait")
        self.process.line("^there is nobody to wait for", self.turns)
        answer = [line for line in spoken[begun:] if line.startswith("  ") and "." not in line]
        return [text.strip() for line in answer for text in line.rpartition("like: ")[2].split(", ")]

    def play_on(self) -> None:
        """Type the first listed action, until the game is over."""
        while self.process.line("^(type an action|you won|you lost|drawn)", self.turns + 1)[1] == "type an action":
            self.type(self.turn()[0])

    def answered(self, typed: str, pattern: str) -> None:
        """Type a line; the answer must fit the pattern."""
        before = len([line for line in [*self.process.out, *self.process.err] if re.search(pattern, line)])
        self.process.type(typed)
        self.process.line(pattern, before + 1)


def test_a_whole_game_by_typed_lines(people: Household) -> None:
    host = people.host("--variant", "kids")
    guest = people.join(host, "--plain", bot=None, stdin=subprocess.PIPE)
    person = Person(guest)
    legal = person.turn()
    guest.type("say  good   luck")
    assert host.event("remark", seat=2)["text"] == guest.event("remark", seat=2)["text"] == "good luck"
    # A mistake is told, and asked again.
    person.answered("cat k9", "'k9' is not a square")
    assert not any(event["event"] == "turn" and event["seat"] == 2 for event in guest.events)
    # And then what is listed, until nothing is asked any more.
    begun = len(guest.err)
    guest.type(f"  {legal[0]} ".replace(" ", "  "))
    person.play_on()
    assert (guest.end(), host.end()) == (0, 0)
    few_lines_are_told(guest.err[begun:], sum(event["event"] in ("turn", "exchange") for event in host.events))
    played = [event["action"] for event in guest.events if event["event"] == "turn" and event["seat"] == 2]
    assert len(played) >= 2
    assert all(parse_action(KIDS, text) for text in played)
    assert guest.events[-1]["result"] in ("won", "drawn")
    assert host.events[-1]["winners"] == guest.events[-1]["winners"]
    # The person was told whose turn it was, what it drew, and how it ended.
    won = "you won" if 2 in guest.events[-1]["winners"] else "you lost"
    for text in ("host's turn", "your turn", "you draw ", won):
        assert any(line.startswith(text) for line in guest.err)


ACTION = re.compile(r" *\d+\. ")
OWN = re.compile(r"your turn|your hand: |type an action| *\d+\. you  |you draw ")
ANSWER = re.compile(r"  \w|there is nobody to wait for")
"""Answers to the two words that a person types in each turn."""


def few_lines_are_told(spoken: list[str], actions: int) -> None:
    """Check that a reader of ``--plain`` hears each action once, and at most six lines in a turn of their own."""
    ended = next(at for at, line in enumerate(spoken) if line.startswith(("you won", "you lost", "drawn")))
    heard = [line for line in spoken[:ended] if ACTION.match(line) or not ANSWER.match(line)]
    heard = heard[: heard.index("")]  # The last board comes with the result.
    others = [line for line in heard if not OWN.match(line)]
    assert all(ACTION.match(line) for line in others if line != "host's turn"), others
    own = [line for line in heard if OWN.match(line)]
    own_actions = [line for line in own if ACTION.match(line)]
    assert len(others) <= actions - len(own_actions) + 1, others  # And a line that names the first mover.
    assert len(own) <= 6 * len(own_actions)
    assert sum(line.startswith("your hand: ") for line in own) == own.count("your turn")


def test_a_process_without_an_input_does_not_stay_in_the_lobby(people: Household) -> None:
    """No other file takes the place of the closed input, an identity key least of all."""
    event = people.host("--variant", "kids").event("listening")
    arguments = ["join", event["address"], "--code", event["code"], "--name", "guest", "--json"]
    line = command(*arguments, "--replay-dir", people.replays("guest"))
    guest = people.run(["sh", "-c", 'exec "$@" <&-', "sh", *line])
    assert guest.end() == 5
    assert guest.events[-1]["replay"] is None
