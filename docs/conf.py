"""The pages as a site (``make docs``): Sphinx reads the Markdown that a forge shows, from the root of the project."""

from typing import Final

from sphinx.application import Sphinx

from seqp2p import __version__ as release

project = "seqp2p"
project_copyright = author = "the seqp2p authors"
extensions = ["myst_parser", "sphinxcontrib.mermaid"]
nitpicky = True
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "protocol/README.md"]
exclude_patterns = [".*", "build"]
# The anchors of a forge, and its pictures of diagrams.
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
html_theme = "furo"
html_title = f"seqp2p {release}"
# index.html leads to the first page.
html_extra_path = ["site"]

# The pages by reader, for the side of the site. A forge would show a list inside the page as it is written.
CONTENTS: Final = {
    "README": {
        "Play": ("docs/install", "docs/guide", "docs/internet", "docs/bots"),
        "Program": ("docs/scripting", "docs/reference", "docs/examples/README", "docs/promises", "CHANGELOG"),
        "Trust": (
            "docs/security",
            "docs/protocol",
            "protocol/README",
            "docs/rules",
            "docs/testing",
            "docs/adversaries",
        ),
        "Contribute": ("CONTRIBUTING", "docs/architecture", "docs/glossary", "docs/decisions/README"),
    },
    "docs/decisions/README": {"Decisions": ("[0-9]*",)},
}


def add_contents(_: Sphinx, page: str, source: list[str]) -> None:
    """Add the pages below a page to it."""
    for caption, pages in CONTENTS.get(page, {}).items():
        source[0] += "\n".join(("\n```{toctree}", ":hidden:", ":glob:", f":caption: {caption}", "", *pages, "```\n"))


def setup(app: Sphinx) -> None:
    """Connect what Sphinx calls."""
    app.connect("source-read", add_contents)
