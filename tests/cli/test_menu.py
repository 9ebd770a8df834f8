"""The menu of a bare ``seqp2p``: what it offers, and what can be typed at it."""

import builtins

import pytest

from seqp2p.cli import menu
from seqp2p.cli.main import COMMANDS
from seqp2p.cli.menu import choose_command, fault_of, read_command
from seqp2p.errors import ABANDONED, FAILED, UserError


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
    assert fault_of("gamse now", COMMANDS, "") == "no such command: gamse; did you mean games?"
    assert fault_of("qqqq", COMMANDS, "so") == "so"


@pytest.mark.parametrize(
    ("typed", "words"), [(["99", "x", "", "2"], ["play", "--tutorial"]), (["quit"], []), (["rules"], ["rules"])]
)
def test_a_list_where_there_is_no_screen(
    typed: list[str], words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(menu, "ask_name", lambda: None)
    monkeypatch.setattr(builtins, "input", lambda _: typed.pop(0))
    assert list(choose_command(COMMANDS)) == words
    assert "  1  Play against bots  1 bot, normal  (seqp2p play)" in capsys.readouterr().out.splitlines()


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
