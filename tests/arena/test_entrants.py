"""Classes of others that take part: a fault of one is its own loss, and is named."""

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from seqp2p.arena import DealResult, EntrantError, Tally, make_contest, play_deal
from seqp2p.arena.entrants import BotFault, ClassBot, kind_of, load_class
from seqp2p.rules import KIDS, PASS, Action, View, view
from tests.cli.processes import EXAMPLES, strange
from tests.rules.playing import random_position

LONG_S = 60.0


def seen() -> View:
    position = random_position(KIDS, 2, 2, seed=5).position
    return view(position, position.to_move)


def failure(choose: Callable[[View], object], time_s: float = LONG_S) -> str:
    """The reason why a bot with this method has failed."""

    class Bot:
        def __init__(self, _: random.Random) -> None:
            self.choose = choose

    with pytest.raises(BotFault) as failed:
        ClassBot(Bot, random.Random(1), time_s).choose(seen())
    return str(failed.value)


def raising(error: BaseException) -> Callable[[View], object]:
    def choose(_: View) -> object:
        raise error

    return choose


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("learned:no", "bot"),
        ("clever", "bot"),
        ("été:Bot", "class"),
        ("a:b:c", "bot"),
        (r"bots\bot", "program"),
        ("C:/bot", "program"),
    ],
)
def test_a_name_tells_the_kind(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("choose", "reason"),
    [
        (raising(KeyError("e5")), "it raised KeyError: 'e5'"),
        (raising(ValueError("a\nb")), "it raised ValueError: a b"),
        (raising(SystemExit(3)), "it raised SystemExit: 3"),
        (raising(RecursionError()), "it raised RecursionError"),
        (raising(ValueError("x" * 10_000)), "it raised ValueError: xxx"),
        (lambda _: None, "it did not choose an Action: NoneType"),
        (lambda _: ("pass",), "it did not choose an Action: tuple"),
        (lambda _: "fly", "its choice is not legal: 'fly' is not an action"),
        (lambda _: "pass", "its choice is not legal: seat "),
        (lambda _: PASS, "its choice is not legal: seat "),
        (lambda _: Action("place", "e5", None), "its choice is not legal: "),  # type: ignore[arg-type]
        (lambda _: Action("fly"), "its choice is not legal: "),  # type: ignore[arg-type]
    ],
)
def test_a_fault_is_told_in_one_line(choose: Callable[[View], object], reason: str) -> None:
    told = failure(choose)
    assert told.startswith(reason)
    assert len(told) < 300
    assert "\n" not in told


def test_a_class_that_cannot_be_made_fails_at_its_first_choice() -> None:
    def make(_: random.Random) -> object:
        raise TypeError("takes no arguments")

    with pytest.raises(BotFault, match="it raised TypeError: takes no arguments"):
        ClassBot(make, random.Random(1), LONG_S).choose(seen())


@pytest.mark.skipif(sys.platform == "win32", reason="there no signal interrupts a loop")
def test_a_bot_that_never_ends_is_interrupted() -> None:
    def loops(_: View) -> object:
        while True:
            try:
                sum(range(1000))
            except Exception:  # noqa: BLE001  # a bot may do this
                continue

    assert failure(loops, time_s=0.1) == "it did not choose within 0.1 seconds"


def test_a_bot_that_ends_too_late_has_failed_where_nothing_can_interrupt_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seqp2p.arena.entrants.threading.main_thread", lambda: None)
    assert failure(lambda view: view.legal[0], time_s=0.0) == "it did not choose within 0 seconds"


def test_it_is_given_its_view_alone_and_writes_to_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    given = list[Any]()

    class Bot:
        def __init__(self, randomness: random.Random) -> None:
            given.append(randomness)

        def choose(self, view: View) -> Action:
            given.append(view)
            print("let me think")
            return view.legal[-1]

    class Plain:
        def choose(self, view: View) -> str:
            return str(view.legal[0])

    assert ClassBot(Plain, random.Random(1), LONG_S).choose(seen()) == seen().legal[0]
    dice, shown = random.Random(1), seen()
    assert ClassBot(Bot, dice, LONG_S).choose(shown) == shown.legal[-1]
    assert given == [dice, shown]
    assert capsys.readouterr() == ("", "let me think\n")


BOTS = """
class First:
    def __init__(self, randomness):
        self.randomness = randomness
    def choose(self, view):
        return self.randomness.choice(view.legal)
class Raises(First):
    def choose(self, view):
        if view.turn < 2:
            return super().choose(view)
        raise KeyError("e5")
nothing = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a module of bots."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "bots_of_a_test.py").write_text(BOTS)
    monkeypatch.delitem(sys.modules, "bots_of_a_test", raising=False)
    return tmp_path


def test_a_class_of_a_module_in_this_folder_takes_part(here: Path) -> None:
    who = make_contest(["bots_of_a_test:First", "bots_of_a_test:Raises"], "kids")
    first, again = play_deal(who, 1, 0), play_deal(who, 1, 0)
    assert first.games == again.games, "its randomness is seeded"
    assert [game.failed for game in first.games] == [2, 1]
    assert {game.reason for game in first.games} == {"it raised KeyError: 'e5'"}
    assert min(game.turns for game in first.games) >= 2
    tally = Tally(who)
    tally.add(first)
    assert (tally.score(0), [side.failed for side in tally.sides]) == (1.0, [0, 2])


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("no_module_of_a_test:Bot", "", "there is no module no_module_of_a_test"),
        ("bots_of_a_test.more:Bot", "", "there is no module bots_of_a_test.more"),
        ("bots_of_a_test:Bot", BOTS, "the module bots_of_a_test has no class Bot"),
        ("bots_of_a_test:nothing", BOTS, "the module bots_of_a_test has no class nothing"),
        ("bots_of_a_test:Bot", "1 / 0", "the module bots_of_a_test cannot be imported: ZeroDivisionError: division"),
        ("bots_of_a_test:Bot", "def", "the module bots_of_a_test cannot be imported: SyntaxError: "),
        ("bots_of_a_test:Bot", "class Bot:\n    def __init__(self, a, b): ...", "no bot can be made: TypeError: "),
        ("bots_of_a_test:Bot", "class Bot: ...", "no bot can be made: TypeError: a bot has a method choose"),
        ("bots_of_a_test:Bot", "exit(3)", "the module bots_of_a_test cannot be imported: SystemExit: 3"),
        (
            "bots_of_a_test:Bot",
            "import no_module_of_a_test",
            "the module bots_of_a_test cannot be imported: ModuleNotFoundError: No module named 'no_module_of_a_test'",
        ),
    ],
)
def test_why_a_class_cannot_take_part(here: Path, name: str, content: str, reason: str) -> None:
    (here / "bots_of_a_test.py").write_text(content)
    with pytest.raises(EntrantError) as refused:
        load_class(name)
    assert str(refused.value).startswith(reason)


# Programs that take part: a fault of one is its own loss, and is named; each ends with its game.


SOON_S = 0.5


def play(bots: Sequence[str], players: int = 2, time_s: float = LONG_S) -> DealResult:
    return play_deal(make_contest(bots, "kids", players), 1, 0, time_s=time_s)


@pytest.mark.process
def test_good_programs_play_to_the_end(tmp_path: Path) -> None:
    result = play([strange("good", tmp_path / "seen"), f"{sys.executable} {EXAMPLES / 'bot.py'}", "greedy"], players=3)
    assert len(result.games) == 6
    assert not any(game.failed for game in result.games)
    assert all(game.turns for game in result.games)
    assert all(choices > 0 for choices in result.choices)
    text = (tmp_path / "seen").read_text()
    assert text.count('"type":"hello"') == text.count('"type":"result"') == 6


@pytest.mark.process
@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("slow", "it did not choose within 0.5 seconds"),
        ("die", "it has ended, with exit status 3"),
        ("stubborn", "none of its 3 answers was possible"),
        ("./no-such-program", "it cannot be started: "),
    ],
)
def test_a_program_that_fails_loses_its_game(manner: str, reason: str, tmp_path: Path) -> None:
    program = manner if manner.startswith("./") else strange(manner, tmp_path / "seen")
    result = play([program, "random"], time_s=SOON_S if manner == "slow" else LONG_S)
    assert [(game.failed, game.winner) for game in result.games] == [(1, 0), (2, 0)]
    assert all(game.reason.startswith(reason) for game in result.games), result.games


@pytest.mark.process
def test_a_fault_that_is_mended_is_no_loss(tmp_path: Path) -> None:
    for manner in ("illegal", "rubbish", "ahead", "half", "twice", "caller"):
        assert not any(game.failed for game in play([strange(manner, tmp_path / "seen"), "random"]).games)
