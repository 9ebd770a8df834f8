"""Talk called: every player of the talker's team gives up a card, without replacement."""

import pytest

from seqp2p.rules import (
    KIDS,
    UNKNOWN,
    Action,
    IllegalAction,
    Options,
    Pending,
    Position,
    apply,
    call,
    drop,
    give,
    hide,
    legal_actions,
    reveal,
    start,
    view,
)
from seqp2p.rules.status import status
from tests.rules.playing import card, do, make, texts


def silent(*hands: str, chips: dict[str, str] | None = None, **more: object) -> Position:
    return make(chips or {}, hands, options="no-table-talk", **more)  # type: ignore[arg-type]  # passed on as it is


def four() -> Position:
    return silent("2C,3C", "4C,4C,5C", "6C", "?,7C")


class TestThePenalty:
    def test_the_talkers_team_gives_up_a_card_each_and_the_turn_goes_on(self) -> None:
        called = do(four(), "call 4")
        assert (called.phase, called.to_move, called.mover) == ("penalty", 2, 1)
        assert called.pending == Pending("penalty", 1, penalised=(2, 4))
        assert texts(called) == ["4C given", "5C given"]
        given = do(called, "4C given", drawn=card("KD"))
        assert (given.to_move, given.hands[1], given.discards[1]) == (4, (2, 3), (2,))
        assert texts(given) == ["7C given"]
        after = do(given, "7C given")
        assert (after.to_move, after.phase, after.mover, after.pending) == (1, "play", 1, None)
        assert (after.hands[3], after.discards) == ((UNKNOWN,), ((), (2,), (), (5,)))
        assert (after.turn, after.draws, after.pile) == (150, 140, four().pile)
        assert do(after, "2C e2").to_move == 2
        for position in (called, given, after):
            assert status(position) == ()

    def test_an_unknown_card_becomes_the_one_that_is_given(self) -> None:
        given = do(do(do(four(), "call 2"), "5C given"), "QH given")
        assert given.hands[3] == (card("7C"),)
        assert given.discards[3] == (card("QH"),)

    def test_those_who_know_no_hand_know_no_action(self) -> None:
        assert texts(do(silent("?", "?", "?", "?"), "call 2")) == []

    def test_a_player_without_a_card_owes_none(self) -> None:
        called = do(silent("2C", "-", "3C", "4C"), "call 2")
        assert (called.to_move, called.pending) == (4, Pending("penalty", 1, penalised=(4,)))
        after = do(called, "4C given")
        assert (after.to_move, after.hands[3]) == (1, ())

    def test_nobody_of_the_team_has_a_card(self) -> None:
        position = silent("2C", "-", "3C", "-")
        assert do(position, "call 4") == position

    def test_the_last_card_given_up_means_passing(self) -> None:
        position = do(do(do(silent("2C", "3C", "4C", "5C"), "call 4"), "3C given"), "5C given")
        position = do(position, "2C e2")
        assert (position.to_move, texts(position)) == (2, ["pass"])

    def test_after_an_exchange(self) -> None:
        position = silent("QH,2C", "3C", "4C", "5C", chips={"a": "h2", "b": "g7"})
        exchanged = do(position, "QH dead", drawn=card("KD"))
        called = do(exchanged, "call 2")
        after = do(do(called, "3C given"), "5C given")
        assert (after.exchanged, after.exchanges_left, after.to_move) == (1, 0, 1)
        assert after.hands[0] == exchanged.hands[0]

    def test_several_remarks_can_be_called_in_one_turn(self) -> None:
        position = silent("2C", "3C,4C", "4C", "5C,5C")
        for text in ("call 2", "3C given", "5C given", "call 4", "4C given", "5C given", "call 2"):
            position = do(position, text)
        assert (position.to_move, position.phase, position.hands[1], position.hands[3]) == (1, "play", (), ())

    def test_three_teams(self) -> None:
        called = do(silent("2C", "3C", "4C", "5C", "6C", "7C", teams=3, to_move=4), "call 6")
        assert called.pending == Pending("penalty", 4, penalised=(3, 6))
        after = do(do(called, "4C given"), "7C given")
        assert (after.to_move, after.phase) == (4, "play")

    def test_with_a_draw_still_owed(self) -> None:
        hands = ["2C", "3C,3D", "4C", "5C"]
        position = make({}, hands, options="no-table-talk,manual-draw", to_move=2, pending="play/2/1/-/-")
        called = do(position, "call 1")
        assert called.pending == Pending("penalty", 2, owes=1, penalised=(1, 3))
        after = do(do(called, "2C given"), "4C given")
        assert (after.to_move, after.pending) == (2, Pending("play", 2, owes=1))
        late = do(after, "3C d2")
        assert (late.to_move, late.phase) == (1, "late")
        assert status(late) == ()


def test_whether_somebody_has_talked_is_not_for_the_engine_to_say() -> None:
    position = four()
    assert all(action.kind != "call" for action in legal_actions(position))
    assert all(action.kind != "call" for action in view(position, 1).legal)
    assert apply(position, call(2)).phase == "penalty"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("call 3", "seat 3 is of the caller's own team: only an opponent's talk can be called"),
        ("call 1", "seat 1 is of the caller's own team"),
        ("call 5", "there is no seat 5 to call: the seats are 1 to 4"),
        ("2C given", "seat 1 is to play: there is nothing that it has to draw, end, waive or give up"),
    ],
)
def test_the_reason_for_a_refusal(text: str, reason: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        do(four(), text)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize("seat", [0, -1, 10**9])
def test_a_number_that_is_no_seat(seat: int) -> None:
    with pytest.raises(IllegalAction, match=f"there is no seat {seat} to call"):
        apply(four(), call(seat))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("6C given", "seat 2 does not hold 6C: play a card of the hand"),
        ("2C e2", "seat 2 gives up a card for its team's talk first: name the card and 'given'"),
        ("5C b2", "seat 2 gives up a card"),
        ("pass", "seat 2 gives up a card"),
        ("draw", "seat 2 gives up a card"),
        ("call 1", "seat 2 gives up a card"),
    ],
)
def test_the_reason_for_a_refusal_in_the_penalty(text: str, reason: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        do(do(four(), "call 2"), text)
    assert str(refused.value).startswith(reason)


@pytest.mark.parametrize("action", [give(UNKNOWN), give(52), give(-2), Action("give")])
def test_values_that_are_no_cards(action: Action) -> None:
    for position in (do(four(), "call 2"), do(hide(four(), ()), "call 2")):
        with pytest.raises(IllegalAction, match="there is no card number"):
            apply(position, action)


def test_a_card_seen_elsewhere_cannot_be_given() -> None:
    position = do(silent("2C,2C", "?", "?", "?"), "call 2")
    with pytest.raises(IllegalAction, match="seat 2 cannot hold 2C: every 2C has been seen elsewhere"):
        do(position, "2C given")


def test_talk_is_free_by_default() -> None:
    with pytest.raises(IllegalAction, match="talk is free at this table: nobody can be called for it"):
        do(make({}, ["2C", "3C", "4C", "5C"]), "call 2")
    with pytest.raises(IllegalAction, match="talk is free at this table"):
        do(start(KIDS, 2, 2, Options(), 1, [[UNKNOWN] * 3] * 2), "call 2")


@pytest.mark.parametrize("players", [2, 3])
def test_who_plays_alone_has_nobody_to_talk_to(players: int) -> None:
    position = silent(*["2C", "3C", "4C"][:players], teams=players)
    with pytest.raises(IllegalAction, match="seat 2 has no team-mates: only the talk of a team of two or more"):
        do(position, "call 2")


def test_who_has_lost_its_team_mate_has_nobody_to_talk_to() -> None:
    position = drop(four(), [4])
    with pytest.raises(IllegalAction, match="seat 2 has no team-mates"):
        do(position, "call 2")
    with pytest.raises(IllegalAction, match="seat 4 has left the game"):
        do(position, "call 4")


def test_what_a_seat_sees() -> None:
    called = do(four(), "call 2")
    seen = view(called, 2)
    assert (seen.phase, seen.mover, seen.to_move) == ("penalty", 1, 2)
    assert [action.card for action in seen.legal] == [2, 3]
    assert view(called, 4).legal == ()
    assert view(called, 1).legal == ()


def test_a_hand_shown_in_a_pass_is_known_when_a_card_of_it_is_given() -> None:
    position = reveal(silent("?", "?,?", "?", "?", to_move=2), 2, [card("JS"), card("JH")])
    passed = do(position, "pass")
    called = do(passed, "call 2")
    assert texts(called) == ["JH given", "JS given"]
