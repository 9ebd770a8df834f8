"""Every small replay gets the verdict that it is named for, from this program and from the second verifier."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from protocol.check import FIELDS, differences, in_output
from protocol.second import file as second
from protocol.second.__main__ import main as second_command
from protocol.second.game import EVERY_STEP
from seqp2p.match.errors import Failure
from seqp2p.replay.verify import verify
from tests.protocol.reading import PROTOCOL, REPLAYS, ROOT

EXPECTED: dict[str, dict[str, Any]] = json.loads((REPLAYS / "expected.json").read_text("utf-8"))
BLAMED = [name for name, expected in EXPECTED.items() if expected["seat"]]
# Proofs of shuffles in plain Python take long: of these two the second verifier checks every proof, of all the other
# replays those of the step that is wrong, unless it is a shuffle. `python protocol/check.py` with it leaves out none.
WITH_ALL_PROOFS = {"kids_2_won_ok", "shuffle_of_another_deck_fail"}
WITHOUT = {name for name, expected in EXPECTED.items() if expected["class"] == "shuffle"} - WITH_ALL_PROOFS

SAYS = """
import json, sys
for path in sys.argv[1:]:
    event = {"event": "verdict", "file": path, "verdict": "verified", "class": None, "step": 1, "seat": None}
    print("reading", path)
    print(json.dumps(event))
"""


def test_there_are_enough_of_every_class() -> None:
    failures = [name for name in EXPECTED if name.endswith("_fail")]
    assert len(failures) >= 60
    assert {EXPECTED[name]["class"] for name in failures} == set(get_args(Failure))


def test_every_replay_is_expected_and_small() -> None:
    assert {path.stem for path in REPLAYS.glob("*.seqp2p")} == set(EXPECTED)
    assert sum(path.stat().st_size for path in REPLAYS.iterdir()) < 6_000_000


def test_names_say_what_is_expected() -> None:
    for name, expected in EXPECTED.items():
        assert name.endswith("_ok" if expected["verdict"] == "verified" else "_fail")
        assert (expected["class"] is None) == (expected["verdict"] == "verified")


def test_every_class_is_explained() -> None:
    """Section 13 of the specification has a line for each, and for no other."""
    section = (ROOT / "docs" / "protocol.md").read_text("utf-8").partition("## 13.")[2].partition("## 14.")[0]
    table = section.partition("| class | ")[2]
    rows = [line.split("|")[1].strip(" `") for line in table.splitlines()[2:] if line.startswith("|")]
    assert rows == list(get_args(Failure))


@pytest.mark.process
@pytest.mark.slow
def test_this_program() -> None:
    """As anybody can run it: ``python protocol/check.py -- seqp2p verify --json``."""
    command = [sys.executable, "-m", "seqp2p", "verify", "--json", "--jobs", "1"]
    assert list(differences(command, EXPECTED)) == []


@pytest.mark.parametrize("name", BLAMED)
def test_what_is_said_of_who_is_to_blame(name: str) -> None:
    report = verify((REPLAYS / f"{name}.seqp2p").read_bytes())
    expected = EXPECTED[name]
    assert (report.failure, report.step, report.seat) == (expected["class"], expected["step"], expected["seat"])
    assert report.evidence
    assert f"seat {expected['seat']} broke the rules" in (report.reason or "")


@pytest.mark.simulation
@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - WITHOUT))
def test_the_second_verifier(name: str) -> None:
    expected = EXPECTED[name]
    proofs = EVERY_STEP if name in WITH_ALL_PROOFS else {expected["step"]}
    found = second.verify((REPLAYS / f"{name}.seqp2p").read_bytes(), proofs=proofs)
    assert [found.verdict, found.failure, found.step, found.seat, found.awaited, found.winners, found.forfeit] == [
        expected[field] for field in FIELDS
    ]


@pytest.mark.parametrize(
    ("names", "code"), [(["cut_in_a_record_fail"], 5), (["cut_in_a_record_fail", "empty_fail"], 3)]
)
def test_the_second_verifier_writes_what_the_runner_reads(
    names: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert second_command([str(REPLAYS / f"{name}.seqp2p") for name in names]) == code
    assert list(in_output(capsys.readouterr().out, {name: EXPECTED[name] for name in names})) == []


@pytest.mark.process
def test_what_the_runner_finds(tmp_path: Path) -> None:
    """A verifier that says the same of every file, and one without a program."""
    program = tmp_path / "says.py"
    program.write_text(SAYS)
    check = [sys.executable, str(PROTOCOL / "check.py"), "--only", "cut_in*", "--"]
    ended = subprocess.run([*check, sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout.splitlines() == [
        "cut_in_a_record_fail: verdict is 'verified' instead of 'unfinished' (cut inside step 4)",
        "cut_in_a_record_fail: class is None instead of 'torn' (cut inside step 4)",
        "cut_in_a_record_fail: step is 1 instead of 4 (cut inside step 4)",
        "cut_in_a_record_fail: no awaited",
        "cut_in_a_record_fail: no winners",
        "cut_in_a_record_fail: no forfeit",
        "exit code 0 instead of 5, all being unfinished",
        "cut_in_the_table_fail: verdict is 'verified' instead of 'invalid' (cut inside the first record)",
        "cut_in_the_table_fail: class is None instead of 'torn' (cut inside the first record)",
        "cut_in_the_table_fail: step is 1 instead of None (cut inside the first record)",
        "cut_in_the_table_fail: no awaited",
        "cut_in_the_table_fail: no winners",
        "cut_in_the_table_fail: no forfeit",
        "exit code 0 instead of 3, all being invalid",
        "2 replays, 14 differences",
    ]
    absent = subprocess.run([*check, str(tmp_path / "absent")], capture_output=True, text=True, check=False)
    assert absent.returncode == 1
    assert "cannot be run: No such file or directory" in absent.stdout
