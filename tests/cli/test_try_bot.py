"""``seqp2p try-bot``: a program that keeps to the protocol is told so, and any other what it does wrong."""

import json
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from seqp2p.arena.conformance import TABLES, Findings, begin, note
from seqp2p.bots.exec_player import BotFailed, ProgramEnded, Stale, Wrong
from seqp2p.rules import view
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import EXAMPLES, strange
from tests.cli.test_schemas import validator


def tried(cli: Cli, *arguments: object) -> tuple[int, list[dict[str, Any]], str]:
    code, out, err = cli("try-bot", *arguments, "--json")
    return code, documented.stream(out), err


@pytest.mark.process
def test_a_good_program_is_tried_in_every_way(cli: Cli, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code, events, err = tried(cli, strange("good", seen), "--games", 1)
    assert code == 0, err
    *trials, last = events
    assert [trial["variant"] for trial in trials] == [table.variant.name for table in TABLES]
    for trial in trials:
        assert (trial["games"], trial["problems"]) == (1, [])
    assert last["ok"]
    # Everything that can come up did.
    assert {"place", "remove", "exchange", "pass", "draw", "give"} <= last["chosen"].keys()
    sent = [json.loads(line) for line in seen.read_text().splitlines()]
    assert {"hello", "view", "error", "void", "event", "result"} <= {message["type"] for message in sent}
    # One of each kind, and every twentieth.
    kinds = {(message["type"], message.get("phase"), message.get("event")): message for message in sent}
    for message in [*kinds.values(), *sent[::20]]:
        if message["type"] != "environment":
            validator("bots").validate(message)
    assert {"play", "draw", "late", "penalty"} <= {message["phase"] for message in sent if message["type"] == "view"}
    told = {message["event"] for message in sent if message["type"] == "event"}
    assert {"turn", "exchange", "remark", "call", "give", "draw", "end"} <= told


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.process
def test_the_example_in_javascript_keeps_to_the_protocol(cli: Cli) -> None:
    code, out, err = cli("try-bot", EXAMPLES / "bot.js", "--games", 1, "--players", 4)
    assert code == 0, out + err
    assert out.splitlines()[-1] == "the bot keeps to the protocol"
    assert "classic, 4 players, advanced: games 1, won " in out


@pytest.mark.process
def test_the_smallest_example_keeps_to_the_protocol(cli: Cli, tmp_path: Path) -> None:
    (text,) = re.findall(r"```python\n(import json.*?)```", documented.TEXT, re.DOTALL)
    bot = tmp_path / "bot.py"
    bot.write_text(text)
    code, _, err = tried(cli, f"{sys.executable} {bot}", "--games", 1, "--variant", "kids")
    assert code == 0, err


@pytest.mark.parametrize(
    ("manner", "problem"),
    [
        ("slow", "game 1: it did not choose within 0.5 seconds"),
        ("twice", "game 1: question 1 was answered too late"),
        ("caller", "game 1, question 1: nobody has said anything that can be called"),
    ],
)
@pytest.mark.process
def test_what_a_program_does_wrong_is_said(cli: Cli, tmp_path: Path, manner: str, problem: str) -> None:
    line = strange(manner, tmp_path / "seen")
    # Only who is to be late is given little time: a busy machine takes its own to start a program.
    limit_s = 0.5 if manner == "slow" else 60
    options = ("--variant", "kids", "--players", 2, "--games", 1, "--exec-time", limit_s)
    code, (trial, last, _), err = tried(cli, line, *options)
    assert code == 1
    assert not last["ok"]
    assert last["problems"] == len(trial["problems"])
    assert any(text.startswith(problem) for text in trial["problems"]), trial["problems"]
    assert "seqp2p: error: the bot has failed: " in err
    assert ("(flush)" in err) == (manner == "slow"), "the hint is for silence alone"
    assert "seqp2p: hint: " in err
    if manner == "twice":  # People are shown some of many problems.
        assert err.count("was answered too late") == 5
        assert "  and " in err


@pytest.mark.process
def test_a_program_that_is_gone_is_tried_no_further(cli: Cli, tmp_path: Path) -> None:
    code, events, _ = tried(cli, strange("die", tmp_path / "seen"))
    assert code == 1
    assert [event["event"] for event in events] == ["trial", "tried", "error"]
    assert events[0]["games"] == 1


def test_what_is_as_it_should_be_is_no_problem() -> None:
    found = Findings(TABLES[0])
    for notice in (Stale(2, taken_back=True), ProgramEnded(killed=False)):
        found = note(found, notice)
    assert not found.problems
    assert not found.gone
    found = note(note(found, Wrong(1, "no")), BotFailed("slow", gone=True))
    assert found.problems == ("game 1, question 1: no", "game 1: slow")
    assert note(found, ProgramEnded(killed=True)).problems[2].startswith("game 1: it did not end within ")
    assert found.gone


def test_the_same_seed_gives_the_same_cards() -> None:
    for table in TABLES:
        games = [begin(table, 1, random.Random(seed)) for seed in (1, 1)]
        assert games[0][0].position == games[1][0].position
        dealer, seat = games[0]
        if table.only:
            assert {action.kind for action in view(dealer.position, seat).legal} == {table.only}
        else:
            assert (seat, dealer.position.turn) == (2, 0)
