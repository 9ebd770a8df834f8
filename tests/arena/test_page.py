"""The page on how the bots do: nothing on it is of other games than it says."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def generator() -> ModuleType:
    return importlib.import_module("docs.generate_bots")  # docs is no package to the type checker


def test_the_page_has_only_rows_that_are_played(generator: ModuleType) -> None:
    page = generator.PAGE.read_text("utf-8")
    lines = generator.lines_of(page)
    assert lines
    assert all(any(line.startswith(generator.head(row)) for row in generator.ROWS) for line in lines)
    assert generator.with_table(page, lines) == page


def test_a_row_is_written_when_it_is_played_and_goes_on_where_it_was(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = (generator.Row(("greedy", "random"), 2, 4, "kids"), generator.Row(("random", "random"), 2, 3))
    page = tmp_path / "bots.md"
    page.write_text(f"before\n{generator.BEGIN}\n{generator.END}\nafter\n", "utf-8")
    monkeypatch.setattr(generator, "ROWS", rows)
    monkeypatch.setattr(generator, "PAGE", page)
    arguments = ["generate_bots.py", "--jobs", "1", "--results", str(tmp_path / "results")]
    monkeypatch.setattr(sys, "argv", [*arguments, "1"])
    generator.main()
    lines = generator.lines_of(page.read_text("utf-8"))
    assert [line.split(" | ")[3:5] for line in lines] == [["4", "100.0 %"]]
    assert generator.missing(lines) == [2]
    monkeypatch.setattr(sys, "argv", arguments)
    generator.main()
    assert len(generator.lines_of(page.read_text("utf-8"))) == 2
    assert page.read_text("utf-8").endswith("\nafter\n")
    # A row with more games plays only those that it lacks.
    kept = next((tmp_path / "results").rglob("kids*"))
    before = kept.read_text("utf-8")
    monkeypatch.setattr(generator, "ROWS", (rows[0]._replace(games=6), rows[1]))
    generator.main()
    assert kept.read_text("utf-8").startswith(before)
    assert len(kept.read_text("utf-8").splitlines()) == 4
