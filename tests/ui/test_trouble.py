"""Seats in trouble: what is said so that a person who sees it for the first time understands what happens next."""

import pytest

from seqp2p.i18n import message
from seqp2p.ui.words import Company, away_explained, left_line, proof_explained, proven_line, vote_explained

NAMES = ("ann", "bob", "cat", "dan")
BOB = Company(NAMES, ("blue", "green"), own=2)
REASON = message("seat {seat} does not hold {card}", seat=3, card="QH")


def test_an_absence_has_an_end() -> None:
    way_back = "ann can come back with seqp2p resume; after that time "
    assert away_explained(BOB, 1, 2) == way_back + "the game ends unfinished"
    assert away_explained(BOB, 1, 4) == way_back + "the table decides whether to go on without ann"


@pytest.mark.parametrize(
    ("seat", "reason", "line"),
    [
        (3, REASON, "cat is proved to have cheated at step 9: seat 3 does not hold QH"),
        (2, message("seat {seat} is no fish", seat=2), "you are proved to have cheated at step 9: you are no fish"),
        (
            3,
            "Expected `int`, got `str`",
            "cat is proved to have cheated at step 9: what it signed is not in the form that it has in a game",
        ),
    ],
)
def test_cheating_is_named(seat: int, reason: str, line: str) -> None:
    assert proven_line(BOB, seat, 9, reason) == line
    assert "replay" in proof_explained()


def test_who_has_left() -> None:
    assert left_line(BOB, {1}) == "ann has left the table"
    assert left_line(BOB, {4, 1}) == "ann and dan have left the table"


def test_votes() -> None:
    begins = "that is a vote: once more than half of the seats have voted so, "
    assert vote_explained(BOB, "skip", (1,)) == begins + "the turn of ann passes, and no more"
    assert vote_explained(BOB, "drop", (1, 4)).startswith(
        begins + "the game goes on without ann and dan, and all cards"
    )
