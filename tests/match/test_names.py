"""Names that a player may take for each other, and what it costs to know."""

import json
import tracemalloc
import unicodedata
from itertools import product
from pkgutil import get_data

import pytest

from seqp2p.match import names
from seqp2p.match.names import is_numbered, look_alike
from seqp2p.match.table import name_fault

ALIKE = {
    "alice": ["ALlCE", "AIice", "aLlCe"],
    "oscar": ["0SCAR"],
    "walter": ["vvaIter"],
    "Wanda": ["VVanda", "vVANDA", "VvaNdA"],
    "dora": ["clora"],
    "Dora": ["cIora"],
    "d\u017ea": ["\u02a3\u030ca"],
    # Marks that compose with nothing, of this script and of others.
    "bob": ["bob\u0334", "b\u0301ob", "bo\u20ddb", "bob\u0e48"],
    "jos\u00e9": ["jose\u0301\u0334"],
    "o\u0338": ["\u00f8", "o"],
    "H\u0331ans": ["h\u0331ANS"],
    # At the end, and where nothing shows.
    "ann": ["ann.", "ann,", "ann\u00b7", "ann\u2022", "ann\u0660", "\u0430nn,", "ann\U0001d159", "an\U00016fe4n"],
    "Ann": ["ann ...", "\U0001d159 ann"],
    "\U00018b00": ["\U00018b00\U00016fe4"],
}
APART = {
    "jose": ["jos\u00e9"],
    "jorgen": ["j\u00f8rgen"],
    "max": ["ma\u1e8d"],
    # The vowels of a script that writes them as marks.
    "\u092e\u0947\u0930\u093e": ["\u092e\u0930\u093e"],
    "\u0e01\u0e38": ["\u0e01\u0e34"],
    "a.b": ["ab"],
    "tim": ["tlm"],
    "bill": ["bili"],
    "ann": [".ann", "anna"],
}


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, others in ALIKE.items() for other in others])
def test_these_names_are_alike(one: str, other: str) -> None:
    assert name_fault(one) is None
    assert name_fault(other) is None
    assert look_alike(one, other)
    assert look_alike(other, one)


@pytest.mark.parametrize(("one", "other"), [(one, other) for one, others in APART.items() for other in others])
def test_these_are_not(one: str, other: str) -> None:
    assert not look_alike(one, other)


def test_every_pair_of_unicode_is_alike() -> None:
    rows = json.loads(get_data("confusable_homoglyphs", "confusables.json") or b"")
    pairs = [(text, glyph["c"]) for text, glyphs in rows.items() for glyph in glyphs]
    apart = [pair for one, other in pairs if (pair := _as_names(one, other)) and not look_alike(*pair)]
    assert len(pairs) > 10_000
    assert apart == []


def _as_names(*texts: str) -> list[str]:
    """Return these texts inside names; nothing where one may not be, or is another one to Unicode."""
    cleaned = [text.replace("\u200e", "") for text in texts]
    found = [f"x{text}x" for text in cleaned]
    return [] if any(name_fault(name) or not unicodedata.is_normalized("NFKD", name) for name in found) else found


def test_a_number_of_the_lobby_stands_behind_a_name_that_looks_like_another() -> None:
    for name, other in product(("ann. 2", "Ann 12", "\u0430nn 3"), ("ann", "ann,")):
        assert is_numbered(name, [other])
    assert is_numbered("x" * 21 + " 2", ["x" * 24])
    for name in ("ann 1", "ann 13", "ann l2", "ann2", "bob 2"):
        assert not is_numbered(name, ["ann"])


def test_names_of_ascii_need_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> dict[str, str]:
        raise AssertionError

    monkeypatch.setattr(names, "_shown", fail)
    assert look_alike("Modern Wilma", "rnodern vvilma.")
    with pytest.raises(AssertionError):
        look_alike("Modern Wilma", "Wilm\u0430")


def test_the_table_is_small() -> None:
    tracemalloc.start()
    try:
        table = names._shown.__wrapped__()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(table) > 2_000
    assert kept < 700_000
