"""Programs that play seats of real tables, over loopback: they end with their game, and never end another's."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from seqp2p.bots.exec_player import BotFailed, ExecPlayer, Wrong
from seqp2p.cli.options import Choices, make_program
from seqp2p.cli.output import Output
from seqp2p.cli.playing import make_player, overhearing
from seqp2p.cli.reporter import Reporter
from seqp2p.live.absence import Absent, Back
from seqp2p.live.voting import AskAbout
from seqp2p.match.events import Turned
from seqp2p.rules import PASS
from tests.cli import documented
from tests.cli.processes import EXAMPLES, Household, children, strange, wait_until, wait_until_gone
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
    hear = overhearing(player)
    for event in (Absent(2, 120), Back(2), AskAbout((2,)), Turned(1, 2, PASS)):
        hear(event)
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
