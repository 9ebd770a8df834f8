"""That every check can be broken, one at a time; whether the tests notice is for ``make mutants``, which takes long."""

import ast
import json

import pytest

from tests.mutants.__main__ import NOTICED, main, report
from tests.mutants.checks import ACCEPTING, DECIDING, GIVING, PACKAGE, REFUSING, Mutant, mutants, mutants_of
from tests.mutants.equivalent import EQUIVALENT
from tests.mutants.running import KIT, ROOT, Outcome, stages

MODULE = """
def low(value):
    if value < 0 or value > 9:
        raise ValueError
    if not 1 < value < 8:
        raise ValueError
    check_even(value)
    if (fault := odd(value)):
        note(fault)
        raise ValueError(fault)
    return value

def why_not_callable(value):
    if value:
        return "no"
    if value > 3:
        note(value)

class Equation:
    def holds(self):
        return self.left == self.right

class Match:
    def may_open(self):
        return self.over and self.confirmed

    def weigh(self, first, second):
        if first == second and first.payload != second.payload:
            raise Violation

def share_equations(proof):
    return first(proof), second(proof)
"""

BROKEN = {
    "low: value < 0": "if False or value > 9:",
    "low: value > 9": "if value < 0 or False:",
    "low: not 1 < value": "if not value < 8:",
    "low: not value < 8": "if not 1 < value:",
    "low: check_even(value)": "None",
    "low: (fault := odd(value))": "if False:",
    "why_not_callable: value": "if False:",
    "Equation.holds: return self.left == self.right": "return True",
    "Match.may_open: self.over": "return True and self.confirmed",
    "Match.may_open: self.confirmed": "return self.over and True",
    "Match.weigh: first == second": "if True and first.payload != second.payload:",
    "Match.weigh: first.payload != second.payload": "if first == second and True:",
    "share_equations: first(proof)": "return (second(proof),)",
    "share_equations: second(proof)": "return (first(proof),)",
}


def test_how_checks_are_broken() -> None:
    found = {mutant.check: mutant.broken(MODULE).splitlines() for mutant in mutants_of("rules/low.py", MODULE)}
    assert found.keys() == BROKEN.keys()
    whole = ast.unparse(ast.parse(MODULE)).splitlines()
    for check, lines in found.items():
        new = [line.strip() for line, old in zip(lines, whole, strict=True) if line != old]
        assert new == [BROKEN[check]]


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in mutants()]
    assert len(names) > 150
    assert len(set(names)) == len(names)


def test_each_named_function_has_checks() -> None:
    """A function with another name would have none."""
    functions = {mutant.check.partition(":")[0] for mutant in mutants()}
    assert functions >= DECIDING | GIVING | ACCEPTING | REFUSING


def test_what_is_excused_and_what_is_remembered() -> None:
    """Of checks that have changed since, nothing is remembered: that costs time, and no more."""
    noticed: dict[str, str] = json.loads(NOTICED.read_text("utf-8"))
    assert EQUIVALENT.keys() <= {mutant.name for mutant in mutants()}
    assert not noticed.keys() & EQUIVALENT.keys()
    assert all((ROOT / test.partition("::")[0]).exists() for test in noticed.values())


def test_what_is_broken_can_be_read() -> None:
    for mutant in mutants()[::20]:
        source = (PACKAGE / mutant.module).read_text("utf-8")
        assert mutant.broken(source) != ast.unparse(ast.parse(source)) + "\n"


def test_the_known_test_is_tried_first_and_all_at_last() -> None:
    mutant = Mutant("crypto/group.py", "decode_point: len(data) != POINT_SIZE", 0)
    first, near, kit, everything = stages(mutant, "tests/crypto/test_group.py::test_one")
    assert first == ["tests/crypto/test_group.py::test_one"]
    assert kit == [KIT]
    assert near == ["tests/crypto/test_group.py"]
    assert {"tests/crypto", "tests/replay", "tests/protocol"} <= set(everything)


def test_what_nothing_notices_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = mutants()[:2]
    outcomes = {one.name: Outcome("tests/crypto/test_batch.py::test_a", 1.25), two.name: Outcome(None, 90)}
    assert report([one, two], outcomes, 91.25) == [two.name]
    said = capsys.readouterr().out
    assert "| tests/crypto/test_batch.py::test_a | 1.2 |" in said
    assert "2 checks broken: 1 noticed, 0 change nothing, 1 not noticed, 91 s" in said
    assert f"NOT NOTICED: {two.name}" in said


def test_they_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "crypto/equation.py*"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "crypto/equation.py sum_first.check: require(whole)"
