"""How quick the screen is: from a key to its repaint at a table of 12, to ``--help``, to the first screen of ``play``.

All of it through real terminals (pty): the time ends when the last byte of the repaint has come out.
"""

import fcntl
import os
import pty
import random
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import trio
from measuring import process_seconds, ratio_of

from seqp2p.rules import CLASSIC, Position, View, view
from seqp2p.ui.screen import open_screen
from seqp2p.ui.styles import Taste
from seqp2p.ui.table_scene import TableScene
from seqp2p.ui.words import Company, Sight, Story
from tests.rules.playing import Game
from tests.table import make_settings

PLAYERS = 12
TURNS = 50
KEYS = (b"\t", b"\x1b[C", b"\x1b[B", b"\t", b"\r", b"\x1b[Z", b"\x1b[D")
ROUNDS = 40
STARTS = 11
QUIET_S = 0.004
"""After so long without a byte a repaint is over; that time is not counted."""


def run() -> dict[str, dict[str, float]]:
    """The figures."""
    figures = {f"key_{columns}x{rows}": keys_ms(columns, rows) for columns, rows in ((80, 24), (120, 40), (200, 60))}
    first_screen_s = statistics.median(first_screen() for _ in range(5))
    return figures | {"help": help_start(), "play": {"first_screen_s": round(first_screen_s, 2)}}


def keys_ms(columns: int, rows: int) -> dict[str, float]:
    """From a key to the end of its repaint, at a table of 12, in milliseconds. The screen has a process of its own."""
    with terminal(columns, rows) as (master, slave):
        environment = os.environ | {"TERM": "xterm-256color", "LANGUAGE": "en", "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen([sys.executable, __file__], stdin=slave, stdout=slave, env=environment)
        _read_all(master, 0.5, first_s=10.0)
        times = [_press(master, key) for _ in range(ROUNDS) for key in KEYS]
        process.kill()
        process.wait()
    times = times[len(KEYS) :]
    p95 = statistics.quantiles(times, n=20)[-1]
    return {"median_ms": round(statistics.median(times), 1), "p95_ms": round(p95, 1)}


async def _show_table() -> None:
    """A busy table on this terminal, until this process is killed."""
    async with open_screen(Taste()) as screen:
        screen.show(_scene(_busy_position()))
        for number in range(30):
            screen.say(f"{number:>3}. seat 3 (carl): QH e5")
        while True:
            await screen.read_line()


def _press(master: int, key: bytes) -> float:
    begun = time.perf_counter()
    os.write(master, key)
    return 1000 * (_read_all(master, QUIET_S, first_s=1.0) - begun)


def _read_all(master: int, quiet_s: float, first_s: float = 0.0) -> float:
    """Read until nothing has come for so long; returns when the last byte came."""
    last, patience_s = time.perf_counter(), first_s or quiet_s
    while select.select([master], [], [], patience_s)[0]:
        os.read(master, 65536)
        last, patience_s = time.perf_counter(), quiet_s
    return last


def _busy_position() -> Position:
    """A table of 12 in mid-game, with a seat to move that holds cards."""
    game = Game.deal(CLASSIC, PLAYERS, 3, random.Random(7))
    for _ in zip(range(TURNS), game.play_random(), strict=False):
        pass
    return game.position


def _scene(position: Position) -> TableScene:
    seen: View = view(position, position.to_move)
    settings = make_settings(PLAYERS, teams=3)
    names = tuple(f"player {number}" for number in range(1, PLAYERS + 1))
    company = Company(names, settings.colours, position.to_move)
    return TableScene(Sight(lambda: seen, lambda: seen), company, Story(), time.monotonic, settings)


def help_start() -> dict[str, float]:
    """The start of ``seqp2p --help`` against that of bare Python, in turns."""
    return ratio_of([(process_seconds("-m", "seqp2p", "--help"), process_seconds("-c", "pass")) for _ in range(STARTS)])


def first_screen() -> float:
    """The seconds from the command line to the first screen of ``seqp2p play``."""
    with terminal(80, 24) as (master, slave), tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"SEQP2P_HOME": home, "TERM": "xterm-256color", "LANGUAGE": "en"}
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "seqp2p", "play"], stdin=slave, stdout=slave, stderr=slave, env=environment
        )
        seen = b""
        while b"Sequence" not in seen and b"seqp2p: " not in seen:
            seen += os.read(master, 65536)
        seconds = time.perf_counter() - begun
        drain = threading.Thread(target=partial(_drain, master), daemon=True)
        drain.start()
        process.terminate()
        process.wait()
    return seconds


def _drain(master: int) -> None:
    while True:
        try:
            os.read(master, 65536)
        except OSError:
            return


@contextmanager
def terminal(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """Both ends of a terminal of this size."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    try:
        yield master, slave
    finally:
        os.close(slave)
        os.close(master)


if __name__ == "__main__":
    trio.run(_show_table)
