"""Usage errors are one sentence and a hint; help shows every command."""

import shlex
import sys
from pathlib import Path

import click
import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.cli import main as main_module
from seqp2p.cli import output
from seqp2p.cli.main import COMMANDS, EXIT_CODES
from seqp2p.errors import ABANDONED, UserError
from tests.cli import documented
from tests.cli.conftest import Cli, said
from tests.cli.processes import Household

# The words after ``seqp2p``, and the start of the error, whose hint is the help of the command.
ERRORS = {
    "host --frob": "no such option '--frob'",
    "host --players x": "invalid value for '--players': 'x' is not a valid integer range",
    "host --players 7": "7 players cannot form two or three equal teams",
    "host --variant kids --players 4 --teams 2": "4 players of Sequence for Kids form 4 teams, one player each",
    "host --variant chess": "invalid value for '--variant': 'chess' is not one of",
    "host --turn-time 4": "invalid value for '--turn-time': 4 is neither 0 nor in the range",
    "host --bot deepblue": "invalid value for '--bot': there is no bot 'deepblue'",
    "host here": "got unexpected extra argument (here)",
    "verify": "missing argument 'FILES...'",
    "verify ''": "invalid value for 'FILES...': an empty name is no file's",
    "export game --format pdf": "invalid value for '--format': 'pdf' is not one of 'text', 'json', 'svg', 'html'",
    "config set palette": "set has other words behind it",
    "config get": "get has other words behind it",
    "arena random": "2 players are in 2 teams: name 2 bots, one for each team",
    "arena greedy no_module:Bot": "invalid value for 'BOT BOT...': there is no module no_module",
}
NO_CODE = ("no join code was given", "use --code CODE or set SEQP2P_CODE")
NO_PROGRAM = "name it with its folder, like ./bot.py; it needs the right to be executed"
GAME = "GAME is a replay, its name, or the first digits of the game's id"

# Errors with another hint, or with none.
OTHER_ERRORS = {
    "hots": ("no such command: hots", "did you mean seqp2p host?"),
    "verfy x": ("no such command: verfy", "did you mean seqp2p verify?"),
    "qqqqqq": ("no such command: qqqqqq", "seqp2p --help lists the commands"),
    "--frobnicate": ("no such option '--frobnicate'", "see seqp2p --help"),
    "host --player 3": ("no such option '--player'", "did you mean --players?"),
    "host --bot": ("option '--bot' requires an argument", "see seqp2p --help"),
    "host --bots 2": ("no such option '--bots'", "--players says how many play; --fill"),
    "host --listen nowhere:x": ("'nowhere:x' is no address", "Write HOST:PORT, as in 192.168.1.5:4610."),
    "host --colour pink": ("the colours of this table are blue, green", ""),
    "host --relay 'a b'": ("'a b' is no address", "write HOST:PORT, as in relay.example.org:4001"),
    "host --exec ''": ("there is no program '' that could be started", NO_PROGRAM),
    "host --bot greedy --exec python3": ("one seat has one bot: --bot and --exec exclude each other", ""),
    "join": NO_CODE,
    "join 7-amber-falcon --code 7-amber-falcon": ("the join code is given twice", "leave out --code"),
    "watch 127.0.0.1:1": NO_CODE,
    "resume 'no such game'": ("no replay goes by no such game", GAME),
    "resume 0123": ("no unfinished game of this player goes by 0123", GAME),
    "resume --listen a:99999": ("'a:99999' is no address", "Write HOST:PORT, as in 192.168.1.5:4610."),
    "resume --exec 'a \"b'": ('a quotation mark is not closed in: a "b', ""),
    "play --players 5": ("no such option '--players'", "--bots says how many bots you play against"),
    "play --bots 4": ("classic has no table for you and 4 bots", "choose one of --bots 1, 2, 3, 5, 7, 8, 9, 11"),
    "demo --players 5": ("5 players cannot form", "choose one of --players 2, 3, 4, 6, 8, 9, 10, 12"),
    "verify x --jobs 2 --dask tcp://far:8786": ("--jobs is of this machine, --dask of another", "name one of them"),
    "stats x --svg -": ("what was counted goes to standard output: name a file for the picture", ""),
    "show --json": ("name a replay, or last", "seqp2p verify FILE says more; replays end in .seqp2p"),
    "export x --at 3": ("--at is for svg only", ""),
    "export x --raw --format svg": ("--raw is for json only", ""),
    "export x --output k.pdf": (
        "k.pdf does not say what to write",
        "name it with .json, .svg, .html, .htm, .txt, or say ",
    ),
    "config set palette pink": ("pink is no value of palette", "seqp2p config --help has all settings"),
    "config set palete mono": ("there is no setting palete", "did you mean palette?"),
    "try-bot no-such-program": ("there is no program 'no-such-program' that could be started", NO_PROGRAM),
    "try-bot python3 --variant kids --players 12": ("no table of 12 players is tried", "leave out --players"),
    "arena greedy ./no-such-program": ("there is no program './no-such-program' that could be started", NO_PROGRAM),
}


@pytest.mark.parametrize("typed", [*ERRORS, *OTHER_ERRORS])
def test_usage_errors(cli: Cli, own_home: Path, typed: str) -> None:
    words = shlex.split(typed)
    exit_code, out, err = cli(*words)
    assert (exit_code, out) == (2, "")
    error, hint = OTHER_ERRORS[typed] if typed in OTHER_ERRORS else (ERRORS[typed], f"see seqp2p {words[0]} --help")
    told, *hints = err.splitlines()
    assert told.startswith(f"seqp2p: error: {error}")
    assert not told.endswith(".")
    assert [text.startswith(f"seqp2p: hint: {hint}") for text in hints] == [True] * bool(hint)
    assert not (own_home / "config.toml").exists()


def test_help_lists_every_command(cli: Cli) -> None:
    for words, exit_code in ((("--help",), 0), (("-h",), 0), ((), 2)):
        code, *told = cli(*words)
        assert (code, told[exit_code == 0]) == (exit_code, "")
        out = told[exit_code != 0]
        assert out.startswith("Usage: seqp2p")
        for name, (_, text) in COMMANDS.items():
            assert f"  {name}" in out
            assert text in out


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(cli: Cli, command: str) -> None:
    out = said(cli(command, "--help"))
    assert out.startswith(f"Usage: seqp2p {command}")
    assert "--until-stdin-closes" not in out


def test_help_and_games_import_no_more_than_they_need(people: Household) -> None:
    """Help is quick without network, cryptography and rules; a game without a screen does without prompt_toolkit."""
    playing = [COMMANDS[name][0] for name in ("play", "host", "join", "resume", "watch")]
    code = f"""import sys, runpy
try: runpy.run_module('seqp2p', run_name='__main__')
except SystemExit: print(sorted(sys.modules))
import {", ".join(playing)}
print(sorted(sys.modules))"""
    process = people.run([sys.executable, "-c", code, "--help"])
    assert process.end() == 0
    *_, helping, then = process.out
    for heavy in ("trio", "cryptography", "seqp2p.rules", "seqp2p.net", "asyncio", "ssl"):
        assert f"'{heavy}'" not in helping
    assert "'prompt_toolkit'" not in then


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, typed: list[str]) -> list[str]:
    """The lines that a person types at a terminal; the host was there a moment ago."""

    async def dial(*_: object) -> trio.abc.Stream:
        return memory_stream_pair()[0]

    monkeypatch.setattr("seqp2p.cli.options.is_terminal", lambda: True)
    monkeypatch.setattr("seqp2p.cli.finding.dial_in_time", dial)
    return typed


ASKED = "join code, which the host reads out (like 7-amber-falcon): "


def test_a_code_is_asked_for_until_it_can_be_one(cli: Cli, asked: list[str]) -> None:
    asked += ["hello", "7 amber falcno", "7 AMBER falcon"]
    exit_code, out, err = cli("join", "127.0.0.1:1", "--bot", "random", "--json")
    assert (exit_code, out) == (4, "")
    assert err.count(ASKED) == 3
    assert "This is no join code. A code is a number and two to four words, as in 7-amber-falcon." in err
    assert "Did you mean 'falcon'?" in err
    assert "nobody answers at 127.0.0.1:1" in err
    assert cli("join", "127.0.0.1:1", "--bot", "random") == (5, "", f"{ASKED}seqp2p: error: stopped\n")


def test_a_fault_shows_its_place_only_when_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ZeroDivisionError("secret")
    output.report_bug(ZeroDivisionError, error, None)
    assert capsys.readouterr().err.splitlines() == [
        "seqp2p: error: a fault in seqp2p itself (ZeroDivisionError)",
        "seqp2p: hint: SEQP2P_DEBUG=1 shows where; please report it",
    ]
    monkeypatch.setenv("SEQP2P_DEBUG", "1")
    output.report_bug(ZeroDivisionError, error, None)
    assert capsys.readouterr().err == "ZeroDivisionError: secret\n"


def test_a_usage_error_that_knows_no_command() -> None:
    error = main_module.usage_error(click.UsageError("What  is\nthis?."))
    assert (str(error), error.hint, error.exit_code) == ("what is this?", "see seqp2p --help", 2)


def test_completion_does_not_complain(cli: Cli) -> None:
    # A shell asks for completions of what is half typed.
    context = main_module.cli.make_context("seqp2p", ["hos"], resilient_parsing=True)
    assert isinstance(main_module.cli, main_module.LazyGroup)
    assert main_module.cli.resolve_command(context, ["hos"]) == (None, None, [])
    assert main_module.cli.list_commands(context) == list(COMMANDS)


def test_exit_codes_are_those_of_the_documentation() -> None:
    assert list(EXIT_CODES) == list(documented.exit_codes()) == [0, 1, 2, 3, 4, 5]


def test_ctrl_c_while_the_program_starts_is_no_fault_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main_module, "spoken", interrupted)
    with pytest.raises(UserError, match=r"^stopped$") as caught:
        main_module.run(())
    assert caught.value.exit_code == ABANDONED
