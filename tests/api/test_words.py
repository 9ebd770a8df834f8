"""Errors of the library speak its words, not those of the command line."""

import ast
import re
from pathlib import Path

import pytest

import seqp2p

ROOT = Path(seqp2p.__file__).parent
LIBRARY = sorted(
    file
    for file in ROOT.rglob("*.py")
    if file.relative_to(ROOT).parts[0] not in {"cli", "ui", "testing", "__main__.py"}
)
COMMAND_LINE = re.compile(r"(?<![\w-])--[a-z]|seqp2p (host|join|watch|resume|verify|play|id|config)\b")


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_error_has_an_option_or_a_command(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message"
        ):
            texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            assert not [text for text in texts if isinstance(text, str) and COMMAND_LINE.search(text)]
