"""The pages point to files, headings and targets that exist, and count them right."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.each import for_each
from tests.fuzz.targets import TARGETS
from tests.mutants.checks import mutants
from tests.sim import KINDS
from tests.sim.adversaries import ADVERSARIES
from tests.sim.test_bad_networks import BATCH, FEW, SEEDS

ROOT = Path(__file__).parents[1]
PAGES = {
    str(page.relative_to(ROOT)): page.read_text("utf-8")
    for page in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("protocol/*.md")))
    if page.name != "reference.md"  # made from the source, and not kept
}
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: str) -> Iterator[str]:
    """Yield the links of a page that lead nowhere in this repository."""
    for link in LINK.findall(FENCED.sub("", PAGES[page])):
        target, _, anchor = link.partition("#")
        if target.startswith(("http:", "https:")):
            continue
        path = (ROOT / page).parent / target if target else ROOT / page
        known = PAGES.get(str(path.resolve().relative_to(ROOT)))
        if not path.exists() or (anchor and known is not None and anchor not in anchors(known)):
            yield link


@for_each(PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert list(broken(page)) == []


MODULE = re.compile(r"\b((?:api|bots|cli|crypto|live|lobby|match|net|replay|rules|testing|ui)/[\w/]+\.py)\b")


@for_each(PAGES)
def test_modules_that_are_named_exist(page: str) -> None:
    named = {path.removeprefix("seqp2p/") for path in MODULE.findall(PAGES[page])}
    missing = {path for path in named if not (ROOT / "seqp2p" / path).exists() and not (ROOT / "tests" / path).exists()}
    assert missing == set()


@for_each(PAGES)
def test_tests_that_are_named_exist(page: str) -> None:
    for path, names in re.findall(r"`((?:\w+/)*test_\w+\.py)((?:::\w+)+)`", PAGES[page]):
        source = (ROOT / "tests" / path.removeprefix("tests/")).read_text("utf-8")
        assert not [name for name in names.split("::") if name and not re.search(rf"(class|def) {name}\b", source)]


KIT = json.loads((ROOT / "protocol" / "replays" / "expected.json").read_text("utf-8"))
COUNTS = {
    r"(\w+) (?:adversaries\b(?! end as before)|misbehaving seats)": len(ADVERSARIES),
    r"(\w+) (?:fuzz )?targets\b": len(TARGETS),
    r"(\w+) kinds of faults": len(KINDS),
    r"(\w+) (?:small )?replays(?:,| with verdict)": len(KIT),
    r"(\w+) checks, of which": len(mutants()),
    r"(\w+) games in `make test`": len(SEEDS) // BATCH * FEW,
}
WORDS = {"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16}


@pytest.mark.parametrize("pattern", COUNTS)
def test_counts_are_true(pattern: str) -> None:
    told = [word for page in PAGES.values() for word in re.findall(pattern, page)]
    numbers = [int(word) if word.isdigit() else WORDS[word] for word in told if word.isdigit() or word in WORDS]
    assert numbers, "no page counts them"
    assert set(numbers) == {COUNTS[pattern]}
