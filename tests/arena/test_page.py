"""The page on how the bots do: nothing on it is of other games than it says."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_bots", DOCS / "generate_bots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_every_row(generator: ModuleType) -> None:
    assert generator.missing((DOCS / "bots.md").read_text("utf-8").splitlines()) == []


def test_a_row_that_the_page_lacks_is_not_dropped(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = (generator.ROWS[0], generator.ROWS[1]._replace(games=7), *generator.ROWS[2:])
    monkeypatch.setattr(generator, "ROWS", changed)
    monkeypatch.setattr(generator, "played", None)
    monkeypatch.setattr(sys, "argv", ["generate_bots.py", "1", "3"])
    with pytest.raises(SystemExit):
        generator.main()
    assert "play them too: [2]" in capsys.readouterr().err
