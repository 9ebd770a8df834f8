"""The pages point to files, headings and targets that exist."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.each import for_each

ROOT = Path(__file__).parents[1]
PAGES = {
    str(page.relative_to(ROOT)): page.read_text("utf-8")
    for page in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("protocol/*.md")))
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
