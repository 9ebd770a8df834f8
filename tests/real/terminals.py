"""Real terminals: each a tmux session of its own, with a program in it, keys to press and a screen to look at."""

import os
import re
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from tests.cli.processes import LIMIT_S, wait_until

LOOK_S = 0.05


class Words(NamedTuple):
    """The screen's words around a turn, in one language."""

    your_turn: str
    staged: str
    can_stage: re.Pattern[str]


ENGLISH = Words("▶ your turn", "Enter sends it", re.compile(r"Enter (put a chip|take the chip|exchange|pass)"))
FRENCH = Words("▶ à vous de jouer", "Entrée l'envoie", re.compile(r"Entrée (poser|enlever|échanger|passer)"))
YOUR_TURN = ENGLISH.your_turn

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A terminal of some size with a command in it. Both end with the block."""

    def __init__(
        self, arguments: list[str], env: dict[str, str], folder: Path, *, width: int = 80, height: int = 24
    ) -> None:
        # A server of its own: nothing of the developer's tmux is touched. A socket's path must be short.
        self._socket = f"seqp2p-{uuid.uuid4().hex[:12]}"
        self._env = env | {"TERM": "xterm-256color"}
        self._exit, self._before, self._after = (folder / f"{self._socket}.{end}" for end in ("exit", "old", "new"))
        run, old, new, code = map(str, (shlex.join(arguments), self._before, self._after, self._exit))
        # A Ctrl-C after the program has ended must not end the shell, which tells the exit code.
        after = f"stty -g > {new!r}; echo $code > {code!r}; sleep 600"
        command = f"trap : INT; stty -g > {old!r}; {run}; code=$?; trap '' INT; {after}"
        passed = [f"-e{name}={value}" for name, value in env.items() if name.startswith(("SEQP2P_", "LANG", "ACCESS"))]
        size = ["-x", str(width), "-y", str(height)]
        self._tmux("-f", os.devnull, "new-session", "-d", *size, *passed, "sh", "-c", command)
        self._tmux("set-option", "-g", "default-terminal", "tmux-256color")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], env=self._env, check=False, capture_output=True)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments], env=self._env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names: ``Enter``, ``Tab``, ``Up``, ``C-c``."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        self._tmux("send-keys", "Enter")

    def click(self, row: int, column: int) -> None:
        """Press and release the mouse's first button there; both count from 0."""
        for end in "Mm":
            self._tmux("send-keys", "-l", f"\x1b[<0;{column + 1};{row + 1}{end}")

    def resize(self, width: int, height: int) -> None:
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def styled(self) -> str:
        """Return the screen with its colours, as a terminal is told them."""
        return self._tmux("capture-pane", "-p", "-e", "-N")

    def history(self) -> str:
        """Return all printed lines, as far back as the terminal goes."""
        return self._tmux("capture-pane", "-p", "-S", "-")

    def title(self, new: str | None = None) -> str:
        """Return the terminal's title, after it has got a new one if there is one."""
        if new is not None:
            self._tmux("select-pane", "-T", new)
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

    def raw(self) -> Path:
        """Return a file with all that the program writes from now on."""
        path = self._exit.with_suffix(".raw")
        self._tmux("pipe-pane", "-O", f"cat > {shlex.quote(str(path))}")
        return path

    def modes(self) -> str:
        """Return the modes that a program can leave behind: another screen, a hidden cursor, reports of the mouse."""
        return self._tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").strip()

    def is_as_before(self) -> bool:
        """Return True if the ended program has left the terminal as it was."""
        return self.modes() == "0 1 0" and self._before.read_bytes() == self._after.read_bytes()

    def pid(self) -> int:
        shell = self._tmux("list-panes", "-F", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="ascii").split()
        return int(children[0])

    def wait(self, condition: Callable[[str], bool], what: str) -> str:
        """Wait until the screen is so; return it. Fails with the last screen."""
        end = time.monotonic() + LIMIT_S
        while not condition(screen := self.screen()):
            assert "Traceback" not in screen, screen
            assert time.monotonic() < end, f"waited in vain for {what}:\n{screen}"
            time.sleep(LOOK_S)
        return screen

    def see(self, text: str) -> str:
        """Wait until a text is on the screen; return the screen."""
        return self.wait(lambda screen: text in screen, text)

    def find(self, pattern: str) -> re.Match[str]:
        found = re.search(pattern, self.wait(lambda screen: re.search(pattern, screen) is not None, pattern))
        assert found is not None
        return found

    def exit_code(self) -> int:
        wait_until(lambda: self._exit.exists() and bool(self._exit.read_text(encoding="ascii").strip()), "it goes on")
        return int(self._exit.read_text(encoding="ascii"))


def interrupt(terminal: Terminal) -> None:
    """Press Ctrl-C, and again once its question is there: two in one read count as one."""

    def questions() -> int:
        return len(re.findall(r"(?:leave|close) the table\?|later: seqp2p resume", terminal.history()))

    asked = questions()
    terminal.press("C-c")
    wait_until(lambda: questions() > asked, "it asks nothing")
    terminal.press("C-c")


def play_a_turn(terminal: Terminal, words: Words = ENGLISH) -> None:
    """Play the first playable card, by keys alone."""
    for _ in range(20):
        before = terminal.screen()
        terminal.press("Tab")
        chosen = terminal.wait(lambda shown, before=before: shown != before, "another card")  # type: ignore[misc]
        if words.your_turn not in chosen:
            return
        if words.can_stage.search(chosen):
            terminal.press("Enter")
            terminal.wait(lambda shown: words.staged in shown or words.your_turn not in shown, "the choice")
            terminal.press("Enter")
            terminal.wait(lambda shown: words.staged not in shown, "the choice to be sent")
            return
    raise AssertionError(f"no card can be played:\n{terminal.screen()}")


def play_until(sign: re.Pattern[str], *people: Terminal) -> None:
    """Play for these people until each of them has seen this."""
    end = time.monotonic() + LIMIT_S
    while not all(sign.search(person.history() + person.screen()) for person in people):
        assert time.monotonic() < end, "".join(person.screen() for person in people)
        for person in people:
            if YOUR_TURN in person.screen():
                play_a_turn(person)
