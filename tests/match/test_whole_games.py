"""Whole games in memory: every seat has its own match, and all of them agree at every step."""

import random
from collections import Counter
from typing import Any

import pytest

from seqp2p.match.contribution import open_envelope
from seqp2p.match.events import Drawn, Shuffled, Turned
from seqp2p.match.machine import Match
from seqp2p.match.steps import final_hash
from seqp2p.match.table import encode_agreement
from seqp2p.rules import UNKNOWN, deal_order, hand_size, team_of
from seqp2p.rules.status import status
from tests.match.test_turn_attacks import turns
from tests.table import Played, at_random, due, make_agreement, make_seats, match_at, play, snapshot, soon

pytestmark = pytest.mark.simulation


def play_apart(players: int, variant: str, seed: int, **changes: Any) -> list[Match]:
    """A game in which every seat has its own match, and gets what all send in an order of its own."""
    agreement = encode_agreement(make_agreement(players, variant, seed, **changes))
    matches = [Match(agreement) for _ in range(players)]
    seats, dice, choose = make_seats(players, seed), random.Random(seed), (at_random if players == 2 else soon)(seed)
    while matches[0].kind is not None:
        sent = [c for match, seat in zip(matches, seats, strict=True) for c in due(match, [seat], choose)]
        for match in matches:
            for contribution in dice.sample(sent, len(sent)):
                match.receive(contribution)
        assert len({(match.head, match.number, match.kind, match.awaited) for match in matches}) == 1
    return matches


@pytest.mark.parametrize(
    ("players", "variant", "changes"),
    [(2, "classic", {"advanced": True}), (4, "classic", {"manual_draw": True}), (3, "kids", {}), (4, "kids", {})],
)
def test_seats_that_play_apart_have_the_same_game(players: int, variant: str, changes: dict[str, bool]) -> None:
    first, *others = play_apart(players, variant, 3, **changes)
    for match in others:
        assert snapshot(match) == snapshot(first)
        assert match.record == first.record
        assert final_hash(match.game) == final_hash(first.game)
    last, result = first.game.table_position(), first.game.result
    assert result is not None
    assert result.kind == "won"
    assert result.winners == tuple(s for s in range(1, players + 1) if team_of(s, last.teams) == last.winner)


def kinds_of_steps(game: Played) -> list[str]:
    return [open_envelope(step.contributions[0][1].payload).kind for step in game.steps]


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
    kinds = kinds_of_steps(long_game)
    again = long_game.step_of("shuffle", 3)
    assert kinds[again - 2 : again + 3] == ["turn", "shuffle", "shuffle", "draw", "turn"]
    assert [e for e in long_game.events if isinstance(e, Shuffled)] == [
        Shuffled(seat, seat, reshuffle) for reshuffle in (0, 1) for seat in (1, 2)
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
