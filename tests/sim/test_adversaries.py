"""Misbehaving seats against honest ones: each comes to exactly what its description says, and to nothing else.

The simulator's own checks run in every game (tests/sim/test_lan.py): no honest seat is blamed or proved a cheat,
what is final stays so, records verify, and nothing of a hidden card was sent.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from seqp2p.net.limits import DEFAULT_LIMITS
from tests.sim.__main__ import main
from tests.sim.adversaries import ADVERSARIES, Adversary, Once, ending, found, page, play
from tests.sim.adversaries.described import NO_EFFECT
from tests.sim.adversaries.table import ELSEWHERE, lines
from tests.sim.faults import FIRST_SPECTATOR
from tests.sim.invariants import Invariants
from tests.sim.sim_process import Machine

BY_NAME = {adversary.name: adversary for adversary in ADVERSARIES}
SEEDS = 3


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(ADVERSARIES)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", ADVERSARIES, ids=BY_NAME)
def test_it_comes_to_what_it_must(adversary: Adversary) -> None:
    first = ADVERSARIES.index(adversary)
    for players in adversary.endings:
        seed = (first + players) % SEEDS
        row = found(adversary, players, seed)
        assert not row.idle
        assert not row.fault, f"{row.fault}; python -m tests.sim adversaries '{adversary.name}' --seeds {seed + 1}"


@pytest.mark.parametrize("players", [4, 5])
def test_a_step_is_final_within_two_heartbeats_and_a_round(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One seat alone is sent the heads of the crook. The others, and a spectator, get them by way of it."""
    away, round_s = 3, 2.0
    closed, waited = dict[tuple[int, int], float](), dict[tuple[int, int], float]()

    def look(_: Invariants, machine: Machine) -> None:
        if machine.match is not None and machine.number != away:
            for step in range(1, machine.match.number):
                closed.setdefault((machine.number, step), machine.lan.agenda.now)
            for step in range(1, machine.match.final + 1):
                place = machine.number, step
                waited.setdefault(place, machine.lan.agenda.now - closed[place])

    for name in ("looks", "notices"):
        monkeypatch.setattr(Invariants, name, look)
    crook = BY_NAME["heads to one"]
    lan = play(crook, players, spectators=1)
    assert lan.host == players  # It gets the heads from others, and its spectator from it.
    assert ending(lan) == crook.endings[players]
    assert {number for number, _ in waited} >= {2, players, FIRST_SPECTATOR}
    assert 0.5 < max(waited.values()) < 2 * DEFAULT_LIMITS.heartbeat_s + round_s


def test_a_cheat_does_not_win_by_its_own_word() -> None:
    """It wins right after it has shown two faces, and one of two others signs the end before it learns of that."""
    row = found(BY_NAME["two draws before its turn"], 3, 1)
    assert not row.fault
    assert row.ending is not None
    assert row.ending.outcome == "proven, game ends"


def test_a_game_that_is_over_before_its_turn_tries_nothing() -> None:
    """The others win before the cheat's second turn: that is no fault, and no proof of anything either."""
    row = found(BY_NAME["card played twice"], 3, 2)
    assert row.idle
    assert not row.fault
    assert lines([row])[1].endswith("verified (over before it could do anything)")
    assert lines([row])[-1] == "1 games, 0 not as they must be"


def test_what_is_not_as_described_is_said() -> None:
    harmless = Adversary("harmless", "none", "nothing", lambda: Once(lambda _crook: None), {2: NO_EFFECT})
    assert not found(harmless, 2, 0).fault
    garbage = BY_NAME["garbage"]
    assert "not as expected" in found(replace(garbage, endings={2: NO_EFFECT}), 2, 0).fault
    assert "for another reason" in found(replace(garbage, reason="the weather"), 2, 0).fault


def test_the_page_is_what_the_descriptions_say() -> None:
    written = Path(__file__).parents[2] / "docs" / "adversaries.md"
    assert written.read_text("utf-8") == page(ADVERSARIES), "make adversaries"


@pytest.mark.parametrize("test", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_is_tested_elsewhere_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert f"def {name}(" in (Path(__file__).parents[2] / file).read_text("utf-8")


@pytest.mark.process
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["adversaries", "garbage"]) == 0
    _, _, *rows, last = capsys.readouterr().out.splitlines()
    assert last == "2 games, 0 not as they must be"
    assert [row.split() for row in rows] == [f"garbage {n} refused at the link none verified".split() for n in (2, 3)]
    assert main(["adversaries", "nobody"]) == 2
    assert main(["adversaries", "--page"]) == 0
    assert capsys.readouterr().out == page(ADVERSARIES)
