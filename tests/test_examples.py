"""Every example type-checks under ``mypy --strict``: in the pages, in docs/examples, and in docstrings."""

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
HEAD = "from {module} import *\n\n\ndef example() -> None:\n"


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every program in the pages and in docs/examples."""
    for page in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))):
        for number, text in enumerate(PROGRAM.findall(page.read_text("utf-8"))):
            yield f"{page.stem}_{number}.py", text
    for file in sorted(ROOT.glob("docs/examples/*.py")):
        yield f"example_{file.name}", file.read_text("utf-8")


def examples() -> Iterator[tuple[str, str]]:
    """Yield the examples of each docstring of seqp2p as the body of a function."""
    parser = doctest.DocTestParser()
    for file in sorted(ROOT.glob("seqp2p/**/*.py")):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found = parser.get_examples(ast.get_docstring(node) or "")
                lines = [line for each in found if each.exc_msg is None for line in each.source.splitlines()]
                name = getattr(node, "name", "module")
                if lines and name[0] != "_":
                    yield (
                        f"{module}.{name}".replace(".", "_") + ".py",
                        HEAD.format(module=module) + "".join(f"    {line}\n" for line in lines),
                    )


@pytest.mark.process
def test_every_example_type_checks(tmp_path: Path) -> None:
    # With the cache of `make mypy`: it takes seconds and not half a minute.
    files = dict((*programs(), *examples()))
    assert len(files) > 40
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    command: list[str | Path] = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml"]
    paths = [tmp_path / name for name in files]
    done = subprocess.run([*command, *paths], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout
