"""The reference of the library, read off its source: every public name with its fields, arguments, errors and examples.

``make reference`` writes it to docs/reference.md, which is in the archive of sources, too, and not in git.
"""

import ast
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

import seqp2p
from seqp2p import arena, learning, names, rules, testing

PAGE: Final = Path(__file__).with_name("reference.md")
HEAD: Final = """\
# Reference of the library

Every name of `import seqp2p`, of `seqp2p.rules`, `seqp2p.arena`, `seqp2p.testing` and `seqp2p.learning`, with fields,
arguments, units and errors. [Scripting](scripting.md#as-a-library) has
programs that use them, and [promises](promises.md) says how they change. All events, reports, positions and views are
frozen.

- A seat is an `int` from 1, a team an `int` from 1; 0 is no seat and no team. Seat *s* of *n* teams is in team (*s* −
  1) mod *n* + 1.
- A card is an `int`, an index of `variant.faces`; `UNKNOWN` (-1) is a hidden one. A hand is a sorted tuple with one
  entry for each card, also for equal ones.
- A square is an `int`, its index in the board row by row from a1; `format_square` writes it. A `SquareSet` is an
  `int` with bit *s* set for each of its squares *s*.
- A type without an entry is in the [last table](#short-names-of-types), and in `seqp2p.rules`.
- A `Message` is a `str` that can be translated.
- Times are in seconds, and the name of such an argument or field ends in `_s`.
- Keys, and the ids of games, are 64 hexadecimal digits in reports and in the properties of seats, and 32 bytes
  elsewhere.
"""
PUBLIC: Final[Mapping[str, Any]] = {
    name: value for name, value in vars(names).items() if name.isidentifier() and name[0] != "_"
}
PLACES: Final = {
    alias.name: node.module or ""
    for node in ast.parse(inspect.getsource(names)).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
# Sections, by the longest beginning of a module. Errors have one of their own.
REQUESTS: Final = [
    f"lobby.events.{name}"
    for name in ("LobbyRequest", "MovePlayer", "RemovePlayer", "SayLine", "SeatChoice", "StartGame", "UseRelay")
]
SECTIONS: Final = {
    "The game": ("rules",),
    "Tables and seats": ("api", "bots", "crypto", "match.table", "net.messages", "net.addresses", *REQUESTS),
    "Events": (
        "lobby.events",
        "live",
        "match",
        "api.host.Hidden",
        "api.host.OpenTableEvent",
        "api.seat.SeatEvent",
        "api.port_mapping",
    ),
    "Replays": ("api.replays", "api.games", "reviewing", "cli", "replay"),
    "Errors": ("api.error_codes", "net.errors", "lobby.events.DECLINED"),
}
# The names of other stable modules.
OTHERS: Final[Mapping[str, Mapping[str, Any]]] = {
    module.__name__: {
        name: value
        for name, value in ((name, getattr(module, name)) for name in getattr(module, "__all__", vars(module)))
        if name not in PUBLIC and name[0] != "_" and not inspect.ismodule(value)
    }
    for module in (rules, arena, testing, learning)
}
# Bases whose members every class of their kind has.
UNTOLD: Final = {"Record"}
SOURCES: Final = [
    file
    for file in Path(seqp2p.__file__).parent.rglob("*.py")
    if file.parent.name not in {"cli", "ui"} or file.name == "export.py"
]
WORD: Final = re.compile(r"(?<![.\w'\"])[A-Z]\w+")
SHORT: Final = 100
"""Of so many characters, the value of a constant is shown."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def entries() -> Iterator[str]:
    """Yield the entries of all names, by sections."""
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for name in sorted(PUBLIC, key=str.lower):
        sections[section_of(name)].append(name)
    for section, public in sections.items():
        yield f"\n## {section}\n"
        for name in public:
            yield from entry(name, PUBLIC[name])
    for module, others in OTHERS.items():
        yield f"\n## `{module}`\n"
        for name in sorted(others, key=str.lower):
            if getattr(others[name], "__module__", "seqp2p").startswith("seqp2p"):  # Not a short name of a type.
                yield from entry(name, others[name])


def section_of(name: str) -> str:
    """Return the section of a public name."""
    value = PUBLIC[name]
    if inspect.isclass(value) and issubclass(value, Exception):
        return "Errors"
    place = f"{PLACES[name]}.{name}".removeprefix("seqp2p.")
    return max(
        (len(start), section) for section, starts in SECTIONS.items() for start in starts if place.startswith(start)
    )[1]


def entry(name: str, value: Any) -> Iterator[str]:
    """Yield the entry of a name."""
    value = inspect.unwrap(value)
    if inspect.isclass(value):
        bases = [base.__name__ for base in value.__bases__ if issubclass(base, Exception)]
        yield f"### `{name}`\n"
        kind = f"A kind of `{bases[0]}`. " if bases else ""
        yield from prose(kind + inspect.cleandoc(value.__doc__ or ""))
        yield from class_members(value)
    elif inspect.isfunction(value):
        node = definition(value)
        assert isinstance(node, Function)
        yield f"### `{name}`\n"
        yield from code(signature(with_arguments(node, value)))
        yield from prose(ast.get_docstring(node) or "")
    else:
        yield f"### `{name}`\n"
        if name in aliases():
            kind, meaning = aliases()[name]
            yield from code(inlined(kind))
            yield from prose(meaning)
        else:
            yield from constant(name, value)


def constant(name: str, value: Any) -> Iterator[str]:
    """Yield the value of a constant, if it is short; a table of what is told by its keys."""
    told_by_key = isinstance(value, Mapping) and all(isinstance(each, str | tuple) for each in value.values())
    shown = f", `{value!r}`" if len(repr(value)) <= SHORT else ""
    if isinstance(value, Mapping):
        shown = "" if told_by_key else f": {', '.join(f'`{key}`' for key in value)}"
    yield f"A constant of type `{type(value).__name__}`{shown}. {constants().get(name, '')}".rstrip() + "\n"
    if told_by_key:
        yield from (
            "| key | value |",
            "| --- | --- |",
            *(
                f"| `{key}` | {flat(each if isinstance(each, str) else ' '.join(each))} |"
                for key, each in value.items()
            ),
            "",
        )


def class_members(value: type) -> Iterator[str]:
    """Yield the table of the fields and properties of a class, then its methods."""
    body = [
        each
        for base in ([value] if issubclass(value, Exception) else reversed(value.__mro__))  # errors say their kind
        if base.__module__.startswith("seqp2p.") and base.__name__ not in UNTOLD
        for each in itertools.pairwise((*definition(base).body, ast.Pass()))
    ]
    rows: dict[str, str] = {}
    methods: dict[str, Function] = {}
    for node, after in body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=field), annotation=kind) if field[0] != "_" and not is_internal(
                told(after)
            ):
                is_plain = node.value and not isinstance(node.value, ast.Call | ast.Lambda)
                usual = f" = {ast.unparse(node.value)}" if is_plain else ""
                rows[field] = f"| `{field}` | {cell_code(inlined(ast.unparse(kind)) + usual)} | {told(after)} |"
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name[0] != "_":
                doc = ast.get_docstring(node) or ""
                if is_internal(doc):
                    continue
                if "property" in [ast.unparse(each) for each in node.decorator_list]:
                    returned = inlined(ast.unparse(node.returns)) if node.returns else ""
                    rows[node.name] = f"| `{node.name}` | {cell_code(returned)} | {flat(doc)} |"
                elif doc:
                    methods[node.name] = node
            case _:
                pass
    if rows:
        yield from ("| field | type | meaning |", "| --- | --- | --- |", *rows.values(), "")
    for node in methods.values():
        yield from code(signature(node))
        yield from prose(ast.get_docstring(node) or "")


@cache
def body_of(module: ModuleType) -> list[ast.stmt]:
    return ast.parse(inspect.getsource(module)).body


@cache
def definition(value: Any) -> ast.ClassDef | Function:
    """Return the syntax tree of a class or a function."""
    return next(
        node
        for node in body_of(sys.modules[value.__module__])
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == value.__name__
    )


def with_arguments(node: Function, value: Any) -> Function:
    """Return a function with the arguments of another that ``arguments_of`` gives it."""
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(ast.Name("arguments_of"), [ast.Name(name)]):
                model = definition(inspect.unwrap(value.__globals__[name]))
                if isinstance(model, ast.ClassDef):
                    model = next(each for each in model.body if isinstance(each, Function) and each.name == "__init__")
                node = copy(node)
                node.args = model.args
            case _:
                pass
    return node


def signature(node: Function) -> str:
    """Return the call of a function or method, with its types; a context manager as it is used."""
    decorators = {ast.unparse(each) for each in node.decorator_list}
    arguments = re.sub(r"^(self|cls)(, )?", "", inlined(ast.unparse(node.args)))
    returns = inlined(ast.unparse(node.returns)) if node.returns else "None"
    if "contextlib.asynccontextmanager" in decorators:
        return f"async with {node.name}({arguments}) as {returns.removeprefix('AsyncGenerator[').removesuffix(']')}"
    awaited = isinstance(node, ast.AsyncFunctionDef) and not returns.startswith("AsyncGenerator")
    return f"{'await ' if awaited else ''}{node.name}({arguments}) -> {returns}"


def code(text: str) -> Iterator[str]:
    """Yield a block of code, one argument a line where it is long."""
    if len(text) > 100:
        head, _, rest = text.partition("(")
        arguments, _, end = rest.rpartition(")")
        text = f"{head}(\n    " + ",\n    ".join(split(arguments)) + f",\n){end}"
    yield from ("```text", text, "```", "")


def split(arguments: str) -> list[str]:
    """Split arguments at their commas, but not inside brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def is_internal(doc: str) -> bool:
    return "for this package" in doc.lower()


def told(after: ast.AST) -> str:
    """Return the docstring of a field, if the next statement is one."""
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return flat(after.value.value)
    return ""


def flat(doc: str) -> str:
    """Return a docstring as the text of a cell."""
    return " ".join(doc.replace("``", "`").replace("|", "\\|").split())


def cell_code(kind: str) -> str:
    return f"`{kind}`".replace("|", "\\|")


@cache
def constants() -> dict[str, str]:
    """Return the docstrings of constants, by name."""
    found: dict[str, str] = {}
    for file in SOURCES:
        for node, after in itertools.pairwise((*ast.parse(file.read_text("utf-8")).body, ast.Pass())):
            match node:
                case ast.AnnAssign(ast.Name(name)) | ast.Assign([ast.Name(name)]) if told(after):
                    found[name] = told(after)
                case _:
                    pass
    return found


@cache
def aliases() -> dict[str, tuple[str, str]]:
    """Return the short names of types, and what they are and mean. Modules with public names come first."""
    known: dict[str, tuple[str, str]] = {}
    places = {Path(sys.modules[place].__file__ or "") for place in PLACES.values()}
    for file in sorted(SOURCES, key=lambda file: (file.parent.name != "rules", file not in places, file)):
        for node, after in itertools.pairwise((*ast.parse(file.read_text("utf-8")).body, ast.Pass())):
            match node:
                case ast.AnnAssign(ast.Name(name), ast.Name("TypeAlias"), ast.expr() as kind):
                    if name not in PUBLIC or file == Path(sys.modules[PLACES[name]].__file__ or ""):
                        known.setdefault(name, (ast.unparse(kind), told(after)))
                case _:
                    pass
    return known


def inlined(kind: str) -> str:
    """Return a type with every short name that nobody can import replaced by what it is."""

    def meant(found: re.Match[str]) -> str:
        name = found[0]
        can_be_imported = name in PUBLIC or any(hasattr(sys.modules[module], name) for module in OTHERS)
        return name if can_be_imported or name not in aliases() else inlined(aliases()[name][0])

    return WORD.sub(meant, kind)


def types_in(lines: Iterable[str]) -> set[str]:
    """Return the words in signatures and in the types of fields."""
    text = "\n".join(lines)
    kinds = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    kinds += re.findall(r"^\| `\w+` \| `(.*?)` \|", text, re.MULTILINE)
    return {word for kind in kinds for word in WORD.findall(re.sub(r"'[^']*'", "", kind))}


def short_names() -> Iterator[str]:
    """Yield the table of the short names of types that the entries use, and that have no entry."""
    used: set[str] = set()
    waiting = types_in(entries())
    while waiting:
        name = waiting.pop()
        if name in aliases() and name not in PUBLIC and name not in used:
            used.add(name)
            waiting.update(WORD.findall(inlined(aliases()[name][0])))
    yield from ("| type | is | meaning |", "| --- | --- | --- |")
    for name in sorted(used, key=str.lower):
        kind, meaning = aliases()[name]
        yield f"| `{name}` | {cell_code(inlined(kind))} | {meaning} |"


def prose(doc: str) -> Iterator[str]:
    """Yield a docstring as Markdown: its examples as code."""
    for part in doc.split("\n\n"):
        lines = part.splitlines()
        start = next((at for at, line in enumerate(lines) if line.lstrip().startswith(">>>")), len(lines))
        if start and part.startswith("    "):
            yield from ("```text", textwrap.dedent(part), "```", "")
        elif start:
            yield " ".join(line.strip() for line in lines[:start]).replace("``", "`") + "\n"
        if lines[start:]:
            yield from ("```pycon", *lines[start:], "```", "")


if __name__ == "__main__":
    reference = *entries(), "\n## Short names of types\n", *short_names()
    PAGE.write_text(HEAD + "\n".join(reference) + "\n", "utf-8")
