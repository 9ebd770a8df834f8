"""The manual pages: as the commands are now, and nothing but text to a pager."""

import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from runpy import run_path

import pytest

from seqp2p.cli.main import COMMANDS
from tests.cli import documented
from tests.cli.conftest import Cli

MAN = Path(__file__).parents[2] / "docs" / "man"
pytest.importorskip("click_man", reason="click-man writes the pages, and belongs to the dev extra")
for module, _ in COMMANDS.values():
    import_module(module)  # Click translates the name of a folder at import, which may be in a test that speaks French.


def test_they_say_what_the_commands_say(tmp_path: Path) -> None:
    run_path(str(MAN.parent / "generate_man.py"))["generate"](tmp_path)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.glob("*/*")}
    kept = {path.name: path.read_text("utf-8") for path in MAN.glob("*/*")}
    assert made.keys() == {"seqp2p.1", *(f"seqp2p-{name}.1" for name in COMMANDS), "seqp2p-bots.7"}
    assert made == kept, "make man writes them again"


@pytest.mark.parametrize("page", sorted(MAN.glob("man1/*")), ids=lambda path: path.stem)
def test_a_page_is_whole(page: Path) -> None:
    text = page.read_text("utf-8")
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f".SH {section}\n" in text
    # Every line that begins like a macro is one.
    macros = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
    assert macros <= {".TH", ".SH", ".B", ".PP", ".TP"}


@pytest.mark.process
def test_groff_finds_nothing_wrong() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    for page in MAN.glob("*/*"):
        line = ["groff", "-man", "-Tutf8", "-ww", "-z", str(page)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        assert done.stderr == ""


def test_exit_codes_are_said_in_three_places_alike(cli: Cli) -> None:
    _, out, _ = cli("--help")
    table = out.split("Exit codes:")[1]
    rows = re.findall(r"^  (\d)  (.*(?:\n {5}.*)*)", table, re.MULTILINE)
    said = {int(code): " ".join(text.split()) for code, text in rows}
    plain = {code: text.replace("`", "") for code, text in documented.exit_codes().items()}
    assert said == plain
    page = (MAN / "man1" / "seqp2p.1").read_text("utf-8")
    for code, text in plain.items():
        assert f".TP\n{code}\n{text}\n" in page
