"""One action at a time: what it does, and why it is refused."""

import pytest

from seqp2p.rules import (
    CLASSIC,
    KIDS,
    NO_SQUARE,
    PASS,
    UNKNOWN,
    Action,
    IllegalAction,
    Options,
    Position,
    exchange,
    hide,
    legal_actions,
    parse_card,
    parse_square,
    place,
    remove,
    reveal,
    squares_of,
    start,
)
from tests.rules.playing import do, make, refusal, texts


def owners(position: Position, *names: str) -> list[int]:
    bits = [1 << parse_square(position.variant, name) for name in names]
    return [sum(team for team, chips in enumerate(position.chips, 1) if chips & bit) for bit in bits]


def test_a_turn_discards_places_draws_and_passes_on() -> None:
    before = make({"a": "c3"}, ["2D,QH", "?,?"])
    after = do(before, "QH h2", drawn=parse_card(CLASSIC, "KD"))
    assert owners(after, "h2", "c3", "g7") == [1, 1, 0]
    assert after.hands == ((parse_card(CLASSIC, "2D"), parse_card(CLASSIC, "KD")), (UNKNOWN, UNKNOWN))
    assert after.discards == ((parse_card(CLASSIC, "QH"),), ())
    assert (after.to_move, after.turn - before.turn, after.draws - before.draws) == (2, 1, 1)
    assert (after.pile, after.reshuffles) == (before.pile - 1, before.reshuffles)
    assert do(after, "7H d6").to_move == 1


def test_both_copies_of_a_card_offer_the_same_actions_once() -> None:
    assert texts(make({}, ["QH,QH,2C", "?"])) == ["2C e2", "2C g4", "QH h2", "QH g7"]


def test_jacks_go_by_eyes_not_by_colour() -> None:
    position = make({"a": "c3", "b": "d7 e7"}, ["JC,JD,JH,JS", "?"])
    for jack in ("JC", "JD"):
        assert owners(do(position, f"{jack} f6"), "f6") == [1]
        assert f"{jack} takes no chip: only JH and JS do" in refusal(position, f"{jack} xd7")
    for jack in ("JH", "JS"):
        assert owners(do(position, f"{jack} xd7"), "d7", "e7") == [0, 2]
        assert f"{jack} places no chip, it takes one: write for instance {jack} xf6" in refusal(position, f"{jack} f6")
    wild = {f"{jack} {chr(97 + col)}{row}" for jack in ("JC", "JD") for col in range(10) for row in range(1, 11)}
    nowhere = {f"{jack} {square}" for jack in ("JC", "JD") for square in ["a1", "j1", "a10", "j10", "c3", "d7", "e7"]}
    assert set(texts(position)) == (wild - nowhere) | {"JH xd7", "JH xe7", "JS xd7", "JS xe7"}
    assert len(texts(position)) == len(set(texts(position)))


def test_a_removal_empties_the_square_and_draws() -> None:
    before = make({"a": "c3", "b": "d7"}, ["JS,2C", "8D,?"])
    after = do(before, "JS xd7", drawn=0)
    assert after.free == before.free | 1 << parse_square(CLASSIC, "d7")
    assert (after.draws - before.draws, after.to_move, after.hands[0]) == (1, 2, (0, 0))
    assert owners(do(after, "5S d9"), "d9") == [2]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (place(UNKNOWN, 44), "there is no card number -1"),
        (place(999, 44), "there is no card number 999"),
        (place(parse_card(CLASSIC, "QH"), 100), "there is no square number 100"),
        (place(parse_card(CLASSIC, "QH"), NO_SQUARE), "there is no square number -1"),
        (remove(parse_card(CLASSIC, "JS"), -7), "there is no square number -7"),
        (exchange(52), "there is no card number 52"),
        (Action("remove"), "there is no card number -1"),
    ],
)
def test_values_that_are_no_cards_or_squares(action: Action, reason: str) -> None:
    for hand in ("JS,QH", "?,?"):
        assert reason in refusal(make({}, [hand, "?"], possible=False), action)


def test_nothing_can_be_played_after_the_end() -> None:
    won = do(make({"a": "b1 c1 d1 b3 b4 b5 b6 b7"}, ["JC", "?"], sequences="a:b3-b7"), "JC e1")
    assert (won.winner, won.over, won.drawn_game, won.to_move) == (1, True, False, 0)
    assert legal_actions(won) == ()
    for action in (PASS, place(0, 44), exchange(0), remove(0, 44)):
        assert "the game is over" in refusal(won, action)


def test_the_game_ends_before_the_draw() -> None:
    before = make(
        {"a": "b1 c1 d1 b3 b4 b5 b6 b7"},
        ["JC,2C", "?,?"],
        sequences="a:b3-b7",
        pile=0,
        discards=["QH", "-"],
        possible=False,
    )
    after = do(before, "JC e1", drawn=5)
    assert (after.draws, after.pile, after.reshuffles, after.turn) == (before.draws, 0, 0, before.turn + 1)
    assert after.hands == ((0,), (UNKNOWN, UNKNOWN))
    assert after.discards[0] == (parse_card(CLASSIC, "QH"), parse_card(CLASSIC, "JC"))


def test_a_card_seen_elsewhere_cannot_be_played_from_an_unknown_hand() -> None:
    position = make({}, ["?,?", "QH,QH"])
    assert "seat 1 cannot hold QH: every QH has been seen elsewhere" in refusal(position, "QH h2")
    seen = make({}, ["?,?", "QH"], discards=["-", "QH"])
    assert "every QH has been seen elsewhere" in refusal(seen, "QH h2")


def test_reveal_and_hide() -> None:
    position = make({}, ["2C,QH,QH", "?,?,KD"])
    king, queen = parse_card(CLASSIC, "KD"), parse_card(CLASSIC, "QH")
    assert reveal(position, 2, [5]).hands[1] == (UNKNOWN, 5, king)
    assert reveal(position, 2, [3, king]).hands[1] == (3, king, king)
    assert reveal(position, 1, []) == position
    for cards in ([1, 2, 3], [UNKNOWN], [king, king], [queen], [52], [-2]):
        with pytest.raises(IllegalAction, match=r"^seat 2 "):
            reveal(position, 2, cards)
    with pytest.raises(IllegalAction, match="seat 1 shows 1 cards, but 0 cards"):
        reveal(position, 1, [3])
    assert hide(position, {1}).hands == (position.hands[0], (UNKNOWN,) * 3)
    assert hide(position, ()).hands == ((UNKNOWN,) * 3,) * 2
    assert hide(position, (1, 2)) == position


def test_kids_play_by_the_same_engine() -> None:
    position = start(KIDS, 3, 3, Options(), 1, [(0, 19, 20), (UNKNOWN,) * 3, (UNKNOWN,) * 3])
    assert [KIDS.faces[card] for card in position.hands[0]] == ["alligator", "dragon", "unicorn"]
    assert set(texts(position)) == {"alligator b1", "alligator d5"} | {
        f"unicorn {chr(97 + square % 7)}{square // 7 + 1}" for square in squares_of(position.free)
    }
    after = do(do(position, "unicorn c3"), "lion e2")
    assert texts(reveal(do(after, "dragon xe2"), 1, [])) != []
    third = reveal(after, 3, [KIDS.faces.index("dragon")])
    assert texts(third) == ["dragon xe2", "dragon xc3"]
    assert "dragon belongs to no square, so it is never dead" in refusal(third, "dragon dead")
    assert do(third, "dragon xc3").chips == (0, after.chips[1], 0)
