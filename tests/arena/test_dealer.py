"""Cards dealt step by step are those of a game: none is lost, none is twice there."""

import random
from collections import Counter

import pytest

from seqp2p.arena.conformance import peaceful
from seqp2p.arena.game import Dealer
from seqp2p.rules import VARIANTS, IllegalAction, Options, default_teams, legal_actions, place, view
from tests.rules.playing import OPTIONS


@pytest.mark.parametrize(("name", "players"), [("classic", 2), ("classic", 4), ("kids", 3)])
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_a_game_to_its_end(name: str, players: int, options: Options) -> None:
    variant = VARIANTS[name]
    options = options if variant.options else Options()
    dice = random.Random(7)
    dealer = Dealer(variant, players, default_teams(variant, players), options, 2, random.Random(1))
    assert dealer.position.to_move == 2
    reshuffled = False
    while seat := dealer.position.to_move:
        seen = view(dealer.position, seat)
        dealer.play(peaceful(seen, dice) if seen.phase == "play" else dice.choice(legal_actions(dealer.position)))
        position = dealer.position
        cards = (*position.hands, *position.discards, tuple(dealer._pile))
        assert Counter(card for each in cards for card in each) == Counter(variant.deck)
        assert len(dealer._pile) == position.pile
        reshuffled = reshuffled or position.reshuffles > 0
    assert reshuffled == (dealer.position.reshuffles > 0)


def test_the_same_cards_give_the_same_game() -> None:
    variant = VARIANTS["classic"]
    hands = [Dealer(variant, 2, 2, Options(), 1, random.Random(seed)).position.hands for seed in (1, 1, 2)]
    assert hands[0] == hands[1] != hands[2]


def test_what_is_not_legal_is_refused() -> None:
    dealer = Dealer(VARIANTS["classic"], 2, 2, Options(), 1, random.Random(1))
    before = dealer.position
    with pytest.raises(IllegalAction):
        dealer.play(place(0, 99))
    assert dealer.position == before
