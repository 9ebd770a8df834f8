"""Events of a table in sentences: to the player itself as "you", to others by seat and name."""

import pytest

from seqp2p.i18n import message
from seqp2p.match.events import STOPPED, Result
from seqp2p.rules import CLASSIC
from seqp2p.ui import words
from seqp2p.ui.words import LEFT, Company
from tests.table import make_agreement, make_settings

NAMES = ("ann", "bob", "cat", "dan")
WATCHED = Company(NAMES, ("blue", "green"))
BOB = Company(NAMES, ("blue", "green"), own=2)


def test_the_company_of_a_table() -> None:
    company = Company.of(make_agreement(3), own=3)
    assert company == Company(("player 1", "player 2", "player 3"), ("blue", "green", "red"), 3)
    assert [company.colour(seat) for seat in (1, 2, 3)] == ["blue", "green", "red"]
    assert [BOB.colour(seat) for seat in (1, 2, 3, 4)] == ["blue", "green"] * 2
    assert [BOB.who(seat) for seat in (1, 2)] == ["seat 1 (ann)", "you"]
    assert [WATCHED.name(seat) for seat in (1, 2)] == ["ann", "bob"]


@pytest.mark.parametrize(("text", "seat"), [("2", 2), ("seat 2", 2), ("BOB", 2), ("eve", 0), ("", 0), ("5", 0)])
def test_a_seat_as_typed(text: str, seat: int) -> None:
    assert WATCHED.find(text) == seat


@pytest.mark.parametrize(
    ("text", "to_bob"),
    [
        ("seat 2 does not hold QH: play a card of the hand", "you do not hold QH: play a card of the hand"),
        ("seat 2 cannot pass: QH e5 can be played", "you cannot pass: QH e5 can be played"),
        ("seat 2 is of the caller's own team", "you are of the caller's own team"),
        ("seat 2 (bob) could not be reached for 5 s", "you could not be reached for 5 s"),
        ("seat 1 (ann) left the table", "seat 1 (ann) left the table"),
        ("there is no seat 22 to call: the seats are 1 to 4", "there is no seat 22 to call: the seats are 1 to 4"),
    ],
)
def test_a_sentence_about_the_reader(text: str, to_bob: str) -> None:
    assert BOB.to_reader(text) == to_bob
    assert WATCHED.to_reader(text) == text


def test_a_name_is_no_pattern() -> None:
    company = Company(("a.*(", "bob"), ("blue", "green"), own=1)
    assert company.to_reader("seat 1 (a.*() left the table") == "you left the table"


def test_a_team_that_has_lost_a_seat_is_not_given_another_s_number() -> None:
    assert words.winners_text((3, 4), NAMES) == "seats 3, 4"
    assert words.winners_text((3, 7), tuple("abcdefgh")) == "team 3 (seats 3, 7)"
    assert words.winners_text((5, 7), tuple("abcdefgh")) == "seats 5, 7"


@pytest.mark.parametrize(
    ("result", "watched", "to_bob"),
    [
        (Result("won", (2, 4)), "won by team 2 (seats 2, 4)", "you won, with seat 4 (dan)"),
        (Result("won", (1, 3)), "won by team 1 (seats 1, 3)", "you lost: won by team 1 (seats 1, 3)"),
        (Result("won", (2,)), "won by seat 2 (bob)", "you won"),
        (Result("drawn"), "drawn: nobody has won", "drawn: nobody has won"),
        (
            Result("forfeit", (2,), "seat 1 (ann) left"),
            "won by seat 2 (bob) by forfeit: seat 1 (ann) left",
            "you won by forfeit: seat 1 (ann) left",
        ),
        (
            Result("unfinished", (), "seat 2 (bob) could not be reached for 5 s"),
            "ended without a winner: seat 2 (bob) could not be reached for 5 s",
            "ended without a winner: you could not be reached for 5 s",
        ),
    ],
)
def test_a_result(result: Result, watched: str, to_bob: str) -> None:
    assert words.result_line(WATCHED, result) == watched
    assert words.result_line(BOB, result) == to_bob


def test_a_game_is_unfinished_only_if_it_can_be_resumed() -> None:
    assert (
        words.result_line(BOB, Result("unfinished", (), STOPPED), resumable=True)
        == "unfinished: you have stopped for now"
    )


def test_one_who_has_left_is_told_who_wins_by_it() -> None:
    told = words.result_line(BOB, Result("unfinished", (), LEFT), heirs=(1,))
    assert told == "you left: won by ann by forfeit, unless they left too"


def test_what_one_did_by_oneself() -> None:
    assert words.reason_text(BOB, LEFT) == "you left the table"
    assert words.reason_text(WATCHED, LEFT) == "this seat left the table"
    assert words.reason_text(BOB, STOPPED) == "you have stopped for now"


def test_seats_get_their_names_once() -> None:
    assert words.named("seat 1, seat 9", NAMES) == "seat 1 (ann), seat 9"
    assert words.named("no seat is named", ()) == "no seat is named"


def test_sequences_that_come_and_go() -> None:
    assert words.sequences_lines(WATCHED, (0, 1), (1, 0), 2) == [
        "blue has completed a sequence: 1 of 2",
        "green has lost a sequence: 0 of 2",
    ]
    assert words.sequences_lines(WATCHED, (1, 1), (1, 1), 2) == []


def test_the_settings_of_the_usual_table() -> None:
    assert words.settings_lines(make_settings(4)) == [
        "Sequence, 4 players in 2 teams: two sequences win, 5 in a row",
        "  hands are opened for the replay at the end",
        "  no turn clock",
        "  a seat that is away is waited for up to 2:00",
    ]
    assert words.settings_lines(make_settings(2, "kids"))[0] == (
        "Sequence for Kids, 2 players each on their own: one sequence wins, 4 in a row"
    )


def test_the_settings_of_a_table_that_has_chosen_everything() -> None:
    options = {"advanced": True, "table_talk": False, "manual_draw": True, "open_hands": False}
    settings = make_settings(4, "classic", **options, turn_time_s=90, grace_s=30)
    text = "\n".join(words.settings_lines(settings))
    for part in (
        "can be broken by a one-eyed jack",
        "drawn by hand",
        "may call a remark",
        "hands stay closed",
        "a turn takes at most 1:30",
        "waited for up to 0:30",
    ):
        assert part in text
    # Two players have no team-mates to talk to, so that nothing can be called.
    assert "call" not in "\n".join(words.settings_lines(make_settings(2, table_talk=False)))


VOTE = "that is a vote: once more than half of the seats have voted so, "
WAY_BACK = "ann can come back with seqp2p resume; after that time "


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (words.absent_line(BOB, 1, 120), "ann cannot be reached; waiting up to 2:00"),
        (words.absent_line(BOB, 1, None), "ann is not back yet; the game waits"),
        (words.stopped_line(BOB, 1, 120), "ann stops for now; waiting up to 2:00"),
        (words.away_explained(BOB, 1, 2), WAY_BACK + "the game ends unfinished"),
        (words.away_explained(BOB, 1, 4), WAY_BACK + "the table decides whether to go on without ann"),
        (words.back_line(BOB, 1), "ann is back"),
        (words.back_line(BOB, 2), "you are back"),
        (words.left_line(BOB, {1}), "ann has left the table"),
        (words.left_line(BOB, {4, 1}), "ann and dan have left the table"),
        (words.vote_line(BOB, 3, "drop", {1}), "cat votes to go on without ann"),
        (words.vote_line(BOB, 2, "drop", {4, 1}), "you vote to go on without ann and dan"),
        (words.vote_line(BOB, 3, "skip", {1}), "cat votes to pass over ann"),
        (words.vote_explained(BOB, "skip", (2,)), VOTE + "your turn passes, and no more"),
        (words.vote_explained(BOB, "skip", (1,)), VOTE + "the turn of ann passes, and no more"),
        (
            words.vote_explained(BOB, "drop", (1, 4)),
            VOTE + "the game goes on without ann and dan, and all cards that have not been played are dealt anew",
        ),
        (words.skipped_line(BOB, 2), "your turn is passed over"),
        (words.skipped_line(BOB, 1), "the turn of ann is passed over"),
        (words.dropped_line(BOB, {1}), "ann is out of the game"),
        (words.dropped_line(BOB, {2}), "you are out of the game"),
        (words.dropped_line(BOB, {4, 1}), "ann and dan are out of the game"),
        (words.resumed_line(BOB, 1), "ann has come back to the game"),
        (words.resumed_line(BOB, 2), "you have come back to the game"),
        (words.undone_line(57), "step 57 is taken back: the table has decided otherwise, and it is played again"),
    ],
)
def test_seats_in_trouble(line: str, told: str) -> None:
    assert line == told


@pytest.mark.parametrize(
    ("seat", "reason", "told"),
    [
        (3, message("seat {seat} does not hold {card}", seat=3, card="QH"), "cat is proved: seat 3 does not hold QH"),
        (2, message("seat {seat} is no fish", seat=2), "you are proved: you are no fish"),
        (3, "Expected `int`, got `str`", "cat is proved: what it signed is not in the form that it has in a game"),
    ],
)
def test_cheating_is_named(seat: int, reason: str, told: str) -> None:
    assert words.proven_line(BOB, seat, 9, reason) == told.replace("proved", "proved to have cheated at step 9")
    assert "replay" in words.proof_explained()


def test_no_sentence_is_wider_than_a_narrow_terminal() -> None:
    for line in words.settings_lines(make_settings(12, teams=3, table_talk=False, manual_draw=True, advanced=True)):
        assert len(line) <= 80
    assert CLASSIC.title in words.settings_lines(make_settings(12))[0]
