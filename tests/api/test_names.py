"""What ``import seqp2p`` promises: its names, and that it costs nothing."""

import inspect
import subprocess
import sys

import pytest

import seqp2p
from tests.each import for_each

PUBLIC: list[str] = seqp2p.__all__  # type: ignore[attr-defined]  # made when it is asked for


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


@for_each(PUBLIC)
def test_what_has_a_name_says_what_it_is(name: str) -> None:
    value = getattr(seqp2p, name)
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
