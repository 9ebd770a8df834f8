"""The wheel and the archive of sources hold all used files, nothing else, and the same bytes each time."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from seqp2p.bots.value import name_of
from seqp2p.rules import VARIANTS
from seqp2p.ui.language import LANGUAGES

for builder in ("hatchling", "hatch_fancy_pypi_readme"):
    pytest.importorskip(builder, reason="it builds the package, and is a development dependency")

ROOT = Path(__file__).parents[1]
DATA = {
    "py.typed",
    "bots/protocol.md",
    *(f"bots/values/{name_of(each, teams)}.bin" for each in VARIANTS.values() for teams, _ in each.sequences_to_win),
    *(f"ui/locale/{lang}/LC_MESSAGES/seqp2p.mo" for lang in LANGUAGES[1:]),
    "ui/picture.css",
    *(f"ui/rules_text/{variant}.{lang}.txt" for variant in VARIANTS for lang in LANGUAGES),
    *(f"ui/viewer/viewer.{kind}" for kind in ("css", "html", "js")),
}
"""The files in the package that are no modules."""
INSTALLED = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
SOURCES = {"benchmarks", "docs", "protocol", "replays", "seqp2p", "tests", "tools"}
FILES = {
    *("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md"),
    *(".gitignore", "Makefile", "PKG-INFO", "pyproject.toml"),
}

pytestmark = pytest.mark.process


def build(target: str, folder: Path) -> Path:
    """Build the package as installers do, without an environment of its own."""
    code = f"from hatchling.build import build_{target}; print(build_{target}({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return folder / done.stdout.splitlines()[-1]


def test_the_wheel(tmp_path: Path) -> None:
    wheel = build("wheel", tmp_path)
    first = wheel.read_bytes()
    assert build("wheel", tmp_path).read_bytes() == first
    opened = zipfile.ZipFile(wheel)
    names = opened.namelist()
    package = {name.removeprefix("seqp2p/") for name in names if name.startswith("seqp2p/")}
    assert {name for name in package if not name.endswith(".py")} == DATA
    modules = {path.relative_to(ROOT / "seqp2p").as_posix() for path in (ROOT / "seqp2p").rglob("*.py")}
    assert package - DATA == modules
    others = {name.partition("/")[2] for name in names if not name.startswith("seqp2p/")}
    pages = {f"data/share/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs" / "man").glob("man?/*")}
    assert others - pages == INSTALLED
    assert others - INSTALLED == pages
    page = opened.read(next(name for name in names if name.endswith("/METADATA"))).decode().partition("\n\n")[2]
    assert "```sh\npipx install seqp2p\nseqp2p play" in page
    assert "](" not in page


def test_the_archive_of_sources(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "docs/generate_reference.py"], cwd=ROOT, check=True)
    archive = build("sdist", tmp_path)
    with tarfile.open(archive) as opened:
        paths = [PurePosixPath(*PurePosixPath(name).parts[1:]) for name in opened.getnames()]
    assert {path.parts[0] for path in paths} == SOURCES | FILES
    assert not [path for path in paths if "__pycache__" in path.parts or path.suffix in {".pyc", ".whl"}]
    assert PurePosixPath("seqp2p/ui/locale/others.txt") in paths
    assert PurePosixPath("docs/reference.md") in paths


def test_the_workflow_runs_the_quick_tests() -> None:
    workflow = ROOT / ".github" / "workflows" / "tests.yml"
    if not workflow.exists():
        pytest.skip("the archive of sources has no workflow")
    found = dict(re.findall(r"^  (QUICK|PORTABLE): (.*)$", workflow.read_text("utf-8"), re.MULTILINE))
    assert f"QUICK  := {found['QUICK']}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert all((ROOT / folder).is_dir() for folder in found["PORTABLE"].split())
