"""``make screens``: takes the README's pictures, of real programs in real terminals (tmux), with their colours."""

import io
import os
import re
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.real.terminals import YOUR_TURN, Terminal, play_a_turn  # noqa: E402  # the path is set just above

SEQP2P = [sys.executable, "-m", "seqp2p"]
TURNS = 22
DIM, GREY, WHITE = (90, 90, 90), (200, 200, 200), (255, 255, 255)
THEME = TerminalTheme(
    (24, 24, 28),
    (220, 220, 220),
    [(24, 24, 28), (200, 60, 40), (0, 160, 120), (200, 180, 60), (60, 140, 210), (180, 100, 160), (80, 180, 200), GREY],
    [DIM, (232, 112, 26), (0, 184, 136), (240, 228, 66), (86, 180, 233), (204, 121, 167), (120, 210, 230), WHITE],
)


def save(name: str, title: str, terminal: Terminal) -> None:
    """What stands on a terminal now, as a picture."""
    width = max(len(line) for line in terminal.screen().splitlines())
    console = Console(record=True, width=max(width, 80), file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(terminal.styled().rstrip("\n")), end="")
    # No fonts from elsewhere: a picture asks nobody for anything.
    svg = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title=title, theme=THEME), flags=re.DOTALL)
    text = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    (HERE / f"{name}.svg").write_text(text, "utf-8")
    print(f"docs/screens/{name}.svg")


def play(terminal: Terminal, turn: int) -> None:
    """Play by keys until it is one's own turn, and this turn or a later one."""
    while True:
        shown = terminal.see(YOUR_TURN)
        if any(int(number) >= turn for number in re.findall(r"turn (\d+)", shown)):
            return
        play_a_turn(terminal)


def main() -> None:
    """All pictures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def sit(who: str, *arguments: str, width: int = 80, height: int = 24, language: str = "en") -> Terminal:
            env = os.environ | {"SEQP2P_HOME": str(folder / who), "LANGUAGE": language, "LANG": "C.UTF-8"}
            command = [*SEQP2P, *arguments]
            return stack.enter_context(Terminal(command, env, folder, width=width, height=height))

        host = sit("host", "host", "--players", "4", "--listen", "127.0.0.1:0", "--name", "ann")
        address = host.find(r"seqp2p join (127\.0\.0\.1:\d+)")[1]
        guest = sit("guest", "join", address, "--name", "bob")
        guest.type(host.find(r"the join code is:  (\S+)")[1])
        host.see("bob")
        save("lobby", "seqp2p host --players 4", host)

        table = sit("table", "play", "--bots", "3", "--pace", "0", "--name", "ann", width=120, height=40)
        play(table, TURNS)
        table.type("say hello")
        table.see("say: hello")
        table.press("Tab")
        table.see("goes on")
        save("table", "seqp2p play --bots 3", table)

        kids = sit("kids", "play", "--bots", "2", "--variant", "kids", "--pace", "0", "--name", "léa", language="fr")
        for _ in range(3):
            kids.see("▶ à vous de jouer")
            for key in ("Tab", "Enter", "Enter"):
                kids.press(key)
                time.sleep(0.3)
        kids.see("▶ à vous de jouer")
        kids.press("Tab")
        time.sleep(0.3)
        save("kids", "seqp2p play --variant kids --lang fr", kids)

        show = sit("show", "show", "replays/classic-2.seqp2p", width=100, height=30)
        show.see("classic")
        show.press("End")
        time.sleep(1)
        save("show", "seqp2p show replays/classic-2.seqp2p", show)


if __name__ == "__main__":
    main()
