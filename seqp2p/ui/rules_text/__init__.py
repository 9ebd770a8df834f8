"""The rules for people, in this project's own words: one text file for each variant and language."""

from importlib.resources import files


def rules_text(variant: str, lang: str) -> str:
    """Return the rules of a variant (its name) in a language: plain text, lines of less than 80 characters."""
    return (files(__name__) / f"{variant}.{lang}.txt").read_text("utf-8")
