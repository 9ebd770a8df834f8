"""The advice: the hidden cards are dealt anew, and a hand fits what its seat has played last."""

import random

from seqp2p.bots.learned import ranking
from seqp2p.rules import view
from tools.advice import Choice, deal, difference, fits, play


def test_dealt_cards_are_those_that_a_seat_may_believe_in() -> None:
    rng, choices = random.Random(1), list[Choice]()
    while not choices:
        legal, choices = play("classic-2-2", rng)
        assert legal >= len(choices)
    choice = choices[0]
    position, seat = choice.position, choice.position.to_move
    assert ranking(view(position, seat))[0] == choice.moves[0]
    dealt, pile = deal(choice, rng, 1000)
    assert view(dealt, seat) == view(position, seat)
    gone = [card for cards in (*dealt.hands, *dealt.discards, pile) for card in cards]
    assert sorted(gone) == sorted(position.variant.deck)
    other = 3 - seat
    before, action = choice.last[other]
    assert any(fits(dealt.hands[other - 1], before, action, rng) for _ in range(100))
    assert difference(choice, rng, 40) in {-1, -0.5, 0, 0.5, 1}
