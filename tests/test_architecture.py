"""House rules that syntax trees show: the imports of each package, purity, the length of functions."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import seqp2p
from seqp2p.cli.main import COMMANDS
from tests.each import for_each

ROOT = Path(seqp2p.__file__).parent
FUNCTION_LINES_MAX = 60

# Arrows point downwards only: cli → api → live → lobby → net → match → rules, crypto. The live game asks a player
# (bots) and writes a replay; a person at typed lines is shown plain text (ui).
LOWEST = {"rules", "crypto"}
ALLOWED: dict[str, set[str]] = {
    "rules": set(),
    "crypto": set(),
    "match": LOWEST,
    "replay": {"match"} | LOWEST,
    "ui": {"match"} | LOWEST,
    "bots": {"match"} | LOWEST,
    "reviewing": {"replay", "bots", "match"} | LOWEST,
    "arena": {"workers", "bots", "match"} | LOWEST,
    "learning": {"ui"} | LOWEST,
    "net": {"match"} | LOWEST,
    "lobby": {"net", "match"} | LOWEST,
    "live": {"lobby", "net", "bots", "replay", "match"} | LOWEST,
    "api": {"reviewing", "workers", "live", "lobby", "net", "bots", "replay", "match"} | LOWEST,
    "cli": {"api", "arena", "workers", "reviewing", "ui", "live", "lobby", "net", "bots", "replay", "match"} | LOWEST,
    "testing": {"arena", "bots"},
    "__main__": {"cli"},
    # What ``import seqp2p`` gives is imported when it is asked for; nothing below may ask for it.
    "__init__": {"names"},
    # ``export`` draws with what the command draws with.
    "names": {"cli", "api", "reviewing", "live", "lobby", "net", "bots", "replay", "match"} | LOWEST,
    "arguments": set(),
    "errors": set(),
    "i18n": set(),
    "workers": set(),
    "hangup": set(),
    "interval": set(),
}
# What everybody may import: what says nothing of its own.
EVERYBODYS = {"__init__", "arguments", "errors", "hangup", "i18n", "interval"}

# The command line is a client of the library: these are for api.
RUNS_TABLES = {
    *("live.mesh", "live.game", "live.spectator"),
    *("lobby.host", "lobby.join", "lobby.table", "replay.writer"),
}

# What is pure takes time and randomness as arguments, and knows no socket and no file.
PURE = (
    *("arguments", "errors", "i18n", "interval", "rules", "crypto", "match", "bots.chance", "reviewing"),
    *(
        "replay.verify",
        "replay.reading",
        "replay.format",
        "replay.playback",
        "replay.export",
        "replay.statistics",
        "replay.decoded",
    ),
)
IMPURE = {
    *("io", "logging", "os", "pathlib", "shutil", "sys", "tempfile"),
    *("asyncio", "multiprocessing", "select", "signal", "socket", "ssl", "subprocess", "threading", "trio"),
    *("datetime", "prompt_toolkit", "random", "secrets", "time"),
}
IMPURE_CALLS = {"open", "print", "input", "eval", "exec", "breakpoint"}

# A library that could be replaced, or that must not spread, is known to these alone.
ONLY_IN: dict[str, str | tuple[str, ...]] = {
    "_btclib_libsecp256k1": "crypto.group",
    "confusable_homoglyphs": "match.names",
    "cryptography": ("crypto.identity", "net.tls"),
    "msgpack": "match.encoding",
    "spake2": "lobby.",
    "tomlkit": "api.config_file",
    "zeroconf": "lobby.mdns",
    "ifaddr": "net.interfaces",
    "trio": ("api.", "arena.conformance", "arena.programs", "live.", "lobby.", "net.", "bots.", "cli.", "ui."),
    "prompt_toolkit": "ui.",
    "asyncio": "ui.",
    "click": "cli.",
    "numpy": "learning.",
    "gymnasium": "learning.",
    "pettingzoo": "learning.",
}


def name_of(path: Path) -> str:
    """The module's name below ``seqp2p``: ``match.machine``; a package's is ``match.__init__``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imported(module: str) -> frozenset[str]:
    """Every module that this one imports, at the top or late; those of this project by the names above."""
    return frozenset(resolve(name) for name in names_in(tree(module)))


def names_in(parsed: ast.Module) -> Iterator[str]:
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "it imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def resolve(name: str) -> str:
    if package(name) != "seqp2p":
        return name
    parts = name.split(".")[1:]
    for end in range(len(parts), -1, -1):
        for module in (".".join(parts[:end]), ".".join([*parts[:end], "__init__"])):
            if module in MODULES:
                return module
    raise AssertionError(f"no module of that name: {name}")


def own(module: str) -> set[str]:
    """The modules of this project that this one imports."""
    return {name for name in imported(module) if name in MODULES}


def foreign(module: str) -> set[str]:
    """The libraries that this module imports."""
    return {package(name) for name in imported(module) if name not in MODULES}


def package(module: str) -> str:
    return module.partition(".")[0]


def closure(module: str) -> set[str]:
    """The module and all that it imports, directly or not."""
    seen, waiting = set[str](), [module]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += own(current)
    return seen


PURE_MODULES = [module for module in MODULES if module.startswith(PURE)]


def test_there_is_something_to_look_at() -> None:
    assert {"rules.engine", "crypto.group", "match.machine", "replay.verify", "__main__"} <= MODULES.keys()
    assert "match.machine" in own("replay.reading")
    assert "_btclib_libsecp256k1" in foreign("crypto.group")
    assert {"match.encoding", "crypto.group", "rules.engine"} <= closure("replay.verify")


@for_each(MODULES)
def test_arrows_point_downwards(module: str) -> None:
    allowed = ALLOWED[package(module)] | {package(module)} | EVERYBODYS
    wrong = {name for name in own(module) if package(name) not in allowed}
    assert not wrong, f"{module} must not import {sorted(wrong)}"


def test_no_package_imports_itself_by_a_detour() -> None:
    """The lists above have no circle, so that none can undo the arrows."""
    TopologicalSorter(ALLOWED).prepare()


def test_no_circle_of_imports() -> None:
    # The package notes the imports of names.py and does not do them.
    graph = {module: own(module) - {module, "names"} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' → '.join(reversed(error.args[1]))}")


@for_each(PURE_MODULES)
def test_what_is_pure_imports_nothing_impure(module: str) -> None:
    # The group blinds its context, which changes no result. A game's cards follow from the seed that it is given.
    fine = {"crypto.group": {"secrets"}, "rules.game": {"random"}}
    wrong = foreign(module) & IMPURE - fine.get(module, set())
    assert not wrong, f"{module} must not import {sorted(wrong)}"


@for_each(PURE_MODULES)
def test_what_is_pure_reads_and_prints_nothing(module: str) -> None:
    calls = {
        node.func.id
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & IMPURE_CALLS


@for_each([module for module in MODULES if module.startswith("cli.")])
def test_tables_are_run_by_the_library_alone(module: str) -> None:
    assert not own(module) & RUNS_TABLES


COMMAND_MODULES = {module.removeprefix("seqp2p.") for module, _ in COMMANDS.values()}


@for_each(set(MODULES) - {"names"})
def test_a_command_is_imported_by_nobody(module: str) -> None:
    """What two commands share stands in a module of its own. ``names`` only notes where ``export`` is."""
    assert not own(module) & COMMAND_MODULES


def test_the_verifier_is_pure_all_the_way_down() -> None:
    for module in closure("replay.verify"):
        assert module in PURE_MODULES or module.endswith("__init__"), module


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_stays_in_its_place(library: str) -> None:
    users = [module for module in MODULES if library in foreign(module)]
    strays = [module for module in users if not module.startswith(ONLY_IN[library])]
    assert not strays


def test_asyncio_is_met_in_one_file() -> None:
    assert sum("asyncio" in foreign(module) for module in MODULES) <= 1


def test_the_second_program_is_independent() -> None:
    """protocol/second is written from docs/protocol.md alone, and imports neither this program nor its tests."""
    paths = [*(ROOT.parent / "protocol" / "second").glob("*.py")]
    used = {name for path in paths for name in names_in(ast.parse(path.read_text(encoding="utf-8")))}
    assert "protocol.second.file.verify" in used
    shared = {name for name in used if package(name) in ("seqp2p", "tests", "protocol", "tools")}
    assert all(name.startswith("protocol.second.") for name in shared), shared


@for_each(MODULES)
def test_functions_fit_a_screen(module: str) -> None:
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            length = (node.end_lineno or first) - first + 1
            assert length <= FUNCTION_LINES_MAX, f"{module}.{node.name} has {length} lines"


@for_each(MODULES)
def test_no_error_is_caught_blindly(module: str) -> None:
    """No bare except, and no `except Exception`, but where it is raised again, or ends one bot of many."""
    functions = [node for node in ast.walk(tree(module)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    of_bots = [node for node in functions if module == "cli.bot_process" and node.name in {"_play", "choose"}]
    exempt = {handler for function in of_bots for handler in ast.walk(function)}
    for node in ast.walk(tree(module)):
        if not isinstance(node, ast.ExceptHandler) or node in exempt:
            continue
        names = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else {"all"}
        if names & {"all", "Exception", "BaseException"}:
            assert isinstance(node.body[-1], ast.Raise), f"{module}:{node.lineno} catches everything"


def test_the_process_that_asks_a_router_does_without_trio() -> None:
    """It ends after seconds, and a third of its memory would be trio's."""
    assert "trio" not in {library for module in closure("net.igd") for library in foreign(module)}
