"""A third board: data like the two that ship, and nothing else. It has what they have not.

Seven columns and five rows, free squares that are no corners, two of them in one line; cards with names of their own,
one on three squares and one on a single square; three copies of a card in the deck.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from seqp2p.rules import TableSize, Variant, make_known
from seqp2p.rules.variant import RULE_OPTIONS, read_board
from seqp2p.ui import language

GRID: Final = """
*       sun     moon    *       mercury venus   earth
mars    jupiter saturn  uranus  neptune pluto   ceres
titan   orion   *       vega    comet   sun     moon
mercury venus   earth   mars    jupiter saturn  uranus
neptune pluto   ceres   titan   orion   vega    sun
"""
FACES: Final = (
    *("sun", "moon", "mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "neptune", "pluto", "ceres"),
    *("titan", "orion", "vega", "comet", "meteor", "rocket"),
)
IN_FRENCH: Final = (
    *("soleil", "lune", "mercure", "vénus", "terre", "mars", "jupiter", "saturne", "uranus", "neptune", "pluton"),
    *("cérès", "titan", "orion", "véga", "comète", "météore", "fusée"),
)
FRENCH: Final = dict(zip(FACES, IN_FRENCH, strict=True))
SUN: Final = FACES.index("sun")
TITLES: Final = {"Sequence in Space": "Sequence dans l'espace", "space": "espace"}
SPACE: Final = Variant(
    name="space",
    title="Sequence in Space",
    board=read_board(GRID, FACES, 4),
    faces=FACES,
    deck=(*range(len(FACES)), *range(len(FACES)), SUN),
    sizes=(TableSize(2, 4, (2,)), TableSize(3, 3, (3,)), TableSize(4, 3, (2, 4))),
    line_length=4,
    sequences_to_win=((2, 2), (3, 1), (4, 1)),
    wild=(FACES.index("rocket"),),
    removing=(FACES.index("meteor"),),
    ranks=(),
    exchanges_per_turn=1,
    quiet_turns_max=74,
    options=tuple(row.field for row in RULE_OPTIONS),
    colours=("green", "yellow", "blue", "red"),
    any_colours=True,
)
make_known(SPACE)


@contextmanager
def french_catalogue(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Speak French, with this board's entries in the catalogue."""
    shipped = Path(language.LOCALE_DIR) / "fr" / "LC_MESSAGES" / "seqp2p.po"
    copy = folder / "fr" / "LC_MESSAGES" / "seqp2p.po"
    copy.parent.mkdir(parents=True)
    shutil.copy(shipped, copy)
    with copy.open("rb") as file:
        catalogue = read_po(file, locale="fr")
    for face, name in FRENCH.items():
        catalogue.add(face, name, context="card")
    for text, translation in TITLES.items():
        catalogue.add(text, translation)
    with copy.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)
    with monkeypatch.context() as patch:
        patch.setattr(language, "LOCALE_DIR", str(folder))
        language.use("fr")
        yield
    language.use("en")
