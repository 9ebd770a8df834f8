"""A game on the engine and on the rules written naively, compared after every action."""

import random

from seqp2p.rules import (
    UNKNOWN,
    Action,
    Card,
    Position,
    format_action,
    format_square,
    legal_actions,
    squares_of,
)
from seqp2p.rules.position import format_options
from tests.rules.naive import NaiveGame
from tests.rules.playing import Game


def naive_game(game: Game) -> NaiveGame:
    """The same game as the naive rules have it. It may be anywhere but in a penalty."""
    position, pending, faces = game.position, game.position.pending, game.position.variant.faces
    naive = NaiveGame(
        variant=position.variant,
        players=position.players,
        teams=position.teams,
        options=set(format_options(position.options).split(",")) - {"-"},
        seat=position.mover,
        hands={seat: [faces[card] for card in hand] for seat, hand in enumerate(position.hands, 1)},
        pile=[faces[card] for card in game.pile],
        chips=chips_of(position),
        sequences=sequences_of(position),
        owes=pending.owes if pending else 0,
        turn=position.turn,
        draws=position.draws,
        reshuffles=position.reshuffles,
        exchanged=position.exchanged,
        idle=position.idle,
        quiet=position.quiet,
        passed=bool(pending and pending.passed),
    )
    naive.discards = {seat: [faces[card] for card in cards] for seat, cards in enumerate(position.discards, 1)}
    naive.todo = [(position.phase, position.to_move)]
    if position.phase == "late" and not naive.passed:
        naive.todo.append(("draw", position.mover))
    return naive


def chips_of(position: Position) -> dict[str, int]:
    """The team of the chip on each square that has one."""
    teams = enumerate(position.chips, 1)
    return {format_square(position.variant, square): team for team, chips in teams for square in squares_of(chips)}


def sequences_of(position: Position) -> list[tuple[int, tuple[str, ...]]]:
    """The completed sequences, by their squares' names."""
    return [(team, tuple(format_square(position.variant, at) for at in line)) for team, line in position.sequences]


def assert_same(naive: NaiveGame, position: Position) -> None:
    """The two have come to the same position."""
    faces, pending = position.variant.faces, position.pending
    phase, to_move = naive.todo[0] if naive.result == "-" else ("play", 0)
    assert (position.phase, position.to_move) == (phase, to_move)
    if to_move:
        assert position.mover == naive.seat
        assert (pending.owes if pending else 0) == naive.owes
        penalised = tuple(seat for phase, seat in naive.todo if phase == "penalty")
        assert (pending.penalised if pending else ()) == penalised
    for seat in naive.hands:
        assert sorted(naive.hands[seat]) == sorted(faces[card] for card in position.hands[seat - 1])
        assert naive.discards[seat] == [faces[card] for card in position.discards[seat - 1]]
    assert naive.chips == chips_of(position)
    assert sorted(naive.sequences) == sorted(sequences_of(position))
    assert position.pile == len(naive.pile)
    assert (position.turn, position.draws, position.reshuffles) == (naive.turn, naive.draws, naive.reshuffles)
    assert (position.exchanged, position.idle, position.quiet) == (naive.exchanged, naive.idle, naive.quiet)
    assert naive.result == ("=" if position.drawn_game else str(position.winner or "-"))


class Both:
    """A game that two engines play."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.naive = naive_game(game)
        assert_same(self.naive, game.position)

    def lay_on_top(self, card: Card) -> None:
        """Let this card of the pile be drawn next."""
        pile = self.game.pile
        at = pile.index(card)
        pile[at], pile[-1] = pile[-1], pile[at]
        self.naive.pile = [self.game.position.variant.faces[each] for each in pile]

    def play(self, action: Action) -> None:
        """Play an action with the card on top of the pile, and compare."""
        variant, pile_was_empty = self.game.position.variant, not self.game.pile
        self.game.play(action)
        drawn = self.game.drawn[-1]
        new_pile = [variant.faces[card] for card in (*self.game.pile, drawn) if card != UNKNOWN]
        self.naive.play(format_action(variant, action), new_pile if pile_was_empty else [])
        assert_same(self.naive, self.game.position)

    def compare_legal(self) -> None:
        """Both offer the same actions."""
        position = self.game.position
        actions = legal_actions(position)
        texts = {format_action(position.variant, action) for action in actions}
        assert len(texts) == len(actions)
        assert texts == (self.naive.legal() if self.naive.result == "-" else set())


def both_at(position: Position) -> Both:
    """Both engines at this position, with a pile of the cards that are not seen."""
    pile = list(position.variant.deck)
    for cards in (*position.hands, *position.discards):
        for seen in cards:
            pile.remove(seen)
    return Both(Game(position, pile[: position.pile], random.Random(1)))
