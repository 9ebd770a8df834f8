"""Whole games in memory: every seat has its own match, and all of them agree at every step."""

from collections import Counter

import pytest

from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import Drawn, Shuffled, Turned
from seqp2p.match.machine import Match
from seqp2p.rules import UNKNOWN, deal_order, hand_size
from seqp2p.rules.status import status
from tests.match.test_turn_attacks import turns
from tests.table import Played, at_random, match_at, play

pytestmark = pytest.mark.simulation


def test_turns_are_numbered_and_go_round(duel: Played) -> None:
    draw = duel.match.game.draw
    assert draw is not None
    turned = [event for event in duel.events if isinstance(event, Turned)]
    turns = {event.turn: event.seat for event in turned}
    assert list(turns) == list(range(1, len(turns) + 1))
    assert [turns[1], turns[2], turns[3]] == [draw.dealer % 2 + 1, draw.dealer, draw.dealer % 2 + 1]
    exchange = next(at for at, event in enumerate(turned) if event.action.kind == "exchange")
    assert (turned[exchange].turn, turned[exchange].seat) == (turned[exchange + 1].turn, turned[exchange + 1].seat)


def test_a_card_is_drawn_after_every_action_but_a_pass_and_the_last(long_game: Played) -> None:
    events = [event for event in long_game.events if not isinstance(event, Shuffled)]
    pairs = zip(events, (*events[1:], None), strict=True)
    actions = [(event.action.kind, then == Drawn(event.seat)) for event, then in pairs if isinstance(event, Turned)]
    assert {*actions[:-1]} == {("place", True), ("remove", True), ("exchange", True), ("pass", False)}
    assert actions[-1] == ("place", False)


def test_a_used_up_pile_is_shuffled_again_by_all(long_game: Played) -> None:
    kinds = [open_envelope(step.contributions[0][1].payload).kind for step in long_game.steps]
    again = long_game.step_of("shuffle", 3)
    assert kinds[again - 2 : again + 3] == ["turn", "shuffle", "shuffle", "draw", "turn"]
    assert [e for e in long_game.events if isinstance(e, Shuffled)] == [
        Shuffled(seat, seat, reshuffle, 2) for reshuffle in (0, 1) for seat in (1, 2)
    ]
    before, after = match_at(long_game, again), match_at(long_game, again + 2)
    assert len(before.game.deck.mixing) == before.game.table_position().pile + 1
    assert before.game.deck.discards == []
    assert after.game.deck.drawn == 104, "a deck position is never used twice"
    assert len(after.game.deck.ciphertexts) == 104 + len(before.game.deck.mixing)


def test_cards_are_conserved_at_every_step(long_game: Played) -> None:
    match = Match(long_game.agreement)
    deck = match.game.deck
    for step in long_game.steps:
        for _, contribution in step.contributions:
            match.receive(contribution)
        if match.game.position is None:
            continue
        position = match.game.position
        assert status(position) == ()
        owed = match.kind == "draw" or match.kind == "shuffle"  # the position has drawn, the deck not yet
        pile = len(deck.mixing) or len(deck.ciphertexts) - deck.drawn
        assert sum(map(len, deck.hands)) + pile + len(deck.discards) == 104
        assert pile == position.pile + owed
        faces = Counter(card for cards in position.discards for card in cards)
        assert Counter(deck.face(card) for card in deck.discards) == faces
        assert len({at for hand in deck.hands for at in hand}) == sum(map(len, deck.hands))


def test_cards_are_dealt_one_by_one_from_the_left_of_the_dealer(trio: Played) -> None:
    match = match_at(trio, trio.step_of("turn"))
    draw = match.game.draw
    assert draw is not None
    owners = deal_order(3, draw.dealer, hand_size(match.game.variant, 3))
    for seat in (1, 2, 3):
        assert match.game.deck.hand(seat) == [at for at, owner in enumerate(owners) if owner == seat]
    assert match.game.table_position().to_move == draw.dealer % 3 + 1


def test_a_pass_shows_the_hand_to_all(long_game: Played) -> None:
    """It stays known until it is played: the game has more than ten passes, so cards are shown twice."""
    first, *_, last = turns(long_game, "pass")
    match = match_at(long_game, first)
    assert match.plan is not None
    mover = match.plan.subject
    (event,) = match.receive(long_game.contribution(first, mover))
    assert isinstance(event, Turned)
    hand = match.game.table_position().hands[mover - 1]
    assert UNKNOWN not in hand
    assert hand == long_game.seat(mover).position(match).hands[mover - 1]
    assert match.plan is not None
    assert match.plan.subject != mover, "the turn is over, and nothing is drawn"
    assert len(turns(long_game, "pass")) > 10
    hands = match_at(long_game, last + 1).game.table_position().hands
    assert UNKNOWN not in hands[0] or UNKNOWN not in hands[1]


def test_a_drawn_game_has_no_winners(long_game: Played) -> None:
    """A pass ends the game where the 207 turns before it were quiet: the position is set so by hand."""
    match = match_at(long_game, turns(long_game, "pass")[0])
    assert match.chain.open is not None
    for game in (match.game, match.chain.open.before):
        game.position = game.table_position()._replace(quiet=207, turn=300)
    play(match, list(long_game.seats), at_random(1))
    assert match.game.result is not None
    assert (match.game.result.kind, match.game.result.winners) == ("drawn", ())
