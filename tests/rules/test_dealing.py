import random
from collections import Counter

import pytest

from seqp2p.rules import CLASSIC, KIDS, DealerDraw, RulesError, deal_order, dealer_draw, first_seat, parse_card


def draw(players: int, names: str) -> tuple[list[str], int]:
    result = dealer_draw(CLASSIC, players, iter([parse_card(CLASSIC, name) for name in names.split()]))
    rounds = [" ".join(f"{seat}:{CLASSIC.faces[card]}" for seat, card in turned) for turned in result.rounds]
    return rounds, result.dealer


@pytest.mark.parametrize(
    ("players", "cards", "rounds", "dealer"),
    [
        (2, "AS 2C", ["1:AS 2:2C"], 2),
        (2, "KS AC", ["1:KS 2:AC"], 1),  # aces are high
        (3, "TD JD 9D 2C", ["1:TD 2:JD 3:9D"], 3),
        (3, "5D 5H 9D 7C 6C", ["1:5D 2:5H 3:9D", "1:7C 2:6C"], 2),  # suits do not count
        (
            4,
            "9D 3H 3D 3C QS QD QH 2C 2D 3S 5S 4S",
            ["1:9D 2:3H 3:3D 4:3C", "2:QS 3:QD 4:QH", "2:2C 3:2D 4:3S", "2:5S 3:4S"],
            3,
        ),
        (4, "9D 9H TD TC JS QS", ["1:9D 2:9H 3:TD 4:TC", "1:JS 2:QS"], 1),  # a tie above the lowest does not matter
    ],
)
def test_the_lowest_card_deals(players: int, cards: str, rounds: list[str], dealer: int) -> None:
    assert draw(players, cards) == (rounds, dealer)


def test_without_a_decision_the_cards_are_shuffled_again() -> None:
    with pytest.raises(RulesError, match="run out"):
        dealer_draw(CLASSIC, 2, iter([0, 13]))
    with pytest.raises(RulesError, match="-5 players cannot play"):
        dealer_draw(CLASSIC, -5, iter([0, 13]))


def test_every_seat_deals_equally_often() -> None:
    rng = random.Random(1)
    deals: Counter[int] = Counter()
    for _ in range(2_000):
        deck = list(CLASSIC.deck)
        rng.shuffle(deck)
        deals[dealer_draw(CLASSIC, 4, iter(deck)).dealer] += 1
    assert all(430 < deals[seat] < 570 for seat in (1, 2, 3, 4))


def test_kids_draw_lots_not_cards() -> None:
    with pytest.raises(RulesError, match="choose a seat by lot"):
        dealer_draw(KIDS, 2, iter(KIDS.deck))
    assert DealerDraw((), 2).dealer == 2


def test_the_seat_to_the_left_of_the_dealer_begins() -> None:
    assert [first_seat(3, dealer) for dealer in (1, 2, 3)] == [2, 3, 1]


def test_cards_are_dealt_one_by_one() -> None:
    assert deal_order(4, 3, 2) == (4, 1, 2, 3, 4, 1, 2, 3)
    assert Counter(deal_order(12, 12, 3)) == dict.fromkeys(range(1, 13), 3)
