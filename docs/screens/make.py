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

from tests.real.terminals import ENGLISH, FRENCH, Terminal, Words, play_a_turn  # noqa: E402  # the path is set just above

SEQP2P = [sys.executable, "-m", "seqp2p"]
TURNS = 42
DIM, GREY, WHITE = (90, 90, 90), (200, 200, 200), (255, 255, 255)
SIXTEEN = (
    [(24, 24, 28), (200, 60, 40), (0, 160, 120), (200, 180, 60), (60, 140, 210), (180, 100, 160), (80, 180, 200), GREY],
    [DIM, (232, 112, 26), (0, 184, 136), (240, 228, 66), (86, 180, 233), (204, 121, 167), (120, 210, 230), WHITE],
)
THEMES = {
    "dark": TerminalTheme((16, 20, 24), (220, 220, 220), *SIXTEEN),
    "light": TerminalTheme((255, 255, 255), (27, 27, 27), *SIXTEEN),
}
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x60": (200, 60)}
SETTLE_S = 1.0


def save(name: str, title: str, terminal: Terminal, palette: str = "dark") -> None:
    """What stands on a terminal now, as a picture."""
    time.sleep(SETTLE_S)
    width = max(len(line) for line in terminal.screen().splitlines())
    console = Console(record=True, width=max(width, 80), file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(terminal.styled().rstrip("\n")), end="")
    # No fonts from elsewhere: a picture asks nobody for anything.
    svg = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title=title, theme=THEMES[palette]), flags=re.DOTALL)
    text = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    (HERE / f"{name}.svg").write_text(text, "utf-8")
    print(f"docs/screens/{name}.svg")


def play(terminal: Terminal, turn: int, words: Words = ENGLISH) -> bool:
    """Play by keys until it is one's own turn, and this turn or a later one; False if the game is over before."""
    while True:
        shown = terminal.wait(lambda shown: words.your_turn in shown or ".seqp2p" in shown, "a turn or the replay")
        if words.your_turn not in shown:
            terminal.close()
            return False
        if any(int(number) >= turn for number in re.findall(r"(?:turn|tour) (\d+)", shown)):
            return True
        play_a_turn(terminal, words)


def choose(terminal: Terminal) -> None:
    """Choose a card with squares of its own, if the hand has one: a jack lights half of the board."""
    for _ in range(7):
        terminal.press("Tab")
        time.sleep(SETTLE_S)
        if re.search(r"goes on [a-j]\d", terminal.screen()):
            return


def main() -> None:
    """All pictures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def sit(
            who: str, *arguments: str, size: str = "80x24", language: str = "en", palette: str = "dark"
        ) -> Terminal:
            env = os.environ | {"SEQP2P_HOME": str(folder / who), "LANGUAGE": language, "LANG": "C.UTF-8"}
            env |= {"COLORTERM": "truecolor"}
            command, (width, height) = [*SEQP2P, *arguments, "--palette", palette], SIZES[size]
            return stack.enter_context(Terminal(command, env, folder, width=width, height=height))

        def reach(turn: int, *arguments: str, words: Words = ENGLISH, **look: str) -> Terminal:
            """Return a terminal at one's own turn; a game that is over too soon is followed by another."""
            while not play(terminal := sit(*arguments, "--pace", "0", **look), turn, words):
                pass
            return terminal

        host = sit("host", "host", "--players", "4", "--listen", "127.0.0.1:0", "--name", "ann")
        address = host.find(r"seqp2p join (127\.0\.0\.1:\d+)")[1]
        guest = sit("guest", "join", address, "--name", "bob")
        guest.type(host.find(r"the join code is:  (\S+)")[1])
        host.see("bob")
        host.press("Down")
        save("lobby", "seqp2p host --players 4", host)
        save("joined", "seqp2p join", guest)
        guest.type("say hello")
        host.see("bob: hello")
        host.resize(*SIZES["200x60"])
        save("lobby-200x60", "seqp2p host --players 4", host)
        host.close()

        table = reach(TURNS, "table", "play", "--bots", "3", "--name", "ann", size="120x40")
        table.type("say hello")
        table.see(": hello")
        choose(table)
        save("table", "seqp2p play --bots 3", table)
        for size in ("80x24", "200x60"):
            table.resize(*SIZES[size])
            save(f"table-{size}", "seqp2p play --bots 3", table)
        table.press("F4")
        save("threats", "seqp2p play --bots 3, F4", table)
        table.close()

        for size in ("120x40", "80x24"):
            one_bot = (f"light{size}", "play", "--bots", "1", "--name", "ann")
            light = reach(TURNS // 2, *one_bot, size=size, palette="light")
            choose(light)
            save("light" if size == "120x40" else f"light-{size}", "seqp2p play --palette light", light, "light")
            light.close()

        for name, variant, size, turn in (("kids", "kids", "120x40", 12), ("french", "classic", "80x24", 20)):
            two_bots = (name, "play", "--variant", variant, "--bots", "2", "--name", "léa")
            table = reach(turn, *two_bots, size=size, words=FRENCH, language="fr")
            table.press("Tab")
            save(name, f"seqp2p play --variant {variant} --lang fr", table)
            table.close()

        show = sit("show", "show", "replays/classic-2.seqp2p", size="120x40")
        show.see("classic")
        show.press("End")
        save("show", "seqp2p show replays/classic-2.seqp2p", show)


if __name__ == "__main__":
    main()
