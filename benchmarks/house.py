"""Measure the layout and the prose of two trees side by side: ``python benchmarks/house.py BEFORE AFTER``.

BEFORE and AFTER are checkouts of this repository; one tree alone is measured by itself. ``--before-diffs`` and
``--after-diffs`` take diffs of scratch branches, one for each change that is tried on a tree (``option.diff``,
``action.diff`` …), and add the number of files of the package that each of them touches, catalogues apart. ``--list``
names the places that count.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PACKAGE: Final = "seqp2p"
OLD_STYLE: Final = re.compile(
    r"\b(whoever|somebody|nobody|everybody|whatever|anew|beside|behind|lest)\b"
    r"|\bwhat (is|was|has)\b|\bthat is\b|\bwho is\b",
    re.IGNORECASE,
)
QUESTION: Final = re.compile(r"(What|Who|Whoever|Whether|Where|How|Why)\b")
TOUCHED: Final = re.compile(r"^diff --git a/(\S+) b/\S+$", re.MULTILINE)
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Tree:
    """The figures of one checkout."""

    lines: Counter[str] = field(default_factory=Counter[str])
    code: Counter[str] = field(default_factory=Counter[str])
    modules: Counter[str] = field(default_factory=Counter[str])
    classes: Counter[str] = field(default_factory=Counter[str])
    longest_function: int = 0
    docstrings: int = 0
    questions: list[str] = field(default_factory=list[str])
    words: int = 0
    old: list[str] = field(default_factory=list[str])
    page_words: int = 0
    page_old: int = 0

    @property
    def repeated(self) -> dict[str, int]:
        """The class names that stand for more than one class."""
        return {name: count for name, count in sorted(self.classes.items()) if count > 1}


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str, ast.Expr]]:
    """Yield each docstring with its line and its statement."""
    for node in ast.walk(tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            statement = node.body[0]
            assert isinstance(statement, ast.Expr)
            yield statement.lineno, text, statement


def code_lines(text: str, tree: ast.Module) -> int:
    """Return the number of lines that are not blank, a comment or part of a docstring."""
    documented: set[int] = set()
    for _, _, statement in docstrings(tree):
        documented.update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in documented
        for number, line in enumerate(text.splitlines(), start=1)
    )


def measure(root: Path) -> Tree:
    """Measure the modules of a checkout and its pages."""
    found = Tree()
    for path in sorted((root / PACKAGE).rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        inside = path.relative_to(root / PACKAGE)
        package = inside.parts[0] if len(inside.parts) > 1 else "(top)"
        found.modules[package] += 1
        found.lines[package] += text.count("\n")
        found.code[package] += code_lines(text, tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.classes[node.name] += 1
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.longest_function = max(found.longest_function, (node.end_lineno or 0) - node.lineno + 1)
        for line, docstring, _ in docstrings(tree):
            found.docstrings += 1
            found.words += len(docstring.split())
            if QUESTION.match(docstring):
                found.questions.append(f"{inside}:{line} {docstring.split()[0]}")
            found.old += [f"{inside}:{line} {word[0]}" for word in OLD_STYLE.finditer(docstring)]
    for page in (*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("protocol/*.md")):
        text = page.read_text("utf-8")
        found.page_words += len(text.split())
        found.page_old += len(OLD_STYLE.findall(text))
    return found


def touched(diffs: Iterable[Path]) -> dict[str, int]:
    """Return the number of files of the package that each diff touches, without the catalogues, by the diff's name."""
    files = {diff.stem: set(TOUCHED.findall(diff.read_text("utf-8"))) for diff in diffs}
    return {
        name: sum(path.startswith(f"{PACKAGE}/") and "/locale/" not in path for path in paths)
        for name, paths in files.items()
    }


def per_thousand(part: int, whole: int) -> str:
    return f"{1000 * part / whole:.1f}" if whole else "–"


def rows(tree: Tree) -> dict[str, str]:
    """Return every figure of a tree under its title, the packages first."""
    shown: dict[str, str] = {}
    for package in sorted(tree.modules):
        counts = tree.lines[package], tree.code[package], tree.modules[package]
        shown[f"{package}: lines, code, modules"] = "  ".join(f"{count:>6,}" for count in counts)
    totals = tree.lines.total(), tree.code.total(), tree.modules.total()
    shown["all: lines, code, modules"] = "  ".join(f"{count:>6,}" for count in totals)
    shown["class names used twice or more"] = str(len(tree.repeated))
    shown["lines of the longest function"] = str(tree.longest_function)
    share = 100 * len(tree.questions) / tree.docstrings if tree.docstrings else 0
    shown["docstrings that begin with What, Who, How …"] = (
        f"{len(tree.questions)} of {tree.docstrings:,} ({share:.1f} %)"
    )
    shown["old-style words per 1,000 of docstrings"] = per_thousand(len(tree.old), tree.words)
    shown["old-style words per 1,000 of pages"] = per_thousand(tree.page_old, tree.page_words)
    return shown


def side_by_side(columns: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield one line for each title that any column has, in the order of the columns."""
    titles = list(dict.fromkeys(title for column in columns for title in column))
    titles.sort(key=lambda title: ": lines" not in title or title.startswith("all"))
    for title in titles:
        yield f"{title:<46}" + "".join(f"{column.get(title, '–'):>28}" for column in columns)


def places(tree: Tree) -> Iterator[str]:
    """Yield each class name, docstring and word that the figures of a tree count."""
    yield from (f"class {name}: {count} times" for name, count in tree.repeated.items())
    yield from tree.questions
    yield from tree.old


def main() -> None:
    """Measure the trees and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+", help="checkouts, the older one first")
    parser.add_argument("--before-diffs", type=Path, nargs="*", default=[], help="diffs of changes to the first tree")
    parser.add_argument("--after-diffs", type=Path, nargs="*", default=[], help="diffs of changes to the last tree")
    parser.add_argument("--list", action="store_true", help="name every place that counts against the last tree")
    wanted = parser.parse_args()
    for root in wanted.trees:
        if not (root / PACKAGE).is_dir():
            parser.error(f"{root} is no checkout: it has no folder {PACKAGE}")
    trees = [measure(root) for root in wanted.trees]
    columns = [rows(tree) for tree in trees]
    for column, diffs in ((columns[0], wanted.before_diffs), (columns[-1], wanted.after_diffs)):
        column.update({f"files that {name} touches": str(count) for name, count in touched(diffs).items()})
    print("\n".join(side_by_side(columns)))
    if wanted.list:
        print("\n".join(places(trees[-1])), file=sys.stderr)


if __name__ == "__main__":
    main()
