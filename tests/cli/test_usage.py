"""Help shows every command; faults, and usage errors beside those of ``talks.txt``."""

import builtins
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from runpy import run_path

import click
import pytest
import trio
from click.shell_completion import ShellComplete
from trio.testing import memory_stream_pair

import seqp2p
from seqp2p import __main__ as program
from seqp2p.api.error_codes import ERROR_CODES
from seqp2p.api.known import Meeting, remember
from seqp2p.bots.registry import BOTS
from seqp2p.cli import log_file, menu, output
from seqp2p.cli import main as main_module
from seqp2p.cli.completion import SHELLS, VARIABLE
from seqp2p.cli.main import COMMANDS, EXIT_CODES, HEADINGS, spoken
from seqp2p.cli.main import cli as bare_group
from seqp2p.cli.menu import choose_command, fault_of, read_command
from seqp2p.crypto.identity import Identity
from seqp2p.errors import ABANDONED, FAILED, UserError
from seqp2p.net.addresses import Address, open_listeners
from seqp2p.net.errors import REFUSALS
from seqp2p.net.messages import Refused
from tests.cli import documented
from tests.cli.conftest import Cli, refused, said
from tests.cli.documented import stream
from tests.cli.processes import Household
from tests.lobby.house import LyingHost, telling


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


def test_options_have_headings_in_the_language_of_the_reader(cli: Cli) -> None:
    group = main_module.cli
    commands = [group.get_command(click.Context(group), name) for name in COMMANDS]
    known = {option.name for command in commands if command is not None for option in command.params}
    assert {name for names in HEADINGS.values() for name in names} <= known
    headings = re.findall(r"^([A-Z].*):\n", said(cli("host", "--help")), re.MULTILINE)
    assert headings == [*HEADINGS]
    assert "--log-file" in said(cli("reach", "--help")).split("Every command:")[1]
    assert "[TEXTE; –]" in said(cli("config", "--help", "--lang", "fr"))


def test_help_and_games_import_no_more_than_they_need(people: Household) -> None:
    """Help and completions are quick without the network, help without rules; a plain game has no prompt_toolkit."""
    code = f"""import sys, runpy
try: runpy.run_module('seqp2p', run_name='__main__')
except SystemExit: print(sorted(sys.modules))
import {", ".join(module for module, _ in COMMANDS.values())}
print(sorted(sys.modules))
import seqp2p.cli.own_table, seqp2p.cli.other_table
print(sorted(sys.modules))"""
    process = people.run([sys.executable, "-c", code, "--help"])
    assert process.end() == 0
    *_, helping, completing, then = process.out
    for heavy in ("trio", "cryptography", "seqp2p.rules", "seqp2p.net", "asyncio", "ssl"):
        assert f"'{heavy}'" not in helping
    for heavy in ("trio", "ssl", "cryptography.x509", "prompt_toolkit"):
        assert f"'{heavy}'" not in completing
    assert "'prompt_toolkit'" not in then


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, typed: list[str]) -> list[str]:
    """The lines that a person types at a terminal; the host was there a moment ago."""

    async def dial(*_: object) -> trio.abc.Stream:
        return memory_stream_pair()[0]

    monkeypatch.setattr("seqp2p.cli.options.is_terminal", lambda: True)
    monkeypatch.setattr("seqp2p.cli.finding.dial_in_time", dial)
    return typed


ASKED = "join code, which the host reads out (like 7-amber-falcon):\n"


def test_a_code_is_asked_for_until_it_can_be_one(cli: Cli, asked: list[str]) -> None:
    asked += ["hello", "7 amber falcno", "7 AMBER falcon"]
    exit_code, out, err = cli("join", "127.0.0.1:1", "--bot", "random", "--json")
    assert (exit_code, documented.stream(out)[0]["code"]) == (4, "unreachable")
    assert err.count(ASKED) == 3
    assert "This is not a join code. A code is a number and two to four words, as in 7-amber-falcon." in err
    assert "Did you mean 'falcon'?" in err
    assert "nobody answers at 127.0.0.1:1" in err
    assert cli("join", "127.0.0.1:1", "--bot", "random") == (5, "", f"{ASKED}seqp2p: stopped\n")


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


def test_the_value_of_an_option_is_no_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(cli("--log-file", "play", "host", "--players", 7))[2] == "see seqp2p host --help"
    log_file.stop()


@pytest.mark.parametrize(
    ("line", "range_"), [("play --pace nan", "0<=x<=60"), ("arena greedy random --until NaN", "0.1<=x<=50")]
)
def test_what_is_no_number_is_in_no_range(cli: Cli, line: str, range_: str) -> None:
    exit_code, error, _ = refused(cli(*line.split()))
    assert (exit_code, error.partition(": ")[2]) == (2, f"nan is not in the range {range_}")


def test_completion_does_not_complain(cli: Cli) -> None:
    # A shell asks for completions of what is half typed.
    context = main_module.cli.make_context("seqp2p", ["hos"], resilient_parsing=True)
    assert isinstance(main_module.cli, main_module.LazyGroup)
    assert main_module.cli.resolve_command(context, ["hos"]) == (None, None, [])
    assert main_module.cli.list_commands(context) == list(COMMANDS)


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Python ignores SIGINT if its parent does, as a shell in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_while_the_program_starts_is_no_fault_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits until the command, or the menu, can say that it was stopped."""
    for name in ("gc.set_threshold", "atexit.register"):
        monkeypatch.setattr(name, lambda *_: None)
    monkeypatch.setattr(main_module, "main", lambda: signal.raise_signal(signal.SIGINT))
    program.main()
    with pytest.raises(UserError, match=r"^stopped$") as caught:
        main_module.run(("--help",))
    assert caught.value.exit_code == ABANDONED
    program.main()
    assert list(choose_command(COMMANDS)) == []
    assert signal.SIGINT not in signal.sigpending()


# The manual pages: as the commands are now, and nothing but text to a pager.


MAN = Path(__file__).parents[2] / "docs" / "man"
pytest.importorskip("click_man", reason="click-man writes the pages, and belongs to the dev extra")
for module, _ in COMMANDS.values():
    import_module(module)  # Click translates the name of a folder at import, which may be in a test that speaks French.


def test_they_say_what_the_commands_say(tmp_path: Path) -> None:
    run_path(str(MAN.parent / "generate_man.py"))["generate"](tmp_path)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*/*")}
    kept = {path.name: path.read_text("utf-8") for path in MAN.glob("*/*")}
    assert made.keys() == {"seqp2p.1", *(f"seqp2p-{name}.1" for name in COMMANDS), "seqp2p-bots.7"}
    assert made == kept, "make man writes them again"


@pytest.mark.parametrize("page", sorted(MAN.glob("man1/*")), ids=lambda path: path.stem)
def test_a_page_is_whole(page: Path) -> None:
    text = page.read_text("utf-8")
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f".SH {section}\n" in text
    # Every line that begins like a macro is one.
    macros = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
    assert macros <= {".TH", ".SH", ".B", ".PP", ".TP"}


@pytest.mark.process
def test_groff_finds_nothing_wrong() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    for page in MAN.glob("*/*"):
        line = ["groff", "-man", "-Tutf8", "-ww", "-z", str(page)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        assert done.stderr == ""


def test_exit_codes_are_said_in_three_places_alike(cli: Cli) -> None:
    _, out, _ = cli("--help")
    table = out.split("Exit codes:")[1]
    rows = re.findall(r"^  (\d)  (.*(?:\n {5}.*)*)", table, re.MULTILINE)
    said = {int(code): " ".join(text.split()) for code, text in rows}
    plain = {code: text.replace("`", "") for code, text in documented.exit_codes().items()}
    assert said == plain
    assert list(said) == list(EXIT_CODES) == [0, 1, 2, 3, 4, 5]
    page = (MAN / "man1" / "seqp2p.1").read_text("utf-8")
    for code, text in plain.items():
        assert f".TP\n{code}\n{text}\n" in page


# The menu of a bare ``seqp2p``: what it offers, and what can be typed at it.


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("games", ["games"]),
        ("7-amber falcon", ["join", "7-amber-falcon"]),
        ("192.0.2.1:4000", ["join", "192.0.2.1:4000"]),
        ("example", []),
        ('say "', []),
        ("", []),
    ],
)
def test_what_is_typed(typed: str, words: list[str]) -> None:
    assert list(read_command(typed, COMMANDS)) == words


def test_what_is_no_command() -> None:
    assert fault_of("gamse now", COMMANDS, "") == "gamse is no command; did you mean games?"
    assert [fault_of(line, COMMANDS, "so") for line in ("qqqq", "clear", "?")] == ["so"] * 3


def test_words_of_the_reader_at_the_menu(french: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault_of("aide", COMMANDS, "so") == "so"
    monkeypatch.setattr(menu, "ask_name", lambda: None)
    monkeypatch.setattr(builtins, "input", lambda _: "quitter")
    assert list(choose_command(COMMANDS)) == []


@pytest.mark.parametrize(
    ("typed", "words"),
    [(["99", "x", "", "help", "2"], ["play", "--tutorial"]), (["quit"], []), (["rules"], ["rules"]), (["J"], ["join"])],
)
def test_a_list_where_there_is_no_screen(
    typed: list[str], words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(menu, "ask_name", lambda: None)
    monkeypatch.setattr(builtins, "input", lambda _: typed.pop(0))
    assert list(choose_command(COMMANDS)) == words
    assert "  1 p  Play against bots  1 bot, normal  (seqp2p play)" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("exit_code", "said"), [(ABANDONED, ""), (FAILED, "seqp2p: error: no room\n")])
def test_a_menu_that_is_stopped_ends(
    exit_code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(_: object) -> None:
        raise UserError("no room", exit_code=exit_code)

    monkeypatch.setattr(menu, "ask_name", lambda: None)
    monkeypatch.setattr(menu, "can_show", lambda *_: True)
    monkeypatch.setattr(menu, "run_async", stop)
    assert list(choose_command(COMMANDS)) == []
    assert capsys.readouterr().err == said


# The answers to a shell when Tab is pressed, and the scripts that make it ask.


def completed(*words: str) -> list[str]:
    """Return what Tab offers at the end of these words: values, or the kind of file to choose."""
    shell = ShellComplete(spoken(bare_group), {}, "seqp2p", VARIABLE)
    offered = shell.get_completions(list(words[:-1]), words[-1])
    return [f"{item.type}:" if item.type != "plain" else item.value for item in offered]


@pytest.mark.process
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_every_shell(shell: str, cli: Cli) -> None:
    out = said(cli("completion", shell))
    assert f"_SEQP2P_COMPLETE={shell}_complete" in out
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=out, text=True, check=True)


def test_commands_options_and_values() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("pl") == ["play"]
    assert "--log-file" in completed("--")
    assert "--variant" in completed("host", "--va")
    assert completed("play", "--bot", "") == list(BOTS)
    assert completed("host", "--variant", "k") == ["kids"]
    assert completed("completion", "") == list(SHELLS)
    assert completed("verify", "gam") == ["file:"]
    assert completed("host", "--replay-dir", "gam") == ["dir:"]


def test_a_question_of_a_shell_is_answered_and_does_nothing_else(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = {VARIABLE: "bash_complete", "COMP_WORDS": "seqp2p play --log-file x --variant k", "COMP_CWORD": "5"}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert cli() == (0, "plain,kids\n", "")
    assert list(tmp_path.iterdir()) == []


def test_replays_by_number(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("show", "") == ["file:"]
    (own_home / "replays").mkdir(parents=True)
    for name in ("a", "b"):
        (own_home / "replays" / f"{name}.seqp2p").touch()
    assert completed("show", "") == completed("verify", "") == ["last", "1", "2"]
    assert completed("show", "l") == ["last"]
    assert completed("show", "x") == ["file:"]
    (tmp_path / "here.seqp2p").touch()
    assert completed("show", "") == ["file:"]
    assert completed("show", "2") == ["2"]


def test_names_of_known_players_and_colours(own_home: Path) -> None:
    assert completed("host", "--colour", "r") == ["red"]
    assert completed("id", "--forget", "") == []
    remember([Meeting(2, "Ann", Identity(bytes(32)).public, "new")])
    remember([Meeting(3, "A$(touch x)", Identity(b"1" * 32).public, "new")])  # A shell would obey it.
    assert completed("id", "--forget", "A") == ["Ann"]
    (own_home / "known_players.json").write_text("?", "utf-8")
    assert completed("id", "--forget", "A") == []


def test_games_that_can_be_resumed(tmp_path: Path, own_home: Path) -> None:
    other = tmp_path / "other"
    assert completed("resume", "3") == []
    for folder, games in ((own_home / "replays", ("3fb159ae39a8", "0123456789ab")), (other, ("3fffffffffff",))):
        folder.mkdir(parents=True)
        for game in games:
            (folder / f"2026-01-31-203000-{game}-seat2.seqp2p.seat").touch()
    assert completed("resume", "3") == ["3fb159ae39a8"]
    assert completed("resume", "--replay-dir", str(other), "3") == ["3fffffffffff"]


# The event ``error``: every command that ends with one writes it, with a code of the table.


UNKNOWN = ("of_tomorrow", "older_copy")


def kinds(kind: type[UserError]) -> Iterator[type[UserError]]:
    for each in kind.__subclasses__():
        yield each
        yield from kinds(each)


def test_every_error_has_a_code_of_the_table() -> None:
    assert {kind.code for kind in kinds(UserError)} - {""} <= ERROR_CODES.keys() == seqp2p.ERROR_CODES.keys()
    assert {UserError("it broke", exit_code=code).code for code in range(1, 6)} <= ERROR_CODES.keys()


@contextmanager
def refusing(*codes: str) -> Iterator[str]:
    """A host on a socket that refuses each joiner with the next of these codes; yields the words that join it."""
    host, where, ready = LyingHost(*(telling(Refused(code, "why")) for code in codes)), list[int](), threading.Event()

    async def serve() -> None:
        (listener,) = await open_listeners(Address("127.0.0.1", 0))
        host._listener = listener  # type: ignore[assignment]  # it accepts, too
        where.append(listener.socket.getsockname()[1])
        ready.set()
        async with listener:
            with trio.move_on_after(60):
                await host.run()

    thread = threading.Thread(target=partial(trio.run, serve))
    thread.start()
    ready.wait()
    yield f"127.0.0.1:{where[0]} --code {host.code}"
    thread.join()


def test_each_refusal_over_a_socket(cli: Cli, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQP2P_HOME", str(tmp_path))
    codes = [*REFUSALS, *UNKNOWN]
    with refusing(*codes) as words:
        for code in codes:
            exit_code, out, err = cli("join", *words.split(), "--json", "--bot", "random", "--no-progress")
            *_, last = stream(out)
            assert (last["event"], last["code"], last["exit"]) == ("error", "refused" if code in UNKNOWN else code, 4)
            assert f"seqp2p: error: {last['reason']}" in err
            assert exit_code == 4
