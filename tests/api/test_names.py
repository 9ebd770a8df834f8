"""What ``import seqp2p`` promises: its names, and that it costs nothing."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import seqp2p

SOURCE = Path(seqp2p.__file__).read_text("utf-8")


def imported_for_types() -> dict[str, str]:
    """Where each name comes from for who checks types."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("seqp2p."):
            found |= {alias.name: node.module for alias in node.names}
    return found


def test_every_name_is_there_and_where_the_types_say() -> None:
    places = seqp2p._PLACES
    assert places == imported_for_types()
    assert {*places, "__version__"} == {*seqp2p.__all__}
    assert len(seqp2p.__all__) == len({*seqp2p.__all__})
    for name, place in places.items():
        assert getattr(seqp2p, name) is getattr(sys.modules[place], name)
    assert {*seqp2p.__all__} <= {*dir(seqp2p)}


@pytest.mark.parametrize("name", seqp2p.__all__)
def test_what_has_a_name_says_what_it_is(name: str) -> None:
    value = getattr(seqp2p, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__
    if inspect.isclass(value):
        for each, member in inspect.getmembers(value):
            if not each.startswith("_") and value.__dict__.get(each) is member and callable(member):
                assert inspect.getdoc(member), f"{name}.{each}"


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


def test_everything_at_once() -> None:
    names: dict[str, object] = {}
    exec("from seqp2p import *", names)  # what is meant
    assert {*seqp2p.__all__} <= names.keys()
