"""Expected texts in files: screens, and talks of typed lines with their answers.

``SEQP2P_KEEP=1 pytest -n 0 tests/ui tests/cli tests/rules tests/match tests/lobby tests/replay`` writes them again.
It fails where it changes one: look at the changes, and run it once more.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

SCREENS: Final = Path(__file__).parent / "screens"
SIGNS: Final = (">", "*")
KEEPS: Final = os.environ.get("SEQP2P_KEEP") == "1"


def check_screen(name: str, lines: Sequence[str]) -> None:
    """Check a page against the kept one of this name."""
    path, text = SCREENS / f"{name}.txt", "\n".join(lines) + "\n"
    kept = path.read_text("utf-8") if path.exists() else ""
    if KEEPS:
        path.write_text(text, "utf-8")
    assert text == kept


@dataclass(frozen=True)
class Talk:
    """A part of a file: ``== a claim``, ``[the place where it begins]``, and lines with the answers below each.

    A line begins with a sign: ``>`` if it is typed, ``*`` if it happens.
    """

    file: Path
    place: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines to which there are answers, with their signs."""
        return [line for line in self.text.splitlines() if line[:1] in SIGNS]

    def check(self, answers: Iterable[Iterable[str]]) -> None:
        """Check the answers to the lines, in order."""
        told = self.text.splitlines()[:2]
        for line, answer in zip(self.lines, answers, strict=True):
            rows = [*answer]
            assert not [row for row in rows if row[:1] in SIGNS], "an answer that would be read as a line"
            told += [line, *rows]
        text = "\n".join(told)
        if KEEPS:
            self.file.write_text(self.file.read_text("utf-8").replace(self.text, text), "utf-8")
        assert text == self.text


def talks(test: str, file: str) -> pytest.MarkDecorator:
    """Return the mark of a test that checks each talk of a file in its folder, in each place where it begins."""
    found = list(_talks_of(Path(test).with_name(file)))
    names = [name for name, _ in found]
    assert len(names) == len({*names}), f"{file} has a talk twice"
    return pytest.mark.parametrize("talk", [talk for _, talk in found], ids=names)


def _talks_of(file: Path) -> Iterator[tuple[str, Talk]]:
    for part in file.read_text("utf-8").removeprefix("== ").split("\n\n== "):
        claim, places, *rows = part.rstrip("\n").splitlines()
        signed = {row[:1] in SIGNS for row in rows}
        assert signed == {True, False} or (KEEPS and signed), f"{file.name}: {claim!r} has no line or no answer"
        begins = places.strip("[]").split("; ")
        # To write it once is enough.
        for place in begins[:1] if KEEPS else begins:
            yield f"{claim} [{place}]", Talk(file, place, part.rstrip("\n"))
