"""The menu of a bare ``seqp2p`` at a terminal: on a screen, or as a list where there is none."""

import difflib
import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from seqp2p.api.home import usual_replay_dir
from seqp2p.cli.errors import hear_ctrl_c, run_async
from seqp2p.cli.finding import code_fault, typed_address
from seqp2p.cli.options import ask_name
from seqp2p.cli.output import Output, ScreenWish, can_show, on_screen, show_error
from seqp2p.cli.replays import ListedGame, unfinished_game
from seqp2p.errors import ABANDONED, DONE, UserError
from seqp2p.i18n import Message, message, term
from seqp2p.lobby.code import parse_code
from seqp2p.rules import CLASSIC, KIDS, Variant
from seqp2p.ui.language import t, tn, translate
from seqp2p.ui.menu_scene import MenuRow, MenuScene
from seqp2p.ui.person.command_words import LEAVING, word_of
from seqp2p.ui.words import listed

LEAVES: Final = LEAVING | {"q"}
CLICKS_ON: Final = "\x1b[?1000h\x1b[?1006h"
CLICKS_OFF: Final = "\x1b[?1006l\x1b[?1000l"
ENTER_OR_CLICK: Final = re.compile(rb"[\r\n\x04]|\x1b\[<[\d;]+m|^$")
"""Enter, Ctrl-D or the release of a mouse button in what was read; or the end of it."""
LEVELS: Final = (term("level", "easy"), term("level", "normal"), term("level", "hard"))


def _sizes(variant: Variant, persons: int = 0) -> tuple[int, ...]:
    return tuple(sorted({size.players - persons for size in variant.sizes}))


ROWS: Final[tuple[tuple[Message, MenuRow], ...]] = (
    (message("Play against bots"), MenuRow("", ("play",), "--bots", _sizes(CLASSIC, 1), LEVELS, level=1)),
    (message("Learn the game in ten turns"), MenuRow("", ("play", "--tutorial"))),
    (message("Host a table for friends"), MenuRow("", ("host",), "--players", _sizes(CLASSIC))),
    (message("Join a table"), MenuRow("", ("join",))),
    (message("Kids: play with animals"), MenuRow("", ("play", "--variant", "kids"), "--bots", _sizes(KIDS, 1), LEVELS)),
    (message("Kids: host a table"), MenuRow("", ("host", "--variant", "kids"), "--players", _sizes(KIDS))),
    (message("Games you have played"), MenuRow("", ("show",))),
    (message("Watch a table"), MenuRow("", ("watch",))),
    (message("Rules"), MenuRow("", ("rules",))),
    (message("Settings"), MenuRow("", ("config",))),
)


def rows_now() -> list[MenuRow]:
    """Return the rows of the menu, first an unfinished game if there is one."""
    rows = [replace(row, text=translate(text)) for text, row in ROWS]
    game = unfinished_game(usual_replay_dir())
    if game is not None:
        rows.insert(0, MenuRow(t("Continue"), ("resume", (game.summary.report.game or "")[:12]), note=_course_of(game)))
    return rows


def _course_of(game: ListedGame) -> str:
    """Return who plays, and how far the game is: "with Carl, 6 turns, 17:22"; with the date of another day."""
    others = [name for seat, name in enumerate(game.company.names, 1) if seat != game.own]
    turns = game.summary.course.turns if game.summary.course else 0
    is_today = game.at.date() == datetime.now(game.at.tzinfo).date()
    values = {"names": listed(others), "time": f"{game.at:%H:%M}" if is_today else f"{game.at:%Y-%m-%d %H:%M}"}
    return tn("with {names}, {count} turn, {time}", "with {names}, {count} turns, {time}", turns, **values)


def choose_command(commands: Collection[str]) -> Sequence[str]:
    """Show the menu; return the words of one of these commands, none for leaving."""
    output, wish, rows = Output(json=False), ScreenWish(), rows_now()
    scene = MenuScene(rows, tuple(commands), first=len(ROWS) - len(rows) + 1)  # Continue is 0.
    try:
        hear_ctrl_c()
        ask_name()
        if not can_show(output, wish):
            return _choose_from_list(scene, output, commands)
        other = t("type a command or a join code, or choose with the arrows")
        read, fault = partial(read_command, commands=commands), partial(fault_of, commands=commands, other=other)
        return choose_on_screen(scene, output, wish, read, fault)
    except (EOFError, KeyboardInterrupt, OSError):  # OSError: the terminal is gone.
        return ()
    except UserError as error:
        if error.exit_code != ABANDONED:
            show_error(error)
        return ()


def choose_on_screen(
    scene: MenuScene,
    output: Output,
    wish: ScreenWish,
    read: Callable[[str], Sequence[str]],
    fault: Callable[[str], str],
) -> Sequence[str]:
    """Show a menu until a line is something by ``read``, and return that; none for leaving.

    ``fault`` says why another line is nothing.
    """
    chosen: list[str] = []

    async def choose() -> int:
        async with on_screen(output, wish) as shown_on:
            assert shown_on.screen is not None, "a menu on a screen"
            shown_on.screen.show(scene)
            while (line := await shown_on.read_line()) is not None and word_of(line) not in LEAVES:
                if words := read(line):
                    chosen.extend(words)
                    break
                shown_on.say(fault(line), "answer")
        return DONE

    run_async(choose)
    return chosen


def _choose_from_list(scene: MenuScene, output: Output, commands: Collection[str]) -> Sequence[str]:
    for number, letter, row in zip(scene.numbers, scene.letters, scene.rows, strict=True):
        parts = (f"{number:>3} {letter}", row.text, row.choices, f"({row.line})")
        output.say("  ".join(part for part in parts if part))
    output.say(f"    q  {t('quit')}")
    other = t("type a number or a letter of the list, a command like {command}, a join code, or q", command="rules")
    while word_of(typed := input("> ").strip()) not in LEAVES:
        if words := read_command(scene.enter(typed) or "", commands):
            return words
        output.say(fault_of(typed, commands, other))
    return ()


def wait_for_enter(text: str) -> None:
    """Show a line until Enter is pressed, or a button of the mouse. Raises EOFError or OSError without a terminal."""
    if sys.platform != "win32" and can_show(Output(json=False), ScreenWish()):
        import termios
        import tty

        terminal = sys.stdin.fileno()
        try:
            before = termios.tcgetattr(terminal)
            sys.stdout.write(text + CLICKS_ON)
            sys.stdout.flush()
            try:
                tty.setcbreak(terminal)
                while ENTER_OR_CLICK.search(os.read(terminal, 1024)) is None:
                    pass
            finally:
                sys.stdout.write(f"{CLICKS_OFF}\n")
                sys.stdout.flush()
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        except termios.error as error:
            raise OSError(*error.args) from None
    else:
        input(text)


def read_command(line: str, commands: Collection[str]) -> Sequence[str]:
    """Return the words of a typed command, or of a join for a typed code or address; none for another line.

    >>> read_command("seqp2p play --bots 3", ["play"]), read_command("7 amber falcon", [])
    (['play', '--bots', '3'], ['join', '7-amber-falcon'])
    """
    try:
        words = shlex.split(line)
    except ValueError:
        return ()
    words = words[1:] if words[:1] == ["seqp2p"] else words
    if words and words[0] in commands:
        return words
    if code_fault(line) is None:
        return ["join", parse_code(line)]
    return ["join", line.strip()] if typed_address(line) else ()


def fault_of(line: str, commands: Collection[str], other: str) -> str:
    """Return the reason why a line is no command, or no code if it begins with a number; ``other`` for another line."""
    if line[:1].isdecimal() and (fault := code_fault(line)):
        return fault
    first = line.split(maxsplit=1)[0] if line.split() else ""
    near = difflib.get_close_matches(first.lower(), commands, n=1)
    if near and word_of(line) != "help":
        return t("{command} is no command; did you mean {word}?", command=first, word=near[0])
    return other
