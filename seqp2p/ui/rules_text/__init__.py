"""The rules as people read them, in this project's own words: one text file for each variant and language."""

from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "fr")


def rules_text(variant: str, lang: str) -> str:
    """The rules of a variant (its name) in one of ``LANGUAGES``: plain text, lines of less than 80 characters."""
    return (files(__name__) / f"{variant}.{lang}.txt").read_text("utf-8")
