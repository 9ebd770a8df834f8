"""Measure the layout and the prose of two trees side by side: ``python benchmarks/house.py BEFORE AFTER``.

BEFORE and AFTER are checkouts of this repository; one tree alone is measured by itself. ``--list`` names the places
that count.
"""

import argparse
import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PACKAGE: Final = "seqp2p"
FOLDERS: Final = (PACKAGE, "tests", "protocol", "tools", "benchmarks", "docs")
"""Where Python stands. Each package of seqp2p is measured by itself."""
PARAMETERS_MAX: Final = 7
FUNCTION_LINES_MAX: Final = 60
COUNTS: Final = ": lines, code, modules, classes"
OLD_STYLE: Final = re.compile(
    r"\b(whoever|somebody|nobody|everybody|whatever|anew|beside|behind|lest)\b"
    r"|\bwhat (is|was|has)\b|\bthat is\b|\bwho is\b",
    re.IGNORECASE,
)
QUESTION: Final = re.compile(r"(What|Who|Whoever|Whether|Where|How|Why)\b")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Tree:
    """The figures of one checkout."""

    rooms: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter[str]))
    """By package or folder: its lines, code, modules and classes."""
    class_names: Counter[str] = field(default_factory=Counter[str])
    wide: list[str] = field(default_factory=list[str])
    long: list[str] = field(default_factory=list[str])
    docstrings: int = 0
    questions: list[str] = field(default_factory=list[str])
    old: list[str] = field(default_factory=list[str])
    words: Counter[str] = field(default_factory=Counter[str])
    old_words: Counter[str] = field(default_factory=Counter[str])
    """By the kind of text, as ``words``: the words in the old style."""

    @property
    def repeated(self) -> dict[str, int]:
        """The class names that stand for more than one class."""
        return {name: count for name, count in sorted(self.class_names.items()) if count > 1}

    def read(self, kind: str, text: str) -> None:
        """Count the words of a text of this kind."""
        self.words[kind] += len(text.split())
        self.old_words[kind] += len(OLD_STYLE.findall(text))


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
    """Measure the Python of a checkout and its pages."""
    found = Tree()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            inside = path.relative_to(root)
            text = path.read_text("utf-8")
            tree = ast.parse(text)
            room = "/".join(inside.parts[:2]) if folder == PACKAGE and len(inside.parts) > 2 else folder
            classes = sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
            found.rooms[room].update(lines=text.count("\n"), code=code_lines(text, tree), modules=1, classes=classes)
            if folder == PACKAGE:
                measure_module(found, str(inside.relative_to(PACKAGE)), tree)
            elif folder == "tests":
                for _, docstring, _ in docstrings(tree):
                    found.read("tests' docstrings", docstring)
    for page in (*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("protocol/*.md")):
        found.read("pages", page.read_text("utf-8"))
    return found


def measure_module(found: Tree, name: str, tree: ast.Module) -> None:
    """Add the classes, functions and docstrings of a module of the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found.class_names[node.name] += 1
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            place, lines = f"{name}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX:
                found.long.append(f"{place}: {lines} lines")
            wanted = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            parameters = sum(each.arg not in {"self", "cls"} for each in wanted)
            if parameters > PARAMETERS_MAX:
                found.wide.append(f"{place}: {parameters} parameters")
    for line, docstring, _ in docstrings(tree):
        found.docstrings += 1
        found.read("docstrings", docstring)
        if QUESTION.match(docstring):
            found.questions.append(f"{name}:{line} {docstring.split()[0]}")
        found.old += [f"{name}:{line} {word[0]}" for word in OLD_STYLE.finditer(docstring)]


def rows(tree: Tree) -> dict[str, str]:
    """Return every figure of a tree under its title, the packages first."""
    shown: dict[str, str] = {}
    for name, rooms in {
        **{room: [room] for room in sorted(tree.rooms)},
        f"all of {PACKAGE}": [room for room in tree.rooms if room.startswith(PACKAGE)],
        "all Python": list(tree.rooms),
    }.items():
        figures = [sum(tree.rooms[room][what] for room in rooms) for what in ("lines", "code", "modules", "classes")]
        shown[f"{name}{COUNTS}"] = "".join(f"{figure:>8,}" for figure in figures)
    shown["class names used twice or more"] = str(len(tree.repeated))
    shown[f"functions with more than {PARAMETERS_MAX} parameters"] = str(len(tree.wide))
    shown[f"functions of more than {FUNCTION_LINES_MAX} lines"] = str(len(tree.long))
    share = 100 * len(tree.questions) / tree.docstrings if tree.docstrings else 0
    shown["docstrings that begin with What, Who, How …"] = (
        f"{len(tree.questions)} of {tree.docstrings:,} ({share:.1f} %)"
    )
    for kind, words in tree.words.items():
        shown[f"old-style words per 1,000 of {kind}"] = f"{1000 * tree.old_words[kind] / words:.1f}"
    return shown


def side_by_side(columns: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield one line for each title that any column has, in the order of the columns."""
    titles = list(dict.fromkeys(title for column in columns for title in column))
    titles.sort(key=lambda title: not title.endswith(COUNTS) or title.startswith("all"))
    for title in titles:
        yield f"{title:<50}" + "".join(f"{column.get(title, '–'):>34}" for column in columns)


def places(tree: Tree) -> Iterator[str]:
    """Yield each class name, function, docstring and word that the figures of a tree count."""
    yield from (f"class {name}: {count} times" for name, count in tree.repeated.items())
    yield from (*tree.wide, *tree.long)
    yield from tree.questions
    yield from tree.old


def main() -> None:
    """Measure the trees and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+", help="checkouts, the older one first")
    parser.add_argument("--list", action="store_true", help="name every place that counts against the last tree")
    wanted = parser.parse_args()
    for root in wanted.trees:
        if not (root / PACKAGE).is_dir():
            parser.error(f"{root} is no checkout: it has no folder {PACKAGE}")
    trees = [measure(root) for root in wanted.trees]
    print("\n".join(side_by_side([rows(tree) for tree in trees])))
    if wanted.list:
        print("\n".join(places(trees[-1])), file=sys.stderr)


if __name__ == "__main__":
    main()
