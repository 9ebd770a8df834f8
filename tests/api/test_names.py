"""What ``import seqp2p`` promises: its names, that it costs nothing, and words other than the command line's."""

import ast
import builtins
import collections.abc
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path
from runpy import run_path

import pytest

import seqp2p
from tests.each import for_each

PUBLIC: list[str] = seqp2p.__all__  # type: ignore[attr-defined]  # made when it is asked for
ROOT = Path(seqp2p.__file__).parent
LIBRARY = {
    str(file.relative_to(ROOT)): file
    for file in sorted(ROOT.rglob("*.py"))
    if file.relative_to(ROOT).parts[0] not in {"cli", "ui", "testing.py", "__main__.py"}
}
COMMAND_LINE = re.compile(r"(?<![\w-])--[a-z]|seqp2p (host|join|watch|resume|verify|play|id|config)\b")


def test_every_name_is_there_and_where_the_types_say() -> None:
    from seqp2p import names

    places = seqp2p._places  # type: ignore[attr-defined]  # not for others
    public = {name for name in vars(names) if name.isidentifier() and name[0] != "_"}
    assert {*places, "__version__"} == {*PUBLIC} == public | {"__version__"}
    assert sorted(PUBLIC) == PUBLIC
    for name in places:
        assert getattr(seqp2p, name) is getattr(names, name)
    assert {*PUBLIC} <= {*dir(seqp2p)}
    everything: dict[str, object] = {}
    exec("from seqp2p import *", everything)  # what is meant
    assert {*PUBLIC} <= everything.keys()


def test_every_type_of_the_reference_can_be_imported() -> None:
    pytest.importorskip("pettingzoo", reason="the reference has seqp2p.learning, too")
    made = run_path(str(ROOT.parent / "docs" / "generate_reference.py"))
    modules = (seqp2p, *map(sys.modules.__getitem__, made["OTHERS"]), builtins, typing, collections.abc)
    others = {"AECEnv", "Message", "NDArray", "Path"}
    listed = made["types_in"]([*made["entries"](), *made["short_names"]()])
    assert "LobbyEvent" in listed
    types = {name for name in listed if not name.isupper() and "_" not in name} - others
    assert [name for name in sorted(types) if not any(hasattr(module, name) for module in modules)] == []


@for_each(PUBLIC)
def test_what_has_a_name_says_what_it_is(name: str) -> None:
    value = getattr(seqp2p, name)
    assert name == "BOTS" or not isinstance(value, dict | list | set), "nobody changes what others import"
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__
    if inspect.isclass(value):
        methods = {each: member for each, member in vars(value).items() if inspect.isfunction(member)}
        assert [each for each in methods if each[0] != "_" and not inspect.getdoc(getattr(value, each))] == []


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="module 'seqp2p' has no attribute 'nonsense'"):
        seqp2p.nonsense  # type: ignore[attr-defined]  # noqa: B018  # mypy finds that out, too
    with pytest.raises(ImportError):
        from seqp2p import nonsense  # type: ignore[attr-defined]  # noqa: F401


def modules_after(program: str) -> set[str]:
    """The modules that a new Python has imported when it has run this."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {*done.stdout.split()}


@pytest.mark.process
def test_to_import_it_costs_nothing() -> None:
    assert {name for name in modules_after("import seqp2p") if name.startswith("seqp2p")} == {"seqp2p"}
    # To verify a replay takes no network, and to read a card takes no proofs.
    assert not {"trio", "zeroconf", "click", "prompt_toolkit"} & modules_after("import seqp2p; seqp2p.verify")
    assert not {"trio", "_btclib_libsecp256k1", "msgpack"} & modules_after("from seqp2p import parse_card")
    # The collector stays as the program that imports it has set it; ``export`` is what the command uses.
    assert modules_after("import gc; gc.set_threshold(9); from seqp2p import export; assert gc.get_threshold()[0] == 9")


@for_each(LIBRARY)
def test_no_error_has_an_option_or_a_command(name: str) -> None:
    source = re.sub(r'" *\n *f?"', "", LIBRARY[name].read_text("utf-8"))  # Strings of two lines are one.
    for node in ast.walk(ast.parse(source)) if COMMAND_LINE.search(source) else ():
        if isinstance(node, ast.Raise) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message"
        ):
            texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
            assert not [text for text in texts if isinstance(text, str) and COMMAND_LINE.search(text)]
