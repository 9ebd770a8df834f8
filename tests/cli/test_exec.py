"""Programs that play seats of real tables, over loopback: they end with their game, and never end another's."""

import json
import os
import random
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from seqp2p.arena.conformance import TABLES, Findings, begin, note
from seqp2p.bots.exec_player import BotFailed, ExecPlayer, ProgramEnded, Stale, Wrong
from seqp2p.cli.options import Choices, make_program
from seqp2p.cli.output import Output
from seqp2p.cli.playing import make_player, overhear
from seqp2p.cli.reporter import Reporter
from seqp2p.live.absence import Absent, Back
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import Turned
from seqp2p.rules import PASS, view
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import EXAMPLES, Household, children, strange, wait_until, wait_until_gone
from tests.cli.test_schemas import validator
from tests.table import Played

KIDS = ("--variant", "kids")


def test_each_game_has_a_program_of_its_own_that_is_sent_what_its_seat_may_see(
    people: Household, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    host = people.host(*KIDS, "--exec", strange("good", seen), "--games", "2", bot=None)
    guest = people.join(host, "--games", "2", env={"SEQP2P_CODE": "7-amber-falcon"})
    assert (host.end(), guest.end()) == (0, 0), host.said() + guest.said()
    text = seen.read_text()
    sent = [json.loads(line) for line in text.splitlines()]
    hello, again = (message for message in sent if message["type"] == "hello")
    assert (hello["variant"], hello["names"], again["names"]) == ("kids", ["host", "guest"], ["host", "guest"])
    end, _ = (at for at, message in enumerate(sent) if message["type"] == "result")
    result, over = sent[end], host.event("over")
    assert (result["result"], result["winners"]) == (over["result"], over["winners"])
    told = [event for event in host.events if event["event"] in ("turn", "exchange")]
    heard = [message for message in sent if message["type"] == "event"]
    assert [{**message, "type": "event"} for message in heard] == [{**event, "type": "event"} for event in told]
    history = [event for message in sent[:end] if message["type"] == "view" for event in message["history"]]
    assert history == told[: len(history)]
    secrets = [host.event("listening")["code"], *(event["key"] for event in host.events if event["event"] == "seated")]
    assert not [secret for secret in secrets if secret in text]
    assert "SEQP2P" not in text


def test_a_program_ends_with_its_table_and_so_do_its_children(people: Household, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    host = people.host(*KIDS, "--exec", strange("family", seen), "--pace", "3600", bot=None)
    people.join(host)
    pids = Path(f"{seen}.pids")
    wait_until(pids.exists, "it starts nothing")
    started = children(host.pid)
    assert int(pids.read_text()) in started
    assert len(started) == 2
    host.signal(signal.SIGTERM)
    assert host.end() == 5
    wait_until_gone(started)
    assert json.loads(seen.read_text().splitlines()[-1])["result"] == "unfinished"


async def test_what_a_program_hears(brief: Played, tmp_path: Path) -> None:
    reporter = Reporter(Output(json=False), brief.match)
    choices = Choices(None, 0, tmp_path, make_program(sys.executable, None, verbose=False))
    player = make_player(choices, reporter, brief.seat(1))
    assert isinstance(player, ExecPlayer)
    assert not choices.person
    for event in (Absent(2, 120), Back(2), AskAbout((2,)), Turned(1, 2, PASS)):
        overhear(player, event)
    assert [dict(told) for told in player._history] == [
        {"event": "absent", "seat": 2, "grace_s": 120, "later": False},
        {"event": "back", "seat": 2},
        {"event": "turn", "turn": 1, "seat": 2, "action": "pass"},
    ]


async def test_a_failure_is_told_to_scripts_and_people(
    brief: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = Choices(None, 0, tmp_path, make_program(sys.executable, None, verbose=False))
    player = make_player(choices, Reporter(Output(json=True), brief.match), brief.seat(1))
    assert isinstance(player, ExecPlayer)
    for gone in (False, True):
        player._notice(BotFailed("it is slow", gone))
    player._notice(Wrong(1, "no"))  # It may answer again: nothing has happened yet.
    said = capsys.readouterr()
    assert documented.stream(said.out) == [
        {"event": "bot_failed", "reason": "it is slow", "gone": False},
        {"event": "bot_failed", "reason": "it is slow", "gone": True},
    ]
    assert said.err.splitlines() == [
        "the bot has failed: it is slow; this move is chosen at random",
        "the bot has failed: it is slow; its moves are chosen at random until the end of the game",
    ]


def test_examples_are_short_and_can_be_started() -> None:
    for name in ("bot.py", "bot.js"):
        path = EXAMPLES / name
        assert os.access(path, os.X_OK)
        assert len(path.read_text().splitlines()) <= 40


# ``seqp2p try-bot``: a program that keeps to the protocol is told so, and any other what it does wrong.


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
