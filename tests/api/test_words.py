"""Errors of the library speak its words, not those of the command line."""

import ast
import re
from pathlib import Path

import seqp2p
from tests.each import for_each

ROOT = Path(seqp2p.__file__).parent
LIBRARY = {
    str(file.relative_to(ROOT)): file
    for file in sorted(ROOT.rglob("*.py"))
    if file.relative_to(ROOT).parts[0] not in {"cli", "ui", "testing.py", "__main__.py"}
}
COMMAND_LINE = re.compile(r"(?<![\w-])--[a-z]|seqp2p (host|join|watch|resume|verify|play|id|config)\b")


@for_each(LIBRARY)
def test_no_error_has_an_option_or_a_command(name: str) -> None:
    source = re.sub(r'" *\n *f?"', "", LIBRARY[name].read_text("utf-8"))  # Strings of two lines are one.
    for node in ast.walk(ast.parse(source)) if COMMAND_LINE.search(source) else ():
        if isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message"
        ):
            texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            assert not [text for text in texts if isinstance(text, str) and COMMAND_LINE.search(text)]
