"""What is typed wrongly is said in one sentence, with a hint; what is asked for is shown."""

import sys

import click
import pytest
import trio
from trio.testing import memory_stream_pair

from seqp2p.cli import main as main_module
from seqp2p.cli import output
from seqp2p.cli.errors import ABANDONED
from seqp2p.cli.main import COMMANDS, EXIT_CODES
from seqp2p.cli.output import Output
from seqp2p.errors import UserError
from tests.cli import documented
from tests.cli.conftest import Cli
from tests.cli.processes import Household

HELP_OF = "see seqp2p {} --help"


@pytest.mark.parametrize(
    ("typed", "error", "hint"),
    [
        ("hots", "no such command: hots", "did you mean seqp2p host?"),
        ("verfy x", "no such command: verfy", "did you mean seqp2p verify?"),
        ("qqqqqq", "no such command: qqqqqq", "seqp2p --help lists the commands"),
        ("--frobnicate", "no such option '--frobnicate'", "see seqp2p --help"),
        ("host --player 3", "no such option '--player'", "did you mean --players?"),
        ("host --frob", "no such option '--frob'", HELP_OF.format("host")),
        ("host --players x", "invalid value for '--players': 'x' is not a valid integer range", HELP_OF.format("host")),
        ("host --players 0", "invalid value for '--players': 0 is not in the range x>=1", HELP_OF.format("host")),
        ("host --grace 0", "invalid value for '--grace'", HELP_OF.format("host")),
        ("host --turn-time 4", "invalid value for '--turn-time': 4 is neither 0 nor in the range", "see seqp2p host"),
        ("host --turn-time 86401", "invalid value for '--turn-time'", HELP_OF.format("host")),
        ("host --turn-time -1", "invalid value for '--turn-time'", HELP_OF.format("host")),
        ("host --games 0", "invalid value for '--games'", HELP_OF.format("host")),
        ("host --bot deepblue", "invalid value for '--bot': there is no bot 'deepblue'", HELP_OF.format("host")),
        ("host --variant chess", "invalid value for '--variant': 'chess' is not one of", HELP_OF.format("host")),
        ("host --pace -1", "invalid value for '--pace'", HELP_OF.format("host")),
        ("host --bot", "option '--bot' requires an argument", "see seqp2p"),
        ("host here", "got unexpected extra argument (here)", HELP_OF.format("host")),
        ("join", "no join code was given", "use --code CODE or set SEQP2P_CODE"),
        ("join 7-amber-falcon --code 7-amber-falcon", "the join code is given twice", "leave out --code"),
        ("join a b", "got unexpected extra argument (b)", HELP_OF.format("join")),
        ("join 127.0.0.1:4610", "no join code was given", "use --code CODE or set SEQP2P_CODE"),
        ("join :::1:2 --code x", "':::1:2' is no address", "Write HOST:PORT, as in 192.168.1.5:4610"),
        ("join a:99999 --code x", "'a:99999' is no address", "Write HOST:PORT"),
        ("host --listen nowhere:x", "'nowhere:x' is no address", "Write HOST:PORT"),
        (
            "host --players 1",
            "1 player cannot play: Sequence is for 2, 3, 4, 6, 8, 9, 10 or 12",
            HELP_OF.format("host"),
        ),
        ("host --players 13", "13 players cannot play", HELP_OF.format("host")),
        ("host --teams 3", "2 players of Sequence form 2 teams", HELP_OF.format("host")),
        ("host --players 6 --teams 4", "6 players of Sequence form 2 or 3 teams, not 4", HELP_OF.format("host")),
        ("host --players 12 --teams 0", "12 players of Sequence form 2 or 3 teams", HELP_OF.format("host")),
        ("play --bots 5 --teams 5", "6 players of Sequence form 2 or 3 teams, not 5", HELP_OF.format("play")),
        ("play --players 5", "no such option '--players'", "--bots says how many bots you play against"),
        ("host --bots 2", "no such option '--bots'", "--players says how many play; --fill"),
        ("host --variant kids --players 6", "6 players", HELP_OF.format("host")),
        (
            "host --variant kids --players 4 --teams 2",
            "4 players of Sequence for Kids form 4 teams, one player each",
            "",
        ),
        ("demo --players 1", "invalid value for '--players': 1 is not in the range 2<=x<=12", HELP_OF.format("demo")),
        ("verify", "missing argument 'FILES...'", HELP_OF.format("verify")),
        ("id extra", "got unexpected extra argument (extra)", HELP_OF.format("id")),
        *((f"host --players {n}", f"{n} players cannot form two or three equal teams", "") for n in (5, 7, 11)),
    ],
)
def test_usage_errors(cli: Cli, typed: str, error: str, hint: str) -> None:
    exit_code, out, err = cli(*typed.split())
    assert (exit_code, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith(f"seqp2p: error: {error}")
    assert second.startswith(f"seqp2p: hint: {hint}")
    assert not first.endswith(".")


def test_usage_errors_of_a_real_process(people: Household) -> None:
    for arguments, error in [(("hots",), "no such command: hots"), (("host", "--players", "5"), "5 players cannot")]:
        process = people.call(*arguments, who="nobody")
        assert process.end() == 2
        assert process.out == []
        assert process.error()[0].startswith(error)
    assert not people.home("nobody").exists()


def test_help_lists_every_command(cli: Cli) -> None:
    for option in ("--help", "-h"):
        exit_code, out, err = cli(option)
        assert (exit_code, err) == (0, "")
        for name, (_, text) in COMMANDS.items():
            assert f"  {name}" in out
            assert text in out


def test_without_a_command_the_help_is_shown_but_it_is_usage(cli: Cli) -> None:
    exit_code, out, err = cli()
    assert (exit_code, out) == (2, "")
    assert err.startswith("Usage: seqp2p")


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(cli: Cli, command: str) -> None:
    exit_code, out, err = cli(command, "--help")
    assert (exit_code, err) == (0, "")
    assert out.startswith(f"Usage: seqp2p {command}")
    assert "--until-stdin-closes" not in out


def test_help_imports_no_more_than_it_needs(people: Household) -> None:
    # That is what makes it quick: no network, no cryptography, no rules.
    code = (
        "import sys, runpy\ntry: runpy.run_module('seqp2p', run_name='__main__')\nfinally: print(sorted(sys.modules))"
    )
    process = people.run([sys.executable, "-c", code, "--help"])
    assert process.end() == 0
    modules = process.out[-1]
    for heavy in ("trio", "cryptography", "seqp2p.rules", "seqp2p.net", "asyncio", "ssl"):
        assert f"'{heavy}'" not in modules


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Somebody is at the terminal and types these lines, then nothing more."""
    left = iter(lines)

    async def read_line(_: Output) -> str | None:
        return next(left, None)

    async def dial(*_: object) -> trio.abc.Stream:
        return memory_stream_pair()[0]  # Somebody was there a moment ago.

    monkeypatch.setattr("seqp2p.cli.options.is_terminal", lambda: True)
    monkeypatch.setattr("seqp2p.cli.finding.dial_in_time", dial)
    monkeypatch.setattr(Output, "read_line", read_line)


def test_what_was_asked_for_and_not_answered(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    typing(monkeypatch)
    exit_code, out, err = cli("join", "127.0.0.1:1", "--bot", "random")
    assert (exit_code, out) == (5, "")
    assert err == "join code, which the host reads out (like 7-amber-falcon): seqp2p: error: stopped\n"


def test_a_code_is_asked_for_until_it_can_be_one(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    typing(monkeypatch, "hello", "7 amber falcno", "7 AMBER falcon")
    exit_code, out, err = cli("join", "127.0.0.1:1", "--bot", "random", "--json")
    assert (exit_code, out) == (4, "")
    assert err.count("join code, which the host reads out (like 7-amber-falcon): ") == 3
    assert "This is no join code. A code is a number and two to four words, as in 7-amber-falcon." in err
    assert "Did you mean 'falcon'?" in err
    assert "nobody answers at 127.0.0.1:1" in err


def test_a_fault_in_the_program_shows_its_place_only_when_asked(people: Household) -> None:
    code = "import sys\nfrom seqp2p.cli import main\nmain.run = lambda _: 1 / 0\nmain.main()"
    plain = people.run([sys.executable, "-c", code], SEQP2P_DEBUG="")
    assert plain.end() == 1
    assert plain.error() == (
        "a fault in seqp2p itself (ZeroDivisionError)",
        "SEQP2P_DEBUG=1 shows where; please report it",
    )
    shown = people.run([sys.executable, "-c", code], SEQP2P_DEBUG="1")
    assert shown.end() == 1
    assert shown.err[0].startswith("Traceback")
    shown.err.clear()


def test_a_fault_by_its_name(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    error = ZeroDivisionError("secret")
    output.report_bug(ZeroDivisionError, error, None)
    assert "secret" not in capsys.readouterr().err
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
