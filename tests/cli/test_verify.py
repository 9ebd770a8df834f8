"""``seqp2p verify``: one verdict for each file, and the exit code of them all."""

import json
import os
import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from seqp2p.api.cluster import code_state, encode_report
from seqp2p.api.known import meet, remember
from seqp2p.api.many import of_all, verify_named
from seqp2p.cli.replays import describe, table_text
from seqp2p.cli.verdicts import KeptVerdicts
from seqp2p.crypto.identity import fingerprint
from seqp2p.match.errors import Violation
from seqp2p.match.events import Result
from seqp2p.replay.format import MAGIC, records
from seqp2p.replay.verify import Player, Report, verify
from tests.cli import documented
from tests.cli.conftest import SMALL, Cli, good, refused
from tests.table import identity, make_settings, match_at, played, replay_of, with_body

FORM_SIGNED = "what it signed is not in the form that it has in a game"
PLAYERS = (Player(1, "ann", "00" * 32), Player(2, "bob", "11" * 32))


def half() -> bytes:
    return good()[: len(good()) // 2]


def changed() -> bytes:
    at = len(good()) // 2
    return good()[:at] + bytes([good()[at] ^ 1]) + good()[at + 1 :]


# Contents of a file → its verdict, and a part of the reason.
FILES: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "good": (good, "verified", ""),
    "cut": (half, "unfinished", "the file ends inside a record"),
    "changed": (changed, "invalid", ""),
    "empty": (lambda: b"", "invalid", "not a seqp2p replay"),
    "newer": (lambda: b"seqp2p replay 2\n", "invalid", "of a version other than 1: a newer seqp2p may read it"),
    "escapes": (lambda: MAGIC + b"\x00\x00\x00\x08\x81\xa1t\xa4\x1b[2J", "invalid", ""),
}


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.seqp2p"
        path.write_bytes(FILES[name][0]())
        return path

    return write


@pytest.mark.parametrize("name", FILES)
def test_a_file_and_its_verdict(cli: Cli, written: Callable[[str], Path], name: str) -> None:
    _, verdict, reason = FILES[name]
    path = written(name)
    exit_code, out, err = cli("verify", path)
    first, *more = out.splitlines()
    assert first.startswith(f"{path}: {verdict}: ")
    assert reason in first
    assert (exit_code, err) == ({"verified": 0, "invalid": 3, "unfinished": 5}[verdict], "")
    assert "\x1b" not in out
    if name == "good":
        assert first.endswith(", 19 steps")
        assert [line.split("  ")[2:4] for line in more[:2]] == [["seat 1", "player 1"], ["seat 2", "player 2"]]
        assert more[2:] == [
            "    table: Sequence for Kids, 2 players",
            "    proved: 24 signatures, 2 shuffles, 19 shares, 7 moves",
        ]
    if name == "changed":
        place = next(placed.start for placed in records(good()) if placed.end > len(good()) // 2)
        assert f"    the wrong record begins at byte {place}" in more
        assert json.loads(cli("verify", "--json", path)[1])["byte"] == place


def test_several_files_have_a_line_each_and_the_worst_decides(
    cli: Cli, written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [written(name) for name in ("empty", "good", "cut", "changed")]
    code, out, err = cli("verify", SMALL / "evidence_then_drop_ok.seqp2p", *files)
    lines = out.splitlines()
    assert (code, err, len(lines)) == (3, "", 8)
    assert "broke the rules" in lines[0]  # A verdict says no offence of a game that went on.
    verdicts = ["invalid", "verified", "unfinished", "invalid"]
    for line, file, verdict in zip(lines[1:5], files, verdicts, strict=True):
        assert line.startswith(f"{file}: {verdict}: ")
    assert lines[5:7] == [lines[1], lines[4]]
    assert lines[7].startswith("5 files: 2 verified, 1 unfinished, 2 invalid, ")
    monkeypatch.setattr("seqp2p.cli.verify.AGAIN_MAX", 1)
    assert cli("verify", *files)[1].splitlines()[4:6] == [lines[1], "1 more is invalid"]
    assert [cli("verify", files[1], file)[0] for file in files[1:3]] == [0, 5]


def test_several_files_for_scripts(cli: Cli, written: Callable[[str], Path], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    unreadable = {
        tmp_path / "fifo": "not a file",
        tmp_path / "folder": "no replay (*.seqp2p) is in this folder",
        tmp_path / ("x" * 300): "cannot be read: File name too long",
        Path("/proc/self/mem"): "cannot be read: Input/output error",  # Nothing is mapped at its beginning.
    }
    files = [written("good"), written("cut"), *unreadable]
    exit_code, out, err = cli("verify", "--json", "--jobs", 1, *files)
    assert (exit_code, err) == (3, "")
    *events, summary = documented.stream(out)
    assert summary.pop("seconds") > 0
    assert summary == {"event": "summary", "files": 6, "verified": 1, "unfinished": 1, "invalid": 4}
    assert [event["file"] for event in events] == [str(path) for path in files]
    whole, cut, *others = events
    assert (whole["seat"], whole["evidence"], whole["byte"]) == (None, [], None)
    assert whole["proved"] == {"signatures": 24, "shuffles": 2, "shares": 19, "moves": 7}
    assert whole["table"]["variant"] == "kids"
    assert cut["step"] == cut["steps"] + 1 > 1
    assert len(cut["players"]) == 2
    assert [event["reason"] for event in others] == [*unreadable.values()]
    assert {(event["verdict"], len(event["players"])) for event in others} == {("invalid", 0)}


@pytest.mark.parametrize(("name", "code"), [("good", 5), ("changed", 3)])
def test_stopped_it_has_a_code_for_invalid_files_and_one_for_others(
    cli: Cli, written: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("seqp2p.cli.verify._say", stop)
    kept = written(name).with_name("kept")
    exit_code, _, err = cli("verify", "--results", kept, written(name))
    assert kept.read_bytes().count(b"\n") == 2
    # What a person has stopped is no error, unless an invalid file was found before.
    assert (exit_code, err) == (code, f"seqp2p: {'' if code == 5 else 'error: '}stopped after 1 of 1 files\n")


@pytest.mark.process
def test_it_goes_on_with_the_verdicts_in_a_file(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.jsonl"
    files = [*map(written, ("cut", "good", "changed")), SMALL / "evidence_then_drop_ok.seqp2p", tmp_path / ("x" * 300)]
    whole, early = cli("verify", *files), cli("verify", "--results", kept, files[0])
    assert (early[0], kept.read_bytes().count(b"\n")) == (5, 2)
    assert cli("verify", "--results", kept, files[0])[1] == early[1] + f"1 verdict is from {kept}\n"
    kept.write_bytes(kept.read_bytes() + b'{"replay":"00')  # Killed while it wrote.
    first = kept.read_bytes().splitlines()[:2]
    again = cli("verify", "--results", kept, "--jobs", 2, *files, written("good"))
    assert kept.read_bytes().splitlines()[:2] == first
    # A file twice is kept once, and what cannot be read is not kept.
    assert (again[0], kept.read_bytes().count(b"\n")) == (3, 5)
    monkeypatch.setattr("seqp2p.api.many.verify_data", None)
    (tmp_path / "moved.seqp2p").write_bytes(good())
    last = cli("verify", "--results", kept, *files)
    # All is as it was, but for the seconds.
    assert last[1].splitlines()[:-2] == whole[1].splitlines()[:-1]
    assert last[1].splitlines()[-1] == f"4 verdicts are from {kept}"
    assert cli("verify", "--json", "--results", kept, tmp_path / "moved.seqp2p")[0] == 0


def test_the_verdicts_in_a_file_take_no_memory(tmp_path: Path) -> None:
    kept, count = tmp_path / "kept", 2_000
    report = encode_report(verify(good())).decode()
    line = f'{{"replay":"%064d","code":"{code_state()}","report":{report}}}\n'
    kept.write_text('{"file":"seqp2p verify 1"}\n' + "".join(line % number for number in range(count)))
    verdicts = KeptVerdicts(kept)
    tracemalloc.start()
    assert list(verdicts.through([], lambda files: of_all(verify_named, files, 1))) == []
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(verdicts.places) == count
    assert now < 300 * count < len(line) * count


def test_another_version_verifies_again(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, file = tmp_path / "kept", written("good")
    cli("verify", "--results", kept, file)
    monkeypatch.setattr("seqp2p.cli.verdicts.code_state", lambda: "2.0.0+1")
    assert "from" not in cli("verify", "--results", kept, file)[1]
    assert kept.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"notes\n", "{path} is not a results file of seqp2p verify"),
        (MAGIC, "{path} is not a results file of seqp2p verify"),
        (b'{"file":"seqp2p arena 1"}\n', "{path} is not a results file of seqp2p verify"),
        (b'{"file":"seqp2p verify 1"}\n{"replay":"00"}\n', "line 2 of {path} is damaged"),
        (b'{"file":"seqp2p verify 1"}\n{"replay":"","code":"CODE","report":{}}\n', "line 2 of {path} is damaged"),
    ],
)
def test_a_file_of_something_else_is_refused_and_kept(
    cli: Cli, written: Callable[[str], Path], tmp_path: Path, content: bytes, text: str
) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(content.replace(b"CODE", code_state().encode()))
    before = kept.read_bytes()
    exit_code, error, _ = refused(cli("verify", "--results", kept, written("good")))
    assert (exit_code, error, kept.read_bytes()) == (1, text.format(path=kept), before)


def test_a_proved_cheater_is_named(cli: Cli, tmp_path: Path) -> None:
    game = played(2, "kids", 3)
    step = game.step_of("turn", 2)
    match = match_at(game, step)
    (seat,) = match.awaited
    # A turn that counts itself wrong is signed nonetheless.
    bad = with_body(game.identity(seat), game.contribution(step, seat), action="unicorn a1")
    with pytest.raises(Violation) as violation:
        match.receive(bad)
    path = tmp_path / "cheated.seqp2p"
    path.write_bytes(replay_of(match, game.seat(3 - seat), violation.value.evidence))
    exit_code, out, _ = cli("verify", path)
    assert exit_code == 5
    assert out.startswith(f"{path}: unfinished: ")
    assert f"player {seat} broke the rules at step {step}: " in out.splitlines()[0]
    mark = sha256(bad.payload).hexdigest()
    assert f"    evidence: what seat {seat} has signed, SHA-256 {mark}" in out.splitlines()
    verdict = json.loads(cli("verify", "--json", path)[1])
    assert (verdict["seat"], verdict["evidence"], verdict["byte"]) == (seat, [mark], None)


def test_a_cheater_is_named_in_a_game_that_went_on(cli: Cli) -> None:
    path = SMALL / "evidence_then_drop_ok.seqp2p"
    exit_code, out, _ = cli("verify", path)
    assert exit_code == 0
    (verdict,) = documented.stream(cli("verify", "--json", path)[1])
    (cheat,) = verdict["cheats"]
    assert (verdict["verdict"], verdict["seat"], verdict["evidence"]) == ("verified", None, [])
    assert len(cheat["evidence"]) == 2
    name = verdict["players"][cheat["seat"] - 1]["name"]
    words = f"{name} broke the rules at step {cheat['step']}: "
    assert [line for line in out.splitlines() if line.startswith(f"    {words}")]
    assert all(f"SHA-256 {mark}" in out for mark in cheat["evidence"])


def test_a_table_in_brief() -> None:
    assert table_text(make_settings(3)) == "Sequence, 3 players"
    chosen = make_settings(4, teams=2, advanced=True, manual_draw=True, table_talk=False, open_hands=False)
    options = "advanced, no table talk, manual draw, closed hands"
    assert table_text(chosen) == f"Sequence, 4 players in 2 teams, {options}"


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            Report("unfinished", None, PLAYERS, None, 56, "the replay ends at step 57, waiting for seat 1, seat 2", 57),
            "unfinished: the replay ends at step 57, waiting for ann, bob",
        ),
        (
            Report("invalid", None, PLAYERS, None, 3, "Object missing required field `v` - at `$.t`", 4),
            "invalid: a record is not in the form that it has in a replay (step 4)",
        ),
        (
            Report("unfinished", None, PLAYERS, None, 3, "seat 2 broke the rules at step 4: Expected `int`", 4),
            f"unfinished: bob broke the rules at step 4: {FORM_SIGNED}",
        ),
        (
            Report("unfinished", None, PLAYERS, Result("forfeit", (1,), "why"), 7, "seat 2 left the table", 8),
            "unfinished: bob left the table (step 8); ann won by forfeit",
        ),
        (Report("verified", None, PLAYERS, Result("drawn"), 41), "verified: drawn: nobody has won, 41 steps"),
    ],
)
def test_a_report_in_words(report: Report, text: str) -> None:
    assert describe(report) == text


@pytest.mark.parametrize(
    ("name", "seat", "told"),
    [("leave_of_one_fail", 2, "   left the table"), ("drop_the_mover_ok", 1, "   out of the game")],
)
def test_a_seat_that_is_gone_is_named(cli: Cli, name: str, seat: int, told: str) -> None:
    seats = cli("verify", SMALL / f"{name}.seqp2p")[1].splitlines()[1:4]
    assert [number for number, line in enumerate(seats, 1) if line.endswith(told)] == [seat]
    verdict = json.loads(cli("verify", "--json", SMALL / f"{name}.seqp2p")[1])
    assert (seat in verdict["left"], seat in verdict["out"]) == ("left" in told, "out" in told)


def test_a_player_who_was_met_is_known(cli: Cli, written: Callable[[str], Path], own_home: Path) -> None:
    path, key = written("good"), identity(2, 3).public
    remember([meet(2, "bob", key, ())])
    told = cli("verify", path)[1].splitlines()
    assert f"    seat 2  player 2  {fingerprint(key)}  known as bob" in told
    verdict = json.loads(cli("verify", "--json", path)[1])
    assert [player["known"] for player in verdict["players"]] == [None, "bob"]
    (own_home / "known_players.json").write_text("?")
    exit_code, out, err = cli("verify", "--json", path)
    assert (exit_code, out.count("\n")) == (0, 1)
    assert "known players are not named: the file of known players" in err
