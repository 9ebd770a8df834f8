"""Homes for the players of these tests, processes that end with them, and one whole game that all may look at."""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from seqp2p.cli import moments
from seqp2p.cli.lobby import LobbyTeller, LobbyView, WaysIn
from seqp2p.cli.main import main
from seqp2p.cli.options import Choices, SeatOptions
from seqp2p.cli.output import Output
from seqp2p.replay.playback import Playback, play_back
from seqp2p.ui import language
from tests.cli import documented
from tests.cli.forked import ROOT
from tests.cli.processes import Event, Household, Terminal, household
from tests.table import played, replay_bytes

Ended = tuple[int, str, str]
Cli = Callable[..., Ended]

SMALL = ROOT / "protocol" / "replays"
KIDS, DROPPED = (ROOT / "replays" / f"{name}.seqp2p" for name in ("kids-3", "classic-3-dropped"))
WON, STOPPED, WRONG = (SMALL / f"{name}.seqp2p" for name in ("kids_2_won_ok", "forfeit_fail", "wrong_opening_fail"))


@dataclass(frozen=True)
class Game:
    """The events of both seats of a finished game; ``spoken`` is the text for the host's person."""

    host: list[Event]
    guest: list[Event]
    spoken: str
    lasted_s: float
    out: list[str]

    @property
    def replays(self) -> list[Path]:
        return [Path(events[-1]["replay"]) for events in (self.host, self.guest)]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the tests away from the files of the player who runs them."""
    home = tmp_path / "home-own"
    monkeypatch.setenv("SEQP2P_HOME", str(home))
    for name in ("SEQP2P_CODE", "SEQP2P_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True)
def own_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo the choice of a language."""
    before = language.current()
    monkeypatch.setenv("LANGUAGE", before)
    yield
    language.use(before)


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that a person types; after them the input ends."""
    lines: list[str] = []

    async def read_line(_: Output) -> str | None:
        await trio.lowlevel.checkpoint()
        return lines.pop(0) if lines else None

    monkeypatch.setattr(Output, "read_line", read_line)
    return lines


async def unanswered(_: object) -> NoReturn:
    """Wait for a line or an answer that never comes."""
    await trio.sleep_forever()


def good() -> bytes:
    """Return a whole game that verifies."""
    return replay_bytes(played(2, "kids", 3))


@cache
def read(data: bytes) -> Playback:
    """Return a file's moments, which are read once for all tests."""
    return play_back(data)


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands that show a file use moments that were read before."""

    def again(data: bytes, progress: Callable[[int], None]) -> Playback:
        progress(len(data))
        return read(data)

    monkeypatch.setattr(moments, "play_back", again)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[Household]:
    with household(tmp_path) as people:
        yield people


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    made.hang_up()


def game_of(folder: Path, *options: str, **env: str) -> Game:
    """Let two bots play a game, as two terminals would."""
    begun = time.monotonic()
    with household(folder) as people:
        host = people.host(*options, env=env)
        guest = people.join(host, env=env)
        assert (host.end(), guest.end()) == (0, 0), host.said() + guest.said()
        return Game(host.events, guest.events, "\n".join(host.err), time.monotonic() - begun, [*host.out, *guest.out])


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A classic game."""
    return game_of(tmp_path_factory.mktemp("game"), "--players", "2")


@pytest.fixture(scope="session")
def kids_game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """A short game with closed hands, where the terminals know ASCII alone and the host's name has more."""
    options = ("--variant", "kids", "--closed-hands", "--name", "Zoé ♠")
    return game_of(tmp_path_factory.mktemp("kids"), *options, PYTHONIOENCODING="ascii")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs a command in this process: exit code, standard output, standard error."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["seqp2p", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        said = capfd.readouterr()
        return ended.value.code, said.out, said.err

    return run


def options_of(bot: str | None = "random", *, child: bool = False, json: bool = True, games: int = 1) -> SeatOptions:
    return SeatOptions(Choices(bot, 0, Path()), "ann", Output(json), child, games)


def teller_of(options: SeatOptions, ways: WaysIn | None = None) -> LobbyTeller:
    return LobbyTeller(options, options.output, LobbyView(options.output, ""), ways)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def said(ended: Ended) -> str:
    """Return the output of a command that ended well and complained of nothing."""
    exit_code, out, err = ended
    assert (exit_code, err) == (0, "")
    return out


def refused(ended: Ended) -> tuple[int, str, str]:
    """Return the exit code, the error and the hint, or "" for none, of a command that said nothing else.

    With ``--json`` it wrote the event ``error``, too.
    """
    exit_code, out, err = ended
    error, *hints = err.splitlines()
    assert error.startswith("seqp2p: error: ")
    assert all(hint.startswith("seqp2p: hint: ") for hint in hints)
    assert len(hints) <= 1
    told = error.removeprefix("seqp2p: error: "), "".join(hints).removeprefix("seqp2p: hint: ")
    if out:
        (event,) = documented.stream(out)
        assert (event["event"], event["reason"], event["hint"], event["exit"]) == ("error", *told, exit_code)
    return exit_code, *told
