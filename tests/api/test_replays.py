"""Replays from files and bytes."""

import json
import os
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path

import pytest

import seqp2p
from tests.protocol.reading import REPLAYS

GOLDEN = REPLAYS / "kids_2_won_ok.seqp2p"


def test_a_file_and_its_bytes_are_the_same() -> None:
    report = seqp2p.verify(GOLDEN)
    assert report.verdict == "verified"
    assert report == seqp2p.verify(str(GOLDEN)) == seqp2p.verify(GOLDEN.read_bytes())
    plain = json.loads(json.dumps(report.as_json()))
    assert (plain["verdict"], plain["result"], plain["winners"], plain["cheats"]) == ("verified", "won", [1], [])
    assert [player["seat"] for player in plain["players"]] == [1, 2]
    assert plain["table"]["variant"] == "kids"
    playback = seqp2p.read(GOLDEN)
    assert playback.report == report
    first, *_, last = playback.moments
    assert isinstance(first.what, seqp2p.Seated)
    assert last.position is not None
    assert last.position.over


def test_a_replay_is_exported_in_every_form() -> None:
    assert [*seqp2p.parse_game(seqp2p.export(GOLDEN)).positions()][-1].over
    assert json.loads(seqp2p.export(GOLDEN, "json"))["verdict"]["verdict"] == "verified"
    assert "hex" in str(json.loads(seqp2p.export(GOLDEN, "json", raw=True))["records"][5])
    assert seqp2p.export(GOLDEN, "svg", at=0) != seqp2p.export(GOLDEN.read_bytes(), "svg")
    for turn in (-1, 1000):
        with pytest.raises(ValueError, match="the game has"):
            seqp2p.export(GOLDEN, "svg", at=turn)
    assert seqp2p.export(GOLDEN, "html").startswith("<!DOCTYPE html>")


def test_moves_are_reviewed() -> None:
    playback = seqp2p.read(GOLDEN)
    found = seqp2p.review(playback)
    (at, judged), *_ = found.moves.items()
    assert isinstance(playback.moments[at].what, seqp2p.Turned)
    assert sum(judged.chances) == 1000
    with pytest.raises(ValueError, match="the replay has no table"):
        seqp2p.review(seqp2p.read(b""))


def test_games_are_listed_the_last_first(tmp_path: Path) -> None:
    assert list(seqp2p.games(tmp_path)) == []
    for name, at in (("old", 1), ("new", 2), ("damaged", 3)):
        data = GOLDEN.read_bytes()
        (tmp_path / f"{name}.seqp2p").write_bytes(data[:99] if name == "damaged" else data)
        os.utime(tmp_path / f"{name}.seqp2p", (at, at))
    found = [(game.path.stem, game.number, game.report.verdict, game.own) for game in seqp2p.games(tmp_path)]
    assert found == [("damaged", 1, "invalid", 0), ("new", 2, "verified", 0), ("old", 3, "verified", 0)]
    assert not any(game.resumable for game in seqp2p.games(tmp_path))


def test_what_is_read_is_plain_data() -> None:
    for raw in (False, True):
        told = json.loads(seqp2p.export(GOLDEN, "json", raw=raw))
        plain = json.loads(json.dumps(seqp2p.read(GOLDEN).as_json(raw=raw)))
        assert {**told, "verdict": None} == {"event": "replay", **plain, "verdict": None}
        assert told["verdict"].keys() - plain["verdict"].keys() == {"file"}
    whole = GOLDEN.read_bytes()
    for data, records in ((damaged(whole), True), (whole[: len(whole) // 2], True), (b"nonsense", False), (b"", False)):
        plain = json.loads(json.dumps(seqp2p.read(data).as_json()))
        assert (bool(plain["records"]), bool(plain["settings"])) == (records, records)


def test_the_actions_are_rows() -> None:
    playback = seqp2p.read(GOLDEN)
    rows = playback.rows()
    turns = [moment.what for moment in playback.moments if isinstance(moment.what, seqp2p.Turned)]
    assert [(row["turn"], row["seat"], row["kind"]) for row in rows] == [(e.turn, e.seat, e.action.kind) for e in turns]
    assert rows[0].keys() == {"turn", "seat", "kind", "card", "square", "hand"}
    assert all(row["card"] in row["hand"] for row in rows)
    assert json.loads(json.dumps(rows)) == rows
    assert seqp2p.read(b"").rows() == []
    # Nothing is opened before the end.
    longer = (REPLAYS.parents[1] / "replays" / "kids-3.seqp2p").read_bytes()
    cut = seqp2p.read(longer[: len(longer) * 3 // 4]).rows()
    assert cut == [{**row, "hand": None} for row in seqp2p.read(longer).rows()[: len(cut)]] != []
    talk = seqp2p.read(REPLAYS.parents[1] / "replays" / "classic-4-table-talk.seqp2p").rows()
    assert {"place", "call", "give"} <= {row["kind"] for row in talk}
    assert {row["square"] for row in talk if row["kind"] in {"call", "give"}} == {None}


def damaged(data: bytes) -> bytes:
    middle = len(data) * 3 // 4
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="form is one of text, json, svg, html, not 'pdf'"):
        seqp2p.export(b"", "pdf")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shows no game: not a seqp2p replay"):
        seqp2p.export(b"nonsense")
    with pytest.raises(ValueError, match="is not exported: it is invalid"):
        seqp2p.export(damaged(GOLDEN.read_bytes()))
    with pytest.raises(TypeError, match="export: form must be str, not NoneType"):
        seqp2p.export(GOLDEN, None)  # type: ignore[arg-type]
    for how, why in (({"at": 3}, "at is for svg only"), ({"form": "svg", "raw": True}, "raw is for json only")):
        with pytest.raises(ValueError, match=why):
            seqp2p.export(GOLDEN, **how)
    with pytest.raises(FileNotFoundError):
        seqp2p.export(tmp_path / "none")


def test_replays_are_counted(tmp_path: Path) -> None:
    counted = seqp2p.stats([GOLDEN, GOLDEN.read_bytes(), b"nonsense", tmp_path / "none"])
    assert (counted.files, counted.games, counted.duplicates) == (4, 1, 1)
    assert sum(player.won for player in counted.players.values()) == 1
    assert seqp2p.stats(str(GOLDEN)).games == seqp2p.stats(GOLDEN.read_bytes()).games == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b", "a", "below/c"):
        path = tmp_path / "games" / f"{name}.seqp2p"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(GOLDEN.read_bytes())
    return tmp_path / "games"


def test_many_are_verified_in_the_order_given(folder: Path) -> None:
    sources = (each for each in (folder, str(folder / "[b]*"), folder / "none", b"nonsense", "", folder / "a.seqp2p"))
    found = [(path.name, report.reason or report.verdict) for path, report in seqp2p.verify_many(sources)]
    assert found == [
        *((f"{name}.seqp2p", "verified") for name in "abc"),
        ("b.seqp2p", "verified"),
        ("c.seqp2p", "verified"),
        ("none", "no such file"),
        ("<bytes>", "not a seqp2p replay"),
        ("", "the path is empty"),
        ("a.seqp2p", "verified"),
    ]
    assert [path for path, _ in seqp2p.verify_many(folder / "a.seqp2p")] == [folder / "a.seqp2p"]
    assert [*seqp2p.verify_many([])] == []


@pytest.mark.process
def test_processes_end_with_the_iteration(folder: Path) -> None:
    reports = seqp2p.verify_many([folder] * 50, jobs=2)
    assert next(reports)[1].verdict == "verified"
    assert len(active_children()) == 2
    del reports
    assert active_children() == []


@pytest.mark.parametrize("use", [seqp2p.verify_many, seqp2p.stats])
def test_bad_arguments_are_named(use: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="sources must be str or PathLike or bytes or Iterable, not int"):
        use(3)
    for none, kind in (([GOLDEN, [GOLDEN]], "list"), ([None], "NoneType"), (bytearray(b"x"), "bytearray")):
        with pytest.raises(TypeError, match=f"^sources must be str or PathLike or bytes, not {kind}"):
            use(none)
    with pytest.raises(TypeError, match="jobs must be int or None, not bool"):
        use([], jobs=True)
    for jobs in (0, -1, 1000):
        with pytest.raises(ValueError, match=f"jobs is 1 to 61, or None, not {jobs}"):
            use([], jobs=jobs)


def test_whatever_the_bytes_are_there_is_a_report(tmp_path: Path) -> None:
    assert seqp2p.verify(b"").as_json()["class"] == "file"
    assert seqp2p.read(b"nonsense").moments == ()
    cut = tmp_path / "cut.seqp2p"
    cut.write_bytes(GOLDEN.read_bytes()[:-5])
    assert seqp2p.verify(cut).verdict == "unfinished"


@pytest.mark.parametrize("make", [None, Path.mkdir, os.mkfifo])
def test_what_is_no_file_raises(tmp_path: Path, make: object) -> None:
    path = tmp_path / "it"
    if callable(make):
        make(path)
    for use in (seqp2p.verify, seqp2p.read):
        with pytest.raises(OSError, match="it") as error:
            use(path)
        assert str(error.value.filename) == str(path)


@pytest.mark.parametrize("name", ["", "zero\0byte"])
def test_a_name_that_no_file_has(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        seqp2p.verify(name)
