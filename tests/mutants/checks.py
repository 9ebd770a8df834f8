"""The checks of a module, as places in its syntax tree, and how each is broken.

A check is one of

    if CONDITION: raise …            broken: the condition is False. Of ``A or B`` each part is a check by itself, and
                                     so is each half of ``not low < value < high``.
    if CONDITION: return …           the same, in the functions of REFUSING
    if A and B: …                    in the functions of ACCEPTING, where each of A and B is a check; broken: True
    verify_shares(…), checks.key(…)  a statement that is the call of a function so called; broken: left out
    return (equation_1, equation_2)  in the functions of GIVING, each of them; broken: left out
    return sums == 0                 in the functions of DECIDING, of ``A and B`` each part; broken: True
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "seqp2p"
MODULES = ("crypto/*.py", "match/*.py", "replay/format.py", "replay/reading.py", "replay/verify.py", "replay/resume.py")
CHECKING = re.compile(r"_?(check|verify|require|joint_key)|(game\.)?checks\.|(.*\.)?verify$")
DECIDING = frozenset({"Equation.holds", "Batch.hold", "Match.may_open"})
GIVING = frozenset({"_whole_equations", "share_equations", "shuffle_equations"})
ACCEPTING = frozenset({"Decree.certificate", "Decree.vote", "Match.weigh", "_read_evidence"})
REFUSING = frozenset(
    {
        *("Intake._open", "Intake._take_remark", "Intake._take_secret", "Intake._weigh", "RemarkLog.add"),
        *("Match.judge", "Match._counts", "Match._take_ballot", "Match._take_head", "Match.take_word"),
        *("_conclude", "_torn", "forfeit", "text_fault", "why_not_callable"),
    }
)


@dataclass(frozen=True)
class Check:
    """A check of a module; ``name`` is unique in it, and ``edit`` breaks it in the tree that it was found in."""

    name: str
    edit: Callable[[], object]


@dataclass(frozen=True)
class Mutant:
    """A module (its path in the package) and which check of it is broken, counted from 0."""

    module: str
    check: str
    index: int

    @property
    def name(self) -> str:
        """What it is called in tables, the same as long as the check stays as it is."""
        return f"{self.module} {self.check}"

    def broken(self, source: str) -> str:
        """The source of the module with this check broken."""
        tree = ast.parse(source)
        checks(tree)[self.index].edit()
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def mutants() -> list[Mutant]:
    """All of them, in the order of modules and lines."""
    paths = [path for pattern in MODULES for path in sorted(PACKAGE.glob(pattern))]
    return [mutant for path in paths for mutant in mutants_of(str(path.relative_to(PACKAGE)), path.read_text("utf-8"))]


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """The mutants of a module with this source."""
    for index, check in enumerate(checks(ast.parse(source))):
        yield Mutant(module, check.name, index)


def checks(tree: ast.Module) -> list[Check]:
    """The checks in a module, in the order of its lines; those of one function that read alike are numbered."""
    seen = Counter[str]()
    found: list[Check] = []
    for check in _in(tree, ""):
        seen[check.name] += 1
        number = f" #{seen[check.name]}" if seen[check.name] > 1 else ""
        found.append(Check(check.name + number, check.edit))
    return found


def _in(node: ast.AST, where: str) -> Iterator[Check]:
    for child in ast.iter_child_nodes(node):
        inside = where
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            inside = f"{where}.{child.name}".lstrip(".")
        elif isinstance(child, ast.If) and _accepts(child, where):
            yield from _of_condition(child, where, broken=True)
        elif isinstance(child, ast.If) and _refuses(child, where):
            yield from _of_condition(child, where, broken=False)
        elif (
            isinstance(child, ast.Expr)
            and isinstance(child.value, ast.Call)
            and CHECKING.match(ast.unparse(child.value.func))
        ):
            yield Check(f"{where}: {ast.unparse(child)}", partial(setattr, child, "value", ast.Constant(value=None)))
        elif isinstance(child, ast.Return) and isinstance(child.value, ast.BoolOp) and where in DECIDING:
            yield from _each(child.value.values, where, broken=True)
        elif isinstance(child, ast.Return) and where in DECIDING:
            yield Check(f"{where}: {ast.unparse(child)}", partial(setattr, child, "value", ast.Constant(value=True)))
        elif isinstance(child, ast.Return) and isinstance(child.value, ast.Tuple) and where in GIVING:
            for at, part in enumerate(child.value.elts):
                yield Check(f"{where}: {ast.unparse(part)}", partial(child.value.elts.pop, at))
        yield from _in(child, inside)


def _refuses(branch: ast.If, where: str) -> bool:
    last = branch.body[-1]
    return isinstance(last, ast.Raise) or (isinstance(last, ast.Return) and where in REFUSING)


def _accepts(branch: ast.If, where: str) -> bool:
    return where in ACCEPTING and ast.unparse(branch.body[-1]) not in {"return", "return None"}


def _of_condition(branch: ast.If, where: str, *, broken: bool) -> Iterator[Check]:
    """Each part of a condition that refuses by itself, or that has to hold for something to be taken."""
    match broken, branch.test:
        case (False, ast.BoolOp(ast.Or(), parts)) | (True, ast.BoolOp(ast.And(), parts)):
            yield from _each(parts, where, broken=broken)
        case False, ast.UnaryOp(ast.Not(), ast.Compare(left, [first, second], [middle, right])) as negated:
            lower, upper = ast.Compare(left, [first], [middle]), ast.Compare(middle, [second], [right])
            yield Check(f"{where}: not {ast.unparse(lower)}", partial(setattr, negated, "operand", upper))
            yield Check(f"{where}: not {ast.unparse(upper)}", partial(setattr, negated, "operand", lower))
        case _, condition:
            constant = ast.Constant(value=broken)
            yield Check(f"{where}: {ast.unparse(condition)}", partial(setattr, branch, "test", constant))


def _each(parts: list[ast.expr], where: str, *, broken: bool) -> Iterator[Check]:
    for at, part in enumerate(parts):
        yield Check(f"{where}: {ast.unparse(part)}", partial(parts.__setitem__, at, ast.Constant(value=broken)))
