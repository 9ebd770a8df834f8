"""Events of a table in sentences: to the player itself as "you", to others by seat and name."""

import json

import pytest

from seqp2p.i18n import message
from seqp2p.match.events import STOPPED, Result
from seqp2p.rules import CLASSIC
from seqp2p.ui import words
from seqp2p.ui.words import LEFT, Company
from tests.table import make_agreement, make_settings
from tests.ui.kept import Talk, talks

NAMES = ("ann", "bob", "cat", "dan")
WATCHED = Company(NAMES, ("blue", "green"))
BOB = Company(NAMES, ("blue", "green"), own=2)

PLACES = {
    "somebody watches ann, bob, cat and dan": WATCHED,
    "bob, with ann, cat and dan": BOB,
    "somebody watches eight, a to h": Company(tuple("abcdefgh"), ("blue", "green", "red", "yellow")),
}


def told(company: Company, call: str) -> list[str]:
    """Return the answer of a function of a company, called with arguments written as JSON."""
    name, _, given = call.partition(" ")
    answer: str | int | list[str]
    arguments = json.loads(f"[{given}]")
    if name == "result_line":
        answer = words.result_line(company, Result(*arguments))
    else:
        answer = getattr(words if hasattr(words, name) else Company, name)(company, *arguments)
    return answer if isinstance(answer, list) else [str(answer)]


@talks(__file__, "words_talks.txt")
def test_talk(talk: Talk) -> None:
    talk.check(told(PLACES[talk.place], line[2:]) for line in talk.lines)


def test_a_result_has_no_words_of_a_library() -> None:
    for reason in (
        "Object missing required field `v` - at `$.table`",
        "seat 2 broke the rules at step 9: Expected `int`",
    ):
        assert "`" not in words.result_line(BOB, Result("forfeit", (1,), reason))


def test_the_company_of_a_table() -> None:
    company = Company.of(make_agreement(3), own=3)
    assert company == Company(("player 1", "player 2", "player 3"), ("blue", "green", "red"), 3)
    assert [company.colour(seat) for seat in (1, 2, 3)] == ["blue", "green", "red"]
    assert [BOB.colour(seat) for seat in (1, 2, 3, 4)] == ["blue", "green"] * 2


def test_a_seat_whose_name_misleads_is_found_by_what_it_is_called() -> None:
    company = Company(("ann", "you", "2", "seat 1"), ("blue", "green"), own=1)
    called = [company.name(seat) for seat in (2, 3, 4)]
    assert called == ["seat 2 (you)", "2", "seat 4 (seat 1)"]
    assert [company.find(each) for each in called] == [2, 0, 4], "2 is a seat, too"
    assert [company.find(f"seat {seat}") for seat in company.seats] == [1, 2, 3, 4]


def test_a_name_is_no_pattern() -> None:
    company = Company(("a.*(", "bob"), ("blue", "green"), own=1)
    assert company.to_reader("seat 1 (a.*() left the table") == "you left the table"


def test_how_it_ends_for_one_who_leaves_or_stops() -> None:
    stopped, left = Result("unfinished", (), STOPPED), Result("unfinished", (), LEFT)
    assert words.result_line(BOB, stopped, resumable=True) == "unfinished: you have stopped for now"
    told = words.result_line(BOB, left, heirs=(1,))
    assert told == "you left the game unfinished: ann won by forfeit, unless they left too"


def test_the_settings_of_the_usual_table() -> None:
    assert words.settings_lines(make_settings(4)) == [
        "Sequence, 4 players in 2 teams: two sequences win, 5 in a row",
        "  hands are opened for the replay at the end",
        "  no turn clock",
        "  the others wait up to 2:00 for a seat that is away",
    ]
    assert words.settings_lines(make_settings(2, "kids"))[0] == (
        "Sequence for Kids, 2 players, each on their own: one sequence wins, 4 in a row"
    )


def test_the_settings_of_a_table_that_has_chosen_everything() -> None:
    options = {"advanced": True, "table_talk": False, "manual_draw": True, "open_hands": False}
    settings = make_settings(4, "classic", **options, turn_time_s=90, grace_s=30)
    text = "\n".join(words.settings_lines(settings))
    for part in (
        "can be broken by a one-eyed jack",
        "draw their own cards",
        "may call a remark",
        "hands stay closed",
        "a turn takes at most 1:30",
        "wait up to 0:30",
    ):
        assert part in text
    # Two players have no team-mates to talk to, so that nothing can be called.
    assert "call" not in "\n".join(words.settings_lines(make_settings(2, table_talk=False)))


@pytest.mark.parametrize(
    ("seat", "reason", "told"),
    [
        (3, message("seat {seat} does not hold {card}", seat=3, card="QH"), "cat cheated: cat does not hold QH"),
        (2, message("seat {seat} is no fish", seat=2), "you cheated: you are no fish"),
        (3, "Expected `int`, got `str`", "cat cheated: what it signed is not in the form that it has in a game"),
    ],
)
def test_cheating_is_named(seat: int, reason: str, told: str) -> None:
    assert words.proven_line(BOB, seat, 9, reason) == f"it is proved that {told}".replace(
        "cheated", "cheated at step 9"
    )
    assert "replay" in words.proof_explained()


def test_no_sentence_is_wider_than_a_narrow_terminal() -> None:
    for line in words.settings_lines(make_settings(12, teams=3, table_talk=False, manual_draw=True, advanced=True)):
        assert len(line) <= 80
    assert CLASSIC.title in words.settings_lines(make_settings(12))[0]
